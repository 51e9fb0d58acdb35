// Where the fits of a target's blankets start, as earlier ones tell: the blanket before had a member more or less.
//
// A blanket with a new member starts where that member was tried, and without a member where the blanket was. Only regressions of at least
// `least` parameters, whose steps cost much, are remembered.
#pragma once
#include "fit/newton.hpp"

namespace markhood::MARKHOOD_TIER {

enum class Moved { kFar, kSame, kGrown, kShrunk };

class LevelStarts {
  public:
    // Goes on to another blanket, whose members' predictors begin at first[k].
    Moved move(std::size_t target, const std::int64_t* blanket, std::size_t size, const Buffer<std::size_t>& first, std::size_t slopes,
               std::size_t least = kManyParameters) {
        const std::size_t n = first[size] * slopes;
        const Moved moved = target == target_ && own_.size() && n >= least ? compare(blanket, size) : Moved::kFar;
        if (moved == Moved::kGrown) grow(first[at_] * slopes, (first[at_ + 1] - first[at_]) * slopes, blanket[at_]);
        if (moved == Moved::kShrunk) shrink(first_[at_] * slopes, (first_[at_ + 1] - first_[at_]) * slopes);
        if (moved == Moved::kFar) own_.resize(n >= least ? n : 0);
        target_ = target;
        members_.resize(size);
        if (size) std::memcpy(members_.data(), blanket, size * sizeof(std::int64_t));
        first_.copy(first);
        tried_ = -1;
        return moved;
    }

    // Where the fit of the blanket itself starts, and, once that is known, where it ended.
    const Buffer<double>& own() const { return own_; }
    void set_own(const Buffer<double>& coefficients, bool is_far) {
        if (own_.size()) own_.copy(coefficients);
        is_far_ = is_far;
    }

    // Whether the blanket's coefficients were on their way to infinity.
    bool is_far() const { return is_far_; }

    // Takes note of a fit with one more variable, whose coefficients come last; the best is kept.
    void set_with(std::size_t candidate, double score, const Buffer<double>& coefficients) {
        if (own_.size() == 0 || (tried_ >= 0 && !(score > tried_score_))) return;
        tried_ = static_cast<std::int64_t>(candidate);
        tried_score_ = score;
        with_.copy(coefficients);
    }

  private:
    // How the blanket differs from that before; at_ is the position of the member that was added or removed.
    Moved compare(const std::int64_t* blanket, std::size_t size) {
        const std::size_t before = members_.size(), least = size < before ? size : before;
        at_ = 0;
        while (at_ < least && blanket[at_] == members_[at_]) ++at_;
        if (size == before) return at_ == size ? Moved::kSame : Moved::kFar;
        if (size != before + 1 && before != size + 1) return Moved::kFar;
        const std::size_t ahead = size > before, behind = before > size;
        for (std::size_t k = at_; k < least; ++k)
            if (blanket[k + ahead] != members_[k + behind]) return Moved::kFar;
        return ahead ? Moved::kGrown : Moved::kShrunk;
    }

    // Makes room for `more` parameters from `from` on, of the member `variable`.
    void grow(std::size_t from, std::size_t more, std::int64_t variable) {
        const std::size_t n = own_.size();
        next_.zeros(n + more);
        if (tried_ == variable) {
            insert(with_.data(), n, from, more, next_.data());
            std::memcpy(next_.data() + from, with_.data() + n, more * sizeof(double));
        } else {
            insert(own_.data(), n, from, more, next_.data());
        }
        own_.swap(next_);
    }

    // Takes `less` parameters from `from` on away.
    void shrink(std::size_t from, std::size_t less) {
        const std::size_t after = from + less;
        std::memmove(own_.data() + from, own_.data() + after, (own_.size() - after) * sizeof(double));
        own_.resize(own_.size() - less);
    }

    static void insert(const double* values, std::size_t n, std::size_t from, std::size_t more, double* to) {
        std::memcpy(to, values, from * sizeof(double));
        std::memcpy(to + from + more, values + from, (n - from) * sizeof(double));
    }

    std::size_t target_ = 0, at_ = 0;
    std::int64_t tried_ = -1;
    bool is_far_ = false;
    double tried_score_ = 0.0;
    Buffer<std::int64_t> members_;
    Buffer<std::size_t> first_;
    Buffer<double> own_, with_, next_;
};

}  // namespace markhood::MARKHOOD_TIER
