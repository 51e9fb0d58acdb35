// One end of a pair of any levels: the numbers by which its levels enter couplings, and where its parameters and
// forms are among those of the pair. kernels/reference/pair_fit.py says why the numbers are what they are.
#pragma once
#include <cmath>

#include "machine/buffer.hpp"
#include "machine/packs.hpp"

namespace markhood::MARKHOOD_TIER {

// The numbers by which a variable enters couplings, (levels, scores); columns sum to zero.
static inline void fill_features(std::size_t levels, std::size_t scores, double* to) {
    const double r = static_cast<double>(levels);
    if (scores < levels - 1) {
        const double unit = std::sqrt(3.0 / (r * r - 1.0));
        for (std::size_t a = 0; a < levels; ++a) to[a] = (static_cast<double>(a) - 0.5 * (r - 1.0)) * unit;
        return;
    }
    for (std::size_t k = 1; k < levels; ++k) {
        const double n = static_cast<double>(k), size = 1.0 / std::sqrt(2.0 * n * (n + 1.0));
        for (std::size_t a = 0; a < levels; ++a) to[a * scores + k - 1] = a < k ? -size : a == k ? n * size : 0.0;
    }
}

// One end: its levels, and its neighbours as columns of the table.
struct Side {
    static constexpr double kMaxFieldRange = 100.0;  // in log odds: with fields farther apart the largest product of powers may underflow
    std::size_t levels = 1, scores = 0, n_thresholds = 0;
    std::size_t first_parameter = 0, first_form = 0;  // thresholds, then the forms of slopes where they are others
    std::size_t first_slope_form = 0;
    Buffer<double> features;       // (levels, scores)
    Buffer<double> numbers;        // of all levels: each score, then each product of two
    Buffer<const Pack*> columns;
    Buffer<double> precisions;     // of the slopes on these
    Buffer<double> fields;         // of every level, at the parameters evaluated
    Buffer<double> weights;        // exp of these, less the largest
    double largest_field = 0.0, smallest_field = 0.0;

    void set(BitRows rows, std::size_t variable) {
        levels = rows.levels(variable);
        scores = rows.n_scores(variable);
        n_thresholds = levels - 1;
        features.resize(levels * scores);
        fill_features(levels, scores, features.data());
        numbers.resize((scores + scores * (scores + 1) / 2) * levels);
        for (std::size_t a = 0; a < levels; ++a)
            for (std::size_t u = 0; u < scores; ++u) {
                const double* of_level = features.data() + a * scores;
                numbers[u * levels + a] = of_level[u];
                for (std::size_t k = 0; k <= u; ++k) numbers[product(u, k) * levels + a] = of_level[u] * of_level[k];
            }
    }
    void leave_out() {
        levels = 1;
        scores = n_thresholds = 0;
        columns.resize(0);
    }
    // Sets the fields to what the thresholds, the first of the parameters b of this side, make them.
    void set_fields(const double* b) {
        fields.resize(levels);
        weights.resize(levels);
        for (std::size_t a = 0; a < levels; ++a) {
            fields[a] = 0.0;
            for (std::size_t t = 0; t < n_thresholds; ++t) fields[a] += b[t] * form(t, a);
            largest_field = a && largest_field > fields[a] ? largest_field : fields[a];
            smallest_field = a && smallest_field < fields[a] ? smallest_field : fields[a];
        }
        for (std::size_t a = 0; a < levels; ++a) weights[a] = std::exp(fields[a] - largest_field);
    }
    bool is_step() const { return scores < n_thresholds; }
    // Where every level has a score these serve as the forms of thresholds too.
    std::size_t n_forms() const { return is_step() ? n_thresholds + scores : n_thresholds; }
    std::size_t n_parameters() const { return n_thresholds + scores * columns.size(); }
    // Levels are then a step apart, and exp of a slope times a level is a power of exp of the slope times a step. Where fields are
    // far apart the largest of the products could be too small a number.
    bool has_powers() const { return scores == 1 && largest_field - smallest_field < kMaxFieldRange; }
    double number(std::size_t k, std::size_t level) const { return numbers[k * levels + level]; }
    // Which of the numbers is the product of two scores.
    std::size_t product(std::size_t u, std::size_t k) const {
        return scores + (u > k ? u * (u + 1) / 2 + k : k * (k + 1) / 2 + u);
    }
    // Of form f, counted from this side's first, at a level.
    double form(std::size_t f, std::size_t level) const {
        if (!is_step()) return features[level * scores + f];
        return f < n_thresholds ? (level == f + 1 ? 1.0 : 0.0) : features[level * scores + f - n_thresholds];
    }
};

}  // namespace markhood::MARKHOOD_TIER
