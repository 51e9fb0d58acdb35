// Screening on a GPU: joint counts of tiles of pairs of bit rows. This file has the part that all
// counting methods share.
//
// A program is this file, then a file that processes the counts, then a counting method:
//
//     pairs.cu    each count belongs to a pair of binary variables and is tested in registers
//     tables.cu   counts are cells of tables and are written to memory; another kernel tests them
//
//     wgmma.cu    tensor cores of compute capability 9.0
//     mma.cu      tensor cores of compute capability 8.0 to 9.0
//     popcount.cu any GPU
//
// Only the code that runs is compiled. The second file defines `Output`, the parameters of the
// kernel (PARAMETERS, OUTPUT) and `kTests`: whether counts are tested in the registers.
//
// Rows are padded with zeros to 128 bytes and to whole tiles. In shared memory, the eight 16-byte
// pieces of a row's slice are permuted by the row number, so that eight rows can be read without
// bank conflicts.
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#define SLICE 128  // bytes of a row in a slice

struct Tile {
    const u8* rows;          // bit rows of the variables i; `columns` has those of j
    const u8* columns;
    u32 n_rows, n_columns;   // without padding
    u32 first_row, first_column;
    u32 row_bytes;           // a multiple of SLICE
};

// Kernels take the fields as separate parameters, because the caller cannot pass a struct.
#define TILE_PARAMETERS \
    const u8 *rows_, const u8 *columns_, u32 n_rows_, u32 n_columns_, u32 first_row_, u32 first_column_, u32 row_bytes_
#define TILE Tile{rows_, columns_, n_rows_, n_columns_, first_row_, first_column_, row_bytes_}

__device__ __forceinline__ u32 shared_address(const void* p) { return (u32)__cvta_generic_to_shared(p); }

__device__ __forceinline__ u32 piece(u32 row, u32 k) { return row * SLICE + ((k ^ (row & 7)) << 4); }

// The tiles of pairs that a thread block processes: every gridDim.x-th tile above the diagonal, in
// groups of eight rows of tiles, so that concurrent blocks share columns in the cache.
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
