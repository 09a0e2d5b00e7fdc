/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_builder.c -- see flow_builder.h. Runs once, at one thread, before the simulation. */
#include "sim/traffic/flow_builder.h"
#include "base/memory.h"
#include "base/text.h"
#include "config/plugin.h"
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLOWS_MAX ((uint64_t)FLOW_NONE - 1)

enum { FLOWS_AT_FIRST = 64 };

int flow_builder_error(struct flow_builder *b, const char *key, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return weir_error_set(b->e, "traffic.%s.%s: %s", b->t->name, key, text);
}

int flow_builder_reserve(struct flow_builder *b, uint64_t flows)
{
	struct flow_list *list = b->list;
	uint64_t wanted = list->count + flows;

	if (flows > FLOWS_MAX || wanted > FLOWS_MAX)
		return flow_builder_error(b, "flows",
					  "%" PRIu64 " flows and %u of other sections; allowed are "
					  "%" PRIu64 " in all",
					  flows, list->count, FLOWS_MAX);
	if (wanted <= list->capacity)
		return 0;
	if (memory_check((double)wanted * FLOW_MEMORY_BYTES, "flows", b->e))
		return weir_error_prefix(b->e, "traffic.%s.", b->t->name);
	list->flows = memory_grow(list->flows, wanted, sizeof(*list->flows));
	list->capacity = (uint32_t)wanted;
	return 0;
}

int flow_builder_reserve_one(struct flow_builder *b)
{
	struct flow_list *list = b->list;

	return list->count == list->capacity
		       ? flow_builder_reserve(b, (uint64_t)list->count + FLOWS_AT_FIRST)
		       : 0;
}

/* The class of a flow, counted from the section's first class. Flows get the classes in round robin
 * in the order of adding, which is by size where a pattern draws sizes, so that every class gets
 * the same mix of sizes.
 *
 * By pair: each sender begins one class later than the one before it, so that both the pairs of one
 * sender and those of one receiver are spread over all classes: per class they differ by 1 at most
 * for each sender, by 2 for each receiver. */
static uint64_t flow_class(const struct flow_builder *b, const struct flow_plan *p)
{
	const struct traffic_config *t = b->t;
	uint64_t position = b->list->count - b->first;

	if (t->class_by == CLASS_BY_SENDER)
		position = p->src;
	else if (t->class_by == CLASS_BY_RECEIVER)
		position = p->dst;
	else if (t->class_by == CLASS_BY_PAIR)
		position = (uint64_t)p->src + p->dst - (p->dst > p->src);
	return position % t->classes;
}

uint32_t flow_builder_add(struct flow_builder *b, const struct flow_plan *p)
{
	const struct traffic_config *t = b->t;
	int has_stop = p->size_bytes == FLOW_UNLIMITED && b->stop_ps != 0;
	uint64_t class_id = t->class_id + flow_class(b, p);

	assert(b->list->count < b->list->capacity && p->src != p->dst);
	b->list->flows[b->list->count++] = (struct flow){
		.start_ps = p->start_ps,
		.flags = p->start_ps == WEIR_TIME_NEVER_PS ? FLOW_WAITS : 0,
		.finish_ps = -1,
		.size_bytes = p->size_bytes,
		.stop_ps = has_stop ? (int64_t)b->stop_ps : WEIR_TIME_NEVER_PS,
		.src = p->src,
		.dst = p->dst,
		.connection = FLOW_NONE,
		.next = FLOW_NONE,
		.traffic = (uint16_t)(t - b->c->traffic),
		.class_id = (uint8_t)class_id,
		.tx = FLOW_NONE,
		.rx = FLOW_NONE,
	};
	return b->list->count - 1;
}

uint32_t flow_builder_add_gate(struct flow_builder *b, uint64_t needed, uint64_t delay_ps)
{
	const struct gate g = { .needed = (uint32_t)needed,
				.is_local = 1,
				.delay_ps = (int64_t)delay_ps };

	return gates_add_like(&b->list->gates, &g);
}

void flow_builder_tie(struct flow_builder *b, uint32_t flow, uint32_t gate, enum flow_tie kind)
{
	b->list->flows[flow].flags |= (uint8_t)kind;
	gates_tie(&b->list->gates, (struct gate_tie){ flow, gate, (uint32_t)kind });
}

uint32_t flow_builder_other_host(struct flow_builder *b, uint32_t host)
{
	uint32_t other = (uint32_t)weir_rng_below(&b->rng, b->net->host_count - 1);

	return other + (other >= host);
}

int64_t flow_builder_draw_start(struct flow_builder *b)
{
	const struct weir_span_ps *span = &b->t->start;
	uint64_t length = (uint64_t)(span->last_ps - span->first_ps);

	return span->first_ps + (int64_t)weir_rng_below(&b->rng, length + 1);
}

int flow_builder_check_receiver(struct flow_builder *b, uint64_t receiver)
{
	if (receiver < b->net->host_count)
		return 0;
	return flow_builder_error(b, "receiver", "%" PRIu64 "; hosts are 0 to %u", receiver,
				  b->net->host_count - 1);
}

int flow_builder_count_senders(struct flow_builder *b, uint64_t asked, uint32_t *senders)
{
	uint32_t others = b->net->host_count - 1;

	if (asked > others)
		return flow_builder_error(b, "senders",
					  "%" PRIu64 ", but there are %u hosts besides the "
					  "receiver",
					  asked, others);
	*senders = asked ? (uint32_t)asked : others;
	return 0;
}

int flow_builder_check_stop(struct flow_builder *b, int is_unlimited)
{
	const struct traffic_config *t = b->t;

	if (b->stop_ps == 0)
		return 0;
	if (!is_unlimited)
		return flow_builder_error(b, "stop",
					  "%s, but only flows of unlimited size stop at a time",
					  format_exact_ps(b->stop_ps).text);
	if ((int64_t)b->stop_ps <= t->start.last_ps)
		return flow_builder_error(b, "stop", "%s; must be after the last start, %s",
					  format_exact_ps(b->stop_ps).text,
					  format_exact_ps((uint64_t)t->start.last_ps).text);
	return 0;
}

int flow_builder_check_endless(const struct flow_builder *b, const struct flow_plan *p,
			       struct weir_error *e)
{
	const struct traffic_config *t = b->t;

	if (p->size_bytes != FLOW_UNLIMITED)
		return 0;
	if (traffic_is_persistent(b->c, t))
		return weir_error_set(e, "an unlimited flow does not share a "
					 "connection; use connections = per-flow");
	if (b->stop_ps && (int64_t)b->stop_ps <= p->start_ps)
		return weir_error_set(e, "the flow does not start before the section's stop");
	if (!b->stop_ps && !b->c->measure.to_ps)
		return weir_error_set(e, "an unlimited flow never ends; give stop or measure.to");
	return 0;
}

int flow_builder_any_endless(const struct flow_builder *b, uint32_t since)
{
	for (uint32_t i = since; i < b->list->count; i++)
		if (b->list->flows[i].size_bytes == FLOW_UNLIMITED)
			return 1;
	return 0;
}

int flow_builder_window(struct flow_builder *b, uint64_t flows, struct arrival_window *w)
{
	const struct weir_span_ps *start = &b->t->start;
	int64_t to_ps = (int64_t)b->c->measure.to_ps;

	w->first_ps = start->first_ps;
	w->length_ps = 0;
	if (start->first_ps != start->last_ps) {
		if (flows)
			return flow_builder_error(
				b, "start",
				"%s..%s says when arrivals end, "
				"and so does flows = %" PRIu64 "; give one of the two",
				format_exact_ps((uint64_t)start->first_ps).text,
				format_exact_ps((uint64_t)start->last_ps).text, flows);
		w->length_ps = (double)(start->last_ps - start->first_ps);
		return 0;
	}
	if (flows)
		return 0;
	if (to_ps == 0)
		return flow_builder_error(
			b, "flows",
			"not given; say how many flows, or until when they arrive "
			"by measure.to or start = 0ms..100ms");
	if (to_ps <= start->first_ps)
		return flow_builder_error(b, "start", "%s; must be before measure.to = %s",
					  format_exact_ps((uint64_t)start->first_ps).text,
					  format_exact_ps((uint64_t)to_ps).text);
	w->length_ps = (double)(to_ps - start->first_ps);
	return 0;
}

/* --- sizes --- */

int flow_sizes_open(struct flow_sizes *s, struct flow_builder *b, uint64_t size_bytes,
		    const char *sizes, enum sizes_allowed allowed)
{
	const struct traffic_config *t = b->t;

	s->workload = NULL;
	s->fixed_bytes = size_bytes;
	if (size_bytes && sizes[0])
		return flow_builder_error(b, "sizes", "%s, but size is given too; one of the two",
					  weir_quote(sizes).text);
	if (size_bytes == FLOW_UNLIMITED && allowed == SIZES_FINITE)
		return flow_builder_error(b, "size",
					  "unlimited, but flows of pattern %s end; many-to-one and "
					  "permutation have such that do not",
					  t->pattern);
	if (size_bytes)
		return 0;
	if (!sizes[0])
		return flow_builder_error(
			b, "sizes",
			"not given; how large are the flows? Give a distribution, as "
			"in sizes = websearch, or size = 1MB");
	if (workload_new(&s->workload, sizes, b->e))
		return weir_error_prefix(b->e, "traffic.%s.sizes: ", t->name);
	return 0;
}

void flow_sizes_close(struct flow_sizes *s)
{
	workload_free(s->workload);
	s->workload = NULL;
}

double flow_sizes_mean_bytes(const struct flow_sizes *s)
{
	return s->fixed_bytes ? (double)s->fixed_bytes : workload_mean_bytes(s->workload);
}

uint64_t flow_sizes_at(const struct flow_sizes *s, double u)
{
	const double below_one = 1 - 0x1p-53;

	if (s->fixed_bytes)
		return s->fixed_bytes;
	return workload_size(s->workload, u < below_one ? u : below_one);
}

/* --- plug-ins: every flow is checked, so that their mistakes are messages --- */

static uint64_t plugin_host_rate_bps(const struct weir_flow_builder *pub, uint32_t host)
{
	const struct network *net = ((const struct flow_builder *)pub)->net;

	return host < net->host_count ? (uint64_t)host_access_bps(net, host) : 0;
}

static int plugin_check_flow(struct flow_builder *b, const struct weir_flow *f)
{
	uint32_t hosts = b->net->host_count;
	struct flow_plan p = { .size_bytes = f->size_bytes, .start_ps = f->start_ps };

	if (f->src >= hosts || f->dst >= hosts)
		return weir_error_set(b->e,
				      "a flow from host %" PRIu32 " to %" PRIu32
				      "; hosts are 0 to %" PRIu32,
				      f->src, f->dst, hosts - 1);
	if (f->src == f->dst)
		return weir_error_set(b->e, "a flow from host %" PRIu32 " to itself", f->src);
	if (f->size_bytes == 0 ||
	    (f->size_bytes > FLOW_SIZE_MAX_BYTES && f->size_bytes != FLOW_UNLIMITED))
		return weir_error_set(b->e,
				      "a flow of %" PRIu64 " bytes; allowed are 1 to %" PRIu64
				      " and WEIR_FLOW_UNLIMITED",
				      f->size_bytes, FLOW_SIZE_MAX_BYTES);
	if (f->start_ps < 0 || f->start_ps > START_MAX_PS)
		return weir_error_set(
			b->e, "a flow that starts at %" PRId64 " ps; allowed are 0 to %" PRId64,
			f->start_ps, (int64_t)START_MAX_PS);
	return flow_builder_check_endless(b, &p, b->e);
}

static int plugin_add_flow(struct weir_flow_builder *pub, const struct weir_flow *f)
{
	struct flow_builder *b = (struct flow_builder *)pub;

	if (b->refused)
		return -1;
	b->refused = 1;
	if (plugin_check_flow(b, f))
		return weir_error_prefix(b->e, "traffic.%s.pattern: %s: ", b->t->name,
					 b->t->pattern);
	if (flow_builder_reserve_one(b))
		return -1;
	flow_builder_add(b, &(struct flow_plan){ f->src, f->dst, f->size_bytes, f->start_ps });
	b->refused = 0;
	return 0;
}

void flow_builder_init(struct flow_builder *b, struct flow_list *list,
		       const struct traffic_config *t, const struct config *c,
		       const struct network *net)
{
	*b = (struct flow_builder){
		.pub = {
			.hosts = net->host_count,
			.start_first_ps = t->start.first_ps,
			.start_last_ps = t->start.last_ps,
			.end_ps = (int64_t)c->measure.to_ps,
			.rng = &b->rng,
			.rate_bps = plugin_host_rate_bps,
			.add = plugin_add_flow,
		},
		.list = list,
		.t = t,
		.c = c,
		.net = net,
		.rng = weir_rng_make(c->seed, (uint64_t)(t - c->traffic), WEIR_RNG_TRAFFIC),
		.first = list->count,
	};
}

/* A refused flow, or none at all, is an error whatever the hook returns. */
static int plugin_generate(struct flow_builder *b)
{
	const struct traffic_config *t = b->t;
	int failed;

	weir_error_set(b->e, "it failed and does not say why");
	failed = t->ops->generate(&b->pub, t->params);
	if (b->refused)
		return -1;
	if (failed)
		return weir_error_prefix(b->e, "traffic.%s.pattern: %s: ", t->name, t->pattern);
	return b->list->count > b->first
		       ? 0
		       : flow_builder_error(b, "pattern", "%s adds no flow", t->pattern);
}

int flow_builder_generate(struct flow_builder *b, struct weir_error *e)
{
	b->e = b->pub.error = e;
	return is_plugin(b->t->pattern) ? plugin_generate(b)
					: b->t->ops->generate(&b->pub, b->t->params);
}

/* --- patterns whose flows are in a file --- */

int flow_import_add(struct flow_import *i, const struct flow_plan *p)
{
	struct flow_builder *b = i->b;
	struct weir_error e;
	struct flow_plan placed = *p;

	if (p->start_ps != WEIR_TIME_NEVER_PS)
		placed.start_ps += b->t->start.first_ps;
	if (p->src == p->dst)
		return line_file_error(&i->in, "source and destination are both h%u", p->src);
	if (flow_builder_check_endless(b, &placed, &e))
		return line_file_error(&i->in, "%s", e.text);
	if (flow_builder_reserve_one(b))
		return -1;
	flow_builder_add(b, &placed);
	return 0;
}

int flow_import_file(struct flow_import *i, int (*read)(struct flow_import *))
{
	struct flow_builder *b = i->b;
	const struct flow_import_params *p = b->params;
	int failed;

	b->stop_ps = p->stop_ps;
	if (b->t->start.first_ps != b->t->start.last_ps)
		return flow_builder_error(
			b, "start",
			"a span, but the file says when each flow starts; give one "
			"time to count from");
	if (p->file[0] == '\0')
		return flow_builder_error(b, "file", "not given; pattern %s needs file = flows.txt",
					  b->t->pattern);
	failed = line_file_open(&i->in, p->file, b->e);
	if (!failed) {
		failed = read(i);
		line_file_close(&i->in);
	}
	if (failed && strncmp(b->e->text, "traffic.", strlen("traffic.")) != 0)
		weir_error_prefix(b->e, "traffic.%s.file: ", b->t->name);
	return failed;
}
