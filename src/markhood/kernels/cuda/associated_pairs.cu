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
// Two ways of counting share everything else: the tensor cores' binary product through mma.sync
// (compute capability 8.0 to 9.0), and plain popcounts for all other cards. A faster one for 9.0 is in wgmma.cu.
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

// Brings a slice of some rows. A thread has the same 16 bytes of every 32nd row, so its place in a row,
// permuted or not, is always the same.
template <u32 kRowsInTile>
__device__ __forceinline__ void fetch(u32 to, const u8* from, u64 row_bytes) {
    const u32 row = threadIdx.x >> 3, k = threadIdx.x & 7;
    to += piece(row, k);
    from += row * row_bytes + k * 16;
#pragma unroll
    for (u32 r = 0; r < kRowsInTile; r += 32, from += 32 * row_bytes)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + r * SLICE), "l"(from));
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

// The tiles of pairs that a block of threads goes through, every gridDim.x-th of those above the
// diagonal, in groups of eight rows of tiles, so that blocks that run together share columns in the cache.
template <u32 kRows, u32 kColumns>
struct Tour {
    const Tile& tile;
    u32 at, step, row0 = 0, column0 = 0;

    __device__ explicit Tour(const Tile& t, u32 first = blockIdx.x, u32 step_ = gridDim.x)
        : tile(t), at(first), step(step_) {
        settle();
    }
    __device__ bool done() const { return at >= tall() * wide(); }
    __device__ void next() {
        at += step;
        settle();
    }

  private:
    __device__ u32 tall() const { return (tile.n_rows + kRows - 1) / kRows; }
    __device__ u32 wide() const { return (tile.n_columns + kColumns - 1) / kColumns; }
    __device__ void settle() {
        for (; !done(); at += step) {
            const u32 group = 8 * wide(), g = at / group, left = at % group, height = min(8u, tall() - 8 * g);
            row0 = (8 * g + left % height) * kRows;
            column0 = left / height * kColumns;
            if (tile.first_row + row0 < tile.first_column + column0 + kColumns) return;
        }
    }
};

// Goes through tiles of pairs, slice by slice. The fetching runs ahead of the counting by
// kStages - 1 slices, over the end of a tile into the next, so that the tests of one tile wait for nothing.
template <u32 kRows, u32 kColumns, u32 kStages, class Counter>
__device__ __forceinline__ void screen_tiles(const Tile& tile, const Test& test, const Found& found) {
    constexpr u32 kStage = (kRows + kColumns) * SLICE;
    extern __shared__ __align__(1024) u8 shared[];
    float4* margins = (float4*)(shared + kStages * kStage);
    const u32 n_slices = tile.row_bytes / SLICE;
    Tour<kRows, kColumns> ahead(tile), here(tile);
    u32 slice_ahead = 0, to = 0, from = 0;
    const auto fetch_next = [&] {
        if (!ahead.done()) {
            const u32 stage = shared_address(shared) + to * kStage;
            const u64 row_bytes = tile.row_bytes;
            fetch<kRows>(stage, tile.rows + ahead.row0 * row_bytes + slice_ahead * SLICE, row_bytes);
            fetch<kColumns>(stage + kRows * SLICE, tile.columns + ahead.column0 * row_bytes + slice_ahead * SLICE,
                            row_bytes);
            to = to + 1 == kStages ? 0 : to + 1;
            if (++slice_ahead == n_slices) {
                slice_ahead = 0;
                ahead.next();
            }
        }
        asm volatile("cp.async.commit_group;");
    };
    for (u32 s = 0; s + 1 < kStages; ++s) fetch_next();
    Counter counter;
    for (; !here.done(); here.next()) {
        __syncthreads();  // all have tested the tile before
        if (threadIdx.x < kColumns)
            margins[threadIdx.x] = margins_of(test, tile.first_column, here.column0 + threadIdx.x, tile.n_columns);
        counter.clear();
        for (u32 s = 0; s < n_slices; ++s) {
            asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2));
            counter.before_sync();
            __syncthreads();  // the slice is there, and the one before it is used up
            const u8* stage = shared + from * kStage;
            from = from + 1 == kStages ? 0 : from + 1;
            counter.add(stage, stage + kRows * SLICE, fetch_next);
        }
        counter.finish(tile, test, found, margins - here.column0, here.row0, here.column0);
    }
    asm volatile("cp.async.wait_all;");
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
struct WarpCounter {
    int c[4][8][4];
    u32 lane = threadIdx.x & 31, m0 = (threadIdx.x >> 6) * 64, n0 = ((threadIdx.x >> 5) & 1) * 64;

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (u32 k = 0; k < 128; ++k) c[k >> 5][(k >> 2) & 7][k & 3] = ZERO_COUNT;
    }
    __device__ __forceinline__ void before_sync() {}
    template <class FetchNext>
    __device__ __forceinline__ void add(const u8* rows, const u8* columns, FetchNext fetch_next) {
        fetch_next();
#pragma unroll
        for (u32 k = 0; k < 4; ++k) {
            u32 a[4][4], b[4][4];
#pragma unroll
            for (u32 m = 0; m < 4; ++m)
                load_matrices(a[m], rows + piece(m0 + 16 * m + (lane & 15), 2 * k + (lane >> 4)));
#pragma unroll
            for (u32 n = 0; n < 4; ++n)
                load_matrices(b[n], columns + piece(n0 + 16 * n + (lane & 7) + ((lane >> 4) << 3),
                                                    2 * k + ((lane >> 3) & 1)));
#pragma unroll
            for (u32 m = 0; m < 4; ++m)
#pragma unroll
                for (u32 n = 0; n < 8; ++n) multiply(c[m][n], a[m], &b[n >> 1][2 * (n & 1)]);
        }
    }
    __device__ __forceinline__ void finish(const Tile& tile, const Test& test, const Found& found,
                                           const float4* margins, u32 row0, u32 column0) {
        test_counts<8, 16>(
            tile, test, found, margins,
            [&](u32 r, u32 k) { return c[r >> 1][k >> 1][2 * (r & 1) + (k & 1)]; },
            [&](u32 r) { return row0 + m0 + 8 * r + (lane >> 2); },
            [&](u32 k) { return column0 + n0 + 8 * (k >> 1) + 2 * (lane & 3) + (k & 1); });
    }
};

extern "C" __global__ void __launch_bounds__(256, 1) pairs_mma(PARAMETERS) {
    UNPACK;
    screen_tiles<256, 128, 4, WarpCounter>(tile, test, found);
}

// Plain popcounts, for cards whose tensor cores have no binary product: 64 x 64 pairs a block.
extern "C" __global__ void __launch_bounds__(256) pairs_popcount(PARAMETERS) {
    UNPACK;
    constexpr u32 kSide = 64;
    __shared__ __align__(128) u8 a_slice[kSide * SLICE];
    __shared__ __align__(128) u8 b_slice[kSide * SLICE];
    const Tour<kSide, kSide> here(tile);  // as many blocks as tiles: one each
    if (here.done() || here.at != blockIdx.x) return;
    const u32 row0 = here.row0, column0 = here.column0;
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
