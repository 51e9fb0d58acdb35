#if defined(__AVX512VPOPCNTDQ__)
#define MARKHOOD_TIER avx512
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // in GCC's own intrinsics, on purpose
#endif
#include "machine/lanes_avx512.hpp"
#include "machine/kernels.hpp"

namespace markhood {
static constexpr Tier tier = avx512::table_of("avx512");
const Tier* const tier_avx512 = &tier;
}  // namespace markhood
#else
#include "machine/tiers.hpp"

namespace markhood {
const Tier* const tier_avx512 = nullptr;
}
#endif
