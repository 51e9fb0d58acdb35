// Scores of a target's blanket and of its neighbours (one variable more or less), and the greedy
// search over them.
//
//     grow and shrink:
//     1. add the best candidate; stop if it does not improve the score
//     2. take out the best member while that improves it (never from a blanket of two: with one
//        variable left the score is a pair's, and the better of the pairs was chosen already)
//     3. go on with 1
//
// A target may have members that it keeps: the search starts from them, and they never go. Then a
// blanket of two means two in addition to the kept ones.
#pragma once
#include <cmath>

#include "count/table.hpp"
#include "fit/binary_fit.hpp"
#include "fit/score_bound.hpp"
#include "search/dirichlet.hpp"
#include "search/level_scores.hpp"
#include "search/ordinal_scores.hpp"

namespace markhood::MARKHOOD_TIER {

constexpr std::size_t kManyMembers = 6;  // from which on a member less is looked for near the fit with it
// Up to which the other coefficients are a place to begin without a member: rows change by as much, and those that are too far from
// where they belong have no weight to come back with.
constexpr double kWeakSlope = 4.0;
constexpr double kTie = 1e-9;  // scores this near are equal: rounding never decides an edge

// The score of a logistic regression on the blanket.
class RegressionScorer {
  public:
    Buffer<double> coefficients;  // of the blanket itself, set by set_blanket
    double objective = 0.0;  // the log-likelihood
    static constexpr bool kBestFirst = true;
    bool is_exact = true;  // whether the last score was fitted, or is only a bound
    BinaryFit fit;

    RegressionScorer(BitRows rows, Criterion criterion) : rows_(rows), criterion_(criterion) {}

    // Makes `blanket` the current one and returns its score.
    double set_blanket(std::size_t target, const std::int64_t* blanket, std::size_t size) {
        size_ = size;
        table_.build(rows_, target, blanket, size);
        intercept_ = logit(total_of(table_.ones), total_of(table_.totals));
        start(size + 1);
        objective = fit.maximise(table_.columns.data(), size, table_.ones.data(), table_.totals.data(), table_.n_packs, criterion_.l2);
        coefficients.copy(fit.coefficients);
        is_prepared_ = false;
        kind_ = !fit.separated ? Kind::kFinite : fit.knows_leaving() ? Kind::kReduced : Kind::kUnknown;
        if (kind_ == Kind::kReduced) {
            table_.list_samples(fit.there().data(), staying_);
            if (!any_of(staying_)) kind_ = Kind::kCertain;
            else reduced_.build(rows_, target, blanket, size, staying_.data());
        }
        return penalised(objective, size);
    }

    // Has the fit of the blanket itself end at a point that does not depend on rounding.
    void settle() {
        fit.settle([&] { start(size_ + 1); });
        coefficients.copy(fit.coefficients);
    }

    // The score with one variable more; not fitted where no fit could exceed `floor`: then no less than the score.
    double with(std::size_t candidate, double floor = -HUGE_VAL) {
        is_exact = true;
        if (kind_ == Kind::kCertain) return penalised(objective, size_ + 1);
        BlanketTable& table = kind_ == Kind::kReduced ? reduced_ : table_;
        table.split_by(candidate);
        const Pack* ones = table.ones.data() + table.n_packs;
        const Pack* totals = table.totals.data() + table.n_packs;
        if (size_ == 0 && criterion_.is_plain()) return penalised(saturated(ones, totals), 1);
        if (floor > -HUGE_VAL && kind_ != Kind::kUnknown) {
            const double most = prepare(table).gain(ones + table.n_packs, totals + table.n_packs);
            const double reached = penalised(objective + most, size_ + 1);
            is_exact = !(reached <= floor);
            if (!is_exact) return reached;
        }
        start(size_ + 2);
        if (kind_ != Kind::kUnknown) std::memcpy(fit.coefficients.data(), coefficients.data(), (size_ + 1) * sizeof(double));
        return fitted(table.columns.data(), size_ + 1, ones, totals, 2 * table.n_packs, floor);
    }

    // The score with a member less, or, where no fit could exceed `floor`, a number between the two.
    double without(std::size_t position, double floor = -HUGE_VAL) {
        const bool is_reduced = kind_ == Kind::kReduced && prepare(reduced_).is_apart(position);
        const BlanketTable& table = is_reduced ? reduced_ : table_;
        const bool is_near = is_reduced || kind_ == Kind::kFinite;
        if (is_near && size_ >= kManyMembers && prepare(table).is_apart(position)) {
            const double least = floor - penalised(0.0, size_ - 1);
            double reached = 0.0;
            const bool is_found = fit.maximise_without(position, bound_, coefficients, table.columns.data(), table.ones.data(),
                                                       table.totals.data(), criterion_.l2, least, reached);
            is_exact = fit.is_exact;
            if (is_found) return penalised(reached, size_ - 1);
        }
        columns_.resize(size_);
        start(size_);
        const bool is_weak = is_near && std::fabs(coefficients[position + 1]) < kWeakSlope;
        if (is_weak) fit.coefficients[0] = coefficients[0];
        for (std::size_t k = 0, to = 0; k < size_; ++k) {
            if (k == position) continue;
            columns_[to++] = table.columns[k];
            if (is_weak) fit.coefficients[to] = coefficients[k + 1];
        }
        return fitted(columns_.data(), size_ - 1, table.ones.data(), table.totals.data(), table.n_packs, floor);
    }

  private:
    // What the blanket's own fit is like: finite; at infinity, where some rows are certain, and more predictors change nothing about
    // that, so that only the others are looked at; where all are; or somewhere on its way, which is all that is known of it.
    enum class Kind { kFinite, kReduced, kCertain, kUnknown };

    // Prepares the blanket's own fit, which fits near it start from.
    ScoreBound& prepare(const BlanketTable& table) {
        if (!is_prepared_)
            bound_.prepare(table.columns.data(), size_, coefficients.data(), table.totals.data(), table.n_packs, criterion_.l2);
        is_prepared_ = true;
        return bound_;
    }

    // The score of a fit that starts from the coefficients of `fit`, or, where no fit could exceed `floor`, a number between the two.
    double fitted(const Pack* const* columns, std::size_t size, const Pack* ones, const Pack* totals, std::size_t n_packs, double floor) {
        const double least = floor - penalised(0.0, size);
        const double reached = fit.maximise(columns, size, ones, totals, n_packs, criterion_.l2, least);
        is_exact = fit.is_exact;
        return penalised(reached, size);
    }

    static bool any_of(const Buffer<std::uint64_t>& bits) {
        for (std::size_t w = 0; w < bits.size(); ++w)
            if (bits[w]) return true;
        return false;
    }

    // The fit without any predictor. From there a separated blanket's neighbours start, if it is not known which rows left: from
    // its coefficients, on their way to infinity, some rows would have no weight to come back with.
    void start(std::size_t n) {
        fit.coefficients.zeros(n);
        fit.coefficients[0] = intercept_;
    }

    double total_of(const Buffer<Pack>& counts) const {
        Pack sum{};
        for (std::size_t p = 0; p < table_.n_packs; ++p) sum += counts[p];
        return total(sum);
    }

    static double logit(double ones, double all) {
        return ones > 0 && ones < all ? std::log(ones / (all - ones)) : 0.0;
    }

    // One row, or two: as many parameters as rows, so each row has its own probability.
    double saturated(const Pack* ones, const Pack* totals) const {
        const auto entropy = [](double n) { return n > 0 ? n * std::log(n) : 0.0; };
        double sum = 0.0;
        for (std::size_t p = 0; p < 2 * table_.n_packs; ++p) {
            const double one = ones[p][0], all = totals[p][0];
            sum += entropy(one) + entropy(all - one) - entropy(all);
        }
        return sum;
    }

    double penalised(double likelihood, std::size_t size) const { return likelihood - criterion_.price(size + 1, size); }

    BitRows rows_;
    Criterion criterion_;
    std::size_t size_ = 0;
    double intercept_ = 0.0;
    Kind kind_ = Kind::kFinite;
    bool is_prepared_ = false;
    BlanketTable table_, reduced_;  // of all samples, and of those in rows that have not left
    Buffer<std::uint64_t> staying_;  // those samples
    ScoreBound bound_;
    Buffer<const Pack*> columns_;
};

// Calls `work` with the kind of scorer that these rows and this criterion need.
template <class Scorer>
struct Of {};

template <class Work>
static auto by_scorer(BitRows rows, Criterion criterion, Work work) {
    if (criterion.log_gamma) {
        if (rows.is_plain()) return work(Of<DirichletScorer<BinaryMarginal>>{});
        return work(Of<DirichletScorer<LevelMarginal>>{});
    }
    if (rows.ordered || rows.reals) return work(Of<KindScorer>{});
    if (rows.is_plain() && criterion.l1 == 0) return work(Of<RegressionScorer>{});
    return work(Of<MultinomialScorer>{});
}

static inline bool holds(const std::int64_t* blanket, std::size_t size, std::int64_t variable) {
    for (std::size_t k = 0; k < size; ++k)
        if (blanket[k] == variable) return true;
    return false;
}

// The score of the scorer's blanket with a variable put in or, where it is there already, taken out. Where no fit could
// exceed `floor`, and the scorer can tell, a number between the two.
template <class Scorer>
static double toggled_score(Scorer& scorer, const std::int64_t* blanket, std::size_t size, std::int64_t variable,
                            double floor = -HUGE_VAL) {
    std::size_t position = 0;
    while (position < size && blanket[position] != variable) ++position;
    if constexpr (requires { Scorer::kBestFirst; })
        return position < size ? scorer.without(position, floor) : scorer.with(index_of(variable), floor);
    else return position < size ? scorer.without(position) : scorer.with(index_of(variable));
}

// Whether that was the score itself.
template <class Scorer>
static bool was_fitted(const Scorer& scorer) {
    if constexpr (requires { Scorer::kBestFirst; }) return scorer.is_exact;
    else return true;
}

// How many of a scorer's fits so far did not converge.
template <class Scorer>
static std::int64_t n_not_converged(const Scorer& scorer) {
    if constexpr (requires { scorer.n_not_converged(); }) return scorer.n_not_converged();
    else if constexpr (requires { scorer.fit.n_not_converged; }) return scorer.fit.n_not_converged;
    else return 0;
}

template <class Scorer>
static void toggle_with(BitRows rows, const std::int64_t* targets, std::size_t n_targets, Lists blankets,
                          Lists toggles, Criterion criterion, double* scores, double* toggled) {
    Scorer scorer(rows, criterion);
    for (std::size_t t = 0; t < n_targets; ++t) {
        const std::int64_t* blanket = blankets.list(t);
        const std::size_t size = blankets.length(t);
        scores[t] = scorer.set_blanket(index_of(targets[t]), blanket, size);
        for (std::size_t k = 0; k < toggles.length(t); ++k) {
            stop_if_asked(k);
            *toggled++ = toggled_score(scorer, blanket, size, toggles.list(t)[k]);
        }
    }
}

static void toggle_scores(BitRows rows, const std::int64_t* targets, std::size_t n_targets, Lists blankets,
                          Lists toggles, Criterion criterion, double* scores, double* toggled) {
    by_scorer(rows, criterion, [&]<class Scorer>(Of<Scorer>) {
        toggle_with<Scorer>(rows, targets, n_targets, blankets, toggles, criterion, scores, toggled);
    });
}

// The lowest position whose score is within a tie of the best.
static inline std::size_t best_of(const Buffer<double>& scores) {
    double best = -HUGE_VAL;
    for (std::size_t k = 0; k < scores.size(); ++k) best = scores[k] > best ? scores[k] : best;
    std::size_t first = 0;
    while (first < scores.size() && !(scores[first] >= best - kTie)) ++first;
    return first;
}

template <class Scorer>
class BlanketSearch {
  public:
    Buffer<std::int64_t> blanket;  // ascending
    std::int64_t n_bounded = 0;    // candidates whose bound was enough
    std::int64_t n_fits_not_converged() const { return n_not_converged(scorer_); }

    BlanketSearch(BitRows rows, Criterion criterion, std::int64_t* evaluations)
        : scorer_(rows, criterion), evaluations_(evaluations) {}

    double grow_and_shrink(std::size_t target, const std::int64_t* candidates, std::size_t n_candidates,
                           const std::int64_t* kept, std::size_t n_kept) {
        kept_ = kept;
        n_kept_ = n_kept;
        blanket.resize(0);
        for (std::size_t k = 0; k < n_kept; ++k) blanket.push(kept[k]);
        double score = scorer_.set_blanket(target, blanket.data(), n_kept);
        while (add_best(candidates, n_candidates, score)) {
            scorer_.set_blanket(target, blanket.data(), blanket.size());
            while (blanket.size() > n_kept + 2 && drop_best(score))
                scorer_.set_blanket(target, blanket.data(), blanket.size());
        }
        return score;
    }

  private:
    bool add_best(const std::int64_t* candidates, std::size_t n_candidates, double& score) {
        scores_.resize(0);
        tried_.resize(0);
        for (std::size_t k = 0; k < n_candidates; ++k) {
            if (holds(blanket.data(), blanket.size(), candidates[k])) continue;
            stop_if_asked(k);
            tried_.push(candidates[k]);
            if constexpr (kBestFirst) scores_.push(bound(candidates[k]));
            else scores_.push(scorer_.with(index_of(candidates[k]), score));
        }
        if (scores_.size() == 0) return false;
        if constexpr (kBestFirst) fit_promising(score);
        evaluations_[blanket.size() + 1] += static_cast<std::int64_t>(scores_.size());
        const std::size_t best = best_of(scores_);
        if (best == scores_.size() || !(scores_[best] > score + kTie)) return false;
        score = scores_[best];
        insert(tried_[best]);
        return true;
    }

    // What a candidate's score is at most; where that is the score itself, it is not looked at again.
    double bound(std::int64_t candidate) {
        const double most = scorer_.with(static_cast<std::size_t>(candidate), HUGE_VAL);
        if (scores_.size() == 0) is_exact_.resize(0);
        is_exact_.push(scorer_.is_exact);
        return most;
    }

    // Fits candidates, the most promising first, until no other can be better than the best or than `score`. Those left
    // have bounds for scores, and none is within a tie of the best.
    void fit_promising(double score) {
        double floor = score;
        left_.resize(0);
        for (std::size_t k = 0; k < scores_.size(); ++k) {
            raise(floor, k);
            if (!is_exact_[k]) left_.push(k);
        }
        for (std::size_t at = left_.size() / 2; at-- > 0;) sink(at);
        while (left_.size() && scores_[left_[0]] > floor) {
            const std::size_t next = left_[0];
            stop_if_asked(left_.size());
            left_[0] = left_[left_.size() - 1];
            left_.resize(left_.size() - 1);
            sink(0);
            scores_[next] = scorer_.with(static_cast<std::size_t>(tried_[next]), floor);
            is_exact_[next] = scorer_.is_exact;
            raise(floor, next);
        }
        for (std::size_t k = 0; k < scores_.size(); ++k) n_bounded += !is_exact_[k];
    }

    // Restores the heap `left_` below one of its positions: each candidate is at most as promising as the one above it.
    void sink(std::size_t at) {
        for (std::size_t child = 2 * at + 1; child < left_.size(); child = 2 * at + 1) {
            if (child + 1 < left_.size() && comes_before(left_[child + 1], left_[child])) ++child;
            if (!comes_before(left_[child], left_[at])) return;
            const std::size_t moved = left_[at];
            left_[at] = left_[child];
            left_[child] = moved;
            at = child;
        }
    }

    bool comes_before(std::size_t k, std::size_t l) const { return scores_[k] > scores_[l] || (scores_[k] == scores_[l] && k < l); }

    void raise(double& floor, std::size_t k) const {
        if (is_exact_[k] && scores_[k] - 2 * kTie > floor) floor = scores_[k] - 2 * kTie;
    }

    bool drop_best(double& score) {
        scores_.resize(0);
        tried_.resize(0);
        for (std::size_t k = 0; k < blanket.size(); ++k) {
            if (holds(kept_, n_kept_, blanket[k])) continue;
            tried_.push(static_cast<std::int64_t>(k));
            if constexpr (kBestFirst) {
                scores_.push(scorer_.without(k, score));
                n_bounded += !scorer_.is_exact;
            } else {
                scores_.push(scorer_.without(k));
            }
        }
        evaluations_[blanket.size() - 1] += static_cast<std::int64_t>(scores_.size());
        const std::size_t best = best_of(scores_);
        if (best == scores_.size() || !(scores_[best] > score + kTie)) return false;
        score = scores_[best];
        for (auto k = static_cast<std::size_t>(tried_[best]); k + 1 < blanket.size(); ++k) blanket[k] = blanket[k + 1];
        blanket.resize(blanket.size() - 1);
        return true;
    }

    void insert(std::int64_t variable) {
        blanket.push(variable);
        for (std::size_t k = blanket.size() - 1; k > 0 && blanket[k - 1] > variable; --k) {
            blanket[k] = blanket[k - 1];
            blanket[k - 1] = variable;
        }
    }

    static constexpr bool kBestFirst = requires { Scorer::kBestFirst; };

    Scorer scorer_;
    std::int64_t* evaluations_;
    const std::int64_t* kept_ = nullptr;
    std::size_t n_kept_ = 0;
    Buffer<std::int64_t> tried_;  // candidates to add, or positions to drop
    Buffer<double> scores_;
    Buffer<bool> is_exact_;  // whether a score is one, or only a bound
    Buffer<std::size_t> left_;  // tried candidates that have only bounds
};

template <class Scorer>
static void grow_with(BitRows rows, const std::int64_t* targets, std::size_t n_targets, Lists candidates,
                      Lists kept, Criterion criterion, double* scores, std::int64_t* evaluations,
                      std::int64_t* n_bounded, std::int64_t* not_converged, Sink blankets) {
    BlanketSearch<Scorer> search(rows, criterion, evaluations);
    for (std::size_t t = 0; t < n_targets; ++t) {
        not_converged[t] = -search.n_fits_not_converged();
        scores[t] = search.grow_and_shrink(index_of(targets[t]), candidates.list(t), candidates.length(t),
                                           kept.list(t), kept.length(t));
        not_converged[t] += search.n_fits_not_converged();
        const std::int64_t length = static_cast<std::int64_t>(search.blanket.size());
        blankets(&length, 1);
        blankets(search.blanket.data(), search.blanket.size());
    }
    *n_bounded = search.n_bounded;
}

static void grow_blankets(BitRows rows, const std::int64_t* targets, std::size_t n_targets, Lists candidates,
                          Lists kept, Criterion criterion, double* scores, std::int64_t* evaluations,
                          std::int64_t* n_bounded, std::int64_t* not_converged, Sink blankets) {
    by_scorer(rows, criterion, [&]<class Scorer>(Of<Scorer>) {
        grow_with<Scorer>(rows, targets, n_targets, candidates, kept, criterion, scores, evaluations, n_bounded, not_converged, blankets);
    });
}

// Writes every target's regression, with coefficients that do not depend on rounding.
struct FitSink {
    double *objectives, *coefficients;
    std::uint8_t *infinite, *statuses;

    template <class Scorer>
    void write(Scorer& scorer, std::size_t target, const std::int64_t* blanket, std::size_t size) {
        scorer.fit.wants_coefficients = true;
        scorer.set_blanket(target, blanket, size);
        scorer.settle();
        *statuses++ = static_cast<std::uint8_t>(scorer.fit.status());
        *objectives++ = scorer.objective;
        for (std::size_t k = 0; k < scorer.coefficients.size(); ++k) {
            *coefficients++ = scorer.coefficients[k];
            *infinite++ = std::fabs(scorer.fit.drift[k]) > kDivergingStep;
        }
    }
};

static void fit_blankets(BitRows rows, const std::int64_t* targets, std::size_t n_targets, Lists blankets,
                         Criterion criterion, double* objectives, double* coefficients, std::uint8_t* infinite, std::uint8_t* statuses) {
    const bool is_plain = rows.is_plain() && criterion.is_plain();
    RegressionScorer plain(rows, criterion);
    MultinomialScorer nominal(rows, criterion);
    OrdinalScorer ordinal(rows, criterion);
    FitSink sink{objectives, coefficients, infinite, statuses};
    for (std::size_t t = 0; t < n_targets; ++t) {
        stop_if_asked();
        const std::size_t target = index_of(targets[t]), size = blankets.length(t);
        if (is_plain) sink.write(plain, target, blankets.list(t), size);
        else if ((rows.ordered || rows.reals) && rows.n_scores(target) == 1) sink.write(ordinal, target, blankets.list(t), size);
        else sink.write(nominal, target, blankets.list(t), size);
    }
}

}  // namespace markhood::MARKHOOD_TIER
