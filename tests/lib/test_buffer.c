/* SPDX-License-Identifier: BSD-3-Clause */
/* test_buffer.c -- what a shared buffer admits: free memory and the dynamic threshold, to the
 * byte. */
#include "tests/test.h"
#include "weir/buffer.h"
#include "weir/units.h"

/* Is a packet let in, with so much of 100 KB in use and so much in its queue? */
static int admits(uint64_t alpha_q32, uint64_t used_bytes, uint64_t queue_bytes,
		  uint32_t packet_bytes)
{
	const struct weir_shared_buffer pool = { .used_bytes = used_bytes };
	struct weir_buffer_params b;

	weir_buffer_params_init(&b, WEIR_BUFFER_PER_SWITCH, 100000, alpha_q32);
	return weir_shared_buffer_admits(&b, &pool, queue_bytes, packet_bytes);
}

/* The last packet fits into exactly what is free, and not into a byte less. */
TEST(test_shared_buffer_is_used_to_its_last_byte)
{
	CHECK(admits(8 * WEIR_ONE_Q32, 98500, 0, 1500));
	CHECK(!admits(8 * WEIR_ONE_Q32, 98501, 0, 1500));
	CHECK(!admits(8 * WEIR_ONE_Q32, 100000, 0, 1));
	CHECK(!admits(8 * WEIR_ONE_Q32, 100001, 0, 1));
}

/* alpha = 1/2: with 40 KB in use 60 are free, and a queue may hold 30; with 80 in use it may hold
 * 10 (Choudhury and Hahne). */
TEST(test_dynamic_threshold_is_a_part_of_what_is_free)
{
	CHECK(admits(WEIR_ONE_Q32 / 2, 40000, 28500, 1500));
	CHECK(!admits(WEIR_ONE_Q32 / 2, 40000, 28501, 1500));
	CHECK(admits(WEIR_ONE_Q32 / 2, 80000, 8500, 1500));
	CHECK(!admits(WEIR_ONE_Q32 / 2, 80000, 8501, 1500));
}
