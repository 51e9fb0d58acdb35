// Pairs of binary variables: each joint count is tested in registers.
//
// The test is in single precision and loosened by `slack`. The few pairs that pass are tested
// exactly with tabulated logarithms and appended to the output, in any order.
//
// A pair whose mutual information reaches b = bound/n has phi of at least both
//
//     loose_i loose_j   with loose_i = (exp(b) - 1)^(1/4), since MI <= log(1 + phi^2), and
//     tight_i tight_j   with tight_i = (2 b)^(1/4) / sqrt(1 + u_i),   u_i = f k_i^2/6 + f^2 k_i^4/3,
//                       f = sqrt(2 b),  k_i^2 = (1 - m_i)/m_i,  m_i the rarer value's frequency,
//
// since MI <= phi^2/2 (1 + t/3 + 2 t^2/3) with t = phi k_i k_j. The tight bound drops five hundred
// times more pairs of balanced variables; the loose bound is better for rare values.
struct Test {
    const int* ones;         // of every variable
    const float4* margins;   // of every variable: ones, and loose and tight times sqrt(n_i (n - n_i))
    const double* n_log_n;
    double least_ratio;
    float slack;
    u32 n_samples;
};

struct Found {
    int* triples;            // i, j, joint count
    u64* n;                  // number found, which may exceed the capacity
    u64 capacity;
};

__device__ __forceinline__ void keep_if_passing(const Tile& tile, const Test& test, const Found& found, u32 i, u32 j,
                                                int both) {
    const u32 a = tile.first_row + i, b = tile.first_column + j;
    if (a >= b || i >= tile.n_rows || j >= tile.n_columns) return;
    const double* f = test.n_log_n;
    const int n = test.n_samples, x = test.ones[a], y = test.ones[b];
    const double ratio = (f[both] + f[x - both] + f[y - both] + f[n - x - y + both]) - (f[x] + f[n - x] - f[n]) -
                         (f[y] + f[n - y]);
    if (!(ratio >= test.least_ratio)) return;
    const u64 at = atomicAdd(found.n, 1ULL);
    if (at >= found.capacity) return;
    found.triples[3 * at] = a;
    found.triples[3 * at + 1] = b;
    found.triples[3 * at + 2] = both;
}

__device__ __forceinline__ bool may_pass(const Test& test, float both, float4 i, float4 j) {
    const float covariance = fmaf((float)test.n_samples, both, -i.x * j.x);
    return fabsf(covariance) + test.slack >= fmaxf(i.y * j.y, i.z * j.z);
}

// Beyond the last variable, no pair passes.
__device__ __forceinline__ float4 margins_of(const Test& test, u32 first, u32 k, u32 n) {
    const float never = __int_as_float(0x7f800000);
    return k < n ? test.margins[first + k] : make_float4(0, never, never, 0);
}

// A count stored in the low bits of the float 2^23 is that float plus the count: no conversion.
__device__ __forceinline__ float as_count(int c) { return __int_as_float(c) - 8388608.0f; }

struct Output {
    static constexpr bool kTests = true;
    static constexpr int kZero = 0x4b000000;
    Test test;
    Found found;

    // Inputs of the tests for a column of a tile.
    typedef float4 Column;
    __device__ __forceinline__ float4 column_of(const Tile& tile, u32 j) const {
        return margins_of(test, tile.first_column, j, tile.n_columns);
    }

    // Tests the counts that a thread holds, for these rows and columns.
    template <u32 kRows, u32 kColumns, class CountAt, class RowAt, class ColumnAt>
    __device__ __forceinline__ void take(const Tile& tile, const float4* columns, CountAt count, RowAt row,
                                         ColumnAt column) const {
        float4 i[kRows];
#pragma unroll
        for (u32 r = 0; r < kRows; ++r) i[r] = margins_of(test, tile.first_row, row(r), tile.n_rows);
#pragma unroll
        for (u32 c = 0; c < kColumns; ++c) {
            const float4 j = columns[column(c)];
            bool any = false;
#pragma unroll
            for (u32 r = 0; r < kRows; ++r) any |= may_pass(test, as_count(count(r, c)), i[r], j);
            if (!any) continue;
#pragma unroll
            for (u32 r = 0; r < kRows; ++r)
                if (may_pass(test, as_count(count(r, c)), i[r], j))
                    keep_if_passing(tile, test, found, row(r), column(c), (int)as_count(count(r, c)));
        }
    }
};

#define PARAMETERS                                                                                               \
    TILE_PARAMETERS, const int *ones_, const float4 *margins_, const double *n_log_n_, double least_ratio_,        \
        float slack_, u32 n_samples_, int *triples_, u64 *n_found_, u64 capacity_
#define TEST Test{ones_, margins_, n_log_n_, least_ratio_, slack_, n_samples_}
#define OUTPUT Output{TEST, Found{triples_, n_found_, capacity_}}
