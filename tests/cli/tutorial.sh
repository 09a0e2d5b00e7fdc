# SPDX-License-Identifier: BSD-3-Clause
# tutorial.sh -- runs docs/manual/02-first-experiment.md top to bottom: the files that it has its reader
# save, then every command. The fabric has four hosts per leaf here, so that the hour takes seconds, and
# its output is not compared with the page's. The incast runs at full size: each line of output that the
# page shows for it must be printed.
set -u
page=$(pwd)/docs/manual/02-first-experiment.md
. tests/ask.sh
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$dir"' EXIT

# view FOLDER: weir view serves until Ctrl-C.
view() {
	: >out
	"$weir" view "$1" --port 0 >out 2>err &
	server=$!
	for _ in $(seq 100); do
		grep -q '^http://127' out && break
		sleep 0.1
	done
	grep -q '^http://127' out || fail "weir view $1"
	kill -INT "$server"
	wait "$server" || fail "weir view $1: Ctrl-C"
	server=
}

# "Save this as `X`" begins a file, "Add this to `X`" continues it; a block of sh is commands.
commands=0 block= file=
: >printed
while IFS= read -r line; do
	case $block:$line in
	*:'```ini' | *:'```sh' | *:'```text') block=${line#???} ;;
	*:'```') block= ;;
	ini:*) printf '%s\n' "$line" | sed 's/^hosts-per-leaf = 24$/hosts-per-leaf = 4/' >>"$file" ;;
	sh:'weir view '*)
		view "${line#weir view }"
		commands=$((commands + 1))
		;;
	sh:'weir '*)
		eval "\"$weir\" ${line#weir }" >out 2>err </dev/null || fail "$line"
		commands=$((commands + 1))
		cat out >>printed
		case $line in
		*'measure.drain='*) grep -q '^INCOMPLETE: ' out || fail "$line" ;;
		*'--marking none') ! grep -q '^INCOMPLETE: ' out || fail "$line" ;;
		'weir run mixed.ini') grep -q 'cc storage dcqcn, web dctcp; seed 1$' out || fail "each section's control" ;;
		'weir choose '*) grep -q ' and fct_mean_ns of web <= 1.05 of best$' out || fail "each guard's section" ;;
		esac
		;;
	sh:*) fail "the test does not know: $line" ;;
	text:*)
		[ "$file" != incast.ini ] || grep -qxF -e "$line" printed || fail "docs/manual/02-first-experiment.md shows: $line"
		;;
	*'Save this as `'* | *'Add this to `'*) file=$(printf '%s\n' "$line" | sed 's/.*this ..* `\([a-z]*\.ini\)`.*/\1/') ;;
	esac
done <"$page"
[ $commands -ge 18 ] || fail "$commands commands: the page has lost some"
grep -q '^hosts-per-leaf = 4$' mixed.ini || fail "mixed.ini"
grep -q '^\[sweep\]$' incast.ini || fail "incast.ini"

# The last table holds the decision, and the topics and files that the page refers to exist.
expect 0 table decision.results --by traffic
grep -q '^storage .*red(min=55KB, max=80KB, p=0.3)' out || fail "the decision"
grep -q '^traffic  marking.storage ' out || fail "whose marking differs"
for name in $(grep -o 'weir help [a-z-]*' "$page" | sed 's/weir help //'); do
	expect 0 help "$name"
done
for link in $(grep -o ']([^)]*)' "$page" | sed 's/](\(.*\))/\1/'); do
	[ -e "$(dirname "$page")/$link" ] || fail "docs/manual/02-first-experiment.md links to $link"
done
