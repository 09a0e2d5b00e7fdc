/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_maker.c -- what a pattern is given and may do with it.
 *
 * Built-in patterns add flows that they have checked themselves (traffic_make.h). A plug-in adds by
 * a hook that looks at every flow, so that a mistake of its author is a message. */
#include "config/plugin.h"
#include "sim/traffic/traffic_make.h"
#include <inttypes.h>

enum { FLOWS_AT_FIRST = 64 };

static uint64_t host_rate_bps(const struct weir_flow_builder *pub, uint32_t host)
{
	const struct network *net = ((const struct maker *)pub)->net;

	return host < net->host_count ? (uint64_t)host_access_bps(net, host) : 0;
}

static int check_flow(struct maker *m, const struct weir_flow *f)
{
	uint32_t hosts = m->net->host_count;
	struct flow_plan p = { .size_bytes = f->size_bytes, .start_ps = f->start_ps };

	if (f->src >= hosts || f->dst >= hosts)
		return weir_error_set(m->e,
				      "a flow from host %" PRIu32 " to %" PRIu32
				      "; hosts are 0 to %" PRIu32,
				      f->src, f->dst, hosts - 1);
	if (f->src == f->dst)
		return weir_error_set(m->e, "a flow from host %" PRIu32 " to itself", f->src);
	if (f->size_bytes == 0 ||
	    (f->size_bytes > FLOW_SIZE_MAX_BYTES && f->size_bytes != FLOW_UNLIMITED))
		return weir_error_set(m->e,
				      "a flow of %" PRIu64 " bytes; allowed are 1 to %" PRIu64
				      " and WEIR_FLOW_UNLIMITED",
				      f->size_bytes, FLOW_SIZE_MAX_BYTES);
	if (f->start_ps < 0 || f->start_ps > START_MAX_PS)
		return weir_error_set(
			m->e, "a flow that starts at %" PRId64 " ps; allowed are 0 to %" PRId64,
			f->start_ps, (int64_t)START_MAX_PS);
	return maker_check_endless(m, &p, m->e);
}

static int add_checked(struct weir_flow_builder *pub, const struct weir_flow *f)
{
	struct maker *m = (struct maker *)pub;

	if (m->refused)
		return -1;
	m->refused = 1;
	if (check_flow(m, f))
		return weir_error_prefix(m->e, "traffic.%s.pattern: %s: ", m->t->name,
					 m->t->pattern);
	/* Room doubles: how many there will be is not known. */
	if (m->list->count == m->list->capacity &&
	    maker_reserve(m, (uint64_t)m->list->count + FLOWS_AT_FIRST))
		return -1;
	maker_add(m, &(struct flow_plan){ f->src, f->dst, f->size_bytes, f->start_ps });
	m->refused = 0;
	return 0;
}

void maker_init(struct maker *m, struct flow_list *list, const struct traffic_config *t,
		const struct config *c, const struct network *net)
{
	*m = (struct maker){
		.pub = {
			.hosts = net->host_count,
			.start_first_ps = t->start.first_ps,
			.start_last_ps = t->start.last_ps,
			.end_ps = (int64_t)c->measure.to_ps,
			.rng = &m->rng,
			.rate_bps = host_rate_bps,
			.add = add_checked,
		},
		.list = list,
		.t = t,
		.c = c,
		.net = net,
		.rng = weir_rng_make(c->seed, (uint64_t)(t - c->traffic), WEIR_RNG_TRAFFIC),
		.first = list->count,
	};
}

/* Whatever it returns: a flow that was refused, or none at all, is an error. */
static int ask_plugin(struct maker *m)
{
	const struct traffic_config *t = m->t;
	int failed;

	weir_error_set(m->e, "it failed and does not say why");
	failed = t->ops->generate(&m->pub, t->params);
	if (m->refused)
		return -1;
	if (failed)
		return weir_error_prefix(m->e, "traffic.%s.pattern: %s: ", t->name, t->pattern);
	return m->list->count > m->first ? 0
					 : maker_error(m, "pattern", "%s adds no flow", t->pattern);
}

int maker_generate(struct maker *m, struct weir_error *e)
{
	m->e = m->pub.error = e;
	return is_plugin(m->t->pattern) ? ask_plugin(m)
					: m->t->ops->generate(&m->pub, m->t->params);
}
