// The Python module, a table of contents of the kernels: its parts (module_*.cpp) check shapes, release the GIL and call. No
// arithmetic here. Which instruction sets there are is said here, and whether packed rows are sound.
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

// Signals reach the main thread only; other threads are told by an attribute of theirs (execution/local.py).
void stop_if_asked() {
    using Clock = std::chrono::steady_clock;
    static thread_local Clock::time_point looked = Clock::now();
    const Clock::time_point now = Clock::now();
    if (now - looked < std::chrono::milliseconds(100)) return;
    looked = now;
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    const nb::object thread = nb::module_::import_("threading").attr("current_thread")();
    if (nb::cast<bool>(nb::getattr(thread, "is_abandoned", nb::bool_(false)))) {
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        throw nb::python_error();
    }
}

void bind_screen(nb::module_& m);
void bind_blankets(nb::module_& m);
void bind_networks(nb::module_& m);
void bind_pairs(nb::module_& m);
void bind_spaces(nb::module_& m);

static std::pair<std::int64_t, std::int64_t> unsound_variables(Words words, std::size_t n_samples, Starts starts,
                                                        Integers masked, Words masks,
                                                        const std::string& instruction_set) {
    const BitRows bits = level_rows(words, n_samples, starts, std::nullopt);
    const std::size_t d = n_variables(bits, starts);
    require_variables(masked, d);
    for (std::size_t k = 1; k < masked.shape(0); ++k) require(masked(k - 1) < masked(k), "masked must ascend");
    require(masks.shape(0) == masked.shape(0) && masks.shape(1) == bits.n_words, "masks must be as long as the rows");
    const Tier& tier = find_tier(instruction_set);
    std::pair<std::int64_t, std::int64_t> found;
    {
        nb::gil_scoped_release release;
        tier.unsound_variables(bits, d, masked.data(), masked.shape(0), masks.data(), &found.first, &found.second);
    }
    return found;
}

}  // namespace markhood

NB_MODULE(_native, m) {
    using namespace nb::literals;
    using namespace markhood;
    m.def("instruction_sets", [] {
        std::vector<std::string> names;
        for (const Tier* tier : tiers()) names.push_back(tier->name);
        return names;
    });
    m.def("unsound_variables", &unsound_variables, "words"_a, "n_samples"_a, "starts"_a.none(), "masked"_a, "masks"_a,
          "instruction_set"_a = "");
    bind_screen(m);
    bind_blankets(m);
    bind_networks(m);
    bind_pairs(m);
    bind_spaces(m);
}
