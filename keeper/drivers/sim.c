/* SPDX-License-Identifier: BSD-3-Clause */
/* sim.c -- driver of a simulated network in virtual time, for rehearsing a plan. A profile is the
 * set of ports that its 'queue = sw->h0' lines name, all with marking = red in the scenario.
 * Virtual time costs nothing: an interval is over as soon as it is simulated. A final report
 * summarises queues and flows. */
#include "keeper/core/plan.h"
#include "base/memory.h"
#include "base/text.h"
#include "weir/sim.h"
#include "weir/units.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rehearsal_params {
	char file[WEIR_OPT_TEXT_SIZE];
	uint64_t min_bytes, max_bytes, p_q32; /* initial setting of every profile */
	uint64_t rate_bps, for_ns, from_ns, sample_ns;
};

enum rehearsal_watched {
	REHEARSAL_SENT,
	REHEARSAL_MARKS,
	REHEARSAL_DROPS,
	REHEARSAL_QUEUE,
	REHEARSAL_WATCHED,
};

struct rehearsal_port {
	uint32_t profile;
	const char *name; /* owned by the plan */
	uint32_t watches[REHEARSAL_WATCHED];
	uint64_t queue_bytes,
		watermark_bytes; /* at the last sample; maximum since the last reading */
	/* Since params.from_ns: all samples, and counters at that time. */
	uint64_t sample_count;
	uint32_t *samples;
	uint64_t before[REHEARSAL_WATCHED];
	int has_begun;
};

struct rehearsal {
	const struct rehearsal_params *params;
	const struct keeper_plan *plan;
	struct weir_sim *sim;
	int64_t now_ns;
	int is_broken;
	struct keeper_setting *has;
	uint32_t port_count;
	struct rehearsal_port *ports;
};

enum { SIM_TEXT = 256 };

static const char *const watched_names[REHEARSAL_WATCHED] = {
	[REHEARSAL_SENT] = "throughput",
	[REHEARSAL_MARKS] = "marks",
	[REHEARSAL_DROPS] = "drops",
	[REHEARSAL_QUEUE] = "queue-bytes",
};

#define AT(member) offsetof(struct rehearsal_params, member)
static const struct weir_option rehearsal_options[] = {
	{ "file", WEIR_OPT_TEXT, AT(file), NULL, 0, 0, "the scenario, with marking = red", NULL },
	{ "for", WEIR_OPT_TIME_NS, AT(for_ns), "10s", 1, UINT64_C(86400) * WEIR_NS_PER_S,
	  "duration of the rehearsal, in virtual time", NULL },
	{ "rate", WEIR_OPT_RATE_BPS, AT(rate_bps), "10Gbps", 1, UINT64_C(1000000000000),
	  "link rate of a port", NULL },
	{ "from", WEIR_OPT_TIME_NS, AT(from_ns), "0s", 0, UINT64_C(86400) * WEIR_NS_PER_S,
	  "start of the interval over which the report at the end measures goodput, queues and "
	  "flows",
	  NULL },
	{ "sample", WEIR_OPT_TIME_NS, AT(sample_ns), "100us", 1000, WEIR_NS_PER_S,
	  "sampling interval of queues, for watermarks and for the report at the end", NULL },
	{ "min", WEIR_OPT_BYTES, AT(min_bytes), "100KB", 1, KEEPER_BYTES_MAX,
	  "initial setting of every profile", NULL },
	{ "max", WEIR_OPT_BYTES, AT(max_bytes), "400KB", 1, KEEPER_BYTES_MAX, "likewise", NULL },
	{ "p", WEIR_OPT_FRACTION_Q32, AT(p_q32), "5%", 0, WEIR_ONE_Q32, "likewise", NULL },
	{ .name = NULL },
};
#undef AT

static int rehearsal_check_params(const void *params, struct weir_error *e)
{
	const struct rehearsal_params *p = params;

	if (!p->file[0])
		return weir_error_set(e, "file: a scenario is needed, as in sim(file=incast.ini)");
	return p->min_bytes <= p->max_bytes ? 0 : weir_error_set(e, "min is above max");
}

/* --- sampling --- */

static uint64_t rehearsal_observe(struct rehearsal *r, const struct rehearsal_port *p,
				  enum rehearsal_watched what)
{
	return (uint64_t)weir_sim_observe(r->sim, p->watches[what]);
}

static void rehearsal_keep_sample(struct rehearsal *r, struct rehearsal_port *p)
{
	if (!p->has_begun)
		for (int w = 0; w < REHEARSAL_WATCHED; w++)
			p->before[w] = rehearsal_observe(r, p, (enum rehearsal_watched)w);
	p->has_begun = 1;
	if ((p->sample_count & (p->sample_count - 1)) == 0)
		p->samples = memory_grow(p->samples, p->sample_count ? 2 * p->sample_count : 1,
					 sizeof(*p->samples));
	p->samples[p->sample_count++] =
		p->queue_bytes < UINT32_MAX ? (uint32_t)p->queue_bytes : UINT32_MAX;
}

static void rehearsal_sample_queues(struct rehearsal *r)
{
	for (uint32_t i = 0; i < r->port_count; i++) {
		struct rehearsal_port *p = &r->ports[i];

		p->queue_bytes = rehearsal_observe(r, p, REHEARSAL_QUEUE);
		if (p->queue_bytes > p->watermark_bytes)
			p->watermark_bytes = p->queue_bytes;
		if (r->now_ns >= (int64_t)r->params->from_ns)
			rehearsal_keep_sample(r, p);
	}
}

/* --- queues --- */

static int rehearsal_compare_samples(const void *a, const void *b)
{
	const uint32_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* The index of a quantile in a sorted array. */
static uint64_t quantile_index(uint64_t count, uint64_t per_mille)
{
	return (count - 1) * per_mille / 1000;
}

static void rehearsal_report_port(struct rehearsal *r, struct rehearsal_port *p, FILE *f)
{
	uint64_t grown[REHEARSAL_WATCHED];
	double seconds = (double)(r->now_ns - (int64_t)r->params->from_ns) / (double)WEIR_NS_PER_S;
	double sum = 0;

	for (int w = 0; w < REHEARSAL_WATCHED; w++)
		grown[w] = rehearsal_observe(r, p, (enum rehearsal_watched)w) - p->before[w];
	for (uint64_t i = 0; i < p->sample_count; i++)
		sum += p->samples[i];
	qsort(p->samples, p->sample_count, sizeof(*p->samples), rehearsal_compare_samples);
	fputs("{\"port\":", f);
	json_write_string(f, p->name);
	fprintf(f,
		",\"line_use\":%.4f,\"queue_mean_bytes\":%.0f,\"queue_p99_bytes\":%" PRIu32
		",\"queue_max_bytes\":%" PRIu32 ",\"marks\":%" PRIu64 ",\"drops\":%" PRIu64 "}",
		8 * (double)grown[REHEARSAL_SENT] / ((double)r->params->rate_bps * seconds),
		sum / (double)p->sample_count, p->samples[quantile_index(p->sample_count, 990)],
		p->samples[p->sample_count - 1], grown[REHEARSAL_MARKS], grown[REHEARSAL_DROPS]);
}

/* A completed flow. */
struct completed_flow {
	uint64_t count, unfinished;
	uint64_t *fct_ns;
};

/* Flows that started after from; unfinished flows are not included. */
static void rehearsal_find_flows(const struct rehearsal *r, struct completed_flow *ended)
{
	const int64_t from_ps = weir_ns_to_ps((int64_t)r->params->from_ns);
	const int64_t to_ps = weir_ns_to_ps(r->now_ns);

	*ended = (struct completed_flow){ 0 };
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

static int rehearsal_compare_times(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static void rehearsal_report_flows(const struct rehearsal *r, FILE *f)
{
	struct completed_flow ended;
	double sum = 0;

	rehearsal_find_flows(r, &ended);
	qsort(ended.fct_ns, ended.count, sizeof(*ended.fct_ns), rehearsal_compare_times);
	for (uint64_t i = 0; i < ended.count; i++)
		sum += (double)ended.fct_ns[i];
	fprintf(f, "{\"ended\":%" PRIu64 ",\"unfinished\":%" PRIu64, ended.count, ended.unfinished);
	if (ended.count)
		fprintf(f, ",\"fct_mean_ns\":%.0f,\"fct_p99_ns\":%" PRIu64,
			sum / (double)ended.count, ended.fct_ns[quantile_index(ended.count, 990)]);
	fputc('}', f);
	free(ended.fct_ns);
}

static void rehearsal_report(void *driver, FILE *f)
{
	struct rehearsal *r = driver;
	const char *comma = "";

	fputs("{\"event\":\"rehearsed\"", f);
	fprintf(f, ",\"clock_s\":%.6f,\"ports\":[", (double)r->now_ns / 1e9);
	for (uint32_t i = 0; i < r->port_count; i++) {
		if (!r->ports[i].sample_count)
			continue;
		fputs(comma, f);
		rehearsal_report_port(r, &r->ports[i], f);
		comma = ",";
	}
	fputs("],\"flows\":", f);
	rehearsal_report_flows(r, f);
	fputs("}\n", f);
}

/* --- opening --- */

static void rehearsal_close(void *driver)
{
	struct rehearsal *r = driver;

	weir_sim_free(r->sim);
	for (uint32_t i = 0; i < r->port_count; i++)
		free(r->ports[i].samples);
	free(r->has);
	free(r->ports);
	free(r);
}

static int rehearsal_load(struct rehearsal *r, struct weir_error *e)
{
	static const struct ini_form form = { .what = "a scenario", .example = "[network]" };
	size_t length;
	char *text = ini_load(&form, r->params->file, &length, e);
	int failed;

	if (!text)
		return -1;
	text = memory_grow(text, length + UINT64_C(1), 1);
	text[length] = '\0';
	failed = weir_sim_new(&r->sim, text, NULL, e);
	free(text);
	return failed ? weir_error_prefix(e, "%s: ", r->params->file) : 0;
}

static int rehearsal_set_port(struct rehearsal *r, const char *name, const struct keeper_setting *s,
			      struct weir_error *e)
{
	char what[SIM_TEXT], value[SIM_TEXT];

	snprintf(what, sizeof(what), "marking %.200s", name);
	snprintf(value, sizeof(value), "red(min=%" PRIu64 "B, max=%" PRIu64 "B, p=%" PRIu32 "/%d)",
		 s->min_bytes, s->max_bytes, s->p_ppm, KEEPER_PPM);
	return weir_sim_set(r->sim, what, value, e);
}

static int rehearsal_add_port(struct rehearsal *r, uint32_t profile, const struct config_line *line,
			      struct weir_error *e)
{
	struct rehearsal_port *port;

	r->ports = memory_grow(r->ports, r->port_count + UINT64_C(1), sizeof(*r->ports));
	port = &r->ports[r->port_count++];
	*port = (struct rehearsal_port){ .profile = profile, .name = line->text };
	for (int i = 0; i < REHEARSAL_WATCHED; i++) {
		char what[SIM_TEXT];

		snprintf(what, sizeof(what), "%s %.200s", watched_names[i], line->text);
		if (weir_sim_watch(r->sim, what, &port->watches[i], e))
			return weir_error_prefix(e, "%.200s:%d: ", r->plan->file, line->line);
	}
	return rehearsal_set_port(r, port->name, &r->has[profile], e);
}

static int rehearsal_add_ports(struct rehearsal *r, struct weir_error *e)
{
	const struct rehearsal_params *begin = r->params;

	for (uint32_t i = 0; i < r->plan->profile_count; i++) {
		const struct keeper_profile *p = &r->plan->profiles[i];

		r->has[i] = (struct keeper_setting){
			begin->min_bytes,
			begin->max_bytes,
			(uint32_t)((begin->p_q32 * KEEPER_PPM + WEIR_ONE_Q32 / 2) >> 32),
		};
		if (!p->limits.queues.count)
			return weir_error_set(e,
					      "%.200s:%d: profile.%s: no port; add lines such as "
					      "queue = sw->h0",
					      r->plan->file, p->line, p->name);
		for (uint32_t q = 0; q < p->limits.queues.count; q++)
			if (rehearsal_add_port(r, i, &p->limits.queues.lines[q], e))
				return -1;
	}
	return 0;
}

static void *rehearsal_open(const void *params, const struct keeper_plan *plan,
			    struct weir_error *e)
{
	struct rehearsal *r = memory_zeroed(1, sizeof(*r));

	r->params = params;
	r->plan = plan;
	r->has = memory_zeroed(plan->profile_count, sizeof(*r->has));
	if (rehearsal_load(r, e) == 0 && rehearsal_add_ports(r, e) == 0)
		return r;
	rehearsal_close(r);
	return NULL;
}

/* --- operations --- */

static enum keeper_advance rehearsal_advance(void *driver, int64_t time_ns, struct weir_error *e)
{
	struct rehearsal *r = driver;

	if (time_ns > (int64_t)r->params->for_ns)
		return KEEPER_OVER;
	while (r->now_ns < time_ns && !r->is_broken) {
		int64_t next_ns = r->now_ns + (int64_t)r->params->sample_ns;

		r->now_ns = next_ns < time_ns ? next_ns : time_ns;
		r->is_broken = weir_sim_run_until(r->sim, weir_ns_to_ps(r->now_ns), e);
		if (!r->is_broken)
			rehearsal_sample_queues(r);
	}
	return r->is_broken ? KEEPER_OVER : KEEPER_RUNNING;
}

static enum keeper_reading rehearsal_read(void *driver, uint32_t profile, struct keeper_setting *s,
					  struct weir_error *e)
{
	const struct rehearsal *r = driver;

	*s = r->has[profile];
	if (r->is_broken)
		weir_error_set(e, "the simulation ended");
	return r->is_broken ? KEEPER_LOST : KEEPER_READ;
}

static int rehearsal_write(void *driver, uint32_t profile, const struct keeper_setting *s,
			   struct weir_error *e)
{
	struct rehearsal *r = driver;

	for (uint32_t i = 0; i < r->port_count; i++)
		if (r->ports[i].profile == profile && rehearsal_set_port(r, r->ports[i].name, s, e))
			return -1;
	r->has[profile] = *s;
	return 0;
}

static enum keeper_reading rehearsal_count(void *driver, uint32_t profile,
					   struct keeper_counters *c, struct weir_error *e)
{
	struct rehearsal *r = driver;

	(void)e;
	for (uint32_t i = 0; i < r->port_count; i++) {
		struct rehearsal_port *p = &r->ports[i];

		if (p->profile != profile)
			continue;
		c->since_start[KEEPER_OUT_BYTES] += rehearsal_observe(r, p, REHEARSAL_SENT);
		c->since_start[KEEPER_MARKED_PKTS] += rehearsal_observe(r, p, REHEARSAL_MARKS);
		c->since_start[KEEPER_DROPS] += rehearsal_observe(r, p, REHEARSAL_DROPS);
		if (p->queue_bytes > c->queue_bytes)
			c->queue_bytes = p->queue_bytes;
		if (p->watermark_bytes > c->watermark_bytes)
			c->watermark_bytes = p->watermark_bytes;
		p->watermark_bytes = 0; /* read and clear, as switches do */
		c->rate_bps += r->params->rate_bps;
	}
	return KEEPER_READ;
}

const struct keeper_driver_ops keeper_driver_sim = {
	.scheme = {
		.name = "sim",
		.help = "rehearsal: a simulated fabric in virtual time; profiles name ports by "
			"queue = sw->h0",
		.params_size = sizeof(struct rehearsal_params),
		.options = rehearsal_options,
		.check = rehearsal_check_params,
	},
	.p_unit_ppm = 1,
	.open = rehearsal_open,
	.close = rehearsal_close,
	.read = rehearsal_read,
	.count = rehearsal_count,
	.write = rehearsal_write,
	.advance = rehearsal_advance,
	.report = rehearsal_report,
};
