/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_rounds.c -- distributed training in rounds: a parameter server, and an all-reduce ring.
 *
 * training: every worker pushes its gradients to the server; when all are there the server answers
 * each with as many bytes of new parameters; a worker that has them computes and pushes again. With
 * the bytes of the models that ACC trains (Yan et al., SIGCOMM 2021, section 5.3.2), at four bytes
 * a parameter: AlexNet has 61 million, ResNet-50 25.6 million.
 *
 * ring: n hosts sum up and share a vector in 2 (n-1) steps, a reduce-scatter and an all-gather; in
 * each step every host sends one n-th of the vector to the next host, the part that it received in
 * the step before (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
 * workstations", 2009). A host that has received all parts of a round computes and begins the next.
 *
 * A round lasts from its first start to its last end, without the computing. */
#include "sim/traffic/flow_builder.h"
#include <inttypes.h>
#include <string.h>

#define COMPUTE_MAX_PS ((uint64_t)(100 * WEIR_PS_PER_S))

struct rounds_params {
	uint64_t hosts;                 /* workers, or members of the ring; 0: all there are */
	uint64_t server;                /* training */
	char model[WEIR_OPT_TEXT_SIZE]; /* whose gradients are size_bytes; empty: size is given */
	uint64_t size_bytes;
	uint64_t rounds;             /* 0: as many as start before measure.to */
	struct weir_span_ps compute; /* between two rounds of a host: somewhere in here */
};

#define AT(member) offsetof(struct rounds_params, member)

static const struct rounds_params *params_of(const struct flow_builder *b)
{
	return b->params;
}

#define ROUNDS_OPTION \
	{ \
		"rounds", WEIR_OPT_COUNT, AT(rounds), NULL, 1, UINT32_MAX, \
			"number of rounds; not given: as many as start until measure.to", NULL \
	}
#define COMPUTE_OPTION \
	{ \
		"compute", WEIR_OPT_SPAN_PS, AT(compute), "0us", 0, COMPUTE_MAX_PS, \
			"computation time of a host between two rounds: constant, or uniform " \
			"between two times", \
			NULL \
	}

/* --- both patterns --- */

static double rounds_sending_ps(double bytes, uint64_t rate_bps)
{
	return weir_bytes_to_bits(bytes) * (double)WEIR_PS_PER_S / (double)rate_bps;
}

/* Lower bound on the FCT of any flow: it crosses the links of both its hosts. */
static double rounds_shortest_flow_ps(const struct flow_builder *b, double bytes)
{
	uint64_t fastest_bps = 1;
	int64_t nearest_ps = INT64_MAX;

	for (uint32_t i = 0; i < b->net->host_count; i++) {
		const struct net_link *link = host_link(b->net, i);

		fastest_bps = link->rate_bps > fastest_bps ? link->rate_bps : fastest_bps;
		nearest_ps = link->delay_ps < nearest_ps ? link->delay_ps : nearest_ps;
	}
	return rounds_sending_ps(bytes, fastest_bps) + 2 * (double)nearest_ps;
}

/* Number of rounds: as configured, or more than can start before measure.to, given that two rounds
 * start at least shortest_ps apart. */
static int rounds_count(struct flow_builder *b, double shortest_ps, uint64_t *rounds)
{
	int64_t to_ps = (int64_t)b->c->measure.to_ps;
	double count;

	*rounds = params_of(b)->rounds;
	if (to_ps && b->t->start.last_ps >= to_ps)
		return flow_builder_error(b, "start", "must be before measure.to");
	if (*rounds)
		return 0;
	if (!to_ps)
		return flow_builder_error(b, "rounds",
					  "not given; say how many, or until "
					  "when they begin by measure.to");
	count = (double)(to_ps - b->t->start.first_ps) / shortest_ps + 2;
	/* flow_builder_reserve refuses anything near the limit. */
	*rounds = count < (double)UINT32_MAX ? (uint64_t)count : UINT32_MAX;
	return 0;
}

/* Adds a gate for each of `hosts` hosts: it opens when `needed` flows have arrived there, and lets
 * the host start its next round after the computing time, but not after measure.to. Returns the
 * first gate. */
static uint32_t rounds_add_gates(struct flow_builder *b, uint32_t hosts, uint32_t needed)
{
	const struct weir_span_ps *compute = &params_of(b)->compute;
	uint64_t length = (uint64_t)(compute->last_ps - compute->first_ps);
	uint32_t first = b->list->gates.gate_count;

	for (uint32_t i = 0; i < hosts; i++) {
		const struct gate g = {
			.needed = needed,
			.is_local = 1,
			.delay_ps =
				compute->first_ps + (int64_t)weir_rng_below(&b->rng, length + 1),
			.closes_ps = (int64_t)b->c->measure.to_ps,
		};

		gates_add_like(&b->list->gates, &g);
	}
	return first;
}

#define NO_GATE UINT32_MAX

/* Adds a flow that waits at the gate or, with NO_GATE, starts within the section's start span. */
static uint32_t rounds_add_flow(struct flow_builder *b, struct flow_plan p, uint32_t gate)
{
	uint32_t flow;

	p.start_ps = gate == NO_GATE ? flow_builder_draw_start(b) : WEIR_TIME_NEVER_PS;
	flow = flow_builder_add(b, &p);
	if (gate != NO_GATE)
		flow_builder_tie(b, flow, gate, FLOW_WAITS);
	return flow;
}

static void rounds_mark_end(struct flow_builder *b)
{
	b->list->flows[b->list->count - 1].flags |= FLOW_ENDS_ROUND;
}

/* --- training --- */

static const struct model {
	const char *name;
	uint64_t bytes;
} models[] = {
	{ "alexnet", UINT64_C(244) * 1000 * 1000 },
	{ "resnet-50", UINT64_C(102) * 1000 * 1000 },
};

enum { MODELS = sizeof(models) / sizeof(models[0]) };

static const struct weir_option training_options[] = {
	{ "workers", WEIR_OPT_COUNT, AT(hosts), NULL, 1, UINT32_MAX,
	  "hosts that train, those with the lowest numbers; all others unless given", NULL },
	{ "server", WEIR_OPT_COUNT, AT(server), "0", 0, UINT32_MAX,
	  "number of the host that is the parameter server", NULL },
	{ "model", WEIR_OPT_TEXT, AT(model), NULL, 0, 0,
	  "DNN that is trained: alexnet (244 MB) or resnet-50 (102 MB)", NULL },
	{ "size", WEIR_OPT_BYTES, AT(size_bytes), NULL, 1, FLOW_SIZE_MAX_BYTES,
	  "gradient size of a worker, and size of the response, in place of model", NULL },
	ROUNDS_OPTION,
	COMPUTE_OPTION,
	{ .name = NULL },
};

static int training_bytes(struct flow_builder *b, uint64_t *bytes)
{
	const struct rounds_params *p = b->params;
	const char *names[MODELS];

	*bytes = p->size_bytes;
	if (p->size_bytes && p->model[0])
		return flow_builder_error(b, "model", "%s, but size is given too; one of the two",
					  weir_quote(p->model).text);
	if (p->size_bytes)
		return 0;
	if (!p->model[0])
		return flow_builder_error(
			b, "model",
			"not given; the DNN, as in alexnet, or its gradient size, as in size = "
			"100MB");
	for (size_t i = 0; i < MODELS; i++) {
		names[i] = models[i].name;
		*bytes = models[i].bytes;
		if (strcmp(p->model, names[i]) == 0)
			return 0;
	}
	weir_error_unknown(b->e, "model", p->model, names, MODELS);
	return weir_error_prefix(b->e, "traffic.%s.model: ", b->t->name);
}

struct training {
	uint32_t workers, server;
	uint64_t rounds, bytes;
};

/* Chooses server and workers; workers = 0: all other hosts. */
static int training_hosts(struct flow_builder *b, struct training *g)
{
	uint32_t others = b->net->host_count - 1;

	if (params_of(b)->server > others)
		return flow_builder_error(b, "server", "%" PRIu64 "; hosts are 0 to %u",
					  params_of(b)->server, others);
	if (params_of(b)->hosts > others)
		return flow_builder_error(b, "workers",
					  "%" PRIu64 ", but there are %u hosts besides the server",
					  params_of(b)->hosts, others);
	g->server = (uint32_t)params_of(b)->server;
	g->workers = params_of(b)->hosts ? (uint32_t)params_of(b)->hosts : others;
	return 0;
}

/* Least time between the starts of two rounds. Rounds may overlap where some workers get their
 * answer before others, but all pushes of a round share the server's link, and a worker pushes,
 * waits and computes in sequence. */
static double training_shortest_ps(const struct flow_builder *b, const struct training *g)
{
	double bytes = (double)g->bytes;
	double server_ps =
		rounds_sending_ps(bytes * g->workers, host_link(b->net, g->server)->rate_bps);
	double worker_ps =
		2 * rounds_shortest_flow_ps(b, bytes) + (double)params_of(b)->compute.first_ps;

	return server_ps > worker_ps ? server_ps : worker_ps;
}

static uint32_t worker_host(const struct training *g, uint32_t worker)
{
	return worker + (worker >= g->server);
}

/* Adds a round. Worker i starts it at gate first + i, or within the start span where first is
 * NO_GATE. Returns the first gate of the next round. */
static uint32_t training_round(struct flow_builder *b, const struct training *g, uint32_t first,
			       int is_last)
{
	uint32_t all_there = flow_builder_add_gate(b, g->workers, 0);
	uint32_t next = is_last ? NO_GATE : rounds_add_gates(b, g->workers, 1);

	for (uint32_t i = 0; i < g->workers; i++) {
		struct flow_plan push = { .src = worker_host(g, i),
					  .dst = g->server,
					  .size_bytes = g->bytes };
		uint32_t flow = rounds_add_flow(b, push, first == NO_GATE ? NO_GATE : first + i);

		flow_builder_tie(b, flow, all_there, FLOW_SIGNALS_RECEIVED);
	}
	for (uint32_t i = 0; i < g->workers; i++) {
		struct flow_plan answer = { .src = g->server,
					    .dst = worker_host(g, i),
					    .size_bytes = g->bytes };
		uint32_t flow = rounds_add_flow(b, answer, all_there);

		if (!is_last)
			flow_builder_tie(b, flow, next + i, FLOW_SIGNALS_RECEIVED);
	}
	rounds_mark_end(b);
	return next;
}

static int training_generate(struct weir_flow_builder *pub, const void *params)
{
	struct flow_builder *b = flow_builder_of(pub, params);
	struct training g = { 0 };
	uint32_t first = NO_GATE;

	if (training_hosts(b, &g) || training_bytes(b, &g.bytes) ||
	    rounds_count(b, training_shortest_ps(b, &g), &g.rounds) ||
	    flow_builder_reserve(b, g.rounds * 2 * g.workers))
		return -1;
	for (uint64_t i = 0; i < g.rounds; i++)
		first = training_round(b, &g, first, i + 1 == g.rounds);
	return 0;
}

/* A host sends to another only once it has what precedes that in the round, round by round. */
static int rounds_keep_order(const void *params)
{
	(void)params;
	return 1;
}

const struct weir_traffic_ops traffic_training = {
	.scheme = {
		.name = "training",
		.help = "parameter-server training, in rounds: workers push gradients, and the "
			"server responds to each once it has all",
		.params_size = sizeof(struct rounds_params),
		.options = training_options,
	},
	.generate = training_generate,
	.keeps_order = rounds_keep_order,
	.unit = WEIR_TRAFFIC_ROUNDS,
};

/* --- ring --- */

static const struct weir_option ring_options[] = {
	{ "members", WEIR_OPT_COUNT, AT(hosts), NULL, 2, UINT32_MAX,
	  "hosts in the ring, those with the lowest numbers in their order; all unless given",
	  NULL },
	{ "size", WEIR_OPT_BYTES, AT(size_bytes), NULL, 1, FLOW_SIZE_MAX_BYTES,
	  "bytes to reduce: of each host, and of the result", NULL },
	ROUNDS_OPTION,
	COMPUTE_OPTION,
	{ .name = NULL },
};

struct ring {
	uint32_t hosts, steps;
	uint64_t rounds;
};

/* Size of part (host - step) mod n of the vector; parts differ by one byte at most. */
static uint64_t ring_part_bytes(const struct flow_builder *b, const struct ring *r, uint32_t host,
				uint32_t step)
{
	uint32_t part = (host + 2 * r->hosts - step) % r->hosts;

	return params_of(b)->size_bytes / r->hosts + (part < params_of(b)->size_bytes % r->hosts);
}

static int ring_check(struct flow_builder *b, struct ring *r)
{
	uint64_t hosts = params_of(b)->hosts ? params_of(b)->hosts : b->net->host_count,
		 bytes = params_of(b)->size_bytes;

	if (hosts > b->net->host_count)
		return flow_builder_error(b, "members", "%" PRIu64 ", but there are %u hosts",
					  hosts, b->net->host_count);
	if (bytes == 0)
		return flow_builder_error(
			b, "size", "not given; the bytes that the hosts reduce, as in 100MB");
	if (bytes < hosts)
		return flow_builder_error(b, "size",
					  "%" PRIu64 "B, but each of the %" PRIu64
					  " hosts needs a part of at least one byte",
					  bytes, hosts);
	r->hosts = (uint32_t)hosts;
	r->steps = 2 * (r->hosts - 1);
	return 0;
}

/* Least time of a round, whose steps are a chain of flows around the ring. */
static double ring_shortest_ps(const struct flow_builder *b, const struct ring *r)
{
	double part = (double)(params_of(b)->size_bytes / r->hosts);

	return rounds_shortest_flow_ps(b, part) * r->steps + (double)params_of(b)->compute.first_ps;
}

/* Adds a round, as training_round does. A host starts a step when the part to send has arrived from
 * the host before it, and the next round when all parts have. Gates are in the order of hosts. */
static uint32_t ring_round(struct flow_builder *b, const struct ring *r, uint32_t first,
			   int is_last)
{
	uint32_t next_round = is_last ? NO_GATE : rounds_add_gates(b, r->hosts, r->steps);

	for (uint32_t step = 0; step < r->steps; step++) {
		uint32_t next_step = b->list->gates.gate_count;
		int is_last_step = step + 1 == r->steps;

		for (uint32_t i = 0; i < r->hosts && !is_last_step; i++)
			flow_builder_add_gate(b, 1, 0);
		for (uint32_t i = 0; i < r->hosts; i++) {
			uint32_t to = (i + 1) % r->hosts;
			struct flow_plan p = { .src = i,
					       .dst = to,
					       .size_bytes = ring_part_bytes(b, r, i, step) };
			uint32_t flow =
				rounds_add_flow(b, p, first == NO_GATE ? NO_GATE : first + i);

			if (!is_last_step)
				flow_builder_tie(b, flow, next_step + to, FLOW_SIGNALS_RECEIVED);
			if (!is_last)
				flow_builder_tie(b, flow, next_round + to, FLOW_SIGNALS_RECEIVED);
		}
		first = next_step;
	}
	rounds_mark_end(b);
	return next_round;
}

static int ring_generate(struct weir_flow_builder *pub, const void *params)
{
	struct flow_builder *b = flow_builder_of(pub, params);
	struct ring r = { 0 };
	uint32_t first = NO_GATE;
	uint64_t flows;

	if (ring_check(b, &r) || rounds_count(b, ring_shortest_ps(b, &r), &r.rounds))
		return -1;
	/* If a single round has too many flows, so have all; otherwise the product fits 64
	 * bits. */
	flows = (uint64_t)r.hosts * r.steps;
	if (flow_builder_reserve(b, flows > UINT32_MAX ? flows : flows * r.rounds))
		return -1;
	for (uint64_t i = 0; i < r.rounds; i++)
		first = ring_round(b, &r, first, i + 1 == r.rounds);
	return 0;
}

const struct weir_traffic_ops traffic_ring = {
	.scheme = {
		.name = "ring",
		.help = "ring all-reduce, in rounds: each host sends a chunk to the next host "
			"when it has received one",
		.params_size = sizeof(struct rounds_params),
		.options = ring_options,
	},
	.generate = ring_generate,
	.keeps_order = rounds_keep_order,
	.unit = WEIR_TRAFFIC_ROUNDS,
};
