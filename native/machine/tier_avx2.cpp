#if defined(__AVX2__)
#define MARKHOOD_TIER avx2
#include "machine/lanes_avx2.hpp"
#include "machine/kernels.hpp"

namespace markhood {
static constexpr Tier tier = avx2::table_of("avx2");
const Tier* const tier_avx2 = &tier;
}  // namespace markhood
#else
#include "machine/tiers.hpp"

namespace markhood {
const Tier* const tier_avx2 = nullptr;
}
#endif
