// Counts with the tensor cores' binary product through mma.sync, for compute capability 8.0 to 9.0.
//
// A thread block counts 256 x 128 pairs, 1024 samples at a time, from shared memory. Several slices
// are in flight while one is used.

// Fetches a slice of some rows. A thread copies the same 16 bytes of every 32nd row, so its
// position in a row, permuted or not, is always the same.
template <u32 kRowsInTile>
__device__ __forceinline__ void fetch(u32 to, const u8* from, u64 row_bytes) {
    const u32 row = threadIdx.x >> 3, k = threadIdx.x & 7;
    to += piece(row, k);
    from += row * row_bytes + k * 16;
#pragma unroll
    for (u32 r = 0; r < kRowsInTile; r += 32, from += 32 * row_bytes)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + r * SLICE), "l"(from));
}

// Processes tiles of pairs, slice by slice. Fetching leads counting by kStages - 1 slices and
// continues into the next tile, so that data are ready after the tests of a tile.
template <u32 kRows, u32 kColumns, u32 kStages, class Counter>
__device__ __forceinline__ void count_tiles(const Tile& tile, const Output& output) {
    constexpr u32 kStage = (kRows + kColumns) * SLICE;
    extern __shared__ __align__(1024) u8 shared[];
    Output::Column* columns = (Output::Column*)(shared + kStages * kStage);
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
        __syncthreads();  // all threads have tested the previous tile
        if (threadIdx.x < kColumns) columns[threadIdx.x] = output.column_of(tile, here.column0 + threadIdx.x);
        counter.clear();
        for (u32 s = 0; s < n_slices; ++s) {
            asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2));
            __syncthreads();  // the slice has arrived, and the previous one is no longer in use
            const u8* stage = shared + from * kStage;
            from = from + 1 == kStages ? 0 : from + 1;
            counter.add(stage, stage + kRows * SLICE, fetch_next);
        }
        counter.finish(tile, output, columns - here.column0, here.row0, here.column0);
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

// 256 x 128 pairs per block of 8 warps, 64 x 64 per warp.
struct WarpCounter {
    int c[4][8][4];
    u32 lane = threadIdx.x & 31, m0 = (threadIdx.x >> 6) * 64, n0 = ((threadIdx.x >> 5) & 1) * 64;

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (u32 k = 0; k < 128; ++k) c[k >> 5][(k >> 2) & 7][k & 3] = Output::kZero;
    }
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
    __device__ __forceinline__ void finish(const Tile& tile, const Output& output, const Output::Column* columns,
                                           u32 row0, u32 column0) {
        output.take<8, 16>(
            tile, columns, [&](u32 r, u32 k) { return c[r >> 1][k >> 1][2 * (r & 1) + (k & 1)]; },
            [&](u32 r) { return row0 + m0 + 8 * r + (lane >> 2); },
            [&](u32 k) { return column0 + n0 + 8 * (k >> 1) + 2 * (lane & 3) + (k & 1); });
    }
};

extern "C" __global__ void __launch_bounds__(256, 1) count(PARAMETERS) {
    count_tiles<256, 128, 4, WarpCounter>(TILE, OUTPUT);
}
