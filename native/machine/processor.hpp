// Which instruction sets the processor has and its system lets run.
//
// The compiler knows how to ask (`__builtin_cpu_supports`), but on Windows Clang leaves the answer to a library of its own that
// Microsoft's linker is not given. There the processor is asked itself; it also says which registers the system saves.
#pragma once
#include <cstdint>
#if defined(__x86_64__) && defined(_WIN32)
#include <cpuid.h>
#endif

namespace markhood {

#if !defined(__x86_64__)

inline bool runs_avx2() { return false; }
inline bool runs_avx512() { return false; }

#elif !defined(_WIN32)

inline bool runs_avx2() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

inline bool runs_avx512() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}

#else

struct Features {
    std::uint32_t basic = 0, extended = 0, newer = 0;  // leaf 1 in ecx, leaf 7 in ebx and in ecx
    std::uint32_t saved = 0;                           // kinds of registers that the system saves, as XCR0 counts them
};

inline Features features() {
    Features has;
    std::uint32_t eax, ebx, ecx, edx;
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx)) has.basic = ecx;
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) {
        has.extended = ebx;
        has.newer = ecx;
    }
    constexpr std::uint32_t xgetbv_is_there = 1u << 27;
    if (has.basic & xgetbv_is_there) __asm__("xgetbv" : "=a"(has.saved), "=d"(edx) : "c"(0));
    return has;
}

constexpr bool all_of(std::uint32_t bits, std::uint32_t wanted) { return (bits & wanted) == wanted; }

inline bool runs_avx2() {
    const Features has = features();
    constexpr std::uint32_t fma = 1u << 12, avx2 = 1u << 5, sse_and_avx = 0x06;
    return all_of(has.basic, fma) && all_of(has.extended, avx2) && all_of(has.saved, sse_and_avx);
}

inline bool runs_avx512() {
    const Features has = features();
    constexpr std::uint32_t f = 1u << 16, dq = 1u << 17, bw = 1u << 30, vl = 1u << 31, vpopcntdq = 1u << 14;
    constexpr std::uint32_t sse_avx_and_avx512 = 0xe6;
    return all_of(has.extended, f | dq | bw | vl) && all_of(has.newer, vpopcntdq) && all_of(has.saved, sse_avx_and_avx512);
}

#endif

}  // namespace markhood
