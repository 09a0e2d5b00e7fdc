# SPDX-License-Identifier: BSD-3-Clause
# Congestion controls with a network: a model of another scheme, of other inputs, of another reading or with a weight that is no
# number is refused with the place in the scenario and status 2; so are settings of their trainers that make no sense. The command
# that a model names can be typed, and gives that model.
set -u
weir=$(realpath "${WEIR:-./weir}")
top=$(pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

fail() {
	echo "$1"
	cat out err 2>/dev/null
	exit 1
}

# refused TEXT CC: the run ends with status 2 and one line that has the place and the text.
refused() {
	printf '[network]\ntopology = dumbbell\nleft-hosts = 2\nright-hosts = 1\n[host]\ncc = %s\n' "$2" >bad.ini
	printf '[traffic a]\npattern = many-to-one\nreceiver = 2\nsize = 1MB\n' >>bad.ini
	"$weir" run bad.ini --json - >out 2>err
	[ $? -eq 2 ] || fail "$2: not status 2"
	[ "$(wc -l <err)" -eq 1 ] || fail "$2: not one line"
	grep -q "bad.ini:6: host.cc: .*$1" err || fail "$2: not '$1'"
}

refused "it is made for scheme 'rl-cc'; 'fdcc' is needed" 'fdcc(model=rl-cc)'
refused "it is made for scheme 'fdcc'; 'rl-cc' is needed" 'rl-cc(model=fdcc-weir)'
refused "it is made for features .* is needed" 'fdcc(model=fdcc-thesis)'
refused "it is made for features .* is needed" 'fdcc(rates=linear)'
refused "it is made for actions 'direct'; 'accumulate' is needed" 'fdcc(action=accumulate)'
refused "no-such.model" 'fdcc(model=./no-such.model)'
refused "rtt" 'fdcc(rtt=fast)'

refused "it is made for scheme 'acc'; 'rl-cc' is needed" 'rl-cc(model=acc-weir)'
refused "unknown model 'fdcc-wier'.*nearest: fdcc-weir" 'fdcc(model=fdcc-wier)'
sed 's/dense 64 relu < current/dense 65 relu < current/' "$top/models/fdcc-weir.model" >shape.model
refused "tensor '0.weight' is \[64, 32\]; the net's is \[65, 32\]" 'fdcc(model=./shape.model)'
printf 'no model at all\n' >text.model
refused "a header of .* bytes in a file of 16" 'rl-cc(model=./text.model)'

# The last weight becomes a NaN, the file stays as long as it was; then it is missing.
for cc in fdcc:fdcc-weir rl-cc:rl-cc; do
	file=$top/models/${cc#*:}.model
	head -c $(($(wc -c <"$file") - 4)) "$file" >short.model
	{ cat short.model && printf '\000\000\300\177'; } >nan.model
	refused "nan.model': tensor '[0-9].[a-z]*' has a number that is not finite" "${cc%:*}(model=./nan.model)"
	refused "short.model': tensor '[0-9].[a-z]*' lies outside the file" "${cc%:*}(model=./short.model)"
done

# --- trainers ---
for bad in gamma=2 net=maze control=alpha=x past=9; do
	"$weir" train fdcc --set $bad --steps 10 -o x.model >out 2>err
	[ $? -eq 2 ] || fail "train fdcc --set $bad: not status 2"
	grep -q "${bad%%=*}" err || fail "train fdcc --set $bad: does not say what"
	[ ! -e x.model ] || fail "train fdcc --set $bad: leaves a model"
done

# --- commands ---
# typed FILE OPTION...: the command of that model, with further options.
typed() {
	command=$("$weir" model "$1" | sed -n 's/^  command *weir //p')
	shift
	[ -n "$command" ] || fail "no command"
	sh -c "\"$weir\" $command $*" >out 2>err || fail "weir $command $*: not status 0"
}

"$weir" train rl-cc --preset literal --set rnn=none --set 'control=alpha=0.1, clock=2' --steps 2000 --seed 7 --episodes 2 \
	--judge 1 -o one.model --quiet >out 2>err || fail "no training"
typed one.model -o two.model --quiet
cmp one.model two.model || fail "its command gives another model"
for file in "$top"/models/fdcc*.model "$top"/models/rl-cc*.model; do
	case $file in
	*untrained*) ;;
	*) typed "$file" --show 1 ;;
	esac
done
exit 0
