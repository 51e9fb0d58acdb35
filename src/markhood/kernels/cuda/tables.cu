// Variables with any number of levels, and weighted samples: counts are cells of tables.
//
// A variable with r levels has r - 1 bit rows, one for each level but the first, so the table of
// two variables has (r - 1)(s - 1) counts and the two margins. The counts are written to memory,
// because the counts of one table are spread over several threads. `find_tables` then tests every
// pair of variables, one per thread. The binary digits of weights are bit rows too: one side of a
// tile is masked with one digit at a time, highest first, and the previous counts are doubled.
//
// A pair is dropped only if it certainly fails the test. With phi^2 = sum n_ab^2 / (n_a n_b) - 1,
// the tests use
//
//     n MI <= n log(1 + phi^2) <= n phi^2,
//
// then n MI itself and, for edges with a single parameter, a bound from the correlation of the
// level numbers (native/count/associated_tables.hpp). All tests are loosened by more than the
// rounding error, and the CPU decides the remaining pairs, so that pairs and numbers are the same
// as without a GPU.

struct Output {
    static constexpr bool kTests = false;
    static constexpr int kZero = 0;
    int* counts;   // of all rows of the tile with all columns, in whole tiles
    u64 stride;
    u32 doubles;   // whether to double the previous counts; otherwise they are overwritten

    __device__ __forceinline__ void put(u32 row, u32 column, int count) const {
        int& to = counts[row * stride + column];
        to = doubles ? 2 * to + count : count;
    }
    __device__ __forceinline__ void put_two(u32 row, u32 column, int one, int other) const {
        int2& to = *(int2*)(counts + row * stride + column);
        const int2 before = doubles ? to : make_int2(0, 0);
        to = make_int2(2 * before.x + one, 2 * before.y + other);
    }

    struct Column {};
    __device__ __forceinline__ Column column_of(const Tile&, u32) const { return {}; }
    template <u32 kRows, u32 kColumns, class CountAt, class RowAt, class ColumnAt>
    __device__ __forceinline__ void take(const Tile&, const Column*, CountAt count, RowAt row, ColumnAt column) const {
#pragma unroll
        for (u32 r = 0; r < kRows; ++r)
#pragma unroll
            for (u32 k = 0; k < kColumns; ++k) put(row(r), column(k), count(r, k));
    }
};

#define PARAMETERS TILE_PARAMETERS, int *counts_, u64 stride_, u32 doubles_
#define OUTPUT Output{counts_, stride_, doubles_}

// Counts the ones of each row, one warp per row, one digit of the weights at a time.
extern "C" __global__ void add_ones(const u64* rows, u32 n_words, u32 n_rows, int* ones, u32 doubles) {
    const u32 row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
    if (row >= n_rows) return;
    int sum = 0;
    for (u32 w = lane; w < n_words; w += 32) sum += __popcll(rows[(u64)row * n_words + w]);
    for (u32 other = 16; other; other /= 2) sum += __shfl_xor_sync(~0u, sum, other);
    if (lane == 0) ones[row] = doubles ? 2 * ones[row] + sum : sum;
}

// Total weight of a level: in whole units, as a share of all samples, and its inverse (0 if empty).
struct Level {
    int total;
    float share, inverse, unused;
};

// A variable of a tile: its first row in the tile, its number of regression columns, its levels
// and, for a single column, the mean and inverse variance (0 if constant) of the level numbers.
struct Variable {
    u32 row, n_rows, n_scores;
    const Level* levels;
    double2 moments;
};

struct Side {
    const int* starts;  // of the variables' rows, from the tile's first on, and the end
    const int* scores;
    const Level* levels;  // variable by variable
    const double2* moments;

    __device__ __forceinline__ Variable operator[](u32 v) const {
        const u32 row = starts[v] - starts[0];
        return {row, (u32)(starts[v + 1] - starts[v]), (u32)scores[v], levels + row + v, moments[v]};
    }
};

struct Prices {
    double parameter, variable;  // in units of the weights
};

struct PairTable {
    const int* joint;
    u64 stride;
    Variable a, b;
    double n;

    __device__ __forceinline__ int at(u32 k, u32 l) const { return joint[k * stride + l]; }

    // Calls use(count, level of a, level of b) for all cells; first levels have the remaining
    // counts.
    template <class Use>
    __device__ __forceinline__ void each(Use use) const {
        int corner = a.levels[0].total;
        for (u32 k = 0; k < a.n_rows; ++k) {
            const Level x = a.levels[k + 1];
            int left = x.total;
            for (u32 l = 0; l < b.n_rows; ++l) {
                const int both = at(k, l);
                left -= both;
                use(both, x, b.levels[l + 1]);
            }
            use(left, x, b.levels[0]);
        }
        for (u32 l = 0; l < b.n_rows; ++l) {
            const Level y = b.levels[l + 1];
            int left = y.total;
            for (u32 k = 0; k < a.n_rows; ++k) left -= at(k, l);
            corner -= left;
            use(left, a.levels[0], y);
        }
        use(corner, a.levels[0], b.levels[0]);
    }

    // In single precision; `rounding` bounds the error.
    __device__ __forceinline__ float phi_squared() const {
        float sum = 0;
        each([&](int both, const Level& x, const Level& y) {
            const float off = fmaf(-(float)x.total, y.share, (float)both);
            sum = fmaf(off * x.inverse, off * y.inverse, sum);
        });
        return sum;
    }

    // An expected count e and a count are accurate to e and count times 2^-23, so the error of
    // their difference is at most 3e-7 e, apart from its own rounding. Over all cells, by the
    // Cauchy-Schwarz inequality, the error of n phi^2 is at most 6e-7 sqrt(n phi^2 n).
    __device__ __forceinline__ float rounding(float least) const { return 1e-6f * sqrtf((float)n * least) + 1e-5f * least; }

    __device__ __forceinline__ double likelihood_ratio() const {
        double sum = 0;
        each([&](int both, const Level& x, const Level& y) {
            if (both > 0) sum += both * log(both * n / ((double)x.total * y.total));
        });
        return sum;
    }

    // For variables with a single score each: an upper bound of the likelihood ratio of their edge.
    __device__ __forceinline__ double correlation_bound() const {
        double cross = 0;
        for (u32 k = 0; k < a.n_rows; ++k) {
            double of_row = 0;
            for (u32 l = 0; l < b.n_rows; ++l) of_row += (double)(l + 1) * at(k, l);
            cross += (k + 1) * of_row;
        }
        const double mean_a = a.moments.x, mean_b = b.moments.x, last_a = a.n_rows, last_b = b.n_rows;
        const double covariance = cross / n - mean_a * mean_b, inverse = a.moments.y * b.moments.y;
        const double farthest = covariance > 0 ? fmax(mean_a * (last_b - mean_b), (last_a - mean_a) * mean_b)
                                               : fmax(mean_a * mean_b, (last_a - mean_a) * (last_b - mean_b));
        const double lost = fabs(covariance) * inverse * farthest;
        return lost < 1 ? n * (0.5 + lost / 6 + lost * lost / 3) * covariance * covariance * inverse : n * n;
    }

    __device__ __forceinline__ bool may_pass(const Prices& prices) const {
        const u32 n_cells = a.n_rows * b.n_rows, parameters = a.n_scores * b.n_scores;
        const double price = parameters * prices.parameter + prices.variable;
        const double least = price * (1 - 1e-8) - 1e-11 * n;
        if (least <= 0) return true;
        if (parameters == 1 && n_cells > 1 && correlation_bound() < least) return false;
        return (float)n * phi_squared() >= (float)least - rounding((float)least) && likelihood_ratio() >= least;
    }
};

extern "C" __global__ void find_tables(const int* counts, u64 stride, const int* row_starts, const int* row_scores,
                                       const Level* row_levels, const double2* row_moments, u32 first_row, u32 n_rows,
                                       const int* column_starts, const int* column_scores,
                                       const Level* column_levels, const double2* column_moments, u32 first_column,
                                       u32 n_columns, double parameter_cost, double variable_cost, double n, int* pairs,
                                       u64* n_found, u64 capacity) {
    const u32 i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n_rows || j >= n_columns || first_row + i >= first_column + j) return;
    const Variable a = Side{row_starts, row_scores, row_levels, row_moments}[i];
    const Variable b = Side{column_starts, column_scores, column_levels, column_moments}[j];
    const PairTable table{counts + a.row * stride + b.row, stride, a, b, n};
    if (!table.may_pass({parameter_cost, variable_cost})) return;
    const u64 at = atomicAdd(n_found, 1ULL);
    if (at >= capacity) return;
    pairs[2 * at] = first_row + i;
    pairs[2 * at + 1] = first_column + j;
}
