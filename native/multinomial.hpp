// Multinomial logistic regression on a table, by Newton's method.
//
// `kernels/reference/multinomial.py` has the definition. A row of the table is a configuration of predictors, most of
// them zero: only the others are listed, and a row adds to the gradient and to the Hessian where these meet.
#pragma once
#include <cmath>

#include "buffer.hpp"
#include "newton_fit.hpp"
#include "saturated.hpp"

namespace markhood::MARKHOOD_TIER {

// What newton_fit.hpp wants to know; coefficients are (n_predictors, n_levels - 1), the thresholds first.
class MultinomialModel {
  public:
    std::size_t n_parameters = 0, n_thresholds = 0;

    void set(Design design) {
        design_ = design;
        n_thresholds = design.n_levels - 1;
        n_parameters = design.n_predictors * n_thresholds;
        const std::size_t cells = design_.n_rows * design_.n_levels;
        for (Buffer<double>* of_cells : {&eta_, &power_}) of_cells->resize((cells + kPack - 1) / kPack * kPack);
        sum_.resize(design_.n_rows);
        total_.resize(design_.n_rows);
        for (std::size_t r = 0; r < design_.n_rows; ++r) {
            total_[r] = 0.0;
            for (std::size_t k = 0; k < design_.n_levels; ++k) total_[r] += design_.counts[r * design_.n_levels + k];
        }
    }

    double reach(std::size_t k) const { return design_.reach ? design_.reach[k / n_thresholds] : 1.0; }

    double n_samples() const {
        double sum = 0.0;
        for (std::size_t r = 0; r < design_.n_rows; ++r) sum += total_[r];
        return sum;
    }

    std::size_t levels_seen() const {
        std::size_t n = 0;
        for (std::size_t k = 0; k < design_.n_levels; ++k) {
            double of_level = 0.0;
            for (std::size_t r = 0; r < design_.n_rows; ++r) of_level += design_.counts[r * design_.n_levels + k];
            n += of_level > 0;
        }
        return n;
    }

    double prepare(const double* step) const {
        double found = 0.0;
        for (std::size_t k = 0; k < n_parameters; ++k) {
            const double size = std::fabs(step[k]) * reach(k);
            found = size > found ? size : found;
        }
        return found;
    }

    double spread(const double*) const { return HUGE_VAL; }  // bounded by its table instead, see level_scores.hpp
    double rough_spread(const double*) const { return HUGE_VAL; }
    double attempt(const double* trial, double) { return evaluate(trial); }
    void accept() {}

    // Leaves power_ = exp(eta - largest of the row) and sum_, their sums.
    double evaluate(const double* b) {
        linear(b, eta_.data());
        const std::size_t levels = design_.n_levels;
        double likelihood = 0.0;
        for (std::size_t r = 0; r < design_.n_rows; ++r) {
            double* eta = eta_.data() + r * levels;
            double highest = eta[0];
            for (std::size_t k = 1; k < levels; ++k) highest = eta[k] > highest ? eta[k] : highest;
            for (std::size_t k = 0; k < levels; ++k) {
                eta[k] -= highest;
                likelihood += design_.counts[r * levels + k] * eta[k];
                eta[k] = eta[k] < -700.0 ? -700.0 : eta[k];
            }
        }
        for (std::size_t c = design_.n_rows * levels; c < eta_.size(); ++c) eta_[c] = 0.0;
        for (std::size_t c = 0; c < eta_.size(); c += kPack) {
            Pack x;
            std::memcpy(&x, eta_.data() + c, sizeof(Pack));
            x = exp_of_negative(x);
            std::memcpy(power_.data() + c, &x, sizeof(Pack));
        }
        for (std::size_t r = 0; r < design_.n_rows; ++r) {
            sum_[r] = 0.0;
            for (std::size_t k = 0; k < levels; ++k) sum_[r] += power_[r * levels + k];
            likelihood -= total_[r] * std::log(sum_[r]);
        }
        return likelihood;
    }

    void differentiate(double* gradient, double* hessian) {
        gradient_ = gradient;
        hessian_ = hessian;
        block_.resize(n_thresholds * n_thresholds);
        residual_.resize(n_thresholds);
        std::memset(gradient, 0, n_parameters * sizeof(double));
        std::memset(hessian, 0, n_parameters * n_parameters * sizeof(double));
        if (design_.values) add_rows<true>();
        else add_rows<false>();
    }

    void note_leaving(const double* step, bool first) {
        const std::size_t levels = design_.n_levels, cells = design_.n_rows * levels;
        if (first) {
            has_left_.resize(cells);
            std::memset(has_left_.data(), 0, cells);
        }
        change_.resize(cells);
        linear(step, change_.data());
        for (std::size_t r = 0; r < design_.n_rows; ++r) {
            const double *n = design_.counts + r * levels, *change = change_.data() + r * levels;
            double slowest = HUGE_VAL;
            for (std::size_t k = 0; k < levels; ++k)
                if (n[k] > 0 && change[k] < slowest) slowest = change[k];
            for (std::size_t k = 0; k < levels; ++k)
                if (n[k] == 0 && change[k] < slowest - kStillMoving) has_left_[r * levels + k] = 1;
        }
    }

    // The likelihood without the cells that have left.
    double supremum(const double* b) {
        linear(b, eta_.data());
        const std::size_t levels = design_.n_levels;
        double likelihood = 0.0;
        for (std::size_t r = 0; r < design_.n_rows; ++r) {
            const double *eta = eta_.data() + r * levels, *n = design_.counts + r * levels;
            const unsigned char* left = has_left_.data() + r * levels;
            double highest = -HUGE_VAL, sum = 0.0;
            for (std::size_t k = 0; k < levels; ++k) highest = !left[k] && eta[k] > highest ? eta[k] : highest;
            for (std::size_t k = 0; k < levels; ++k) sum += left[k] ? 0.0 : std::exp(eta[k] - highest);
            for (std::size_t k = 0; k < levels; ++k) likelihood += n[k] > 0 ? n[k] * (eta[k] - highest) : 0.0;
            likelihood -= total_[r] * std::log(sum);
        }
        return likelihood;
    }

  private:
    // to[r, k] = sum over the row's predictors u of x_u b[u, k - 1], and to[r, 0] = 0.
    void linear(const double* b, double* to) const {
        if (design_.values) sum_predictors<true>(b, to);
        else sum_predictors<false>(b, to);
    }

    template <bool has_values>
    double value(std::size_t a) const {
        if constexpr (has_values) return design_.values[a];
        else return 1.0;
    }

    template <bool has_values>
    void sum_predictors(const double* b, double* to) const {
        for (std::size_t r = 0; r < design_.n_rows; ++r, to += design_.n_levels) {
            to[0] = 0.0;
            for (std::size_t k = 0; k < n_thresholds; ++k) to[k + 1] = b[k];
            for (std::size_t a = design_.starts[r]; a < design_.starts[r + 1]; ++a) {
                const double *row = b + design_.active[a] * n_thresholds, x = value<has_values>(a);
                for (std::size_t k = 0; k < n_thresholds; ++k) to[k + 1] += x * row[k];
            }
        }
    }

    // residual_ = n - N p and block_ = N (diag p - p p') of a row, without the first level. 1 - p is a sum, and the
    // residual n (1 - p) - (N - n) p: differences would be nothing where p is nearly one.
    void weigh(std::size_t r) {
        const double* p = power_.data() + r * design_.n_levels;
        const double scale = 1.0 / sum_[r], all = total_[r];
        for (std::size_t k = 0; k < n_thresholds; ++k) {
            const double n = design_.counts[r * design_.n_levels + k + 1], p_k = p[k + 1] * scale;
            double others = p[0];
            for (std::size_t l = 0; l < n_thresholds; ++l) {
                others += l == k ? 0.0 : p[l + 1];
                block_[k * n_thresholds + l] = -all * p_k * p[l + 1] * scale;
            }
            others *= scale;
            residual_[k] = n * others - (all - n) * p_k;
            block_[k * n_thresholds + k] = all * p_k * others;
        }
    }

    template <bool has_values>
    void add_rows() {
        for (std::size_t r = 0; r < design_.n_rows; ++r) {
            weigh(r);
            add_row<has_values>(0, 1.0, r, design_.starts[r]);
            for (std::size_t a = design_.starts[r]; a < design_.starts[r + 1]; ++a)
                add_row<has_values>(design_.active[a], value<has_values>(a), r, a + 1);
        }
    }

    // Adds the row's block for predictor u with the threshold and the predictors listed before `end`.
    template <bool has_values>
    void add_row(std::size_t u, double x, std::size_t r, std::size_t end) {
        if constexpr (!has_values) x = 1.0;  // known to the compiler, which then multiplies by nothing
        for (std::size_t k = 0; k < n_thresholds; ++k) gradient_[u * n_thresholds + k] += x * residual_[k];
        add_block(u, 0, x);
        for (std::size_t a = design_.starts[r]; a < end; ++a) add_block(u, design_.active[a], x * value<has_values>(a));
    }

    void add_block(std::size_t u, std::size_t v, double scale) {
        for (std::size_t k = 0; k < n_thresholds; ++k) {
            double* to = hessian_ + (u * n_thresholds + k) * n_parameters + v * n_thresholds;
            for (std::size_t l = 0; l < n_thresholds; ++l) to[l] += scale * block_[k * n_thresholds + l];
        }
    }

    Design design_{};
    double *gradient_ = nullptr, *hessian_ = nullptr;
    Buffer<unsigned char> has_left_;
    Buffer<double> eta_, power_, sum_, total_, block_, residual_, change_;
};

class MultinomialFit : public NewtonFit<MultinomialModel> {
  public:
    // Starts from `coefficients`, which the caller has set. Returns the likelihood less the penalty.
    double maximise(Design design, double l1, double l2) {
        model_.set(design);
        is_saturated_ = l1 == 0 && l2 == 0 && saturated_.applies_to(design);
        if (!is_saturated_) return NewtonFit::maximise(model_, l1, l2);
        drift.resize(model_.n_parameters);
        separated = false;
        const double likelihood = saturated_.fit(coefficients.data(), drift.data(), separated);
        for (std::size_t k = 0; k < drift.size(); ++k) drift[k] *= model_.reach(k);
        return likelihood;
    }

    // As NewtonFit does; a saturated fit is where it ends.
    template <class Restart>
    void settle(Restart restart) {
        if (!is_saturated_) NewtonFit::settle(model_, restart);
    }

  private:
    bool is_saturated_ = false;
    MultinomialModel model_;
    SaturatedFit saturated_;
};

}  // namespace markhood::MARKHOOD_TIER
