# What the README promises runs: its scenario as it stands, each weir command after it, and every
# file it links to is there.
set -eu
weir=$(realpath "${WEIR:-./weir}")
top=$(pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
sed -n '/^```ini$/,/^```$/p' README.md | sed '/^```/d' >"$dir/mine.ini"
grep -q '^\[measure\]' "$dir/mine.ini"
sed -n 's/^\.\/weir \(.*\)/"$weir" \1/p' README.md >"$dir/commands"
[ "$(wc -l <"$dir/commands")" -ge 5 ]
cd "$dir"
while read -r command; do
	eval "$command" >"$dir/out" 2>&1 || {
		echo "$command"
		cat "$dir/out"
		exit 1
	}
done <"$dir/commands"
cd "$top"
for link in $(grep -o '](\([^)]*\))' README.md | sed 's/](\(.*\))/\1/'); do
	case $link in
	http*) ;;
	*) [ -e "$link" ] || { echo "README.md links to $link"; exit 1; } ;;
	esac
done
