// The screen on a GPU: joint counts of tiles of pairs of rows of bits. What all ways of counting share.
//
// A program is this file, then what becomes of the counts, then a way of counting:
//
//     pairs.cu    each count is that of a pair of binary variables, and tested where it is
//     tables.cu   counts are cells of tables, and are written out for the kernel that tests these
//
//     wgmma.cu, mma.cu, popcount.cu    tensor cores of compute capability 9.0, those from 8.0 on, any card
//
// so that nothing is compiled that is not run. The second kind of file says what `Output` is, with the parameters of the
// kernel (PARAMETERS, OUTPUT) and `kTests`: whether counts are tested in the registers.
//
// Rows are padded to 128 bytes, and to whole tiles, with zeros. In shared memory the eight
// 16-byte pieces of a row's slice are permuted by the row number, so that eight rows can be read
// without two of them in the same bank.
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#define SLICE 128  // bytes of a row in a slice

struct Tile {
    const u8* rows;          // of bits, that play the part of i; likewise `columns` of j
    const u8* columns;
    u32 n_rows, n_columns;   // that mean something
    u32 first_row, first_column;
    u32 row_bytes;           // a multiple of SLICE
};

// Kernels take these one by one, since that is what the caller can pass.
#define TILE_PARAMETERS \
    const u8 *rows_, const u8 *columns_, u32 n_rows_, u32 n_columns_, u32 first_row_, u32 first_column_, u32 row_bytes_
#define TILE Tile{rows_, columns_, n_rows_, n_columns_, first_row_, first_column_, row_bytes_}

__device__ __forceinline__ u32 shared_address(const void* p) { return (u32)__cvta_generic_to_shared(p); }

__device__ __forceinline__ u32 piece(u32 row, u32 k) { return row * SLICE + ((k ^ (row & 7)) << 4); }

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
