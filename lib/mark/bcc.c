/* SPDX-License-Identifier: BSD-3-Clause */
/* bcc.c -- mark by the port's length, and by the switch's whole buffer when that gets scarce.
 *
 * BCC: Bai, Hu, Chen, Tan, Xiong, "One More Config is Enough: Saving (DC)TCP for High-speed
 * Extremely Shallow-buffered Datacenters", INFOCOM 2020; first in Bai, Chen, Hu, Tan, Xiong,
 * "Congestion Control for High-speed Extremely Shallow-buffered Datacenter Networks", APNet 2017,
 * whose sections on mechanism and parameters are followed here. Two configurations of a commodity
 * switch, either of which marks:
 *	port	the standard one: everything while the port is at or above k = C RTT lambda;
 *	pool	RED on the instantaneous fill of the shared buffer: nothing below pool-min, in a
 *		line up to p at pool-max, everything from there on.
 * A queue may hold alpha times the free buffer (dynamic thresholds) and needs B_R = C RTT (1 +
 * lambda) for full throughput without loss: k and a round trip of slow start. So the buffer B gets
 * scarce at
 *	pool-max = B - B_R / alpha,	pool-min = pool-max - C N h,
 * N ports of rate C and h = 8 us; the distance keeps flows from being cut all at once. Memory
 * reserved for each queue lowers B_R. In the paper's example, 100 Gb/s, RTT 80 us, lambda 0.72,
 * 3 MB for 8 ports, alpha 4 and 128 KB reserved for each, B_R is 1.6 MB, k = 720 KB, pool-max =
 * 2.6 MB, pool-min = 1.8 MB and p = 10 %. Like those of other schemes the defaults are for 10 Gb/s:
 * the same with a tenth of the speed and of the buffer.
 *
 * Differs: a packet is judged by what it finds at enqueue; the paper's switches mark at egress. */
#include "lib/mark/red_common.h"
#include "weir/mark.h"
#include "weir/rng.h"

enum bcc_reason { BCC_PORT, BCC_POOL };

struct bcc_params {
	uint64_t k; /* WEIR_OPT_LENGTH */
	uint64_t pool_min_bytes, pool_max_bytes;
	uint64_t p_q32;
};

struct bcc_state {
	struct weir_rng rng;
};

#define LENGTH_MAX (UINT64_C(4) * 1000 * 1000 * 1000)

static const struct weir_option bcc_options[] = {
	{ "k", WEIR_OPT_LENGTH, offsetof(struct bcc_params, k), "72KB", 0, LENGTH_MAX,
	  "packets are marked while the queues of their port hold at least this much", NULL },
	{ "pool-min", WEIR_OPT_BYTES, offsetof(struct bcc_params, pool_min_bytes), "180KB", 0,
	  LENGTH_MAX, "shared-buffer occupancy below which no packet is marked for it", NULL },
	{ "pool-max", WEIR_OPT_BYTES, offsetof(struct bcc_params, pool_max_bytes), "260KB", 0,
	  LENGTH_MAX, "shared-buffer occupancy from which on every packet is marked", NULL },
	{ "p", WEIR_OPT_FRACTION_Q32, offsetof(struct bcc_params, p_q32), "0.1", 0, WEIR_ONE_Q32,
	  "marking probability at pool-max, linear from 0 at pool-min", NULL },
	{ .name = NULL },
};

static int bcc_check(const void *params, struct weir_error *e)
{
	const struct bcc_params *p = params;

	if (p->pool_min_bytes > p->pool_max_bytes)
		return weir_error_set(e, "pool-min is above pool-max");
	return 0;
}

static uint32_t bcc_needs(const void *params)
{
	(void)params;
	return WEIR_MARK_NEEDS_ENQUEUE | WEIR_MARK_NEEDS_SHARED_BUFFER;
}

static void bcc_init(void *state, const void *params, const struct weir_mark_env *env)
{
	struct bcc_state *s = state;

	(void)params;
	s->rng = weir_rng_make(env->seed, 0, WEIR_RNG_MARKING);
}

static uint32_t bcc_enqueue(void *state, const void *params, const struct weir_mark_view *v)
{
	struct bcc_state *s = state;
	const struct bcc_params *p = params;

	if (weir_length_reached(p->k, v->port_bytes, v->port_pkts))
		return WEIR_MARK_CE | weir_mark_reason(BCC_PORT);
	if (v->shared_buffer_bytes < p->pool_min_bytes)
		return WEIR_MARK_PASS;
	if (v->shared_buffer_bytes >= p->pool_max_bytes ||
	    ramp_hits(weir_rng_u32(&s->rng), p->p_q32, v->shared_buffer_bytes - p->pool_min_bytes,
		      p->pool_max_bytes - p->pool_min_bytes))
		return WEIR_MARK_CE | weir_mark_reason(BCC_POOL);
	return WEIR_MARK_PASS;
}

const struct weir_mark_ops weir_mark_bcc = {
	.scheme = {
		.name = "bcc",
		.help = "marks by the port's queue length, and by shared-buffer occupancy when "
			"the buffer gets scarce",
		.cite = "Bai et al., One More Config is Enough: Saving (DC)TCP for High-speed Extremely "
			"Shallow-buffered Datacenters, INFOCOM 2020",
		.params_size = sizeof(struct bcc_params),
		.options = bcc_options,
		.check = bcc_check,
	},
	.state_size = sizeof(struct bcc_state),
	.scope = WEIR_MARK_STATE_PER_PORT,
	.reasons = { [BCC_PORT] = "port", [BCC_POOL] = "pool" },
	.needs = bcc_needs,
	.init = bcc_init,
	.enqueue = bcc_enqueue,
};
