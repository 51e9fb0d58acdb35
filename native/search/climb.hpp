// The climb over graphs: flip the edge that improves the sum of all scores most, until none does.
//
//     1. of the edges that may be flipped, take the one with the largest gain; stop where none gains
//     2. put it into both ends' blankets, or take it out of them
//     3. score the flips at these two ends again, and go on with 1
//
// A flip changes the gains at its two ends only, so groups of variables climb on their own. An edge between two groups stays as
// it is; the highest change at an end says whether it could have gained. Gains are the leaves of a tree whose nodes have the larger of
// their two children; of gains that tie the lowest edge is taken.
//
// **What cannot gain is not fitted.** An end's change matters only where it makes up for the other end's. Where a bound
// (newton.hpp) shows that it does not, the bound is kept instead, until the other end changes so that it might. So the flips and their
// order are those of exact changes. For an edge that leads out of the group, taking it away saves the other end no more than its price.
//
// **Bounds after a removal.** A smaller blanket has a lower likelihood, with every other flip too: after m is removed, no change
// exceeds what it was, or its bound, by more than the likelihood that the removal lost. Putting m back undoes its change.
#pragma once
#include <limits>

#include "search/blankets.hpp"

namespace markhood::MARKHOOD_TIER {

class Tournament {
  public:
    void start(std::size_t n) {
        n_leaves_ = 1;
        while (n_leaves_ < n) n_leaves_ *= 2;
        largest_.resize(2 * n_leaves_);
        for (std::size_t k = 0; k < 2 * n_leaves_; ++k) largest_[k] = -HUGE_VAL;
    }

    void set(std::size_t leaf, double gain) {
        std::size_t at = n_leaves_ + leaf;
        largest_[at] = gain > -HUGE_VAL ? gain : -HUGE_VAL;  // NaN never wins
        while (at > 1) {
            at /= 2;
            const double left = largest_[2 * at], right = largest_[2 * at + 1];
            largest_[at] = left > right ? left : right;
        }
    }

    double best() const { return largest_[1]; }

    // The lowest leaf within a tie of the best.
    std::size_t first_best() const { return first_of(best() - kTie); }

    // The lowest leaf that has at least `least`, which the best has.
    std::size_t first_of(double least) const {
        std::size_t at = 1;
        while (at < n_leaves_) at = 2 * at + (largest_[2 * at] >= least ? 0 : 1);
        return at - n_leaves_;
    }

  private:
    std::size_t n_leaves_ = 1;
    Buffer<double> largest_;
};

template <class Scorer>
class Climb {
  public:
    Climb(BitRows rows, Criterion criterion, ClimbSpace space, ClimbEnd end)
        : scorer_(rows, criterion), rows_(rows), criterion_(criterion), space_(space), end_(end) {}

    // Climbs in the group of the variables at `first` ... `last` - 1.
    void to_the_top(std::size_t first, std::size_t last, std::int64_t* evaluations) {
        evaluations_ = evaluations;
        begin(first, last);
        while (edges_.size() && gains_.best() > kTie) {
            stop_if_asked();
            if (make_out(gains_.first_of(gains_.best())) || make_out(gains_.first_best())) continue;
            const Edge edge = edges_[gains_.first_best()];
            toggle(edge.lower);
            toggle(edge.upper);
            score(edge.lower);
            score(edge.upper);
        }
        for (std::size_t place = from_; place < place_of(last); ++place)
            if (is_bound_[place - from_]) end_.changes[place] = std::numeric_limits<double>::quiet_NaN();
    }

  private:
    static constexpr bool kIsMonotone = requires { Scorer::kBestFirst; };  // scores are penalised maxima of likelihoods

    // An edge, seen from its lower and from its upper end: two positions in the lists of partners.
    struct Edge {
        std::size_t lower, upper;
    };

    void begin(std::size_t first, std::size_t last) {
        first_ = first;
        from_ = place_of(first);
        const std::size_t n = place_of(last) - from_;
        is_bound_.zeros(n);
        edge_of_.resize(n);
        edges_.resize(0);
        blanket_starts_.resize(last - first + 1);
        sizes_.resize(last - first);
        blanket_starts_[0] = 0;
        for (std::size_t t = first; t < last; ++t) {
            const std::size_t room = space_.blankets.length(t) + space_.partners.length(t);
            sizes_[t - first] = space_.blankets.length(t);
            blanket_starts_[t - first + 1] = blanket_starts_[t - first] + room;
        }
        blankets_.resize(blanket_starts_[last - first]);
        for (std::size_t t = first; t < last; ++t) open(t);
        gains_.start(edges_.size());
        for (std::size_t e = 0; e < edges_.size(); ++e) gains_.set(e, gain(e));
    }

    // Lays out a variable's blanket, and numbers the edges to higher variables.
    void open(std::size_t t) {
        std::int64_t* members = blanket(t);
        for (std::size_t k = 0; k < sizes_[t - first_]; ++k) members[k] = space_.blankets.list(t)[k];
        for (std::size_t place = place_of(t); place < place_of(t + 1); ++place) {
            end_.highest[place] = end_.changes[place];
            end_.present[place] = holds(members, sizes_[t - first_], space_.partners.values[place]);
            const std::size_t mirror = space_.mirrors[place];
            if (mirror < place) {
                edge_of_[place - from_] = edge_of_[mirror - from_];
            } else if (mirror > place) {
                edge_of_[place - from_] = edges_.size();
                edges_.push({place, mirror});
            }
        }
    }

    // Puts the partner at this place into the blanket, which ascends, or takes it out.
    void toggle(std::size_t place) {
        const std::size_t t = space_.owners[place];
        std::int64_t* members = blanket(t);
        const std::int64_t partner = space_.partners.values[place];
        std::size_t& size = sizes_[t - first_];
        std::size_t at = 0;
        while (at < size && members[at] < partner) ++at;
        if (end_.present[place]) {
            for (std::size_t k = at; k + 1 < size; ++k) members[k] = members[k + 1];
            --size;
        } else {
            for (std::size_t k = size; k > at; --k) members[k] = members[k - 1];
            members[at] = partner;
            ++size;
        }
        end_.present[place] ^= 1;
    }

    // Scores the flips at a variable again, whose partner at the place `flipped` was put in or taken out.
    void score(std::size_t flipped) {
        const std::size_t t = space_.owners[flipped], size = sizes_[t - first_];
        const double change = end_.changes[flipped];
        const double lost = kIsMonotone && !end_.present[flipped] ? price_of(t, flipped) - change + kBoundRounding : HUGE_VAL;
        end_.gained[t] += change;
        end_.not_converged[t] -= n_not_converged(scorer_);
        bool is_set = false;
        double own = 0.0;
        for (std::size_t place = place_of(t); place < place_of(t + 1); ++place) {
            const double most = end_.changes[place] + lost;
            if (place == flipped) set_change(place, -change, false);
            else if (is_inside(place) ? lost < HUGE_VAL : most <= -most_at_other_end(t, place)) set_change(place, most, true);
            else {
                if (!is_set) own = scorer_.set_blanket(index_of(space_.variables[t]), blanket(t), size);
                is_set = true;
                score_flip(t, place, own);
            }
            ++evaluations_[end_.present[place] ? size - 1 : size + 1];
        }
        end_.not_converged[t] += n_not_converged(scorer_);
    }

    // Scores the ends of an edge for which only bounds are known; whether there are any. With one go those others of the
    // same variable that may gain more.
    bool make_out(std::size_t e) {
        bool any = false;
        for (const std::size_t end : {edges_[e].lower, edges_[e].upper}) {
            if (!is_bound_[end - from_]) continue;
            any = true;
            const std::size_t t = space_.owners[end];
            end_.not_converged[t] -= n_not_converged(scorer_);
            const double own = scorer_.set_blanket(index_of(space_.variables[t]), blanket(t), sizes_[t - first_]);
            score_flip(t, end, own);
            for (std::size_t place = place_of(t); place < place_of(t + 1); ++place)
                if (is_bound_[place - from_] && is_inside(place) && gain(edge_of_[place - from_]) > std::fmax(gain(e), kTie))
                    score_flip(t, place, own);
            end_.not_converged[t] += n_not_converged(scorer_);
        }
        return any;
    }

    // Scores a flip at a variable whose blanket is the scorer's.
    void score_flip(std::size_t t, std::size_t place, double own) {
        const double floor = own - most_at_other_end(t, place);
        stop_if_asked(place);
        const double score = toggled_score(scorer_, blanket(t), sizes_[t - first_], space_.partners.values[place], floor);
        set_change(place, score - own, !was_fitted(scorer_));
    }

    void set_change(std::size_t place, double change, bool is_bound) {
        end_.changes[place] = change;
        is_bound_[place - from_] = is_bound;
        end_.highest[place] = std::fmax(end_.highest[place], change);
        if (is_inside(place)) gains_.set(edge_of_[place - from_], gain(edge_of_[place - from_]));
    }

    // What a flip changes at the other end at most.
    double most_at_other_end(std::size_t t, std::size_t place) const {
        if (is_inside(place)) return end_.changes[space_.mirrors[place]];
        return end_.present[place] ? price_of(t, place) : HUGE_VAL;
    }

    // What the partner at a place costs its owner's score.
    double price_of(std::size_t t, std::size_t place) const {
        const std::size_t own = index_of(space_.variables[t]), other = index_of(space_.partners.values[place]);
        return criterion_.price(rows_.n_parameters(own, other), 1);
    }

    double gain(std::size_t e) const { return end_.changes[edges_[e].lower] + end_.changes[edges_[e].upper]; }

    // Whether the edge at a place is between two variables of the group.
    bool is_inside(std::size_t place) const { return space_.mirrors[place] != place; }

    std::size_t place_of(std::size_t t) const { return static_cast<std::size_t>(space_.partners.starts[t]); }
    std::int64_t* blanket(std::size_t t) { return blankets_.data() + blanket_starts_[t - first_]; }

    Scorer scorer_;
    BitRows rows_;
    Criterion criterion_;
    ClimbSpace space_;
    ClimbEnd end_;
    std::int64_t* evaluations_ = nullptr;
    std::size_t first_ = 0, from_ = 0;  // the first variable and the first place of the group
    Tournament gains_;                  // of every edge, by its number
    Buffer<Edge> edges_;
    Buffer<std::size_t> edge_of_, blanket_starts_, sizes_;
    Buffer<unsigned char> is_bound_;  // whether the change at a place is only what it is at most
    Buffer<std::int64_t> blankets_;  // each with room for all that may come in
};

template <class Scorer>
static void climb_with(BitRows rows, ClimbSpace space, Criterion criterion, ClimbEnd end) {
    Climb<Scorer> climb(rows, criterion, space, end);
    for (std::size_t g = 0; g < space.n_groups; ++g) {
        const std::size_t first = index_of(space.group_starts[g]), last = index_of(space.group_starts[g + 1]);
        climb.to_the_top(first, last, end.evaluations + end.evaluation_starts[g]);
    }
}

static void climb_groups(BitRows rows, ClimbSpace space, Criterion criterion, ClimbEnd end) {
    by_scorer(rows, criterion, [&]<class Scorer>(Of<Scorer>) { climb_with<Scorer>(rows, space, criterion, end); });
}

}  // namespace markhood::MARKHOOD_TIER
