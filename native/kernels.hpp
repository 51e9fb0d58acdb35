// All kernels of an instruction set, and their table: what a tier file includes, after its lanes.
#pragma once
#include "associated_tables.hpp"
#include "blankets.hpp"
#include "climb.hpp"
#include "gibbs.hpp"
#include "graph_sampler.hpp"
#include "independence.hpp"
#include "l1_path.hpp"
#include "pairs.hpp"
#include "potts.hpp"
#include "pseudo_likelihood.hpp"
#include "soundness.hpp"

namespace markhood::MARKHOOD_TIER {

static constexpr Tier table_of(const char* name) {
    return {name,         associated_pairs,  associated_tables, associated_among,   toggle_scores, grow_blankets,
            climb_groups, fit_blankets,      ising_gibbs,       potts_gibbs,        independence_tests,
            l1_paths,     unsound_variables, fit_pairs,         sample_graphs,
            fit_potts};
}

}  // namespace markhood::MARKHOOD_TIER
