// The regression of a target whose levels are steps, over vectors of samples or of a table's rows.
//
//     log p(k) = mu_k + k e - log Z,   e = offset + sum over predictors u of b_u x_u,   mu_0 = 0
//
// All that a unit (a sample, or a row) adds to the likelihood and to its derivatives depends on the one number e, so
// units are lanes of a vector: with t = exp(e) the weights of the levels are exp(mu_k) t^k, one exponential a unit. A
// first pass finds probabilities and moments, a second one multiplies these with the columns. Two levels are logistic
// regression. `kernels/reference/likelihoods.py` has the definition, newton_fit.hpp what is asked of a model.
#pragma once
#include <cmath>
#include <stdexcept>

#include "fit/newton_fit.hpp"
#include "machine/buffer.hpp"
#include "machine/packs.hpp"

namespace markhood::MARKHOOD_TIER {

// Columns of predictors, and of every unit how many samples it has and the sum of their steps; zero past the last unit.
struct Units {
    std::size_t n, n_levels, n_columns;
    const Pack* const* columns;
    const double* reach;         // the highest value of each column, or size, of the first n_signed
    std::size_t n_signed;        // columns that may be negative
    const Pack* offsets;         // added to e; null where there are none
    const Pack *totals, *steps;
    const double* level_totals;  // samples of every level of the target, in all
    // Which levels a unit has: that of the sample, or those of a row of counts, (n, n_levels); one of them is null.
    const std::uint16_t* level;
    const double* counts;

    bool has(std::size_t unit, std::size_t k) const {
        return level ? level[unit] == k : counts[unit * n_levels + k] > 0;
    }
};

// Adds to `sums` the products of x with each of `m` columns, over packs `from` to `to`.
static inline void add_products(const Pack* x, const Pack* const* columns, std::size_t m, std::size_t from, std::size_t to,
                                Pack* sums) {
    std::size_t c = 0;
    for (; c + 4 <= m; c += 4) {
        const Pack *y0 = columns[c], *y1 = columns[c + 1], *y2 = columns[c + 2], *y3 = columns[c + 3];
        Pack s0 = sums[c], s1 = sums[c + 1], s2 = sums[c + 2], s3 = sums[c + 3];
        for (std::size_t p = from; p < to; ++p) {
            const Pack value = x[p];
            s0 += value * y0[p];
            s1 += value * y1[p];
            s2 += value * y2[p];
            s3 += value * y3[p];
        }
        sums[c] = s0;
        sums[c + 1] = s1;
        sums[c + 2] = s2;
        sums[c + 3] = s3;
    }
    for (; c < m; ++c) {
        Pack sum = sums[c];
        for (std::size_t p = from; p < to; ++p) sum += x[p] * columns[c][p];
        sums[c] = sum;
    }
}

class OrdinalModel {
  public:
    std::size_t n_parameters = 0, n_thresholds = 0;

    void set(Units units) {
        units_ = units;
        base_ = nullptr;
        n_thresholds = units.n_levels - 1;
        n_parameters = n_thresholds + units.n_columns;
        if (n_parameters > kMostParameters) throw std::overflow_error("too many parameters");
        n_packs_ = units.n ? packs_for(units.n) : 1;
        for (Buffer<Pack>* of_units : {&linear_, &trial_linear_, &change_, &variance_, &residual_, &weighted_})
            of_units->resize(n_packs_);
        covariance_.resize(n_thresholds * n_packs_);
        level_.resize(2 * units.n_levels);
        shared_.resize(units.n_levels * units.n_levels);
        thresholds_.resize(units.n_levels);
        level_sums_.resize(units.n_levels);
    }

    // Takes in columns past those of a model that has been evaluated, whose derivatives are (g, H); the
    // new slopes start at zero, so that only their own part of the derivatives has to be found.
    void extend(const OrdinalModel& base, Units units, const double* gradient, const double* hessian) {
        set(units);
        base_ = &base;
        base_gradient_ = gradient;
        base_hessian_ = hessian;
    }

    double reach(std::size_t k) const { return k < n_thresholds ? 1.0 : units_.reach[k - n_thresholds]; }

    double n_samples() const {
        double sum = 0.0;
        for (std::size_t k = 0; k < units_.n_levels; ++k) sum += units_.level_totals[k];
        return sum;
    }

    std::size_t levels_seen() const {
        std::size_t n = 0;
        for (std::size_t k = 0; k < units_.n_levels; ++k) n += units_.level_totals[k] > 0;
        return n;
    }

    double evaluate(const double* b) {
        if (base_) return likelihood_ = base_->likelihood_;
        combine_with_offsets(b + n_thresholds, linear_.data());
        return likelihood_ = weigh(linear_.data(), b);
    }

    double prepare(const double* step) {
        combine(step + n_thresholds, change_.data());
        range(change_.data(), lowest_change_, highest_change_);
        double longest = 0.0;
        for (const double change : {lowest_change_, highest_change_}) {
            for (std::size_t k = 0; k < n_thresholds; ++k) {
                const double size = std::fabs(step[k] - (k ? step[k - 1] : 0.0) + change);
                longest = size > longest ? size : longest;
            }
        }
        return longest;
    }

    double spread(const double* step) const { return spread(step, lowest_change_, highest_change_); }

    double rough_spread(const double* step) const {
        double lowest = 0.0, highest = 0.0;
        for (std::size_t u = 0; u < units_.n_columns; ++u) {
            const double farthest = step[n_thresholds + u] * units_.reach[u];
            (farthest < 0 ? lowest : highest) += farthest;
            if (u < units_.n_signed) (farthest < 0 ? highest : lowest) -= farthest;
        }
        return spread(step, lowest, highest);
    }

    double attempt(const double* trial, double length) {
        const Pack* from = base_ ? base_->linear_.data() : linear_.data();
        for (std::size_t p = 0; p < n_packs_; ++p) trial_linear_[p] = from[p] + length * change_[p];
        return tried_ = weigh(trial_linear_.data(), trial);
    }

    void accept() {
        linear_.swap(trial_linear_);
        likelihood_ = tried_;
        base_ = nullptr;
    }

    void differentiate(double* gradient, double* hessian) {
        const std::size_t n = n_parameters;
        std::size_t first = 0;
        if (base_) {
            const std::size_t known = base_->n_parameters;
            std::memcpy(gradient, base_gradient_, known * sizeof(double));
            for (std::size_t k = 0; k < known; ++k)
                std::memcpy(hessian + k * n, base_hessian_ + k * known, (k + 1) * sizeof(double));
            first = base_->units_.n_columns;
        } else {
            differentiate_thresholds(gradient, hessian);
        }
        add_columns(first, gradient, hessian);
    }

    // Has most_beside() ask the model of a regression with more columns, which has been evaluated at its maximum.
    void set_beside(const OrdinalModel* other) { beside_ = other; }

    // The likelihood at most, evaluated where the second derivatives of that regression lead: see multinomial.hpp.
    double most_beside() {
        Pack lowest = pack_of(-1.0), sums[2]{};
        tilted_.resize(3 * units_.n_levels);
        const auto tilt = [&](std::size_t p, auto use) {
            Pack *log_share = tilted_.data(), *share = log_share + units_.n_levels, *change = share + units_.n_levels, mean{};
            const Pack log_sum = beside_->log_shares(p, log_share);
            for (std::size_t k = 0; k <= n_thresholds; ++k) {
                log_share[k] -= log_sum;
                share[k] = exp_of_negative(log_share[k] < -700.0 ? pack_of(-700.0) : log_share[k]);
                change[k] = thresholds_[k] + static_cast<double>(k) * linear_[p] - log_share[k];
                mean += share[k] * change[k];
            }
            for (std::size_t k = 0; k <= n_thresholds; ++k) use(units_.totals[p], share[k], change[k] - mean, log_share[k]);
        };
        for (std::size_t p = 0; p < n_packs_; ++p)
            tilt(p, [&](Pack all, Pack share, Pack change, Pack log_share) {
                lowest = ((all > 0.0) & (change < lowest)) ? change : lowest;
                sums[0] += all * share * log_share;
                sums[1] += all * share * change * log_share;
            });
        double times = 1.0;
        for (std::size_t k = 0; k < kPack; ++k) times = -kNearlyAll / lowest[k] < times ? -kNearlyAll / lowest[k] : times;
        Pack divergence{};
        for (std::size_t p = 0; p < n_packs_; ++p)
            tilt(p, [&](Pack all, Pack share, Pack change, Pack) {
                const Pack more = times * change, less = more < 0.0 ? -more : Pack{};
                divergence += all * share * more * more * (0.5 + less / 6.0 + less * less / 3.0);
            });
        return total(sums[0]) + times * total(sums[1]) + total(divergence);
    }

    // The most by which two levels of a unit are apart from what they are there.
    double distance_beside() {
        double lowest, highest;
        for (std::size_t p = 0; p < n_packs_; ++p) change_[p] = linear_[p] - beside_->linear_[p];
        range(change_.data(), lowest, highest);
        moved_thresholds_.resize(n_thresholds);
        for (std::size_t k = 0; k < n_thresholds; ++k) moved_thresholds_[k] = thresholds_[k + 1] - beside_->thresholds_[k + 1];
        return spread(moved_thresholds_.data(), lowest, highest);
    }

    // The gradient alone.
    void differentiate(double* gradient) {
        for (std::size_t k = 1; k < units_.n_levels; ++k) gradient[k - 1] = units_.level_totals[k] - total(level_sums_[k]);
        sums_.resize(units_.n_columns);
        if (sums_.size()) std::memset(static_cast<void*>(sums_.data()), 0, sums_.size() * sizeof(Pack));
        add_products(residual_.data(), units_.columns, units_.n_columns, 0, n_packs_, sums_.data());
        for (std::size_t u = 0; u < units_.n_columns; ++u) gradient[n_thresholds + u] = total(sums_[u]);
    }

    void note_leaving(const double* step, bool first) {
        const std::size_t levels = units_.n_levels;
        if (first) {
            has_left_.resize(units_.n * levels);
            std::memset(has_left_.data(), 0, units_.n * levels);
        }
        moved_.resize(n_packs_);
        combine(step + n_thresholds, moved_.data());
        for (std::size_t i = 0; i < units_.n; ++i) {
            const auto change = [&](std::size_t k) { return (k ? step[k - 1] : 0.0) + static_cast<double>(k) * at(moved_, i); };
            double slowest = HUGE_VAL;
            for (std::size_t k = 0; k < levels; ++k)
                if (units_.has(i, k) && change(k) < slowest) slowest = change(k);
            for (std::size_t k = 0; k < levels; ++k)
                if (!units_.has(i, k) && change(k) < slowest - kStillMoving) has_left_[i * levels + k] = 1;
        }
    }

    double supremum(const double* b) {
        combine_with_offsets(b + n_thresholds, linear_.data());
        const std::size_t levels = units_.n_levels;
        double likelihood = 0.0;
        for (std::size_t i = 0; i < units_.n; ++i) {
            const double e = at(linear_, i), all = at(units_.totals, i);
            if (!(all > 0)) continue;
            const auto eta = [&](std::size_t k) { return (k ? b[k - 1] : 0.0) + static_cast<double>(k) * e; };
            const unsigned char* left = has_left_.data() + i * levels;
            double highest = -HUGE_VAL, sum = 0.0;
            for (std::size_t k = 0; k < levels; ++k) highest = !left[k] && eta(k) > highest ? eta(k) : highest;
            for (std::size_t k = 0; k < levels; ++k) sum += left[k] ? 0.0 : std::exp(eta(k) - highest);
            for (std::size_t k = 0; k < levels; ++k) {
                const double n = units_.counts ? units_.counts[i * levels + k] : units_.has(i, k) ? all : 0.0;
                likelihood += n > 0 ? n * (eta(k) - highest) : 0.0;
            }
            likelihood -= all * std::log(sum);
        }
        return likelihood;
    }

  private:
    static constexpr std::size_t kPart = 256 / kPack;  // units are multiplied 256 at a time
    static constexpr double kLargestPower = 600.0;  // of e, with room for the other factors of a product

    static double at(const Pack* values, std::size_t i) { return values[i / kPack][i % kPack]; }
    static double at(const Buffer<Pack>& values, std::size_t i) { return at(values.data(), i); }

    // Writes the logarithms of a pack's weights, and returns that of their sum.
    Pack log_shares(std::size_t at, Pack* to) const {
        Pack highest{}, sum{};
        for (std::size_t k = 0; k <= n_thresholds; ++k) {
            to[k] = thresholds_[k] + static_cast<double>(k) * linear_[at];
            highest = to[k] > highest ? to[k] : highest;
        }
        for (std::size_t k = 0; k <= n_thresholds; ++k) {
            const Pack below = to[k] - highest;
            sum += exp_of_negative(below < -700.0 ? pack_of(-700.0) : below);
        }
        return highest + log_of(sum);
    }

    // The most by which two levels move apart where e moves from `lowest` to `highest`: convex in e, so at one of the ends.
    double spread(const double* step, double lowest_e, double highest_e) const {
        double widest = 0.0;
        for (const double change : {lowest_e, highest_e}) {
            double lowest = 0.0, highest = 0.0;
            for (std::size_t k = 0; k < n_thresholds; ++k) {
                const double moved = step[k] + static_cast<double>(k + 1) * change;
                lowest = moved < lowest ? moved : lowest;
                highest = moved > highest ? moved : highest;
            }
            widest = highest - lowest > widest ? highest - lowest : widest;
        }
        return widest;
    }

    // to = sum over columns u of slopes[u] x_u
    void combine(const double* slopes, Pack* to) const {
        const Pack* const* x = units_.columns;
        for (std::size_t p = 0; p < n_packs_; ++p) {
            Pack sum{};
            for (std::size_t u = 0; u < units_.n_columns; ++u) sum += slopes[u] * x[u][p];
            to[p] = sum;
        }
    }

    void combine_with_offsets(const double* slopes, Pack* to) const {
        combine(slopes, to);
        for (std::size_t p = 0; units_.offsets && p < n_packs_; ++p) to[p] += units_.offsets[p];
    }

    void range(const Pack* values, double& lowest, double& highest) const {
        Pack low = values[0], high = values[0];
        for (std::size_t p = 1; p < n_packs_; ++p) {
            low = values[p] < low ? values[p] : low;
            high = values[p] > high ? values[p] : high;
        }
        lowest = low[0];
        highest = high[0];
        for (std::size_t k = 1; k < kPack; ++k) {
            lowest = low[k] < lowest ? low[k] : lowest;
            highest = high[k] > highest ? high[k] : highest;
        }
    }

    // The likelihood at e and thresholds b; leaves what the derivatives are made of.
    double weigh(const Pack* e, const double* b) {
        double lowest, highest, lowest_threshold = 0.0, highest_threshold = 0.0, sum = 0.0;
        thresholds_[0] = 0.0;
        for (std::size_t k = 1; k <= n_thresholds; ++k) {
            thresholds_[k] = b[k - 1];
            lowest_threshold = b[k - 1] < lowest_threshold ? b[k - 1] : lowest_threshold;
            highest_threshold = b[k - 1] > highest_threshold ? b[k - 1] : highest_threshold;
            sum += units_.level_totals[k] * b[k - 1];
        }
        range(e, lowest, highest);
        const double largest = -lowest > highest ? -lowest : highest;
        const bool is_wide = static_cast<double>(n_thresholds) * largest + highest_threshold - lowest_threshold > kLargestPower;
        std::memset(static_cast<void*>(shared_.data()), 0, shared_.size() * sizeof(Pack));
        std::memset(static_cast<void*>(level_sums_.data()), 0, level_sums_.size() * sizeof(Pack));
        for (std::size_t k = 0; k <= n_thresholds; ++k)
            level_[k] = pack_of(is_wide ? 0.0 : std::exp(thresholds_[k] - highest_threshold));
        Pack likelihood{};
        for (std::size_t from = 0; from < n_packs_; from += kPart) {
            const std::size_t n = from + kPart < n_packs_ ? kPart : n_packs_ - from;
            likelihood += weigh_part(e + from, from, n, is_wide, highest_threshold);
        }
        return sum + total(likelihood);
    }

    // A loop for each stage: an exponential is a long chain of operations, and a processor works on those of several
    // packs at a time only where nothing else stands between them.
    Pack weigh_part(const Pack* e, std::size_t from, std::size_t n, bool is_wide, double highest_threshold) {
        Pack t[kPart], sums[kPart], highest[kPart], likelihood{};
        if (!is_wide)
            for (std::size_t p = 0; p < n; ++p) t[p] = exp_of_negative(e[p]);
        for (std::size_t p = 0; p < n; ++p) {
            highest[p] = pack_of(highest_threshold);
            sums[p] = is_wide ? far_powers(e[p], highest[p]) : powers(t[p]);
            add_moments(from + p);
        }
        for (std::size_t p = 0; p < n; ++p) {
            const Pack log_sum = highest[p] + log_of(sums[p]);
            likelihood += units_.steps[from + p] * e[p] - units_.totals[from + p] * log_sum;
        }
        return likelihood;
    }

    // Sets the second half of level_ to the probabilities of the levels, and returns the sum of their weights.
    Pack powers(Pack t) {
        Pack *p = level_.data() + units_.n_levels, sum = p[0] = level_[0], power = pack_of(1.0);
        for (std::size_t k = 1; k <= n_thresholds; ++k) {
            power *= t;
            p[k] = level_[k] * power;
            sum += p[k];
        }
        const Pack scale = 1.0 / sum;
        for (std::size_t k = 0; k <= n_thresholds; ++k) p[k] *= scale;
        return sum;
    }

    // The same where powers of exp(e) would leave the range of a double: weights are less than exp(highest) of themselves.
    Pack far_powers(Pack e, Pack& highest) {
        Pack *p = level_.data() + units_.n_levels, sum{};
        highest = Pack{};
        for (std::size_t k = 1; k <= n_thresholds; ++k) {
            const Pack eta = thresholds_[k] + static_cast<double>(k) * e;
            highest = eta > highest ? eta : highest;
        }
        for (std::size_t k = 0; k <= n_thresholds; ++k) {
            const Pack below = thresholds_[k] + static_cast<double>(k) * e - highest;
            p[k] = exp_of_negative(below < -700.0 ? pack_of(-700.0) : below);
            sum += p[k];
        }
        const Pack scale = 1.0 / sum;
        for (std::size_t k = 0; k <= n_thresholds; ++k) p[k] *= scale;
        return sum;
    }

    // Of a pack of units with these probabilities: variance, covariances with each level, and sums over all units.
    void add_moments(std::size_t at) {
        const std::size_t levels = units_.n_levels;
        const Pack *p = level_.data() + levels, all = units_.totals[at];
        Pack mean{}, variance{};
        for (std::size_t k = 1; k < levels; ++k) mean += static_cast<double>(k) * p[k];
        for (std::size_t k = 0; k < levels; ++k) {
            const Pack counted = all * p[k], distance = static_cast<double>(k) - mean;
            const Pack covariance = counted * distance;
            if (k) covariance_[(k - 1) * n_packs_ + at] = covariance;
            variance += covariance * distance;
            level_sums_[k] += counted;
            for (std::size_t l = 0; l < k; ++l) shared_[k * levels + l] += counted * p[l];
        }
        variance_[at] = variance;
        residual_[at] = units_.steps[at] - all * mean;
    }

    // The derivatives by the slopes of columns from `first` on. A part of the units at a time, so that what is multiplied
    // stays in the first-level cache.
    void add_columns(std::size_t first, double* gradient, double* hessian) {
        const OrdinalModel& known = base_ ? *base_ : *this;
        const std::size_t n_moments = n_thresholds + 1, n_sums = n_moments + units_.n_columns;
        moments_.resize(n_moments);
        for (std::size_t k = 0; k < n_thresholds; ++k) moments_[k] = known.covariance_.data() + k * n_packs_;
        moments_[n_thresholds] = known.residual_.data();
        sums_.resize((units_.n_columns - first) * n_sums);
        if (sums_.size()) std::memset(static_cast<void*>(sums_.data()), 0, sums_.size() * sizeof(Pack));
        for (std::size_t from = 0; from < n_packs_; from += kPart) {
            const std::size_t to = from + kPart < n_packs_ ? from + kPart : n_packs_;
            for (std::size_t u = first; u < units_.n_columns; ++u) {
                Pack* sums = sums_.data() + (u - first) * n_sums;
                add_products(units_.columns[u], moments_.data(), n_moments, from, to, sums);
                for (std::size_t p = from; p < to; ++p) weighted_[p] = units_.columns[u][p] * known.variance_[p];
                add_products(weighted_.data(), units_.columns, u + 1, from, to, sums + n_moments);
            }
        }
        for (std::size_t u = first; u < units_.n_columns; ++u) {
            const Pack* sums = sums_.data() + (u - first) * n_sums;
            double* row = hessian + (n_thresholds + u) * n_parameters;
            for (std::size_t k = 0; k < n_thresholds; ++k) row[k] = total(sums[k]);
            gradient[n_thresholds + u] = total(sums[n_thresholds]);
            for (std::size_t v = 0; v <= u; ++v) row[n_thresholds + v] = total(sums[n_moments + v]);
        }
    }

    // Without differences of numbers that are nearly the same: p (1 - p) is a sum over the other levels.
    void differentiate_thresholds(double* gradient, double* hessian) {
        const std::size_t levels = units_.n_levels;
        for (std::size_t k = 1; k < levels; ++k) {
            gradient[k - 1] = units_.level_totals[k] - total(level_sums_[k]);
            hessian[(k - 1) * n_parameters + k - 1] = total(shared_[k * levels]);
        }
        for (std::size_t k = 1; k < levels; ++k) {
            for (std::size_t l = 1; l < k; ++l) {
                const double both = total(shared_[k * levels + l]);
                hessian[(k - 1) * n_parameters + l - 1] = -both;
                hessian[(k - 1) * n_parameters + k - 1] += both;
                hessian[(l - 1) * n_parameters + l - 1] += both;
            }
        }
    }

    Units units_{};
    std::size_t n_packs_ = 0;
    double likelihood_ = 0.0, tried_ = 0.0, lowest_change_ = 0.0, highest_change_ = 0.0;
    const OrdinalModel *base_ = nullptr, *beside_ = nullptr;
    const double *base_gradient_ = nullptr, *base_hessian_ = nullptr;
    Buffer<Pack> linear_, trial_linear_, change_, moved_, variance_, residual_, weighted_, covariance_;
    Buffer<Pack> level_, shared_, level_sums_;
    Buffer<Pack> sums_, tilted_;
    Buffer<double> thresholds_, moved_thresholds_;
    Buffer<const Pack*> moments_;
    Buffer<unsigned char> has_left_;
};

}  // namespace markhood::MARKHOOD_TIER
