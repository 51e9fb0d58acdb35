// The ceiling of the screen: AND and count bits for every pair of a tile, and nothing else.
//
// Blocked for registers as the kernel is: a word of each of four rows meets a word of 32 columns,
// which lie side by side in a panel, so that every load is used four times. There is no test and
// no store: the panels were interleaved beforehand, and the sums are added up at the very end. What
// it returns, the sum of all joint counts, is there so that the compiler cannot drop the work, and so
// that the benchmark can check it.
#include <cstddef>
#include <cstdint>

#if defined(__AVX512VPOPCNTDQ__)
#include <immintrin.h>
#endif

namespace {

constexpr std::size_t kRows = 4, kColumns = 32;

#if defined(__AVX512VPOPCNTDQ__)
using Words = __m512i;
inline Words load(const std::uint64_t* at) { return _mm512_loadu_si512(at); }
inline Words broadcast(std::uint64_t word) { return _mm512_set1_epi64(static_cast<long long>(word)); }
inline Words zero() { return _mm512_setzero_si512(); }
inline Words add_common(Words sum, Words a, Words b) {
    return _mm512_add_epi64(sum, _mm512_popcnt_epi64(_mm512_and_si512(a, b)));
}
inline std::uint64_t total(Words sum) { return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(sum)); }
constexpr std::size_t kLanes = 4;
#else
using Words = std::uint64_t;
inline Words load(const std::uint64_t* at) { return *at; }
inline Words broadcast(std::uint64_t word) { return word; }
inline Words zero() { return 0; }
inline Words add_common(Words sum, Words a, Words b) { return sum + __builtin_popcountll(a & b); }
inline std::uint64_t total(Words sum) { return sum; }
constexpr std::size_t kLanes = 32;
#endif

}  // namespace

// rows[i * n_words + w] is word w of variable i, and panels[(j / 32 * n_words + w) * 32 + j % 32] word w of
// variable j. Columns begin at a multiple of 32; pairs below the diagonal are left out four by four.
extern "C" std::uint64_t count_tile(const std::uint64_t* rows, const std::uint64_t* panels, std::size_t n_words,
                                    std::size_t first_row, std::size_t last_row, std::size_t first_column,
                                    std::size_t last_column) {
    constexpr std::size_t step = sizeof(Words) / sizeof(std::uint64_t);
    Words sums[kRows][kLanes];
    for (auto& row : sums)
        for (auto& sum : row) sum = zero();
    for (std::size_t j = first_column; j < last_column; j += kColumns) {
        const std::uint64_t* panel = panels + j * n_words;
        for (std::size_t i = first_row; i + kRows <= last_row && i < j + kColumns; i += kRows) {
            const std::uint64_t* x = rows + i * n_words;
            for (std::size_t w = 0; w < n_words; ++w) {
                Words y[kLanes];
                for (std::size_t l = 0; l < kLanes; ++l) y[l] = load(panel + w * kColumns + l * step);
                for (std::size_t r = 0; r < kRows; ++r) {
                    const Words word = broadcast(x[r * n_words + w]);
                    for (std::size_t l = 0; l < kLanes; ++l) sums[r][l] = add_common(sums[r][l], word, y[l]);
                }
            }
        }
    }
    std::uint64_t sum = 0;
    for (auto& row : sums)
        for (auto& lane : row) sum += total(lane);
    return sum;
}
