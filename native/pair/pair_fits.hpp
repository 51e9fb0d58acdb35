// What a pair is fitted by: one class for binary variables that count once, one for all others, which answer alike.
//
//     n_shown(rows, i, j), n_free(rows, i, j)     how many numbers a coupling is shown as, and how many are free
//     fit_end(rows, end, prior)                   the regression of one end on its other neighbours
//     fit_pair(rows, i, j, prior)                 the pair with its coupling, from both ends' coefficients
//     end(), pair()                               what the last of each came to
//     show(coupling, variance)                    of the last pair
#pragma once
#include "pair/level_pair_fit.hpp"
#include "pair/pair_fit.hpp"

namespace markhood::MARKHOOD_TIER {

// A maximum: its objective, the determinant there, and where it is.
struct Maximum {
    double objective, log_determinant;
    const double* coefficients;
    std::size_t n_coefficients;
};

template <class Fit>
static Maximum maximum_of(const Fit& fit) {
    return {fit.objective, fit.newton.factor.log_determinant(), fit.newton.at.data(), fit.newton.at.size()};
}

class BinaryFits {
  public:
    static std::size_t n_shown(BitRows, std::size_t, std::size_t) { return 1; }
    static std::size_t n_free(BitRows, std::size_t, std::size_t) { return 1; }

    void fit_end(BitRows rows, const End& end, const SlopePrior& prior) {
        end_.fit(rows, end, prior);
    }
    void fit_pair(BitRows rows, const End& i, const End& j, const SlopePrior& prior) { pair_.fit(rows, i, j, prior); }
    Maximum end() const { return maximum_of(end_); }
    Maximum pair() const { return maximum_of(pair_); }
    void show(double* coupling, double* variance) { pair_.show(coupling, variance); }

  private:
    EndFit end_;
    PairFit pair_;
};

class LevelFits {
  public:
    static std::size_t n_shown(BitRows rows, std::size_t i, std::size_t j) { return LevelPairFit::n_shown(rows, i, j); }
    static std::size_t n_free(BitRows rows, std::size_t i, std::size_t j) { return LevelPairFit::n_free(rows, i, j); }

    void fit_end(BitRows rows, const End& end, const SlopePrior& prior) { end_.fit(rows, end, nullptr, prior); }
    void fit_pair(BitRows rows, const End& i, const End& j, const SlopePrior& prior) { pair_.fit(rows, i, &j, prior); }
    Maximum end() const { return maximum_of(end_); }
    Maximum pair() const { return maximum_of(pair_); }
    void show(double* coupling, double* variance) { pair_.show(coupling, variance); }

  private:
    LevelPairFit end_, pair_;
};

// Adds the covariates, the last of all variables, to what is given to an end.
static inline void add_covariates(Buffer<std::int64_t>& given, Covariates covariates) {
    for (std::size_t c = covariates.first; c < covariates.last; ++c) given.push(static_cast<std::int64_t>(c));
}

template <class Fits>
static void fit_pairs_by(BitRows rows, const std::int64_t* pairs, std::size_t n_pairs, Lists given_first,
                         Lists given_second, Covariates covariates, double scale, PairNumbers to) {
    const SlopePrior prior{1.0 / (scale * scale), covariates.first};
    Fits first, second, both;
    Buffer<std::int64_t> given_i, given_j;
    const auto end = [&](std::int64_t variable, const Lists& lists, std::size_t n, Buffer<std::int64_t>& given) {
        given.resize(0);
        for (std::size_t k = 0; k < lists.length(n); ++k) given.push(lists.list(n)[k]);
        add_covariates(given, covariates);
        return End{static_cast<std::size_t>(variable), given.data(), given.size(), nullptr};
    };
    for (std::size_t n = 0; n < n_pairs; ++n) {
        stop_if_asked();
        End i = end(pairs[2 * n], given_first, n, given_i), j = end(pairs[2 * n + 1], given_second, n, given_j);
        first.fit_end(rows, i, prior);
        second.fit_end(rows, j, prior);
        const Maximum apart_i = first.end(), apart_j = second.end();
        i.coefficients = apart_i.coefficients;
        j.coefficients = apart_j.coefficients;
        both.fit_pair(rows, i, j, prior);
        const Maximum joint = both.pair();
        to.joint[n] = joint.objective;
        to.apart[n] = apart_i.objective + apart_j.objective;
        to.log_determinants[n] = joint.log_determinant - apart_i.log_determinant - apart_j.log_determinant;
        both.show(to.couplings, to.variances);
        const std::size_t shown = Fits::n_shown(rows, i.variable, j.variable);
        to.couplings += shown;
        to.variances += shown;
    }
}

static void fit_pairs(BitRows rows, const std::int64_t* pairs, std::size_t n_pairs, Lists given_first,
                      Lists given_second, Covariates covariates, double scale, PairNumbers to) {
    (rows.is_plain() ? fit_pairs_by<BinaryFits> : fit_pairs_by<LevelFits>)(rows, pairs, n_pairs, given_first, given_second,
                                                                          covariates, scale, to);
}

}  // namespace markhood::MARKHOOD_TIER
