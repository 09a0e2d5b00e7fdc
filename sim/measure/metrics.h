/* SPDX-License-Identifier: BSD-3-Clause */
/* metrics.h -- indices of metric_all, and what the files that compute metrics share. Runs once, at
 * the end of a run, on one thread. */
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
	ITERATIONS,
	JOBS_UNFINISHED,
	ITERATION_MEAN,
	ALGBW,
	BUSBW,
	EXPOSED,
	RANK_LAG,
	JOB_TIME,
	REWARD_MEAN,
	SETTINGS_REFUSED,
	PACKET_HOPS,
	SIM_SECONDS,
	CPU_SECONDS,
	HOPS_PER_CPU_SECOND,
	PEAK_RSS,
	METRIC_COUNT,
};

/* Lists the flows with their ideal completion times, and computes completion times, slowdowns and
 * fairness. */
void metrics_of_flows(const struct measure *m, struct run_result *r);

/* I/Os and rounds of the listed flows. */
void metrics_of_applications(const struct measure *m, struct run_result *r);

/* Metrics of jobs, of the run and of their sections. After metrics_of_sections. */
void metrics_of_jobs(const struct measure *m, struct run_result *r, double interval_ps);

/* Sets a metric of section_metric_all for a section. */
void section_set(const struct run_result *r, uint32_t section, enum metric_id metric, double value);

/* The metrics of each [traffic] section (section_metric_all). After metrics_of_applications and the
 * list of pauses. */
void metrics_of_sections(const struct measure *m, struct run_result *r, double interval_ps);

/* Utilisation, marks and pauses by tier, over interval_ps. */
void metrics_of_tiers(const struct measure *m, struct run_result *r, double interval_ps);

/* Queue lengths and sojourn times of the listed ports: together, by tier, and of the worst. */
void metrics_of_queues(const struct measure *m, struct run_result *r, double interval_ps);

/* Tiers of links. Up is away from hosts, or between switches that are equally far from them. */
enum tier { FROM_HOSTS, UP, DOWN, TO_HOSTS, TIERS };

/* Distance of each node from the nearest host, in links; the caller frees the array. */
uint32_t *tier_heights(const struct network *net);

/* The tier of a link. */
enum tier tier_of(const struct network *net, const uint32_t *height, uint32_t link);

/* How long the link was busy in the interval. */
double metrics_busy_ps(const struct measure *m, uint32_t link);
#endif
