// The contingency table of a target with its blanket, ready to take in one variable more.
//
// A row is a configuration of the blanket that occurs. While rows are few each has two bit masks,
// its samples and those of them where the target is one; a candidate splits every row, and the
// split is counted by intersecting the candidate with the masks, interleaved so that a
// pack of rows is counted at once. Past `kMaxMaskedRows` (a blanket of nine or more, where the masks
// of the rows would be more words than there are samples) each sample has the number of its row
// instead, and a candidate is counted by walking through its ones: there are never more rows than samples.
//
// level_table.hpp handles two levels as well; this table is two to six times faster (`toggle_scores` with 40 candidates for each of 256
// targets and 4000 samples, blankets of two to eight members).
#pragma once
#include "machine/buffer.hpp"
#include "machine/packs.hpp"
#include "machine/words.hpp"

namespace markhood::MARKHOOD_TIER {

constexpr std::size_t kMaxMaskedRows = 256;

class BlanketTable {
  public:
    std::size_t n_packs = 0;  // of the table itself; with a candidate, twice as many
    // Column k of the design in 2 * n_packs packs, the second half a copy of the first; one column
    // more, zero in the first half and one in the second, represents a candidate.
    Buffer<const Pack*> columns;
    Buffer<Pack> ones, totals;  // the table's, then room for a candidate's (2 * n_packs packs)

    // Of all samples, or those `within` a row of bits.
    void build(BitRows rows, std::size_t target, const std::int64_t* blanket, std::size_t size,
               const std::uint64_t* within = nullptr) {
        within_ = within;
        rows_ = rows;
        target_ = rows.row(target);
        size_ = size;
        start_with_one_row();
        for (std::size_t k = 0; k < size; ++k) {
            if (masked_ && n_rows_ > kMaxMaskedRows / 2) number_samples();
            const std::uint64_t* variable = rows.row(index_of(blanket[k]));
            masked_ ? split_masks(variable, k) : split_numbers(variable, k);
        }
        lay_out();
        if (masked_) interleave_masks();
    }

    // The samples of the rows that are marked, as bits.
    void list_samples(const PackBits* marked, Buffer<std::uint64_t>& to) const {
        const auto is_marked = [&](std::size_t r) { return marked[r / kPack][r % kPack] != 0; };
        to.zeros(rows_.n_words);
        for (std::size_t r = 0; masked_ && r < n_rows_; ++r) {
            if (!is_marked(r)) continue;
            const std::uint64_t* mask = masks_.data() + (r / kPack) * rows_.n_words * 2 * kPack + r % kPack;
            for (std::size_t w = 0; w < rows_.n_words; ++w) to[w] |= mask[w * 2 * kPack];
        }
        for (std::size_t s = 0; !masked_ && s < rows_.n_samples; ++s)
            to[s / 64] |= std::uint64_t{is_marked(row_of_sample_[s])} << (s % 64);
    }

    // Counts the table split by a candidate into the 2 * n_packs packs behind `ones` and `totals`:
    // first the rows where the candidate is zero, then where it is one.
    void split_by(std::size_t candidate) {
        Pack* one = ones.data() + n_packs;
        Pack* all = totals.data() + n_packs;
        masked_ ? count_masks(rows_.row(candidate), one, all) : count_numbers(rows_.row(candidate), one, all);
        for (std::size_t p = 0; p < n_packs; ++p) {
            one[p] = ones[p] - one[n_packs + p];
            all[p] = totals[p] - all[n_packs + p];
        }
    }

  private:
    static constexpr std::uint32_t kOutside = UINT32_MAX;  // the number of a sample that is in no row

    void start_with_one_row() {
        masked_ = true;
        n_rows_ = 1;
        configurations_.resize(0);
        masks_.resize(rows_.n_words);
        if (within_) std::memcpy(masks_.data(), within_, rows_.n_words * sizeof(std::uint64_t));
        else mark_all(rows_.n_samples, rows_.n_words, masks_.data());
    }

    // Every row becomes one or two; configurations_ keeps a byte a row and blanket variable.
    void split_masks(const std::uint64_t* variable, std::size_t k) {
        const std::size_t words = rows_.n_words;
        split_.resize(2 * n_rows_ * words);
        next_configurations_.resize(2 * n_rows_ * (k + 1));
        std::size_t n = 0;
        for (std::size_t r = 0; r < n_rows_; ++r) {
            for (std::size_t value = 0; value < 2; ++value) {
                std::uint64_t* half = split_.data() + n * words;
                const std::uint64_t* whole = masks_.data() + r * words;
                const std::uint64_t flip = value ? 0 : ~std::uint64_t{0};
                std::uint64_t any = 0;
                for (std::size_t w = 0; w < words; ++w) any |= half[w] = whole[w] & (variable[w] ^ flip);
                if (any) append_configuration(n++, r, k, value);
            }
        }
        n_rows_ = n;
        masks_.swap(split_);
        configurations_.swap(next_configurations_);
    }

    void split_numbers(const std::uint64_t* variable, std::size_t k) {
        next_configurations_.resize(2 * n_rows_ * (k + 1));
        renumbered_.resize(2 * n_rows_);
        std::memset(renumbered_.data(), 0xff, 2 * n_rows_ * sizeof(std::uint32_t));
        std::uint32_t n = 0;
        for (std::size_t s = 0; s < rows_.n_samples; ++s) {
            if (row_of_sample_[s] == kOutside) continue;
            const std::size_t value = (variable[s / 64] >> (s % 64)) & 1;
            std::uint32_t& number = renumbered_[2 * row_of_sample_[s] + value];
            if (number == UINT32_MAX) {
                append_configuration(n, row_of_sample_[s], k, value);
                number = n++;
            }
            row_of_sample_[s] = number;
        }
        n_rows_ = n;
        configurations_.swap(next_configurations_);
    }

    void append_configuration(std::size_t n, std::size_t from, std::size_t k, std::size_t value) {
        unsigned char* to = next_configurations_.data() + n * (k + 1);
        if (k) std::memcpy(to, configurations_.data() + from * k, k);
        to[k] = static_cast<unsigned char>(value);
    }

    void number_samples() {
        masked_ = false;
        row_of_sample_.resize(rows_.n_samples);
        if (within_) std::memset(row_of_sample_.data(), 0xff, rows_.n_samples * sizeof(std::uint32_t));
        for (std::size_t r = 0; r < n_rows_; ++r)
            for_each_one(masks_.data() + r * rows_.n_words, rows_.n_words,
                         [&](std::size_t s) { row_of_sample_[s] = static_cast<std::uint32_t>(r); });
    }

    void lay_out() {
        n_packs = packs_for(n_rows_);
        design_.zeros((size_ + 1) * 2 * n_packs);
        columns.resize(size_ + 1);
        for (std::size_t k = 0; k < size_; ++k) {
            Pack* column = design_.data() + k * 2 * n_packs;
            for (std::size_t r = 0; r < n_rows_; ++r) column[r / kPack][r % kPack] = configurations_[r * size_ + k];
            std::memcpy(column + n_packs, column, n_packs * sizeof(Pack));
            columns[k] = column;
        }
        Pack* candidate = design_.data() + size_ * 2 * n_packs;
        for (std::size_t p = 0; p < n_packs; ++p) candidate[n_packs + p] = pack_of(1.0);
        columns[size_] = candidate;

        ones.resize(3 * n_packs);
        totals.resize(3 * n_packs);
        std::memset(ones.data(), 0, n_packs * sizeof(Pack));
        std::memset(totals.data(), 0, n_packs * sizeof(Pack));
        if (masked_) {
            for (std::size_t r = 0; r < n_rows_; ++r) {
                const std::uint64_t* mask = masks_.data() + r * rows_.n_words;
                totals[r / kPack][r % kPack] = static_cast<double>(count_common(mask, mask, rows_.n_words));
                ones[r / kPack][r % kPack] = static_cast<double>(count_common(mask, target_, rows_.n_words));
            }
        } else {
            for (std::size_t s = 0; s < rows_.n_samples; ++s) count_sample(s, ones.data(), totals.data());
        }
    }

    // masks_ becomes, for each pack of rows: word w of its rows, then of their ones.
    void interleave_masks() {
        const std::size_t words = rows_.n_words;
        split_.zeros(n_packs * words * 2 * kPack);
        for (std::size_t r = 0; r < n_rows_; ++r) {
            std::uint64_t* to = split_.data() + (r / kPack) * words * 2 * kPack + r % kPack;
            const std::uint64_t* mask = masks_.data() + r * words;
            for (std::size_t w = 0; w < words; ++w, to += 2 * kPack) {
                to[0] = mask[w];
                to[kPack] = mask[w] & target_[w];
            }
        }
        masks_.swap(split_);
    }

    void count_masks(const std::uint64_t* candidate, Pack* one, Pack* all) const {
        constexpr std::size_t lanes = 2 * kPack / Lanes::width;
        const std::uint64_t* mask = masks_.data();
        for (std::size_t p = 0; p < n_packs; ++p) {
            typename Lanes::Sums sums[lanes];
            for (auto& sum : sums) sum = Lanes::zero();
            for (std::size_t w = 0; w < rows_.n_words; ++w, mask += 2 * kPack) {
                const auto word = Lanes::broadcast(candidate[w]);
                for (std::size_t l = 0; l < lanes; ++l)
                    sums[l] = Lanes::add_common(sums[l], word, Lanes::load(mask + l * Lanes::width));
            }
            double* counted[2] = {&number(all + n_packs + p, 0), &number(one + n_packs + p, 0)};
            for (std::size_t l = 0; l < lanes; ++l)
                Lanes::store(counted[l * Lanes::width / kPack] + l * Lanes::width % kPack, sums[l]);
        }
    }

    void count_numbers(const std::uint64_t* candidate, Pack* one, Pack* all) const {
        std::memset(one + n_packs, 0, n_packs * sizeof(Pack));
        std::memset(all + n_packs, 0, n_packs * sizeof(Pack));
        for_each_one(candidate, rows_.n_words, [&](std::size_t s) { count_sample(s, one + n_packs, all + n_packs); });
    }

    void count_sample(std::size_t s, Pack* one, Pack* all) const {
        const std::uint32_t r = row_of_sample_[s];
        if (r == kOutside) return;
        number(all, r) += 1.0;
        number(one, r) += static_cast<double>((target_[s / 64] >> (s % 64)) & 1);
    }

    BitRows rows_{};
    const std::uint64_t* target_ = nullptr;
    const std::uint64_t* within_ = nullptr;  // the samples that are counted, if not all
    std::size_t size_ = 0, n_rows_ = 0;
    bool masked_ = true;
    Buffer<std::uint64_t> masks_, split_;
    Buffer<unsigned char> configurations_, next_configurations_;
    Buffer<std::uint32_t> row_of_sample_, renumbered_;
    Buffer<Pack> design_;
};

}  // namespace markhood::MARKHOOD_TIER
