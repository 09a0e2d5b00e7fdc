# SPDX-License-Identifier: BSD-3-Clause
# weir help as its user meets it: the words of the field are topics that teach in a few lines, every one is listed,
# and what a page sends its reader to is there.
set -u
weir=${WEIR:-./weir}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
	echo "$1"
	cat "$dir/out" 2>/dev/null
	exit 1
}

# Every topic is listed, short, and no wider than a screen; those that people ask for first are there.
topics=$(echo $("$weir" help | sed -n '/Topics:$/,$p' | sed 1d | tr -d ',.'))
[ "$(echo "$topics" | wc -w)" -ge 15 ] || fail "topics: $topics"
for topic in pfc lossless slowdown sizes workloads kmin ecn cdf incast; do
	case " $topics " in *" $topic "*) ;; *) fail "weir help must list $topic" ;; esac
done
# Usage and help of a command stand apart, however long the usage is.
"$weir" help | grep -q '^  weir merge     FOLDER... --out FOLDER$' || fail "weir help merge"
for topic in $topics; do
	"$weir" help "$topic" >"$dir/out" || fail "weir help $topic"
	grep -qx "$topic (topic)" "$dir/out" || fail "weir help $topic: no page"
	lines=$(sed -n "/^$topic (topic)\$/,/^\$/p" "$dir/out" | grep -c .)
	[ "$lines" -ge 5 ] && [ "$lines" -le 14 ] || fail "weir help $topic: $lines lines"
	awk 'length > 80 { exit 1 }' "$dir/out" || fail "weir help $topic: too wide"
	# 'weir help NAME' on a page leads somewhere.
	for name in $(grep -o 'weir help [a-z]*' "$dir/out" | sed 's/weir help //'); do
		"$weir" help "$name" >/dev/null || fail "weir help $topic sends to $name"
	done
done

# In the list of commands a gap stands between the usage of each and what it does, or the usage has a line of its own.
"$weir" help >"$dir/usage"
commands=$(sed -n 's/^  weir \([a-z][a-z]*\) .*/\1/p' "$dir/usage")
[ "$(echo "$commands" | wc -w)" -ge 20 ] || fail "commands: $commands"
for command in $commands; do
	usage=$("$weir" help "$command" | sed -n '1s/^weir [a-z]* *//; 1s/ *\[OPTION\]\.\.\.$//p; 1q')
	awk -v command="$command" -v usage="$usage" '
		$1 == "weir" && $2 == command {
			at = index($0, usage)
			gap = usage == "" ? " " : substr($0, at + length(usage), 1)
			found = at > 0 && (gap == " " || gap == "")
		}
		END { exit !found }' "$dir/usage" || {
		grep "^  weir $command" "$dir/usage"
		fail "weir help: no gap after the usage of $command"
	}
	# So it is in the list of the command's options.
	"$weir" help "$command" >"$dir/out"
	for option in $(sed -n 's/^  \(--[a-z-]*\).*/\1/p' "$dir/out"); do
		grep -qE "^  $option( [][A-Z=|./-]+)?( +[^ ].*)?\$" "$dir/out" || fail "$command $option: no gap"
	done
done

# No line of the commands, a scheme or a pattern is wider than a screen.
for name in "" acc fdcc collective transformer chakra red; do
	"$weir" help $name >"$dir/out"
	awk 'length > 80 { exit 1 }' "$dir/out" || fail "weir help $name: too wide"
done

# So is what a section is.
for section in network switch host rdma traffic measure sweep case full; do
	"$weir" help "$section" | sed -n '/^\[/,/^  [a-z]/p' | awk 'length > 80 { exit 1 }' || fail "weir help $section: too wide"
done

# Every topic of the source is in the list: the two cannot drift apart.
[ "$(sed -n 's/^\t{ "\([a-z]*\)", ".*/\1/p' cli/help_topics.c | tr '\n' ' ')" = "$topics " ] || fail "help_topics.c"

# Other words, capitals, keys.
"$weir" help kmax | grep -qx 'kmax, see kmin (topic)' || fail "kmax"
[ "$("$weir" help PFC)" = "$("$weir" help pfc)" ] || fail "PFC is pfc"
"$weir" help dt-alpha | grep -qx 'dt-alpha, a key of \[switch\]' || fail "a key of a section"
"$weir" help hosts-per-leaf | grep -q 'a key of \[network\] with topology = leaf-spine' || fail "a key of a topology"
"$weir" help cc | grep -qx 'cc, a key of \[host\]' || fail "cc"
"$weir" help drop-max | grep -qx 'drop-max, an option of red (marking)' || fail "an option of a scheme"
"$weir" help pfc-margin >"$dir/out" || fail "a former key"
grep -q '^pfc-margin is called xon-offset now' "$dir/out" || fail "a former key"
grep -q '^xon-offset, a key of \[switch\]' "$dir/out" || fail "what has replaced a former key"
"$weir" help lossles 2>"$dir/out" && fail "lossles"
grep -q '(nearest: lossless)$' "$dir/out" || fail "nearest topic"

# What the page of size files shows is a size file.
"$weir" help sizes | sed '/^$/,$d' | sed -n 's/^    //p' >"$dir/mine.txt"
printf '[network]\ntopology = star\n[traffic a]\npattern = all-to-all\nload = 10%%\nflows = 100\nsizes = %s\n' \
	"$dir/mine.txt" >"$dir/a.ini"
"$weir" check "$dir/a.ini" >"$dir/out" 2>&1 || fail "the example of weir help sizes"

# So is that of the document, every one of them.
awk -v dir="$dir" '/^```sizes/ { n++; on = 1; next } /^```/ { on = 0 } on { print >(dir "/doc" n ".txt") }' docs/manual/05-traffic.md
[ -e "$dir/doc3.txt" ] || fail "docs/manual/05-traffic.md has examples"
for file in "$dir"/doc*.txt; do
	"$weir" check "$dir/a.ini" --set "traffic.a.sizes=$file" >"$dir/out" 2>&1 || fail "$file of docs/manual/05-traffic.md"
done

# Where defaults come from: values, rates and sources, no wider than a screen.
"$weir" help defaults >"$dir/out" || fail "weir help defaults"
grep -q '^cc dcqcn(preset=paper)$' "$dir/out" || fail "weir help defaults: a condition"
grep -A1 '^  t-low = 50us, t-high = 500us$' "$dir/out" | grep -q '^      for 10Gbps; source: TIMELY' || fail "weir help defaults: timely"
awk 'length > 80 { exit 1 }' "$dir/out" || fail "weir help defaults: too wide"
