/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_storage.c -- pattern storage: computing nodes read and write blocks on storage nodes, in
 * a closed loop.
 *
 * The storage cluster of ACC (Yan et al., SIGCOMM 2021, section 5.3.1), driven as by FIO: a
 * computing node keeps `depth` I/Os outstanding, each with a random storage node; when one is
 * answered the next starts. A write is a request with the block and a small answer, a read a small
 * request and an answer with the block. Requests and answers are as large as NVMe's queue entries.
 * Block sizes are uniformly distributed multiples of the smallest, as FIO draws them (bsrange).
 *
 * ACC's storage nodes also "backup data" before they answer, but the paper does not say how often:
 * copies are an option. They go to the storage nodes that follow, as on a consistent-hashing ring.
 *
 * The I/Os are drawn before the run, enough of them for the measured time: see node_goal. */
#include "sim/traffic/flow_builder.h"
#include "base/memory.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 65536, REPLICAS_MAX = 16, CONCURRENCY_MAX = 65536, STORAGE_SHARE = 4 };
enum { AT_SPREAD, AT_END };

#define BLOCK_MAX_BYTES (UINT64_C(1) << 30)

static const char *const storage_at_choices[] = { "spread", "end", NULL };

struct storage_params {
	char mix[WEIR_OPT_TEXT_SIZE];            /* of reads and writes, spec */
	uint64_t computing, storage, storage_at; /* hosts; 0: three to one */
	uint64_t depth, ios, replicas;           /* ios 0: as many as start before measure.to */
	uint64_t request_bytes, answer_bytes, service_ps, concurrency; /* concurrency 0: any */
};

static const struct storage_params *params_of(const struct flow_builder *b)
{
	return b->params;
}

#define AT(member) offsetof(struct storage_params, member)
static const struct weir_option storage_options[] = {
	{ "mix", WEIR_OPT_TEXT, AT(mix), NULL, 0, 0,
	  "reads, writes and block sizes: oltp, olap, vdi, exchange, video, "
	  "backup (ACC, Table 1) or custom(read=50%, min=4KiB, max=64KiB)",
	  NULL },
	{ "computing", WEIR_OPT_COUNT, AT(computing), NULL, 1, UINT32_MAX,
	  "number of compute nodes; all hosts but the storage nodes unless given", NULL },
	{ "storage", WEIR_OPT_COUNT, AT(storage), NULL, 1, UINT32_MAX,
	  "number of storage nodes; all hosts but the compute nodes unless given, and one in "
	  "four if neither is",
	  NULL },
	{ "storage-at", WEIR_OPT_CHOICE, AT(storage_at), "spread", 0, 1,
	  "placement of storage nodes: spread evenly among the compute nodes, or the hosts with "
	  "the highest numbers",
	  storage_at_choices },
	{ "depth", WEIR_OPT_COUNT, AT(depth), "16", 1, DEPTH_MAX,
	  "queue depth: outstanding I/Os of each compute node", NULL },
	{ "ios", WEIR_OPT_COUNT, AT(ios), NULL, 1, UINT32_MAX,
	  "I/Os of each compute node; not given: as many as start until measure.to", NULL },
	{ "replicas", WEIR_OPT_COUNT, AT(replicas), "0", 0, REPLICAS_MAX,
	  "additional storage nodes that a block is replicated to before the write is "
	  "acknowledged",
	  NULL },
	{ "request", WEIR_OPT_BYTES, AT(request_bytes), "64B", 1, BLOCK_MAX_BYTES,
	  "size of a request, without the block of a write", NULL },
	{ "answer", WEIR_OPT_BYTES, AT(answer_bytes), "16B", 1, BLOCK_MAX_BYTES,
	  "size of a response, without the block of a read", NULL },
	{ "service", WEIR_OPT_TIME_PS, AT(service_ps), "0us", 0, (uint64_t)WEIR_PS_PER_S,
	  "service time of a storage node per block", NULL },
	{ "concurrency", WEIR_OPT_COUNT, AT(concurrency), NULL, 1, CONCURRENCY_MAX,
	  "blocks that a storage node serves at once; further ones wait in the order of arrival. "
	  "Not given: any number, so service is a delay alone",
	  NULL },
	{ .name = NULL },
};
#undef AT

/* --- mixes --- */

struct mix {
	uint64_t read_q32; /* share of the I/Os */
	uint64_t min_bytes, max_bytes;
};

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

/* ACC, Table 1. Its KB are taken for 1024 bytes, as FIO does. */
static const struct named_mix {
	const char *name;
	struct mix mix;
} mixes[] = {
	{ "oltp", { WEIR_ONE_Q32 * 5 / 10, 512, 64 * KIB } },
	{ "olap", { WEIR_ONE_Q32 * 5 / 10, 256 * KIB, 4 * MIB } },
	{ "vdi", { WEIR_ONE_Q32 * 2 / 10, KIB, 64 * KIB } },
	{ "exchange", { WEIR_ONE_Q32 * 6 / 10, 32 * KIB, 512 * KIB } },
	{ "video", { WEIR_ONE_Q32 * 2 / 10, 64 * KIB, 64 * KIB } },
	{ "backup", { WEIR_ONE_Q32 * 4 / 10, 16 * KIB, 64 * KIB } },
};

enum { MIXES = sizeof(mixes) / sizeof(mixes[0]) };

#define CUSTOM_MIX "custom"
#define AT(member) offsetof(struct mix, member)
static const struct weir_option custom_options[] = {
	{ "read", WEIR_OPT_FRACTION_Q32, AT(read_q32), "50%", 0, WEIR_ONE_Q32,
	  "fraction of I/Os that are reads", NULL },
	{ "min", WEIR_OPT_BYTES, AT(min_bytes), "4KiB", 1, BLOCK_MAX_BYTES,
	  "smallest block; all are multiples of it", NULL },
	{ "max", WEIR_OPT_BYTES, AT(max_bytes), NULL, 1, BLOCK_MAX_BYTES,
	  "largest block; as min unless given", NULL },
	{ .name = NULL },
};
#undef AT

static int mix_read_custom(struct flow_builder *b, struct mix *mix)
{
	memset(mix, 0, sizeof(*mix));
	if (weir_spec_params(params_of(b)->mix, mix, custom_options, b->e))
		return weir_error_prefix(b->e, "traffic.%s.mix: ", b->t->name);
	if (mix->max_bytes == 0)
		mix->max_bytes = mix->min_bytes;
	if (mix->max_bytes < mix->min_bytes || mix->max_bytes % mix->min_bytes)
		return flow_builder_error(
			b, "mix", "max is %" PRIu64 "B; must be a multiple of min, %" PRIu64 "B",
			mix->max_bytes, mix->min_bytes);
	return 0;
}

static int mix_read(struct flow_builder *b, struct mix *mix)
{
	static const struct weir_option none = { .name = NULL };
	const char *names[MIXES + 1] = { [MIXES] = CUSTOM_MIX };
	char name[WEIR_OPT_TEXT_SIZE];

	if (!params_of(b)->mix[0])
		return flow_builder_error(
			b, "mix",
			"not given; the I/O mix of the compute nodes, as in oltp or "
			"custom(read=50%%, min=4KiB, max=64KiB)");
	if (weir_spec_name(params_of(b)->mix, name, sizeof(name), b->e))
		return weir_error_prefix(b->e, "traffic.%s.mix: ", b->t->name);
	if (strcmp(name, CUSTOM_MIX) == 0)
		return mix_read_custom(b, mix);
	for (size_t i = 0; i < MIXES; i++) {
		names[i] = mixes[i].name;
		if (strcmp(name, mixes[i].name) != 0)
			continue;
		*mix = mixes[i].mix;
		return weir_spec_params(params_of(b)->mix, mix, &none, b->e)
			       ? weir_error_prefix(b->e, "traffic.%s.mix: ", b->t->name)
			       : 0;
	}
	weir_error_unknown(b->e, "mix", name, names, MIXES + 1);
	return weir_error_prefix(b->e, "traffic.%s.mix: ", b->t->name);
}

/* --- nodes --- */

struct cluster {
	struct flow_builder *b;
	struct mix mix;
	uint32_t computing, storage;
	uint32_t *hosts;       /* host numbers: the computing nodes, then the storage nodes */
	uint32_t first_server; /* gate.server of the first storage node; 0: service is a delay */
	int64_t closes_ps;     /* no I/O starts from then on; 0: params.ios limits their number */
	int64_t nearest_ps;    /* shortest delay of a storage node's link */
};

static int cluster_count_nodes(struct flow_builder *b, struct cluster *s)
{
	uint64_t hosts = b->net->host_count, computing = params_of(b)->computing,
		 storage = params_of(b)->storage;

	if (computing >= hosts || storage >= hosts || computing + storage > hosts)
		return flow_builder_error(b, computing ? "computing" : "storage",
					  "%" PRIu64 " compute and %" PRIu64
					  " storage nodes, but there are %" PRIu64 " hosts",
					  computing, storage, hosts);
	if (!storage)
		storage =
			computing ? hosts - computing : (hosts + STORAGE_SHARE - 1) / STORAGE_SHARE;
	if (!computing)
		computing = hosts - storage;
	s->computing = (uint32_t)computing;
	s->storage = (uint32_t)storage;
	if (params_of(b)->replicas >= storage)
		return flow_builder_error(b, "replicas",
					  "%" PRIu64
					  ", but besides the storage node that is written there "
					  "are %" PRIu64,
					  params_of(b)->replicas, storage - 1);
	return 0;
}

/* Chooses the nodes among the first computing + storage hosts. Spread: divides these into one equal
 * part per storage node, and the last host of each part is one. */
static void cluster_place_nodes(struct cluster *s)
{
	uint32_t all = s->computing + s->storage, computing = 0, storage = 0;

	s->hosts = memory_grow(NULL, all, sizeof(*s->hosts));
	for (uint32_t i = 0; i < all; i++) {
		uint64_t next = params_of(s->b)->storage_at == AT_END
					? s->computing + (uint64_t)storage
					: (storage + UINT64_C(1)) * all / s->storage - 1;

		if (i != next) {
			s->hosts[computing++] = i;
			continue;
		}
		s->hosts[s->computing + storage++] = i;
		if (storage == 1 || host_link(s->b->net, i)->delay_ps < s->nearest_ps)
			s->nearest_ps = host_link(s->b->net, i)->delay_ps;
	}
}

static uint32_t cluster_storage_host(const struct cluster *s, uint32_t node)
{
	return s->hosts[s->computing + node % s->storage];
}

static void cluster_add_servers(struct cluster *s)
{
	uint32_t slots = (uint32_t)params_of(s->b)->concurrency;

	for (uint32_t i = 0; slots && i < s->storage; i++) {
		uint32_t server = gates_add_server(&s->b->list->gates, slots);

		if (i == 0)
			s->first_server = server;
	}
}

/* Adds the gate that opens when a storage node has served a block. */
static uint32_t cluster_add_service(struct cluster *s, uint32_t node)
{
	const struct gate g = {
		.needed = 1,
		.is_local = 1,
		.server = s->first_server ? s->first_server + node % s->storage : 0,
		.delay_ps = (int64_t)params_of(s->b)->service_ps,
	};

	return gates_add_like(&s->b->list->gates, &g);
}

/* --- I/Os --- */

struct io {
	uint64_t block_bytes;
	uint32_t node; /* the storage node */
	int is_read;
};

static struct io io_draw(const struct cluster *s, struct weir_rng *rng)
{
	struct io io;

	io.is_read = weir_rng_u32(rng) < s->mix.read_q32;
	io.block_bytes =
		s->mix.min_bytes * (1 + weir_rng_below(rng, s->mix.max_bytes / s->mix.min_bytes));
	io.node = (uint32_t)weir_rng_below(rng, s->storage);
	return io;
}

/* What a computing node's I/Os take at least. */
struct need {
	double serial_ps; /* one at a time */
	double read_bytes, written_bytes;
	uint64_t ios, flows;
};

/* What bounds the I/Os of one computing node: its link, and the time of one I/O without its block.
 */
struct limits {
	double horizon_ps; /* from the first request to measure.to */
	double bytes_per_ps;
	double way_ps; /* round trip over the links of both hosts, and the service time */
};

/* Lower bounds: only the two hosts' links count. */
static struct limits node_limits(const struct cluster *s, uint32_t host, double horizon_ps)
{
	const struct net_link *link = host_link(s->b->net, host);

	return (struct limits){
		.horizon_ps = horizon_ps,
		.bytes_per_ps = (double)link->rate_bps / WEIR_BITS_PER_BYTE / (double)WEIR_PS_PER_S,
		.way_ps = 2 * (double)(link->delay_ps + s->nearest_ps) +
			  (double)params_of(s->b)->service_ps,
	};
}

/* What the I/Os of a node must add up to so that it cannot run out of them before the horizon. If
 * it did, all but fewer than `depth` of them would be complete. But until the horizon, depth I/Os
 * at once take at most depth x horizon in sequence, and the link carries at most rate x horizon
 * each way: a contradiction if the sum of all I/Os exceeds one of these even without `depth` of the
 * largest. */
struct goal {
	double serial_ps, bytes;
};

static struct goal node_goal(const struct cluster *s, const struct limits *l)
{
	double depth = (double)params_of(s->b)->depth, max_bytes = (double)s->mix.max_bytes;

	return (struct goal){
		.serial_ps = depth * (l->horizon_ps + l->way_ps + max_bytes / l->bytes_per_ps),
		.bytes = l->horizon_ps * l->bytes_per_ps + depth * max_bytes,
	};
}

static int node_has_enough(const struct cluster *s, const struct need *n, const struct goal *goal)
{
	if (params_of(s->b)->ios)
		return n->ios >= params_of(s->b)->ios;
	return n->read_bytes >= goal->bytes || n->written_bytes >= goal->bytes ||
	       n->serial_ps >= goal->serial_ps;
}

/* Lower bound on the number of I/Os: all blocks are the largest, and read. */
static double node_fewest_ios(const struct cluster *s, const struct limits *l)
{
	struct goal goal = node_goal(s, l);
	double max_bytes = (double)s->mix.max_bytes;
	double by_link = goal.bytes / max_bytes;
	double by_time = goal.serial_ps / (l->way_ps + max_bytes / l->bytes_per_ps);

	if (params_of(s->b)->ios)
		return (double)params_of(s->b)->ios;
	return by_link < by_time ? by_link : by_time;
}

/* Counts the I/Os that are enough, by drawing them from a copy of the random stream. Stops at a
 * number that flow_builder_reserve refuses. */
static struct need node_count_ios(const struct cluster *s, const struct limits *l)
{
	struct weir_rng rng = s->b->rng;
	struct goal goal = node_goal(s, l);
	struct need n = { 0 };

	while (!node_has_enough(s, &n, &goal) && n.flows < UINT32_MAX) {
		struct io io = io_draw(s, &rng);
		double bytes = (double)io.block_bytes;

		n.ios++;
		n.flows += 2 + (io.is_read ? 0 : 2 * params_of(s->b)->replicas);
		n.serial_ps += l->way_ps + bytes / l->bytes_per_ps;
		*(io.is_read ? &n.read_bytes : &n.written_bytes) += bytes;
	}
	return n;
}

/* --- flows --- */

/* Adds a flow that waits at the gate. It is spare: more are drawn than will start. */
static uint32_t io_add_waiting(struct flow_builder *b, uint32_t gate, struct flow_plan p)
{
	uint32_t flow;

	p.start_ps = WEIR_TIME_NEVER_PS;
	flow = flow_builder_add(b, &p);
	flow_builder_tie(b, flow, gate, FLOW_WAITS);
	b->list->flows[flow].flags |= FLOW_IS_SPARE;
	return flow;
}

/* A flow without a block is control. */
static void io_mark_control(struct flow_builder *b, uint32_t flow, int has_block)
{
	if (!has_block)
		b->list->flows[flow].flags |= FLOW_IS_CONTROL;
}

/* Forwards the written block to further storage nodes, each of which answers the first one. Returns
 * the gate that opens when all have. They write at the same time as the first one, which is done
 * before their answers can arrive. */
static uint32_t io_add_copies(struct cluster *s, const struct io *io, uint32_t request)
{
	struct flow_builder *b = s->b;
	uint32_t first = cluster_storage_host(s, io->node);
	uint32_t begin = flow_builder_add_gate(b, 1, 0),
		 done = flow_builder_add_gate(b, params_of(b)->replicas, 0);

	flow_builder_tie(b, request, begin, FLOW_SIGNALS_RECEIVED);
	for (uint32_t i = 1; i <= params_of(b)->replicas; i++) {
		uint32_t other = cluster_storage_host(s, io->node + i),
			 written = cluster_add_service(s, io->node + i);
		uint32_t copy, answer;

		copy = io_add_waiting(
			b, begin,
			(struct flow_plan){ .src = first,
					    .dst = other,
					    .size_bytes = params_of(b)->request_bytes +
							  io->block_bytes });
		flow_builder_tie(b, copy, written, FLOW_SIGNALS_RECEIVED);
		answer = io_add_waiting(
			b, written,
			(struct flow_plan){ .src = other,
					    .dst = first,
					    .size_bytes = params_of(b)->answer_bytes });
		flow_builder_tie(b, answer, done, FLOW_SIGNALS_RECEIVED);
		io_mark_control(b, answer, 0);
	}
	return done;
}

/* Adds an I/O of a host that starts at p.start_ps or, at WEIR_TIME_NEVER_PS, waits at the gate. */
static void io_add(struct cluster *s, const struct io *io, struct flow_plan p, uint32_t next_io)
{
	struct flow_builder *b = s->b;
	uint32_t host = p.src, request, answered, answer;

	p.dst = cluster_storage_host(s, io->node);
	p.size_bytes = params_of(b)->request_bytes + (io->is_read ? 0 : io->block_bytes);
	request = p.start_ps == WEIR_TIME_NEVER_PS ? io_add_waiting(b, next_io, p)
						   : flow_builder_add(b, &p);
	io_mark_control(b, request, !io->is_read);
	if (!io->is_read && params_of(b)->replicas) {
		answered = io_add_copies(s, io, request);
	} else {
		answered = cluster_add_service(s, io->node);
		flow_builder_tie(b, request, answered, FLOW_SIGNALS_RECEIVED);
	}
	p.src = p.dst;
	p.dst = host;
	p.size_bytes = params_of(b)->answer_bytes + (io->is_read ? io->block_bytes : 0);
	answer = io_add_waiting(b, answered, p);
	flow_builder_tie(b, answer, next_io, FLOW_SIGNALS_RECEIVED);
	b->list->flows[answer].flags |= FLOW_ENDS_IO;
	io_mark_control(b, answer, io->is_read);
}

/* Adds all I/Os of a computing node. The first `depth` start together, so that those to one storage
 * node start in the order of adding, as persistent connections need. */
static int cluster_add_node(struct cluster *s, uint32_t host)
{
	struct flow_builder *b = s->b;
	const struct gate next_io_gate = { .one_by_one = 1,
					   .is_local = 1,
					   .closes_ps = s->closes_ps };
	int64_t start_ps = flow_builder_draw_start(b);
	struct limits l = node_limits(s, host, (double)(s->closes_ps - start_ps));
	struct need n = node_count_ios(s, &l);
	uint32_t next_io;

	if (flow_builder_reserve(b, n.flows))
		return -1;
	next_io = gates_add_like(&b->list->gates, &next_io_gate);
	for (uint64_t i = 0; i < n.ios; i++) {
		struct io io = io_draw(s, &b->rng);

		io_add(s, &io,
		       (struct flow_plan){ .src = host,
					   .start_ps = i < params_of(b)->depth
							       ? start_ps
							       : WEIR_TIME_NEVER_PS },
		       next_io);
	}
	return 0;
}

/* Refuses a pattern with more flows than the list can hold, before any is drawn. */
static int cluster_check_room(struct cluster *s)
{
	double flows = 0;

	for (uint32_t i = 0; i < s->computing; i++) {
		struct limits l = node_limits(s, s->hosts[i],
					      (double)(s->closes_ps - s->b->t->start.last_ps));

		flows += 2 * node_fewest_ios(s, &l);
	}
	return flow_builder_reserve(s->b,
				    flows < (double)UINT32_MAX ? (uint64_t)flows : UINT32_MAX);
}

static int storage_check(struct flow_builder *b, struct cluster *s)
{
	const struct storage_params *p = params_of(b);
	const struct traffic_config *t = b->t;

	s->closes_ps = (int64_t)b->c->measure.to_ps;
	if (p->ios && s->closes_ps)
		return flow_builder_error(b, "ios",
					  "%" PRIu64
					  ", but until measure.to there must be enough, and "
					  "that is seen to; leave ios out",
					  p->ios);
	if (!p->ios && !s->closes_ps)
		return flow_builder_error(b, "ios",
					  "not given; set ios, or measure.to as the last start");
	if (s->closes_ps && t->start.last_ps >= s->closes_ps)
		return flow_builder_error(b, "start", "must be before measure.to");
	if (p->replicas && t->connections == CONNECTIONS_PERSISTENT)
		return flow_builder_error(
			b, "connections",
			"persistent, but a write that waits for its replicas is acknowledged "
			"after later reads; with replicas only per-flow is allowed");
	return 0;
}

static int storage_generate(struct weir_flow_builder *pub, const void *params)
{
	struct flow_builder *b = flow_builder_of(pub, params);
	struct cluster s = { .b = b };
	int failed;

	if (storage_check(b, &s) || mix_read(b, &s.mix) || cluster_count_nodes(b, &s))
		return -1;
	cluster_place_nodes(&s);
	cluster_add_servers(&s);
	failed = cluster_check_room(&s);
	for (uint32_t i = 0; i < s.computing && !failed; i++)
		failed = cluster_add_node(&s, s.hosts[i]);
	free(s.hosts);
	return failed;
}

/* A write that waits for its copies is answered after later reads. */
static int storage_keeps_order(const void *params)
{
	const struct storage_params *p = params;

	return p->replicas == 0;
}

const struct weir_traffic_ops traffic_storage = {
	.scheme = {
		.name = "storage",
		.help = "storage I/O: compute nodes read and write blocks on storage nodes, with "
			"a fixed queue depth",
		.params_size = sizeof(struct storage_params),
		.options = storage_options,
	},
	.generate = storage_generate,
	.keeps_order = storage_keeps_order,
	.unit = WEIR_TRAFFIC_IOS,
};
