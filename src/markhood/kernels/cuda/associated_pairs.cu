// The screen on a GPU: joint counts of a tile of pairs by binary matrix products, and both tests.
//
// A block of threads counts kTileRows x kTileColumns pairs, 1024 samples at a time, out of shared
// memory; several such slices are on their way while one is used. The counts never leave the registers:
// each is tested there in single precision, loosened by `slack`, and the few that pass look up their
// logarithms and are appended to the output, in any order.
//
// A pair whose mutual information reaches b = bound/n has phi >= both of
//
//     loose_i loose_j   with loose_i = (exp(b) - 1)^(1/4), since MI <= log(1 + phi^2), and
//     tight_i tight_j   with tight_i = (2 b)^(1/4) / sqrt(1 + u_i),   u_i = f k_i^2/6 + f^2 k_i^4/3,
//                       f = sqrt(2 b),  k_i^2 = (1 - m_i)/m_i,  m_i the rarer value's frequency,
//
// since MI <= phi^2/2 (1 + t/3 + 2 t^2/3) with t = phi k_i k_j. The second bound drops five hundred
// times more of the pairs of balanced variables; the first is there for rare ones.
//
// Three ways of counting share everything else: the tensor cores' binary product through
// mma.sync (compute capability 8.0 to 9.0), through wgmma (9.0a, faster), and plain popcounts.
//
// Rows are padded to 128 bytes, and to whole tiles, with zeros. In shared memory the eight
// 16-byte pieces of a row's slice are permuted by the row number, so that eight rows can be read
// without two of them in the same bank.
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#define SLICE 128  // bytes of a row in a slice

struct Tile {
    const u8* rows;          // packed variables that play the part of i; likewise `columns` of j
    const u8* columns;
    u32 n_rows, n_columns;   // that mean something
    u32 first_row, first_column;
    u32 row_bytes;           // a multiple of SLICE
};

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
    u64* n;                  // how many, also past the capacity
    u64 capacity;
};

// Kernels take these one by one, since that is what the caller can pass.
#define PARAMETERS                                                                                               \
    const u8 *rows_, const u8 *columns_, u32 n_rows_, u32 n_columns_, u32 first_row_, u32 first_column_,         \
        u32 row_bytes_, const int *ones_, const float4 *margins_, const double *n_log_n_, double least_ratio_,     \
        float slack_, u32 n_samples_, int *triples_, u64 *n_found_, u64 capacity_
#define UNPACK                                                                                                   \
    const Tile tile{rows_, columns_, n_rows_, n_columns_, first_row_, first_column_, row_bytes_};                \
    const Test test{ones_, margins_, n_log_n_, least_ratio_, slack_, n_samples_};                                 \
    const Found found{triples_, n_found_, capacity_}

__device__ __forceinline__ u32 shared_address(const void* p) { return (u32)__cvta_generic_to_shared(p); }

__device__ __forceinline__ u32 piece(u32 row, u32 k) { return row * SLICE + ((k ^ (row & 7)) << 4); }

template <u32 kRowsInTile>
__device__ __forceinline__ void fetch(u8* to, const u8* from, u32 row_bytes, u32 slice, u32 n_threads) {
    for (u32 c = threadIdx.x; c < kRowsInTile * (SLICE / 16); c += n_threads) {
        const u32 row = c >> 3, k = c & 7;
        const u8* source = from + (u64)row * row_bytes + slice * SLICE + k * 16;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to + piece(row, k))),
                     "l"(source));
    }
}

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

// Past the last variable nothing passes.
__device__ __forceinline__ float4 margins_of(const Test& test, u32 first, u32 k, u32 n) {
    const float never = __int_as_float(0x7f800000);
    return k < n ? test.margins[first + k] : make_float4(0, never, never, 0);
}

// A count kept in the low bits of the float 2^23 is that float plus the count: no conversion.
#define ZERO_COUNT 0x4b000000
__device__ __forceinline__ float as_count(int c) { return __int_as_float(c) - 8388608.0f; }

// Tests the counts that a thread holds: of the rows with these margins, and columns at most 2 apart.
template <u32 kRows, u32 kColumns, class CountAt, class RowAt, class ColumnAt>
__device__ __forceinline__ void test_counts(const Tile& tile, const Test& test, const Found& found,
                                            const float4* columns, CountAt count, RowAt row, ColumnAt column) {
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

// Blocks in groups of eight tile rows, so that those that run together share columns in the cache.
__device__ __forceinline__ void place(u32 tile_rows, u32 tile_columns, u32& row, u32& column) {
    const u32 group = 8 * tile_columns, g = blockIdx.x / group, left = blockIdx.x % group;
    const u32 height = min(8u, tile_rows - 8 * g);
    row = 8 * g + left % height;
    column = left / height;
}

__device__ __forceinline__ void multiply(int* c, const u32* a, const u32* b) {
    asm volatile(
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ void load_matrices(u32* r, const u8* from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(from)));
}

// 256 x 128 pairs a block of 8 warps, 64 x 64 a warp.
extern "C" __global__ void __launch_bounds__(256, 1) pairs_mma(PARAMETERS) {
    UNPACK;
    constexpr u32 kRows = 256, kColumns = 128, kStages = 4, kStage = (kRows + kColumns) * SLICE;
    extern __shared__ __align__(1024) u8 shared[];
    u32 tile_row, tile_column;
    place((tile.n_rows + kRows - 1) / kRows, (tile.n_columns + kColumns - 1) / kColumns, tile_row, tile_column);
    const u32 row0 = tile_row * kRows, column0 = tile_column * kColumns;
    if (tile.first_row + row0 >= tile.first_column + column0 + kColumns) return;
    const u8* rows = tile.rows + (u64)row0 * tile.row_bytes;
    const u8* columns = tile.columns + (u64)column0 * tile.row_bytes;
    const u32 n_slices = tile.row_bytes / SLICE;
    const auto start = [&](u32 slice) {
        u8* stage = shared + slice % kStages * kStage;
        if (slice < n_slices) {
            fetch<kRows>(stage, rows, tile.row_bytes, slice, 256);
            fetch<kColumns>(stage + kRows * SLICE, columns, tile.row_bytes, slice, 256);
        }
        asm volatile("cp.async.commit_group;");
    };
    const u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const u32 m0 = (warp >> 1) * 64, n0 = (warp & 1) * 64;
    int c[4][8][4];
#pragma unroll
    for (u32 k = 0; k < 128; ++k) c[k >> 5][(k >> 2) & 7][k & 3] = ZERO_COUNT;
    for (u32 s = 0; s + 1 < kStages; ++s) start(s);
    for (u32 s = 0; s < n_slices; ++s) {
        asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2));
        __syncthreads();
        start(s + kStages - 1);
        const u8* a_stage = shared + s % kStages * kStage;
        const u8* b_stage = a_stage + kRows * SLICE;
#pragma unroll
        for (u32 k = 0; k < 4; ++k) {
            u32 a[4][4], b[4][4];
#pragma unroll
            for (u32 m = 0; m < 4; ++m)
                load_matrices(a[m], a_stage + piece(m0 + 16 * m + (lane & 15), 2 * k + (lane >> 4)));
#pragma unroll
            for (u32 n = 0; n < 4; ++n)
                load_matrices(b[n], b_stage + piece(n0 + 16 * n + (lane & 7) + ((lane >> 4) << 3),
                                                    2 * k + ((lane >> 3) & 1)));
#pragma unroll
            for (u32 m = 0; m < 4; ++m)
#pragma unroll
                for (u32 n = 0; n < 8; ++n) multiply(c[m][n], a[m], &b[n >> 1][2 * (n & 1)]);
        }
    }
    asm volatile("cp.async.wait_all;");
    __syncthreads();
    float4* margins = (float4*)shared;
    if (threadIdx.x < kColumns)
        margins[threadIdx.x] = margins_of(test, tile.first_column, column0 + threadIdx.x, tile.n_columns);
    __syncthreads();
    test_counts<8, 16>(
        tile, test, found, margins - column0,
        [&](u32 r, u32 k) { return c[r >> 1][k >> 1][2 * (r & 1) + (k & 1)]; },
        [&](u32 r) { return row0 + m0 + 8 * r + (lane >> 2); },
        [&](u32 k) { return column0 + n0 + 8 * (k >> 1) + 2 * (lane & 3) + (k & 1); });
}

// Plain popcounts, for cards whose tensor cores have no binary product: 64 x 64 pairs a block.
extern "C" __global__ void __launch_bounds__(256) pairs_popcount(PARAMETERS) {
    UNPACK;
    constexpr u32 kSide = 64;
    __shared__ __align__(128) u8 a_slice[kSide * SLICE];
    __shared__ __align__(128) u8 b_slice[kSide * SLICE];
    u32 tile_row, tile_column;
    place((tile.n_rows + kSide - 1) / kSide, (tile.n_columns + kSide - 1) / kSide, tile_row, tile_column);
    const u32 row0 = tile_row * kSide, column0 = tile_column * kSide;
    if (tile.first_row + row0 >= tile.first_column + column0 + kSide) return;
    const u8* rows = tile.rows + (u64)row0 * tile.row_bytes;
    const u8* columns = tile.columns + (u64)column0 * tile.row_bytes;
    const u32 y = threadIdx.x / 16, x = threadIdx.x % 16;
    int c[4][4] = {};
    for (u32 s = 0; s < tile.row_bytes / SLICE; ++s) {
        for (u32 p = threadIdx.x; p < kSide * 8; p += 256) {
            const u64 from = (u64)(p >> 3) * tile.row_bytes + s * SLICE + (p & 7) * 16;
            *(uint4*)(a_slice + piece(p >> 3, p & 7)) = *(const uint4*)(rows + from);
            *(uint4*)(b_slice + piece(p >> 3, p & 7)) = *(const uint4*)(columns + from);
        }
        __syncthreads();
        for (u32 k = 0; k < 8; ++k) {
            uint4 a[4], b[4];
            for (u32 q = 0; q < 4; ++q) {
                a[q] = *(const uint4*)(a_slice + piece(y + 16 * q, k));
                b[q] = *(const uint4*)(b_slice + piece(x + 16 * q, k));
            }
            for (u32 m = 0; m < 4; ++m)
                for (u32 n = 0; n < 4; ++n)
                    c[m][n] += __popc(a[m].x & b[n].x) + __popc(a[m].y & b[n].y) + __popc(a[m].z & b[n].z) +
                               __popc(a[m].w & b[n].w);
        }
        __syncthreads();
    }
    for (u32 m = 0; m < 4; ++m)
        for (u32 n = 0; n < 4; ++n) {
            const u32 i = row0 + y + 16 * m, j = column0 + x + 16 * n;
            if (may_pass(test, c[m][n], margins_of(test, tile.first_row, i, tile.n_rows),
                         margins_of(test, tile.first_column, j, tile.n_columns)))
                keep_if_passing(tile, test, found, i, j, c[m][n]);
        }
}
