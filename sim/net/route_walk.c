/* SPDX-License-Identifier: BSD-3-Clause */
/* route_walk.c -- choosing one of the shortest paths, and paths as registers.
 *
 * A path leads from switch to switch over links that lead one hop nearer to the destination's rack.
 * At a switch with several such links a hash of the flow's hash and the switch chooses, so that the
 * choices of switches are independent of each other. Parallel links count each (hash-threshold
 * ECMP, RFC 2992). */
#include "sim/net/route_table.h"
#include "weir/rng.h"
#include <assert.h>
#include <inttypes.h>

static const struct epoch *epoch_at(const struct route_table *t, int64_t now_ps)
{
	uint32_t i = t->epoch_count - 1;

	while (i > 0 && t->epochs[i].start_ps > now_ps)
		i--;
	return &t->epochs[i];
}

/* The choice of that hash among `count` links of a switch, uniform. */
static uint32_t ecmp_choose(uint64_t hash, uint32_t switch_number, uint32_t count)
{
	uint64_t upper = weir_hash64(hash, switch_number) >> 32;

	return (uint32_t)((upper * count) >> 32); /* both below 2^32 */
}

/* State of a walk to a host. */
struct walk {
	const struct network *net;
	const struct epoch *epoch;
	const struct net_link *last; /* the destination's link */
	const uint8_t *row;          /* distances from its rack */
	uint32_t goal;               /* switch of that rack */
	uint32_t at, shift;
};

static uint8_t walk_distance(const struct walk *w, uint32_t s)
{
	return row_distance(w->row, w->goal, s);
}

/* The links that lead one hop nearer: their number, and the one of that number. There is one
 * wherever the distance is neither 0 nor FAR. At distance 1 these are the links to the goal, whose
 * entry in the row is not valid where it shares the row. */
static uint32_t walk_count_nearer(const struct walk *w, uint32_t s)
{
	const struct epoch *epoch = w->epoch;
	const struct neighbour *end = epoch->neighbours + epoch->first_neighbour[s + 1];
	const uint8_t nearer = (uint8_t)(w->row[s] - 1);
	uint32_t count = 0;

	for (const struct neighbour *i = epoch->neighbours + epoch->first_neighbour[s]; i < end;
	     i++)
		count += nearer ? w->row[i->switch_number] == nearer : i->switch_number == w->goal;
	assert(count > 0);
	return count;
}

static const struct neighbour *walk_nearer_link(const struct walk *w, uint32_t s, uint32_t number)
{
	const struct neighbour *n = w->epoch->neighbours + w->epoch->first_neighbour[s];
	const uint8_t nearer = (uint8_t)(w->row[s] - 1);

	for (;; n++)
		if ((nearer ? w->row[n->switch_number] == nearer : n->switch_number == w->goal) &&
		    number-- == 0)
			return n;
}

static struct walk walk_start(const struct route_table *t, uint32_t from_host, uint32_t to_host,
			      int64_t now_ps, struct route *r)
{
	const struct network *net = t->net;
	const struct epoch *epoch = epoch_at(t, now_ps);
	const struct net_link *first = host_link(net, from_host), *last = host_link(net, to_host);
	uint32_t at = net->nodes[first->to].number, goal = net->nodes[last->to].number;
	struct walk w = { net, epoch, last, rack_row(t, epoch, t->rack_of[goal]), goal, at, 0 };

	assert(from_host != to_host);
	r->until_ps =
		epoch + 1 < t->epochs + t->epoch_count ? epoch[1].start_ps : WEIR_TIME_NEVER_PS;
	r->path = 0;
	r->hops = 0;
	r->found = walk_distance(&w, at) != FAR && !is_known_dead(t, first, now_ps) &&
		   !is_known_dead(t, last, now_ps);
	r->links[r->hops++] = (uint32_t)(first - net->links);
	return w;
}

/* Appends a link to the path. */
static void walk_append(struct walk *w, uint32_t link, struct route *r)
{
	const struct net_node *n = switch_node(w->net, w->at);

	r->links[r->hops++] = link;
	r->path |= (uint64_t)(link - n->first_link) << w->shift;
	w->shift += node_route_bits(n);
}

/* Moves to the next switch, over the link of that number among those that lead nearer. */
static void walk_advance(struct walk *w, uint32_t number, struct route *r)
{
	const struct neighbour *next = walk_nearer_link(w, w->at, number);

	walk_append(w, next->link, r);
	w->at = next->switch_number;
}

void route_find(const struct route_table *t, uint32_t from_host, uint32_t to_host, uint64_t hash,
		int64_t now_ps, struct route *r)
{
	struct walk w = walk_start(t, from_host, to_host, now_ps, r);

	if (!r->found)
		return;
	while (w.at != w.goal) {
		uint32_t count = walk_count_nearer(&w, w.at);

		walk_advance(&w, count > 1 ? ecmp_choose(hash, w.at, count) : 0, r);
	}
	walk_append(&w, w.last->reverse, r);
}

/* Number of shortest paths from a switch. */
static double walk_count_paths(const struct walk *w, uint32_t s)
{
	const struct neighbour *end = w->epoch->neighbours + w->epoch->first_neighbour[s + 1];
	double paths = 0;

	if (s == w->goal)
		return 1;
	for (const struct neighbour *i = w->epoch->neighbours + w->epoch->first_neighbour[s];
	     i < end; i++)
		if (walk_distance(w, i->switch_number) == w->row[s] - 1)
			paths += walk_count_paths(w, i->switch_number);
	return paths;
}

double route_count(const struct route_table *t, uint32_t from_host, uint32_t to_host)
{
	struct route r;
	struct walk w = walk_start(t, from_host, to_host, 0, &r);

	return r.found ? walk_count_paths(&w, w.at) : 0;
}

/* --- paths as registers --- */

uint64_t route_reverse(const struct network *net, const struct route *r)
{
	uint64_t path = 0;
	uint32_t shift = 0;

	for (uint32_t i = r->hops - 1; i-- > 0;) {
		uint32_t link = net->links[r->links[i]].reverse;
		const struct net_node *n = &net->nodes[net->links[link].from];

		path |= (uint64_t)(link - n->first_link) << shift;
		shift += node_route_bits(n);
	}
	return path;
}

void route_follow(const struct network *net, uint32_t from_host, uint64_t path, struct route *r)
{
	uint32_t link = net->nodes[net->host_node[from_host]].first_link;

	*r = (struct route){ .path = path, .until_ps = WEIR_TIME_NEVER_PS, .found = 1 };
	for (;;) {
		const struct net_node *n = &net->nodes[net->links[link].to];
		uint32_t bits = node_route_bits(n);

		r->links[r->hops++] = link;
		if (n->kind == NODE_HOST)
			return;
		link = n->first_link + (uint32_t)(path & ((UINT64_C(1) << bits) - 1));
		path >>= bits;
	}
}

/* --- paths by their choices --- */

static int route_choice_error(const struct walk *w, uint32_t count, const struct route_choices *c,
			      uint32_t used, struct weir_error *e)
{
	char name[64];

	node_name(w->net, w->net->switch_node[w->at], name, sizeof(name));
	if (used == c->count)
		return weir_error_set(e,
				      "%" PRIu32 " choices are too few: %s has %" PRIu32 " ways on",
				      c->count, name, count);
	return weir_error_set(e, "%s has no way %" PRIu32 "; it has %" PRIu32 ", 0 to %" PRIu32,
			      name, c->choice[used], count, count - 1);
}

int route_choose(const struct route_table *t, uint32_t from_host, uint32_t to_host,
		 const struct route_choices *choices, struct route *r, struct weir_error *e)
{
	struct walk w = walk_start(t, from_host, to_host, 0, r);
	uint32_t used = 0;

	assert(r->found); /* route_table_new refuses a network where it is not */
	while (w.at != w.goal) {
		uint32_t count = walk_count_nearer(&w, w.at), number = 0;

		if (count > 1) {
			if (used == choices->count || choices->choice[used] >= count)
				return route_choice_error(&w, count, choices, used, e);
			number = choices->choice[used++];
		}
		walk_advance(&w, number, r);
	}
	walk_append(&w, w.last->reverse, r);
	if (used < choices->count)
		return weir_error_set(e, "%" PRIu32 " choices are too many: the way has %" PRIu32,
				      choices->count, used);
	return 0;
}
