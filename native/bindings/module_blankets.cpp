// Bindings of regressions of a variable on others: scores and fits of blankets, their growth, the climb over graphs, L1 paths.
#include <algorithm>
#include <functional>

#include "bindings/arguments.hpp"

namespace markhood {
namespace {

auto toggle_scores(const Bits& bits, Integers targets, ListArrays blankets, ListArrays toggles, const Costs& costs,
                   const std::string& instruction_set) {
    const std::size_t n = targets.shape(0);
    require_targets(targets, bits);
    const Lists from = lists(blankets, n, bits.n_variables), by = lists(toggles, n, bits.n_variables);
    const Criterion criterion = costs.of(bits);
    std::vector<double> scores(n), toggled(toggles.second.shape(0));
    call(&Tier::toggle_scores, instruction_set, bits.rows, targets.data(), n, from, by, criterion, scores.data(), toggled.data());
    return results(scores, toggled);
}

// The most members that a blanket of some targets can have: those in either list.
std::size_t most_members(const Lists& one, const Lists& other, std::size_t first, std::size_t last) {
    std::size_t most = 0;
    for (std::size_t t = first; t < last; ++t) most = std::max(most, one.length(t) + other.length(t));
    return most;
}

auto grow_blankets(const Bits& bits, Integers targets, ListArrays candidates, ListArrays kept, const Costs& costs,
                   const std::string& instruction_set) {
    const std::size_t n = targets.shape(0);
    require_targets(targets, bits);
    const Lists from = lists(candidates, n, bits.n_variables), start = lists(kept, n, bits.n_variables);
    const Criterion criterion = costs.of(bits);
    std::vector<std::int64_t> blankets, evaluations(most_members(from, start, 0, n) + 2), not_converged(n);
    std::vector<double> scores(n);
    std::int64_t n_bounded = 0;
    call(&Tier::grow_blankets, instruction_set, bits.rows, targets.data(), n, from, start, criterion, scores.data(),
         evaluations.data(), &n_bounded, not_converged.data(), sink_into(blankets));
    while (evaluations.size() > 1 && evaluations.back() == 0) evaluations.pop_back();
    // The kernel appends the length of each blanket, then its members.
    std::vector<std::int64_t> list_starts{0}, members;
    for (auto at = blankets.begin(); at != blankets.end(); at += 1 + *at) {
        members.insert(members.end(), at + 1, at + 1 + *at);
        list_starts.push_back(static_cast<std::int64_t>(members.size()));
    }
    return results(list_starts, members, scores, evaluations, n_bounded, not_converged);
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
                                "both ends of an edge must list it");
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

auto climb_groups(const Bits& bits, ListArrays groups, ListArrays blankets, ListArrays partners, In<double, 1> changes,
                  const Costs& costs, const std::string& instruction_set) {
    const auto& [group_starts, variables] = groups;
    const std::size_t n = variables.shape(0), n_places = partners.second.shape(0);
    require(group_starts.shape(0) > 0, "group_starts must not be empty");
    const std::size_t n_groups = group_starts.shape(0) - 1;
    lists(groups, n_groups, bits.n_variables);
    require_targets(variables, bits);
    const Lists from = lists(blankets, n, bits.n_variables), by = lists(partners, n, bits.n_variables);
    require(changes.shape(0) == n_places, "there must be one change per partner");
    const BothEnds ends(group_starts, variables, from, by, n_places);
    const Criterion criterion = costs.of(bits);
    std::vector<std::int64_t> evaluation_starts(n_groups + 1);
    for (std::size_t g = 0; g < n_groups; ++g)
        evaluation_starts[g + 1] = evaluation_starts[g] + 1 + static_cast<std::int64_t>(
            most_members(from, by, index_of(group_starts(g)), index_of(group_starts(g + 1))));
    std::vector<std::int64_t> evaluations(index_of(evaluation_starts[n_groups])), not_converged(n);
    std::vector<std::uint8_t> present(n_places);
    std::vector<double> highest(n_places), last(changes.data(), changes.data() + n_places), gained(n);
    const ClimbSpace space{variables.data(), group_starts.data(), n_groups, from, by, ends.owners.data(), ends.mirrors.data()};
    const ClimbEnd end{last.data(), gained.data(), present.data(), highest.data(), evaluations.data(), evaluation_starts.data(), not_converged.data()};
    call(&Tier::climb_groups, instruction_set, bits.rows, space, criterion, end);
    return results(present, last, highest, gained, not_converged, evaluation_starts, evaluations);
}

auto fit_blankets(const Bits& bits, Integers targets, ListArrays blankets, const Costs& costs,
                  const std::string& instruction_set) {
    const std::size_t n = targets.shape(0);
    require_targets(targets, bits);
    const Lists from = lists(blankets, n, bits.n_variables);
    const Criterion criterion = costs.of(bits);
    std::size_t size = 0;
    for (std::size_t t = 0; t < n; ++t) {
        const std::size_t target = index_of(targets(t));
        std::size_t n_predictors = bits.rows.reals.n;
        for (std::size_t k = 0; k < from.length(t); ++k) n_predictors += bits.rows.n_scores(index_of(from.list(t)[k]));
        size += bits.rows.levels(target) - 1 + n_predictors * bits.rows.n_scores(target);
    }
    std::vector<double> objectives(n), coefficients(size);
    std::vector<std::uint8_t> infinite(size), statuses(n);
    call(&Tier::fit_blankets, instruction_set, bits.rows, targets.data(), n, from, criterion, objectives.data(),
         coefficients.data(), infinite.data(), statuses.data());
    return results(objectives, coefficients, infinite, statuses);
}

auto l1_paths(const Bits& bits, Integers targets, ListArrays candidates, In<double, 1> penalties, In<double, 1> fractions,
              std::size_t largest_support, std::size_t most_steps, const std::string& instruction_set) {
    const std::size_t n = targets.shape(0), n_fractions = fractions.shape(0);
    require(!bits.rows.starts && !bits.rows.weights, "paths are of binary variables without weights");
    require(!bits.rows.reals.offsets, "paths have no offsets");
    require_variables(targets, bits.n_variables);
    const Lists among = lists(candidates, n, bits.n_variables);
    require(penalties.shape(0) == bits.n_variables, "there must be one penalty per variable");
    for (std::size_t k = 0; k < bits.n_variables; ++k) require(penalties(k) >= 0, "penalties must not be negative");
    for (std::size_t k = 0; k < n_fractions; ++k)
        require(fractions(k) > 0 && fractions(k) <= (k ? fractions(k - 1) : 1),
                "fractions must fall from 1 towards 0");
    std::vector<double> lambdas(n * n_fractions), intercepts(n * n_fractions), likelihoods(n * n_fractions);
    std::vector<std::int64_t> sizes(n * n_fractions);
    std::vector<std::uint8_t> converged(n);
    struct Supports {
        std::vector<std::int64_t> variables;
        std::vector<double> slopes;
    } supports;
    const auto append = [](void* owner, const std::int64_t* variables, const double* slopes, std::size_t size) {
        auto& to = *static_cast<Supports*>(owner);
        to.variables.insert(to.variables.end(), variables, variables + size);
        to.slopes.insert(to.slopes.end(), slopes, slopes + size);
    };
    const L1Fits fits{lambdas.data(), intercepts.data(), likelihoods.data(), sizes.data(), converged.data(), {&supports, append}};
    call(&Tier::l1_paths, instruction_set, bits.rows, targets.data(), n, among, penalties.data(), fractions.data(), n_fractions,
         largest_support, most_steps, fits);
    return results(lambdas, intercepts, likelihoods, converged, sizes, supports.variables, supports.slopes);
}

}  // namespace

void bind_blankets(nb::module_& m) {
    m.def("toggle_scores", &toggle_scores);
    m.def("grow_blankets", &grow_blankets);
    m.def("climb_groups", &climb_groups);
    m.def("fit_blankets", &fit_blankets);
    m.def("l1_paths", &l1_paths);
}

}  // namespace markhood
