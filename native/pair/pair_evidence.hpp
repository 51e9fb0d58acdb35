// The Bayes factor of a pair given the neighbours of its ends, with the fits that were made before.
//
// **Stored fits.** In a chain over graphs few edges change in a sweep, and those that do change back. A Bayes factor depends on
// the pair and the two sets of neighbours alone, so it is kept under a number made of them (each variable has a random
// number, a set is their exclusive or); likewise the regression of a variable on a set. Two different sets have the same 64
// bits once in 10^19 times. When a store is full all are emptied.
//
// **Steps.** Where the ends of a pair with one score each have many neighbours, most fits are replaced by one step from the
// regressions of the ends (score_step.hpp). What such a step lacks hardly depends on the neighbours: so it is corrected by what it
// lacked where the pair was fitted first, its *reference*, unless the two are far apart.
//
// **Fits passed on.** Chains that begin at one graph need the same fits at first, a tenth to two fifths of all: so a
// chain can hand over what it has kept to others over the same samples. It is a list of words: the scale; then of
// each fit the number that it is kept under, how many numbers it has, the Bayes factor and these.
#pragma once
#include <cmath>

#include "pair/pair_fits.hpp"
#include "pair/score_step.hpp"
#include "pair/store.hpp"

namespace markhood::MARKHOOD_TIER {

template <class Fits>
class PairEvidence {
  public:
    struct Known {
        double log_bayes_factor;
        std::size_t numbers, n_numbers;  // where the coupling is, and after it its variance
    };
    std::int64_t n_fits = 0;

    PairEvidence(BitRows rows, const GraphChain& chain)
        : rows_(rows), covariates_(chain.covariates), scale_(chain.scale), prior_(chain.scale, chain.covariates.first),
          most_numbers_(at_least(kMostNumbers, 2 * kFitsPerPair * chain.n_pairs)),
          regressions_(at_least(kMostKept, kFitsPerPair * chain.n_pairs)),
          known_(at_least(kMostKept, kFitsPerPair * chain.n_pairs)) {
        take_over(chain.fits, chain.n_fit_words);
        latest_.resize(rows.n_rows);
        forget();
        has_steps_ = ScoreSteps::have_room(rows, chain.covariates.last);
    }

    // Of i and j, whose other neighbours have the numbers others_i and others_j. Where a fit is needed collect(end, but, given)
    // lists the neighbours of an end but for one; `passing` says that this pair alone needs it, being an edge now.
    template <class Collect>
    Known of(std::size_t i, std::size_t j, std::uint64_t others_i, std::uint64_t others_j, bool passing, Collect collect) {
        const std::uint64_t key = Store<Known>::key(mixed(mixed(mixed((i << 31 | j) + kPairs) ^ others_i) ^ others_j));
        const Known* found = known_.find(key);
        if (found && found->n_numbers == 2 * rows_.n_shown(i, j)) return *found;
        if (known_.is_full() || regressions_.is_full() || numbers_.size() > most_numbers_) {
            known_.clear();
            numbers_.resize(0);
            forget();
        }
        collect(i, j, given_i_);
        collect(j, i, given_j_);
        const Known known = worked_out(i, j, others_i, others_j, passing);
        known_.add(key, known);
        return known;
    }
    const double* numbers(const Known& known) const { return numbers_.data() + known.numbers; }

    void hand_over(const Sink& to) const {
        const std::int64_t scale = word_of(scale_);
        to(&scale, 1);
        known_.each([&](std::uint64_t key, const Known& known) {
            const std::int64_t head[] = {static_cast<std::int64_t>(key), static_cast<std::int64_t>(known.n_numbers),
                                         word_of(known.log_bayes_factor)};
            to(head, 3);
            for (std::size_t k = 0; k < known.n_numbers; ++k) {
                const std::int64_t number = word_of(numbers_[known.numbers + k]);
                to(&number, 1);
            }
        });
    }

  private:
    // Most fits that are stored; more for many pairs, since each needs some: a grid of 4096 variables 4.6.
    static constexpr std::size_t kMostKept = std::size_t{1} << 20, kMostNumbers = std::size_t{1} << 23, kFitsPerPair = 6;
    static constexpr double kNear = 3.0;  // how far a step's log Bayes factor may be from that of its reference
    static constexpr std::size_t at_least(std::size_t least, std::size_t n) { return n < least ? least : n; }
    // Added to the number of a target or a pair, whose random numbers are then none of a neighbour's.
    static constexpr std::uint64_t kTargets = std::uint64_t{1} << 62, kPairs = std::uint64_t{1} << 63, kReferences = kPairs | kTargets;

    struct Regression {
        double objective, log_determinant;
        std::size_t coefficients, given, n_given;  // where in coefficients_ and in given_
    };

    static std::int64_t word_of(double number) {
        std::int64_t word;
        std::memcpy(&word, &number, sizeof word);
        return word;
    }

    // Fits with another scale are of no use. A list that ends within a fit is read up to there.
    void take_over(const std::int64_t* fits, std::size_t n) {
        if (!n || fits[0] != word_of(scale_)) return;
        for (std::size_t at = 1; at + 3 <= n && !known_.is_full() && numbers_.size() <= most_numbers_;) {
            const std::size_t count = static_cast<std::size_t>(fits[at + 1]), from = numbers_.size();
            if (count > n - at - 3) return;
            Known known{0.0, from, count};
            std::memcpy(&known.log_bayes_factor, fits + at + 2, sizeof(double));
            numbers_.resize(from + count);
            std::memcpy(numbers_.data() + from, fits + at + 3, count * sizeof(double));
            known_.add(static_cast<std::uint64_t>(fits[at]), known);
            at += 3 + count;
        }
    }

    // Empties the stores of regressions.
    void forget() {
        regressions_.clear();
        coefficients_.resize(0);
        given_.resize(0);
        for (std::size_t v = 0; v < latest_.size(); ++v) latest_[v].n_given = 0;
    }

    Known worked_out(std::size_t i, std::size_t j, std::uint64_t others_i, std::uint64_t others_j, bool passing) {
        const bool steps = has_steps_ && rows_.n_parameters(i, j) == 1 &&
                           Fits::has_quicker_step(rows_, n_scores(given_i_) + n_scores(given_j_));
        const Regression apart_i = steps ? stepped(0, i, others_i, given_i_, passing) : regression(i, others_i, given_i_);
        const Regression apart_j = steps ? stepped(1, j, others_j, given_j_, passing) : regression(j, others_j, given_j_);
        const End end_i{i, given_i_.data(), given_i_.size(), coefficients_.data() + apart_i.coefficients};
        const End end_j{j, given_j_.data(), given_j_.size(), coefficients_.data() + apart_j.coefficients};
        ++n_fits;
        stop_if_asked();
        ScoreStep step;
        const bool has_step = steps && steps_.take(i, j, prior_, &step);
        const std::uint64_t reference = Store<Known>::key(mixed((i << 31 | j) + kReferences));
        const Known* near = has_step ? known_.find(reference) : nullptr;
        if (near && near->n_numbers == kReferenceNumbers && std::fabs(step.log_bayes_factor - numbers(*near)[2]) < kNear)
            return corrected(step, *near);
        fits_.pair.fit(prior_, rows_, end_i, end_j);
        const Known exact = joined(i, j, apart_i, apart_j);
        if (has_step) {
            const double coupling = numbers(exact)[0], variance = numbers(exact)[1];
            const double both[kReferenceNumbers] = {coupling, variance, step.log_bayes_factor, step.coupling, step.variance};
            known_.add(reference, {exact.log_bayes_factor, append(both, kReferenceNumbers), kReferenceNumbers});
        }
        return exact;
    }

    // The numbers of a reference: the coupling and its variance by the fit, then the step's Bayes factor and the same.
    static constexpr std::size_t kReferenceNumbers = 5;

    // A step with what the reference's step lacked.
    Known corrected(const ScoreStep& step, const Known& near) {
        const double* of = numbers(near);
        const double own[] = {step.coupling + (of[0] - of[3]), step.variance * (of[1] / of[4])};
        const double log_bayes_factor = near.log_bayes_factor + (step.log_bayes_factor - of[2]);
        return {log_bayes_factor, append(own, 2), 2};
    }

    std::size_t append(const double* numbers, std::size_t n) {
        const std::size_t at = numbers_.size();
        std::memcpy(numbers_.resize(at + n) + at, numbers, n * sizeof(double));
        return at;
    }

    // What the latest fit of a pair says.
    Known joined(std::size_t i, std::size_t j, const Regression& apart_i, const Regression& apart_j) {
        const Maximum joint = fits_.pair.maximum();
        const double determinant = joint.log_determinant - apart_i.log_determinant - apart_j.log_determinant;
        const double prior = static_cast<double>(rows_.n_parameters(i, j)) * std::log(scale_);
        const std::size_t at = numbers_.size(), n = rows_.n_shown(i, j);
        numbers_.resize(at + 2 * n);
        fits_.pair.show(numbers_.data() + at, numbers_.data() + at + n);
        return {joint.objective - apart_i.objective - apart_j.objective - prior - 0.5 * determinant, at, 2 * n};
    }

    // The regression of an end, whose moments are then ready for a step.
    Regression stepped(std::size_t which, std::size_t variable, std::uint64_t others, const Buffer<std::int64_t>& given, bool passing) {
        const std::uint64_t key = regression_key(variable, others);
        const Regression* found = regressions_.find(key);
        if (found && steps_.has(which, variable, key)) return *found;
        const double* from = found ? coefficients_.data() + found->coefficients : start_near(variable, given);
        const End end{variable, given.data(), given.size(), from ? Fits::centred(from, given.size(), start_) : nullptr};
        const double objective = steps_.fit(rows_, covariates_.last, which, end, key, found, passing, prior_);
        if (found) return *found;
        const auto& newton = steps_.newton(which);
        const double* ended = Fits::uncentred(newton.coefficients.data(), given.size(), start_);
        return remember(variable, key, given, {objective, newton.factor().log_determinant(), ended, newton.coefficients.size()});
    }

    Regression regression(std::size_t variable, std::uint64_t others, const Buffer<std::int64_t>& given) {
        const std::uint64_t key = regression_key(variable, others);
        if (const Regression* found = regressions_.find(key)) return *found;
        fits_.end.fit(prior_, rows_, End{variable, given.data(), given.size(), nullptr});
        return remember(variable, key, given, fits_.end.maximum());
    }

    Regression remember(std::size_t variable, std::uint64_t key, const Buffer<std::int64_t>& given, const Maximum& end) {
        const std::size_t at = coefficients_.size(), at_given = given_.size();
        coefficients_.resize(at + end.n_coefficients);
        std::memcpy(coefficients_.data() + at, end.coefficients, end.n_coefficients * sizeof(double));
        given_.resize(at_given + given.size());
        if (given.size()) std::memcpy(given_.data() + at_given, given.data(), given.size() * sizeof(std::int64_t));
        const Regression found{end.objective, end.log_determinant, at, at_given, given.size()};
        regressions_.add(key, found);
        latest_[variable] = found;
        return found;
    }

    // Where the latest regression of a variable ended, for the neighbours that both have; null where there is none.
    const double* start_near(std::size_t variable, const Buffer<std::int64_t>& given) {
        const Regression& latest = latest_[variable];
        if (!latest.n_given) return nullptr;
        const double* from = coefficients_.data() + latest.coefficients;
        start_.resize(0);
        for (std::size_t t = 0; t + 1 < rows_.levels(variable); ++t) start_.push(*from++);
        for (std::size_t own = 0; own < rows_.n_scores(variable); ++own) {
            const std::int64_t *of_latest = given_.data() + latest.given, *end = of_latest + latest.n_given;
            const auto skip_to = [&](std::int64_t next) {
                for (; of_latest < end && *of_latest < next; ++of_latest) from += rows_.n_scores(index_of(*of_latest));
            };
            for (std::size_t k = 0; k < given.size(); ++k) {
                skip_to(given[k]);
                const bool is_common = of_latest < end && *of_latest == given[k];
                for (std::size_t u = 0; u < rows_.n_scores(index_of(given[k])); ++u) start_.push(is_common ? from[u] : 0.0);
            }
            skip_to(INT64_MAX);
        }
        return start_.data();
    }

    std::size_t n_scores(const Buffer<std::int64_t>& given) const {
        std::size_t n = 0;
        for (std::size_t k = 0; k < given.size(); ++k) n += rows_.n_scores(index_of(given[k]));
        return n;
    }

    static std::uint64_t regression_key(std::size_t variable, std::uint64_t others) {
        return Store<Regression>::key(mixed(mixed(variable + kTargets) ^ others));
    }

    BitRows rows_;
    Covariates covariates_;
    double scale_;
    SlopePrior prior_;
    std::size_t most_numbers_;
    Store<Regression> regressions_;
    Store<Known> known_;
    Buffer<double> coefficients_, numbers_, start_;
    Buffer<std::int64_t> given_i_, given_j_, given_;
    Buffer<Regression> latest_;  // of each variable; without neighbours if there is none
    bool has_steps_ = false;
    Fits fits_;
    ScoreSteps steps_;
};

}  // namespace markhood::MARKHOOD_TIER
