/* SPDX-License-Identifier: BSD-3-Clause */
/* config_check.c -- parses the specs of a config and validates keys against each other.
 *
 * Limits of single keys were enforced when they were parsed. Every contradiction gives a message
 * that names the keys and what would be valid. */
#include "config/nic.h"
#include "config/config.h"
#include "config/fabric.h"
#include "config/markings.h"
#include "config/plugin.h"
#include "config/schemes.h"
#include "weir/buffer.h"
#include <inttypes.h>
#include <string.h>

_Static_assert(FRAME_MAX_BYTES <= UINT16_MAX, "struct weir_packet counts its bytes in 16 bits");

/* A value as users write it, for messages. */
struct config_text {
	char text[WEIR_OPT_TEXT_SIZE];
};

static struct config_text config_value_text(const struct weir_option *table, const char *key,
					    const void *params)
{
	struct config_text s;

	weir_option_format(s.text, sizeof(s.text), weir_option_find(table, key), params);
	return s;
}

/* Queues and scheduler of ports: from the settings, or from a marking scheme with a layout. */
static int config_check_queues(struct config *c, struct weir_error *e)
{
	const struct switch_config *s = &c->switches;
	struct weir_mark_layout own = { .queues = (uint32_t)s->queues };

	if (!c->mark->layout) {
		c->queues = (uint32_t)s->queues;
		if (scheme_parse_sched(s->scheduler, c->queues, &c->sched, c->sched_params, e))
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
	if (scheme_parse_sched(s->scheduler, 1, &c->sched, c->sched_params, e))
		return weir_error_prefix(e, "switch.scheduler: ");
	if (scheme_parse_sched(own.scheduler, own.queues, &c->sched, c->sched_params, e))
		return weir_error_prefix(e, "switch.marking: %s: ", c->mark->scheme.name);
	return 0;
}

static int config_lossless_error(const struct switch_config *s, struct weir_error *e)
{
	return weir_error_set(
		e, "switch.lossless: '%.100s'; it is none, all, or classes as in 0:3, up to %d",
		s->lossless, WEIR_PFC_CLASSES - 1);
}

/* Parses the lossless classes into bits. */
static int config_check_lossless(struct config *c, struct weir_error *e)
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
				return config_lossless_error(s, e);
			if (class_id >= s->queues)
				return weir_error_set(e,
						      "switch.lossless: class %" PRIu32
						      ", but a port has switch.queues = %" PRIu64
						      "; classes count from 0",
						      class_id, s->queues);
			c->lossless |= 1u << class_id;
			text += text[1] == ':';
			if (!*text)
				return config_lossless_error(s, e);
			if (*text == ':' && !text[1])
				return config_lossless_error(s, e);
		}
	}
	if (s->buffer_per != WEIR_BUFFER_PER_SWITCH)
		return weir_error_set(
			e,
			"switch.lossless: %s, but PFC thresholds need a shared buffer; set "
			"buffer-per = switch",
			s->lossless);
	if (s->pfc_headroom_bytes && s->pfc_headroom_bytes < c->frame_max_bytes)
		return weir_error_set(
			e,
			"switch.pfc-headroom: %s is less than one packet (%uB), so a lossless "
			"class would drop packets that arrive after XOFF; 0B: computed from "
			"rate, delay and frame size",
			config_value_text(switch_options, "pfc-headroom", s).text,
			c->frame_max_bytes);
	return c->sched->halt || c->queues == 1
		       ? 0
		       : weir_error_set(e, "switch.lossless: queues of %s cannot be paused",
					c->sched->scheme.name);
}

/* A fabric scheme's layout replaces the settings of queues, which must be the defaults. */
static int config_check_fabric_layout(struct config *c, struct weir_error *e)
{
	const struct switch_config *s = &c->switches;
	struct weir_mark_layout own = { .queues = 1 };

	c->fabric->layout(c, &own);
	if (s->queues != 1 ||
	    !weir_option_is_default(weir_option_find(switch_options, "scheduler"), s))
		return weir_error_set(e,
				      "switch.%s: %s lays out its ports itself, with %" PRIu32
				      " queues and %s; leave queues and scheduler out",
				      s->queues != 1 ? "queues" : "scheduler",
				      c->fabric->scheme.name, own.queues, own.scheduler);
	if (weir_mark_needs(c->mark, c->mark_params) & WEIR_MARK_NEEDS_ROUNDS)
		return weir_error_set(
			e,
			"switch.marking: %s measures the rounds of a scheduler, and that "
			"of %s has none",
			c->mark->scheme.name, c->fabric->scheme.name);
	c->queues = own.queues;
	return scheme_parse_sched(own.scheduler, own.queues, &c->sched, c->sched_params, e);
}

static int config_check_fabric(struct config *c, struct weir_error *e)
{
	c->fabric = weir_registry_parse(&fabric_registry, c->switches.fabric, c->fabric_params, e);
	if (!c->fabric)
		return weir_error_prefix(e, "switch.fabric: ");
	if (!fabric_is_on(c))
		return 0;
	if (c->mark->layout)
		return weir_error_set(
			e, "switch.fabric: %s, but %s chooses queues itself; take another marking",
			c->fabric->scheme.name, c->mark->scheme.name);
	if (c->fabric->fits && c->fabric->fits(c, e))
		return -1;
	return c->fabric->layout ? config_check_fabric_layout(c, e) : 0;
}

static int config_check_tune_marking(const struct config *c, const struct weir_scheme *tune,
				     struct weir_error *e)
{
	const struct weir_mark_ops *mark = c->mark;

	if (!mark->knobs)
		return weir_error_set(
			e,
			"switch.tune: %s, but marking = %s has no thresholds to tune; red and "
			"pred do",
			tune->name, mark->scheme.name);
	if (is_plugin(c->switches.marking))
		return weir_error_set(
			e, "switch.tune: %s, but the marking scheme of a plug-in is not tuned",
			tune->name);
	if (mark->knobs->fits && mark->knobs->fits(c->mark_params, e))
		return weir_error_prefix(e, "switch.tune: %s, but of the thresholds of %s: ",
					 tune->name, mark->scheme.name);
	return 0;
}

static int config_check_tune_times(const struct config *c, struct weir_error *e)
{
	const struct switch_config *s = &c->switches;
	char interval[WEIR_OPT_TEXT_SIZE];
	uint64_t delay_ps = (uint64_t)(s->tune_read_delay.last_ps + s->tune_write_delay.last_ps);

	weir_option_format(interval, sizeof(interval),
			   weir_option_find(switch_options, "tune-interval"), s);
	if (s->tune_interval_ns && s->tune_interval_ns < TUNE_SHORTEST_NS)
		return weir_error_set(e, "switch.tune-interval: %s is shorter than 1us", interval);
	if (delay_ps > s->tune_interval_ns * (uint64_t)WEIR_PS_PER_NS)
		return weir_error_set(e,
				      "switch.tune-interval: %s, but tune-read-delay and "
				      "tune-write-delay together "
				      "may be longer; write it as in tune-interval = 400ms",
				      s->tune_interval_ns ? interval : "not given");
	return 0;
}

static int config_check_tune(struct config *c, struct weir_error *e)
{
	struct tune_choice choice;

	if (tune_parse(c->switches.tune, &choice, c->tune_params, e))
		return weir_error_prefix(e, "switch.tune: ");
	c->agent = choice.agent;
	c->tuner = choice.tuner;
	if (!tune_is_on(c))
		return 0;
	return config_check_tune_marking(c, choice.scheme, e) || config_check_tune_times(c, e) ? -1
											       : 0;
}

int config_check_switch(struct config *c, struct weir_error *e)
{
	const struct switch_config *s = &c->switches;
	uint64_t frame = c->frame_max_bytes;
	struct config_text buffer = config_value_text(switch_options, "buffer", s);
	int bytes = !weir_length_is_packets(s->buffer);

	if (scheme_parse_mark(s->marking, &c->mark, c->mark_params, e))
		return weir_error_prefix(e, "switch.marking: ");
	if (config_check_queues(c, e) || config_check_lossless(c, e) || config_check_fabric(c, e) ||
	    config_check_tune(c, e))
		return -1;
	if (weir_mark_needs(c->mark, c->mark_params) & WEIR_MARK_NEEDS_SHARED_BUFFER &&
	    s->buffer_per != WEIR_BUFFER_PER_SWITCH)
		return weir_error_set(
			e,
			"switch.marking: %s needs the shared buffer of the switch; set "
			"buffer-per = switch",
			weir_quote(s->marking).text);
	if (!bytes && s->buffer_per == WEIR_BUFFER_PER_SWITCH)
		return weir_error_set(
			e,
			"switch.buffer: %s, but a shared buffer (buffer-per = switch) is in "
			"bytes; write it as in 12MB",
			buffer.text);
	if (bytes && s->buffer < frame)
		return weir_error_set(e,
				      "switch.buffer: %s holds no packet; one takes %" PRIu64 "B "
				      "(host.mss + host.header)",
				      buffer.text, frame);
	return 0;
}

static int config_check_host(struct config *c, struct weir_error *e)
{
	const struct host_config *h = &c->host;

	if (scheme_parse_cc(h->cc, &c->cc, c->cc_params, e))
		return weir_error_prefix(e, "host.cc: ");
	if (h->mss_bytes + h->header_bytes > FRAME_MAX_BYTES)
		return weir_error_set(e,
				      "host.mss: %s with a header of %s is %" PRIu64
				      "B; a frame has at "
				      "most %dB",
				      config_value_text(host_options, "mss", h).text,
				      config_value_text(host_options, "header", h).text,
				      h->mss_bytes + h->header_bytes, FRAME_MAX_BYTES);
	if (h->max_window_bytes < h->mss_bytes)
		return weir_error_set(e,
				      "host.max-window: %s; at least one host.mss of %s is needed",
				      config_value_text(host_options, "max-window", h).text,
				      config_value_text(host_options, "mss", h).text);
	if (h->tail_probe && !config_has_rack(c))
		return weir_error_set(
			e,
			"host.tail-probe: yes, but one answer to a probe proves nothing "
			"with loss-detection = %s; take rack or auto",
			config_value_text(host_options, "loss-detection", h).text);
	if (h->rto_min_ps > h->rto_max_ps)
		return weir_error_set(e, "host.rto-min: %s; at most rto-max = %s",
				      config_value_text(host_options, "rto-min", h).text,
				      config_value_text(host_options, "rto-max", h).text);
	if (h->rto_initial_ps > h->rto_max_ps)
		return weir_error_set(e, "host.rto-initial: %s; at most rto-max = %s",
				      config_value_text(host_options, "rto-initial", h).text,
				      config_value_text(host_options, "rto-max", h).text);
	return 0;
}

/* With a scheduler that ranks packets, classes beyond the last queue share it; lossless classes
 * need a queue each. */
static int config_classes_may_share(const struct config *c)
{
	return c->sched->rank && !c->lossless;
}

/* Classes count from 0, and one that no queue has is refused. */
static int config_check_class(const struct config *c, const struct traffic_config *t,
			      const char *key, uint64_t class_id, struct weir_error *e)
{
	if (config_classes_may_share(c) || class_id < c->switches.queues)
		return 0;
	return weir_error_set(e,
			      "traffic.%s.%s: %" PRIu64 ", but a port has switch.queues = %" PRIu64
			      "; classes count from 0",
			      t->name, key, class_id, c->switches.queues);
}

static int config_check_ack_class(const struct config *c, struct traffic_config *t,
				  struct weir_error *e)
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
	return config_check_class(c, t, "ack-class", class_id, e);
}

static int config_check_classes(const struct config *c, struct traffic_config *t,
				struct weir_error *e)
{
	int share = config_classes_may_share(c);
	uint64_t classes = share ? WEIR_QUEUES_MAX : c->switches.queues;

	if (config_check_class(c, t, "class", t->class_id, e))
		return -1;
	if (t->class_id + t->classes > classes)
		return weir_error_set(e,
				      "traffic.%s.classes: %" PRIu64 " from class %" PRIu64
				      " on, but %s %" PRIu64 "; classes count from 0",
				      t->name, t->classes, t->class_id,
				      share ? "there are" : "a port has switch.queues =", classes);
	if (config_check_class(c, t, "first-class", t->first_class, e))
		return -1;
	if (t->first_bytes && t->classes == 1 && t->first_class == t->class_id)
		return weir_error_set(e,
				      "traffic.%s.first-bytes: %s of class %" PRIu64
				      ", which all other bytes have too; give %s",
				      t->name,
				      config_value_text(traffic_options, "first-bytes", t).text,
				      t->first_class,
				      c->dscp.has_map ? "a first-dscp of another class"
						      : "another class or first-class");
	return config_check_ack_class(c, t, e);
}

static int config_check_traffic(const struct config *c, struct traffic_config *t,
				struct weir_error *e)
{
	if (dscp_check(c, t, e) || config_check_classes(c, t, e))
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

static int config_check_measure(const struct config *c, struct weir_error *e)
{
	const struct measure_config *m = &c->measure;

	if (m->to_ps != 0 && m->from_ps >= m->to_ps)
		return weir_error_set(e, "measure.to: %s; must be after from = %s",
				      config_value_text(measure_options, "to", m).text,
				      config_value_text(measure_options, "from", m).text);
	if (m->small_bytes > m->large_bytes)
		return weir_error_set(e, "measure.small: %s; at most large = %s",
				      config_value_text(measure_options, "small", m).text,
				      config_value_text(measure_options, "large", m).text);
	return 0;
}

/* Updates the frame sizes for the transport that a congestion control runs over. */
static void config_note_transport(struct config *c, const struct weir_cc_ops *cc)
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

/* A go-back-N receiver discards packets out of order, so reordering costs as much as loss. */
static int config_check_rdma_recovery(const struct config *c, struct weir_error *e)
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

static int config_check_transports(struct config *c, struct weir_error *e)
{
	int has_rdma = 0;

	c->frame_max_bytes = c->telemetry = 0;
	c->frame_min_bytes = UINT32_MAX;
	for (uint32_t i = 0; i < c->traffic_count; i++) {
		struct traffic_config *t = &c->traffic[i];

		t->cc_ops = NULL;
		if (t->cc[0] && scheme_parse_cc(t->cc, &t->cc_ops, t->cc_params, e))
			return weir_error_prefix(e, "traffic.%s.cc: ", t->name);
		config_note_transport(c, traffic_cc(c, i));
		has_rdma |= traffic_cc(c, i)->transport == WEIR_CC_RDMA;
	}
	if (has_rdma && config_check_rdma_recovery(c, e))
		return -1;
	if (c->traffic_count == 0)
		config_note_transport(c, c->cc);
	if (c->frame_max_bytes > FRAME_MAX_BYTES)
		return weir_error_set(
			e, "rdma.mtu: %s with its headers is %uB; a frame has at most %dB",
			config_value_text(rdma_options, "mtu", &c->rdma).text, c->frame_max_bytes,
			FRAME_MAX_BYTES);
	return 0;
}

/* Refuses settings that do not work with INT. */
static int config_check_telemetry(const struct config *c, struct weir_error *e)
{
	if (c->telemetry && config_sprays(c) && c->rdma.int_flows == INT_FLOWS_EXACT)
		return weir_error_set(
			e, "rdma.int-flows: exact counts a flow at a port from its first packet to "
			   "its last, and with network.ecmp = packet these pass different ports; "
			   "write yes, or no");
	if (!c->telemetry || (!c->sched->rank && !c->mark->layout))
		return 0;
	return weir_error_set(e,
			      "switch.%s: in-band telemetry (cc = %s) cannot be combined with %s",
			      c->sched->rank ? "scheduler" : "marking", c->cc->scheme.name,
			      c->sched->rank ? c->sched->scheme.name : c->mark->scheme.name);
}

int config_check(struct config *c, struct weir_error *e)
{
	if (config_check_host(c, e) || config_check_transports(c, e) || config_check_switch(c, e) ||
	    config_check_telemetry(c, e) || nic_check(c, e) || config_check_measure(c, e) ||
	    dscp_map_check(c, e))
		return -1;
	for (uint32_t i = 0; i < c->traffic_count; i++)
		if (config_check_traffic(c, &c->traffic[i], e))
			return -1;
	if (c->traffic_count == 0)
		return weir_error_set(
			e, "traffic: no flow anywhere; add a section such as [traffic web]");
	return markings_check(c, e);
}
