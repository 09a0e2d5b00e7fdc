/* plugin_guard.c -- see plugin_guard.h.
 *
 * A guarded scheme's ops are copies of its own in which the hooks that decide are replaced; the guard is
 * what the ports hold as the scheme's parameters. */
#include "sim/config/plugin_guard.h"
#include "sim/base/memory.h"
#include "sim/config/plugin.h"
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

struct plugin_guard {
	const struct config *config;
	/* What ports call instead, of both: one of them may be a built-in one. */
	struct weir_mark_ops mark;
	struct weir_sched_ops sched;
	atomic_int is_caught;
	struct weir_error error; /* of whoever set is_caught first */
};

static struct plugin_guard *guard_of(const void *params)
{
	return (struct plugin_guard *)params;
}

/* The first mistake is kept; the threads of one window may make several. */
#define CATCH(g, ...) \
	do { \
		if (!atomic_exchange(&(g)->is_caught, 1)) \
			weir_error_set(&(g)->error, __VA_ARGS__); \
	} while (0)

/* "./mine.so" of "./mine.so(k=3)", for %.*s. */
#define NAME(spec) (int)strcspn(spec, "("), spec

/* --- marking schemes --- */

static uint32_t checked_verdict(struct plugin_guard *g, const char *hook, uint32_t verdict)
{
	uint32_t what = verdict & ((1u << WEIR_MARK_VERDICT_BITS) - 1);

	if (what <= WEIR_MARK_DROP && verdict >> WEIR_MARK_VERDICT_BITS < WEIR_MARK_REASONS)
		return verdict;
	CATCH(g,
	      "marking scheme %.*s: its .%s returned %" PRIu32
	      ", which is no verdict; there are WEIR_MARK_PASS, WEIR_MARK_CE and WEIR_MARK_DROP, "
	      "with reasons 0 "
	      "to %d",
	      NAME(g->config->switches.marking), hook, verdict, WEIR_MARK_REASONS - 1);
	return WEIR_MARK_PASS;
}

static uint32_t guarded_enqueue(void *state, const void *params, const struct weir_mark_view *v)
{
	struct plugin_guard *g = guard_of(params);

	return checked_verdict(g, "enqueue",
			       g->config->mark->enqueue(state, g->config->mark_params, v));
}

static uint32_t guarded_dequeue(void *state, const void *params, const struct weir_mark_view *v)
{
	struct plugin_guard *g = guard_of(params);

	return checked_verdict(g, "dequeue",
			       g->config->mark->dequeue(state, g->config->mark_params, v));
}

static uint32_t guarded_choice(void *state, const void *params, const struct weir_mark_view *v,
			       const struct weir_queue *queues)
{
	struct plugin_guard *g = guard_of(params);
	uint32_t queue = g->config->mark->choose_queue(state, g->config->mark_params, v, queues);

	if (queue < g->config->queues)
		return queue;
	CATCH(g, "marking scheme %.*s chose queue %" PRIu32 "; ports have %" PRIu32,
	      NAME(g->config->switches.marking), queue, g->config->queues);
	return v->queue;
}

static uint32_t guarded_needs(const void *params)
{
	return weir_mark_needs(guard_of(params)->config->mark,
			       guard_of(params)->config->mark_params);
}

static size_t guarded_size(const void *params)
{
	return weir_mark_state_size(guard_of(params)->config->mark,
				    guard_of(params)->config->mark_params);
}

static uint64_t guarded_quiet(const void *params)
{
	const struct config *c = guard_of(params)->config;

	return c->mark->quiet_below(c->mark_params);
}

static int guarded_passes_idle(const void *params)
{
	const struct config *c = guard_of(params)->config;

	return c->mark->passes_idle(c->mark_params);
}

static void guarded_mark_init(void *state, const void *params, const struct weir_mark_env *env)
{
	const struct config *c = guard_of(params)->config;

	c->mark->init(state, c->mark_params, env);
}

static void guard_mark(struct plugin_guard *g)
{
	const struct weir_mark_ops *inner = g->config->mark;

	g->mark = *inner;
	g->mark.needs = guarded_needs;
	g->mark.size = guarded_size;
	g->mark.init = inner->init ? guarded_mark_init : NULL;
	g->mark.quiet_below = inner->quiet_below ? guarded_quiet : NULL;
	g->mark.passes_idle = inner->passes_idle ? guarded_passes_idle : NULL;
	g->mark.choose_queue = inner->choose_queue ? guarded_choice : NULL;
	g->mark.enqueue = inner->enqueue ? guarded_enqueue : NULL;
	g->mark.dequeue = inner->dequeue ? guarded_dequeue : NULL;
	g->mark.glances = NULL;
}

/* --- schedulers --- */

/* Behind the scheduler's own state, which so stays where its hooks expect it: which queues hold packets
 * and are not paused. */
struct guarded_state {
	uint64_t active[WEIR_QUEUES_MAX / 64];
};

static size_t inner_size(const struct config *c)
{
	size_t size = c->sched->state_size + c->queues * c->sched->queue_state_size;

	return (size + 7) & ~(size_t)7;
}

static struct guarded_state *own_state(const struct config *c, void *state)
{
	return (struct guarded_state *)((char *)state + inner_size(c));
}

static int is_active(const struct guarded_state *s, uint32_t q)
{
	return (int)(s->active[q / 64] >> (q % 64) & 1);
}

static void set_active(struct guarded_state *s, uint32_t q, uint64_t active)
{
	s->active[q / 64] = (s->active[q / 64] & ~(UINT64_C(1) << (q % 64))) | active << (q % 64);
}

static void guarded_sched_init(void *state, const void *params, uint32_t queues)
{
	const struct config *c = guard_of(params)->config;

	c->sched->init(state, c->sched_params, queues);
}

static void guarded_activate(void *state, const void *params, uint32_t q,
			     const struct weir_queue *queues)
{
	const struct config *c = guard_of(params)->config;

	set_active(own_state(c, state), q, 1);
	if (c->sched->activate)
		c->sched->activate(state, c->sched_params, q, queues);
}

static void guarded_halt(void *state, const void *params, uint32_t q)
{
	const struct config *c = guard_of(params)->config;

	set_active(own_state(c, state), q, 0);
	c->sched->halt(state, c->sched_params, q);
}

static void guarded_sent(void *state, const void *params, uint32_t q, uint32_t bytes,
			 const struct weir_queue *queues)
{
	const struct config *c = guard_of(params)->config;

	if (queues[q].pkts == 0)
		set_active(own_state(c, state), q, 0);
	if (c->sched->sent)
		c->sched->sent(state, c->sched_params, q, bytes, queues);
}

static uint32_t first_active(const struct guarded_state *s)
{
	uint32_t q = 0;

	while (!is_active(s, q))
		q++;
	return q;
}

static uint32_t guarded_pick(void *state, const void *params, const struct weir_queue *queues)
{
	struct plugin_guard *g = guard_of(params);
	const struct config *c = g->config;
	uint32_t q = c->sched->pick(state, c->sched_params, queues);

	if (q < c->queues && is_active(own_state(c, state), q))
		return q;
	if (q >= c->queues)
		CATCH(g, "scheduler %.*s picked queue %" PRIu32 "; ports have %" PRIu32,
		      NAME(c->switches.scheduler), q, c->queues);
	else
		CATCH(g, "scheduler %.*s picked queue %" PRIu32 ", which is %s",
		      NAME(c->switches.scheduler), q, queues[q].pkts ? "paused" : "empty");
	return first_active(own_state(c, state));
}

static uint64_t guarded_quantum(const void *params, uint32_t q, uint32_t mtu_bytes)
{
	const struct config *c = guard_of(params)->config;

	return c->sched->quantum(c->sched_params, q, mtu_bytes);
}

static int64_t guarded_rank(const void *params, const struct weir_packet *packet, int64_t now_ps)
{
	const struct config *c = guard_of(params)->config;

	return c->sched->rank(c->sched_params, packet, now_ps);
}

static void guard_sched(struct plugin_guard *g)
{
	const struct weir_sched_ops *inner = g->config->sched;

	g->sched = *inner;
	g->sched.state_size = inner_size(g->config) + sizeof(struct guarded_state);
	g->sched.queue_state_size = 0;
	g->sched.init = inner->init ? guarded_sched_init : NULL;
	g->sched.activate = guarded_activate;
	g->sched.halt = inner->halt ? guarded_halt : NULL;
	g->sched.pick = guarded_pick;
	g->sched.quantum = inner->quantum ? guarded_quantum : NULL;
	g->sched.rank = inner->rank ? guarded_rank : NULL;
	g->sched.sent = guarded_sent;
}

/* --- the guard --- */

struct plugin_guard *plugin_guard_new(const struct config *c)
{
	struct plugin_guard *g;

	if (!is_plugin(c->switches.marking) && !is_plugin(c->switches.scheduler))
		return NULL;
	g = memory_new(1, sizeof(*g));
	g->config = c;
	guard_mark(g);
	guard_sched(g);
	return g;
}

void plugin_guard_free(struct plugin_guard *g)
{
	if (g)
		memory_free(g, 1, sizeof(*g));
}

void plugin_guard_plan(struct plugin_guard *g, struct weir_port_plan *plan)
{
	if (!g)
		return;
	plan->mark = &g->mark;
	plan->mark_params = g;
	plan->sched = &g->sched;
	plan->sched_params = g;
}

int plugin_guard_caught(struct plugin_guard *g, struct weir_error *e)
{
	if (!g || !atomic_load(&g->is_caught))
		return 0;
	*e = g->error;
	return 1;
}
