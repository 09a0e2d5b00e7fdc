/* SPDX-License-Identifier: BSD-3-Clause */
/* test_learn_memory.c -- the replay memory: what is drawn, what came before it and what it was
 * worth. */
#include "lib/learn/learner.h"
#include "tests/learn_fixture.h"

/* Observation k is (k, -k), its action k / 2, its reward 10 k. */
static struct weir_learn_memory *memory_open(uint32_t rows)
{
	struct weir_learn_memory_plan plan = { rows, 2, 1 };
	struct weir_learn_memory *m = fixture_block(weir_learn_memory_size(&plan));

	weir_learn_memory_init(m, &plan);
	return m;
}

static void step(struct weir_learn_memory *m, float k)
{
	weir_learn_memory_step(m, (float[]){ k, -k }, &(float){ k / 2.0F }, 10.0F * k);
}

static void end(struct weir_learn_memory *m, float k, enum weir_learn_end end)
{
	weir_learn_memory_end(m, (float[]){ k, -k }, end);
}

/* Steps first, first + 1, ..., of which the last is only observed. */
static void episode(struct weir_learn_memory *m, int first, int last, enum weir_learn_end kind)
{
	for (int k = first; k < last; k++)
		step(m, (float)k);
	end(m, (float)last, kind);
}

static float observed(const struct weir_learn_memory *m, uint64_t row)
{
	float now[2];

	weir_learn_memory_observe(m, row, (struct learn_history){ .current = now });
	CHECK(now[1] == -now[0]);
	return now[0];
}

TEST(test_learn_memory_draws_every_step_and_no_last_observation)
{
	struct weir_learn_memory *m = memory_open(32);
	uint32_t drawn[16] = { 0 };

	episode(m, 1, 4, WEIR_LEARN_DONE);
	episode(m, 11, 13, WEIR_LEARN_CUT);
	CHECK_INT(weir_learn_memory_transitions(m), 5);
	for (uint64_t i = 0; i < 5000; i++)
		drawn[(int)observed(
			m, weir_learn_memory_draw(m, (struct weir_learn_draw){ 1, 2, i }))]++;
	for (int k = 0; k < 16; k++) {
		int is_step = (k >= 1 && k < 4) || (k >= 11 && k < 13);

		/* 1000 expected, standard deviation 28 */
		CHECK(is_step ? drawn[k] > 880 && drawn[k] < 1120 : drawn[k] == 0);
	}
	free(m);
}

TEST(test_learn_memory_overwrites_the_oldest_rows_and_forgets_their_steps)
{
	struct weir_learn_memory *m = memory_open(8);
	uint32_t seen = 0;

	episode(m, 1, 4, WEIR_LEARN_DONE);   /* rows 0 to 3 */
	episode(m, 11, 14, WEIR_LEARN_DONE); /* rows 4 to 7 */
	CHECK_INT(weir_learn_memory_transitions(m), 6);
	step(m, 21.0F); /* row 8, in place of row 0; nothing follows it yet */
	CHECK_INT(weir_learn_memory_transitions(m), 5);
	for (uint64_t i = 0; i < 400; i++)
		CHECK(observed(m, weir_learn_memory_draw(m, (struct weir_learn_draw){ 4, 0, i })) <
		      21.0F);
	step(m, 22.0F);
	CHECK_INT(weir_learn_memory_transitions(m), 5);
	end(m, 23.0F, WEIR_LEARN_DONE); /* row 10, in place of row 2 */
	CHECK_INT(weir_learn_memory_transitions(m), 5);
	for (uint64_t i = 0; i < 400; i++)
		seen |= 1U << (int)observed(
				m, weir_learn_memory_draw(m, (struct weir_learn_draw){ 3, 0, i }));
	CHECK_INT(seen, 1U << 11 | 1U << 12 | 1U << 13 | 1U << 21 | 1U << 22);
	free(m);
}

TEST(test_learn_memory_takes_no_episode_without_a_step)
{
	struct weir_learn_memory *m = memory_open(8);

	episode(m, 1, 2, WEIR_LEARN_DONE);
	for (int i = 0; i < 20; i++)
		end(m, 7.0F, WEIR_LEARN_CUT);
	CHECK_INT(weir_learn_memory_transitions(m), 1);
	CHECK(observed(m, weir_learn_memory_draw(m, (struct weir_learn_draw){ 1, 0, 0 })) == 1.0F);
	free(m);
}

TEST(test_learn_memory_history_ends_at_the_episode_and_at_the_ring)
{
	struct weir_learn_memory *m = memory_open(8);
	float sequence[3 * 2], current[2];
	uint32_t length;
	struct learn_history look = {
		.past = 3, .sequence = sequence, .length = &length, .current = current
	};

	episode(m, 1, 6, WEIR_LEARN_CUT);       /* rows 0 to 5 */
	episode(m, 11, 15, WEIR_LEARN_CUT);     /* rows 6 to 10: rows 0 to 2 are gone */
	weir_learn_memory_observe(m, 10, look); /* the last observation of the second one */
	CHECK_INT(length, 3);
	CHECK(sequence[0] == 12.0F && sequence[2] == 13.0F && sequence[4] == 14.0F);
	CHECK(current[0] == 15.0F);
	weir_learn_memory_observe(m, 7, look);
	CHECK_INT(length, 1);
	CHECK(sequence[0] == 11.0F && sequence[1] == -11.0F && sequence[2] == 0.0F);
	CHECK(sequence[5] == 0.0F && current[0] == 12.0F);
	weir_learn_memory_observe(m, 4, look); /* observation 5; 4 is the oldest in the ring */
	CHECK_INT(length, 1);
	CHECK(sequence[0] == 4.0F && current[0] == 5.0F);
	free(m);
}

TEST(test_learn_memory_stacks_observations_and_repeats_the_oldest)
{
	struct weir_learn_memory *m = memory_open(8);
	float stacked[3 * 2];
	struct learn_history look = { .past = 2, .current = stacked };

	episode(m, 1, 4, WEIR_LEARN_CUT);
	weir_learn_memory_observe(m, 3, look);
	CHECK(stacked[0] == 2.0F && stacked[2] == 3.0F && stacked[4] == 4.0F);
	weir_learn_memory_observe(m, 1, look);
	CHECK(stacked[0] == 1.0F && stacked[2] == 1.0F && stacked[4] == 2.0F);
	weir_learn_memory_observe(m, 0, look);
	CHECK(stacked[0] == 1.0F && stacked[3] == -1.0F && stacked[4] == 1.0F);
	free(m);
}

static void check_return(const struct weir_learn_memory *m, uint64_t row,
			 const struct weir_learn_training *t, struct learn_return expected)
{
	struct learn_return r = weir_learn_memory_return(m, row, t);

	CHECK_NEAR(r.rewards, expected.rewards, 1e-5);
	CHECK_NEAR(r.discount, expected.discount, 1e-6);
	CHECK_INT(r.next, expected.next);
}

/* Rewards 10, 20, 30, 40 at gamma 1/2, three of them: 10 + 20/2 + 30/4, then 1/8 of what row 3 is
 * worth. */
TEST(test_learn_memory_returns_are_n_rewards_and_the_value_n_steps_on)
{
	struct weir_learn_memory *m = memory_open(16);
	struct weir_learn_training t = { .gamma = 0.5, .return_steps = 3 };

	episode(m, 1, 5, WEIR_LEARN_CUT);
	episode(m, 1, 3, WEIR_LEARN_DONE);
	step(m, 1.0F);
	step(m, 2.0F);
	check_return(m, 0, &t, (struct learn_return){ 27.5F, 0.125F, 3 });
	check_return(m, 2, &t,
		     (struct learn_return){ 50.0F, 0.25F, 4 });          /* the recording stopped */
	check_return(m, 5, &t, (struct learn_return){ 20.0F, 0.0F, 7 }); /* the episode ended */
	check_return(m, 8, &t,
		     (struct learn_return){ 10.0F, 0.5F, 9 }); /* nothing newer is there */
	t.returns = WEIR_LEARN_OVERLAPPING;
	check_return(m, 0, &t, (struct learn_return){ 27.5F, 0.5F, 1 });
	check_return(m, 6, &t, (struct learn_return){ 20.0F, 0.0F, 7 });
	free(m);
}

TEST(test_learn_memory_shares_transitions_with_another)
{
	struct weir_learn_memory *from = memory_open(32), *to = memory_open(64);
	struct weir_learn_training t = { .gamma = 0.5, .return_steps = 1 };

	episode(from, 1, 4, WEIR_LEARN_DONE);
	episode(from, 11, 14, WEIR_LEARN_CUT);
	weir_learn_memory_share(to, from, (struct weir_learn_draw){ 5, 6, 0 }, 20);
	CHECK_INT(weir_learn_memory_transitions(to), 20);
	for (uint64_t i = 0; i < 100; i++) {
		uint64_t row = weir_learn_memory_draw(to, (struct weir_learn_draw){ 1, 1, i });
		float k = observed(to, row);
		struct learn_return r = weir_learn_memory_return(to, row, &t);

		CHECK((k >= 1.0F && k < 4.0F) || (k >= 11.0F && k < 14.0F));
		CHECK(observed(to, row + 1) == k + 1.0F);
		CHECK(weir_learn_memory_action(to, row)[0] == k / 2.0F && r.rewards == 10.0F * k);
		CHECK(r.discount == (k == 3.0F ? 0.0F : 0.5F));
	}
	free(from);
	free(to);
}
