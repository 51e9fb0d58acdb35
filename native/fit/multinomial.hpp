// The likelihood of multinomial logistic regression on a table.
//
// `kernels/reference/likelihoods.py` has the definition. A row of the table is a configuration of predictors, most of
// them zero: only the others are listed, and a row adds to the gradient and to the Hessian where these meet. The file is long because
// it serves all policies of newton.hpp.
#pragma once
#include <cmath>

#include "fit/level_blocks.hpp"
#include "fit/level_products.hpp"
#include "fit/design.hpp"
#include "fit/scaling.hpp"
#include "fit/separation.hpp"
#include "fit/tilted_bound.hpp"
#include "machine/buffer.hpp"

namespace markhood::MARKHOOD_TIER {

constexpr double kProductsPerFactor = 500.0;  // the work of a factorisation over that of a product, from which conjugate gradients are faster
constexpr double kFarthest = 100.0;  // in log odds
constexpr double kShortSeries = 0.1;  // up to which a logarithm is replaced by the first terms of its series

// Coefficients are (n_predictors, n_levels - 1), the thresholds first.
class MultinomialModel {
  public:
    static constexpr bool kBoundsChords = true;
    std::size_t n_parameters = 0, n_thresholds = 0;

    bool has_costly_curvature() const { return n_parameters >= kManyParameters; }

    void set(Design design) {
        design_ = design;
        n_thresholds = design.n_levels - 1;
        n_parameters = design.n_predictors * n_thresholds;
        const std::size_t cells = design_.n_rows * design_.n_levels;
        for (Buffer<double>* of_cells : {&linear_, &trial_linear_, &change_, &eta_, &power_, &residual_})
            of_cells->resize(packs_for(cells) * kPack + kPack);  // see each_pack()
        cells_.set(design_.counts, design_.n_rows, design_.n_levels);
        restore();
        n_there_.resize(design_.n_rows);
        for (Buffer<double>* of_rows : {&sum_, &total_}) of_rows->resize(packs_for(design_.n_rows) * kPack);
        for (std::size_t r = design_.n_rows; r < sum_.size(); ++r) {
            sum_[r] = 1.0;
            total_[r] = 0.0;
        }
        for (std::size_t r = 0; r < design_.n_rows; ++r) {
            total_[r] = 0.0;
            for (std::size_t k = 0; k < design_.n_levels; ++k) total_[r] += design_.counts[r * design_.n_levels + k];
        }
    }

    // Takes back those too.
    void restore_all() {
        design_.left = nullptr;
        restore();
    }

    // Takes back all cells but those known to be at minus infinity from the start.
    void restore() {
        if (design_.left) std::memcpy(left_.data(), design_.left, left_.size());
        else std::memset(left_.data(), 0, left_.size());
    }

    double reach(std::size_t k) const { return design_.reach ? design_.reach[k / n_thresholds] : 1.0; }

    double n_samples() const {
        double sum = 0.0;
        for (std::size_t r = 0; r < design_.n_rows; ++r) sum += total_[r];
        return sum;
    }

    double prepare(const double* step) {
        linear(step, change_.data());
        return cells_.distance(linear_.data(), change_.data(), spread_);
    }

    double spread(const double*) const { return spread_; }

    // KL(q, p) at most, of the tilted probabilities q = p + p' (change - its mean) of the prepared step, with p' where the second
    // derivatives were taken: what can be gained at most. Infinite where q is negative. Where its sums differ from those of the samples
    // by more than rounding, the difference times kFarthest is added: no coefficient goes farther before the remaining gain is rounding.
    double divergence(const double* gradient, bool has_sums) {
        double sum = 0.0;
        for (std::size_t r = 0; r < design_.n_rows; ++r) {
            const double scale = 1.0 / sum_[r], mean = mean_change(r);
            double of_row = 0.0;
            for (std::size_t c = r * design_.n_levels; c < (r + 1) * design_.n_levels; ++c) {
                const double share = power_[c] * scale, more = curved_share_[c] * (change_[c] - mean);
                trial_linear_[c] = total_[r] * more;
                if (left_[c] || more == 0) continue;
                if (!(more >= -share)) return HUGE_VAL;
                of_row += share * divergence_of(more / share);
            }
            sum += total_[r] * of_row;
        }
        return has_sums ? sum : sum + kFarthest * missed_sums(gradient);
    }

    // How much lower the likelihood is at least without some of the predictors than at its maximum here. The prepared step leads to where it is
    // highest by the second derivatives, and `wald` is its product with them. q = p (1 + t (change - its mean)) has the sums of the
    // samples but for those predictors, so no fit has a likelihood above minus its entropy, which is L - t wald + KL(q, p).
    double least_loss(double wald) const {
        double farthest = 1.0, divergence = 0.0;
        const auto each_cell = [&](auto use) {
            for (std::size_t r = 0; r < design_.n_rows; ++r) {
                const double scale = 1.0 / sum_[r], mean = mean_change(r);
                for (std::size_t c = r * design_.n_levels; c < (r + 1) * design_.n_levels; ++c)
                    if (!left_[c]) use(change_[c] - mean, total_[r] * power_[c] * scale);
            }
        };
        each_cell([&](double more, double) { farthest = -more > farthest ? -more : farthest; });
        each_cell([&](double more, double n) { divergence += n * divergence_of(more / farthest); });
        return wald / farthest - divergence;
    }

    double evaluate(const double* b) {
        linear(b, linear_.data());
        return weigh(linear_.data());
    }

    // Improves b where predictors are indicators: see scaling.hpp.
    void improve(double* b, double least = 0.0) {
        if (!design_.n_members) return;
        evaluate(b);
        scaling_.improve(design_, power_.data(), sum_.data(), total_.data(), least, b);
    }

    double attempt(const double*, double length) {
        for (std::size_t c = 0; c < change_.size(); ++c) trial_linear_[c] = linear_[c] + length * change_[c];
        return weigh(trial_linear_.data());
    }

    void accept() { linear_.swap(trial_linear_); }

    void differentiate(double* gradient, double* hessian) {
        differentiate(gradient);
        curvature(hessian);
    }

    void curvature(double* hessian) {
        note_curved();
        if (LevelProducts::suits(design_)) {
            products_.write(design_, power_.data(), sum_.data(), total_.data(), hessian);
            return;
        }
        blocks_.write(design_, power_.data(), sum_.data(), total_.data(), n_there_.data(), hessian);
    }

    // Whether products with the curvature are available, and cost much less than factorising it.
    bool has_products() const { return !design_.values && design_.n_members && products_per_factor() > kProductsPerFactor; }

    // The work of a factorisation of the curvature over that of a product with it.
    double products_per_factor() const {
        const std::size_t padded = (design_.n_levels + 7) / 8 * 8;  // the same on all processors
        const double n = static_cast<double>(n_parameters), cells = static_cast<double>(padded * (design_.n_rows + design_.starts[design_.n_rows]));
        return n * n * n / cells;
    }

    // Prepares products with the curvature where the cells were weighed last, and their preconditioner: the inverse diagonal of the curvature
    // of all indicators, those of first levels included, with the precision of a prior.
    void begin_products(double precision = 0.0) {
        note_curved();
        padded_share_.zeros(design_.n_rows * n_packs());
        for (std::size_t r = 0; r < design_.n_rows; ++r)
            std::memcpy(padded_share_.data() + r * n_packs(), curved_share_.data() + r * design_.n_levels, design_.n_levels * sizeof(double));
        for (std::size_t r = 0; r < design_.n_rows; ++r)
            for (std::size_t c = r * design_.n_levels; c < (r + 1) * design_.n_levels; ++c)
                residual_[c] = total_[r] * curved_share_[c] * (1.0 - curved_share_[c]);
        padded_.zeros(design_.n_predictors * n_packs());
        add_residuals<false>();
        inverse_.copy(padded_);
        first_inverse_.resize(design_.n_members * n_packs());
        sum_first_levels(inverse_, first_inverse_);
        for (Buffer<Pack>* sums : {&first_inverse_, &inverse_})
            for (std::size_t p = sums->size(); p-- > 0;) {
                const Pack sum = (*sums)[p] + precision, least = kSmallestPivot * inverse_[p % n_packs()];
                (*sums)[p] = sum > least ? 1.0 / sum : Pack{};
            }
    }

    // to = H v.
    void multiply(const double* v, double* to) {
        pad(v);
        sums_.zeros(padded_.size());
        switch (n_packs()) {
            case 1: multiply_rows<1>(); break;
            case 2: multiply_rows<2>(); break;
            case 3: multiply_rows<3>(); break;
            case 4: multiply_rows<4>(); break;
            default: multiply_rows<0>();
        }
        padded_.swap(sums_);
        unpad(to);
    }

    // Divides the sums over each level of each member by the diagonal of the curvature; as coefficients, the first levels' parts are zero.
    void precondition(const double* rest, double* to) {
        for (std::size_t u = 0; u < design_.n_predictors; ++u) {
            double *sums = padded_levels(u), all = 0.0;
            for (std::size_t k = 0; k < n_thresholds; ++k) all += sums[k + 1] = rest[u * n_thresholds + k];
            sums[0] = -all;
        }
        first_.resize(first_inverse_.size());
        sum_first_levels(padded_, first_);
        for (std::size_t p = 0; p < first_.size(); ++p) first_[p] *= first_inverse_[p];
        for (std::size_t p = n_packs(); p < padded_.size(); ++p) padded_[p] *= inverse_[p];
        for (std::size_t p = 0; p < n_packs(); ++p) padded_[p] = Pack{};
        for (std::size_t m = 0; m < design_.n_members; ++m)
            for (std::size_t p = 0; p < n_packs(); ++p) {
                padded_[p] += first_[m * n_packs() + p];
                for (std::size_t u = design_.members[m]; u < design_.members[m + 1]; ++u) padded_[u * n_packs() + p] -= first_[m * n_packs() + p];
            }
        for (std::size_t u = 0; u < design_.n_predictors; ++u)
            for (std::size_t k = 0; k < n_thresholds; ++k) to[u * n_thresholds + k] = padded_levels(u)[k + 1] - padded_levels(u)[0];
    }

    // The gradient alone: what a Hessian costs is many times more.
    void differentiate(double* gradient) {
        for (std::size_t r = 0; r < design_.n_rows; ++r) set_residual(r);
        sum_residuals(gradient);
    }

    // The certificate of separation: see separation.hpp.
    bool propose_leaving(const double* step) {
        linear(step, change_.data());
        return cells_.propose(linear_.data(), change_.data());
    }

    // Gives all cells that have not left, nor are proposed, the same weight until they are weighed again: whether a direction changes a
    // cell does not depend on how probable the cell is.
    void weigh_equally() {
        for (std::size_t r = 0; r < design_.n_rows; ++r) {
            sum_[r] = 0.0;
            n_there_[r] = 0;
            for (std::size_t c = r * design_.n_levels; c < (r + 1) * design_.n_levels; ++c) {
                n_there_[r] += !left_[c];
                sum_[r] += power_[c] = left_[c] ? 0.0 : 1.0;
            }
        }
    }

    Leaving confirm_leaving(const double* step, const double* past) {
        linear(step, change_.data());
        linear(past, trial_linear_.data());
        const Leaving found = cells_.confirm(change_.data(), trial_linear_.data());
        weigh(linear_.data());
        return found;
    }

    // Takes back all that were proposed.
    void retract() {
        cells_.retract();
        weigh(linear_.data());
    }

    double probability(std::size_t cell) const { return power_[cell] / sum_[cell / design_.n_levels]; }

    // The cells that have left, (n_rows, n_levels).
    const Buffer<unsigned char>& left() const { return left_; }

  private:
    void note_curved() {
        curved_share_.resize(left_.size());
        for (std::size_t c = 0; c < left_.size(); ++c) curved_share_[c] = probability(c);
    }

    // (1 + x) log(1 + x) - x, or a little more.
    static double divergence_of(double x) {
        if (x < kShortSeries && x > -kShortSeries) return x * x * (x < 0 ? most_divergence(-x) : 0.5);
        return x > -1.0 ? (1.0 + x) * std::log1p(x) - x : 1.0;
    }

    // The mean of change_ over a row's levels, by the probabilities where the second derivatives were taken.
    double mean_change(std::size_t r) const {
        const std::size_t from = r * design_.n_levels;
        return dot(curved_share_.data() + from, change_.data() + from, design_.n_levels);
    }

    // How much the sums of what the tilted probabilities have more than p, in trial_linear_, miss the gradient.
    double missed_sums(const double* gradient) {
        residual_.copy(trial_linear_);
        rest_.resize(n_parameters);
        sum_residuals(rest_.data());
        double missed = 0.0;
        for (std::size_t k = 0; k < n_parameters; ++k) missed += std::fabs(gradient[k] - rest_[k]);
        return missed;
    }

    // to[r, k] = sum over the row's predictors u of x_u b[u, k - 1], and to[r, 0] = 0.
    void linear(const double* b, double* to) {
        pad(b);
        if (design_.values) sum_predictors<true>(to);
        else sum_predictors<false>(to);
    }

    template <bool has_values>
    Pack times_value(Pack x, std::size_t a) const {
        if constexpr (has_values) return x * design_.values[a];
        else return x;
    }

    std::size_t n_packs() const { return packs_for(design_.n_levels); }
    double* padded_levels(std::size_t u) { return reinterpret_cast<double*>(padded_.data() + u * n_packs()); }

    // Calls use(r, p, at) for the p-th pack of levels of every row, which begins at cell `at`. A pack may end in the next row: values
    // written there are written again later, and values read there go to padding.
    template <class Use>
    void each_pack(Use use) const {
        for (std::size_t p = n_packs(); p-- > 0;)
            for (std::size_t r = 0; r < design_.n_rows; ++r) use(r, p, r * design_.n_levels + p * kPack);
    }

    template <bool has_values>
    void sum_predictors(double* to) const {
        each_pack([&](std::size_t r, std::size_t p, std::size_t at) {
            Pack sum = padded_[p];
            for (std::size_t a = design_.starts[r]; a < design_.starts[r + 1]; ++a)
                sum += times_value<has_values>(padded_[design_.active[a] * n_packs() + p], a);
            std::memcpy(to + at, &sum, sizeof(Pack));
        });
    }

    // The likelihood at these predictors. Leaves power_ = exp(eta - largest of the row) and sum_, their sums.
    double weigh(const double* predictors) {
        const std::size_t levels = design_.n_levels;
        double likelihood = 0.0;
        for (std::size_t r = 0; r < design_.n_rows; ++r) {
            const double* from = predictors + r * levels;
            double *eta = eta_.data() + r * levels, highest = -HUGE_VAL;
            n_there_[r] = 0;
            for (std::size_t k = 0; k < levels; ++k) {
                if (left_[r * levels + k]) continue;
                highest = from[k] > highest ? from[k] : highest;
                ++n_there_[r];
            }
            double of_row = 0.0;
            for (std::size_t k = 0; k < levels; ++k) {
                eta[k] = from[k] < highest ? from[k] - highest : 0.0;
                of_row += design_.counts[r * levels + k] * eta[k];
                eta[k] = eta[k] < -700.0 ? -700.0 : eta[k];
            }
            likelihood += of_row;
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
            for (std::size_t k = 0; k < levels; ++k) {
                if (left_[r * levels + k]) power_[r * levels + k] = 0.0;
                sum_[r] += power_[r * levels + k];
            }
        }
        return likelihood - sum_of_logs();
    }

    // The sum over rows of N log(sum_).
    double sum_of_logs() const {
        Pack logs{};
        for (std::size_t r = 0; r < sum_.size(); r += kPack) {
            Pack sums, totals;
            std::memcpy(&sums, sum_.data() + r, sizeof(Pack));
            std::memcpy(&totals, total_.data() + r, sizeof(Pack));
            logs += totals * log_of(sums);
        }
        return total(logs);
    }

    // residual_ = n - N p of a row: as n (1 - p) - (N - n) p, in which 1 - p is a sum. The difference would be zero where p is
    // nearly one.
    void set_residual(std::size_t r) {
        const std::size_t levels = design_.n_levels;
        const double *p = power_.data() + r * levels, *n = design_.counts + r * levels;
        const double scale = n_there_[r] < 2 ? 0.0 : 1.0 / sum_[r], all = total_[r];  // zero where it is certain
        double* to = residual_.data() + r * levels;
        for (std::size_t k = 0; k < levels; ++k) to[k] = (n[k] - all) * p[k] * scale;
        for (std::size_t k = 0; k < levels; ++k) {
            if (n[k] == 0) continue;
            double others = sum_[r] - p[k];
            if (others < p[k]) {
                others = 0.0;
                for (std::size_t l = 0; l < levels; ++l) others += l == k ? 0.0 : p[l];
            }
            to[k] += n[k] * others * scale;
        }
    }

    // The sums of residual_ over the rows of each predictor.
    void sum_residuals(double* to) {
        padded_.zeros(design_.n_predictors * n_packs());
        if (design_.values) add_residuals<true>();
        else add_residuals<false>();
        unpad(to);
    }

    // Writes numbers of parameters to padded_, and back.
    void pad(const double* b) {
        padded_.zeros(design_.n_predictors * n_packs());
        for (std::size_t u = 0; u < design_.n_predictors; ++u)
            std::memcpy(padded_levels(u) + 1, b + u * n_thresholds, n_thresholds * sizeof(double));
    }
    void unpad(double* to) {
        for (std::size_t u = 0; u < design_.n_predictors; ++u)
            std::memcpy(to + u * n_thresholds, padded_levels(u) + 1, n_thresholds * sizeof(double));
    }

    // Adds to sums_ what the curvature makes of padded_, row by row: N p (change - its mean) for each of the row's predictors.
    template <std::size_t kRowPacks>
    void multiply_rows() {
        const std::size_t n = kRowPacks ? kRowPacks : n_packs();
        row_.resize(n);
        Pack registers[kRowPacks ? kRowPacks : 1], *change = kRowPacks ? registers : row_.data();
        for (std::size_t r = 0; r < design_.n_rows; ++r) {
            if (n_there_[r] < 2) continue;  // certain
            const Pack* share = padded_share_.data() + r * n;
            const std::uint32_t *begin = design_.active + design_.starts[r], *end = design_.active + design_.starts[r + 1];
            Pack mean{};
            for (std::size_t p = 0; p < n; ++p) change[p] = padded_[p];
            for (const std::uint32_t* u = begin; u < end; ++u)
                for (std::size_t p = 0; p < n; ++p) change[p] += padded_[*u * n + p];
            for (std::size_t p = 0; p < n; ++p) mean += share[p] * change[p];
            const double of_row = total(mean);
            for (std::size_t p = 0; p < n; ++p) sums_[p] += change[p] = total_[r] * share[p] * (change[p] - of_row);
            for (const std::uint32_t* u = begin; u < end; ++u)
                for (std::size_t p = 0; p < n; ++p) sums_[*u * n + p] += change[p];
        }
    }

    // The sums over the first level of each member: those of all rows, less those of its other levels.
    void sum_first_levels(const Buffer<Pack>& sums, Buffer<Pack>& of_first) const {
        for (std::size_t m = 0; m < design_.n_members; ++m)
            for (std::size_t p = 0; p < n_packs(); ++p) {
                Pack sum = sums[p];
                for (std::size_t u = design_.members[m]; u < design_.members[m + 1]; ++u) sum -= sums[u * n_packs() + p];
                of_first[m * n_packs() + p] = sum;
            }
    }

    template <bool has_values>
    void add_residuals() {
        each_pack([&](std::size_t r, std::size_t p, std::size_t at) {
            Pack residual;
            std::memcpy(&residual, residual_.data() + at, sizeof(Pack));
            padded_[p] += residual;
            for (std::size_t a = design_.starts[r]; a < design_.starts[r + 1]; ++a)
                padded_[design_.active[a] * n_packs() + p] += times_value<has_values>(residual, a);
        });
    }

    Design design_{};
    double spread_ = 0.0;
    LevelProducts products_;
    LevelBlocks blocks_;
    Scaling scaling_;
    Buffer<std::size_t> n_there_;  // how many cells of each row have not left
    Cells cells_;
    Buffer<unsigned char>& left_ = cells_.left;
    Buffer<double> linear_, trial_linear_, change_, eta_, power_, sum_, total_, residual_, rest_;
    Buffer<Pack> inverse_, first_inverse_, first_;  // of the preconditioner
    Buffer<Pack> padded_share_, sums_, row_;         // of products with the curvature
    Buffer<Pack> padded_;  // numbers of parameters, (n_predictors, levels in whole packs), the first level's too
    Buffer<double> curved_share_;  // the probabilities where the second derivatives were taken
};

}  // namespace markhood::MARKHOOD_TIER
