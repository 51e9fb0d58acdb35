// The Python module: the types that kernels take, the available instruction sets and the check of packed rows. The kernels
// themselves are registered in module_*.cpp, which check shapes, release the GIL and call. There is no arithmetic here.
#include <chrono>

#include "bindings/arguments.hpp"
#include "machine/processor.hpp"

namespace markhood {

const std::vector<const Tier*>& tiers() {
    static const std::vector<const Tier*> available = [] {
        std::vector<const Tier*> found;
        if (tier_avx512 && runs_avx512()) found.push_back(tier_avx512);
        if (tier_avx2 && runs_avx2()) found.push_back(tier_avx2);
        if (tier_neon) found.push_back(tier_neon);  // a part of every arm64 processor
        found.push_back(tier_scalar);
        return found;
    }();
    return available;
}

const Tier& find_tier(const std::string& name) {
    for (const Tier* tier : tiers())
        if (name.empty() || tier->name == name) return *tier;
    throw std::invalid_argument("instruction set '" + name + "' is not available here");
}

// What ends a kernel is in kernels/stopping.py, and signals, which reach the main thread only.
void stop_if_asked() {
    using Clock = std::chrono::steady_clock;
    static thread_local Clock::time_point looked = Clock::now();
    const Clock::time_point now = Clock::now();
    if (now - looked < std::chrono::milliseconds(50)) return;
    looked = now;
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    nb::module_::import_("markhood.kernels.stopping").attr("check")();
}

void bind_screen(nb::module_& m);
void bind_blankets(nb::module_& m);
void bind_networks(nb::module_& m);
void bind_pairs(nb::module_& m);
void bind_spaces(nb::module_& m);

static std::pair<std::int64_t, std::int64_t> unsound_variables(const Bits& bits, Integers masked, Words masks,
                                                               const std::string& instruction_set) {
    require_variables(masked, bits.n_variables);
    for (std::size_t k = 1; k < masked.shape(0); ++k) require(masked(k - 1) < masked(k), "masked must ascend");
    require(masks.shape(0) == masked.shape(0) && masks.shape(1) == bits.rows.n_words, "masks must be as long as the rows");
    std::pair<std::int64_t, std::int64_t> found;
    call(&Tier::unsound_variables, instruction_set, bits.rows, bits.n_variables, masked.data(), masked.shape(0), masks.data(),
         &found.first, &found.second);
    return found;
}

}  // namespace markhood

NB_MODULE(_native, m) {
    using namespace markhood;
    m.def("instruction_sets", [] {
        std::vector<std::string> names;
        for (const Tier* tier : tiers()) names.push_back(tier->name);
        return names;
    });
    nb::class_<Bits>(m, "Bits").def(nb::init<Words, std::size_t, std::optional<Integers>, std::optional<Weighting>,
                                             std::optional<In<bool, 1>>, std::optional<RealColumns>>());
    nb::class_<Costs>(m, "Costs").def(nb::init<double, double, double, double, Costs::LogGamma>());
    m.def("unsound_variables", &unsound_variables);
    bind_screen(m);
    bind_blankets(m);
    bind_networks(m);
    bind_pairs(m);
    bind_spaces(m);
}
