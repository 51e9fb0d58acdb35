// Cholesky factorisation of a curvature, for fits of up to thousands of coefficients.
//
// Coordinates with a zero diagonal are left out. Where data are separated, these are the coefficients whose cells have all left: a
// quarter to a half of them, and the work is cubic. Pivots that the caller cannot use leave a row of zeros.
#pragma once
#include <cmath>

#include "fit/tolerances.hpp"
#include "machine/buffer.hpp"
#include "machine/packs.hpp"

namespace markhood::MARKHOOD_TIER {

constexpr std::size_t kPanel = 8;  // rows that stay in the first-level cache
constexpr std::size_t kBand = 32;  // rows that stay in the second-level cache
constexpr std::size_t kTileRows = 4, kTilePacks = 2, kTile = kTilePacks * kPack;  // what registers hold
static_assert(kBand % kPanel == 0 && kTile % kTileRows == 0);

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

static inline double largest_size(const double* values, std::size_t n) {
    double found = 0.0;
    for (std::size_t k = 0; k < n; ++k) found = std::fabs(values[k]) > found ? std::fabs(values[k]) : found;
    return found;
}

class Cholesky {
  public:
    void resize(std::size_t n) {
        n_ = n;
        matrix_.resize(n * n);
    }

    // The matrix before it is decomposed; only the lower triangle is read.
    double* data() { return matrix_.data(); }
    const Buffer<double>& matrix() const { return matrix_; }

    // to = H x, by the lower triangle.
    void multiply(const double* x, double* to) const {
        for (std::size_t k = 0; k < n_; ++k) {
            const double* row = matrix_.data() + k * n_;
            to[k] = dot(row, x, k + 1);
            take_off(row, -x[k], to, k);
        }
    }

    // Cholesky in place: rows of the upper triangle, with inverse pivots on the diagonal, zero where there is none.
    // Many pivots' rows are taken off the rows below them at once, in tiles that stay in registers: one after another, each
    // would read and write all that is left of the matrix. Among themselves they are taken off a few at once.
    template <class IsUsable>
    void decompose(IsUsable is_usable) {
        gather_curved(is_usable);
        double* h = matrix_.data();
        const std::size_t n = curved_.size();
        for (std::size_t band = 0; band < n; band += kBand) {
            if (band) stop_if_asked();
            const std::size_t band_end = band + kBand < n ? band + kBand : n;
            for (std::size_t first = band; first < band_end; first += kPanel) {
                const std::size_t end = first + kPanel < n ? first + kPanel : n;
                for (std::size_t k = first; k < end; ++k) {
                    double* row = h + k * n;
                    if (is_usable(curved_[k], row[k], diagonal_[k])) row[k] = 1.0 / std::sqrt(row[k]);
                    else row[k] = 0.0;
                    for (std::size_t l = k + 1; l < n; ++l) row[l] *= row[k];
                    for (std::size_t l = k + 1; l < end; ++l) take_off(row + l, row[l], h + l * n + l, n - l);
                }
                for (std::size_t l = end; l < band_end; ++l) take_off_panel(h + first * n, n, l, h + l * n);
            }
            if (band_end < n) take_off_band(band, n);
        }
    }

    // The logarithm of the determinant of what has pivots.
    double log_determinant() const {
        const std::size_t n = curved_.size();
        double sum = 0.0, product = 1.0;
        for (std::size_t k = 0; k < n; ++k) {
            const double inverse = matrix_[k * n + k];
            product *= inverse > 0.0 ? inverse : 1.0;
            if (product > 1e-100 && product < 1e100) continue;
            sum += std::log(product);
            product = 1.0;
        }
        return -2.0 * (sum + std::log(product));
    }

    // right' H^-1 right, by the decomposition.
    double inverse_form(const double* right) {
        const double* h = matrix_.data();
        const std::size_t n = curved_.size();
        double product = 0.0, *y = solved_.resize(n);
        for (std::size_t k = 0; k < n; ++k) y[k] = right[curved_[k]];
        for (std::size_t k = 0; k < n; ++k) {
            const double* row = h + k * n;
            y[k] *= row[k];
            if (y[k] == 0.0) continue;
            product += y[k] * y[k];  // |L^-1 g|^2 = g' H^-1 g
            take_off(row + k + 1, y[k], y + k + 1, n - k - 1);
        }
        return product;
    }

    // x = H^-1 right, by the decomposition; returns right times x.
    double substitute(const double* right, double* x) {
        const double product = inverse_form(right);
        back_substitute(solved_.data());
        std::memset(x, 0, n_ * sizeof(double));
        for (std::size_t k = 0; k < curved_.size(); ++k) x[curved_[k]] = solved_[k];
        return product;
    }

    // x = R^-1 x in place, where the decomposition is H = R'R: zero where there is no pivot.
    void back_substitute(double* x) const {
        const std::size_t n = curved_.size();
        for (std::size_t k = n; k-- > 0;) {
            const double* row = matrix_.data() + k * n;
            x[k] = (x[k] - dot(row + k + 1, x + k + 1, n - k - 1)) * row[k];
        }
    }

    // R'^-1 C in place, for n_columns columns: (n, n_columns) where all coordinates have pivots.
    void half_substitute(double* columns, std::size_t n_columns) const {
        for (std::size_t i = 0; i < n_; ++i) {
            double* row = columns + i * n_columns;
            for (std::size_t t = 0; t < i; ++t)
                if (const double by = matrix_[t * n_ + i]; by != 0) take_off(columns + t * n_columns, by, row, n_columns);
            for (std::size_t c = 0; c < n_columns; ++c) row[c] *= matrix_[i * n_ + i];
        }
    }

  private:
    // Moves the rows and columns of coordinates with second derivatives together, and mirrors them.
    template <class IsUsable>
    void gather_curved(IsUsable is_usable) {
        double* h = matrix_.data();
        curved_.resize(0);
        diagonal_.resize(0);
        for (std::size_t k = 0; k < n_; ++k) {
            const double own = h[k * n_ + k];
            if (own == 0.0) {
                is_usable(k, own, own);
                continue;
            }
            curved_.push(k);
            diagonal_.push(own);
        }
        const std::size_t n = curved_.size();
        for (std::size_t k = 0; k < n; ++k)  // nothing is written where something is still to be read
            for (std::size_t l = 0; l <= k; ++l) h[k * n + l] = h[curved_[k] * n_ + curved_[l]];
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t l = 0; l < k; ++l) h[l * n + k] = h[k * n + l];
    }

    // Takes the kBand rows from `band` on off all rows after them. Tiles on the diagonal write below it, where nothing is
    // read again.
    void take_off_band(std::size_t band, std::size_t n) {
        const double* rows = matrix_.data() + band * n;
        const std::size_t end = band + kBand;
        std::size_t c = end;
        has_common_.resize((n - end + kTileRows - 1) / kTileRows);
        for (std::size_t l = end; l + kTileRows <= n; l += kTileRows) has_common_[(l - end) / kTileRows] = have_common(rows, n, l);
        for (; c + kTile <= n; c += kTile)
            for (std::size_t l = end; l < c + kTile; l += kTileRows)
                if (has_common_[(l - end) / kTileRows]) take_off_tile(rows, n, l, c);
        for (std::size_t l = end; l < n; ++l) {
            const std::size_t from = l > c ? l : c;
            for (std::size_t k = 0; k < kBand; ++k)
                take_off(rows + k * n + from, rows[k * n + l], matrix_.data() + l * n + from, n - from);
        }
    }

    // Whether the rows of a band have second derivatives with the coordinates of a tile from l on: two ends of a pair have none while there
    // is no coupling, which halves the work.
    static bool have_common(const double* rows, std::size_t n, std::size_t l) {
        double any = 0.0;
        for (std::size_t k = 0; k < kBand; ++k)
            for (std::size_t i = 0; i < kTileRows; ++i) any += std::fabs(rows[k * n + l + i]);
        return any > 0.0;
    }

    // The same for the rows l, l + 1, ... and the columns c, c + 1, ... of one tile.
    void take_off_tile(const double* rows, std::size_t n, std::size_t l, std::size_t c) {
        double* from = matrix_.data() + l * n + c;
        Pack left[kTileRows][kTilePacks], row[kTilePacks];
        for (std::size_t i = 0; i < kTileRows; ++i)
            for (std::size_t p = 0; p < kTilePacks; ++p) std::memcpy(&left[i][p], from + i * n + p * kPack, sizeof(Pack));
        for (std::size_t k = 0; k < kBand; ++k, rows += n) {
            for (std::size_t p = 0; p < kTilePacks; ++p) std::memcpy(&row[p], rows + c + p * kPack, sizeof(Pack));
            for (std::size_t i = 0; i < kTileRows; ++i)
                for (std::size_t p = 0; p < kTilePacks; ++p) left[i][p] -= rows[l + i] * row[p];
        }
        for (std::size_t i = 0; i < kTileRows; ++i)
            for (std::size_t p = 0; p < kTilePacks; ++p) std::memcpy(from + i * n + p * kPack, &left[i][p], sizeof(Pack));
    }

    // Takes kPanel rows, times what each has at l, off the row l, from l on.
    static void take_off_panel(const double* __restrict rows, std::size_t n, std::size_t l, double* __restrict from) {
        double times[kPanel], any = 0.0;
        for (std::size_t k = 0; k < kPanel; ++k) any += std::fabs(times[k] = rows[k * n + l]);
        if (any == 0.0) return;
        std::size_t c = l;
        for (Pack left, row; c + kPack <= n; c += kPack) {
            std::memcpy(&left, from + c, sizeof(Pack));
            for (std::size_t k = 0; k < kPanel; ++k) {
                std::memcpy(&row, rows + k * n + c, sizeof(Pack));
                left -= times[k] * row;
            }
            std::memcpy(from + c, &left, sizeof(Pack));
        }
        for (; c < n; ++c)
            for (std::size_t k = 0; k < kPanel; ++k) from[c] -= times[k] * rows[k * n + c];
    }

    static void take_off(const double* __restrict row, double times, double* __restrict from, std::size_t n) {
        for (std::size_t l = 0; l < n; ++l) from[l] -= times * row[l];
    }

    std::size_t n_ = 0;
    Buffer<double> matrix_, diagonal_, solved_;
    Buffer<bool> has_common_;
    Buffer<std::size_t> curved_;  // coordinates with second derivatives, in the order of the decomposition
};

// Which pivots of a factorisation are more than rounding. A linear combination of earlier coordinates is found at the first
// factorisation of a fit and never has a pivot, because later its own may be all rounding. Others lose theirs where all their
// samples are separated.
class Pivots {
  public:
    bool all_usable = true, all_curved_usable = true;  // all coordinates, and all with a curvature
    bool any_lost = false;                             // in this factorisation, and not before

    // Factorises a matrix, the first of a fit or a later one.
    void decompose(Cholesky& matrix, std::size_t n, bool is_first) {
        state_.resize(n);
        all_usable = all_curved_usable = true;
        any_lost = false;
        matrix.decompose([&](std::size_t k, double pivot, double diagonal) {
            const bool is_enough = pivot > kSmallestPivot * diagonal && pivot > 0.0;
            const bool is_usable = is_enough && (is_first || state_[k] != kNever);
            all_usable = all_usable && is_usable;
            all_curved_usable = all_curved_usable && (is_usable || diagonal == 0);
            if (!is_first && state_[k] == kNever) return false;
            any_lost = any_lost || (!is_first && state_[k] == kUsable && !is_enough);
            state_[k] = is_enough ? kUsable : is_first ? kNever : kLost;
            return is_usable;
        });
    }

    bool is_usable(std::size_t k) const { return state_[k] == kUsable; }

  private:
    enum State : unsigned char { kNever, kLost, kUsable };
    Buffer<State> state_;
};

}  // namespace markhood::MARKHOOD_TIER
