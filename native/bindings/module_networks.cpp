// Bindings of networks: their samplers, binary and of any levels, and the fit of a Potts model of all variables.
#include "bindings/arguments.hpp"

namespace markhood {
namespace {

using States = In<std::uint8_t, 2>;
using GeneratorStates = In<std::uint32_t, 2>;

// The chains of a sampler, which moves them: values, generators, and draws.
class Chains {
  public:
    Chains(const States& states, const GeneratorStates& generators, std::size_t n_variables, std::size_t n_draws)
        : states_(states.data(), states.data() + states.size()), draws_(n_draws * kChains * n_variables),
          generators_(generators.data(), generators.data() + generators.size()) {
        require(states.shape(0) == kChains && states.shape(1) == n_variables, "states must have shape (16, n_variables)");
        require(generators.shape(0) == 4 && generators.shape(1) == kChains, "generators must have shape (4, 16)");
    }

    template <class Kernel, class Network>
    auto moved(Kernel kernel, const std::string& instruction_set, const Network& network, std::size_t burn_in,
               std::size_t thinning, std::size_t n_draws) {
        call(kernel, instruction_set, network, states_.data(), generators_.data(), burn_in, thinning, n_draws, draws_.data());
        return results(draws_, states_, generators_);
    }

  private:
    std::vector<std::uint8_t> states_, draws_;
    std::vector<std::uint32_t> generators_;
};

void require_order(const Integers& order, const In<std::uint8_t, 1>& is_wide, std::size_t n_variables) {
    require(order.shape(0) == n_variables && is_wide.shape(0) == n_variables, "order and is_wide must have a value per variable");
    require_variables(order, n_variables);
}

auto ising_gibbs(
    ListArrays neighbours, In<double, 1> coupling_odds, In<double, 1> field_odds, Integers order, In<std::uint8_t, 1> is_wide,
    States states, GeneratorStates generators, std::size_t burn_in, std::size_t thinning, std::size_t n_draws,
    const std::string& instruction_set) {
    const std::size_t d = field_odds.shape(0);
    const Lists from = lists(neighbours, d, d);
    require(coupling_odds.shape(0) == neighbours.second.shape(0), "there must be one coupling per neighbour");
    require_order(order, is_wide, d);
    const IsingNetwork network{d, from, coupling_odds.data(), field_odds.data(), order.data(), is_wide.data()};
    return Chains(states, generators, d, n_draws).moved(&Tier::ising_gibbs, instruction_set, network, burn_in, thinning, n_draws);
}

static_assert(kLevelsPerVector == 4);

// Factors of every variable, padded: field_starts and factor_starts must leave room for what the sampler reads.
PottsNetwork potts_network(const Lists& neighbours, const In<double, 1>& factors, const Integers& factor_starts,
                           const In<double, 1>& field_factors, const Integers& field_starts, const Integers& n_levels,
                           const Integers& order, const In<std::uint8_t, 1>& is_wide) {
    const std::size_t d = n_levels.shape(0);
    require_order(order, is_wide, d);
    require(field_starts.shape(0) == d + 1 && field_starts(0) == 0 &&
                static_cast<std::size_t>(field_starts(d)) == field_factors.shape(0),
            "field_starts must go from 0 to the number of field factors");
    for (std::size_t i = 0; i < d; ++i) {
        require(n_levels(i) >= 1 && n_levels(i) <= static_cast<std::int64_t>(kMostLevels),
                "a variable must have from 1 to 256 levels");
        const std::int64_t width = (n_levels(i) + 3) / 4 * 4;
        require(field_starts(i + 1) - field_starts(i) == width, "factors must be padded to a multiple of 4 levels");
        for (std::int64_t k = neighbours.starts[i]; k < neighbours.starts[i + 1]; ++k)
            require(factor_starts(k) >= 0 && factor_starts(k) + width * n_levels(neighbours.values[k]) <=
                                                 static_cast<std::int64_t>(factors.shape(0)),
                    "there must be factors for every level of every neighbour");
    }
    return {d, neighbours, factors.data(), factor_starts.data(), field_factors.data(), field_starts.data(),
            n_levels.data(), order.data(), is_wide.data()};
}

auto potts_gibbs(
    ListArrays neighbours, In<double, 1> factors, Integers factor_starts, In<double, 1> field_factors, Integers field_starts,
    Integers n_levels, Integers order, In<std::uint8_t, 1> is_wide, States states, GeneratorStates generators,
    std::size_t burn_in, std::size_t thinning, std::size_t n_draws, const std::string& instruction_set) {
    const std::size_t d = n_levels.shape(0);
    const Lists from = lists(neighbours, d, d);
    require(factor_starts.shape(0) == neighbours.second.shape(0), "factor_starts must have a value per neighbour");
    const PottsNetwork network =
        potts_network(from, factors, factor_starts, field_factors, field_starts, n_levels, order, is_wide);
    Chains chains(states, generators, d, n_draws);
    for (std::size_t s = 0; s < states.size(); ++s)
        require(states.data()[s] < n_levels(s % d), "states must be level numbers");
    return chains.moved(&Tier::potts_gibbs, instruction_set, network, burn_in, thinning, n_draws);
}

auto fit_potts(In<std::int32_t, 2> places, Integers starts, In<double, 1> weights, Integers targets, double field_penalty,
               In<double, 1> penalties, double tolerance, std::size_t most_steps, const std::string& instruction_set) {
    const std::size_t n = places.shape(0), d = places.shape(1);
    require(starts.shape(0) == d + 1 && starts(0) == 0, "starts must have a value a variable, and one more");
    for (std::size_t v = 0; v < d; ++v) require(starts(v) < starts(v + 1), "a variable must have a level");
    const std::int64_t n_rows = starts(d);
    bool has_missing = false;
    for (std::size_t s = 0; s < n; ++s)
        for (std::size_t v = 0; v < d; ++v) {
            const std::int32_t row = places(s, v);
            require((row >= starts(v) && row < starts(v + 1)) || row == n_rows, "places must be rows of their variables");
            has_missing = has_missing || row == n_rows;
        }
    require(weights.shape(0) == n, "there must be one weight a sample");
    require(penalties.shape(0) == d && field_penalty > 0, "there must be a penalty a variable, and one of fields");
    for (std::size_t v = 0; v < d; ++v) require(penalties(v) > 0, "penalties must be positive");
    require_variables(targets, d);
    require(targets.shape(0) >= 1 && targets.shape(0) <= kMostTargets, "there must be from 1 to 64 targets");
    std::size_t n_columns = 0;
    for (std::size_t t = 0; t < targets.shape(0); ++t)
        n_columns += static_cast<std::size_t>(starts(targets(t) + 1) - starts(targets(t)));
    std::vector<float> table((static_cast<std::size_t>(n_rows) + 1) * n_columns);
    std::vector<double> norms(targets.shape(0));
    const PottsSamples samples{places.data(), starts.data(), weights.data(), n, d, static_cast<std::size_t>(n_rows), has_missing};
    const PottsPenalty penalty{field_penalty, penalties.data()};
    const std::int64_t n_steps = call(&Tier::fit_potts, instruction_set, samples, targets.data(), targets.shape(0), penalty,
                                      tolerance, most_steps, table.data(), norms.data());
    return results(table, norms, n_steps);
}

}  // namespace

void bind_networks(nb::module_& m) {
    m.def("ising_gibbs", &ising_gibbs);
    m.def("potts_gibbs", &potts_gibbs);
    m.def("fit_potts", &fit_potts);
}

}  // namespace markhood
