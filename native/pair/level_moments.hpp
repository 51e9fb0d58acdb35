// Means and covariances of the forms of a pair (level_pair_fit.hpp says what a form is), a block of packs of rows at a time.
//
// The covariances of a form of i with all forms of j, and with all products, need the sum over i's levels of its values times the
// cells. These sums are taken first, one for each level of j: with five levels each, a seventh of the work of all cells for every
// two forms. Only covariances with forms that slopes multiply are wanted row by row. Of all other, *plain* forms the means of products are
// taken from the cells added up over the rows.
#pragma once
#include "machine/product_tiles.hpp"
#include "pair/level_side.hpp"

namespace markhood::MARKHOOD_TIER {

constexpr std::size_t kRowBlock = 4, kRowChunk = 16;  // packs: of a block, and of rows whose moments the nearest cache holds

class LevelMoments {
  public:
    std::size_t n_forms = 0, first_product = 0;

    // The sides know which of their forms slopes multiply. Without a second variable j has no scores and one level.
    void set(const Side& i, const Side& j) {
        i_ = &i;
        j_ = &j;
        first_product = i.n_forms() + j.n_forms();
        n_forms = first_product + i.scores * j.scores;
        number_forms();
        list_products();
        const std::size_t n_plain = plain_.size();
        means_.resize(n_forms * kRowChunk);
        slot_means_.resize(n_slots_ * kRowChunk);
        covariances_.resize(n_slots_ * n_forms * kRowChunk);
        cell_sums_.resize(n_cells());
        cell_totals_.resize(n_cells());
        product_sums_.resize(n_plain * (n_plain + 1) / 2);
        folded_i_.resize(n_folds(i) * j.levels * kRowBlock);
        folded_j_.resize(n_folds(j) * i.levels * kRowBlock);
        own_.resize((i.levels > j.levels ? i.levels : j.levels) * kRowBlock);
    }

    void clear() {
        for (Buffer<Pack>* sums : {&cell_sums_, &product_sums_}) sums->zeros(sums->size());
    }

    // Takes in the means of a block, which is the p-th and following packs of a chunk and has counts `n`; its cells'
    // probabilities, then those of i's levels and of j's.
    void add_means(const Pack* cells, const Pack* n, std::size_t p) {
        const Pack *of_i = cells + n_cells() * kRowBlock, *of_j = of_i + i_->levels * kRowBlock;
        for (std::size_t c = 0; c < n_cells(); ++c)
            for (std::size_t q = 0; q < kRowBlock; ++q) cell_sums_[c] += n[q] * cells[c * kRowBlock + q];
        for (const Side* side : {i_, j_})
            for (std::size_t u = 0; side->columns.size() && u < side->scores; ++u) {
                const std::size_t f = side->first_slope_form + u;
                Pack *own = mean(f) + p, *counted = slot_means_.data() + slot_[f] * kRowChunk + p;
                weigh(*side, u, side == i_ ? of_i : of_j, own);
                for (std::size_t q = 0; q < kRowBlock; ++q) counted[q] = n[q] * own[q];
            }
    }

    // Takes in the covariances, too.
    void add(const Pack* cells, const Pack* n, std::size_t p) {
        const Pack *of_i = cells + n_cells() * kRowBlock, *of_j = of_i + i_->levels * kRowBlock;
        add_means(cells, n, p);
        for (std::size_t f = 0; f < i_->n_forms(); ++f) mean_of(*i_, f, of_i, mean(i_->first_form + f) + p);
        for (std::size_t f = 0; f < j_->n_forms(); ++f) mean_of(*j_, f, of_j, mean(j_->first_form + f) + p);
        if (j_->scores) {
            fold(*i_, cells, j_->levels, 1, folded_i_.data());
            if (j_->columns.size()) fold(*j_, cells, i_->levels, j_->levels, folded_j_.data());
            for (std::size_t k = 0; k < i_->scores; ++k)
                for (std::size_t v = 0; v < j_->scores; ++v)
                    weigh(*j_, v, folded_i_.data() + k * j_->levels * kRowBlock, mean(product_of(*i_, k, v)) + p);
        }
        if (i_->columns.size()) add_covariances(*i_, *j_, of_i, folded_i_.data(), n, p);
        if (j_->columns.size()) add_covariances(*j_, *i_, of_j, folded_j_.data(), n, p);
    }

    // After all blocks of a chunk, of `n_packs` with counts `n`.
    void end_chunk(const Pack* n, std::size_t n_packs) {
        Pack* sums = product_sums_.data();
        for (std::size_t k = 0; k < plain_.size(); sums += ++k) {
            stop_if_asked(k);
            const Pack* own = plain_means_[k];
            for (std::size_t p = 0; p < n_packs; ++p) counted_[p] = n[p] * own[p];
            const Pack* left = counted_;
            add_tiles<1>(&left, plain_means_.data(), k + 1, n_packs, &sums);
        }
    }

    // After all chunks.
    void end() {
        for (std::size_t c = 0; c < n_cells(); ++c) cell_totals_[c] = total(cell_sums_[c]);
    }

    // Of plain forms, over all rows.
    double mean_sum(std::size_t f) const { return sum_over(f, cell_totals_.data()); }
    double covariance_sum(std::size_t f, std::size_t g) const {
        double sum = 0.0;
        each_cell(f, g, [&](std::size_t c, double x, double y) { sum += cell_totals_[c] * x * y; });
        const std::size_t k = plain_at_[f > g ? f : g], l = plain_at_[f > g ? g : f];
        return sum - total(product_sums_[k * (k + 1) / 2 + l]);
    }
    // Of a form's values times a number for each cell.
    double sum_over(std::size_t f, const double* cells) const {
        double sum = 0.0;
        each_cell(f, f, [&](std::size_t c, double x, double) { sum += cells[c] * x; });
        return sum;
    }

    // Of forms that slopes multiply, in the packs of a chunk, times counts: the mean, and the covariance of one with any other.
    const Pack* means(std::size_t f) const { return slot_means_.data() + slot_[f] * kRowChunk; }
    const Pack* covariances(std::size_t f, std::size_t g) const {
        return covariances_.data() + (is_kept_by(f, g) ? slot_[f] * n_forms + g : slot_[g] * n_forms + f) * kRowChunk;
    }
    std::size_t slot(std::size_t f) const { return slot_[f]; }
    std::size_t n_slots() const { return n_slots_; }
    // The forms that no slope multiplies, in the order of their parameters.
    const Buffer<std::size_t>& plain() const { return plain_; }

    static constexpr std::size_t kNoSlot = SIZE_MAX;

  private:
    std::size_t n_cells() const { return i_->levels * j_->levels; }
    // Of two forms with slots the first keeps the covariance of both.
    bool is_kept_by(std::size_t f, std::size_t g) const { return slot_[f] != kNoSlot && (slot_[g] == kNoSlot || f <= g); }
    Pack* mean(std::size_t f) { return means_.data() + f * kRowChunk; }
    std::size_t product_of(const Side& side, std::size_t own, std::size_t other) const {
        return first_product + (&side == i_ ? own * j_->scores + other : other * j_->scores + own);
    }
    // Sums over a side's levels that are needed: for its scores, and where slopes multiply these for all products of two.
    static std::size_t n_folds(const Side& side) {
        return side.columns.size() ? side.scores + side.scores * (side.scores + 1) / 2 : side.scores;
    }

    void number_forms() {
        n_slots_ = 0;
        slot_.resize(n_forms);
        plain_at_.resize(n_forms);
        plain_.resize(0);
        for (std::size_t f = 0; f < n_forms; ++f) slot_[f] = kNoSlot;
        for (const Side* side : {i_, j_})
            for (std::size_t u = 0; side->columns.size() && u < side->scores; ++u)
                slot_[side->first_slope_form + u] = n_slots_++;
        for (const Side* side : {i_, j_})
            for (std::size_t t = 0; t < side->n_thresholds; ++t) plain_.push(side->first_form + t);
        for (std::size_t f = first_product; f < n_forms; ++f) plain_.push(f);
        plain_means_.resize(plain_.size());
        for (std::size_t k = 0; k < plain_.size(); ++k) plain_at_[plain_[k]] = k;
        means_.resize(n_forms * kRowChunk);
        for (std::size_t k = 0; k < plain_.size(); ++k) plain_means_[k] = mean(plain_[k]);
    }

    // The products' values in all cells.
    void list_products() {
        products_.resize((n_forms - first_product) * n_cells());
        double* to = products_.data();
        for (std::size_t k = 0; k < i_->scores; ++k)
            for (std::size_t v = 0; v < j_->scores; ++v)
                for (std::size_t a = 0; a < i_->levels; ++a)
                    for (std::size_t b = 0; b < j_->levels; ++b) *to++ = i_->number(k, a) * j_->number(v, b);
    }

    double value(std::size_t f, std::size_t a, std::size_t b) const {
        if (f >= first_product) return products_[(f - first_product) * n_cells() + a * j_->levels + b];
        return f >= j_->first_form ? j_->form(f - j_->first_form, b) : i_->form(f, a);
    }

    struct Range {
        std::size_t from, to;
    };
    // The levels of a side where a form may not be zero: one alone for a threshold of steps.
    Range levels(const Side& side, std::size_t f, Range within) const {
        const bool is_one = side.is_step() && f >= side.first_form && f < side.first_form + side.n_thresholds;
        const std::size_t at = is_one ? f - side.first_form + 1 : 0;
        if (!is_one) return within;
        return {at > within.from ? at : within.from, at + 1 < within.to ? at + 1 : within.to};
    }

    // Calls use(cell, value of f, value of g) where neither need be zero.
    template <class Use>
    void each_cell(std::size_t f, std::size_t g, Use use) const {
        const Range of_i = levels(*i_, f, levels(*i_, g, {0, i_->levels}));
        const Range of_j = levels(*j_, f, levels(*j_, g, {0, j_->levels}));
        for (std::size_t a = of_i.from; a < of_i.to; ++a)
            for (std::size_t b = of_j.from; b < of_j.to; ++b) use(a * j_->levels + b, value(f, a, b), value(g, a, b));
    }

    // The sum of a side's k-th numbers times what there is for every level.
    static void weigh(const Side& side, std::size_t k, const Pack* of_levels, Pack* to) {
        Pack sum[kRowBlock] = {};
        for (std::size_t a = 0; a < side.levels; ++a)
            for (std::size_t q = 0; q < kRowBlock; ++q) sum[q] += side.number(k, a) * of_levels[a * kRowBlock + q];
        std::memcpy(to, sum, sizeof sum);
    }

    // The same with the values of one of its forms.
    static void mean_of(const Side& side, std::size_t f, const Pack* of_levels, Pack* to) {
        if (!side.is_step()) weigh(side, f, of_levels, to);
        else if (f >= side.n_thresholds) weigh(side, f - side.n_thresholds, of_levels, to);
        else std::memcpy(to, of_levels + (f + 1) * kRowBlock, kRowBlock * sizeof(Pack));
    }

    // Sums over a side's levels, with all its numbers, for every level of the other, which are `stride` cells apart.
    static void fold(const Side& side, const Pack* cells, std::size_t n_other, std::size_t stride, Pack* to) {
        const std::size_t own = stride == 1 ? n_other : 1;
        for (std::size_t k = 0; k < n_folds(side); ++k)
            for (std::size_t b = 0; b < n_other; ++b, to += kRowBlock) {
                Pack sum[kRowBlock] = {};
                const Pack* from = cells + b * stride * kRowBlock;
                for (std::size_t a = 0; a < side.levels; ++a, from += own * kRowBlock)
                    for (std::size_t q = 0; q < kRowBlock; ++q) sum[q] += side.number(k, a) * from[q];
                std::memcpy(to, sum, sizeof sum);
            }
    }

    // Of a side's forms that slopes multiply.
    void add_covariances(const Side& side, const Side& other, const Pack* of_levels, const Pack* folded, const Pack* n,
                         std::size_t p) {
        for (std::size_t u = 0; u < side.scores; ++u) {
            const std::size_t f = side.first_slope_form + u;
            const Pack* counted = slot_means_.data() + slot_[f] * kRowChunk + p;
            for (std::size_t a = 0; a < side.levels; ++a)
                for (std::size_t q = 0; q < kRowBlock; ++q)
                    own_[a * kRowBlock + q] = side.number(u, a) * of_levels[a * kRowBlock + q];
            const auto keep = [&](std::size_t g, const Pack* of_both) {
                Pack* to = covariances_.data() + (slot_[f] * n_forms + g) * kRowChunk + p;
                for (std::size_t q = 0; q < kRowBlock; ++q) to[q] = n[q] * of_both[q] - counted[q] * mean(g)[p + q];
            };
            Pack both[kRowBlock];
            for (const Side* of : {&side, &other})
                for (std::size_t g = of->first_form; g < of->first_form + of->n_forms(); ++g) {
                    if (!is_kept_by(f, g)) continue;
                    mean_of(*of, g - of->first_form, of == &side ? own_.data() : folded + u * other.levels * kRowBlock, both);
                    keep(g, both);
                }
            for (std::size_t k = 0; k < side.scores; ++k)
                for (std::size_t v = 0; v < other.scores; ++v) {
                    weigh(other, v, folded + side.product(u, k) * other.levels * kRowBlock, both);
                    keep(product_of(side, k, v), both);
                }
        }
    }

    const Side *i_ = nullptr, *j_ = nullptr;
    std::size_t n_slots_ = 0;
    Buffer<std::size_t> slot_, plain_, plain_at_;
    Buffer<const Pack*> plain_means_;
    Buffer<double> products_, cell_totals_;
    Buffer<Pack> means_, slot_means_, covariances_, cell_sums_, product_sums_, folded_i_, folded_j_, own_;
    Pack counted_[kRowChunk];
};

}  // namespace markhood::MARKHOOD_TIER
