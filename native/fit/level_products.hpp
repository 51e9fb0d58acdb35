// The second derivatives of a multinomial regression whose predictors are seldom zero, as those of steps are.
//
//     H[(u, k), (v, l)] = sum over rows of w_kl x_u x_v,   w_kl = N p_k ((k = l) - p_l)
//
// Rows are lanes of a vector. For every two levels the weighted columns are multiplied with the columns in tiles that stay
// in registers, and since a block is symmetric in its levels half of them do. Row by row every block would be read
// and written once a row: that took five times as long with 26 levels and 17 predictors.
#pragma once
#include "fit/design.hpp"
#include "machine/buffer.hpp"
#include "machine/product_tiles.hpp"

namespace markhood::MARKHOOD_TIER {

class LevelProducts {
  public:
    // Whether tiles over all predictors are less work than adding those of a row that are not zero: half of them are not.
    static bool suits(const Design& design) {
        const std::size_t n_active = design.n_rows + design.starts[design.n_rows];
        return design.n_levels > kFewLevels && design.n_rows >= kFewRows && 2 * n_active > design.n_rows * design.n_predictors;
    }

    // Writes the lower triangle of `hessian`, (n, n), of all levels but the target's first. A row's levels have the weights `powers`,
    // which sum to `sums`, and `totals` samples.
    void write(const Design& design, const double* powers, const double* sums, const double* totals, double* hessian) {
        design_ = design;
        q_ = design.n_levels - 1;
        products_.zeros(q_ * (q_ + 1) / 2 * n_pairs());
        columns_.resize(design.n_predictors * kStride);
        shares_.resize((2 * q_ + 1) * kPart);
        column_.resize(design.n_predictors);
        for (std::size_t u = 0; u < design.n_predictors; ++u) column_[u] = columns_.data() + u * kStride;
        for (std::size_t from = 0; from < design.n_rows; from += kPart * kPack) {
            take_columns(from);
            take_shares(from, powers, sums, totals);
            add_part();
        }
        spread(hessian);
    }

  private:
    static constexpr std::size_t kPart = 256 / kPack;  // packs of rows at a time: all columns stay in the second-level cache
    static constexpr std::size_t kStride = kPart + 1;  // of columns: with kPart the columns of a row would share one set of the cache
    static constexpr std::size_t kFewLevels = 4, kFewRows = 64;  // up to which adding row by row is faster
    static constexpr std::size_t kLeft = kPack == 8 ? 4 : 2;  // columns of a tile; only AVX-512 has registers for more

    std::size_t n_rows(std::size_t from) const {
        return design_.n_rows - from < kPart * kPack ? design_.n_rows - from : kPart * kPack;
    }

    // How many pairs (u, v), v <= u, there are.
    std::size_t n_pairs() const { return pairs_before(design_.n_predictors); }
    static std::size_t pairs_before(std::size_t u) { return u * (u + 1) / 2; }

    static void clear(Pack* packs, std::size_t n) { std::memset(static_cast<void*>(packs), 0, n * sizeof(Pack)); }

    // The predictors of the rows from `from` on; past the last row all are zero.
    void take_columns(std::size_t from) {
        clear(columns_.data(), columns_.size());
        double* lanes = reinterpret_cast<double*>(columns_.data());
        for (std::size_t i = 0; i < n_rows(from); ++i) {
            lanes[i] = 1.0;
            for (std::size_t a = design_.starts[from + i]; a < design_.starts[from + i + 1]; ++a)
                lanes[design_.active[a] * kStride * kPack + i] = design_.values ? design_.values[a] : 1.0;
        }
    }

    // The probabilities p_k of these rows, and N p_k of all levels but the first.
    void take_shares(std::size_t from, const double* powers, const double* sums, const double* totals) {
        clear(shares_.data(), shares_.size());
        double scale[kPart * kPack];
        for (std::size_t i = 0; i < n_rows(from); ++i) scale[i] = 1.0 / sums[from + i];
        for (std::size_t k = 0; k <= q_; ++k) {
            const double* of_level = powers + from * design_.n_levels + k;
            double *share = reinterpret_cast<double*>(shares_.data() + k * kPart), *counted = share + q_ * kPart * kPack;
            for (std::size_t i = 0; i < n_rows(from); ++i) share[i] = of_level[i * design_.n_levels] * scale[i];
            if (k == 0) continue;
            for (std::size_t i = 0; i < n_rows(from); ++i) counted[i] = totals[from + i] * share[i];
        }
    }

    void add_part() {
        double* to = products_.data();
        for (std::size_t k = 1; k <= q_; ++k)
            for (std::size_t l = 1; l <= k; ++l, to += n_pairs())
                if (weigh(k, l)) add_pairs(to);
    }

    // Sets the weights of levels k and l; whether any is not zero. 1 - p is a sum: a difference would be nothing where p is
    // nearly one.
    bool weigh(std::size_t k, std::size_t l) {
        const Pack *counted = shares_.data() + (q_ + k) * kPart, *share = shares_.data() + l * kPart;
        Pack size{};
        for (std::size_t p = 0; p < kPart; ++p) weight_[p] = -share[p];
        if (k == l) add_others(k);
        for (std::size_t p = 0; p < kPart; ++p) {
            weight_[p] *= counted[p];
            size += weight_[p] * weight_[p];
        }
        return total(size) > 0.0;
    }

    // The shares of all levels but k.
    void add_others(std::size_t k) {
        clear(weight_, kPart);
        for (std::size_t m = 0; m <= q_; ++m) {
            if (m == k) continue;
            for (std::size_t p = 0; p < kPart; ++p) weight_[p] += shares_[m * kPart + p];
        }
    }

    // Adds the products of each weighted column with those up to itself.
    void add_pairs(double* to) {
        for (std::size_t u = 0; u < design_.n_predictors;) {
            const std::size_t left = design_.n_predictors - u;
            if (left >= kLeft) u = add_columns<kLeft>(u, to);
            else if (left == 3) u = add_columns<3>(u, to);
            else if (left == 2) u = add_columns<2>(u, to);
            else u = add_columns<1>(u, to);
        }
    }

    template <std::size_t n_left>
    std::size_t add_columns(std::size_t u, double* to) {
        const std::size_t n = u + n_left;
        sums_.resize(n_left * n);
        clear(sums_.data(), sums_.size());
        Pack weighted[n_left][kPart], *rows[n_left];
        const Pack* left[n_left];
        for (std::size_t x = 0; x < n_left; ++x) {
            for (std::size_t p = 0; p < kPart; ++p) weighted[x][p] = weight_[p] * column_[u + x][p];
            left[x] = weighted[x];
            rows[x] = sums_.data() + x * n;
        }
        add_tiles<n_left>(left, column_.data(), n, kPart, rows);
        for (std::size_t x = 0; x < n_left; ++x) {
            double* of_u = to + pairs_before(u + x);
            for (std::size_t v = 0; v <= u + x; ++v) of_u[v] += total(rows[x][v]);
        }
        return n;
    }

    // Writes the products where they are in the matrix.
    void spread(double* hessian) const {
        const std::size_t n = design_.n_predictors * q_;
        const double* from = products_.data();
        for (std::size_t k = 0; k < q_; ++k)
            for (std::size_t l = 0; l <= k; ++l)
                for (std::size_t u = 0; u < design_.n_predictors; ++u)
                    for (std::size_t v = 0; v <= u; ++v, ++from) {
                        hessian[(u * q_ + k) * n + v * q_ + l] = *from;
                        hessian[(u * q_ + l) * n + v * q_ + k] = *from;
                    }
    }

    Design design_{};
    std::size_t q_ = 0;
    Pack weight_[kPart];
    Buffer<Pack> columns_, shares_, sums_;
    Buffer<const Pack*> column_;
    Buffer<double> products_;
};

}  // namespace markhood::MARKHOOD_TIER
