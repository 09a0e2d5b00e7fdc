/* buffer.c -- buffer limits from what a user wrote. */
#include "weir/buffer.h"

void buffer_params_init(struct buffer_params *b, enum buffer_scope scope, uint64_t length,
			uint64_t alpha_q32)
{
	*b = (struct buffer_params){
		.scope = scope,
		.limit_bytes = length_is_packets(length) ? UINT64_MAX : length,
		.limit_pkts = length_is_packets(length) ? length_number(length) : UINT64_MAX,
		.alpha_q8 = alpha_q32 >> 24,
	};
}
