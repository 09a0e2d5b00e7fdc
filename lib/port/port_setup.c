/* SPDX-License-Identifier: BSD-3-Clause */
/* port_setup.c -- builds classes and ports, and checks the plans they are built from. Before the
 * data path starts; messages name the user's setting. */
#include "lib/port/port_private.h"
#include "weir/rng.h"
#include <inttypes.h>
#include <stddef.h>

const char *const weir_port_drop_names[WEIR_PORT_DROPS] = {
	[WEIR_DROP_QUEUE_FULL] = "queue full",
	[WEIR_DROP_PORT_FULL] = "port buffer full",
	[WEIR_DROP_SHARED_BUFFER_FULL] = "shared buffer full",
	[WEIR_DROP_NOT_ECT] = "marked but not ECN-capable",
	[WEIR_DROP_SCHEME] = "dropped by the marking scheme",
	[WEIR_DROP_LINK_DOWN] = "link down",
	[WEIR_DROP_STORE_FULL] = "packet store full",
};

void weir_buffer_params_init(struct weir_buffer_params *b, enum weir_buffer_scope scope,
			     uint64_t length, uint64_t alpha_q32)
{
	*b = (struct weir_buffer_params){
		.scope = scope,
		.limit_bytes = weir_length_is_packets(length) ? UINT64_MAX : length,
		.limit_pkts =
			weir_length_is_packets(length) ? weir_length_number(length) : UINT64_MAX,
		.alpha_q8 = alpha_q32 >> 24,
	};
}

static enum weir_port_order plan_order(const struct weir_port_plan *plan)
{
	if (plan->sched && plan->sched->rank)
		return WEIR_PORT_RANKED;
	return plan->queues > 1 ? WEIR_PORT_SCHEDULED : WEIR_PORT_FIFO;
}

/* --- checking a plan --- */

/* At this rate the serialisation delay of the largest frame fits 64 bits (weir_bytes_to_ps). */
#define RATE_MIN_BPS (UINT64_C(1) * 1000 * 1000)
#define SHARED_BUFFER_MAX_BYTES ((UINT64_C(1) << 40) - 1)
#define ALPHA_MAX_Q8 UINT64_C(0xffff)

static int plan_check_parts(const struct weir_port_plan *plan, struct weir_error *e)
{
	if (plan->queues < 1 || plan->queues > WEIR_QUEUES_MAX)
		return weir_error_set(e, "a port of %" PRIu32 " queues; allowed are 1 to %d",
				      plan->queues, WEIR_QUEUES_MAX);
	if (!plan->mark)
		return weir_error_set(e, "a port without a marking scheme; \"none\" never marks");
	if (plan->mark->scheme.params_size && !plan->mark_params)
		return weir_error_set(e, "marking %s: its options (mark_params) are missing",
				      plan->mark->scheme.name);
	if (!plan->sched && plan->queues > 1)
		return weir_error_set(e, "a port of %" PRIu32 " queues without a scheduler",
				      plan->queues);
	if (plan->sched && plan->sched->scheme.params_size && !plan->sched_params)
		return weir_error_set(e, "scheduler %s: its options (sched_params) are missing",
				      plan->sched->scheme.name);
	return 0;
}

static int plan_check_sizes(const struct weir_port_plan *plan, struct weir_error *e)
{
	const struct weir_buffer_params *b = &plan->buffer;

	if (plan->rate_bps < RATE_MIN_BPS || plan->rate_bps / 1000000 > UINT32_MAX)
		return weir_error_set(e,
				      "a port of %" PRIu64 " b/s; allowed are 1 Mb/s to "
				      "%" PRIu32 " Mb/s",
				      plan->rate_bps, UINT32_MAX);
	if (plan->mtu_bytes < 1 || plan->mtu_bytes > UINT16_MAX || plan->min_bytes > UINT16_MAX ||
	    plan->overhead_bytes > UINT16_MAX)
		return weir_error_set(e,
				      "frames of up to %" PRIu32 "B, of at least %" PRIu32
				      "B and with %" PRIu32
				      "B around them; allowed are 1 to %d, and up to %d",
				      plan->mtu_bytes, plan->min_bytes, plan->overhead_bytes,
				      UINT16_MAX, UINT16_MAX);
	if (b->scope == WEIR_BUFFER_PER_SWITCH &&
	    (b->limit_bytes > SHARED_BUFFER_MAX_BYTES || b->alpha_q8 > ALPHA_MAX_Q8))
		return weir_error_set(e, "a shared buffer counts bytes, up to 1 TiB, and its alpha "
					 "is below 256");
	return 0;
}

/* A scheme that chooses queues itself names the queues and the scheduler it needs. */
static int plan_check_layout(const struct weir_port_plan *plan, struct weir_error *e)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	struct weir_mark_layout wanted = { .queues = 0 };
	const struct weir_sched_ops *sched;

	if (!plan->mark->layout)
		return 0;
	plan->mark->layout(plan->mark_params, &wanted);
	wanted.scheduler[sizeof(wanted.scheduler) - 1] = '\0';
	if (weir_sched_parse(wanted.scheduler, wanted.queues, &sched, params, e))
		return weir_error_prefix(e, "marking %s: ", plan->mark->scheme.name);
	if (plan->queues == wanted.queues && plan->sched == sched)
		return 0;
	return weir_error_set(e,
			      "marking %s lays out a port itself: it needs %" PRIu32
			      " queues and scheduler %s, not %" PRIu32 " and %s",
			      plan->mark->scheme.name, wanted.queues, wanted.scheduler,
			      plan->queues, plan->sched ? plan->sched->scheme.name : "none");
}

static int plan_check_needs(const struct weir_port_plan *plan, struct weir_error *e)
{
	uint32_t needs = weir_mark_needs(plan->mark, plan->mark_params);
	int has_sched = plan_order(plan) != WEIR_PORT_FIFO;

	if (needs & WEIR_MARK_NEEDS_ROUNDS &&
	    (!has_sched || !plan->sched->quantum || !plan->sched->turn))
		return weir_error_set(e,
				      "marking %s measures the rounds of a scheduler, and %s has "
				      "none; dwrr and wrr do, with two queues or more",
				      plan->mark->scheme.name,
				      has_sched ? plan->sched->scheme.name : "this port");
	if (needs & WEIR_MARK_NEEDS_SHARED_BUFFER && plan->buffer.scope != WEIR_BUFFER_PER_SWITCH)
		return weir_error_set(e,
				      "marking %s looks at the shared buffer of a switch, and this "
				      "port's buffer is its own",
				      plan->mark->scheme.name);
	if (plan->lossless && has_sched && plan->queues > 1 && !plan->sched->halt)
		return weir_error_set(e, "queues of %s cannot be paused, so none is lossless",
				      plan->sched->scheme.name);
	return 0;
}

int weir_port_plan_check(const struct weir_port_plan *plan, struct weir_error *e)
{
	if (plan_check_parts(plan, e) || plan_check_sizes(plan, e) || plan_check_layout(plan, e) ||
	    plan_check_needs(plan, e))
		return -1;
	return plan->sched ? weir_sched_fits(plan->sched, plan->sched_params, plan->queues, e) : 0;
}

/* --- classes and ports --- */

static uint32_t align8(size_t bytes)
{
	return (uint32_t)((bytes + 7) & ~(size_t)7);
}

/* Does the buffer limit any queue? Lossless ones are the owner's. */
static int class_has_limits(const struct weir_port_class *c)
{
	for (uint32_t q = 0; q < c->queues; q++)
		if (!port_queue_is_lossless(c, q))
			return 1;
	return 0;
}

/* Sets the fast_, room_ and quiet_ limits, see struct weir_port_class. */
static void class_set_limits(struct weir_port_class *c)
{
	uint64_t pkts = c->buffer.limit_pkts, bytes = c->buffer.limit_bytes,
		 quiet = UINT64_MAX >> 1;

	if (c->mark_enqueue)
		quiet = c->mark->quiet_below ? c->mark->quiet_below(c->mark_params) : 0;
	c->quiet_pkts = c->quiet_bytes = UINT32_MAX;
	if (weir_length_is_packets(quiet))
		c->quiet_pkts = clamp32(weir_length_number(quiet));
	else
		c->quiet_bytes = clamp32(quiet);
	if (!class_has_limits(c))
		pkts = bytes = UINT64_MAX;
	else if (c->buffer.scope == WEIR_BUFFER_PER_SWITCH)
		pkts = 0;
	if (bytes != UINT64_MAX)
		bytes -= c->mtu_bytes < bytes ? c->mtu_bytes : bytes;
	c->room_pkts = clamp32(pkts);
	c->room_bytes = clamp32(bytes);
	c->fast_pkts = c->room_pkts < c->quiet_pkts ? c->room_pkts : c->quiet_pkts;
	c->fast_bytes = c->room_bytes < c->quiet_bytes ? c->room_bytes : c->quiet_bytes;
}

/* The dequeue hook of a scheme that has none, in ports that count sojourn times. */
static uint32_t class_pass_dequeue(void *state, const void *params, const struct weir_mark_view *v)
{
	(void)state;
	(void)params;
	(void)v;
	return WEIR_MARK_PASS;
}

/* A dequeue hook sees packets that skipped the queue as well, unless its scheme passes them
 * unconditionally. */
static uint32_t class_dequeue_hooks(const struct weir_port_plan *plan,
				    const struct weir_port_class *c)
{
	const struct weir_mark_ops *mark = plan->mark;

	if (!c->mark_dequeue)
		return 0;
	if (!c->counts_sojourn && mark->passes_idle && mark->passes_idle(plan->mark_params))
		return WEIR_PORT_HOOK_QUEUED;
	return WEIR_PORT_HOOK_QUEUED | WEIR_PORT_HOOK_IDLE;
}

/* The fast hooks that are valid for these options: none without their slow counterpart, and no
 * dequeue hook where dequeue needs more than a fast hook sees (slow_dequeue). */
static struct weir_mark_fast_hooks class_fast_hooks(const struct weir_port_plan *plan,
						    const struct weir_port_class *c)
{
	const struct weir_mark_fast_hooks *all = plan->mark->fast_hooks;
	struct weir_mark_fast_hooks hooks = { 0 };

	if (!all || (all->suffice && !all->suffice(plan->mark_params)))
		return hooks;
	hooks = *all;
	if (!c->mark_enqueue)
		hooks.enqueue = NULL;
	if (!c->mark_dequeue || c->slow_dequeue)
		hooks.dequeue = NULL;
	return hooks;
}

size_t weir_port_class_size(void)
{
	return sizeof(struct weir_port_class);
}

size_t weir_port_size(const struct weir_port_class *c)
{
	return c->size;
}

void weir_port_class_init(struct weir_port_class *c, const struct weir_port_plan *plan)
{
	uint32_t per_port = plan->mark->scope == WEIR_MARK_STATE_PER_PORT;
	uint32_t states = per_port ? 1 : plan->queues;
	uint32_t needs = weir_mark_needs(plan->mark, plan->mark_params);
	uint32_t state_size = align8(weir_mark_state_size(plan->mark, plan->mark_params));
	enum weir_port_order order = plan_order(plan);

	*c = (struct weir_port_class){
		.mark_enqueue = needs & WEIR_MARK_NEEDS_ENQUEUE ? plan->mark->enqueue : NULL,
		.mark_dequeue = needs & WEIR_MARK_NEEDS_DEQUEUE ? plan->mark->dequeue
				: plan->counts_sojourn          ? class_pass_dequeue
								: NULL,
		.mark_params = plan->mark_params,
		.ps_per_byte_q20 = weir_bps_to_ps_per_byte_q20(plan->rate_bps),
		.buffer = plan->buffer,
		.overhead_bytes = plan->overhead_bytes,
		.min_bytes = plan->min_bytes,
		.order = order,
		.queues = plan->queues,
		.choose_queue = plan->mark->choose_queue,
		.rtt_ns = plan->rtt_ns,
		.mark_stride = per_port ? 0 : state_size,
		.mark_needs = needs,
		.pass_not_ect = plan->pass_not_ect,
		.lossless = plan->lossless,
		.counts_sojourn = plan->counts_sojourn,
		.rate_bps = plan->rate_bps,
		.rate_mbps = (uint32_t)(plan->rate_bps / 1000000),
		.sched = order == WEIR_PORT_FIFO ? NULL : plan->sched,
		.sched_params = plan->sched_params,
		.mark = plan->mark,
		.mtu_bytes = plan->mtu_bytes,
	};
	c->dequeue_hooks = class_dequeue_hooks(plan, c);
	c->slow_dequeue = c->counts_sojourn || c->buffer.scope == WEIR_BUFFER_PER_SWITCH ||
			  needs & (WEIR_MARK_NEEDS_ROUNDS | WEIR_MARK_NEEDS_SHARED_BUFFER);
	c->fast_hooks = class_fast_hooks(plan, c);
	class_set_limits(c);
	c->mark_offset =
		align8(sizeof(struct weir_port) + plan->queues * sizeof(struct weir_queue));
	c->sched_offset = c->mark_offset + states * state_size;
	c->size = c->sched_offset;
	if (order != WEIR_PORT_FIFO)
		c->size += align8(plan->sched->state_size +
				  plan->queues * plan->sched->queue_state_size);
	c->cold_offset = plan->cold_is_apart ? 0 : c->size;
	if (!plan->cold_is_apart)
		c->size += align8(sizeof(struct weir_port_cold));
	for (uint32_t i = 0; i < sizeof(c->class_queue); i++)
		c->class_queue[i] = (uint8_t)(i < plan->queues ? i : plan->queues - 1);
}

void weir_port_init(struct weir_port *p, const struct weir_port_class *c,
		    struct weir_shared_buffer *shared, uint64_t seed)
{
	uint32_t states = c->mark_stride ? c->queues : 1;
	uint64_t quantum_bytes[WEIR_QUEUES_MAX];

	p->kind = c;
	p->shared_buffer = shared;
	if (c->cold_offset)
		p->cold = (struct weir_port_cold *)((char *)p + c->cold_offset);
	for (uint32_t q = 0; q < c->queues; q++)
		quantum_bytes[q] = c->sched && c->sched->quantum
					   ? c->sched->quantum(c->sched_params, q, c->mtu_bytes)
					   : c->mtu_bytes;
	for (uint32_t q = 0; q < states && c->mark->init; q++) {
		struct weir_mark_env env = {
			.seed = weir_hash64(seed, q),
			.rate_bps = c->rate_bps,
			.rtt_ns = c->rtt_ns,
			.queues = c->queues,
			.queue = q,
			.mtu_bytes = c->mtu_bytes,
			.quantum_bytes = quantum_bytes,
		};

		c->mark->init(weir_port_mark_state(p, q), c->mark_params, &env);
	}
	if (c->sched && c->sched->init)
		c->sched->init(weir_port_sched_state(p), c->sched_params, c->queues);
}
