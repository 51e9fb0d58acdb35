// Packed columns and a real number for each sample: sums of the numbers where a column is one, and sums of columns times a number each.
//
// The packed bits are the mask of a sum. Eight columns go together, word by word, so that numbers are read once for eight sums. With
// AVX-512 the sums of all 16 subsets of four numbers fit in two registers, and one permutation looks them up for eight columns.
// Without that instruction such tables cost more than they save for the few dozen columns that are usual here.
#pragma once
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "machine/buffer.hpp"
#include "machine/packs.hpp"

namespace markhood::MARKHOOD_TIER {

constexpr std::size_t kPacksPerWord = 64 / kPack;

#if defined(__AVX512F__)
static inline Pack add_where(Pack sum, Pack values, unsigned bits) {
    return (Pack)_mm512_mask_add_pd((__m512d)sum, static_cast<__mmask8>(bits), (__m512d)sum, (__m512d)values);
}
#else
struct LaneMasks {
    alignas(64) std::int64_t of[1 << kPack][kPack];
    constexpr LaneMasks() : of{} {
        for (unsigned bits = 0; bits < (1u << kPack); ++bits)
            for (unsigned lane = 0; lane < kPack; ++lane) of[bits][lane] = (bits >> lane) & 1 ? -1 : 0;
    }
};
static constexpr LaneMasks kLaneMasks;

static inline Pack add_where(Pack sum, Pack values, unsigned bits) {
    PackBits mask;
    std::memcpy(&mask, kLaneMasks.of[bits], sizeof mask);
    return sum + (Pack)((PackBits)values & mask);
}
#endif

static inline unsigned bits_of_pack(std::uint64_t word, std::size_t p) {
    return static_cast<unsigned>(word >> (p * kPack)) & ((1u << kPack) - 1);
}

constexpr std::size_t kGroup = 8;

#if defined(__AVX512F__)
// The sums of all subsets of each four of 64 values; four bits of eight columns look eight of them up.
class SubsetSums {
  public:
    explicit SubsetSums(const Pack* values) {
        const double* value = reinterpret_cast<const double*>(values);
        for (std::size_t n = 0; n < 16; ++n, value += 4) {
            __m512d sums = _mm512_maskz_mov_pd(0xaa, _mm512_set1_pd(value[0]));
            sums = _mm512_mask_add_pd(sums, 0xcc, sums, _mm512_set1_pd(value[1]));
            low_[n] = _mm512_mask_add_pd(sums, 0xf0, sums, _mm512_set1_pd(value[2]));
            high_[n] = _mm512_add_pd(low_[n], _mm512_set1_pd(value[3]));
        }
    }
    void add(const std::uint64_t* words, double* sums) const {
        const __m512i bits = _mm512_load_si512(words);
        __m512d even = _mm512_loadu_pd(sums), odd = _mm512_setzero_pd();
        for (unsigned n = 0; n < 16; n += 2) {
            even = _mm512_add_pd(even, _mm512_permutex2var_pd(low_[n], _mm512_srli_epi64(bits, 4 * n), high_[n]));
            odd = _mm512_add_pd(
                odd, _mm512_permutex2var_pd(low_[n + 1], _mm512_srli_epi64(bits, 4 * n + 4), high_[n + 1]));
        }
        _mm512_storeu_pd(sums, _mm512_add_pd(even, odd));
    }

  private:
    __m512d low_[16], high_[16];
};
#endif

static inline std::size_t words_for(std::size_t n_samples) { return (n_samples + 63) / 64; }

// More packs, those that are new of zeros.
static inline void widen(Buffer<Pack>& values, std::size_t n) {
    const std::size_t had = values.size();
    if (n > had) std::memset(values.resize(n) + had, 0, (n - had) * sizeof(Pack));
}

// The sum of the values where a row is one.
static inline double sum_where(const std::uint64_t* row, std::size_t n_words, const Pack* values) {
    Pack sums[kPacksPerWord] = {};
    for (std::size_t w = 0; w < n_words; ++w, values += kPacksPerWord)
        for (std::size_t p = 0; p < kPacksPerWord; ++p) sums[p] = add_where(sums[p], values[p], bits_of_pack(row[w], p));
    for (std::size_t p = 1; p < kPacksPerWord; ++p) sums[0] += sums[p];
    return total(sums[0]);
}

class BitColumns {
  public:
    void build(BitRows rows) {
        begin(rows.n_samples);
        n_words_ = room_;
        for (std::size_t c = 0; c < rows.n_rows; ++c) {
            push();
            for (std::size_t w = 0; w < n_words_; ++w) word(c, w) = rows.row(c)[w];
        }
    }

    // No columns, of no rows, and room for `most` of these.
    void begin(std::size_t most) {
        room_ = words_for(most);
        n_words_ = n_ = 0;
        bits_.resize(0);
    }
    // One more column, of zeros.
    void push() {
        if (n_++ % kGroup) return;
        const std::size_t had = bits_.size(), more = room_ * kGroup;
        std::memset(bits_.resize(had + more) + had, 0, more * sizeof(std::uint64_t));
    }
    void set_rows(std::size_t n) { n_words_ = words_for(n); }
    // Makes a zero one, if so.
    void set(std::size_t c, std::size_t row, bool one) { word(c, row / 64) |= std::uint64_t{one} << (row % 64); }
    // Gives the rows from `first` to `last`, all zeros, the values of others in the first n columns.
    void copy_rows(const std::uint32_t* from, std::size_t first, std::size_t last, std::size_t n) {
        for (std::size_t c = 0; c < n; ++c)
            for (std::size_t row = first; row < last;) {
                const std::size_t w = row / 64, end = last < 64 * (w + 1) ? last : 64 * (w + 1);
                std::uint64_t bits = 0;
                for (; row < end; ++row)
                    bits |= ((word(c, from[row] / 64) >> (from[row] % 64)) & 1) << (row % 64);
                word(c, w) |= bits;
            }
    }

    std::size_t n_packs() const { return n_words_ * kPacksPerWord; }
    std::size_t size() const { return n_; }
    std::size_t padded() const { return (n_ + kGroup - 1) / kGroup * kGroup; }

    // sums[c]: of the values where column c is one. Of whole groups, those that have a column from `first` to
    // `last`; `sums` has room for all columns, padded.
    void sum(const Pack* values, std::size_t first, std::size_t last, double* sums) const {
        const std::size_t from = first / kGroup, to = (last + kGroup - 1) / kGroup;
        if (first == last) return;
#if defined(__AVX512F__)
        std::memset(sums + from * kGroup, 0, (to - from) * kGroup * sizeof(double));
        for (std::size_t w = 0; w < n_words_; ++w) {
            const SubsetSums subsets(values + w * kPacksPerWord);
            for (std::size_t g = from; g < to; ++g) subsets.add(group(g, w), sums + g * kGroup);
        }
#else
        for (std::size_t g = from; g < to; ++g) {
            Pack totals[kGroup] = {};
            for (std::size_t w = 0; w < n_words_; ++w)
                for (std::size_t p = 0; p < kPacksPerWord; ++p)
                    for (std::size_t c = 0; c < kGroup; ++c)
                        totals[c] =
                            add_where(totals[c], values[w * kPacksPerWord + p], bits_of_pack(group(g, w)[c], p));
            for (std::size_t c = 0; c < kGroup; ++c) sums[g * kGroup + c] = total(totals[c]);
        }
#endif
    }

    // to = start + the first n columns, each times its slope.
    void combine(double start, const double* slopes, std::size_t n, Pack* to) const {
        constexpr std::size_t kBlock = kPacksPerWord < 8 ? kPacksPerWord : 8;
        for (std::size_t w = 0; w < n_words_; ++w)
            for (std::size_t b = 0; b < kPacksPerWord; b += kBlock) {
                Pack sums[kBlock];
                for (Pack& sum : sums) sum = pack_of(start);
                for (std::size_t c = 0; c < n; ++c) {
                    if (slopes[c] == 0.0) continue;
                    const std::uint64_t bits = word(c, w);
                    for (std::size_t p = 0; p < kBlock; ++p)
                        sums[p] = add_where(sums[p], pack_of(slopes[c]), bits_of_pack(bits, b + p));
                }
                for (std::size_t p = 0; p < kBlock; ++p) to[w * kPacksPerWord + b + p] = sums[p];
            }
    }

    // to = values where column c is one, else zero.
    void select(std::size_t c, const Pack* values, Pack* to) const {
        for (std::size_t w = 0; w < n_words_; ++w, values += kPacksPerWord, to += kPacksPerWord) {
            const std::uint64_t bits = word(c, w);
            for (std::size_t p = 0; p < kPacksPerWord; ++p) to[p] = add_where(Pack{}, values[p], bits_of_pack(bits, p));
        }
    }

  private:
    const std::uint64_t* group(std::size_t g, std::size_t w) const {
        return bits_.data() + (g * room_ + w) * kGroup;
    }
    std::uint64_t word(std::size_t c, std::size_t w) const { return group(c / kGroup, w)[c % kGroup]; }
    std::uint64_t& word(std::size_t c, std::size_t w) {
        return bits_[((c / kGroup) * room_ + w) * kGroup + c % kGroup];
    }

    std::size_t room_ = 0, n_words_ = 0, n_ = 0;  // words a column can have, and has
    Buffer<std::uint64_t> bits_;
};

}  // namespace markhood::MARKHOOD_TIER
