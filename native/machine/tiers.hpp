// The kernels as a table of functions, one table an instruction set.
//
// Everything a kernel needs is in a header that is compiled once per instruction set, inside a
// namespace of that name (MARKHOOD_TIER), with that set's compiler flags. The tier files use no
// standard containers: a template such as std::vector<double> compiled with AVX-512 flags could
// be the copy that the linker keeps for everyone, and would stop older processors.
#pragma once
#include <cstddef>
#include <cstdint>

namespace markhood {

// Variables come from Python as signed numbers, which the bindings have checked.
static constexpr std::size_t index_of(std::int64_t variable) { return static_cast<std::size_t>(variable); }

// Real-valued predictors that every target has in addition to its blanket: `n` columns of a number per sample, and where
// `offsets` is not null a number that is added to the linear predictor. Those of one target are a stride away from those of
// the next, which is 0 where all targets have the same. `groups` numbers the samples of a target from 0 on, the same number
// where all of these coincide; null where there are neither columns nor offsets.
struct Reals {
    std::size_t n = 0, n_groups = 1;  // the latter at most, of any target
    const double *columns = nullptr, *offsets = nullptr;
    const std::uint32_t* groups = nullptr;
    std::size_t column_stride = 0, offset_stride = 0, group_stride = 0;

    explicit operator bool() const { return groups != nullptr; }
    const std::uint32_t* groups_of(std::size_t target) const { return groups + target * group_stride; }
    const double* offset_of(std::size_t target) const { return offsets ? offsets + target * offset_stride : nullptr; }
};

// Packed samples: one sample per bit, rows padded with zero bits to `n_words` 64-bit words, a multiple
// of eight. A variable with r levels is r - 1 rows, from starts[v] on; where `starts` is null, row
// v is variable v, and binary. Where `weights` is null every sample counts once. `ordered` marks the variables whose
// levels are steps; where it is null none are.
struct BitRows {
    const std::uint64_t* bits;
    std::size_t n_rows;
    std::size_t n_words;
    std::size_t n_samples;
    const std::int64_t* starts = nullptr;
    const double* weights = nullptr;
    const std::uint8_t* ordered = nullptr;
    Reals reals{};

    const std::uint64_t* row(std::size_t i) const { return bits + i * n_words; }
    std::size_t first_row(std::size_t variable) const {
        return starts ? static_cast<std::size_t>(starts[variable]) : variable;
    }
    std::size_t levels(std::size_t variable) const { return first_row(variable + 1) - first_row(variable) + 1; }
    // In how many numbers a variable enters a regression: its step, or indicators of all levels but the first.
    std::size_t n_scores(std::size_t variable) const {
        return ordered && ordered[variable] ? 1 : levels(variable) - 1;
    }
    // How many parameters an edge has, and how many numbers its coupling is shown as: one, or one for each two levels.
    std::size_t n_parameters(std::size_t i, std::size_t j) const { return n_scores(i) * n_scores(j); }
    std::size_t n_shown(std::size_t i, std::size_t j) const { return n_parameters(i, j) == 1 ? 1 : levels(i) * levels(j); }
    double weight(std::size_t sample) const { return weights ? weights[sample] : 1.0; }
    const double* real(std::size_t target, std::size_t k) const {
        return reals.columns + target * reals.column_stride + k * n_samples;
    }
    bool is_plain() const { return !starts && !weights && !reals; }
};

// The binary digits of the weights in units, the lowest first, packed as the samples are; none without weights.
struct Planes {
    const std::uint64_t* bits;
    std::size_t n;
    double unit;
};

// Lists of variables of different lengths: list k is values[starts[k]] ... values[starts[k+1] - 1].
struct Lists {
    const std::int64_t* starts;
    const std::int64_t* values;

    const std::int64_t* list(std::size_t k) const { return values + starts[k]; }
    std::size_t length(std::size_t k) const { return static_cast<std::size_t>(starts[k + 1] - starts[k]); }
};

// What a blanket is worth. BIC_gamma: log-likelihood - parameters * parameter_cost - blanket
// variables * variable_cost, the likelihood being less l1 sum |b| + l2 sum b^2 over the slopes. MPL, where
// `log_gamma` is not null: the marginal likelihood - blanket variables * variable_cost; log_gamma[2 k] =
// log G(k + 1/2) - log G(1/2), log_gamma[2 k + 1] = log G(k + 1), for k = 0 ... n_samples, of use to plain rows only.
struct Criterion {
    double parameter_cost;
    double variable_cost;
    const double* log_gamma = nullptr;
    double l1 = 0.0;
    double l2 = 0.0;

    bool is_plain() const { return l1 == 0 && l2 == 0; }
    // What a blanket of `size` variables costs, of whose regression there are `n` parameters.
    double price(std::size_t n, std::size_t size) const {
        return static_cast<double>(n) * parameter_cost + static_cast<double>(size) * variable_cost;
    }
};

// Where kernels put results whose number is not known beforehand.
template <class... Values>
struct SinkOf {
    void* owner;
    void (*append)(void* owner, Values... values);
    void operator()(Values... values) const { append(owner, values...); }
};
using Sink = SinkOf<const std::int64_t*, std::size_t>;                         // n numbers
using TableSink = SinkOf<std::int64_t, std::int64_t, double>;                  // a pair and its likelihood ratio
using SupportSink = SinkOf<const std::int64_t*, const double*, std::size_t>;  // n variables and their slopes

// A binary network as its Gibbs sampler uses it: exp(-coupling) of each neighbour and exp(-field)
// of each variable, the order of a sweep, and which variables need more than a double's range.
struct IsingNetwork {
    std::size_t n_variables;
    Lists neighbours;
    const double* coupling_odds;
    const double* field_odds;
    const std::int64_t* order;
    const std::uint8_t* is_wide;
};

constexpr std::size_t kChains = 16;          // that one call advances, and so the layout of its arrays
constexpr std::size_t kLevelsPerVector = 4;  // factors are padded to a multiple of it
constexpr std::size_t kMostLevels = 256;     // what fits in a byte

// A network with any number of levels as its Gibbs sampler uses it. The field factors of variable i
// begin at field_starts[i]; those of its k-th neighbour at factor_starts[neighbours.starts[i] + k], for each level of
// the neighbour as many as i has levels, padded with zeros.
struct PottsNetwork {
    std::size_t n_variables;
    Lists neighbours;
    const double* factors;
    const std::int64_t* factor_starts;
    const double* field_factors;
    const std::int64_t* field_starts;
    const std::int64_t* n_levels;
    const std::int64_t* order;
    const std::uint8_t* is_wide;

    std::size_t width(std::size_t i) const { return static_cast<std::size_t>(field_starts[i + 1] - field_starts[i]); }
};

// Where L1 paths go: of every target at every lambda the fit and the size of its support, and the
// supports, ascending, with their slopes, one after another.
struct L1Fits {
    double *lambdas, *intercepts, *log_likelihoods;
    std::int64_t* sizes;
    std::uint8_t* converged;  // of every target: whether all its fits have
    SupportSink supports;
};

// Variables that are given to every end of a pair: the last ones, from `first` on.
struct Covariates {
    std::size_t first, last;
};

// One chain over graphs. `pairs` (i < j, ascending) may be edges; `present` are. A pair's prior log odds are its
// own, or, where they are not a number, those of the density, which is learned or not. Pairs that are not
// candidates are counted in bins of log Bayes factors. A pair is visited in every periods-th sweep.
// `present` and `generator` are where the chain is. `fits` are what an earlier chain over the same samples handed over
// (graph_sampler.hpp).
struct GraphChain {
    const std::int64_t* pairs;
    std::size_t n_pairs;
    Covariates covariates;
    const double* prior_log_odds;
    const double* bin_log_bayes_factors;
    const double* bin_counts;
    std::size_t n_bins;
    double scale, shape, background;
    const double* expected;  // couplings of pairs without an edge
    double density;
    bool learns_density;
    const std::uint8_t* periods;
    double most_slopes;  // of the regression of an end on its neighbours
    std::uint8_t* present;
    std::uint32_t* generator;
    const std::int64_t* fits;
    std::size_t n_fit_words;
};

// Of each pair the maxima with and without a coupling and the log of the ratio of the Hessians' determinants; and pair
// after pair the numbers of the coupling: one where both ends have one score, else a table of their levels.
struct PairNumbers {
    double *joint, *apart, *log_determinants, *couplings, *variances;
};

// Of each pair the sum of P; and pair after pair, as many as PairNumbers has, those of P theta and P (theta^2 + variance).
struct GraphNumbers {
    double *probabilities, *couplings, *squares;
};

constexpr std::size_t kMostTargets = 64;  // of one fit of a Potts model

// Samples as a Potts model reads them: for each sample and variable the row of its level, variables having
// the rows from starts[v] on, or `n_rows` where it is missing.
struct PottsSamples {
    const std::int32_t* places;
    const std::int64_t* starts;
    const double* weights;
    std::size_t n, n_variables, n_rows;
    bool has_missing;

    std::size_t first_row(std::size_t v) const { return static_cast<std::size_t>(starts[v]); }
    std::size_t levels(std::size_t v) const { return first_row(v + 1) - first_row(v); }
    std::size_t row(std::size_t sample, std::size_t v) const {
        return static_cast<std::size_t>(places[sample * n_variables + v]);
    }
};

// What the squares of fields, and of the couplings of two variables (the product of theirs), are taken off times.
struct PottsPenalty {
    double field;
    const double* variables;
};

// What a climb goes over. Group g are the variables at group_starts[g] ... group_starts[g + 1] - 1, ascending. Each has its
// blanket at the start, and partners (ascending) with which it is joined by an edge that may be flipped. A place is one in the
// list of partners: `owners` says whose list it is in, `mirrors` where the other end has the edge (the place itself where the
// partner is in no group or another one).
struct ClimbSpace {
    const std::int64_t* variables;
    const std::int64_t* group_starts;
    std::size_t n_groups;
    Lists blankets, partners;
    const std::size_t *owners, *mirrors;
};

// Where a climb ended: of every place whether its partner is in the blanket, what a flip would do to the owner's score (given at the
// start, and NaN where only a bound is known at the end), and the highest such change that there was, or, where
// that could not make the edge gain, a bound that could not either; of every group, from evaluation_starts[g] on, how many
// blankets of each size were scored, to which is added.
struct ClimbEnd {
    double* changes;
    double* gained;  // by the score of every variable
    std::uint8_t* present;
    double* highest;
    std::int64_t* evaluations;
    const std::int64_t* evaluation_starts;
    std::int64_t* not_converged;  // fits of every variable, to which is added
};

// Throws where the caller should stop (kernels/stopping.py). Kernels call it before every target and in every step of a large fit. It reads
// the clock (30 ns), and twenty times a second it takes the interpreter's lock.
void stop_if_asked();
// The same every 16th time, for work that may be shorter than a look at the clock.
static inline void stop_if_asked(std::size_t times) {
    if (times % 16 == 0) stop_if_asked();
}

// A vector of `length` numbers for each variable.
struct ShortVectors {
    const double* values;
    std::size_t length;

    const double* of(std::size_t variable) const { return values + variable * length; }
};

struct Tile {
    std::size_t first_row, last_row, first_column, last_column;
};

struct Tier {
    const char* name;

    // Appends (i, j, joint count) for every i < j of the tile whose likelihood ratio reaches
    // `least_ratio` > 0. n_log_n[k] = k log k, for k = 0 ... n_samples.
    void (*associated_pairs)(BitRows, const std::int64_t* ones, const double* n_log_n, Tile, double least_ratio,
                             Sink);

    // Appends every pair i < j of the tile whose likelihood ratio is the price of an edge or more, for rows of any kind.
    void (*associated_tables)(BitRows, Planes, Tile, Criterion, TableSink);

    // The same, of some pairs i < j.
    void (*associated_among)(BitRows, Planes, const std::int64_t* pairs, std::size_t n_pairs, Criterion, TableSink);

    // Appends every pair i < j of binary variables of the tile whose score statistic (count/residual_pairs.hpp) is `least` or
    // more. Variances below `least_variance` count as that.
    void (*associated_residuals)(BitRows, Planes, Tile, ShortVectors means, ShortVectors variances, double least,
                                 double least_variance, TableSink);

    // scores[t]: of each target's blanket; toggled[...]: of that blanket with one variable put in
    // or, where it is there already, taken out.
    void (*toggle_scores)(BitRows, const std::int64_t* targets, std::size_t n_targets, Lists blankets,
                          Lists toggles, Criterion, double* scores, double* toggled);

    // Appends each target's blanket as: its length, then its members in ascending order; those in `kept` are
    // there from the start. Adds to `evaluations[m]`, with room for the most candidates and kept members of a target,
    // the scores computed for blankets of m variables. `n_bounded` of them were seen not to be the best without a fit;
    // not_converged[t] of the fits of a target did not converge.
    void (*grow_blankets)(BitRows, const std::int64_t* targets, std::size_t n_targets, Lists candidates, Lists kept,
                          Criterion, double* scores, std::int64_t* evaluations, std::int64_t* n_bounded,
                          std::int64_t* not_converged, Sink blankets);

    // Flips the best edge within each group until none gains.
    void (*climb_groups)(BitRows, ClimbSpace, Criterion, ClimbEnd);

    // Of each target's regression: r - 1 thresholds, and n_scores(target) coefficients for each real column and each score of
    // each member; which of them are infinite; and how the fit ended (0 converged, 1 separated, 3 not converged).
    void (*fit_blankets)(BitRows, const std::int64_t* targets, std::size_t n_targets, Lists blankets, Criterion,
                         double* log_likelihoods, double* coefficients, std::uint8_t* infinite, std::uint8_t* statuses);

    // Advances kChains chains by `burn_in` sweeps, then `n_draws` times by `thinning`, and writes
    // the states after each of these to `draws`, (n_draws, kChains, n_variables). `states`,
    // (kChains, n_variables), and `generators`, (4, kChains), are where the chains are.
    void (*ising_gibbs)(IsingNetwork, std::uint8_t* states, std::uint32_t* generators, std::size_t burn_in,
                  std::size_t thinning, std::size_t n_draws, std::uint8_t* draws);

    // The same for a network with any number of levels.
    void (*potts_gibbs)(PottsNetwork, std::uint8_t* states, std::uint32_t* generators, std::size_t burn_in,
                        std::size_t thinning, std::size_t n_draws, std::uint8_t* draws);

    // log Pr(independent) of each target and each of its others, given the target's list of
    // `givens`. log_factorials[k] = log k!, for k = 0 ... n_samples + 3, of use to plain rows only.
    void (*independence_tests)(BitRows, const std::int64_t* targets, std::size_t n_targets, Lists givens,
                               Lists others, const double* log_factorials, double* log_probabilities);

    // For binary variables without weights: each target's L1-penalised logistic regressions on its real columns and candidates.
    // Lambda falls by `fractions` of the least one at which all penalised slopes are zero; `penalties` has one number for each
    // variable, and those of zero are in every fit, as real columns are. A path ends with the first support
    // of more than `largest_support` variables, which is then repeated. A fit takes `most_steps` Newton steps at most.
    void (*l1_paths)(BitRows, const std::int64_t* targets, std::size_t n_targets, Lists candidates,
                     const double* penalties, const double* fractions, std::size_t n_fractions,
                     std::size_t largest_support, std::size_t most_steps, L1Fits);

    // The first variable with a one past the samples, and the first with a sample of two levels, or of a level and
    // missing; -1 for none. Mask k of `masks`, as long as a row, is of variable masked[k], ascending.
    void (*unsound_variables)(BitRows, std::size_t n_variables, const std::int64_t* masked, std::size_t n_masked,
                              const std::uint64_t* masks, std::int64_t* past, std::int64_t* twice);

    // Each pair, given the other neighbours of its first and of its second end, and the covariates. The coupling has the prior
    // N(0, scale^2), slopes a wide one.
    void (*fit_pairs)(BitRows, const std::int64_t* pairs, std::size_t n_pairs, Lists given_first, Lists given_second,
                      Covariates, double scale, PairNumbers);

    // Sweeps n_settling + n_sweeps times, writes the density after each, and adds up the latter. Appends the fits that are
    // known then to `fits`, where not null. Returns how many pairs were fitted.
    std::int64_t (*sample_graphs)(BitRows, GraphChain, std::size_t n_settling, std::size_t n_sweeps,
                                  double* densities, GraphNumbers, const Sink* fits);

    // The table of some targets' fields and couplings to all others: a row for each level of each variable, then the fields;
    // a column for each level of each target; and of each target the preconditioned norm of the gradient that is left. Returns
    // the number of steps.
    std::int64_t (*fit_potts)(PottsSamples, const std::int64_t* targets, std::size_t n_targets, PottsPenalty,
                              double tolerance, std::size_t most_steps, float* table, double* norms);
};

// Null where this build or architecture has none.
extern const Tier* const tier_scalar;
extern const Tier* const tier_avx2;
extern const Tier* const tier_avx512;
extern const Tier* const tier_neon;

}  // namespace markhood
