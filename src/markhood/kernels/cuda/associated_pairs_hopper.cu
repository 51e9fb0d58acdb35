// The same tile through wgmma (compute capability 9.0a): 128 x 256 pairs a block of two warp groups.
// Appended to associated_pairs.cu, whose pieces it uses.
__device__ __forceinline__ u64 descriptor(const u8* at) {
    // K-major, permuted by 128 bytes: eight rows of 128 bytes follow each other at 1024 bytes.
    u64 d = (u64)((shared_address(at) & 0x3ffff) >> 4);
    d |= (u64)1 << 16;
    d |= (u64)(1024 >> 4) << 32;
    d |= (u64)1 << 62;
    return d;
}

#define R4(c, i) "+r"(c[i]), "+r"(c[i + 1]), "+r"(c[i + 2]), "+r"(c[i + 3])
#define R16(c, i) R4(c, i), R4(c, i + 4), R4(c, i + 8), R4(c, i + 12)
__device__ __forceinline__ void multiply_group(int (&c)[128], u64 a, u64 b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n256k256.s32.b1.b1.and.popc {"
        "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,"
        "%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,"
        "%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,"
        "%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,"
        "%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,"
        "%121,%122,%123,%124,%125,%126,%127"
        "}, %128, %129, 1;"
        : R16(c, 0), R16(c, 16), R16(c, 32), R16(c, 48), R16(c, 64), R16(c, 80), R16(c, 96), R16(c, 112)
        : "l"(a), "l"(b));
}

__device__ __forceinline__ void multiply_group(int (&c)[64], u64 a, u64 b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n128k256.s32.b1.b1.and.popc {"
        "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,"
        "%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,"
        "%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
        "}, %64, %65, 1;"
        : R16(c, 0), R16(c, 16), R16(c, 32), R16(c, 48)
        : "l"(a), "l"(b));
}

template <u32 kColumns, u32 kStages>
__device__ __forceinline__ void count_and_test(const Tile& tile, const Test& test, const Found& found) {
    constexpr u32 kRows = 128, kStage = (kRows + kColumns) * SLICE;
    extern __shared__ __align__(1024) u8 shared[];
    u32 tile_row, tile_column;
    place((tile.n_rows + kRows - 1) / kRows, (tile.n_columns + kColumns - 1) / kColumns, tile_row, tile_column);
    const u32 row0 = tile_row * kRows, column0 = tile_column * kColumns;
    if (tile.first_row + row0 >= tile.first_column + column0 + kColumns) return;
    const u8* rows = tile.rows + (u64)row0 * tile.row_bytes;
    const u8* columns = tile.columns + (u64)column0 * tile.row_bytes;
    const u32 n_slices = tile.row_bytes / SLICE, group = threadIdx.x >> 7;
    const auto start = [&](u32 slice) {
        u8* stage = shared + slice % kStages * kStage;
        if (slice < n_slices) {
            fetch<kRows>(stage, rows, tile.row_bytes, slice, 256);
            fetch<kColumns>(stage + kRows * SLICE, columns, tile.row_bytes, slice, 256);
        }
        asm volatile("cp.async.commit_group;");
    };
    int c[kColumns / 2];
#pragma unroll
    for (u32 k = 0; k < kColumns / 2; ++k) c[k] = ZERO_COUNT;
    for (u32 s = 0; s + 1 < kStages; ++s) start(s);
    for (u32 s = 0; s < n_slices; ++s) {
        asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2));
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads();
        const u8* a_stage = shared + s % kStages * kStage + group * 64 * SLICE;
        const u8* b_stage = shared + s % kStages * kStage + kRows * SLICE;
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (u32 k = 0; k < 4; ++k) multiply_group(c, descriptor(a_stage) + 2 * k, descriptor(b_stage) + 2 * k);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        // Both groups are past the slice before this one, so its place is free for the next.
        start(s + kStages - 1);
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    asm volatile("cp.async.wait_all;");
    __syncthreads();
    float4* margins = (float4*)shared;
    if (threadIdx.x < kColumns)
        margins[threadIdx.x] = margins_of(test, tile.first_column, column0 + threadIdx.x, tile.n_columns);
    __syncthreads();
    const u32 lane = threadIdx.x & 31, warp = (threadIdx.x >> 5) & 3;
    test_counts<2, kColumns / 4>(
        tile, test, found, margins - column0,
        [&](u32 r, u32 k) { return c[4 * (k >> 1) + 2 * r + (k & 1)]; },
        [&](u32 r) { return row0 + group * 64 + warp * 16 + 8 * r + (lane >> 2); },
        [&](u32 k) { return column0 + 8 * (k >> 1) + 2 * (lane & 3) + (k & 1); });
}

extern "C" __global__ void __launch_bounds__(256, 1) pairs_wgmma(PARAMETERS) {
    UNPACK;
    count_and_test<256, 4>(tile, test, found);
}

extern "C" __global__ void __launch_bounds__(256, 2) pairs_wgmma_narrow(PARAMETERS) {
    UNPACK;
    count_and_test<128, 3>(tile, test, found);
}
