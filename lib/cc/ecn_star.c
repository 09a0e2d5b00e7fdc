/* SPDX-License-Identifier: BSD-3-Clause */
/* ecn_star.c -- Reno that takes a mark for a loss: half the window, at most once a window of data.
 *
 * ECN* of Wu et al., "Tuning ECN for Data Center Networks", CoNEXT 2012: plain ECN-capable TCP as
 * in RFC 3168, section 6.1.2; reno(ecn=yes) by another name, but that a mark may cut the window
 * down to one segment. The loss of a packet, as in RFC 5681, leaves two. */
#include "lib/cc/reno.h"

static const struct weir_option ecn_star_options[] = {
	MIN_WINDOW_OPTION(struct reno_params, min_window, "1pkts"),
	GROWTH_OPTION(struct reno_params, growth),
	{ .name = NULL },
};

const struct weir_cc_ops weir_cc_ecn_star = {
	.scheme = {
		.name = "ecn-star",
		.help = "ECN*: halves its window once per window with a mark",
		.cite = "Wu et al., Tuning ECN for Data Center Networks, CoNEXT 2012; RFC 3168",
		.params_size = sizeof(struct reno_params),
		.options = ecn_star_options,
	},
	.echo = WEIR_CC_ECHO_CLASSIC,
	.state_size = sizeof(struct reno_window),
	.init = weir_reno_start,
	.ack = weir_reno_ack,
	.congestion = weir_reno_congestion,
};
