/* SPDX-License-Identifier: BSD-3-Clause */
/* nic.c -- every NIC model for host.nic, one entry each; what goes with them.
 *
 * fifo is ns-3's device queue and Linux's pfifo. fq is deficit round robin over flows, as Linux's
 * fq and fq_codel (RFC 8290) have it. */
#include "config/nic.h"
#include "config/fabric.h"
#include "config/plugin.h"
#include "config/schemes.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(struct nic_params) <= WEIR_SPEC_PARAMS_MAX, "room for a card's options");

#define QUEUE_OPTIONS(limit_) \
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

static const struct weir_option fifo_options[] = { QUEUE_OPTIONS("1000pkts") };
static const struct weir_option fq_options[] = { QUEUE_OPTIONS("10000pkts") };

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
		.options = fifo_options,
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
		.options = fq_options,
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

/* --- checking --- */

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

/* Turns of fq are a burst long, or a full packet. */
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
