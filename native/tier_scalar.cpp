#define MARKHOOD_TIER scalar
#include "lanes_scalar.hpp"
#include "blankets.hpp"
#include "gibbs.hpp"
#include "independence.hpp"
#include "pairs.hpp"

namespace markhood {
static const Tier tier{"scalar", scalar::associated_pairs, scalar::toggle_scores, scalar::grow_blankets,
                       scalar::fit_blankets, scalar::gibbs, scalar::independence_tests};
const Tier* const tier_scalar = &tier;
}  // namespace markhood
