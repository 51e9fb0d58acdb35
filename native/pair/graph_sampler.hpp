// A chain over graphs: every candidate pair in turn is an edge or not, by its probability given the rest.
//
// In a sweep the pairs come in random order. A pair's probability is
//
//     P = 1 / (1 + exp(-log BF - log odds)),      log odds = log(density / (1 - density)), or the pair's own,
//
// with the Bayes factor of pair_evidence.hpp given the neighbours that both ends have now; the edge is then set by a
// draw with this probability. After a sweep the density is estimated from all pairs without odds of their own, each
// with its last log BF; pairs that are not candidates count as a histogram of log BF.
//
// **Seldom.** Of most pairs an earlier chain was sure, or nearly. A pair is visited in the first of as many sweeps as its period
// says, and its sums then count for the sweeps without a visit too; while a chain settles, in the last of as many, so that those
// of long periods are not visited then, and the density stays what it was. The periods are fixed beforehand, so that a chain is what it
// would be in a longer time: to visit pairs in unequal shares changes no Gibbs sampler's distribution.
#pragma once
#include "pair/coupling_prior.hpp"
#include "pair/pair_evidence.hpp"

namespace markhood::MARKHOOD_TIER {

template <class Fits>
class GraphSampler {
  public:
    PairEvidence<Fits> evidence;

    GraphSampler(BitRows rows, const GraphChain& chain)
        : evidence(rows, chain), rows_(rows), chain_(chain), log_odds_(std::log(chain.density / (1.0 - chain.density))) {
        list_partners();
        last_.resize(chain.n_pairs);
        first_number_.resize(0);
        first_number_.push(0);
        for (std::size_t k = 0; k < chain.n_pairs; ++k) first_number_.push(first_number_[k] + rows.n_shown(first(k), second(k)));
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

  private:
    using Known = typename PairEvidence<Fits>::Known;
    static constexpr double kLargestLogOdds = -1.0986122886681098;  // of a density of 1/4: an edge has a Bayes factor of at least 3

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
        const std::size_t of_first = slopes_[first(pair)], of_second = slopes_[second(pair)], n = rows_.n_parameters(first(pair), second(pair));
        return static_cast<double>(n + (of_first > of_second ? of_first : of_second)) <= chain_.most_slopes;
    }

    // The probability of a pair, which is added to `sums`.
    double probability(std::size_t pair, const GraphNumbers* sums, double times) {
        const Known known = evidence_of(pair);
        const std::size_t n = first_number_[pair + 1] - first_number_[pair];
        const double *coupling = evidence.numbers(known), *variance = coupling + n;
        double own_coupling, own_variance;
        last_[pair] = known.log_bayes_factor;
        if (n == 1 && (chain_.shape != 0 || chain_.background > 0 || chain_.expected[pair] != 0)) {
            own_coupling = *coupling;
            own_variance = *variance;
            last_[pair] += reshape(chain_, unit_of(pair), chain_.expected[pair], own_coupling, own_variance);
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

    Known evidence_of(std::size_t pair) {
        const std::size_t i = first(pair), j = second(pair);
        const std::uint64_t edge = chain_.present[pair] ? ~std::uint64_t{0} : 0;
        return evidence.of(i, j, hash_[i] ^ (mixed(j) & edge), hash_[j] ^ (mixed(i) & edge), edge != 0,
                           [&](std::size_t end, std::size_t but, Buffer<std::int64_t>& given) { collect(end, but, given); });
    }

    void flip(std::size_t pair) {
        chain_.present[pair] ^= 1;
        hash_[first(pair)] ^= mixed(second(pair));
        hash_[second(pair)] ^= mixed(first(pair));
        const std::size_t n = rows_.n_parameters(first(pair), second(pair));
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
        partner_start_.zeros(d + 1);
        for (std::size_t k = 0; k < 2 * n; ++k) ++partner_start_[static_cast<std::size_t>(chain_.pairs[k]) + 1];
        for (std::size_t v = 0; v < d; ++v) partner_start_[v + 1] += partner_start_[v];
        partner_.resize(2 * n);
        partner_pair_.resize(2 * n);
        Buffer<std::size_t> next;
        next.copy(partner_start_);
        hash_.zeros(d);
        slopes_.zeros(d);
        const auto put = [&](std::size_t v, std::size_t partner, std::size_t pair) {
            partner_[next[v]] = partner;
            partner_pair_[next[v]++] = pair;
            if (!chain_.present[pair]) return;
            hash_[v] ^= mixed(partner);
            slopes_[v] += rows_.n_parameters(v, partner);
        };
        for (std::size_t k = 0; k < n; ++k) put(second(k), first(k), k);
        for (std::size_t k = 0; k < n; ++k) put(first(k), second(k), k);
    }

    std::size_t first(std::size_t pair) const { return static_cast<std::size_t>(chain_.pairs[2 * pair]); }
    std::size_t second(std::size_t pair) const { return static_cast<std::size_t>(chain_.pairs[2 * pair + 1]); }

    BitRows rows_;
    GraphChain chain_;
    double log_odds_;
    Buffer<std::size_t> partner_start_, partner_, partner_pair_;
    Buffer<std::uint64_t> hash_;   // of the neighbours of a variable
    Buffer<std::size_t> slopes_;   // of the regression of a variable on its neighbours
    Buffer<double> last_;          // log Bayes factor of each pair
    Buffer<std::uint32_t> due_;    // the pairs of a sweep
    Buffer<std::size_t> first_number_;  // of each pair's numbers among those of all
};

template <class Fits>
static std::int64_t sample_graphs_by(BitRows rows, GraphChain chain, std::size_t n_settling, std::size_t n_sweeps,
                                     double* densities, GraphNumbers sums, const Sink* fits) {
    GraphSampler<Fits> sampler(rows, chain);
    for (std::size_t s = 0; s < n_settling; ++s) densities[s] = sampler.sweep(s, n_settling, nullptr);
    densities += n_settling;
    for (std::size_t s = 0; s < n_sweeps; ++s) densities[s] = sampler.sweep(s, n_sweeps, &sums);
    if (fits) sampler.evidence.hand_over(*fits);
    return sampler.evidence.n_fits;
}

static std::int64_t sample_graphs(BitRows rows, GraphChain chain, std::size_t n_settling, std::size_t n_sweeps,
                                  double* densities, GraphNumbers sums, const Sink* fits) {
    return (rows.is_plain() ? sample_graphs_by<BinaryFits> : sample_graphs_by<LevelFits>)(
        rows, chain, n_settling, n_sweeps, densities, sums, fits);
}

}  // namespace markhood::MARKHOOD_TIER
