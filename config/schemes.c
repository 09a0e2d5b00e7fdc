/* SPDX-License-Identifier: BSD-3-Clause */
/* schemes.c -- the parser of specs, and the schemes that lib/ does not know: switch.tune, fabric
 * schemes and NICs, see schemes.h, fabric.h and nic.h. */
#include "config/schemes.h"
#include "config/fabric.h"
#include "config/model.h"
#include "config/nic.h"
#include "config/plugin.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- the parser --- */

const void *scheme_find(const struct registry *builtin, enum plugin_kind kind, const char *name,
			struct weir_error *e)
{
	const void *ops;

	if (is_plugin(name))
		return plugin_find(name, kind, e);
	ops = weir_registry_find(builtin, name);
	if (!ops && plugin_has_path(name, e) == 0)
		weir_registry_unknown(builtin, name, e);
	return ops;
}

const void *scheme_parse(const struct registry *builtin, enum plugin_kind kind, const char *spec,
			 void *params, struct weir_error *e)
{
	char name[WEIR_OPT_TEXT_SIZE];
	const void *ops;

	if (weir_spec_name(spec, name, sizeof(name), e))
		return NULL;
	ops = scheme_find(builtin, kind, name, e);
	if (!ops || weir_scheme_parse(ops, spec, params, e) ||
	    model_attach(model_files, ops, params, e))
		return NULL;
	return ops;
}

int scheme_parse_mark(const char *spec, const struct weir_mark_ops **ops, void *params,
		      struct weir_error *e)
{
	*ops = scheme_parse(&weir_mark_registry, PLUGIN_MARK, spec, params, e);
	return *ops ? 0 : -1;
}

int scheme_parse_sched(const char *spec, uint32_t queues, const struct weir_sched_ops **ops,
		       void *params, struct weir_error *e)
{
	*ops = scheme_parse(&weir_sched_registry, PLUGIN_SCHED, spec, params, e);
	return *ops ? weir_sched_fits(*ops, params, queues, e) : -1;
}

int scheme_parse_cc(const char *spec, const struct weir_cc_ops **ops, void *params,
		    struct weir_error *e)
{
	*ops = scheme_parse(&weir_cc_registry, PLUGIN_CC, spec, params, e);
	return *ops ? 0 : -1;
}

/* --- switch.tune --- */

enum { NAMES_MAX = 64 };

static const struct weir_scheme tune_none = {
	.name = "none",
	.help = "nobody turns the knobs of the marking scheme",
};

static int tune_unknown(const char *name, struct weir_error *e)
{
	const struct registry *const from[] = { &weir_agent_registry, &weir_tune_registry };
	const char *names[NAMES_MAX] = { tune_none.name };
	size_t count = 1;

	for (size_t r = 0; r < sizeof(from) / sizeof(from[0]); r++)
		for (size_t i = 0; from[r]->all[i] && count < NAMES_MAX; i++)
			names[count++] = weir_registry_at(from[r], i)->name;
	return weir_error_unknown(e, "agent or tuner", name, names, count);
}

/* Does the spec name a tuner? A plug-in that holds both kinds is used as an agent. */
static int tune_is_tuner(const char *spec, const char *name, struct weir_error *e)
{
	const struct weir_plugin *p;

	if (!is_plugin(spec))
		return weir_tune_find(name) != NULL;
	p = plugin_load(name, e);
	return p && p->tune && !p->agent;
}

int tune_parse(const char *spec, struct tune_choice *choice, void *params, struct weir_error *e)
{
	char name[WEIR_OPT_TEXT_SIZE];

	*choice = (struct tune_choice){ 0 };
	if (weir_spec_name(spec, name, sizeof(name), e))
		return -1;
	if (strcmp(name, tune_none.name) == 0) {
		choice->scheme = &tune_none;
		return weir_scheme_parse(&tune_none, spec, params, e);
	}
	if (!is_plugin(spec) && !weir_tune_find(name) && !weir_agent_find(name))
		return plugin_has_path(spec, e) ? -1 : tune_unknown(name, e);
	if (tune_is_tuner(spec, name, e)) {
		choice->tuner = scheme_parse(&weir_tune_registry, PLUGIN_TUNE, spec, params, e);
		choice->scheme = choice->tuner ? &choice->tuner->scheme : NULL;
	} else {
		choice->agent = scheme_parse(&weir_agent_registry, PLUGIN_AGENT, spec, params, e);
		choice->scheme = choice->agent ? &choice->agent->scheme : NULL;
	}
	return choice->scheme ? 0 : -1;
}

/* --- switch.fabric --- */

static const struct fabric_ops fabric_none = {
	.scheme = {
		.name = "none",
		.help = "no fabric scheme; PFC of lossless classes still applies",
		.cite = "every network",
	},
};

extern const struct fabric_ops fabric_bfc, fabric_floodgate;

const struct fabric_ops *const fabric_all[] = {
	&fabric_none,
	&fabric_bfc,
	&fabric_floodgate,
	NULL,
};

const struct registry fabric_registry = REGISTRY("fabric", fabric_all);

/* --- host.nic: NICs ---
 *
 * fifo is ns-3's device queue and Linux's pfifo. fq is deficit round robin over flows, as in
 * Linux's fq and fq_codel (RFC 8290). */

_Static_assert(sizeof(struct nic_params) <= WEIR_SPEC_PARAMS_MAX, "room for a card's options");

#define NIC_QUEUE_OPTIONS(limit_) \
	{ "limit", \
	  WEIR_OPT_LENGTH, \
	  offsetof(struct nic_params, limit), \
	  limit_, \
	  1, \
	  UINT32_MAX, \
	  "size of the NIC queue, without the packet that is being serialised; packets beyond it " \
	  "are dropped", \
	  NULL }, \
		{ "marking", \
		  WEIR_OPT_SCHEME, \
		  offsetof(struct nic_params, marking), \
		  "none", \
		  0, \
		  0, \
		  "AQM/ECN of the NIC queue: a marking scheme with its options", \
		  marking_specs.kind }, \
		{ "delays", \
		  WEIR_OPT_TEXT, \
		  offsetof(struct nic_params, delays), \
		  "none", \
		  0, \
		  0, \
		  "delays of data before the queue, up to 8, as in 1us:20us; each flow has one " \
		  "of them, at random, so that round trips differ between flows; ACKs have none", \
		  NULL }, \
	{ \
		.name = NULL \
	}

static const struct weir_option nic_fifo_options[] = { NIC_QUEUE_OPTIONS("1000pkts") };
static const struct weir_option nic_fq_options[] = { NIC_QUEUE_OPTIONS("10000pkts") };

static const struct nic_ops nic_fair = {
	.scheme = {
		.name = "fair",
		.help = "connections in turn, a packet or burst each, ACKs first, and no queue "
			"in the NIC",
		.cite = "an ideal fair queue",
	},
};

static const struct nic_ops nic_fifo = {
	.scheme = {
		.name = "fifo",
		.help = "one FIFO queue: packets enter it as soon as the window allows, ACKs "
			"behind data; drop-tail",
		.cite = "ns-3's device queue, Linux's pfifo",
		.params_size = sizeof(struct nic_params),
		.options = nic_fifo_options,
	},
	.queues = 1,
};

static const struct nic_ops nic_fq = {
	.scheme = {
		.name = "fq",
		.help = "a queue per flow, ACKs being another flow, served by deficit round "
			"robin",
		.cite = "Linux's fq; RFC 8290 without CoDel, which marking may add",
		.params_size = sizeof(struct nic_params),
		.options = nic_fq_options,
	},
	.queues = WEIR_QUEUES_MAX,
};

const struct nic_ops *const nic_all[] = {
	&nic_fair,
	&nic_fifo,
	&nic_fq,
	NULL,
};

const struct registry nic_registry = REGISTRY("nic", nic_all);

static int nic_check_marking(struct config *c, struct weir_error *e)
{
	const struct nic_params *p = (const void *)c->nic_params;
	uint32_t needs;

	if (scheme_parse_mark(p->marking, &c->nic_mark, c->nic_mark_params, e))
		return weir_error_prefix(e, "marking: ");
	needs = weir_mark_needs(c->nic_mark, c->nic_mark_params);
	if (c->nic_mark->layout)
		return weir_error_set(e, "marking: %s chooses queues itself; take another",
				      c->nic_mark->scheme.name);
	if (needs & WEIR_MARK_NEEDS_ROUNDS)
		return weir_error_set(e, "marking: %s measures the rounds of a switch's scheduler",
				      c->nic_mark->scheme.name);
	if (needs & WEIR_MARK_NEEDS_SHARED_BUFFER)
		return weir_error_set(e, "marking: %s needs the shared buffer of a switch",
				      weir_quote(p->marking).text);
	return 0;
}

/* Reads "1us:20us:50us". */
static int nic_check_delays(struct nic_params *p, struct weir_error *e)
{
	static const struct weir_option time = { "delays", WEIR_OPT_TIME_PS, 0,  NULL,
						 0,        WEIR_PS_PER_S,    "", NULL };
	char text[WEIR_OPT_TEXT_SIZE], *rest = text;

	snprintf(text, sizeof(text), "%s", p->delays);
	p->delay_count = 0;
	if (strcmp(p->delays, "none") == 0)
		return 0;
	while (*rest) {
		char *word = rest;
		uint64_t delay_ps;

		rest += strcspn(rest, ":");
		if (*rest)
			*rest++ = '\0';
		if (p->delay_count == NIC_DELAYS_MAX)
			return weir_error_set(e, "delays: more than %d", NIC_DELAYS_MAX);
		if (weir_option_parse(&delay_ps, &time, word, e))
			return -1;
		p->delay_ps[p->delay_count++] = (int64_t)delay_ps;
	}
	return 0;
}

/* The quantum of fq is a TSO burst, or a full packet. */
static int nic_check_scheduler(struct config *c, struct weir_error *e)
{
	uint64_t bytes =
		c->host.tso_bytes > c->frame_max_bytes ? c->host.tso_bytes : c->frame_max_bytes;
	char spec[64];

	snprintf(spec, sizeof(spec), "dwrr(quantum=%" PRIu64 "B)", bytes);
	return weir_sched_parse(spec, c->nic->queues, &c->nic_sched, c->nic_sched_params, e);
}

static int nic_check_queue(struct config *c, struct weir_error *e)
{
	struct nic_params *p = (void *)c->nic_params;

	if (c->host.arbitration != ARBITRATION_ARRIVAL)
		return weir_error_set(e, "its scheduler chooses the next packet; "
					 "host.arbitration = round-robin needs nic = fair");
	if (c->lossless || fabric_is_on(c))
		return weir_error_set(
			e,
			"its queues hold packets of all classes, so a paused class would block "
			"all others; switch.%s needs nic = fair",
			c->lossless ? "lossless" : "fabric");
	if (!weir_length_is_packets(p->limit) && p->limit < c->frame_max_bytes)
		return weir_error_set(e,
				      "limit: %" PRIu64 "B holds no packet; one takes %" PRIu32 "B",
				      p->limit, c->frame_max_bytes);
	if (nic_check_delays(p, e) || nic_check_marking(c, e))
		return -1;
	return c->nic->queues > 1 ? nic_check_scheduler(c, e) : 0;
}

int nic_check(struct config *c, struct weir_error *e)
{
	c->nic = weir_registry_parse(&nic_registry, c->host.nic, c->nic_params, e);
	if (!c->nic)
		return weir_error_prefix(e, "host.nic: ");
	if (nic_has_queue(c) && nic_check_queue(c, e))
		return weir_error_prefix(e, "host.nic: %s: ", c->nic->scheme.name);
	return 0;
}

/* --- option tables --- */

/* Sets the option table of a parsed scheme. -1: parsing failed. */
static int specs_table(const struct weir_scheme *s, const struct weir_option **table)
{
	if (!s)
		return -1;
	*table = s->options;
	return 0;
}

static int specs_read_marking(const char *spec, void *params, const struct weir_option **table,
			      struct weir_error *e)
{
	return specs_table(scheme_parse(&weir_mark_registry, PLUGIN_MARK, spec, params, e), table);
}

/* The number of queues is another setting, so it is not checked here. */
static int specs_read_scheduler(const char *spec, void *params, const struct weir_option **table,
				struct weir_error *e)
{
	return specs_table(scheme_parse(&weir_sched_registry, PLUGIN_SCHED, spec, params, e),
			   table);
}

static int specs_read_cc(const char *spec, void *params, const struct weir_option **table,
			 struct weir_error *e)
{
	return specs_table(scheme_parse(&weir_cc_registry, PLUGIN_CC, spec, params, e), table);
}

static int specs_read_tune(const char *spec, void *params, const struct weir_option **table,
			   struct weir_error *e)
{
	struct tune_choice choice;

	return specs_table(tune_parse(spec, &choice, params, e) ? NULL : choice.scheme, table);
}

static int specs_read_fabric(const char *spec, void *params, const struct weir_option **table,
			     struct weir_error *e)
{
	return specs_table(weir_registry_parse(&fabric_registry, spec, params, e), table);
}

static int specs_read_nic(const char *spec, void *params, const struct weir_option **table,
			  struct weir_error *e)
{
	return specs_table(weir_registry_parse(&nic_registry, spec, params, e), table);
}

const struct weir_scheme_set marking_specs = { { "marking", NULL }, specs_read_marking, is_plugin };
const struct weir_scheme_set scheduler_specs = { { "scheduler", NULL },
						 specs_read_scheduler,
						 is_plugin };
const struct weir_scheme_set cc_specs = { { "congestion control", NULL },
					  specs_read_cc,
					  is_plugin };
const struct weir_scheme_set tune_specs = { { "agent or tuner", NULL },
					    specs_read_tune,
					    is_plugin };
const struct weir_scheme_set fabric_specs = { { "fabric", NULL }, specs_read_fabric, NULL };
const struct weir_scheme_set nic_specs = { { "nic", NULL }, specs_read_nic, NULL };
