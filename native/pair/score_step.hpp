// The Bayes factor of a coupling by one step from the fits without it, for two variables of one score each.
//
// Where the two regressions are at their maxima and the coupling t is zero, let g be the derivative of the log-likelihood by t, and S the
// information about t when all other coefficients follow. Without a coupling the ends are independent, so that
//
//     S = H_tt - c_i' H_i^-1 c_i - c_j' H_j^-1 c_j,        log BF = g^2 / (2 (S + 1/s^2)) - log(1 + s^2 S) / 2
//
// to second order. With f the score of a level, m and v its mean and variance in a sample by a regression, all of these are sums over samples:
//
//     g = f_i f_j - m_i m_j,       H_tt = (v_i + m_i^2) (v_j + m_j^2) - m_i^2 m_j^2,
//     c_i = m_j v_i f_k for the slope on k, and m_j cov(f_i, 1[x_i = t]) for the threshold t; c_j likewise.
//
// So an end is worked out once for all pairs that it is in, and a pair takes as many products per sample as it has neighbours, where a
// fit takes their square in each step. The step alone is off by terms of third order: graph_sampler.hpp says how they are made up for.
// Every sample is a row here, and all variables' scores are decoded once: with many neighbours few samples coincide.
#pragma once
#include "fit/newton.hpp"
#include "pair/level_powers.hpp"
#include "pair/pair_fit.hpp"

namespace markhood::MARKHOOD_TIER {

struct ScoreStep {
    double log_bayes_factor, coupling, variance;  // the last two in units of a step from one level to the next
};

// The scores of all variables in every sample.
class SampleScores {
  public:
    std::size_t n_packs = 0;
    Buffer<Pack> weights;

    void set(BitRows rows, std::size_t n_variables) {
        rows_ = rows;
        n_packs = (packs_for(rows.n_samples) + kRowBlock - 1) / kRowBlock * kRowBlock;
        first_.resize(0);
        first_.push(0);
        for (std::size_t v = 0; v < n_variables; ++v) first_.push(first_[v] + rows.n_scores(v));
        columns_.zeros(first_[n_variables] * n_packs);
        weights.zeros(n_packs);
        for (std::size_t s = 0; s < rows.n_samples; ++s) number(weights.data(), s) = rows.weight(s);
        for (std::size_t v = 0; v < n_variables; ++v) decode(v);
    }

    BitRows rows() const { return rows_; }
    std::size_t n_variables() const { return first_.size() - 1; }
    const Pack* column(std::size_t variable, std::size_t score = 0) const { return columns_.data() + (first_[variable] + score) * n_packs; }

    // The sums over samples of x, times y where not null, times each of n others; returns that of x, or of x times y, alone.
    double multiply(const Pack* x, const Pack* y, const Pack* const* others, std::size_t n, double* to) {
        multiply<1>(&x, y, others, n, to, n);
        Pack alone{};
        for (std::size_t p = 0; p < n_packs; ++p) alone += weighted_[p];
        return total(alone);
    }

    // The sums of several x, times y where not null, times each of n others, one row of `to` for each x. A column that is read is
    // multiplied with all of them.
    template <std::size_t n_left>
    void multiply(const Pack* const* x, const Pack* y, const Pack* const* others, std::size_t n, double* to, std::size_t apart) {
        const Pack* left[n_left];
        Pack* sums[n_left];
        weighted_.resize(n_left * n_packs);
        sums_.zeros(n_left * n);
        for (std::size_t k = 0; k < n_left; ++k) {
            Pack* own = weighted_.data() + k * n_packs;
            for (std::size_t p = 0; p < n_packs; ++p) own[p] = weights[p] * (y ? x[k][p] * y[p] : x[k][p]);
            left[k] = own;
            sums[k] = sums_.data() + k * n;
        }
        add_tiles<n_left>(left, others, n, n_packs, sums);
        for (std::size_t k = 0; k < n_left; ++k)
            for (std::size_t l = 0; l < n; ++l) to[k * apart + l] = total(sums[k][l]);
    }

  private:
    void decode(std::size_t variable) {
        const std::size_t levels = rows_.levels(variable), scores = rows_.n_scores(variable);
        features_.resize(levels * scores);
        fill_features(levels, scores, features_.data());
        for (std::size_t u = 0; u < scores; ++u) {
            Pack* to = columns_.data() + (first_[variable] + u) * n_packs;
            for (std::size_t s = 0; s < rows_.n_samples; ++s) number(to, s) = features_[u];
            for_each_level(rows_, variable, [&](std::size_t s, std::size_t a) { number(to, s) = features_[a * scores + u]; });
        }
    }

    BitRows rows_{};
    Buffer<std::size_t> first_;  // column of each variable
    Buffer<Pack> columns_, weighted_, sums_;
    Buffer<double> features_;
};

// The regression of a variable of one score on its neighbours, with its moments in every sample. Thresholds are those of levels but the first.
class SampleLikelihood {
  public:
    static constexpr std::size_t n_thresholds = 0;
    std::size_t n_parameters = 0;
    Buffer<Pack> mean, variance, thresholds;  // the last: covariances of the score with a one for each level but the first

    // From `end.coefficients`, or without slopes where these are null.
    void start(SampleScores& scores, const End& end, const SlopePrior& prior, Buffer<double>& b, Buffer<double>& precision) {
        lay_out(scores, end, prior, precision);
        b.resize(n_parameters);
        if (end.coefficients) std::memcpy(b.data(), end.coefficients, n_parameters * sizeof(double));
        else start_without_slopes(b);
    }

    static bool has_costly_curvature() { return true; }

    double step() const { return side_.features[1] - side_.features[0]; }

    // c' H^-1 c, by the mean of the other end.
    double explained(const SampleLikelihood& other, Cholesky& factor) {
        const std::size_t n_t = side_.n_thresholds;
        scores_->multiply(other.mean.data(), nullptr, of_thresholds_.data(), n_t, cross_.data());
        scores_->multiply(other.mean.data(), variance.data(), side_.columns.data(), side_.columns.size(), cross_.data() + n_t);
        return factor.inverse_form(cross_.data());
    }

    double evaluate(const double* b) {
        side_.set_fields(b);
        Pack log_likelihood{};
        for (std::size_t p = 0; p < scores_->n_packs; p += kRowBlock) log_likelihood -= spread(b, p);
        double value = total(log_likelihood);
        for (std::size_t k = 0; k < statistic_.size(); ++k) value += b[k] * statistic_[k];
        return value;
    }

    void differentiate(double* to) {
        const std::size_t n_t = side_.n_thresholds;
        const double of_mean = scores_->multiply(mean.data(), nullptr, side_.columns.data(), side_.columns.size(), to + n_t);
        for (std::size_t t = 0; t < n_t; ++t) to[t] = side_.is_step() ? scores_->multiply(of_shares_[t], nullptr, nullptr, 0, nullptr) : of_mean;
        for (std::size_t k = 0; k < statistic_.size(); ++k) to[k] = statistic_[k] - to[k];
    }

    void differentiate(double* gradient, double* hessian) {
        differentiate(gradient);
        curvature(hessian);
    }

    void curvature(double* row) {
        const std::size_t n_t = side_.n_thresholds, n = n_parameters;
        for (std::size_t t = 0; t < n_t; ++t, row += n) {
            const double own = scores_->multiply(of_shares_[t], nullptr, of_shares_.data(), t + 1, row);
            for (std::size_t u = 0; u <= t; ++u) row[u] = (t == u ? own : 0.0) - row[u];
        }
        const std::size_t n_columns = side_.columns.size();
        std::size_t k = 0;
        for (; k + kLeft <= n_columns; k += kLeft) multiply_columns<kLeft>(k, row + k * n);
        for (; k < n_columns; ++k) multiply_columns<1>(k, row + k * n);
    }

  private:
    static constexpr std::size_t kLeft = kPack == 8 ? 4 : 2;  // columns of a tile; only AVX-512 has registers for more

    // The rows of n_left slopes from the k-th on, up to the last of their diagonals.
    template <std::size_t n_left>
    void multiply_columns(std::size_t k, double* to) {
        const std::size_t n_t = side_.n_thresholds, n = statistic_.size();
        const Pack* const* columns = side_.columns.data();
        scores_->multiply<n_left>(columns + k, nullptr, of_thresholds_.data(), n_t, to, n);
        scores_->multiply<n_left>(columns + k, variance.data(), columns, k + n_left, to + n_t, n);
    }

    void lay_out(SampleScores& scores, const End& end, const SlopePrior& prior, Buffer<double>& precision) {
        const std::size_t n_packs = scores.n_packs;
        scores_ = &scores;
        side_.set(scores.rows(), end.variable);
        side_.columns.resize(0);
        for (std::size_t k = 0; k < end.n_given; ++k)
            for (std::size_t u = 0; u < scores.rows().n_scores(index_of(end.given[k])); ++u)
                side_.columns.push(scores.column(index_of(end.given[k]), u));
        const std::size_t n_t = side_.n_thresholds, n = n_parameters = side_.n_parameters();
        precision.resize(n);
        for (std::size_t k = 0, at = 0; k < n_t + end.n_given; ++k)
            for (std::size_t u = 0; u < (k < n_t ? 1 : scores.rows().n_scores(index_of(end.given[k - n_t]))); ++u)
                precision[at++] = k < n_t ? 0.0 : prior.of(end.given[k - n_t]);
        mean.resize(n_packs);
        variance.resize(n_packs);
        thresholds.resize(n_t * n_packs);
        shares_.resize(n_t * n_packs);
        levels_.resize(side_.levels * kRowBlock);
        of_shares_.resize(n_t);
        of_thresholds_.resize(n_t);
        for (std::size_t t = 0; t < n_t; ++t) {
            of_shares_[t] = shares_.data() + t * n_packs;
            of_thresholds_[t] = thresholds.data() + t * n_packs;
        }
        cross_.resize(n);
        count(end.variable);
    }

    // What the samples have of every coefficient's form.
    void count(std::size_t variable) {
        const BitRows rows = scores_->rows();
        level_totals_.zeros(side_.levels);
        for_each_level(rows, variable, [&](std::size_t s, std::size_t k) { level_totals_[k] += rows.weight(s); });
        statistic_.resize(side_.n_parameters());
        const double of_score = scores_->multiply(scores_->column(variable), nullptr, side_.columns.data(), side_.columns.size(), statistic_.data() + side_.n_thresholds);
        for (std::size_t p = 0; p < scores_->n_packs; ++p) level_totals_[0] += total(scores_->weights[p]);
        for (std::size_t t = 0; t < side_.n_thresholds; ++t) {
            level_totals_[0] -= level_totals_[t + 1];
            statistic_[t] = side_.is_step() ? level_totals_[t + 1] : of_score;
        }
    }

    void start_without_slopes(Buffer<double>& b) const {
        std::memset(b.data(), 0, n_parameters * sizeof(double));
        for (std::size_t t = 0; t < side_.n_thresholds; ++t)
            b[t] = std::log((level_totals_[t + 1] + 0.5) / (level_totals_[0] + 0.5));
    }

    // Sets the moments of a block of packs; returns their log Z.
    Pack spread(const double* b, std::size_t p) {
        const std::size_t n_packs = scores_->n_packs;
        Pack log_sums[kRowBlock] = {}, log_z{};
        set_powers(side_, b, p, levels_.data(), log_sums);
        for (std::size_t q = 0; q < kRowBlock; ++q) {
            Pack sum{}, first{}, second{};
            for (std::size_t a = 0; a < side_.levels; ++a) {
                const Pack weight = levels_[a * kRowBlock + q], times = side_.features[a] * weight;
                sum += weight;
                first += times;
                second += side_.features[a] * times;
            }
            const Pack inverse = 1.0 / sum, centre = first * inverse;
            mean[p + q] = centre;
            variance[p + q] = second * inverse - centre * centre;
            for (std::size_t t = 0; t < side_.n_thresholds; ++t) {
                const Pack share = levels_[(t + 1) * kRowBlock + q] * inverse;
                shares_[t * n_packs + p + q] = share;
                thresholds[t * n_packs + p + q] = share * (side_.features[t + 1] - centre);
            }
            log_z += scores_->weights[p + q] * (log_sums[q] + log_of(sum));
        }
        return log_z;
    }

    SampleScores* scores_ = nullptr;
    Side side_;
    Buffer<Pack> shares_, levels_;
    Buffer<double> statistic_, level_totals_, cross_;
    Buffer<const Pack*> of_shares_, of_thresholds_;
};

struct SampleEnd {
    static constexpr double kLeastGain = 1e-6;  // at most half of it is what the moments are off from the maximum
    std::uint64_t key = UINT64_MAX;
    SampleLikelihood likelihood;
    Newton<SampleLikelihood> newton;

    // From `end.coefficients`: the maximum where `is_maximum`; else where to begin, if not null.
    double fit(SampleScores& scores, const End& end, bool is_maximum, const SlopePrior& prior) {
        likelihood.start(scores, end, prior, newton.coefficients, newton.precision);
        if (!is_maximum) return newton.maximise_laplace(likelihood, kLeastGain);
        newton.factorise(likelihood);
        return 0.0;
    }

    double explained(const SampleEnd& other) { return likelihood.explained(other.likelihood, newton.factor()); }
};

// Steps of pairs whose ends were fitted here, or are known from an earlier fit.
class ScoreSteps {
  public:
    // Whether all variables' scores are few enough numbers to be kept for every sample.
    static bool have_room(BitRows rows, std::size_t n_variables) {
        return !rows.reals && rows.n_samples * n_variables <= kMaxScores;
    }

    ~ScoreSteps() {
        for (std::size_t v = 0; v < kept_.size(); ++v) delete kept_[v];
    }

    // An end of the next pair, 0 or 1: from a state that is kept, or fitted. One that is `passing` is not kept for other pairs.
    bool has(std::size_t which, std::size_t variable, std::uint64_t key) {
        ends_[which] = kept_.size() ? kept_[variable] : nullptr;
        return ends_[which] && ends_[which]->key == key;
    }
    double fit(BitRows rows, std::size_t n_variables, std::size_t which, const End& end, std::uint64_t key, bool is_maximum, bool passing,
               const SlopePrior& prior) {
        if (!scores_.n_packs) begin(rows, n_variables);
        SampleEnd*& kept = kept_[end.variable];
        if (!passing && !kept) kept = new SampleEnd;
        ends_[which] = passing ? &passing_[which] : kept;
        ends_[which]->key = key;
        return ends_[which]->fit(scores_, end, is_maximum, prior);
    }
    Newton<SampleLikelihood>& newton(std::size_t which) { return ends_[which]->newton; }

    // False where the data have no information about the coupling.
    bool take(std::size_t i, std::size_t j, const SlopePrior& prior, ScoreStep* to) {
        const SampleLikelihood &of_i = ends_[0]->likelihood, &of_j = ends_[1]->likelihood;
        const Pack *f_i = scores_.column(i), *f_j = scores_.column(j);
        Pack gradient{}, information{};
        for (std::size_t p = 0; p < scores_.n_packs; ++p) {
            const Pack w = scores_.weights[p], m_i = of_i.mean[p], m_j = of_j.mean[p], product = m_i * m_j;
            gradient += w * (f_i[p] * f_j[p] - product);
            information += w * ((of_i.variance[p] + m_i * m_i) * (of_j.variance[p] + m_j * m_j) - product * product);
        }
        const double apart = total(information) - ends_[0]->explained(*ends_[1]) - ends_[1]->explained(*ends_[0]);
        const double curved = apart + prior.coupling, g = total(gradient), unit = of_i.step() * of_j.step();
        if (!(apart > 0.0)) return false;
        *to = {0.5 * g * g / curved - 0.5 * std::log(curved / prior.coupling), unit * g / curved, unit * unit / curved};
        return true;
    }

  private:
    static constexpr std::size_t kMaxScores = std::size_t{1} << 22;  // scores of all samples that are kept: 32 MB

    void begin(BitRows rows, std::size_t n_variables) {
        scores_.set(rows, n_variables);
        kept_.resize(n_variables);
        for (std::size_t v = 0; v < n_variables; ++v) kept_[v] = nullptr;
    }

    SampleScores scores_;
    Buffer<SampleEnd*> kept_;  // of each variable, given its neighbours in the last pair without an edge
    SampleEnd passing_[2], *ends_[2] = {nullptr, nullptr};
};

}  // namespace markhood::MARKHOOD_TIER
