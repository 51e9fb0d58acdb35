#if defined(__AVX2__)
#define MARKHOOD_TIER avx2
#include "lanes_avx2.hpp"
#include "associated_tables.hpp"
#include "blankets.hpp"
#include "gibbs.hpp"
#include "graph_sampler.hpp"
#include "independence.hpp"
#include "l1_path.hpp"
#include "pairs.hpp"
#include "potts.hpp"

namespace markhood {
static const Tier tier{"avx2", avx2::associated_pairs, avx2::associated_tables, avx2::toggle_scores, avx2::grow_blankets,
                       avx2::fit_blankets, avx2::gibbs, avx2::potts_gibbs, avx2::independence_tests, avx2::l1_paths,
                       avx2::fit_pairs, avx2::sample_graphs};
const Tier* const tier_avx2 = &tier;
}  // namespace markhood
#else
#include "tiers.hpp"

namespace markhood {
const Tier* const tier_avx2 = nullptr;
}
#endif
