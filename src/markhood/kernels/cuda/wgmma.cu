// Counts with the tensor cores' binary product through wgmma, for compute capability 9.0 only.
//
// Two thread blocks on neighbouring multiprocessors (a cluster) count 256 x 256 pairs together.
// Each has its own 128 rows and fetches half of the columns for both, because the cache bandwidth
// would not suffice otherwise. In each block, one thread only fetches, by bulk copies that signal a
// barrier on arrival. Two groups of four warps multiply, 64 rows each, and signal another barrier
// when they are done.
//
// A bulk copy fetches contiguous bytes only, so the variables are rearranged beforehand: 128 rows
// by 128 bytes, permuted within a row as in shared memory, form a unit that one copy fetches.
//
// A tested count starts at minus the rounded count expected under independence, n_i n_j / n, and is
// stored in the low bits of a float. A test is then a subtraction and a comparison.
//
// The tensor cores are almost always busy while counting and idle while testing, because both
// groups test at the same time. Alternating the groups is slower: stages would be held from the
// first group's use to the second's, which leaves too few for prefetching.

#define UNIT 128  // rows in a unit
#define UNIT_BYTES (UNIT * SLICE)
#define STAGES 4
#define STAGE_BYTES (3 * UNIT_BYTES)
#define COLUMN_PAIRS 128
#define COUNTING_WARPS 8

// Initial value of a count with expectation zero: the float 1.5 * 2^23, valid within 2^22.
#define CENTRE 12582912.0f

extern "C" __global__ void lay_out(const uint4* rows, uint4* units, u32 row_bytes, u64 n_pieces) {
    const u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n_pieces) return;
    const u32 n_slices = row_bytes / SLICE, k = at & 7, row = (at >> 3) % UNIT;
    const u64 unit = (at >> 3) / UNIT / n_slices, slice = (at >> 3) / UNIT % n_slices;
    units[at] = rows[(unit * UNIT + row) * (row_bytes / 16) + slice * 8 + (k ^ (row & 7))];
}

struct Shared {
    u8 stages[STAGES][STAGE_BYTES];     // rows, then columns
    float4 bounds[2][2][COLUMN_PAIRS];  // of each group, current and next: loose and tight of two columns
    float2 ones[2][2][COLUMN_PAIRS];
    u64 full[STAGES], empty[STAGES];
};

// The next stage, and the parity of the number of passes through the ring.
struct Place {
    u32 stage = 0, round = 0;
    __device__ __forceinline__ void next() {
        if (++stage == STAGES) {
            stage = 0;
            round ^= 1;
        }
    }
};

__device__ __forceinline__ void wait(const u64& barrier, u32 round) {
    asm volatile(
        "{\n.reg .pred p;\n"
        "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
        "@!p bra again;\n}" ::"r"(shared_address(&barrier)),
        "r"(round)
        : "memory");
}

__device__ __forceinline__ void meet_cluster() {
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

__device__ __forceinline__ void fetch_unit(u8* to, const u8* from, const u64& full) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            shared_address(to)),
        "l"(from), "n"(UNIT_BYTES), "r"(shared_address(&full))
        : "memory");
}

__device__ __forceinline__ void fetch_unit_for_both(u8* to, const u8* from, const u64& full) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], "
        "%4;" ::"r"(shared_address(to)),
        "l"(from), "n"(UNIT_BYTES), "r"(shared_address(&full)), "h"((unsigned short)3)
        : "memory");
}

// Permuted rows of 128 bytes; each group of eight rows is 1024 bytes from the next.
__device__ __forceinline__ u64 matrix_at(const u8* at) {
    return (u64)(shared_address(at) >> 4) | (u64)1 << 16 | (u64)(1024 >> 4) << 32 | (u64)1 << 62;
}

#define R4(c, i) "+r"(c[i]), "+r"(c[i + 1]), "+r"(c[i + 2]), "+r"(c[i + 3])
#define R16(c, i) R4(c, i), R4(c, i + 4), R4(c, i + 8), R4(c, i + 12)
#define R64(c, i) R16(c, i), R16(c, i + 16), R16(c, i + 32), R16(c, i + 48)
#define R128(c) R64(c, 0), R64(c, 64)

__device__ __forceinline__ void multiply_group(int (&c)[128], u64 a, u64 b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n256k256.s32.b1.b1.and.popc {"
        "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,"
        "%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,"
        "%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,"
        "%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,"
        "%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,"
        "%121,%122,%123,%124,%125,%126,%127}, %128, %129, 1;"
        : R128(c)
        : "l"(a), "l"(b));
}

// Barrier for the compiler: no use of the counts is moved across it.
__device__ __forceinline__ void pin(int (&c)[128]) { asm volatile("" : R128(c)::"memory"); }

template <u32 kLeft>
__device__ __forceinline__ void wait_for_products() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kLeft) : "memory");
}

__device__ __forceinline__ void meet(u32 id, u32 n_threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n_threads) : "memory");
}

typedef Tour<256, 256> ClusterTour;

// Selects half of some counts, because registers cannot be indexed.
template <u32 kHalf>
__device__ __forceinline__ void choose_half(int (&to)[kHalf], const int (&from)[2 * kHalf], bool upper) {
#pragma unroll
    for (u32 k = 0; k < kHalf; ++k) to[k] = upper ? from[kHalf + k] : from[k];
}

__device__ __forceinline__ u32 rank_in_cluster() { return blockIdx.x & 1; }

__device__ __forceinline__ void fetch_all(const Tile& tile, Shared& shared) {
    const u64 row_bytes = tile.row_bytes;
    const u32 rank = rank_in_cluster();
    Place place;
    for (ClusterTour here(tile, blockIdx.x / 2, gridDim.x / 2); !here.done(); here.next()) {
        const u8* rows = tile.rows + (here.row0 + rank * UNIT) * row_bytes;
        const u8* columns = tile.columns + (here.column0 + rank * UNIT) * row_bytes;
        for (u32 s = 0; s < tile.row_bytes / SLICE; ++s, place.next()) {
            wait(shared.empty[place.stage], place.round ^ 1);
            const u64& full = shared.full[place.stage];
            u8* stage = shared.stages[place.stage];
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&full)),
                         "n"(STAGE_BYTES)
                         : "memory");
            fetch_unit(stage, rows + s * UNIT_BYTES, full);
            fetch_unit_for_both(stage + (1 + rank) * UNIT_BYTES, columns + s * UNIT_BYTES, full);
        }
    }
}

// One of the two groups of warps that multiply, and its counts.
struct GroupCounter {
    const Tile& tile;
    Shared& shared;
    ClusterTour ahead{tile, blockIdx.x / 2, gridDim.x / 2};
    u32 group = threadIdx.x >> 7, lane = threadIdx.x & 31;
    u32 row_in_tile = rank_in_cluster() * UNIT + (threadIdx.x >> 5) * 16 + (lane >> 2);
    Place place;
    int c[128];  // [eight columns][row and row + 8][column and column + 1]

    __device__ __forceinline__ GroupCounter(const Tile& t, Shared& s) : tile(t), shared(s) {}

    __device__ __forceinline__ void release(u32 stage) {
        // Each of the first two lanes signals one block of the cluster.
        if (lane >= 2) return;
        asm volatile(
            "{\n.reg .b32 there;\n"
            "mapa.shared::cluster.u32 there, %0, %1;\n"
            "mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(shared_address(&shared.empty[stage])),
            "r"(lane)
            : "memory");
    }

    // Accumulates the products of a tile; runs callbacks after the first and before waiting for the
    // last.
    template <class AfterFirst, class BeforeLast>
    __device__ __forceinline__ void count(AfterFirst after_first, BeforeLast before_last) {
        u32 before = 0;
        const u32 n_slices = tile.row_bytes / SLICE;
        pin(c);
        for (u32 s = 0; s < n_slices; ++s, place.next()) {
            wait(shared.full[place.stage], place.round);
            const u64 a = matrix_at(shared.stages[place.stage] + group * 64 * SLICE);
            const u64 b = matrix_at(shared.stages[place.stage] + UNIT_BYTES);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (u32 k = 0; k < 4; ++k) multiply_group(c, a + 2 * k, b + 2 * k);
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            if (s == 0) {
                ahead.next();
                after_first();
            } else {
                wait_for_products<1>();
                release(before);
            }
            before = place.stage;
        }
        before_last();
        wait_for_products<0>();
        release(before);
        pin(c);
    }
};

// Inputs of the tests for a thread's two rows: their share of ones, and bounds in units of counts.
struct Rows {
    float share[2], loose[2], tight[2];
};

// Counts and tests.
template <class Tests>
struct GroupTester : GroupCounter {
    const Tests& output;
    u32 odd = 0;
    float per_sample = 1.0f / output.test.n_samples;
    u32 row0, column0;
    Rows rows, next_rows;
    float4 next_left, next_right;

    __device__ __forceinline__ GroupTester(const Tile& t, const Tests& o, Shared& s) : GroupCounter(t, s), output(o) {}

    __device__ __forceinline__ void look_ahead() {
        const auto& test = output.test;
        const u32 j = ahead.column0 + 2 * (threadIdx.x & 127);
        next_left = margins_of(test, tile.first_column, j, tile.n_columns);
        next_right = margins_of(test, tile.first_column, j + 1, tile.n_columns);
#pragma unroll
        for (u32 r = 0; r < 2; ++r) {
            const float4 i = margins_of(test, tile.first_row, ahead.row0 + row_in_tile + 8 * r, tile.n_rows);
            next_rows.share[r] = i.x * per_sample;
            next_rows.loose[r] = i.y * per_sample;
            next_rows.tight[r] = i.z * per_sample;
        }
    }

    __device__ __forceinline__ void share_columns() {
        const u32 next = odd ^ 1, k = threadIdx.x & 127;
        meet(1 + group, 128);  // the previous values are no longer in use
        shared.bounds[group][next][k] = make_float4(next_left.y, next_left.z, next_right.y, next_right.z);
        shared.ones[group][next][k] = make_float2(next_left.x, next_right.x);
        meet(1 + group, 128);
    }

    __device__ __forceinline__ int start(float share_of_row, float ones_of_column) const {
        return __float_as_int(fmaf(-share_of_row, ones_of_column, CENTRE));
    }

    __device__ __forceinline__ void restart() {
#pragma unroll
        for (u32 k = 0; k < 32; ++k) {
            const float2 ones = shared.ones[group][odd ^ 1][4 * k + (lane & 3)];
#pragma unroll
            for (u32 e = 0; e < 4; ++e) c[4 * k + e] = start(next_rows.share[e >> 1], e & 1 ? ones.y : ones.x);
        }
    }

    __device__ __forceinline__ float4 bounds_at(u32 k) const { return shared.bounds[group][odd][4 * k + (lane & 3)]; }

    // Tests one of four counts: that of row e >> 1 and column e & 1.
    __device__ __forceinline__ bool may_pass(u32 e, float4 b, int both) const {
        const float slack = 0.5f + output.test.slack * per_sample;  // rounding of the expected count, and single precision
        const float loose = fmaf(rows.loose[e >> 1], e & 1 ? b.z : b.x, -slack);
        const float tight = fmaf(rows.tight[e >> 1], e & 1 ? b.w : b.y, -slack);
        return fabsf(__int_as_float(both) - CENTRE) >= fmaxf(loose, tight);
    }

    __device__ __forceinline__ void keep(u32 k, u32 e, int both) const {
        const u32 r = e >> 1;
        const float2 ones = shared.ones[group][odd][4 * k + (lane & 3)];
        keep_if_passing(tile, output.test, output.found, row0 + row_in_tile + 8 * r, column0 + 8 * k + 2 * (lane & 3) + (e & 1),
                        both - start(r ? rows.share[1] : rows.share[0], e & 1 ? ones.y : ones.x));
    }

    // Keeps the counts that may pass, in these parts of sixteen counts each.
    __device__ __forceinline__ void look_again(u32 parts) const {
#pragma unroll 1
        for (; parts; parts &= parts - 1) {
            const u32 part = __ffs(parts) - 1;
            int half[64], quarter[32], these[16];
            choose_half(half, c, part & 4);
            choose_half(quarter, half, part & 2);
            choose_half(these, quarter, part & 1);
            u32 which = 0;
#pragma unroll
            for (u32 k = 0; k < 16; ++k)
                which |= (u32)may_pass(k & 3, bounds_at(4 * part + (k >> 2)), these[k]) << k;
#pragma unroll 1
            for (; which; which &= which - 1) {
                const u32 k = __ffs(which) - 1;
                int eight[8], four[4], two[2];
                choose_half(eight, these, k & 8);
                choose_half(four, eight, k & 4);
                choose_half(two, four, k & 2);
                keep(4 * part + (k >> 2), k & 3, k & 1 ? two[1] : two[0]);
            }
        }
    }

    __device__ __forceinline__ void test_all() const {
        u32 parts = 0;
#pragma unroll
        for (u32 part = 0; part < 8; ++part) {
            bool any[4] = {};
#pragma unroll
            for (u32 k = 0; k < 4; ++k) {
                const float4 b = bounds_at(4 * part + k);
#pragma unroll
                for (u32 e = 0; e < 4; ++e) any[e] |= may_pass(e, b, c[16 * part + 4 * k + e]);
            }
            if (any[0] || any[1] || any[2] || any[3]) parts |= 1 << part;
            if (part & 1) __syncwarp();  // limits the number of bounds that are loaded at once
        }
        if (__builtin_expect(parts != 0, 0)) look_again(parts);
        __syncwarp();
    }

    __device__ __forceinline__ void run() {
        if (ahead.done()) return;
        look_ahead();
        share_columns();
        restart();
        while (!ahead.done()) {
            odd ^= 1;
            rows = next_rows;
            row0 = ahead.row0;
            column0 = ahead.column0;
            count([&] { if (!ahead.done()) look_ahead(); }, [&] { share_columns(); });
            test_all();
            restart();
        }
    }
};

// Counts and writes.
template <class Counts>
struct GroupWriter : GroupCounter {
    const Counts& output;

    __device__ __forceinline__ GroupWriter(const Tile& t, const Counts& o, Shared& s) : GroupCounter(t, s), output(o) {}

    __device__ __forceinline__ void run() {
        while (!ahead.done()) {
            const u32 row = ahead.row0 + row_in_tile, column = ahead.column0 + 2 * (lane & 3);
#pragma unroll
            for (u32 k = 0; k < 128; ++k) c[k] = 0;
            count([] {}, [] {});
#pragma unroll
            for (u32 k = 0; k < 64; ++k)
                output.put_two(row + 8 * (k & 1), column + 8 * (k >> 1), c[2 * k], c[2 * k + 1]);
        }
    }
};

template <class Out>
__device__ __forceinline__ void count_in_group(const Tile& tile, const Out& output, Shared& shared) {
    if constexpr (Out::kTests) GroupTester<Out>(tile, output, shared).run();
    else GroupWriter<Out>(tile, output, shared).run();
}

extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(32 * COUNTING_WARPS + 128, 1)
    count(PARAMETERS) {
    const Tile tile = TILE;
    const Output output = OUTPUT;
    extern __shared__ __align__(1024) u8 raw[];
    Shared& shared = *(Shared*)raw;
    if (threadIdx.x < STAGES) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&shared.full[threadIdx.x])));
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&shared.empty[threadIdx.x])),
                     "n"(2 * COUNTING_WARPS));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    meet_cluster();
    // Counting needs more registers than an even share.
    if (threadIdx.x < 32 * COUNTING_WARPS) {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        count_in_group(tile, output, shared);
    } else {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 32 * COUNTING_WARPS) fetch_all(tile, shared);
    }
    __syncwarp();
    meet_cluster();  // no block exits while another copies to it
}
