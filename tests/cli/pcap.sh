# SPDX-License-Identifier: BSD-3-Clause
# weir run --pcap: tshark reads captures of every kind of traffic and has nothing to object to, with every
# checksum looked at, and sees what the simulator counted: packets, marks, notifications, pauses.
set -eu
weir=${WEIR:-./weir}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
checksums="-o ip.check_checksum:TRUE -o tcp.check_checksum:TRUE -o udp.check_checksum:TRUE"

fail() {
	echo "$*"
	exit 1
}

# count FILE FILTER: packets of a capture that match.
count() {
	tshark -r "$dir/$1.pcapng" $checksums -Y "$2" 2>/dev/null | wc -l
}

# column NAME PORT: of ports.csv, by name.
column() {
	awk -F, -v name="$1" -v port="$2" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
		NR > 1 && index($0, port) { print $c[name] }' "$dir/csv/ports.csv"
}

# capture KIND: runs the scenario on standard input and captures what host 0 gets and sends, in both.pcapng,
# and what host 1 gets, in h1.pcapng; then again with payload. tshark's errors and warnings are in complaints.
capture() {
	kind=$1
	cat >"$dir/mine.ini"
	for whole in "" --pcap-whole; do
		"$weir" run "$dir/mine.ini" --quiet $whole --csv "$dir/csv" --pcap "sw->h0=$dir/down.pcapng" \
			--pcap "h0->sw=$dir/up.pcapng" --pcap "sw->h1=$dir/h1.pcapng"
		mergecap -w "$dir/both.pcapng" "$dir/down.pcapng" "$dir/up.pcapng"
		for file in both h1; do
			tshark -r "$dir/$file.pcapng" $checksums -q -z expert,warn >"$dir/complaints" 2>/dev/null
			[ "$(count $file _ws.malformed)" = 0 ] || fail "$kind, $file: malformed packets"
			[ "$(count $file 'ip.checksum.status == 0 || tcp.checksum.status == 0 ||
				udp.checksum.status == 0')" = 0 ] || fail "$kind, $file: bad checksums"
			# What was lost before the port is missing, and comes later: that is so.
			[ "$kind" != lossy ] || sed -i '/Previous segment(s) not captured/d;
				/out-of-order segment/d; /^Warns/d; /Frequency/d' "$dir/complaints"
			! grep -q '[^ =]' "$dir/complaints" || fail "$kind, $file: $(cat "$dir/complaints")"
		done
	done
	[ "$(count down frame)" = "$(column tx_pkts 'sw->h0')" ] ||
		fail "$kind: $(count down frame) packets, $(column tx_pkts 'sw->h0') sent"
	[ "$(count down 'ip.dsfield.ecn == 3')" = "$(column marks 'sw->h0')" ] ||
		fail "$kind: $(count down 'ip.dsfield.ecn == 3') packets with CE, $(column marks 'sw->h0') marked"
}

star='[network]
topology = star
hosts = 5
rate = 10Gbps
delay = 2us'

capture plain <<END
# Three connections with a handshake, delayed ACKs, and a last segment of one byte
$star
[switch]
marking = ecn(k=10pkts)
buffer = 400pkts
[host]
handshake = yes
packets-per-ack = 2
[traffic bulk]
pattern = many-to-one
senders = 3
size = 292001B
END
[ "$(column marks 'sw->h0')" -gt 0 ] || fail "nothing was marked: the test shows nothing"
[ "$(count h1 'tcp.flags.ece == 1 && tcp.flags.syn == 0')" -gt 0 ] || fail "no ACK echoes a mark"
[ "$(count down 'tcp.flags.syn == 1 && tcp.flags.ece == 1 && tcp.flags.cwr == 1 && tcp.options.wscale &&
	tcp.options.sack_perm && tcp.options.mss_val == 1460')" = 3 ] || fail "not three SYNs with their options"
[ "$(count up 'tcp.ack == 292002')" -ge 3 ] || fail "the last byte is not acknowledged"
[ "$(count both 'tcp && tcp.checksum.status != 1')" = 0 ] || fail "TCP checksums that are not good"
[ "$(count both 'frame.interface_name == "sw->h0" || frame.interface_name == "h0->sw"')" = \
	"$(count both frame)" ] || fail "interfaces are not named as ports"
capinfos "$dir/down.pcapng" | grep -q '^Capture comment: *Three connections' || fail "no title"

# What was captured comes back as flows, also from the formats that Wireshark's tools write.
"$weir" import "$dir/both.pcapng" | sed 1d >"$dir/pcapng.ini"
grep -qx '# 3 flows of [0-9]* packets; left out: 3 without payload' "$dir/pcapng.ini" || fail "no three flows"
[ "$(grep -c '^flow = [0-9] 1 292001B ' "$dir/pcapng.ini")" = 3 ] || fail "other flows: $(cat "$dir/pcapng.ini")"
editcap -F nsecpcap "$dir/both.pcapng" "$dir/both.pcap"
"$weir" import "$dir/both.pcap" | sed 1d | cmp - "$dir/pcapng.ini" || fail "pcap is read otherwise"

capture persistent <<END
# Several messages on each connection, most of them with a short end
$star
[host]
handshake = yes
[traffic messages]
pattern = list
connections = persistent
flow = 1 0 5001B 0us
flow = 1 0 20B 100us
flow = 1 0 3000B 101us
flow = 2 0 1461B 10us
flow = 1 0 7777B 300us
END
[ "$(count up 'tcp.ack == 15799')" = 1 ] || fail "the last message is not acknowledged"

capture lossy <<END
# A buffer too small for three connections
$star
[switch]
marking = none
buffer = 20pkts
[host]
cc = reno
handshake = yes
[traffic bulk]
pattern = many-to-one
senders = 3
size = 300001B
END
[ "$(count both tcp.options.sack)" -gt 0 ] || fail "no SACK blocks"
[ "$(count both tcp.analysis.retransmission)" -gt 0 ] || fail "nothing was sent again"

capture dcqcn <<END
# Notifications and pauses
$star
[switch]
marking = red(min=20KB, max=80KB, p=10%)
queues = 4
scheduler = dwrr
buffer = 1MB
buffer-per = switch
lossless = all
pfc-alpha = 1/32
[host]
cc = dcqcn
[traffic bulk]
pattern = many-to-one
senders = 4
size = 500001B
class = 3
END
[ "$(count h1 'infiniband.bth.opcode == 0x81')" -gt 0 ] || fail "no notifications"
[ "$(count h1 'macc.opcode == 0x0101 && macc.cbfc.pause_time.c3 == 65535')" -gt 0 ] || fail "no pauses"
[ "$(count h1 'macc.cbfc.pause_time.c3 == 65535')" = "$(count h1 'macc.cbfc.pause_time.c3 == 0')" ] ||
	fail "not every pause ends"
[ "$(count down 'infiniband.reth.dmalen == 500001')" = 4 ] || fail "not four messages"
[ "$(count down 'ip.dsfield.dscp != 3')" = 0 ] || fail "the class is not in the IP header"

capture dscp <<END
# Code points of data, ACKs and notifications, and of first bytes
$star
[switch]
marking = red(min=20KB, max=80KB, p=10%)
queues = 4
scheduler = dwrr
buffer = 1MB
dscp-map = af31:3 af11:1
[traffic bulk]
pattern = many-to-one
senders = 4
size = 500001B
cc = dcqcn
dscp = af31
[traffic web]
pattern = many-to-one
senders = 2
size = 50000B
dscp = af11
first-bytes = 1460B
first-dscp = 0
ack-dscp = cs3
END
[ "$(count h1 'infiniband.bth.opcode == 0x81 && ip.dsfield.dscp == 48')" -gt 0 ] || fail "no notifications of DSCP 48"
[ "$(count h1 'infiniband.bth.opcode == 0x81 && ip.dsfield.dscp != 48')" = 0 ] || fail "notifications of another DSCP"
[ "$(count h1 'infiniband.bth.opcode == 17 && ip.dsfield.dscp != 26')" = 0 ] || fail "ACKs of queue pairs of another DSCP"
[ "$(count down 'infiniband && ip.dsfield.dscp != 26')" = 0 ] || fail "data of queue pairs of another DSCP"
[ "$(count down 'tcp && ip.dsfield.dscp == 0')" = 2 ] || fail "the first packets do not have first-dscp"
[ "$(count down 'tcp && ip.dsfield.dscp == 10')" = 68 ] || fail "others do not have dscp"
[ "$(count up 'tcp && ip.dsfield.dscp != 24')" = 0 ] || fail "ACKs do not have ack-dscp"

capture go-back-n <<END
# Losses of queue pairs
$star
[switch]
marking = none
buffer = 30pkts
[host]
cc = dcqcn
[traffic bulk]
pattern = many-to-one
senders = 4
size = 100001B
END
[ "$(column drops 'sw->h0')" -gt 0 ] || fail "nothing was lost: the test shows nothing"
[ "$(count up 'infiniband.aeth.syndrome == 0x60')" -gt 0 ] || fail "no NAKs"

capture hpcc <<END
# Telemetry in every packet
$star
[switch]
marking = none
buffer = 1MB
buffer-per = switch
lossless = all
[host]
cc = hpcc
[traffic bulk]
pattern = many-to-one
senders = 4
size = 100001B
END
[ "$(count down 'frame.len == 1090')" = 400 ] || fail "full frames are not as long as in the simulation"
[ "$(count up 'frame.len != 90')" = 0 ] || fail "ACKs are not as long as in the simulation"

# mistake MESSAGE ARGUMENT...: status 2, and the message alone.
mistake() {
	message=$1
	shift
	status=0
	"$weir" run "$dir/mine.ini" --quiet "$@" 2>"$dir/err" || status=$?
	[ $status = 2 ] && [ "$(cat "$dir/err")" = "weir: $message" ] || fail "$* must say: $message"
}

mistake "--pcap-whole: needs --pcap PORT=FILE" --pcap-whole
mistake "--pcap: $dir/two.pcapng is the file of two ports, sw->h0 and sw->h1" \
	--pcap "sw->h0=$dir/two.pcapng" --pcap "sw->h1=$dir/two.pcapng"
[ ! -e "$dir/two.pcapng" ] || fail "a file of two ports was written"
