/* SPDX-License-Identifier: BSD-3-Clause */
/* collective.c -- see collective.h. The algorithms:
 *
 * ring: Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations",
 * 2009. Each rank sends to the next: n-1 steps of reduce-scatter and n-1 of all-gather, an n-th of
 * the bytes each. A broadcast goes down a chain from the root.
 *
 * halving-doubling: Thakur, Rabenseifner and Gropp, "Optimization of collective communication
 * operations in MPICH", 2005, section 4.5: recursive vector halving and distance doubling, then the
 * way back. Step t exchanges 1/2^(t+1) of the bytes with the rank whose number differs in bit t.
 *
 * tree: Sanders, Speck and Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and
 * scan", 2009, as NCCL's double binary tree: two trees, of which each carries half of the bytes up
 * to its root and down again; inner ranks of one are leaves of the other. A broadcast takes one
 * such tree from the root down.
 *
 * direct: every rank sends its part to every other, beginning with the next one; all-reduce:
 * reduce-scatter, then all-gather.
 *
 * hierarchical: inside servers of `local` ranks and between ranks of the same place in all servers:
 * reduce-scatter inside, all-reduce between, all-gather inside, each as a ring. An all-to-all first
 * sends everything for place j of all servers to the local rank at place j (as NCCL's PXN does),
 * which then sends it on. */
#include "sim/traffic/collective.h"
#include <stddef.h>

const char *const collective_kind_names[COLLECTIVE_KINDS + 1] = {
	[COLLECTIVE_ALL_REDUCE] = "all-reduce",
	[COLLECTIVE_ALL_GATHER] = "all-gather",
	[COLLECTIVE_REDUCE_SCATTER] = "reduce-scatter",
	[COLLECTIVE_ALL_TO_ALL] = "all-to-all",
	[COLLECTIVE_BROADCAST] = "broadcast",
	[COLLECTIVE_POINT_TO_POINT] = "point-to-point",
};

const char *const collective_algorithm_names[COLLECTIVE_ALGORITHMS + 1] = {
	[COLLECTIVE_RING] = "ring",
	[COLLECTIVE_HALVING_DOUBLING] = "halving-doubling",
	[COLLECTIVE_TREE] = "tree",
	[COLLECTIVE_DIRECT] = "direct",
	[COLLECTIVE_HIERARCHICAL] = "hierarchical",
};

/* Labels count phases. Progress has 16 bits for the arrivals of each; with halving-doubling a label
 * is a step, and progress has a bit for it, because messages of later steps may overtake. */
enum { PHASE_BITS = 16, PHASE_MASK = 0xffff, TREE_UP = 0, TREE_DOWN = 1 };

/* --- which exist --- */

static const unsigned exists[COLLECTIVE_KINDS] = {
	[COLLECTIVE_ALL_REDUCE] = 1u << COLLECTIVE_RING | 1u << COLLECTIVE_HALVING_DOUBLING |
				  1u << COLLECTIVE_TREE | 1u << COLLECTIVE_DIRECT |
				  1u << COLLECTIVE_HIERARCHICAL,
	[COLLECTIVE_ALL_GATHER] = 1u << COLLECTIVE_RING | 1u << COLLECTIVE_HALVING_DOUBLING |
				  1u << COLLECTIVE_DIRECT | 1u << COLLECTIVE_HIERARCHICAL,
	[COLLECTIVE_REDUCE_SCATTER] = 1u << COLLECTIVE_RING | 1u << COLLECTIVE_HALVING_DOUBLING |
				      1u << COLLECTIVE_DIRECT | 1u << COLLECTIVE_HIERARCHICAL,
	[COLLECTIVE_ALL_TO_ALL] = 1u << COLLECTIVE_DIRECT | 1u << COLLECTIVE_HIERARCHICAL,
	[COLLECTIVE_BROADCAST] =
		1u << COLLECTIVE_RING | 1u << COLLECTIVE_TREE | 1u << COLLECTIVE_DIRECT,
	[COLLECTIVE_POINT_TO_POINT] = 1u << COLLECTIVE_DIRECT,
};

int collective_exists(enum collective_kind kind, enum collective_algorithm algorithm)
{
	return exists[kind] >> algorithm & 1;
}

enum collective_algorithm collective_usual(enum collective_kind kind)
{
	return collective_exists(kind, COLLECTIVE_RING) ? COLLECTIVE_RING : COLLECTIVE_DIRECT;
}

int collective_is_same(const struct collective *a, const struct collective *b)
{
	return a->kind == b->kind && a->algorithm == b->algorithm && a->ranks == b->ranks &&
	       a->local == b->local && a->root == b->root && a->channels == b->channels &&
	       a->chunks == b->chunks && a->bytes == b->bytes && a->matrix == b->matrix;
}

double collective_bus_factor(const struct collective *c)
{
	double others = (double)(c->ranks - 1) / c->ranks;

	if (c->matrix) /* bytes are without those that a rank keeps */
		return 1;
	switch (c->kind) {
	case COLLECTIVE_ALL_REDUCE:
		return 2 * others;
	case COLLECTIVE_ALL_GATHER:
	case COLLECTIVE_REDUCE_SCATTER:
	case COLLECTIVE_ALL_TO_ALL:
		return others;
	case COLLECTIVE_BROADCAST:
	case COLLECTIVE_POINT_TO_POINT:
	case COLLECTIVE_KINDS:
		break;
	}
	return 1;
}

/* --- lanes and parts --- */

/* Has it two trees, which share the bytes? */
static uint32_t collective_trees(const struct collective *c)
{
	return c->algorithm == COLLECTIVE_TREE && c->kind == COLLECTIVE_ALL_REDUCE ? 2 : 1;
}

uint32_t collective_lanes(const struct collective *c)
{
	return c->channels * c->chunks * collective_trees(c);
}

/* Chunks of a channel are neighbours in the data; lanes are in the order in which they start. */
uint32_t collective_channel(const struct collective *c, uint32_t lane)
{
	return lane % c->channels;
}

/* Size of parts [first, end) of n, whose borders are multiples of bytes / n, rounded down. Products
 * stay below 2^57: 10^12 bytes, 65536 parts. */
static uint64_t parts_bytes(uint64_t bytes, uint32_t n, uint32_t first, uint32_t end)
{
	return bytes * end / n - bytes * first / n;
}

static uint64_t part_bytes(uint64_t bytes, uint32_t n, uint32_t part)
{
	return parts_bytes(bytes, n, part, part + 1);
}

static uint64_t lane_bytes(const struct collective *c, uint32_t lane)
{
	return part_bytes(c->bytes, collective_lanes(c), lane);
}

uint64_t collective_bytes_min(const struct collective *c)
{
	int is_whole = c->algorithm == COLLECTIVE_TREE || c->kind == COLLECTIVE_BROADCAST ||
		       c->kind == COLLECTIVE_POINT_TO_POINT;

	return (uint64_t)collective_lanes(c) * (is_whole ? 1 : c->ranks);
}

/* --- ring --- */

/* Part that a rank sends in a step: its own, then the one that it has just received. */
static uint64_t ring_bytes(uint64_t bytes, uint32_t n, uint32_t rank, uint32_t step)
{
	return part_bytes(bytes, n, (rank + n - step % n) % n);
}

/* A phase of a ring, whose first step needs all `before` arrivals of the phase before it. */
struct ring_phase {
	uint32_t label;
	uint32_t before_label, before;
};

static void ring_phase_step(struct collective_step *s, const struct ring_phase *p, uint32_t step)
{
	s->label = p->label;
	s->need_label = step ? p->label : p->before_label;
	s->need = step ? step : p->before;
}

static struct collective_step ring_step(const struct collective *c, uint32_t rank, uint32_t lane,
					uint32_t step)
{
	uint32_t n = c->ranks, phase = step / (n - 1);
	const struct ring_phase p = { phase, 0, phase ? n - 1 : 0 };
	struct collective_step s = { .to = (rank + 1) % n };

	if (c->kind == COLLECTIVE_BROADCAST) {
		s.bytes = lane_bytes(c, lane);
		s.need = rank != c->root;
		return s;
	}
	s.bytes = ring_bytes(lane_bytes(c, lane), n, rank, step);
	ring_phase_step(&s, &p, step % (n - 1));
	return s;
}

/* --- halving-doubling --- */

static uint32_t log2_of(uint32_t n)
{
	uint32_t bits = 0;

	while (n >>= 1)
		bits++;
	return bits;
}

/* The number whose low `bits` bits are those of n in reverse order. */
static uint32_t reversed(uint32_t n, uint32_t bits)
{
	uint32_t r = 0;

	for (uint32_t i = 0; i < bits; i++)
		r = r << 1 | (n >> i & 1);
	return r;
}

/* What a rank gives its partner when it halves at bit t: the half of its range that the partner
 * keeps. All-gather goes the same steps back, and sends the half that the rank has. */
static uint64_t halving_bytes(uint64_t bytes, uint32_t rank, uint32_t bit, int is_back)
{
	uint32_t parts = 2u << bit;
	uint32_t owner = is_back ? rank : rank ^ (1u << bit);

	return part_bytes(bytes, parts, reversed(owner & (parts - 1), bit + 1));
}

static struct collective_step halving_step(const struct collective *c, uint32_t rank, uint32_t lane,
					   uint32_t step)
{
	uint32_t bits = log2_of(c->ranks);
	int is_back = c->kind == COLLECTIVE_ALL_GATHER || step >= bits;
	uint32_t bit = c->kind == COLLECTIVE_ALL_GATHER ? bits - 1 - step
		       : step >= bits                   ? 2 * bits - 1 - step
							: step;

	return (struct collective_step){
		.to = rank ^ (1u << bit),
		.label = step,
		.bytes = halving_bytes(lane_bytes(c, lane), rank, bit, is_back),
		.need = step,
	};
}

/* --- trees --- */

/* Place of a rank in a tree: links up and down are rank numbers; parent of the root and missing
 * children are the rank itself. */
struct tree_place {
	uint32_t parent, child[2], children;
};

/* The in-order binary tree over 1..n-1 below root 0: number r has height of its lowest set bit, and
 * its children are half of that bit away. A missing upper child is replaced by its nearest
 * descendant that exists. */
static struct tree_place tree_place_of(uint32_t n, uint32_t r)
{
	struct tree_place p = { r, { r, r }, 0 };
	uint32_t bit = 1;

	while (bit < n && !(r & bit))
		bit <<= 1;
	if (r) {
		p.parent = (r ^ bit) | bit << 1;
		if (p.parent >= n)
			p.parent = r ^ bit;
		if (bit > 1)
			p.child[p.children++] = r - bit / 2;
	}
	for (uint32_t half = bit / 2; half; half /= 2) {
		if (r + half >= n)
			continue;
		p.child[p.children++] = r + half;
		break;
	}
	return p;
}

/* Tree 1 is tree 0 with the ranks mirrored (n even) or moved by one (n odd), by which leaves become
 * inner ranks. A broadcast's tree begins at its root. */
static struct tree_place tree_find_place(const struct collective *c, uint32_t rank, uint32_t lane)
{
	uint32_t n = c->ranks, trees = collective_trees(c), shift = 0;
	int is_mirrored = 0;
	struct tree_place p;

	if (trees == 2 && lane / c->channels % 2) {
		is_mirrored = n % 2 == 0;
		shift = n % 2;
	} else if (c->kind == COLLECTIVE_BROADCAST) {
		shift = c->root;
	}
	p = tree_place_of(n, is_mirrored ? n - 1 - rank : (rank + n - shift) % n);
	p.parent = is_mirrored ? n - 1 - p.parent : (p.parent + shift) % n;
	for (uint32_t i = 0; i < 2; i++)
		p.child[i] = is_mirrored ? n - 1 - p.child[i] : (p.child[i] + shift) % n;
	return p;
}

static struct collective_step tree_step(const struct collective *c, uint32_t rank, uint32_t lane,
					uint32_t step)
{
	struct tree_place p = tree_find_place(c, rank, lane);
	int is_root = p.parent == rank, goes_up = c->kind == COLLECTIVE_ALL_REDUCE;
	struct collective_step s = { .bytes = lane_bytes(c, lane) };

	if (goes_up && !is_root && step == 0) {
		s.to = p.parent;
		s.label = s.need_label = TREE_UP;
		s.need = p.children;
		return s;
	}
	s.to = p.child[step - (goes_up && !is_root)];
	s.label = TREE_DOWN;
	s.need_label = is_root ? TREE_UP : TREE_DOWN;
	s.need = !is_root ? 1 : goes_up ? p.children : 0;
	return s;
}

/* --- direct --- */

static struct collective_step direct_step(const struct collective *c, uint32_t rank, uint32_t lane,
					  uint32_t step)
{
	uint32_t n = c->ranks, phase = step / (n - 1), to = (rank + 1 + step % (n - 1)) % n;
	uint64_t bytes = lane_bytes(c, lane);
	struct collective_step s = { .to = to, .label = phase, .need = phase ? n - 1 : 0 };

	if (c->kind == COLLECTIVE_POINT_TO_POINT || c->kind == COLLECTIVE_BROADCAST)
		s.bytes = bytes;
	else if (c->matrix)
		s.bytes = part_bytes(c->matrix[(uint64_t)rank * n + to], collective_lanes(c), lane);
	else if (c->kind == COLLECTIVE_ALL_GATHER || phase)
		s.bytes = part_bytes(bytes, n, rank);
	else
		s.bytes = part_bytes(bytes, n, to);
	return s;
}

/* --- hierarchical --- */

/* Phases of a reduction, in this order; kinds other than all-reduce have two of them. */
enum { INSIDE_SCATTER, BETWEEN_SCATTER, BETWEEN_GATHER, INSIDE_GATHER, HIERARCHY_PHASES };

static struct collective_step hierarchical_ring_step(const struct collective *c, uint32_t rank,
						     uint32_t lane, uint32_t step)
{
	uint32_t local = c->local, servers = c->ranks / local;
	uint32_t place = rank % local, server = rank / local;
	const uint32_t phase_steps[HIERARCHY_PHASES] = { local - 1, servers - 1, servers - 1,
							 local - 1 };
	uint32_t phase = c->kind == COLLECTIVE_ALL_GATHER ? BETWEEN_GATHER : INSIDE_SCATTER;
	uint32_t first = phase;
	/* The place's share, which it has reduced inside the server: part place + 1 of local. */
	uint64_t share = part_bytes(lane_bytes(c, lane), local, (place + 1) % local);
	struct collective_step s;
	struct ring_phase p = { 0 };

	while (step >= phase_steps[phase])
		step -= phase_steps[phase++];
	p.label = phase;
	if (phase > first) {
		p.before_label = phase - 1;
		p.before = phase_steps[phase - 1];
	}
	if (phase == INSIDE_SCATTER || phase == INSIDE_GATHER) {
		s = (struct collective_step){ .to = server * local + (place + 1) % local };
		s.bytes = ring_bytes(lane_bytes(c, lane), local, place,
				     step + (phase == INSIDE_GATHER ? local - 1 : 0));
	} else {
		s = (struct collective_step){ .to = (server + 1) % servers * local + place };
		s.bytes = ring_bytes(share, servers, server,
				     step + (phase == BETWEEN_GATHER ? servers - 1 : 0));
	}
	ring_phase_step(&s, &p, step);
	return s;
}

/* Phase 0 inside the server, phase 1 between servers. */
static struct collective_step hierarchical_exchange_step(const struct collective *c, uint32_t rank,
							 uint32_t lane, uint32_t step)
{
	uint32_t local = c->local, servers = c->ranks / local;
	uint32_t place = rank % local, server = rank / local;
	uint64_t bytes = lane_bytes(c, lane);
	struct collective_step s = { 0 };

	if (step < local - 1) {
		uint32_t to = (place + 1 + step) % local;

		s.to = server * local + to;
		s.bytes = part_bytes(bytes, local, to);
		return s;
	}
	server = (server + 1 + step - (local - 1)) % servers;
	s.to = server * local + place;
	s.label = 1;
	s.need = local - 1;
	s.bytes = part_bytes(bytes, servers, server);
	return s;
}

static struct collective_step hierarchical_step(const struct collective *c, uint32_t rank,
						uint32_t lane, uint32_t step)
{
	return c->kind == COLLECTIVE_ALL_TO_ALL ? hierarchical_exchange_step(c, rank, lane, step)
						: hierarchical_ring_step(c, rank, lane, step);
}

static uint32_t hierarchical_steps(const struct collective *c)
{
	uint32_t once = c->local - 1 + c->ranks / c->local - 1;

	return c->kind == COLLECTIVE_ALL_REDUCE ? 2 * once : once;
}

/* --- all of them --- */

static uint32_t tree_steps(const struct collective *c, uint32_t rank, uint32_t lane)
{
	struct tree_place p = tree_find_place(c, rank, lane);

	return p.children + (c->kind == COLLECTIVE_ALL_REDUCE && p.parent != rank);
}

/* Steps of a rank in kinds where all ranks have as many. */
static uint32_t common_steps(const struct collective *c)
{
	uint32_t twice = c->kind == COLLECTIVE_ALL_REDUCE ? 2 : 1;

	if (c->kind == COLLECTIVE_POINT_TO_POINT)
		return 1;
	if (c->algorithm == COLLECTIVE_HIERARCHICAL)
		return hierarchical_steps(c);
	return twice *
	       (c->algorithm == COLLECTIVE_HALVING_DOUBLING ? log2_of(c->ranks) : c->ranks - 1);
}

uint32_t collective_steps(const struct collective *c, uint32_t rank, uint32_t lane)
{
	if (c->algorithm == COLLECTIVE_TREE)
		return tree_steps(c, rank, lane);
	if (c->kind != COLLECTIVE_BROADCAST)
		return common_steps(c);
	if (c->algorithm == COLLECTIVE_DIRECT)
		return rank == c->root ? c->ranks - 1 : 0;
	return (rank + 1) % c->ranks != c->root; /* the chain ends before the root */
}

/* Messages of a matrix for a rank that have bytes. */
static uint32_t matrix_arrivals(const struct collective *c, uint32_t rank, uint32_t lane)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < c->ranks; i++)
		if (i != rank)
			count += part_bytes(c->matrix[(uint64_t)i * c->ranks + rank],
					    collective_lanes(c), lane) > 0;
	return count;
}

uint32_t collective_arrivals(const struct collective *c, uint32_t rank, uint32_t lane)
{
	struct tree_place p;

	if (c->matrix)
		return matrix_arrivals(c, rank, lane);
	if (c->kind == COLLECTIVE_BROADCAST)
		return rank != c->root;
	if (c->algorithm != COLLECTIVE_TREE)
		return common_steps(c);
	p = tree_find_place(c, rank, lane);
	return p.children + (p.parent != rank);
}

/* Along a ring at most n-1 steps are ahead of a rank that is late, as the others then wait for its
 * own messages. */
uint64_t collective_in_flight(const struct collective *c)
{
	enum { TREE_STEPS = 4 };
	uint64_t steps = c->algorithm == COLLECTIVE_TREE   ? TREE_STEPS
			 : c->kind == COLLECTIVE_BROADCAST ? c->ranks
							   : common_steps(c);

	return steps * collective_lanes(c);
}

int collective_waits_for_acks(const struct collective *c)
{
	return c->kind == COLLECTIVE_BROADCAST || c->kind == COLLECTIVE_POINT_TO_POINT ||
	       c->matrix != NULL;
}

uint64_t collective_peers(const struct collective *c)
{
	enum { TREE_PEERS = 6 };
	uint64_t peers = c->ranks - 1;

	if (c->kind == COLLECTIVE_POINT_TO_POINT || c->algorithm == COLLECTIVE_RING)
		peers = 1;
	else if (c->algorithm == COLLECTIVE_HALVING_DOUBLING)
		peers = log2_of(c->ranks);
	else if (c->algorithm == COLLECTIVE_TREE)
		peers = TREE_PEERS;
	else if (c->algorithm == COLLECTIVE_HIERARCHICAL)
		peers = hierarchical_steps(c);
	return (peers < c->ranks - 1 ? peers : c->ranks - 1) * c->channels;
}

struct collective_step collective_step(const struct collective *c, uint32_t rank, uint32_t lane,
				       uint32_t step)
{
	static struct collective_step (*const steps[COLLECTIVE_ALGORITHMS])(
		const struct collective *c, uint32_t rank, uint32_t lane, uint32_t step) = {
		[COLLECTIVE_RING] = ring_step,
		[COLLECTIVE_HALVING_DOUBLING] = halving_step,
		[COLLECTIVE_TREE] = tree_step,
		[COLLECTIVE_DIRECT] = direct_step,
		[COLLECTIVE_HIERARCHICAL] = hierarchical_step,
	};

	return steps[c->algorithm](c, rank, lane, step);
}

void collective_arrive(const struct collective *c, uint64_t *progress, uint32_t label)
{
	*progress += c->algorithm == COLLECTIVE_HALVING_DOUBLING
			     ? UINT64_C(1) << label
			     : UINT64_C(1) << label * PHASE_BITS;
}

int collective_is_ready(const struct collective *c, uint64_t progress,
			const struct collective_step *step)
{
	/* The message of the step before: earlier steps have waited for the earlier ones. */
	if (c->algorithm == COLLECTIVE_HALVING_DOUBLING)
		return !step->need || progress >> (step->need - 1) & 1;
	return (progress >> step->need_label * PHASE_BITS & PHASE_MASK) >= step->need;
}
