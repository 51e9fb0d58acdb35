// Second derivatives by slopes where neighbours have several levels: what a row adds to those of two neighbours depends on
// their levels alone.
//
// A neighbour of r levels is r - 1 columns of features, and products of all columns of two neighbours would take (r - 1)^2
// multiplications a row for every two forms. Instead covariances of forms are added up by the two levels, which is one
// addition, and multiplied by the levels' features at the end. For every neighbour rows are visited by its level, so that only
// the other's levels need buckets at a time, which the nearest cache holds.
//
// A row's covariances stand side by side, as a *record*: of one side's slope forms with each other, of these with all plain forms,
// and of both sides' slope forms. They are in single precision, which halves the memory traffic; at most kMaxSingleRows are
// added up in it. Second derivatives, which give the length of a step and a determinant, are then right to parts in a million.
#pragma once
#include "pair/level_moments.hpp"
#include "pair/level_rows.hpp"

namespace markhood::MARKHOOD_TIER {

using HalfPack = float __attribute__((vector_size(kPack * sizeof(float))));
using Singles = float __attribute__((vector_size(2 * kPack * sizeof(float))));
constexpr std::size_t kSingles = 2 * kPack;

// A neighbour, whose features are (levels, scores) numbers.
struct Neighbour {
    std::size_t levels, scores;
    const double* features;
};

// Some neighbours: the columns that each has, and in which bucket every row counts for each.
class Given {
  public:
    Buffer<Neighbour> neighbours;
    Buffer<std::size_t> first_column, first_bucket;
    Buffer<std::uint32_t> buckets;  // (rows, neighbours)

    // Of those merged the ones whose numbers are `which`.
    void set(const LevelRows& rows, const Buffer<Neighbour>& merged, const std::size_t* which, std::size_t n) {
        begin();
        for (std::size_t k = 0; k < n; ++k) add(merged[which[k]]);
        buckets.resize(n * rows.n_rows);
        for (std::size_t r = 0; r < rows.n_rows; ++r)
            for (std::size_t k = 0; k < n; ++k)
                buckets[r * n + k] = static_cast<std::uint32_t>(first_bucket[k] + rows.level(r, which[k]));
    }
    // One that is the same in all rows.
    void set_constant(std::size_t n_rows, const double* one) {
        begin();
        add({1, 1, one});
        buckets.zeros(n_rows);
    }
    std::size_t size() const { return neighbours.size(); }

  private:
    void begin() {
        for (Buffer<std::size_t>* first : {&first_column, &first_bucket}) {
            first->resize(0);
            first->push(0);
        }
        neighbours.resize(0);
    }
    void add(const Neighbour& neighbour) {
        first_column.push(first_column[size()] + neighbour.scores);
        first_bucket.push(first_bucket[size()] + neighbour.levels);
        neighbours.push(neighbour);
    }
};

class LevelBuckets {
  public:
    // Whether this is less work than products of columns, which stay in registers where a bucket is read and written.
    static bool are_quicker(const Side& i, const Side& j, std::size_t given_i, std::size_t given_j, std::size_t n_plain) {
        const auto packs = [](std::size_t n) { return static_cast<double>((n + kSingles - 1) / kSingles); };
        double added = packs(i.scores * j.scores) * static_cast<double>(given_i * given_j), slopes = 0.0;
        for (const Side* side : {&i, &j}) {
            const double given = static_cast<double>(side == &i ? given_i : given_j);
            added += given * (0.5 * given * packs(side->scores * (side->scores + 1) / 2) + packs(side->scores * n_plain));
            slopes += static_cast<double>(side->scores * side->columns.size());
        }
        const double multiplied = slopes * (0.5 * slopes + static_cast<double>(n_plain)) / static_cast<double>(kPack);
        return kBucketCost * added < multiplied;
    }

    // `which` are the neighbours of i, then of j, as numbers of those merged.
    void set(const Side& i, const Side& j, const LevelRows& rows, const Buffer<Neighbour>& merged,
             const Buffer<std::size_t>& which, std::size_t given_i) {
        n_rows_ = rows.n_rows;
        none_.set_constant(n_rows_, &one_);
        for (std::size_t e = 0; e < 2; ++e) {
            const std::size_t from = e ? given_i : 0, n = e ? which.size() - given_i : given_i;
            ends_[e].side = e ? &j : &i;
            ends_[e].given.set(rows, merged, which.data() + from, n);
            sort_rows(ends_[e]);
        }
    }

    // Takes in the moments of a chunk that begins with row `first`.
    void take(const LevelMoments& moments, std::size_t first, std::size_t n_packs, bool are_coupled) {
        const Side &i = *ends_[0].side, &j = *ends_[1].side;
        const Buffer<std::size_t>& plain = moments.plain();
        for (End& own : ends_) {
            const std::size_t scores = own.given.size() ? own.side->scores : 0, from = own.side->first_slope_form;
            own.within.resize(scores * (scores + 1) / 2, n_rows_);
            own.plain.resize(scores * plain.size(), n_rows_);
            for (std::size_t u = 0; u < scores; ++u) {
                for (std::size_t v = 0; v <= u; ++v)
                    own.within.put(triangle(u, v), moments.covariances(from + u, from + v), first, n_packs);
                for (std::size_t g = 0; g < plain.size(); ++g)
                    own.plain.put(u * plain.size() + g, moments.covariances(from + u, plain[g]), first, n_packs);
            }
        }
        between_.resize(i.scores * j.scores, n_rows_);
        for (std::size_t u = 0; are_both_given(are_coupled) && u < i.scores; ++u)
            for (std::size_t v = 0; v < j.scores; ++v)
                between_.put(u * j.scores + v, moments.covariances(i.first_slope_form + u, j.first_slope_form + v), first, n_packs);
    }

    // After all chunks: sets the second derivatives by two slopes, and by a slope and one of the other parameters, whose numbers
    // are `plain`, in the lower triangle of (n, n).
    void differentiate(double* to, std::size_t n, const Buffer<std::size_t>& plain, bool are_coupled) {
        const auto put = [&](std::size_t k, std::size_t l, double value) { to[(k < l ? l : k) * n + (k < l ? k : l)] = value; };
        for (const End& own : ends_)
            for (std::size_t a = 0; a < own.given.size(); ++a) {
                add_up(own, a, own.within, own.given, a + 1, [&](std::size_t c, std::size_t l, const double* sums) {
                    for (std::size_t u = 0; u < own.side->scores; ++u)
                        for (std::size_t v = 0; v < own.side->scores; ++v)
                            put(own.parameter(u, c), own.parameter(v, l), sums[triangle(u, v)]);
                });
                add_up(own, a, own.plain, none_, 1, [&](std::size_t c, std::size_t, const double* sums) {
                    for (std::size_t u = 0; u < own.side->scores; ++u)
                        for (std::size_t g = 0; g < plain.size(); ++g)
                            put(own.parameter(u, c), plain[g], sums[u * plain.size() + g]);
                });
            }
        const End &i = ends_[0], &j = ends_[1];
        for (std::size_t a = 0; are_both_given(are_coupled) && a < i.given.size(); ++a)
            add_up(i, a, between_, j.given, j.given.size(), [&](std::size_t c, std::size_t l, const double* sums) {
                for (std::size_t u = 0; u < i.side->scores; ++u)
                    for (std::size_t v = 0; v < j.side->scores; ++v)
                        put(i.parameter(u, c), j.parameter(v, l), sums[u * j.side->scores + v]);
            });
    }

  private:
    static constexpr double kBucketCost = 3.0;  // of adding to a bucket, which is read and written, relative to a product of columns in registers
    static constexpr std::size_t kMaxSingleRows = 4096;  // rows added up in single precision

    // Numbers of every row side by side.
    struct Record {
        std::size_t n_packs = 0;
        Buffer<Singles> rows;

        void resize(std::size_t n, std::size_t n_rows) {
            n_packs = (n + kSingles - 1) / kSingles;
            rows.resize(n_packs * n_rows);
        }
        // The k-th number of the rows from `first` on.
        void put(std::size_t k, const Pack* numbers, std::size_t first, std::size_t n) {
            const std::size_t stride = n_packs * kSingles, n_rows = rows.size() / n_packs;
            const std::size_t end = first + n * kPack < n_rows ? first + n * kPack : n_rows;
            const double* from = reinterpret_cast<const double*>(numbers);
            float* to = reinterpret_cast<float*>(rows.data()) + first * stride + k;
            for (std::size_t r = first; r < end; ++r, to += stride) *to = static_cast<float>(*from++);
        }
    };

    struct End {
        const Side* side = nullptr;
        Given given;
        Record within, plain;
        Buffer<std::uint32_t> rows;   // of each neighbour in the order of its levels
        Buffer<std::size_t> starts;   // where in it the rows of each bucket begin

        std::size_t parameter(std::size_t u, std::size_t column) const {
            return side->first_parameter + side->n_thresholds + u * side->columns.size() + column;
        }
    };

    static std::size_t triangle(std::size_t u, std::size_t v) { return u > v ? u * (u + 1) / 2 + v : v * (v + 1) / 2 + u; }
    bool are_both_given(bool are_coupled) const { return are_coupled && ends_[0].given.size() && ends_[1].given.size(); }

    void sort_rows(End& own) {
        const std::size_t n = own.given.size(), n_buckets = own.given.first_bucket[n];
        own.rows.resize(n * n_rows_);
        own.starts.zeros(n_buckets + 2);
        // Counted two positions on, each start has moved on to the next one's when all rows are placed.
        for (std::size_t k = 0; k < n * n_rows_; ++k) ++own.starts[own.given.buckets[k] + 2];
        for (std::size_t b = 2; b < n_buckets + 2; ++b) own.starts[b] += own.starts[b - 1];
        for (std::size_t r = 0; r < n_rows_; ++r)
            for (std::size_t k = 0; k < n; ++k)
                own.rows[own.starts[own.given.buckets[r * n + k] + 1]++] = static_cast<std::uint32_t>(r);
    }

    // Adds a record up over all rows, times the features of a neighbour a and of each of the first n_others of others; then calls
    // use(column of a, column of the other, sums).
    template <class Use>
    void add_up(const End& own, std::size_t a, const Record& record, const Given& others, std::size_t n_others, Use use) {
        const Neighbour& neighbour = own.given.neighbours[a];
        const std::size_t n_packs = record.n_packs, n_columns = others.first_column[n_others];
        buckets_.resize(others.first_bucket[n_others] * n_packs);
        by_column_.resize(2 * n_columns * n_packs);
        sums_.zeros(neighbour.scores * by_column_.size());
        for (std::size_t level = 0; level < neighbour.levels; ++level) {
            const std::size_t at = own.given.first_bucket[a] + level, end = own.starts[at + 1];
            by_column_.zeros(by_column_.size());
            for (std::size_t from = own.starts[at]; from < end; from += kMaxSingleRows) {
                const std::size_t n = end - from < kMaxSingleRows ? end - from : kMaxSingleRows;
                buckets_.zeros(buckets_.size());
                (n_packs == 1 ? add_rows<1> : add_rows<0>)(record, own.rows.data() + from, n, others, n_others, buckets_.data());
                expand(others, n_others, n_packs);
            }
            for (std::size_t w = 0; w < neighbour.scores; ++w) {
                const double feature = neighbour.features[level * neighbour.scores + w];
                Pack* to = sums_.data() + w * by_column_.size();
                for (std::size_t k = 0; k < by_column_.size(); ++k) to[k] += feature * by_column_[k];
            }
        }
        for (std::size_t w = 0; w < neighbour.scores; ++w)
            for (std::size_t l = 0; l < n_columns; ++l)
                use(own.given.first_column[a] + w, l, reinterpret_cast<const double*>(sums_.data() + 2 * (w * n_columns + l) * n_packs));
    }

    // kPacks is how many packs a record has, or none for any number.
    template <std::size_t kPacks>
    static void add_rows(const Record& record, const std::uint32_t* rows, std::size_t n, const Given& others,
                         std::size_t n_others, Singles* buckets) {
        const std::size_t n_packs = kPacks ? kPacks : record.n_packs;
        for (std::size_t k = 0; k < n; ++k) {
            const Singles* from = record.rows.data() + rows[k] * n_packs;
            const std::uint32_t* bucket = others.buckets.data() + rows[k] * others.size();
            Singles kept[kPacks ? kPacks : 1];
            if (kPacks) std::memcpy(kept, from, sizeof kept);
            for (std::size_t l = 0; l < n_others; ++l) {
                Singles* to = buckets + bucket[l] * n_packs;
                for (std::size_t p = 0; p < n_packs; ++p) to[p] += kPacks ? kept[p] : from[p];
            }
        }
    }

    // Adds to by_column_ the buckets times the features of the others' levels.
    void expand(const Given& others, std::size_t n_others, std::size_t n_packs) {
        for (std::size_t k = 0; k < n_others; ++k) {
            const Neighbour& other = others.neighbours[k];
            for (std::size_t level = 0; level < other.levels; ++level) {
                const Singles* from = buckets_.data() + (others.first_bucket[k] + level) * n_packs;
                for (std::size_t w = 0; w < other.scores; ++w) {
                    const double feature = other.features[level * other.scores + w];
                    Pack* to = by_column_.data() + 2 * (others.first_column[k] + w) * n_packs;
                    for (std::size_t p = 0; p < 2 * n_packs; ++p) to[p] += feature * half(from, p);
                }
            }
        }
    }

    static Pack half(const Singles* from, std::size_t p) {
        HalfPack numbers;
        std::memcpy(&numbers, reinterpret_cast<const float*>(from) + p * kPack, sizeof numbers);
        return __builtin_convertvector(numbers, Pack);
    }

    static constexpr double one_ = 1.0;
    std::size_t n_rows_ = 0;
    End ends_[2];
    Given none_;
    Record between_;  // both sides' slope forms
    Buffer<Singles> buckets_;
    Buffer<Pack> by_column_, sums_;
};

}  // namespace markhood::MARKHOOD_TIER
