# SPDX-License-Identifier: BSD-3-Clause
# tools/run-tests.sh: a script that cannot run here is skipped, counted apart and named with its reason; one of which a part is left out
# passes, and the part is named; the last line is the sum alone. Played with tests that only pretend.
set -eu
top=$(pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() {
	echo "$1"
	cat out
	exit 1
}

# pretend FILE: a program with the script on stdin.
pretend() {
	mkdir -p "$(dirname "$1")"
	{
		echo '#!/bin/sh'
		cat
	} >"$1"
	chmod +x "$1"
}

for variant in asan release; do
	echo 'echo "7 passed, 0 failed"' | pretend "build/$variant/weir-test"
done
: | pretend build/asan/fuzz
: | pretend build/asan/fuzz-store
: | pretend build/asan/fuzz-import
mkdir -p tests/cli
echo ': $WEIR' >tests/cli/good.sh
cat >tests/cli/missing.sh <<'END'
echo "left out: nosuchtool is not installed"
exit 77
END
cat >tests/cli/part.sh <<'END'
echo "left out: the second half: othertool is not installed"
END

# ends LINE STATUS: the last line, the whole of it, and the exit status.
ends() {
	"$top/tools/run-tests.sh" 3 >out 2>&1 && status=0 || status=$?
	[ "$(tail -n 1 out)" = "$1" ] || fail "the last line is not '$1'"
	[ $status = "$2" ] || fail "exit status $status, expected $2"
}

# 14 tests, the fuzzers, good.sh in both variants and part.sh in one.
ends "18 passed, 0 failed, 1 skipped" 0
grep -qx "skipped: tests/cli/missing.sh (release): nosuchtool is not installed" out || fail "the skipped test is not named"
grep -qx "skipped in part: tests/cli/part.sh (release): the second half: othertool is not installed" out ||
	fail "the part that is left out is not named"
[ "$(tail -n 3 out | grep -c '^skipped')" = 2 ] || fail "what is skipped does not stand above the sum"

# A failure stays one.
echo 'echo broken; exit 1' >tests/cli/bad.sh
ends "18 passed, 1 failed, 1 skipped" 1
grep -qx "FAILED tests/cli/bad.sh (release)" out || fail "the failure is not named"
rm tests/cli/bad.sh

# Tests that end early are one failure, fuzzers that find something another.
echo 'echo crashed; exit 3' | pretend build/asan/weir-test
echo 'exit 1' | pretend build/asan/fuzz
ends "10 passed, 2 failed, 1 skipped" 1
