/* reno.c -- slow start, congestion avoidance, half the window at a loss; deaf to marks.
 *
 * RFC 5681; loss recovery is the transport's. */
#include "lib/cc/reno.h"

void reno_start(void *state, const void *params, const struct cc_env *env)
{
	(void)params;
	reno_init(state, env);
}

void reno_ack(void *state, const void *params, const struct cc_env *env, const struct cc_ack *a)
{
	(void)params;
	if (a->may_grow)
		reno_grow(state, env->mss_bytes, a->acked_bytes);
}

/* Packets of this control are not ECN-capable, so CC_ECN does not come; it would mean a loss. */
static void reno_congestion(void *state, const void *params, const struct cc_env *env,
			    enum cc_event event, const struct cc_ack *a)
{
	(void)params;
	if (event == CC_TIMEOUT)
		reno_timeout(state, env->mss_bytes, a);
	else
		reno_loss(state, env->mss_bytes);
}

const struct cc_ops cc_reno = {
	.name = "reno",
	.help = "halves its window when a packet is lost; not ECN-capable",
	.cite = "RFC 5681, TCP Congestion Control",
	.echo = CC_ECHO_NONE,
	.state_size = sizeof(struct reno_window),
	.init = reno_start,
	.ack = reno_ack,
	.congestion = reno_congestion,
};
