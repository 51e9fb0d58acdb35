// The Potts model of all variables by L2-penalised pseudo-likelihood: the regressions of some targets on all other variables.
//
//     minimise  sum_n w_n sum_t -log p(x_nt | the others) + field_penalty |h|^2 + sum_t sum_j penalty_t penalty_j |J_tj|^2
//
// A table has a row for each level of each variable and one for the fields, and a column for each level of each target; of a
// target with two levels one column, their difference u, whose fields and couplings are -u/2 and u/2. The logits of a sample
// are the sum of the rows of its levels, and the gradient of a row is the sum of the residuals of the samples with its level.
//
// **Products.** Variables are taken in groups with at most kMostStates joint states. The sums of the rows of all states are
// computed once for a group; a sample then adds one row for the group instead of one for every variable. For the gradient
// residuals are summed by state, and those sums by level.
//
// **Minimisation.** Conjugate gradients (Polak and Ribiere, never with a negative beta), each target with its own numbers:
//     1. gradient; a target stops where its preconditioned norm sqrt(g'Mg) is at most the tolerance
//     2. direction: -Mg + beta times the last one
//     3. line search: Newton's method in one variable on the derivative along the direction, inside the bracket of its sign
//        changes, until the derivative has fallen by kCurvatureCondition. Logits are linear in the step length, so this needs
//        no further product.
// M is the inverse of the diagonal of the Hessian where nothing depends on anything: n(level) p (1 - p) and the penalty. The norm
// is thus a distance from the minimum in standard errors, exactly so where predictors are uncorrelated. Where M is zero (a
// target's own rows, padding) nothing moves. Rows count from their mean over the samples, which leaves fields nearly
// uncorrelated with couplings. Sums over samples are of single precision and short; sums over parameters are of double precision.
#pragma once
#include <cmath>

#include "machine/buffer.hpp"
#include "machine/packs.hpp"

namespace markhood::MARKHOOD_TIER {

using Real = float;
constexpr std::size_t kReals = 2 * kPack;
using Reals = Real __attribute__((vector_size(kReals * sizeof(Real))));
using RealsBits = std::int32_t __attribute__((vector_size(kReals * sizeof(Real))));
using RealsBytes = std::int8_t __attribute__((vector_size(kReals)));

constexpr std::size_t kStrip = 64;  // columns that are summed at a time, in registers: those of one call, usually
constexpr std::size_t kRegisters = kStrip / kReals;
constexpr std::size_t kMostStates = 128;     // joint states of a group; 64 and 256 take as long, within 10 %
constexpr std::size_t kGroups = 2;           // groups that are added at a time
constexpr std::size_t kBlock = 64;           // samples whose derivatives are summed in single precision
constexpr double kCurvatureCondition = 0.1;  // share of the derivative that may remain after a line search; 0.01 saves no step
constexpr int kMostTries = 20;               // step lengths of a line search; one is usual
constexpr Real kLargestLogit = 80;           // exp is within the range of a float

static inline Reals load(const Real* from) { return *reinterpret_cast<const Reals*>(from); }
static inline void store(Real* to, Reals values) { *reinterpret_cast<Reals*>(to) = values; }

// exp(x) as exp_of_negative has it; x is clipped to -80 ... 80.
static inline Reals exp_of(Reals x) {
    x = x > kLargestLogit ? Reals{} + kLargestLogit : x < -kLargestLogit ? Reals{} - kLargestLogit : x;
    const Real shift = 12582912.0f;
    const Reals shifted = x * 1.44269504f + shift, k = shifted - shift;
    const Reals r = (x - k * 0.693359375f) + k * 2.12194440e-4f;
    Reals sum = Reals{} + 1.0f / 5040.0f;
    const Real inverse_factorial[] = {1.0f / 720.0f, 1.0f / 120.0f, 1.0f / 24.0f, 1.0f / 6.0f, 0.5f, 1.0f, 1.0f};
    for (const Real coefficient : inverse_factorial) sum = sum * r + coefficient;
    return sum * (Reals)(((RealsBits)shifted + 127) << 23);
}

class PseudoLikelihood {
  public:
    PseudoLikelihood(const PottsSamples& samples, const std::int64_t* targets, std::size_t n_targets,
                     const PottsPenalty& penalty)
        : samples_(samples), targets_(targets), n_targets_(n_targets) {
        lay_out_columns();
        lay_out_groups();
        measure(penalty);
    }

    // Writes the table, a row after another, and of each target the preconditioned norm of the gradient that is left. Returns the
    // number of steps.
    std::size_t minimise(double tolerance, std::size_t most_steps, float* table, double* norms) {
        PerTarget of_gradient{}, last{}, carried{}, lengths{};
        zero(gradient_, size()), zero(before_, size()), zero(direction_, size()), zero(scaled_, size());
        zero(changes_, samples_.n * width_);
        multiply(point_.data(), logits_);
        Derivatives at = differentiate(lengths);
        std::size_t step = 0;
        for (;; ++step) {
            gradient_.swap(before_);
            write_gradient();
            precondition();
            of_gradient = dots(gradient_, scaled_);
            carried = dots(before_, scaled_);
            bool is_done = true;
            for (std::size_t t = 0; t < n_targets_; ++t) {
                norms[t] = std::sqrt(of_gradient[t]);
                is_done = is_done && norms[t] <= tolerance;
            }
            if (is_done || step == most_steps) break;
            turn(of_gradient, carried, last, norms, tolerance);
            last = of_gradient;
            multiply(direction_.data(), changes_);
            search_line(lengths, at);
            move(lengths);
        }
        write(table);
        return step;
    }

  private:
    struct Group {
        std::size_t first, end, n_states;  // variables, and the joint states that they may have
    };
    struct PerTarget {
        double values[kMostTargets];
        double& operator[](std::size_t t) { return values[t]; }
        double operator[](std::size_t t) const { return values[t]; }
    };
    struct Derivatives {
        PerTarget first, second;  // along the direction
    };

    std::size_t size() const { return (samples_.n_rows + 1) * width_; }
    std::size_t states(std::size_t v) const { return samples_.levels(v) + samples_.has_missing; }
    static Real* zero(Buffer<Real>& b, std::size_t n) {
        return static_cast<Real*>(std::memset(b.resize(n), 0, n * sizeof(Real)));
    }

    void lay_out_columns() {
        std::size_t n_columns = 0;
        for (std::size_t t = 0; t < n_targets_; ++t) {
            const std::size_t levels = samples_.levels(index_of(targets_[t]));
            columns_.push(n_columns);
            n_columns += levels == 2 ? 1 : levels;
            all_binary_ = all_binary_ && levels == 2;
        }
        columns_.push(n_columns);
        width_ = (n_columns + kStrip - 1) / kStrip * kStrip;
        // One where a sample has the level of a column, minus one where its target is missing.
        std::memset(observed_.resize(samples_.n * width_), -1, samples_.n * width_);
        for (std::size_t s = 0; s < samples_.n; ++s)
            for (std::size_t t = 0; t < n_targets_; ++t) {
                const std::size_t target = index_of(targets_[t]), row = samples_.row(s, target);
                if (row == samples_.n_rows) continue;
                const std::size_t level = row - samples_.first_row(target);
                std::int8_t* const own = observed_.data() + s * width_ + columns_[t];
                if (is_binary(t)) own[0] = std::int8_t(level);
                else
                    for (std::size_t a = 0; a < samples_.levels(target); ++a) own[a] = a == level;
            }
        zero(logits_, samples_.n * width_), zero(residuals_, samples_.n * width_);
    }

    bool is_binary(std::size_t t) const { return samples_.levels(index_of(targets_[t])) == 2; }

    // Cuts the variables into groups, and writes the joint state of each sample.
    void lay_out_groups() {
        Group group{0, 0, 1};
        for (std::size_t v = 0; v < samples_.n_variables; ++v) {
            if (v > group.first && group.n_states * states(v) > kMostStates) {
                groups_.push(group);
                group = {v, v, 1};
            }
            group.end = v + 1;
            group.n_states *= states(v);
        }
        groups_.push(group);
        while (groups_.size() % kGroups) groups_.push({0, 0, 1});
        std::size_t most = 0;
        codes_.resize(groups_.size() * samples_.n);
        for (std::size_t g = 0; g < groups_.size(); ++g) most = groups_[g].n_states > most ? groups_[g].n_states : most;
        for (std::size_t s = 0; s < samples_.n; ++s)
            for (std::size_t g = 0; g < groups_.size(); ++g) {
                std::size_t code = 0;
                for (std::size_t v = groups_[g].end; v-- > groups_[g].first;) {
                    const std::size_t row = samples_.row(s, v);
                    code = code * states(v) + (row == samples_.n_rows ? samples_.levels(v) : row - samples_.first_row(v));
                }
                codes_[g * samples_.n + s] = std::uint16_t(code);
            }
        for (Buffer<Real>& sums : sums_) sums.resize(most * kStrip);
    }

    // The penalty of each parameter, and the metric: one over its second derivative where nothing depends on anything. The point
    // begins with the fields of the shares of levels and no couplings.
    void measure(const PottsPenalty& penalty) {
        const std::size_t n_rows = samples_.n_rows;
        Buffer<double> counts;
        std::memset(counts.resize(n_rows + 1), 0, (n_rows + 1) * sizeof(double));
        double total_weight = 0;
        for (std::size_t s = 0; s < samples_.n; ++s) {
            total_weight += samples_.weights[s];
            for (std::size_t v = 0; v < samples_.n_variables; ++v) counts[samples_.row(s, v)] += samples_.weights[s];
        }
        for (std::size_t row = 0; row < n_rows; ++row) shares_.push(Real(counts[row] / total_weight));
        zero(metric_, size()), zero(penalties_, size()), zero(point_, size()), zero(fields_, width_);
        for (std::size_t t = 0; t < n_targets_; ++t) {
            const std::size_t target = index_of(targets_[t]), own = samples_.first_row(target), r = samples_.levels(target);
            double seen = 0, mean = 0;
            for (std::size_t a = 0; a < r; ++a) seen += counts[own + a] + 0.5;
            for (std::size_t a = 0; a < r; ++a) mean += std::log((counts[own + a] + 0.5) / seen) / double(r);
            for (std::size_t c = columns_[t]; c < columns_[t + 1]; ++c) {
                const double share = (counts[own + (r == 2 ? 1 : c - columns_[t])] + 0.5) / seen;
                const double times = r == 2 ? 1.0 : 2.0, field = std::log(share) - mean;  // u/2 and -u/2: u^2/2
                const auto set = [&](std::size_t row, double spread, double strength) {
                    penalties_[row * width_ + c] = Real(times * strength);
                    metric_[row * width_ + c] = Real(1 / (spread * share * (1 - share) + times * strength));
                };
                for (std::size_t v = 0; v < samples_.n_variables; ++v)
                    for (std::size_t row = samples_.first_row(v); v != target && row < samples_.first_row(v + 1); ++row)
                        set(row, counts[row] * (1 - counts[row] / total_weight),
                            penalty.variables[target] * penalty.variables[v]);
                set(n_rows, total_weight, penalty.field);
                point_[n_rows * width_ + c] = Real(r == 2 ? 2 * field : field);
            }
        }
    }

    // Sums over the parameters of each target.
    PerTarget dots(const Buffer<Real>& a, const Buffer<Real>& b) {
        double* const sums = column_sums_.resize(width_);
        std::memset(sums, 0, width_ * sizeof(double));
        for (std::size_t from = 0; from < size(); from += width_)
            for (std::size_t c = 0; c < width_; ++c)
                sums[c] += double(a[from + c]) * double(b[from + c]);
        return by_target(sums);
    }

    PerTarget by_target(const double* of_columns) const {
        PerTarget sums{};
        for (std::size_t t = 0; t < n_targets_; ++t)
            for (std::size_t c = columns_[t]; c < columns_[t + 1]; ++c) sums[t] += of_columns[c];
        return sums;
    }

    // A number for each target as one for each of its columns.
    const Real* by_column(const PerTarget& values) {
        zero(of_columns_, width_);
        for (std::size_t t = 0; t < n_targets_; ++t)
            for (std::size_t c = columns_[t]; c < columns_[t + 1]; ++c) of_columns_[c] = Real(values[t]);
        return of_columns_.data();
    }

    // The metric times the gradient. A number added to all levels of a target, or of a variable that is nowhere missing, changes no
    // probability: gradients have no such part, and steps are kept from getting one.
    void precondition() {
        for (std::size_t k = 0; k < size(); ++k) scaled_[k] = metric_[k] * gradient_[k];
        for (std::size_t t = 0; t < n_targets_; ++t)
            for (std::size_t from = 0; !is_binary(t) && from < size(); from += width_)
                centre(scaled_.data() + from + columns_[t], columns_[t + 1] - columns_[t], 1);
        for (std::size_t v = 0; !samples_.has_missing && v < samples_.n_variables; ++v)
            for (std::size_t c = 0; samples_.levels(v) > 2 && c < width_; ++c)
                centre(scaled_.data() + samples_.first_row(v) * width_ + c, samples_.levels(v), width_);
    }

    static void centre(Real* values, std::size_t n, std::size_t stride) {
        Real sum = 0;
        for (std::size_t k = 0; k < n; ++k) sum += values[k * stride];
        for (std::size_t k = 0; k < n; ++k) values[k * stride] -= sum / Real(n);
    }

    // The next direction; none for a target that has converged.
    void turn(const PerTarget& of_gradient, const PerTarget& carried, const PerTarget& last, const double* norms,
              double tolerance) {
        PerTarget beta{};
        for (std::size_t t = 0; t < n_targets_; ++t)
            if (last[t] > 0 && of_gradient[t] > carried[t]) beta[t] = (of_gradient[t] - carried[t]) / last[t];
        const Real* const betas = by_column(beta);
        for (std::size_t from = 0; from < size(); from += width_)
            for (std::size_t c = 0; c < width_; ++c)
                direction_[from + c] = betas[c] * direction_[from + c] - scaled_[from + c];
        for (std::size_t t = 0; t < n_targets_; ++t)
            for (std::size_t c = columns_[t]; norms[t] <= tolerance && c < columns_[t + 1]; ++c)
                for (std::size_t from = 0; from < size(); from += width_) direction_[from + c] = 0;
    }

    // Finds for each target a step length at which the derivative along the direction is nearly zero. It rises with the length.
    void search_line(PerTarget& lengths, Derivatives& at) {
        for (std::size_t k = 0; k < size(); ++k) scaled_[k] = penalties_[k] * direction_[k];
        const PerTarget of_point = dots(point_, scaled_), of_itself = dots(direction_, scaled_);
        PerTarget low{}, high{}, first{};
        lengths = {};
        for (int tries = 0; tries < kMostTries; ++tries) {
            at = differentiate(lengths);
            bool is_done = tries > 0;
            for (std::size_t t = 0; t < n_targets_; ++t) {
                const double slope = at.first[t] + of_point[t] + lengths[t] * of_itself[t];
                const double curvature = at.second[t] + of_itself[t];
                if (!tries) first[t] = slope;
                if (!(curvature > 0) || (tries && std::fabs(slope) <= kCurvatureCondition * std::fabs(first[t]))) continue;
                is_done = false;
                (slope < 0 ? low : high)[t] = lengths[t];
                const double next = lengths[t] - slope / curvature;
                if (next > low[t] && (high[t] == 0 || next < high[t])) lengths[t] = next;
                else lengths[t] = high[t] > 0 ? 0.5 * (low[t] + high[t]) : 0.0;
            }
            if (is_done) return;
        }
    }

    void move(const PerTarget& lengths) {
        const Real* const times = by_column(lengths);
        const auto add = [&](Buffer<Real>& to, const Buffer<Real>& what) {
            for (std::size_t from = 0; from < to.size(); from += width_)
                for (std::size_t c = 0; c < width_; ++c) to[from + c] += times[c] * what[from + c];
        };
        add(point_, direction_);
        add(logits_, changes_);
    }

    // The logits of all samples for a table: the rows of their levels, and the fields.
    void multiply(const Real* table, Buffer<Real>& logits) {
        // Rows count from their mean over the samples, so that fields are those of an average sample.
        std::memcpy(fields_.data(), table + samples_.n_rows * width_, width_ * sizeof(Real));
        for (std::size_t row = 0; row < samples_.n_rows; ++row)
            for (std::size_t c = 0; c < width_; ++c) fields_[c] -= shares_[row] * table[row * width_ + c];
        for (std::size_t s = 0; s < samples_.n; ++s)
            std::memcpy(logits.data() + s * width_, fields_.data(), width_ * sizeof(Real));
        for (std::size_t column = 0; column < width_; column += kStrip)
            for (std::size_t g = 0; g < groups_.size(); g += kGroups) {
                stop_if_asked();
                for (std::size_t k = 0; k < kGroups; ++k) add_up_states(groups_[g + k], table + column, sums_[k].data());
                const std::uint16_t* const codes = codes_.data() + g * samples_.n;
                for (std::size_t s = 0; s < samples_.n; ++s) {
                    Real* const to = logits.data() + s * width_ + column;
                    Reals sums[kRegisters];
                    for (std::size_t r = 0; r < kRegisters; ++r) sums[r] = load(to + r * kReals);
                    for (std::size_t k = 0; k < kGroups; ++k) {
                        const Real* const own = sums_[k].data() + codes[k * samples_.n + s] * kStrip;
                        for (std::size_t r = 0; r < kRegisters; ++r) sums[r] += load(own + r * kReals);
                    }
                    for (std::size_t r = 0; r < kRegisters; ++r) store(to + r * kReals, sums[r]);
                }
            }
    }

    // The sum of the rows of every joint state of a group.
    void add_up_states(const Group& group, const Real* table, Real* sums) const {
        std::memset(sums, 0, kStrip * sizeof(Real));
        std::size_t n = 1;
        for (std::size_t v = group.first; v < group.end; n *= states(v), ++v)
            for (std::size_t a = states(v); a-- > 0;) {
                if (a == samples_.levels(v)) {  // missing
                    std::memcpy(sums + a * n * kStrip, sums, n * kStrip * sizeof(Real));
                    continue;
                }
                const Real* const row = table + (samples_.first_row(v) + a) * width_;
                for (std::size_t s = 0; s < n; ++s)
                    for (std::size_t c = 0; c < kStrip; c += kReals)
                        store(sums + (a * n + s) * kStrip + c, load(sums + s * kStrip + c) + load(row + c));
            }
    }

    void write_gradient() {
        Real* const of_fields = gradient_.data() + samples_.n_rows * width_;
        for (std::size_t column = 0; column < width_; column += kStrip)
            for (std::size_t g = 0; g < groups_.size(); g += kGroups) {
                stop_if_asked();
                for (std::size_t k = 0; k < kGroups; ++k)
                    std::memset(sums_[k].data(), 0, groups_[g + k].n_states * kStrip * sizeof(Real));
                const std::uint16_t* const codes = codes_.data() + g * samples_.n;
                for (std::size_t s = 0; s < samples_.n; ++s) {
                    Reals own[kRegisters];
                    for (std::size_t r = 0; r < kRegisters; ++r)
                        own[r] = load(residuals_.data() + s * width_ + column + r * kReals);
                    for (std::size_t k = 0; k < kGroups; ++k) {
                        Real* const to = sums_[k].data() + codes[k * samples_.n + s] * kStrip;
                        for (std::size_t r = 0; r < kRegisters; ++r) store(to + r * kReals, load(to + r * kReals) + own[r]);
                    }
                }
                for (std::size_t k = 0; k < kGroups; ++k) write_levels(groups_[g + k], sums_[k].data(), column);
                if (!g) std::memcpy(of_fields + column, sums_[0].data(), kStrip * sizeof(Real));
            }
        for (std::size_t row = 0; row < samples_.n_rows; ++row)
            for (std::size_t c = 0; c < width_; ++c) gradient_[row * width_ + c] -= shares_[row] * of_fields[c];
        for (std::size_t k = 0; k < size(); ++k) gradient_[k] += penalties_[k] * point_[k];
    }

    // The sums of each level from those of joint states; leaves the sum of all in the first.
    void write_levels(const Group& group, Real* sums, std::size_t column) {
        std::size_t n = group.n_states;
        for (std::size_t v = group.end; v-- > group.first;) {
            n /= states(v);
            for (std::size_t a = 0; a < states(v); ++a) {
                Reals of_level[kRegisters]{};
                for (std::size_t s = 0; s < n; ++s)
                    for (std::size_t r = 0; r < kRegisters; ++r) {
                        const Reals own = load(sums + (a * n + s) * kStrip + r * kReals);
                        of_level[r] += own;
                        if (a) store(sums + s * kStrip + r * kReals, load(sums + s * kStrip + r * kReals) + own);
                    }
                Real* const to = gradient_.data() + (samples_.first_row(v) + a) * width_ + column;
                if (a < samples_.levels(v))
                    for (std::size_t r = 0; r < kRegisters; ++r) store(to + r * kReals, of_level[r]);
            }
        }
    }

    // The residuals w (p - x) a step away from the logits, and the derivatives along the direction without the penalty's.
    Derivatives differentiate(const PerTarget& lengths) {
        const Real* const times = by_column(lengths);
        double* const first = column_sums_.resize(2 * width_);
        double* const second = first + width_;
        std::memset(first, 0, 2 * width_ * sizeof(double));
        for (std::size_t from = 0; from < samples_.n; from += kBlock) {
            const std::size_t end = samples_.n - from < kBlock ? samples_.n : from + kBlock;
            if (all_binary_) differentiate_binary(from, end, times, first, second);
            else
                for (std::size_t s = from; s < end; ++s) differentiate_levels(s, times, first, second);
        }
        return {by_target(first), by_target(second)};
    }

    void differentiate_binary(std::size_t from, std::size_t end, const Real* times, double* first, double* second) {
        for (std::size_t c = 0; c < width_; c += kReals) {
            const Reals length = load(times + c);
            Reals slope{}, curvature{};
            for (std::size_t at = from * width_ + c; at < end * width_; at += width_) {
                const Reals change = load(changes_.data() + at), e = exp_of(load(logits_.data() + at) + length * change);
                const Reals share = e / (1 + e);
                const Reals seen = __builtin_convertvector(*reinterpret_cast<const RealsBytes*>(observed_.data() + at), Reals);
                const Reals weight = seen < 0 ? Reals{} : Reals{} + Real(samples_.weights[at / width_]);
                const Reals residual = weight * (share - seen);
                store(residuals_.data() + at, residual);
                slope += residual * change;
                curvature += weight * share * (1 - share) * change * change;
            }
            for (std::size_t k = 0; k < kReals; ++k) first[c + k] += double(slope[k]), second[c + k] += double(curvature[k]);
        }
    }

    void differentiate_levels(std::size_t s, const Real* times, double* first, double* second) {
        const Real *const logits = logits_.data() + s * width_, *const changes = changes_.data() + s * width_;
        const std::int8_t* const observed = observed_.data() + s * width_;
        Real* const own = residuals_.data() + s * width_;
        for (std::size_t c = 0; c < width_; c += kReals)
            store(own + c, exp_of(load(logits + c) + load(times + c) * load(changes + c)));
        for (std::size_t t = 0; t < n_targets_; ++t) {
            const std::size_t from = columns_[t], to = columns_[t + 1];
            const Real weight = observed[from] < 0 ? 0 : Real(samples_.weights[s]);
            Real sum = is_binary(t), slope = 0, mean = 0, square = 0;  // of two levels the other has a logit of zero
            for (std::size_t c = from; c < to; ++c) sum += own[c];
            for (std::size_t c = from; c < to; ++c) {
                const Real share = own[c] / sum, moved = share * changes[c];
                own[c] = weight * (share - Real(observed[c]));
                slope += own[c] * changes[c];
                mean += moved;
                square += moved * changes[c];
            }
            first[from] += double(slope);
            second[from] += double(weight * (square - mean * mean));
        }
        std::memset(own + columns_[n_targets_], 0, (width_ - columns_[n_targets_]) * sizeof(Real));
    }

    void write(float* table) const {
        for (std::size_t row = 0; row <= samples_.n_rows; ++row)
            for (std::size_t t = 0; t < n_targets_; ++t) {
                const Real* const own = point_.data() + row * width_ + columns_[t];
                if (is_binary(t)) *table++ = -own[0] / 2, *table++ = own[0] / 2;
                else
                    for (std::size_t a = 0; a < columns_[t + 1] - columns_[t]; ++a) *table++ = own[a];
            }
    }

    PottsSamples samples_;
    const std::int64_t* targets_;
    std::size_t n_targets_, width_ = 0;
    bool all_binary_ = true;
    Buffer<std::size_t> columns_;  // where each target's begin
    Buffer<Group> groups_;
    Buffer<std::uint16_t> codes_;                             // (group, sample)
    Buffer<std::int8_t> observed_;                            // (sample, column)
    Buffer<Real> logits_, changes_, residuals_;               // (sample, column); changes: along the direction
    Buffer<Real> point_, gradient_, before_, scaled_, direction_;  // (row, column)
    Buffer<Real> metric_, penalties_, shares_, fields_, of_columns_, sums_[kGroups];
    Buffer<double> column_sums_;
};

static std::int64_t fit_potts(PottsSamples samples, const std::int64_t* targets, std::size_t n_targets, PottsPenalty penalty,
                              double tolerance, std::size_t most_steps, float* table, double* norms) {
    PseudoLikelihood fit(samples, targets, n_targets, penalty);
    return static_cast<std::int64_t>(fit.minimise(tolerance, most_steps, table, norms));
}

}  // namespace markhood::MARKHOOD_TIER
