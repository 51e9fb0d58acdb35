#define MARKHOOD_TIER scalar
#include "machine/lanes_scalar.hpp"
#include "machine/kernels.hpp"

namespace markhood {
static constexpr Tier tier = scalar::table_of("scalar");
const Tier* const tier_scalar = &tier;
}  // namespace markhood
