/* ecn_star.c -- Reno that takes a mark for a loss: half the window, at most once a window of data.
 *
 * ECN* of Wu et al., "Tuning ECN for Data Center Networks", CoNEXT 2012: plain ECN-capable TCP as in
 * RFC 3168, section 6.1.2. A mark may cut the window down to one segment; the loss of a packet, as
 * in RFC 5681, to two. */
#include "lib/cc/reno.h"

struct ecn_star_params {
	uint64_t min_window; /* OPT_LENGTH */
};

static const struct option ecn_star_options[] = {
	MIN_WINDOW_OPTION(struct ecn_star_params, min_window),
	{ .name = NULL },
};

static void ecn_star_congestion(void *state, const void *params, const struct cc_env *env,
				enum cc_event event, const struct cc_ack *a)
{
	struct reno_window *w = state;
	const struct ecn_star_params *p = params;

	if (event == CC_TIMEOUT)
		reno_timeout(w, env->mss_bytes, a);
	else if (event == CC_LOSS)
		reno_loss(w, env->mss_bytes);
	else
		reno_cut(w, larger_bytes(w->cc.window_bytes / 2,
					 segments_to_bytes(p->min_window, env->mss_bytes)));
}

const struct cc_ops cc_ecn_star = {
	.name = "ecn-star",
	.help = "halves its window once per window of data that holds a mark",
	.cite = "Wu et al., Tuning ECN for Data Center Networks, CoNEXT 2012; RFC 3168",
	.echo = CC_ECHO_CLASSIC,
	.params_size = sizeof(struct ecn_star_params),
	.state_size = sizeof(struct reno_window),
	.options = ecn_star_options,
	.init = reno_start,
	.ack = reno_ack,
	.congestion = ecn_star_congestion,
};
