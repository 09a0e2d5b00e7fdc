#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# One run shared by the processes of one mpirun: the same bytes as on one process, in a file and in a folder.
set -u
. tests/ask.sh

net='[network]
topology = leaf-spine
leaves = 4
hosts-per-leaf = 2
spines = 2
delay = 2us
[traffic crowd]
pattern = many-to-one
senders = 5
size = 40KB
[traffic pairs]
pattern = permutation
size = 60KB'
pause='buffer = 300KB
buffer-per = switch
lossless = all'
printf '# Marks\n%s\n[switch]\nmarking = ecn(k=10pkts)\n[host]\ncc = dctcp\n[measure]\nprobe = queue leaf3->h7 every 10us\n' "$net" >marks.ini
printf '# Pauses\n%s\n[switch]\nmarking = red(min=5KB, max=20KB, p=10%%)\n%s\n[host]\ncc = dcqcn\n' "$net" "$pause" >pauses.ini
printf '# Telemetry\n%s\n[switch]\nmarking = none\n%s\n[host]\ncc = hpcc\n' "$net" "$pause" >telemetry.ini
printf '# An agent\n%s\n[switch]\nmarking = red(min=5KB, max=200KB, p=1%%)\ntune = qla\n[host]\ncc = dctcp\n' "$net" >agent.ini

# What does not depend on the machine.
digest() {
	grep -v '"cpu_seconds"\|"peak_rss_bytes"\|"wall_seconds"\|"packet_hops_per_cpu_second"' "$1" | cksum
}

# mpi N ARGUMENT...
mpi() {
	count=$1
	shift
	mpirun --allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1 -n "$count" "$weir" "$@" >out 2>err
	status=$?
}

for what in marks pauses telemetry agent; do
	expect 0 run $what.ini --quiet --json one.json
	for n in 2 3; do
		for threads in 1 2; do
			mpi $n run $what.ini --ranks mpi --threads $threads --quiet --json many.json
			[ $status = 0 ] || fail "$what on $n ranks: status $status"
			[ "$(digest one.json)" = "$(digest many.json)" ] || fail "$what differs on $n ranks of $threads threads"
		done
	done
done

expect 0 run marks.ini --quiet --out alone
mpi 3 run marks.ini --quiet --out shared --ranks mpi
[ $status = 0 ] || fail "into a folder: status $status"
expect 0 merge alone shared --out joined
grep -qF "1 of 1 runs, 1 of them new; 1 were found again, and are the same" out || fail "the folders differ"

mpi 5 run marks.ini --ranks mpi
[ $status = 2 ] || fail "more ranks than racks: status $status"
[ "$(grep -c '^weir: ' err)" = 1 ] || fail "one sentence of one rank"
mpi 2 run marks.ini --ranks 2
grep -qF "with --ranks mpi they share each run" err || fail "which word it is"
echo "one run on 2 and 3 ranks of 1 and 2 threads over Open MPI: four scenarios and a folder, all equal"
