/* SPDX-License-Identifier: BSD-3-Clause */
/* metrics.h -- which numbers a run has, by place in metric_all; between the files that compute
 * them. */
#ifndef SIM_MEASURE_METRICS_H
#define SIM_MEASURE_METRICS_H
#include "sim/measure/measure.h"

enum metric_id {
	FLOWS_STARTED,
	FLOWS_COMPLETED,
	FLOWS_UNFINISHED,
	FLOWS_WITHOUT_PATH,
	FLOWS_STARVED,
	GOODPUT,
	GOODPUT_SPAN,
	BULK_GOODPUT,
	JAIN,
	UNFAIR_RATIO,
	QUEUE_MEAN_BYTES,
	QUEUE_MEAN_PKTS,
	QUEUE_P50,
	QUEUE_P99,
	QUEUE_MAX,
	QUEUE_EMPTY,
	NETWORK_QUEUE_MEAN,
	NETWORK_QUEUE_P99,
	NETWORK_QUEUE_MAX,
	NETWORK_WAIT_MEAN,
	NETWORK_WAIT_P99,
	WORST_QUEUE_P99,
	WORST_WAIT_P99,
	MARK_FRACTION,
	MARKS,
	DROPS,
	TIMEOUTS,
	TIMEOUTS_SMALL,
	RETRANSMITS,
	FLOWS_AFFECTED,
	PAUSE_TIME,
	PAUSE_FRACTION,
	PAUSE_RATE,
	PFC_DEADLOCKS,
	UTILISATION,
	/* by tier, in the order of enum tier */
	UTILISATION_FROM_HOSTS,
	UTILISATION_UP,
	UTILISATION_DOWN,
	UTILISATION_TO_HOSTS,
	MARKS_FROM_HOSTS,
	MARKS_UP,
	MARKS_DOWN,
	MARKS_TO_HOSTS,
	PAUSE_FRACTION_FROM_HOSTS,
	PAUSE_FRACTION_UP,
	PAUSE_FRACTION_DOWN,
	PAUSE_FRACTION_TO_HOSTS,
	QUEUE_P99_FROM_HOSTS,
	QUEUE_P99_UP,
	QUEUE_P99_DOWN,
	QUEUE_P99_TO_HOSTS,
	WAIT_P99_FROM_HOSTS,
	WAIT_P99_UP,
	WAIT_P99_DOWN,
	WAIT_P99_TO_HOSTS,
	FCT_MEAN,
	FCT_P50,
	FCT_P99,
	FCT_P999,
	FCT_SMALL_MEAN,
	FCT_SMALL_P99,
	FCT_MEDIUM_MEAN,
	FCT_LARGE_MEAN,
	SLOWDOWN_MEAN,
	SLOWDOWN_P50,
	SLOWDOWN_P99,
	IOPS,
	READ_IOPS,
	IO_READ_P50,
	IO_READ_P99,
	WRITE_IOPS,
	IO_WRITE_P50,
	IO_WRITE_P99,
	ROUND_MEAN,
	ROUND_P50,
	ROUND_P99,
	REWARD_MEAN,
	SETTINGS_REFUSED,
	PACKET_HOPS,
	SIM_SECONDS,
	CPU_SECONDS,
	HOPS_PER_CPU_SECOND,
	PEAK_RSS,
	METRIC_COUNT,
};

/* Lists the flows with their ideal completion times, and fills in what follows from them:
 * completion times, slowdowns, fairness. */
void metrics_of_flows(const struct measure *m, struct run_result *r);

/* Of the flows that are listed: I/Os and rounds. */
void metrics_of_applications(const struct measure *m, struct run_result *r);

/* After metrics_of_applications and the list of pauses: the same by [traffic] section, see
 * section.h. */
void metrics_of_sections(const struct measure *m, struct run_result *r, double interval_ps);

/* Where in the network links are busy, packets are marked and classes are paused, interval_ps
 * long. */
void metrics_of_tiers(const struct measure *m, struct run_result *r, double interval_ps);

/* The queues of all ports that are listed, and how long packets waited there: together, by tier,
 * and where that was worst. */
void metrics_of_waiting(const struct measure *m, struct run_result *r, double interval_ps);

/* Links by where they lead. Up is away from hosts, or between switches that are equally far from
 * them. */
enum tier { FROM_HOSTS, UP, DOWN, TO_HOSTS, TIERS };

/* How many links each node is away from the nearest host, the caller's to free; the tier of a link
 * by that. */
uint32_t *tier_heights(const struct network *net);
enum tier tier_of(const struct network *net, const uint32_t *height, uint32_t link);

/* How much of its rate the link sent. */
double metrics_busy_ps(const struct measure *m, uint32_t link);
#endif
