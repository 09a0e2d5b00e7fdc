/* SPDX-License-Identifier: BSD-3-Clause */
/* config_check.c -- what must agree between the keys of a config, in one section and across them.
 *
 * Each key by itself was held to its limits when it was read; here specs are read, and what
 * contradicts itself is refused with a message that says which keys and what would do. */
#include "config/card.h"
#include "config/config.h"
#include "config/dscp.h"
#include "config/fabric.h"
#include "config/markings.h"
#include "config/plugin.h"
#include "config/tune.h"
#include "weir/buffer.h"
#include <inttypes.h>
#include <string.h>

_Static_assert(FRAME_MAX_BYTES <= UINT16_MAX, "struct weir_packet counts its bytes in 16 bits");

/* A value as its user would write it, for messages. */
struct shown {
	char text[WEIR_OPT_TEXT_SIZE];
};

static struct shown show(const struct weir_option *table, const char *key, const void *params)
{
	struct shown s;

	weir_option_format(s.text, sizeof(s.text), weir_option_find(table, key), params);
	return s;
}

/* The queues and the scheduler of a port: those of the settings, or of a scheme that brings its
 * own. */
static int check_queues(struct config *c, struct weir_error *e)
{
	const struct switch_config *s = &c->switches;
	struct weir_mark_layout own = { .queues = (uint32_t)s->queues };

	if (!c->mark->layout) {
		c->queues = (uint32_t)s->queues;
		if (any_sched_parse(s->scheduler, c->queues, &c->sched, c->sched_params, e))
			return weir_error_prefix(e, "switch.scheduler: ");
		if (weir_mark_needs(c->mark, c->mark_params) & WEIR_MARK_NEEDS_ROUNDS &&
		    !c->sched->quantum)
			return weir_error_set(
				e,
				"switch.marking: %s measures the rounds of a scheduler, "
				"and %s has none; take dwrr or wrr",
				c->mark->scheme.name, c->sched->scheme.name);
		return 0;
	}
	c->mark->layout(c->mark_params, &own);
	own.scheduler[sizeof(own.scheduler) - 1] = '\0';
	if (own.queues < 1 || own.queues > WEIR_QUEUES_MAX)
		return weir_error_set(
			e, "switch.marking: %s wants %" PRIu32 " queues; allowed are 1 to %d",
			c->mark->scheme.name, own.queues, WEIR_QUEUES_MAX);
	c->queues = own.queues;
	if (s->queues != 1)
		return weir_error_set(e,
				      "switch.queues: %" PRIu64
				      ", but %s lays out its ports itself, with "
				      "%" PRIu32 " queues and %s; leave queues out",
				      s->queues, c->mark->scheme.name, own.queues, own.scheduler);
	if (any_sched_parse(s->scheduler, 1, &c->sched, c->sched_params, e))
		return weir_error_prefix(e, "switch.scheduler: ");
	if (any_sched_parse(own.scheduler, own.queues, &c->sched, c->sched_params, e))
		return weir_error_prefix(e, "switch.marking: %s: ", c->mark->scheme.name);
	return 0;
}

static int lossless_error(const struct switch_config *s, struct weir_error *e)
{
	return weir_error_set(
		e, "switch.lossless: '%.100s'; it is none, all, or classes as in 0:3, up to %d",
		s->lossless, WEIR_PFC_CLASSES - 1);
}

/* Which classes are lossless, as bits. */
static int check_lossless(struct config *c, struct weir_error *e)
{
	const struct switch_config *s = &c->switches;
	const char *text = s->lossless;

	c->lossless = 0;
	c->pfc = (struct weir_pfc_params){ s->pfc_alpha_q32, s->pfc_reserved_bytes,
					   s->pfc_margin_bytes };
	if (strcmp(text, "none") == 0)
		return 0;
	if (strcmp(text, "all") == 0) {
		if (s->queues > WEIR_PFC_CLASSES)
			return weir_error_set(
				e,
				"switch.lossless: all, but a port has %" PRIu64
				" queues and only %d classes can be paused; name them",
				s->queues, WEIR_PFC_CLASSES);
		c->lossless = (1u << s->queues) - 1;
	} else {
		for (; *text; text++) {
			uint32_t class_id = (uint32_t)(*text - '0');

			if (class_id >= WEIR_PFC_CLASSES || (text[1] && text[1] != ':'))
				return lossless_error(s, e);
			if (class_id >= s->queues)
				return weir_error_set(e,
						      "switch.lossless: class %" PRIu32
						      ", but a port has switch.queues = %" PRIu64
						      "; classes count from 0",
						      class_id, s->queues);
			c->lossless |= 1u << class_id;
			text += text[1] == ':';
			if (!*text)
				return lossless_error(s, e);
			if (*text == ':' && !text[1])
				return lossless_error(s, e);
		}
	}
	if (s->buffer_per != WEIR_BUFFER_PER_SWITCH)
		return weir_error_set(
			e,
			"switch.lossless: %s, but pauses are decided by the memory of a "
			"whole switch; set buffer-per = switch",
			s->lossless);
	if (s->pfc_headroom_bytes && s->pfc_headroom_bytes < c->frame_max_bytes)
		return weir_error_set(
			e,
			"switch.pfc-headroom: %s holds no packet, and without headroom a "
			"lossless class loses what comes after a pause; one takes %uB; 0B: as "
			"much as rate, delay and frame size make necessary",
			show(switch_options, "pfc-headroom", s).text, c->frame_max_bytes);
	return c->sched->halt || c->queues == 1
		       ? 0
		       : weir_error_set(e, "switch.lossless: queues of %s cannot be paused",
					c->sched->scheme.name);
}

int config_check_switch(struct config *c, struct weir_error *e)
{
	const struct switch_config *s = &c->switches;
	uint64_t frame = c->frame_max_bytes;
	struct shown buffer = show(switch_options, "buffer", s);
	int bytes = !weir_length_is_packets(s->buffer);

	if (any_mark_parse(s->marking, &c->mark, c->mark_params, e))
		return weir_error_prefix(e, "switch.marking: ");
	if (check_queues(c, e) || check_lossless(c, e) || fabric_check(c, e) || tune_check(c, e))
		return -1;
	if (weir_mark_needs(c->mark, c->mark_params) & WEIR_MARK_NEEDS_POOL &&
	    s->buffer_per != WEIR_BUFFER_PER_SWITCH)
		return weir_error_set(
			e,
			"switch.marking: %s looks at the buffer pool of the switch; there is "
			"one only with buffer-per = switch",
			weir_quote(s->marking).text);
	if (!bytes && s->buffer_per == WEIR_BUFFER_PER_SWITCH)
		return weir_error_set(
			e,
			"switch.buffer: %s, but a pool of the whole switch (buffer-per = "
			"switch) counts bytes; write it as in 12MB",
			buffer.text);
	if (bytes && s->buffer < frame)
		return weir_error_set(e,
				      "switch.buffer: %s holds no packet; one takes %" PRIu64 "B "
				      "(host.mss + host.header)",
				      buffer.text, frame);
	return 0;
}

static int check_host(struct config *c, struct weir_error *e)
{
	const struct host_config *h = &c->host;

	if (any_cc_parse(h->cc, &c->cc, c->cc_params, e))
		return weir_error_prefix(e, "host.cc: ");
	if (h->mss_bytes + h->header_bytes > FRAME_MAX_BYTES)
		return weir_error_set(
			e,
			"host.mss: %s with a header of %s is %" PRIu64 "B; a frame has at "
			"most %dB",
			show(host_options, "mss", h).text, show(host_options, "header", h).text,
			h->mss_bytes + h->header_bytes, FRAME_MAX_BYTES);
	if (h->max_window_bytes < h->mss_bytes)
		return weir_error_set(e,
				      "host.max-window: %s; at least one host.mss of %s is needed",
				      show(host_options, "max-window", h).text,
				      show(host_options, "mss", h).text);
	if (h->tail_probe && !config_has_rack(c))
		return weir_error_set(
			e,
			"host.tail-probe: yes, but one answer to a probe proves nothing "
			"with loss-detection = %s; take rack or auto",
			show(host_options, "loss-detection", h).text);
	if (h->rto_min_ps > h->rto_max_ps)
		return weir_error_set(e, "host.rto-min: %s; at most rto-max = %s",
				      show(host_options, "rto-min", h).text,
				      show(host_options, "rto-max", h).text);
	if (h->rto_initial_ps > h->rto_max_ps)
		return weir_error_set(e, "host.rto-initial: %s; at most rto-max = %s",
				      show(host_options, "rto-initial", h).text,
				      show(host_options, "rto-max", h).text);
	return 0;
}

/* Where packets are ranked a class may be a rank, and the last queue takes all classes beyond it;
 * unless classes are paused, each of which needs a queue of its own. */
static int classes_may_share(const struct config *c)
{
	return c->sched->rank && !c->lossless;
}

/* Classes count from 0, and one that no queue has is refused. */
static int check_class(const struct config *c, const struct traffic_config *t, const char *key,
		       uint64_t class_id, struct weir_error *e)
{
	if (classes_may_share(c) || class_id < c->switches.queues)
		return 0;
	return weir_error_set(e,
			      "traffic.%s.%s: %" PRIu64 ", but a port has switch.queues = %" PRIu64
			      "; classes count from 0",
			      t->name, key, class_id, c->switches.queues);
}

static int check_ack_class(const struct config *c, struct traffic_config *t, struct weir_error *e)
{
	static const struct weir_option number = { "class", WEIR_OPT_COUNT,      0,  NULL,
						   0,       WEIR_QUEUES_MAX - 1, "", NULL };
	uint64_t class_id;

	t->ack_class_plus_one = 0;
	if (c->dscp.has_map) {
		t->ack_class_plus_one = c->dscp.class_of[t->code.ack] + UINT64_C(1);
		return 0;
	}
	if (strcmp(t->ack_class, ACK_CLASS_DATA) == 0)
		return 0;
	if (weir_option_parse(&class_id, &number, t->ack_class, e))
		return weir_error_set(e, "traffic.%s.ack-class: %s; a class, 0 to %d, or %s",
				      t->name, weir_quote(t->ack_class).text, WEIR_QUEUES_MAX - 1,
				      ACK_CLASS_DATA);
	t->ack_class_plus_one = class_id + 1;
	return check_class(c, t, "ack-class", class_id, e);
}

static int check_classes(const struct config *c, struct traffic_config *t, struct weir_error *e)
{
	int share = classes_may_share(c);
	uint64_t classes = share ? WEIR_QUEUES_MAX : c->switches.queues;

	if (check_class(c, t, "class", t->class_id, e))
		return -1;
	if (t->class_id + t->classes > classes)
		return weir_error_set(e,
				      "traffic.%s.classes: %" PRIu64 " from class %" PRIu64
				      " on, but %s %" PRIu64 "; classes count from 0",
				      t->name, t->classes, t->class_id,
				      share ? "there are" : "a port has switch.queues =", classes);
	if (check_class(c, t, "first-class", t->first_class, e))
		return -1;
	if (t->first_bytes && t->classes == 1 && t->first_class == t->class_id)
		return weir_error_set(e,
				      "traffic.%s.first-bytes: %s of class %" PRIu64
				      ", which all other bytes have too; give %s",
				      t->name, show(traffic_options, "first-bytes", t).text,
				      t->first_class,
				      c->dscp.has_map ? "a first-dscp of another class"
						      : "another class or first-class");
	return check_ack_class(c, t, e);
}

static int check_traffic(const struct config *c, struct traffic_config *t, struct weir_error *e)
{
	if (dscp_check(c, t, e) || check_classes(c, t, e))
		return -1;
	t->app_rate_bps = t->ops->app_rate_bps ? t->ops->app_rate_bps(t->params) : 0;
	if (t->ops->is_endless && t->ops->is_endless(t->params) && c->measure.to_ps == 0)
		return weir_error_set(
			e,
			"measure.to: not given, but flows of traffic.%s are unlimited; write "
			"to = 100ms, say",
			t->name);
	return 0;
}

static int check_measure(const struct config *c, struct weir_error *e)
{
	const struct measure_config *m = &c->measure;

	if (m->to_ps != 0 && m->from_ps >= m->to_ps)
		return weir_error_set(e, "measure.to: %s; must be after from = %s",
				      show(measure_options, "to", m).text,
				      show(measure_options, "from", m).text);
	if (m->small_bytes > m->large_bytes)
		return weir_error_set(e, "measure.small: %s; at most large = %s",
				      show(measure_options, "small", m).text,
				      show(measure_options, "large", m).text);
	return 0;
}

/* What the control of a traffic section runs over decides the size of its packets. */
static void note_transport(struct config *c, const struct weir_cc_ops *cc)
{
	uint64_t payload = c->host.mss_bytes, header = c->host.header_bytes, ack = header;
	uint64_t longest, shortest;

	if (cc->transport == WEIR_CC_RDMA) {
		uint64_t telemetry = cc->needs & WEIR_CC_NEEDS_INT ? c->rdma.int_bytes : 0;

		c->telemetry |= (cc->needs & WEIR_CC_NEEDS_INT) != 0;
		payload = c->rdma.mtu_bytes;
		header = c->rdma.header_bytes + telemetry;
		ack = rdma_ack_bytes(&c->rdma) + telemetry;
	}
	longest = payload + header > ack ? payload + header : ack;
	shortest = header < ack ? header : ack;
	if (longest > c->frame_max_bytes)
		c->frame_max_bytes = (uint32_t)longest;
	if (shortest < c->frame_min_bytes)
		c->frame_min_bytes = (uint32_t)shortest;
}

/* A receiver of go-back-n discards every packet that is not the next in order, so a packet that was
 * overtaken costs as much as a lost one. */
static int check_rdma_recovery(const struct config *c, struct weir_error *e)
{
	if (config_rdma_recovery(c) != RDMA_GO_BACK_N)
		return 0;
	if (config_sprays(c))
		return weir_error_set(
			e, "rdma.recovery: go-back-n treats every packet that arrives out of order "
			   "as a loss, and with network.ecmp = packet most do; write selective, or "
			   "leave recovery out");
	if (config_rdma_has_rack(c))
		return weir_error_set(
			e,
			"rdma.recovery: go-back-n keeps no packet that arrives out of order, which "
			"loss-detection = time waits for; write selective, or leave recovery out");
	return 0;
}

static int check_transports(struct config *c, struct weir_error *e)
{
	int has_rdma = 0;

	c->frame_max_bytes = c->telemetry = 0;
	c->frame_min_bytes = UINT32_MAX;
	for (uint32_t i = 0; i < c->traffic_count; i++) {
		struct traffic_config *t = &c->traffic[i];

		t->cc_ops = NULL;
		if (t->cc[0] && any_cc_parse(t->cc, &t->cc_ops, t->cc_params, e))
			return weir_error_prefix(e, "traffic.%s.cc: ", t->name);
		note_transport(c, traffic_cc(c, i));
		has_rdma |= traffic_cc(c, i)->transport == WEIR_CC_RDMA;
	}
	if (has_rdma && check_rdma_recovery(c, e))
		return -1;
	if (c->traffic_count == 0)
		note_transport(c, c->cc);
	if (c->frame_max_bytes > FRAME_MAX_BYTES)
		return weir_error_set(
			e, "rdma.mtu: %s with its headers is %uB; a frame has at most %dB",
			show(rdma_options, "mtu", &c->rdma).text, c->frame_max_bytes,
			FRAME_MAX_BYTES);
	return 0;
}

/* What goes with switches that write into packets. */
static int check_telemetry(const struct config *c, struct weir_error *e)
{
	if (c->telemetry && config_sprays(c) && c->rdma.int_flows == INT_FLOWS_EXACT)
		return weir_error_set(
			e, "rdma.int-flows: exact counts a flow at a port from its first packet to "
			   "its last, and with network.ecmp = packet these pass different ports; "
			   "write yes, or no");
	if (!c->telemetry || (!c->sched->rank && !c->mark->layout))
		return 0;
	return weir_error_set(e,
			      "switch.%s: packets into which switches write (cc = %s) do not go "
			      "with %s",
			      c->sched->rank ? "scheduler" : "marking", c->cc->scheme.name,
			      c->sched->rank ? c->sched->scheme.name : c->mark->scheme.name);
}

int config_check(struct config *c, struct weir_error *e)
{
	if (check_host(c, e) || check_transports(c, e) || config_check_switch(c, e) ||
	    check_telemetry(c, e) || card_check(c, e) || check_measure(c, e) ||
	    dscp_map_check(c, e))
		return -1;
	for (uint32_t i = 0; i < c->traffic_count; i++)
		if (check_traffic(c, &c->traffic[i], e))
			return -1;
	if (c->traffic_count == 0)
		return weir_error_set(
			e, "traffic: no flow anywhere; add a section such as [traffic web]");
	return markings_check(c, e);
}
