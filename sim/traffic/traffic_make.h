/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_make.h -- what traffic patterns share; for the patterns of this room only.
 *
 * A pattern gets a maker for its section: it holds the section's random stream and adds flows to
 * the list. Patterns of plug-ins see of it what weir/traffic.h shows. */
#ifndef SIM_TRAFFIC_TRAFFIC_MAKE_H
#define SIM_TRAFFIC_TRAFFIC_MAKE_H
#include "sim/traffic/traffic.h"
#include "sim/traffic/workload.h"
#include "weir/rng.h"
#include "weir/units.h"

/* Longest time a flow may start at: sums of a few of them stay far from the end of int64. */
#define START_MAX_PS (1000 * WEIR_PS_PER_S)

struct maker {
	struct weir_flow_builder pub;
	const void *params; /* the pattern's own, see maker_of */
	struct flow_list *list;
	const struct traffic_config *t;
	const struct config *c;
	const struct network *net;
	struct weir_error *e;
	struct weir_rng rng;
	uint32_t first;   /* flows of the list that were there before */
	int refused;      /* 1: a plug-in added a flow that is none, and the message says so */
	uint64_t stop_ps; /* unlimited flows end here; 0: never */
	struct route_table *routes; /* pattern list: once a flow names its path; else NULL */
};

/* For a section whose pattern is chosen. Must stay where it is. */
void maker_init(struct maker *m, struct flow_list *list, const struct traffic_config *t,
		const struct config *c, const struct network *net);
/* Has the pattern add its flows. */
int maker_generate(struct maker *m, struct weir_error *e);

/* All of the maker that a built-in pattern was given. */
static inline struct maker *maker_of(struct weir_flow_builder *pub, const void *params)
{
	struct maker *m = (struct maker *)pub;

	m->params = params;
	return m;
}

/* "traffic.web.load: ..."; returns -1. */
int maker_error(struct maker *m, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Room for so many flows more; checks that there is. */
int maker_reserve(struct maker *m, uint64_t flows);

/* What a pattern decides of a flow. */
struct flow_plan {
	uint32_t src, dst;
	uint64_t size_bytes;
	int64_t start_ps; /* WEIR_TIME_NEVER_PS: it waits at a gate */
};

/* Needs room reserved. A flow of unlimited size stops where the section says. */
void maker_add(struct maker *m, const struct flow_plan *p);

/* Ties a flow, by its number in the list, to a gate. */
void maker_tie(struct maker *m, uint32_t flow, uint32_t gate, enum flow_tie kind);

/* A host other than this one, each as likely. */
uint32_t maker_other_host(struct maker *m, uint32_t host);

/* A time in the section's start span, each as likely. */
int64_t maker_start_in_span(struct maker *m);

int maker_check_receiver(struct maker *m, uint64_t receiver);
/* How many senders: those asked for or, at 0, all but the receiver. */
int maker_senders(struct maker *m, uint64_t asked, uint32_t *senders);
/* A stop belongs to unlimited flows and comes after the last start. */
int maker_check_stop(struct maker *m, int is_unlimited);

/* For flows that are listed one by one: may this one be unlimited, where it is? */
int maker_check_endless(const struct maker *m, const struct flow_plan *p, struct weir_error *e);
/* Is one of the flows added since then unlimited? */
int maker_any_endless(const struct maker *m, uint32_t since);

/* The window in which a pattern's arrivals fall, when it is given: by start = a..b, or from start
 * to measure.to. length_ps 0: by neither; the number of flows, 0 where it is not given, decides. */
struct arrival_window {
	int64_t first_ps;
	double length_ps;
};

int maker_window(struct maker *m, uint64_t flows, struct arrival_window *w);

/* --- sizes: "size" or "sizes" of a section, 0 and "" where not given --- */

struct flow_sizes {
	uint64_t fixed_bytes; /* 0: as the workload says */
	struct workload *workload;
};

enum sizes_allowed { SIZES_FINITE, SIZES_ANY };

int sizes_open(struct flow_sizes *s, struct maker *m, uint64_t size_bytes, const char *sizes,
	       enum sizes_allowed allowed);
void sizes_close(struct flow_sizes *s);
double sizes_mean_bytes(const struct flow_sizes *s);
/* The size at quantile u, 0 <= u <= 1. */
uint64_t sizes_at(const struct flow_sizes *s, double u);

/* --- options that several patterns share; AT(member) is a place in the pattern's params --- */

#define FLOW_SIZE_MAX_BYTES (UINT64_C(1000) * 1000 * 1000 * 1000)
#define APP_RATE_MIN_BPS 1000
#define APP_RATE_MAX_BPS (UINT64_C(4) * 1000 * 1000 * 1000 * 1000)

#define SENDERS_OPTION(help_) \
	{ \
		"senders", WEIR_OPT_COUNT, AT(senders), NULL, 1, UINT32_MAX, help_, NULL \
	}
#define RECEIVER_OPTION \
	{ \
		"receiver", WEIR_OPT_COUNT, AT(receiver), "0", 0, UINT32_MAX, \
			"number of the host that receives", NULL \
	}
#define ANY_SIZE_OPTION \
	{ \
		"size", WEIR_OPT_SIZE, AT(size_bytes), NULL, 1, FLOW_SIZE_MAX_BYTES, \
			"bytes of every flow; unlimited: until stop", NULL \
	}
#define FINITE_SIZE_OPTION \
	{ \
		"size", WEIR_OPT_BYTES, AT(size_bytes), NULL, 1, FLOW_SIZE_MAX_BYTES, \
			"bytes of every flow", NULL \
	}
#define SIZES_OPTION \
	{ \
		"sizes", WEIR_OPT_SCHEME, AT(sizes), NULL, 0, 0, \
			"distribution of the flows' bytes: a workload, fixed(size), " \
			"exponential(mean), " \
			"uniform(min,max) or a file", \
			workload_specs.kind \
	}
#define STOP_OPTION \
	{ \
		"stop", WEIR_OPT_TIME_PS, AT(stop_ps), NULL, 1, (uint64_t)START_MAX_PS, \
			"when unlimited flows end; at the end of the run unless given", NULL \
	}
#define APP_RATE_OPTION \
	{ \
		"app-rate", WEIR_OPT_RATE_BPS, AT(app_rate_bps), NULL, APP_RATE_MIN_BPS, \
			APP_RATE_MAX_BPS, \
			"the application writes at this rate; all at once unless given", NULL \
	}
#define FLOWS_OPTION(help_) \
	{ \
		"flows", WEIR_OPT_COUNT, AT(flows), NULL, 1, UINT32_MAX - 2, help_, NULL \
	}
#endif
