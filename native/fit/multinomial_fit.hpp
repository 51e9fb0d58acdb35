// Multinomial logistic regressions on tables: what scores and bounds ask of multinomial.hpp.
#pragma once
#include "fit/multinomial.hpp"
#include "fit/newton.hpp"

namespace markhood::MARKHOOD_TIER {

class MultinomialFit : public Newton<MultinomialModel> {
  public:
    // Starts from `coefficients`, which the caller has set. Returns the likelihood less the penalty, or as Newton
    // does where that does not exceed `floor`.
    double maximise(Design design, double l1, double l2, double floor) {
        model_.set(design);
        if (l1 == 0 && l2 == 0) model_.improve(coefficients.data());
        return Newton::maximise(model_, l1, l2, floor);
    }

    // The probabilities at the end of a fit, (n_rows, n_levels).
    void copy_probabilities(Buffer<double>& to) const {
        to.resize(left().size());
        for (std::size_t c = 0; c < to.size(); ++c) to[c] = model_.probability(c);
    }

    // The cells that have left by the end of a separated fit, (n_rows, n_levels).
    const Buffer<unsigned char>& left() const { return model_.left(); }

    // As Newton does, from where iterative scaling leads with nearly the counts that the weak penalty leaves to cells without samples.
    template <class Restart>
    void settle(Restart restart) {
        const auto begin = [&] {
            restart();
            model_.restore_all();
        };
        const auto improve = [&] {
            model_.improve(coefficients.data(), 2 * kFarLogOdds * kWeakRidge * model_.n_samples());
            return true;
        };
        Newton::settle(model_, begin, improve);
    }

  private:
    static constexpr double kFarLogOdds = 20.0;  // about where separated cells end

    MultinomialModel model_;
};

}  // namespace markhood::MARKHOOD_TIER
