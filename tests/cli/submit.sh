# SPDX-License-Identifier: BSD-3-Clause
# weir submit and status as their user meets them, with an sbatch and a squeue that only pretend (tests/cluster/slurm.sh
# has real ones): the script, shards that end early, the same command again, one folder in the end.
set -u
. tests/ask.sh

prints() {
	grep -qF -e "$1" out || fail "stdout must contain: $1"
}

cat >mine.ini <<'END'
# How full is it?
[network]
topology = star
hosts = 5
[traffic bulk]
pattern = many-to-one
size = 50KB
[sweep]
switch.marking = none, ecn(k=20pkts)
seed = 1..4
END
mkdir bin
export DIR="$dir" PATH="$dir/bin:$PATH"
# sbatch: does the tasks of the array at once, but for those that are named in the file "lost".
cat >bin/sbatch <<'END'
#!/bin/sh
[ "$1" = --parsable ] || exit 9
folder=$(dirname "$2")
for task in $(sed -n 's/^#SBATCH --array=//p' "$2" | tr , '\n' | awk -F- '{ for (i = $1; i <= ($2 ? $2 : $1); i++) print i }'); do
	echo "$task" >>"$DIR/tasks"
	grep -qx "$task" "$DIR/lost" 2>/dev/null && echo "node7: lost" >"$folder/$task.log" && continue
	SLURM_ARRAY_TASK_ID=$task sh "$2" >"$folder/$task.log" 2>&1
done
echo "a word of the site"
echo "77;here"
END
cat >bin/squeue <<'END'
#!/bin/sh
[ -e "$DIR/queue" ] && exec cat "$DIR/queue"
echo "slurm_load_jobs error: Invalid job id specified" >&2
exit 1
END
cat >bin/sacct <<'END'
#!/bin/sh
echo "77_2|NODE_FAIL"
END
chmod +x bin/*
expect 0 run mine.ini --quiet --out alone

expect 2 submit mine.ini
message "submit: no cluster manager; add --slurm"
expect 2 submit mine.ini --slurm --sbatch=partition
message "--sbatch: 'partition' is not an option of sbatch; write --sbatch=--partition=long"
sed '/^\[sweep\]/,$d' mine.ini >one.ini
expect 2 submit one.ini --slurm
message "one.ini: is one run; what is submitted is a [sweep]"
expect 2 status
message "no folder here ends in .shards; name one, or make one by 'weir submit'"
expect 2 status alone
message "alone.shards: nothing was submitted from it"

# --- the script ---
expect 0 submit mine.ini --slurm --shards 3 --dry-run --jobs 2 --threads 2 --set "network.hosts=6" --cc "dctcp(g=1/8)"
[ ! -e mine.results.shards ] || fail "a rehearsal writes nothing"
prints "#SBATCH --array=1-3"
prints "#SBATCH --cpus-per-task=4"
prints "run 'mine.ini' '--set' 'network.hosts=6' '--cc' 'dctcp(g=1/8)' --jobs 2 --threads 2 --quiet --shard \"\$SLURM_ARRAY_TASK_ID/3\" --out 'mine.results.shards'/\"\$SLURM_ARRAY_TASK_ID\""
expect 0 submit mine.ini --slurm --dry-run
prints "#SBATCH --array=1-8"
prints "#SBATCH --mem=300M"
prints "#SBATCH --time=6"

# --- one shard is lost, and done by the same command ---
echo 2 >lost
expect 0 submit mine.ini --slurm --shards 3 --out "it's"
prints "job 77: 3 shards of 3, 8 runs in total; 'weir status it's.shards' shows the progress"
expect 1 status
message "the same 'weir submit' command resubmits what ended early"
prints "job 77: 5 of 8 runs; of 3 shards 2 done, 0 under way, 0 waiting, 1 ended early"
prints "shard 2: ended with 0 of 3 runs, NODE_FAIL; it's.shards/2.log: node7: lost"
prints "it's: 5 of 8 runs, 5 of them new"
printf '2|PENDING|(Resources)\n' >queue
expect 0 status "it's"
prints "of 3 shards 2 done, 0 under way, 1 waiting (Resources), 0 ended early"
expect 1 submit mine.ini --slurm --out "it's"
message "job 77 has 1 shard in the queue; 'weir status it's.shards' shows the progress, 'scancel 77' ends it"
rm queue lost tasks
expect 2 submit mine.ini --slurm --out "it's" --shards 4
expect 0 submit mine.ini --slurm --out "it's"
[ "$(cat tasks)" = 2 ] || fail "only what is missing is done again"
expect 0 status "it's.shards" --wait
prints "job 77: 8 of 8 runs; of 3 shards 3 done, 0 under way, 0 waiting, 0 ended early"
prints "it's: 8 of 8 runs, 3 of them new"
expect 0 merge alone "it's" --out joined
prints "joined: 8 of 8 runs, 8 of them new; 8 were found again, and are the same"
expect 0 submit mine.ini --slurm --out "it's"
prints "it's: all 8 runs are complete"

# --- no Slurm, and one that says no ---
printf '#!/bin/sh\necho "sbatch: error: invalid partition" >&2\nexit 1\n' >bin/sbatch
expect 1 submit mine.ini --slurm --out other
message "sbatch: sbatch: error: invalid partition"
rm bin/sbatch
if ! command -v sbatch >/dev/null; then
	expect 1 submit mine.ini --slurm --out other
	message "sbatch: there is no such command here; is this a machine of the cluster?"
fi
expect 2 status other
message "other.shards: nothing was submitted from it"
