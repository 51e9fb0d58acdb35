// A chain over graphs: every candidate pair in turn is an edge or not, by its probability given the rest.
//
// In a sweep the pairs come in random order. A pair's probability is
//
//     P = 1 / (1 + exp(-log BF - log odds)),      log odds = log(density / (1 - density)), or the pair's own,
//
// with the Bayes factor of pair_fit.hpp given the neighbours that both ends have now; the edge is then set by a
// draw with this probability. After a sweep the density is estimated from all pairs without odds of their own, each
// with its last log BF; pairs that are not candidates count as a histogram of log BF.
//
// **Seldom.** Of most pairs an earlier chain was sure, or nearly. A pair is visited in the first of as many sweeps as its period
// says, and its sums then count for the sweeps without a visit too; while a chain settles, in the last of as many, so that those
// of long periods are not visited then, and the density stays what it was. The periods are fixed beforehand, so that a chain is what it
// would be in a longer time: to visit pairs in unequal shares changes no Gibbs sampler's distribution.
//
// **Stored fits.** Few edges change in a sweep, and those that do change back. A Bayes factor depends on the pair
// and the two sets of neighbours alone, so it is kept under a number made of them (each variable has a random
// number, a set is their exclusive or); likewise the regression of a variable on a set. Two
// different sets have the same 64 bits once in 10^19 times. When a store is full all are emptied.
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
class GraphSampler {
  public:
    std::int64_t n_fits = 0;

    GraphSampler(BitRows rows, const GraphChain& chain)
        : rows_(rows), chain_(chain), prior_(chain.scale, chain.covariates.first), log_scale_(std::log(chain.scale)),
          most_numbers_(at_least(kMostNumbers, 2 * kFitsPerPair * chain.n_pairs)),
          regressions_(at_least(kMostKept, kFitsPerPair * chain.n_pairs)),
          evidence_(at_least(kMostKept, kFitsPerPair * chain.n_pairs)) {
        log_odds_ = std::log(chain.density / (1.0 - chain.density));
        list_partners();
        known_.resize(chain.n_pairs);
        known_key_.resize(chain.n_pairs);
        last_.resize(chain.n_pairs);
        first_number_.resize(chain.n_pairs + 1);
        first_number_[0] = 0;
        for (std::size_t k = 0; k < chain.n_pairs; ++k) {
            known_key_[k] = UINT64_MAX;
            first_number_[k + 1] = first_number_[k] + Fits::n_shown(rows, first(k), second(k));
        }
        take_over(chain.fits, chain.n_fit_words);
        latest_.resize(rows.n_rows);
        forget_latest();
        has_steps_ = ScoreSteps::have_room(rows, chain.covariates.last);
    }

    // Makes the k-th of n_sweeps sweeps and returns the density; adds to `sums` where not null.
    double sweep(std::size_t k, std::size_t n_sweeps, const GraphNumbers* sums) {
        due_.resize(0);
        for (std::size_t pair = 0; pair < chain_.n_pairs; ++pair)
            if ((sums ? k : k + 1) % chain_.periods[pair] == 0) due_.push(static_cast<std::uint32_t>(pair));
        visit_all(due_, sums, n_sweeps - k);
        if (sums && chain_.learns_density) learn_density();
        return 1.0 / (1.0 + std::exp(-log_odds_));
    }

    void hand_over(const Sink& to) const {
        const std::int64_t scale = word_of(chain_.scale);
        to(&scale, 1);
        evidence_.each([&](std::uint64_t key, const Known& known) {
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
    // From how many scores of both ends' neighbours on a step is quicker than a fit; and how far a step's log Bayes factor may be from that
    // of its reference.
    static constexpr std::size_t kManyScores = 8;
    static constexpr double kNear = 3.0;
    static constexpr double kLargestLogOdds = -1.0986122886681098;  // of a density of 1/4: an edge has a Bayes factor of at least 3
    static constexpr std::size_t at_least(std::size_t least, std::size_t n) { return n < least ? least : n; }
    // Added to the number of a target or a pair, whose random numbers are then none of a neighbour's.
    static constexpr std::uint64_t kTargets = std::uint64_t{1} << 62, kPairs = std::uint64_t{1} << 63, kReferences = kPairs | kTargets;

    struct Regression {
        double objective, log_determinant;
        std::size_t coefficients, given, n_given;  // where in coefficients_ and in given_
    };
    struct Known {
        double log_bayes_factor;
        std::size_t numbers, n_numbers;  // where in numbers_ the coupling is, and after it its variance
    };

    static std::int64_t word_of(double number) {
        std::int64_t word;
        std::memcpy(&word, &number, sizeof word);
        return word;
    }

    // Fits with another scale are of no use. A list that ends within a fit is read up to there.
    void take_over(const std::int64_t* fits, std::size_t n) {
        if (!n || fits[0] != word_of(chain_.scale)) return;
        for (std::size_t at = 1; at + 3 <= n && !evidence_.is_full() && numbers_.size() <= most_numbers_;) {
            const std::size_t count = static_cast<std::size_t>(fits[at + 1]), from = numbers_.size();
            if (count > n - at - 3) return;
            Known known{0.0, from, count};
            std::memcpy(&known.log_bayes_factor, fits + at + 2, sizeof(double));
            numbers_.resize(from + count);
            std::memcpy(numbers_.data() + from, fits + at + 3, count * sizeof(double));
            evidence_.add(static_cast<std::uint64_t>(fits[at]), known);
            at += 3 + count;
        }
    }

    // xoshiro128++ of Blackman and Vigna.
    std::uint32_t draw() {
        std::uint32_t* s = chain_.generator;
        const auto rotate = [](std::uint32_t x, int by) { return (x << by) | (x >> (32 - by)); };
        const std::uint32_t drawn = rotate(s[0] + s[3], 7) + s[0], shifted = s[1] << 9;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = rotate(s[3], 11);
        return drawn;
    }

    // Visits pairs in random order; `left` sweeps are left, with this one.
    void visit_all(Buffer<std::uint32_t>& pairs, const GraphNumbers* sums, std::size_t left) {
        const std::size_t n = pairs.size();
        stop_if_asked();  // where all fits are known, none below does
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t other = k + ((static_cast<std::uint64_t>(draw()) * (n - k)) >> 32);
            const std::uint32_t pair = pairs[other];
            pairs[other] = pairs[k];
            pairs[k] = pair;
            const std::size_t period = chain_.periods[pair];
            visit(pair, sums, static_cast<double>(period < left ? period : left));
        }
    }

    // A pair that an end has no room for remains none.
    void visit(std::size_t pair, const GraphNumbers* sums, double times) {
        last_[pair] = -HUGE_VAL;
        const double p = chain_.present[pair] || has_room(pair) ? probability(pair, sums, times) : 0.0;
        const bool edge = (draw() + 0.5) * 0x1p-32 < p;
        if (edge != (chain_.present[pair] != 0)) flip(pair);
    }

    // Whether neither end would have too many slopes with one more edge.
    bool has_room(std::size_t pair) const {
        const std::size_t of_first = slopes_[first(pair)], of_second = slopes_[second(pair)], n = Fits::n_free(rows_, first(pair), second(pair));
        return static_cast<double>(n + (of_first > of_second ? of_first : of_second)) <= chain_.most_slopes;
    }

    // The probability of a pair, which is added to `sums`.
    double probability(std::size_t pair, const GraphNumbers* sums, double times) {
        const Known& known = evidence_of(pair);
        const std::size_t n = first_number_[pair + 1] - first_number_[pair];
        const double *coupling = numbers_.data() + known.numbers, *variance = coupling + n;
        double own_coupling, own_variance;
        last_[pair] = known.log_bayes_factor;
        if (n == 1 && (chain_.shape != 0 || chain_.background > 0 || chain_.expected[pair] != 0)) {
            own_coupling = *coupling;
            own_variance = *variance;
            last_[pair] += reshape(unit_of(pair), chain_.expected[pair], own_coupling, own_variance);
            coupling = &own_coupling;
            variance = &own_variance;
        }
        const double own = chain_.prior_log_odds[pair];
        const double p = 1.0 / (1.0 + std::exp(-last_[pair] - (std::isnan(own) ? log_odds_ : own)));
        if (sums) {
            double *couplings = sums->couplings + first_number_[pair], *squares = sums->squares + first_number_[pair];
            sums->probabilities[pair] += times * p;
            for (std::size_t k = 0; k < n; ++k) {
                couplings[k] += times * p * coupling[k];
                squares[k] += times * p * (coupling[k] * coupling[k] + variance[k]);
            }
        }
        return p;
    }

    // Ratio of the coupling that is shown to the one with the prior N(0, scale^2).
    double unit_of(std::size_t pair) const {
        const auto step = [](double r) { return std::sqrt(3.0 / (r * r - 1.0)); };
        return step(static_cast<double>(rows_.levels(first(pair)))) * step(static_cast<double>(rows_.levels(second(pair))));
    }

    // Sets mean and variance of a coupling to those by the prior of two components, and returns what that adds to the log Bayes factor:
    // `reshaped` of kernels/reference/graph_chain.py.
    double reshape(double unit, double expected, double& mean, double& variance) const {
        const double shape = chain_.shape, squared = chain_.scale * chain_.scale, theta = mean / unit, v = variance / (unit * unit);
        const double information = v < squared ? 1.0 / v - 1.0 / squared : 0.0;
        double means[2], spreads[2], weights[2];
        for (int k = 0; k < 2; ++k) {
            const double sign = k ? -1.0 : 1.0, mode = shape > 0 ? sign * shape * chain_.scale : 0.0;
            const double narrow = 1.0 / (squared * (shape > 0 ? 1.0 - shape * shape : 1.0 + sign * shape));
            spreads[k] = 1.0 / (information + narrow);
            means[k] = (theta / v + mode * narrow) * spreads[k];
            weights[k] = 0.5 * (means[k] * means[k] / spreads[k] - mode * mode * narrow + std::log(narrow * spreads[k]));
        }
        const double largest = weights[0] > weights[1] ? weights[0] : weights[1];
        const double first = std::exp(weights[0] - largest), sum = first + std::exp(weights[1] - largest), share = first / sum;
        const double apart = means[0] - means[1];
        mean = unit * (means[1] + share * apart);
        variance = unit * unit * (share * spreads[0] + (1.0 - share) * (spreads[1] + share * apart * apart));
        // By how much couplings of the background explain the data better than no coupling does.
        const double square = chain_.background * chain_.background, score = theta / v, small = information * square;
        const double gained = score * score * square + (2.0 * score - information * expected) * expected;
        const double explained = 0.5 * (gained / (1.0 + small) - std::log1p(small));
        return largest + std::log(0.5 * sum) - 0.5 * theta * theta / v + 0.5 * std::log1p(information * squared) - explained;
    }

    void flip(std::size_t pair) {
        chain_.present[pair] ^= 1;
        hash_[first(pair)] ^= mixed(second(pair));
        hash_[second(pair)] ^= mixed(first(pair));
        const std::size_t n = Fits::n_free(rows_, first(pair), second(pair));
        for (std::size_t end : {first(pair), second(pair)}) slopes_[end] += chain_.present[pair] ? n : -n;
    }

    // Moves the log odds of the density by one Newton step, at most 1, towards the fixed point at which it is the mean of P, and of half an
    // edge more, the Bayes factors being those of the last visits. It is at most 1/4.
    void learn_density() {
        double total = 0.5, n = 0.5, variance = 0.0;
        const auto add = [&](double log_bayes_factor, double count) {
            const double p = 1.0 / (1.0 + std::exp(-log_bayes_factor - log_odds_));
            total += count * p;
            variance += count * (p * (1.0 - p));
            n += count;
        };
        for (std::size_t k = 0; k < chain_.n_pairs; ++k)
            if (std::isnan(chain_.prior_log_odds[k])) add(last_[k], 1.0);
        for (std::size_t b = 0; b < chain_.n_bins; ++b) add(chain_.bin_log_bayes_factors[b], chain_.bin_counts[b]);
        if (!(n > 0.5)) return;
        const double density = 1.0 / (1.0 + std::exp(-log_odds_));
        const double curvature = n * density * (1.0 - density) - variance, step = (total - n * density) / curvature;
        log_odds_ = curvature > 0 ? log_odds_ + (step > 1.0 ? 1.0 : step < -1.0 ? -1.0 : step) : std::log(total / (n - total));
        if (log_odds_ > kLargestLogOdds) log_odds_ = kLargestLogOdds;
    }

    const Known& evidence_of(std::size_t pair) {
        const std::size_t i = first(pair), j = second(pair);
        const std::uint64_t edge = chain_.present[pair] ? ~std::uint64_t{0} : 0;
        const std::uint64_t others_i = hash_[i] ^ (mixed(j) & edge), others_j = hash_[j] ^ (mixed(i) & edge);
        const std::uint64_t key = Store<Known>::key(mixed(mixed(mixed((i << 31 | j) + kPairs) ^ others_i) ^ others_j));
        if (known_key_[pair] == key) return known_[pair];
        known_key_[pair] = key;
        const Known* found = evidence_.find(key);
        if (found && found->n_numbers == 2 * (first_number_[pair + 1] - first_number_[pair])) return known_[pair] = *found;
        if (evidence_.is_full() || regressions_.is_full() || numbers_.size() > most_numbers_) forget(pair);
        known_[pair] = worked_out(pair, others_i, others_j);
        evidence_.add(key, known_[pair]);
        return known_[pair];
    }

    // Empties the stores; after that only the next fit, of `pair`, is stored.
    void forget(std::size_t pair) {
        evidence_.clear();
        regressions_.clear();
        coefficients_.resize(0);
        given_.resize(0);
        numbers_.resize(0);
        forget_latest();
        const std::uint64_t kept = known_key_[pair];
        for (std::size_t k = 0; k < chain_.n_pairs; ++k) known_key_[k] = UINT64_MAX;
        known_key_[pair] = kept;
    }

    void forget_latest() {
        for (std::size_t v = 0; v < latest_.size(); ++v) latest_[v].n_given = 0;
    }

    // By a step from the reference of the pair, where that is near; else by a fit.
    Known worked_out(std::size_t pair, std::uint64_t others_i, std::uint64_t others_j) {
        const std::size_t i = first(pair), j = second(pair);
        collect(i, j, given_i_);
        collect(j, i, given_j_);
        const bool steps = has_steps_ && n_scores(given_i_) + n_scores(given_j_) >= kManyScores;
        const bool has_moments = steps && Fits::n_free(rows_, i, j) == 1, passing = chain_.present[pair];
        const Regression apart_i = has_moments ? stepped(0, i, others_i, given_i_, passing) : regression(i, others_i, given_i_, steps);
        const Regression apart_j = has_moments ? stepped(1, j, others_j, given_j_, passing) : regression(j, others_j, given_j_, steps);
        const End end_i{i, given_i_.data(), given_i_.size(), coefficients_.data() + apart_i.coefficients};
        const End end_j{j, given_j_.data(), given_j_.size(), coefficients_.data() + apart_j.coefficients};
        ++n_fits;
        stop_if_asked();
        Known step;
        if (!steps || (has_moments && !moment_step(i, j, step))) {
            fits_.fit_pair(rows_, end_i, end_j, prior_);
            return joined(i, j, apart_i, apart_j);
        }
        if (!has_moments) {
            fits_.step_pair(rows_, end_i, end_j, prior_);
            step = joined(i, j, apart_i, apart_j);
        }
        const std::uint64_t reference = Store<Known>::key(mixed((i << 31 | j) + kReferences));
        if (const Known* near = evidence_.find(reference))
            if (take_from(*near, step)) return step;
        fits_.fit_pair(rows_, end_i, end_j, prior_);
        const Known exact = joined(i, j, apart_i, apart_j);
        evidence_.add(reference, refer(exact, step));
        return exact;
    }

    // The numbers of a reference: those of the fit, then its step's log Bayes factor and numbers.
    Known refer(const Known& exact, const Known& step) {
        const std::size_t at = numbers_.size(), n = exact.n_numbers;
        double* to = numbers_.resize(at + 2 * n + 1) + at;
        std::memcpy(to, numbers_.data() + exact.numbers, n * sizeof(double));
        to[n] = step.log_bayes_factor;
        std::memcpy(to + n + 1, numbers_.data() + step.numbers, n * sizeof(double));
        return {exact.log_bayes_factor, at, 2 * n + 1};
    }

    // Corrects a step by what the reference's step was off; false if they are far apart.
    bool take_from(const Known& reference, Known& step) {
        const std::size_t n = step.n_numbers;
        if (reference.n_numbers != 2 * n + 1) return false;
        const double *fitted = numbers_.data() + reference.numbers, *stepped = fitted + n + 1, gained = step.log_bayes_factor - fitted[n];
        if (!(std::fabs(gained) < kNear)) return false;
        step.log_bayes_factor = reference.log_bayes_factor + gained;
        double* own = numbers_.data() + step.numbers;
        for (std::size_t k = 0; k < n / 2; ++k) own[k] += fitted[k] - stepped[k];
        for (std::size_t k = n / 2; k < n; ++k) own[k] *= fitted[k] / stepped[k];
        return true;
    }

    // The regression of an end, whose moments are then ready for a step.
    Regression stepped(std::size_t which, std::size_t variable, std::uint64_t others, const Buffer<std::int64_t>& given, bool passing) {
        const std::uint64_t key = regression_key(variable, others);
        const Regression* found = regressions_.find(key);
        if (found && steps_.has(which, variable, key)) return *found;
        const double* from = found ? coefficients_.data() + found->coefficients : start_near(variable, given);
        const End end{variable, given.data(), given.size(), from ? Fits::centred(from, given.size(), start_) : nullptr};
        const double objective = steps_.fit(rows_, chain_.covariates.last, which, end, key, found, passing, prior_);
        if (found) return *found;
        const auto& newton = steps_.newton(which);
        const double* ended = Fits::uncentred(newton.coefficients.data(), given.size(), start_);
        return remember(variable, key, given, {objective, newton.factor().log_determinant(), ended, newton.coefficients.size()});
    }

    bool moment_step(std::size_t i, std::size_t j, Known& to) {
        ScoreStep step;
        if (!steps_.take(i, j, prior_, &step)) return false;
        to = {step.log_bayes_factor, numbers_.size(), 2};
        numbers_.push(step.coupling);
        numbers_.push(step.variance);
        return true;
    }

    // What the latest fit of a pair says.
    Known joined(std::size_t i, std::size_t j, const Regression& apart_i, const Regression& apart_j) {
        const Maximum joint = fits_.pair();
        const double determinant = joint.log_determinant - apart_i.log_determinant - apart_j.log_determinant;
        const double prior = static_cast<double>(Fits::n_free(rows_, i, j)) * log_scale_;
        const std::size_t at = numbers_.size(), n = Fits::n_shown(rows_, i, j);
        numbers_.resize(at + 2 * n);
        fits_.show(numbers_.data() + at, numbers_.data() + at + n);
        return {joint.objective - apart_i.objective - apart_j.objective - prior - 0.5 * determinant, at, 2 * n};
    }

    std::size_t n_scores(const Buffer<std::int64_t>& given) const {
        std::size_t n = 0;
        for (std::size_t k = 0; k < given.size(); ++k) n += rows_.n_scores(index_of(given[k]));
        return n;
    }

    static std::uint64_t regression_key(std::size_t variable, std::uint64_t others) {
        return Store<Regression>::key(mixed(mixed(variable + kTargets) ^ others));
    }

    Regression regression(std::size_t variable, std::uint64_t others, const Buffer<std::int64_t>& given, bool from_near) {
        const std::uint64_t key = regression_key(variable, others);
        if (const Regression* found = regressions_.find(key)) return *found;
        fits_.fit_end(rows_, {variable, given.data(), given.size(), from_near ? start_near(variable, given) : nullptr}, prior_);
        return remember(variable, key, given, fits_.end());
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

    // The neighbours of a variable in the graph as it is, but for one, and the covariates, ascending.
    void collect(std::size_t variable, std::size_t but, Buffer<std::int64_t>& given) const {
        given.resize(0);
        for (std::size_t k = partner_start_[variable]; k < partner_start_[variable + 1]; ++k)
            if (chain_.present[partner_pair_[k]] && partner_[k] != but)
                given.push(static_cast<std::int64_t>(partner_[k]));
        add_covariates(given, chain_.covariates);
    }

    // Pairs ascend, so the partners below a variable come before those above it, and both ascend.
    void list_partners() {
        const std::size_t d = rows_.n_rows, n = chain_.n_pairs;
        partner_start_.resize(d + 1);
        std::memset(partner_start_.data(), 0, (d + 1) * sizeof(std::size_t));
        for (std::size_t k = 0; k < 2 * n; ++k) ++partner_start_[static_cast<std::size_t>(chain_.pairs[k]) + 1];
        for (std::size_t v = 0; v < d; ++v) partner_start_[v + 1] += partner_start_[v];
        partner_.resize(2 * n);
        partner_pair_.resize(2 * n);
        Buffer<std::size_t> next;
        next.resize(d);
        std::memcpy(next.data(), partner_start_.data(), d * sizeof(std::size_t));
        hash_.resize(d);
        std::memset(hash_.data(), 0, d * sizeof(std::uint64_t));
        slopes_.zeros(d);
        const auto put = [&](std::size_t v, std::size_t partner, std::size_t pair) {
            partner_[next[v]] = partner;
            partner_pair_[next[v]++] = pair;
            if (!chain_.present[pair]) return;
            hash_[v] ^= mixed(partner);
            slopes_[v] += Fits::n_free(rows_, v, partner);
        };
        for (std::size_t k = 0; k < n; ++k) put(second(k), first(k), k);
        for (std::size_t k = 0; k < n; ++k) put(first(k), second(k), k);
    }

    std::size_t first(std::size_t pair) const { return static_cast<std::size_t>(chain_.pairs[2 * pair]); }
    std::size_t second(std::size_t pair) const { return static_cast<std::size_t>(chain_.pairs[2 * pair + 1]); }

    BitRows rows_;
    GraphChain chain_;
    SlopePrior prior_;
    double log_scale_, log_odds_;
    std::size_t most_numbers_;
    Buffer<std::size_t> partner_start_, partner_, partner_pair_;
    Buffer<std::uint64_t> hash_, known_key_;  // of the neighbours of a variable; of what known_ is about
    Buffer<std::size_t> slopes_;  // of the regression of a variable on its neighbours
    Buffer<Known> known_;
    Buffer<double> last_;  // log Bayes factor of each pair
    Buffer<std::uint32_t> due_;  // the pairs of a sweep
    Store<Regression> regressions_;
    Store<Known> evidence_;
    Buffer<double> coefficients_, numbers_;
    Buffer<std::size_t> first_number_;  // of each pair's numbers among those of all
    Buffer<std::int64_t> given_i_, given_j_, given_;
    Buffer<Regression> latest_;  // of each variable; without neighbours if there is none
    Buffer<double> start_;
    bool has_steps_ = false;
    Fits fits_;
    ScoreSteps steps_;
};

template <class Fits>
static std::int64_t sample_graphs_by(BitRows rows, GraphChain chain, std::size_t n_settling, std::size_t n_sweeps,
                                     double* densities, GraphNumbers sums, const Sink* fits) {
    GraphSampler<Fits> sampler(rows, chain);
    for (std::size_t s = 0; s < n_settling; ++s) densities[s] = sampler.sweep(s, n_settling, nullptr);
    densities += n_settling;
    for (std::size_t s = 0; s < n_sweeps; ++s) densities[s] = sampler.sweep(s, n_sweeps, &sums);
    if (fits) sampler.hand_over(*fits);
    return sampler.n_fits;
}

static std::int64_t sample_graphs(BitRows rows, GraphChain chain, std::size_t n_settling, std::size_t n_sweeps,
                                  double* densities, GraphNumbers sums, const Sink* fits) {
    return (rows.is_plain() ? sample_graphs_by<BinaryFits> : sample_graphs_by<LevelFits>)(
        rows, chain, n_settling, n_sweeps, densities, sums, fits);
}

}  // namespace markhood::MARKHOOD_TIER
