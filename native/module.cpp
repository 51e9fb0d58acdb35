// Python bindings, a table of contents of the kernels: check shapes, release the GIL, call. No
// arithmetic here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "tiers.hpp"

namespace nb = nanobind;
using namespace markhood;

namespace {

template <class T, int Dimensions>
using In = nb::ndarray<const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;
using Words = In<std::uint64_t, 2>;
using Integers = In<std::int64_t, 1>;

// What this build contains and this processor (and operating system) can run, best first.
const std::vector<const Tier*>& tiers() {
    static const std::vector<const Tier*> available = [] {
        std::vector<const Tier*> found;
#if defined(__x86_64__)
        __builtin_cpu_init();
        if (tier_avx512 && __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
            found.push_back(tier_avx512);
        if (tier_avx2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) found.push_back(tier_avx2);
#endif
        if (tier_neon) found.push_back(tier_neon);  // a part of every arm64 processor
        found.push_back(tier_scalar);
        return found;
    }();
    return available;
}

const Tier& find_tier(const std::string& name) {
    for (const Tier* tier : tiers())
        if (name.empty() || tier->name == name) return *tier;
    throw std::invalid_argument("instruction set '" + name + "' is not available here");
}

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

BitRows bit_rows(const Words& words, std::size_t n_samples) {
    require(words.shape(1) % 8 == 0, "rows must be padded to a multiple of 8 words");
    require(n_samples <= 64 * words.shape(1), "rows must hold n_samples bits");
    return {words.data(), words.shape(0), words.shape(1), n_samples};
}

using Starts = std::optional<Integers>;
using Weights = std::optional<In<double, 1>>;
using Ordered = std::optional<In<std::uint8_t, 1>>;

// Rows of variables of any number of levels, and samples of any weights.
BitRows level_rows(const Words& words, std::size_t n_samples, const Starts& starts, const Weights& weights,
                   const Ordered& ordered = std::nullopt) {
    BitRows bits = bit_rows(words, n_samples);
    if (starts) {
        const std::size_t n = starts->shape(0);
        require(n > 0 && (*starts)(0) == 0 && static_cast<std::size_t>((*starts)(n - 1)) == bits.n_rows,
                "starts must go from 0 to the number of rows");
        for (std::size_t v = 0; v + 1 < n; ++v)
            require((*starts)(v) < (*starts)(v + 1) && (*starts)(v + 1) - (*starts)(v) < 65535,
                    "a variable must have from 1 to 65534 rows");
        bits.starts = starts->data();
    }
    if (weights) {
        require(weights->shape(0) == n_samples, "there must be one weight a sample");
        bits.weights = weights->data();
    }
    if (ordered) {
        require(starts && ordered->shape(0) + 1 == starts->shape(0), "there must be a kind for each variable with levels");
        bits.ordered = ordered->data();
    }
    return bits;
}

std::size_t n_variables(const BitRows& bits, const Starts& starts) {
    return starts ? starts->shape(0) - 1 : bits.n_rows;
}

void require_variables(const Integers& variables, std::size_t n_variables) {
    for (std::size_t k = 0; k < variables.shape(0); ++k)
        require(variables(k) >= 0 && static_cast<std::size_t>(variables(k)) < n_variables,
                "variables must be row numbers");
}

Lists lists(const Integers& starts, const Integers& values, std::size_t n_lists, std::size_t n_variables) {
    require(starts.shape(0) == n_lists + 1 && starts(0) == 0, "there must be one list a target");
    for (std::size_t k = 0; k < n_lists; ++k) require(starts(k) <= starts(k + 1), "starts must ascend");
    require(static_cast<std::size_t>(starts(n_lists)) == values.shape(0), "starts must end at the last value");
    require_variables(values, n_variables);
    return {starts.data(), values.data()};
}

template <class T>
Out<T> to_numpy(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Out<T>(kept->data(), {kept->size()}, owner);
}

using LogGamma = std::optional<In<double, 2>>;

Criterion a_criterion(double parameter_cost, double variable_cost, const LogGamma& log_gamma, double l1, double l2,
                      std::size_t n_samples) {
    require(l1 >= 0 && l2 >= 0, "penalties must not be negative");
    if (!log_gamma) return {parameter_cost, variable_cost, nullptr, l1, l2};
    require(log_gamma->shape(0) == n_samples + 1 && log_gamma->shape(1) == 2, "log_gamma must go from 0 to n_samples");
    return {parameter_cost, variable_cost, log_gamma->data()};
}

Sink sink_into(std::vector<std::int64_t>& values) {
    return {&values, [](void* owner, const std::int64_t* added, std::size_t n) {
                auto& to = *static_cast<std::vector<std::int64_t>*>(owner);
                to.insert(to.end(), added, added + n);
            }};
}

using Range = std::pair<std::size_t, std::size_t>;

Out<std::int64_t> associated_pairs(Words words, std::size_t n_samples, Integers ones, In<double, 1> n_log_n, Range rows,
                                   Range columns, double least_ratio, const std::string& instruction_set) {
    const BitRows bits = bit_rows(words, n_samples);
    require(ones.shape(0) == bits.n_rows, "ones must have a count a variable");
    require(n_log_n.shape(0) == n_samples + 1, "n_log_n must go from 0 to n_samples");
    require(least_ratio > 0, "the least ratio must be positive");
    require(rows.first <= rows.second && rows.second <= bits.n_rows, "rows must be within the variables");
    require(columns.first <= columns.second && columns.second <= bits.n_rows, "columns must be within the variables");
    const Tier& tier = find_tier(instruction_set);
    std::vector<std::int64_t> found;
    {
        nb::gil_scoped_release release;
        tier.associated_pairs(bits, ones.data(), n_log_n.data(),
                              {rows.first, rows.second, columns.first, columns.second}, least_ratio,
                              sink_into(found));
    }
    return to_numpy(std::move(found));
}

struct Ratios {
    std::vector<std::int64_t> pairs;
    std::vector<double> ratios;
};

std::tuple<Out<std::int64_t>, Out<double>> associated_tables(Words words, std::size_t n_samples, Range rows,
                                                             Range columns, double parameter_cost,
                                                             double variable_cost, Starts starts, Weights weights,
                                                             Ordered ordered, std::optional<Words> planes, double unit,
                                                             const std::string& instruction_set) {
    const BitRows bits = level_rows(words, n_samples, starts, weights, ordered);
    const std::size_t d = n_variables(bits, starts);
    require(rows.first <= rows.second && rows.second <= d, "rows must be within the variables");
    require(columns.first <= columns.second && columns.second <= d, "columns must be within the variables");
    require(variable_cost >= 0 && parameter_cost >= 0 && variable_cost + parameter_cost > 0,
            "the price of a pair must be positive");
    require(weights.has_value() == planes.has_value(), "weights come with their planes");
    require(!planes || planes->shape(1) == bits.n_words, "planes must be as long as the rows");
    const Planes digits = planes ? Planes{planes->data(), planes->shape(0), unit} : Planes{nullptr, 0, 1.0};
    const Tier& tier = find_tier(instruction_set);
    Ratios found;
    const auto append = [](void* owner, std::int64_t i, std::int64_t j, double ratio) {
        auto& to = *static_cast<Ratios*>(owner);
        to.pairs.insert(to.pairs.end(), {i, j});
        to.ratios.push_back(ratio);
    };
    {
        nb::gil_scoped_release release;
        tier.associated_tables(bits, digits, {rows.first, rows.second, columns.first, columns.second}, parameter_cost,
                               variable_cost, {&found, append});
    }
    return {to_numpy(std::move(found.pairs)), to_numpy(std::move(found.ratios))};
}

std::tuple<Out<double>, Out<double>> toggle_scores(Words words, std::size_t n_samples, Integers targets,
                                                   Integers blanket_starts, Integers blankets, Integers toggle_starts,
                                                   Integers toggles, double parameter_cost, double variable_cost,
                                                   LogGamma log_gamma, double l1, double l2, Starts starts,
                                                   Weights weights, Ordered ordered,
                                                   const std::string& instruction_set) {
    const BitRows bits = level_rows(words, n_samples, starts, weights, ordered);
    const std::size_t n = targets.shape(0), d = n_variables(bits, starts);
    require_variables(targets, d);
    const Lists from = lists(blanket_starts, blankets, n, d);
    const Lists by = lists(toggle_starts, toggles, n, d);
    const Criterion criterion = a_criterion(parameter_cost, variable_cost, log_gamma, l1, l2, n_samples);
    const Tier& tier = find_tier(instruction_set);
    std::vector<double> scores(n), toggled(toggles.shape(0));
    {
        nb::gil_scoped_release release;
        tier.toggle_scores(bits, targets.data(), n, from, by, criterion, scores.data(),
                           toggled.data());
    }
    return {to_numpy(std::move(scores)), to_numpy(std::move(toggled))};
}

std::tuple<Out<std::int64_t>, Out<double>, Out<std::int64_t>, std::int64_t> grow_blankets(
    Words words, std::size_t n_samples, Integers targets, Integers candidate_starts, Integers candidates,
    Integers kept_starts, Integers kept, double parameter_cost, double variable_cost, LogGamma log_gamma, double l1,
    double l2, Starts starts, Weights weights, Ordered ordered, const std::string& instruction_set) {
    const BitRows bits = level_rows(words, n_samples, starts, weights, ordered);
    const std::size_t n = targets.shape(0), d = n_variables(bits, starts);
    require_variables(targets, d);
    const Lists from = lists(candidate_starts, candidates, n, d);
    const Lists start = lists(kept_starts, kept, n, d);
    const Criterion criterion = a_criterion(parameter_cost, variable_cost, log_gamma, l1, l2, n_samples);
    const Tier& tier = find_tier(instruction_set);
    // No blanket has more members than are kept or candidates.
    std::size_t longest = 0;
    for (std::size_t t = 0; t < n; ++t) longest = std::max(longest, from.length(t) + start.length(t));
    std::vector<std::int64_t> blankets, evaluations(longest + 2);
    std::vector<double> scores(n);
    std::int64_t n_bounded = 0;
    {
        nb::gil_scoped_release release;
        tier.grow_blankets(bits, targets.data(), n, from, start, criterion, scores.data(),
                           evaluations.data(), &n_bounded, sink_into(blankets));
    }
    while (evaluations.size() > 1 && evaluations.back() == 0) evaluations.pop_back();
    return {to_numpy(std::move(blankets)), to_numpy(std::move(scores)), to_numpy(std::move(evaluations)), n_bounded};
}

std::tuple<Out<double>, Out<double>, Out<std::uint8_t>> fit_blankets(Words words, std::size_t n_samples, Integers targets,
                                                               Integers blanket_starts, Integers blankets, double l1,
                                                               double l2, Starts starts, Weights weights,
                                                               Ordered ordered, const std::string& instruction_set) {
    const BitRows bits = level_rows(words, n_samples, starts, weights, ordered);
    const std::size_t n = targets.shape(0), d = n_variables(bits, starts);
    require_variables(targets, d);
    const Lists from = lists(blanket_starts, blankets, n, d);
    const Criterion criterion = a_criterion(0.0, 0.0, std::nullopt, l1, l2, n_samples);
    const Tier& tier = find_tier(instruction_set);
    std::size_t size = 0;
    for (std::size_t t = 0; t < n; ++t) {
        const std::size_t target = index_of(targets(t));
        std::size_t n_predictors = 0;
        for (std::size_t k = 0; k < from.length(t); ++k) n_predictors += bits.n_scores(index_of(from.list(t)[k]));
        size += bits.levels(target) - 1 + n_predictors * bits.n_scores(target);
    }
    std::vector<double> objectives(n), coefficients(size);
    std::vector<std::uint8_t> infinite(size);
    {
        nb::gil_scoped_release release;
        tier.fit_blankets(bits, targets.data(), n, from, criterion, objectives.data(), coefficients.data(),
                          infinite.data());
    }
    return {to_numpy(std::move(objectives)), to_numpy(std::move(coefficients)), to_numpy(std::move(infinite))};
}

std::tuple<Out<std::uint8_t>, Out<std::uint8_t>, Out<std::uint32_t>> ising_gibbs(
    Integers neighbour_starts, Integers neighbours, In<double, 1> coupling_odds, In<double, 1> field_odds,
    Integers order, In<std::uint8_t, 1> is_wide, In<std::uint8_t, 2> states, In<std::uint32_t, 2> generators,
    std::size_t burn_in, std::size_t thinning, std::size_t n_draws, const std::string& instruction_set) {
    const std::size_t d = field_odds.shape(0);
    const Lists from = lists(neighbour_starts, neighbours, d, d);
    require(coupling_odds.shape(0) == neighbours.shape(0), "there must be one coupling a neighbour");
    require(order.shape(0) == d && is_wide.shape(0) == d, "order and is_wide must have a value a variable");
    require_variables(order, d);
    require(states.shape(0) == kChains && states.shape(1) == d, "states must have shape (16, n_variables)");
    require(generators.shape(0) == 4 && generators.shape(1) == kChains, "generators must have shape (4, 16)");
    const Tier& tier = find_tier(instruction_set);
    std::vector<std::uint8_t> moved(states.data(), states.data() + states.size()), draws(n_draws * kChains * d);
    std::vector<std::uint32_t> used(generators.data(), generators.data() + generators.size());
    {
        nb::gil_scoped_release release;
        tier.ising_gibbs({d, from, coupling_odds.data(), field_odds.data(), order.data(), is_wide.data()}, moved.data(),
                   used.data(), burn_in, thinning, n_draws, draws.data());
    }
    return {to_numpy(std::move(draws)), to_numpy(std::move(moved)), to_numpy(std::move(used))};
}

static_assert(kLevelsPerVector == 4);

// Factors of every variable, padded: field_starts and factor_starts must leave room for what the sampler reads.
PottsNetwork potts_network(const Lists& neighbours, const In<double, 1>& factors, const Integers& factor_starts,
                           const In<double, 1>& field_factors, const Integers& field_starts, const Integers& n_levels,
                           const Integers& order, const In<std::uint8_t, 1>& is_wide) {
    const std::size_t d = n_levels.shape(0);
    require(order.shape(0) == d && is_wide.shape(0) == d, "order and is_wide must have a value a variable");
    require_variables(order, d);
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

std::tuple<Out<std::uint8_t>, Out<std::uint8_t>, Out<std::uint32_t>> potts_gibbs(
    Integers neighbour_starts, Integers neighbours, In<double, 1> factors, Integers factor_starts,
    In<double, 1> field_factors, Integers field_starts, Integers n_levels, Integers order,
    In<std::uint8_t, 1> is_wide, In<std::uint8_t, 2> states, In<std::uint32_t, 2> generators, std::size_t burn_in,
    std::size_t thinning, std::size_t n_draws, const std::string& instruction_set) {
    const std::size_t d = n_levels.shape(0);
    const Lists from = lists(neighbour_starts, neighbours, d, d);
    require(factor_starts.shape(0) == neighbours.shape(0), "factor_starts must have a value a neighbour");
    const PottsNetwork network =
        potts_network(from, factors, factor_starts, field_factors, field_starts, n_levels, order, is_wide);
    require(states.shape(0) == kChains && states.shape(1) == d, "states must have shape (16, n_variables)");
    for (std::size_t s = 0; s < states.size(); ++s)
        require(states.data()[s] < n_levels(s % d), "states must be level numbers");
    require(generators.shape(0) == 4 && generators.shape(1) == kChains, "generators must have shape (4, 16)");
    const Tier& tier = find_tier(instruction_set);
    std::vector<std::uint8_t> moved(states.data(), states.data() + states.size()), draws(n_draws * kChains * d);
    std::vector<std::uint32_t> used(generators.data(), generators.data() + generators.size());
    {
        nb::gil_scoped_release release;
        tier.potts_gibbs(network, moved.data(), used.data(), burn_in, thinning, n_draws, draws.data());
    }
    return {to_numpy(std::move(draws)), to_numpy(std::move(moved)), to_numpy(std::move(used))};
}

Out<double> independence_tests(Words words, std::size_t n_samples, Integers targets, Integers given_starts,
                               Integers givens, Integers other_starts, Integers others, In<double, 1> log_factorials,
                               Starts starts, Weights weights, const std::string& instruction_set) {
    const BitRows bits = level_rows(words, n_samples, starts, weights);
    const std::size_t n = targets.shape(0), d = n_variables(bits, starts);
    require_variables(targets, d);
    const Lists conditions = lists(given_starts, givens, n, d);
    const Lists tested = lists(other_starts, others, n, d);
    require(log_factorials.shape(0) == n_samples + 4, "log_factorials must go from 0 to n_samples + 3");
    const Tier& tier = find_tier(instruction_set);
    std::vector<double> log_probabilities(others.shape(0));
    {
        nb::gil_scoped_release release;
        tier.independence_tests(bits, targets.data(), n, conditions, tested, log_factorials.data(),
                                log_probabilities.data());
    }
    return to_numpy(std::move(log_probabilities));
}

struct L1Supports {
    std::vector<std::int64_t> variables;
    std::vector<double> slopes;
};

std::tuple<Out<double>, Out<double>, Out<double>, Out<std::int64_t>, Out<std::int64_t>, Out<double>> l1_paths(
    Words words, std::size_t n_samples, Integers targets, Integers candidate_starts, Integers candidates,
    In<double, 1> penalties, In<double, 1> fractions, std::size_t largest_support,
    const std::string& instruction_set) {
    const BitRows bits = bit_rows(words, n_samples);
    const std::size_t n = targets.shape(0), n_fractions = fractions.shape(0);
    require_variables(targets, bits.n_rows);
    const Lists among = lists(candidate_starts, candidates, n, bits.n_rows);
    require(penalties.shape(0) == bits.n_rows, "there must be one penalty a variable");
    for (std::size_t k = 0; k < bits.n_rows; ++k) require(penalties(k) > 0, "penalties must be positive");
    for (std::size_t k = 0; k < n_fractions; ++k)
        require(fractions(k) > 0 && fractions(k) <= (k ? fractions(k - 1) : 1),
                "fractions must fall from 1 towards 0");
    const Tier& tier = find_tier(instruction_set);
    std::vector<double> lambdas(n * n_fractions), intercepts(n * n_fractions), likelihoods(n * n_fractions);
    std::vector<std::int64_t> sizes(n * n_fractions);
    L1Supports supports;
    const auto append = [](void* owner, const std::int64_t* support, const double* slopes, std::size_t size) {
        auto& to = *static_cast<L1Supports*>(owner);
        to.variables.insert(to.variables.end(), support, support + size);
        to.slopes.insert(to.slopes.end(), slopes, slopes + size);
    };
    {
        nb::gil_scoped_release release;
        tier.l1_paths(bits, targets.data(), n, among, penalties.data(), fractions.data(), n_fractions,
                      largest_support, {lambdas.data(), intercepts.data(), likelihoods.data(), sizes.data(), &supports, append});
    }
    return {to_numpy(std::move(lambdas)), to_numpy(std::move(intercepts)), to_numpy(std::move(likelihoods)),
            to_numpy(std::move(sizes)), to_numpy(std::move(supports.variables)), to_numpy(std::move(supports.slopes))};
}

void require_pairs(const In<std::int64_t, 2>& pairs, std::size_t n_variables) {
    require(pairs.shape(1) == 2, "a pair has two variables");
    for (std::size_t k = 0; k < pairs.shape(0); ++k)
        require(pairs(k, 0) >= 0 && pairs(k, 0) < pairs(k, 1) && static_cast<std::size_t>(pairs(k, 1)) < n_variables,
                "pairs must be two row numbers, the lower first");
}

// How many numbers the couplings of all pairs are, one pair after another.
std::size_t n_coupling_numbers(const BitRows& bits, const In<std::int64_t, 2>& pairs) {
    std::size_t n = 0;
    for (std::size_t k = 0; k < pairs.shape(0); ++k) {
        const std::size_t i = index_of(pairs(k, 0)), j = index_of(pairs(k, 1));
        n += bits.n_scores(i) * bits.n_scores(j) == 1 ? 1 : bits.levels(i) * bits.levels(j);
    }
    return n;
}

std::tuple<Out<double>, Out<double>, Out<double>, Out<double>, Out<double>> fit_pairs(
    Words words, std::size_t n_samples, In<std::int64_t, 2> pairs, Integers first_starts, Integers first,
    Integers second_starts, Integers second, double scale, Starts starts, Weights weights, Ordered ordered,
    const std::string& instruction_set) {
    const BitRows bits = level_rows(words, n_samples, starts, weights, ordered);
    const std::size_t n = pairs.shape(0), d = n_variables(bits, starts);
    require_pairs(pairs, d);
    const Lists given_first = lists(first_starts, first, n, d);
    const Lists given_second = lists(second_starts, second, n, d);
    require(scale > 0, "the scale must be positive");
    const Tier& tier = find_tier(instruction_set);
    const std::size_t n_numbers = n_coupling_numbers(bits, pairs);
    std::vector<double> joint(n), apart(n), log_determinants(n), couplings(n_numbers), variances(n_numbers);
    {
        nb::gil_scoped_release release;
        tier.fit_pairs(bits, pairs.data(), n, given_first, given_second, scale,
                       {joint.data(), apart.data(), log_determinants.data(), couplings.data(), variances.data()});
    }
    return {to_numpy(std::move(joint)), to_numpy(std::move(apart)), to_numpy(std::move(log_determinants)),
            to_numpy(std::move(couplings)), to_numpy(std::move(variances))};
}

std::tuple<Out<std::uint8_t>, Out<std::uint32_t>, Out<double>, Out<double>, Out<double>, Out<double>, std::int64_t,
           Out<std::int64_t>>
sample_graphs(Words words, std::size_t n_samples, In<std::int64_t, 2> pairs, In<double, 1> prior_log_odds,
              In<double, 1> bin_log_bayes_factors, In<double, 1> bin_counts, double scale, double density,
              bool learns_density, In<std::uint8_t, 1> present, In<std::uint32_t, 1> generator,
              std::optional<Integers> known, std::size_t n_settling, std::size_t n_sweeps, Starts starts, Weights weights,
              Ordered ordered, const std::string& instruction_set) {
    const BitRows bits = level_rows(words, n_samples, starts, weights, ordered);
    const std::size_t n = pairs.shape(0);
    require_pairs(pairs, n_variables(bits, starts));
    for (std::size_t k = 1; k < n; ++k)
        require(pairs(k - 1, 0) < pairs(k, 0) || (pairs(k - 1, 0) == pairs(k, 0) && pairs(k - 1, 1) < pairs(k, 1)),
                "pairs must ascend");
    require(prior_log_odds.shape(0) == n && present.shape(0) == n, "there must be odds and a state a pair");
    require(bin_counts.shape(0) == bin_log_bayes_factors.shape(0), "there must be one count a bin");
    require(generator.shape(0) == 4, "a generator has four numbers");
    require(scale > 0, "the scale must be positive");
    require(density > 0 && density < 1, "the density must be between 0 and 1");
    const Tier& tier = find_tier(instruction_set);
    std::vector<std::uint8_t> state(present.data(), present.data() + n);
    std::vector<std::uint32_t> random(generator.data(), generator.data() + 4);
    const std::size_t n_numbers = n_coupling_numbers(bits, pairs);
    std::vector<double> densities(n_settling + n_sweeps), probabilities(n), couplings(n_numbers), squares(n_numbers);
    std::vector<std::int64_t> fits;
    const Sink into_fits = sink_into(fits);
    std::int64_t n_fits;
    {
        nb::gil_scoped_release release;
        n_fits = tier.sample_graphs(bits,
                                    {pairs.data(), n, prior_log_odds.data(), bin_log_bayes_factors.data(),
                                     bin_counts.data(), bin_counts.shape(0), scale, density, learns_density,
                                     state.data(), random.data(), known ? known->data() : nullptr,
                                     known ? known->shape(0) : 0},
                                    n_settling, n_sweeps, densities.data(),
                                    {probabilities.data(), couplings.data(), squares.data()},
                                    known ? &into_fits : nullptr);
    }
    return {to_numpy(std::move(state)),         to_numpy(std::move(random)),    to_numpy(std::move(densities)),
            to_numpy(std::move(probabilities)), to_numpy(std::move(couplings)), to_numpy(std::move(squares)), n_fits,
            to_numpy(std::move(fits))};
}

std::pair<std::int64_t, std::int64_t> unsound_variables(Words words, std::size_t n_samples, Starts starts,
                                                        Integers masked, Words masks,
                                                        const std::string& instruction_set) {
    const BitRows bits = level_rows(words, n_samples, starts, std::nullopt);
    const std::size_t d = n_variables(bits, starts);
    require_variables(masked, d);
    for (std::size_t k = 1; k < masked.shape(0); ++k) require(masked(k - 1) < masked(k), "masked must ascend");
    require(masks.shape(0) == masked.shape(0) && masks.shape(1) == bits.n_words, "masks must be as long as the rows");
    const Tier& tier = find_tier(instruction_set);
    std::pair<std::int64_t, std::int64_t> found;
    {
        nb::gil_scoped_release release;
        tier.unsound_variables(bits, d, masked.data(), masked.shape(0), masks.data(), &found.first, &found.second);
    }
    return found;
}

}  // namespace

NB_MODULE(_native, m) {
    using namespace nb::literals;
    m.def("instruction_sets", [] {
        std::vector<std::string> names;
        for (const Tier* tier : tiers()) names.push_back(tier->name);
        return names;
    });
    m.def("associated_pairs", &associated_pairs, "words"_a, "n_samples"_a, "ones"_a, "n_log_n"_a, "rows"_a, "columns"_a,
          "least_ratio"_a, "instruction_set"_a = "");
    m.def("associated_tables", &associated_tables, "words"_a, "n_samples"_a, "rows"_a, "columns"_a, "parameter_cost"_a,
          "variable_cost"_a, "starts"_a.none(), "weights"_a.none(), "ordered"_a.none(), "planes"_a.none(), "unit"_a, "instruction_set"_a = "");
    m.def("toggle_scores", &toggle_scores, "words"_a, "n_samples"_a, "targets"_a, "blanket_starts"_a, "blankets"_a,
          "toggle_starts"_a, "toggles"_a, "parameter_cost"_a, "variable_cost"_a, "log_gamma"_a.none(), "l1"_a, "l2"_a,
          "starts"_a.none(), "weights"_a.none(), "ordered"_a.none(), "instruction_set"_a = "");
    m.def("grow_blankets", &grow_blankets, "words"_a, "n_samples"_a, "targets"_a, "candidate_starts"_a, "candidates"_a,
          "kept_starts"_a, "kept"_a, "parameter_cost"_a, "variable_cost"_a, "log_gamma"_a.none(), "l1"_a, "l2"_a,
          "starts"_a.none(), "weights"_a.none(), "ordered"_a.none(), "instruction_set"_a = "");
    m.def("fit_blankets", &fit_blankets, "words"_a, "n_samples"_a, "targets"_a, "blanket_starts"_a, "blankets"_a,
          "l1"_a, "l2"_a, "starts"_a.none(), "weights"_a.none(), "ordered"_a.none(), "instruction_set"_a = "");
    m.def("ising_gibbs", &ising_gibbs, "neighbour_starts"_a, "neighbours"_a, "coupling_odds"_a, "field_odds"_a, "order"_a,
          "is_wide"_a, "states"_a, "generators"_a, "burn_in"_a, "thinning"_a, "n_draws"_a, "instruction_set"_a = "");
    m.def("potts_gibbs", &potts_gibbs, "neighbour_starts"_a, "neighbours"_a, "factors"_a, "factor_starts"_a,
          "field_factors"_a, "field_starts"_a, "n_levels"_a, "order"_a, "is_wide"_a, "states"_a, "generators"_a,
          "burn_in"_a, "thinning"_a, "n_draws"_a, "instruction_set"_a = "");
    m.def("independence_tests", &independence_tests, "words"_a, "n_samples"_a, "targets"_a, "given_starts"_a,
          "givens"_a, "other_starts"_a, "others"_a, "log_factorials"_a, "starts"_a.none(),
          "weights"_a.none(), "instruction_set"_a = "");
    m.def("l1_paths", &l1_paths, "words"_a, "n_samples"_a, "targets"_a, "candidate_starts"_a, "candidates"_a,
          "penalties"_a, "fractions"_a, "largest_support"_a, "instruction_set"_a = "");
    m.def("fit_pairs", &fit_pairs, "words"_a, "n_samples"_a, "pairs"_a, "first_starts"_a, "first"_a,
          "second_starts"_a, "second"_a, "scale"_a, "starts"_a.none(), "weights"_a.none(), "ordered"_a.none(),
          "instruction_set"_a = "");
    m.def("sample_graphs", &sample_graphs, "words"_a, "n_samples"_a, "pairs"_a, "prior_log_odds"_a,
          "bin_log_bayes_factors"_a, "bin_counts"_a, "scale"_a, "density"_a, "learns_density"_a, "present"_a,
          "generator"_a, "fits"_a.none(), "n_settling"_a, "n_sweeps"_a, "starts"_a.none(), "weights"_a.none(),
          "ordered"_a.none(), "instruction_set"_a = "");
    m.def("unsound_variables", &unsound_variables, "words"_a, "n_samples"_a, "starts"_a.none(), "masked"_a, "masks"_a,
          "instruction_set"_a = "");
}
