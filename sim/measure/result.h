/* SPDX-License-Identifier: BSD-3-Clause */
/* result.h -- the result of a run: metrics, and the flows, ports, pauses and series behind them.
 *
 * Written once at the end of a run, read by the store, reports and the command line; owned by the
 * caller of run, who frees it by run_result_free. */
#ifndef SIM_MEASURE_RESULT_H
#define SIM_MEASURE_RESULT_H
#include "sim/measure/preview.h"
#include "sim/net/network.h"
#include "sim/core/deadlock.h"
#include "sim/traffic/flow.h"
#include "sim/traffic/job.h"

/* Flows that had not ended when the run did, because failed links left no path for them. */
struct partition {
	uint32_t flows;    /* 0: none */
	uint32_t src, dst; /* hosts of the flow that was cut off first */
	int64_t since_ps;  /* when its last path was lost */
};

/* What a metric is of: decides which runs it is comparable between, and its caveats. */
enum metric_kind {
	METRIC_RESULT,
	METRIC_FLOW,  /* of completed flows; unfinished ones are not in it */
	METRIC_PORT,  /* of the measured port alone */
	METRIC_PORTS, /* of all switch ports, where runs measured different ones */
	METRIC_COST,  /* depends on the machine, not on the scenario */
};

/* How a value is displayed. UNLESS_ZERO: in its unit, but not in a single run if it is 0. */
enum metric_form { METRIC_BY_UNIT, METRIC_PERCENT, METRIC_UNLESS_ZERO };

/* Which of two values is better, everything else being equal. */
enum metric_better { METRIC_NEITHER, METRIC_LOWER, METRIC_HIGHER };

/* Groups in the order of display. */
enum metric_group {
	METRIC_TRAFFIC,
	METRIC_COMPLETION, /* of flows, by their sizes: lab/store/table_flows.c lays it out */
	METRIC_APPLICATIONS,
	METRIC_AGENTS,
	METRIC_QUEUE,
	METRIC_WAITING,
	METRIC_BY_TIER,
	METRIC_LOSSES,
	METRIC_COSTS,
	METRIC_GROUPS
};

/* Where a metric is shown by default; a single run shows all. */
enum metric_shown { METRIC_IN_TABLES = 1, METRIC_IN_REPORTS = 2 };

/* Definition of a metric. Values are in the order of metric_all; NAN: undefined, such as a mean
 * over no flows. */
struct metric {
	const char *name; /* "queue_mean_pkts" */
	const char *unit; /* "pkts", "ns", "bps", "" */
	const char *help;
	/* Its name in result folders; NULL: name. A definition that changes gets a new one, so that
	 * values of the old definition, which older folders hold under the old name, are never
	 * taken for new ones. */
	const char *stored;
	/* WITH_TO: the earlier definition agrees if measure.to is set; its values are then read. */
	enum { METRIC_EARLIER_OTHER, METRIC_EARLIER_WITH_TO } earlier;
	enum metric_kind kind;
	enum metric_form form;
	enum metric_better better;
	enum metric_group group;
	const char
		*row; /* of the group, in the table of a single run; NULL with METRIC_COMPLETION */
	int column;   /* in that row, from 0 */
	unsigned shown; /* of enum metric_shown */
	int rank;       /* 1: shown first if not all fit; 0: only on request or in wide tables */
};

extern const struct metric metric_all[]; /* ends with .name == NULL */
enum { METRICS_MAX = 104 };

struct port_result {
	uint32_t link;
	uint64_t tx_pkts, tx_bytes, marks, drops;
	double queue_mean_bytes, queue_mean_pkts;
	uint32_t queue_max_pkts;
};

/* A class of a link, which may be a host's, whose sending end was paused. */
struct pause_result {
	uint32_t link, class_id;
	uint64_t pauses; /* that began in the interval */
	int64_t paused_ps;
};

/* Packets dropped or marked for one reason, in the whole network and run. */
struct reason_count {
	const char *name;
	uint64_t count;
	int is_mark; /* 1: marked, 0: dropped */
};

/* A quantity over time, sampled or at each change: the output of a probe. */
struct series {
	char name[128];   /* "queue sw->h0", "throughput flow 3", "window flow 3", "N leaf0->h3" */
	const char *unit; /* "pkts", "bytes", "bps", "" */
	uint64_t count, capacity;
	int64_t *time_ps;
	double *value;
};

struct run_result {
	double value[METRICS_MAX]; /* by metric_all */
	uint32_t section_count;
	double *section_value; /* section x section_metric_all; NAN: unknown */
	double wall_seconds;
	int partial;       /* 1: interrupted or out of time; the numbers stop there */
	char held_up[160]; /* of a run on real packets: why it fell behind; "": it did not */
	uint32_t flow_count;
	struct flow *flows; /* every record, finish_ps by measure.completion; ideal FCT beside */
	int64_t *ideal_ps;  /* per flow; -1 for unlimited, and for control (flow.h) */
	uint32_t port_count;
	struct port_result *ports; /* egress ports of switches, and NICs that have a queue */
	uint32_t measured_port;    /* index into ports */
	uint32_t worst_queue_port, worst_wait_port; /* indices of those with the largest p99 */
	uint32_t pause_count;
	struct pause_result *pauses; /* by (link, class), only those that were paused */
	struct deadlock deadlock;
	struct partition partition;
	uint32_t reason_count;
	struct reason_count reasons[32];
	struct network network; /* for names */
	uint32_t series_count;
	struct series *series;    /* in the order of the probes */
	struct estimate estimate; /* if the run was built but not started */
	struct path_survey paths; /* the same */
	uint32_t job_count;
	struct job_demand *jobs; /* the same, of sections with jobs */
};

void run_result_free(struct run_result *r);

/* Value by name; asserts that it exists. */
double run_metric(const struct run_result *r, const char *name);

/* --- metrics of one [traffic] section --- */

/* What a section must have for the metric to be defined. */
enum section_need {
	SECTION_ANY,
	SECTION_IOS,
	SECTION_ROUNDS,
	SECTION_JOBS,
	SECTION_LOSSLESS,
	SECTION_NEEDS
};

struct section_metric {
	uint32_t metric; /* index into metric_all */
	enum section_need need;
};

enum { SECTION_METRICS = 21 };

extern const struct section_metric section_metric_all[SECTION_METRICS];

/* Index in section_metric_all of a metric_all index; -1: not a metric of sections. */
int section_metric_find(uint32_t metric);

/* Does the section of the checked scenario meet the need? */
int section_has(const struct config *c, uint32_t section, enum section_need need);
#endif
