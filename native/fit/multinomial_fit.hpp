// Multinomial logistic regressions on tables: what scores and bounds ask of multinomial.hpp. Those with as many independent
// predictors as rows need no search (saturated.hpp).
#pragma once
#include "fit/multinomial.hpp"
#include "fit/newton.hpp"
#include "fit/saturated.hpp"

namespace markhood::MARKHOOD_TIER {

class MultinomialFit : public Newton<MultinomialModel> {
  public:
    // Starts from `coefficients`, which the caller has set. Returns the likelihood less the penalty, or as Newton
    // does where that does not exceed `floor`.
    double maximise(Design design, double l1, double l2, double floor) {
        model_.set(design);
        if (shares_) model_.set_curved(shares_, log_shares_.data());
        shares_ = nullptr;
        is_saturated_ = l1 == 0 && l2 == 0 && saturated_.applies_to(design);
        if (!is_saturated_) return Newton::maximise(model_, l1, l2, floor);
        end_without_steps(model_);
        const double likelihood = saturated_.fit(coefficients.data(), drift.data(), separated);
        for (std::size_t k = 0; k < drift.size(); ++k) drift[k] *= model_.reach(k);
        return likelihood;
    }

    // The second derivatives of a fit of this design at `b`, and the probabilities there, (n_rows, n_levels).
    void differentiate(Design design, const double* b, Cholesky& hessian) {
        model_.set(design);
        model_.evaluate(b);
        gradient_.resize(model_.n_parameters);
        hessian.resize(model_.n_parameters);
        model_.differentiate(gradient_.data(), hessian.data());
        model_.copy_log_shares(log_shares_);
    }

    // As Newton does, where the next design's probabilities at that place are `shares`.
    void know_near(const double* hessian, const double* product, const double* shares) {
        Newton::know_near(hessian, product);
        shares_ = shares;
    }

    // The probabilities at the end of a fit of this design, (n_rows, n_levels).
    void copy_probabilities(Design design, Buffer<double>& to) const {
        to.resize(design.n_rows * design.n_levels);
        for (std::size_t c = 0; c < to.size(); ++c) to[c] = is_saturated_ ? model_.share(c) : model_.probability(c);
    }

    // The cells that have left by the end of a separated fit of this design, (n_rows, n_levels).
    void copy_left(Design design, Buffer<unsigned char>& to) const {
        to.resize(design.n_rows * design.n_levels);
        for (std::size_t c = 0; c < to.size(); ++c) to[c] = is_saturated_ ? design.counts[c] == 0 : model_.left()[c];
    }

    // As Newton does; a saturated fit is where it ends, unless it is separated.
    template <class Restart>
    void settle(Restart restart) {
        if (!is_saturated_ || separated) Newton::settle(model_, restart);
    }

  private:
    bool is_saturated_ = false;
    const double* shares_ = nullptr;
    Buffer<double> gradient_, log_shares_;
    MultinomialModel model_;
    SaturatedFit saturated_;
};

}  // namespace markhood::MARKHOOD_TIER
