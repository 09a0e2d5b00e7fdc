/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin_guard.c -- validates the return values of plug-ins' marking schemes and schedulers, see
 * plugin.h.
 *
 * A guarded scheme's ops are a copy of its own with replaced hooks, and the guard takes the place
 * of its params. Hooks run concurrently for different switches; only is_caught and error are
 * shared. */
#include "config/plugin.h"
#include "base/memory.h"
#include "config/nic.h"
#include "config/markings.h"
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* A marking scheme of a plug-in: of switch.marking, of one of its parts or of a NIC. */
struct mark_guard {
	struct weir_mark_ops ops; /* what ports call instead, with the guard as params */
	const struct weir_mark_ops *inner;
	const void *params;
	char name[WEIR_OPT_TEXT_SIZE]; /* as the user named it, without options */
	uint32_t queues;               /* valid results of choose_queue are below this */
	struct plugin_guard *guard;
};

struct plugin_guard {
	const struct config *config;
	struct weir_sched_ops sched; /* what ports call instead */
	int guards_sched;
	atomic_int is_caught;
	struct weir_error error; /* of the thread that set is_caught first */
	uint32_t mark_count;
	struct mark_guard marks[];
};

static struct plugin_guard *guard_of(const void *params)
{
	return (struct plugin_guard *)params;
}

static const struct mark_guard *guard_of_mark(const void *params)
{
	return params;
}

/* Keeps the first violation; threads may report several within a lookahead window. */
#define CATCH(g, ...) \
	do { \
		if (!atomic_exchange(&(g)->is_caught, 1)) \
			weir_error_set(&(g)->error, __VA_ARGS__); \
	} while (0)

/* "./mine.so" of "./mine.so(k=3)", for %.*s. */
#define NAME(spec) (int)strcspn(spec, "("), spec

/* --- marking schemes --- */

static uint32_t guard_verdict(const struct mark_guard *m, const char *hook, uint32_t verdict)
{
	uint32_t what = verdict & ((1u << WEIR_MARK_VERDICT_BITS) - 1);

	if (what <= WEIR_MARK_DROP && verdict >> WEIR_MARK_VERDICT_BITS < WEIR_MARK_REASONS)
		return verdict;
	CATCH(m->guard,
	      "marking scheme %s: its .%s returned %" PRIu32
	      ", which is no verdict; there are WEIR_MARK_PASS, WEIR_MARK_CE and WEIR_MARK_DROP, "
	      "with reasons 0 "
	      "to %d",
	      m->name, hook, verdict, WEIR_MARK_REASONS - 1);
	return WEIR_MARK_PASS;
}

static uint32_t guard_enqueue(void *state, const void *params, const struct weir_mark_view *v)
{
	const struct mark_guard *m = guard_of_mark(params);

	return guard_verdict(m, "enqueue", m->inner->enqueue(state, m->params, v));
}

static uint32_t guard_dequeue(void *state, const void *params, const struct weir_mark_view *v)
{
	const struct mark_guard *m = guard_of_mark(params);

	return guard_verdict(m, "dequeue", m->inner->dequeue(state, m->params, v));
}

static uint32_t guard_choose_queue(void *state, const void *params, const struct weir_mark_view *v,
				   const struct weir_queue *queues)
{
	const struct mark_guard *m = guard_of_mark(params);
	uint32_t queue = m->inner->choose_queue(state, m->params, v, queues);

	if (queue < m->queues)
		return queue;
	CATCH(m->guard, "marking scheme %s chose queue %" PRIu32 "; ports have %" PRIu32, m->name,
	      queue, m->queues);
	return v->queue;
}

static uint32_t guard_needs(const void *params)
{
	const struct mark_guard *m = guard_of_mark(params);

	return weir_mark_needs(m->inner, m->params);
}

static size_t guard_size(const void *params)
{
	const struct mark_guard *m = guard_of_mark(params);

	return weir_mark_state_size(m->inner, m->params);
}

static uint64_t guard_quiet_below(const void *params)
{
	const struct mark_guard *m = guard_of_mark(params);

	return m->inner->quiet_below(m->params);
}

static int guard_passes_idle(const void *params)
{
	const struct mark_guard *m = guard_of_mark(params);

	return m->inner->passes_idle(m->params);
}

static void guard_mark_init(void *state, const void *params, const struct weir_mark_env *env)
{
	const struct mark_guard *m = guard_of_mark(params);

	m->inner->init(state, m->params, env);
}

/* Wraps a scheme if its spec names a plug-in. */
static void guard_mark(struct plugin_guard *g, const char *spec, const struct weir_mark_ops *inner,
		       const void *params)
{
	struct mark_guard *m = &g->marks[g->mark_count];

	if (!is_plugin(spec))
		return;
	g->mark_count++;
	m->guard = g;
	m->inner = inner;
	m->params = params;
	m->queues = g->config->queues;
	snprintf(m->name, sizeof(m->name), "%.*s", NAME(spec));
	m->ops = *inner;
	m->ops.needs = guard_needs;
	m->ops.size = guard_size;
	m->ops.init = inner->init ? guard_mark_init : NULL;
	m->ops.quiet_below = inner->quiet_below ? guard_quiet_below : NULL;
	m->ops.passes_idle = inner->passes_idle ? guard_passes_idle : NULL;
	m->ops.choose_queue = inner->choose_queue ? guard_choose_queue : NULL;
	m->ops.enqueue = inner->enqueue ? guard_enqueue : NULL;
	m->ops.dequeue = inner->dequeue ? guard_dequeue : NULL;
	m->ops.fast_hooks = NULL;
}

void plugin_guard_mark(const struct plugin_guard *g, const struct weir_mark_ops **mark,
		       const void **params)
{
	for (uint32_t i = 0; g && i < g->mark_count; i++)
		if (g->marks[i].inner == *mark && g->marks[i].params == *params) {
			*mark = &g->marks[i].ops;
			*params = &g->marks[i];
			return;
		}
}

const void *plugin_guard_inner(const struct plugin_guard *g, const void *params)
{
	for (uint32_t i = 0; g && i < g->mark_count; i++)
		if (params == &g->marks[i])
			return g->marks[i].params;
	return params;
}

/* --- schedulers --- */

/* Appended to the scheduler's own state: queues that hold packets and are not paused. */
struct guard_state {
	uint64_t active[WEIR_QUEUES_MAX / 64];
};

static size_t guard_inner_size(const struct config *c)
{
	size_t size = c->sched->state_size + c->queues * c->sched->queue_state_size;

	return (size + 7) & ~(size_t)7;
}

static struct guard_state *guard_state(const struct config *c, void *state)
{
	return (struct guard_state *)((char *)state + guard_inner_size(c));
}

static int guard_is_active(const struct guard_state *s, uint32_t q)
{
	return (int)(s->active[q / 64] >> (q % 64) & 1);
}

static void guard_set_active(struct guard_state *s, uint32_t q, uint64_t active)
{
	s->active[q / 64] = (s->active[q / 64] & ~(UINT64_C(1) << (q % 64))) | active << (q % 64);
}

static void guard_sched_init(void *state, const void *params, uint32_t queues)
{
	const struct config *c = guard_of(params)->config;

	c->sched->init(state, c->sched_params, queues);
}

static void guard_activate(void *state, const void *params, uint32_t q,
			   const struct weir_queue *queues)
{
	const struct config *c = guard_of(params)->config;

	guard_set_active(guard_state(c, state), q, 1);
	if (c->sched->activate)
		c->sched->activate(state, c->sched_params, q, queues);
}

static void guard_halt(void *state, const void *params, uint32_t q)
{
	const struct config *c = guard_of(params)->config;

	guard_set_active(guard_state(c, state), q, 0);
	c->sched->halt(state, c->sched_params, q);
}

static void guard_sent(void *state, const void *params, uint32_t q, uint32_t bytes,
		       const struct weir_queue *queues)
{
	const struct config *c = guard_of(params)->config;

	if (queues[q].pkts == 0)
		guard_set_active(guard_state(c, state), q, 0);
	if (c->sched->sent)
		c->sched->sent(state, c->sched_params, q, bytes, queues);
}

static uint32_t guard_first_active(const struct guard_state *s)
{
	uint32_t q = 0;

	while (!guard_is_active(s, q))
		q++;
	return q;
}

static uint32_t guard_pick(void *state, const void *params, const struct weir_queue *queues)
{
	struct plugin_guard *g = guard_of(params);
	const struct config *c = g->config;
	uint32_t q = c->sched->pick(state, c->sched_params, queues);

	if (q < c->queues && guard_is_active(guard_state(c, state), q))
		return q;
	if (q >= c->queues)
		CATCH(g, "scheduler %.*s picked queue %" PRIu32 "; ports have %" PRIu32,
		      NAME(c->switches.scheduler), q, c->queues);
	else
		CATCH(g, "scheduler %.*s picked queue %" PRIu32 ", which is %s",
		      NAME(c->switches.scheduler), q, queues[q].pkts ? "paused" : "empty");
	return guard_first_active(guard_state(c, state));
}

static uint64_t guard_quantum(const void *params, uint32_t q, uint32_t mtu_bytes)
{
	const struct config *c = guard_of(params)->config;

	return c->sched->quantum(c->sched_params, q, mtu_bytes);
}

static int64_t guard_rank(const void *params, const struct weir_packet *packet, int64_t now_ps)
{
	const struct config *c = guard_of(params)->config;

	return c->sched->rank(c->sched_params, packet, now_ps);
}

static void guard_sched(struct plugin_guard *g)
{
	const struct weir_sched_ops *inner = g->config->sched;

	g->sched = *inner;
	g->sched.state_size = guard_inner_size(g->config) + sizeof(struct guard_state);
	g->sched.queue_state_size = 0;
	g->sched.init = inner->init ? guard_sched_init : NULL;
	g->sched.activate = guard_activate;
	g->sched.halt = inner->halt ? guard_halt : NULL;
	g->sched.pick = guard_pick;
	g->sched.quantum = inner->quantum ? guard_quantum : NULL;
	g->sched.rank = inner->rank ? guard_rank : NULL;
	g->sched.sent = guard_sent;
}

/* --- the guard --- */

/* The SPEC of a line "PART SPEC". */
static const char *guard_part_spec(const struct config *c, uint32_t part)
{
	return strchr(c->switches.markings.lines[part].text, ' ') + 1;
}

static const char *guard_nic_spec(const struct config *c)
{
	return nic_has_queue(c) ? ((const struct nic_params *)(const void *)c->nic_params)->marking
				: "";
}

static int guard_has_plugin(const struct config *c)
{
	int found = is_plugin(c->switches.marking) || is_plugin(c->switches.scheduler) ||
		    is_plugin(guard_nic_spec(c));

	for (uint32_t i = 0; c->markings && i < c->markings->count; i++)
		found |= is_plugin(guard_part_spec(c, i));
	return found;
}

static size_t guard_bytes(const struct config *c)
{
	uint32_t parts = c->markings ? c->markings->count : 0;

	return sizeof(struct plugin_guard) + (parts + UINT64_C(2)) * sizeof(struct mark_guard);
}

struct plugin_guard *plugin_guard_new(const struct config *c)
{
	struct plugin_guard *g;

	if (!guard_has_plugin(c))
		return NULL;
	g = memory_new(1, guard_bytes(c));
	g->config = c;
	guard_mark(g, c->switches.marking, c->mark, c->mark_params);
	for (uint32_t i = 0; c->markings && i < c->markings->count; i++)
		guard_mark(g, guard_part_spec(c, i), c->markings->parts[i].mark,
			   c->markings->parts[i].params);
	guard_mark(g, guard_nic_spec(c), c->nic_mark, c->nic_mark_params);
	g->guards_sched = is_plugin(c->switches.scheduler);
	if (g->guards_sched)
		guard_sched(g);
	return g;
}

void plugin_guard_free(struct plugin_guard *g)
{
	if (g)
		memory_free(g, 1, guard_bytes(g->config));
}

void plugin_guard_plan(struct plugin_guard *g, struct weir_port_plan *plan)
{
	if (!g)
		return;
	plugin_guard_mark(g, &plan->mark, &plan->mark_params);
	if (!g->guards_sched)
		return;
	plan->sched = &g->sched;
	plan->sched_params = g;
}

int plugin_guard_error(struct plugin_guard *g, struct weir_error *e)
{
	if (!g || !atomic_load(&g->is_caught))
		return 0;
	*e = g->error;
	return 1;
}
