# SPDX-License-Identifier: BSD-3-Clause
# hosts.sh -- for scripts here that have a switch between hosts, called $bed, as many as $host_count says: namespaces $host1, $host2, ...
# with an address 10.99.0.N on eth0, whose cable ends at vN in $sw; $weir, a folder $dir, and $switch, the process that runs, if
# one does. All of it goes when the script ends. Hosts leave the cutting of packets to nobody: see docs/manual/09-real-packets.md. Needs root.
weir=$(realpath "${WEIR:-./weir}")
[ "$(id -u)" = 0 ] || { echo "bench/$bed.sh: network namespaces need root"; exit 1; }
dir=$(mktemp -d)
sw=weir-$bed-sw
switch=
hosts=
clean() {
	[ -n "$switch" ] && kill "$switch" && wait "$switch"
	for name in $sw $hosts; do
		ip netns del "$name" 2>/dev/null
	done
	rm -rf "$dir"
}
trap clean EXIT
ip netns add "$sw" || exit 1
for number in $(seq "$host_count"); do
	host=weir-$bed-$number
	hosts="$hosts $host"
	eval "host$number=$host"
	ip netns add "$host" || exit 1
	ip link add "v$number" netns "$sw" type veth peer name eth0 netns "$host"
	ip -n "$host" link set eth0 address "02:00:00:00:00:0$number" gso_max_segs 1
	ip netns exec "$host" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv4.tcp_ecn=1
	ip -n "$host" addr add "10.99.0.$number/24" dev eth0
	ip -n "$host" link set eth0 up
	ip -n "$sw" link set "v$number" up
done
