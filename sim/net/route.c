/* SPDX-License-Identifier: BSD-3-Clause */
/* route.c -- builds the table of shortest-path distances, once for each time that links fail, and
 * checks it. Runs before the simulation, at one thread. */
#include "sim/net/route_table.h"
#include "base/memory.h"
#include "weir/rng.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BITS = 64, BATCH = 64 };

/* Limit on the size of a table, all epochs together. */
#define TABLE_MAX_BYTES (UINT64_C(1) << 32)

/* --- building --- */

static void route_table_add_racks(struct route_table *t)
{
	const struct network *net = t->net;

	t->rack_of = memory_grow(NULL, net->switch_count, sizeof(*t->rack_of));
	t->rack_switch = memory_grow(NULL, net->switch_count, sizeof(*t->rack_switch));
	memset(t->rack_of, 0xff, net->switch_count * sizeof(*t->rack_of));
	for (uint32_t h = 0; h < net->host_count; h++) {
		uint32_t s = net->nodes[net->host_node[h]].rack;

		if (t->rack_of[s] != UINT32_MAX)
			continue;
		t->rack_switch[t->rack_count] = s;
		t->rack_of[s] = t->rack_count++;
	}
}

static int compare_times(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Epochs start at 0 and at the distinct times at which senders learn of failures. The two links of
 * a cable count once. */
static void route_table_add_epochs(struct route_table *t)
{
	const struct network *net = t->net;
	uint32_t count = 1;
	int64_t *times;

	for (uint32_t i = 0; i < net->link_count; i++)
		count += net->links[i].fails_ps != WEIR_TIME_NEVER_PS && net->links[i].reverse > i;
	times = memory_zeroed(count, sizeof(*times));
	t->epochs = memory_zeroed(count, sizeof(*t->epochs));
	count = 1;
	for (uint32_t i = 0; i < net->link_count; i++)
		if (net->links[i].fails_ps != WEIR_TIME_NEVER_PS && net->links[i].reverse > i)
			times[count++] = net->links[i].fails_ps + t->reroute_delay_ps;
	qsort(times, count, sizeof(*times), compare_times);
	for (uint32_t i = 0; i < count; i++)
		if (i == 0 || times[i] != times[i - 1])
			t->epochs[t->epoch_count++].start_ps = times[i];
	free(times);
}

static void epoch_add_neighbours(const struct route_table *t, struct epoch *epoch)
{
	const struct network *net = t->net;
	uint32_t count = 0;

	epoch->first_neighbour =
		memory_grow(NULL, net->switch_count + 1, sizeof(*epoch->first_neighbour));
	epoch->neighbours = memory_grow(NULL, net->link_count, sizeof(*epoch->neighbours));
	for (uint32_t s = 0; s < net->switch_count; s++) {
		const struct net_node *n = switch_node(net, s);

		epoch->first_neighbour[s] = count;
		for (uint32_t l = n->first_link; l < n->first_link + n->link_count; l++) {
			const struct net_node *to = &net->nodes[net->links[l].to];

			if (to->kind != NODE_SWITCH ||
			    is_known_dead(t, &net->links[l], epoch->start_ps))
				continue;
			epoch->neighbours[count++] = (struct neighbour){ to->number, l };
		}
	}
	epoch->first_neighbour[net->switch_count] = count;
}

/* Neighbours of a rack, in the order of its links. */
struct neighbours {
	const struct neighbour *first;
	uint32_t count;
};

static struct neighbours rack_neighbours(const struct route_table *t, const struct epoch *epoch,
					 uint32_t rack)
{
	uint32_t s = t->rack_switch[rack], first = epoch->first_neighbour[s];

	return (struct neighbours){ epoch->neighbours + first,
				    epoch->first_neighbour[s + 1] - first };
}

static int neighbours_are_same(struct neighbours a, struct neighbours b)
{
	if (a.count != b.count)
		return 0;
	for (uint32_t i = 0; i < a.count; i++)
		if (a.first[i].switch_number != b.first[i].switch_number)
			return 0;
	return 1;
}

static uint64_t neighbours_hash(struct neighbours n)
{
	uint64_t hash = n.count;

	for (uint32_t i = 0; i < n.count; i++)
		hash = weir_hash64(hash, n.first[i].switch_number);
	return hash;
}

/* Assigns rows: racks with the same neighbours share one. A hash table, at most half full, finds
 * the first rack of each row. */
static void epoch_add_rows(const struct route_table *t, struct epoch *epoch)
{
	uint32_t size = 2, mask;
	uint32_t *table;

	while (size < 2 * t->rack_count)
		size *= 2;
	mask = size - 1;
	table = memory_grow(NULL, size, sizeof(*table));
	memset(table, 0xff, size * sizeof(*table));
	epoch->row_of = memory_grow(NULL, t->rack_count, sizeof(*epoch->row_of));
	for (uint32_t rack = 0; rack < t->rack_count; rack++) {
		struct neighbours mine = rack_neighbours(t, epoch, rack);
		uint32_t i = (uint32_t)neighbours_hash(mine) & mask;

		while (table[i] != UINT32_MAX &&
		       !neighbours_are_same(mine, rack_neighbours(t, epoch, table[i])))
			i = (i + 1) & mask;
		if (table[i] == UINT32_MAX) {
			table[i] = rack;
			epoch->row_of[rack] = epoch->row_count++;
		} else {
			epoch->row_of[rack] = epoch->row_of[table[i]];
		}
	}
	free(table);
}

/* Breadth-first searches of up to BATCH rows at once: one bit each, in a word per switch. */
struct wave {
	uint64_t *reached, *front, *next;
};

/* Sets the distance of the switches newly reached, which become the front. Returns 0 where there
 * are none. */
static int wave_advance(struct wave *w, uint8_t *distance, uint32_t switches, uint8_t step)
{
	int any = 0;

	for (uint32_t s = 0; s < switches; s++) {
		uint64_t fresh = w->next[s] & ~w->reached[s];

		w->front[s] = fresh;
		w->next[s] = 0;
		w->reached[s] |= fresh;
		any |= fresh != 0;
		for (; fresh; fresh &= fresh - 1)
			distance[(uint64_t)__builtin_ctzll(fresh) * switches + s] = step;
	}
	return any;
}

/* Breadth-first search from up to BATCH racks at once, each the first of its row: each step ORs
 * whole words along the links, O(links x diameter) a batch. Cables work and fail both ways, so
 * distances are symmetric. */
static void epoch_search(const struct route_table *t, struct epoch *epoch,
			 const uint32_t *first_racks, uint32_t first_row, struct wave *w)
{
	uint32_t switches = t->net->switch_count, count = epoch->row_count - first_row;
	uint8_t *distance = epoch->distance + (uint64_t)first_row * switches;
	int any;

	memset(w->reached, 0, switches * sizeof(*w->reached));
	memset(w->next, 0, switches * sizeof(*w->next));
	for (uint32_t i = 0; i < BATCH && i < count; i++)
		w->next[t->rack_switch[first_racks[first_row + i]]] |= UINT64_C(1) << i;
	any = wave_advance(w, distance, switches, 0);
	for (uint8_t step = 1; any && step < FAR; step++) {
		for (uint32_t s = 0; s < switches; s++)
			for (uint32_t i = epoch->first_neighbour[s];
			     w->front[s] && i < epoch->first_neighbour[s + 1]; i++)
				w->next[epoch->neighbours[i].switch_number] |= w->front[s];
		any = wave_advance(w, distance, switches, step);
	}
}

/* The first rack of a row as seen from the others that share it: two hops away, or unreachable. */
static void epoch_share_rows(const struct route_table *t, struct epoch *epoch,
			     const uint32_t *first_racks)
{
	for (uint32_t rack = 0; rack < t->rack_count; rack++) {
		uint32_t row = epoch->row_of[rack], first = first_racks[row];

		if (rack != first)
			epoch->distance[(uint64_t)row * t->net->switch_count +
					t->rack_switch[first]] =
				rack_neighbours(t, epoch, rack).count ? 2 : FAR;
	}
}

static void epoch_add_distances(const struct route_table *t, struct epoch *epoch)
{
	size_t switches = t->net->switch_count;
	uint32_t *first_racks = memory_grow(NULL, epoch->row_count, sizeof(*first_racks));
	struct wave w = {
		.reached = memory_grow(NULL, switches, sizeof(*w.reached)),
		.front = memory_grow(NULL, switches, sizeof(*w.front)),
		.next = memory_grow(NULL, switches, sizeof(*w.next)),
	};

	for (uint32_t rack = t->rack_count; rack-- > 0;)
		first_racks[epoch->row_of[rack]] = rack;
	epoch->distance = memory_grow(NULL, epoch->row_count, switches);
	memset(epoch->distance, FAR, epoch->row_count * switches);
	for (uint32_t row = 0; row < epoch->row_count; row += BATCH)
		epoch_search(t, epoch, first_racks, row, &w);
	epoch_share_rows(t, epoch, first_racks);
	free(first_racks);
	free(w.reached);
	free(w.front);
	free(w.next);
}

/* --- checking --- */

static int route_table_check_reachable(const struct route_table *t, struct weir_error *e)
{
	const struct network *net = t->net;
	const struct epoch *epoch = &t->epochs[0];
	const uint8_t *row = rack_row(t, epoch, 0); /* the rack of host 0 */
	char from[64], to[64];

	for (uint32_t h = 0; h < net->host_count; h++) {
		uint8_t d =
			row_distance(row, t->rack_switch[0], net->nodes[net->host_node[h]].rack);

		if (d != FAR && !is_known_dead(t, host_link(net, h), epoch->start_ps))
			continue;
		node_name(net, net->host_node[h == 0], from, sizeof(from));
		node_name(net, net->host_node[h], to, sizeof(to));
		return weir_error_set(
			e, "network.topology: there is no path from %s to %s%s", from, to,
			is_known_dead(t, host_link(net, h), 0) ? ": its link fails at once" : "");
	}
	return 0;
}

/* Largest number of register bits of any shortest path to the rack, from each switch, nearest
 * switches first. Returns the largest of paths that start at a rack. */
static uint32_t epoch_longest_path_bits(const struct route_table *t, const struct epoch *epoch,
					uint32_t rack, uint32_t *bits)
{
	uint32_t switches = t->net->switch_count, goal = t->rack_switch[rack], largest = 0;
	const uint8_t *row = rack_row(t, epoch, rack);

	for (uint32_t d = 0; d < FAR; d++) {
		int any = 0;

		for (uint32_t s = 0; s < switches; s++) {
			uint32_t most = 0;

			if (row_distance(row, goal, s) != d)
				continue;
			any = 1;
			for (uint32_t i = epoch->first_neighbour[s];
			     i < epoch->first_neighbour[s + 1]; i++) {
				uint32_t to = epoch->neighbours[i].switch_number;

				if (row_distance(row, goal, to) + 1u == d && bits[to] > most)
					most = bits[to];
			}
			bits[s] = most + node_route_bits(switch_node(t->net, s));
			if (bits[s] > largest && t->rack_of[s] != UINT32_MAX)
				largest = bits[s];
		}
		if (!any)
			break;
	}
	return largest;
}

static int epoch_path_too_long(const struct epoch *epoch, const char *what, uint32_t has,
			       uint32_t limit, struct weir_error *e)
{
	if (epoch->start_ps == 0)
		return weir_error_set(
			e,
			"network.topology: some path between hosts takes %u %s; allowed are at "
			"most %u",
			has, what, limit);
	return weir_error_set(
		e,
		"network.fail: with the links left at %.6g s some path between hosts takes "
		"%u %s; allowed are at most %u",
		weir_ps_to_s(epoch->start_ps), has, what, limit);
}

/* Checks that no path has more than ROUTE_HOPS_MAX links or PATH_BITS register bits. Fast path: the
 * bound longest distance x widest switch; where that fails, path by path. */
static int epoch_check_paths(const struct route_table *t, const struct epoch *epoch,
			     struct weir_error *e)
{
	uint32_t switches = t->net->switch_count, longest = 0, widest = 0, needed = 0;
	uint32_t *bits;

	for (uint32_t r = 0; r < epoch->row_count; r++)
		for (uint32_t q = 0; q < t->rack_count; q++) {
			uint8_t d = epoch->distance[(uint64_t)r * switches + t->rack_switch[q]];

			if (d != FAR && d > longest)
				longest = d;
		}
	if (longest + 2 > ROUTE_HOPS_MAX)
		return epoch_path_too_long(epoch, "links", longest + 2, ROUTE_HOPS_MAX, e);
	for (uint32_t s = 0; s < switches; s++)
		if (node_route_bits(switch_node(t->net, s)) > widest)
			widest = node_route_bits(switch_node(t->net, s));
	if ((longest + 1) * widest <= PATH_BITS)
		return 0;
	bits = memory_grow(NULL, switches, sizeof(*bits));
	for (uint32_t r = 0; r < t->rack_count && needed <= PATH_BITS; r++)
		needed = epoch_longest_path_bits(t, epoch, r, bits);
	free(bits);
	if (needed > PATH_BITS)
		return epoch_path_too_long(epoch, "bits to number the ports of its switches",
					   needed, PATH_BITS, e);
	return 0;
}

static int route_table_too_large(const struct route_table *t, struct weir_error *e)
{
	if (t->epoch_count == 1)
		return weir_error_set(e,
				      "network.topology: the routes between %u switches take more "
				      "than the %" PRIu64 " bytes that are allowed",
				      t->net->switch_count, TABLE_MAX_BYTES);
	return weir_error_set(
		e,
		"network.fail: links fail at %u times, and the routes of all these take "
		"more than the %" PRIu64 " bytes that are allowed",
		t->epoch_count - 1, TABLE_MAX_BYTES);
}

static int route_table_fill(struct route_table *t, struct weir_error *e)
{
	uint64_t bytes = 0;

	route_table_add_racks(t);
	route_table_add_epochs(t);
	for (uint32_t i = 0; i < t->epoch_count; i++) {
		epoch_add_neighbours(t, &t->epochs[i]);
		epoch_add_rows(t, &t->epochs[i]);
		bytes += (uint64_t)t->epochs[i].row_count * t->net->switch_count;
		if (bytes > TABLE_MAX_BYTES)
			return route_table_too_large(t, e);
		epoch_add_distances(t, &t->epochs[i]);
		if (i == 0 && route_table_check_reachable(t, e))
			return -1;
		if (epoch_check_paths(t, &t->epochs[i], e))
			return -1;
	}
	return 0;
}

int route_table_new(struct route_table **out, const struct network *net, int64_t reroute_delay_ps,
		    struct weir_error *e)
{
	struct route_table *t = memory_zeroed(1, sizeof(*t));

	*out = NULL;
	t->net = net;
	t->reroute_delay_ps = reroute_delay_ps;
	if (route_table_fill(t, e)) {
		route_table_free(t);
		return -1;
	}
	*out = t;
	return 0;
}

void route_table_free(struct route_table *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; t->epochs && i < t->epoch_count; i++) {
		free(t->epochs[i].neighbours);
		free(t->epochs[i].first_neighbour);
		free(t->epochs[i].row_of);
		free(t->epochs[i].distance);
	}
	free(t->epochs);
	free(t->rack_of);
	free(t->rack_switch);
	free(t);
}
