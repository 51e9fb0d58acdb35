// Two variables of any levels given their neighbours, with and without a coupling: kernels/reference/pair_fit.py has the
// formulas. pair_fit.hpp is the same for binary variables that count once, and several times faster.
//
// A *form* is a number for every cell (x_i, x_j): one is g(x_i), g(x_j) or g(x_i) h(x_j). A parameter adds its value times a
// form, times a column of the table of configurations of the neighbours, or times one, to a cell's log weight. So
//
//     log-likelihood = sum of b_k t_k - sum over rows of n log Z,      t_k what the samples have of form times column,
//
// its gradient is t_k less the mean of the form, and its second derivatives are covariances of forms, both times columns. Only
// forms that slopes multiply are wanted row by row; of all others the sum over the rows is enough. Rows come in chunks that
// the nearest cache holds. Second derivatives are added up with the gradient, by columns; or where neighbours have several levels,
// by these (level_buckets.hpp), and seldom (chord steps of fit/chord.hpp).
//
// **Few exponentials.** A cell's weight is the product of exp of i's part, of j's and of the coupling's, which is
// the same in all rows: r_i + r_j exponentials for r_i r_j cells, and of ordered levels one for all. Packs of rows go four
// at a time: sums over cells are chains of additions, where each would wait for the one before.
//
// Without a second variable it is the regression of one on its neighbours.
#pragma once
#include <cmath>

#include "fit/ordinal.hpp"
#include "machine/product_tiles.hpp"
#include "pair/level_buckets.hpp"
#include "pair/level_moments.hpp"
#include "pair/level_powers.hpp"
#include "pair/level_rows.hpp"
#include "pair/pair_fit.hpp"

namespace markhood::MARKHOOD_TIER {

class LevelPairLikelihood {
  public:
    static constexpr std::size_t n_thresholds = 0;
    std::size_t n_parameters = 0;

    void set(BitRows rows, const End& i, const End& j, const SlopePrior& prior) { set(rows, i, &j, prior); }
    void set(BitRows rows, const End& i, const SlopePrior& prior) { set(rows, i, nullptr, prior); }

    // The regression of i starts from its coefficients, without slopes where it has none; the pair from both ends' regressions.
    void start(double* b, double* precision) const {
        for (std::size_t k = 0; k < n_parameters; ++k) precision[k] = parameters_[k].precision;
        if (!start_i_) return start_without_slopes(b);
        std::memcpy(b, start_i_, i_.n_parameters() * sizeof(double));
        if (start_j_) std::memcpy(b + i_.n_parameters(), start_j_, j_.n_parameters() * sizeof(double));
        for (std::size_t k = n_parameters - i_.scores * j_.scores; k < n_parameters; ++k) b[k] = 0.0;
    }

    bool has_costly_curvature() const { return has_buckets_; }

    // The coupling and its variance, each n_shown numbers.
    void show(const double* b, Cholesky& factor, double* coupling, double* variance) {
        const std::size_t q = i_.scores * j_.scores, from = n_parameters - q;
        solved_.zeros(n_parameters);
        const auto put = [&](auto shown, double* mean, double* spread) {
            for (std::size_t k = 0; k < q; ++k) solved_[from + k] = shown(k);
            *mean = dot(solved_.data() + from, b + from, q);
            *spread = factor.inverse_form(solved_.data());
        };
        if (q == 1) {
            const double size = (i_.features[1] - i_.features[0]) * (j_.features[1] - j_.features[0]);
            return put([size](std::size_t) { return size; }, coupling, variance);
        }
        for (std::size_t a = 0; a < i_.levels; ++a)
            for (std::size_t c = 0; c < j_.levels; ++c, ++coupling, ++variance)
                stop_if_asked(c), put([&](std::size_t k) { return product(k, a, c); }, coupling, variance);
    }

    double evaluate(const double* b) {
        at_ = b;
        double value = -walk(b, !has_buckets_);
        for (std::size_t k = 0; k < n_parameters; ++k) value += b[k] * statistic_[k];
        return value;
    }

    void differentiate(double* to) const {
        for (std::size_t k = 0; k < n_parameters; ++k) {
            stop_if_asked(k);
            const Parameter& own = parameters_[k];
            to[k] = statistic_[k] - (own.column ? total(gradient_sums_[k]) : moments_.mean_sum(own.form));
        }
    }

    // By columns second derivatives were added up with the gradient.
    void differentiate(double* gradient, double* hessian) {
        differentiate(gradient);
        curvature(hessian);
    }

    void curvature(double* to) {
        if (has_buckets_) walk(at_, true);
        std::memset(to, 0, n_parameters * n_parameters * sizeof(double));
        has_buckets_ ? buckets_.differentiate(to, n_parameters, plain_, are_coupled_) : add_up_columns(to);
        for (std::size_t k = 0; k < plain_.size(); ++k) {
            stop_if_asked(k);
            for (std::size_t l = 0; l <= k; ++l)
                to[plain_[k] * n_parameters + plain_[l]] = moments_.covariance_sum(parameters_[plain_[k]].form, parameters_[plain_[l]].form);
        }
    }

  private:
    struct Parameter {
        std::size_t form;
        const Pack* column;  // null where it is ones
        double precision;    // of its prior, 0 for none
    };
    // Consecutive parameters of one kind: thresholds, slopes with one form, or couplings.
    struct Group {
        std::size_t from, n, side;  // 0 for i, 1 for j, 2 for both
        bool has_columns;
    };
    double product(std::size_t k, std::size_t a, std::size_t b) const {
        return i_.features[a * i_.scores + k / j_.scores] * j_.features[b * j_.scores + k % j_.scores];
    }

    void set(BitRows rows, const End& i, const End* j, const SlopePrior& prior) {
        lay_out(rows, i, j, prior);
        start_i_ = i.coefficients;
        start_j_ = j ? j->coefficients : nullptr;
    }

    // With the shares of the levels, but for a hair, were one empty.
    void start_without_slopes(double* b) const {
        std::memset(b, 0, n_parameters * sizeof(double));
        for (std::size_t t = 0; t < i_.n_thresholds; ++t)
            for (std::size_t a = 0; a < i_.levels; ++a) {
                // Squares of a threshold's features sum to 1/2; one of steps is the log odds of its level and the first.
                const double times = i_.is_step() ? (a == t + 1 ? 1.0 : a == 0 ? -1.0 : 0.0) : 2.0 * i_.form(t, a);
                b[t] += times * std::log(level_totals_[a] + 0.5);
            }
    }

    void lay_out(BitRows rows, const End& i, const End* j, const SlopePrior& prior) {
        merge(i, j, merged_, position_);
        rows_.build(rows, i.variable, j ? &j->variable : nullptr, merged_.data(), merged_.size());
        i_.set(rows, i.variable);
        j ? j_.set(rows, j->variable) : j_.leave_out();
        n_packs_ = (packs_for(rows_.n_rows) + kRowBlock - 1) / kRowBlock * kRowBlock;
        make_columns(rows);
        assign(i_, i.n_given, 0, prior);
        if (j) assign(j_, j->n_given, i.n_given, prior);
        add_reals(rows, i.variable, j ? &j->variable : nullptr, prior);
        number_parameters(prior.coupling);
        choose_buckets(i.n_given);
        make_room();
        count_samples();
    }

    void choose_buckets(std::size_t given_i) {
        has_buckets_ = reals_.size() == 0 && LevelBuckets::are_quicker(i_, j_, given_i, position_.size() - given_i, plain_.size());
        if (has_buckets_) buckets_.set(i_, j_, rows_, neighbours_, position_, given_i);
    }

    // The features of every neighbour in every row of the table.
    void make_columns(BitRows rows) {
        column_start_.resize(merged_.size() + 1);
        column_start_[0] = 0;
        for (std::size_t m = 0; m < merged_.size(); ++m)
            column_start_[m + 1] = column_start_[m] + rows.n_scores(static_cast<std::size_t>(merged_[m]));
        values_.zeros(column_start_[merged_.size()] * n_packs_);
        list_neighbours(rows);
        for (std::size_t m = 0; m < merged_.size(); ++m) {
            const Neighbour& own = neighbours_[m];
            for (std::size_t u = 0; u < own.scores; ++u) {
                Pack* to = values_.data() + (column_start_[m] + u) * n_packs_;
                for (std::size_t r = 0; r < rows_.n_rows; ++r) number(to, r) = own.features[rows_.level(r, m) * own.scores + u];
            }
        }
    }

    void list_neighbours(BitRows rows) {
        std::size_t size = 0;
        neighbours_.resize(merged_.size());
        for (std::size_t m = 0; m < merged_.size(); ++m) {
            const std::size_t variable = static_cast<std::size_t>(merged_[m]);
            neighbours_[m] = {rows.levels(variable), rows.n_scores(variable), nullptr};
            size += neighbours_[m].levels * neighbours_[m].scores;
        }
        double* to = features_.resize(size);
        for (std::size_t m = 0; m < merged_.size(); ++m) {
            Neighbour& own = neighbours_[m];
            fill_features(own.levels, own.scores, to);
            own.features = to;
            to += own.levels * own.scores;
        }
    }

    void assign(Side& side, std::size_t n_given, std::size_t from, const SlopePrior& prior) {
        side.columns.resize(0);
        side.precisions.resize(0);
        for (std::size_t k = 0; k < n_given; ++k) {
            const std::size_t m = position_[from + k];
            for (std::size_t c = column_start_[m]; c < column_start_[m + 1]; ++c) {
                side.columns.push(values_.data() + c * n_packs_);
                side.precisions.push(prior.of(merged_[m]));
            }
        }
    }

    // The real columns of both ends, after their neighbours, with the weak prior of covariates.
    void add_reals(BitRows rows, std::size_t i, const std::size_t* j, const SlopePrior& prior) {
        reals_.zeros((j ? 2 : 1) * rows.reals.n * n_packs_);
        Pack* to = reals_.data();
        for (Side* side : {&i_, &j_})
            for (std::size_t k = 0; k < rows.reals.n && (side == &i_ || j); ++k, to += n_packs_) {
                const double* column = rows.real(side == &i_ ? i : *j, k);
                for (std::size_t r = 0; r < rows_.n_rows; ++r) number(to, r) = column[rows_.sample(r)];
                side->columns.push(to);
                side->precisions.push(prior.covariate);
            }
    }

    void number_parameters(double precision) {
        n_parameters = i_.n_parameters() + j_.n_parameters() + i_.scores * j_.scores;
        i_.first_parameter = i_.first_form = 0;
        j_.first_parameter = i_.n_parameters();
        j_.first_form = i_.n_forms();
        for (Side* side : {&i_, &j_}) side->first_slope_form = side->first_form + side->n_forms() - side->scores;
        moments_.set(i_, j_);
        parameters_.resize(0);
        groups_.resize(0);
        for (const Side* side : {&i_, &j_}) {
            const std::size_t which = side == &j_, n_columns = side->columns.size();
            begin_group(side->n_thresholds, which, false);
            for (std::size_t t = 0; t < side->n_thresholds; ++t) parameters_.push({side->first_form + t, nullptr, 0.0});
            for (std::size_t u = 0; u < side->scores; ++u) {
                begin_group(n_columns, which, true);
                for (std::size_t c = 0; c < n_columns; ++c)
                    parameters_.push({side->first_slope_form + u, side->columns[c], side->precisions[c]});
            }
        }
        begin_group(i_.scores * j_.scores, 2, false);
        for (std::size_t k = 0; k < i_.scores * j_.scores; ++k)
            parameters_.push({moments_.first_product + k, nullptr, precision});
        plain_.resize(0);
        for (std::size_t k = 0; k < n_parameters; ++k)
            if (!parameters_[k].column) plain_.push(k);
    }

    void begin_group(std::size_t n, std::size_t side, bool has_columns) {
        if (n) groups_.push({parameters_.size(), n, side, has_columns});
    }

    void make_room() {
        cells_.resize((i_.levels * j_.levels + i_.levels + j_.levels) * kRowBlock);
        coupling_weight_.resize(packs_for(i_.levels * j_.levels));
        columns_.resize(n_parameters);
    }

    // What the samples have of every parameter's form times column.
    void count_samples() {
        const std::size_t of_i = i_.levels;
        totals_.zeros(n_packs_);
        observed_.zeros(moments_.n_slots() * n_packs_);
        level_totals_.zeros(of_i * j_.levels);
        rows_.each_count([&](std::size_t r, std::size_t a, std::size_t b, double n) {
            level_totals_[a * j_.levels + b] += n;
            number(totals_.data(), r) += n;
            for (const Side* side : {&i_, &j_})
                for (std::size_t u = 0; side->columns.size() && u < side->scores; ++u) {
                    const double feature = side->features[(side == &i_ ? a : b) * side->scores + u];
                    number(observed_.data(), moments_.slot(side->first_slope_form + u) * n_packs_ * kPack + r) += n * feature;
                }
        });
        statistic_.resize(n_parameters);
        for (std::size_t k = 0; k < n_parameters; ++k) {
            stop_if_asked(k);
            const Parameter& own = parameters_[k];
            statistic_[k] = own.column ? product_of(own.column, observed_.data() + moments_.slot(own.form) * n_packs_)
                                       : moments_.sum_over(own.form, level_totals_.data());
        }
    }

    // Goes through all rows and adds up what the gradient needs, and second derivatives; returns the sum of n log Z.
    double walk(const double* b, bool is_second) {
        for (Side* side : {&i_, &j_}) side->set_fields(b + side->first_parameter);
        const double largest = weigh_coupling(b + n_parameters - i_.scores * j_.scores);
        gradient_sums_.zeros(n_parameters);
        if (is_second && !has_buckets_) hessian_sums_.zeros(n_parameters * (n_parameters + 1) / 2);
        moments_.clear();
        Pack sum{};
        for (std::size_t first = 0; first < n_packs_; first += kRowChunk) {
            stop_if_asked();
            const std::size_t n = n_packs_ - first < kRowChunk ? n_packs_ - first : kRowChunk;
            for (std::size_t p = 0; p < n; p += kRowBlock) {
                Pack log_sums[kRowBlock];
                const Pack* counts = totals_.data() + first + p;
                weigh(b, first + p, log_sums);
                for (std::size_t q = 0; q < kRowBlock; ++q) sum += counts[q] * (log_sums[q] + largest);
                is_second ? moments_.add(cells_.data(), counts, p) : moments_.add_means(cells_.data(), counts, p);
            }
            set_columns(first);
            add_gradient(n);
            if (is_second) add_second_derivatives(first, n);
        }
        moments_.end();
        return total(sum);
    }

    // Sets the cells' weights by the coupling alone, the largest being one; returns its logarithm.
    double weigh_coupling(const double* coupling) {
        const std::size_t q = i_.scores * j_.scores;
        double largest = -HUGE_VAL;
        are_coupled_ = false;
        for (std::size_t k = 0; k < q; ++k) are_coupled_ = are_coupled_ || coupling[k] != 0.0;
        for (std::size_t a = 0, c = 0; a < i_.levels; ++a)
            for (std::size_t l = 0; l < j_.levels; ++l, ++c) {
                double sum = 0.0;
                for (std::size_t k = 0; k < q; ++k) sum += product(k, a, l) * coupling[k];
                number(coupling_weight_.data(), c) = sum;
                largest = sum > largest ? sum : largest;
            }
        Buffer<Pack>& weights = coupling_weight_;
        for (std::size_t c = i_.levels * j_.levels; c < weights.size() * kPack; ++c) number(weights.data(), c) = largest;
        for (std::size_t p = 0; p < weights.size(); ++p) weights[p] = clipped_exp(weights[p] - largest);
        return largest;
    }

    // Sets cells_ to the probabilities of the cells, then of i's levels and of j's, in a block of packs from p on; and
    // `log_sums` to log Z less the coupling's largest.
    void weigh(const double* b, std::size_t p, Pack* log_sums) {
        const std::size_t r_i = i_.levels, r_j = j_.levels;
        Pack *of_i = cells_.data() + r_i * r_j * kRowBlock, *of_j = of_i + r_i * kRowBlock, sum[kRowBlock] = {};
        for (std::size_t q = 0; q < kRowBlock; ++q) log_sums[q] = Pack{};
        set_powers(i_, b, p, of_i, log_sums);
        set_powers(j_, b, p, of_j, log_sums);
        for (std::size_t a = 0; a < r_i; ++a)
            for (std::size_t l = 0; l < r_j; ++l)
                for (std::size_t q = 0; q < kRowBlock; ++q) {
                    const Pack apart = of_i[a * kRowBlock + q] * of_j[l * kRowBlock + q];
                    const Pack weight = apart * number(coupling_weight_.data(), a * r_j + l);
                    cells_[(a * r_j + l) * kRowBlock + q] = weight;
                    sum[q] += weight;
                }
        for (std::size_t q = 0; q < kRowBlock; ++q) {
            log_sums[q] += log_of(sum[q]);
            sum[q] = 1.0 / sum[q];
        }
        for (std::size_t k = 0; k < (r_i + r_j) * kRowBlock; ++k) of_i[k] = Pack{};
        for (std::size_t a = 0; a < r_i; ++a)
            for (std::size_t l = 0; l < r_j; ++l)
                for (std::size_t q = 0; q < kRowBlock; ++q) {
                    const Pack probability = cells_[(a * r_j + l) * kRowBlock + q] *= sum[q];
                    of_i[a * kRowBlock + q] += probability;
                    of_j[l * kRowBlock + q] += probability;
                }
    }

    // Adds what a chunk of n packs says of the gradient by slopes.
    void add_gradient(std::size_t n) {
        for (const Side* side : {&i_, &j_}) {
            const std::size_t n_columns = side->columns.size();
            const Pack* const* columns = columns_.data() + side->first_parameter + side->n_thresholds;
            Pack* sums = gradient_sums_.data() + side->first_parameter + side->n_thresholds;
            for (std::size_t u = 0; n_columns && u < side->scores; u += 2, sums += 2 * n_columns) {
                const bool two = u + 1 < side->scores;
                const std::size_t form = side->first_slope_form + u;
                const Pack* means[] = {moments_.means(form), two ? moments_.means(form + 1) : nullptr};
                Pack* both[] = {sums, sums + n_columns};
                two ? add_tiles<2>(means, columns, n_columns, n, both) : add_tiles<1>(means, columns, n_columns, n, both);
            }
        }
    }

    // The same of second derivatives. Without a coupling the two ends are independent.
    void add_second_derivatives(std::size_t first, std::size_t n) {
        moments_.end_chunk(totals_.data() + first, n);
        if (has_buckets_) return buckets_.take(moments_, first * kPack, n, are_coupled_);
        for (std::size_t g = 0; g < groups_.size(); ++g)
            for (std::size_t l = 0; l <= g; ++l)
                if (are_coupled_ || groups_[g].side == groups_[l].side || groups_[g].side == 2)
                    add_second_derivatives(groups_[g], groups_[l], n);
    }

    void set_columns(std::size_t first) {
        for (std::size_t k = 0; k < n_parameters; ++k) columns_[k] = parameters_[k].column ? parameters_[k].column + first : nullptr;
    }

    void add_second_derivatives(const Group& own, const Group& other, std::size_t n) {
        if (!own.has_columns && !other.has_columns) return;  // known when all rows are added up
        const std::size_t form = parameters_[own.from].form, other_form = parameters_[other.from].form;
        const Pack* const* right = columns_.data() + other.from;
        if (!own.has_columns)
            return add_rows(own, other, right, n,
                            [&](std::size_t k, std::size_t) { return moments_.covariances(other_form, parameters_[k].form); });
        if (!other.has_columns) {
            others_.resize(other.n);
            for (std::size_t l = 0; l < other.n; ++l) others_[l] = moments_.covariances(form, parameters_[other.from + l].form);
            return add_rows(own, other, others_.data(), n, [&](std::size_t k, std::size_t) { return columns_[k]; });
        }
        const Pack* covariance = moments_.covariances(form, other_form);
        add_rows(own, other, right, n, [&](std::size_t k, std::size_t which) {
            for (std::size_t p = 0; p < n; ++p) weighted_[which][p] = columns_[k][p] * covariance[p];
            return static_cast<const Pack*>(weighted_[which]);
        });
    }

    // Two parameters of a group at a time, with all of another.
    template <class Left>
    void add_rows(const Group& own, const Group& other, const Pack* const* right, std::size_t n, Left left) {
        const bool symmetric = is_symmetric(own, other);
        for (std::size_t k = 0; k < own.n; k += 2) {
            const bool two = k + 1 < own.n;
            const std::size_t at = own.from + k, n_right = symmetric ? k + 1 : other.n;
            const Pack* rows[] = {left(at, 0), two ? left(at + 1, 1) : nullptr};
            Pack* first = hessian_sums_.data() + at * (at + 1) / 2 + other.from;
            Pack* sums[] = {first, first + at + 1};
            two ? add_tiles<2>(rows, right, n_right, n, sums) : add_tiles<1>(rows, right, n_right, n, sums);
            if (!two || !symmetric) continue;
            Pack* last = sums[1] + k + 1;
            add_tiles<1>(rows + 1, right + k + 1, 1, n, &last);
        }
    }

    // Two groups of slopes with the same columns: of the square of their derivatives a triangle says all.
    static bool is_symmetric(const Group& own, const Group& other) {
        return own.has_columns && other.has_columns && own.side == other.side;
    }

    void add_up_columns(double* to) {
        const Pack* sums = hessian_sums_.data();
        for (std::size_t k = 0; k < n_parameters; ++k)
            for (std::size_t l = 0; l <= k; ++l, ++sums)
                if (parameters_[k].column || parameters_[l].column) to[k * n_parameters + l] = total(*sums);
        for (std::size_t g = 0; g < groups_.size(); ++g)
            for (std::size_t l = 0; l < g; ++l)
                if (is_symmetric(groups_[g], groups_[l])) mirror(to, groups_[l].from, groups_[g].from, groups_[g].n);
    }

    void mirror(double* to, std::size_t first, std::size_t second, std::size_t n) const {
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t l = k + 1; l < n; ++l) to[(second + k) * n_parameters + first + l] = to[(second + l) * n_parameters + first + k];
    }

    double product_of(const Pack* x, const Pack* y) const {
        Pack sum[kRowBlock] = {};
        for (std::size_t p = 0; p < n_packs_; p += kRowBlock)
            for (std::size_t q = 0; q < kRowBlock; ++q) sum[q] += x[p + q] * y[p + q];
        return total((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }

    LevelRows rows_;
    Side i_, j_;
    LevelMoments moments_;
    LevelBuckets buckets_;
    bool has_buckets_ = false;
    std::size_t n_packs_ = 0;
    const double *start_i_ = nullptr, *start_j_ = nullptr;
    Buffer<std::int64_t> merged_;
    Buffer<std::size_t> position_, column_start_, plain_;  // the last: parameters without columns
    Buffer<Neighbour> neighbours_;  // those merged
    Buffer<Parameter> parameters_;
    Buffer<Group> groups_;
    bool are_coupled_ = false;
    const double* at_ = nullptr;  // where it was evaluated last
    Buffer<const Pack*> columns_, others_;  // of parameters, in a chunk
    Buffer<double> features_, level_totals_, statistic_, solved_;
    Buffer<Pack> values_, reals_, totals_, observed_, cells_, coupling_weight_, gradient_sums_, hessian_sums_;
    Pack weighted_[2][kRowChunk];
};

}  // namespace markhood::MARKHOOD_TIER
