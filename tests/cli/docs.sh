# SPDX-License-Identifier: BSD-3-Clause
# docs.sh -- generated documents are up to date ("make docs" writes them), links and anchors lead somewhere,
# the manual is complete, and prose wraps at 100 columns.
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
# README.md counts what agrees in quick size, by sentences and by claims: the first two tables.
agree=$(sed -n 's/^| all | quick | [^|]* | [0-9]* | \([0-9]*\) | \([0-9]*\) |.*/\2 of \1/p' docs/results/reproduction.md | head -n 2 |
	tr '\n' ' ' | sed 's/ \([0-9]* of [0-9]*\) $/ sentences, \1 claims agree/')
grep -qF "| $agree;" README.md || { echo "README.md must say: $agree"; exit 1; }
grep -q "^version: $("$weir" version | sed 's/^weir \([^+]*\).*/\1/')\$" CITATION.cff || { echo "CITATION.cff is of another version"; exit 1; }

# Every command and option is in the man page, every name of weir list in the reference.
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

# groff, if installed, formats the man page without a warning.
if command -v groff >/dev/null; then
	groff -man -Tutf8 -ww docs/reference/weir.1 2>"$dir/warnings" >/dev/null
	[ ! -s "$dir/warnings" ] || { cat "$dir/warnings"; exit 1; }
else
	echo "left out: the formatting of docs/reference/weir.1: groff is not installed"
fi

# Every link of every page leads to a file that is there and, where it names one, to a heading of it.
# anchors PAGE: the names that its headings have on the web, one a line.
anchors() {
	awk '/^```/ { code = !code } !code && /^##* / { sub(/^#* /, ""); print tolower($0) }' "$1" |
		sed 's/\[\([^]]*\)\]([^)]*)/\1/g; s/[^a-z0-9 _-]//g; s/ /-/g' | awk '{ n = seen[$0]++; print n ? $0 "-" n : $0 }'
}
find . -name "*.md" ! -path "./build/*" ! -path "./docs/templates/*" | sort >"$dir/pages"
links=0
while read -r page; do
	awk '/^```/ { code = !code } !code' "$page" | grep -o '](\([^)]*\))' | sed 's/](\(.*\))/\1/' >"$dir/links" || true
	while read -r link; do
		links=$((links + 1))
		file=$(dirname "$page")/${link%%#*}
		case $link in
		http*) continue ;;
		'#'*) file=$page ;;
		esac
		[ -e "$file" ] || { echo "$page links to $link"; exit 1; }
		case $link in
		*.md'#'* | '#'*)
			anchors "$file" | grep -qxF -e "${link#*#}" || { echo "$page links to $link, and no heading there is called that"; exit 1; }
			;;
		esac
	done <"$dir/links"
done <"$dir/pages"
[ $links -ge 150 ] || { echo "only $links links were found"; exit 1; }

# The manual is numbered without a gap, and its table of contents has every page.
number=0
for page in docs/manual/[0-9]*.md; do
	number=$((number + 1))
	case $page in docs/manual/$(printf %02d $number)-*) ;; *) echo "$page: page $number is missing"; exit 1 ;; esac
	grep -qF "($(basename "$page"))" docs/manual/README.md || { echo "docs/manual/README.md does not list $page"; exit 1; }
done
for page in docs/results/*.md docs/reference/*.md docs/internals.md; do
	grep -qF "(../${page#docs/})" docs/manual/README.md || { echo "docs/manual/README.md does not list $page"; exit 1; }
done

# Lines of prose wrap at 100 characters; tables, code and links may be longer. Pages that make docs writes are not looked at.
for page in CHANGELOG.md CONTRIBUTING.md SECURITY.md bench/history.md models/README.md docs/internals.md docs/manual/*.md docs/results/*.md; do
	[ "$page" != docs/results/reproduction.md ] || continue
	awk '/^```/ { code = !code; next } !code && !/^\|/ && !/^!\[/ && !/^\t/' "$page" >"$dir/prose"
	if LC_ALL=C.UTF-8 grep '.\{101\}' "$dir/prose"; then
		echo "$page: lines longer than 100 characters"
		exit 1
	fi
done

# Source files that internals.md names are there.
for file in $(grep -o '`[a-z]*/[a-z_/]*\.[ch]`' docs/internals.md | tr -d '`' | sort -u); do
	[ -e "$file" ] || { echo "docs/internals.md names $file, which is not there"; exit 1; }
done
