// Iterative scaling: a start for multinomial regressions on indicators that costs far less than a step of Newton's method.
//
// For each member in turn, every level's probabilities are multiplied by observed over expected counts of the target's levels, and rows
// are scaled to sum to one. No such step lowers the likelihood (generalised iterative scaling, one indicator of the member being one in
// every row), and the gain is at least the sum of n log(observed / expected). Sweeps over all members converge linearly: they are
// for the way from a blanket with a member more or less to where Newton's method converges.
#pragma once
#include <cmath>

#include "fit/cholesky.hpp"
#include "fit/design.hpp"

namespace markhood::MARKHOOD_TIER {

class Scaling {
  public:
    // Improves the coefficients b, (n_predictors, n_levels - 1). The levels of a row have the weights `powers`, which sum to `sums`, and
    // `totals` samples. `least` samples are added to observed counts, so that coefficients stay finite where these are zero.
    void improve(const Design& design, const double* powers, const double* sums, const double* totals, double least, double* b) {
        design_ = design;
        totals_ = totals;
        least_ = least;
        n_packs_ = packs_for(design.n_levels);
        list_slots();
        switch (n_packs_) {
            case 1: sweep<1>(powers, sums); break;
            case 2: sweep<2>(powers, sums); break;
            case 3: sweep<3>(powers, sums); break;
            default: sweep<0>(powers, sums);
        }
        add_logs(b);
    }

  private:
    static constexpr int kMaxSweeps = 10;
    // A sweep that gains less, or less than a share of what the first gained, is the last. Of few parameters a step of Newton's
    // method costs less than many sweeps.
    static constexpr double kScaledGain = 0.5, kShareOfFew = 0.1, kShareOfMany = 0.01;
    static constexpr std::size_t kManyScaled = 512;

    // The slot of a member's first level: members have one for each level.
    std::size_t slot(std::size_t m) const { return design_.members[m] - design_.members[0] + m; }
    std::size_t at(std::size_t r, std::size_t m) const { return slots_[r * design_.n_members + m] * n_packs_; }
    double* levels(Buffer<Pack>& packs, std::size_t at) const { return reinterpret_cast<double*>(packs.data() + at * n_packs_); }

    // Numbers of a row's levels, in whole packs.
    const Pack* padded(const double* values) {
        std::memcpy(row_.data(), values, design_.n_levels * sizeof(double));
        return row_.data();
    }

    void list_slots() {
        row_.zeros(n_packs_);
        const std::size_t n_members = design_.n_members;
        slots_.resize(design_.n_rows * n_members);
        for (Buffer<Pack>* of_slots : {&observed_, &expected_, &logs_}) of_slots->zeros(slot(n_members) * n_packs_);
        for (std::size_t r = 0; r < design_.n_rows; ++r) {
            const Pack* counts = padded(design_.counts + r * design_.n_levels);
            std::size_t a = design_.starts[r];
            while (a < design_.starts[r + 1] && design_.active[a] < design_.members[0]) ++a;
            for (std::size_t m = 0; m < n_members; ++m) {
                std::size_t s = slot(m);
                if (a < design_.starts[r + 1] && design_.active[a] < design_.members[m + 1]) s += 1 + design_.active[a++] - design_.members[m];
                slots_[r * n_members + m] = static_cast<std::uint32_t>(s);
                Pack* to = observed_.data() + s * n_packs_;
                for (std::size_t p = 0; p < n_packs_; ++p) to[p] += counts[p];
            }
        }
    }

    // Sweeps over the members; the last is the first to be scaled by, being the one that is new.
    template <std::size_t n_packs>
    void sweep(const double* powers, const double* sums) {
        const std::size_t last = design_.n_members - 1;
        shares_.resize(design_.n_rows * n_packs_);
        for (std::size_t r = 0; r < design_.n_rows; ++r) {
            const double scale = 1.0 / sums[r];
            const Pack* own = padded(powers + r * design_.n_levels);
            for (std::size_t p = 0; p < n_packs_; ++p) shares_[r * n_packs_ + p] = own[p] * scale;
            expect<n_packs>(r, last);
        }
        double at_least = kScaledGain;
        for (int sweep = 0; sweep < (last ? kMaxSweeps : 1); ++sweep) {  // by one member rows are as observed after one
            double gained = 0.0;
            for (std::size_t m = last + 1; m-- > 0;) gained += scale<n_packs>(m, m ? m - 1 : last);
            if (sweep == 0) at_least += (is_large() ? kShareOfMany : kShareOfFew) * gained;
            if (gained < at_least) break;
        }
    }

    bool is_large() const { return design_.n_predictors * design_.n_levels > kManyScaled; }

    // Adds a row's expected counts to those of the level of member m.
    template <std::size_t n_packs>
    void expect(std::size_t r, std::size_t m) {
        const Pack* share = shares_.data() + r * n_packs_;
        Pack* to = expected_.data() + at(r, m);
        for (std::size_t p = 0; p < (n_packs ? n_packs : n_packs_); ++p) to[p] += totals_[r] * share[p];
    }

    // Scales the rows by member m, and adds up the expectations of the member `next`; returns a lower bound of the gain.
    template <std::size_t n_packs>
    double scale(std::size_t m, std::size_t next) {
        const double gained = take_ratios(m);
        for (std::size_t s = slot(next); s < slot(next + 1) && next != m; ++s)
            std::memset(levels(expected_, s), 0, n_packs_ * sizeof(Pack));
        for (std::size_t r = 0; r < design_.n_rows; ++r) {
            Pack *share = shares_.data() + r * n_packs_, sum{};
            const Pack* ratio = expected_.data() + at(r, m);
            for (std::size_t p = 0; p < (n_packs ? n_packs : n_packs_); ++p) sum += share[p] *= ratio[p];
            const double scale = 1.0 / total(sum);
            for (std::size_t p = 0; p < (n_packs ? n_packs : n_packs_); ++p) share[p] *= scale;
            if (next != m) expect<n_packs>(r, next);
        }
        return gained;
    }

    // Replaces the counts expected of a member's levels by observed / expected.
    double take_ratios(std::size_t m) {
        double gained = 0.0;
        for (std::size_t s = slot(m); s < slot(m + 1); ++s) {
            double *ratio = levels(expected_, s), *log = levels(logs_, s);
            const double* n = levels(observed_, s);
            for (std::size_t k = 0; k < design_.n_levels; ++k) {
                ratio[k] = n[k] + least_ > 0 && ratio[k] > 0 ? (n[k] + least_) / ratio[k] : 1.0;
                const double of_ratio = ratio[k] == 1.0 ? 0.0 : std::log(ratio[k]);
                log[k] += of_ratio;
                gained += n[k] * of_ratio;
            }
        }
        return gained;
    }

    void add_logs(double* b) {
        const std::size_t q = design_.n_levels - 1;
        for (std::size_t m = 0; m < design_.n_members; ++m) {
            const double* first = levels(logs_, slot(m));
            for (std::size_t k = 0; k < q; ++k) b[k] += first[k + 1] - first[0];
            for (std::size_t u = design_.members[m]; u < design_.members[m + 1]; ++u) {
                const double* own = levels(logs_, slot(m) + 1 + u - design_.members[m]);
                for (std::size_t k = 0; k < q; ++k) b[u * q + k] += own[k + 1] - own[0] - (first[k + 1] - first[0]);
            }
        }
    }

    Design design_{};
    const double* totals_ = nullptr;
    double least_ = 0.0;
    std::size_t n_packs_ = 0;
    Buffer<std::uint32_t> slots_;                       // (n_rows, n_members), of each row's level
    Buffer<Pack> row_;
    Buffer<Pack> shares_, observed_, expected_, logs_;  // of rows, and of slots: by the target's levels, in whole packs
};

}  // namespace markhood::MARKHOOD_TIER
