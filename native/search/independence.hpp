// The Bayesian test of independence of a target and another variable, given a set of variables.
//
// `kernels/reference/independence.py` has the definition. A slice is a row of the target's table with the
// set as its blanket, and splitting the row by the other variable gives the slice's four cells. The logarithms
// of a slice are added in the order of the definition, with nothing but sums, so that
// they are the same to the last bit whatever the backend.
#pragma once
#include <cmath>

#include "count/table.hpp"
#include "search/level_independence.hpp"

namespace markhood::MARKHOOD_TIER {

class IndependenceTest {
  public:
    // log_factorials[k] = log k!, for k = 0 ... n_samples + 3.
    IndependenceTest(BitRows rows, const double* log_factorials) : rows_(rows), logs_(log_factorials) {}

    void condition(std::size_t target, const std::int64_t* given, std::size_t size) {
        table_.build(rows_, target, given, size);
        const int n_given = static_cast<int>(size);
        double occurring = 0.0;
        for (std::size_t p = 0; p < table_.n_packs; ++p)
            for (std::size_t k = 0; k < kPack; ++k) occurring += table_.totals[p][k] > 0 ? 1.0 : 0.0;
        empty_ = kLog2 * (1.0 - std::ldexp(occurring, -n_given));
        prior_odds_ = n_given < kSmallestShare ? std::log(std::expm1(std::ldexp(kLog2, -n_given)))
                                               : std::log(kLog2) - n_given * kLog2;
    }

    // log Pr(independent)
    double against(std::size_t other) {
        table_.split_by(other);
        const std::size_t n = table_.n_packs;
        const Pack *ones = table_.ones.data() + n, *totals = table_.totals.data() + n;
        Pack sum{};
        for (std::size_t p = 0; p < n; ++p) {
            const Pack odds = prior_odds_ + log_ratio(totals[p] - ones[p], totals[n + p] - ones[n + p], ones[p],
                                                      ones[n + p]);
            sum -= table_.totals[p] > 0.0 ? Logistic(odds).log_likelihood(Pack{}, pack_of(1.0)) : Pack{};
        }
        return -(total(sum) + empty_);
    }

  private:
    static constexpr double kLog2 = 0.693147180559945309417;
    static constexpr int kSmallestShare = 50;  // see the definition

    Pack log_factorial(Pack counts, std::ptrdiff_t more) const {
        Pack found{};
        for (std::size_t k = 0; k < kPack; ++k) found[k] = logs_[static_cast<std::ptrdiff_t>(counts[k]) + more];
        return found;
    }

    // log h - log g of a pack of slices: n_xy is x of the target and y of the other.
    Pack log_ratio(Pack n00, Pack n01, Pack n10, Pack n11) const {
        const Pack cells = (log_factorial(n00, 0) + log_factorial(n11, 0)) +
                           (log_factorial(n01, 0) + log_factorial(n10, 0));
        const Pack margins = (log_factorial(n00 + n01, 1) + log_factorial(n10 + n11, 1)) +
                             (log_factorial(n00 + n10, 1) + log_factorial(n01 + n11, 1));
        return ((log_factorial((n00 + n01) + (n10 + n11), 3) - logs_[3]) + cells) - margins;
    }

    BitRows rows_;
    const double* logs_;
    double empty_ = 0.0, prior_odds_ = 0.0;
    BlanketTable table_;
};

template <class Test>
static void test_all(Test test, const std::int64_t* targets, std::size_t n_targets, Lists givens, Lists others,
                     double* log_probabilities) {
    for (std::size_t t = 0; t < n_targets; ++t) {
        test.condition(index_of(targets[t]), givens.list(t), givens.length(t));
        for (std::size_t k = 0; k < others.length(t); ++k) {
            stop_if_asked(k);
            *log_probabilities++ = test.against(index_of(others.list(t)[k]));
        }
    }
}

static void independence_tests(BitRows rows, const std::int64_t* targets, std::size_t n_targets, Lists givens,
                               Lists others, const double* log_factorials, double* log_probabilities) {
    if (rows.is_plain()) {
        IndependenceTest test(rows, log_factorials);
        test_all<IndependenceTest&>(test, targets, n_targets, givens, others, log_probabilities);
    } else {
        LevelIndependenceTest test(rows);
        test_all<LevelIndependenceTest&>(test, targets, n_targets, givens, others, log_probabilities);
    }
}

}  // namespace markhood::MARKHOOD_TIER
