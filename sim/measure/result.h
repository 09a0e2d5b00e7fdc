/* SPDX-License-Identifier: BSD-3-Clause */
/* result.h -- what a run gives: metrics, and every flow, port, pause and series behind them. */
#ifndef SIM_MEASURE_RESULT_H
#define SIM_MEASURE_RESULT_H
#include "sim/measure/preview.h"
#include "sim/measure/ways.h"
#include "sim/measure/partition.h"
#include "sim/net/network.h"
#include "sim/core/deadlock.h"
#include "sim/traffic/flow.h"

/* Which runs a value may be compared with, and what casts doubt on it. */
enum metric_kind {
	METRIC_RESULT,
	METRIC_FLOW,  /* of flows that completed: says nothing of those that did not */
	METRIC_PORT,  /* of the measured port alone */
	METRIC_PORTS, /* of all switch ports, where runs measured different ones */
	METRIC_COST,  /* depends on the machine, not on the scenario */
};

/* How a value is displayed. UNLESS_ZERO: in its unit; a single run does not show 0. */
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

/* Where a metric is shown without being asked for; a single run shows all. */
enum metric_shown { METRIC_IN_TABLES = 1, METRIC_IN_REPORTS = 2 };

/* A quantity that cannot be known (no flow of that kind, say) is NAN. Same order as metric_all. */
struct metric {
	const char *name; /* "queue_mean_pkts" */
	const char *unit; /* "pkts", "ns", "bps", "" */
	const char *help;
	/* Its name in result folders; NULL: name. A definition that changes gets a new one, so that
	 * values of the old definition, which older folders hold under the old name, are never
	 * taken for new ones. */
	const char *stored;
	/* The earlier definition is the same where measure.to is set: its values are read then. */
	enum { METRIC_EARLIER_OTHER, METRIC_EARLIER_WITH_TO } earlier;
	enum metric_kind kind;
	enum metric_form form;
	enum metric_better better;
	enum metric_group group;
	const char *row; /* of the group, in the table of a single run; NULL: COMPLETION alone */
	int column;      /* in that row, from 0 */
	unsigned shown;  /* of enum metric_shown */
	int rank; /* 1: the first to be shown where not all fit; 0: only if asked for, or in wide
		     tables */
};

extern const struct metric metric_all[]; /* ends with .name == NULL */
enum { METRICS_MAX = 96 };

struct port_result {
	uint32_t link;
	uint64_t tx_pkts, tx_bytes, marks, drops;
	double queue_mean_bytes, queue_mean_pkts;
	uint32_t queue_max_pkts;
};

/* A class of a link, the link of a host among them, whose sending end was told to pause. */
struct pause_result {
	uint32_t link, class_id;
	uint64_t pauses; /* that began in the interval */
	int64_t paused_ps;
};

/* Why a packet was dropped or marked, network-wide, whole run. */
struct reason_count {
	const char *name;
	uint64_t count;
	int is_mark; /* 1: marked, 0: dropped */
};

/* A quantity over time, sampled or at each change: what a probe saw. */
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
	double *section_value; /* section x section_metric_all (section.h); NAN: unknown */
	double wall_seconds;
	int partial;       /* 1: interrupted or out of time; the numbers stop there */
	char held_up[160]; /* of a real run: what the machine did to it; "": it kept up */
	uint32_t flow_count;
	struct flow *flows; /* every record, finish_ps by measure.completion; ideal FCT beside */
	int64_t *ideal_ps;  /* per flow; -1 for unlimited, and for control (flow.h) */
	uint32_t port_count;
	struct port_result
		*ports;         /* egress ports of switches, and hosts' cards that have a queue */
	uint32_t measured_port; /* index into ports */
	uint32_t worst_queue_port, worst_wait_port; /* likewise: those with the largest p99 */
	uint32_t pause_count;
	struct pause_result *pauses; /* by (link, class), those that were paused */
	struct deadlock deadlock;
	struct partition partition;
	uint32_t reason_count;
	struct reason_count reasons[32];
	struct network network; /* for names */
	uint32_t series_count;
	struct series *series;    /* in the order of the probes */
	struct estimate estimate; /* where the run was only built */
	struct path_survey ways;  /* likewise */
};

void run_result_free(struct run_result *r);

/* Value by name; asserts that it exists. */
double run_metric(const struct run_result *r, const char *name);
#endif
