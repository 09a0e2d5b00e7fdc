/* SPDX-License-Identifier: BSD-3-Clause */
/* metric_table.c -- what every metric is: its unit and definition, how it is displayed, which
 * direction is better, and where tables show it without being asked. All tables, reports, exports
 * and answers follow from here; a new metric is an entry here, a place in enum metric_id and the
 * code that computes it. */
#include "sim/measure/metrics.h"

#define FLOW METRIC_FLOW
#define PORT METRIC_PORT
#define PORTS METRIC_PORTS
#define COST METRIC_COST
#define PERCENT METRIC_PERCENT
#define UNLESS_ZERO METRIC_UNLESS_ZERO
#define LOWER METRIC_LOWER
#define HIGHER METRIC_HIGHER
#define TRAFFIC METRIC_TRAFFIC
#define COMPLETION METRIC_COMPLETION
#define APPLICATIONS METRIC_APPLICATIONS
#define AGENTS METRIC_AGENTS
#define QUEUE METRIC_QUEUE
#define WAITING METRIC_WAITING
#define TIERS METRIC_BY_TIER
#define LOSSES METRIC_LOSSES
#define COSTS METRIC_COSTS
#define IN_TABLES METRIC_IN_TABLES
#define IN_REPORTS METRIC_IN_REPORTS
#define IN_BOTH (METRIC_IN_TABLES | METRIC_IN_REPORTS)

const struct metric metric_all[] = {
	[FLOWS_STARTED] = { "flows_started", "", "flows that start in the measured interval",
			    .group = TRAFFIC, .row = "flows started" },
	[FLOWS_COMPLETED] = { "flows_completed", "", "of these, flows that delivered every byte",
			      .better = HIGHER, .group = TRAFFIC, .row = "flows completed",
			      .shown = IN_REPORTS },
	[FLOWS_UNFINISHED] = { "flows_unfinished", "",
			       "flows of finite size that start in the measured interval and do "
			       "not complete",
			       .better = LOWER, .group = TRAFFIC, .row = "flows unfinished" },
	[FLOWS_WITHOUT_PATH] = { "flows_without_path", "",
				 "flows left without a path by failed links, at the end of the "
				 "run",
				 .better = LOWER, .group = TRAFFIC, .row = "flows without a path" },
	[FLOWS_STARVED] = { "flows_starved", "",
			    "unlimited flows with less than a twentieth of the mean goodput of "
			    "their section and class in the measured interval",
			    .better = LOWER, .group = TRAFFIC, .row = "flows starved" },
	[GOODPUT] = { "goodput_bps", "bps",
		      "goodput: payload delivered to all receivers per second, without "
		      "retransmissions, from measure.from to measure.to; if that is not set, to "
		      "the last start, or to the last completion where flows start in a burst or "
		      "depend on others (goodput_span_ns)",
		      .stored = "goodput_bps.2", .earlier = METRIC_EARLIER_WITH_TO,
		      .better = HIGHER, .group = TRAFFIC, .row = "goodput", .shown = IN_BOTH,
		      .rank = 10 },
	[GOODPUT_SPAN] = { "goodput_span_ns", "ns", "interval over which goodput_bps is averaged",
			   .group = TRAFFIC, .row = "goodput is the mean over" },
	[BULK_GOODPUT] = { "bulk_goodput_bps", "bps",
			   "goodput of all unlimited flows in the measured interval",
			   .better = HIGHER, .group = TRAFFIC, .row = "goodput, unlimited flows",
			   .shown = IN_BOTH, .rank = 11 },
	[JAIN] = { "jain", "", "Jain's fairness index of the flows' rates", .better = HIGHER,
		   .group = TRAFFIC, .row = "fairness (Jain)" },
	[UNFAIR_RATIO] = { "unfair_ratio", "", "(fastest flow's rate - mean) / mean",
			   .better = LOWER, .group = TRAFFIC, .row = "unfair ratio" },
	[QUEUE_MEAN_BYTES] = { "queue_mean_bytes", "bytes",
			       "queue length at the measured port, time-weighted mean",
			       .kind = PORT, .better = LOWER, .group = QUEUE, .row = "bytes" },
	[QUEUE_MEAN_PKTS] = { "queue_mean_pkts", "pkts",
			      "queue length at the measured port, time-weighted mean", .kind = PORT,
			      .better = LOWER, .group = QUEUE, .row = "packets", .shown = IN_BOTH,
			      .rank = 8 },
	[QUEUE_P50] = { "queue_p50_pkts", "pkts",
			"queue length at the measured port, "
			"time-weighted median",
			.kind = PORT, .better = LOWER, .group = QUEUE, .row = "packets",
			.column = 1 },
	[QUEUE_P99] = { "queue_p99_pkts", "pkts",
			"queue length at the measured port, "
			"time-weighted 99th percentile",
			.kind = PORT, .better = LOWER, .group = QUEUE, .row = "packets",
			.column = 2, .shown = IN_BOTH, .rank = 15 },
	[QUEUE_MAX] = { "queue_max_pkts", "pkts", "maximum queue length at the measured port",
			.kind = PORT, .better = LOWER, .group = QUEUE, .row = "packets",
			.column = 3, .shown = IN_BOTH },
	[QUEUE_EMPTY] = { "queue_empty_fraction", "",
			  "fraction of time in which the measured "
			  "port's queue is empty",
			  .kind = PORT, .form = PERCENT, .group = QUEUE, .row = "time empty" },
	[NETWORK_QUEUE_MEAN] = { "network_queue_mean_pkts", "pkts",
				 "queue length, time-weighted mean, mean of all switch ports",
				 .kind = PORTS, .better = LOWER, .group = QUEUE,
				 .row = "packets, mean of all ports", .shown = IN_BOTH, .rank = 9 },
	[NETWORK_QUEUE_P99] = { "network_queue_p99_pkts", "pkts",
				"queue length, time-weighted 99th percentile over all switch "
				"ports",
				.better = LOWER, .group = QUEUE,
				.row = "packets, mean of all ports", .column = 2,
				.shown = IN_BOTH },
	[NETWORK_WAIT_MEAN] = { "network_wait_mean_ns", "ns",
				"queueing delay of a packet at a switch port, mean (Little's "
				"law)",
				.better = LOWER, .group = QUEUE,
				.row = "queueing delay at a port, all ports", .shown = IN_BOTH },
	[NETWORK_WAIT_P99] = { "network_wait_p99_ns", "ns",
			       "sojourn time of a packet at a switch port, 99th percentile; with "
			       "measure.sojourn = yes",
			       .better = LOWER, .group = WAITING, .row = "waiting" },
	[WORST_QUEUE_P99] = { "worst_queue_p99_pkts", "pkts",
			      "queue length, time-weighted 99th percentile, at the port where it "
			      "is largest; a single run names the port",
			      .better = LOWER, .group = QUEUE, .row = "packets, worst port",
			      .column = 2 },
	[WORST_WAIT_P99] = { "worst_wait_p99_ns", "ns",
			     "sojourn time, 99th percentile, at the port where it is largest; "
			     "with measure.sojourn = yes",
			     .better = LOWER, .group = WAITING, .row = "waiting", .column = 1 },
	[NETWORK_QUEUE_MAX] = { "network_queue_max_pkts", "pkts",
				"maximum queue length of any switch port", .kind = PORTS,
				.better = LOWER, .group = QUEUE,
				.row = "packets, mean of all ports", .column = 3,
				.shown = IN_BOTH },
	[MARK_FRACTION] = { "mark_fraction", "", "fraction of delivered data packets that carry CE",
			    .form = PERCENT, .group = QUEUE, .row = "packets marked",
			    .shown = IN_BOTH, .rank = 17 },
	[MARKS] = { "marks", "", "packets marked, whole network", .group = LOSSES, .row = "marks",
		    .shown = IN_BOTH },
	[DROPS] = { "drops", "", "packets dropped, whole network", .better = LOWER, .group = LOSSES,
		    .row = "drops", .shown = IN_BOTH, .rank = 12 },
	[TIMEOUTS] = { "timeouts", "", "retransmission timeouts", .better = LOWER, .group = LOSSES,
		       .row = "timeouts", .shown = IN_BOTH, .rank = 14 },
	[TIMEOUTS_SMALL] = { "timeouts_small", "", "retransmission timeouts of small flows",
			     .better = LOWER, .group = LOSSES, .row = "timeouts, small flows" },
	[RETRANSMITS] = { "retransmits", "", "retransmitted data packets", .better = LOWER,
			  .group = LOSSES, .row = "retransmits", .shown = IN_TABLES },
	[FLOWS_AFFECTED] = { "flows_affected", "",
			     "fraction of started flows with a retransmission", .form = PERCENT,
			     .better = LOWER, .group = LOSSES, .row = "flows affected" },
	[PAUSE_TIME] = { "pause_ns", "ns", "PFC pause time, summed over classes and links",
			 .better = LOWER, .group = LOSSES, .row = "pauses added up" },
	[PAUSE_FRACTION] = { "pause_fraction", "",
			     "fraction of time in which a link is paused, mean of all links",
			     .form = PERCENT, .better = LOWER, .group = LOSSES,
			     .row = "time paused", .shown = IN_BOTH },
	[PAUSE_RATE] = { "pause_bps", "bps", "bandwidth of PFC pause frames, summed over links",
			 .better = LOWER, .group = LOSSES, .row = "pause frames" },
	[PFC_DEADLOCKS] = { "pfc_deadlocks", "",
			    "PFC deadlocks at the end of the run: cycles of paused links that "
			    "wait for each other",
			    .better = LOWER, .group = LOSSES, .row = "pause deadlocks" },
	[UTILISATION] = { "utilisation", "", "utilisation of the measured port's link",
			  .kind = PORT, .form = PERCENT, .better = HIGHER, .group = QUEUE,
			  .row = "utilisation", .shown = IN_BOTH },
	[UTILISATION_FROM_HOSTS] = { "utilisation_from_hosts", "",
				     "utilisation of the hosts' uplinks, mean", .form = PERCENT,
				     .group = TIERS, .row = "utilisation, mean", .shown = IN_BOTH },
	[UTILISATION_UP] = { "utilisation_up", "",
			     "mean utilisation of links between switches, upwards or within a tier",
			     .form = PERCENT, .group = TIERS, .row = "utilisation, mean",
			     .column = 1, .shown = IN_BOTH },
	[UTILISATION_DOWN] = { "utilisation_down", "",
			       "mean utilisation of links between switches, downwards",
			       .form = PERCENT, .group = TIERS, .row = "utilisation, mean",
			       .column = 2, .shown = IN_BOTH },
	[UTILISATION_TO_HOSTS] = { "utilisation_to_hosts", "", "mean utilisation of links to hosts",
				   .form = PERCENT, .group = TIERS, .row = "utilisation, mean",
				   .column = 3, .shown = IN_BOTH },
	[MARKS_FROM_HOSTS] = { "marks_from_hosts", "", "packets marked by the hosts' NICs",
			       .group = TIERS, .row = "marks" },
	[MARKS_UP] = { "marks_up", "",
		       "packets marked at links between switches, upwards or within a tier",
		       .group = TIERS, .row = "marks", .column = 1, .shown = IN_BOTH },
	[MARKS_DOWN] = { "marks_down", "", "packets marked at links between switches, downwards",
			 .group = TIERS, .row = "marks", .column = 2, .shown = IN_BOTH },
	[MARKS_TO_HOSTS] = { "marks_to_hosts", "", "packets marked at links to hosts",
			     .group = TIERS, .row = "marks", .column = 3, .shown = IN_BOTH },
	[PAUSE_FRACTION_FROM_HOSTS] = { "pause_fraction_from_hosts", "",
					"fraction of time in which a host is paused, mean",
					.form = PERCENT, .better = LOWER, .group = TIERS,
					.row = "time paused", .shown = IN_BOTH },
	[PAUSE_FRACTION_UP] = { "pause_fraction_up", "",
				"fraction of time in which links between switches, upwards or "
				"within a tier are paused, mean",
				.form = PERCENT, .better = LOWER, .group = TIERS,
				.row = "time paused", .column = 1, .shown = IN_BOTH },
	[PAUSE_FRACTION_DOWN] = { "pause_fraction_down", "",
				  "fraction of time in which links between switches, downwards are "
				  "paused, mean",
				  .form = PERCENT, .better = LOWER, .group = TIERS,
				  .row = "time paused", .column = 2, .shown = IN_BOTH },
	[PAUSE_FRACTION_TO_HOSTS] = { "pause_fraction_to_hosts", "",
				      "fraction of time in which links to hosts are paused, mean",
				      .form = PERCENT, .better = LOWER, .group = TIERS,
				      .row = "time paused", .column = 3 },
	[QUEUE_P99_FROM_HOSTS] = { "queue_p99_from_hosts_pkts", "pkts",
				   "queue length, time-weighted 99th percentile over all NICs "
				   "with a queue",
				   .better = LOWER, .group = TIERS,
				   .row = "queue, p99 in packets" },
	[QUEUE_P99_UP] = { "queue_p99_up_pkts", "pkts",
			   "queue length at links between switches, upwards or within a tier, "
			   "time-weighted 99th percentile",
			   .better = LOWER, .group = TIERS, .row = "queue, p99 in packets",
			   .column = 1 },
	[QUEUE_P99_DOWN] = { "queue_p99_down_pkts", "pkts",
			     "queue length at links between switches, downwards, time-weighted "
			     "99th percentile",
			     .better = LOWER, .group = TIERS, .row = "queue, p99 in packets",
			     .column = 2 },
	[QUEUE_P99_TO_HOSTS] = { "queue_p99_to_hosts_pkts", "pkts",
				 "queue length at links to hosts, time-weighted 99th percentile",
				 .better = LOWER, .group = TIERS, .row = "queue, p99 in packets",
				 .column = 3 },
	[WAIT_P99_FROM_HOSTS] = { "wait_p99_from_hosts_ns", "ns",
				  "sojourn time at NICs with a queue, 99th percentile; with "
				  "measure.sojourn = yes",
				  .better = LOWER, .group = TIERS, .row = "waiting, p99" },
	[WAIT_P99_UP] = { "wait_p99_up_ns", "ns",
			  "sojourn time at links between switches, upwards or within a tier, 99th "
			  "percentile; with measure.sojourn = yes",
			  .better = LOWER, .group = TIERS, .row = "waiting, p99", .column = 1 },
	[WAIT_P99_DOWN] = { "wait_p99_down_ns", "ns",
			    "sojourn time at links between switches, downwards, 99th percentile; "
			    "with measure.sojourn = yes",
			    .better = LOWER, .group = TIERS, .row = "waiting, p99", .column = 2 },
	[WAIT_P99_TO_HOSTS] = { "wait_p99_to_hosts_ns", "ns",
				"sojourn time at links to hosts, 99th percentile; with "
				"measure.sojourn = yes",
				.better = LOWER, .group = TIERS, .row = "waiting, p99",
				.column = 3 },
	[FCT_MEAN] = { "fct_mean_ns", "ns", "flow completion time, mean", .kind = FLOW,
		       .better = LOWER, .group = COMPLETION, .shown = IN_BOTH, .rank = 5 },
	[FCT_P50] = { "fct_p50_ns", "ns", "flow completion time, median", .kind = FLOW,
		      .better = LOWER, .group = COMPLETION, .shown = IN_BOTH },
	[FCT_P99] = { "fct_p99_ns", "ns", "flow completion time, 99th percentile", .kind = FLOW,
		      .better = LOWER, .group = COMPLETION, .shown = IN_BOTH, .rank = 6 },
	[FCT_P999] = { "fct_p999_ns", "ns", "flow completion time, 99.9th percentile", .kind = FLOW,
		       .better = LOWER, .group = COMPLETION, .shown = IN_BOTH },
	[FCT_SMALL_MEAN] = { "fct_small_mean_ns", "ns",
			     "flow completion time of small flows, "
			     "mean",
			     .kind = FLOW, .better = LOWER, .group = COMPLETION, .shown = IN_BOTH,
			     .rank = 16 },
	[FCT_SMALL_P99] = { "fct_small_p99_ns", "ns",
			    "flow completion time of small flows, 99th "
			    "percentile",
			    .kind = FLOW, .better = LOWER, .group = COMPLETION, .shown = IN_BOTH,
			    .rank = 7 },
	[FCT_MEDIUM_MEAN] = { "fct_medium_mean_ns", "ns",
			      "flow completion time of medium flows, "
			      "mean",
			      .kind = FLOW, .better = LOWER, .group = COMPLETION, .shown = IN_BOTH,
			      .rank = 19 },
	[FCT_LARGE_MEAN] = { "fct_large_mean_ns", "ns",
			     "flow completion time of large flows, "
			     "mean",
			     .kind = FLOW, .better = LOWER, .group = COMPLETION, .shown = IN_BOTH,
			     .rank = 13 },
	[SLOWDOWN_MEAN] = { "slowdown_mean", "",
			    "slowdown: completion time / completion time in "
			    "an idle network, mean",
			    .kind = FLOW, .better = LOWER, .group = COMPLETION, .shown = IN_BOTH,
			    .rank = 18 },
	[SLOWDOWN_P50] = { "slowdown_p50", "", "slowdown, median", .kind = FLOW, .better = LOWER,
			   .group = COMPLETION, .shown = IN_TABLES },
	[SLOWDOWN_P99] = { "slowdown_p99", "", "slowdown, 99th percentile", .kind = FLOW,
			   .better = LOWER, .group = COMPLETION, .shown = IN_BOTH, .rank = 20 },
	[IOPS] = { "iops", "", "I/Os that complete in the measured interval, per second",
		   .better = HIGHER, .group = APPLICATIONS, .row = "I/Os", .shown = IN_BOTH,
		   .rank = 1 },
	[READ_IOPS] = { "read_iops", "", "reads that complete, per second", .better = HIGHER,
			.group = APPLICATIONS, .row = "reads", .shown = IN_BOTH },
	[IO_READ_P50] = { "io_read_p50_ns", "ns",
			  "read time, from the request to the last byte of the response, median",
			  .kind = FLOW, .better = LOWER, .group = APPLICATIONS, .row = "reads",
			  .column = 1, .shown = IN_BOTH },
	[IO_READ_P99] = { "io_read_p99_ns", "ns",
			  "read time, from the request to the last byte of the response, 99th "
			  "percentile",
			  .kind = FLOW, .better = LOWER, .group = APPLICATIONS, .row = "reads",
			  .column = 2, .shown = IN_BOTH, .rank = 2 },
	[WRITE_IOPS] = { "write_iops", "", "writes that complete, per second", .better = HIGHER,
			 .group = APPLICATIONS, .row = "writes", .shown = IN_BOTH },
	[IO_WRITE_P50] = { "io_write_p50_ns", "ns",
			   "write time, from the request to the last byte of the response, "
			   "median",
			   .kind = FLOW, .better = LOWER, .group = APPLICATIONS, .row = "writes",
			   .column = 1, .shown = IN_BOTH },
	[IO_WRITE_P99] = { "io_write_p99_ns", "ns",
			   "write time, from the request to the last byte of the response, 99th "
			   "percentile",
			   .kind = FLOW, .better = LOWER, .group = APPLICATIONS, .row = "writes",
			   .column = 2, .shown = IN_BOTH, .rank = 3 },
	[ROUND_MEAN] = { "round_mean_ns", "ns",
			 "round time, from first start to last completion, of rounds that start "
			 "in the measured interval, mean",
			 .stored = "round_mean_ns.2", .kind = FLOW, .better = LOWER,
			 .group = APPLICATIONS, .row = "rounds", .column = 3, .shown = IN_BOTH,
			 .rank = 4 },
	[ROUND_P50] = { "round_p50_ns", "ns", "round time, median", .stored = "round_p50_ns.2",
			.kind = FLOW, .better = LOWER, .group = APPLICATIONS, .row = "rounds",
			.column = 1, .shown = IN_BOTH },
	[ROUND_P99] = { "round_p99_ns", "ns", "round time, 99th percentile",
			.stored = "round_p99_ns.2", .kind = FLOW, .better = LOWER,
			.group = APPLICATIONS, .row = "rounds", .column = 2, .shown = IN_BOTH },
	[REWARD_MEAN] = { "reward", "",
			  "mean of the first probe \"reward PORT\": 0.7 x link utilisation + 0.3 "
			  "x queue term, which is 1 up to a mean queue of 20 KB and 0.1 less for "
			  "each doubling (ACC, SIGCOMM 2021, equation 2)",
			  .better = HIGHER, .group = AGENTS, .row = "ACC's reward, mean" },
	[SETTINGS_REFUSED] = { "settings_refused", "",
			       "settings requested by agents (switch.tune) and refused because "
			       "they are outside the limits; whole run",
			       .form = UNLESS_ZERO, .better = LOWER, .group = AGENTS,
			       .row = "settings refused", .shown = IN_TABLES },
	[PACKET_HOPS] = { "packet_hops", "", "packets sent over links, whole run", .group = COSTS,
			  .row = "packet-hops" },
	[SIM_SECONDS] = { "sim_seconds", "s", "simulated time", .group = COSTS,
			  .row = "simulated time" },
	[CPU_SECONDS] = { "cpu_seconds", "s", "CPU time of the run, all threads", .kind = COST,
			  .better = LOWER, .group = COSTS, .row = "CPU time" },
	[HOPS_PER_CPU_SECOND] = { "packet_hops_per_cpu_second", "", "speed", .kind = COST,
				  .better = HIGHER, .group = COSTS, .row = "hops per CPU second" },
	[PEAK_RSS] = { "peak_rss_bytes", "bytes", "peak resident memory of the process",
		       .kind = COST, .better = LOWER, .group = COSTS, .row = "peak memory" },
	[METRIC_COUNT] = { .name = NULL },
};

_Static_assert((int)METRIC_COUNT <= (int)METRICS_MAX, "room for every metric");
