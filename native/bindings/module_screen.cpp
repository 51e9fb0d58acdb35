// Bindings of tests of independence: of all pairs of variables, and of pairs given others.
#include "bindings/arguments.hpp"

namespace markhood {
namespace {

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

    TableSink sink() {
        return {this, [](void* owner, std::int64_t i, std::int64_t j, double ratio) {
                    auto& to = *static_cast<Ratios*>(owner);
                    to.pairs.insert(to.pairs.end(), {i, j});
                    to.ratios.push_back(ratio);
                }};
    }
    std::tuple<Out<std::int64_t>, Out<double>> arrays() { return {to_numpy(std::move(pairs)), to_numpy(std::move(ratios))}; }
};

void require_price(double parameter_cost, double variable_cost) {
    require(variable_cost >= 0 && parameter_cost >= 0 && variable_cost + parameter_cost > 0,
            "the price of a pair must be positive");
}

Planes digits_of(const Weights& weights, const std::optional<Words>& planes, double unit, const BitRows& bits) {
    require(weights.has_value() == planes.has_value(), "weights come with their planes");
    require(!planes || planes->shape(1) == bits.n_words, "planes must be as long as the rows");
    return planes ? Planes{planes->data(), planes->shape(0), unit} : Planes{nullptr, 0, 1.0};
}

std::tuple<Out<std::int64_t>, Out<double>> associated_tables(Words words, std::size_t n_samples, Range rows,
                                                             Range columns, double parameter_cost,
                                                             double variable_cost, Starts starts, Weights weights,
                                                             Ordered ordered, std::optional<Words> planes, double unit,
                                                             const std::string& instruction_set) {
    const BitRows bits = level_rows(words, n_samples, starts, weights, ordered);
    const std::size_t d = n_variables(bits, starts);
    require(rows.first <= rows.second && rows.second <= d, "rows must be within the variables");
    require(columns.first <= columns.second && columns.second <= d, "columns must be within the variables");
    require_price(parameter_cost, variable_cost);
    const Planes digits = digits_of(weights, planes, unit, bits);
    const Tier& tier = find_tier(instruction_set);
    Ratios found;
    {
        nb::gil_scoped_release release;
        tier.associated_tables(bits, digits, {rows.first, rows.second, columns.first, columns.second}, parameter_cost,
                               variable_cost, found.sink());
    }
    return found.arrays();
}

std::tuple<Out<std::int64_t>, Out<double>> associated_among(Words words, std::size_t n_samples,
                                                            In<std::int64_t, 2> pairs, double parameter_cost,
                                                            double variable_cost, Starts starts, Weights weights,
                                                            Ordered ordered, std::optional<Words> planes, double unit,
                                                            const std::string& instruction_set) {
    const BitRows bits = level_rows(words, n_samples, starts, weights, ordered);
    require_pairs(pairs, n_variables(bits, starts));
    require_price(parameter_cost, variable_cost);
    const Planes digits = digits_of(weights, planes, unit, bits);
    const Tier& tier = find_tier(instruction_set);
    Ratios found;
    {
        nb::gil_scoped_release release;
        tier.associated_among(bits, digits, pairs.data(), pairs.shape(0), parameter_cost, variable_cost, found.sink());
    }
    return found.arrays();
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

}  // namespace

void bind_screen(nb::module_& m) {
    using namespace nb::literals;
    m.def("associated_pairs", &associated_pairs, "words"_a, "n_samples"_a, "ones"_a, "n_log_n"_a, "rows"_a, "columns"_a,
          "least_ratio"_a, "instruction_set"_a = "");
    m.def("associated_tables", &associated_tables, "words"_a, "n_samples"_a, "rows"_a, "columns"_a, "parameter_cost"_a,
          "variable_cost"_a, "starts"_a.none(), "weights"_a.none(), "ordered"_a.none(), "planes"_a.none(), "unit"_a, "instruction_set"_a = "");
    m.def("associated_among", &associated_among, "words"_a, "n_samples"_a, "pairs"_a, "parameter_cost"_a, "variable_cost"_a,
          "starts"_a.none(), "weights"_a.none(), "ordered"_a.none(), "planes"_a.none(), "unit"_a, "instruction_set"_a = "");
    m.def("independence_tests", &independence_tests, "words"_a, "n_samples"_a, "targets"_a, "given_starts"_a,
          "givens"_a, "other_starts"_a, "others"_a, "log_factorials"_a, "starts"_a.none(),
          "weights"_a.none(), "instruction_set"_a = "");
}

}  // namespace markhood
