/* SPDX-License-Identifier: BSD-3-Clause */
/* ecn.c -- mark while the queue is at or above a fixed length K.
 *
 * Alizadeh et al., "Data Center TCP", SIGCOMM 2010, section 3.1: one threshold on the instantaneous
 * length, no averaging. The length may be that of the packet's queue, of the whole port or of the
 * switch's buffer pool; Bai et al., "Enabling ECN over Generic Packet Scheduling", CoNEXT 2016,
 * section 3.2 says what each is good for. It is what the packet finds when it arrives, or what it
 * leaves behind when it departs. */
#include "weir/mark.h"

enum ecn_scope { ECN_QUEUE, ECN_PORT, ECN_POOL };
enum ecn_at { ECN_AT_ENQUEUE, ECN_AT_DEQUEUE };

struct ecn_params {
	uint64_t k; /* WEIR_OPT_LENGTH */
	uint64_t scope, at;
};

#define K_MAX (UINT64_C(4) * 1000 * 1000 * 1000)

static const char *const scopes[] = { "queue", "port", "pool", NULL };
static const char *const places[] = { "enqueue", "dequeue", NULL };

static const struct weir_option ecn_options[] = {
	{ "k", WEIR_OPT_LENGTH, offsetof(struct ecn_params, k), "65pkts", 0, K_MAX,
	  "marking threshold: packets are marked while the queue is at or above it", NULL },
	{ "scope", WEIR_OPT_CHOICE, offsetof(struct ecn_params, scope), "queue", 0, 0,
	  "which length is compared: of the packet's queue, of its port, or of the shared buffer",
	  scopes },
	{ "at", WEIR_OPT_CHOICE, offsetof(struct ecn_params, at), "enqueue", 0, 0,
	  "when it is compared: at enqueue or at dequeue", places },
	{ .name = NULL },
};

static int ecn_check(const void *params, struct weir_error *e)
{
	const struct ecn_params *p = params;

	if (p->scope == ECN_POOL && weir_length_is_packets(p->k))
		return weir_error_set(
			e, "k is in packets, but scope=pool counts bytes; write it as in k=100KB");
	return 0;
}

static uint32_t ecn_needs(const void *params)
{
	const struct ecn_params *p = params;

	return (p->scope == ECN_POOL ? WEIR_MARK_NEEDS_SHARED_BUFFER : 0u) |
	       (p->at == ECN_AT_ENQUEUE ? WEIR_MARK_NEEDS_ENQUEUE : WEIR_MARK_NEEDS_DEQUEUE);
}

/* A queue is never longer than its port; the shared buffer is not bounded by it. */
static uint64_t ecn_quiet_below(const void *params)
{
	const struct ecn_params *p = params;

	return p->scope == ECN_POOL ? 0 : p->k;
}

static uint32_t ecn_verdict(const struct ecn_params *p, const struct weir_mark_view *v)
{
	int reached;

	if (p->scope == ECN_QUEUE)
		reached = weir_length_reached(p->k, v->queue_bytes, v->queue_pkts);
	else if (p->scope == ECN_PORT)
		reached = weir_length_reached(p->k, v->port_bytes, v->port_pkts);
	else
		reached = v->shared_buffer_bytes >= p->k;
	return reached ? WEIR_MARK_CE : WEIR_MARK_PASS;
}

static uint32_t ecn_enqueue(void *state, const void *params, const struct weir_mark_view *v)
{
	const struct ecn_params *p = params;

	(void)state;
	return p->at == ECN_AT_ENQUEUE ? ecn_verdict(p, v) : WEIR_MARK_PASS;
}

static int ecn_is_fast(const void *params)
{
	const struct ecn_params *p = params;

	return p->scope == ECN_QUEUE && p->at == ECN_AT_ENQUEUE;
}

static uint32_t ecn_enqueue_fast(void *state, const void *params, const struct weir_packet *packet,
				 int64_t now_ns, const struct weir_queue *q)
{
	const struct ecn_params *p = params;

	(void)state;
	(void)packet;
	(void)now_ns;
	return weir_length_reached(p->k, q->bytes, q->pkts) ? WEIR_MARK_CE : WEIR_MARK_PASS;
}

static const struct weir_mark_fast_hooks ecn_fast_hooks = {
	.suffice = ecn_is_fast,
	.enqueue = ecn_enqueue_fast,
};

static uint32_t ecn_dequeue(void *state, const void *params, const struct weir_mark_view *v)
{
	const struct ecn_params *p = params;

	(void)state;
	return p->at == ECN_AT_DEQUEUE ? ecn_verdict(p, v) : WEIR_MARK_PASS;
}

const struct weir_mark_ops weir_mark_ecn = {
	.scheme = {
		.name = "ecn",
		.help = "marks packets while the queue length is at or above a threshold K "
			"(DCTCP)",
		.cite = "Alizadeh et al., Data Center TCP, SIGCOMM 2010, section 3.1",
		.params_size = sizeof(struct ecn_params),
		.options = ecn_options,
		.check = ecn_check,
	},
	.reasons = { "length" },
	.needs = ecn_needs,
	.quiet_below = ecn_quiet_below,
	.enqueue = ecn_enqueue,
	.dequeue = ecn_dequeue,
	.fast_hooks = &ecn_fast_hooks,
};
