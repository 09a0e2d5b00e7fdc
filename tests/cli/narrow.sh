# SPDX-License-Identifier: BSD-3-Clause
# Tables on a phone: nothing that run and table print is wider than the screen, a number never stands apart from its
# name, and rows are in the order that was asked for.
set -u
case ${WEIR:-./weir} in
/*) weir=${WEIR:-./weir} ;;
*) weir=$PWD/${WEIR:-./weir} ;;
esac
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

fail() {
	echo "$1"
	cat "$dir/out" 2>/dev/null
	exit 1
}

fits() {
	COLUMNS=40 "$weir" "$@" >"$dir/out" 2>/dev/null || fail "weir $*"
	! grep -q '.\{41\}' "$dir/out" || fail "weir $*: wider than 40 columns"
}

cat >one.ini <<'END'
# A question that is somewhat longer than the line of a small screen is?
[network]
topology = star
hosts = 9
[traffic bulk]
pattern = many-to-one
senders = 4
size = 300KB
[traffic web]
pattern = incast
senders = 3
receiver = 0
size = 20KB
flows = 60
END
fits run one.ini
grep -qx '  flows completed  *64' out || fail "a value stands beside its label"
grep -qx '    flows 64  mean [0-9.]* [um]s' out || fail "several stand below it, with their names"
grep -qx '    p50 [0-9.]* us  p95 [0-9.]* [um]s' out || fail "and go on below"
COLUMNS=80 "$weir" run one.ini >out || fail "80 columns"
! grep -q '.\{81\}' out || fail "a whole table has 80 columns"
grep -qx '  *flows  *mean  *p50  *p95  *p99  *p99.9' out || fail "80 columns are enough for a whole table"

cp one.ini many.ini
printf '[sweep]\nswitch.marking = none, ecn(k=5pkts), tcn(threshold=90us)\nseed = 1..2\n' >>many.ini
fits run many.ini
fits table many.results --by traffic
fits table many.results --wide
fits table many.results --normalize-to none

# Ascending, descending; a name that is none is refused with the nearest.
order() {
	"$weir" table many.results --metric queue_mean_pkts --sort "$1" --csv - | sed 1d | cut -d, -f2
}
order queue_mean_pkts >up
order -queue_mean_pkts >down
[ "$(sort up | wc -l)" = 3 ] || fail "three rows"
[ "$(cat up)" = "$(tac down)" ] && [ "$(cat up)" != "$(cat down)" ] || fail "--sort -NAME is the other way round"
"$weir" table many.results --sort queue_maen_pkts >out 2>&1 && fail "an unknown name"
grep -q 'nearest: queue_mean_pkts' out || fail "the nearest name"
