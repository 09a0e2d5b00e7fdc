# SPDX-License-Identifier: BSD-3-Clause
# weir check as its user meets it: what sections have of their own, lossless classes, paths and round trips; and the
# memory that it foretells is what a run takes.
set -u
weir=${WEIR:-./weir}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
	echo "$1"
	cat "$dir/out" 2>/dev/null
	exit 1
}

cat >"$dir/mixed.ini" <<'END'
# What does web traffic do to storage?
[network]
topology = leaf-spine
leaves = 6
spines = 4
hosts-per-leaf = 24
rate = 25Gbps
fabric-rate = 100Gbps
delay = 1us
[switch]
queues = 2
scheduler = dwrr
lossless = 1
buffer = 12MB
buffer-per = switch
[traffic web]
pattern = all-to-all
sizes = websearch
load = 30%
flows = 500
[traffic storage]
pattern = all-to-all
sizes = ali-storage
load = 30%
flows = 5000
class = 1
cc = dcqcn(preset=hpcc)
END
says() {
	grep -qxF "$1" "$dir/out" || fail "check must say: $1"
}
"$weir" check "$dir/mixed.ini" >"$dir/out" || fail "check"
says "  lossless classes 1, paused above 0.125 of the free buffer"
says "  cc dctcp, class 0"
says "  cc dcqcn(preset=hpcc), class 1, lossless"
grep -q '^paths: between racks 4 equal-cost, over 4 links, within a rack 2; base round trip 5[.0-9]* us to 9[.0-9]* us, typically 9' \
	"$dir/out" || fail "paths"
"$weir" check "$dir/mixed.ini" --set traffic.storage.classes=2 --set switch.queues=3 >"$dir/out" || fail "check"
says "  cc dcqcn(preset=hpcc), class 1 to 2, in part lossless"

# Memory, on a mixed fabric and where flows are many: within 40 % of what the process took. A sanitizer takes more.
case $weir in *asan*)
	echo "left out: the memory that is foretold: sanitizers take more"
	exit 0
	;;
esac
foretold() {
	"$weir" check "$1" | sed -n 's/^needs: about \([0-9.]*\) \([kMG]\{0,1\}\)B of memory.*/\1 \2/p' |
		awk '{ print $1 * ($2 == "k" ? 1e3 : $2 == "M" ? 1e6 : $2 == "G" ? 1e9 : 1) }'
}
for file in "$dir/mixed.ini" bench/flows-100k.ini; do
	took=$("$weir" run "$file" --quiet --json - | sed -n 's/.*"peak_rss_bytes": \([0-9]*\).*/\1/p' | head -n 1)
	awk -v a="$(foretold "$file")" -v b="$took" 'BEGIN { exit !(a > 0.6 * b && a < 1.4 * b) }' ||
		fail "$file: foretold $(foretold "$file"), took $took bytes"
done

# Defaults that are meant for other links are named: all by check, in one line by run, and by neither where the file
# sets the value. They change no exit status.
cat >"$dir/fast.ini" <<'END'
[network]
topology = star
hosts = 3
rate = 100Gbps
[host]
cc = timely
[traffic a]
pattern = many-to-one
size = 10KB
END
"$weir" check "$dir/fast.ini" >"$dir/out" || fail "check fast.ini"
grep -q '^note: host.cc = timely: the defaults of t-low and t-high are for links of 10Gbps' "$dir/out" || fail "check: timely"
grep -q '^note: switch.marking = ecn: the default of k is for links of 10Gbps' "$dir/out" || fail "check: ecn"
tail -1 "$dir/out" | grep -q ': fine$' || fail "check: fine in spite of notes"
"$weir" run "$dir/fast.ini" 2>"$dir/out" >/dev/null || fail "run fast.ini"
grep -q "^weir: host.cc = timely: .*; and 1 more: 'weir check' lists them$" "$dir/out" || fail "run: one line"
"$weir" run --quiet "$dir/fast.ini" >"$dir/out" 2>&1 || fail "run --quiet fast.ini"
[ ! -s "$dir/out" ] || fail "run --quiet: silent"
set -- --set 'host.cc=timely(t-low=10us, t-high=90us)' --set switch.marking.k=100KB
"$weir" check "$dir/fast.ini" "$@" >"$dir/out" || fail "check fast.ini, set"
! grep -q '^note:' "$dir/out" || fail "check: values that are set"
"$weir" run "$dir/fast.ini" "$@" 2>"$dir/out" >/dev/null || fail "run fast.ini, set"
[ ! -s "$dir/out" ] || fail "run: values that are set"
