/* SPDX-License-Identifier: BSD-3-Clause */
/* test_packet_memory.c -- memory for packets in the network grows on demand, without a change of
 * results. */
#include "sim/core/link.h"
#include "sim/run/sim.h"
#include "tests/sim.h"
#include "weir/sim.h"

enum { SENDERS = 8 };

/* When each message of an incast that waits in one queue is there. */
struct seen {
	int64_t at_ps[SENDERS];
	uint32_t count;
};

static void see(void *context, struct weir_sim_turn *turn, const struct weir_sim_delivery *d)
{
	struct seen *s = context;

	(void)turn;
	s->at_ps[d->from - 1] = d->delivered_ps;
	s->count++;
}

/* is_small: starts with memory for one lookahead window. Returns the packets that fit in the end.
 */
static uint64_t incast(const char *host, int is_small, struct seen *seen)
{
	char text[512];
	struct weir_sim *sim;
	struct weir_error e;
	uint64_t packets;

	snprintf(text, sizeof(text),
		 "[network]\ntopology = star\nhosts = 9\nrate = 10Gbps\ndelay = 1us\n"
		 "[switch]\nmarking = none\nbuffer = 1000000pkts\n[host]\n%s[traffic "
		 "mail]\npattern = messages\n",
		 host);
	*seen = (struct seen){ .count = 0 };
	if (weir_sim_new(&sim, text, &(struct weir_sim_plan){ .threads = 2, .connections = 8 }, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	if (is_small) {
		packet_memory_free(sim->engine);
		packet_memory_reserve(sim->engine,
				      sim->engine->lookahead_chunks * WEIR_CHUNK_PACKETS);
	}
	for (uint32_t i = 1; i <= SENDERS; i++) {
		const struct weir_sim_message m = {
			.from = i, .bytes = 8000000, .delivered = see, .context = seen
		};

		if (weir_sim_send(sim, &m, &e))
			test_fail(__FILE__, __LINE__, "%s", e.text);
	}
	if (weir_sim_run_until(sim, WEIR_PS_PER_S, &e) || weir_sim_audit(sim, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_INT(seen->count, SENDERS);
	packets = (uint64_t)sim->engine->store.chunk_limit * WEIR_CHUNK_PACKETS;
	if (is_small)
		CHECK(packets > sim->engine->lookahead_chunks * UINT64_C(2) * WEIR_CHUNK_PACKETS);
	weir_sim_free(sim);
	return packets;
}

static void check_grows(const char *host)
{
	struct seen small, large;

	CHECK(incast(host, 1, &small) < incast(host, 0, &large));
	for (uint32_t i = 0; i < SENDERS; i++)
		CHECK_INT(small.at_ps[i], large.at_ps[i]);
}

TEST(test_packet_memory_grows_without_a_change_of_results)
{
	check_grows("cc = reno\ninitial-window = 6000\nrto-initial = 1s\nrto-min = 1s\n");
}

/* INT stacks are beside the packets. */
TEST(test_int_stacks_grow_with_packet_memory)
{
	check_grows("cc = hpcc(rtt=20ms)\n");
}

TEST(test_a_small_network_reserves_few_addresses)
{
	struct weir_sim *sim;
	struct weir_error e;

	CHECK_INT(weir_sim_new(&sim,
			       "[network]\ntopology = star\nhosts = 3\nrate = 10Gbps\ndelay = 1us\n"
			       "[traffic mail]\npattern = messages\n",
			       NULL, &e),
		  0);
	CHECK_INT(sim->engine->store.chunk_limit * sizeof(struct weir_packet) * WEIR_CHUNK_PACKETS,
		  256 << 20);
	weir_sim_free(sim);
}
