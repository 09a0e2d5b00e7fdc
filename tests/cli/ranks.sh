# SPDX-License-Identifier: BSD-3-Clause
# One run shared by several processes: the same bytes, one that shows, what is refused; and a rank that is lost.
set -u
. tests/ask.sh

cat >mine.ini <<'END'
# How full is it?
[network]
topology = leaf-spine
leaves = 4
hosts-per-leaf = 2
spines = 2
[switch]
marking = ecn(k=10pkts)
[host]
cc = dctcp
[traffic pairs]
pattern = permutation
size = 50KB
[measure]
probe = queue leaf3->h7 every 10us
END

# What does not depend on the machine.
digest() {
	grep -v '"cpu_seconds"\|"peak_rss_bytes"\|"wall_seconds"\|"packet_hops_per_cpu_second"' "$1" | cksum
}

says() {
	grep -qF -e "$1" err || fail "stderr must contain: $1"
}

expect 0 run mine.ini --quiet --json one.json
for ranks in 2 3; do
	expect 0 run mine.ini --ranks $ranks --threads 2 --quiet --json "$ranks.json"
	[ "$(digest one.json)" = "$(digest "$ranks.json")" ] || fail "$ranks ranks give something else"
done
expect 0 run mine.ini --ranks 2
[ "$(grep -c "flows completed" out)" = 1 ] || fail "one rank shows the table"
grep -q '^weir: 2 ranks (processes of this machine) met [0-9]* times' err || fail "what it cost"

# Into a folder, a sweep as well.
expect 0 run mine.ini --out alone --quiet
expect 0 run mine.ini --out shared --ranks 2 --quiet
for folder in alone shared; do
	expect 0 export $folder --csv $folder.csv
done
for part in flows ports series reasons; do
	cmp alone.csv/$part.csv shared.csv/$part.csv || fail "$part of the folder differ"
done

expect 2 run mine.ini --ranks 5
says "this network has 4 such: too few for 5 ranks; take fewer, or --threads"
expect 2 run mine.ini --ranks none
says "--ranks: 'none' is neither a number from 1 to 64 nor mpi"
expect 2 run mine.ini --ranks 2 --pcap 'leaf0->h0=x.pcapng'
says "--ranks: captures need a single process; use --threads, or leave --pcap out"
expect 2 run mine.ini --ranks mpi
says "--ranks mpi: "

# One that is lost ends the others, whichever it is. The run is longer than anybody waits.
for lost in other first; do
	"$weir" run mine.ini --ranks 2 --set traffic.pairs.size=unlimited --set measure.to=100s --quiet \
		--json never.json >out 2>err &
	first=$!
	other=
	while [ -z "$other" ]; do
		other=$(cat /proc/$first/task/$first/children 2>/dev/null)
	done
	if [ $lost = other ]; then
		kill -9 $other
	else
		kill -9 $first
	fi
	wait $first
	status=$?
	if [ $lost = other ]; then
		[ $status = 1 ] || fail "status $status where rank 1 is lost"
		grep -q "^weir: rank 1 of 2 is gone (.*), so that rank 0 ends without a result" err ||
			fail "which rank is lost"
	else
		while kill -0 $other 2>/dev/null; do :; done
		grep -q "^weir: rank 0 of 2 is gone (.*), so that rank 1 ends without a result" err ||
			fail "which rank is lost"
	fi
	[ ! -e never.json ] || fail "a result of a run that was not done"
done
