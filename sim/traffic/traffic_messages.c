/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_messages.c -- a pattern without flows of its own: its section holds the settings of the
 * messages that a program sends through weir/sim.h. Messages of a pair share a connection, whatever
 * the section says. */
#include "sim/traffic/traffic.h"

static const struct weir_option messages_options[] = { { .name = NULL } };

static int messages_generate(struct weir_flow_builder *b, const void *params)
{
	(void)b;
	(void)params;
	return 0;
}

const struct weir_traffic_ops traffic_messages = {
	.scheme = {
		.name = "messages",
		.help = "messages that an embedding program sends (weir/sim.h); none by itself",
		.options = messages_options,
	},
	.generate = messages_generate,
	.messages = WEIR_MESSAGES_OF_PROGRAM,
};
