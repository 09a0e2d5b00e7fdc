# Congestion controls with a network: a model of another scheme, of other inputs, of another reading or with a weight that is no
# number is refused with the place in the scenario and status 2; so are settings of their trainers that make no sense.
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

# The last weight becomes a NaN, the file stays as long as it was.
size=$(wc -c <"$top/models/fdcc-weir.model")
head -c $((size - 4)) "$top/models/fdcc-weir.model" >nan.model
printf '\000\000\300\177' >>nan.model
refused "finite" 'fdcc(model=./nan.model)'
head -c $((size - 4)) "$top/models/fdcc-weir.model" >short.model
refused "short.model" 'fdcc(model=./short.model)'

# --- trainers ---
for bad in gamma=2 net=maze control=alpha=x past=9; do
	"$weir" train fdcc --set $bad --steps 10 -o x.model >out 2>err
	[ $? -eq 2 ] || fail "train fdcc --set $bad: not status 2"
	grep -q "${bad%%=*}" err || fail "train fdcc --set $bad: does not say what"
	[ ! -e x.model ] || fail "train fdcc --set $bad: leaves a model"
done
exit 0
