// libFuzzer harness of the native kernels: small data sets of any levels, weights and kinds, drawn from the input.
//
// `make fuzz-native` compiles it with Clang, libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer. Arrays have exactly the sizes that the
// bindings would give them, so a kernel that reads or writes past one is seen. What the bindings refuse is not passed, except
// packed words: those may be any, as in a damaged folder, and are tested for soundness first, as a packed folder is.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "machine/tiers.hpp"

namespace markhood {

void stop_if_asked() {}

namespace {

// The input, read byte by byte; zeros after its end.
class Draw {
  public:
    Draw(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
    std::uint8_t byte() { return at_ < size_ ? data_[at_++] : std::uint8_t{0}; }
    std::size_t below(std::size_t n) { return byte() % n; }
    std::size_t from(std::size_t low, std::size_t high) { return low + below(high - low + 1); }
    bool coin() { return byte() & 1; }
    double real() { return (byte() - 128) / 16.0; }

  private:
    const std::uint8_t* data_;
    std::size_t size_, at_ = 0;
};

struct Data {
    std::size_t d, n, n_words;
    std::vector<std::int64_t> starts{0};
    std::vector<std::vector<std::size_t>> levels;  // of each variable, the level of each sample
    std::vector<std::uint64_t> bits, planes;
    std::vector<double> weights;
    std::vector<std::uint8_t> ordered;
    bool is_plain;

    explicit Data(Draw& draw)
        : d(draw.from(1, 6)), n(draw.coin() ? draw.from(1, 40) : 500 + draw.from(0, 30)), n_words((n + 511) / 512 * 8),
          is_plain(draw.coin()) {
        const bool is_weighted = !is_plain && draw.coin();
        for (std::size_t v = 0; v < d; ++v) {
            const std::size_t r = is_plain ? 2 : draw.from(2, 5);
            starts.push_back(starts.back() + static_cast<std::int64_t>(r - 1));
            ordered.push_back(!is_plain && draw.coin());
            levels.emplace_back(n);
            const bool is_copy = v && draw.below(4) == 0;
            const std::size_t seed = draw.byte();
            for (std::size_t s = 0; s < n; ++s) {
                const std::size_t own = s < 40 ? draw.byte() : (s * (seed + 1) + s / 7) % 251;
                levels[v][s] = (is_copy ? levels[v - 1][s] : own) % r;
            }
        }
        bits.assign(index_of(starts[d]) * n_words, 0);
        for (std::size_t v = 0; v < d; ++v)
            for (std::size_t s = 0; s < n; ++s)
                if (levels[v][s]) set(bits.data() + (index_of(starts[v]) + levels[v][s] - 1) * n_words, s);
        if (!is_weighted) return;
        planes.assign(2 * n_words, 0);
        for (std::size_t s = 0; s < n; ++s) {
            const std::size_t units = 1 + s % 3;
            weights.push_back(0.5 * static_cast<double>(units));
            for (std::size_t p = 0; p < 2; ++p)
                if (units >> p & 1) set(planes.data() + p * n_words, s);
        }
    }

    BitRows rows() const {
        return {bits.data(), index_of(starts[d]), n_words, n, is_plain ? nullptr : starts.data(),
                weights.empty() ? nullptr : weights.data(), is_plain ? nullptr : ordered.data()};
    }
    Planes weight_planes() const { return {planes.data(), planes.size() / n_words, planes.empty() ? 1.0 : 0.5}; }

    static void set(std::uint64_t* row, std::size_t sample) { row[sample / 64] |= std::uint64_t{1} << sample % 64; }
};

struct VariableLists {
    std::vector<std::int64_t> starts{0}, values;
    // A list for each target: some of the other variables, ascending.
    VariableLists(Draw& draw, const std::vector<std::int64_t>& targets, std::size_t d, bool all = false) {
        for (const std::int64_t target : targets) {
            for (std::size_t v = 0; v < d; ++v)
                if (static_cast<std::int64_t>(v) != target && (all || draw.coin())) values.push_back(static_cast<std::int64_t>(v));
            starts.push_back(static_cast<std::int64_t>(values.size()));
        }
    }
    Lists view() const { return {starts.data(), values.data()}; }
};

Sink into(std::vector<std::int64_t>& found) {
    return {&found, [](void* owner, const std::int64_t* values, std::size_t n) {
                auto& to = *static_cast<std::vector<std::int64_t>*>(owner);
                to.insert(to.end(), values, values + n);
            }};
}

struct Costs {
    std::vector<double> log_gamma;
    Criterion criterion;
    Costs(Draw& draw, std::size_t n) : criterion{0.1 + draw.real() * draw.real() / 8, 0.5} {
        const std::size_t kind = draw.below(4);
        if (kind == 1) {
            for (std::size_t k = 0; k <= n; ++k) {
                log_gamma.push_back(std::lgamma(static_cast<double>(k) + 0.5) - std::lgamma(0.5));
                log_gamma.push_back(std::lgamma(static_cast<double>(k) + 1));
            }
            criterion.log_gamma = log_gamma.data();
        }
        if (kind == 2) criterion.l2 = 0.1;
        if (kind == 3) criterion.l1 = 0.5;
    }
};

void require(bool holds) {
    if (!holds) std::abort();
}

void soundness(const Tier& tier, Draw& draw) {
    Data data(draw);
    for (auto& word : data.bits)
        for (std::size_t k = draw.below(3); k > 0; --k) word ^= std::uint64_t{1} << draw.below(64);
    std::vector<std::uint64_t> mask(data.n_words);
    Data::set(mask.data(), draw.below(data.n));
    const std::int64_t masked = static_cast<std::int64_t>(draw.below(data.d));
    std::int64_t past = 0, twice = 0;
    tier.unsound_variables(data.rows(), data.d, &masked, draw.coin(), mask.data(), &past, &twice);
    require(past >= -1 && past < static_cast<std::int64_t>(data.d) && twice >= -1 && twice < static_cast<std::int64_t>(data.d));
}

void screen(const Tier& tier, Draw& draw) {
    const Data data(draw);
    std::vector<std::int64_t> found;
    const TableSink sink{&found, [](void* owner, std::int64_t i, std::int64_t, double) {
                             static_cast<std::vector<std::int64_t>*>(owner)->push_back(i);
                         }};
    const Tile tile{0, data.d, 0, data.d};
    tier.associated_tables(data.rows(), data.weight_planes(), tile, {0.1 + draw.below(4), 0.5}, sink);
    if (!data.is_plain) return;
    std::vector<std::int64_t> ones(data.d);
    for (std::size_t v = 0; v < data.d; ++v)
        for (const std::size_t level : data.levels[v]) ones[v] += static_cast<std::int64_t>(level);
    std::vector<double> n_log_n(data.n + 1);
    for (std::size_t k = 1; k <= data.n; ++k) n_log_n[k] = static_cast<double>(k) * std::log(static_cast<double>(k));
    tier.associated_pairs(data.rows(), ones.data(), n_log_n.data(), tile, 0.1 + draw.below(4), into(found));
}

void blankets(const Tier& tier, Draw& draw) {
    const Data data(draw);
    const BitRows rows = data.rows();
    const Costs costs(draw, data.n);
    std::vector<std::int64_t> targets;
    for (std::size_t v = 0; v < data.d; ++v) targets.push_back(static_cast<std::int64_t>(v));
    const VariableLists all(draw, targets, data.d, true), some(draw, targets, data.d), kept(draw, {}, data.d);
    std::vector<double> scores(data.d), toggled(all.values.size());
    tier.toggle_scores(rows, targets.data(), data.d, some.view(), all.view(), costs.criterion, scores.data(), toggled.data());
    std::vector<std::int64_t> found, evaluations(data.d + 2), not_converged(data.d), none(data.d + 1);
    std::int64_t n_bounded = 0;
    tier.grow_blankets(rows, targets.data(), data.d, all.view(), {none.data(), none.data()}, costs.criterion, scores.data(),
                       evaluations.data(), &n_bounded, not_converged.data(), into(found));
    for (std::size_t at = 0; at < found.size(); at += 1 + index_of(found[at])) require(index_of(found[at]) < data.d);
    if (costs.criterion.log_gamma) return;
    std::size_t size = 0;
    for (std::size_t v = 0; v < data.d; ++v) {
        size += rows.levels(v) - 1;
        for (std::size_t k = 0; k < some.view().length(v); ++k)
            size += rows.n_scores(index_of(some.view().list(v)[k])) * rows.n_scores(v);
    }
    std::vector<double> coefficients(size);
    std::vector<std::uint8_t> infinite(size), statuses(data.d);
    tier.fit_blankets(rows, targets.data(), data.d, some.view(), costs.criterion, scores.data(), coefficients.data(),
                      infinite.data(), statuses.data());
    for (const double score : scores) require(!std::isnan(score));
}

void independence(const Tier& tier, Draw& draw) {
    const Data data(draw);
    const std::vector<std::int64_t> targets{static_cast<std::int64_t>(draw.below(data.d))};
    const VariableLists others(draw, targets, data.d, true);
    VariableLists givens(draw, targets, data.d);
    std::vector<double> log_factorials(data.n + 4), found(others.values.size());
    for (std::size_t k = 0; k < data.n + 4; ++k) log_factorials[k] = std::lgamma(static_cast<double>(k) + 1);
    // A variable is not tested given itself.
    std::vector<std::int64_t> free;
    for (const std::int64_t v : others.values) {
        bool is_given = false;
        for (const std::int64_t g : givens.values) is_given = is_given || g == v;
        if (!is_given) free.push_back(v);
    }
    const std::vector<std::int64_t> starts{0, static_cast<std::int64_t>(free.size())};
    tier.independence_tests(data.rows(), targets.data(), 1, givens.view(), {starts.data(), free.data()}, log_factorials.data(),
                            found.data());
    for (std::size_t k = 0; k < free.size(); ++k) require(found[k] <= 1e-6);
}

void pairs(const Tier& tier, Draw& draw) {
    const Data data(draw);
    const BitRows rows = data.rows();
    std::vector<std::int64_t> ends;
    std::size_t n_numbers = 0;
    for (std::size_t i = 0; i < data.d; ++i)
        for (std::size_t j = i + 1; j < data.d; ++j) {
            ends.insert(ends.end(), {static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)});
            n_numbers += rows.n_shown(i, j);
        }
    const std::size_t n = ends.size() / 2;
    std::vector<double> odds(n, draw.coin() ? std::nan("") : draw.real()), expected(n, draw.coin() ? 0.0 : 0.1), bins{-2.0, 0.5}, counts{3.0, 0.0};
    std::vector<std::uint8_t> periods(n, 1), present(n);
    for (auto& p : present) p = draw.coin();
    std::vector<std::uint32_t> generator{1, 2, 3, std::uint32_t{draw.byte()} + 4};
    std::vector<double> densities(3), probabilities(n), couplings(n_numbers), squares(n_numbers);
    const GraphChain chain{ends.data(), n, {data.d, data.d}, odds.data(), bins.data(), counts.data(), draw.below(3),
                           1.0 + static_cast<double>(draw.below(4)), 0.0, draw.coin() ? 0.0 : 0.2, expected.data(), 0.3, draw.coin(), periods.data(), 64.0, present.data(),
                           generator.data(), nullptr, 0};
    tier.sample_graphs(rows, chain, 1, 2, densities.data(), {probabilities.data(), couplings.data(), squares.data()}, nullptr);
    for (const double p : probabilities) require(p >= 0 && p <= 2.000001);
}

void chains(const Tier& tier, Draw& draw) {
    const std::size_t d = draw.from(1, 6);
    std::vector<std::int64_t> order, starts{0}, values, n_levels, field_starts{0}, factor_starts;
    std::vector<std::uint8_t> is_wide(d);
    for (std::size_t v = 0; v < d; ++v) {
        order.push_back(static_cast<std::int64_t>(v));
        n_levels.push_back(static_cast<std::int64_t>(draw.from(1, 9)));
        field_starts.push_back(field_starts.back() + (n_levels[v] + 3) / 4 * 4);
        is_wide[v] = draw.coin();
        for (std::size_t w = 0; w < d; ++w)
            if (w != v && draw.coin()) values.push_back(static_cast<std::int64_t>(w));
        starts.push_back(static_cast<std::int64_t>(values.size()));
    }
    const auto odds = [&](std::size_t n) {
        std::vector<double> found(n);
        for (auto& x : found) x = std::exp(draw.real() * 4);
        return found;
    };
    const std::vector<double> coupling_odds = odds(values.size()), field_odds = odds(d);
    std::vector<std::uint8_t> states(kChains * d), draws(2 * kChains * d);
    std::vector<std::uint32_t> generators(4 * kChains, 7u + draw.byte());
    tier.ising_gibbs({d, {starts.data(), values.data()}, coupling_odds.data(), field_odds.data(), order.data(), is_wide.data()},
                     states.data(), generators.data(), 1, 2, 2, draws.data());
    for (const std::uint8_t s : draws) require(s <= 1);
    std::int64_t n_factors = 0;
    for (std::size_t v = 0; v < d; ++v)
        for (std::int64_t k = starts[v]; k < starts[v + 1]; ++k) {
            factor_starts.push_back(n_factors);
            n_factors += (n_levels[v] + 3) / 4 * 4 * n_levels[index_of(values[index_of(k)])];
        }
    std::vector<double> factors = odds(index_of(n_factors)), fields = odds(index_of(field_starts[d]));
    for (std::size_t v = 0; v < d; ++v)
        for (std::int64_t k = field_starts[v] + n_levels[v]; k < field_starts[v + 1]; ++k) fields[index_of(k)] = 0;
    states.assign(kChains * d, 0);
    tier.potts_gibbs({d, {starts.data(), values.data()}, factors.data(), factor_starts.data(), fields.data(), field_starts.data(),
                      n_levels.data(), order.data(), is_wide.data()},
                     states.data(), generators.data(), 1, 2, 2, draws.data());
    for (std::size_t k = 0; k < draws.size(); ++k) require(draws[k] < n_levels[k % d]);
}

void potts(const Tier& tier, Draw& draw) {
    const Data data(draw);
    std::vector<std::int64_t> starts{0}, targets;
    for (std::size_t v = 0; v < data.d; ++v) {
        starts.push_back(starts.back() + static_cast<std::int64_t>(data.rows().levels(v)));
        if (draw.coin() || v == 0) targets.push_back(static_cast<std::int64_t>(v));
    }
    const std::size_t n_rows = index_of(starts[data.d]);
    std::vector<std::int32_t> places;
    bool has_missing = false;
    const bool may_miss = draw.coin();
    for (std::size_t s = 0; s < data.n; ++s)
        for (std::size_t v = 0; v < data.d; ++v) {
            const bool is_missing = may_miss && (s + v) % 11 == 0;
            has_missing = has_missing || is_missing;
            places.push_back(static_cast<std::int32_t>(is_missing ? n_rows : index_of(starts[v]) + data.levels[v][s]));
        }
    const std::vector<double> weights(data.n, 0.5), penalties(data.d, 0.3);
    std::size_t n_columns = 0;
    for (const std::int64_t t : targets) n_columns += data.rows().levels(index_of(t));
    std::vector<float> table((n_rows + 1) * n_columns);
    std::vector<double> norms(targets.size());
    tier.fit_potts({places.data(), starts.data(), weights.data(), data.n, data.d, n_rows, has_missing}, targets.data(),
                   targets.size(), {0.01, penalties.data()}, 1e-4, 50, table.data(), norms.data());
    for (const float x : table) require(!std::isnan(x));
}

}  // namespace
}  // namespace markhood

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace markhood;
    Draw draw(bytes, size);
    const Tier& tier = draw.coin() && tier_avx2 && __builtin_cpu_supports("avx2") ? *tier_avx2 : *tier_scalar;
    switch (draw.below(7)) {
        case 0: soundness(tier, draw); break;
        case 1: screen(tier, draw); break;
        case 2: blankets(tier, draw); break;
        case 3: independence(tier, draw); break;
        case 4: pairs(tier, draw); break;
        case 5: chains(tier, draw); break;
        default: potts(tier, draw);
    }
    return 0;
}
