// Popcounts, for GPUs whose tensor cores have no binary product: 64 x 64 pairs per thread block.
extern "C" __global__ void __launch_bounds__(256) count(PARAMETERS) {
    const Tile tile = TILE;
    const Output output = OUTPUT;
    constexpr u32 kSide = 64;
    __shared__ __align__(128) u8 a_slice[kSide * SLICE];
    __shared__ __align__(128) u8 b_slice[kSide * SLICE];
    const Tour<kSide, kSide> here(tile);  // one tile per block
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
    __shared__ Output::Column tested[kSide];
    if (threadIdx.x < kSide) tested[threadIdx.x] = output.column_of(tile, column0 + threadIdx.x);
    __syncthreads();
    output.take<4, 4>(
        tile, tested - column0, [&](u32 r, u32 k) { return Output::kZero + c[r][k]; },
        [&](u32 r) { return row0 + y + 16 * r; }, [&](u32 k) { return column0 + x + 16 * k; });
}
