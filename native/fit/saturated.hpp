// Regressions that need no search: those with as many independent predictors as rows.
//
// Where no row of predictors is a combination of the others, as with one blanket member or with columns
// that hardly repeat a value, every row can have its own shares as probabilities. The coefficients are
// then those of a linear equation; a cell without samples is at minus infinity, and as far out as `kAlmostNever` says.
#pragma once
#include <cmath>

#include "machine/buffer.hpp"
#include "machine/packs.hpp"

namespace markhood::MARKHOOD_TIER {

constexpr double kIndependent = 1e-6;  // what is left of a column of zeros and ones; less is rounding
constexpr double kAlmostNever = 1e-11;  // the share of samples that a cell without any has in finite coefficients

// A table as a regression sees it. The predictors of row r are the intercept, number 0, which is one, and those in
// active[starts[r]] ... active[starts[r + 1] - 1], ascending, with their `values`; others are zero. Where all are
// indicators both `values` and `reach` are null: so it is without ordered levels, which must cost nothing then.
struct Design {
    std::size_t n_rows, n_levels, n_predictors;
    const double* counts;  // (n_rows, n_levels)
    const std::uint32_t *starts, *active;
    const double *values, *reach;  // of every active predictor; the highest value of each predictor
    const unsigned char* left = nullptr;  // (n_rows, n_levels), cells known to be at minus infinity; null if none is
};

static inline double dot(const double* a, const double* b, std::size_t n) {
    Pack sum{}, x, y;
    std::size_t i = 0;
    for (; i + kPack <= n; i += kPack) {
        std::memcpy(&x, a + i, sizeof(Pack));
        std::memcpy(&y, b + i, sizeof(Pack));
        sum += x * y;
    }
    double rest = total(sum);
    for (; i < n; ++i) rest += a[i] * b[i];
    return rest;
}

class SaturatedFit {
  public:
    // Whether no row of predictors is a combination of others. If so, leaves in `basis_` as many predictors as there
    // are rows, the first that are no combinations of earlier ones, and their QR decomposition.
    bool applies_to(Design design) {
        design_ = design;
        slopes_ = design.n_levels - 1;
        const std::size_t n = design_.n_rows;
        if (n > design_.n_predictors) return false;
        list_rows();
        basis_.resize(0);
        orthogonal_.resize(n * n);
        triangle_.resize(n * n);
        column_.resize(n);
        for (std::size_t u = 0; u < design_.n_predictors && basis_.size() < n; ++u) {
            std::memset(column_.data(), 0, n * sizeof(double));
            for (std::size_t k = row_starts_[u]; k < row_starts_[u + 1]; ++k) column_[row_of_[k]] = value_of_[k];
            const std::size_t at = basis_.size();
            double* coordinates = triangle_.data() + at * n;
            std::memset(coordinates, 0, n * sizeof(double));
            for (int twice = 0; twice < 2; ++twice) {  // the second time takes off what rounding left
                for (std::size_t q = 0; q < at; ++q) {
                    const double* direction = orthogonal_.data() + q * n;
                    const double part = dot(direction, column_.data(), n);
                    coordinates[q] += part;
                    for (std::size_t r = 0; r < n; ++r) column_[r] -= part * direction[r];
                }
            }
            const double length = std::sqrt(dot(column_.data(), column_.data(), n));
            if (!(length > kIndependent)) continue;
            coordinates[at] = length;
            for (std::size_t r = 0; r < n; ++r) orthogonal_[at * n + r] = column_[r] / length;
            basis_.push(u);
        }
        return basis_.size() == n;
    }

    // The fit in which every row has its own shares as probabilities.
    double fit(double* coefficients, double* drift, bool& separated) {
        const std::size_t levels = design_.n_levels, n = design_.n_rows;
        double likelihood = 0.0;
        eta_.resize(n);
        change_.resize(n);
        total_.resize(n);
        for (std::size_t r = 0; r < n; ++r) {
            total_[r] = 0.0;
            for (std::size_t k = 0; k < levels; ++k) total_[r] += design_.counts[r * levels + k];
            for (std::size_t k = 0; k < levels; ++k) {
                const double count = design_.counts[r * levels + k];
                if (count > 0) likelihood += count * std::log(count / total_[r]);
                else separated = true;
            }
        }
        for (std::size_t k = 1; k < levels; ++k) {
            for (std::size_t r = 0; r < n; ++r) {
                const double first = design_.counts[r * levels], count = design_.counts[r * levels + k];
                const double odds = (count > 0 ? count : kAlmostNever * total_[r]) /
                                    (first > 0 ? first : kAlmostNever * total_[r]);
                eta_[r] = std::log(odds);
                change_[r] = (count > 0 ? 0.0 : -1.0) + (first > 0 ? 0.0 : 1.0);
            }
            spread(eta_.data(), coefficients + k - 1);
            spread(change_.data(), drift + k - 1);
        }
        return likelihood;
    }

  private:
    // The rows of every predictor, and its values there: row_of_[row_starts_[u]] ... row_of_[row_starts_[u + 1] - 1].
    void list_rows() {
        const std::size_t n = design_.n_rows, n_active = design_.starts[n];
        row_starts_.resize(design_.n_predictors + 2);
        row_of_.resize(n + n_active);
        value_of_.resize(n + n_active);
        std::memset(row_starts_.data(), 0, row_starts_.size() * sizeof(std::size_t));
        row_starts_[2] = n;
        for (std::size_t a = 0; a < n_active; ++a) ++row_starts_[design_.active[a] + 2];
        for (std::size_t u = 2; u < row_starts_.size(); ++u) row_starts_[u] += row_starts_[u - 1];
        for (std::size_t r = 0; r < n; ++r) {
            value_of_[row_starts_[1]] = 1.0;
            row_of_[row_starts_[1]++] = r;
            for (std::size_t a = design_.starts[r]; a < design_.starts[r + 1]; ++a) {
                value_of_[row_starts_[design_.active[a] + 1]] = design_.values ? design_.values[a] : 1.0;
                row_of_[row_starts_[design_.active[a] + 1]++] = r;
            }
        }
    }

    // Writes the basis' coefficients, `slopes_` apart, whose sums over the rows' predictors are `sums`; others are zero.
    void spread(const double* sums, double* to) {
        const std::size_t n = design_.n_rows;
        for (std::size_t u = 0; u < design_.n_predictors; ++u) to[u * slopes_] = 0.0;
        for (std::size_t q = 0; q < n; ++q) column_[q] = dot(orthogonal_.data() + q * n, sums, n);
        for (std::size_t q = n; q-- > 0;) {
            column_[q] /= triangle_[q * n + q];
            for (std::size_t p = 0; p < q; ++p) column_[p] -= triangle_[q * n + p] * column_[q];
            to[basis_[q] * slopes_] = column_[q];
        }
    }

    Design design_{};
    std::size_t slopes_ = 0;
    Buffer<double> eta_, change_, total_, orthogonal_, triangle_, column_, value_of_;
    Buffer<std::size_t> basis_, row_starts_, row_of_;
};

}  // namespace markhood::MARKHOOD_TIER
