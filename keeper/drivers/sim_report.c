/* SPDX-License-Identifier: BSD-3-Clause */
/* sim_report.c -- see sim.h: queues sampled while a rehearsal goes on, and what the traffic made of
 * it at its end. */
#include "keeper/drivers/sim.h"
#include "base/text.h"
#include "base/memory.h"
#include "weir/units.h"
#include <inttypes.h>
#include <stdlib.h>

uint64_t rehearsal_look(struct rehearsal *r, const struct rehearsal_port *p,
			enum rehearsal_watched what)
{
	return (uint64_t)weir_sim_observe(r->sim, p->watches[what]);
}

static void keep_sample(struct rehearsal *r, struct rehearsal_port *p)
{
	if (!p->has_begun)
		for (int w = 0; w < REHEARSAL_WATCHED; w++)
			p->before[w] = rehearsal_look(r, p, (enum rehearsal_watched)w);
	p->has_begun = 1;
	if ((p->sample_count & (p->sample_count - 1)) == 0)
		p->samples = memory_grow(p->samples, p->sample_count ? 2 * p->sample_count : 1,
					 sizeof(*p->samples));
	p->samples[p->sample_count++] =
		p->queue_bytes < UINT32_MAX ? (uint32_t)p->queue_bytes : UINT32_MAX;
}

void rehearsal_sample(struct rehearsal *r)
{
	for (uint32_t i = 0; i < r->port_count; i++) {
		struct rehearsal_port *p = &r->ports[i];

		p->queue_bytes = rehearsal_look(r, p, REHEARSAL_QUEUE);
		if (p->queue_bytes > p->watermark_bytes)
			p->watermark_bytes = p->queue_bytes;
		if (r->now_ns >= (int64_t)r->params->from_ns)
			keep_sample(r, p);
	}
}

/* --- queues --- */

static int compare_samples(const void *a, const void *b)
{
	const uint32_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* The place of a fraction of so many that are sorted. */
static uint64_t place(uint64_t count, uint64_t per_mille)
{
	return (count - 1) * per_mille / 1000;
}

static double seconds_measured(const struct rehearsal *r)
{
	return (double)(r->now_ns - (int64_t)r->params->from_ns) / (double)WEIR_NS_PER_S;
}

static void report_port(struct rehearsal *r, struct rehearsal_port *p, FILE *f)
{
	uint64_t grown[REHEARSAL_WATCHED];
	double sum = 0;

	for (int w = 0; w < REHEARSAL_WATCHED; w++)
		grown[w] = rehearsal_look(r, p, (enum rehearsal_watched)w) - p->before[w];
	for (uint64_t i = 0; i < p->sample_count; i++)
		sum += p->samples[i];
	qsort(p->samples, p->sample_count, sizeof(*p->samples), compare_samples);
	fputs("{\"port\":", f);
	json_text(f, p->name);
	fprintf(f,
		",\"line_use\":%.4f,\"queue_mean_bytes\":%.0f,\"queue_p99_bytes\":%" PRIu32
		",\"queue_max_bytes\":%" PRIu32 ",\"marks\":%" PRIu64 ",\"drops\":%" PRIu64 "}",
		8 * (double)grown[REHEARSAL_SENT] /
			((double)r->params->rate_bps * seconds_measured(r)),
		sum / (double)p->sample_count, p->samples[place(p->sample_count, 990)],
		p->samples[p->sample_count - 1], grown[REHEARSAL_MARKS], grown[REHEARSAL_DROPS]);
}

/* --- flows --- */

struct ended {
	uint64_t count, unfinished;
	uint64_t *fct_ns;
};

/* Flows that started after from; those that never end say nothing. */
static void find_ended(const struct rehearsal *r, struct ended *ended)
{
	const int64_t from_ps = weir_ns_to_ps((int64_t)r->params->from_ns);
	const int64_t to_ps = weir_ns_to_ps(r->now_ns);

	*ended = (struct ended){ 0 };
	ended->fct_ns = memory_grow(NULL, weir_sim_flows(r->sim) + UINT64_C(1), sizeof(uint64_t));
	for (uint32_t i = 0; i < weir_sim_flows(r->sim); i++) {
		const struct weir_sim_flow flow = weir_sim_flow_at(r->sim, i);

		if (flow.start_ps < from_ps || flow.start_ps >= to_ps || flow.bytes == UINT64_MAX)
			continue;
		if (flow.finish_ps < 0)
			ended->unfinished++;
		else
			ended->fct_ns[ended->count++] =
				(uint64_t)weir_ps_to_ns(flow.finish_ps - flow.start_ps);
	}
}

static int compare_times(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static void report_flows(const struct rehearsal *r, FILE *f)
{
	struct ended ended;
	double sum = 0;

	find_ended(r, &ended);
	qsort(ended.fct_ns, ended.count, sizeof(*ended.fct_ns), compare_times);
	for (uint64_t i = 0; i < ended.count; i++)
		sum += (double)ended.fct_ns[i];
	fprintf(f, "{\"ended\":%" PRIu64 ",\"unfinished\":%" PRIu64, ended.count, ended.unfinished);
	if (ended.count)
		fprintf(f, ",\"fct_mean_ns\":%.0f,\"fct_p99_ns\":%" PRIu64,
			sum / (double)ended.count, ended.fct_ns[place(ended.count, 990)]);
	fputc('}', f);
	free(ended.fct_ns);
}

void rehearsal_report(void *driver, FILE *f)
{
	struct rehearsal *r = driver;
	const char *comma = "";

	fputs("{\"event\":\"rehearsed\"", f);
	fprintf(f, ",\"clock_s\":%.6f,\"ports\":[", (double)r->now_ns / 1e9);
	for (uint32_t i = 0; i < r->port_count; i++) {
		if (!r->ports[i].sample_count)
			continue;
		fputs(comma, f);
		report_port(r, &r->ports[i], f);
		comma = ",";
	}
	fputs("],\"flows\":", f);
	report_flows(r, f);
	fputs("}\n", f);
}
