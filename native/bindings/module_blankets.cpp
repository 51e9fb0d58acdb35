// Bindings of regressions of a variable on others: scores and fits of blankets, their growth, the climb over graphs, L1 paths.
#include <algorithm>
#include <functional>

#include "bindings/arguments.hpp"

namespace markhood {
namespace {

using LogGamma = std::optional<In<double, 2>>;

Criterion a_criterion(double parameter_cost, double variable_cost, const LogGamma& log_gamma, double l1, double l2,
                      const BitRows& bits) {
    const std::size_t n_samples = bits.n_samples;
    require(l1 >= 0 && l2 >= 0, "penalties must not be negative");
    if (!log_gamma) return {parameter_cost, variable_cost, nullptr, l1, l2};
    require(!bits.reals, "a marginal likelihood has no real columns");
    require(log_gamma->shape(0) == n_samples + 1 && log_gamma->shape(1) == 2, "log_gamma must go from 0 to n_samples");
    return {parameter_cost, variable_cost, log_gamma->data()};
}

std::tuple<Out<double>, Out<double>> toggle_scores(Words words, std::size_t n_samples, Integers targets,
                                                   Integers blanket_starts, Integers blankets, Integers toggle_starts,
                                                   Integers toggles, double parameter_cost, double variable_cost,
                                                   LogGamma log_gamma, double l1, double l2, Starts starts,
                                                   Weights weights, Ordered ordered, RealColumns reals,
                                                   const std::string& instruction_set) {
    const BitRows bits = level_rows(words, n_samples, starts, weights, ordered, reals);
    const std::size_t n = targets.shape(0), d = n_variables(bits, starts);
    require_variables(targets, d);
    require_steps(bits, targets);
    const Lists from = lists(blanket_starts, blankets, n, d);
    const Lists by = lists(toggle_starts, toggles, n, d);
    const Criterion criterion = a_criterion(parameter_cost, variable_cost, log_gamma, l1, l2, bits);
    const Tier& tier = find_tier(instruction_set);
    std::vector<double> scores(n), toggled(toggles.shape(0));
    {
        nb::gil_scoped_release release;
        tier.toggle_scores(bits, targets.data(), n, from, by, criterion, scores.data(),
                           toggled.data());
    }
    return {to_numpy(std::move(scores)), to_numpy(std::move(toggled))};
}

std::tuple<Out<std::int64_t>, Out<std::int64_t>, Out<double>, Out<std::int64_t>, std::int64_t, Out<std::int64_t>> grow_blankets(
    Words words, std::size_t n_samples, Integers targets, Integers candidate_starts, Integers candidates,
    Integers kept_starts, Integers kept, double parameter_cost, double variable_cost, LogGamma log_gamma, double l1,
    double l2, Starts starts, Weights weights, Ordered ordered, RealColumns reals, const std::string& instruction_set) {
    const BitRows bits = level_rows(words, n_samples, starts, weights, ordered, reals);
    const std::size_t n = targets.shape(0), d = n_variables(bits, starts);
    require_variables(targets, d);
    require_steps(bits, targets);
    const Lists from = lists(candidate_starts, candidates, n, d);
    const Lists start = lists(kept_starts, kept, n, d);
    const Criterion criterion = a_criterion(parameter_cost, variable_cost, log_gamma, l1, l2, bits);
    const Tier& tier = find_tier(instruction_set);
    // No blanket has more members than are kept or candidates.
    std::size_t longest = 0;
    for (std::size_t t = 0; t < n; ++t) longest = std::max(longest, from.length(t) + start.length(t));
    std::vector<std::int64_t> blankets, evaluations(longest + 2), not_converged(n);
    std::vector<double> scores(n);
    std::int64_t n_bounded = 0;
    {
        nb::gil_scoped_release release;
        tier.grow_blankets(bits, targets.data(), n, from, start, criterion, scores.data(),
                           evaluations.data(), &n_bounded, not_converged.data(), sink_into(blankets));
    }
    while (evaluations.size() > 1 && evaluations.back() == 0) evaluations.pop_back();
    // A blanket came as its length and then its members.
    std::vector<std::int64_t> list_starts{0}, members;
    for (auto at = blankets.begin(); at != blankets.end(); at += 1 + *at) {
        members.insert(members.end(), at + 1, at + 1 + *at);
        list_starts.push_back(static_cast<std::int64_t>(members.size()));
    }
    return {to_numpy(std::move(list_starts)), to_numpy(std::move(members)), to_numpy(std::move(scores)),
            to_numpy(std::move(evaluations)), n_bounded, to_numpy(std::move(not_converged))};
}

// Edges as both their ends have them: of every place in the lists of partners whose it is, and the place at the other end, or
// the same place where the edge leads out of the group.
struct BothEnds {
    std::vector<std::size_t> owners, mirrors;

    BothEnds(const Integers& group_starts, const Integers& variables, const Lists& blankets, const Lists& partners,
             std::size_t n_places)
        : owners(n_places), mirrors(n_places) {
        for (std::size_t g = 0; g + 1 < group_starts.shape(0); ++g) {
            const std::int64_t* first = variables.data() + group_starts(g);
            const std::int64_t* last = variables.data() + group_starts(g + 1);
            require_ascending(first, last);
            for (const std::int64_t* v = first; v != last; ++v) {
                const auto owner = static_cast<std::size_t>(v - variables.data());
                require_ascending(blankets.list(owner), blankets.list(owner + 1));
                require_ascending(partners.list(owner), partners.list(owner + 1));
                for (const std::int64_t* p = partners.list(owner); p != partners.list(owner + 1); ++p) {
                    require(*p != *v, "no variable is its own partner");
                    const std::int64_t *other = std::lower_bound(first, last, *p), *mirror = p;
                    if (other != last && *other == *p) {
                        const auto mirror_owner = static_cast<std::size_t>(other - variables.data());
                        const std::int64_t* end = partners.list(mirror_owner + 1);
                        mirror = std::lower_bound(partners.list(mirror_owner), end, *v);
                        require(mirror != end && *mirror == *v && contains(blankets, owner, *p) == contains(blankets, mirror_owner, *v),
                                "both ends of an edge must know of it");
                    }
                    owners[static_cast<std::size_t>(p - partners.values)] = owner;
                    mirrors[static_cast<std::size_t>(p - partners.values)] = static_cast<std::size_t>(mirror - partners.values);
                }
            }
        }
    }

  private:
    static bool contains(const Lists& lists, std::size_t k, std::int64_t variable) {
        return std::binary_search(lists.list(k), lists.list(k + 1), variable);
    }
    static void require_ascending(const std::int64_t* first, const std::int64_t* last) {
        require(std::adjacent_find(first, last, std::greater_equal<>()) == last, "lists must ascend");
    }
};

std::tuple<Out<std::uint8_t>, Out<double>, Out<std::int64_t>, Out<std::int64_t>, Out<std::int64_t>> climb_groups(
    Words words, std::size_t n_samples, Integers group_starts, Integers variables, Integers blanket_starts,
    Integers blankets, Integers partner_starts, Integers partners, In<double, 1> changes, double parameter_cost,
    double variable_cost, LogGamma log_gamma, double l1, double l2, Starts starts, Weights weights, Ordered ordered, RealColumns reals,
    const std::string& instruction_set) {
    const BitRows bits = level_rows(words, n_samples, starts, weights, ordered, reals);
    const std::size_t n = variables.shape(0), d = n_variables(bits, starts), n_places = partners.shape(0);
    require(group_starts.shape(0) > 0, "group_starts must not be empty");
    const std::size_t n_groups = group_starts.shape(0) - 1;
    lists(group_starts, variables, n_groups, d);
    require_steps(bits, variables);
    const Lists from = lists(blanket_starts, blankets, n, d);
    const Lists by = lists(partner_starts, partners, n, d);
    require(changes.shape(0) == n_places, "there must be one change a partner");
    const BothEnds ends(group_starts, variables, from, by, n_places);
    const Criterion criterion = a_criterion(parameter_cost, variable_cost, log_gamma, l1, l2, bits);
    const Tier& tier = find_tier(instruction_set);
    std::vector<std::int64_t> evaluation_starts(n_groups + 1);
    for (std::size_t g = 0; g < n_groups; ++g) {
        std::size_t longest = 0;  // no blanket has more members than it had and may get
        for (std::size_t t = index_of(group_starts(g)); t < index_of(group_starts(g + 1)); ++t)
            longest = std::max(longest, from.length(t) + by.length(t));
        evaluation_starts[g + 1] = evaluation_starts[g] + static_cast<std::int64_t>(longest) + 1;
    }
    std::vector<std::int64_t> evaluations(index_of(evaluation_starts[n_groups])), not_converged(n);
    std::vector<std::uint8_t> present(n_places);
    std::vector<double> highest(n_places);
    {
        nb::gil_scoped_release release;
        tier.climb_groups(bits, {variables.data(), group_starts.data(), n_groups, from, by, ends.owners.data(),
                                 ends.mirrors.data(), changes.data()},
                          criterion, {present.data(), highest.data(), evaluations.data(), evaluation_starts.data(),
                                      not_converged.data()});
    }
    return {to_numpy(std::move(present)), to_numpy(std::move(highest)), to_numpy(std::move(not_converged)),
            to_numpy(std::move(evaluation_starts)), to_numpy(std::move(evaluations))};
}

std::tuple<Out<double>, Out<double>, Out<std::uint8_t>, Out<std::uint8_t>> fit_blankets(Words words, std::size_t n_samples, Integers targets,
                                                               Integers blanket_starts, Integers blankets, double l1,
                                                               double l2, Starts starts, Weights weights,
                                                               Ordered ordered, RealColumns reals,
                                                               const std::string& instruction_set) {
    const BitRows bits = level_rows(words, n_samples, starts, weights, ordered, reals);
    const std::size_t n = targets.shape(0), d = n_variables(bits, starts);
    require_variables(targets, d);
    require_steps(bits, targets);
    const Lists from = lists(blanket_starts, blankets, n, d);
    const Criterion criterion = a_criterion(0.0, 0.0, std::nullopt, l1, l2, bits);
    const Tier& tier = find_tier(instruction_set);
    std::size_t size = 0;
    for (std::size_t t = 0; t < n; ++t) {
        const std::size_t target = index_of(targets(t));
        std::size_t n_predictors = bits.reals.n;
        for (std::size_t k = 0; k < from.length(t); ++k) n_predictors += bits.n_scores(index_of(from.list(t)[k]));
        size += bits.levels(target) - 1 + n_predictors * bits.n_scores(target);
    }
    std::vector<double> objectives(n), coefficients(size);
    std::vector<std::uint8_t> infinite(size), statuses(n);
    {
        nb::gil_scoped_release release;
        tier.fit_blankets(bits, targets.data(), n, from, criterion, objectives.data(), coefficients.data(),
                          infinite.data(), statuses.data());
    }
    return {to_numpy(std::move(objectives)), to_numpy(std::move(coefficients)), to_numpy(std::move(infinite)),
            to_numpy(std::move(statuses))};
}

struct L1Supports {
    std::vector<std::int64_t> variables;
    std::vector<double> slopes;
};

std::tuple<Out<double>, Out<double>, Out<double>, Out<std::uint8_t>, Out<std::int64_t>, Out<std::int64_t>, Out<double>> l1_paths(
    Words words, std::size_t n_samples, Integers targets, Integers candidate_starts, Integers candidates,
    In<double, 1> penalties, In<double, 1> fractions, std::size_t largest_support, std::size_t most_steps,
    const std::string& instruction_set) {
    const BitRows bits = bit_rows(words, n_samples);
    const std::size_t n = targets.shape(0), n_fractions = fractions.shape(0);
    require_variables(targets, bits.n_rows);
    const Lists among = lists(candidate_starts, candidates, n, bits.n_rows);
    require(penalties.shape(0) == bits.n_rows, "there must be one penalty a variable");
    for (std::size_t k = 0; k < bits.n_rows; ++k) require(penalties(k) >= 0, "penalties must not be negative");
    for (std::size_t k = 0; k < n_fractions; ++k)
        require(fractions(k) > 0 && fractions(k) <= (k ? fractions(k - 1) : 1),
                "fractions must fall from 1 towards 0");
    const Tier& tier = find_tier(instruction_set);
    std::vector<double> lambdas(n * n_fractions), intercepts(n * n_fractions), likelihoods(n * n_fractions);
    std::vector<std::int64_t> sizes(n * n_fractions);
    std::vector<std::uint8_t> converged(n);
    L1Supports supports;
    const auto append = [](void* owner, const std::int64_t* support, const double* slopes, std::size_t size) {
        auto& to = *static_cast<L1Supports*>(owner);
        to.variables.insert(to.variables.end(), support, support + size);
        to.slopes.insert(to.slopes.end(), slopes, slopes + size);
    };
    {
        nb::gil_scoped_release release;
        tier.l1_paths(bits, targets.data(), n, among, penalties.data(), fractions.data(), n_fractions,
                      largest_support, most_steps,
                      {lambdas.data(), intercepts.data(), likelihoods.data(), sizes.data(), converged.data(), &supports, append});
    }
    return {to_numpy(std::move(lambdas)), to_numpy(std::move(intercepts)), to_numpy(std::move(likelihoods)),
            to_numpy(std::move(converged)), to_numpy(std::move(sizes)), to_numpy(std::move(supports.variables)), to_numpy(std::move(supports.slopes))};
}

}  // namespace

void bind_blankets(nb::module_& m) {
    using namespace nb::literals;
    m.def("toggle_scores", &toggle_scores, "words"_a, "n_samples"_a, "targets"_a, "blanket_starts"_a, "blankets"_a,
          "toggle_starts"_a, "toggles"_a, "parameter_cost"_a, "variable_cost"_a, "log_gamma"_a.none(), "l1"_a, "l2"_a,
          "starts"_a.none(), "weights"_a.none(), "ordered"_a.none(), "reals"_a.none(), "instruction_set"_a = "");
    m.def("grow_blankets", &grow_blankets, "words"_a, "n_samples"_a, "targets"_a, "candidate_starts"_a, "candidates"_a,
          "kept_starts"_a, "kept"_a, "parameter_cost"_a, "variable_cost"_a, "log_gamma"_a.none(), "l1"_a, "l2"_a,
          "starts"_a.none(), "weights"_a.none(), "ordered"_a.none(), "reals"_a.none(), "instruction_set"_a = "");
    m.def("climb_groups", &climb_groups, "words"_a, "n_samples"_a, "group_starts"_a, "variables"_a,
          "blanket_starts"_a, "blankets"_a, "partner_starts"_a, "partners"_a, "changes"_a, "parameter_cost"_a,
          "variable_cost"_a, "log_gamma"_a.none(), "l1"_a, "l2"_a, "starts"_a.none(), "weights"_a.none(),
          "ordered"_a.none(), "reals"_a.none(), "instruction_set"_a = "");
    m.def("fit_blankets", &fit_blankets, "words"_a, "n_samples"_a, "targets"_a, "blanket_starts"_a, "blankets"_a,
          "l1"_a, "l2"_a, "starts"_a.none(), "weights"_a.none(), "ordered"_a.none(), "reals"_a.none(), "instruction_set"_a = "");
    m.def("l1_paths", &l1_paths, "words"_a, "n_samples"_a, "targets"_a, "candidate_starts"_a, "candidates"_a,
          "penalties"_a, "fractions"_a, "largest_support"_a, "most_steps"_a, "instruction_set"_a = "");
}

}  // namespace markhood
