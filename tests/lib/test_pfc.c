/* SPDX-License-Identifier: BSD-3-Clause */
/* test_pfc.c -- when a switch pauses a neighbour and lets it go on (weir/pfc.h), by hand. What a
 * pause does to a port is in test_port_pause.c, to a network in test_lossless.c. */
#include "tests/test.h"
#include "weir/option.h"
#include "weir/pfc.h"
#include "weir/rng.h"

enum { PACKET = 1000 };

static struct weir_pfc_memory memory_of(const struct weir_pfc_params *params,
					uint64_t shared_buffer_bytes)
{
	return (struct weir_pfc_memory){ .params = params,
					 .shared_buffer_bytes = shared_buffer_bytes };
}

TEST(test_pfc_threshold_is_alpha_times_what_is_free)
{
	struct weir_pfc_params eighth = { .alpha_q32 = WEIR_ONE_Q32 / 8 },
			       four = { .alpha_q32 = WEIR_ONE_Q32 * 4 };
	struct weir_pfc_memory m = memory_of(&eighth, 1000000);

	CHECK_INT(weir_pfc_xoff_threshold(&m), 125000);
	m.used_bytes = 200000;
	CHECK_INT(weir_pfc_xoff_threshold(&m), 100000);
	m.used_bytes = 1000000;
	CHECK_INT(weir_pfc_xoff_threshold(&m), 0);
	m.used_bytes = 1000001;
	CHECK_INT(weir_pfc_xoff_threshold(&m), 0);
	m.params = &four;
	m.used_bytes = 900000;
	CHECK_INT(weir_pfc_xoff_threshold(&m), 400000);
}

/* Zhang 2023, section 3.3: (buffer - headroom - ingress - shared in use) / 16. A switch of 1 MB
 * with four ingress ports, each with 50 KB of headroom and 4 KB of its own, 184 KB in use: (1000 -
 * 200 - 16 - 184) / 16 = 37.5 KB. */
TEST(test_pfc_threshold_follows_the_rule_of_fdcc)
{
	struct weir_pfc_params p = { .alpha_q32 = WEIR_ONE_Q32 / 16, .reserved_bytes = 4000 };
	struct weir_pfc_memory m = memory_of(&p, 1000000 - 4 * 50000 - 4 * 4000);

	m.used_bytes = 184000;
	CHECK_INT(weir_pfc_xoff_threshold(&m), 37500);
	m.used_bytes = 0;
	CHECK_INT(weir_pfc_xoff_threshold(&m), 49000);
}

/* 4000 bytes are the ingress port's own: three packets of 1500 take 500 of the shared part. */
TEST(test_pfc_uses_what_is_reserved_before_what_is_shared)
{
	struct weir_pfc_params p = { .alpha_q32 = WEIR_ONE_Q32, .reserved_bytes = 4000 };
	struct weir_pfc_memory m = memory_of(&p, 100000);
	struct weir_pfc_ingress in = { .headroom_bytes = 10000 };

	for (int i = 0; i < 2; i++) {
		CHECK(weir_pfc_admits(&m, &in, 1500));
		CHECK_INT(weir_pfc_enter(&m, &in, 1500), WEIR_PFC_NOTHING);
	}
	CHECK_INT(m.used_bytes, 0);
	CHECK_INT(weir_pfc_enter(&m, &in, 1500), WEIR_PFC_NOTHING);
	CHECK_INT(m.used_bytes, 500);
	CHECK_INT(weir_pfc_shared(&m, &in), 500);
	CHECK_INT(weir_pfc_leave(&m, &in, 1500), WEIR_PFC_NOTHING);
	CHECK_INT(m.used_bytes, 0);
	CHECK_INT(in.bytes, 3000);
}

/* One ingress port alone with alpha = 1/8 is paused when s >= (90000 - s) / 8, so at s = 10000: a
 * ninth, the "11 %" of the HPCC study. What comes then goes to headroom. */
TEST(test_pfc_pauses_one_ingress_at_a_ninth_of_the_shared_buffer)
{
	struct weir_pfc_params p = { .alpha_q32 = WEIR_ONE_Q32 / 8 };
	struct weir_pfc_memory m = memory_of(&p, 90000);
	struct weir_pfc_ingress in = { .headroom_bytes = 2000 };

	for (int i = 1; i <= 9; i++)
		CHECK_INT(weir_pfc_enter(&m, &in, PACKET), WEIR_PFC_NOTHING);
	CHECK_INT(weir_pfc_enter(&m, &in, PACKET), WEIR_PFC_PAUSE);
	CHECK_INT(in.headroom_used, 0);
	CHECK_INT(m.used_bytes, 10000);
	for (int i = 1; i <= 2; i++) {
		CHECK(weir_pfc_admits(&m, &in, PACKET));
		CHECK_INT(weir_pfc_enter(&m, &in, PACKET), WEIR_PFC_NOTHING);
		CHECK_INT(in.headroom_used, i * PACKET);
	}
	CHECK_INT(m.used_bytes, 10000);
	CHECK(!weir_pfc_admits(&m, &in, PACKET));
	CHECK(!weir_pfc_admits(&m, &in, 1));
}

/* From there: two packets of headroom, then the share falls to where share + 3000 is within the
 * threshold: 10000 of 10000, 9000 of 10125, 8000 of 10250: not yet; 7000 of 10375: yes. */
TEST(test_pfc_resumes_with_headroom_empty_and_the_margin_kept)
{
	struct weir_pfc_params p = { .alpha_q32 = WEIR_ONE_Q32 / 8, .xon_offset_bytes = 3000 };
	struct weir_pfc_memory m = memory_of(&p, 90000);
	struct weir_pfc_ingress in = { .headroom_bytes = 2000 };

	for (int i = 0; i < 12; i++)
		weir_pfc_enter(&m, &in, PACKET);
	CHECK_INT(in.headroom_used, 2000);
	CHECK_INT(weir_pfc_leave(&m, &in, PACKET), WEIR_PFC_NOTHING);
	CHECK_INT(in.headroom_used, 1000);
	CHECK_INT(weir_pfc_leave(&m, &in, PACKET), WEIR_PFC_NOTHING);
	CHECK_INT(in.headroom_used, 0);
	CHECK_INT(m.used_bytes, 10000);
	CHECK_INT(weir_pfc_leave(&m, &in, PACKET), WEIR_PFC_NOTHING);
	CHECK_INT(weir_pfc_leave(&m, &in, PACKET), WEIR_PFC_NOTHING);
	CHECK_INT(weir_pfc_leave(&m, &in, PACKET), WEIR_PFC_RESUME);
	CHECK_INT(in.bytes, 7000);
	CHECK_INT(weir_pfc_leave(&m, &in, PACKET), WEIR_PFC_NOTHING);
}

/* The shared buffer is full of others' packets: the threshold is 0, but what is reserved stays, and
 * an ingress port that holds nothing more can always be resumed. */
TEST(test_pfc_reserved_space_outlives_a_full_shared_buffer)
{
	struct weir_pfc_params p = {
		.alpha_q32 = WEIR_ONE_Q32 / 8,
		.reserved_bytes = 2000,
		.xon_offset_bytes = 3000,
	};
	struct weir_pfc_memory m = memory_of(&p, 90000);
	struct weir_pfc_ingress in = { .headroom_bytes = 0 };

	m.used_bytes = 90000;
	CHECK(weir_pfc_admits(&m, &in, PACKET));
	CHECK_INT(weir_pfc_enter(&m, &in, PACKET), WEIR_PFC_PAUSE);
	CHECK(weir_pfc_admits(&m, &in, PACKET));
	CHECK_INT(weir_pfc_enter(&m, &in, PACKET), WEIR_PFC_NOTHING);
	CHECK(!weir_pfc_admits(&m, &in, PACKET));
	CHECK_INT(m.used_bytes, 90000);
	CHECK_INT(weir_pfc_leave(&m, &in, PACKET), WEIR_PFC_RESUME);
	CHECK_INT(m.used_bytes, 90000);
}

/* Whatever comes and goes: all that is stored fits into shared buffer, reserved space and headroom,
 * each of the accounts is right, and an ingress port that holds nothing is not paused. */
static void memory_stays_within(struct weir_rng *rng, const struct weir_pfc_params *p)
{
	enum { INPUTS = 6, DEPTH = 64 };
	struct weir_pfc_memory m = memory_of(p, 20000 + weir_rng_below(rng, 100000));
	struct weir_pfc_ingress in[INPUTS] = { 0 };
	uint32_t held[INPUTS][DEPTH], count[INPUTS] = { 0 };

	for (uint32_t i = 0; i < INPUTS; i++)
		in[i].headroom_bytes = weir_rng_below(rng, 20000);
	for (int step = 0; step < 5000; step++) {
		uint32_t i = (uint32_t)weir_rng_below(rng, INPUTS), size = 64;
		uint64_t shared = 0;

		if (weir_rng_below(rng, 5) < 3 && count[i] < DEPTH) {
			size += (uint32_t)weir_rng_below(rng, 9000);
			if (weir_pfc_admits(&m, &in[i], size)) {
				weir_pfc_enter(&m, &in[i], size);
				held[i][count[i]++] = size;
			}
		} else if (count[i]) {
			weir_pfc_leave(&m, &in[i], held[i][--count[i]]);
		}
		for (uint32_t k = 0; k < INPUTS; k++) {
			uint64_t sum = 0;

			for (uint32_t n = 0; n < count[k]; n++)
				sum += held[k][n];
			CHECK_INT(in[k].bytes + in[k].headroom_used, sum);
			CHECK(in[k].headroom_used <= in[k].headroom_bytes);
			CHECK(sum || !in[k].paused);
			shared += weir_pfc_shared(&m, &in[k]);
		}
		CHECK_INT(m.used_bytes, shared);
		CHECK(shared <= m.shared_buffer_bytes);
	}
}

TEST(test_pfc_never_stores_more_than_there_is)
{
	static const uint64_t alphas_q32[] = { WEIR_ONE_Q32 / 256, WEIR_ONE_Q32 / 16,
					       WEIR_ONE_Q32 / 8, WEIR_ONE_Q32, WEIR_ONE_Q32 * 128 };
	struct weir_rng rng = weir_rng_make(5, 1, WEIR_RNG_TEST);

	for (size_t a = 0; a < sizeof(alphas_q32) / sizeof(alphas_q32[0]); a++) {
		struct weir_pfc_params p = { alphas_q32[a], weir_rng_below(&rng, 5000),
					     weir_rng_below(&rng, 5000) };

		memory_stays_within(&rng, &p);
	}
}

/* Others have left, so that the threshold rose above what the ingress port has; but 600 bytes of it
 * lie in headroom. */
TEST(test_pfc_does_not_resume_while_headroom_is_in_use)
{
	struct weir_pfc_params p = { .alpha_q32 = WEIR_ONE_Q32 };
	struct weir_pfc_memory m = memory_of(&p, 100000);
	struct weir_pfc_ingress in = { .headroom_bytes = 10000 };

	m.used_bytes = 98000; /* of others */
	CHECK_INT(weir_pfc_enter(&m, &in, PACKET), WEIR_PFC_PAUSE);
	CHECK_INT(weir_pfc_enter(&m, &in, 1600), WEIR_PFC_NOTHING);
	CHECK_INT(in.headroom_used, 1600);
	m.used_bytes -= 98000;
	CHECK_INT(weir_pfc_leave(&m, &in, PACKET), WEIR_PFC_NOTHING);
	CHECK_INT(in.headroom_used, 600);
	CHECK_INT(weir_pfc_leave(&m, &in, 600), WEIR_PFC_RESUME);
}
