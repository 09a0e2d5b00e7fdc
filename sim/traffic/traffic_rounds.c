/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_rounds.c -- distributed training in rounds: a parameter server, and an all-reduce ring.
 *
 * training: every worker pushes its gradients to the server; when all are there the server answers
 * each with as many bytes of new parameters; a worker that has them computes and pushes again. With
 * the bytes of the models that ACC trains (Yan et al., SIGCOMM 2021, section 5.3.2), at four bytes
 * a parameter: AlexNet has 61 million, ResNet-50 25.6 million.
 *
 * ring: n hosts sum up and share a vector in 2 (n-1) steps; in each of them every host sends one
 * n-th of it to the next host, the one that came in the step before (Patarasuk and Yuan, "Bandwidth
 * optimal all-reduce algorithms for clusters of workstations", 2009). A host that has got all of a
 * round computes and begins the next.
 *
 * A round lasts from its first start to its last end, without the computing. */
#include "sim/traffic/traffic_make.h"
#include <inttypes.h>
#include <string.h>

#define COMPUTE_MAX_PS ((uint64_t)(100 * WEIR_PS_PER_S))

struct rounds_params {
	uint64_t hosts;                 /* workers, or members of the ring; 0: all there are */
	uint64_t server;                /* training */
	char model[WEIR_OPT_TEXT_SIZE]; /* whose gradients are size_bytes; empty: size is given */
	uint64_t size_bytes;
	uint64_t rounds;             /* 0: as many as begin until measure.to */
	struct weir_span_ps compute; /* between two rounds of a host: somewhere in here */
};

#define AT(member) offsetof(struct rounds_params, member)

static const struct rounds_params *params_of(const struct maker *m)
{
	return m->params;
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

/* --- what both share --- */

static const struct net_link *host_link(const struct maker *m, uint32_t host)
{
	return &m->net->links[m->net->nodes[m->net->host_node[host]].first_link];
}

static double sending_ps(double bytes, uint64_t rate_bps)
{
	return weir_bytes_to_bits(bytes) * (double)WEIR_PS_PER_S / (double)rate_bps;
}

/* No flow between any two hosts is done sooner: it passes a link of each. */
static double shortest_flow_ps(const struct maker *m, double bytes)
{
	uint64_t fastest_bps = 1;
	int64_t nearest_ps = INT64_MAX;

	for (uint32_t i = 0; i < m->net->host_count; i++) {
		const struct net_link *link = host_link(m, i);

		fastest_bps = link->rate_bps > fastest_bps ? link->rate_bps : fastest_bps;
		nearest_ps = link->delay_ps < nearest_ps ? link->delay_ps : nearest_ps;
	}
	return sending_ps(bytes, fastest_bps) + 2 * (double)nearest_ps;
}

/* How many rounds: those asked for or, where from the beginning of one to that of the next it takes
 * shortest_ps or longer, more than can begin before measure.to. */
static int settle_rounds(struct maker *m, double shortest_ps, uint64_t *rounds)
{
	int64_t to_ps = (int64_t)m->c->measure.to_ps;
	double count;

	*rounds = params_of(m)->rounds;
	if (to_ps && m->t->start.last_ps >= to_ps)
		return maker_error(m, "start", "must be before measure.to");
	if (*rounds)
		return 0;
	if (!to_ps)
		return maker_error(m, "rounds",
				   "not given; say how many, or until "
				   "when they begin by measure.to");
	count = (double)(to_ps - m->t->start.first_ps) / shortest_ps + 2;
	/* Anything near the limit is refused when room is made. */
	*rounds = count < (double)UINT32_MAX ? (uint64_t)count : UINT32_MAX;
	return 0;
}

/* A gate of one host that opens when so many flows have arrived there. */
static uint32_t add_gate(struct maker *m, uint64_t needed)
{
	const struct gate g = { .needed = (uint32_t)needed, .is_local = 1 };

	return gates_add_like(&m->list->gates, &g);
}

/* For each of so many hosts one that lets it begin its next round, when so many flows have arrived:
 * after the computing, and before measure.to. Returns the first. */
static uint32_t add_round_gates(struct maker *m, uint32_t hosts, uint32_t needed)
{
	const struct weir_span_ps *compute = &params_of(m)->compute;
	uint64_t length = (uint64_t)(compute->last_ps - compute->first_ps);
	uint32_t first = m->list->gates.gate_count;

	for (uint32_t i = 0; i < hosts; i++) {
		const struct gate g = {
			.needed = needed,
			.is_local = 1,
			.delay_ps =
				compute->first_ps + (int64_t)weir_rng_below(&m->rng, length + 1),
			.closes_ps = (int64_t)m->c->measure.to_ps,
		};

		gates_add_like(&m->list->gates, &g);
	}
	return first;
}

#define NO_GATE UINT32_MAX

/* The flow waits at the gate, or starts somewhere in start where there is none. Returns its
 * number. */
static uint32_t add_flow(struct maker *m, struct flow_plan p, uint32_t gate)
{
	uint32_t flow = m->list->count;

	p.start_ps = gate == NO_GATE ? maker_start_in_span(m) : WEIR_TIME_NEVER_PS;
	maker_add(m, &p);
	if (gate != NO_GATE)
		maker_tie(m, flow, gate, FLOW_WAITS);
	return flow;
}

static void end_round(struct maker *m)
{
	m->list->flows[m->list->count - 1].flags |= FLOW_ENDS_ROUND;
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

static int model_bytes(struct maker *m, uint64_t *bytes)
{
	const struct rounds_params *p = m->params;
	const char *names[MODELS];

	*bytes = p->size_bytes;
	if (p->size_bytes && p->model[0])
		return maker_error(m, "model", "%s, but size is given too; one of the two",
				   weir_quote(p->model).text);
	if (p->size_bytes)
		return 0;
	if (!p->model[0])
		return maker_error(
			m, "model",
			"not given; the DNN, as in alexnet, or its gradient size, as in size = "
			"100MB");
	for (size_t i = 0; i < MODELS; i++) {
		names[i] = models[i].name;
		*bytes = models[i].bytes;
		if (strcmp(p->model, names[i]) == 0)
			return 0;
	}
	weir_error_unknown(m->e, "model", p->model, names, MODELS);
	return weir_error_prefix(m->e, "traffic.%s.model: ", m->t->name);
}

struct training {
	uint32_t workers, server;
	uint64_t rounds, bytes;
};

/* At 0 workers: all hosts but the server. */
static int training_hosts(struct maker *m, struct training *g)
{
	uint32_t others = m->net->host_count - 1;

	if (params_of(m)->server > others)
		return maker_error(m, "server", "%" PRIu64 "; hosts are 0 to %u",
				   params_of(m)->server, others);
	if (params_of(m)->hosts > others)
		return maker_error(m, "workers",
				   "%" PRIu64 ", but there are %u hosts besides the server",
				   params_of(m)->hosts, others);
	g->server = (uint32_t)params_of(m)->server;
	g->workers = params_of(m)->hosts ? (uint32_t)params_of(m)->hosts : others;
	return 0;
}

/* Rounds may overlap where some workers have their answer before others, but all pushes of a round
 * pass the server's link, and a worker pushes, waits and computes one after the other. */
static double training_shortest_ps(const struct maker *m, const struct training *g)
{
	double bytes = (double)g->bytes;
	double server_ps = sending_ps(bytes * g->workers, host_link(m, g->server)->rate_bps);
	double worker_ps = 2 * shortest_flow_ps(m, bytes) + (double)params_of(m)->compute.first_ps;

	return server_ps > worker_ps ? server_ps : worker_ps;
}

static uint32_t worker_host(const struct training *g, uint32_t worker)
{
	return worker + (worker >= g->server);
}

/* Workers wait for the round at gates from begin on, unless that is NO_GATE. Returns those of the
 * next round. */
static uint32_t training_round(struct maker *m, const struct training *g, uint32_t begin,
			       int is_last)
{
	uint32_t all_there = add_gate(m, g->workers);
	uint32_t next = is_last ? NO_GATE : add_round_gates(m, g->workers, 1);

	for (uint32_t i = 0; i < g->workers; i++) {
		struct flow_plan push = { .src = worker_host(g, i),
					  .dst = g->server,
					  .size_bytes = g->bytes };
		uint32_t flow = add_flow(m, push, begin == NO_GATE ? NO_GATE : begin + i);

		maker_tie(m, flow, all_there, FLOW_SIGNALS_RECEIVED);
	}
	for (uint32_t i = 0; i < g->workers; i++) {
		struct flow_plan answer = { .src = g->server,
					    .dst = worker_host(g, i),
					    .size_bytes = g->bytes };
		uint32_t flow = add_flow(m, answer, all_there);

		if (!is_last)
			maker_tie(m, flow, next + i, FLOW_SIGNALS_RECEIVED);
	}
	end_round(m);
	return next;
}

static int training_generate(struct weir_flow_builder *maker, const void *params)
{
	struct maker *m = maker_of(maker, params);
	struct training g = { 0 };
	uint32_t begin = NO_GATE;

	if (training_hosts(m, &g) || model_bytes(m, &g.bytes) ||
	    settle_rounds(m, training_shortest_ps(m, &g), &g.rounds) ||
	    maker_reserve(m, g.rounds * 2 * g.workers))
		return -1;
	for (uint64_t i = 0; i < g.rounds; i++)
		begin = training_round(m, &g, begin, i + 1 == g.rounds);
	return 0;
}

/* A host sends to another when it has what comes before in that round, and in the order of
 * rounds. */
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

/* Part (host - step) mod n of the vector; parts differ by a byte at most. */
static uint64_t part_bytes(const struct maker *m, const struct ring *r, uint32_t host,
			   uint32_t step)
{
	uint32_t part = (host + 2 * r->hosts - step) % r->hosts;

	return params_of(m)->size_bytes / r->hosts + (part < params_of(m)->size_bytes % r->hosts);
}

static int ring_check(struct maker *m, struct ring *r)
{
	uint64_t hosts = params_of(m)->hosts ? params_of(m)->hosts : m->net->host_count,
		 bytes = params_of(m)->size_bytes;

	if (hosts > m->net->host_count)
		return maker_error(m, "members", "%" PRIu64 ", but there are %u hosts", hosts,
				   m->net->host_count);
	if (bytes == 0)
		return maker_error(m, "size",
				   "not given; the bytes that the hosts reduce, as in 100MB");
	if (bytes < hosts)
		return maker_error(m, "size",
				   "%" PRIu64 "B, but each of the %" PRIu64
				   " hosts needs a part of at least one byte",
				   bytes, hosts);
	r->hosts = (uint32_t)hosts;
	r->steps = 2 * (r->hosts - 1);
	return 0;
}

/* The steps of a round are a chain of flows around the ring. */
static double ring_shortest_ps(const struct maker *m, const struct ring *r)
{
	double part = (double)(params_of(m)->size_bytes / r->hosts);

	return shortest_flow_ps(m, part) * r->steps + (double)params_of(m)->compute.first_ps;
}

/* A host begins a step when the part to send has come from the host before it, and the next round
 * when all parts have. Gates are in the order of hosts; begin and the result as in
 * training_round. */
static uint32_t ring_round(struct maker *m, const struct ring *r, uint32_t begin, int is_last)
{
	uint32_t next_round = is_last ? NO_GATE : add_round_gates(m, r->hosts, r->steps);

	for (uint32_t step = 0; step < r->steps; step++) {
		uint32_t next_step = m->list->gates.gate_count;
		int is_last_step = step + 1 == r->steps;

		for (uint32_t i = 0; i < r->hosts && !is_last_step; i++)
			add_gate(m, 1);
		for (uint32_t i = 0; i < r->hosts; i++) {
			uint32_t to = (i + 1) % r->hosts;
			struct flow_plan p = { .src = i,
					       .dst = to,
					       .size_bytes = part_bytes(m, r, i, step) };
			uint32_t flow = add_flow(m, p, begin == NO_GATE ? NO_GATE : begin + i);

			if (!is_last_step)
				maker_tie(m, flow, next_step + to, FLOW_SIGNALS_RECEIVED);
			if (!is_last)
				maker_tie(m, flow, next_round + to, FLOW_SIGNALS_RECEIVED);
		}
		begin = next_step;
	}
	end_round(m);
	return next_round;
}

static int ring_generate(struct weir_flow_builder *maker, const void *params)
{
	struct maker *m = maker_of(maker, params);
	struct ring r = { 0 };
	uint32_t begin = NO_GATE;
	uint64_t flows;

	if (ring_check(m, &r) || settle_rounds(m, ring_shortest_ps(m, &r), &r.rounds))
		return -1;
	/* Where a round alone has too many flows, all rounds have; else the product fits 64
	 * bits. */
	flows = (uint64_t)r.hosts * r.steps;
	if (maker_reserve(m, flows > UINT32_MAX ? flows : flows * r.rounds))
		return -1;
	for (uint64_t i = 0; i < r.rounds; i++)
		begin = ring_round(m, &r, begin, i + 1 == r.rounds);
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
