# SPDX-License-Identifier: BSD-3-Clause
# What the README promises runs: its scenario as it stands, each weir command where it stands, and
# every file it links to is there. Figures of papers are only listed: tests/cli/reproduce.sh runs a small one.
set -eu
weir=$(realpath "${WEIR:-./weir}")
top=$(pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Top to bottom, as a reader would: scenario text is added to mine.ini, commands are run.
commands=0 ini=
cd "$dir"
ln -s "$top/scenarios" scenarios
while IFS= read -r line; do
	case $line in
	'```ini') ini=yes ;;
	'```') ini= ;;
	'./weir reproduce '[a-z]*) ;;
	'./weir view '*) ;; # until somebody ends it: tests/cli/view.sh
	'./weir '*)
		commands=$((commands + 1))
		eval "\"$weir\" ${line#./weir }" >out 2>&1 </dev/null || {
			echo "$line"
			cat out
			exit 1
		}
		;;
	*) [ -z "$ini" ] || printf '%s\n' "$line" >>mine.ini ;;
	esac
done <"$top/README.md"
grep -q '^\[measure\]' mine.ini
[ $commands -ge 10 ]
cd "$top"
for link in $(grep -o '](\([^)]*\))' README.md | sed 's/](\(.*\))/\1/'); do
	case $link in
	http*) ;;
	*) [ -e "$link" ] || { echo "README.md links to $link"; exit 1; } ;;
	esac
done
