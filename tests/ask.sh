# SPDX-License-Identifier: BSD-3-Clause
# ask.sh -- for tests that are a user of the program: $weir, a folder $dir to work in, and what is expected of answers.
weir=$(realpath "${WEIR:-./weir}")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

fail() {
	echo "$1"
	echo "stdout:"; cat out
	echo "stderr:"; cat err
	exit 1
}

# expect STATUS ARGUMENT...: runs the program and compares its exit status.
expect() {
	wanted=$1
	shift
	"$weir" "$@" >out 2>err
	status=$?
	[ $status = "$wanted" ] || fail "weir $*: exit status $status, expected $wanted"
}

# message TEXT: alone on stderr.
message() {
	[ "$(cat err)" = "weir: $1" ] || fail "expected: weir: $1"
}

# left_out WHAT: a part of the test that is not run here, and why; the others are.
left_out() {
	echo "left out: $1"
}

# skip WHY: the test, or what is left of it, cannot run here; "make test" counts and names it.
skip() {
	left_out "$1"
	exit 77
}

# alone: waits until no other test that moves real packets runs; they would take each other's time.
alone() {
	exec 9<"${TMPDIR:-/tmp}" # the folder itself: a file there would have a name that others could take
	flock 9
}
