// The score of a multinomial regression on the blanket, for any number of levels and for weighted samples,
// possibly with a penalty on the fit: what blankets.hpp needs of a scorer, on a LevelTable.
#pragma once
#include <cmath>

#include "count/level_table.hpp"
#include "fit/level_bound.hpp"
#include "fit/level_starts.hpp"
#include "fit/multinomial_fit.hpp"
#include "fit/near_start.hpp"

namespace markhood::MARKHOOD_TIER {

constexpr std::size_t kMarks = 64;  // bits of a word

class MultinomialScorer {
  public:
    Buffer<double> coefficients;  // of the blanket itself, set by set_blanket
    double objective = 0.0;
    static constexpr bool kBestFirst = true;
    bool is_exact = true;  // whether the last score of with() or without() was fitted, or is only a bound
    MultinomialFit fit;

    MultinomialScorer(BitRows rows, Criterion criterion) : rows_(rows), criterion_(criterion) {}

    // Makes `blanket` the current one and returns its score.
    double set_blanket(std::size_t target, const std::int64_t* blanket, std::size_t size) {
        size_ = size;
        table_blanket_.resize(size);
        for (std::size_t k = 0; k < size; ++k) table_blanket_[k] = blanket[k];
        table_.build(rows_, target, blanket, size);
        slopes_ = table_.n_levels - 1;
        first_.resize(size + 1);
        first_[0] = 1 + rows_.reals.n;
        for (std::size_t k = 0; k < size; ++k) first_[k + 1] = first_[k] + rows_.n_scores(index_of(blanket[k]));
        if (has_values()) {
            reach_.resize(0);
            reach_.push(1.0);
            for (std::size_t k = 0; k < rows_.reals.n; ++k) reach_.push(reach_of_real(target, k));
            for (std::size_t k = 0; k < size; ++k) add_reach(index_of(blanket[k]), reach_);
        }
        list_predictors(target, blanket, size);
        set_intercepts();
        mark_lacking(blanket, size);
        leave_lacking(size);
        start(first_[size]);
        start_from_before(target, blanket);
        tried_first_.copy(first_);
        if (has_values()) tried_first_.resize(0);
        const bool lacks = tried_left_.size() > 0;
        const bool wanted = fit.wants_coefficients;
        fit.wants_coefficients = wanted && !lacks;  // where cells leave, the coefficients are those of settle()
        objective = maximise(table_.n_rows, table_.counts.data(), first_[size], reach_);
        fit.wants_coefficients = wanted;
        coefficients.copy(fit.coefficients);
        starts().set_own(coefficients, fit.is_far());
        is_separated_ = fit.separated = lacks || fit.separated;
        is_converged_ = fit.status() != Status::kNotConverged;
        is_prepared_ = is_near_ = false;
        fit.copy_probabilities(fitted_);
        if (is_separated_) left_.copy(fit.left());
        return objective - price(first_[size], size);
    }

    // Has the fit of the blanket itself end at a point that does not depend on rounding.
    void settle() {
        fit.settle([&] { start(first_[size_]); });
        coefficients.copy(fit.coefficients);
    }

    // The score with one variable more, or, where no fit could exceed `floor`, a number between the two. An infinite floor
    // asks what the score is at most, which is enough to know the candidates that are worth a fit; that is not asked again.
    double with(std::size_t candidate, double floor = -HUGE_VAL) {
        const std::size_t n_predictors = first_[size_] + rows_.n_scores(candidate), levels = rows_.levels(candidate);
        is_exact = size_ == 0 && criterion_.is_plain() && !is_step(candidate) && !rows_.reals;
        if (floor == HUGE_VAL && is_scattered() && !can_bound()) return -price(n_predictors, size_ + 1);
        table_.count(candidate);
        if (is_exact) return saturated(levels) - price(n_predictors, 1);
        if (floor == HUGE_VAL) return most(levels) - price(n_predictors, size_ + 1);
        table_.split_counted(candidate);
        clear_predictors();
        for (std::size_t r = 0; r < table_.n_split; ++r) {
            add_own(table_.split_row[r], first_[size_], 0);
            add_predictor(candidate, table_.split_level[r], first_[size_], active_, values_);
        }
        starts_.push(static_cast<std::uint32_t>(active_.size()));
        start(n_predictors);
        std::memcpy(fit.coefficients.data(), coefficients.data(), coefficients.size() * sizeof(double));
        split_left(candidate);
        if (has_values()) {
            tried_reach_.copy(reach_);
            add_reach(candidate, tried_reach_);
        }
        tried_first_.copy(first_);
        if (has_values()) tried_first_.resize(0);
        if (has_values() && shows_lacking(candidate)) tried_first_.push(first_[size_]);
        if (tried_first_.size()) tried_first_.push(n_predictors);
        const double score = tried_score(table_.n_split, table_.split_counts.data(), n_predictors, size_ + 1, floor);
        if (is_exact) starts().set_with(candidate, score, fit.coefficients);
        return score;
    }

    // The score with a member less, or, where no fit could exceed `floor`, a number between the two.
    double without(std::size_t position, double floor = -HUGE_VAL) {
        const std::size_t gone = first_[position + 1] - first_[position], n_predictors = first_[size_] - gone;
        merge_rows(position);
        if (floor > -HUGE_VAL && is_known()) {
            double most = most_without();
            if (most - price(n_predictors, size_ - 1) > floor && has_costly_curvature()) most = std::fmin(most, most_near(position));
            most -= price(n_predictors, size_ - 1);
            is_exact = !(most <= floor);
            if (!is_exact) return most;
        }
        clear_predictors();
        for (std::size_t m = 0; m < merged_rows_.size(); ++m) add_own(merged_rows_[m], first_[position], gone);
        starts_.push(static_cast<std::uint32_t>(active_.size()));
        if (has_values()) {
            tried_reach_.resize(0);
            for (std::size_t u = 0; u < first_[size_]; ++u)
                if (u < first_[position] || u >= first_[position + 1]) tried_reach_.push(reach_[u]);
        }
        if (leave_lacking(position))
            for (std::size_t m = 0; m < merged_rows_.size(); ++m)
                std::memmove(tried_left_.data() + m * table_.n_levels, tried_left_.data() + merged_rows_[m] * table_.n_levels, table_.n_levels);
        start(n_predictors);
        tried_first_.resize(0);
        for (std::size_t k = 0; !has_values() && k <= size_; ++k)
            if (k != position) tried_first_.push(k < position ? first_[k] : first_[k] - gone);
        if (!starts().is_far()) copy_without(position, coefficients.data(), fit.coefficients.data());
        if (floor == -HUGE_VAL && has_values() && is_known() && !is_separated_ && has_costly_curvature()) start_near(position);
        return tried_score(merged_rows_.size(), merged_counts_.data(), n_predictors, size_ - 1, floor);
    }

  private:
    // Coefficients up to which a bound costs less than the fits that it spares.
    static constexpr std::size_t kMostBounded = 64;
    static constexpr std::size_t kTargets = 64;  // whose earlier fits are remembered, a megabyte each where there are many parameters

    // Whether the probabilities of the blanket's own fit have the sums of the samples, as bounds need.
    bool is_known() const { return is_converged_ && criterion_.is_plain(); }

    // Merges the rows of the table that differ only in the member at `position`.
    void merge_rows(std::size_t position) {
        const std::size_t levels = table_.n_levels;
        merged_.zeros(table_.n_rows);
        std::size_t n = 1;
        for (std::size_t k = 0; k < size_ && !rows_.reals.n; ++k) {
            if (k == position) continue;
            const std::size_t own = rows_.levels(index_of(table_blanket_[k]));
            numbers_.zeros(n * own);
            n = 0;
            for (std::size_t r = 0; r < table_.n_rows; ++r) {
                std::uint32_t& number = numbers_[merged_[r] * own + table_.configurations[r * size_ + k]];
                if (number == 0) number = static_cast<std::uint32_t>(++n);
                merged_[r] = number - 1;
            }
        }
        for (std::size_t r = 0; r < table_.n_rows && rows_.reals.n; ++r) merged_[r] = static_cast<std::uint32_t>(r);
        if (rows_.reals.n) n = table_.n_rows;
        merged_rows_.resize(n);
        merged_counts_.zeros(n * levels);
        for (std::size_t r = table_.n_rows; r-- > 0;) {
            merged_rows_[merged_[r]] = static_cast<std::uint32_t>(r);
            for (std::size_t k = 0; k < levels; ++k) merged_counts_[merged_[r] * levels + k] += table_.counts[r * levels + k];
        }
    }

    // The likelihood at most without the member whose rows are merged. The mean over the merged rows of the probabilities with it has the
    // sums of the samples too. By the duality of maximum likelihood and maximum entropy no fit has a likelihood above minus its entropy.
    double most_without() {
        const std::size_t levels = table_.n_levels, n = merged_rows_.size() * levels;
        mean_.zeros(packs_for(n) * kPack);
        merged_totals_.zeros(merged_rows_.size());
        for (std::size_t r = 0; r < table_.n_rows; ++r) {
            double all = 0.0;
            for (std::size_t k = 0; k < levels; ++k) all += table_.counts[r * levels + k];
            merged_totals_[merged_[r]] += all;
            for (std::size_t k = 0; k < levels; ++k) mean_[merged_[r] * levels + k] += all * fitted_[r * levels + k];
        }
        double sum = 0.0;
        for (std::size_t m = 0; m < merged_rows_.size(); ++m) sum -= n_log_n(merged_totals_[m]);
        for (std::size_t c = 0; c < n; ++c) sum += n_log_n(mean_[c]);
        // The sums of the samples but for what the blanket's own last step promised.
        const double left_over = kNotConvergedGain + kObjectiveRounding * std::fabs(objective);
        return sum + std::sqrt(2 * left_over * std::fabs(objective - sum)) + kBoundRounding;
    }

    // Starts the blanket's own fit from that of the target's blanket before, where they differ by a member.
    void start_from_before(std::size_t target, const std::int64_t* blanket) {
        target_ = target;
        const Moved moved = starts().move(target, blanket, size_, first_, slopes_);
        if (moved == Moved::kFar || fit.wants_coefficients || !criterion_.is_plain()) return;
        if (starts().is_far()) return;
        fit.coefficients.copy(starts().own());
    }

    // What earlier fits of the target tell. A climb goes from one target to another and back.
    LevelStarts& starts() { return starts_of_target_[target_ % kTargets]; }

    // Copies numbers of all parameters but those of the member at `position`.
    void copy_without(std::size_t position, const double* from, double* to) const {
        const std::size_t before = first_[position] * slopes_, after = first_[position + 1] * slopes_;
        std::memcpy(to, from, before * sizeof(double));
        std::memcpy(to + before, from + after, (coefficients.size() - after) * sizeof(double));
    }

    // The likelihood at most of the blanket and the candidate that was counted: the regression itself seldom tells less than
    // the table, and never costs as much as its logarithms.
    double most(std::size_t levels) {
        const double bounded = can_bound() ? objective + bound_.gain(table_.all_counts(), levels) : HUGE_VAL;
        return bounded < HUGE_VAL ? bounded : saturated(levels);
    }

    // Whether the blanket's own regression says what a candidate can add. Prepared for the first that asks.
    bool can_bound() {
        if (has_values() || is_separated_ || !criterion_.is_plain() || coefficients.size() > kMostBounded) return false;
        if (!is_prepared_) bound_.prepare(own_design(), coefficients.data());
        return is_prepared_ = true;
    }

    // The design of the blanket itself, whatever the current one is.
    Design own_design() const {
        return {table_.n_rows, table_.n_levels, first_[size_], table_.counts.data(), own_starts_.data(), own_active_.data(),
                has_values() ? own_values_.data() : nullptr, has_values() ? reach_.data() : nullptr, is_separated_ ? left_.data() : nullptr};
    }

    // Whether adding up second derivatives costs much more than factorising them: then those at the blanket's own maximum serve all that
    // have a member less.
    bool has_costly_curvature() const { return LevelProducts::suits(own_design()); }

    // Prepares the step to where the likelihood is highest by those without the member at `position`; returns Wald's statistic.
    double prepare_without(std::size_t position) {
        if (!is_near_) {
            base_.set(own_design());
            base_.evaluate(coefficients.data());
            gradient_.resize(base_.n_parameters);
            hessian_.resize(base_.n_parameters);
            base_.differentiate(gradient_.data(), hessian_.data());
        }
        is_near_ = true;
        near_.leave_out(first_[position] * slopes_, first_[position + 1] * slopes_, hessian_, coefficients);
        const double wald = near_.solve(coefficients, step_);
        base_.prepare(step_.data());
        return wald;
    }

    // The likelihood at most without that member.
    double most_near(std::size_t position) {
        const double wald = prepare_without(position);
        return objective - base_.least_loss(wald) + std::sqrt(kPromisedGain * wald) + kBoundRounding;
    }

    // Starts the fit without that member there.
    void start_near(std::size_t position) {
        if (prepare_without(position) == 0.0) return;
        for (std::size_t k = 0; k < step_.size(); ++k) step_[k] += coefficients[k];
        near_.copy(step_.data(), fit.coefficients.data());
        fit.know_near(near_.hessian(), base_.spread(step_.data()));
    }

    // Whether most samples have a row of their own: then the table says no more than that no likelihood is above zero.
    bool is_scattered() const { return 2 * table_.n_rows > rows_.n_samples; }

    // Whether some predictors are not indicators.
    bool has_values() const { return rows_.ordered || rows_.reals.n; }

    double reach_of_real(std::size_t target, std::size_t k) const {
        const double size = largest_size(rows_.real(target, k), rows_.n_samples);
        return size > 0 ? size : 1.0;
    }

    // Whether a variable enters by its step and not by indicators, which with two levels are the same.
    bool is_step(std::size_t variable) const {
        return rows_.ordered && rows_.n_scores(variable) < rows_.levels(variable) - 1;
    }

    void clear_predictors() {
        starts_.resize(0);
        active_.resize(0);
        values_.resize(0);
    }

    // Begins a row with the predictors of one of the table's rows, without `n_less` of them from `from` on.
    void add_own(std::size_t row, std::size_t from, std::size_t n_less) {
        starts_.push(static_cast<std::uint32_t>(active_.size()));
        for (std::size_t a = own_starts_[row]; a < own_starts_[row + 1]; ++a) {
            const std::size_t u = own_active_[a];
            if (u >= from && u < from + n_less) continue;
            active_.push(static_cast<std::uint32_t>(u < from ? u : u - n_less));
            if (has_values()) values_.push(own_values_[a]);
        }
    }

    void add_predictor(std::size_t variable, std::size_t level, std::size_t first, Buffer<std::uint32_t>& active,
                       Buffer<double>& values) const {
        if (level == 0) return;
        const bool steps = is_step(variable);
        active.push(static_cast<std::uint32_t>(steps ? first : first + level - 1));
        if (has_values()) values.push(steps ? static_cast<double>(level) : 1.0);
    }

    void add_reach(std::size_t variable, Buffer<double>& to) const {
        if (is_step(variable)) to.push(static_cast<double>(rows_.levels(variable) - 1));
        else
            for (std::size_t k = 1; k < rows_.levels(variable); ++k) to.push(1.0);
    }

    // The predictors of the table's own rows; they are also the current ones.
    void list_predictors(std::size_t target, const std::int64_t* blanket, std::size_t size) {
        own_starts_.resize(0);
        own_active_.resize(0);
        own_values_.resize(0);
        for (std::size_t r = 0; r < table_.n_rows; ++r) {
            own_starts_.push(static_cast<std::uint32_t>(own_active_.size()));
            for (std::size_t k = 0; k < rows_.reals.n; ++k) {
                own_active_.push(static_cast<std::uint32_t>(1 + k));
                own_values_.push(rows_.real(target, k)[table_.sample(r)]);
            }
            for (std::size_t k = 0; k < size; ++k)
                add_predictor(index_of(blanket[k]), table_.configurations[r * size + k], first_[k], own_active_, own_values_);
        }
        own_starts_.push(static_cast<std::uint32_t>(own_active_.size()));
        starts_.copy(own_starts_);
        active_.copy(own_active_);
        values_.copy(own_values_);
    }

    // The fit without any predictor.
    void set_intercepts() {
        level_totals_.zeros(table_.n_levels);
        for (std::size_t r = 0; r < table_.n_rows; ++r)
            for (std::size_t k = 0; k < table_.n_levels; ++k) level_totals_[k] += table_.counts[r * table_.n_levels + k];
    }

    // Whether cells are known to leave because no sample has that level of the target together with that level of one
    // member, which enters by indicators: its coefficient alone takes them all away. Others are found by the fit.
    bool shows_lacking(std::size_t variable) const { return criterion_.is_plain() && !is_step(variable); }

    // Marks in lacking_[cell] the members that it leaves by; only the first 64 have a mark.
    void mark_lacking(const std::int64_t* blanket, std::size_t size) {
        const std::size_t levels = table_.n_levels;
        lacking_.zeros(table_.n_rows * levels);
        for (std::size_t k = 0; k < size && k < kMarks; ++k) {
            if (!shows_lacking(index_of(blanket[k]))) continue;
            const auto level_of = [&](std::size_t r) { return table_.configurations[r * size + k]; };
            add_margin(rows_.levels(index_of(blanket[k])), table_.n_rows, table_.counts.data(), level_of);
            for (std::size_t c = 0; c < lacking_.size(); ++c)
                if (margin_[level_of(c / levels) * levels + c % levels] == 0.0) lacking_[c] |= std::uint64_t{1} << k;
        }
    }

    // margin_[level * n_levels + target's]: the samples of each level of a variable.
    template <class LevelOf>
    void add_margin(std::size_t n_own, std::size_t n_rows, const double* counts, LevelOf level_of) {
        const std::size_t levels = table_.n_levels;
        margin_.zeros(n_own * levels);
        for (std::size_t r = 0; r < n_rows; ++r)
            for (std::size_t t = 0; t < levels; ++t) margin_[level_of(r) * levels + t] += counts[r * levels + t];
    }

    // Removes the cells of the blanket's rows that leave by members other than that at `position`; whether there are any.
    bool leave_lacking(std::size_t position) {
        const std::uint64_t others = position < kMarks ? ~(std::uint64_t{1} << position) : ~std::uint64_t{0};
        bool any = false;
        tried_left_.resize(lacking_.size());
        for (std::size_t c = 0; c < lacking_.size(); ++c) any |= tried_left_[c] = (lacking_[c] & others) != 0;
        if (!any) tried_left_.resize(0);
        return any;
    }

    // The cells that have left with the blanket as it is leave with a member more: what took them away still does.
    void split_left(std::size_t candidate) {
        const std::size_t levels = table_.n_levels;
        tried_left_.resize(0);
        for (std::size_t r = 0; r < table_.n_split; ++r)
            for (std::size_t t = 0; t < levels; ++t)
                tried_left_.push(is_separated_ && left_[table_.split_row[r] * levels + t]);
        if (!shows_lacking(candidate)) return;
        const auto level_of = [&](std::size_t r) { return table_.split_level[r]; };
        add_margin(rows_.levels(candidate), table_.n_split, table_.split_counts.data(), level_of);
        for (std::size_t c = 0; c < tried_left_.size(); ++c)
            if (margin_[level_of(c / levels) * levels + c % levels] == 0.0) tried_left_[c] = true;
    }

    // Starts a fit there. So do those with a member less than a blanket whose fit has cells leave one after the other: from its
    // coefficients, on their way to infinity, some cells would have no weight to come back with.
    void start(std::size_t n_predictors) {
        fit.coefficients.zeros(n_predictors * slopes_);
        for (std::size_t k = 0; k < slopes_; ++k)
            if (level_totals_[0] > 0 && level_totals_[k + 1] > 0)
                fit.coefficients[k] = std::log(level_totals_[k + 1] / level_totals_[0]);
    }

    double maximise(std::size_t n_rows, const double* counts, std::size_t n_predictors, const Buffer<double>& reach,
                    double floor = -HUGE_VAL) {
        return fit.maximise(design(n_rows, counts, n_predictors, reach), criterion_.l1, criterion_.l2, floor);
    }

    Design design(std::size_t n_rows, const double* counts, std::size_t n_predictors, const Buffer<double>& reach) const {
        return {n_rows, table_.n_levels, n_predictors, counts, starts_.data(), active_.data(),
                has_values() ? values_.data() : nullptr, has_values() ? reach.data() : nullptr,
                tried_left_.size() ? tried_left_.data() : nullptr, tried_first_.data(), tried_first_.size() ? tried_first_.size() - 1 : 0};
    }

    // The score of a changed blanket of `size` whose rows and predictors are the current ones.
    double tried_score(std::size_t n_rows, const double* counts, std::size_t n_predictors, std::size_t size, double floor) {
        const double least = floor + price(n_predictors, size);
        const double reached = maximise(n_rows, counts, n_predictors, tried_reach_, least);
        is_exact = fit.is_exact;
        return reached - price(n_predictors, size);
    }

    // The likelihood if every row of the counted table had probabilities of its own: no fit to these rows is better.
    double saturated(std::size_t levels) {
        const double *cell = table_.all_counts(), *end = cell + levels * table_.n_rows * table_.n_levels;
        double sum = 0.0;
        while (cell < end) {
            double total = 0.0;
            for (std::size_t k = 0; k < table_.n_levels; ++k, ++cell) {
                sum += n_log_n(*cell);
                total += *cell;
            }
            sum -= n_log_n(total);
        }
        return sum;
    }

    static double n_log_n(double n) { return n > 0 ? n * std::log(n) : 0.0; }

    double price(std::size_t n_predictors, std::size_t size) const { return criterion_.price(n_predictors * slopes_, size); }

    BitRows rows_;
    Criterion criterion_;
    std::size_t size_ = 0, slopes_ = 0, target_ = SIZE_MAX;
    bool is_separated_ = false, is_converged_ = false, is_prepared_ = false, is_near_ = false;
    LevelTable table_;
    LevelBound bound_;
    MultinomialModel base_;  // of the blanket itself
    Cholesky hessian_;
    NearStart near_;
    Buffer<double> gradient_, step_;
    LevelStarts starts_of_target_[kTargets];
    Buffer<std::size_t> first_;        // the first predictor of every member, and past the last
    Buffer<std::size_t> tried_first_;  // the same of members by which a fit's start is scaled
    Buffer<std::uint32_t> own_starts_, own_active_, starts_, active_;
    Buffer<unsigned char> left_, tried_left_;  // cells that leave, of the blanket's rows and of those of a member more
    Buffer<std::uint64_t> lacking_;
    Buffer<double> own_values_, values_, reach_, tried_reach_, level_totals_, margin_, fitted_;
    Buffer<std::int64_t> table_blanket_;
    Buffer<std::uint32_t> merged_, numbers_, merged_rows_;  // of every row, the number of its merged row; of every merged row, its first
    Buffer<double> merged_counts_, merged_totals_, mean_;
};

}  // namespace markhood::MARKHOOD_TIER
