/* run.h -- one run: a config in, numbers out. Several may go on in one process at once. */
#ifndef SIM_RUN_H
#define SIM_RUN_H
#include "sim/config.h"
#include "sim/flow.h"
#include "sim/network.h"
#include "weir/packet.h"
#include <stdatomic.h>

/* A quantity that cannot be known (no flow of that kind, say) is NAN. Same order as metric_all. */
struct metric {
	const char *name; /* "queue_mean_pkts" */
	const char *unit; /* "pkts", "ns", "bps", "" */
	const char *help;
	enum metric_kind {
		METRIC_RESULT,
		METRIC_FLOW,  /* of flows that completed: says nothing of those that did not */
		METRIC_PORT,  /* of the measured port alone */
		METRIC_PORTS, /* of all switch ports, where runs measured different ones */
		METRIC_COST,  /* depends on the machine, not on the scenario */
	} kind;
};

extern const struct metric metric_all[]; /* ends with .name == NULL */
enum { METRICS_MAX = 64 };

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

/* Links that wait for each other's pauses to end, at the end of the run: sim/deadlock.h. */
struct deadlock {
	uint32_t circles;  /* 0: none */
	uint32_t class_id; /* of the first circle */
	int64_t since_ps;  /* when its last link was paused */
	char text[480];    /* its links: "a->b, b->c, c->a" */
};

/* Flows that had not ended when the run did, and for which failed links have left no path:
 * sim/partition.h. */
struct partition {
	uint32_t flows;    /* 0: none */
	uint32_t src, dst; /* hosts of one that was cut off first */
	int64_t since_ps;  /* when its last path was lost */
};

/* What the run would need: sim/estimate.h. */
struct estimate {
	double memory_bytes, packet_hops, cpu_seconds;
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
	double wall_seconds;
	int partial; /* 1: interrupted or out of time; the numbers stop there */
	uint32_t flow_count;
	struct flow *flows; /* every record, with ideal FCT beside */
	int64_t *ideal_ps;  /* per flow; -1 for unlimited, and for control (gate.h) */
	uint32_t port_count;
	struct port_result *ports; /* egress ports of switches, and hosts' cards that have a queue */
	uint32_t measured_port;    /* index into ports */
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
};

/* Somebody who wants to see every packet that starts on a link, in order of time. Called by one
 * thread at a time. The flow is the one that opened the packet's connection, and stands among all flows in
 * the place of that number. Frames between neighbours are seen only where the run is told so, without a
 * flow. */
struct tap {
	const char *port; /* "leaf0->h3" */
	void (*see)(void *context, int64_t start_ps, const struct packet *packet,
		    const struct flow *flow);
	void *context;
};

struct run_control {
	uint32_t threads; /* at least 1 */
	atomic_int *stop; /* NULL or: becomes non-zero when the user interrupts */
	/* NULL or: called now and then by one thread with simulated time and the time the run is
	 * expected to end, 0 if unknown. */
	void (*progress)(void *context, int64_t now_ps, int64_t end_ps);
	void *context;
	uint32_t tap_count;
	const struct tap *taps;
	int taps_see_frames; /* 1: those between neighbours, too */
	/* Whether everything adds up (audit.h) is asked at the end and, for tests, after every so many
	 * windows. 0: only at the end. */
	uint32_t audit_windows;
	/* Everything is made, and nothing run: of the result only network, flows and estimate are there. */
	enum { RUN_WHOLE, RUN_ONLY_BUILT } extent;
};

enum run_status {
	RUN_DONE = 0,     /* maybe partial */
	RUN_REFUSED = -1, /* the config cannot be run */
	RUN_BROKEN = -2,  /* packets or bytes do not add up, which is a bug of ours */
	RUN_MISLED = -3,  /* a plug-in gave an answer that is none */
};

/* Returns one of these; but for RUN_DONE with a message in e. The result is the caller's to free unless
 * RUN_REFUSED. */
int run(const struct config *c, const struct run_control *control, struct run_result *r,
	struct error *e);
void run_result_free(struct run_result *r);

/* Value by name; asserts that it exists. */
double run_metric(const struct run_result *r, const char *name);
#endif
