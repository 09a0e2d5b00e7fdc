/* SPDX-License-Identifier: BSD-3-Clause */
/* config.c -- the option tables of all sections, and a config with their defaults.
 *
 * Parsing, help and limits follow from these tables. Defaults are those of published simulations,
 * so that results with unset keys are comparable: DCTCP with the values of RFC 8257 and RFC 6928,
 * the minimum timeout of the TCN study (Bai et al., CoNEXT 2016). */
#include "config/config.h"
#include "base/memory.h"
#include "config/markings.h"
#include "config/schemes.h"
#include "weir/buffer.h"
#include "weir/units.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest time in a setting: sums of a few times stay far below the end of int64. */
#define LONGEST_PS ((uint64_t)(1000 * WEIR_PS_PER_S))
#define JITTER_MOST_PS ((uint64_t)(1000 * 1000 * WEIR_PS_PER_NS)) /* fits 32 bits */
#define LONGEST_TIMEOUT_PS ((uint64_t)(100 * WEIR_PS_PER_S))
#define SHORTEST_TIMEOUT_PS ((uint64_t)WEIR_PS_PER_NS * WEIR_NS_PER_US)

#define ALPHA_MAX_Q32 (128 * WEIR_ONE_Q32)
#define FIRST_BYTES_MAX (UINT64_C(1000) * 1000 * 1000 * 1000) /* as large as a flow may be */

enum {
	HEADER_MAX_BYTES = 1024,
	WINDOW_MAX_PKTS = 1000 * 1000,
	TSO_MAX_BYTES = 1000 * 1000,
};

_Static_assert(WEIR_BUFFER_PER_QUEUE == 0 && WEIR_BUFFER_PER_PORT == 1 &&
		       WEIR_BUFFER_PER_SWITCH == 2,
	       "the order of buffer_choices");

static const char *const ecmp_choices[] = { "flow", "packet", NULL };
static const char *const buffer_choices[] = { "queue", "port", "switch", NULL };
static const char *const non_ect_choices[] = { "drop", "pass", NULL };
static const char *const loss_choices[] = { "auto", "dupack", "rack", NULL };
static const char *const arbitration_choices[] = { "arrival", "round-robin", NULL };
static const char *const completion_choices[] = { "receiver", "sender", NULL };
static const char *const unfinished_choices[] = { "skip", "part", NULL };
static const char *const recovery_choices[] = { "prr", "immediate", NULL };
static const char *const class_choices[] = { "flow", "sender", "receiver", "pair", NULL };
static const char *const kept_choices[] = { "all", "none", NULL };
static const char *const connection_choices[] = { "auto", "per-flow", "persistent", NULL };

/* The form of a line of repeatable keys. */
static const char *const probe_form[] = { "WHAT TARGET [every TIME]", NULL };
static const char *const fail_form[] = { "NODE NODE TIME", NULL };
static const char *const marking_form[] = { "name(option=value, ...)", NULL };

#define AT(member) offsetof(struct network_config, member)
const struct weir_option network_options[] = {
	{ "topology", WEIR_OPT_SELECTOR, AT(topology), NULL, 0, 0,
	  "which hosts and switches "
	  "there are, and the links "
	  "between them",
	  NULL },
	{ "ecmp", WEIR_OPT_CHOICE, AT(ecmp), "flow", 0, 1,
	  "among equal-cost paths, one is chosen per flow (hash) or per packet (packet spraying)",
	  ecmp_choices },
	{ "reroute-delay", WEIR_OPT_TIME_PS, AT(reroute_delay_ps), "0us", 0, LONGEST_PS,
	  "time from a link failure until senders use other paths", NULL },
	{ "fail", WEIR_OPT_LINES, AT(fails), NULL, 0, 0,
	  "a link that fails, both directions, as in: leaf0 spine1 10ms", fail_form },
	{ .name = NULL },
};
#undef AT

#define AT(member) offsetof(struct switch_config, member)
const struct weir_option switch_options[] = {
	{ "marking", WEIR_OPT_SCHEME, AT(marking), "ecn", 0, 0,
	  "AQM/ECN: which packets are marked; a marking scheme with its options",
	  marking_specs.kind },
	{ MARKING_PART_KEY, WEIR_OPT_LINES, AT(markings), NULL, 0, 0,
	  "a different marking scheme for a part of the queues. PART is a traffic section (the "
	  "classes of its packets), a class number, a link rate, a tier of switches, or a "
	  "combination: marking.storage, marking.0, marking.100Gbps, marking.leaf, "
	  "marking.storage.spine. The most specific part applies; between equally specific ones, "
	  "class before tier before rate",
	  marking_form },
	{ "scheduler", WEIR_OPT_SCHEME, AT(scheduler), "fifo", 0, 0,
	  "which queue of a port sends next: a scheduler with its options", scheduler_specs.kind },
	{ "queues", WEIR_OPT_COUNT, AT(queues), "1", 1, WEIR_QUEUES_MAX,
	  "queues per port; a packet's traffic class is the number of its queue", NULL },
	{ "dscp-map", WEIR_OPT_TEXT, AT(dscp_map), NULL, 0, 0,
	  "traffic class by DSCP, as SONiC's DSCP_TO_TC_MAP: 26:3 48:6 8-15:1 default:0; DSCPs "
	  "that are not listed have the default class, 0 unless given. With a map every traffic "
	  "section sets dscp and not class; not given: sections set class",
	  NULL },
	{ "buffer", WEIR_OPT_LENGTH, AT(buffer), "1000pkts", 1, UINT32_MAX,
	  "buffer size, without the packet that is being serialised", NULL },
	{ "buffer-per", WEIR_OPT_CHOICE, AT(buffer_per), "port", 0, 2,
	  "what has a buffer of that size: each queue; each port, shared by its queues first "
	  "come first served; or each switch, shared with dynamic thresholds",
	  buffer_choices },
	{ "dt-alpha", WEIR_OPT_FRACTION_Q32, AT(dt_alpha_q32), "1", WEIR_ONE_Q32 / 256,
	  ALPHA_MAX_Q32,
	  "dynamic threshold of a shared buffer: a queue may hold alpha times the free buffer "
	  "(Choudhury and Hahne 1998); with buffer-per = switch",
	  NULL },
	{ "lossless", WEIR_OPT_TEXT, AT(lossless), "none", 0, 0,
	  "lossless classes, for which PFC (IEEE 802.1Qbb) pauses the sender before the buffer "
	  "overflows: none, all, or numbers as in 0:3; needs buffer-per = switch",
	  NULL },
	{ "pfc-alpha", WEIR_OPT_FRACTION_Q32, AT(pfc_alpha_q32), "1/8", WEIR_ONE_Q32 / 256,
	  ALPHA_MAX_Q32,
	  "XOFF threshold of each lossless class of an ingress port: alpha times the free shared "
	  "buffer (1/8: HPCC; 1/16: FDCC, section 3.3)",
	  NULL },
	{ "pfc-reserved", WEIR_OPT_BYTES, AT(pfc_reserved_bytes), "4KB", 0, UINT32_MAX,
	  "buffer reserved for each lossless class of each ingress port", NULL },
	{ "xon-offset", WEIR_OPT_BYTES, AT(pfc_margin_bytes), "3KB", 0, UINT32_MAX,
	  "hysteresis: XON threshold = XOFF threshold - this (SONiC's xon_offset)", NULL },
	{ "pfc-headroom", WEIR_OPT_BYTES, AT(pfc_headroom_bytes), "0B", 0, UINT32_MAX,
	  "headroom of each lossless class of each ingress port, for packets that arrive after "
	  "XOFF; 0B: computed from rate, delay and frame size of each link",
	  NULL },
	{ "fabric", WEIR_OPT_SCHEME, AT(fabric), "none", 0, 0,
	  "hop-by-hop flow control per flow or per destination: a fabric scheme with its options",
	  fabric_specs.kind },
	{ "ethernet-overhead", WEIR_OPT_FLAG, AT(ethernet_overhead), "no", 0, 1,
	  "include preamble, start delimiter and inter-packet gap (20 B) and the minimum frame "
	  "of 64 B in serialisation delay",
	  NULL },
	{ "non-ect", WEIR_OPT_CHOICE, AT(non_ect), "drop", 0, 1,
	  "what a marking decision does to a packet that is not ECN-capable (Not-ECT)",
	  non_ect_choices },
	{ "tune", WEIR_OPT_SCHEME, AT(tune), "none", 0, 0,
	  "online tuning of each queue's thresholds (min, max and slope of red or pred): an "
	  "agent or a tuner with its options, or none",
	  tune_specs.kind },
	{ "tune-interval", WEIR_OPT_TIME_NS, AT(tune_interval_ns), "0us", 0, TUNE_LONGEST_NS,
	  "control interval of the agent or tuner, at least 1us; 0us: its own default, for a "
	  "tuner 5 base round-trip times",
	  NULL },
	{ "tune-read-delay", WEIR_OPT_SPAN_PS, AT(tune_read_delay), "0us", 0,
	  TUNE_LONGEST_NS *WEIR_PS_PER_NS,
	  "telemetry delay, from the end of an interval until the agent has its counters: "
	  "constant, or uniform between two times",
	  NULL },
	{ "tune-write-delay", WEIR_OPT_SPAN_PS, AT(tune_write_delay), "0us", 0,
	  TUNE_LONGEST_NS *WEIR_PS_PER_NS,
	  "actuation delay, from the decision until the setting "
	  "is in force: constant, or uniform between two times",
	  NULL },
	{ .name = NULL },
};
#undef AT

#define AT(member) offsetof(struct host_config, member)
const struct weir_option host_options[] = {
	{ "cc", WEIR_OPT_SCHEME, AT(cc), "dctcp", 0, 0,
	  "congestion control of the senders, with its options", cc_specs.kind },
	{ "mss", WEIR_OPT_BYTES, AT(mss_bytes), "1460B", 1, FRAME_MAX_BYTES - 1,
	  "payload of a full packet", NULL },
	{ "header", WEIR_OPT_BYTES, AT(header_bytes), "54B", 1, HEADER_MAX_BYTES,
	  "header of every packet, and size of a pure ACK: Ethernet 14, IP 20, TCP 20", NULL },
	{ "initial-window", WEIR_OPT_COUNT, AT(initial_window_pkts), "10", 1, WINDOW_MAX_PKTS,
	  "initial congestion window in packets (RFC 6928)", NULL },
	{ "max-window", WEIR_OPT_SIZE, AT(max_window_bytes), "unlimited", 1, UINT64_MAX,
	  "receive window: most bytes in flight", NULL },
	{ "packets-per-ack", WEIR_OPT_COUNT, AT(acks_per), "1", 1, UINT8_MAX,
	  "delayed ACKs: data packets per ACK; a change of CE is acknowledged at once (RFC 8257, "
	  "section 3.2)",
	  NULL },
	{ "ack-delay", WEIR_OPT_TIME_PS, AT(ack_delay_ps), "500us", WEIR_PS_PER_NS,
	  LONGEST_TIMEOUT_PS, "delayed-ACK timeout", NULL },
	{ "rto-min", WEIR_OPT_TIME_PS, AT(rto_min_ps), "5ms", SHORTEST_TIMEOUT_PS,
	  LONGEST_TIMEOUT_PS, "minimum retransmission timeout (5 ms: the TCN study, CoNEXT 2016)",
	  NULL },
	{ "rto-initial", WEIR_OPT_TIME_PS, AT(rto_initial_ps), "10ms", SHORTEST_TIMEOUT_PS,
	  LONGEST_TIMEOUT_PS, "retransmission timeout before the first round-trip sample", NULL },
	{ "rto-max", WEIR_OPT_TIME_PS, AT(rto_max_ps), "1s", SHORTEST_TIMEOUT_PS,
	  LONGEST_TIMEOUT_PS,
	  "maximum retransmission timeout after exponential backoff (RFC "
	  "6298, section 5.5)",
	  NULL },
	{ "processing-delay", WEIR_OPT_TIME_PS, AT(processing_delay_ps), "0us", 0,
	  (uint64_t)WEIR_PS_PER_S,
	  "host processing delay of each received packet, from the wire "
	  "to the transport",
	  NULL },
	{ "jitter", WEIR_OPT_TIME_AUTO_PS, AT(jitter_ps), "auto", 0, JITTER_MOST_PS,
	  "each packet that a host sends is delayed by a random time up to this, in order; auto: "
	  "a twelfth of a full packet's serialisation delay on the hosts' links, at least 20ns; "
	  "0ns: hosts in lockstep, which starves flows at drop-tail queues (phase effects) and "
	  "is for comparison with closed forms",
	  NULL },
	{ "recovery", WEIR_OPT_CHOICE, AT(recovery), "immediate", 0, 1,
	  "how the congestion window is reduced: at once (RFC 8257), or over a round trip (prr, "
	  "RFC 6937, Linux)",
	  recovery_choices },
	{ "loss-detection", WEIR_OPT_CHOICE, AT(loss_detection), "auto", 0, 2,
	  "a packet is declared lost after three duplicate ACKs (dupack, RFC 6675), or when a "
	  "later packet was delivered and a round trip and a reordering window have passed "
	  "(rack, RFC 8985); auto: rack where network.ecmp = packet or tail-probe = yes, else "
	  "dupack",
	  loss_choices },
	{ "tail-probe", WEIR_OPT_FLAG, AT(tail_probe), "no", 0, 1,
	  "tail-loss probe: after two round trips without an ACK the last packet is "
	  "retransmitted, so that losses before it are detected without a timeout (RFC 8985, "
	  "section 7); needs rack",
	  NULL },
	{ "handshake", WEIR_OPT_FLAG, AT(handshake), "no", 0, 1,
	  "three-way handshake: SYN and SYN-ACK before data; both are ECN-capable where every "
	  "mark is echoed, as under dctcp (RFC 8257, section 3.5)",
	  NULL },
	{ "ecn-acks", WEIR_OPT_FLAG, AT(ecn_acks), "yes", 0, 1,
	  "ACKs are ECN-capable if data is, as Linux sends them with DCTCP; no, as in RFC 3168: "
	  "a queue that marks drops them",
	  NULL },
	{ "idle-restart", WEIR_OPT_FLAG, AT(idle_restart), "no", 0, 1,
	  "slow start after idle: a connection that was idle for longer than its timeout "
	  "restarts with at most the initial window (RFC 5681, section 4.1; Linux by default "
	  "halves the window for each timeout passed, down to that)",
	  NULL },
	{ "nic", WEIR_OPT_SCHEME, AT(nic), "fair", 0, 0,
	  "queueing in the host's NIC: a NIC model with its options", nic_specs.kind },
	{ "arbitration", WEIR_OPT_CHOICE, AT(arbitration), "arrival", 0, 1,
	  "which connection nic = fair serves next: the one that has been ready longest, a "
	  "connection just served being ready again at once (arrival), or round robin among "
	  "those ready when the link becomes idle, so that a paced queue pair whose time comes "
	  "during a packet goes before the connection that sent it (round-robin, as in HPCC's "
	  "ns-3)",
	  arbitration_choices },
	{ "tso", WEIR_OPT_BYTES, AT(tso_bytes), "0B", 0, TSO_MAX_BYTES,
	  "segmentation offload: payload of one connection that the NIC sends back to back (64KB "
	  "in Linux); 0B: one packet",
	  NULL },
	{ .name = NULL },
};
#undef AT

static const char *const rdma_recovery_choices[] = { "auto", "go-back-n", "selective", NULL };
static const char *const rdma_loss_choices[] = { "auto", "order", "time", NULL };
static const char *const int_flows_choices[] = { "no", "yes", "exact", NULL };
static const char *const window_choices[] = { "network", "pair", NULL };

#define AT(member) offsetof(struct rdma_config, member)
const struct weir_option rdma_options[] = {
	{ "mtu", WEIR_OPT_BYTES, AT(mtu_bytes), "1000B", 1, FRAME_MAX_BYTES - 1,
	  "payload of a full packet", NULL },
	{ "header", WEIR_OPT_BYTES, AT(header_bytes), "48B", 1, HEADER_MAX_BYTES,
	  "header of every packet", NULL },
	{ "ack-size", WEIR_OPT_BYTES, AT(ack_bytes), "0B", 0, HEADER_MAX_BYTES,
	  "size of an ACK or CNP without int-header; 0B: as header. HPCC's ns-3 pads ACKs to "
	  "60B, the minimum Ethernet frame without its FCS",
	  NULL },
	{ "int-header", WEIR_OPT_BYTES, AT(int_bytes), "42B", 0, HEADER_MAX_BYTES,
	  "INT header of packets under congestion controls with in-band telemetry: five hops of "
	  "8 B and 2 B (HPCC, SIGCOMM 2019)",
	  NULL },
	{ "int-flows", WEIR_OPT_CHOICE, AT(int_flows), "no", 0, 2,
	  "INT also carries the number of active flows of the port (FDCC, section 3.5): those "
	  "seen in a base round trip (yes), or those whose first packet has passed and whose "
	  "last has not (exact; FDCC, Algorithm 2)",
	  int_flows_choices },
	{ "packets-per-ack", WEIR_OPT_COUNT, AT(acks_per), "1", 1, UINT8_MAX,
	  "ACK coalescing: data packets per ACK; a change of CE is acknowledged at once", NULL },
	{ "max-window", WEIR_OPT_SIZE, AT(max_window_bytes), "unlimited", 1, UINT64_MAX,
	  "most bytes that a queue pair has in flight, whatever its congestion control allows",
	  NULL },
	{ "recovery", WEIR_OPT_CHOICE, AT(recovery), "auto", 0, 2,
	  "after a loss, retransmit from the lost packet on (go-back-n) or only missing packets "
	  "(selective repeat; Mittal et al., IRN, SIGCOMM 2018); auto: selective where losses "
	  "are detected by time or network.ecmp = packet, else go-back-n",
	  rdma_recovery_choices },
	{ "loss-detection", WEIR_OPT_CHOICE, AT(loss_detection), "auto", 0, 2,
	  "a packet is declared lost when later ones have arrived (order: the next one with "
	  "go-back-n, three with selective), or when a later one has and a round trip and a "
	  "reordering window have passed (time, RFC 8985; receivers place packets out of order); "
	  "auto: time where network.ecmp = packet, else order",
	  rdma_loss_choices },
	{ "reordering-window", WEIR_OPT_TIME_PS, AT(reordering_window_ps), "0us", 0,
	  LONGEST_TIMEOUT_PS,
	  "with loss-detection = time, minimum reordering window beyond the round trip before a "
	  "packet is declared lost; 0us: with network.ecmp = packet a base round trip and the "
	  "time in which a full switch port drains (IRN's RTO_high; with lossless classes, one "
	  "at each switch of the longest path), at most rto; else a quarter of the least round "
	  "trip (RFC 8985)",
	  NULL },
	{ "cnp-interval", WEIR_OPT_TIME_PS, AT(cnp_interval_ps), "50us", 0, LONGEST_TIMEOUT_PS,
	  "minimum time between two congestion notification packets (CNPs) of a flow (DCQCN, "
	  "SIGCOMM 2015)",
	  NULL },
	{ "cnp-dscp", WEIR_OPT_TEXT, AT(cnp_dscp), "48", 0, 0,
	  "DSCP of CNPs of sections that set dscp, and with switch.dscp-map their class; "
	  "otherwise CNPs have the class of ACKs",
	  NULL },
	{ "min-rate", WEIR_OPT_RATE_BPS, AT(min_rate_bps), "100Mbps", 1000, UINT64_MAX >> 20,
	  "minimum sending rate of a queue pair", NULL },
	{ "rto", WEIR_OPT_TIME_PS, AT(rto_ps), "4ms", SHORTEST_TIMEOUT_PS, LONGEST_TIMEOUT_PS,
	  "retransmission timeout, doubled after each timeout up to host.rto-max", NULL },
	{ "base-rtt", WEIR_OPT_CHOICE, AT(window_of), "network", 0, 1,
	  "base round trip and link rate from which initial windows (BDP) are computed, and that "
	  "congestion controls use: of the longest path and fastest host of the network, or of "
	  "the queue pair's own path and sender (HPCC's ns-3 with GLOBAL_T = 0)",
	  window_choices },
	{ .name = NULL },
};
#undef AT

#define AT(member) offsetof(struct traffic_config, member)
const struct weir_option traffic_options[] = {
	{ "pattern", WEIR_OPT_SELECTOR, AT(pattern), NULL, 0, 0, "who sends to whom, and when",
	  NULL },
	{ "cc", WEIR_OPT_SCHEME, AT(cc), NULL, 0, 0,
	  "congestion control of these flows, if not host.cc", cc_specs.kind },
	{ "start", WEIR_OPT_SPAN_PS, AT(start), "0us", 0, LONGEST_PS,
	  "when flows start: at one time, or uniformly between two", NULL },
	{ "class", WEIR_OPT_COUNT, AT(class_id), "0", 0, WEIR_QUEUES_MAX - 1,
	  "traffic class of these packets: the number of their queue at every port; classes "
	  "beyond the last queue are for schedulers that rank packets",
	  NULL },
	{ "classes", WEIR_OPT_COUNT, AT(classes), "1", 1, WEIR_QUEUES_MAX,
	  "flows are spread evenly over this many classes, from class on", NULL },
	{ "class-by", WEIR_OPT_CHOICE, AT(class_by), "flow", 0, 3,
	  "how a flow's class is chosen among these: flows in turn, by number of the sender or "
	  "of the receiver, or by the pair",
	  class_choices },
	{ "ack-class", WEIR_OPT_TEXT, AT(ack_class), ACK_CLASS_DATA, 0, 0,
	  "class of ACKs: a number, or data: that of the first packet of the acknowledged flow, "
	  "with first-bytes first-class, as hosts that count sent bytes would tag them. With "
	  "data ACKs queue behind data of the reverse direction, as in HPCC's ns-3; a class with "
	  "priority avoids that",
	  NULL },
	{ "first-bytes", WEIR_OPT_BYTES, AT(first_bytes), "0B", 0, FIRST_BYTES_MAX,
	  "packets within the first bytes of a flow, or of each message on a persistent "
	  "connection, have first-class (PIAS with two priorities, Bai et al., NSDI 2015); 0B: "
	  "none",
	  NULL },
	{ "first-class", WEIR_OPT_COUNT, AT(first_class), "0", 0, WEIR_QUEUES_MAX - 1,
	  "class of the first-bytes", NULL },
	{ "dscp", WEIR_OPT_TEXT, AT(dscp), NULL, 0, 0,
	  "DSCP of these packets: 0 to 63, or cs0 to cs7, af11 to af43, ef. With switch.dscp-map "
	  "it sets their class; otherwise only captures show it. Not given: captures show the "
	  "class in its place",
	  NULL },
	{ "first-dscp", WEIR_OPT_TEXT, AT(first_dscp), NULL, 0, 0,
	  "DSCP of the first-bytes, if different", NULL },
	{ "ack-dscp", WEIR_OPT_TEXT, AT(ack_dscp), NULL, 0, 0,
	  "DSCP of ACKs, if not that of the first packet of the acknowledged flow", NULL },
	{ "slack", WEIR_OPT_TIME_PS, AT(slack_ps), "0us", 0, LONGEST_PS,
	  "slack of a data packet: queueing delay it tolerates on its path; used by schedulers "
	  "that rank by slack (LSTF); ACKs have none",
	  NULL },
	{ "slack-per-kb", WEIR_OPT_TIME_PS, AT(slack_per_kb_ps), "0us", 0, LONGEST_PS,
	  "additional slack for each 1000 bytes of the flow, so that short flows go first "
	  "(Mittal et al., NSDI 2016)",
	  NULL },
	{ "connections", WEIR_OPT_CHOICE, AT(connections), "auto", 0, 2,
	  "a new connection per flow, or the flows of a host pair as messages on a persistent "
	  "connection; auto: persistent where the pattern is an application that keeps its queue "
	  "pairs (storage without replicas, training, ring) over RDMA, so that congestion "
	  "control keeps its state between messages; else per-flow",
	  connection_choices },
	{ "connections-per-pair", WEIR_OPT_COUNT, AT(connections_each), "1", 1,
	  CONNECTIONS_EACH_MAX,
	  "persistent connections of each host pair; each flow takes one at random", NULL },
	{ .name = NULL },
};
#undef AT

#define AT(member) offsetof(struct measure_config, member)
const struct weir_option measure_options[] = {
	{ "from", WEIR_OPT_TIME_PS, AT(from_ps), "0us", 0, LONGEST_PS,
	  "start of the measured interval: queues are measured, and flows that start count, from "
	  "here",
	  NULL },
	{ "to", WEIR_OPT_TIME_PS, AT(to_ps), "0us", 0, LONGEST_PS,
	  "end of the measured interval; 0us: until the last flow has completed", NULL },
	{ "drain", WEIR_OPT_TIME_PS, AT(drain_ps), "1s", 0, LONGEST_PS,
	  "time after the last start, or after to, in which counted flows may still complete",
	  NULL },
	{ "port", WEIR_OPT_TEXT, AT(port), NULL, 0, 0,
	  "switch port whose queue is reported, as in leaf0->h3; not given: the port with the "
	  "largest mean queue",
	  NULL },
	{ "small", WEIR_OPT_BYTES, AT(small_bytes), "100KB", 1, UINT64_MAX / 2,
	  "a flow is small up to this size", NULL },
	{ "large", WEIR_OPT_BYTES, AT(large_bytes), "10MB", 1, UINT64_MAX / 2,
	  "a flow is large above this size", NULL },
	{ "completion", WEIR_OPT_CHOICE, AT(completion), "receiver", 0, 0,
	  "when a flow is complete: once its receiver has every byte, or once its sender has the "
	  "ACK of the last byte, as HPCC's ns-3 counts. Used for completion times, idle times of "
	  "slowdowns, rounds and I/Os; changes no packet",
	  completion_choices },
	{ "unfinished", WEIR_OPT_CHOICE, AT(unfinished), "skip", 0, 1,
	  "completion times of counted flows that are unfinished at the end of the run: left out "
	  "(skip), or until the end of the run, as flows of the bytes delivered by then (part), "
	  "if their connection is their own; they stay unfinished, and have no slowdown",
	  unfinished_choices },
	{ "sojourn", WEIR_OPT_FLAG, AT(sojourn), "no", 0, 1,
	  "measure the sojourn time of each packet at each port: metrics network_wait_p99_ns, "
	  "worst_wait_p99_ns and wait_p99_up_ns, within 1/32; costs about 8 KB for each port "
	  "with a queue and some time, and changes nothing else",
	  NULL },
	{ "flows", WEIR_OPT_CHOICE, AT(kept_flows), "all", 0, 1,
	  "which flow records a result folder keeps; none: only metrics, ports and series, for "
	  "sweeps whose single completion times are not needed. weir reproduce uses none where "
	  "no claim or panel reads flows",
	  kept_choices },
	{ "probe", WEIR_OPT_LINES, AT(probes), NULL, 0, 0,
	  "a time series, as in: queue leaf0->h3 every 10us. WHAT is queue, queue-bytes, "
	  "throughput, marks or drops of a port (leaf0->h3, or one of its queues, leaf0->h3/2); "
	  "scheme, the state that its marking scheme and its tuner publish; reward, ACC's reward "
	  "of each interval (metric reward); pauses of a link; throughput, window or marks of a "
	  "flow (flow:12); throughput of a section (traffic:web), or fct, the mean completion "
	  "time of its flows that completed since the last sample. Without a time: a sample at "
	  "each change of a queue",
	  probe_form },
	{ .name = NULL },
};
#undef AT

void config_init(struct config *c)
{
	memset(c, 0, sizeof(*c));
	c->seed = 1;
	weir_options_default(&c->network, network_options);
	weir_options_default(&c->switches, switch_options);
	weir_options_default(&c->host, host_options);
	weir_options_default(&c->rdma, rdma_options);
	weir_options_default(&c->measure, measure_options);
}

void line_list_free(struct line_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		free(list->lines[i].text);
	free(list->lines);
}

void config_free(struct config *c)
{
	line_list_free(&c->network.links);
	line_list_free(&c->network.fails);
	line_list_free(&c->switches.markings);
	free(c->markings);
	line_list_free(&c->measure.probes);
	line_list_free(&c->real);
	for (uint32_t i = 0; i < c->traffic_count; i++)
		line_list_free(&c->traffic[i].flow_lines);
	free(c->traffic);
	memset(c, 0, sizeof(*c));
}

struct traffic_config *config_add_traffic(struct config *c, const char *name)
{
	struct traffic_config *t;

	c->traffic = memory_grow(c->traffic, c->traffic_count + 1, sizeof(*c->traffic));
	t = &c->traffic[c->traffic_count++];
	memset(t, 0, sizeof(*t));
	snprintf(t->name, sizeof(t->name), "%s", name);
	weir_options_default(t, traffic_options);
	return t;
}

void line_list_add(struct line_list *list, const char *text, int line)
{
	/* Room doubles: grow whenever the count is a power of two. */
	if ((list->count & (list->count - 1)) == 0)
		list->lines = memory_grow(list->lines, list->count ? list->count * UINT64_C(2) : 1,
					  sizeof(*list->lines));
	list->lines[list->count++] =
		(struct config_line){ .text = memory_text(text, strlen(text)), .line = line };
}
