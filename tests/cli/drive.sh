#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The example that drives a simulation builds with the public headers alone, and its controller brings the queue
# from hundreds of packets to its target.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

${CC:-gcc} -std=c11 -Wall -Wextra -Wconversion -Werror -Iinclude examples/drive/drive.c build/libweir-sim.a \
	build/release/libweir.a -lm -pthread -o "$dir/drive"
strangers=$(nm -g --defined-only build/libweir-sim.a | awk 'NF == 3 && $3 !~ /^weir_(sim|env)_/ { print $3 }')
[ -z "$strangers" ] || {
	echo "libweir-sim.a also defines:" $strangers
	exit 1
}
"$dir/drive" >"$dir/first"
"$dir/drive" | diff "$dir/first" -
awk -F '\t' '
	NR == 2 { first = $2 }
	NR > 1 && NF == 4 && $1 > 1000 { sum += $2; count++ }
	/answers/ { split($0, words, " "); answers = words[1] }
	END { exit !(first > 100 && count == 10 && sum / count < 30 && answers >= 16) }
' "$dir/first" || {
	cat "$dir/first"
	exit 1
}
