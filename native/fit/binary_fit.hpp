// Logistic regressions on tables: what scores ask of binary_model.hpp.
//
// Of columns that are equal in all rows only the first takes part: a hub among copies would otherwise factorise a matrix of hundreds of
// columns, nearly all of them without a pivot, for each of its neighbours.
#pragma once
#include "fit/binary_model.hpp"
#include "fit/score_bound.hpp"

namespace markhood::MARKHOOD_TIER {

constexpr std::size_t kMinColumnsWithCopies = 12;  // columns from which looking for copies pays

class BinaryFit : public Newton<BinaryModel> {
  public:
    // Columns are read through pointers; their packs, like those of the counts, number n_packs. Starts from `coefficients`. Returns the
    // log-likelihood less l2 times the squared slopes, or, where that does not exceed `floor`, a number between the two.
    double maximise(const Pack* const* columns, std::size_t n_columns, const Pack* ones, const Pack* totals, std::size_t n_packs,
                    double l2, double floor = -HUGE_VAL) {
        const bool has_copies = l2 == 0 && !wants_coefficients && n_columns >= kMinColumnsWithCopies && find_copies(columns, n_columns, n_packs);
        if (has_copies) gather(n_columns);
        model_.set(has_copies ? distinct_.data() : columns, has_copies ? distinct_.size() : n_columns, ones, totals, n_packs);
        const double objective = Newton::maximise(model_, 0.0, l2, floor);
        knows_leaving_ = false;
        if (separated) {
            model_.prepare(drift.data());
            knows_leaving_ = !(model_.spread(drift.data()) > kDivergingStep);
        }
        if (has_copies) {
            spread(n_columns, coefficients);
            spread(n_columns, drift);
        }
        return objective;
    }

    // As Newton does: the maximum without the column at `position` of a fit with its maximum at b, for which `known` was prepared.
    // Whether chord steps found it; `objective` is then the maximum, or a number between it and `floor`.
    bool maximise_without(std::size_t position, ScoreBound& known, const Buffer<double>& b, const Pack* const* columns, const Pack* ones,
                          const Pack* totals, double l2, double floor, double& objective) {
        model_.set(columns, b.size() - 1, ones, totals, known.n_packs());
        model_.set_curved(known.variances());
        coefficients.copy(b);
        return Newton::maximise_without(model_, position + 1, known.factor(), l2, floor, objective);
    }

    // As Newton does.
    template <class Restart>
    void settle(Restart restart) {
        Newton::settle(model_, restart, [] { return false; });
    }

    // Of separated data: whether it is known which rows go to infinity. Then the coefficients are those of a maximum over the
    // others, which `there` marks.
    bool knows_leaving() const { return knows_leaving_; }
    const Buffer<PackBits>& there() const { return model_.there(); }

  private:
    // Lists the columns that are unlike all before them, and for each column which of these it is; whether there are fewer.
    bool find_copies(const Pack* const* columns, std::size_t n_columns, std::size_t n_packs) {
        distinct_.resize(0);
        hashes_.resize(0);
        copy_of_.resize(n_columns);
        for (std::size_t k = 0; k < n_columns; ++k) {
            const std::uint64_t hash = hash_of(columns[k], n_packs);
            std::size_t first = 0;
            while (first < distinct_.size() &&
                   (hashes_[first] != hash || std::memcmp(distinct_[first], columns[k], n_packs * sizeof(Pack)) != 0))
                ++first;
            copy_of_[k] = first;
            if (first < distinct_.size()) continue;
            distinct_.push(columns[k]);
            hashes_.push(hash);
        }
        return distinct_.size() < n_columns;
    }

    static std::uint64_t hash_of(const Pack* column, std::size_t n_packs) {
        using Words = std::uint64_t __attribute__((vector_size(sizeof(Pack))));  // unsigned: sums may wrap
        Words mixed{};
        for (std::size_t p = 0; p < n_packs; ++p) mixed = (mixed << 1) ^ ((Words)column[p] + mixed);
        std::uint64_t hash = 0;
        for (std::size_t k = 0; k < kPack; ++k) hash = hash * 0x100000001b3u ^ mixed[k];
        return hash;
    }

    // Starts the columns that take part where all their copies together were.
    void gather(std::size_t n_columns) {
        trial_.zeros(distinct_.size() + 1);
        trial_[0] = coefficients[0];
        for (std::size_t k = 0; k < n_columns; ++k) trial_[copy_of_[k] + 1] += coefficients[k + 1];
        coefficients.copy(trial_);
    }

    // Gives the first of each kind its own number, and its copies none.
    void spread(std::size_t n_columns, Buffer<double>& numbers) {
        trial_.copy(numbers);
        numbers.zeros(n_columns + 1);
        numbers[0] = trial_[0];
        for (std::size_t k = 0, next = 0; k < n_columns; ++k)
            if (copy_of_[k] == next) numbers[k + 1] = trial_[++next];
    }

    bool knows_leaving_ = false;
    BinaryModel model_;
    Buffer<const Pack*> distinct_;
    Buffer<std::uint64_t> hashes_;
    Buffer<std::size_t> copy_of_;
    Buffer<double> trial_;
};

}  // namespace markhood::MARKHOOD_TIER
