/* SPDX-License-Identifier: BSD-3-Clause */
/* stride.c -- a traffic pattern of your own: copy this file, rename it, change who sends to whom.
 *
 * Every host sends to the one that is so many places further on, as neighbours in a matrix do; the
 * last ones begin again at the first. */
#include <weir/plugin.h>

/* The keys that the pattern has in its section, beside those that every section has. */
struct stride_params {
	uint64_t stride;
	uint64_t size_bytes;
};

/* Every key once: name, kind, place, default, range, help. 'weir help ./stride.so' shows them. */
static const struct weir_option stride_options[] = {
	{ "stride", WEIR_OPT_COUNT, offsetof(struct stride_params, stride), "1", 1, 1000000,
	  "how many places further on the receiver is", NULL },
	{ "size", WEIR_OPT_BYTES, offsetof(struct stride_params, size_bytes), "100KB", 1,
	  1000000000, "bytes of every flow", NULL },
	{ .name = NULL },
};

/* Called once, before the run. What the network does not allow is the user's mistake: say so and
 * return -1. */
static int stride_generate(struct weir_flow_builder *m, const void *params)
{
	const struct stride_params *p = params;
	uint32_t stride = (uint32_t)(p->stride % m->hosts);

	if (stride == 0)
		return weir_error_set(m->error, "stride leads every host back to itself");
	for (uint32_t host = 0; host < m->hosts; host++) {
		struct weir_flow flow = {
			.src = host,
			.dst = (host + stride) % m->hosts,
			.size_bytes = p->size_bytes,
			.start_ps = m->start_first_ps,
		};

		if (m->add(m, &flow))
			return -1;
	}
	return 0;
}

static const struct weir_traffic_ops stride = {
	.scheme = {
		.name = "stride",
		.help = "one flow from each host to the one so many places further on",
		.params_size = sizeof(struct stride_params),
		.options = stride_options,
	},
	.generate = stride_generate,
};

/* The one symbol that Weir looks for. */
const struct weir_plugin weir_plugin = { WEIR_ABI, .traffic = &stride };
