#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The keeper and a real Linux kernel's red, codel and fq_codel: user-mode-linux (Debian: user-mode-linux) is booted with this
# machine's own files, read-only. Left out, with the reason, where it is not there. WEIR= names the program.
set -u
weir=$(realpath "${WEIR:-./weir}")
skip() {
	echo "left out: $1"
	exit 77
}
command -v linux.uml >/dev/null || skip "user-mode-linux is not installed"
for need in tc bash busybox; do
	command -v $need >/dev/null || skip "$need is not installed"
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/init" <<'END'
#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
modules=/usr/lib/uml/modules/$(uname -r)/kernel
weir=WEIR
mount -t tmpfs run /run
cd /run
fail() {
	echo "FAILED $1"
	tc -s qdisc show dev v0
	tail -n 5 log err
	sync
	busybox poweroff -f
}
for module in net/sched/sch_tbf net/sched/sch_red net/sched/sch_codel net/sched/sch_fq_codel drivers/net/veth; do
	[ -e $modules/$module.ko ] && busybox insmod $modules/$module.ko
done
ip netns add far || fail "no namespaces"
ip link add v0 type veth peer name v1 netns far || fail "no veth"
ip link set lo up
ip link set v0 up
ip -n far link set v1 up
ip addr add 10.0.0.1/24 dev v0
ip -n far addr add 10.0.0.2/24 dev v1
busybox ping -c 1 -W 5 10.0.0.2 >/dev/null || fail "nobody there"
# red MIN MAX P: a fresh one behind a line of 10 Mb/s.
red() {
	tc qdisc del dev v0 root 2>/dev/null
	tc qdisc add dev v0 root handle 1: tbf rate ${4:-10mbit} burst 3000 limit 10mb
	tc qdisc add dev v0 parent 1:1 handle 10: red limit 400000 min $1 max $2 probability $3 avpkt 1000 burst 50 bandwidth 10mbit ecn
}
plan() {
	cat >plan.ini <<PLAN
[keeper]
driver = tc(rate=10Mbps)
tune = $1
interval = 50ms
guard = 0
journal = /run/plan.journal
socket = /run/keeper.sock
[limits]
min-from = 1KB
max-from = 1KB
min-interval = 0s
writes = 60000
step = ${2:-100%}
p-step = 100%
[profile v0]
queue = v0 10:
PLAN
}
# has TEXT: the discipline is so within five seconds.
has() {
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do
		tc -d qdisc show dev v0 | grep -q "$1" && return
		sleep 0.2
	done
	fail "expected $1"
}
begin() {
	$weir keeper plan.ini >log 2>err &
	keeper=$!
}
end() {
	kill -TERM $keeper
	wait $keeper || fail "the keeper ended with $?"
}
# talk COUNT PAUSE: datagrams of 400 bytes to nobody.
talk() {
	exec bash -c 'text=$(printf %400s); for ((i = 0; i < $0; i++)); do echo -n "$text" >/dev/udp/10.0.0.2/9; [ $1 = 0 ] || sleep $1; done' "$@" 2>/dev/null
}
# The counters must move: the keeper waits for that.
chat() {
	talk 1000 0.02 &
	chat=$!
}

# --- red: there and back ---
red 50000 150000 0.02
before=$(tc -d qdisc show dev v0 | grep red)
plan "fixed(min=30KB, max=60KB, p=12.5%)"
chat
begin
has "red 10: parent 1:1 limit .* min 30000b max 60000b ecn .*probability 0.125"
end
after=$(tc -d qdisc show dev v0 | grep red)
# But for the limit that is shown, which says 0 after a change.
[ "$(echo "$before" | sed 's/limit [^ ]*//')" = "$(echo "$after" | sed 's/limit [^ ]*//')" ] || fail "before: $before; after: $after"
echo "OK red is turned and put back"

# --- an operator's tc change is theirs ---
begin
has "min 30000b max 60000b"
tc qdisc change dev v0 handle 10: parent 1:1 red limit 400000 min 44000 max 144000 probability 0.02 avpkt 1000 burst 50 bandwidth 10mbit ecn
sleep 0.5
end
has "min 44000b max 144000b"
grep -q '"event":"yield"' log || fail "no word of yielding"
echo "OK an operator's change is left"

# --- killed, and restored ---
red 50000 150000 0.02
begin
has "min 30000b max 60000b"
kill -9 $keeper
wait $keeper 2>/dev/null
$weir keeper restore plan.ini >log 2>err || fail "restore"
has "min 50000b max 150000b"
echo "OK restored after kill -9"
kill $chat 2>/dev/null

# --- packets that wait stay: a line of 20 kb/s, and a hundred of them ---
red 50000 150000 0.02 20kbit
(talk 100 0)
waiting=$(tc -s qdisc show dev v0 | grep -A3 'red 10:' | sed -n 's/.*backlog [^ ]* \([0-9]*\)p.*/\1/p')
[ "$waiting" -gt 5 ] || fail "nothing waits: $waiting"
begin
has "min 30000b max 60000b"
still=$(tc -s qdisc show dev v0 | grep -A3 'red 10:' | sed -n 's/.*backlog [^ ]* \([0-9]*\)p.*/\1/p')
drops=$(tc -s qdisc show dev v0 | grep -A3 'red 10:' | sed -n 's/.*dropped \([0-9]*\).*/\1/p')
end
[ "$still" -gt 3 ] && [ "$drops" = 0 ] || fail "a change lost packets: $waiting waited, $still wait, $drops were dropped"
echo "OK $waiting packets waited before the change, $still after it, none was dropped"

# --- what it is for: real connections, marked sooner, a shorter queue ---
if command -v iperf3 >/dev/null; then
	red 50000 150000 0.02
	echo 1 >/proc/sys/net/ipv4/tcp_ecn
	ip netns exec far sh -c 'echo 1 >/proc/sys/net/ipv4/tcp_ecn'
	TMPDIR=/run ip netns exec far iperf3 -s >/dev/null 2>&1 &
	sleep 0.5
	TMPDIR=/run iperf3 -c 10.0.0.2 -P 4 -t 60 >/dev/null 2>&1 &
	load=$!
	# backlog: the mean of twenty looks.
	backlog() {
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
			tc -s qdisc show dev v0 | grep -A3 'red 10:' | sed -n 's/.*backlog \([0-9]*\)b .*/\1/p; s/.*backlog \([0-9]*\)Kb .*/\1000/p'
			sleep 0.1
		done | awk '{ sum += $1 } END { printf "%d\n", sum / NR }'
	}
	sleep 3
	long=$(backlog)
	plan "fixed(min=3KB, max=9KB, p=50%)"
	begin
	has "min 3000b max 9000b"
	sleep 1
	short=$(backlog)
	marked=$(tc -s qdisc show dev v0 | sed -n 's/.*marked \([0-9]*\).*/\1/p')
	end
	kill $load
	[ "$short" -lt $((long / 2)) ] && [ "$marked" -gt 10 ] || fail "the queue was $long bytes and is $short, $marked marked"
	echo "OK a queue of $long bytes became one of $short; $marked packets were marked"
fi

# --- codel and fq_codel: a time ---
for kind in codel fq_codel; do
	tc qdisc del dev v0 root
	tc qdisc add dev v0 root handle 10: $kind ce_threshold 20ms || fail "no $kind"
	plan "fixed(min=6250B, max=6250B, p=1)"
	chat
	begin
	has "$kind 10: .*ce_threshold 5ms" # 6250 bytes at 10 Mb/s
	end
	has "$kind 10: .*ce_threshold 20ms"
	kill $chat 2>/dev/null
	echo "OK $kind is turned and put back"
done
tc qdisc del dev v0 root
tc qdisc add dev v0 root handle 10: pfifo limit 100
begin
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
	grep -q "v0 has 'pfifo'; only red, codel and fq_codel can be turned" log && break
	sleep 0.2
done
end
grep -q "v0 has 'pfifo'" log || fail "pfifo is no trouble?"
echo "OK all"
busybox poweroff -f
END
chmod +x "$dir/init"
cp "$weir" "$dir/weir" && sed -i "s|^weir=.*|weir=$dir/weir|" "$dir/init"
timeout "${UML_SECONDS:-300}" linux.uml mem=512M root=/dev/root rootfstype=hostfs rootflags=/ ro quiet \
	init="$dir/init" con=null con0=fd:0,fd:1 </dev/null >"$dir/out" 2>&1
grep -a '^OK' "$dir/out"
grep -aq '^OK all' "$dir/out" && exit 0
grep -av '^OK' "$dir/out" | tail -40
exit 1
