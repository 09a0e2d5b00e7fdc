/* SPDX-License-Identifier: BSD-3-Clause */
/* sim.c -- the driver of a simulated fabric, in virtual time: a rehearsal of a plan. A profile is
 * the ports that its 'queue = sw->h0' lines name, all with marking = red of the scenario. Virtual
 * time is free: an interval is over as soon as it is simulated. What the traffic made of it is
 * summed up in sim_report.c. */
#include "keeper/drivers/drivers.h"
#include "keeper/drivers/sim.h"
#include "base/memory.h"
#include "weir/sim.h"
#include "weir/units.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIM_TEXT = 256 };

static const char *const watched_names[REHEARSAL_WATCHED] = {
	[REHEARSAL_SENT] = "throughput",
	[REHEARSAL_MARKS] = "marks",
	[REHEARSAL_DROPS] = "drops",
	[REHEARSAL_QUEUE] = "queue-bytes",
};

#define AT(member) offsetof(struct rehearsal_params, member)
static const struct weir_option rehearsal_options[] = {
	{ "file", WEIR_OPT_TEXT, AT(file), NULL, 0, 0, "the scenario, whose marking is red", NULL },
	{ "for", WEIR_OPT_TIME_NS, AT(for_ns), "10s", 1, UINT64_C(86400) * WEIR_NS_PER_S,
	  "how long the rehearsal lasts, in virtual time", NULL },
	{ "rate", WEIR_OPT_RATE_BPS, AT(rate_bps), "10Gbps", 1, UINT64_C(1000000000000),
	  "of the line of a port", NULL },
	{ "from", WEIR_OPT_TIME_NS, AT(from_ns), "0s", 0, UINT64_C(86400) * WEIR_NS_PER_S,
	  "what is said at the end of goodput, queues and flows begins here", NULL },
	{ "sample", WEIR_OPT_TIME_NS, AT(sample_ns), "100us", 1000, WEIR_NS_PER_S,
	  "queues are looked at so often, for watermarks and for what is said at the end", NULL },
	{ "min", WEIR_OPT_BYTES, AT(min_bytes), "100KB", 1, KEEPER_BYTES_MAX,
	  "what every profile begins with", NULL },
	{ "max", WEIR_OPT_BYTES, AT(max_bytes), "400KB", 1, KEEPER_BYTES_MAX, "likewise", NULL },
	{ "p", WEIR_OPT_FRACTION_Q32, AT(p_q32), "5%", 0, WEIR_ONE_Q32, "likewise", NULL },
	{ .name = NULL },
};
#undef AT

static int check_params(const void *params, struct weir_error *e)
{
	const struct rehearsal_params *p = params;

	if (!p->file[0])
		return weir_error_set(e, "file: a scenario is wanted, as in sim(file=incast.ini)");
	return p->min_bytes <= p->max_bytes ? 0 : weir_error_set(e, "min is above max");
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

static int load(struct rehearsal *r, struct weir_error *e)
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

static int set_port(struct rehearsal *r, const char *name, const struct keeper_setting *s,
		    struct weir_error *e)
{
	char what[SIM_TEXT], value[SIM_TEXT];

	snprintf(what, sizeof(what), "marking %.200s", name);
	snprintf(value, sizeof(value), "red(min=%" PRIu64 "B, max=%" PRIu64 "B, p=%" PRIu32 "/%d)",
		 s->min_bytes, s->max_bytes, s->p_ppm, KEEPER_PPM);
	return weir_sim_set(r->sim, what, value, e);
}

static int add_port(struct rehearsal *r, uint32_t profile, const struct config_line *line,
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
	return set_port(r, port->name, &r->has[profile], e);
}

static int fill(struct rehearsal *r, struct weir_error *e)
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
					      "%.200s:%d: profile.%s: which ports? Add lines such "
					      "as queue = sw->h0",
					      r->plan->file, p->line, p->name);
		for (uint32_t q = 0; q < p->limits.queues.count; q++)
			if (add_port(r, i, &p->limits.queues.lines[q], e))
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
	if (load(r, e) == 0 && fill(r, e) == 0)
		return r;
	rehearsal_close(r);
	return NULL;
}

/* --- working --- */

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
			rehearsal_sample(r);
	}
	return r->is_broken ? KEEPER_OVER : KEEPER_GOES_ON;
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
		if (r->ports[i].profile == profile && set_port(r, r->ports[i].name, s, e))
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
		c->since_start[KEEPER_OUT_BYTES] += rehearsal_look(r, p, REHEARSAL_SENT);
		c->since_start[KEEPER_MARKED_PKTS] += rehearsal_look(r, p, REHEARSAL_MARKS);
		c->since_start[KEEPER_DROPS] += rehearsal_look(r, p, REHEARSAL_DROPS);
		if (p->queue_bytes > c->queue_bytes)
			c->queue_bytes = p->queue_bytes;
		if (p->watermark_bytes > c->watermark_bytes)
			c->watermark_bytes = p->watermark_bytes;
		p->watermark_bytes = 0; /* read and cleared, as switches do it */
		c->rate_bps += r->params->rate_bps;
	}
	return KEEPER_READ;
}

const struct keeper_driver_ops keeper_driver_sim = {
	.scheme = {
		.name = "sim",
		.help = "a simulated fabric in virtual time: a rehearsal; profiles name ports by queue = sw->h0",
		.params_size = sizeof(struct rehearsal_params),
		.options = rehearsal_options,
		.check = check_params,
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
