/* SPDX-License-Identifier: BSD-3-Clause */
/* stride.c -- a traffic pattern as a plug-in: copy this file, rename it, change who sends to whom.
 *
 * Every host sends to the one a fixed number of places further on, modulo the number of hosts, like
 * neighbours in a matrix. */
#include <weir/plugin.h>

/* The parsed keys of the pattern; every section has further ones. */
struct stride_params {
	uint64_t stride;
	uint64_t size_bytes;
};

/* Each key once: name, type, offset, default, range, help. 'weir help ./stride.so' shows them. */
static const struct weir_option stride_options[] = {
	{ "stride", WEIR_OPT_COUNT, offsetof(struct stride_params, stride), "1", 1, 1000000,
	  "how many places further on the receiver is", NULL },
	{ "size", WEIR_OPT_BYTES, offsetof(struct stride_params, size_bytes), "100KB", 1,
	  1000000000, "bytes of every flow", NULL },
	{ .name = NULL },
};

/* Called once per section before the run. Sets a message and returns -1 if the network cannot hold
 * the pattern. */
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

/* The symbol that Weir looks for. */
const struct weir_plugin weir_plugin = { WEIR_ABI, .traffic = &stride };
