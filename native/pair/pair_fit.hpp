// Two binary variables given their neighbours, with and without a coupling: kernels/reference/pair_fit.py
// has the formulas.
//
// Without the coupling the pair is two logistic regressions, each of one end on its other neighbours. They
// are small, and the same for many pairs, so the caller keeps them. With it the parameters are
//
//     a_0, a_k for k in A,   b_0, b_k for k in B,   theta,
//
// on the table of the configurations of A and B that occur. Newton's method starts at the two regressions and
// theta = 0, never at what was fitted before: so a fit depends only on its pair and neighbours, and a stored
// value equals the one that would be computed again.
#pragma once
#include <cmath>

#include "fit/binary_model.hpp"
#include "machine/product_tiles.hpp"
#include "pair/pair_table.hpp"

namespace markhood::MARKHOOD_TIER {

// An end's neighbours but for the other end, ascending, and its regression on them.
struct End {
    std::size_t variable;
    const std::int64_t* given;
    std::size_t n_given;
    const double* coefficients;
};

// Lists the neighbours of either end, ascending, and where among them those of i and then of j are; j may be null.
static void merge(const End& i, const End* j, Buffer<std::int64_t>& merged, Buffer<std::size_t>& position) {
    const std::size_t n_j = j ? j->n_given : 0;
    merged.resize(0);
    position.resize(i.n_given + n_j);
    for (std::size_t a = 0, b = 0; a < i.n_given || b < n_j;) {
        const std::int64_t from_i = a < i.n_given ? i.given[a] : INT64_MAX;
        const std::int64_t from_j = b < n_j ? j->given[b] : INT64_MAX;
        if (from_i <= from_j) position[a++] = merged.size();
        if (from_j <= from_i) position[i.n_given + b++] = merged.size();
        merged.push(from_i < from_j ? from_i : from_j);
    }
}

// The precisions of the coupling and of slopes, which have wide priors: a neighbour or covariate that were shrunk as the coupling is
// would leave part of what it explains to the coupling.
struct SlopePrior {
    static constexpr double kSlopeScale = 3.0, kCovariateScale = 10.0;  // those of kernels/reference/pair_fit.py
    double coupling, slope, covariate;
    std::size_t first_covariate;

    SlopePrior(double scale, std::size_t first)
        : coupling(precision(scale, 0.0)), slope(precision(scale, kSlopeScale)), covariate(precision(scale, kCovariateScale)),
          first_covariate(first) {}
    double of(std::int64_t variable) const { return static_cast<std::size_t>(variable) < first_covariate ? slope : covariate; }
    // Writes the precisions of an end's coefficients: the intercept has no prior.
    void write(const End& end, double* to) const {
        *to++ = 0.0;
        for (std::size_t k = 0; k < end.n_given; ++k) to[k] = of(end.given[k]);
    }
    // Without a prior maxima may be at infinity, where steps promise ever less, and the remaining gain is not half of it.
    double least_gain() const { return coupling > 0 ? 1e-5 : 1e-11; }

  private:
    static double precision(double scale, double least) { return scale > least ? 1.0 / (scale * scale) : 1.0 / (least * least); }
};

// One variable's logistic regression on its neighbours.
class EndLikelihood : public BinaryModel {
  public:
    void set(BitRows rows, const End& end, const SlopePrior& prior) {
        rows_.build(rows, end.given, end.n_given, end.variable, nullptr);
        BinaryModel::set(rows_.columns.data(), end.n_given, rows_.ones_i, rows_.totals, rows_.n_packs);
        end_ = &end;
        prior_ = &prior;
    }

    void start(double* b, double* precision) const {
        std::memset(b, 0, n_parameters * sizeof(double));
        prior_->write(*end_, precision);
    }

  private:
    PairTable rows_;
    const End* end_ = nullptr;
    const SlopePrior* prior_ = nullptr;
};

class PairLikelihood {
  public:
    static constexpr std::size_t n_thresholds = 0;
    std::size_t n_parameters = 0;

    void set(BitRows rows, const End& i, const End& j, const SlopePrior& prior) {
        lay_out(rows, i, j);
        i_ = &i;
        j_ = &j;
        prior_ = &prior;
    }

    // From both ends' regressions, without a coupling.
    void start(double* b, double* precision) const {
        std::memcpy(b, i_->coefficients, n_i_ * sizeof(double));
        std::memcpy(b + n_i_, j_->coefficients, n_j_ * sizeof(double));
        b[n_parameters - 1] = 0.0;
        prior_->write(*i_, precision);
        prior_->write(*j_, precision + n_i_);
        precision[n_parameters - 1] = prior_->coupling;
    }

    void show(const double* b, Cholesky& factor, double* coupling, double* variance) {
        *coupling = b[n_parameters - 1];
        last_.resize(n_parameters);
        for (std::size_t k = 0; k < n_parameters; ++k) last_[k] = k + 1 == n_parameters;
        *variance = factor.inverse_form(last_.data());
    }

    double evaluate(const double* b) {
        const double theta = b[n_parameters - 1], largest = theta > 0 ? theta : 0.0;
        const double apart = std::exp(-largest), together = std::exp(theta - largest);
        Pack sum{};
        for (std::size_t p = 0; p < n_packs_; ++p) {
            Pack h_i{}, h_j{};
            for (std::size_t k = 0; k < n_i_; ++k) h_i += b[k] * columns_[k][p];
            for (std::size_t k = n_i_; k + 1 < n_parameters; ++k) h_j += b[k] * columns_[k][p];
            // Weights of the four cells, none above one: a variable's likelier value counts one, the other exp(-|h|).
            const PackBits positive_i = h_i > 0.0, positive_j = h_j > 0.0;
            const Pack zero{}, one = pack_of(1.0), rare_i = clipped_exp(positive_i ? -h_i : h_i),
                       rare_j = clipped_exp(positive_j ? -h_j : h_j);
            const Pack zero_i = positive_i ? rare_i : one, zero_j = positive_j ? rare_j : one;
            const Pack one_i = positive_i ? one : rare_i, one_j = positive_j ? one : rare_j;
            const Pack e_i = one_i * zero_j * apart, e_j = zero_i * one_j * apart, e_both = one_i * one_j * together;
            const Pack scale = (zero_i * zero_j * apart + e_i) + (e_j + e_both), inverse = 1.0 / scale;
            const Pack p_both = e_both * inverse, p_i = (e_i + e_both) * inverse, p_j = (e_j + e_both) * inverse;
            const Pack n = rows_.totals[p], n_both = rows_.both[p], n_i = rows_.ones_i[p], n_j = rows_.ones_j[p];
            residual_[p] = n_i - n * p_i;
            residual_[n_packs_ + p] = n_j - n * p_j;
            residual_[2 * n_packs_ + p] = n_both - n * p_both;
            weight_[kII * n_packs_ + p] = n * (p_i * (1.0 - p_i));
            weight_[kIJ * n_packs_ + p] = n * (p_both - p_i * p_j);
            weight_[kJJ * n_packs_ + p] = n * (p_j * (1.0 - p_j));
            weight_[kIT * n_packs_ + p] = n * (p_both * (1.0 - p_i));
            weight_[kJT * n_packs_ + p] = n * (p_both * (1.0 - p_j));
            weight_[kTT * n_packs_ + p] = n * (p_both * (1.0 - p_both));
            const Pack likeliest = (positive_i ? h_i : zero) + (positive_j ? h_j : zero);
            sum += n_i * h_i + n_j * h_j + n_both * theta - n * (likeliest + largest + log_of(scale));
        }
        return total(sum);
    }

    void differentiate(double* gradient, double* curvature) {
        static constexpr Weight kWeightOf[3][3] = {{kII, kIJ, kIT}, {kIJ, kJJ, kJT}, {kIT, kJT, kTT}};
        for (std::size_t f = 0; f < 3; ++f) multiply(residual_.data() + f * n_packs_, f, n_parameters, gradient);
        for (std::size_t k = 0; k < n_parameters; ++k)
            for (std::size_t f = 0; f <= form(k); ++f) {
                const Pack* weight = weight_.data() + kWeightOf[form(k)][f] * n_packs_;
                for (std::size_t p = 0; p < n_packs_; ++p) weighted_[p] = columns_[k][p] * weight[p];
                multiply(weighted_.data(), f, k + 1, curvature + k * n_parameters);
            }
    }

  private:
    // What a row weighs in the second derivatives: by h_i and h_i, h_i and h_j, ...
    enum Weight { kII, kIJ, kJJ, kIT, kJT, kTT, kWeights };

    void lay_out(BitRows rows, const End& i, const End& j) {
        merge(i, &j, merged_, position_);
        rows_.build(rows, merged_.data(), merged_.size(), i.variable, &j.variable);
        n_packs_ = rows_.n_packs;
        n_i_ = i.n_given + 1;
        n_j_ = j.n_given + 1;
        n_parameters = n_i_ + n_j_ + 1;
        residual_.resize(3 * n_packs_);
        weight_.resize(kWeights * n_packs_);
        weighted_.resize(n_packs_);
        sums_.resize(n_parameters);
        ones_.resize(n_packs_);
        for (std::size_t p = 0; p < n_packs_; ++p) ones_[p] = pack_of(1.0);
        columns_.resize(0);
        for (std::size_t k = 0; k < n_parameters; ++k) {
            const bool is_slope = k != 0 && k != n_i_ && k + 1 != n_parameters;
            columns_.push(is_slope ? rows_.columns[position_[k < n_i_ ? k - 1 : k - 2]] : ones_.data());
        }
    }

    // Which of the three linear forms parameter k is in, and the first parameter of a form.
    std::size_t form(std::size_t k) const { return k < n_i_ ? 0 : k < n_parameters - 1 ? 1 : 2; }
    std::size_t first(std::size_t form) const { return form == 0 ? 0 : form == 1 ? n_i_ : form == 2 ? n_i_ + n_j_ : n_parameters; }

    // Writes the products of a column with those of the parameters of a form, up to `end`.
    void multiply(const Pack* left, std::size_t form, std::size_t end, double* to) {
        const std::size_t from = first(form), last = end < first(form + 1) ? end : first(form + 1);
        Pack* sums = sums_.zeros(last - from);
        add_tiles<1>(&left, columns_.data() + from, last - from, n_packs_, &sums);
        for (std::size_t k = from; k < last; ++k) to[k] = total(sums[k - from]);
    }

    PairTable rows_;
    const End *i_ = nullptr, *j_ = nullptr;
    const SlopePrior* prior_ = nullptr;
    std::size_t n_i_ = 0, n_j_ = 0, n_packs_ = 0;
    Buffer<double> last_;
    Buffer<std::int64_t> merged_;
    Buffer<std::size_t> position_;
    Buffer<const Pack*> columns_;  // of every parameter
    Buffer<Pack> residual_, weight_, weighted_, sums_, ones_;
};

}  // namespace markhood::MARKHOOD_TIER
