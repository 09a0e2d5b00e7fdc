/* SPDX-License-Identifier: BSD-3-Clause */
/* sim.h -- the simulator as a library: the network of a scenario, driven from a loop of yours.
 *
 *	struct weir_sim *sim;
 *	struct weir_error e;
 *
 *	if (weir_sim_new(&sim, text, NULL, &e))
 *		return complain(e.text); // what is wrong with the scenario, and where
 *	weir_sim_send(sim, &(struct weir_sim_message){ .from = 0, .to = 1, .bytes = 1000000 }, &e);
 *	weir_sim_run_until(sim, weir_ns_to_ps(5 * WEIR_NS_PER_MS), &e);
 *	weir_sim_free(sim);
 *
 * Link with libweir-sim and libweir. Results depend on the scenario, its seed, the plan and the
 * calls made, but neither on the number of threads nor on how the time is divided into steps.
 *
 * Network, switches and hosts are those of the scenario. Its traffic starts by itself; your own
 * messages use the settings (cc, class, ack-class, slack ...) of a section
 *
 *	[traffic NAME]
 *	pattern = messages
 *
 * measure.to ends the scenario's traffic as in a run; nothing is measured.
 *
 * Threads: several simulations may exist in one process, each used by one thread at a time; they
 * share nothing. Callbacks run in the turn of a host, on a thread of the simulation; with several
 * threads other hosts' turns run at the same time. A callback may touch data of its host and data
 * that it locks; it calls functions of its turn, weir_sim_find_host and weir_sim_find_traffic, and
 * no other functions of the simulation.
 *
 * Errors: functions that return int return 0, or -1 with a message. When the system is out of
 * memory the program ends with a message. Times are picoseconds. */
#ifndef WEIR_SIM_H
#define WEIR_SIM_H
#include "weir/begin.h"
#include "weir/error.h"
#include "weir/units.h"
#include <stdint.h>

WEIR_BEGIN

struct weir_sim;      /* a simulation */
struct weir_sim_turn; /* context of a callback, valid until that returns */

struct weir_sim_plan {
	uint32_t threads; /* 0: one, the caller's */
	/* Unacknowledged messages of each host at a time, and one more for each connection; 0:
	 * 4096. Memory is reserved, and used as needed. */
	uint32_t messages;
	uint32_t connections; /* of each host; 0: 1024 */
};

/* A scenario may name plug-ins (weir/plugin.h), which run with the rights of your program. Allows
 * those in this folder or below it, after resolving symbolic links; "/" allows all, and before the
 * first call none is allowed. For all simulations and environments of the process, permanently. */
void weir_sim_allow_plugins(const char *folder);

/* text: the content of a scenario file, without [sweep]. plan NULL: all fields 0. *sim is yours to
 * free; after -1 there is none. */
int weir_sim_new(struct weir_sim **sim, const char *text, const struct weir_sim_plan *plan,
		 struct weir_error *e);
void weir_sim_free(struct weir_sim *sim); /* NULL: nothing to do */

/* Simulates all events before time_ps. After -1 the simulation may only be freed. */
int weir_sim_run_until(struct weir_sim *sim, int64_t time_ps, struct weir_error *e);
int64_t weir_sim_now_ps(const struct weir_sim *sim);

/* Checks that every packet and byte is accounted for. -1: a bug of the simulator. O(packets in the
 * network
 * + flows). */
int weir_sim_audit(struct weir_sim *sim, struct weir_error *e);

/* --- names --- */

uint32_t weir_sim_hosts(const struct weir_sim *sim); /* how many; numbered from 0 */
int weir_sim_find_host(const struct weir_sim *sim, const char *name, uint32_t *host,
		       struct weir_error *e);

/* The number of [traffic NAME], which must have pattern = messages. */
int weir_sim_find_traffic(const struct weir_sim *sim, const char *name, uint32_t *traffic,
			  struct weir_error *e);

/* --- observing and changing --- */

/* Adds a watch; its number is returned in *watch. what: a probe of a scenario without its "every",
 * as in "queue sw->h0", "throughput flow:3", "window flow:3", "drops leaf0->h1". A probe with
 * several values, such as "scheme sw->h0", takes consecutive numbers; weir_sim_watches is the first
 * unused number. */
int weir_sim_watch(struct weir_sim *sim, const char *what, uint32_t *watch, struct weir_error *e);
uint32_t weir_sim_watches(const struct weir_sim *sim);
const char *weir_sim_watch_name(const struct weir_sim *sim, uint32_t watch);

/* Its present value. Counters are totals: throughput in bytes (of a port's queue since
 * weir_sim_watch), marks and drops in packets, pauses in picoseconds. */
double weir_sim_observe(struct weir_sim *sim, uint32_t watch);

/* what "link A->B", value "down" or "up": packets sent while the link is down are lost. Routes do
 * not change: routes around failures are computed in advance, for cables that the scenario cuts
 * (fail = of [network]). what "marking A->B", value "ecn(k=30pkts)": sets the parameters of the
 * scenario's scheme at this port. */
int weir_sim_set(struct weir_sim *sim, const char *what, const char *value, struct weir_error *e);

/* --- flows of the scenario's own traffic, numbered from 0 --- */

struct weir_sim_flow {
	uint32_t from, to; /* hosts */
	uint32_t traffic;  /* its section's place in the scenario, from 0 */
	uint64_t bytes;    /* UINT64_MAX: without an end */
	int64_t start_ps;
	int64_t finish_ps; /* completion, as defined by measure.completion; -1: not complete */
};

uint32_t weir_sim_flows(const struct weir_sim *sim);
struct weir_sim_flow weir_sim_flow_at(const struct weir_sim *sim, uint32_t flow);

/* --- messages --- */

struct weir_sim_delivery {
	uint32_t from, to; /* hosts */
	uint64_t bytes;
	int64_t sent_ps, delivered_ps; /* handed to the sender's transport; last byte received */
};

/* Called in the turn of the receiving host. */
typedef void weir_sim_delivered(void *context, struct weir_sim_turn *turn,
				const struct weir_sim_delivery *d);

struct weir_sim_message {
	uint32_t from, to;             /* hosts */
	uint32_t traffic;              /* of weir_sim_find_traffic; 0 if there is one section */
	uint32_t class_id;             /* counted from the section's class, below its "classes" */
	uint64_t bytes;                /* at least 1 */
	weir_sim_delivered *delivered; /* NULL: no callback */
	void *context;
};

/* Sends it at the present time. Messages of the same hosts, section and class share a connection,
 * which the first of them opens, and are delivered in order; after 2^32 segments there is a new
 * one. */
int weir_sim_send(struct weir_sim *sim, const struct weir_sim_message *m, struct weir_error *e);

/* --- calls --- */

typedef void weir_sim_called(void *context, struct weir_sim_turn *turn);

struct weir_sim_call {
	int64_t time_ps; /* not before the present time */
	weir_sim_called *called;
	void *context;
};

/* Calls in the turn of the host at that time; calls of one host for the same time in the order of
 * the requests. */
int weir_sim_call_at(struct weir_sim *sim, uint32_t host, const struct weir_sim_call *call,
		     struct weir_error *e);

/* --- in a callback --- */

uint32_t weir_sim_turn_host(const struct weir_sim_turn *turn);
int64_t weir_sim_turn_now_ps(const struct weir_sim_turn *turn);

/* As above, for the host of the turn; m->from is ignored. */
int weir_sim_turn_send(struct weir_sim_turn *turn, const struct weir_sim_message *m,
		       struct weir_error *e);
int weir_sim_turn_call_at(struct weir_sim_turn *turn, const struct weir_sim_call *call,
			  struct weir_error *e);

WEIR_END
#endif
