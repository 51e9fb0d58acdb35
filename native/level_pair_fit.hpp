// Two variables of any levels given their neighbours, with and without a coupling: kernels/pair_fit.py has the
// formulas. pair_fit.hpp is the same for binary variables that count once, and several times faster.
//
// A *form* is a number for every cell (x_i, x_j): one is g(x_i), g(x_j) or g(x_i) h(x_j). A parameter adds its value times a
// form, times a column of the table of configurations of the neighbours, or times one, to a cell's log weight. So
//
//     log-likelihood = sum of b_k t_k - sum over rows of n log Z,      t_k what the samples have of form times column,
//
// its gradient is t_k less the mean of the form, and its second derivatives are covariances of forms, both times columns. Only
// forms that slopes multiply are wanted row by row; of all others the sum over the rows is enough. Derivatives are added up
// with the objective, a chunk of rows at a time that the nearest cache holds: nearly every step is taken, and a second walk
// through all rows and columns took two fifths of the time.
//
// **Few exponentials.** A cell's weight is the product of exp of i's part, of j's and of the coupling's, which is
// the same in all rows: r_i + r_j exponentials for r_i r_j cells. Packs of rows go four at a time: sums over cells are
// chains of additions, each of which would wait for the one before.
//
// Without a second variable it is the regression of one on its neighbours.
#pragma once
#include <cmath>

#include "level_rows.hpp"
#include "level_side.hpp"
#include "ordinal.hpp"
#include "pair_fit.hpp"

namespace markhood::MARKHOOD_TIER {

class LevelPairFit {
  public:
    double objective = 0.0;
    const double* coefficients() const { return newton_.at.data(); }
    std::size_t n_parameters() const { return n_; }
    double log_determinant() const { return newton_.log_determinant; }

    // How many numbers a coupling is shown as, and how many of them are free.
    static std::size_t n_shown(BitRows rows, std::size_t i, std::size_t j) {
        return n_free(rows, i, j) == 1 ? 1 : rows.levels(i) * rows.levels(j);
    }
    static std::size_t n_free(BitRows rows, std::size_t i, std::size_t j) { return rows.n_scores(i) * rows.n_scores(j); }

    // The regression of i, where j is null; else the pair, starting from both ends' regressions.
    void fit(BitRows rows, const End& i, const End* j, double precision) {
        precision_ = precision;
        lay_out(rows, i, j);
        newton_.resize(n_);
        if (j) {
            std::memcpy(newton_.at.data(), i.coefficients, i_.n_parameters() * sizeof(double));
            std::memcpy(newton_.at.data() + i_.n_parameters(), j->coefficients, j_.n_parameters() * sizeof(double));
            for (std::size_t k = n_ - i_.scores * j_.scores; k < n_; ++k) newton_.at[k] = 0.0;
        } else {
            std::memset(newton_.at.data(), 0, n_ * sizeof(double));
            // Without slopes the thresholds of steps are log odds; but for a hair, were a level empty.
            for (std::size_t t = 0; i_.is_step() && t < i_.n_thresholds; ++t)
                newton_.at[t] = std::log((level_totals_[t + 1] + 0.5) / (level_totals_[0] + 0.5));
        }
        objective = newton_.maximise(least_gain(precision), [this](const double* b) { return evaluate(b); },
                                     [this](const double* b) { differentiate(b); });
    }

    // The coupling and its variance, each n_shown numbers.
    void show(double* coupling, double* variance) {
        const std::size_t q = i_.scores * j_.scores, from = n_ - q;
        const double *t = newton_.at.data() + from, *h = newton_.hessian.data();
        solved_.resize(q);
        const auto put = [&](auto shown, double* mean, double* spread) {
            *mean = *spread = 0.0;
            for (std::size_t k = 0; k < q; ++k) {
                // The last block of the Cholesky factor, whose diagonal is inverted.
                double rest = shown(k);
                *mean += shown(k) * t[k];
                for (std::size_t l = 0; l < k; ++l) rest -= h[(from + k) * n_ + from + l] * solved_[l];
                solved_[k] = rest * h[(from + k) * n_ + from + k];
                *spread += solved_[k] * solved_[k];
            }
        };
        if (q == 1) {
            const double size = (i_.features[1] - i_.features[0]) * (j_.features[1] - j_.features[0]);
            return put([size](std::size_t) { return size; }, coupling, variance);
        }
        for (std::size_t a = 0; a < i_.levels; ++a)
            for (std::size_t b = 0; b < j_.levels; ++b, ++coupling, ++variance)
                put([&](std::size_t k) { return product(k, a, b); }, coupling, variance);
    }

  private:
    struct Parameter {
        std::size_t form;
        const Pack* column;  // null where it is ones
        bool has_prior;
    };
    struct Term {
        std::uint32_t cell;
        double value;
    };

    double product(std::size_t k, std::size_t a, std::size_t b) const {
        return i_.features[a * i_.scores + k / j_.scores] * j_.features[b * j_.scores + k % j_.scores];
    }

    void lay_out(BitRows rows, const End& i, const End* j) {
        merge(i, j);
        rows_.build(rows, i.variable, j ? &j->variable : nullptr, merged_.data(), merged_.size());
        i_.set(rows, i.variable);
        j ? j_.set(rows, j->variable) : j_.leave_out();
        n_packs_ = (packs_for(rows_.n_rows) + kBlock - 1) / kBlock * kBlock;
        make_columns(rows);
        assign(i_, i.n_given, 0);
        if (j) assign(j_, j->n_given, i.n_given);
        number_parameters();
        list_terms();
        count_samples();
    }

    // The neighbours of either, ascending, and where in it those of i and then of j are.
    void merge(const End& i, const End* j) {
        const std::size_t n_j = j ? j->n_given : 0;
        merged_.resize(0);
        position_.resize(i.n_given + n_j);
        for (std::size_t a = 0, b = 0; a < i.n_given || b < n_j;) {
            const std::int64_t from_i = a < i.n_given ? i.given[a] : INT64_MAX;
            const std::int64_t from_j = b < n_j ? j->given[b] : INT64_MAX;
            if (from_i <= from_j) position_[a++] = merged_.size();
            if (from_j <= from_i) position_[i.n_given + b++] = merged_.size();
            merged_.push(from_i < from_j ? from_i : from_j);
        }
    }

    // The features of every neighbour in every row of the table.
    void make_columns(BitRows rows) {
        column_start_.resize(merged_.size() + 1);
        column_start_[0] = 0;
        for (std::size_t m = 0; m < merged_.size(); ++m)
            column_start_[m + 1] = column_start_[m] + rows.n_scores(static_cast<std::size_t>(merged_[m]));
        values_.resize(column_start_[merged_.size()] * n_packs_);
        clear(values_);
        for (std::size_t m = 0; m < merged_.size(); ++m) {
            const std::size_t variable = static_cast<std::size_t>(merged_[m]);
            const std::size_t levels = rows.levels(variable), scores = rows.n_scores(variable);
            neighbour_.resize(levels * scores);
            fill_features(levels, scores, neighbour_.data());
            for (std::size_t u = 0; u < scores; ++u) {
                double* to = reinterpret_cast<double*>(values_.data() + (column_start_[m] + u) * n_packs_);
                for (std::size_t r = 0; r < rows_.n_rows; ++r) to[r] = neighbour_[rows_.level(r, m) * scores + u];
            }
        }
    }

    void assign(Side& side, std::size_t n_given, std::size_t from) {
        side.columns.resize(0);
        for (std::size_t k = 0; k < n_given; ++k) {
            const std::size_t m = position_[from + k];
            for (std::size_t c = column_start_[m]; c < column_start_[m + 1]; ++c)
                side.columns.push(values_.data() + c * n_packs_);
        }
        side.fields.resize(side.levels);
    }

    void number_parameters() {
        i_.first_parameter = i_.first_form = 0;
        j_.first_parameter = i_.n_parameters();
        j_.first_form = i_.n_forms();
        for (Side* side : {&i_, &j_}) side->first_slope_form = side->first_form + side->n_forms() - side->scores;
        first_product_ = i_.n_forms() + j_.n_forms();
        n_forms_ = first_product_ + i_.scores * j_.scores;
        parameters_.resize(0);
        for (const Side* side : {&i_, &j_}) {
            for (std::size_t t = 0; t < side->n_thresholds; ++t) parameters_.push({side->first_form + t, nullptr, false});
            for (std::size_t u = 0; u < side->scores; ++u)
                for (std::size_t c = 0; c < side->columns.size(); ++c)
                    parameters_.push({side->first_slope_form + u, side->columns[c], true});
        }
        for (std::size_t k = 0; k < i_.scores * j_.scores; ++k) parameters_.push({first_product_ + k, nullptr, true});
        n_ = parameters_.size();
        if (n_ > kMostParameters) throw std::overflow_error("too many parameters");
        // Which forms are wanted row by row.
        slot_.resize(n_forms_);
        n_slots_ = 0;
        for (std::size_t f = 0; f < n_forms_; ++f) slot_[f] = kNoSlot;
        for (const Side* side : {&i_, &j_})
            for (std::size_t u = 0; side->columns.size() && u < side->scores; ++u)
                slot_[side->first_slope_form + u] = n_slots_++;
    }

    // Which side a form depends on: 0 for i, 1 for j, 2 for both.
    std::size_t kind(std::size_t f) const { return f >= first_product_ ? 2 : f >= j_.first_form ? 1 : 0; }
    double value(std::size_t f, std::size_t a, std::size_t b) const {
        if (f >= first_product_) return product(f - first_product_, a, b);
        return f >= j_.first_form ? j_.form(f - j_.first_form, b) : i_.form(f, a);
    }

    // Calls use(cell, value) for the cells where the product of two forms is not zero; those of forms of one variable are
    // that variable's levels, which come after the cells of both.
    template <class Use>
    void each_term(std::size_t f, std::size_t g, Use use) const {
        const std::size_t cells = i_.levels * j_.levels, of = kind(f);
        if (of == kind(g) && of < 2) {
            const std::size_t from = of ? cells + i_.levels : cells;
            for (std::size_t k = 0; k < (of ? j_ : i_).levels; ++k) use(from + k, value(f, k, k) * value(g, k, k));
            return;
        }
        for (std::size_t a = 0; a < i_.levels; ++a)
            for (std::size_t b = 0; b < j_.levels; ++b) use(a * j_.levels + b, value(f, a, b) * value(g, a, b));
    }

    void list_terms() {
        terms_.resize(0);
        term_start_.resize(0);
        mean_start_.resize(0);
        const std::size_t cells = i_.levels * j_.levels;
        const auto push = [this](std::size_t cell, double x) {
            if (x != 0.0) terms_.push({static_cast<std::uint32_t>(cell), x});
        };
        for (std::size_t f = 0; f < n_forms_; ++f) {
            mean_start_.push(terms_.size());
            const std::size_t of = kind(f), from = of ? cells + i_.levels : cells;
            if (of < 2)
                for (std::size_t k = 0; k < (of ? j_ : i_).levels; ++k) push(from + k, value(f, k, k));
            else
                for (std::size_t a = 0; a < i_.levels; ++a)
                    for (std::size_t b = 0; b < j_.levels; ++b) push(a * j_.levels + b, value(f, a, b));
        }
        mean_start_.push(terms_.size());
        for (std::size_t f = 0; f < n_forms_; ++f)
            for (std::size_t g = 0; g <= f; ++g) {
                term_start_.push(terms_.size());
                each_term(f, g, push);
            }
        term_start_.push(terms_.size());
        cells_.resize((cells + i_.levels + j_.levels) * kBlock);
        means_.resize(n_forms_ * kBlock);
        mean_sums_.resize(n_forms_);
        covariance_sums_.resize(n_forms_ * (n_forms_ + 1) / 2);
        slot_means_.resize(n_slots_ * kChunk);
        slot_covariances_.resize(n_slots_ * n_forms_ * kChunk);
        coupling_weight_.resize(cells);
        gradient_sums_.resize(n_);
        hessian_sums_.resize(n_ * (n_ + 1) / 2);
        columns_.resize(n_);
    }

    // What the samples have of every parameter's form times column.
    void count_samples() {
        const std::size_t of_i = i_.levels;
        totals_.resize(n_packs_);
        observed_.resize(n_slots_ * n_packs_);
        form_totals_.resize(n_forms_);
        level_totals_.resize(of_i * j_.levels);
        clear(totals_);
        clear(observed_);
        std::memset(level_totals_.data(), 0, level_totals_.size() * sizeof(double));
        rows_.each_count([&](std::size_t r, std::size_t a, std::size_t b, double n) {
            level_totals_[a * j_.levels + b] += n;
            number(totals_, r) += n;
            for (const Side* side : {&i_, &j_})
                for (std::size_t u = 0; side->columns.size() && u < side->scores; ++u) {
                    const double feature = side->features[(side == &i_ ? a : b) * side->scores + u];
                    number(observed_, slot_[side->first_slope_form + u] * n_packs_ * kPack + r) += n * feature;
                }
        });
        for (std::size_t f = 0; f < n_forms_; ++f) {
            form_totals_[f] = 0.0;
            for (std::size_t a = 0; a < of_i; ++a)
                for (std::size_t b = 0; b < j_.levels; ++b) form_totals_[f] += level_totals_[a * j_.levels + b] * value(f, a, b);
        }
        statistic_.resize(n_);
        for (std::size_t k = 0; k < n_; ++k) {
            const Parameter& own = parameters_[k];
            statistic_[k] = own.column ? dot(own.column, observed_.data() + slot_[own.form] * n_packs_) : form_totals_[own.form];
        }
    }

    double evaluate(const double* b) {
        set_fields(i_, b);
        set_fields(j_, b);
        const std::size_t q = i_.scores * j_.scores;
        const double* coupling = b + n_ - q;
        double largest = -HUGE_VAL, likelihood = 0.0, squares = 0.0;
        for (std::size_t a = 0, c = 0; a < i_.levels; ++a)
            for (std::size_t l = 0; l < j_.levels; ++l, ++c) {
                coupling_weight_[c] = 0.0;
                for (std::size_t k = 0; k < q; ++k) coupling_weight_[c] += product(k, a, l) * coupling[k];
                largest = coupling_weight_[c] > largest ? coupling_weight_[c] : largest;
            }
        for (std::size_t c = 0; c < i_.levels * j_.levels; ++c) coupling_weight_[c] = std::exp(coupling_weight_[c] - largest);
        for (Buffer<Pack>* sums : {&mean_sums_, &covariance_sums_, &gradient_sums_, &hessian_sums_}) clear(*sums);
        Pack sum{};
        for (std::size_t first = 0; first < n_packs_; first += kChunk) {
            const std::size_t n = n_packs_ - first < kChunk ? n_packs_ - first : kChunk;
            for (std::size_t p = 0; p < n; p += kBlock) {
                Pack log_sums[kBlock];
                weigh(b, first + p, log_sums);
                for (std::size_t q = 0; q < kBlock; ++q) sum += totals_[first + p + q] * (log_sums[q] + largest);
                add_moments(totals_.data() + first + p, p);
            }
            add_derivatives(first, n);
        }
        for (std::size_t k = 0; k < n_; ++k) {
            likelihood += b[k] * statistic_[k];
            squares += parameters_[k].has_prior ? b[k] * b[k] : 0.0;
        }
        return likelihood - total(sum) - 0.5 * precision_ * squares;
    }

    static void set_fields(Side& side, const double* b) {
        for (std::size_t a = 0; side.n_thresholds && a < side.levels; ++a) {
            side.fields[a] = 0.0;
            for (std::size_t t = 0; t < side.n_thresholds; ++t) side.fields[a] += b[side.first_parameter + t] * side.form(t, a);
        }
    }

    // Sets `to` to exp of a side's part of every level's log weight, less the largest, which is added to `log_sums`.
    void powers(const Side& side, const double* b, std::size_t p, Pack* to, Pack* log_sums) {
        if (!side.n_thresholds) {
            for (std::size_t q = 0; q < kBlock; ++q) to[q] = pack_of(1.0);
            return;
        }
        for (std::size_t a = 0; a < side.levels; ++a)
            for (std::size_t q = 0; q < kBlock; ++q) to[a * kBlock + q] = pack_of(side.fields[a]);
        const double* slope = b + side.first_parameter + side.n_thresholds;
        for (std::size_t u = 0; side.columns.size() && u < side.scores; ++u) {
            Pack e[kBlock] = {};
            for (std::size_t c = 0; c < side.columns.size(); ++c, ++slope)
                for (std::size_t q = 0; q < kBlock; ++q) e[q] += *slope * side.columns[c][p + q];
            for (std::size_t a = 0; a < side.levels; ++a)
                for (std::size_t q = 0; q < kBlock; ++q) to[a * kBlock + q] += side.features[a * side.scores + u] * e[q];
        }
        for (std::size_t q = 0; q < kBlock; ++q) {
            Pack largest = to[q];
            for (std::size_t a = 1; a < side.levels; ++a) {
                const Pack other = to[a * kBlock + q];
                largest = other > largest ? other : largest;
            }
            for (std::size_t a = 0; a < side.levels; ++a) to[a * kBlock + q] = negative_exp(to[a * kBlock + q] - largest);
            log_sums[q] += largest;
        }
    }

    // Sets cells_ to the probabilities of the cells, then of i's levels and of j's, in a block of packs from p on; and
    // `log_sums` to log Z less the coupling's largest.
    void weigh(const double* b, std::size_t p, Pack* log_sums) {
        const std::size_t r_i = i_.levels, r_j = j_.levels;
        Pack *of_i = cells_.data() + r_i * r_j * kBlock, *of_j = of_i + r_i * kBlock, sum[kBlock] = {};
        for (std::size_t q = 0; q < kBlock; ++q) log_sums[q] = Pack{};
        powers(i_, b, p, of_i, log_sums);
        powers(j_, b, p, of_j, log_sums);
        for (std::size_t a = 0; a < r_i; ++a)
            for (std::size_t l = 0; l < r_j; ++l)
                for (std::size_t q = 0; q < kBlock; ++q) {
                    const Pack weight = of_i[a * kBlock + q] * of_j[l * kBlock + q] * coupling_weight_[a * r_j + l];
                    cells_[(a * r_j + l) * kBlock + q] = weight;
                    sum[q] += weight;
                }
        for (std::size_t q = 0; q < kBlock; ++q) {
            log_sums[q] += log_of(sum[q]);
            sum[q] = 1.0 / sum[q];
        }
        for (std::size_t k = 0; k < (r_i + r_j) * kBlock; ++k) of_i[k] = Pack{};
        for (std::size_t a = 0; a < r_i; ++a)
            for (std::size_t l = 0; l < r_j; ++l)
                for (std::size_t q = 0; q < kBlock; ++q) {
                    const Pack probability = cells_[(a * r_j + l) * kBlock + q] *= sum[q];
                    of_i[a * kBlock + q] += probability;
                    of_j[l * kBlock + q] += probability;
                }
    }

    void mean_of_terms(std::size_t from, std::size_t to, Pack* mean) const {
        for (std::size_t q = 0; q < kBlock; ++q) mean[q] = Pack{};
        for (std::size_t t = from; t < to; ++t)
            for (std::size_t q = 0; q < kBlock; ++q) mean[q] += terms_[t].value * cells_[terms_[t].cell * kBlock + q];
    }

    // Adds up the moments of a block of packs, which are the p-th and following of a chunk and have counts `n`.
    void add_moments(const Pack* n, std::size_t p) {
        for (std::size_t f = 0; f < n_forms_; ++f) {
            Pack *mean = means_.data() + f * kBlock, counted[kBlock];
            mean_of_terms(mean_start_[f], mean_start_[f + 1], mean);
            for (std::size_t q = 0; q < kBlock; ++q) {
                counted[q] = n[q] * mean[q];
                mean_sums_[f] += counted[q];
            }
            if (slot_[f] != kNoSlot) std::memcpy(slot_means_.data() + slot_[f] * kChunk + p, counted, sizeof counted);
        }
        for (std::size_t f = 0, at = 0; f < n_forms_; ++f)
            for (std::size_t g = 0; g <= f; ++g, ++at) {
                Pack covariance[kBlock];
                mean_of_terms(term_start_[at], term_start_[at + 1], covariance);
                for (std::size_t q = 0; q < kBlock; ++q) {
                    covariance[q] = n[q] * (covariance[q] - means_[f * kBlock + q] * means_[g * kBlock + q]);
                    covariance_sums_[at] += covariance[q];
                }
                if (slot_[f] != kNoSlot) std::memcpy(covariances(f, g) + p, covariance, sizeof covariance);
                if (slot_[g] != kNoSlot) std::memcpy(covariances(g, f) + p, covariance, sizeof covariance);
            }
    }

    // Of a form that slopes multiply with another, in the packs of a chunk.
    Pack* covariances(std::size_t with_slot, std::size_t form) {
        return slot_covariances_.data() + (slot_[with_slot] * n_forms_ + form) * kChunk;
    }

    // Adds what a chunk of n packs says of all derivatives by slopes.
    void add_derivatives(std::size_t first, std::size_t n) {
        for (std::size_t k = 0; k < n_; ++k) columns_[k] = parameters_[k].column ? parameters_[k].column + first : nullptr;
        Pack* row = hessian_sums_.data();
        for (std::size_t k = 0; k < n_; row += ++k) {
            if (columns_[k]) {
                const Pack* means = slot_means_.data() + slot_[parameters_[k].form] * kChunk;
                add_products(columns_[k], &means, 1, 0, n, gradient_sums_.data() + k);
            }
            for (std::size_t l = 0; l <= k;) l = add_second_derivatives(k, l, n, row);
        }
    }

    // By parameter k, and by l and those after it that are alike, but none after k. Returns the first that is not.
    std::size_t add_second_derivatives(std::size_t k, std::size_t l, std::size_t n, Pack* row) {
        const std::size_t form = parameters_[l].form, own = parameters_[k].form;
        std::size_t end = l + 1;
        if (!columns_[l]) {
            while (end <= k && !columns_[end]) ++end;
            if (!columns_[k]) return end;
            others_.resize(0);
            for (std::size_t m = l; m < end; ++m) others_.push(covariances(own, parameters_[m].form));
            add_products(columns_[k], others_.data(), end - l, 0, n, row + l);
            return end;
        }
        while (end <= k && columns_[end] && parameters_[end].form == form) ++end;
        const Pack* covariance = covariances(form, own);
        if (columns_[k]) {
            for (std::size_t p = 0; p < n; ++p) weighted_[p] = columns_[k][p] * covariance[p];
            covariance = weighted_;
        }
        add_products(covariance, columns_.data() + l, end - l, 0, n, row + l);
        return end;
    }

    void differentiate(const double* b) {
        const Pack* sums = hessian_sums_.data();
        for (std::size_t k = 0; k < n_; ++k) {
            const Parameter& own = parameters_[k];
            const double prior = own.has_prior ? precision_ : 0.0;
            newton_.gradient[k] = statistic_[k] - total(own.column ? gradient_sums_[k] : mean_sums_[own.form]) - prior * b[k];
            double* row = newton_.hessian.data() + k * n_;
            for (std::size_t l = 0; l <= k; ++l, ++sums) {
                const std::size_t f = own.form, g = parameters_[l].form;
                const Pack& plain = covariance_sums_[f > g ? f * (f + 1) / 2 + g : g * (g + 1) / 2 + f];
                row[l] = total(own.column || parameters_[l].column ? *sums : plain);
            }
            row[k] += prior;
        }
    }

    double dot(const Pack* x, const Pack* y) const {
        Pack sum[kBlock] = {};
        for (std::size_t p = 0; p < n_packs_; p += kBlock)
            for (std::size_t q = 0; q < kBlock; ++q) sum[q] += x[p + q] * y[p + q];
        return total((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }

    static double& number(Buffer<Pack>& packs, std::size_t k) { return reinterpret_cast<double*>(packs.data())[k]; }

    static void clear(Buffer<Pack>& packs) {
        if (packs.size()) std::memset(static_cast<void*>(packs.data()), 0, packs.size() * sizeof(Pack));
    }

    static constexpr std::size_t kNoSlot = SIZE_MAX, kBlock = 4, kChunk = 16;

    LevelRows rows_;
    Newton newton_;
    Side i_, j_;
    double precision_ = 0.0;
    std::size_t n_ = 0, n_packs_ = 0, n_forms_ = 0, first_product_ = 0, n_slots_ = 0;
    Buffer<std::int64_t> merged_;
    Buffer<std::size_t> position_, column_start_, slot_, mean_start_, term_start_;
    Buffer<Parameter> parameters_;
    Buffer<Term> terms_;  // of the means of forms, then of the means of products of two
    Buffer<const Pack*> columns_, others_;  // of parameters, in a chunk
    Buffer<double> neighbour_, form_totals_, level_totals_, statistic_, coupling_weight_, solved_;
    Buffer<Pack> values_, totals_, observed_, cells_, means_, mean_sums_, covariance_sums_, slot_means_, slot_covariances_,
        gradient_sums_, hessian_sums_;
    Pack weighted_[kChunk];
};

}  // namespace markhood::MARKHOOD_TIER
