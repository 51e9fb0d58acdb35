#if defined(__ARM_NEON) && defined(__aarch64__)
#define MARKHOOD_TIER neon
#include "machine/lanes_neon.hpp"
#include "machine/kernels.hpp"

namespace markhood {
static constexpr Tier tier = neon::table_of("neon");
const Tier* const tier_neon = &tier;
}  // namespace markhood
#else
#include "machine/tiers.hpp"

namespace markhood {
const Tier* const tier_neon = nullptr;
}
#endif
