// Arguments that several bindings take, and their checks.
//
// Kernels do not check their indices, so everything that they index by is checked here first: an invalid array raises an
// error in Python and never causes a read out of bounds.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "machine/tiers.hpp"

namespace nb = nanobind;

namespace markhood {

template <class T, int Dimensions>
using In = nb::ndarray<const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;
using Words = In<std::uint64_t, 2>;
using Integers = In<std::int64_t, 1>;

// The instruction sets that this build contains and this processor can run, best first.
const std::vector<const Tier*>& tiers();
// One by its name, the best for an empty one.
const Tier& find_tier(const std::string& name);

inline void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

// Runs a loop without the GIL.
template <class Loop>
auto unlocked(Loop loop) {
    nb::gil_scoped_release release;
    return loop();
}

// Calls a kernel of an instruction set without the GIL.
template <class Kernel, class... Arguments>
auto call(Kernel Tier::*kernel, const std::string& instruction_set, const Arguments&... arguments) {
    const Tier& tier = find_tier(instruction_set);
    return unlocked([&] { return (tier.*kernel)(arguments...); });
}

// Columns, (n_reals, n_samples) or (n_variables, n_reals, n_samples); offsets, (n_samples,) or (n_variables, n_samples); groups likewise.
template <class T>
using AnyIn = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
using RealColumns = std::tuple<AnyIn<double>, std::optional<AnyIn<double>>, AnyIn<std::uint32_t>>;
// A weight per sample, their binary digits as rows of bits, and the unit in which these count.
using Weighting = std::tuple<In<double, 1>, Words, double>;

// Packed samples of variables with any number of levels, as `Bits` of kernels/bits.py. It checks its arrays once and
// keeps them alive; they must not be written to afterwards.
class Bits {
  public:
    BitRows rows;
    Planes planes{nullptr, 0, 1.0};
    std::size_t n_variables;

    Bits(Words words, std::size_t n_samples, std::optional<Integers> starts, std::optional<Weighting> weighting,
         std::optional<In<bool, 1>> ordered, std::optional<RealColumns> reals)
        : rows{words.data(), words.shape(0), words.shape(1), n_samples}, n_variables(rows.n_rows), words_(words),
          starts_(starts), weighting_(weighting), ordered_(ordered), reals_(reals) {
        require(rows.n_words % 8 == 0, "rows must be padded to a multiple of 8 words");
        require(n_samples <= 64 * rows.n_words, "rows must hold n_samples bits");
        if (starts) take_starts(*starts);
        if (weighting) {
            const auto& [weights, digits, unit] = *weighting;
            require(weights.shape(0) == n_samples, "there must be one weight per sample");
            require(digits.shape(1) == rows.n_words, "planes must be as long as the rows");
            rows.weights = weights.data();
            planes = {digits.data(), digits.shape(0), unit};
        }
        if (ordered) {
            require(starts && ordered->shape(0) == n_variables, "there must be a kind for each variable with levels");
            rows.ordered = reinterpret_cast<const std::uint8_t*>(ordered->data());
        }
        if (reals) take_reals(*reals);
    }

    BitRows without_reals() const {
        BitRows discrete = rows;
        discrete.reals = {};
        return discrete;
    }

  private:
    void take_starts(const Integers& starts) {
        const std::size_t n = starts.shape(0);
        require(n > 0 && starts(0) == 0 && static_cast<std::size_t>(starts(n - 1)) == rows.n_rows,
                "starts must go from 0 to the number of rows");
        for (std::size_t v = 0; v + 1 < n; ++v)
            require(starts(v) < starts(v + 1) && starts(v + 1) - starts(v) < 65535,
                    "a variable must have from 1 to 65534 rows");
        rows.starts = starts.data();
        n_variables = n - 1;
    }

    void take_reals(const RealColumns& given) {
        const auto& [columns, offsets, groups] = given;
        // Distance between the values of one target and those of the next; 0 where all targets share an array.
        const auto stride = [&](const auto& array, std::size_t n_dimensions) {
            const std::size_t n = array.ndim();
            require(n == n_dimensions || n == n_dimensions + 1,
                    "real columns and offsets must have an array for all targets, or one for each");
            require(array.shape(n - 1) == rows.n_samples, "real columns and offsets must have a number for each sample");
            require(n == n_dimensions || array.shape(0) == n_variables, "there must be real columns for each variable");
            return n == n_dimensions ? 0 : array.size() / (n_variables ? n_variables : 1);
        };
        Reals& reals = rows.reals;
        reals.column_stride = stride(columns, 2);
        reals.offset_stride = offsets ? stride(*offsets, 1) : 0;
        reals.group_stride = stride(groups, 1);
        require(!reals.group_stride == !(reals.column_stride || reals.offset_stride), "groups must be of all targets, or of each");
        for (const auto* numbers : {&columns, offsets ? &*offsets : &columns})
            for (std::size_t k = 0; k < numbers->size(); ++k) require(std::isfinite(numbers->data()[k]), "real columns must be finite");
        for (std::size_t k = 0; k < groups.size(); ++k) {
            require(groups.data()[k] < rows.n_samples, "groups must be numbered from 0");
            reals.n_groups = std::max<std::size_t>(reals.n_groups, groups.data()[k] + 1);
        }
        reals.n = columns.shape(columns.ndim() - 2);
        reals.columns = columns.data();
        reals.offsets = offsets ? offsets->data() : nullptr;
        reals.groups = groups.data();
    }

    Words words_;
    std::optional<Integers> starts_;
    std::optional<Weighting> weighting_;
    std::optional<In<bool, 1>> ordered_;
    std::optional<RealColumns> reals_;
};

// The prices of a score, as `Costs` and `Dirichlet` of kernels/protocol.py; `log_gamma` marks the latter.
class Costs {
  public:
    using LogGamma = std::optional<In<double, 2>>;

    Costs(double parameter, double variable, double l1, double l2, LogGamma log_gamma)
        : criterion_{parameter, variable, log_gamma ? log_gamma->data() : nullptr, l1, l2}, log_gamma_(log_gamma) {
        require(l1 >= 0 && l2 >= 0, "penalties must not be negative");
    }

    Criterion of(const Bits& bits) const {
        if (log_gamma_) {
            require(!bits.rows.reals, "a marginal likelihood has no real columns");
            require(log_gamma_->shape(0) == bits.rows.n_samples + 1 && log_gamma_->shape(1) == 2,
                    "log_gamma must go from 0 to n_samples");
        }
        return criterion_;
    }

    // The same for the screen, which must have something to exceed.
    Criterion of_pairs() const {
        require(criterion_.variable_cost >= 0 && criterion_.parameter_cost >= 0 &&
                    criterion_.variable_cost + criterion_.parameter_cost > 0,
                "the price of a pair must be positive");
        return criterion_;
    }

  private:
    Criterion criterion_;
    LogGamma log_gamma_;
};

// The arrays of `Lists` of kernels/lists.py: starts, values.
using ListArrays = std::pair<Integers, Integers>;

inline void require_variables(const Integers& variables, std::size_t n_variables) {
    for (std::size_t k = 0; k < variables.shape(0); ++k)
        require(variables(k) >= 0 && static_cast<std::size_t>(variables(k)) < n_variables,
                "variables must be row numbers");
}

// Targets of regressions. An offset is on the scale of a step, which a nominal target does not have.
inline void require_targets(const Integers& targets, const Bits& bits) {
    require_variables(targets, bits.n_variables);
    for (std::size_t t = 0; bits.rows.reals.offsets && t < targets.shape(0); ++t)
        require(bits.rows.n_scores(index_of(targets(t))) == 1, "offsets are for targets with two levels or ordered ones");
}

inline Lists lists(const ListArrays& given, std::size_t n_lists, std::size_t n_variables) {
    const auto& [starts, values] = given;
    require(starts.shape(0) == n_lists + 1 && starts(0) == 0, "there must be one list a target");
    for (std::size_t k = 0; k < n_lists; ++k) require(starts(k) <= starts(k + 1), "starts must ascend");
    require(static_cast<std::size_t>(starts(n_lists)) == values.shape(0), "starts must end at the last value");
    require_variables(values, n_variables);
    return {starts.data(), values.data()};
}

template <class T>
Out<T> result(std::vector<T>& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Out<T>(kept->data(), {kept->size()}, owner);
}
inline std::int64_t result(std::int64_t value) { return value; }

// What a kernel has found, as Python gets it: vectors become arrays.
template <class... T>
auto results(T&... found) {
    return std::make_tuple(result(found)...);
}

inline Sink sink_into(std::vector<std::int64_t>& values) {
    return {&values, [](void* owner, const std::int64_t* added, std::size_t n) {
                auto& to = *static_cast<std::vector<std::int64_t>*>(owner);
                to.insert(to.end(), added, added + n);
            }};
}

inline void require_pairs(const In<std::int64_t, 2>& pairs, std::size_t n_variables) {
    require(pairs.shape(1) == 2, "a pair has two variables");
    for (std::size_t k = 0; k < pairs.shape(0); ++k)
        require(pairs(k, 0) >= 0 && pairs(k, 0) < pairs(k, 1) && static_cast<std::size_t>(pairs(k, 1)) < n_variables,
                "pairs must be two row numbers, the lower first");
}

}  // namespace markhood
