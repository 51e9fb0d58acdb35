// The likelihood of a target whose levels are ordered, over vectors of samples or of a table's rows.
//
//     log p(k) = mu_k + k e - log Z,   e = offset + sum over predictors u of b_u x_u,   mu_0 = 0
//
// What a unit (a sample, or a row) adds to the likelihood and its derivatives depends on the one number e, so units are lanes of a
// vector: with t = exp(e) the weights of the levels are exp(mu_k) t^k, one exponential per unit. Evaluating finds the likelihood and
// the residuals; the probabilities are computed again for the curvature, which many calls never need. Two levels are logistic
// regression. `kernels/reference/likelihoods.py` has the definition, newton.hpp the interface of a likelihood.
#pragma once
#include <cmath>
#include <stdexcept>

#include "fit/separation.hpp"
#include "fit/tilted_bound.hpp"
#include "machine/buffer.hpp"
#include "machine/packs.hpp"
#include "machine/product_tiles.hpp"

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

class OrdinalModel {
  public:
    std::size_t n_parameters = 0, n_thresholds = 0;

    static bool has_costly_curvature() { return true; }

    void set(Units units) {
        units_ = units;
        base_ = nullptr;
        n_thresholds = units.n_levels - 1;
        n_parameters = n_thresholds + units.n_columns;
        if (n_parameters > kMaxParameters) throw std::overflow_error("too many parameters");
        n_packs_ = units.n ? packs_for(units.n) : 1;
        for (Buffer<Pack>* of_units : {&linear_, &trial_linear_, &change_, &residual_, &variance_}) of_units->resize(n_packs_);
        for (Buffer<Pack>* of_levels : {&scale_, &level_sums_}) of_levels->resize(units.n_levels);
        for (Buffer<double>* of_levels : {&thresholds_, &moved_}) of_levels->resize(units.n_levels)[0] = 0.0;
        weights_.resize(units.n_levels * kGroup);
        shares_.resize(2 * units.n_levels * kPart);
        covariance_.resize(n_thresholds * n_packs_);
        restore();
    }

    // Takes in columns past those of a model that was differentiated where it was evaluated last, with the result (g, H). The new
    // slopes start at zero, so that only their own part of the derivatives has to be found.
    void extend(const OrdinalModel& base, Units units, const double* gradient, const double* hessian) {
        set(units);
        base_ = &base;
        base_gradient_ = gradient;
        base_hessian_ = hessian;
    }

    double reach(std::size_t k) const { return k < n_thresholds ? 1.0 : units_.reach[k - n_thresholds]; }
    double likelihood() const { return likelihood_; }

    double n_samples() const {
        double sum = 0.0;
        for (std::size_t k = 0; k < units_.n_levels; ++k) sum += units_.level_totals[k];
        return sum;
    }

    double evaluate(const double* b) {
        if (base_) return likelihood_ = base_->likelihood_;
        combine(b + n_thresholds, linear_.data());
        for (std::size_t p = 0; units_.offsets && p < n_packs_; ++p) linear_[p] += units_.offsets[p];
        return likelihood_ = weigh(linear_.data(), b);
    }

    // How far a step goes, by the neighbouring levels that it sets apart.
    double prepare(const double* step) {
        combine(step + n_thresholds, change_.data());
        std::memcpy(moved_.data() + 1, step, n_thresholds * sizeof(double));
        if (has_left_) {
            write_cells(step, change_.data(), cell_change_);
            write_cells(thresholds_.data() + 1, linear_.data(), cell_linear_);
            return cells_.distance(cell_linear_.data(), cell_change_.data(), spread_);
        }
        const Range e = range(change_.data());
        spread_ = spread(e);
        double longest = 0.0;
        for (const double change : {e.lowest, e.highest}) {
            for (std::size_t k = 1; k <= n_thresholds; ++k) {
                const double size = std::fabs(moved_[k] - moved_[k - 1] + change);
                longest = size > longest ? size : longest;
            }
        }
        return longest;
    }

    double spread(const double*) const { return spread_; }

    // No less than the spread of a step, which need not be prepared.
    double rough_spread(const double* step) {
        Range e{0.0, 0.0};
        for (std::size_t u = 0; u < units_.n_columns; ++u) {
            const double farthest = step[n_thresholds + u] * units_.reach[u];
            (farthest < 0 ? e.lowest : e.highest) += farthest;
            if (u < units_.n_signed) (farthest < 0 ? e.highest : e.lowest) -= farthest;
        }
        std::memcpy(moved_.data() + 1, step, n_thresholds * sizeof(double));
        return spread(e);
    }

    // KL(q, p) at most, of the tilted probabilities q = p (1 + change - its mean) of the prepared step: infinite where one is negative, or
    // where a coordinate without a pivot may keep q from having the sums of the samples.
    double divergence(const double*, bool all_usable) {
        if (!all_usable) return HUGE_VAL;
        Pack lowest{}, sum{};
        const OrdinalModel& at = base_ ? *base_ : *this;
        for (std::size_t from = 0; from < n_packs_; from += kGroup) {
            const Group group = at.weigh_group(at.linear_.data(), from, weights_.data());
            for (std::size_t g = 0; g < group.n; ++g) {
                const Pack all = units_.totals[from + g], scale = 1.0 / group.sum[g], *w = weights_.data() + g;
                Pack mean = group.steps[g] * change_[from + g], of_unit{};
                for (std::size_t k = 1; k <= n_thresholds; ++k) mean += moved_[k] * w[k * kGroup];
                mean *= scale;
                for (std::size_t k = 0; k <= n_thresholds; ++k) {
                    const Pack more = moved_[k] + static_cast<double>(k) * change_[from + g] - mean;
                    const PackBits counts = (w[k * kGroup] > 0.0) & (all > 0.0);
                    lowest = (counts & (more < lowest)) ? more : lowest;
                    of_unit += w[k * kGroup] * divergence_of(more);
                }
                sum += all * scale * of_unit;
            }
            for (std::size_t lane = 0; lane < kPack; ++lane)
                if (!(lowest[lane] >= -1.0)) return HUGE_VAL;
        }
        return total(sum);
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

    // A part of the units at a time, so that the factors stay in the first-level cache.
    void differentiate(double* gradient, double* hessian) {
        const OrdinalModel& known = base_ ? *base_ : *this;
        const std::size_t first = base_ ? base_->units_.n_columns : 0, n_new = units_.n_columns - first, levels = units_.n_levels;
        const std::size_t n_sums = levels + units_.n_columns;
        sums_.zeros(n_new * n_sums);
        shared_.zeros(levels * levels);
        for (std::size_t from = 0; from < n_packs_; from += kPart) {
            const std::size_t n = from + kPart < n_packs_ ? kPart : n_packs_ - from;
            if (!base_) add_thresholds(from, n);
            if (!n_new) continue;
            known.list_moments(from, moments_);
            list_columns(from, known.variance_.data() + from, first, n);
            add_pairs(columns_.data() + first, n_new, moments_.data(), n, sums_.data(), n_sums, [&](std::size_t) { return levels; });
            add_pairs(weighted_columns_.data(), n_new, columns_.data(), n, sums_.data() + levels, n_sums,
                      [&](std::size_t r) { return first + r + 1; });
        }
        if (base_) {
            const std::size_t n_known = base_->n_parameters;
            std::memcpy(gradient, base_gradient_, n_known * sizeof(double));
            for (std::size_t k = 0; k < n_known; ++k)
                std::memcpy(hessian + k * n_parameters, base_hessian_ + k * n_known, (k + 1) * sizeof(double));
        } else {
            write_thresholds(gradient, hessian);
        }
        for (std::size_t u = first; u < units_.n_columns; ++u) {
            const Pack* sums = sums_.data() + (u - first) * n_sums;
            double* row = hessian + (n_thresholds + u) * n_parameters;
            for (std::size_t k = 0; k < n_thresholds; ++k) row[k] = total(sums[k]);
            gradient[n_thresholds + u] = total(sums[n_thresholds]);
            for (std::size_t v = 0; v <= u; ++v) row[n_thresholds + v] = total(sums[levels + v]);
        }
    }

    // The same where the curvature is known.
    void differentiate_rest(double* gradient, double* hessian, const double* known, std::size_t) {
        differentiate(gradient);
        std::memcpy(hessian, known, n_parameters * n_parameters * sizeof(double));
    }

    // The gradient alone.
    void differentiate(double* gradient) {
        for (std::size_t k = 1; k <= n_thresholds; ++k) gradient[k - 1] = units_.level_totals[k] - total(level_sums_[k]);
        sums_.zeros(units_.n_columns);
        const Pack* const residual = residual_.data();
        Pack* const sums = sums_.data();
        add_tiles<1>(&residual, units_.columns, units_.n_columns, n_packs_, &sums);
        for (std::size_t u = 0; u < units_.n_columns; ++u) gradient[n_thresholds + u] = total(sums_[u]);
    }

    // The certificate of separation: see separation.hpp.
    void restore() { has_left_ = is_alike_ = false; }

    // Most steps move no cell enough.
    bool propose_leaving(const double* step) {
        if (rough_spread(step) < kSeparatingStep) return false;
        combine(step + n_thresholds, change_.data());
        if (spread(range(change_.data())) < kSeparatingStep) return false;
        begin_cells();
        write_cells(step, change_.data(), cell_change_);
        write_cells(thresholds_.data() + 1, linear_.data(), cell_linear_);
        const bool any = cells_.propose(cell_linear_.data(), cell_change_.data());
        has_left_ = has_left_ || any;
        return any;
    }

    // Has all cells that are there count the same until they are weighed again: whether a direction changes a cell does not
    // depend on how probable the cell is.
    void weigh_equally() { is_alike_ = true; }

    Leaving confirm_leaving(const double* step, const double* past) {
        combine(step + n_thresholds, change_.data());
        write_cells(step, change_.data(), cell_change_);
        combine(past + n_thresholds, change_.data());
        write_cells(past, change_.data(), cell_linear_);
        const Leaving found = cells_.confirm(cell_change_.data(), cell_linear_.data());
        weigh_again();
        return found;
    }

    // Takes back all that were proposed.
    void retract() {
        cells_.retract();
        weigh_again();
    }

  private:
    static constexpr std::size_t kGroup = 4;   // packs whose chains of operations do not wait for each other
    static constexpr std::size_t kPart = 16;   // packs whose moments stay in the first-level cache
    // Of what Newton's steps move cells on their way to infinity by: one, where exp(-eta) is left to gain. Rare levels move less.
    static constexpr double kSeparatingStep = 0.5;
    static constexpr double kMaxExponent = 600.0;  // of a power of exp(e), with room for the other factors of a product

    // Of a few packs of units: sums of the levels' weights, these times the levels, and the logarithm of what weights are divided by.
    struct Group {
        std::size_t n;
        Pack sum[kGroup], steps[kGroup], log_scale[kGroup];
    };

    // The most by which two levels move apart as the thresholds move by moved_ and e within a range: convex in e, so at one of its ends.
    double spread(Range e) const {
        double widest = 0.0;
        for (const double change : {e.lowest, e.highest}) {
            Range levels;
            for (std::size_t k = 0; k <= n_thresholds; ++k) levels.take(moved_[k] + static_cast<double>(k) * change);
            widest = levels.width() > widest ? levels.width() : widest;
        }
        return widest;
    }

    bool has_left(std::size_t unit, std::size_t k) const { return has_left_ && cells_.left[unit * units_.n_levels + k]; }

    // to = sum over columns u of slopes[u] x_u
    void combine(const double* slopes, Pack* to) const {
        const Pack* const* x = units_.columns;
        for (std::size_t p = 0; p < n_packs_; ++p) {
            Pack sum{};
            for (std::size_t u = 0; u < units_.n_columns; ++u) sum += slopes[u] * x[u][p];
            to[p] = sum;
        }
    }

    Range range(const Pack* values) const {
        Pack low = values[0], high = values[0];
        for (std::size_t p = 1; p < n_packs_; ++p) {
            low = values[p] < low ? values[p] : low;
            high = values[p] > high ? values[p] : high;
        }
        Range found;
        for (std::size_t k = 0; k < kPack; ++k) {
            found.take(low[k]);
            found.take(high[k]);
        }
        return found;
    }

    // The likelihood at e and thresholds b; leaves residuals and sums of probabilities.
    double weigh(const Pack* e, const double* b) {
        Range of_thresholds{0.0, 0.0};
        double sum = 0.0;
        for (std::size_t k = 1; k <= n_thresholds; ++k) {
            of_thresholds.take(thresholds_[k] = b[k - 1]);
            sum += units_.level_totals[k] * b[k - 1];
        }
        const Range of_e = range(e);
        const double largest = -of_e.lowest > of_e.highest ? -of_e.lowest : of_e.highest;
        is_wide_ = static_cast<double>(n_thresholds) * largest + of_thresholds.width() > kMaxExponent;
        log_scale_ = of_thresholds.highest;
        for (std::size_t k = 0; k <= n_thresholds; ++k) scale_[k] = pack_of(is_wide_ ? 0.0 : std::exp(thresholds_[k] - log_scale_));
        is_alike_ = false;
        level_sums_.zeros(units_.n_levels);
        Pack likelihood{};
        for (std::size_t from = 0; from < n_packs_; from += kGroup) {
            const Group group = weigh_group(e, from, weights_.data());
            Pack per_weight[kGroup]{};
            for (std::size_t g = 0; g < group.n; ++g) {
                const Pack all = units_.totals[from + g];
                per_weight[g] = all / group.sum[g];
                residual_[from + g] = units_.steps[from + g] - per_weight[g] * group.steps[g];
                likelihood += units_.steps[from + g] * e[from + g] - all * (group.log_scale[g] + log_of(group.sum[g]));
            }
            for (std::size_t k = 0; k <= n_thresholds; ++k)
                for (std::size_t g = 0; g < kGroup; ++g) level_sums_[k] += weights_[k * kGroup + g] * per_weight[g];
        }
        return sum + total(likelihood);
    }

    void weigh_again() {
        moved_.copy(thresholds_);
        weigh(linear_.data(), moved_.data() + 1);
    }

    // Writes the weights of the levels in kGroup packs from `from` on, (n_levels, kGroup); past the last pack it is repeated.
    Group weigh_group(const Pack* all_e, std::size_t from, Pack* w) const {
        Group group;
        group.n = n_packs_ - from < kGroup ? n_packs_ - from : kGroup;
        Pack e[kGroup], t[kGroup], power[kGroup];
        for (std::size_t g = 0; g < kGroup; ++g) e[g] = all_e[g < group.n ? from + g : n_packs_ - 1];
        if (is_wide_ || has_left_ || is_alike_) {
            for (std::size_t g = 0; g < kGroup; ++g) weigh_cells(e[g], g < group.n ? from + g : n_packs_ - 1, g, group, w);
            return group;
        }
        for (std::size_t g = 0; g < kGroup; ++g) {
            t[g] = exp_of_negative(e[g]);
            power[g] = pack_of(1.0);
            group.log_scale[g] = pack_of(log_scale_);
            group.sum[g] = w[g] = scale_[0];
            group.steps[g] = Pack{};
        }
        for (std::size_t k = 1; k <= n_thresholds; ++k) {
            for (std::size_t g = 0; g < kGroup; ++g) {
                power[g] *= t[g];
                const Pack weight = w[k * kGroup + g] = scale_[k] * power[g];
                group.sum[g] += weight;
                group.steps[g] += static_cast<double>(k) * weight;
            }
        }
        return group;
    }

    // The same of one pack, where powers of exp(e) would leave the range of a double or cells have left.
    void weigh_cells(Pack e, std::size_t pack, std::size_t g, Group& group, Pack* w) const {
        Pack highest = pack_of(-HUGE_VAL);
        const auto eta = [&](std::size_t k) { return is_alike_ ? Pack{} : thresholds_[k] + static_cast<double>(k) * e; };
        const auto there = [&](std::size_t k) {
            PackBits found = PackBits{} - 1;
            for (std::size_t lane = 0; has_left_ && lane < kPack; ++lane)
                if (pack * kPack + lane < units_.n && has_left(pack * kPack + lane, k)) found[lane] = 0;
            return found;
        };
        for (std::size_t k = 0; k <= n_thresholds; ++k) highest = (there(k) & (eta(k) > highest)) ? eta(k) : highest;
        group.sum[g] = group.steps[g] = Pack{};
        group.log_scale[g] = highest;
        for (std::size_t k = 0; k <= n_thresholds; ++k) {
            Pack below = eta(k) - highest;
            below = below < -700.0 ? pack_of(-700.0) : below > 0.0 ? Pack{} : below;
            const Pack weight = w[k * kGroup + g] = there(k) ? exp_of_negative(below) : Pack{};
            group.sum[g] += weight;
            group.steps[g] += static_cast<double>(k) * weight;
        }
    }

    // Finds the moments of a part of the units: covariances of the levels with the step, and variances. Adds up the products of
    // probabilities.
    void add_thresholds(std::size_t first, std::size_t n) {
        const std::size_t levels = units_.n_levels;
        for (std::size_t from = first; from < first + n; from += kGroup) {
            const Group group = weigh_group(linear_.data(), from, weights_.data());
            for (std::size_t g = 0; g < group.n; ++g) {
                const std::size_t p = from + g;
                const Pack all = units_.totals[p], scale = 1.0 / group.sum[g], mean = group.steps[g] * scale;
                Pack variance{};
                for (std::size_t k = 0; k < levels; ++k) {
                    const Pack share = scale * weights_[k * kGroup + g], distance = static_cast<double>(k) - mean;
                    const Pack counted = all * share, covariance = counted * distance;
                    shares_[k * kPart + p - first] = share;
                    shares_[(levels + k) * kPart + p - first] = counted;
                    if (k) covariance_[(k - 1) * n_packs_ + p] = covariance;
                    variance += covariance * distance;
                }
                variance_[p] = variance;
            }
        }
        columns_.resize(2 * levels);
        for (std::size_t k = 0; k < 2 * levels; ++k) columns_[k] = shares_.data() + k * kPart;
        add_pairs(columns_.data() + levels + 1, n_thresholds, columns_.data(), n, shared_.data() + levels, levels,
                  [](std::size_t r) { return r + 1; });
    }

    void list_moments(std::size_t from, Buffer<const Pack*>& to) const {
        to.resize(n_thresholds + 1);
        for (std::size_t k = 0; k < n_thresholds; ++k) to[k] = covariance_.data() + k * n_packs_ + from;
        to[n_thresholds] = residual_.data() + from;
    }

    // The columns from a pack on, and those from `first` on times the variance.
    void list_columns(std::size_t from, const Pack* variance, std::size_t first, std::size_t n) {
        columns_.resize(units_.n_columns);
        weighted_columns_.resize(units_.n_columns - first);
        weighted_.resize((units_.n_columns - first) * kPart);
        for (std::size_t u = 0; u < units_.n_columns; ++u) {
            columns_[u] = units_.columns[u] + from;
            if (u < first) continue;
            Pack* to = weighted_.data() + (u - first) * kPart;
            weighted_columns_[u - first] = to;
            for (std::size_t p = 0; p < n; ++p) to[p] = columns_[u][p] * variance[p];
        }
    }

    // Adds to the sums of row r the products of left[r] with the first count(r) of the right, two rows at a time.
    template <class Count>
    static void add_pairs(const Pack* const* left, std::size_t n_rows, const Pack* const* right, std::size_t n_packs, Pack* sums,
                          std::size_t stride, Count count) {
        for (std::size_t r = 0; r < n_rows; r += 2) {
            Pack* const rows[2] = {sums + r * stride, sums + (r + 1) * stride};
            if (r + 1 < n_rows) add_tiles<2>(left + r, right, count(r + 1), n_packs, rows);
            else add_tiles<1>(left + r, right, count(r), n_packs, rows);
        }
    }

    // Without differences of numbers that are nearly the same: p (1 - p) is a sum over the other levels.
    void write_thresholds(double* gradient, double* hessian) const {
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

    // Prepares a certificate: the counts of all cells, and where they are.
    void begin_cells() {
        const std::size_t levels = units_.n_levels;
        if (base_) {
            linear_.copy(base_->linear_);
            moved_.copy(base_->thresholds_);
            base_ = nullptr;
            weigh(linear_.data(), moved_.data() + 1);
        }
        if (has_left_) return;
        const double* counts = units_.counts;
        if (!counts) {
            counts = observed_.resize(units_.n * levels);
            std::memset(observed_.data(), 0, observed_.size() * sizeof(double));
            for (std::size_t i = 0; i < units_.n; ++i) observed_[i * levels + units_.level[i]] = 1.0;
        }
        cells_.set(counts, units_.n, levels);
        if (units_.n) std::memset(cells_.left.data(), 0, cells_.left.size());
    }

    // to[i, k] = b[k - 1] + k e of every unit, and to[i, 0] = 0
    void write_cells(const double* b, const Pack* e, Buffer<double>& to) const {
        double* cell = to.resize(units_.n * units_.n_levels);
        for (std::size_t i = 0; i < units_.n; ++i)
            for (std::size_t k = 0; k <= n_thresholds; ++k)
                *cell++ = (k ? b[k - 1] : 0.0) + static_cast<double>(k) * e[i / kPack][i % kPack];
    }

    Units units_{};
    std::size_t n_packs_ = 0;
    double likelihood_ = 0.0, tried_ = 0.0, spread_ = 0.0, log_scale_ = 0.0;
    bool is_wide_ = false, has_left_ = false, is_alike_ = false;
    const OrdinalModel* base_ = nullptr;
    const double *base_gradient_ = nullptr, *base_hessian_ = nullptr;
    Buffer<Pack> linear_, trial_linear_, change_, variance_, residual_, covariance_;  // of units
    Buffer<Pack> scale_, level_sums_, weights_, shares_, shared_, sums_, weighted_;
    Buffer<double> thresholds_, moved_;  // of levels, and how a step moves them
    Buffer<const Pack*> moments_, columns_, weighted_columns_;
    Cells cells_;
    Buffer<double> observed_, cell_linear_, cell_change_;
};

}  // namespace markhood::MARKHOOD_TIER
