/* SPDX-License-Identifier: BSD-3-Clause */
/* draw.c -- generates random training scenarios for switch agents, see acc.h. */
#define _POSIX_C_SOURCE 200809L
#include "train/acc.h"
#include "base/memory.h"
#include "weir/rng.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- numbers --- */

static uint64_t draw_between(struct weir_rng *r, uint64_t first, uint64_t last)
{
	return first + weir_rng_below(r, last - first + 1);
}

/* Log-uniform: every octave is equally likely. */
static uint64_t draw_between_log(struct weir_rng *r, double first, double last)
{
	return (uint64_t)(first * exp(weir_rng_unit(r) * log(last / first)) + 0.5);
}

static uint64_t draw_largest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* --- common parts --- */

/* A star, or a leaf-spine network if hosts_per_leaf is not 0. */
struct place {
	uint64_t hosts, rate_gbps;
	uint64_t hosts_per_leaf; /* 0: a star */
};

enum { LEAVES = 3, SPINES = 2 };

static void draw_write_place(FILE *f, const struct draw *d, const struct place *p)
{
	fprintf(f, "seed = %" PRIu64 "\n[network]\n", d->seed);
	if (p->hosts_per_leaf)
		fprintf(f,
			"topology = leaf-spine\nleaves = %d\nspines = %d\nhosts-per-leaf = %" PRIu64
			"\nfabric-rate = 100Gbps\n",
			LEAVES, SPINES, p->hosts_per_leaf);
	else
		fprintf(f, "topology = star\nhosts = %" PRIu64 "\n", p->hosts);
	fprintf(f,
		"rate = %" PRIu64 "Gbps\ndelay = 500ns\n"
		"[switch]\nmarking = red(min=5KB, max=200KB, p=1%%)\ntune = ",
		p->rate_gbps);
	if (d->weight > 0)
		fprintf(f, "%.*s, weight=%.2f)\n", (int)strlen(d->tune) - 1, d->tune, d->weight);
	else
		fprintf(f, "%s\n", d->tune);
	fprintf(f,
		"buffer = 10MB\nbuffer-per = switch\nlossless = all\npfc-alpha = 1/8\n"
		"[host]\ncc = dcqcn(preset=hpcc%s)\n[rdma]\ncnp-interval = 4us\nmin-rate = 1Mbps\n",
		d->is_windowed ? ", window=bdp" : "");
}

/* Host 0 receives everything, so its port is measured. */
static void draw_write_measure(FILE *f, uint64_t from_ms, uint64_t to_ms)
{
	fprintf(f,
		"[measure]\nfrom = %" PRIu64 "ms\nto = %" PRIu64 "ms\ndrain = 0us\nport = sw->h0\n",
		from_ms, to_ms);
}

/* --- preset weir: long flows with bursts, mice, requests or storage, at any rate --- */

enum { LONG_MIN = 1, LONG_MAX = 12, BURST_MIN = 4, BURST_MAX = 40, GBPS_MIN = 10, GBPS_MAX = 100 };

static uint64_t draw_rate(struct weir_rng *r)
{
	return draw_between_log(r, GBPS_MIN, GBPS_MAX);
}

static uint64_t draw_bursts(struct weir_rng *r)
{
	return draw_between_log(r, BURST_MIN, BURST_MAX);
}

static void draw_write_long(FILE *f, uint64_t flows)
{
	fprintf(f,
		"[traffic long]\npattern = many-to-one\nreceiver = 0\nsenders = %" PRIu64
		"\nsize = unlimited\n",
		flows);
}

/* Long flows alone, measured after the transient. */
static void draw_write_steady(FILE *f, const struct draw *d, struct weir_rng *r)
{
	uint64_t senders = draw_between(r, 2, 8), each = draw_between(r, 1, 16 / senders);

	draw_write_place(f, d, &(struct place){ senders + 1, draw_rate(r), 0 });
	fprintf(f,
		"[traffic long]\npattern = incast\nreceiver = 0\nsize = 100GB\nperiod = 100us\n"
		"senders = %" PRIu64 "\nflows = %" PRIu64 "\n",
		senders, senders * each);
	draw_write_measure(f, 100, 150);
}

static void draw_write_small(FILE *f, double load)
{
	fprintf(f, "[traffic mice]\npattern = all-to-one\nreceiver = 0\nsize = 20KB\nload = %.3f\n",
		load);
}

static void draw_write_mice(FILE *f, const struct draw *d, struct weir_rng *r)
{
	enum { HOSTS = 33 };

	draw_write_place(f, d, &(struct place){ HOSTS, draw_rate(r), 0 });
	draw_write_long(f, draw_between(r, LONG_MIN, LONG_MAX));
	draw_write_small(f, 0.05 + 0.15 * weir_rng_unit(r));
	draw_write_measure(f, 60, 120);
}

enum { US_PER_MS = 1000, BURSTS_FROM_MS = 5 };

/* Bursts of further senders: for on_us of every period_us, in every second regime, starting with
 * the first or the second. */
struct bursts {
	uint64_t end_ms, period_us, on_us;
	uint64_t regime_us, is_second;
};

static void draw_write_senders(FILE *f, const struct draw *d, struct weir_rng *r,
			       const struct bursts *b)
{
	uint64_t flows = draw_between(r, LONG_MIN, LONG_MAX), senders = draw_bursts(r);
	uint64_t number = 0;

	draw_write_place(f, d,
			 &(struct place){ draw_largest(flows, senders) + 1, draw_rate(r), 0 });
	draw_write_long(f, flows);
	if (d->kind == DRAW_FCT)
		draw_write_small(f, 0.02 + 0.08 * weir_rng_unit(r));
	for (uint64_t at_us = BURSTS_FROM_MS * US_PER_MS; at_us + b->on_us <= b->end_ms * US_PER_MS;
	     at_us += b->period_us)
		if (at_us / b->regime_us % 2 == b->is_second)
			fprintf(f,
				"[traffic burst%" PRIu64
				"]\npattern = many-to-one\nreceiver = 0\nsenders = %" PRIu64
				"\nsize = unlimited\nstart = %" PRIu64 "us\nstop = %" PRIu64 "us\n",
				number++, senders, at_us, at_us + b->on_us);
	draw_write_measure(f, BURSTS_FROM_MS, b->end_ms);
}

/* Draws a period, and bursts of 0.5 ms up to half of it. */
static void draw_period(struct weir_rng *r, uint64_t longest_ms, struct bursts *b)
{
	b->period_us = draw_between_log(r, 4 * US_PER_MS, (double)(longest_ms * US_PER_MS));
	b->on_us = draw_between_log(r, US_PER_MS / 2.0, (double)(b->period_us / 2));
}

/* Periodic bursts. */
static void draw_write_bursts(FILE *f, const struct draw *d, struct weir_rng *r)
{
	struct bursts b = { .end_ms = 205, .regime_us = UINT64_MAX };

	draw_period(r, 60, &b);
	draw_write_senders(f, d, r, &b);
}

/* Alternating regimes with and without bursts. */
static void draw_write_regimes(FILE *f, const struct draw *d, struct weir_rng *r)
{
	struct bursts b = { .end_ms = 305 };

	draw_period(r, 20, &b);
	b.regime_us = draw_between_log(r, 40 * US_PER_MS, 150 * US_PER_MS);
	b.is_second = weir_rng_below(r, 2);
	draw_write_senders(f, d, r, &b);
}

/* Periodic incast of requests: a twentieth to half of the line's capacity. */
static void draw_write_requests(FILE *f, const struct draw *d, struct weir_rng *r)
{
	uint64_t flows = draw_between(r, LONG_MIN, LONG_MAX), senders = draw_bursts(r);
	uint64_t rate_gbps = draw_rate(r), period_us = draw_between_log(r, 5000, 20000);
	uint64_t all_bytes = rate_gbps * period_us * draw_between_log(r, 50, 500) / 8;

	draw_write_place(f, d, &(struct place){ draw_largest(flows, senders) + 1, rate_gbps, 0 });
	draw_write_long(f, flows);
	fprintf(f,
		"[traffic answers]\npattern = incast\nreceiver = 0\nsenders = %" PRIu64
		"\nsize = %" PRIu64 "B\nperiod = %" PRIu64 "us\nconnections = persistent\n",
		senders, all_bytes / senders, period_us);
	draw_write_measure(f, 5, 155);
}

/* Small and large answers in turn. */
static void draw_write_mixed_answers(FILE *f, const struct draw *d, struct weir_rng *r)
{
	enum { REGIMES = 4, END_MS = 205 };
	uint64_t flows = draw_between(r, LONG_MIN, LONG_MAX), rate_gbps = draw_rate(r);
	uint64_t senders[2] = { draw_between_log(r, 16, BURST_MAX), draw_between_log(r, 4, 16) };
	uint64_t period_us[2] = { draw_between_log(r, 2000, 8000),
				  draw_between_log(r, 6000, 16000) };
	uint64_t load[2] = { draw_between_log(r, 30, 200), draw_between_log(r, 150, 500) };
	uint64_t at_us = 5000, first = weir_rng_below(r, 2);

	draw_write_place(f, d,
			 &(struct place){ draw_largest(flows, senders[0]) + 1, rate_gbps, 0 });
	draw_write_long(f, flows);
	for (uint64_t i = 0; i < REGIMES; i++, at_us += END_MS * US_PER_MS / REGIMES) {
		uint64_t k = (first + i) % 2, rounds = 50000 / period_us[k];
		uint64_t bytes = rate_gbps * period_us[k] * load[k] / 8 / senders[k];

		fprintf(f,
			"[traffic answers%" PRIu64
			"]\npattern = incast\nreceiver = 0\nsenders = %" PRIu64 "\nsize = %" PRIu64
			"B\nperiod = %" PRIu64 "us\nstart = %" PRIu64 "us\nflows = %" PRIu64
			"\nconnections = persistent\n",
			i, senders[k], bytes, period_us[k], at_us, rounds * senders[k]);
	}
	draw_write_measure(f, 5, END_MS);
}

/* Open-loop flows, which marking cannot slow: not to be mistaken for bursts. */
static void draw_write_independent(FILE *f, const struct draw *d, struct weir_rng *r)
{
	const char *sizes = weir_rng_below(r, 2) ? "websearch" : "datamining";

	draw_write_place(f, d, &(struct place){ draw_between(r, 8, 24), draw_rate(r), 0 });
	fprintf(f, "[traffic flows]\npattern = all-to-one\nreceiver = 0\nsizes = %s\nload = %.3f\n",
		sizes, 0.3 + 0.6 * weir_rng_unit(r));
	draw_write_measure(f, 5, 155);
}

/* Closed-loop storage I/O; host 0 is a compute node. */
static void draw_write_storage(FILE *f, const struct draw *d, struct weir_rng *r)
{
	static const char *const mixes[] = { "oltp", "olap", "vdi", "exchange", "video", "backup" };
	uint64_t computing = draw_between(r, 1, 4), storage = draw_between(r, 2, 8);

	draw_write_place(f, d, &(struct place){ computing + storage, draw_rate(r), 0 });
	fprintf(f,
		"[traffic disks]\npattern = storage\nmix = %s\ncomputing = %" PRIu64
		"\nstorage = %" PRIu64 "\nstorage-at = end\ndepth = %" PRIu64
		"\nconnections = persistent\n",
		mixes[weir_rng_below(r, sizeof(mixes) / sizeof(mixes[0]))], computing, storage,
		draw_between_log(r, 4, 64));
	draw_write_measure(f, 5, 105);
}

static void draw_write_weir(FILE *f, const struct draw *d, struct weir_rng *r)
{
	static void (*const families[])(FILE * f, const struct draw *d, struct weir_rng *r) = {
		draw_write_steady,  draw_write_steady,   draw_write_mice,
		draw_write_bursts,  draw_write_bursts,   draw_write_bursts,
		draw_write_bursts,  draw_write_requests, draw_write_requests,
		draw_write_regimes, draw_write_regimes,  draw_write_independent,
		draw_write_storage, draw_write_storage,  draw_write_independent,
	};

	families[weir_rng_below(r, sizeof(families) / sizeof(families[0]))](f, d, r);
}

static void draw_write_fct(FILE *f, const struct draw *d, struct weir_rng *r)
{
	static void (*const families[])(FILE * f, const struct draw *d, struct weir_rng *r) = {
		draw_write_mice,    draw_write_bursts,   draw_write_bursts,
		draw_write_bursts,  draw_write_requests, draw_write_mixed_answers,
		draw_write_regimes, draw_write_regimes,  draw_write_mixed_answers,
		draw_write_storage, draw_write_mice,     draw_write_independent,
	};

	families[weir_rng_below(r, sizeof(families) / sizeof(families[0]))](f, d, r);
}

/* --- preset paper: 20 ms after 2 ms --- */

enum { PAPER_FROM_MS = 2, PAPER_TO_MS = 22 };

/* p in [2, 64] senders with q in [1, 1000] flows each, of 10 KB to 10 MB. Differs: no more senders
 * than there are other hosts, and p q at most 2048. */
static void draw_write_incast(FILE *f, const struct draw *d, struct weir_rng *r)
{
	uint64_t hosts = draw_between(r, 12, 24),
		 senders = draw_between_log(r, 2, (double)hosts - 1);
	uint64_t each = draw_between_log(r, 1, fmin(1000, 2048.0 / (double)senders));

	draw_write_place(f, d, &(struct place){ hosts, weir_rng_below(r, 2) ? 100 : 25, 0 });
	fprintf(f,
		"[traffic incast]\npattern = incast\nreceiver = 0\nsenders = %" PRIu64
		"\nsize = %" PRIu64 "KB\nload = %.3f\nflows = %" PRIu64 "\n",
		senders, draw_between_log(r, 10, 10000), 0.1 + 0.8 * weir_rng_unit(r),
		senders * each);
	draw_write_measure(f, PAPER_FROM_MS, PAPER_TO_MS);
}

static void draw_write_clos(FILE *f, const struct draw *d, struct weir_rng *r)
{
	const char *sizes = weir_rng_below(r, 2) ? "websearch" : "datamining";

	draw_write_place(f, d, &(struct place){ 0, 25, draw_between(r, 4, 8) });
	fprintf(f,
		"[traffic flows]\npattern = all-to-all\nsizes = %s\nload = %.3f\n"
		"[measure]\nfrom = %dms\nto = %dms\ndrain = 0us\n",
		sizes, 0.1 + 0.8 * weir_rng_unit(r), PAPER_FROM_MS, PAPER_TO_MS);
}

char *draw_scenario(const struct draw *given)
{
	struct draw drawn = *given, *d = &drawn;
	struct weir_rng r = weir_rng_make(d->seed, 0, WEIR_RNG_TRAFFIC);
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		memory_refused(BUFSIZ);
	if (d->kind == DRAW_FCT) {
		d->is_windowed = (int)weir_rng_below(&r, 2);
		d->weight = 0.3 + 0.6 * weir_rng_unit(&r);
		draw_write_fct(f, d, &r);
	} else if (d->kind == DRAW_WEIR)
		draw_write_weir(f, d, &r);
	else if (weir_rng_below(&r, 10) < 6)
		draw_write_incast(f, d, &r);
	else
		draw_write_clos(f, d, &r);
	if (fclose(f))
		memory_refused(size);
	return text;
}
