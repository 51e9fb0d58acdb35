// A number a sample, all samples of a pattern having the same, as a sum of a number a column and a rest.
//
//     v = a_0 + sum_k a_k x_k + e,     so for any other variable j     x_j' v = a_0 n_j + sum_k a_k x_k'x_j + x_j' e
//
// where the sums of products are counts, taken once a column, and |x_j' e| <= sqrt(N) sd_j |e| + |sum e| (Cauchy and
// Schwarz; sd_j: the standard deviation of x_j). That holds for any a; least squares make the rest small. So x_j' v
// is known within these bounds without a look at the samples.
#pragma once
#include <cmath>

#include "count/patterns.hpp"
#include "fit/cholesky.hpp"

namespace markhood::MARKHOOD_TIER {

class AdditivePart {
  public:
    double rest = 0.0, sum_of_rest = 0.0;  // |e| and |sum e|

    explicit AdditivePart(BitRows rows) : rows_(rows) {
        sums_.resize(rows.n_rows);
        ones_.resize(rows.n_rows);
        for (std::size_t v = 0; v < rows.n_rows; ++v) ones_[v] = count(v, v);
    }

    // No columns.
    void begin() {
        variables_.resize(0);
        counts_.resize(0);
        is_factorised_ = false;
    }

    // A column more.
    void add(std::size_t variable) {
        const std::size_t n = variables_.size();
        variables_.push(variable);
        double* counts = counts_.resize((n + 1) * rows_.n_rows) + n * rows_.n_rows;
        for (std::size_t v = 0; v < rows_.n_rows; ++v) counts[v] = count(variable, v);
        is_factorised_ = false;
    }

    // Takes the values of the patterns, whose columns are those here.
    void take(const Patterns& patterns, const Pack* values) {
        const std::size_t n = variables_.size(), n_packs = patterns.n_packs();
        Pack total_of_values{};
        work_.resize(n_packs);
        for (std::size_t p = 0; p < n_packs; ++p) total_of_values += work_[p] = patterns.counts[p] * values[p];
        solve(patterns, total(total_of_values));
        patterns.columns.combine(constant_, slopes_.data(), n, work_.data());
        Pack squares{}, sum{};
        for (std::size_t p = 0; p < n_packs; ++p) {
            const Pack e = values[p] - work_[p];
            squares += patterns.counts[p] * e * e;
            sum += patterns.counts[p] * e;
        }
        rest = std::sqrt(total(squares));
        sum_of_rest = std::fabs(total(sum));
        for (std::size_t v = 0; v < rows_.n_rows; ++v) sums_[v] = constant_ * ones_[v];
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t v = 0; v < rows_.n_rows; ++v) sums_[v] += slopes_[k] * counts_[k * rows_.n_rows + v];
    }

    // The sum of the additive part where a variable is one.
    double sum_where(std::size_t variable) const { return sums_[variable]; }
    // How far the sum of the values may be from it.
    double margin(std::size_t variable) const {
        const double ones = ones_[variable];
        return std::sqrt(ones * (n_samples() - ones) / n_samples()) * rest + sum_of_rest;
    }

  private:
    double n_samples() const { return static_cast<double>(rows_.n_samples); }

    double count(std::size_t a, std::size_t b) const {
        return static_cast<double>(count_common(rows_.row(a), rows_.row(b), rows_.n_words));
    }

    // Factorises the covariances of the columns.
    void factorise() {
        const std::size_t n = variables_.size();
        factor_.resize(n);
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t l = 0; l <= k; ++l)
                factor_.data()[k * n + l] = counts_[k * rows_.n_rows + variables_[l]] - ones_[variables_[k]] * ones_[variables_[l]] / n_samples();
        factor_.decompose([](std::size_t, double pivot, double diagonal) { return pivot > 1e-9 * diagonal; });
        is_factorised_ = true;
    }

    // Least squares, with `work_` the values times counts.
    void solve(const Patterns& patterns, double total_of_values) {
        const std::size_t n = variables_.size();
        slopes_.resize(patterns.columns.padded());
        patterns.columns.sum(work_.data(), 0, n, slopes_.data());
        for (std::size_t k = 0; k < n; ++k) slopes_[k] -= ones_[variables_[k]] * total_of_values / n_samples();
        if (!is_factorised_) factorise();
        factor_.substitute(slopes_.data(), slopes_.data());
        constant_ = total_of_values / n_samples();
        for (std::size_t k = 0; k < n; ++k) constant_ -= slopes_[k] * ones_[variables_[k]] / n_samples();
    }

    BitRows rows_;
    double constant_ = 0.0;
    bool is_factorised_ = false;
    Cholesky factor_;
    Buffer<std::size_t> variables_;
    Buffer<double> ones_, counts_, slopes_, sums_;  // counts: of each column with all variables
    Buffer<Pack> work_;
};

}  // namespace markhood::MARKHOOD_TIER
