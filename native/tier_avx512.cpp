#if defined(__AVX512VPOPCNTDQ__)
#define MARKHOOD_TIER avx512
#include "lanes_avx512.hpp"
#include "associated_tables.hpp"
#include "blankets.hpp"
#include "gibbs.hpp"
#include "graph_sampler.hpp"
#include "independence.hpp"
#include "l1_path.hpp"
#include "pairs.hpp"
#include "potts.hpp"

namespace markhood {
static const Tier tier{"avx512", avx512::associated_pairs, avx512::associated_tables, avx512::toggle_scores, avx512::grow_blankets,
                       avx512::fit_blankets, avx512::gibbs, avx512::potts_gibbs, avx512::independence_tests, avx512::l1_paths,
                       avx512::fit_pairs, avx512::sample_graphs};
const Tier* const tier_avx512 = &tier;
}  // namespace markhood
#else
#include "tiers.hpp"

namespace markhood {
const Tier* const tier_avx512 = nullptr;
}
#endif
