// What the fits stop at, in log-likelihood and log odds. Relative ones say what they are relative to.
#pragma once
#include <cstddef>

namespace markhood::MARKHOOD_TIER {

// Convergence.
constexpr double kPromisedGain = 1e-11;       // gain promised by the last step: far below 1e-9, the least difference between two scores
constexpr double kNotConvergedGain = 1e-8;    // promised at the end of a fit that is reported as not converged
constexpr double kLostGradient = 0.1;         // in samples, of a coordinate that no step moves, as all its cells have lost their weight; else it is rounding
constexpr double kObjectiveRounding = 1e-13;  // rounding of the objective, relative to it
constexpr int kMaxSteps = 200;                // well-conditioned fits take 4 to 9
constexpr std::size_t kMaxParameters = 4096;  // 128 MB of curvature
constexpr double kIdleShare = 0.01;           // of a promise below kNotConvergedGain: a smaller gain is rounding
constexpr int kMaxIdle = 3;                   // steps in a row whose gain was rounding
// Line search.
constexpr double kSufficientDecrease = 0.1;  // share of the promised gain; with any gain, steps could jump across the maximum forever
constexpr double kSmallGain = 1e-6;          // promised gain below which rounding may hide that share
constexpr double kMaxStep = 5.0;             // first trial, in log odds: farther away all weights may vanish
constexpr double kMaxLengthened = 16.0;      // in log odds, of a step that is lengthened while that improves the objective
constexpr int kMaxHalvings = 60;
// Factorisation and its reuse.
constexpr double kSmallestPivot = 1e-13;     // relative to the diagonal; a smaller pivot is rounding
constexpr double kMaxChordDrift = 3.0;       // distance in log odds from the factorisation: no curvature has changed by a factor above exp(3)
constexpr std::size_t kManyParameters = 32;  // from which a curvature costs many gradients
// Share of the promise before that a chord step may promise: where it allows for the drift; and where it does not, for corrected steps
// and a held coefficient. With 0.5 for both, ordinal blankets take 7 % longer.
constexpr double kChordContraction = 0.1, kPlainContraction = 0.5;
constexpr double kLaplaceGain = 0.005;       // share of the tolerance of Laplace's method to which chord steps continue: log determinants to 1e-4
constexpr double kRoughTolerance = 1e-2;     // what conjugate gradients leave of the gradient for a step
constexpr double kFineTolerance = 1e-7;      // and for a bound
// Separation.
constexpr double kDivergingStep = 0.05;      // in log odds: at the end of a fit, a longer last step means a coefficient at infinity
constexpr double kCertificateGain = 0.1;     // promised gain below which a certificate of separation is tried
constexpr double kCertificateRetry = 1e-3;   // share of that promise below which it is tried again
constexpr double kFarStep = 100.0;           // in log odds: it is tried for a longer step too
constexpr double kFarStepGrowth = 10.0;      // ratio of the next such step to the last one
constexpr double kNegligibleLogOdds = 20.0;  // a cell so far below the highest of its row has no influence on a step
constexpr double kMomentRounding = 1e-9;     // difference of two sums over samples that are equal but for rounding
constexpr double kDirectionRounding = 1e-6;  // relative to the largest change that a direction makes in a cell
constexpr int kMaxRounds = 8;                // of revising which cells leave
constexpr double kWeakRidge = 1e-9;          // penalty on a squared slope, per sample, that decides where a separated fit ends
constexpr double kInterceptRidge = 1e-12;    // the same for an intercept
constexpr double kDivergingGrowth = 0.1;     // growth of a coefficient at infinity as the penalty falls by a factor e
constexpr int kFinalSteps = 3;               // whole steps of such a fit after the likelihood shows no difference any more
// Bounds.
constexpr double kBoundRounding = 1e-7;  // added to a bound, so that it holds for the computed maximum

}  // namespace markhood::MARKHOOD_TIER
