// Two variables of any levels given their neighbours, with and without a coupling: kernels/pair_fit.py has the
// formulas. pair_fit.hpp is the same for binary variables that count once, and several times faster.
//
// A *form* is a number for every cell (x_i, x_j): one is g(x_i), g(x_j) or g(x_i) h(x_j). A parameter adds its value times a
// form, times a column of the table of configurations of the neighbours, or times one, to a cell's log weight. So
//
//     log-likelihood = sum of b_k t_k - sum over rows of n log Z,      t_k what the samples have of form times column,
//
// its gradient is t_k less the mean of the form, and its second derivatives are covariances of forms, both times columns. Only
// forms that slopes multiply are wanted row by row; of all others the sum over the rows is enough.
//
// **Few exponentials.** A cell's weight is the product of exp of i's part, of j's and of the coupling's, which is
// the same in all rows: r_i + r_j exponentials for r_i r_j cells.
//
// Without a second variable it is the regression of one on its neighbours.
#pragma once
#include <cmath>

#include "level_table.hpp"
#include "ordinal.hpp"
#include "pair_fit.hpp"

namespace markhood::MARKHOOD_TIER {

// The numbers by which a variable enters couplings, (levels, scores); columns sum to zero.
static inline void fill_features(std::size_t levels, std::size_t scores, double* to) {
    const double r = static_cast<double>(levels);
    if (scores < levels - 1) {
        const double unit = std::sqrt(3.0 / (r * r - 1.0));
        for (std::size_t a = 0; a < levels; ++a) to[a] = (static_cast<double>(a) - 0.5 * (r - 1.0)) * unit;
        return;
    }
    for (std::size_t k = 1; k < levels; ++k) {
        const double n = static_cast<double>(k), size = 1.0 / std::sqrt(2.0 * n * (n + 1.0));
        for (std::size_t a = 0; a < levels; ++a) to[a * scores + k - 1] = a < k ? -size : a == k ? n * size : 0.0;
    }
}

// One end: its levels, and its neighbours as columns of the table.
struct Side {
    std::size_t levels = 1, scores = 0, n_thresholds = 0;
    std::size_t first_parameter = 0, first_form = 0;  // thresholds, then the forms of slopes where they are others
    std::size_t first_slope_form = 0;
    Buffer<double> features;       // (levels, scores)
    Buffer<const Pack*> columns;
    Buffer<double> fields;         // of every level, at the parameters evaluated

    void set(BitRows rows, std::size_t variable) {
        levels = rows.levels(variable);
        scores = rows.n_scores(variable);
        n_thresholds = levels - 1;
        features.resize(levels * scores);
        fill_features(levels, scores, features.data());
    }
    void leave_out() {
        levels = 1;
        scores = n_thresholds = 0;
        columns.resize(0);
    }
    bool is_step() const { return scores < n_thresholds; }
    // Where every level has a score these serve as the forms of thresholds too.
    std::size_t n_forms() const { return is_step() ? n_thresholds + scores : n_thresholds; }
    std::size_t n_parameters() const { return n_thresholds + scores * columns.size(); }
    // Of form f, counted from this side's first, at a level.
    double form(std::size_t f, std::size_t level) const {
        if (!is_step()) return features[level * scores + f];
        return f < n_thresholds ? (level == f + 1 ? 1.0 : 0.0) : features[level * scores + f - n_thresholds];
    }
};

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
        table_.build(rows, i.variable, merged_.data(), merged_.size());
        i_.set(rows, i.variable);
        if (j) {
            table_.count(j->variable);
            j_.set(rows, j->variable);
        } else {
            j_.leave_out();
        }
        n_packs_ = packs_for(table_.n_rows);
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
            for (std::size_t r = 0; r < table_.n_rows; ++r) {
                const double* own = neighbour_.data() + table_.configurations[r * merged_.size() + m] * scores;
                for (std::size_t u = 0; u < scores; ++u)
                    values_[(column_start_[m] + u) * n_packs_ + r / kPack][r % kPack] = own[u];
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
        cells_.resize(cells + i_.levels + j_.levels);
        means_.resize(n_forms_);
        mean_sums_.resize(n_forms_);
        covariance_sums_.resize(n_forms_ * (n_forms_ + 1) / 2);
        slot_means_.resize(n_slots_ * n_packs_);
        slot_covariances_.resize(n_slots_ * n_forms_ * n_packs_);
        coupling_weight_.resize(cells);
        weighted_.resize(n_packs_);
        dots_.resize(n_);
    }

    // What the samples have of every parameter's form times column.
    void count_samples() {
        const std::size_t of_i = i_.levels, cells = table_.n_rows * of_i;
        totals_.resize(n_packs_);
        observed_.resize(n_slots_ * n_packs_);
        form_totals_.resize(n_forms_);
        level_totals_.resize(of_i * j_.levels);
        clear(totals_);
        clear(observed_);
        std::memset(level_totals_.data(), 0, level_totals_.size() * sizeof(double));
        for (std::size_t r = 0; r < table_.n_rows; ++r)
            for (std::size_t a = 0; a < of_i; ++a)
                for (std::size_t b = 0; b < j_.levels; ++b) {
                    const double n = j_.n_thresholds ? table_.all_counts()[b * cells + r * of_i + a] : table_.counts[r * of_i + a];
                    if (!(n > 0)) continue;
                    level_totals_[a * j_.levels + b] += n;
                    totals_[r / kPack][r % kPack] += n;
                    for (const Side* side : {&i_, &j_})
                        for (std::size_t u = 0; side->columns.size() && u < side->scores; ++u) {
                            const std::size_t form = side->first_slope_form + u;
                            observed_[slot_[form] * n_packs_ + r / kPack][r % kPack] += n * value(form, a, b);
                        }
                }
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
        std::memset(static_cast<void*>(mean_sums_.data()), 0, mean_sums_.size() * sizeof(Pack));
        std::memset(static_cast<void*>(covariance_sums_.data()), 0, covariance_sums_.size() * sizeof(Pack));
        Pack sum{};
        for (std::size_t p = 0; p < n_packs_; ++p) {
            sum += totals_[p] * (weigh(b, p) + largest);
            add_moments(p);
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

    // Sets `to` to exp of a side's part of every level's log weight, less the largest, which is returned.
    Pack powers(const Side& side, const double* b, std::size_t p, Pack* to) {
        if (!side.n_thresholds) {
            to[0] = pack_of(1.0);
            return Pack{};
        }
        for (std::size_t a = 0; a < side.levels; ++a) to[a] = pack_of(side.fields[a]);
        const double* slope = b + side.first_parameter + side.n_thresholds;
        for (std::size_t u = 0; side.columns.size() && u < side.scores; ++u) {
            Pack e{};
            for (std::size_t c = 0; c < side.columns.size(); ++c) e += *slope++ * side.columns[c][p];
            for (std::size_t a = 0; a < side.levels; ++a) to[a] += side.features[a * side.scores + u] * e;
        }
        Pack largest = to[0];
        for (std::size_t a = 1; a < side.levels; ++a) largest = to[a] > largest ? to[a] : largest;
        for (std::size_t a = 0; a < side.levels; ++a) to[a] = negative_exp(to[a] - largest);
        return largest;
    }

    // Sets cells_ to the probabilities of the cells, then of i's levels and of j's; returns log Z less the coupling's largest.
    Pack weigh(const double* b, std::size_t p) {
        const std::size_t r_i = i_.levels, r_j = j_.levels;
        Pack *of_i = cells_.data() + r_i * r_j, *of_j = of_i + r_i, sum{};
        const Pack largest = powers(i_, b, p, of_i) + powers(j_, b, p, of_j);
        for (std::size_t a = 0; a < r_i; ++a)
            for (std::size_t l = 0; l < r_j; ++l) {
                const Pack weight = of_i[a] * of_j[l] * coupling_weight_[a * r_j + l];
                cells_[a * r_j + l] = weight;
                sum += weight;
            }
        const Pack inverse = 1.0 / sum;
        for (std::size_t l = 0; l < r_j; ++l) of_j[l] = Pack{};
        for (std::size_t a = 0; a < r_i; ++a) {
            of_i[a] = Pack{};
            for (std::size_t l = 0; l < r_j; ++l) {
                const Pack probability = cells_[a * r_j + l] *= inverse;
                of_i[a] += probability;
                of_j[l] += probability;
            }
        }
        return largest + log_of(sum);
    }

    Pack mean_of_terms(std::size_t from, std::size_t to) const {
        Pack sum{};
        for (std::size_t t = from; t < to; ++t) sum += terms_[t].value * cells_[terms_[t].cell];
        return sum;
    }

    void add_moments(std::size_t p) {
        const Pack n = totals_[p];
        for (std::size_t f = 0; f < n_forms_; ++f) {
            means_[f] = mean_of_terms(mean_start_[f], mean_start_[f + 1]);
            const Pack counted = n * means_[f];
            mean_sums_[f] += counted;
            if (slot_[f] != kNoSlot) slot_means_[slot_[f] * n_packs_ + p] = counted;
        }
        for (std::size_t f = 0, at = 0; f < n_forms_; ++f)
            for (std::size_t g = 0; g <= f; ++g, ++at) {
                const Pack covariance = n * (mean_of_terms(term_start_[at], term_start_[at + 1]) - means_[f] * means_[g]);
                covariance_sums_[at] += covariance;
                if (slot_[f] != kNoSlot) slot_covariances_[(slot_[f] * n_forms_ + g) * n_packs_ + p] = covariance;
                if (slot_[g] != kNoSlot) slot_covariances_[(slot_[g] * n_forms_ + f) * n_packs_ + p] = covariance;
            }
    }

    void differentiate(const double* b) {
        for (std::size_t k = 0; k < n_; ++k) {
            const Parameter& own = parameters_[k];
            const double expected =
                own.column ? dot(own.column, slot_means_.data() + slot_[own.form] * n_packs_) : total(mean_sums_[own.form]);
            const double prior = own.has_prior ? precision_ : 0.0;
            newton_.gradient[k] = statistic_[k] - expected - prior * b[k];
            double* row = newton_.hessian.data() + k * n_;
            for (std::size_t l = 0; l <= k;) {
                // Parameters of one form stand side by side.
                std::size_t end = l + 1;
                const std::size_t form = parameters_[l].form;
                const bool has_columns = parameters_[l].column != nullptr;
                while (has_columns && end <= k && parameters_[end].form == form && parameters_[end].column) ++end;
                multiply(own, l, end, row);
                l = end;
            }
            row[k] += prior;
        }
    }

    // Second derivatives by one parameter and each of those from `from` to `to`, which have one form.
    void multiply(const Parameter& own, std::size_t from, std::size_t to, double* row) {
        const Parameter& other = parameters_[from];
        const std::size_t f = own.form > other.form ? own.form : other.form, g = own.form > other.form ? other.form : own.form;
        if (!own.column && !other.column) {
            row[from] = total(covariance_sums_[f * (f + 1) / 2 + g]);
            return;
        }
        const std::size_t slot = slot_[own.column ? own.form : other.form], with = own.column ? other.form : own.form;
        const Pack* covariance = slot_covariances_.data() + (slot * n_forms_ + with) * n_packs_;
        if (!own.column || !other.column) {
            for (std::size_t l = from; l < to; ++l)
                row[l] = dot(own.column ? own.column : parameters_[l].column, covariance);
            return;
        }
        for (std::size_t p = 0; p < n_packs_; ++p) weighted_[p] = own.column[p] * covariance[p];
        others_.resize(0);
        for (std::size_t l = from; l < to; ++l) others_.push(parameters_[l].column);
        clear(dots_);
        add_products(weighted_.data(), others_.data(), to - from, 0, n_packs_, dots_.data());
        for (std::size_t l = from; l < to; ++l) row[l] = total(dots_[l - from]);
    }

    double dot(const Pack* x, const Pack* y) const {
        Pack sum{};
        for (std::size_t p = 0; p < n_packs_; ++p) sum += x[p] * y[p];
        return total(sum);
    }

    static void clear(Buffer<Pack>& packs) {
        if (packs.size()) std::memset(static_cast<void*>(packs.data()), 0, packs.size() * sizeof(Pack));
    }

    static constexpr std::size_t kNoSlot = SIZE_MAX;

    LevelTable table_;
    Newton newton_;
    Side i_, j_;
    double precision_ = 0.0;
    std::size_t n_ = 0, n_packs_ = 0, n_forms_ = 0, first_product_ = 0, n_slots_ = 0;
    Buffer<std::int64_t> merged_;
    Buffer<std::size_t> position_, column_start_, slot_, mean_start_, term_start_;
    Buffer<Parameter> parameters_;
    Buffer<Term> terms_;  // of the means of forms, then of the means of products of two
    Buffer<const Pack*> others_;
    Buffer<double> neighbour_, form_totals_, level_totals_, statistic_, coupling_weight_, solved_;
    Buffer<Pack> values_, totals_, observed_, cells_, means_, mean_sums_, covariance_sums_, slot_means_, slot_covariances_,
        weighted_, dots_;
};

}  // namespace markhood::MARKHOOD_TIER
