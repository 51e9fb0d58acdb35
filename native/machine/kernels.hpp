// All kernels of an instruction set, and their table: what a tier file includes, after its lanes.
#pragma once
#include "count/associated_tables.hpp"
#include "search/blankets.hpp"
#include "search/climb.hpp"
#include "network/gibbs.hpp"
#include "pair/graph_sampler.hpp"
#include "search/independence.hpp"
#include "l1/l1_path.hpp"
#include "count/pairs.hpp"
#include "count/residual_pairs.hpp"
#include "network/potts.hpp"
#include "network/pseudo_likelihood.hpp"
#include "count/soundness.hpp"

namespace markhood::MARKHOOD_TIER {

static constexpr Tier table_of(const char* name) {
    return {name,         associated_pairs,  associated_tables, associated_among,   associated_residuals,
            toggle_scores, grow_blankets,    climb_groups,      fit_blankets,       ising_gibbs,
            potts_gibbs,  independence_tests, l1_paths,         unsound_variables,  fit_pairs,
            sample_graphs, fit_potts};
}

}  // namespace markhood::MARKHOOD_TIER
