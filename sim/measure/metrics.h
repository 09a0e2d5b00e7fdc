/* metrics.h -- which numbers a run has, by place in metric_all; between the files that compute them. */
#ifndef SIM_MEASURE_METRICS_H
#define SIM_MEASURE_METRICS_H
#include "sim/measure/measure.h"

enum metric_id {
	FLOWS_STARTED,
	FLOWS_COMPLETED,
	FLOWS_UNFINISHED,
	FLOWS_WITHOUT_PATH,
	GOODPUT,
	JAIN,
	UNFAIR_RATIO,
	QUEUE_MEAN_BYTES,
	QUEUE_MEAN_PKTS,
	QUEUE_P50,
	QUEUE_P99,
	QUEUE_MAX,
	QUEUE_EMPTY,
	NETWORK_QUEUE_MEAN,
	NETWORK_QUEUE_MAX,
	MARK_FRACTION,
	MARKS,
	DROPS,
	TIMEOUTS,
	TIMEOUTS_SMALL,
	RETRANSMITS,
	PAUSE_TIME,
	PAUSE_FRACTION,
	PAUSE_RATE,
	PFC_DEADLOCKS,
	UTILISATION,
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
	ROUND_MEAN,
	PACKET_HOPS,
	SIM_SECONDS,
	CPU_SECONDS,
	HOPS_PER_CPU_SECOND,
	PEAK_RSS,
	METRIC_COUNT,
};

/* Lists the flows with their ideal completion times, and fills in what follows from them: completion times,
 * slowdowns, fairness, operations and rounds of applications. */
void metrics_of_flows(const struct measure *m, struct run_result *r);
#endif
