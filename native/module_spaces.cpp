// Bindings of what is near in a graph.
//
// No bits are counted here, so there is one function for all processors; but it is called for every few variables, and made of sparse
// products in Python it kept the threads of a search waiting for the interpreter.
#include <algorithm>

#include "arguments.hpp"

namespace markhood {
namespace {

// The graph is too large to be checked at every call, so steps are checked as they are taken.
class Walk {
  public:
    Walk(const Integers& starts, const Integers& neighbours)
        : starts_(starts), neighbours_(neighbours), n_variables_(starts.shape(0) - 1), seen_(n_variables_) {}

    // All within some steps of a variable, ascending, without itself; they stay until the next call.
    const std::vector<std::int64_t>& from(std::int64_t variable, std::size_t depth) {
        for (const std::int64_t v : reached_) seen_[index_of(v)] = false;
        reached_.clear();
        seen_[index_of(variable)] = true;
        take_steps(variable);
        for (std::size_t step = 1, done = 0; step < depth && done < reached_.size(); ++step) {
            const std::size_t end = reached_.size();
            for (; done < end; ++done) take_steps(reached_[done]);
        }
        seen_[index_of(variable)] = false;
        std::sort(reached_.begin(), reached_.end());
        return reached_;
    }

  private:
    void take_steps(std::int64_t variable) {
        const std::int64_t first = starts_(index_of(variable)), last = starts_(index_of(variable) + 1);
        require(first >= 0 && first <= last && static_cast<std::size_t>(last) <= neighbours_.shape(0),
                "starts must ascend and end at the last value");
        for (std::size_t k = index_of(first); k < index_of(last); ++k) {
            const std::int64_t next = neighbours_(k);
            require(next >= 0 && static_cast<std::size_t>(next) < n_variables_, "neighbours must be variables");
            if (seen_[index_of(next)]) continue;
            seen_[index_of(next)] = true;
            reached_.push_back(next);
        }
    }

    const Integers& starts_;
    const Integers& neighbours_;
    std::size_t n_variables_;
    std::vector<bool> seen_;
    std::vector<std::int64_t> reached_;
};

std::tuple<Out<std::int64_t>, Out<std::int64_t>> within_steps(Integers starts, Integers neighbours, Integers targets,
                                                              std::size_t depth) {
    require(starts.shape(0) > 0, "there must be one list a variable");
    require(depth > 0, "the depth must be positive");
    require_variables(targets, starts.shape(0) - 1);
    std::vector<std::int64_t> ends{0}, found;
    {
        nb::gil_scoped_release release;
        Walk walk(starts, neighbours);
        for (std::size_t k = 0; k < targets.shape(0); ++k) {
            const std::vector<std::int64_t>& near = walk.from(targets(k), depth);
            found.insert(found.end(), near.begin(), near.end());
            ends.push_back(static_cast<std::int64_t>(found.size()));
        }
    }
    return {to_numpy(std::move(ends)), to_numpy(std::move(found))};
}

}  // namespace

void bind_spaces(nb::module_& m) {
    using namespace nb::literals;
    m.def("within_steps", &within_steps, "starts"_a, "neighbours"_a, "targets"_a, "depth"_a);
}

}  // namespace markhood
