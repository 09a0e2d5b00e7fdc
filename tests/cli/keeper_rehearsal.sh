#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A rehearsal: a keeper over a simulated network in virtual time. What it writes reaches the port, whose queue
# becomes shorter; the same plan gives the same lines; every kind of tuner stays within its limits.
set -u
. tests/ask.sh
cat >net.ini <<END
# four senders, one receiver
[network]
topology = star
hosts = 5
delay = 10us
rate = 1Gbps
[switch]
marking = red(min=100KB, max=400KB, p=5%)
[host]
cc = dctcp
[traffic bulk]
pattern = many-to-one
size = unlimited
senders = 4
[measure]
to = 3s
END
cat >plan.ini <<END
# a rehearsal
[keeper]
driver = sim(file=net.ini, for=2s, rate=1Gbps)
tune = fixed(min=30KB, max=60KB, p=20%)
interval = 50ms
journal = plan.journal
[limits]
min-interval = 0s
writes = 60
[profile rx]
queue = sw->h0
END

# lines: without the clock on the wall.
lines() {
	sed 's/"time":"[^"]*",//' "$1"
}
# queue SECONDS: the longest that the keeper saw in the interval which ended then.
queue() {
	sed -n "s/.*\"clock_s\":$1.*longest queue \([0-9]*\) bytes.*/\1/p" first
}

expect 0 keeper plan.ini
cp out first
expect 0 keeper plan.ini
[ "$(lines out)" = "$(lines first)" ] || fail "two rehearsals differ"
[ "$(grep -c '"event":"write"' first)" = 3 ] || fail "from 100KB, 400KB, 5 % it takes three steps"
grep -q '"to":{"min_bytes":30000,"max_bytes":60000,"p":0.2}' first || fail "the wish was never written"
grep -q '"became":"restored"' first || fail "not put back"
[ "$(queue 0.150000)" -lt "$(queue 0.050000)" ] || fail "the queue is not shorter"
[ ! -e plan.journal ] || fail "a journal is left"

expect 0 keeper plan.ini --dry-run
grep -q '"event":"would-write"' out || fail "nothing would be done"
grep -q '"event":"write"' out && fail "dry, but it wrote"

# --- tuners that learn ---
for tune in qla acc patience; do
	sed "s/^tune = .*/tune = $tune/" plan.ini >other.ini
	expect 0 keeper other.ini
	grep -q '"became"' out || fail "$tune: no end"
	awk -F'"to":' '/"event":"write"/ { split($2, n, /[:,}]/); if (n[2] < 20000 || n[2] > 2000000 || n[4] < 40000 || n[4] > 4000000 || n[6] < 0.01) exit 1 }' out ||
		fail "$tune: outside the limits"
done

# --- mistakes ---
sed 's/sw->h0/sw->h9/' plan.ini >bad.ini
expect 1 keeper bad.ini
message "bad.ini:11: 'throughput sw->h9': there is no node 'h9', but h0 to h4, sw (nearest: h4)"
sed '/^queue/d' plan.ini >bad.ini
expect 1 keeper bad.ini
message "bad.ini:10: profile.rx: no port; add lines such as queue = sw->h0"
