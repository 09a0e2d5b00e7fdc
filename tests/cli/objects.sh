#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# objects.sh -- the library as it was compiled: schemes, schedulers and ports allocate nothing and keep
# nothing outside the memory that their owner gives them.
set -u
status=0
fail() {
	echo "$*"
	status=1
}

# The pool is where packets live: it alone may ask for memory.
objects=$(ls build/release/lib/*/*.o | grep -v /pool.o)
[ -n "$objects" ] || fail "build/release/lib holds no objects"
for object in $objects; do
	asks=$(nm -u "$object" | awk '$2 ~ /^(malloc|calloc|realloc|free|aligned_alloc|mmap|strdup)$/ { print $2 }')
	[ -z "$asks" ] || fail "$object allocates:" $asks
	# b and d: variables that can be written; those that only the loader fills in are in .data.rel.ro.
	keeps=$(nm "$object" | awk '$2 ~ /^[bBdDcC]$/ { print $3 }')
	for name in $keeps; do
		objdump -t "$object" | grep -q "\.data\.rel\.ro.*[[:space:]]$name\$" ||
			fail "$object keeps a variable: $name"
	done
done
exit $status
