# SPDX-License-Identifier: BSD-3-Clause
# The examples do what their first comments say: the commands there are run as they stand, in a copy of an
# installed tree, with pkg-config. So does a C++17 program with the shared library.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
	echo "$0: $*" >&2
	exit 1
}

env -u MAKEFLAGS -u MAKELEVEL make install PREFIX="$dir/weir" DESTDIR= >"$dir/log" 2>&1 || {
	cat "$dir/log"
	exit 1
}
export PATH="$dir/weir/bin:$PATH" PKG_CONFIG_PATH="$dir/weir/lib/pkgconfig" LD_LIBRARY_PATH="$dir/weir/lib"
examples=$dir/weir/share/doc/weir/examples
scenarios=$dir/weir/share/weir/scenarios

# try FILE: each command of its first comment, in its folder, beside a scenario.
try() {
	cd "$examples/${1%/*}"
	cp "$scenarios/incast.ini" scenario.ini
	sed -n '1d; /\*\//q; s/^ \*\t//p' "${1##*/}" >commands
	[ -s commands ] || fail "$1 says no command"
	while IFS= read -r command; do
		eval "$command" >out 2>&1 </dev/null || fail "$1: $command: $(cat out)"
	done <commands
}

try port/port.c
[ "$(./port | sed -n 's/^bulk .* \([0-9]*\) of them marked.*/\1/p')" -gt 0 ] || fail "port: no marks"
./port | grep -q '^drops, port buffer full: [1-9]' || fail "port: no drops"
./port nonsense 2>&1 | grep -q "unknown marking 'nonsense'" || fail "port: a mistake has no message"

# Choices that do not go together are a message, and never an assertion of the library.
status=0
./port 'diffecn(rtt=100us)' 'dwrr(weights=3:1)' >out 2>&1 || status=$?
[ $status = 2 ] && [ "$(cat out)" = "port: marking diffecn lays out a port itself: it needs 32 queues and scheduler \
sp-dwrr(priority-queues=1, quantum=1514B), not 2 and dwrr" ] || fail "port: status $status, $(cat out)"
sed 's/weir_packet_store_init(&x->store, 1 << 16)/weir_packet_store_init(\&x->store, 32)/' port.c >small.c
cc -std=c11 -O2 small.c $(pkg-config --cflags --libs weir) -o small
./small | grep -q '^drops, packet store full: [1-9]' || fail "port: a store smaller than its buffer"

# With its defaults it is Reno that hears marks, to the last bit.
try cc/aimd.c
result() {
	weir run scenario.ini --quiet --json - "$@" | grep '"goodput_bps"\|"queue_mean_pkts"\|"marks"\|"drops"\|"retransmits"'
}
[ "$(result --cc ./aimd.so)" = "$(result --cc 'reno(ecn=yes)')" ] || fail "aimd is not reno(ecn=yes)"
[ "$(result --cc ./aimd.so)" != "$(result --cc './aimd.so(keep=3/4)')" ] || fail "aimd has no use for its option"

# Eight senders, two queues: strict priority lets the second queue grow until its windows are the least
# possible; served when it is the longer one, it does not get there.
try sched/longest.c
cat >two.ini <<'END'
[network]
topology = star
hosts = 6
rate = 10Gbps
delay = 1us
[switch]
queues = 2
marking = ecn(k=20pkts)
buffer = 500pkts
[host]
cc = dctcp
[traffic first]
pattern = many-to-one
senders = 4
size = unlimited
[traffic second]
pattern = many-to-one
senders = 4
class = 1
size = unlimited
[measure]
from = 5ms
to = 20ms
END
queue_pkts() {
	weir run two.ini --quiet --json - --scheduler "$1" | sed -n 's/.*"queue_mean_pkts": \([0-9]*\).*/\1/p'
}
[ "$(queue_pkts ./longest.so)" -lt "$(queue_pkts sp)" ] || fail "the longest queue is not served first"

# --- C++17, and the shared library ---
cd "$dir"
cat >user.cc <<'END'
#include <weir/cc.h>
#include <weir/model.h>
#include <weir/port.h>
#include <iostream>

int main()
{
	alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const weir_mark_ops *ops;
	weir_error e;

	if (weir_mark_parse("tcn(threshold=78us)", &ops, params, &e) == 0)
		std::cout << ops->scheme.name << '\n';
	if (weir_mark_parse("tnc", &ops, params, &e) != 0)
		std::cout << e.text << '\n';
	for (const weir_cc_ops *const *c = weir_cc_all; *c; c++)
		std::cout << (*c)->scheme.name << ' ';
	std::cout << '\n';
}
END
c++ -std=c++17 -Wall -Wextra -Werror user.cc $(pkg-config --cflags --libs weir) -o user
./user >out
sed -n 1p out | grep -qx tcn || fail "C++: $(cat out)"
sed -n 2p out | grep -q "unknown marking 'tnc'.*nearest: tcn" || fail "C++: $(cat out)"
sed -n 3p out | grep -qw dctcp || fail "C++: $(cat out)"
ldd ./user | grep -q "libweir.so.2 => $dir/weir/lib" || fail "C++: not linked with the shared library"
# And with the archive alone.
rm "$dir/weir/lib/libweir.so"*
c++ -std=c++17 user.cc $(pkg-config --cflags --libs weir) -o static
./static | cmp - out
