/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sim_library.c -- the simulator driven from a loop of the caller's: weir/sim.h. */
#define _POSIX_C_SOURCE 200809L
#include "sim/core/mailbox.h"
#include "sim/run/sim.h"
#include "tests/sim.h"
#include "weir/sim.h"
#include <time.h>

#define US_PS (INT64_C(1000) * WEIR_PS_PER_NS)
#define MS_PS (INT64_C(1000) * US_PS)

#define PAIR "[network]\ntopology = star\nhosts = 2\nrate = 10Gbps\ndelay = 10us\n"
#define MAIL "[traffic mail]\npattern = messages\n"
#define TCP "[host]\njitter = 0ns\nmss = 1446B\nheader = 54B\n"

static struct weir_sim *drive(const char *text, const struct weir_sim_plan *plan)
{
	struct weir_sim *sim;
	struct weir_error e;

	if (weir_sim_new(&sim, text, plan, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	return sim;
}

static void go(struct weir_sim *sim, int64_t until_ps)
{
	struct weir_error e;

	if (weir_sim_run_until(sim, until_ps, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_INT(weir_sim_now_ps(sim), until_ps);
}

static void end(struct weir_sim *sim)
{
	struct weir_error e;

	if (weir_sim_audit(sim, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	weir_sim_free(sim);
}

static void send_now(struct weir_sim *sim, const struct weir_sim_message *m)
{
	struct weir_error e;

	if (weir_sim_send(sim, m, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static double look(struct weir_sim *sim, const char *what)
{
	struct weir_error e;
	uint32_t watch;

	if (weir_sim_watch(sim, what, &watch, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	return weir_sim_observe(sim, watch);
}

/* --- messages --- */

/* Answers each message with one of the same size, so many times in all. */
struct ping_pong {
	uint32_t left;
	uint32_t count;
	int64_t at_ps[8]; /* of the first deliveries */
};

static void answer(void *context, struct weir_sim_turn *turn, const struct weir_sim_delivery *d)
{
	struct ping_pong *p = context;
	struct weir_error e;

	CHECK_INT(d->to, weir_sim_turn_host(turn));
	CHECK_INT(d->delivered_ps, weir_sim_turn_now_ps(turn));
	if (p->count < 8)
		p->at_ps[p->count] = d->delivered_ps;
	p->count++;
	if (p->left == 0)
		return;
	p->left--;

	const struct weir_sim_message m = {
		.to = d->from, .bytes = d->bytes, .delivered = answer, .context = p
	};

	if (weir_sim_turn_send(turn, &m, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

/* 1000 bytes and 54 of header take 843.2 ns on each of two links of 10 us: 21,686,400 ps. Whoever
 * answers sends its ACK of 54 bytes first, 43.2 ns. */
TEST(test_ping_pong_has_the_round_trip_time_computed_by_hand)
{
	struct weir_sim *sim = drive(PAIR TCP MAIL, NULL);
	struct ping_pong p = { .left = 5 };

	go(sim, 3 * US_PS + 1);
	send_now(sim,
		 &(struct weir_sim_message){
			 .from = 0, .to = 1, .bytes = 1000, .delivered = answer, .context = &p });
	go(sim, MS_PS);
	CHECK_INT(p.count, 6);
	for (uint32_t i = 0; i < 6; i++)
		CHECK_INT(p.at_ps[i], 3 * US_PS + 1 + 21686400 + i * INT64_C(21729600));
	end(sim);
}

/* The engine goes from window to window, here of a bit more than 10 us; the first one is under way,
 * for the sake of others, when a host that had nothing to do is given something. */
TEST(test_a_message_sent_in_the_middle_of_a_window_starts_then)
{
	struct weir_sim *sim = drive("[network]\ntopology = star\nhosts = 4\nrate = 10Gbps\n"
				     "delay = 10us\n" TCP MAIL,
				     NULL);
	struct ping_pong p = { .left = 0 };

	send_now(sim, &(struct weir_sim_message){ .from = 0, .to = 1, .bytes = 100000 });
	go(sim, 3 * US_PS + 1);
	send_now(sim,
		 &(struct weir_sim_message){
			 .from = 2, .to = 3, .bytes = 1000, .delivered = answer, .context = &p });
	go(sim, MS_PS);
	CHECK_INT(p.at_ps[0], 3 * US_PS + 1 + 21686400);
	end(sim);
}

#ifdef __SANITIZE_ADDRESS__
enum { MANY = 50 * 1000 };
#else
enum { MANY = 1000 * 1000 };
#endif

/* Four conversations at once, with records for twelve messages of each host. */
TEST(test_a_million_messages_use_the_records_of_a_few)
{
	struct weir_sim *sim = drive(PAIR TCP MAIL, &(struct weir_sim_plan){ .messages = 12 });
	struct ping_pong p = { .left = MANY - 4 };

	for (uint32_t i = 0; i < 4; i++)
		send_now(sim, &(struct weir_sim_message){ .from = i % 2,
							  .to = 1 - i % 2,
							  .bytes = 1 + i * 1446,
							  .delivered = answer,
							  .context = &p });
	for (int64_t now_ps = 0; p.count < MANY; now_ps += 100 * MS_PS)
		go(sim, now_ps);
	CHECK_INT(p.count, MANY);
	CHECK(sim->engine->mail->boxes[0].fresh <= 12);
	CHECK_INT(sim->engine->mail->boxes[0].connection_count, 1);
	end(sim);
}

/* One after the other over each pair, whatever is lost. */
struct order {
	uint32_t next[8][8];
	uint32_t count;
};

struct numbered {
	struct order *order;
	uint32_t number;
};

static void in_order(void *context, struct weir_sim_turn *turn, const struct weir_sim_delivery *d)
{
	struct numbered *n = context;

	(void)turn;
	CHECK_INT(n->order->next[d->from][d->to]++, n->number);
	n->order->count++;
}

static void check_order(const char *host)
{
	enum { ROUNDS = 200, HOSTS = 8 };
	char text[1024];
	struct order order = { .count = 0 };
	static struct numbered numbers[ROUNDS];
	struct weir_sim *sim;

	snprintf(text, sizeof(text),
		 "[network]\ntopology = star\nhosts = 8\nrate = 10Gbps\ndelay = 1us\n"
		 "[switch]\nmarking = none\nbuffer = 8pkts\n%s" MAIL,
		 host);
	sim = drive(text, &(struct weir_sim_plan){ .messages = 100 });
	for (uint32_t i = 0; i < ROUNDS; i++) {
		numbers[i] = (struct numbered){ &order, i };
		for (uint32_t from = 1; from < HOSTS; from++)
			send_now(sim, &(struct weir_sim_message){ .from = from,
								  .bytes = 1 + 977 * i,
								  .delivered = in_order,
								  .context = &numbers[i] });
		go(sim, (i + 1) * 10 * MS_PS);
	}
	go(sim, 10 * WEIR_PS_PER_S);
	CHECK_INT(order.count, ROUNDS * (HOSTS - 1));
	CHECK(look(sim, "drops sw->h0") > 100);
	end(sim);
}

TEST(test_messages_of_a_connection_arrive_in_order_through_losses)
{
	check_order("[host]\ncc = reno\nrto-min = 1ms\n");
}

TEST(test_messages_of_a_queue_pair_arrive_in_order_through_losses)
{
	check_order("[host]\ncc = dcqcn\n[rdma]\nrto = 1ms\n");
}

/* 2^32 - 1 segments may not be reached: the next message that would gets a connection of its
 * own. */
TEST(test_a_connection_that_has_no_numbers_left_is_followed_by_another)
{
	struct weir_sim *sim = drive(PAIR TCP MAIL, NULL);
	struct ping_pong p = { .left = 0 };
	const struct weir_sim_message m = {
		.from = 0, .to = 1, .bytes = 2 * 1446, .delivered = answer, .context = &p
	};
	struct mailbox *box = &sim->engine->mail->boxes[0];

	send_now(sim, &m);
	for (uint32_t i = 0; i < box->place_count; i++)
		if (box->places[i].opener != FLOW_NONE)
			box->places[i].segments = UINT32_MAX - 3;
	send_now(sim, &m);
	CHECK_INT(box->connection_count, 1);
	send_now(sim, &m);
	CHECK_INT(box->connection_count, 2);
	go(sim, MS_PS);
	CHECK_INT(p.count, 3);
	end(sim);
}

TEST(test_sections_and_classes_have_connections_of_their_own)
{
	struct weir_sim *sim =
		drive(PAIR "[switch]\nqueues = 2\nscheduler = sp\n" TCP MAIL
			   "classes = 2\n[traffic other]\npattern = messages\ncc = cubic\n",
		      NULL);
	struct weir_sim_message m = { .from = 0, .to = 1, .bytes = 10000 };
	struct weir_error e;

	send_now(sim, &m);
	m.class_id = 1;
	send_now(sim, &m);
	CHECK_INT(weir_sim_find_traffic(sim, "other", &m.traffic, &e), 0);
	CHECK_INT(m.traffic, 1);
	m.class_id = 0;
	send_now(sim, &m);
	send_now(sim, &m);
	CHECK_INT(sim->engine->mail->boxes[0].connection_count, 3);
	go(sim, MS_PS);
	CHECK_INT((int64_t)look(sim, "throughput traffic:mail"), 20000);
	CHECK_INT((int64_t)look(sim, "throughput traffic:other"), 20000);
	end(sim);
}

static void check_refused(struct weir_sim *sim, const struct weir_sim_message *m, const char *like)
{
	struct weir_error e;

	CHECK_INT(weir_sim_send(sim, m, &e), -1);
	CHECK_LIKE(e.text, like);
}

TEST(test_what_cannot_be_sent_is_refused)
{
	struct weir_sim *sim =
		drive(PAIR TCP MAIL, &(struct weir_sim_plan){ .messages = 2, .connections = 1 });
	struct weir_error e;

	check_refused(sim, &(struct weir_sim_message){ .from = 2, .to = 1, .bytes = 1 },
		      "a message from host 2; there are 2, from 0");
	check_refused(sim, &(struct weir_sim_message){ .from = 0, .to = 3, .bytes = 1 },
		      "a message to host 3; there are 2, from 0");
	check_refused(sim, &(struct weir_sim_message){ .from = 1, .to = 1, .bytes = 1 },
		      "a message from host 1 to itself");
	check_refused(sim, &(struct weir_sim_message){ .from = 0, .to = 1 },
		      "a message of 0 bytes; from 1 to ...");
	check_refused(sim,
		      &(struct weir_sim_message){ .from = 0, .to = 1, .bytes = 1, .class_id = 1 },
		      "a message of class 1; traffic.mail.classes is 1");
	check_refused(sim,
		      &(struct weir_sim_message){ .from = 0, .to = 1, .bytes = 1, .traffic = 1 },
		      "a message of section 1; the scenario has 1 with pattern = messages, from 0");
	send_now(sim, &(struct weir_sim_message){ .from = 0, .to = 1, .bytes = 1 });
	send_now(sim, &(struct weir_sim_message){ .from = 0, .to = 1, .bytes = 1 });
	check_refused(sim, &(struct weir_sim_message){ .from = 0, .to = 1, .bytes = 1 },
		      "2 messages of host 0 are under way; plan for more (weir_sim_plan)");
	go(sim, MS_PS);
	CHECK_INT(weir_sim_run_until(sim, 1, &e), -1);
	CHECK_LIKE(e.text, "until 1 ps; now it is 1000000000");
	CHECK_INT(weir_sim_run_until(sim, WEIR_TIME_NEVER_PS, &e), -1);
	CHECK_LIKE(e.text, "until 9223372036854775807 ps; at most ...");
	CHECK_INT(weir_sim_find_traffic(sim, "mails", &(uint32_t){ 0 }, &e), -1);
	CHECK_CONTAINS(e.text, "nearest: mail");
	end(sim);
}

TEST(test_a_scenario_that_is_wrong_is_refused_with_its_place)
{
	struct weir_sim *sim;
	struct weir_error e;

	CHECK_INT(weir_sim_new(&sim, "[network]\ntopology = star\nhots = 3\n" MAIL, NULL, &e), -1);
	CHECK_CONTAINS(e.text, "scenario:3: network.hots");
	CHECK_INT(weir_sim_new(&sim, PAIR MAIL "[sweep]\nhost.cc = dctcp, cubic\n", NULL, &e), -1);
	CHECK_LIKE(e.text,
		   "scenario:9: ...host.cc: a list of values; a simulation has one of each");
}

/* What the control of messages between two hosts is told of their pair. */
static const struct weir_cc_env *env_between(struct weir_sim *sim, uint32_t src, uint32_t dst)
{
	struct flow f = { .src = src, .dst = dst };

	return &sim->engine->transports[pair_transport_number(sim->engine, &f)].env;
}

/* As in test_pair.c: 21.76 us in the rack, 30.20 us across; the third host of a rack has the pairs
 * of the second. */
TEST(test_messages_have_the_round_trip_of_their_pair)
{
	static const char racks[] =
		"[network]\ntopology = leaf-spine\nleaves = 2\nspines = 1\nhosts-per-leaf = 3\n"
		"rate = 10Gbps\nfabric-rate = 40Gbps\ndelay = 5us\nfabric-delay = 2us\n"
		"[rdma]\nmtu = 1000B\nheader = 50B\nint-header = 0B\n%s[host]\ncc = %s\n" MAIL;
	struct weir_sim *sim;
	char text[1024];

	snprintf(text, sizeof(text), racks, "", "rl-cc");
	sim = drive(text, NULL);
	CHECK_INT(env_between(sim, 0, 2)->base_rtt_ns, 30200);
	CHECK_INT(env_between(sim, 0, 2)->path_shorter_ns, 8440);
	CHECK_INT(env_between(sim, 2, 5)->path_shorter_ns, 0);
	send_now(sim, &(struct weir_sim_message){ .from = 2, .to = 1, .bytes = 10000 });
	go(sim, MS_PS);
	end(sim);
	snprintf(text, sizeof(text), racks, "base-rtt = pair\n", "dcqcn(window=bdp)");
	sim = drive(text, NULL);
	CHECK_INT(env_between(sim, 0, 2)->base_rtt_ns, 21760);
	CHECK_INT(env_between(sim, 3, 2)->base_rtt_ns, 30200);
	end(sim);
}

/* --- calls --- */

struct calls {
	int64_t at_ps[8];
	int which[8];
	uint32_t count;
};

struct one_call {
	struct calls *calls;
	int which;
};

static void note_call(void *context, struct weir_sim_turn *turn)
{
	struct one_call *c = context;

	CHECK_INT(weir_sim_turn_host(turn), 1);
	c->calls->at_ps[c->calls->count] = weir_sim_turn_now_ps(turn);
	c->calls->which[c->calls->count++] = c->which;
}

static void call_again(void *context, struct weir_sim_turn *turn)
{
	struct one_call *c = context;
	struct weir_error e;

	note_call(context, turn);
	if (c->calls->count < 6)
		CHECK_INT(weir_sim_turn_call_at(
				  turn,
				  &(struct weir_sim_call){ weir_sim_turn_now_ps(turn) + 7,
							   call_again, c },
				  &e),
			  0);
}

TEST(test_calls_come_at_their_time_in_the_order_asked_for)
{
	struct weir_sim *sim = drive(PAIR TCP MAIL, NULL);
	struct calls calls = { .count = 0 };
	struct one_call c[3] = { { &calls, 0 }, { &calls, 1 }, { &calls, 2 } };
	struct weir_error e;

	go(sim, 5);
	CHECK_INT(weir_sim_call_at(sim, 1, &(struct weir_sim_call){ 4, note_call, &c[0] }, &e), -1);
	CHECK_LIKE(e.text, "a call at 4 ps; now it is 5");
	CHECK_INT(weir_sim_call_at(sim, 1, &(struct weir_sim_call){ MS_PS, note_call, &c[0] }, &e),
		  0);
	CHECK_INT(weir_sim_call_at(sim, 1, &(struct weir_sim_call){ 9, note_call, &c[1] }, &e), 0);
	CHECK_INT(weir_sim_call_at(sim, 1, &(struct weir_sim_call){ 9, note_call, &c[0] }, &e), 0);
	CHECK_INT(weir_sim_call_at(sim, 1, &(struct weir_sim_call){ MS_PS, call_again, &c[2] }, &e),
		  0);
	go(sim, 9);
	CHECK_INT(calls.count, 0);
	go(sim, MS_PS + 8);

	static const int which[] = { 1, 0, 0, 2, 2 };
	static const int64_t at_ps[] = { 9, 9, MS_PS, MS_PS, MS_PS + 7 };

	CHECK_INT(calls.count, 5);
	for (uint32_t i = 0; i < 5; i++) {
		CHECK_INT(calls.which[i], which[i]);
		CHECK_INT(calls.at_ps[i], at_ps[i]);
	}
	end(sim);
}

/* --- the same, however it is driven --- */

#define FABRIC \
	"[network]\ntopology = leaf-spine\nleaves = 3\nspines = 2\nhosts-per-leaf = 4\n" \
	"rate = 10Gbps\nfabric-rate = 10Gbps\ndelay = 1us\nfabric-delay = 700ns\n" \
	"[switch]\nmarking = ecn(k=20pkts)\nbuffer = 40pkts\n[host]\nrto-min = 1ms\n" \
	"[traffic flows]\npattern = all-to-all\nsizes = uniform(min=1KB, max=200KB)\nload = 0.6\n" \
	"flows = 200\n" MAIL

enum { FABRIC_HOSTS = 12 };

/* Each host answers what it gets by something for another host, of its own choice; what it has seen
 * is in a hash. It also calls itself now and then. */
struct gossip {
	struct gossiper {
		struct gossip *all;
		uint64_t seen;
		uint64_t count;
	} hosts[FABRIC_HOSTS];
};

static void gossip(void *context, struct weir_sim_turn *turn, const struct weir_sim_delivery *d);

static void tell_another(struct gossip *all, struct weir_sim_turn *turn)
{
	struct gossiper *g = &all->hosts[weir_sim_turn_host(turn)];
	uint32_t to = (uint32_t)(g->seen >> 40) % FABRIC_HOSTS;
	struct weir_error e;

	if (to == weir_sim_turn_host(turn))
		to = (to + 1) % FABRIC_HOSTS;

	const struct weir_sim_message m = {
		.to = to, .bytes = 1 + (g->seen >> 20) % 30000, .delivered = gossip, .context = all
	};

	if (weir_sim_turn_send(turn, &m, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static void gossip(void *context, struct weir_sim_turn *turn, const struct weir_sim_delivery *d)
{
	struct gossip *all = context;
	struct gossiper *g = &all->hosts[weir_sim_turn_host(turn)];

	g->seen = weir_hash64(g->seen ^ (uint64_t)d->sent_ps, (uint64_t)d->delivered_ps);
	g->count++;
	tell_another(all, turn);
}

static void wake_up(void *context, struct weir_sim_turn *turn)
{
	struct gossip *all = context;
	struct weir_error e;
	struct weir_sim_call again = { weir_sim_turn_now_ps(turn) + 333 * US_PS, wake_up, all };

	tell_another(all, turn);
	CHECK_INT(weir_sim_turn_call_at(turn, &again, &e), 0);
}

static struct weir_sim *start_gossip(struct gossip *all, uint32_t threads)
{
	struct weir_sim *sim = drive(FABRIC, &(struct weir_sim_plan){ .threads = threads });
	struct weir_error e;

	memset(all, 0, sizeof(*all));
	for (uint32_t i = 0; i < FABRIC_HOSTS; i++) {
		all->hosts[i].seen = weir_hash64(7, i);
		CHECK_INT(weir_sim_call_at(sim, i,
					   &(struct weir_sim_call){ i * US_PS, wake_up, all }, &e),
			  0);
	}
	return sim;
}

/* What hosts have seen, and when the flows of the scenario ended. */
static uint64_t digest(const struct weir_sim *sim, const struct gossip *all)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < FABRIC_HOSTS; i++)
		sum = weir_hash64(sum ^ all->hosts[i].seen, all->hosts[i].count);
	for (uint32_t i = 0; i < sim->engine->flows.count; i++)
		sum = weir_hash64(sum, (uint64_t)sim->engine->flows.flows[i].finish_ps);
	return sum;
}

#define GOSSIP_PS (4 * MS_PS)

static uint64_t gossip_alone(uint32_t threads, int64_t step_ps)
{
	struct gossip all;
	struct weir_sim *sim = start_gossip(&all, threads);
	uint64_t sum;

	for (int64_t now_ps = step_ps; now_ps < GOSSIP_PS; now_ps += step_ps)
		go(sim, now_ps);
	go(sim, GOSSIP_PS);
	CHECK(all.hosts[0].count > 20);
	CHECK(look(sim, "drops leaf0->h0") + look(sim, "marks leaf0->h0") > 0);
	sum = digest(sim, &all);
	end(sim);
	return sum;
}

TEST(test_steps_and_threads_have_no_say_in_what_happens)
{
	static const int64_t steps_ps[] = { GOSSIP_PS, 7777777, 123456789, 1699999 };
	uint64_t once = gossip_alone(1, GOSSIP_PS);

	for (uint32_t threads = 1; threads <= 3; threads++)
		for (uint32_t i = 0; i < sizeof(steps_ps) / sizeof(steps_ps[0]); i++)
			CHECK(gossip_alone(threads, steps_ps[i]) == once);
}

TEST(test_two_simulations_in_turn_give_what_each_gives_alone)
{
	uint64_t once = gossip_alone(1, GOSSIP_PS);
	struct gossip all[2];
	struct weir_sim *a = start_gossip(&all[0], 1), *b = start_gossip(&all[1], 2);

	for (int64_t now_ps = 0; now_ps < GOSSIP_PS; now_ps += GOSSIP_PS / 50) {
		go(a, now_ps);
		go(b, now_ps + US_PS);
	}
	nanosleep(&(struct timespec){ .tv_nsec = 20 * WEIR_NS_PER_MS },
		  NULL); /* b's other thread sleeps */
	go(a, GOSSIP_PS);
	go(b, GOSSIP_PS);
	CHECK(digest(a, &all[0]) == once);
	CHECK(digest(b, &all[1]) == once);
	end(a);
	end(b);
}

/* The flows of a scenario end as in a run of it by itself. */
TEST(test_a_driven_scenario_gives_the_flows_of_a_run)
{
	struct weir_sim *driven = drive(FABRIC, NULL);
	struct sim s;

	sim_read_default(&s, "%s", FABRIC);
	sim_run(&s, 1);
	for (int64_t now_ps = 0; now_ps < 100 * MS_PS; now_ps += 999999937)
		go(driven, now_ps);
	CHECK_INT(s.r.flow_count, driven->engine->flows.count);
	for (uint32_t i = 0; i < s.r.flow_count; i++)
		CHECK_INT(driven->engine->flows.flows[i].finish_ps, s.r.flows[i].finish_ps);
	sim_end(&s);
	end(driven);
}

/* Leaks are the sanitizer's to find. */
TEST(test_a_simulation_may_be_freed_in_the_middle)
{
	for (uint32_t threads = 1; threads <= 2; threads++) {
		struct gossip all;
		struct weir_sim *sim = start_gossip(&all, threads);
		struct weir_error e;
		uint32_t watch;

		CHECK_INT(weir_sim_watch(sim, "queue leaf0->h0", &watch, &e), 0);
		CHECK_INT(weir_sim_set(sim, "marking leaf0->h0", "ecn(k=3pkts)", &e), 0);
		go(sim, 777 * US_PS);
		send_now(sim, &(struct weir_sim_message){ .from = 0, .to = 1, .bytes = 1000000 });
		weir_sim_free(sim);
	}
	weir_sim_free(drive(PAIR MAIL, NULL));
}

/* --- looking and changing --- */

/* Two hosts at 10 Gb/s each into a third: what waits grows by 10 Gb/s, 1250 bytes in a
 * microsecond. */
TEST(test_what_is_observed_is_what_is_there)
{
	struct weir_sim *sim =
		drive("[network]\ntopology = star\nhosts = 3\nrate = 10Gbps\ndelay = 1us\n"
		      "[switch]\nmarking = none\nbuffer = 10000pkts\n"
		      "[host]\ncc = reno\ninitial-window = 1000\nmss = 1446B\nheader = 54B\n" MAIL,
		      NULL);
	struct weir_error e;
	uint32_t queue, bytes;

	CHECK_INT(weir_sim_watch(sim, "queue-bytes sw->h2", &queue, &e), 0);
	CHECK_INT(weir_sim_watch(sim, "throughput sw->h2", &bytes, &e), 0);
	CHECK_INT(weir_sim_watches(sim), 2);
	CHECK_STR(weir_sim_watch_name(sim, bytes), "throughput sw->h2");
	for (uint32_t from = 0; from < 2; from++)
		send_now(sim,
			 &(struct weir_sim_message){ .from = from, .to = 2, .bytes = 1446 * 900 });
	go(sim, 101 * US_PS);
	CHECK_NEAR(weir_sim_observe(sim, queue), 1250 * 100, 3 * 1500);
	CHECK_NEAR(weir_sim_observe(sim, bytes), 1250 * 99, 3 * 1500);
	CHECK_INT(weir_sim_hosts(sim), 3);
	CHECK_INT(weir_sim_find_host(sim, "h2", &queue, &e), 0);
	CHECK_INT(queue, 2);
	CHECK_INT(weir_sim_find_host(sim, "h3", &queue, &e), -1);
	CHECK_LIKE(e.text, "there is no host 'h3'; there are 3, the first of them is h0");
	CHECK_INT(weir_sim_watch(sim, "queues sw->h2", &queue, &e), -1);
	CHECK_LIKE(e.text, "'queues sw->h2': unknown probe 'queues'...nearest: queue...");
	CHECK_INT(weir_sim_watch(sim, "window flow:0", &queue, &e), -1);
	CHECK_LIKE(e.text, "'window flow:0': the scenario has no flows");
	end(sim);
}

TEST(test_a_link_that_is_set_down_loses_what_starts_on_it)
{
	struct weir_sim *sim = drive(PAIR TCP "rto-min = 1ms\nrto-initial = 1ms\n" MAIL, NULL);
	struct ping_pong p = { .left = 0 };
	struct weir_error e;

	CHECK_INT(weir_sim_set(sim, "link sw->h1", "down", &e), 0);
	send_now(sim,
		 &(struct weir_sim_message){
			 .from = 0, .to = 1, .bytes = 1000, .delivered = answer, .context = &p });
	go(sim, 500 * US_PS);
	CHECK_INT((int64_t)look(sim, "drops sw->h1"), 1);
	CHECK_INT(weir_sim_set(sim, "link sw->h1", "up", &e), 0);
	go(sim, 500 * US_PS + MS_PS);
	CHECK_INT(p.count, 1);
	CHECK_INT(p.at_ps[0], MS_PS + 21686400);
	CHECK_INT(weir_sim_set(sim, "link sw->h1", "dwn", &e), -1);
	CHECK_CONTAINS(e.text, "nearest: down");
	CHECK_INT(weir_sim_set(sim, "lnk sw->h1", "down", &e), -1);
	CHECK_CONTAINS(e.text, "nearest: link");
	end(sim);
}

/* Of two ports alike, the one whose threshold is lowered marks. */
TEST(test_marking_that_is_set_counts_for_its_port_alone)
{
	struct weir_sim *sim =
		drive("[network]\ntopology = star\nhosts = 4\nrate = 10Gbps\ndelay = 1us\n"
		      "[switch]\nmarking = ecn(k=100pkts)\n" MAIL,
		      NULL);
	struct weir_error e;

	CHECK_INT(weir_sim_set(sim, "marking sw->h1", "ecn(k=2pkts)", &e), 0);
	for (uint32_t to = 0; to < 2; to++)
		for (uint32_t from = 2; from < 4; from++)
			send_now(sim, &(struct weir_sim_message){
					      .from = from, .to = to, .bytes = 10000 });
	go(sim, MS_PS);
	CHECK_INT((int64_t)look(sim, "marks sw->h0"), 0);
	CHECK(look(sim, "marks sw->h1") > 0);
	CHECK_INT(weir_sim_set(sim, "marking sw->h1", "red(min=5KB, max=100KB, p=20%)", &e), -1);
	CHECK_CONTAINS(e.text, "a port keeps the scheme of the scenario, ecn");
	CHECK_INT(weir_sim_set(sim, "marking h1->sw", "ecn(k=2pkts)", &e), -1);
	CHECK_CONTAINS(e.text, "it is a host's NIC; name a switch port");
	end(sim);
}

/* PIE turns its gains into others when it begins. */
TEST(test_settings_that_are_in_a_schemes_state_are_not_changed)
{
	struct weir_sim *sim = drive(PAIR "[switch]\nmarking = pie\n" MAIL, NULL);
	struct weir_error e;

	CHECK_INT(weir_sim_set(sim, "marking sw->h1", "pie(alpha=0.5)", &e), -1);
	CHECK_CONTAINS(e.text, "cannot change");
	end(sim);
}

/* --- the scenario's own flows --- */

TEST(test_sim_library_shows_flows_of_the_scenario_and_when_they_ended)
{
	struct weir_sim *sim =
		drive(PAIR TCP "[traffic two]\npattern = many-to-one\nsenders = 1\n"
			       "receiver = 0\nflows-each = 2\nsize = 144600B\nstart = 1ms\n",
		      NULL);
	struct weir_sim_flow flow;

	CHECK_INT(weir_sim_flows(sim), 2);
	go(sim, 1 * MS_PS);
	flow = weir_sim_flow_at(sim, 1);
	CHECK_INT(flow.from, 1);
	CHECK_INT(flow.to, 0);
	CHECK_INT(flow.traffic, 0);
	CHECK_INT(flow.bytes, 144600);
	CHECK_INT(flow.start_ps, 1 * MS_PS);
	CHECK_INT(flow.finish_ps, -1);
	go(sim, 20 * MS_PS);
	flow = weir_sim_flow_at(sim, 1);
	CHECK(flow.finish_ps > flow.start_ps + 100 * US_PS && flow.finish_ps < 5 * MS_PS);
	end(sim);
}
