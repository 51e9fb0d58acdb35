// What all bindings share: the arrays that they take and give, and the checks of them.
//
// A kernel indexes by what it is given, so everything that it relies on is checked here first; arrays that are not as they
// should be are an error in Python and never a read out of bounds.
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

inline BitRows bit_rows(const Words& words, std::size_t n_samples) {
    require(words.shape(1) % 8 == 0, "rows must be padded to a multiple of 8 words");
    require(n_samples <= 64 * words.shape(1), "rows must hold n_samples bits");
    return {words.data(), words.shape(0), words.shape(1), n_samples};
}

using Starts = std::optional<Integers>;
using Weights = std::optional<In<double, 1>>;
using Ordered = std::optional<In<std::uint8_t, 1>>;

// Columns, (n_reals, n_samples) or (n_variables, n_reals, n_samples); offsets, (n_samples,) or (n_variables, n_samples); groups likewise.
template <class T>
using AnyIn = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
using RealColumns = std::optional<std::tuple<AnyIn<double>, std::optional<AnyIn<double>>, AnyIn<std::uint32_t>>>;

inline Reals real_columns(const RealColumns& given, std::size_t n_samples, std::size_t n_variables) {
    if (!given) return {};
    const auto& [columns, offsets, groups] = *given;
    // How far an array's part of one target is from that of the next: its own number of dimensions, or one more.
    const auto stride = [&](const auto& array, std::size_t n_dimensions) {
        const std::size_t n = array.ndim();
        require(n == n_dimensions || n == n_dimensions + 1, "real columns and offsets must have an array for all targets, or one for each");
        require(array.shape(n - 1) == n_samples, "real columns and offsets must have a number for each sample");
        require(n == n_dimensions || array.shape(0) == n_variables, "there must be real columns for each variable");
        return n == n_dimensions ? 0 : array.size() / (n_variables ? n_variables : 1);
    };
    Reals reals;
    reals.column_stride = stride(columns, 2);
    reals.offset_stride = offsets ? stride(*offsets, 1) : 0;
    reals.group_stride = stride(groups, 1);
    require(!reals.group_stride == !(reals.column_stride || reals.offset_stride), "groups must be of all targets, or of each");
    for (const auto* numbers : {&columns, offsets ? &*offsets : &columns})
        for (std::size_t k = 0; k < numbers->size(); ++k) require(std::isfinite(numbers->data()[k]), "real columns must be finite");
    for (std::size_t k = 0; k < groups.size(); ++k) {
        require(groups.data()[k] < n_samples, "groups must be numbered from 0");
        reals.n_groups = std::max<std::size_t>(reals.n_groups, groups.data()[k] + 1);
    }
    reals.n = columns.shape(columns.ndim() - 2);
    reals.columns = columns.data();
    reals.offsets = offsets ? offsets->data() : nullptr;
    reals.groups = groups.data();
    return reals;
}

// Rows of variables of any number of levels, and samples of any weights.
inline BitRows level_rows(const Words& words, std::size_t n_samples, const Starts& starts, const Weights& weights,
                   const Ordered& ordered = std::nullopt, const RealColumns& reals = std::nullopt) {
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
    bits.reals = real_columns(reals, n_samples, starts ? starts->shape(0) - 1 : bits.n_rows);
    return bits;
}

inline std::size_t n_variables(const BitRows& bits, const Starts& starts) {
    return starts ? starts->shape(0) - 1 : bits.n_rows;
}

// Offsets are on the scale of a step, which a nominal target has not.
inline void require_steps(const BitRows& bits, const Integers& targets) {
    for (std::size_t t = 0; bits.reals.offsets && t < targets.shape(0); ++t)
        require(bits.n_scores(index_of(targets(t))) == 1, "offsets are for targets with two levels or ordered ones");
}

inline void require_variables(const Integers& variables, std::size_t n_variables) {
    for (std::size_t k = 0; k < variables.shape(0); ++k)
        require(variables(k) >= 0 && static_cast<std::size_t>(variables(k)) < n_variables,
                "variables must be row numbers");
}

inline Lists lists(const Integers& starts, const Integers& values, std::size_t n_lists, std::size_t n_variables) {
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
