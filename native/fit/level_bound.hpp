// The most that one more variable can add to a multinomial regression, without fitting it.
//
// The bound of tilted_bound.hpp at the blanket's own maximum, as score_bound.hpp has it for two levels. There only the new
// entries g of the gradient are not zero: with W = diag(p) - pp' of a row, one q x q block a level of the candidate in
// each of
//
//     A: sums of W over the samples with that level        C: the same where each of the blanket's predictors is one
//
// Newton's step promises g' S^-1 g with S = A - C' H^-1 C. p, W and the decomposition of H are the blanket's, so that a
// candidate costs no exponential, and no second derivatives but its own.
#pragma once
#include <cmath>

#include "fit/newton.hpp"
#include "fit/design.hpp"

namespace markhood::MARKHOOD_TIER {

class LevelBound {
  public:
    // Takes a regression on indicators at its maximum; its design stays where it is.
    void prepare(Design design, const double* coefficients) {
        design_ = design;
        q_ = design.n_levels - 1;
        n_ = design.n_predictors * q_;
        share_.resize(design.n_rows * q_);
        weight_.resize(design.n_rows * q_ * q_);
        factor_.resize(n_);
        std::memset(factor_.data(), 0, n_ * n_ * sizeof(double));
        for (std::size_t r = 0; r < design.n_rows; ++r) {
            weigh(r, coefficients);
            const double all = total(design.counts + r * design.n_levels);
            add_blocks(r, 0, design.starts[r], all);
            for (std::size_t a = design.starts[r]; a < design.starts[r + 1]; ++a) add_blocks(r, design.active[a], a + 1, all);
        }
        is_known_ = has_pivots(factor_);
    }

    // The most that a candidate can add, by the counts of its levels, (levels, n_rows, n_levels); infinite where that is
    // not known.
    double gain(const double* counts, std::size_t levels) {
        if (!is_known_) return HUGE_VAL;
        const std::size_t n_new = (levels - 1) * q_;
        by_levels([&]<std::size_t kQ>() { gather<kQ>(counts, levels, n_new); });
        schur_.resize(n_new);
        double* schur = schur_.data();
        std::memset(schur, 0, n_new * n_new * sizeof(double));
        for (std::size_t c = 0; c < n_new; ++c)  // the intercept is one wherever the candidate is
            for (std::size_t k = 0; k <= c % q_; ++k) schur[c * n_new + c / q_ * q_ + k] = cross_[k * n_new + c];
        factor_.half_substitute(cross_.data(), n_new);
        for (std::size_t i = 0; i < n_; ++i) {
            const double* row = cross_.data() + i * n_new;
            for (std::size_t c = 0; c < n_new; ++c)
                for (std::size_t k = 0; k <= c; ++k) schur[c * n_new + k] -= row[c] * row[k];
        }
        if (!has_pivots(schur_)) return HUGE_VAL;
        step_.resize(n_new);
        const double promised = schur_.substitute(gradient_.data(), step_.data());
        // The blanket's own gradient is not exactly zero: add what its last step promised.
        const double size = std::sqrt(promised) + std::sqrt(kPromisedGain), moved = spread(counts, levels, n_new);
        return moved < 1.0 ? most_divergence(moved) * size * size + kBoundRounding : HUGE_VAL;
    }

  private:
    static constexpr double kSmallestPivot = 1e-8;  // relative to the diagonal: far above rounding, as a bound must hold

    // Calls work<q>(), with q known to the compiler where it is small: loops over two levels are not worth being loops.
    template <class Work>
    void by_levels(Work work) const {
        if (q_ == 1) work.template operator()<1>();
        else if (q_ == 2) work.template operator()<2>();
        else if (q_ == 3) work.template operator()<3>();
        else if (q_ == 4) work.template operator()<4>();
        else work.template operator()<0>();
    }

    template <std::size_t kQ = 0>
    std::size_t q() const { return kQ ? kQ : q_; }

    template <std::size_t kQ = 0>
    double total(const double* counts) const {
        double sum = counts[0];
        for (std::size_t k = 1; k <= q<kQ>(); ++k) sum += counts[k];
        return sum;
    }

    // The probabilities of a row's levels but the first, and diag(p) - pp' of them.
    void weigh(std::size_t r, const double* b) {
        double* p = share_.data() + r * q_;
        double highest = 0.0;
        for (std::size_t k = 0; k < q_; ++k) {
            p[k] = b[k];
            for (std::size_t a = design_.starts[r]; a < design_.starts[r + 1]; ++a) p[k] += b[design_.active[a] * q_ + k];
            highest = p[k] > highest ? p[k] : highest;
        }
        const double first = std::exp(-highest);
        double sum = first;
        for (std::size_t k = 0; k < q_; ++k) sum += p[k] = std::exp(p[k] - highest);
        for (std::size_t k = 0; k < q_; ++k) p[k] /= sum;
        double* w = weight_.data() + r * q_ * q_;
        for (std::size_t k = 0; k < q_; ++k) {
            double others = first / sum;
            for (std::size_t l = 0; l < q_; ++l) {
                others += l == k ? 0.0 : p[l];
                w[k * q_ + l] = -p[k] * p[l];
            }
            w[k * q_ + k] = p[k] * others;
        }
    }

    // Adds a row's weights for predictor u with the intercept and the predictors listed before `end`.
    void add_blocks(std::size_t r, std::size_t u, std::size_t end, double all) {
        add_block(r, u, 0, all);
        for (std::size_t a = design_.starts[r]; a < end; ++a) add_block(r, u, design_.active[a], all);
    }

    void add_block(std::size_t r, std::size_t u, std::size_t v, double all) {
        const double* w = weight_.data() + r * q_ * q_;
        for (std::size_t k = 0; k < q_; ++k)
            for (std::size_t l = 0; l < q_; ++l) factor_.data()[(u * q_ + k) * n_ + v * q_ + l] += all * w[k * q_ + l];
    }

    // The candidate's gradient, and its second derivatives with the blanket's parameters, in cross_.
    template <std::size_t kQ>
    void gather(const double* counts, std::size_t levels, std::size_t n_new) {
        gradient_.zeros(n_new);
        cross_.zeros(n_ * n_new);
        for (std::size_t level = 1; level < levels; ++level) {
            const std::size_t first = (level - 1) * q<kQ>();
            for (std::size_t r = 0; r < design_.n_rows; ++r) {
                const double* n = counts + (level * design_.n_rows + r) * (q<kQ>() + 1);
                const double all = total<kQ>(n);
                if (all == 0) continue;
                for (std::size_t k = 0; k < q<kQ>(); ++k) gradient_[first + k] += n[k + 1] - all * share_[r * q<kQ>() + k];
                add_cross<kQ>(r, 0, first, n_new, all);
                for (std::size_t a = design_.starts[r]; a < design_.starts[r + 1]; ++a)
                    add_cross<kQ>(r, design_.active[a], first, n_new, all);
            }
        }
    }

    template <std::size_t kQ>
    void add_cross(std::size_t r, std::size_t u, std::size_t first, std::size_t n_new, double all) {
        const double* w = weight_.data() + r * q<kQ>() * q<kQ>();
        double* to = cross_.data() + u * q<kQ>() * n_new + first;
        for (std::size_t k = 0; k < q<kQ>(); ++k, to += n_new)
            for (std::size_t l = 0; l < q<kQ>(); ++l) to[l] += all * w[k * q<kQ>() + l];
    }

    // Factorises; whether all pivots are far above rounding.
    static bool has_pivots(Cholesky& matrix) {
        bool all_usable = true;
        matrix.decompose([&](std::size_t, double pivot, double diagonal) {
            return all_usable = all_usable && pivot > kSmallestPivot * diagonal;
        });
        return all_usable;
    }

    // The most by which the step sets two levels of a sample apart; the blanket's parameters follow the new ones.
    double spread(const double* counts, std::size_t levels, std::size_t n_new) {
        follow_.resize(n_);
        for (std::size_t i = 0; i < n_; ++i) follow_[i] = -dot(cross_.data() + i * n_new, step_.data(), n_new);
        factor_.back_substitute(follow_.data());
        change_.resize(q_);
        double widest = 0.0;
        by_levels([&]<std::size_t kQ>() {
            for (std::size_t r = 0; r < design_.n_rows; ++r) {
                const double width = widest_of_row<kQ>(r, counts, levels);
                widest = width > widest ? width : widest;
            }
        });
        return widest;
    }

    template <std::size_t kQ>
    double widest_of_row(std::size_t r, const double* counts, std::size_t levels) {
        for (std::size_t k = 0; k < q<kQ>(); ++k) {
            change_[k] = follow_[k];
            for (std::size_t a = design_.starts[r]; a < design_.starts[r + 1]; ++a)
                change_[k] += follow_[design_.active[a] * q<kQ>() + k];
        }
        double widest = 0.0;
        for (std::size_t level = 0; level < levels; ++level) {
            if (total<kQ>(counts + (level * design_.n_rows + r) * (q<kQ>() + 1)) == 0) continue;
            double lowest = 0.0, highest = 0.0;
            for (std::size_t k = 0; k < q<kQ>(); ++k) {
                const double moved = change_[k] + (level ? step_[(level - 1) * q<kQ>() + k] : 0.0);
                lowest = moved < lowest ? moved : lowest;
                highest = moved > highest ? moved : highest;
            }
            widest = highest - lowest > widest ? highest - lowest : widest;
        }
        return widest;
    }

    Design design_{};
    std::size_t q_ = 0, n_ = 0;
    bool is_known_ = false;
    Cholesky factor_, schur_;
    Buffer<double> share_, weight_, gradient_, cross_, step_, follow_, change_;
};

}  // namespace markhood::MARKHOOD_TIER
