/* SPDX-License-Identifier: BSD-3-Clause */
/* default_notes.c -- finds defaults that are used outside the link rates that they were made for:
 * lists the schemes and keys in use with the rates of their links, and compares these with the
 * table of defaults (config/defaults.h). */
#include "lab/scenario/sweep.h"
#include "lab/scenario/scenario.h"
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
struct notes_run {
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

static void default_notes_add(struct default_notes *n, const char *line)
{
	for (uint32_t i = 0; i < n->count; i++)
		if (strcmp(n->lines[i], line) == 0)
			return;
	n->lines = memory_grow(n->lines, n->count + UINT64_C(1), sizeof(*n->lines));
	n->lines[n->count++] = text_copy(line);
}

/* Lists the entry's options that the scenario does not set: "k", "min and max", "a, b and c".
 * Returns their number. spec NULL: the options are keys of a section. */
static uint32_t default_notes_list_options(const struct notes_run *l, const struct default_entry *d,
					   const char *spec, char list[WEIR_OPT_TEXT_SIZE])
{
	char name[64], path[128], names[16][64];
	uint32_t count = 0, used = 0;

	for (const char *at = d->options; (at = default_next_option(at, name, sizeof(name)));) {
		snprintf(path, sizeof(path), "%s.%s", d->owner, name);
		if (count < 16 &&
		    !(spec ? spec_gives(spec, name) : scenario_find(l->scenario, path) != NULL))
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
static void default_notes_check_entry(const struct notes_run *l, const struct default_entry *d,
				      const char *subject, const char *spec,
				      const struct span *span)
{
	char names[WEIR_OPT_TEXT_SIZE], meant[128], least[64], most[64], line[1024];
	uint32_t count;

	if (span->most_bps == 0 ||
	    (!default_is_outside(d, span->least_bps) && !default_is_outside(d, span->most_bps)))
		return;
	count = default_notes_list_options(l, d, spec, names);
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
	default_notes_add(l->notes, line);
}

static void default_notes_check_section(const struct notes_run *l, const char *section,
					const struct span *span)
{
	for (const struct default_entry *d = default_all; d->owner; d++)
		if (!d->scheme && strcmp(d->owner, section) == 0)
			default_notes_check_entry(l, d, section, NULL, span);
}

static void default_notes_check_scheme(const struct notes_run *l, const struct scheme_use *u)
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
		default_notes_check_entry(l, d, subject, u->spec, u->span);
	}
}

/* --- what a run has --- */

static void default_notes_check_cc(const struct notes_run *l)
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
			default_notes_check_scheme(
				l, &(struct scheme_use){ "cc", path, t->cc, &l->hosts });
	}
	if (is_host_cc_used)
		default_notes_check_scheme(
			l, &(struct scheme_use){ "cc", "host.cc", c->host.cc, &l->hosts });
	if (transports & UINT32_C(1) << WEIR_CC_TCP)
		default_notes_check_section(l, "host", &l->hosts);
	if (transports & UINT32_C(1) << WEIR_CC_RDMA)
		default_notes_check_section(l, "rdma", &l->hosts);
}

/* Adds a port's rate to the spans of the markings of its queues; spans[count of parts] is that of
 * switch.marking. */
static void default_notes_add_port(const struct notes_run *l, const struct net_link *link,
				   struct span *spans)
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

static void default_notes_check_markings(const struct notes_run *l)
{
	const struct config *c = l->config;
	uint32_t parts = c->markings ? c->markings->count : 0;
	struct span *spans = memory_zeroed(parts + UINT64_C(1), sizeof(*spans));

	for (uint32_t i = 0; i < l->net->link_count; i++)
		if (l->net->nodes[l->net->links[i].from].kind == NODE_SWITCH)
			default_notes_add_port(l, &l->net->links[i], spans);
	for (uint32_t i = 0; i < parts; i++)
		default_notes_check_scheme(
			l,
			&(struct scheme_use){ "marking", c->markings->parts[i].path,
					      strchr(c->switches.markings.lines[i].text, ' ') + 1,
					      &spans[i] });
	default_notes_check_scheme(l, &(struct scheme_use){ "marking", "switch.marking",
							    c->switches.marking, &spans[parts] });
	free(spans);
}

static void default_notes_check_run(struct notes_run *l)
{
	const struct config *c = l->config;

	for (uint32_t i = 0; i < l->net->link_count; i++)
		if (l->net->nodes[l->net->links[i].from].kind == NODE_SWITCH)
			span_add(&l->ports, l->net->links[i].rate_bps);
	for (uint32_t i = 0; i < l->net->host_count; i++)
		span_add(&l->hosts, (uint64_t)host_access_bps(l->net, i));
	default_notes_check_cc(l);
	default_notes_check_section(l, "switch", &l->ports);
	if (c->agent || c->tuner) /* agent or tuner sets the marking's thresholds */
		default_notes_check_scheme(l, &(struct scheme_use){ c->agent ? "agent" : "tuner",
								    "switch.tune", c->switches.tune,
								    &l->ports });
	else
		default_notes_check_markings(l);
	default_notes_check_scheme(l, &(struct scheme_use){ "scheduler", "switch.scheduler",
							    c->switches.scheduler, &l->ports });
	default_notes_check_scheme(l, &(struct scheme_use){ "fabric", "switch.fabric",
							    c->switches.fabric, &l->ports });
	default_notes_check_scheme(
		l, &(struct scheme_use){ "card", "host.card", c->host.nic, &l->hosts });
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
			default_notes_check_run(&(struct notes_run){
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
