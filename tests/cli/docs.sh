# SPDX-License-Identifier: BSD-3-Clause
# The documents that come from the program are as the program says: "make docs" makes them so. Every file
# that a document links to is there.
set -eu
weir=${WEIR:-./weir}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
stale() {
	echo "$1 is stale; make docs"
	exit 1
}
"$weir" help --markdown >"$dir/scenario.md"
diff docs/reference/scenario.md "$dir/scenario.md" || stale docs/reference/scenario.md
"$weir" help --man >"$dir/commands"
sed -e "/^@COMMANDS@\$/{r $dir/commands" -e 'd}' docs/reference/weir.1.in >"$dir/weir.1"
diff docs/reference/weir.1 "$dir/weir.1" || stale docs/reference/weir.1
"$weir" help --results >"$dir/columns"
sed -e "/^<!-- columns/,/^<!-- end/{/^<!-- columns/{p;r $dir/columns" -e '};/^<!-- end/!d}' docs/reference/results.md >"$dir/results.md"
diff docs/reference/results.md "$dir/results.md" || stale docs/reference/results.md
[ "$(grep -c queue_max_pkts "$dir/columns")" = 2 ] || { echo "a column has a line of its own and is in its file"; exit 1; }

"$weir" reproduce --summary --out "$dir/out" --markdown "$dir/reproduction.md" >/dev/null
diff docs/results/reproduction.md "$dir/reproduction.md" || stale docs/results/reproduction.md

tools/verdict-table.sh docs/results/reproduction.md >"$dir/verdicts"
sed -e "/^<!-- verdicts/,/^<!-- end/{/^<!-- verdicts/{p;r $dir/verdicts" -e '};/^<!-- end/!d}' docs/results/five-papers.md >"$dir/five-papers.md"
diff docs/results/five-papers.md "$dir/five-papers.md" || stale docs/results/five-papers.md
grep -q "^version: $("$weir" version | sed 's/^weir \([^+]*\).*/\1/')\$" CITATION.cff || { echo "CITATION.cff is of another version"; exit 1; }

# Every command and option is in the man page, every name of the catalogue in the reference.
plain() {
	sed 's/\\-/-/g' docs/reference/weir.1
}
for command in $("$weir" help | sed -n 's/^  weir \([a-z]*\) .*/\1/p'); do
	plain | grep -q "^\.SS weir $command\( \|\$\)" || stale "docs/reference/weir.1 (weir $command)"
	for option in $("$weir" help "$command" | sed -n '/^weir '"$command"' /,/^$/s/^  \(-[-a-z]*\) .*/\1/p'); do
		plain | sed -n "/^\.SS weir $command/,/^\.S/p" | grep -q "^\.B $option\( \|\$\)" ||
			stale "docs/reference/weir.1 (weir $command $option)"
	done
done
for name in $("$weir" list | sed -n 's/^  \([a-z0-9_-]*\)  .*/\1/p'); do
	grep -q "^###* \(.* = \)\{0,1\}$name\$\|^| \`$name\` " docs/reference/scenario.md || stale "docs/reference/scenario.md ($name)"
done

# A formatter has nothing to say about the page, where there is one.
if command -v groff >/dev/null; then
	groff -man -Tutf8 -ww docs/reference/weir.1 2>"$dir/warnings" >/dev/null
	[ ! -s "$dir/warnings" ] || { cat "$dir/warnings"; exit 1; }
else
	echo "left out: the formatting of docs/reference/weir.1: groff is not installed"
fi

find . -name "*.md" -path "./*" ! -path "./build/*" ! -path "./docs/templates/*" | sort >"$dir/pages"
while read -r page; do
	for link in $(grep -o '](\([^)]*\))' "$page" | sed 's/](\(.*\))/\1/'); do
		case $link in
		http* | '#'*) ;;
		*) [ -e "$(dirname "$page")/${link%%#*}" ] || { echo "$page links to $link"; exit 1; } ;;
		esac
	done
done <"$dir/pages"
