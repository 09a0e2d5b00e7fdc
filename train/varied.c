/* SPDX-License-Identifier: BSD-3-Clause */
/* varied.c -- draws parking lots and leaf-spine networks for the training of congestion controls,
 * see fan_in.h. */
#define _POSIX_C_SOURCE 200809L
#include "train/fan_in.h"
#include "base/memory.h"
#include "weir/rng.h"
#include "weir/units.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Of 16 episodes, 12 are fan-ins, 3 parking lots and 1 a leaf-spine network, which has more
 * decisions than the others together. */
enum { STREAM_KIND = 13, KINDS = 4, DRAWN = 16, DRAWN_CLOS = 1, DRAWN_LOTS = 3 };

static const uint64_t lines_gbps[] = { 10, 25, 40, 100, 200, 400 };
enum { LINES = sizeof(lines_gbps) / sizeof(lines_gbps[0]), LINE_JUDGED = 3 };

enum varied_kind varied_kind_of(const struct fan_in *f)
{
	static const enum varied_kind kinds[KINDS] = { VARIED_FAN_IN, VARIED_CLOS, VARIED_FAN_IN,
						       VARIED_PARKING_LOT };

	uint64_t drawn;

	if (f->networks != FAN_IN_VARIED)
		return VARIED_FAN_IN;
	if (f->which->purpose == TRAIN_JUDGE)
		return kinds[f->which->number % KINDS];
	drawn = weir_hash64(f->seed, STREAM_KIND) % DRAWN;
	if (drawn < DRAWN_CLOS)
		return VARIED_CLOS;
	return drawn < DRAWN_CLOS + DRAWN_LOTS ? VARIED_PARKING_LOT : VARIED_FAN_IN;
}

static uint64_t varied_between(struct weir_rng *r, uint64_t first, uint64_t last)
{
	return first + weir_rng_below(r, last - first + 1);
}

/* Log-uniform. */
static uint64_t varied_between_log(struct weir_rng *r, double first, double last)
{
	return (uint64_t)(first * exp(weir_rng_unit(r) * log(last / first)) + 0.5);
}

static void varied_write_common(FILE *file, const struct fan_in *f)
{
	fprintf(file,
		"[switch]\nmarking = none\nbuffer = 64MiB\nbuffer-per = switch\nlossless = all\n"
		"pfc-alpha = 1/16\n[host]\ncc = %s\n"
		"[rdma]\nint-header = 70B\nint-flows = exact\nmin-rate = 100Mbps\n",
		f->cc);
}

/* --- parking lot: flows from the first switch of a chain to the last, and for each link between
 * two switches flows that cross it alone --- */

enum {
	HOPS_MAX = 4,
	LONG_MAX = 6,
	CROSS_MAX = 12,
	LOT_DELAY_MIN_NS = 150,
	LOT_DELAY_MAX_NS = 2000
};
enum { LOT_ROUNDS = 300, LINKS_ENDS = 2 };

struct lot {
	uint32_t hops, longs, cross[HOPS_MAX];
	uint64_t gbps, delay_ns, time_ns;
};

static struct lot lot_draw(struct weir_rng *r, const struct fan_in *f)
{
	struct lot l = { .hops = (uint32_t)varied_between(r, 2, HOPS_MAX),
			 .longs = (uint32_t)varied_between(r, 1, LONG_MAX),
			 .gbps = lines_gbps[weir_rng_below(r, LINES)],
			 .delay_ns = varied_between_log(r, LOT_DELAY_MIN_NS, LOT_DELAY_MAX_NS) };
	uint32_t flows = l.longs;

	if (f->which->purpose == TRAIN_JUDGE)
		l.gbps = lines_gbps[LINE_JUDGED];
	for (uint32_t i = 0; i < l.hops; i++) {
		l.cross[i] = (uint32_t)varied_between(r, 1, CROSS_MAX);
		if (f->which->purpose == TRAIN_JUDGE) /* so that all rates are fair if equal */
			l.cross[i] = l.cross[0];
		flows += l.cross[i];
	}
	l.time_ns = LOT_ROUNDS * 2 * (l.hops + LINKS_ENDS) * l.delay_ns * (1 + flows / 16);
	return l;
}

/* Hosts in the order of flows: a source and a destination each. */
static void lot_write_hosts(FILE *file, const struct lot *l, uint32_t first, uint32_t at[2])
{
	for (uint32_t k = 0; k < 2; k++)
		fprintf(file, "link = h%u s%u %" PRIu64 "Gbps %" PRIu64 "ns\n", first + k, at[k],
			l->gbps, l->delay_ns);
}

static uint32_t lot_write_network(FILE *file, const struct lot *l)
{
	uint32_t hosts = 0;

	fprintf(file, "[network]\ntopology = explicit\n");
	for (uint32_t i = 0; i < l->hops; i++)
		fprintf(file, "link = s%u s%u %" PRIu64 "Gbps %" PRIu64 "ns\n", i, i + 1, l->gbps,
			l->delay_ns);
	for (uint32_t k = 0; k < l->longs; k++, hosts += 2)
		lot_write_hosts(file, l, hosts, (uint32_t[2]){ 0, l->hops });
	for (uint32_t i = 0; i < l->hops; i++)
		for (uint32_t k = 0; k < l->cross[i]; k++, hosts += 2)
			lot_write_hosts(file, l, hosts, (uint32_t[2]){ i, i + 1 });
	return hosts;
}

/* As in fan-ins, half of the flows of training episodes end. */
static void lot_write(FILE *file, const struct fan_in *f, struct weir_rng *r)
{
	struct lot l = lot_draw(r, f);
	uint32_t hosts = lot_write_network(file, &l);
	uint64_t share_bytes = l.time_ns * l.gbps / WEIR_BITS_PER_BYTE / (hosts / 2);

	varied_write_common(file, f);
	fprintf(file, "[traffic lot]\npattern = list\n");
	for (uint32_t h = 0; h < hosts; h += 2) {
		uint64_t start_ns = weir_rng_below(r, l.time_ns / 4);
		uint64_t bytes = 1 + weir_rng_below(r, 2 * share_bytes);

		if (h % 4 && f->which->purpose == TRAIN_EXPLORE)
			fprintf(file, "flow = %u %u %" PRIu64 "B %" PRIu64 "ns\n", h, h + 1, bytes,
				start_ns);
		else
			fprintf(file, "flow = %u %u unlimited %" PRIu64 "ns\n", h, h + 1, start_ns);
	}
	fprintf(file,
		"[measure]\nfrom = %" PRIu64 "ns\nto = %" PRIu64 "ns\ndrain = 0us\n"
		"port = s0->s1\n",
		l.time_ns / 2, l.time_ns);
}

/* --- leaf-spine: flows of drawn sizes between all hosts, and incasts --- */

enum { LEAVES = 3, HOSTS_EACH = 6, HOSTS = LEAVES * HOSTS_EACH };
enum { CLOS_DELAY_MIN_NS = 150, CLOS_DELAY_MAX_NS = 3000, CLOS_US = 600, INCASTS = 5 };

struct clos {
	uint64_t gbps, delay_ns, incast_bytes, senders;
	double load;
	const char *sizes;
};

/* Evaluations have incasts of 40, 160 and 640 KB, and short and long links. */
static struct clos clos_draw(struct weir_rng *r, const struct fan_in *f)
{
	static const char *const sizes[] = { "websearch", "fb-hadoop", "cache" };
	uint64_t number = f->which->number / KINDS;
	struct clos c = { .gbps = lines_gbps[weir_rng_below(r, LINES)],
			  .delay_ns = varied_between_log(r, CLOS_DELAY_MIN_NS, CLOS_DELAY_MAX_NS),
			  .incast_bytes = varied_between_log(r, 10e3, 1e6),
			  .senders = varied_between(r, 4, HOSTS - 2),
			  .load = 0.2 + 0.5 * weir_rng_unit(r),
			  .sizes = sizes[weir_rng_below(r, sizeof(sizes) / sizeof(sizes[0]))] };

	if (f->which->purpose == TRAIN_EXPLORE)
		return c;
	return (struct clos){ .gbps = lines_gbps[LINE_JUDGED],
			      .delay_ns = number % 2 ? 300 : 1200,
			      .incast_bytes = UINT64_C(40000) << 2 * (number % 3),
			      .senders = HOSTS - 4,
			      .load = 0.5,
			      .sizes = sizes[0] };
}

/* Five incasts, each with twice the time that its bytes take, and 0.6 ms at least at 100 Gb/s. */
static void clos_write(FILE *file, const struct fan_in *f, struct weir_rng *r)
{
	struct clos c = clos_draw(r, f);
	uint64_t drain_ns = c.senders * c.incast_bytes * WEIR_BITS_PER_BYTE / c.gbps;
	uint64_t time_ns = CLOS_US * UINT64_C(100) * WEIR_NS_PER_US / c.gbps;

	if (time_ns < INCASTS * 2 * drain_ns)
		time_ns = INCASTS * 2 * drain_ns;
	fprintf(file,
		"[network]\ntopology = leaf-spine\nleaves = %d\nspines = 2\nhosts-per-leaf = %d\n"
		"rate = %" PRIu64 "Gbps\nfabric-rate = %" PRIu64 "Gbps\ndelay = %" PRIu64 "ns\n",
		LEAVES, HOSTS_EACH, c.gbps, 2 * c.gbps, c.delay_ns);
	varied_write_common(file, f);
	fprintf(file,
		"[traffic flows]\npattern = all-to-all\nsizes = %s\nload = %.3f\n"
		"[traffic incast]\npattern = incast\nsenders = %" PRIu64 "\nsize = %" PRIu64
		"B\nperiod = %" PRIu64 "ns\n"
		"[measure]\nfrom = 0ns\nto = %" PRIu64 "ns\ndrain = %" PRIu64 "ns\n",
		c.sizes, c.load, c.senders, c.incast_bytes, time_ns / INCASTS, time_ns,
		8 * time_ns);
}

char *varied_scenario(const struct fan_in *f, enum varied_kind kind)
{
	struct weir_rng rng = weir_rng_make(f->seed, 0, WEIR_RNG_TRAFFIC);
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		memory_refused(0);
	fprintf(file, "seed = %" PRIu64 "\n", f->seed >> 1);
	if (kind == VARIED_CLOS)
		clos_write(file, f, &rng);
	else
		lot_write(file, f, &rng);
	if (fclose(file))
		memory_refused(size);
	return text;
}
