// The score of a blanket whose target's levels are steps, and of targets of both kinds: what blankets.hpp needs of a scorer.
//
// A blanket with few configurations is fitted on the rows of its table; one with many on all samples, where a
// candidate is met by its first Newton step alone (newton.hpp) and seldom fitted.
#pragma once
#include <cmath>

#include "count/level_table.hpp"
#include "count/ordinal_design.hpp"
#include "fit/near_start.hpp"
#include "search/level_scores.hpp"

namespace markhood::MARKHOOD_TIER {

constexpr int kHalvings = 20;               // of an interval: a bound needs no more digits
constexpr std::size_t kSamplesPerRow = 16;  // with fewer a table is as long as the samples once it is split

class OrdinalScorer {
  public:
    Buffer<double> coefficients;  // of the blanket itself, set by set_blanket: thresholds, then slopes
    double objective = 0.0;
    bool is_exact = true;  // whether the last score of with() or without() was fitted, or is only a bound
    Newton<OrdinalModel> fit;

    OrdinalScorer(BitRows rows, Criterion criterion) : rows_(rows), criterion_(criterion) {}

    // Makes `blanket` the current one and returns its score.
    double set_blanket(std::size_t target, const std::int64_t* blanket, std::size_t size) {
        blanket_ = blanket;
        size_ = size;
        target_ = target;
        n_thresholds_ = rows_.levels(target) - 1;
        first_.resize(size + 1);
        first_[0] = rows_.reals.n;
        std::size_t configurations = rows_.reals.n_groups;
        for (std::size_t k = 0; k < size; ++k) {
            first_[k + 1] = first_[k] + rows_.n_scores(index_of(blanket[k]));
            if (configurations <= rows_.n_samples) configurations *= rows_.levels(index_of(blanket[k]));
        }
        is_table_ = configurations * kSamplesPerRow <= rows_.n_samples;
        is_table_ ? take_rows(target) : take_samples(target);
        base_.set(own_.units());
        start(first_[size]);
        start_from_before(target);
        coefficients.copy(fit.coefficients);
        is_ready_ = false;
        fit.know_first(own_hessian().data(), coefficients.size());
        objective = fit.maximise(base_, criterion_.l1, criterion_.l2);
        is_ready_ = std::memcmp(coefficients.data(), fit.coefficients.data(), coefficients.size() * sizeof(double)) == 0;
        coefficients.copy(fit.coefficients);
        if (is_ready_) base_.evaluate(coefficients.data());  // the last attempt may have been elsewhere
        starts_.set_own(coefficients, restart_ = fit.is_far());
        return penalised(objective, first_[size], size);
    }

    // Has the fit of the blanket itself end at a point that does not depend on rounding.
    void settle() {
        fit.settle(base_, [&] { start(first_[size_]); }, [] { return false; });
        coefficients.copy(fit.coefficients);
    }

    // The score with one variable more; not fitted where no fit could exceed `floor`: then a number between the two.
    double with(std::size_t candidate, double floor = -HUGE_VAL) {
        const std::size_t n_columns = first_[size_] + rows_.n_scores(candidate);
        is_table_ ? split_rows(candidate, n_columns) : add_columns(candidate);
        start(n_columns);
        if (!restart_) std::memcpy(fit.coefficients.data(), coefficients.data(), coefficients.size() * sizeof(double));
        if (is_table_ || restart_) tried_.set(trial_.units());
        else extend();
        const double least = floor + price(n_columns, size_ + 1);
        const double reached = fit.maximise(tried_, criterion_.l1, criterion_.l2, least);
        is_exact = fit.is_exact;
        if (is_exact && !fit.separated) starts_.set_with(candidate, penalised(reached, n_columns, size_ + 1), fit.coefficients);
        return penalised(reached, n_columns, size_ + 1);
    }

    // The score with a member less, or, as above, a number between it and `floor`.
    double without(std::size_t position, double floor = -HUGE_VAL) {
        const std::size_t from = first_[position], to = first_[position + 1], n_columns = first_[size_] - (to - from);
        trial_.share(own_, from, to, 0);
        tried_.set(trial_.units());
        start(n_columns);
        const double least = floor + price(n_columns, size_ - 1);
        if (!restart_ && !start_near(n_thresholds_ + from, n_thresholds_ + to, least)) {
            is_exact = false;
            return penalised(bound_, n_columns, size_ - 1);
        }
        const double reached = fit.maximise(tried_, criterion_.l1, criterion_.l2, least);
        is_exact = fit.is_exact;
        return penalised(reached, n_columns, size_ - 1);
    }

  private:
    void take_rows(std::size_t target) {
        table_.build(rows_, target, blanket_, size_);
        own_.take_rows(table_.n_rows, table_.n_levels, table_.counts.data(), first_[size_]);
        if (rows_.reals) own_.add_reals(rows_, target, [&](std::size_t i) { return table_.sample(i); });
        for (std::size_t k = 0; k < size_; ++k)
            own_.add(rows_, index_of(blanket_[k]), [&](std::size_t i) { return table_.configurations[i * size_ + k]; });
    }

    void take_samples(std::size_t target) {
        own_.take_samples(rows_, target, first_[size_]);
        if (rows_.reals) own_.add_reals(rows_, target, [](std::size_t s) { return s; });
        for (std::size_t k = 0; k < size_; ++k) own_.add(rows_, index_of(blanket_[k]));
    }

    void split_rows(std::size_t candidate, std::size_t n_columns) {
        table_.split_by(candidate);
        trial_.take_rows(table_.n_split, table_.n_levels, table_.split_counts.data(), n_columns);
        if (rows_.reals) trial_.add_reals(rows_, target_, [&](std::size_t i) { return table_.sample(table_.split_row[i]); });
        for (std::size_t k = 0; k < size_; ++k)
            trial_.add(rows_, index_of(blanket_[k]),
                       [&](std::size_t i) { return table_.configurations[table_.split_row[i] * size_ + k]; });
        trial_.add(rows_, candidate, [&](std::size_t i) { return table_.split_level[i]; });
    }

    void add_columns(std::size_t candidate) {
        trial_.share(own_, 0, 0, rows_.n_scores(candidate));
        trial_.add(rows_, candidate);
    }

    // The trial goes on from the blanket's own maximum, whose derivatives are found once for all candidates.
    void extend() {
        const double* hessian = own_hessian().data();
        tried_.extend(base_, trial_.units(), gradient_.data(), hessian);
    }

    // Starts a fit without the parameters from `from` to `to` where the blanket's own curvature leads. Whether it may exceed `floor`;
    // if not, `bound_` is between the two.
    //
    // Let p be the blanket's own probabilities, b its coefficients, and s the step there. q = p (1 + t (T - E_p T)'s) has the sums of the
    // samples but for the parameters left out, so no fit has a higher likelihood than minus the entropy of q, by the duality
    // that newton.hpp has. That is L - t W + KL(q, p), with W = s'Hs Wald's statistic, and KL(q, p) at most
    // (1/2 + t m / 6 + t^2 m^2 / 3) t^2 W where no two levels move apart by more than m: nothing of it needs the samples.
    bool start_near(std::size_t from, std::size_t to, double floor) {
        near_.leave_out(from, to, own_hessian(), coefficients);
        near_.copy(coefficients.data(), fit.coefficients.data());
        if (!criterion_.is_plain() || fit.wants_coefficients) return true;
        const double wald = near_.solve(coefficients, step_);
        if (wald == 0) return true;
        if (floor > -HUGE_VAL && is_below(floor, wald, base_.rough_spread(step_.data()))) return false;
        base_.prepare(step_.data());
        const double spread = base_.spread(step_.data());
        if (floor > -HUGE_VAL && is_below(floor, wald, spread)) return false;
        for (std::size_t k = 0; k < step_.size(); ++k) step_[k] += coefficients[k];
        near_.copy(step_.data(), fit.coefficients.data());
        fit.know_near(near_.hessian(), spread);
        return true;
    }

    // Whether the bound of start_near(), with the t that makes it lowest, is below `floor`.
    bool is_below(double floor, double wald, double spread) {
        double low = 0.0, high = spread > 1.0 ? 1.0 / spread : 1.0;
        for (int halving = 0; halving < kHalvings; ++halving) {
            const double t = (low + high) / 2;
            (t + t * t * spread / 2 + 4 * t * t * t * spread * spread / 3 < 1.0 ? low : high) = t;
        }
        bound_ = base_.likelihood() - low * wald * (1.0 - low * most_divergence(low * spread)) + std::sqrt(kPromisedGain * wald) + kBoundRounding;
        return bound_ <= floor;
    }

    // The second derivatives at the blanket's own maximum.
    Cholesky& own_hessian() {
        if (!is_ready_) {
            gradient_.resize(base_.n_parameters);
            hessian_.resize(base_.n_parameters);
            base_.evaluate(coefficients.data());
            base_.differentiate(gradient_.data(), hessian_.data());
        }
        is_ready_ = true;
        return hessian_;
    }

    // Starts the blanket's own fit from that of the blanket before, where they differ by a member and nothing is separated.
    void start_from_before(std::size_t target) {
        first_parameter_.resize(size_ + 1);
        for (std::size_t k = 0; k <= size_; ++k) first_parameter_[k] = n_thresholds_ + first_[k];
        const Moved moved = starts_.move(target, blanket_, size_, first_parameter_, 1, 0);
        if (moved != Moved::kFar && !restart_ && !fit.wants_coefficients && criterion_.is_plain())
            fit.coefficients.copy(starts_.own());
    }

    // Starts at the fit without any predictor. A separated blanket's neighbours all do: from its coefficients, on their
    // way to infinity, some cells would have no weight to come back with.
    void start(std::size_t n_columns) {
        fit.coefficients.zeros(n_thresholds_ + n_columns);
        const double* totals = own_.units().level_totals;
        for (std::size_t k = 0; k < n_thresholds_; ++k)
            if (totals[0] > 0 && totals[k + 1] > 0) fit.coefficients[k] = std::log(totals[k + 1] / totals[0]);
    }

    double price(std::size_t n_columns, std::size_t size) const { return criterion_.price(n_thresholds_ + n_columns, size); }
    double penalised(double reached, std::size_t n_columns, std::size_t size) const { return reached - price(n_columns, size); }

    BitRows rows_;
    Criterion criterion_;
    const std::int64_t* blanket_ = nullptr;
    std::size_t size_ = 0, target_ = 0, n_thresholds_ = 0;
    bool is_table_ = false, restart_ = false, is_ready_ = false;
    LevelTable table_;
    OrdinalDesign own_, trial_;
    OrdinalModel base_, tried_;
    LevelStarts starts_;
    Buffer<std::size_t> first_, first_parameter_;  // of every member, its first column and parameter, and past the last
    double bound_ = 0.0;
    Buffer<double> gradient_, step_;
    Cholesky hessian_;
    NearStart near_;
};

// Targets of both kinds. One with a single score, be it ordered or binary, is fitted by its step.
class KindScorer {
  public:
    static constexpr bool kBestFirst = true;
    bool is_exact = true;

    KindScorer(BitRows rows, Criterion criterion) : rows_(rows), nominal_(rows, criterion), ordinal_(rows, criterion) {}

    double set_blanket(std::size_t target, const std::int64_t* blanket, std::size_t size) {
        by_steps_ = rows_.n_scores(target) == 1;
        return scored([&](auto& scorer) { return scorer.set_blanket(target, blanket, size); });
    }
    double with(std::size_t candidate, double floor = -HUGE_VAL) {
        return scored([&](auto& scorer) { return scorer.with(candidate, floor); });
    }
    double without(std::size_t position, double floor = -HUGE_VAL) {
        return scored([&](auto& scorer) { return scorer.without(position, floor); });
    }

    std::int64_t n_not_converged() const { return nominal_.fit.n_not_converged + ordinal_.fit.n_not_converged; }

  private:
    template <class Use>
    double scored(Use use) {
        const double score = by_steps_ ? use(ordinal_) : use(nominal_);
        is_exact = by_steps_ ? ordinal_.is_exact : nominal_.is_exact;
        return score;
    }

    BitRows rows_;
    bool by_steps_ = false;
    MultinomialScorer nominal_;
    OrdinalScorer ordinal_;
};

}  // namespace markhood::MARKHOOD_TIER
