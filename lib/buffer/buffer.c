/* SPDX-License-Identifier: BSD-3-Clause */
/* buffer.c -- buffer limits from what a user wrote. */
#include "weir/buffer.h"

void weir_buffer_params_init(struct weir_buffer_params *b, enum weir_buffer_scope scope,
			     uint64_t length, uint64_t alpha_q32)
{
	*b = (struct weir_buffer_params){
		.scope = scope,
		.limit_bytes = weir_length_is_packets(length) ? UINT64_MAX : length,
		.limit_pkts =
			weir_length_is_packets(length) ? weir_length_number(length) : UINT64_MAX,
		.alpha_q8 = alpha_q32 >> 24,
	};
}
