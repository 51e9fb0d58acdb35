// Logistic regression on a table: the maximum of the log-likelihood, by Newton's method.
//
// Rows of the table are configurations of the predictors, each with its number of samples
// (`totals`) and of those where the target is one (`ones`):
//
//     eta = b_0 + sum_k b_k x_k,     L(b) = sum over rows of  ones * eta - totals * log(1 + exp(eta))
//
//     1. residual = ones - totals * p,  weight = totals * p (1 - p)     with p = 1 / (1 + exp(-eta))
//     2. gradient g = X' residual,  H = X' diag(weight) X
//     3. step s = H^-1 g;  stop when g's, the gain it promises, is nothing
//     4. b <- b + s, or half of it, a quarter, ... until L rises by `enough`; no step is longer than a
//        few units, or one too far would end where all weights are nothing
//
// Where the data are separated the maximum is at infinity, and each step goes one further along the separating direction: a long step
// that promises little. From there on a fit takes over that knows how this ends (binary_model.hpp). Predictors that are
// combinations of others (duplicates, complements) give a zero pivot and stay where they are.
// Of columns that are the same in all rows only the first takes part: a hub among copies would else decompose a matrix of
// hundreds of columns, nearly all of them without a pivot, for each of its neighbours.
#pragma once
#include <cmath>

#include "fit/binary_model.hpp"
#include "fit/newton.hpp"
#include "fit/saturated.hpp"
#include "machine/packs.hpp"
#include "machine/weighted_products.hpp"

namespace markhood::MARKHOOD_TIER {

constexpr std::size_t kManyColumns = 12;  // from which on it is worth looking for copies
constexpr double kLongForLittle = 0.3;    // a step that is no less, and promises next to nothing

class LogisticFit {
  public:
    Buffer<double> coefficients;  // intercept first
    Buffer<double> drift;         // the last step, and so those that never come to rest; else nearly zero
    bool separated = false;
    bool is_exact = true;             // whether the last maximum was reached, or only bounded
    bool wants_coefficients = false;  // and not only the likelihood, which does not tell the last step
    // Of separated data: whether it is known which rows leave for certainty. Then the coefficients are those of a maximum over
    // the others, `there`.
    bool knows_leaving = false;
    const Buffer<PackBits>& there() const { return model_.there(); }

    // Columns are read through pointers; their packs, like those of the counts, number n_packs.
    // Starts from `coefficients`, which the caller has set, and who may expect separation. Returns the log-likelihood, less l2 times
    // the squares of the slopes, or, where that is seen not to exceed `floor`, a number between the two.
    double maximise(const Pack* const* columns, std::size_t n_columns, const Pack* ones, const Pack* totals,
                    std::size_t n_packs, double l2, double floor = -HUGE_VAL, bool expects_separation = false) {
        if (l2 > 0 || n_columns < kManyColumns || !find_copies(columns, n_columns, n_packs))
            return fit(columns, n_columns, ones, totals, n_packs, l2, floor, expects_separation);
        gather(n_columns);
        const double likelihood =
            fit(distinct_.data(), distinct_.size(), ones, totals, n_packs, l2, floor, expects_separation);
        spread(n_columns, coefficients);
        spread(n_columns, drift);
        return likelihood;
    }

  private:
    // Lists the columns that are unlike all before them, and for each column which of these it is; whether there are fewer.
    bool find_copies(const Pack* const* columns, std::size_t n_columns, std::size_t n_packs) {
        distinct_.resize(0);
        hashes_.resize(0);
        copy_of_.resize(n_columns);
        for (std::size_t k = 0; k < n_columns; ++k) {
            const std::uint64_t hash = hash_of(columns[k], n_packs);
            std::size_t first = 0;
            while (first < distinct_.size() &&
                   (hashes_[first] != hash || std::memcmp(distinct_[first], columns[k], n_packs * sizeof(Pack)) != 0))
                ++first;
            copy_of_[k] = first;
            if (first < distinct_.size()) continue;
            distinct_.push(columns[k]);
            hashes_.push(hash);
        }
        return distinct_.size() < n_columns;
    }

    static std::uint64_t hash_of(const Pack* column, std::size_t n_packs) {
        PackBits mixed{};
        for (std::size_t p = 0; p < n_packs; ++p) mixed = (mixed << 1) ^ ((PackBits)column[p] + mixed);
        std::uint64_t hash = 0;
        for (std::size_t k = 0; k < kPack; ++k) hash = hash * 0x100000001b3u ^ static_cast<std::uint64_t>(mixed[k]);
        return hash;
    }

    // Starts the columns that take part where all their copies together were.
    void gather(std::size_t n_columns) {
        trial_.resize(distinct_.size() + 1);
        std::memset(trial_.data(), 0, trial_.size() * sizeof(double));
        trial_[0] = coefficients[0];
        for (std::size_t k = 0; k < n_columns; ++k) trial_[copy_of_[k] + 1] += coefficients[k + 1];
        coefficients.copy(trial_);
    }

    // Gives the first of each kind its own number, and its copies none.
    void spread(std::size_t n_columns, Buffer<double>& numbers) {
        trial_.copy(numbers);
        numbers.resize(n_columns + 1);
        std::memset(numbers.data(), 0, (n_columns + 1) * sizeof(double));
        numbers[0] = trial_[0];
        for (std::size_t k = 0, next = 0; k < n_columns; ++k)
            if (copy_of_[k] == next) numbers[k + 1] = trial_[++next];
    }

    double fit(const Pack* const* columns, std::size_t n_columns, const Pack* ones, const Pack* totals,
               std::size_t n_packs, double l2, double floor, bool expects_separation) {
        columns_ = columns;
        l2_ = l2;
        n_ = n_columns + 1;
        n_packs_ = n_packs;
        ones_ = ones;
        totals_ = totals;
        separated = knows_leaving = false;
        is_exact = true;
        const double likelihood = expects_separation ? HUGE_VAL : climb();
        return likelihood < HUGE_VAL ? likelihood : climb_separated(floor);
    }

    // The maximum, or nothing finite where the data seem to be separated.
    double climb() {
        residual_.resize(n_packs_);
        weight_.resize(n_packs_);
        for (Buffer<double>* of_columns : {&step_, &drift, &trial_, &gradient_}) of_columns->resize(n_);
        hessian_.resize(n_ * n_);
        double likelihood = evaluate(coefficients.data());
        for (int iteration = 0; iteration < kMaxSteps; ++iteration) {
            if (iteration % 8 == 7) stop_if_asked();
            differentiate();
            const double promised = solve(iteration == 0), longest = largest_size(step_.data(), n_);
            if (l2_ == 0 && (pivots_.any_lost || (promised < kLittleGain && longest > kLongForLittle))) return HUGE_VAL;
            if (!(promised > kPromisedGain)) break;
            double length = longest > kLongestStep ? kLongestStep / longest : 1.0, improved = -HUGE_VAL;
            for (int halving = 0; halving < kMaxHalvings; ++halving, length *= 0.5) {
                for (std::size_t k = 0; k < n_; ++k) trial_[k] = coefficients[k] + length * step_[k];
                improved = evaluate(trial_.data());
                if (improved >= likelihood + enough(promised, length)) break;
            }
            if (!(improved >= likelihood)) break;  // rounding: no step goes up any more
            coefficients.swap(trial_);
            likelihood = improved;
        }
        drift.copy(step_);
        return l2_ == 0 && largest_size(step_.data(), n_) > kStillMoving ? HUGE_VAL : likelihood;
    }

    // Goes on from `coefficients` with a fit that sees which rows leave.
    double climb_separated(double floor) {
        model_.set(columns_, n_ - 1, ones_, totals_, n_packs_);
        separable_.coefficients.copy(coefficients);
        separable_.wants_coefficients = wants_coefficients;
        const double likelihood = separable_.maximise(model_, 0.0, 0.0, floor);
        coefficients.copy(separable_.coefficients);
        drift.copy(separable_.drift);
        is_exact = separable_.is_exact;
        model_.prepare(drift.data());
        const bool still_moves = model_.spread(drift.data()) > kStillMoving;
        separated = separable_.separated || still_moves;
        knows_leaving = separated && !still_moves;
        return likelihood;
    }

    Pack linear(const double* b, std::size_t p) const {
        Pack sum = pack_of(b[0]);
        for (std::size_t k = 1; k < n_; ++k) sum += b[k] * columns_[k - 1][p];
        return sum;
    }

    static Pack clipped(Pack minus_size) { return minus_size < -700.0 ? pack_of(-700.0) : minus_size; }

    double evaluate(const double* b) {
        Pack sum{};
        for (std::size_t p = 0; p < n_packs_; ++p) {
            const Pack eta = linear(b, p);
            const PackBits positive = eta > 0.0;
            const Pack e = exp_of_negative(clipped(positive ? -eta : eta));
            const Pack larger = 1.0 / (1.0 + e), smaller = e * larger;
            // As a sum over zeros and ones, so that a row of either alone loses no digits to the other.
            const Pack zeros = totals_[p] - ones_[p];
            residual_[p] = positive ? ones_[p] * smaller - zeros * larger : ones_[p] * larger - zeros * smaller;
            weight_[p] = totals_[p] * (larger * smaller);
            sum += (positive ? -zeros : ones_[p]) * eta - totals_[p] * log_of_one_plus(e);
        }
        double squares = 0.0;
        for (std::size_t k = 1; k < n_; ++k) squares += b[k] * b[k];
        return total(sum) - l2_ * squares;
    }

    void differentiate() {
        products_.write(columns_, n_, weight_.data(), n_packs_, hessian_.data());
        for (std::size_t k = 0; k < n_; ++k) {
            Pack sum{};
            for (std::size_t p = 0; p < n_packs_; ++p) sum += k ? columns_[k - 1][p] * residual_[p] : residual_[p];
            gradient_[k] = total(sum);
            if (!k) continue;
            gradient_[k] -= 2 * l2_ * coefficients[k];
            hessian_[k * n_ + k] += 2 * l2_;
        }
    }

    // Cholesky in place on the lower triangle; returns gradient times step.
    double solve(bool first) {
        double* h = hessian_.data();
        pivots_.begin(n_, first);
        for (std::size_t k = 0; k < n_; ++k) {
            const double diagonal = h[k * n_ + k];
            double pivot = diagonal, rest = gradient_[k];
            for (std::size_t l = 0; l < k; ++l) {
                double sum = h[k * n_ + l] - dot(h + k * n_, h + l * n_, l);
                sum *= h[l * n_ + l];  // the diagonal holds inverse pivots, zero where there is none
                h[k * n_ + l] = sum;
                pivot -= sum * sum;
                rest -= sum * step_[l];
            }
            h[k * n_ + k] = pivots_.take(k, pivot, diagonal) ? 1.0 / std::sqrt(pivot) : 0.0;
            step_[k] = rest * h[k * n_ + k];
        }
        const double promised = dot(step_.data(), step_.data(), n_);  // |L^-1 g|^2 = g' H^-1 g
        for (std::size_t k = n_; k-- > 0;) {
            step_[k] *= h[k * n_ + k];
            for (std::size_t l = 0; l < k; ++l) step_[l] -= h[k * n_ + l] * step_[k];
        }
        return promised;
    }

    const Pack* const* columns_ = nullptr;
    const Pack* ones_ = nullptr;
    const Pack* totals_ = nullptr;
    std::size_t n_ = 0, n_packs_ = 0;
    double l2_ = 0.0;
    Pivots pivots_;
    WeightedProducts products_;
    Buffer<Pack> residual_, weight_;
    Buffer<const Pack*> distinct_;
    Buffer<std::uint64_t> hashes_;
    Buffer<std::size_t> copy_of_;
    Buffer<double> step_, trial_, gradient_, hessian_;
    BinaryModel model_;
    NewtonFit<BinaryModel> separable_;
};

}  // namespace markhood::MARKHOOD_TIER
