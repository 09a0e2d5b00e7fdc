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
 * Link with libweir-sim and libweir. Several simulations may go on in one process, each used by one
 * thread at a time; none knows of another. What happens depends on the scenario, its seed, the plan
 * and the calls made, but neither on the number of threads nor on how the time is divided into
 * steps.
 *
 * All that a scenario file may say of network, switches and hosts holds here. Its traffic flows by
 * itself; messages of your own go by a section
 *
 *	[traffic NAME]
 *	pattern = messages
 *
 * whose settings (cc, class, ack-class, slack ...) they have. measure.to ends traffic as ever;
 * nothing is measured.
 *
 * Your functions are called in the turn of a host, while the others stand still or, with several
 * threads, work at the same time on other threads: such a function may touch what belongs to its
 * host and what it locks, calls the functions of its turn, and none of the simulation's. Where
 * functions return int, 0 is success and -1 comes with a message; where the system has no memory
 * left, the program ends with one. */
#ifndef WEIR_SIM_H
#define WEIR_SIM_H
#include "weir/begin.h"
#include "weir/error.h"
#include "weir/units.h"
#include <stdint.h>

WEIR_BEGIN

struct weir_sim;      /* a simulation, at rest */
struct weir_sim_turn; /* what a function that is called may do: valid until it returns */

struct weir_sim_plan {
	uint32_t threads; /* 0: one, and no other is started */
	/* Of each host at once, 0: 4096: messages that are not acknowledged, and one more of each
	 * connection. Memory is touched where it is used. */
	uint32_t messages;
	uint32_t connections; /* that each host may open for them; 0: 1024 */
};

/* A scenario may name plug-ins (weir/plugin.h), and a plug-in is code with the rights of your
 * program. Those are loaded that lie in this folder or below it, symbolic links resolved; others
 * are refused, as all are before the first call. "/": any. It holds for all simulations and
 * environments of the process, and stays. */
void weir_sim_allow_plugins(const char *folder);

/* text: a scenario file, without [sweep]. plan NULL: all zero. */
int weir_sim_new(struct weir_sim **sim, const char *text, const struct weir_sim_plan *plan,
		 struct weir_error *e);
void weir_sim_free(struct weir_sim *sim); /* at any time; NULL is fine */

/* Everything before time_ps happens, and nothing after. After a -1 the simulation may only be
 * freed. */
int weir_sim_run_until(struct weir_sim *sim, int64_t time_ps, struct weir_error *e);
int64_t weir_sim_now_ps(const struct weir_sim *sim);

/* Does every packet and byte add up? -1 is a bug of the simulator's. Takes a while. */
int weir_sim_audit(struct weir_sim *sim, struct weir_error *e);

/* --- names --- */

uint32_t weir_sim_hosts(const struct weir_sim *sim); /* how many; numbered from 0 */
int weir_sim_find_host(const struct weir_sim *sim, const char *name, uint32_t *host,
		       struct weir_error *e);

/* The number of [traffic NAME], which is to have pattern = messages. */
int weir_sim_find_traffic(const struct weir_sim *sim, const char *name, uint32_t *traffic,
			  struct weir_error *e);

/* --- looking and changing --- */

/* From now on there is one more thing to observe, which has the number returned in *watch. what: as
 * a probe of a scenario without its "every": "queue sw->h0", "throughput flow:3", "window flow:3",
 * "drops leaf0->h1", ... One that stands for several, such as "scheme sw->h0", takes as many
 * numbers from there on; weir_sim_watches is the first number that nothing has. */
int weir_sim_watch(struct weir_sim *sim, const char *what, uint32_t *watch, struct weir_error *e);
uint32_t weir_sim_watches(const struct weir_sim *sim);
const char *weir_sim_watch_name(const struct weir_sim *sim, uint32_t watch);

/* What it is now; of what is counted, all so far: throughput in bytes (of a port's queue from
 * weir_sim_watch on), marks and drops in packets, pauses in picoseconds. */
double weir_sim_observe(struct weir_sim *sim, uint32_t watch);

/* "link A->B", "down" or "up": what starts on it while it is down is lost. Ways stay as they are:
 * those around a failure are found beforehand, for cables that the scenario cuts both ways (fail =
 * of [network]). "marking A->B", "ecn(k=30pkts)": the port's own settings from now on, of the
 * scenario's scheme. */
int weir_sim_set(struct weir_sim *sim, const char *what, const char *value, struct weir_error *e);

/* --- flows of the scenario's own traffic, numbered from 0 --- */

struct weir_sim_flow {
	uint32_t from, to; /* hosts */
	uint32_t traffic;  /* its section's place in the scenario, from 0 */
	uint64_t bytes;    /* UINT64_MAX: without an end */
	int64_t start_ps;
	int64_t finish_ps; /* complete, by measure.completion of the scenario; -1: not yet */
};

uint32_t weir_sim_flows(const struct weir_sim *sim);
struct weir_sim_flow weir_sim_flow_at(const struct weir_sim *sim, uint32_t flow);

/* --- messages --- */

struct weir_sim_delivery {
	uint32_t from, to; /* hosts */
	uint64_t bytes;
	int64_t sent_ps, delivered_ps; /* given to the sender's transport; its last byte is here */
};

/* In the turn of the host that received it. */
typedef void weir_sim_delivered(void *context, struct weir_sim_turn *turn,
				const struct weir_sim_delivery *d);

struct weir_sim_message {
	uint32_t from, to; /* hosts */
	uint32_t
		traffic; /* weir_sim_find_traffic; of no use where the scenario has only one such */
	uint32_t class_id;             /* beyond the section's first: below its "classes" */
	uint64_t bytes;                /* at least 1 */
	weir_sim_delivered *delivered; /* NULL: nobody is told */
	void *context;
};

/* Sends it now. Messages of the same hosts, section and class go over one connection, opened for
 * the first of them, in order; after 2^32 segments over another one. */
int weir_sim_send(struct weir_sim *sim, const struct weir_sim_message *m, struct weir_error *e);

/* --- calls --- */

typedef void weir_sim_called(void *context, struct weir_sim_turn *turn);

struct weir_sim_call {
	int64_t time_ps; /* not before now */
	weir_sim_called *called;
	void *context;
};

/* In the turn of the host at that time, those of the same time in the order in which they were
 * asked for. */
int weir_sim_call_at(struct weir_sim *sim, uint32_t host, const struct weir_sim_call *call,
		     struct weir_error *e);

/* --- in a turn --- */

uint32_t weir_sim_turn_host(const struct weir_sim_turn *turn);
int64_t weir_sim_turn_now_ps(const struct weir_sim_turn *turn);

/* As above, for the host whose turn it is: m->from is that. */
int weir_sim_turn_send(struct weir_sim_turn *turn, const struct weir_sim_message *m,
		       struct weir_error *e);
int weir_sim_turn_call_at(struct weir_sim_turn *turn, const struct weir_sim_call *call,
			  struct weir_error *e);

WEIR_END
#endif
