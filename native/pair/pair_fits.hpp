// Fits of pairs and of their ends: `BinaryFits` for binary variables without weights, `LevelFits` for all others, both with
//
//     end, pair                                   the regression of one end on its other neighbours; the pair with its coupling,
//                                                 from both ends' coefficients
//     has_quicker_step(rows, n)                   whether a step is quicker than a fit, where both ends' neighbours have n scores
//     centred(b, n, room), uncentred(b, n, room)  coefficients by centred scores (score_step.hpp), and back
#pragma once
#include "fit/newton.hpp"
#include "pair/level_pair_fit.hpp"
#include "pair/pair_fit.hpp"

namespace markhood::MARKHOOD_TIER {

// A maximum: its objective, the determinant there, and where it is.
struct Maximum {
    double objective, log_determinant;
    const double* coefficients;
    std::size_t n_coefficients;
};

// A maximum of a pair or an end, with the factorisation of the curvature there.
template <class Likelihood>
class LaplaceFit {
  public:
    // Takes what the likelihood is set by, the prior last.
    template <class... Given>
    void fit(const SlopePrior& prior, const Given&... given) {
        likelihood_.set(given..., prior);
        newton_.coefficients.resize(likelihood_.n_parameters);
        newton_.precision.resize(likelihood_.n_parameters);
        likelihood_.start(newton_.coefficients.data(), newton_.precision.data());
        objective_ = newton_.maximise_laplace(likelihood_, prior.least_gain());
    }

    Maximum maximum() const {
        return {objective_, newton_.factor().log_determinant(), newton_.coefficients.data(), newton_.coefficients.size()};
    }

    void show(double* coupling, double* variance) {
        likelihood_.show(newton_.coefficients.data(), newton_.factor(), coupling, variance);
    }

  private:
    double objective_ = 0.0;
    Likelihood likelihood_;
    Newton<Likelihood> newton_;
};

struct BinaryFits {
    LaplaceFit<EndLikelihood> end;
    LaplaceFit<PairLikelihood> pair;

    // With fewer, configurations are far fewer than the samples that a step goes through.
    static bool has_quicker_step(BitRows rows, std::size_t n) { return n >= 8 && (n >= 32 || (std::size_t{4} << n) >= rows.n_samples); }
    // The intercept is that of values 0 and 1: of -1/2 and 1/2, and back.
    static double* centred(const double* b, std::size_t n, Buffer<double>& to) { return moved(b, n, 0.5, to); }
    static double* uncentred(const double* b, std::size_t n, Buffer<double>& to) { return moved(b, n, -0.5, to); }

  private:
    static double* moved(const double* b, std::size_t n, double by, Buffer<double>& to) {
        to.resize(n + 1);
        if (b != to.data()) std::memcpy(to.data(), b, (n + 1) * sizeof(double));
        for (std::size_t k = 1; k <= n; ++k) to[0] += by * to[k];
        return to.data();
    }
};

struct LevelFits {
    LaplaceFit<LevelPairLikelihood> end, pair;

    static bool has_quicker_step(BitRows, std::size_t n) { return n >= 8; }
    static const double* centred(const double* b, std::size_t, Buffer<double>&) { return b; }
    static const double* uncentred(const double* b, std::size_t, Buffer<double>&) { return b; }
};

// Adds the covariates, the last of all variables, to the given variables of an end.
static inline void add_covariates(Buffer<std::int64_t>& given, Covariates covariates) {
    for (std::size_t c = covariates.first; c < covariates.last; ++c) given.push(static_cast<std::int64_t>(c));
}

template <class Fits>
static void fit_pairs_by(BitRows rows, const std::int64_t* pairs, std::size_t n_pairs, Lists given_first,
                         Lists given_second, Covariates covariates, double scale, PairNumbers to) {
    const SlopePrior prior(scale, covariates.first);
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
        first.end.fit(prior, rows, i);
        second.end.fit(prior, rows, j);
        const Maximum apart_i = first.end.maximum(), apart_j = second.end.maximum();
        i.coefficients = apart_i.coefficients;
        j.coefficients = apart_j.coefficients;
        both.pair.fit(prior, rows, i, j);
        const Maximum joint = both.pair.maximum();
        to.joint[n] = joint.objective;
        to.apart[n] = apart_i.objective + apart_j.objective;
        to.log_determinants[n] = joint.log_determinant - apart_i.log_determinant - apart_j.log_determinant;
        both.pair.show(to.couplings, to.variances);
        const std::size_t shown = rows.n_shown(i.variable, j.variable);
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
