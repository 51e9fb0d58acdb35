#if defined(__AVX2__)
#define MARKHOOD_TIER avx2
#include "lanes_avx2.hpp"
#include "kernels.hpp"

namespace markhood {
static constexpr Tier tier = avx2::table_of("avx2");
const Tier* const tier_avx2 = &tier;
}  // namespace markhood
#else
#include "tiers.hpp"

namespace markhood {
const Tier* const tier_avx2 = nullptr;
}
#endif
