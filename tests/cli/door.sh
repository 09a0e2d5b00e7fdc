#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The door: every header of include/weir stands alone, as C11 and as C++17, also beside <getopt.h>, which
# has a struct option of its own; and every symbol of the library says whose it is.
set -eu
cases=0

fail() {
	echo "$0: $*" >&2
	exit 1
}

# reads LANGUAGE STANDARD: the header, twice, before and after others.
reads() {
	printf '#include <getopt.h>\n#include "weir/%s"\n#include "weir/%s"\nint here;\n' "$name" "$name" |
		clang -x "$1" -std="$2" -Wall -Wextra -Wpedantic -Wno-unused-function -Werror -Iinclude -fsyntax-only - ||
		fail "weir/$name does not read as $2"
	printf '#include "weir/%s"\nint here;\n' "$name" |
		clang -x "$1" -std="$2" -Wall -Wextra -Wpedantic -Wno-unused-function -Werror -Iinclude -fsyntax-only - ||
		fail "weir/$name does not read as $2 by itself"
	cases=$((cases + 2))
}

for header in include/weir/*.h; do
	name=$(basename "$header")
	reads c c11
	reads c++ c++17
done
[ $cases -gt 40 ] || fail "only $cases cases"

strangers=$(nm -g --defined-only build/release/libweir.a 2>/dev/null | awk 'NF == 3 && $3 !~ /^weir_/ { print $3 }')
[ -z "$strangers" ] || fail "symbols of libweir without its prefix: $strangers"
