/* SPDX-License-Identifier: BSD-3-Clause */
/* fan_in.c -- draws the scenarios of fan_in.h. */
#define _POSIX_C_SOURCE 200809L
#include "train/fan_in.h"
#include "base/memory.h"
#include "weir/rng.h"
#include "weir/units.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHOICES = 7, DELAY_MIN_NS = 150, DELAY_MAX_NS = 1000, STRETCH_MAX = 8, GBPS = 100 };

/* Of fan-ins among varied networks; an episode has at most so many packets. */
enum { BASE_MIN_NS = 1000, BASE_MAX_NS = 50000, PACKETS_MAX = 250000, PACKET_BITS = 1118 * 8 };
static const uint64_t varied_gbps[] = { 10, 25, 40, 100, 200, 400 };

/* How many senders of an episode with mixed paths are near; kinds below MIX_HALF: none. */
enum { MIX_EQUAL = 0, MIX_HALF = 3, MIX_ANY, MIX_BUT_ONE, MIX_KINDS };

/* Serialisation of a packet and its ACK, 1118 B and 118 B, three times each at 100 Gb/s. */
enum { WIRE_NS = 297, LINKS = 6 };

/* Evaluation episodes are longer and scored by their last quarter: many flows that start at line
 * rate fill a queue that a control acting once per round trip needs long to drain. */
enum { JUDGE_TIMES = 3 };

/* Round trips of an episode, by the number of flows. */
static const struct {
	uint32_t flows, round_trips;
} sizes[CHOICES] = { { 2, 150 },
		     { 6, 250 },
		     { 12, 450 },
		     { 24, 900 },
		     { 48, 1800 },
		     { 96, 3600 },
		     { FAN_IN_FLOWS_MAX, 7200 } };

struct fan_in_draw {
	uint32_t flows, near; /* near: senders on the receiver's switch */
	uint64_t delay_ns, fabric_delay_ns, base_ns, time_ns;
	uint64_t gbps, fabric_gbps; /* of hosts, of the link between the switches */
	uint64_t start_ns;          /* the last flow starts by then */
	struct weir_rng rng;
};

/* Draws a size with p ~ n^-0.8: with equal p, episodes of two flows would have 3 % of the
 * decisions. */
static uint32_t fan_in_draw_size(struct weir_rng *rng, uint32_t choices)
{
	double all = 0, at;
	uint32_t i = 0;

	for (uint32_t k = 0; k < choices; k++)
		all += pow(sizes[k].flows, -0.8);
	at = weir_rng_unit(rng) * all;
	for (; i + 1 < choices && at >= pow(sizes[i].flows, -0.8); i++)
		at -= pow(sizes[i].flows, -0.8);
	return i;
}

/* Number of sizes up to flows_max; at least one. */
static uint32_t fan_in_choices(uint32_t flows_max)
{
	uint32_t count = 1;

	while (count < CHOICES && sizes[count].flows <= flows_max)
		count++;
	return count;
}

uint32_t fan_in_stage(uint32_t flows_max, double share)
{
	uint32_t choices = fan_in_choices(flows_max), stage = (uint32_t)(share * choices);

	return sizes[stage < choices ? stage : choices - 1].flows;
}

/* Counts the fan-ins of an evaluation, which are every second of its varied networks. */
static uint64_t fan_in_number(const struct fan_in *f)
{
	return f->networks == FAN_IN_VARIED ? f->which->number / 2 : f->which->number;
}

/* Half of the episodes with mixed paths have equal ones; in the others half, any number, or all
 * but one or one of the senders are near, and the link between the switches is up to eight times as
 * long as the others and as fast as they are or four times as fast. Judges go through equal, half
 * and all but one. */
static void fan_in_draw_paths(const struct fan_in *f, struct fan_in_draw *d, uint32_t choices)
{
	static const uint32_t judged[] = { MIX_EQUAL, MIX_HALF, MIX_BUT_ONE };
	uint64_t number = fan_in_number(f);
	uint64_t kind = weir_rng_below(&d->rng, MIX_KINDS);
	uint64_t any = 1 + weir_rng_below(&d->rng, d->flows - 1);
	double stretch = exp(weir_rng_unit(&d->rng) * log(STRETCH_MAX));
	uint64_t is_fast = weir_rng_below(&d->rng, 2);

	if (f->which->purpose == TRAIN_JUDGE) {
		kind = judged[(number + number / choices) % 3];
		stretch = 2;
		is_fast = 1;
	}
	if (kind < MIX_HALF)
		return;
	d->near = kind == MIX_HALF ? d->flows / 2 : kind == MIX_ANY ? (uint32_t)any : d->flows - 1;
	if (kind == MIX_BUT_ONE && f->which->purpose == TRAIN_EXPLORE && any % 3 == 0)
		d->near = 1;
	d->fabric_delay_ns = (uint64_t)((double)d->delay_ns * stretch);
	d->fabric_gbps = is_fast ? 4 * d->gbps : d->gbps;
}

/* Any rate and base round trip, in place of 100 Gb/s and links of 150 ns to 1 us. */
static void fan_in_draw_line(struct fan_in_draw *d)
{
	double octaves = log((double)BASE_MAX_NS / BASE_MIN_NS);
	double base_ns = BASE_MIN_NS * exp(weir_rng_unit(&d->rng) * octaves);

	d->gbps = varied_gbps[weir_rng_below(&d->rng, sizeof(varied_gbps) / sizeof(uint64_t))];
	d->delay_ns = (uint64_t)(base_ns / LINKS) + 1;
}

static uint64_t fan_in_time_max_ns(const struct fan_in_draw *d)
{
	return (uint64_t)PACKETS_MAX * PACKET_BITS / d->gbps;
}

static struct fan_in_draw fan_in_draw_of(const struct fan_in *f)
{
	struct fan_in_draw d = { .rng = weir_rng_make(f->seed, 0, WEIR_RNG_TRAFFIC), .gbps = GBPS };
	double octaves = log((double)DELAY_MAX_NS / DELAY_MIN_NS);
	uint32_t choices = fan_in_choices(f->flows_max), size = fan_in_draw_size(&d.rng, choices);

	d.delay_ns = (uint64_t)(DELAY_MIN_NS * exp(weir_rng_unit(&d.rng) * octaves));
	if (f->which->purpose == TRAIN_JUDGE) {
		size = (uint32_t)(fan_in_number(f) % choices);
		d.delay_ns = fan_in_number(f) / choices % 2 ? 4 * DELAY_MIN_NS : DELAY_MIN_NS;
	}
	if (f->networks == FAN_IN_VARIED && f->which->purpose == TRAIN_EXPLORE)
		fan_in_draw_line(&d);
	d.flows = sizes[size].flows;
	d.fabric_delay_ns = d.delay_ns;
	d.fabric_gbps = d.gbps;
	if (f->paths == FAN_IN_MIXED || f->networks == FAN_IN_VARIED)
		fan_in_draw_paths(f, &d, choices);
	d.base_ns = (LINKS - 2) * d.delay_ns + 2 * d.fabric_delay_ns + WIRE_NS * GBPS / d.gbps;
	d.time_ns = sizes[size].round_trips * d.base_ns;
	if (f->networks == FAN_IN_VARIED && d.time_ns > fan_in_time_max_ns(&d))
		d.time_ns = fan_in_time_max_ns(&d);
	d.start_ns = d.time_ns / 4;
	if (f->which->purpose == TRAIN_JUDGE)
		d.time_ns *= JUDGE_TIMES;
	return d;
}

/* In training episodes half of the flows end: their size is the line, shared by all, for about half
 * of the time. */
static void fan_in_write_flows(FILE *file, struct fan_in_draw *d, enum train_purpose purpose)
{
	uint64_t share_bytes = d->time_ns * d->gbps / WEIR_BITS_PER_BYTE / d->flows;

	fprintf(file, "[traffic fan-in]\npattern = list\n");
	for (uint32_t i = 0; i < d->flows; i++) {
		uint64_t start_ns = weir_rng_below(&d->rng, d->start_ns + 1);
		uint64_t bytes = share_bytes / 4 + weir_rng_below(&d->rng, share_bytes / 2 + 1);

		if (i % 2 && purpose == TRAIN_EXPLORE)
			fprintf(file, "flow = %u %u %" PRIu64 "B %" PRIu64 "ns\n", i, d->flows,
				bytes, start_ns);
		else
			fprintf(file, "flow = %u %u unlimited %" PRIu64 "ns\n", i, d->flows,
				start_ns);
	}
}

char *fan_in_scenario(const struct fan_in *f)
{
	enum varied_kind kind = varied_kind_of(f);
	struct fan_in_draw d;
	char *text = NULL;
	size_t size;
	FILE *file;

	if (kind != VARIED_FAN_IN)
		return varied_scenario(f, kind);
	d = fan_in_draw_of(f);
	file = open_memstream(&text, &size);
	if (!file)
		memory_refused(0);
	fprintf(file,
		"seed = %" PRIu64 "\n[network]\ntopology = dumbbell\nleft-hosts = %u\n"
		"right-hosts = %u\nrate = %" PRIu64 "Gbps\ndelay = %" PRIu64 "ns\n"
		"fabric-rate = %" PRIu64 "Gbps\nfabric-delay = %" PRIu64 "ns\n"
		"[switch]\nmarking = none\nbuffer = %s\nbuffer-per = switch\nlossless = all\n"
		"pfc-alpha = 1/16\n[host]\ncc = %s\n"
		"[rdma]\nint-header = 70B\nint-flows = exact\nmin-rate = 100Mbps\n",
		f->seed >> 1, d.flows - d.near, d.near + 1, d.gbps, d.delay_ns, d.fabric_gbps,
		d.fabric_delay_ns, f->networks == FAN_IN_VARIED ? "512MiB" : "8MiB", f->cc);
	fan_in_write_flows(file, &d, f->which->purpose);
	fprintf(file, "[measure]\nfrom = %" PRIu64 "ns\nto = %" PRIu64 "ns\ndrain = 0us\n",
		d.time_ns - d.time_ns / 4, d.time_ns);
	if (d.near)
		fprintf(file, "port = right->h%u\n", d.flows);
	else
		fprintf(file, "port = left->right\n");
	if (fclose(file))
		memory_refused(size);
	return text;
}
