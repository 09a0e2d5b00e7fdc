#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# weir view: it waits for a folder that is not there, follows a sweep that is killed and continued, shows what weir report
# writes, only reads, ends by Ctrl-C with status 0, and says clearly what it cannot do. Needs curl; without it only the
# last.
. "$(dirname "$0")/../ask.sh"
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$dir"' EXIT

cat >mine.ini <<'END'
# Is <b>it</b> seen?
[network]
topology = star
hosts = 4
rate = 10Gbps
delay = 2us

[traffic requests]
pattern = incast
senders = 3
size = 20KB
period = 200us

[measure]
to = 20ms
probe = queue sw->h0 every 100us

[sweep]
switch.marking = none, ecn(k=20pkts)
seed = 1..2
END

# view FOLDER OPTION...: in the background, on any port; $at is where.
view() {
	: >view.out # of the view before
	"$weir" view "$@" --port 0 >view.out 2>err &
	server=$!
	: >out
	for _ in $(seq 100); do
		grep -q 'ends it$' view.out && break
		sleep 0.1
	done
	at=$(sed -n 's|^\(http://127\.0\.0\.1:[0-9]*\)/ shows .*; Ctrl-C ends it$|\1|p' view.out)
	[ -n "$at" ] || fail "view $*: $(cat view.out)"
}

# end: as Ctrl-C does.
end() {
	kill -INT "$server"
	wait "$server"
	status=$?
	server=
	[ $status = 0 ] || fail "Ctrl-C: status $status"
	[ ! -s err ] || fail "view complained"
}

# becomes PATH TEXT: it will be there.
becomes() {
	for _ in $(seq 200); do
		curl -s "$at$1" >page
		grep -qF -- "$2" page && return
		sleep 0.1
	done
	cp page out
	fail "$1 never has $2"
}

# What cannot be.
expect 2 view a b
expect 2 view x --port many
expect 2 view x --port 65536
expect 2 view ''
expect 0 view --help
grep -q 'ssh -L' out || fail "its help says how to look from elsewhere"
view none
taken=${at##*:}
expect 1 view none --port "$taken"
message "127.0.0.1:$taken: cannot be listened to: Address already in use"
: >err
command -v curl >/dev/null || {
	end
	skip "the pages: curl is not installed"
}

# Nothing is there: it waits, and makes nothing.
becomes / 'id="state"'
becomes /state.json '{"stamp":"","runs":"","running":null'
becomes /report 'cannot be read: No such file or directory'
becomes /figure 'There is no such page'
curl -s --path-as-is "$at/../mine.ini" >page
grep -q 'There is no such page' page || fail "no path leads to a file"
[ "$(curl -s -o page -w '%{http_code}' -H 'Host: evil.example' "$at/")" = 421 ] || fail "another host's name"
[ "$(curl -s -o page -w '%{http_code}' -d x "$at/")" = 405 ] || fail "GET and HEAD alone"
[ ! -e none ] || fail "it must only read"

# Then it comes, and the same server sees it.
"$weir" run mine.ini --out none --quiet --set seed=1
becomes /state.json '"running":null'
becomes /runs.json '"planned":2,"done":2,"runs":2'
becomes /runs.json '"title":"Is \u003cb\u003eit\u003c/b\u003e seen?"'
becomes /runs.json '{"title":"queue sw-\u003eh0"'
"$weir" run mine.ini --out none --quiet
becomes /runs.json '"planned":4,"done":4,"runs":4'
"$weir" report none -o report.html >out
curl -s "$at/report" >page
cmp page report.html || fail "/report is not what weir report writes"
before=$(cksum <none/results.db)
[ "$(ls none)" = results.db ] || fail "it must leave nothing in the folder"

# A store that is damaged is said to be, and what was right is shown again.
cp none/results.db good.db
head -c 8000 good.db >none/results.db
becomes /runs.json '"error":"none/results.db: '
cp good.db none/results.db
becomes /runs.json '"done":4'
[ "$(cksum <none/results.db)" = "$before" ] || fail "it must only read"
end

# A sweep that is killed in the middle, and continued.
sed -e 's/to = 20ms/to = 60s/' -e 's/every 100us/every 5ms/' -e '/^period/d' -e 's/^pattern.*/pattern = many-to-one/' \
	-e 's/^size.*/size = unlimited/' mine.ini >long.ini
view long.results
"$weir" run long.ini --quiet --jobs 1 2>sweep.err &
sweep=$!
becomes /state.json '"running":{"total":4,"done":0,"failed":0,'
becomes /state.json '"label":"none, seed 1"'
becomes /state.json '"seriesOf":"none, seed 1","series":[{"title":"queue sw-\u003eh0"'
kill -KILL $sweep
wait $sweep 2>wait.err
becomes /state.json '"running":null'
sed -i 's/to = 60s/to = 40ms/' long.ini
"$weir" run long.ini --quiet
becomes /runs.json '"planned":4,"done":4,"runs":4'
end
