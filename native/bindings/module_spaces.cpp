// Bindings of neighbourhoods in a graph, and of its triangles.
//
// No bits are counted here, so there is one function for all processors. Neighbourhoods are requested for a few variables at a time, and made of sparse
// products in Python it kept the threads of a search waiting for the interpreter.
#include <algorithm>

#include "bindings/arguments.hpp"

namespace markhood {
namespace {

// The graph is too large to be checked at every call, so steps are checked as they are taken.
class Walk {
  public:
    explicit Walk(const ListArrays& neighbours)
        : starts_(neighbours.first), neighbours_(neighbours.second), n_variables_(starts_.shape(0) - 1), seen_(n_variables_) {}

    // All within some steps of a variable, ascending, without itself; they stay until the next call.
    const std::vector<std::int64_t>& from(std::int64_t variable, std::size_t depth) {
        for (const std::int64_t v : reached_) seen_[index_of(v)] = false;
        reached_.clear();
        seen_[index_of(variable)] = true;
        take_steps(variable);
        for (std::size_t step = 1, done = 0; step < depth && done < reached_.size(); ++step) {
            const std::size_t end = reached_.size();
            for (; done < end && !are_all_reached(); ++done) take_steps(reached_[done]);
            if (are_all_reached()) break;  // in dense data all are near, and most steps lead nowhere new
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

    // Whether all variables that have neighbours are reached. They are counted only once many are: that goes through all variables.
    bool are_all_reached() {
        if (reached_.size() < n_variables_ / 16) return false;
        for (; counted_ < n_variables_; ++counted_) n_joined_ += starts_(counted_) < starts_(counted_ + 1);
        return reached_.size() + 1 >= n_joined_;
    }

    const Integers& starts_;
    const Integers& neighbours_;
    std::size_t n_variables_, n_joined_ = 0, counted_ = 0;  // of all; of those that have neighbours; how many were looked at
    std::vector<bool> seen_;
    std::vector<std::int64_t> reached_;
};

auto within_steps(ListArrays neighbours, Integers targets, std::size_t depth) {
    require(neighbours.first.shape(0) > 0, "there must be one list per variable");
    require(depth > 0, "the depth must be positive");
    require_variables(targets, neighbours.first.shape(0) - 1);
    std::vector<std::int64_t> ends{0}, found;
    unlocked([&] {
        Walk walk(neighbours);
        for (std::size_t k = 0; k < targets.shape(0); ++k) {
            stop_if_asked();
            const std::vector<std::int64_t>& near = walk.from(targets(k), depth);
            found.insert(found.end(), near.begin(), near.end());
            ends.push_back(static_cast<std::int64_t>(found.size()));
        }
    });
    return results(ends, found);
}

// Neighbours of every variable along the pairs that were put in, as bits: those with a number from `first` on, as many as a row has.
class NeighbourBits {
  public:
    NeighbourBits(std::size_t n_variables, std::size_t first, std::size_t n_words)
        : first_(first), n_words_(n_words), bits_(n_variables * n_words) {}

    void put_in(std::size_t i, std::size_t j) {
        set(i, j);
        set(j, i);
    }

    bool have_common(std::size_t i, std::size_t j) const {
        const std::uint64_t *one = bits_.data() + i * n_words_, *other = bits_.data() + j * n_words_;
        for (std::size_t w = 0; w < n_words_; ++w)
            if (one[w] & other[w]) return true;
        return false;
    }

  private:
    void set(std::size_t of, std::size_t neighbour) {
        if (neighbour < first_ || neighbour >= first_ + 64 * n_words_) return;
        bits_[of * n_words_ + (neighbour - first_) / 64] |= std::uint64_t{1} << ((neighbour - first_) % 64);
    }

    std::size_t first_, n_words_;
    std::vector<std::uint64_t> bits_;
};

constexpr std::size_t kMostWords = std::size_t{1} << 24;  // of neighbours at a time: 128 MB
constexpr std::size_t kAtATime = 4096;                    // pairs between two looks for a signal

// Whether each pair is the weakest of a triangle by more than a tie. The strongest first, as `order` has them: a pair is when its
// ends have a common neighbour along those that came before it.
Out<std::uint8_t> weakest_of_triangles(In<std::int64_t, 2> pairs, In<double, 1> strengths, Integers order,
                                       std::size_t n_variables, double tie) {
    const std::size_t n = pairs.shape(0);
    require(strengths.shape(0) == n && order.shape(0) == n, "there must be a strength and a place for each pair");
    require_pairs(pairs, n_variables);
    require_variables(order, n);
    std::vector<std::uint8_t> found(n);
    unlocked([&] {
        const std::size_t all_words = (n_variables + 63) / 64, room = kMostWords / (n_variables + 1) + 1;
        const std::size_t n_words = room < all_words ? room : all_words;
        for (std::size_t first = 0; first < n_variables; first += 64 * n_words) {
            NeighbourBits neighbours(n_variables, first, n_words);
            for (std::size_t k = 0, put = 0; k < n; ++k) {
                if (k % kAtATime == 0) stop_if_asked();
                const std::size_t pair = index_of(order(k));
                for (; put < k && strengths(index_of(order(put))) > strengths(pair) + tie; ++put)
                    neighbours.put_in(index_of(pairs(index_of(order(put)), 0)), index_of(pairs(index_of(order(put)), 1)));
                if (!found[pair]) found[pair] = neighbours.have_common(index_of(pairs(pair, 0)), index_of(pairs(pair, 1)));
            }
        }
    });
    return result(found);
}

}  // namespace

void bind_spaces(nb::module_& m) {
    m.def("weakest_of_triangles", &weakest_of_triangles);
    m.def("within_steps", &within_steps);
}

}  // namespace markhood
