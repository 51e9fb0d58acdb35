// Bindings of joint fits of pairs of variables, and of the chains over graphs that go by them.
#include "bindings/arguments.hpp"

namespace markhood {
namespace {

// How many numbers the couplings of all pairs are, one pair after another.
std::size_t n_coupling_numbers(const BitRows& bits, const In<std::int64_t, 2>& pairs) {
    std::size_t n = 0;
    for (std::size_t k = 0; k < pairs.shape(0); ++k) n += bits.n_shown(index_of(pairs(k, 0)), index_of(pairs(k, 1)));
    return n;
}

// The last variables, which are given to both ends of every pair.
Covariates covariates_of(const Bits& bits, std::size_t n_covariates) {
    require(!bits.rows.reals.offsets, "fits of pairs have no offsets");
    require(n_covariates <= bits.n_variables, "there are more covariates than variables");
    return {bits.n_variables - n_covariates, bits.n_variables};
}

auto fit_pairs(const Bits& bits, In<std::int64_t, 2> pairs, ListArrays first, ListArrays second, double scale,
               std::size_t n_covariates, const std::string& instruction_set) {
    const std::size_t n = pairs.shape(0);
    const Covariates covariates = covariates_of(bits, n_covariates);
    require_pairs(pairs, covariates.first);
    const Lists given_first = lists(first, n, covariates.first), given_second = lists(second, n, covariates.first);
    require(scale > 0, "the scale must be positive");
    const std::size_t n_numbers = n_coupling_numbers(bits.rows, pairs);
    std::vector<double> joint(n), apart(n), log_determinants(n), couplings(n_numbers), variances(n_numbers);
    const PairNumbers numbers{joint.data(), apart.data(), log_determinants.data(), couplings.data(), variances.data()};
    call(&Tier::fit_pairs, instruction_set, bits.rows, pairs.data(), n, given_first, given_second, covariates, scale, numbers);
    return results(joint, apart, log_determinants, couplings, variances);
}

auto sample_graphs(const Bits& bits, In<std::int64_t, 2> pairs, In<double, 1> prior_log_odds, In<double, 1> bin_log_bayes_factors,
              In<double, 1> bin_counts, double scale, double shape, double background, In<double, 1> expected, double density, bool learns_density, In<std::uint8_t, 1> periods,
              double most_slopes, In<std::uint8_t, 1> present, In<std::uint32_t, 1> generator, std::optional<Integers> known, std::size_t n_settling,
              std::size_t n_sweeps, std::size_t n_covariates, const std::string& instruction_set) {
    const std::size_t n = pairs.shape(0);
    const Covariates covariates = covariates_of(bits, n_covariates);
    require_pairs(pairs, covariates.first);
    for (std::size_t k = 1; k < n; ++k)
        require(pairs(k - 1, 0) < pairs(k, 0) || (pairs(k - 1, 0) == pairs(k, 0) && pairs(k - 1, 1) < pairs(k, 1)),
                "pairs must ascend");
    require(prior_log_odds.shape(0) == n && expected.shape(0) == n && periods.shape(0) == n && present.shape(0) == n,
            "there must be odds, an expected coupling, a period and a state a pair");
    for (std::size_t k = 0; k < n; ++k) require(periods(k) > 0, "a period must be positive");
    require(bin_counts.shape(0) == bin_log_bayes_factors.shape(0), "there must be one count a bin");
    require(generator.shape(0) == 4, "a generator has four numbers");
    require(scale > 0, "the scale must be positive");
    require(shape > -1 && shape < 1, "the shape must be between -1 and 1");
    require(background >= 0, "the background must not be negative");
    require(density > 0 && density < 1, "the density must be between 0 and 1");
    std::vector<std::uint8_t> state(present.data(), present.data() + n);
    std::vector<std::uint32_t> random(generator.data(), generator.data() + 4);
    const std::size_t n_numbers = n_coupling_numbers(bits.rows, pairs);
    std::vector<double> densities(n_settling + n_sweeps), probabilities(n), couplings(n_numbers), squares(n_numbers);
    std::vector<std::int64_t> fits;
    const Sink into_fits = sink_into(fits);
    const GraphChain chain{pairs.data(), n, covariates, prior_log_odds.data(), bin_log_bayes_factors.data(), bin_counts.data(),
                           bin_counts.shape(0), scale, shape, background, expected.data(), density, learns_density, periods.data(), most_slopes, state.data(), random.data(),
                           known ? known->data() : nullptr, known ? known->shape(0) : 0};
    const GraphNumbers numbers{probabilities.data(), couplings.data(), squares.data()};
    const std::int64_t n_fits = call(&Tier::sample_graphs, instruction_set, bits.rows, chain, n_settling, n_sweeps,
                                     densities.data(), numbers, known ? &into_fits : nullptr);
    return results(state, random, densities, probabilities, couplings, squares, n_fits, fits);
}

}  // namespace

void bind_pairs(nb::module_& m) {
    m.def("fit_pairs", &fit_pairs);
    m.def("sample_graphs", &sample_graphs);
}

}  // namespace markhood
