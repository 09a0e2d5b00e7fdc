# weir run --pcap: tshark reads the capture, finds nothing malformed, and sees CE where the simulator
# marked.
set -eu
weir=${WEIR:-./weir}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
	echo "$*"
	exit 1
}

# count FILTER: packets of the capture that match.
count() {
	tshark -r "$dir/port.pcapng" -Y "$1" 2>/dev/null | wc -l
}

cat >"$dir/mine.ini" <<'END'
# What passes a busy port?
[network]
topology = star
hosts = 4
rate = 10Gbps
delay = 5us

[switch]
marking = ecn(k=10pkts)
buffer = 40pkts

[host]
handshake = yes

[traffic bulk]
pattern = many-to-one
senders = 3
size = 300KB
END

"$weir" run "$dir/mine.ini" --quiet --json "$dir/out.json" --csv "$dir/csv" \
	--pcap "sw->h0=$dir/port.pcapng" --pcap "sw->h1=$dir/acks.pcapng"
# ports.csv: column by name, of the row of the port
column() {
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
		NR > 1 && /sw->h0/ { print $c[name] }' "$dir/csv/ports.csv"
}
sent=$(column tx_pkts)
marks=$(column marks)
[ "$marks" -gt 0 ] || fail "nothing was marked: the test shows nothing"
[ "$(count frame)" = "$sent" ] || fail "$(count frame) packets in the capture, $sent sent"
[ "$(count 'ip.dsfield.ecn == 3')" = "$marks" ] ||
	fail "$(count 'ip.dsfield.ecn == 3') packets with CE, $marks marked"
[ "$(count 'tcp.flags.syn == 1')" = 3 ] || fail "not three SYNs"
[ "$(count '_ws.malformed || ip.checksum.status == 0')" = 0 ] || fail "malformed packets"
[ "$(tshark -r "$dir/acks.pcapng" -Y 'tcp.flags.ece == 1' 2>/dev/null | wc -l)" -gt 0 ] ||
	fail "no ACK echoes a mark"
