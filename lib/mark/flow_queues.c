/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_queues.c -- set-up and queue assignment, the slow path of flow_queues.h. */
#include "lib/mark/flow_queues.h"
#include <inttypes.h>
#include <stdio.h>

/* A packet has less than 2^16 bytes, so that one may exceed the limit and still be counted. */
#define LIMIT_MAX_BYTES ((UINT32_C(1) << FLOW_PASSED_BITS) - (UINT32_C(1) << 16))
#define PASSED_MASK ((UINT32_C(1) << FLOW_PASSED_BITS) - 1)

_Static_assert(WEIR_QUEUES_MAX <= 1 << (32 - FLOW_PASSED_BITS),
	       "the number of a queue fits a place in the map");
_Static_assert(PASS_LIMIT_MAX <= LIMIT_MAX_BYTES, "so does what may pass");

const char *const weir_flow_releases[] = { "silent", "drained", NULL };

int weir_flow_queues_check(const struct flow_queues_params *p, struct weir_error *e)
{
	if (weir_length_is_packets(p->pass_limit) &&
	    weir_length_number(p->pass_limit) > PASS_LIMIT_MAX_PKTS)
		return weir_error_set(e, "pass-limit is at most %dpkts", PASS_LIMIT_MAX_PKTS);
	return 0;
}

void weir_flow_queues_layout(const struct flow_queues_params *p, struct weir_mark_layout *l)
{
	l->queues = (uint32_t)p->queues;
	snprintf(l->scheduler, sizeof(l->scheduler),
		 "sp-dwrr(priority-queues=1, quantum=%" PRIu64 "B)", p->quantum_bytes);
}

static uint32_t flow_queues_entries(const struct flow_queues_params *p)
{
	return (uint32_t)p->queues * FLOW_MAP_PER_QUEUE;
}

size_t weir_flow_queues_size(const struct flow_queues_params *p)
{
	return sizeof(struct flow_queues) + flow_queues_entries(p) * sizeof(struct flow_place);
}

void weir_flow_queues_init(struct flow_queues *f, const struct flow_queues_params *p,
			   const struct weir_mark_env *env)
{
	uint64_t limit_bytes = weir_length_is_packets(p->pass_limit)
				       ? weir_length_number(p->pass_limit) * env->mtu_bytes
				       : p->pass_limit;
	uint64_t period_ns = flow_queues_period_ns(p, env);

	/* weir_port_plan_check refuses ports with other queues than the layout; be safe anyway. */
	f->queues = env->queues < p->queues ? env->queues : (uint32_t)p->queues;
	f->filled = f->queues; /* until they are set empty */
	f->hold_ns = p->release == FLOW_RELEASE_DRAINED ? -1 : (int64_t)period_ns;
	for (uint32_t q = 0; q < f->queues; q++) {
		flow_queues_drain(f, q);
		f->owner[q].heard_ns = -f->hold_ns - 1; /* not held at time 0 */
	}
	f->unsure = FLOW_NO_QUEUE;
	f->entries = flow_queues_entries(p);
	f->limit_bytes = (uint32_t)(limit_bytes < LIMIT_MAX_BYTES ? limit_bytes : LIMIT_MAX_BYTES);
	f->period_ns = (uint32_t)(period_ns < UINT32_MAX ? period_ns : UINT32_MAX);
}

/* The first free queue, except the priority queue. */
static uint32_t flow_queues_first_free(const struct flow_queues *f, int64_t now_ns)
{
	uint64_t word = f->empty[0] & ~(UINT64_C(1) << FLOW_QUEUE_PRIORITY);

	for (uint32_t w = 0;; word = f->empty[w]) {
		for (; word; word &= word - 1) {
			uint32_t q = w * 64 + (uint32_t)__builtin_ctzll(word);

			if (!flow_queues_is_held(f, q, now_ns))
				return q;
		}
		if (++w == FLOW_EMPTY_WORDS)
			return FLOW_NO_QUEUE;
	}
}

/* The shortest queue, except the priority queue; once per flow that exceeds its limit. */
static uint32_t flow_queues_shortest(const struct flow_queues *f, const struct weir_queue *queues)
{
	uint32_t least = FLOW_QUEUE_PRIORITY + (f->queues > 1);

	for (uint32_t q = least + 1; q < f->queues; q++)
		if (queues[q].bytes < queues[least].bytes)
			least = q;
	return least;
}

uint32_t weir_flow_queues_assign(struct flow_queues *f, uint32_t flow_hash, struct flow_arrival a,
				 const struct weir_queue *queues)
{
	struct flow_place *place = flow_queues_place(f, flow_hash);
	uint32_t now_ns = (uint32_t)a.now_ns, passed_bytes = a.bytes, q;

	flow_queues_settle(f, queues);
	q = flow_queues_first_free(f, a.now_ns);
	if (q != FLOW_NO_QUEUE) {
		*place = (struct flow_place){ .queue = (uint8_t)q, .given = ++f->owner[q].given };
		return flow_queues_use(f, q, a.now_ns, queues);
	}
	/* Times are truncated to 32 bits, so a silence of a multiple of 4.3 s plus less than a
	 * period goes unnoticed. */
	if (place->queue == FLOW_QUEUE_PRIORITY && now_ns - place->given <= f->period_ns)
		passed_bytes += place->passed_bytes;
	if (passed_bytes > f->limit_bytes) {
		q = flow_queues_shortest(f, queues);
		*place = (struct flow_place){ .queue = (uint8_t)q, .given = f->owner[q].given };
		f->joins++;
		return flow_queues_use(f, q, a.now_ns, queues);
	}
	*place = (struct flow_place){ .passed_bytes = passed_bytes & PASSED_MASK, .given = now_ns };
	f->priority_pkts++;
	return flow_queues_use(f, FLOW_QUEUE_PRIORITY, a.now_ns, queues);
}
