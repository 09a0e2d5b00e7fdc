/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sched_pifo.c -- queues ordered by rank: the port's heap against a list, slack, and what the
 * ranks do in a simulation. */
#include "sim/core/segment.h"
#include "tests/port_fixture.h"
#include "tests/sim.h"
#include "weir/rng.h"

/* A busy port at 10 Gb/s: until the time given back, what is offered waits. */
static int64_t pifo_open(struct fixture *d, struct fixture_params *params, const char *spec,
			 uint32_t queues, const char *marking)
{
	struct weir_port_plan plan = fixture_plan();

	plan.queues = queues;
	fixture_schemes(&plan, params, marking, spec);
	fixture_open(d, &plan, NULL);
	CHECK_INT(fixture_offer_bytes(d, 10000, 0), WEIR_PORT_SEND);
	CHECK_INT(d->port->free_ps, 10000 * 800);
	return d->port->free_ps;
}

/* Known by its size; waits. */
static void put(struct fixture *d, uint32_t bytes, uint8_t class_id, int64_t slack_ps,
		int64_t now_ps)
{
	struct weir_packet packet = fixture_packet(bytes);

	packet.class_id = class_id;
	packet.slack_ps = slack_ps;
	CHECK_INT(weir_port_offer(d->port, &d->pool, &packet, now_ps), WEIR_PORT_QUEUED);
}

/* The sizes of the packets that leave next are these. */
static void check_order(struct fixture *d, const uint32_t *bytes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		CHECK_INT(weir_port_next(d->port, &d->pool)->bytes, bytes[i]);
}

/* Every chunk that was ever taken from the store is free. */
static void check_all_given_back(const struct fixture *d)
{
	CHECK_INT(WEIR_POOL_KEEP + 1 - d->pool.room + d->store.batch_count * WEIR_POOL_BATCH,
		  d->store.fresh);
}

/* --- ranks by hand --- */

/* Slack 9 at time 0 is up at 9, slack 5 at time 5 is up at 10; equal ones leave as they came. */
TEST(test_lstf_sends_first_what_may_wait_least)
{
	static const uint32_t order[] = { 105, 101, 102, 104, 103, 100 };
	struct fixture_params params;
	struct fixture d;

	pifo_open(&d, &params, "pifo", 1, "none");
	put(&d, 100, 0, 20, 0);
	put(&d, 101, 0, 9, 0);
	put(&d, 102, 0, 10, 0);
	put(&d, 103, 0, 9, 2);
	put(&d, 104, 0, 5, 5);
	put(&d, 105, 0, -3, 6);
	check_order(&d, order, 6);
	CHECK_INT(d.port->pkts, 0);
	check_all_given_back(&d);
	fixture_close(&d);
}

TEST(test_pifo_by_class_is_strict_priority_in_one_queue)
{
	static const uint32_t order[] = { 103, 105, 101, 102, 100, 104 };
	struct fixture_params params;
	struct fixture d;

	pifo_open(&d, &params, "pifo(rank=class)", 1, "none");
	put(&d, 100, 7, 0, 0);
	put(&d, 101, 3, 0, 0);
	put(&d, 102, 3, -50, 1);
	put(&d, 103, 0, 99, 2);
	put(&d, 104, 7, 0, 3);
	put(&d, 105, 0, 0, 3);
	check_order(&d, order, 6);
	fixture_close(&d);
}

TEST(test_pifo_by_arrival_is_first_in_first_out_whatever_class_and_slack)
{
	static const uint32_t order[] = { 100, 101, 102, 103 };
	struct fixture_params params;
	struct fixture d;

	for (uint32_t queues = 1; queues <= 3; queues += 2) {
		pifo_open(&d, &params, "pifo(rank=fifo)", queues, "none");
		put(&d, 100, 2, 50, 0);
		put(&d, 101, 1, 10, 1);
		put(&d, 102, 0, 90, 2);
		put(&d, 103, 2, -9, 3);
		check_order(&d, order, 4);
		fixture_close(&d);
	}
}

/* Three queues; the lowest rank of all heads is served, and of equal ones the lower queue. */
TEST(test_pifo_serves_the_lowest_rank_of_all_queues)
{
	static const uint32_t order[] = { 102, 104, 101, 105, 100, 103 };
	struct fixture_params params;
	struct fixture d;

	pifo_open(&d, &params, "pifo", 3, "none");
	put(&d, 100, 0, 40, 0);
	put(&d, 101, 1, 20, 0);
	put(&d, 102, 2, 10, 0);
	put(&d, 103, 1, 50, 0);
	put(&d, 104, 0, 20, 0);
	put(&d, 105, 2, 30, 0);
	CHECK_INT(weir_port_queues(d.port)[0].head_rank, 20);
	CHECK_INT(weir_port_queues(d.port)[0].head_bytes, 104);
	CHECK_INT(weir_port_queues(d.port)[1].bytes, 204);
	check_order(&d, order, 6);
	check_all_given_back(&d);
	fixture_close(&d);
}

TEST(test_an_idle_pifo_port_sends_at_once_and_takes_off_no_slack)
{
	struct weir_packet packet = fixture_packet(100);
	struct fixture_params params;
	struct fixture d;
	int64_t free_ps = pifo_open(&d, &params, "pifo", 1, "none");

	packet.slack_ps = 77;
	CHECK_INT(fixture_offer(&d, &packet, free_ps), WEIR_PORT_SEND);
	CHECK_INT(packet.slack_ps, 77);
	CHECK_INT(d.port->tx_pkts, 2);
	CHECK_INT(d.port->tx_bytes, 10100);
	CHECK_INT(weir_packet_store_used_bytes(&d.store), 0);
	fixture_close(&d);
}

/* The link is free at 8,000,000. The first waits from 1,000,000 until then: 7 us; the second, of
 * 100 bytes later, from 3,000,000 until 8,080,000. Where nothing is ranked slack is nobody's
 * business. */
TEST(test_a_port_takes_the_wait_off_the_slack)
{
	const struct weir_packet *packet;
	struct fixture_params params;
	struct fixture d;

	CHECK_INT(pifo_open(&d, &params, "pifo", 1, "none"), 8000000);
	put(&d, 100, 0, 9000000, 1000000);
	put(&d, 200, 0, 7500000, 3000000);
	packet = weir_port_next(d.port, &d.pool);
	CHECK_INT(packet->bytes, 100);
	CHECK_INT(packet->slack_ps, 9000000 - 7000000);
	packet = weir_port_next(d.port, &d.pool);
	CHECK_INT(packet->bytes, 200);
	CHECK_INT(packet->slack_ps, 7500000 - 5080000);
	fixture_close(&d);
	pifo_open(&d, &params, "sp", 2, "none");
	put(&d, 100, 1, 9000000, 1000000);
	CHECK_INT(weir_port_next(d.port, &d.pool)->slack_ps, 9000000);
	fixture_close(&d);
}

/* TCN marks what waited longer than 5 us. The link is free at 8 us: the packet that came at 1 us
 * waited 7 and the one that came at 4 us, which goes first, 4; by then it is 8.08 us. */
TEST(test_a_ranked_packet_is_judged_by_its_own_wait)
{
	const struct weir_packet *packet;
	struct fixture_params params;
	struct fixture d;

	pifo_open(&d, &params, "pifo", 1, "tcn(threshold=5us)");
	put(&d, 100, 0, 9000000, 1000000);
	put(&d, 200, 0, 1000000, 4000000);
	packet = weir_port_next(d.port, &d.pool);
	CHECK_INT(packet->bytes, 200);
	CHECK_INT(packet->flags, WEIR_PACKET_ECT);
	packet = weir_port_next(d.port, &d.pool);
	CHECK_INT(packet->bytes, 100);
	CHECK_INT(packet->flags, WEIR_PACKET_ECT | WEIR_PACKET_CE);
	CHECK_INT(d.port->cold->marks[0], 1);
	fixture_close(&d);
}

TEST(test_limits_and_shared_buffers_count_ranked_packets)
{
	struct weir_port_plan plan = fixture_plan();
	struct weir_shared_buffer pool = { 0 };
	struct fixture_params params;
	struct fixture d;

	fixture_schemes(&plan, &params, "none", "pifo");
	fixture_limit(&plan, WEIR_BUFFER_PER_PORT, 5 | WEIR_LENGTH_IN_PACKETS);
	fixture_open(&d, &plan, NULL);
	CHECK_INT(fixture_fill(&d, 1000, 0, 0), 1 + 5);
	CHECK_INT(d.port->cold->drops[WEIR_DROP_PORT_FULL], 1);
	fixture_close(&d);
	weir_buffer_params_init(&plan.buffer, WEIR_BUFFER_PER_SWITCH, 12000, WEIR_ONE_Q32);
	fixture_open(&d, &plan, &pool);
	fixture_fill(&d, 1000, 0, 0);
	CHECK_INT(pool.used_bytes, 6000); /* alpha 1: half of the shared buffer */
	fixture_catch_up(&d, INT64_C(1000000000));
	CHECK_INT(pool.used_bytes, 0);
	check_all_given_back(&d);
	fixture_close(&d);
}

/* --- against a list --- */

enum { WAITING_MAX = 1500, SLACKS = 40 };

struct waiting {
	struct weir_packet packet;
	int64_t rank;
	uint32_t queue;
};

/* All packets that wait, in order of arrival. */
struct reference {
	uint32_t count, queues;
	struct waiting list[WAITING_MAX];
};

static uint32_t reference_first(const struct reference *r, uint32_t queue)
{
	uint32_t first = UINT32_MAX;

	for (uint32_t i = 0; i < r->count; i++)
		if (r->list[i].queue == queue &&
		    (first == UINT32_MAX || r->list[i].rank < r->list[first].rank))
			first = i;
	return first;
}

/* The lowest rank, of equal ones in the lowest queue, of equal ones there the oldest. */
static uint32_t reference_next(const struct reference *r)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t q = 0; q < r->queues; q++) {
		uint32_t first = reference_first(r, q);

		if (first != UINT32_MAX &&
		    (best == UINT32_MAX || r->list[first].rank < r->list[best].rank))
			best = first;
	}
	return best;
}

static void reference_remove(struct reference *r, uint32_t i)
{
	memmove(&r->list[i], &r->list[i + 1], (--r->count - i) * sizeof(r->list[0]));
}

static void check_counts(struct fixture *d, const struct reference *r)
{
	uint64_t bytes[WEIR_QUEUES_MAX] = { 0 }, pkts[WEIR_QUEUES_MAX] = { 0 }, all_bytes = 0;

	for (uint32_t i = 0; i < r->count; i++) {
		bytes[r->list[i].queue] += r->list[i].packet.bytes;
		pkts[r->list[i].queue]++;
		all_bytes += r->list[i].packet.bytes;
	}
	for (uint32_t q = 0; q < r->queues; q++) {
		const struct weir_queue *queue = weir_port_queues(d->port) + q;

		CHECK_INT(queue->bytes, bytes[q]);
		CHECK_INT(queue->pkts, pkts[q]);
		if (pkts[q]) {
			const struct waiting *first = &r->list[reference_first(r, q)];

			CHECK_INT(queue->head_bytes, first->packet.bytes);
			CHECK_INT(queue->head_rank, first->rank);
		}
	}
	CHECK_INT(d->port->pkts, r->count);
	CHECK_INT(d->port->bytes, all_bytes);
}

static void push_random(struct fixture *d, struct reference *r, struct weir_rng *rng,
			uint32_t number)
{
	struct waiting *w = &r->list[r->count++];
	int64_t now_ps = d->port->free_ps - 1 - (int64_t)weir_rng_below(rng, 20);

	w->packet = fixture_packet(64 + (uint32_t)weir_rng_below(rng, 1400));
	w->packet.flow_hash = number;
	w->packet.class_id = (uint8_t)weir_rng_below(rng, r->queues);
	w->packet.slack_ps = (int64_t)weir_rng_below(rng, SLACKS) - SLACKS / 4;
	memset(w->packet.owner, (int)(number & 0xff), sizeof(w->packet.owner));
	w->queue = w->packet.class_id;
	w->rank = now_ps + w->packet.slack_ps;
	CHECK_INT(weir_port_offer(d->port, &d->pool, &w->packet, now_ps), WEIR_PORT_QUEUED);
}

static void pop_random(struct fixture *d, struct reference *r)
{
	uint32_t i = reference_next(r);
	struct weir_packet expected = r->list[i].packet;
	const struct weir_packet *packet;

	expected.slack_ps -= d->port->free_ps - expected.time_ps;
	packet = weir_port_next(d->port, &d->pool);
	CHECK(memcmp(packet, &expected, sizeof(expected)) == 0);
	reference_remove(r, i);
}

/* Phases in which more comes than goes, and the other way round; now and then all leaves. */
static void check_against_list(uint32_t queues, uint64_t seed)
{
	struct weir_rng rng = weir_rng_make(seed, queues, WEIR_RNG_TEST);
	struct reference *r = calloc(1, sizeof(*r));
	uint32_t pushes = 0, pops = 0, most = 0;
	struct fixture_params params;
	struct fixture d;

	CHECK(r != NULL);
	r->queues = queues;
	pifo_open(&d, &params, "pifo", queues, "none");
	while (pushes < 10000 || r->count) {
		uint32_t in_ten = pushes >= 10000 ? 0 : pushes / 1000 % 2 ? 4 : 6;

		if (r->count < WAITING_MAX &&
		    (r->count == 0 || weir_rng_below(&rng, 10) < in_ten)) {
			push_random(&d, r, &rng, pushes++);
		} else {
			pop_random(&d, r);
			pops++;
		}
		most = r->count > most ? r->count : most;
		if (pushes % 64 == 0)
			check_counts(&d, r);
	}
	CHECK_INT(pops, 10000);
	CHECK(most > 300);
	check_counts(&d, r);
	check_all_given_back(&d);
	fixture_close(&d);
	free(r);
}

TEST(test_ranked_queues_agree_with_a_list_over_random_packets)
{
	check_against_list(1, 1);
	check_against_list(3, 2);
	check_against_list(WEIR_QUEUES_MAX, 3);
}

/* However often packets come and go, the store does not grow: one packet takes one chunk. */
TEST(test_memory_of_ranked_packets_that_left_is_used_again)
{
	struct fixture_params params;
	struct fixture d;
	uint64_t used;

	pifo_open(&d, &params, "pifo", 1, "none");
	for (int64_t i = 0; i < 100; i++)
		put(&d, 100, 0, i * 37 % 100, 1);
	used = weir_packet_store_used_bytes(&d.store);
	for (int64_t i = 0; i < 100000; i++) {
		CHECK(weir_port_next(d.port, &d.pool) != NULL);
		put(&d, 100, 0, i * 37 % 100, 1);
	}
	CHECK_INT(weir_packet_store_used_bytes(&d.store), used);
	fixture_close(&d);
}

/* --- in a simulation --- */

/* Nine hosts, all to all: web search flows at a load of 0.8 with a buffer that overflows. */
static void run_star(struct sim *s, const char *scheduler, const char *more)
{
	sim_read(s,
		 "[network]\ntopology = star\nhosts = 9\nrate = 10Gbps\ndelay = 5us\n"
		 "[switch]\nmarking = ecn(k=65pkts)\nscheduler = %s\nbuffer = 150pkts\n"
		 "[traffic web]\npattern = all-to-all\nsizes = websearch\nload = 0.8\nflows = 300\n"
		 "%s",
		 scheduler, more);
	sim_run(s, 1);
	CHECK_INT(sim_metric(s, "flows_completed"), 300);
	printf("%s: small %.1f us, p99 %.1f us, large %.2f ms, all %.2f ms, drops %.0f\n",
	       scheduler, sim_metric(s, "fct_small_mean_ns") / 1e3,
	       sim_metric(s, "fct_small_p99_ns") / 1e3, sim_metric(s, "fct_large_mean_ns") / 1e6,
	       sim_metric(s, "fct_mean_ns") / 1e6, sim_metric(s, "drops"));
}

TEST(test_pifo_by_arrival_gives_the_results_of_fifo)
{
	struct sim fifo, pifo;

	run_star(&fifo, "fifo", "");
	CHECK(sim_metric(&fifo, "drops") > 100 && sim_metric(&fifo, "marks") > 1000);
	run_star(&pifo, "pifo(rank=fifo)", "slack = 3us\nslack-per-kb = 1us\n");
	sim_check_same(&fifo.r, &pifo.r);
	sim_end(&fifo);
	sim_end(&pifo);
}

/* Without slack all packets of a port are equal. */
TEST(test_lstf_without_slack_gives_the_results_of_fifo)
{
	struct sim fifo, pifo;

	run_star(&fifo, "fifo", "");
	run_star(&pifo, "pifo(rank=lstf)", "");
	sim_check_same(&fifo.r, &pifo.r);
	sim_end(&fifo);
	sim_end(&pifo);
}

/* Mittal et al., section 3.1: slack in proportion to the flow's size, and short flows are served
 * first. What they gain costs large flows little: most bytes are theirs. */
TEST(test_lstf_with_slack_by_size_makes_small_flows_faster)
{
	struct sim fifo, lstf;

	run_star(&fifo, "fifo", "");
	run_star(&lstf, "pifo(rank=lstf)", "slack-per-kb = 1ms\n");
	CHECK(sim_metric(&lstf, "fct_small_mean_ns") <
	      0.8 * sim_metric(&fifo, "fct_small_mean_ns"));
	CHECK(sim_metric(&lstf, "fct_mean_ns") < sim_metric(&fifo, "fct_mean_ns"));
	sim_end(&fifo);
	sim_end(&lstf);
}

/* Two classes of web search flows. */
static void run_two_classes(struct sim *s, const char *scheduler, const char *marking, int queues)
{
	sim_read(s,
		 "[network]\ntopology = star\nhosts = 9\nrate = 10Gbps\ndelay = 5us\n"
		 "[switch]\nmarking = %s\nscheduler = %s\nqueues = %d\nbuffer = 150pkts\n"
		 "[traffic web]\npattern = all-to-all\nsizes = websearch\nload = 0.8\nflows = 200\n"
		 "classes = 2\n",
		 marking, scheduler, queues);
	sim_run(s, 1);
	CHECK_INT(sim_metric(s, "flows_completed"), 200);
}

TEST(test_pifo_by_class_gives_the_results_of_strict_priority)
{
	struct sim sp, pifo;

	run_two_classes(&sp, "sp", "ecn(k=65pkts)", 2);
	run_two_classes(&pifo, "pifo(rank=class)", "ecn(k=65pkts)", 2);
	sim_check_same(&sp.r, &pifo.r);
	sim_end(&pifo);
	/* In one queue too, where marking does not look at queues. */
	sim_end(&sp);
	run_two_classes(&sp, "sp", "ecn(k=65pkts, scope=port)", 2);
	run_two_classes(&pifo, "pifo(rank=class)", "ecn(k=65pkts, scope=port)", 1);
	sim_check_same(&sp.r, &pifo.r);
	CHECK(sim_metric(&sp, "drops") > 10 && sim_metric(&sp, "marks") > 1000);
	sim_end(&sp);
	sim_end(&pifo);
}

/* h0, h2 - a - b - h1, and h3 at b; all links 10 Gb/s, 2 us. A full packet is 1.2112 us on a wire,
 * so that from its start at the sender's NIC to its start at b lie 2 x (1.2112 + 2) us and its
 * waits at a and b. */
enum { FULL_BYTES = 1514, TWO_HOPS_PS = 2 * (FULL_BYTES * 800 + 2000000), SLACK_PS = 100000000 };

struct waits {
	uint64_t packets;
	int64_t longest_ps;
};

static void see_slack(void *context, int64_t start_ps, const struct weir_packet *packet,
		      const struct flow *flow)
{
	struct weir_packet copy = *packet;
	int64_t waited_ps = start_ps - packet_segment(&copy)->sent_ps - TWO_HOPS_PS;
	struct waits *w = context;

	if (packet->bytes != FULL_BYTES || flow->src == 3)
		return;
	CHECK_INT(SLACK_PS - packet->slack_ps, waited_ps);
	w->packets++;
	w->longest_ps = waited_ps > w->longest_ps ? waited_ps : w->longest_ps;
}

TEST(test_slack_is_counted_down_along_the_way)
{
	struct waits w = { 0 };
	const struct tap tap = { "b->h1", see_slack, &w };
	const struct run_control control = { .threads = 1, .tap_count = 1, .taps = &tap };
	struct weir_error e = { "" };
	struct sim s;

	sim_read(&s, "[network]\ntopology = explicit\nlink = h0 a 10Gbps 2us\n"
		     "link = h2 a 10Gbps 2us\nlink = a b 10Gbps 2us\nlink = b h1 10Gbps 2us\n"
		     "link = b h3 10Gbps 2us\n"
		     "[switch]\nscheduler = pifo\nmarking = ecn(k=20pkts)\n"
		     "[host]\nmss = 1460B\nheader = 54B\n"
		     "[traffic x]\npattern = many-to-one\nreceiver = 1\nsize = 500KB\n"
		     "slack = 100us\n");
	CHECK_INT(run(&s.c, &control, &s.r, &e), 0);
	CHECK_INT(w.packets, 2 * 342); /* of 1460 bytes each; 680 are left */
	CHECK(w.longest_ps > 10000000);
	sim_end(&s);
}

TEST(test_pifo_results_do_not_depend_on_threads)
{
	struct sim one, three;
	static const char text[] =
		"[network]\ntopology = leaf-spine\nleaves = 3\nspines = 2\nhosts-per-leaf = 4\n"
		"rate = 10Gbps\nfabric-rate = 10Gbps\ndelay = 3us\n"
		"[switch]\nscheduler = pifo\nmarking = tcn(threshold=40us)\nbuffer = 100pkts\n"
		"[traffic x]\npattern = all-to-all\nsizes = uniform(min=1KB, max=400KB)\n"
		"load = 0.7\nflows = 200\nslack = 5us\nslack-per-kb = 2us\n";

	sim_read(&one, "%s", text);
	sim_read(&three, "%s", text);
	sim_run(&one, 1);
	sim_run(&three, 3);
	sim_check_same(&one.r, &three.r);
	CHECK(sim_metric(&one, "marks") > 100);
	sim_end(&one);
	sim_end(&three);
}
