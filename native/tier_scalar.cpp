#define MARKHOOD_TIER scalar
#include "lanes_scalar.hpp"
#include "kernels.hpp"

namespace markhood {
static constexpr Tier tier = scalar::table_of("scalar");
const Tier* const tier_scalar = &tier;
}  // namespace markhood
