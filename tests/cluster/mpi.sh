#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Many processes of one mpirun: what they leave is what one machine leaves, by digest; ranks that are killed at random
# moments cost the runs they had begun; what cannot be shared is refused. MOMENTS says how many are killed, SEED when.
set -u
house=$(pwd)
. tests/ask.sh
MOMENTS=${MOMENTS:-30}
SEED=${SEED:-$$}

# mpi N OPTION... -- ARGUMENT...: into out and err; the exit status is in $status.
mpi() {
	count=$1
	options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	mpirun --allow-run-as-root --oversubscribe "${options[@]}" -n "$count" "$weir" "$@" >out 2>err
	status=$?
}

# same FOLDER FOLDER: the same runs, and the same in each of them.
same() {
	rm -rf joined
	expect 0 merge "$1" "$2" --out joined
	grep -qF "$runs of $runs runs, $runs of them new; $runs were found again, and are the same" out || fail "$1 and $2 differ"
}

# scenario TIME: 2 cases x 2 values x 3 seeds
scenario() {
	cat <<-END
	# How full is it?
	[network]
	topology = star
	hosts = 9
	[traffic bulk]
	pattern = many-to-one
	senders = 8
	size = unlimited
	[measure]
	to = $1
	probe = queue sw->h0 every 100us
	[case deep]
	switch.buffer = 400pkts
	[case shallow]
	switch.buffer = 100pkts
	[sweep]
	switch.marking = none, ecn(k=20pkts)
	seed = 1..3
	END
}
runs=12

# --- the same as on one machine ---
scenario 5ms >short.ini
expect 0 run short.ini --quiet --out alone
for n in 2 4; do
	mpi $n -- run short.ini --quiet --out "ranks$n"
	[ $status = 0 ] || fail "$n ranks: exit status $status"
	same alone "ranks$n"
done
mpi 3 -- run short.ini --out ranks2
grep -qF "ranks2: 12 runs, 0 of them new" out || fail "what is there is not done again"
mpi 2 -- run short.ini --out ranks2 --again --quiet
same alone ranks2
mpi 3 -- run short.ini --shard 2/3 --threads 2 --quiet
expect 1 merge short.2-of-3.results --out part
grep -qF "part: 4 of 12 runs" out || fail "a shard by ranks"
echo "equal stores: 2 and 4 ranks, again, a shard"

# --- searching, figures, learning ---
choose="choose short.ini --set sweep.switch.marking=ecn --set case=deep --goal queue_mean_pkts --over switch.marking.k=5pkts..80pkts --budget 30 --seeds 1"
"$weir" $choose --out chosen >alone.out 2>err || fail "choose alone"
mpi 3 -- $choose --out chosen3
[ $status = 0 ] || fail "choose on 3 ranks"
diff <(sed 's/^chosen3*:/X:/' alone.out) <(sed 's/^chosen3*:/X:/' out) >&2 || fail "3 ranks choose otherwise"
mkdir -p papers/made
scenario 2ms | sed 's/^\[case deep\]/[measure-end]/; /^\[measure-end\]/,/^switch.buffer = 100pkts/d' >papers/made/fig1.ini
cat >papers/made/fig1.claims <<'END'
[figure]
title = A queue
paper = Nobody, nowhere
[panel queue]
kind = bars
y = queue_mean_pkts
[claim less]
says = marking keeps it short
section = 1
metric = queue_mean_pkts
of = switch.marking=ecn(k=20pkts)
over = switch.marking=none
range = 0..1
END
expect 0 reproduce made/fig1 --papers papers --out one
cp out alone.out
mpi 3 -- reproduce made/fig1 --papers papers --out two
[ $status = 0 ] || fail "reproduce on 3 ranks"
diff <(sed 's/^one/X/' alone.out) <(sed 's/^two/X/' out) >&2 || fail "3 ranks reproduce otherwise"
runs=6 && same one/made/fig1 two/made/fig1 && runs=12
cat >star.ini <<'END'
# What is a setting worth?
[network]
topology = star
hosts = 5
[switch]
marking = red
tune = acc(policy=untrained)
buffer = 1MB
[traffic long]
pattern = many-to-one
senders = 4
size = unlimited
[measure]
from = 5ms
to = 20ms
port = sw->h0
END
for n in 1 2 3; do
	mpi $n -- train acc --scenario star.ini --steps 800 --episodes 5 --judge 2 --judge-every 4 --quiet -o "$n.model"
	[ $status = 0 ] || fail "train on $n ranks: exit status $status"
	cmp 1.model "$n.model" || fail "$n ranks learn another model"
	cmp 1.model.csv "$n.model.csv" || fail "$n ranks have another curve"
done
echo "the same by 3 ranks: choose, reproduce; by 2 and 3: train"

# --- what is refused, once ---
# refused TEXT ARGUMENT...: exit status 2, and one line of ours
refused() {
	text=$1
	shift
	mpi 3 -- "$@"
	[ $status = 2 ] || fail "weir $*: exit status $status"
	[ "$(grep ^weir: err)" = "weir: $text" ] || fail "expected once: weir: $text"
}
refused "table: is done by one process, but 3 were started; leave mpirun out" table alone
sed '/^\[case/,$d' short.ini >one.ini
refused "one.ini: is one run, but 3 processes were started; several do the runs of a [sweep], and with --ranks mpi share one" run one.ini
refused "--jobs: with mpirun the number of parallel runs is its -n" run short.ini --jobs 2
refused "unknown trainer 'acb'; there are acc, fdcc, rl-cc (nearest: acc)" train acb -o x.model
refused "run: unknown option '--tread'; there are $("$weir" run x --tread 2>&1 | sed 's/.*; there are //')" run short.ini --tread 2
# Built without Open MPI, the program says so.
for part in "$house"/sim/parallel/mpi_*.c; do
	gcc -std=c11 -I"$house/include" -I"$house" -c -o "$(basename "$part" .c).o" "$part" || exit 1
done
gcc -o without "$house/build/release/cli/main.o" ./*.o "$house/build/release/libhouse.a" "$house/build/release/libweir.a" \
	-lsqlite3 $(pkg-config --libs --silence-errors hiredis libbpf || pkg-config --libs --silence-errors hiredis) -lm -pthread || exit 1
mpirun --allow-run-as-root --oversubscribe -n 3 ./without run short.ini --out none 2>&1 | grep ^weir: >err
[ "$(cat err)" = "weir: 3 processes were started, but this program was built without Open MPI; install libopenmpi-dev and make it again, or start one process" ] ||
	fail "without Open MPI several processes must be refused"
[ ! -e none ] || fail "what was refused has written something"
./without run short.ini --quiet --out without.results || fail "without Open MPI one process must do"
same alone without.results
# A program with other sources gives results of its own: nobody mixes them.
sed 's/\(version_sources\[\] = "\)[0-9a-f]*/\1000000000000/' "$house/build/version.c" >version.c
gcc -std=c11 -I"$house" -c -o version.o version.c || exit 1
gcc -o foreign "$house/build/release/cli/main.o" ./*.o "$house/build/release/libhouse.a" "$house/build/release/libweir.a" \
	-lsqlite3 $(pkg-config --libs --silence-errors hiredis libbpf || pkg-config --libs --silence-errors hiredis) -lm -pthread || exit 1
./foreign run short.ini --quiet --out foreign.results || fail "the foreign program must run"
expect 1 merge alone foreign.results --out none
grep -q '^weir: foreign.results: was made by another program ([0-9.]*+000000000000) than alone (' err || fail "another program must be named"
[ ! -e none ] || fail "a refused merge has written something"
# A crash, or an end, of a run is that run's: a rank outlives it.
sed 's/^static uint32_t mine_enqueue.*/#include <stdlib.h>\n&/; s/^\tstruct mine_state \*s = state;/&\n\n\tif (p->high == p->low) { if (weir_length_is_packets(p->low)) exit(5); abort(); }/' \
	"$house/examples/plugin/mine.c" >mine.c
gcc -std=c11 -shared -fPIC -I"$house/include" -o mine.so mine.c || exit 1
sed 's|^switch.marking = .*|switch.marking = ./mine.so, ./mine.so(high=9pkts, low=9pkts), ./mine.so(high=9KB, low=9KB)|' short.ini >crash.ini
mpi 3 -- run crash.ini --seed 1 --set case=deep --out crashed
[ $status = 1 ] || fail "runs that crash: exit status $status"
grep -qF "crashed: 1 run, 1 of them new" out || fail "the run that is right must be kept"
grep -qF "ended with status 1 and no result" err && grep -qF "killed by signal 6 (Aborted)" err || fail "how they ended must be said"
echo "refused: table, one run, --jobs, mistakes, a program without Open MPI; a foreign one. Crashes cost their runs"

# --- killed ---
scenario 150ms >long.ini
expect 0 run long.ini --quiet --out whole
started=0 killed=0 lost=0 rounds=0
random() { # below N, the K-th
	awk -v seed="$SEED" -v k="$2" -v n="$1" 'BEGIN { srand(seed * 1000 + k); rand(); print int(n * rand()) }'
}
there() {
	sed -n 's/^weir: .* runs* to do, \([0-9]*\) already stored$/\1/p' err
}
# end_of PID: its exit status is in $status. An mpirun of Open MPI 4.1 now and then waits for itself when a process of
# its has been killed while it started; then it is ended here, with those it has left.
hung=0
end_of() {
	for _ in $(seq 150); do
		kill -0 "$1" 2>/dev/null || break
		sleep 0.1
	done
	if kill -0 "$1" 2>/dev/null; then
		kill -9 $(pgrep -P "$1") "$1" 2>/dev/null
		hung=$((hung + 1))
	fi
	wait "$1"
	status=$?
}
draw=0
while [ $killed -lt "$MOMENTS" ]; do
	mpirun --allow-run-as-root --oversubscribe -n 3 "$weir" run long.ini --out struck >out 2>err &
	starter=$!
	started=$((started + 1))
	draw=$((draw + 1))
	sleep "$(random 1500 $draw | awk '{ print 0.1 + $1 / 1000 }')"
	draw=$((draw + 1))
	victim=$(pgrep -P $starter | sed -n "$(($(random 3 $draw) + 1))p")
	if [ -n "$victim" ] && kill -9 "$victim" 2>/dev/null; then
		killed=$((killed + 1))
		end_of $starter
	else
		wait $starter
		status=$?
	fi
	before=$(there)
	# Before the first rank has opened the store it says nothing.
	[ -z "$before" ] || [ "$before" -ge $lost ] || fail "there were $lost runs, now $before (SEED=$SEED)"
	[ -z "$before" ] || lost=$before
	if [ $status = 0 ]; then
		same whole struck
		rm -rf struck
		rounds=$((rounds + 1))
		lost=0
	fi
done
mpi 3 -- run long.ini --quiet --out struck
[ $status = 0 ] || fail "the same command must continue (SEED=$SEED)"
same whole struck
echo "ranks killed: $killed in $started starts; sweeps finished meanwhile: $rounds; all of them equal; mpirun that hung: $hung (SEED=$SEED)"

# --- killed, and mpirun is told to go on: their runs are done by others ---
rm -rf struck
mpirun --allow-run-as-root --oversubscribe --enable-recovery -n 4 "$weir" run long.ini --out struck >out 2>err &
starter=$!
until grep -q 'runs to do' err || ! kill -0 $starter; do
	sleep 0.1
done
# The first of them is the first rank.
for victim in $(pgrep -P $starter | tail -n 2); do
	kill -9 "$victim" || fail "nothing to kill"
done
wait $starter || fail "with --enable-recovery a lost rank is not the end"
same whole struck
echo "ranks lost with --enable-recovery: 2 of 4; the sweep went on to its end, equal"
