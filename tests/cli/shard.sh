# SPDX-License-Identifier: BSD-3-Clause
# A sweep in shards, and one folder of them again: the same as all at once; what overlaps, is missing, foreign or damaged.
set -u
. tests/ask.sh

cat >mine.ini <<'END'
# How full is it?
[network]
topology = star
hosts = 5
[traffic bulk]
pattern = many-to-one
size = 50KB
[measure]
probe = queue sw->h0 every 10us
[sweep]
switch.marking = none, ecn(k=20pkts)
seed = 1..4
END

prints() {
	grep -qF -e "$1" out || fail "stdout must contain: $1"
}

# What is in a folder, without what depends on the machine.
contents() {
	"$weir" export "$1" --csv "$1.csv" >/dev/null || exit 1
	sed -i '1!s/^\([^,]*,[^,]*,[^,]*,[^,]*\),[^,]*,/\1,/; s/,[^,]*,[^,]*,[^,]*$//' "$1.csv/runs.csv"
	cat "$1.csv"/*.csv
}

expect 0 run mine.ini
for i in 1 2 3; do
	expect 0 run mine.ini --shard $i/3
done
prints "mine.3-of-3.results: 2 runs, 2 of them new"
expect 0 run mine.ini --shard 3/3
prints "mine.3-of-3.results: 2 runs, 0 of them new"
expect 0 merge mine.1-of-3.results mine.2-of-3.results mine.3-of-3.results --out all.results
prints "all.results: 8 of 8 runs, 8 of them new"
contents mine.results >whole
contents all.results >merged
cmp -s whole merged || fail "merged shards are not what the whole sweep gives"

# Overlapping ones, into a folder that has some.
expect 1 merge mine.2-of-3.results mine.2-of-3.results --out more.results
prints "more.results: 3 of 8 runs, 3 of them new; 3 were found again, and are the same"
message "5 of 8 runs are missing; shard 1/3 lacks 3 runs, shard 3/3 lacks 2; run these, and merge again"
expect 0 run mine.ini --shard 1/2 --out half
expect 1 merge half --out more.results
prints "more.results: 6 of 8 runs, 3 of them new; 1 were found again, and are the same"
message "2 of 8 runs are missing; shard 2/2 lacks 2 runs; run these, and merge again"
expect 1 merge half mine.1-of-3.results --out most.results
grep -q 'lacks' err && fail "shards of two divisions have no common numbers"
expect 0 merge mine.results --out most.results
contents most.results >merged
cmp -s whole merged || fail "what was merged in parts is not the whole"

# What is no shard, and what is of another sweep.
expect 2 run mine.ini --shard 4/3
message "--shard: '4/3' is no shard; 3/16 is the third of sixteen, and there are at most 100000"
for text in 0/3 1 1/ /3 1/2x 1/0 99999999999/99999999999; do
	expect 2 run mine.ini --shard "$text"
done
sed '/^\[sweep\]/,$d' mine.ini >one.ini
expect 2 run one.ini --shard 1/2
message "--shard: needs a sweep; this is one run"
expect 2 merge mine.results
message "merge: --out FOLDER is missing"
expect 2 merge mine.results --out mine.results
message "--out mine.results: is one of the folders to be merged; name another"
expect 0 run mine.ini --seed 9 --out foreign.results
expect 1 merge mine.1-of-3.results foreign.results --out none.results
message "foreign.results: holds another sweep (2 runs, How full is it?) than mine.1-of-3.results (8 runs, How full is it?); only shards of one scenario, with the same settings, are merged"
expect 1 merge mine.1-of-3.results --out foreign.results
[ ! -e none.results ] || fail "a refused merge has written something"
expect 1 merge mine.1-of-3.results nowhere --out none.results
printf 'x' | dd of=mine.1-of-3.results/results.db bs=1 seek=3000 conv=notrunc 2>/dev/null
printf 'no store' >half/results.db
expect 1 merge mine.2-of-3.results half --out none.results
message "half/results.db: is no results store, or its beginning is damaged"
[ ! -e none.results ] || fail "a refused merge has written something"

# Several processes of one mpirun are one thing or nothing.
OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=0 expect 2 table mine.results
message "table: is done by one process, but 4 were started; leave mpirun out"
# The others end well, or mpirun would end the one that speaks.
OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=3 expect 0 table mine.results
[ ! -s out ] || fail "only the first shows anything"
[ ! -s err ] || fail "one of the processes is enough to say it"
