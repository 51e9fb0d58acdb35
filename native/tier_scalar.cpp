#define MARKHOOD_TIER scalar
#include "lanes_scalar.hpp"
#include "associated_tables.hpp"
#include "blankets.hpp"
#include "gibbs.hpp"
#include "graph_sampler.hpp"
#include "independence.hpp"
#include "l1_path.hpp"
#include "pairs.hpp"
#include "potts.hpp"

namespace markhood {
static const Tier tier{"scalar", scalar::associated_pairs, scalar::associated_tables, scalar::toggle_scores, scalar::grow_blankets,
                       scalar::fit_blankets, scalar::gibbs, scalar::potts_gibbs, scalar::independence_tests, scalar::l1_paths,
                       scalar::fit_pairs, scalar::sample_graphs};
const Tier* const tier_scalar = &tier;
}  // namespace markhood
