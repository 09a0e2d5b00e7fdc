# SPDX-License-Identifier: BSD-3-Clause
# The test runner notices every way a test can fail, and counts.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/sample.c" <<'END'
#include "tests/test.h"
#include <math.h>
#include <stdlib.h>

TEST(test_good) { CHECK(1); CHECK_INT(-1, -1); CHECK_STR("a", "a"); CHECK_NEAR(1, 1.5, 0.5); }
TEST(test_check) { CHECK(1 > 2); }
TEST(test_int) { CHECK_INT(3, 4); }
TEST(test_str) { CHECK_STR("a", "b"); }
TEST(test_null) { CHECK_STR("a", NULL); }
TEST(test_contains) { CHECK_CONTAINS("abc", "abd"); }
TEST(test_near) { CHECK_NEAR(1, 1.6, 0.5); }
TEST(test_nan) { CHECK_NEAR(NAN, 1, 1); }
TEST(test_exit) { exit(3); }
TEST(test_crash) { abort(); }
END
gcc -std=c11 -I. -o "$dir/sample" tests/runner.c "$dir/sample.c" -lm

expect() {
	expected=$1 status=$2
	shift 2
	"$dir/sample" "$@" >"$dir/out" && got=0 || got=$?
	tail -n 1 "$dir/out" | grep -qx "$expected" && [ $got = "$status" ] && return
	echo "runner $*: status $got, expected $status and the last line '$expected'"
	cat "$dir/out"
	exit 1
}

expect "1 passed, 9 failed" 1
expect "1 passed, 9 failed" 1 -j1
expect "1 passed, 0 failed" 0 good
expect "0 passed, 2 failed" 1 test_na test_int
expect "0 passed, 0 failed" 1 no_such_test
expect "test_good" 0 --list good
"$dir/sample" test_int | grep -q 'sample.c:7: 3 is 3, expected 4'
"$dir/sample" test_crash | grep -q 'FAILED test_crash .*signal 6'
