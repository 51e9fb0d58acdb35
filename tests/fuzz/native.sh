#!/bin/sh
# Let libFuzzer search for input that breaks a native kernel: tests/fuzz/native.sh SECONDS [libFuzzer options]
#
# Needs Clang with its sanitizers (Debian: apt install clang). What is found is kept in build/fuzz/native-crash-*, which
# build/fuzz/native_kernels takes as an argument; the corpus in build/fuzz/native-corpus is continued.
set -eu
seconds=$1
shift
out=build/fuzz
mkdir -p "$out/native-corpus"
flags="-std=c++20 -O1 -g -Inative -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined"
vectors=""
case $(uname -m) in x86_64) vectors="-mpopcnt" ;; esac
# shellcheck disable=SC2086
{
  ${CLANG:-clang++} $flags $vectors -c native/machine/tier_scalar.cpp -o "$out/scalar.o"
  ${CLANG:-clang++} $flags ${vectors:+-mavx2 -mfma} $vectors -c native/machine/tier_avx2.cpp -o "$out/avx2.o"
  ${CLANG:-clang++} $flags tests/fuzz/native_kernels.cpp "$out/scalar.o" "$out/avx2.o" -o "$out/native_kernels"
}
exec "$out/native_kernels" -max_total_time="$seconds" -max_len=600 -timeout=60 -artifact_prefix="$out/native-" "$@" \
  "$out/native-corpus"
