// The design of a nominal regression: its table of configurations, as likelihoods and bounds read it.
#pragma once
#include "machine/buffer.hpp"

namespace markhood::MARKHOOD_TIER {

// The predictors of row r are the intercept, number 0, which is one, and those in active[starts[r]] ... active[starts[r + 1] - 1],
// ascending, with their `values`; others are zero. Where all predictors are indicators, `values` and `reach` are null, which is faster.
struct Design {
    std::size_t n_rows, n_levels, n_predictors;
    const double* counts;  // (n_rows, n_levels)
    const std::uint32_t *starts, *active;
    const double *values, *reach;  // of every active predictor; the highest value of each predictor
    const unsigned char* left = nullptr;  // (n_rows, n_levels), cells known to be at minus infinity; null if none is
    // The first predictor of each of the last n_members members, and n_predictors: between two are the indicators of its levels but one.
    const std::size_t* members = nullptr;
    std::size_t n_members = 0;
};

}  // namespace markhood::MARKHOOD_TIER
