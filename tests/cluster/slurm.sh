#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A Slurm of one node, with munge, started here and ended here: sweeps as array jobs leave what one machine leaves; a
# drained node, a killed shard, a full disk on one of them and a cancelled job are named, and the same command goes on.
# Needs root: it has daemons of its own, and mounts a small disk.
set -u
. tests/ask.sh
[ "$(id -u)" = 0 ] || {
	echo "left out: only root can start Slurm's daemons"
	exit 77
}

# --- the cluster ---
node=$(hostname -s)
port=$((20000 + $$ % 20000))
mkdir -m 700 "$dir/munge" "$dir/state" "$dir/spool" "$dir/log"
dd if=/dev/urandom of="$dir/munge/key" bs=1024 count=1 2>/dev/null
chmod 600 "$dir/munge/key"
chmod 755 "$dir"
export SLURM_CONF=$dir/slurm.conf
cat >"$SLURM_CONF" <<END
ClusterName=rehearsal
SlurmctldHost=$node(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/log/slurmctld
SlurmdLogFile=$dir/log/slurmd
SlurmctldPort=$port
SlurmdPort=$((port + 1))
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=100000
ReturnToService=2
KillWait=2
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=2000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
end() {
	scancel --quiet --user=root 2>/dev/null
	for name in slurmd slurmctld munge/; do
		file=$dir/${name}pid
		[ -e "$dir/$name.pid" ] && file=$dir/$name.pid
		[ -e "$file" ] && kill "$(cat "$file")" 2>/dev/null
	done
	sleep 0.5
	umount "$dir/small" 2>/dev/null
	cd / && rm -rf "$dir"
}
trap end EXIT
munged --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/munge/pid" \
	--log-file="$dir/munge/log" --seed-file="$dir/munge/seed" || exit 1
slurmctld -c -f "$SLURM_CONF" || exit 1
slurmd -f "$SLURM_CONF" || exit 1
for _ in $(seq 100); do
	sinfo -h -o %T 2>/dev/null | grep -q idle && break
	sleep 0.2
done
sinfo -h -o %T 2>/dev/null | grep -q idle || {
	tail "$dir"/log/*
	echo "Slurm did not start"
	exit 1
}

cat >mine.ini <<'END'
# How full is it?
[network]
topology = star
hosts = 9
[traffic bulk]
pattern = many-to-one
senders = 8
size = unlimited
[measure]
to = 10ms
[sweep]
switch.marking = none, ecn(k=20pkts)
seed = 1..6
END
prints() {
	grep -qF -e "$1" out || fail "stdout must contain: $1"
}
same() {
	rm -rf joined
	expect 0 merge "$1" "$2" --out joined
	prints "12 of 12 runs, 12 of them new; 12 were found again, and are the same"
}
# until_state STATE: squeue knows a task in it
until_state() {
	for _ in $(seq 100); do
		squeue -h -r -o %T | grep -q "$1" && return
		sleep 0.1
	done
	fail "no task is $1: $(squeue -h -r)"
}
expect 0 run mine.ini --quiet --out alone

# --- submitted, followed, merged ---
expect 0 submit mine.ini --slurm --shards 4 --dry-run --set seed=1..2 --sbatch=--comment=x
prints '#SBATCH --array=1-4'
prints '#SBATCH --comment=x'
prints "run 'mine.ini' '--set' 'seed=1..2' --jobs 1 --threads 1 --quiet --shard \"\$SLURM_ARRAY_TASK_ID/4\""
[ ! -e mine.results.shards ] || fail "a rehearsal writes nothing"
expect 0 submit mine.ini --slurm --shards 4
prints "4 shards of 4, 12 runs in total; 'weir status mine.results.shards' shows the progress"
expect 0 status --wait
prints "12 of 12 runs; of 4 shards 4 done, 0 under way, 0 waiting, 0 ended early"
same alone mine.results
expect 0 submit mine.ini --slurm
prints "all 12 runs are complete"
expect 2 submit mine.ini --slurm --shards 5
grep -qF "holds 12 runs in 4 shards, and this would be 12 in 5" err || fail "another division"
echo "submitted, followed, merged: equal"

# --- a drained node ---
scontrol update NodeName="$node" State=DRAIN Reason=rehearsal || fail "drain"
expect 0 submit mine.ini --slurm --shards 3 --out drained
until_state PENDING
expect 0 status drained
prints "0 of 12 runs; of 3 shards 0 done, 0 under way, 3 waiting ("
expect 1 submit mine.ini --slurm --out drained
grep -qF "has 3 shards in the queue; 'weir status drained.shards' shows the progress" err || fail "twice"
scontrol update NodeName="$node" State=RESUME || fail "resume"
expect 0 status drained.shards --wait
same alone drained
echo "drained node: the job waited, said why, and went on: equal"

# --- a shard that is killed, a job that is cancelled ---
sed 's/to = 10ms/to = 150ms/' mine.ini >long.ini
expect 0 run long.ini --quiet --out long
expect 0 submit long.ini --slurm --shards 2 --out struck
until_state RUNNING
for _ in $(seq 100); do
	victim=$(pgrep -f -- "long.ini.*--shard 1/2 --out struck.shards" | head -n 1)
	[ -n "$victim" ] && [ -e struck.shards/1/results.db ] && break
	sleep 0.05
done
[ -n "$victim" ] && kill -9 "$victim" || fail "nothing to kill"
expect 1 status struck --wait
grep -q '^shard 1: ended with [0-5] of 6 runs' out || fail "the shard must be named"
grep -qF "the same 'weir submit' command resubmits what ended early" err || fail "what to do"
expect 0 submit long.ini --slurm --out struck
prints "1 shard of 2, 12 runs in all"
until_state RUNNING
scancel "$(sed -n 's/^id //p' struck.shards/job)"
expect 1 status struck --wait
expect 0 submit long.ini --slurm --out struck
expect 0 status struck --wait
same long struck
echo "a killed shard and a cancelled job: named, continued, equal"

# --- a full disk on one shard ---
mkdir small full.shards
if mount -t tmpfs -o size=100k tmpfs small; then
	ln -s "$dir/small" full.shards/2
	expect 0 submit mine.ini --slurm --shards 3 --out full
	expect 1 status full --wait
	grep -q '^shard 2: ended with [0-3] of 4 runs; full.shards/2.log: weir: ' out || fail "the shard with the full disk must be named"
	grep -q 'results.db: the disk is full; what was stored before is kept' full.shards/2.log || fail "its log must say why"
	prints "full: "
	rm full.shards/2
	expect 0 submit mine.ini --slurm --out full
	prints "1 shard of 3"
	expect 0 status full --wait
	same alone full
	echo "a full disk on one shard: named, others merged, continued, equal"
else
	echo "left out: no small disk can be mounted here"
fi

# --- processes of a step, and of an mpirun in a job ---
srun -n 2 "$weir" run mine.ini --out step >out 2>err && fail "two processes without PMIx must be refused"
[ "$(grep ^weir: err)" = "weir: 2 processes were started, but not as Open MPI knows them; take its mpirun, or srun --mpi=pmix" ] || fail "srun"
[ ! -e step ] || fail "what was refused has written something"
if srun --mpi=list 2>&1 | grep -q pmix; then
	srun -n 2 --mpi=pmix "$weir" run mine.ini --quiet --out step >out 2>err || fail "srun --mpi=pmix"
	same alone step
	echo "srun --mpi=pmix: equal"
fi
