// Bindings of tests of independence: of all pairs of variables, and of pairs given others.
#include "bindings/arguments.hpp"

namespace markhood {
namespace {

using Range = std::pair<std::size_t, std::size_t>;

Tile tile_of(Range rows, Range columns, std::size_t n_variables) {
    require(rows.first <= rows.second && rows.second <= n_variables, "rows must be within the variables");
    require(columns.first <= columns.second && columns.second <= n_variables, "columns must be within the variables");
    return {rows.first, rows.second, columns.first, columns.second};
}

Out<std::int64_t> associated_pairs(const Bits& bits, Integers ones, In<double, 1> n_log_n, Range rows, Range columns,
                                   double least_ratio, const std::string& instruction_set) {
    require(ones.shape(0) == bits.rows.n_rows, "ones must have a count per variable");
    require(n_log_n.shape(0) == bits.rows.n_samples + 1, "n_log_n must go from 0 to n_samples");
    require(least_ratio > 0, "the least ratio must be positive");
    const Tile tile = tile_of(rows, columns, bits.rows.n_rows);
    std::vector<std::int64_t> found;
    call(&Tier::associated_pairs, instruction_set, bits.rows, ones.data(), n_log_n.data(), tile, least_ratio, sink_into(found));
    return result(found);
}

struct Ratios {
    std::vector<std::int64_t> pairs;
    std::vector<double> ratios;

    TableSink sink() {
        return {this, [](void* owner, std::int64_t i, std::int64_t j, double ratio) {
                    auto& to = *static_cast<Ratios*>(owner);
                    to.pairs.insert(to.pairs.end(), {i, j});
                    to.ratios.push_back(ratio);
                }};
    }
};

auto associated_tables(const Bits& bits, Range rows, Range columns, const Costs& costs, const std::string& instruction_set) {
    const Tile tile = tile_of(rows, columns, bits.n_variables);
    Ratios found;
    call(&Tier::associated_tables, instruction_set, bits.without_reals(), bits.planes, tile, costs.of_pairs(), found.sink());
    return results(found.pairs, found.ratios);
}

auto associated_among(const Bits& bits, In<std::int64_t, 2> pairs, const Costs& costs, const std::string& instruction_set) {
    require_pairs(pairs, bits.n_variables);
    Ratios found;
    call(&Tier::associated_among, instruction_set, bits.without_reals(), bits.planes, pairs.data(), pairs.shape(0),
         costs.of_pairs(), found.sink());
    return results(found.pairs, found.ratios);
}

auto associated_residuals(const Bits& bits, Range rows, Range columns, In<double, 2> means, In<double, 2> variances, double least,
                          double least_variance, const std::string& instruction_set) {
    require(!bits.rows.starts, "variables must be binary");
    const std::size_t n = means.shape(0);
    require(n <= bits.n_variables && variances.shape(0) == n, "means and variances must be those of the first variables");
    require(least > 0 && least_variance > 0, "the least statistic and variance must be positive");
    Ratios found;
    call(&Tier::associated_residuals, instruction_set, bits.without_reals(), bits.planes, tile_of(rows, columns, n),
         ShortVectors{means.data(), means.shape(1)}, ShortVectors{variances.data(), variances.shape(1)}, least, least_variance,
         found.sink());
    return results(found.pairs, found.ratios);
}

Out<double> independence_tests(const Bits& bits, Integers targets, ListArrays givens, ListArrays others,
                               In<double, 1> log_factorials, const std::string& instruction_set) {
    const std::size_t n = targets.shape(0);
    require_variables(targets, bits.n_variables);
    const Lists conditions = lists(givens, n, bits.n_variables), tested = lists(others, n, bits.n_variables);
    require(log_factorials.shape(0) == bits.rows.n_samples + 4, "log_factorials must go from 0 to n_samples + 3");
    std::vector<double> log_probabilities(others.second.shape(0));
    call(&Tier::independence_tests, instruction_set, bits.without_reals(), targets.data(), n, conditions, tested,
         log_factorials.data(), log_probabilities.data());
    return result(log_probabilities);
}

}  // namespace

void bind_screen(nb::module_& m) {
    m.def("associated_pairs", &associated_pairs);
    m.def("associated_tables", &associated_tables);
    m.def("associated_among", &associated_among);
    m.def("associated_residuals", &associated_residuals);
    m.def("independence_tests", &independence_tests);
}

}  // namespace markhood
