# SPDX-License-Identifier: BSD-3-Clause
# Completion: every command, option and name that the program knows is offered where it may stand, files and
# folders where those may, and nothing where the program cannot know. bash is asked, and fish; zsh reads its
# script without a complaint; both where they are installed.
set -eu
weir=$(realpath "${WEIR:-./weir}")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for shell in bash zsh fish; do
	"$weir" help --completion $shell >"$dir/weir.$shell"
done

fail() {
	echo "$0: $*" >&2
	exit 1
}

cat >"$dir/ask" <<'END'
compopt() { :; }
. "$1/weir.bash"
shift
COMP_WORDS=(weir "$@")
COMP_CWORD=$#
_weir
printf '%s\n' "${COMPREPLY[@]}"
END

# ask WORD...: what is offered for the last word of a command line, in one line.
ask() {
	bash "$dir/ask" "$dir" "$@" | sort | tr '\n' ' ' | sed 's/^ *//; s/ *$//'
}

# offered EXPECTED WORD...
offered() {
	expected=$1
	shift
	[ "$(ask "$@")" = "$expected" ] || fail "weir $*: offered $(ask "$@"), expected $expected"
}

cd "$dir"
mkdir folder
touch mine.ini
for command in $("$weir" help | sed -n 's/^  weir \([a-z]*\) .*/\1/p'); do
	offered "$command" "$command"
	for option in $("$weir" help "$command" | sed -n '/^weir '"$command"' /,/^$/s/^  \(-[-a-z]*\) .*/\1/p'); do
		case " $(ask "$command" "$option") " in
		*" $option "*) ;;
		*) fail "weir $command does not offer $option" ;;
		esac
	done
done
offered "report reproduce" rep
offered "mine.ini" run m
offered "mine.ini" run --full mine
offered "folder" table f
offered "" table m
offered "" run --seed ""
offered "tcn" run mine.ini --marking tc
offered "dctcp dctcp-rdma" check mine.ini --cc dctcp
offered "queue_mean_bytes queue_mean_pkts" table --metric queue_mean_
offered "switch.marking" run --set switch.mark
offered "marking metric model" list m
offered "report reproduce" help rep
offered "bash" help --completion b
offered "" nonsense ""

[ "$("$weir" help --completion tcsh 2>&1)" = "weir: unknown shell 'tcsh'; there are bash, zsh, fish (nearest: bash)" ] ||
	fail "an unknown shell"
if command -v zsh >/dev/null; then
	zsh -n "$dir/weir.zsh" || fail zsh
else
	echo "left out: the script of zsh: zsh is not installed"
fi
if command -v fish >/dev/null; then
	fish -n "$dir/weir.fish" || fail fish
	fish -c "source $dir/weir.fish; complete -C 'weir run --marking tc'" | grep -q '^tcn' || fail "fish: weir run --marking tc"
else
	echo "left out: the script of fish: fish is not installed"
fi
