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
//
// With many neighbours few samples agree in all of them, and grouping costs more than it saves: then
// every sample is a row.
#pragma once
#include <cmath>

#include "count/bit_columns.hpp"
#include "count/table.hpp"
#include "fit/binary_model.hpp"
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

// The configurations of some variables that occur, or where they are many the samples themselves, with the counts
// in each: samples, those where a first variable is one, and where asked for those of a second, and of both.
class Rows {
  public:
    std::size_t n_packs = 0;
    Buffer<const Pack*> columns;
    const Pack *totals = nullptr, *ones_i = nullptr, *ones_j = nullptr, *both = nullptr;

    void build(BitRows rows, const std::int64_t* variables, std::size_t n, std::size_t i, const std::size_t* j) {
        if (n <= PairTable::kMaxVariables && (std::size_t{1} << n) <= 128 + 4 * rows.n_samples)
            take_few(rows, variables, n, i, j);
        else if (n >= 63 || (std::size_t{1} << n) > rows.n_samples)
            take_samples(rows, variables, n, i, j);
        else
            take_configurations(rows, variables, n, i, j);
    }

  private:
    void take_few(BitRows rows, const std::int64_t* variables, std::size_t n, std::size_t i, const std::size_t* j) {
        few_.build(rows, variables, n, i, j);
        n_packs = few_.n_packs;
        columns.copy(few_.columns);
        totals = few_.totals;
        ones_i = few_.ones_i;
        ones_j = few_.ones_j;
        both = few_.both;
    }

    void take_configurations(BitRows rows, const std::int64_t* variables, std::size_t n, std::size_t i,
                             const std::size_t* j) {
        table_.build_for(rows, i, variables, n, j);
        n_packs = table_.n_packs;
        columns.resize(n);
        for (std::size_t k = 0; k < n; ++k) columns[k] = table_.columns[k];
        totals = table_.totals.data();
        ones_i = table_.ones.data();
        both = table_.ones.data() + 2 * n_packs;  // behind the table it is split: where j is zero, then where it is one
        ones_j = table_.totals.data() + 2 * n_packs;
    }

    void take_samples(BitRows rows, const std::int64_t* variables, std::size_t n, std::size_t i, const std::size_t* j) {
        const std::size_t n_words = (rows.n_samples + 63) / 64;
        n_packs = n_words * kPacksPerWord;
        samples_.resize((n + 4) * n_packs);
        columns.resize(n);
        const auto expand = [&](const std::uint64_t* bits, std::size_t column) {
            Pack* to = samples_.data() + column * n_packs;
            for (std::size_t w = 0; w < n_words; ++w)
                for (std::size_t p = 0; p < kPacksPerWord; ++p)
                    *to++ = add_where(Pack{}, pack_of(1.0), bits_of_pack(bits[w], p));
            return samples_.data() + column * n_packs;
        };
        for (std::size_t k = 0; k < n; ++k) columns[k] = expand(rows.row(static_cast<std::size_t>(variables[k])), k);
        Pack* all = samples_.data() + n * n_packs;
        for (std::size_t p = 0; p < n_packs; ++p)
            for (std::size_t lane = 0; lane < kPack; ++lane) all[p][lane] = p * kPack + lane < rows.n_samples ? 1.0 : 0.0;
        totals = all;
        ones_i = expand(rows.row(i), n + 1);
        if (!j) return;
        ones_j = expand(rows.row(*j), n + 2);
        Pack* product = samples_.data() + (n + 3) * n_packs;
        for (std::size_t p = 0; p < n_packs; ++p) product[p] = ones_i[p] * ones_j[p];
        both = product;
    }

    PairTable few_;
    BlanketTable table_;
    Buffer<Pack> samples_;
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
    Rows rows_;
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
            Pack h_i = pack_of(b[0]), h_j = pack_of(b[n_i_]);
            for (std::size_t k = 1; k < n_i_; ++k) h_i += b[k] * columns_[k - 1][p];
            for (std::size_t k = 1; k < n_j_; ++k) h_j += b[n_i_ + k] * columns_[n_i_ + k - 2][p];
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
        for (std::size_t k = 0; k < n_parameters; ++k) {
            const Pack *own = column(k), *residual = residual_.data() + form(k) * n_packs_;
            Pack slope{};
            for (std::size_t p = 0; p < n_packs_; ++p) slope += own ? own[p] * residual[p] : residual[p];
            gradient[k] = total(slope);
        }
        static constexpr Weight kWeightOf[3][3] = {{kII, kIJ, kIT}, {kIJ, kJJ, kJT}, {kIT, kJT, kTT}};
        for (std::size_t k = 0; k < n_parameters; ++k) {
            const Pack* own = column(k);
            for (std::size_t f = 0; f <= form(k); ++f) {
                const Pack* weight = weight_.data() + kWeightOf[form(k)][f] * n_packs_;
                for (std::size_t p = 0; p < n_packs_; ++p)
                    weighted_[f * n_packs_ + p] = own ? own[p] * weight[p] : weight[p];
            }
            for (std::size_t l = 0; l <= k;) {
                const std::size_t several = l + 4 <= k + 1 ? 4 : 1;
                double* products = curvature + k * n_parameters + l;
                several == 4 ? write_products<4>(l, products) : write_products<1>(l, products);
                l += several;
            }
        }
    }

  private:
    // What a row weighs in the second derivatives: by h_i and h_i, h_i and h_j, ...
    enum Weight { kII, kIJ, kJJ, kIT, kJT, kTT, kWeights };

    void lay_out(BitRows rows, const End& i, const End& j) {
        merge(i, &j, merged_, position_);
        rows_.build(rows, merged_.data(), merged_.size(), i.variable, &j.variable);
        columns_.resize(position_.size());
        for (std::size_t k = 0; k < position_.size(); ++k) columns_[k] = rows_.columns[position_[k]];
        n_i_ = i.n_given + 1;
        n_j_ = j.n_given + 1;
        n_parameters = n_i_ + n_j_ + 1;
        n_packs_ = rows_.n_packs;
        residual_.resize(3 * n_packs_);
        weight_.resize(kWeights * n_packs_);
        weighted_.resize(3 * n_packs_);
        ones_.resize(n_packs_);
        for (std::size_t p = 0; p < n_packs_; ++p) ones_[p] = pack_of(1.0);
    }

    // Parameter k's column, null where it is ones, and which of the three linear forms it is in.
    const Pack* column(std::size_t k) const {
        return k == 0 || k == n_i_ || k == n_parameters - 1 ? nullptr : columns_[k < n_i_ ? k - 1 : k - 2];
    }
    std::size_t form(std::size_t k) const { return k < n_i_ ? 0 : k < n_parameters - 1 ? 1 : 2; }

    // Products of the weighted column with the columns of parameters from l on.
    template <std::size_t several>
    void write_products(std::size_t l, double* to) const {
        const Pack *weighted[several], *others[several];
        Pack sums[several]{};
        for (std::size_t c = 0; c < several; ++c) {
            weighted[c] = weighted_.data() + form(l + c) * n_packs_;
            const Pack* other = column(l + c);
            others[c] = other ? other : ones_.data();
        }
        for (std::size_t p = 0; p < n_packs_; ++p)
            for (std::size_t c = 0; c < several; ++c) sums[c] += weighted[c][p] * others[c][p];
        for (std::size_t c = 0; c < several; ++c) to[c] = total(sums[c]);
    }

    Rows rows_;
    const End *i_ = nullptr, *j_ = nullptr;
    const SlopePrior* prior_ = nullptr;
    std::size_t n_i_ = 0, n_j_ = 0, n_packs_ = 0;
    Buffer<double> last_;
    Buffer<std::int64_t> merged_;
    Buffer<std::size_t> position_;
    Buffer<const Pack*> columns_;
    Buffer<Pack> residual_, weight_, weighted_, ones_;
};

}  // namespace markhood::MARKHOOD_TIER
