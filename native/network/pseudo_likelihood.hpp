// The Potts model of all variables, by L2-penalised pseudo-likelihood: some targets' regressions on all other variables.
//
// A table has a row for each level of each variable and one for the fields, and a column for each level of each target, the
// targets side by side. The log odds of a sample are then the sum of its variables' rows, and the gradient of a row is the sum
// of the residuals of the samples that have its level: both are additions of whole rows of registers, with neither indicators
// nor products. Columns are taken a few registers at a time, which hold the sums; samples are taken by blocks, ordered
// by level for each variable, so that residuals are read and tables seldom written.
//
//     minimise  sum_n w_n sum_t -log p(x_nt | the others) + field_penalty |h|^2 + sum_t sum_j penalty_t penalty_j |J_tj|^2
//
// It is one L-BFGS for all targets of a call. Its first metric is the diagonal of the Hessian where nothing depends on
// anything, which is n(level) p (1 - p) and the penalty: with it rare letters and common ones come to rest together. Where it
// is nothing (a target's own rows, padding), nothing moves. Rows count from their mean over the samples: the fields then are those
// of an average sample and have little to do with the couplings, which takes a fifth of the steps. Single precision suffices
// for rows (half the time, the same ranks); the likelihood and the products of steps are summed in double precision.
#pragma once
#include <cmath>

#include "machine/buffer.hpp"
#include "machine/packs.hpp"

namespace markhood::MARKHOOD_TIER {

using Real = float;
constexpr std::size_t kReals = 2 * kPack;
using Reals = Real __attribute__((vector_size(kReals * sizeof(Real))));
using RealsBits = std::int32_t __attribute__((vector_size(kReals * sizeof(Real))));

constexpr std::size_t kBlock = 512;    // samples whose residuals are held at a time
constexpr std::size_t kRegisters = 4;  // columns that are summed at a time, in registers
constexpr std::size_t kHistory = 6;    // steps that L-BFGS remembers
constexpr std::size_t kFactors = 8;    // sums of at most 1e38 that have one logarithm together
constexpr Real kLargestLogit = 80;     // exp is within the range of a float

static inline Reals load(const Real* from) { return *reinterpret_cast<const Reals*>(from); }
static inline void store(Real* to, Reals values) { *reinterpret_cast<Reals*>(to) = values; }

// exp(x) for -80 <= x <= 80, as exp_of_negative has it.
static inline Reals exp_of(Reals x) {
    const Real shift = 12582912.0f;
    const Reals shifted = x * 1.44269504f + shift, k = shifted - shift;
    const Reals r = (x - k * 0.693359375f) + k * 2.12194440e-4f;
    Reals sum = Reals{} + 1.0f / 5040.0f;
    const Real inverse_factorial[] = {1.0f / 720.0f, 1.0f / 120.0f, 1.0f / 24.0f, 1.0f / 6.0f, 0.5f, 1.0f, 1.0f};
    for (const Real coefficient : inverse_factorial) sum = sum * r + coefficient;
    return sum * (Reals)(((RealsBits)shifted + 127) << 23);
}

// The sum of products in double precision, in an order that depends on the length alone.
static double dot(const Real* a, const Real* b, std::size_t n) {
    double sums[8] = {};
    for (std::size_t k = 0; k < n; k += 8)
        for (std::size_t l = 0; l < 8; ++l) sums[l] += double(a[k + l]) * double(b[k + l]);
    double total = 0;
    for (const double sum : sums) total += sum;
    return total;
}

class PseudoLikelihood {
  public:
    PseudoLikelihood(const PottsSamples& samples, const std::int64_t* targets, std::size_t n_targets,
                     const PottsPenalty& penalty)
        : samples_(samples), targets_(targets), n_targets_(n_targets), penalty_(penalty) {
        lay_out_columns();
        lay_out_samples();
        measure();
    }

    std::size_t size() const { return (samples_.n_rows + 1) * width_; }

    // Goes on until a step promises less than `tolerance` nats a sample and target, or no step is better any more; writes the
    // table, a row after another. Returns the number of steps.
    std::size_t minimise(double tolerance, std::size_t most_steps, float* table) {
        const std::size_t n = size();
        Buffer<Real> x, g, tried, g_tried, along, s[kHistory], y[kHistory];
        zero(x, n), zero(g, n), zero(tried, n), zero(g_tried, n), zero(along, n);
        for (std::size_t k = 0; k < kHistory; ++k) zero(s[k], n), zero(y[k], n);
        start(x.data());
        double value = evaluate(x.data(), g.data()), curvature[kHistory] = {};
        const double enough = tolerance * total_weight_ * double(n_targets_);
        std::size_t step = 0;
        for (std::size_t known = 0; step < most_steps; ++step) {
            scaled(g.data(), along.data());
            const double decrement = dot(g.data(), along.data(), n);
            if (decrement <= enough) break;
            if (known) direction(g.data(), s, y, curvature, known, step, along.data());
            const double slope = -dot(g.data(), along.data(), n);
            double length = 1.0, reached = value + 1.0;
            for (int halved = 0; halved < 20 && reached > value + 1e-4 * length * slope; ++halved) {
                if (halved) length *= 0.5;
                for (std::size_t k = 0; k < n; ++k) tried[k] = x[k] - Real(length) * along[k];
                reached = evaluate(tried.data(), g_tried.data());
            }
            if (reached > value) break;  // rounding is all that is left
            Real *ds = s[step % kHistory].data(), *dy = y[step % kHistory].data();
            for (std::size_t k = 0; k < n; ++k) ds[k] = tried[k] - x[k], dy[k] = g_tried[k] - g[k];
            x.swap(tried), g.swap(g_tried);
            value = reached;
            curvature[step % kHistory] = dot(ds, dy, n);
            if (curvature[step % kHistory] <= 0) break;  // the value is strictly convex: rounding again
            if (known < kHistory) ++known;
        }
        for (std::size_t row = 0; row <= samples_.n_rows; ++row)
            for (std::size_t c = 0; c < n_columns_; ++c) table[row * n_columns_ + c] = x[row * width_ + c];
        return step;
    }

    // The value and the gradient at a table.
    double evaluate(const Real* table, Real* gradient) {
        std::memset(gradient, 0, size() * sizeof(Real));
        centre_fields(table);
        double value = 0;
        for (std::size_t first = 0; first < samples_.n; first += kBlock) {
            stop_if_asked();
            const std::size_t n = samples_.n - first < kBlock ? samples_.n - first : kBlock;
            for (std::size_t c = 0; c < width_; c += kRegisters * kReals) add_rows(table, first, n, c);
            value += turn_into_residuals(first, n);
            for (std::size_t c = 0; c < width_; c += kRegisters * kReals) add_residuals(first, n, c, gradient);
        }
        centre_rows(gradient);
        return value + add_penalty(table, gradient);
    }

  private:
    static void zero(Buffer<Real>& b, std::size_t n) { std::memset(b.resize(n), 0, n * sizeof(Real)); }

    void lay_out_columns() {
        n_columns_ = 0;
        for (std::size_t t = 0; t < n_targets_; ++t) {
            columns_.push(n_columns_);
            n_columns_ += samples_.levels(index_of(targets_[t]));
        }
        columns_.push(n_columns_);
        const std::size_t side = kRegisters * kReals;
        width_ = (n_columns_ + side - 1) / side * side;
    }

    // Of every block and variable the samples by level, and how many have each.
    void lay_out_samples() {
        const std::size_t d = samples_.n_variables, n_blocks = (samples_.n + kBlock - 1) / kBlock;
        ordered_.resize(n_blocks * d * kBlock);
        std::uint16_t* const runs = runs_.resize(n_blocks * (samples_.n_rows + 1));
        std::memset(runs, 0, runs_.size() * sizeof(std::uint16_t));
        residuals_.resize(kBlock * width_);
        std::memset(residuals_.data(), 0, kBlock * width_ * sizeof(Real));
        Buffer<std::uint16_t> at;
        at.resize(samples_.n_rows + 1);
        for (std::size_t b = 0; b < n_blocks; ++b) {
            const std::size_t first = b * kBlock, n = samples_.n - first < kBlock ? samples_.n - first : kBlock;
            std::uint16_t* const count = runs + b * (samples_.n_rows + 1);
            for (std::size_t j = 0; j < d; ++j) {
                const std::size_t from = samples_.first_row(j), to = samples_.first_row(j + 1);
                for (std::size_t s = 0; s < n; ++s)
                    if (const std::size_t row = samples_.row(first + s, j); row < samples_.n_rows) ++count[row];
                std::uint16_t before = 0;
                for (std::size_t row = from; row < to; ++row) {
                    at[row] = before;
                    before = std::uint16_t(before + count[row]);
                }
                std::uint16_t* const sorted = ordered_.data() + (b * d + j) * kBlock;
                for (std::size_t s = 0; s < n; ++s)
                    if (const std::size_t row = samples_.row(first + s, j); row < samples_.n_rows)
                        sorted[at[row]++] = std::uint16_t(s);
            }
        }
    }

    // How many samples have each level, and from that the metric.
    void measure() {
        const std::size_t n_rows = samples_.n_rows;
        Buffer<double> counts;
        std::memset(counts.resize(n_rows + 1), 0, (n_rows + 1) * sizeof(double));
        total_weight_ = 0;
        for (std::size_t s = 0; s < samples_.n; ++s) {
            total_weight_ += samples_.weights[s];
            for (std::size_t j = 0; j < samples_.n_variables; ++j) counts[samples_.row(s, j)] += samples_.weights[s];
        }
        counts[n_rows] = total_weight_;  // in place of what is missing: the row of the fields
        for (std::size_t row = 0; row < n_rows; ++row) shares_.push(Real(counts[row] / total_weight_));
        zero(metric_, size());
        zero(first_fields_, width_), zero(fields_, width_);
        for (std::size_t t = 0; t < n_targets_; ++t) {
            const std::size_t target = index_of(targets_[t]);
            const std::size_t own = samples_.first_row(target), r = samples_.levels(target);
            double seen = 0;
            for (std::size_t a = 0; a < r; ++a) seen += counts[own + a];
            for (std::size_t a = 0; a < r; ++a) {
                const double share = (counts[own + a] + 0.5) / (seen + 0.5 * double(r));
                first_fields_[columns_[t] + a] = Real(std::log(share));
                for (std::size_t j = 0; j < samples_.n_variables; ++j)
                    for (std::size_t row = samples_.first_row(j); j != target && row < samples_.first_row(j + 1); ++row)
                        metric_[row * width_ + columns_[t] + a] =
                            Real(1 / (counts[row] * (1 - counts[row] / total_weight_) * share * (1 - share) +
                                      2 * strength(target, j)));
                metric_[n_rows * width_ + columns_[t] + a] =
                    Real(1 / (total_weight_ * share * (1 - share) + 2 * penalty_.field));
            }
        }
    }

    double strength(std::size_t target, std::size_t j) const { return penalty_.variables[target] * penalty_.variables[j]; }

    void start(Real* table) const {  // fields of the shares, without couplings; of all fields that say so the zero-sum ones
        Real* const fields = table + samples_.n_rows * width_;
        for (std::size_t t = 0; t < n_targets_; ++t) {
            Real mean = 0;
            for (std::size_t c = columns_[t]; c < columns_[t + 1]; ++c) mean += first_fields_[c];
            mean /= Real(columns_[t + 1] - columns_[t]);
            for (std::size_t c = columns_[t]; c < columns_[t + 1]; ++c) fields[c] = first_fields_[c] - mean;
        }
    }

    void scaled(const Real* gradient, Real* along) const {
        for (std::size_t k = 0; k < size(); ++k) along[k] = metric_[k] * gradient[k];
    }

    // The two loops of L-BFGS (Nocedal 1980) from the metric, scaled by the last step.
    void direction(const Real* gradient, Buffer<Real>* s, Buffer<Real>* y, const double* curvature, std::size_t known,
                   std::size_t step, Real* along) const {
        const std::size_t n = size();
        double weight[kHistory];
        std::memcpy(along, gradient, n * sizeof(Real));
        for (std::size_t back = 1; back <= known; ++back) {
            const std::size_t k = (step - back) % kHistory;
            weight[k] = dot(s[k].data(), along, n) / curvature[k];
            add(along, y[k].data(), -weight[k]);
        }
        const std::size_t last = (step - 1) % kHistory;
        double length = 0;
        for (std::size_t k = 0; k < n; ++k) length += double(y[last][k]) * double(y[last][k]) * double(metric_[k]);
        const Real scale = Real(curvature[last] / length);
        for (std::size_t k = 0; k < n; ++k) along[k] *= scale * metric_[k];
        for (std::size_t back = known; back >= 1; --back) {
            const std::size_t k = (step - back) % kHistory;
            add(along, s[k].data(), weight[k] - dot(y[k].data(), along, n) / curvature[k]);
        }
    }

    void add(Real* to, const Real* what, double times) const {
        const Real factor = Real(times);
        for (std::size_t k = 0; k < size(); ++k) to[k] += factor * what[k];
    }

    // Rows count from their mean over the samples, so that fields are those of an average sample.
    void centre_fields(const Real* table) {
        std::memcpy(fields_.data(), table + samples_.n_rows * width_, width_ * sizeof(Real));
        for (std::size_t row = 0; row < samples_.n_rows; ++row)
            for (std::size_t c = 0; c < width_; ++c) fields_[c] -= shares_[row] * table[row * width_ + c];
    }

    void centre_rows(Real* gradient) const {
        const Real* const of_fields = gradient + samples_.n_rows * width_;
        for (std::size_t row = 0; row < samples_.n_rows; ++row)
            for (std::size_t c = 0; c < width_; ++c) gradient[row * width_ + c] -= shares_[row] * of_fields[c];
    }

    // The log odds of a block of samples: the rows of their levels, and the fields.
    void add_rows(const Real* table, std::size_t first, std::size_t n, std::size_t column) {
        const std::size_t d = samples_.n_variables;
        const Real* const from = table + column;
        const Real* const fields = fields_.data() + column;
        for (std::size_t s = 0; s < n; ++s) {
            const std::int32_t* const rows = samples_.places + (first + s) * d;
            Reals sums[kRegisters];
            for (std::size_t k = 0; k < kRegisters; ++k) sums[k] = load(fields + k * kReals);
            for (std::size_t j = 0; j < d; ++j) {
                if (samples_.has_missing && std::size_t(rows[j]) == samples_.n_rows) continue;
                const Real* const row = from + std::size_t(rows[j]) * width_;
                for (std::size_t k = 0; k < kRegisters; ++k) sums[k] += load(row + k * kReals);
            }
            for (std::size_t k = 0; k < kRegisters; ++k) store(residuals_.data() + s * width_ + column + k * kReals, sums[k]);
        }
    }

    // w (p - 1) at the level of each target, w p at its others; returns the sum of -w log p.
    double turn_into_residuals(std::size_t first, std::size_t n) {
        const std::size_t d = samples_.n_variables;
        double value = 0;
        for (std::size_t s = 0; s < n; ++s) {
            Real* const own = residuals_.data() + s * width_;
            const double weight = samples_.weights[first + s];
            Real logits[kMostTargets];
            std::size_t at[kMostTargets];
            for (std::size_t c = 0; c < width_; c += kReals) {
                Reals logit = load(own + c);
                logit = logit > kLargestLogit ? Reals{} + kLargestLogit : logit;
                logit = logit < -kLargestLogit ? Reals{} - kLargestLogit : logit;
                store(own + c, logit);
            }
            for (std::size_t t = 0; t < n_targets_; ++t) {
                const std::size_t target = index_of(targets_[t]);
                const std::size_t row = std::size_t(samples_.places[(first + s) * d + target]);
                at[t] = row == samples_.n_rows ? ~std::size_t(0) : columns_[t] + row - samples_.first_row(target);
                logits[t] = ~at[t] ? own[at[t]] : 0;
            }
            double product = 1;
            std::size_t n_factors = 0;
            for (std::size_t c = 0; c < width_; c += kReals) store(own + c, exp_of(load(own + c)));
            for (std::size_t t = 0; t < n_targets_; ++t) {
                const std::size_t from = columns_[t], to = columns_[t + 1];
                Real sum = 0;
                for (std::size_t c = from; c < to; ++c) sum += own[c];
                const Real scale = ~at[t] ? Real(weight) / sum : 0;
                for (std::size_t c = from; c < to; ++c) own[c] *= scale;
                if (!~at[t]) continue;
                own[at[t]] -= Real(weight);
                value -= weight * double(logits[t]);
                product *= double(sum);
                if (++n_factors % kFactors == 0) value += weight * std::log(product), product = 1;
            }
            value += weight * std::log(product);
            for (std::size_t c = n_columns_; c < width_; ++c) own[c] = 0;
        }
        return value;
    }

    void add_residuals(std::size_t first, std::size_t n, std::size_t column, Real* gradient) const {
        const std::size_t d = samples_.n_variables, block = first / kBlock;
        const std::uint16_t* const runs = runs_.data() + block * (samples_.n_rows + 1);
        const Real* const from = residuals_.data() + column;
        for (std::size_t j = 0; j < d; ++j) {
            const std::uint16_t* sample = ordered_.data() + (block * d + j) * kBlock;
            for (std::size_t row = samples_.first_row(j); row < samples_.first_row(j + 1); ++row) {
                if (!runs[row]) continue;
                Real* const to = gradient + row * width_ + column;
                Reals sums[kRegisters];
                for (std::size_t k = 0; k < kRegisters; ++k) sums[k] = load(to + k * kReals);
                for (const std::uint16_t* const end = sample + runs[row]; sample < end; ++sample) {
                    const Real* const own = from + *sample * width_;
                    for (std::size_t k = 0; k < kRegisters; ++k) sums[k] += load(own + k * kReals);
                }
                for (std::size_t k = 0; k < kRegisters; ++k) store(to + k * kReals, sums[k]);
            }
        }
        Real* const fields = gradient + samples_.n_rows * width_ + column;
        for (std::size_t s = 0; s < n; ++s)
            for (std::size_t k = 0; k < kRegisters; ++k)
                store(fields + k * kReals, load(fields + k * kReals) + load(from + s * width_ + k * kReals));
    }

    double add_penalty(const Real* table, Real* gradient) const {
        double value = 0;
        for (std::size_t j = 0; j <= samples_.n_variables; ++j) {
            const bool is_field = j == samples_.n_variables;
            const std::size_t from = is_field ? samples_.n_rows : samples_.first_row(j);
            const std::size_t to = is_field ? from + 1 : samples_.first_row(j + 1);
            for (std::size_t t = 0; t < n_targets_; ++t) {
                const double times = is_field ? penalty_.field : strength(index_of(targets_[t]), j);
                double squares = 0;
                for (std::size_t row = from; row < to; ++row)
                    for (std::size_t c = columns_[t]; c < columns_[t + 1]; ++c) {
                        const Real b = table[row * width_ + c];
                        squares += double(b) * double(b);
                        gradient[row * width_ + c] += Real(2 * times) * b;
                    }
                value += times * squares;
            }
        }
        return value;
    }

    PottsSamples samples_;
    const std::int64_t* targets_;
    std::size_t n_targets_, n_columns_ = 0, width_ = 0;
    PottsPenalty penalty_;
    double total_weight_ = 0;
    Buffer<std::size_t> columns_;  // where each target's begin
    Buffer<std::uint16_t> ordered_, runs_;
    Buffer<Real> residuals_, metric_, shares_, first_fields_, fields_;
};

static std::int64_t fit_potts(PottsSamples samples, const std::int64_t* targets, std::size_t n_targets, PottsPenalty penalty,
                              double tolerance, std::size_t most_steps, float* table) {
    PseudoLikelihood fit(samples, targets, n_targets, penalty);
    return static_cast<std::int64_t>(fit.minimise(tolerance, most_steps, table));
}

}  // namespace markhood::MARKHOOD_TIER
