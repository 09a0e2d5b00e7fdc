# SPDX-License-Identifier: BSD-3-Clause
# Pages of the manual as their readers meet them: the files that they have saved, then every command,
# top to bottom. 02-first-experiment.md, 07, 08 and 13 have tests of their own.
set -u
pages=$(pwd)/docs/manual
. tests/ask.sh

# "Save this as `X`" begins a file, "Add this to `X`" continues it; a block of sh is commands.
for page in 03-scenario 04-schemes 06-results; do
	mkdir "$page" && cd "$page" || exit 1
	commands=0 block='' file=''
	while IFS= read -r line; do
		case $block:$line in
		*:'```ini' | *:'```sh') block=${line#???} ;;
		*:'```') block= ;;
		ini:*) printf '%s\n' "$line" >>"$file" ;;
		sh:'weir '*)
			eval "\"$weir\" ${line#weir }" >out 2>err </dev/null || fail "$page: $line"
			commands=$((commands + 1))
			;;
		sh:*) fail "$page: not a command of weir: $line" ;;
		*'Save this as `'* | *'Add this to `'*)
			file=$(printf '%s\n' "$line" | sed 's/.*\(Save this as\|Add this to\) `\([^`]*\)`.*/\2/')
			;;
		esac
	done <"$pages/$page.md"
	[ $commands -ge 4 ] || fail "$page: only $commands commands"
	cd ..
done
