/* SPDX-License-Identifier: BSD-3-Clause */
/* default_notes.c -- see default_notes.h: the schemes and keys in use, the links that they serve,
 * and what the table of defaults says of them. */
#include "lab/scenario/default_notes.h"
#include "lab/scenario/spec_key.h"
#include "base/memory.h"
#include "config/defaults.h"
#include "config/markings.h"
#include "sim/net/network.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rates of the links that a scheme serves, bits per second. */
struct span {
	uint64_t least_bps, most_bps; /* most_bps 0: no links yet */
};

/* The run whose defaults are checked. */
struct look {
	struct default_notes *notes;
	const struct scenario *scenario;
	const struct config *config;
	const struct network *net;
	struct span hosts, ports; /* access links of hosts; links of switch ports */
};

/* A scheme in use, as the scenario writes it. */
struct scheme_use {
	const char *kind; /* one of default_kinds */
	const char *path; /* "host.cc" */
	const char *spec;
	const struct span *span;
};

static void span_add(struct span *s, uint64_t rate_bps)
{
	if (s->most_bps == 0 || rate_bps < s->least_bps)
		s->least_bps = rate_bps;
	if (rate_bps > s->most_bps)
		s->most_bps = rate_bps;
}

static void add_note(struct default_notes *n, const char *line)
{
	for (uint32_t i = 0; i < n->count; i++)
		if (strcmp(n->lines[i], line) == 0)
			return;
	n->lines = memory_grow(n->lines, n->count + UINT64_C(1), sizeof(*n->lines));
	n->lines[n->count++] = text_copy(line);
}

static int is_given(const struct scenario *s, const char *path)
{
	const struct setting *at;

	for (uint32_t i = 0; (at = scenario_next(s, &i));)
		if (strcmp(at->path, path) == 0)
			return 1;
	return 0;
}

/* Lists the entry's options that the scenario does not set: "k", "min and max", "a, b and c".
 * Returns their number. spec NULL: the options are keys of a section. */
static uint32_t options_not_given(const struct look *l, const struct default_entry *d,
				  const char *spec, char list[WEIR_OPT_TEXT_SIZE])
{
	char name[64], path[128], names[16][64];
	uint32_t count = 0, used = 0;

	for (const char *at = d->options; (at = default_next_option(at, name, sizeof(name)));) {
		snprintf(path, sizeof(path), "%s.%s", d->owner, name);
		if (count < 16 && !(spec ? spec_gives(spec, name) : is_given(l->scenario, path)))
			snprintf(names[count++], sizeof(names[0]), "%s", name);
	}
	for (uint32_t i = 0; i < count; i++)
		used += (uint32_t)snprintf(list + used, WEIR_OPT_TEXT_SIZE - used, "%s%s",
					   i == 0           ? ""
					   : i + 1 == count ? " and "
							    : ", ",
					   names[i]);
	return count;
}

/* Adds a note if a link rate is outside the entry's range and an option has its default value.
 * subject: "host.cc = timely", "rdma". */
static void look_at_entry(const struct look *l, const struct default_entry *d, const char *subject,
			  const char *spec, const struct span *span)
{
	char names[WEIR_OPT_TEXT_SIZE], meant[128], least[64], most[64], line[1024];
	uint32_t count;

	if (span->most_bps == 0 ||
	    (!default_is_outside(d, span->least_bps) && !default_is_outside(d, span->most_bps)))
		return;
	count = options_not_given(l, d, spec, names);
	if (count == 0)
		return;
	default_rate(span->least_bps, least, sizeof(least));
	default_rate(span->most_bps, most, sizeof(most));
	snprintf(line, sizeof(line),
		 "%s: the default%s of %s %s for links of %s (%s), this network has %s%s%s; set "
		 "%s%s%s%s",
		 subject, count > 1 ? "s" : "", names, count > 1 ? "are" : "is",
		 default_rates(d, meant, sizeof(meant)), d->source, least,
		 span->most_bps > span->least_bps ? " to " : "",
		 span->most_bps > span->least_bps ? most : "", count > 1 ? "them" : "it",
		 d->note ? " (" : "", d->note ? d->note : "", d->note ? ")" : "");
	add_note(l->notes, line);
}

static void look_at_section(const struct look *l, const char *section, const struct span *span)
{
	for (const struct default_entry *d = default_all; d->owner; d++)
		if (!d->scheme && strcmp(d->owner, section) == 0)
			look_at_entry(l, d, section, NULL, span);
}

static void look_at_scheme(const struct look *l, const struct scheme_use *u)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	char name[WEIR_OPT_TEXT_SIZE], subject[2 * WEIR_OPT_TEXT_SIZE];
	struct weir_error e;

	if (weir_spec_name(u->spec, name, sizeof(name), &e))
		return;
	for (const struct default_entry *d = default_all; d->owner; d++) {
		if (!d->scheme || strcmp(d->owner, u->kind) != 0 || strcmp(d->scheme, name) != 0 ||
		    weir_spec_params(u->spec, params, default_options(d), &e) ||
		    !default_holds(d, params))
			continue;
		snprintf(subject, sizeof(subject), "%s = %s", u->path, u->spec);
		look_at_entry(l, d, subject, u->spec, u->span);
	}
}

/* --- what a run has --- */

static void look_at_controls(const struct look *l)
{
	const struct config *c = l->config;
	uint32_t transports = 0, is_host_cc_used = 0;

	for (uint32_t i = 0; i < c->traffic_count; i++) {
		const struct traffic_config *t = &c->traffic[i];
		char path[128];

		transports |= UINT32_C(1) << traffic_cc(c, i)->transport;
		is_host_cc_used |= t->cc_ops == NULL;
		snprintf(path, sizeof(path), "traffic.%s.cc", t->name);
		if (t->cc_ops)
			look_at_scheme(l, &(struct scheme_use){ "cc", path, t->cc, &l->hosts });
	}
	if (is_host_cc_used)
		look_at_scheme(l, &(struct scheme_use){ "cc", "host.cc", c->host.cc, &l->hosts });
	if (transports & UINT32_C(1) << WEIR_CC_TCP)
		look_at_section(l, "host", &l->hosts);
	if (transports & UINT32_C(1) << WEIR_CC_RDMA)
		look_at_section(l, "rdma", &l->hosts);
}

/* Adds a port's rate to the spans of the markings of its queues; spans[count of parts] is that of
 * switch.marking. */
static void add_port(const struct look *l, const struct net_link *link, struct span *spans)
{
	const struct config *c = l->config;
	const char *tier = l->net->tier_names[l->net->nodes[link->from].tier];
	uint32_t parts = c->markings ? c->markings->count : 0;

	for (uint32_t q = 0; q < (parts ? c->queues : 1); q++) {
		const struct marking_part *part =
			parts ? marking_part_of(c, tier, link->rate_bps, q) : NULL;

		span_add(&spans[part ? part - c->markings->parts : parts], link->rate_bps);
	}
}

static void look_at_markings(const struct look *l)
{
	const struct config *c = l->config;
	uint32_t parts = c->markings ? c->markings->count : 0;
	struct span *spans = memory_zeroed(parts + UINT64_C(1), sizeof(*spans));

	for (uint32_t i = 0; i < l->net->link_count; i++)
		if (l->net->nodes[l->net->links[i].from].kind == NODE_SWITCH)
			add_port(l, &l->net->links[i], spans);
	for (uint32_t i = 0; i < parts; i++)
		look_at_scheme(l, &(struct scheme_use){
					  "marking", c->markings->parts[i].path,
					  strchr(c->switches.markings.lines[i].text, ' ') + 1,
					  &spans[i] });
	look_at_scheme(l, &(struct scheme_use){ "marking", "switch.marking", c->switches.marking,
						&spans[parts] });
	free(spans);
}

static void look_at_run(struct look *l)
{
	const struct config *c = l->config;

	for (uint32_t i = 0; i < l->net->link_count; i++)
		if (l->net->nodes[l->net->links[i].from].kind == NODE_SWITCH)
			span_add(&l->ports, l->net->links[i].rate_bps);
	for (uint32_t i = 0; i < l->net->host_count; i++)
		span_add(&l->hosts, (uint64_t)host_access_bps(l->net, i));
	look_at_controls(l);
	look_at_section(l, "switch", &l->ports);
	if (c->agent || c->tuner) /* agent or tuner sets the marking's thresholds */
		look_at_scheme(l, &(struct scheme_use){ c->agent ? "agent" : "tuner", "switch.tune",
							c->switches.tune, &l->ports });
	else
		look_at_markings(l);
	look_at_scheme(l, &(struct scheme_use){ "scheduler", "switch.scheduler",
						c->switches.scheduler, &l->ports });
	look_at_scheme(l, &(struct scheme_use){ "fabric", "switch.fabric", c->switches.fabric,
						&l->ports });
	look_at_scheme(l, &(struct scheme_use){ "card", "host.card", c->host.nic, &l->hosts });
}

void default_notes_read(struct default_notes *n, struct scenario *s, const struct sweep *w)
{
	*n = (struct default_notes){ .count = 0 };
	for (uint64_t i = 0; i < w->run_count; i++) {
		struct network net;
		struct weir_error e;
		struct config c;

		if (sweep_is_other_seed(w, i))
			continue;
		if (sweep_apply(w, i, s, &e) || scenario_config(s, &c, &e))
			return;
		if (network_build(&net, &c.network, &e) == 0) {
			look_at_run(&(struct look){
				.notes = n, .scenario = s, .config = &c, .net = &net });
			network_free(&net);
		}
		config_free(&c);
	}
}

void default_notes_free(struct default_notes *n)
{
	for (uint32_t i = 0; i < n->count; i++)
		free(n->lines[i]);
	free(n->lines);
}
