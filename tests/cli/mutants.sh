# SPDX-License-Identifier: BSD-3-Clause
# tools/mutants.py: every mutant of the kept list still applies; and played on a tree of one file, a mutant is killed or survives, one that
# does not build, whose text is gone or that no test is named for is an error, and a run that was interrupted continues.
set -eu
command -v python3 >/dev/null || {
	echo "left out: python3 is not installed"
	exit 77
}
top=$(pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
out=$dir/out

fail() {
	echo "$1"
	cat "$out"
	exit 1
}

tools/mutants.py --check >"$out" 2>&1 || fail "a mutant does not apply"
[ "$(sed -n 's/^\([0-9]*\) of .* mutants apply$/\1/p' "$out")" -ge 150 ] || fail "the list has shrunk"

# --- a tree ---
tree=$dir/tree
mkdir -p "$tree/tests/mutants" "$tree/tests/cli"
cp tests/runner.c tests/test.h "$tree/tests"
cat >"$tree/sum.c" <<'END'
int sum(int a, int b);
int sum(int a, int b)
{
	if (a > 100)
		return 100;
	return a +
	       b;
}
END
cat >"$tree/tests/test_code.c" <<'END'
#include "tests/test.h"
int sum(int a, int b);
TEST(test_sum) { CHECK_INT(sum(2, 3), 5); }
TEST(test_most) { CHECK_INT(sum(101, 3), 100); }
END
echo '[ "$($WEIR)" = 5 ]' >"$tree/tests/cli/five.sh"
printf '#include <stdio.h>\nint sum(int, int);\nint main(void) { printf("%%d\\n", sum(2, 3)); }\n' >"$tree/main.c"
printf '%s\n' 'build/release/weir-test: sum.c tests/*.c' '	@mkdir -p build/release && gcc -std=c11 -I. -o $@ sum.c tests/*.c -lm' \
	'weir: sum.c main.c' '	@gcc -o $@ sum.c main.c' >"$tree/Makefile"

# list NAME OLD NEW [LINE...]: an entry of the list, after those that are there.
list() {
	{
		printf '%s\nfile sum.c\nbreaks it\n- %s\n+ %s\n' "$1" "$2" "$3"
		shift 3
		for line; do
			echo "$line"
		done
		echo
	} >>"$tree/tests/mutants/list.txt"
}
# ends STATUS LINE ARGUMENT...: the runner's exit status and its last line.
ends() {
	wanted=$1 line=$2
	shift 2
	"$top/tools/mutants.py" --root "$tree" "$@" >"$out" 2>&1 && status=0 || status=$?
	[ $status = "$wanted" ] || fail "exit status $status, expected $wanted"
	[ "$(tail -n 1 "$out")" = "$line" ] || fail "the last line is not: $line"
}

list minus 'return a +' 'return a -' 'test test_sum'
list script 'return a +' 'return a *' 'test tests/cli/five.sh'
ends 0 "2 killed (100.0 %), 0 survived, 0 do not build, of 2"
grep -qx '\[1/2\] minus: killed (test_sum)' "$out" || fail "the test that killed it is not named"
grep -qx '\[2/2\] script: killed (tests/cli/five.sh)' "$out" || fail "the script that killed it is not named"

# The test that is named does not look at the limit; with a reason that is no error, and any test may be asked.
list limit 'if (a > 100)' 'if (a > 101)' 'test test_sum'
ends 1 "2 killed (66.7 %), 1 survived, 0 do not build, of 3"
grep -q '^\[1/1\] limit: survived' "$out" || fail "what was known was tried again, or limit was not"
grep -q '^tests/mutants/list.txt:[0-9]*: limit: survived: it (no reason given)$' "$out" || fail "a survivor without a reason"
ends 0 "3 killed (100.0 %), 0 survived, 0 do not build, of 3" --all
grep -qx '\[1/1\] limit: killed (test_most)' "$out" || fail "all tests were not asked"
ends 0 "1 killed (100.0 %), 0 survived, 0 do not build, of 1" --fresh minus
sed -i '$d' "$tree/tests/mutants/list.txt"
printf 'survives no test yet\n\n' >>"$tree/tests/mutants/list.txt"
ends 0 "2 killed (66.7 %), 1 survived, 0 do not build, of 3"
sed -i 's/^test test_sum$/test test_most test_sum/' "$tree/tests/mutants/list.txt"
ends 1 "3 killed (100.0 %), 0 survived, 0 do not build, of 3"
grep -q 'limit: killed by test_most, but listed as a survivor: no test yet$' "$out" || fail "a survivor that is none"

# --- mistakes in the list ---
cp "$tree/tests/mutants/list.txt" "$dir/good.txt"
# refused MESSAGE: with the list as it was and what is on stdin.
refused() {
	{ cat "$dir/good.txt"; echo; cat; } >"$tree/tests/mutants/list.txt"
	ends 1 "$1" none
}
list odd 'return a +' 'return a + ;' 'test test_sum'
ends 1 "0 killed (0.0 %), 0 survived, 1 do not build, of 1" odd
printf '\nnone\nfile sum.c\nbreaks it\ntest test_sum\n- return c\n+ return d\n' | refused "0 of 1 mutants apply"
grep -q 'none: its text occurs 0 times in sum.c; it must occur once$' "$out" || fail "a text that is gone"
printf 'none\nfile sum.c\nbreaks it\ntest test_sum\n- a\n+ b\n' | refused "0 of 1 mutants apply"
printf 'none\nfile sum.c\nbreaks it\ntest no_such\n- return a +\n+ return b +\n' |
	refused "mutants: test no_such: fails without any mutant (no end)"
printf 'none\nfile sum.c\nbreaks it\n- a\n+ b\n' | refused "mutants: tests/mutants/list.txt:24: none: has no 'test' line"
printf 'none\nfile no.c\nbreaks it\ntest test_sum\n- a\n+ b\n' |
	refused "mutants: tests/mutants/list.txt:24: none: no.c: no such file"
printf 'none\nfile sum.c\nbreaks it\ntest test_sum\n- a\n+ a\n' |
	refused "mutants: tests/mutants/list.txt:24: none: changes nothing"
