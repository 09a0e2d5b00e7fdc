/* SPDX-License-Identifier: BSD-3-Clause */
/* test_spray.c -- packets of a flow that take several paths (network.ecmp = packet): queue pairs
 * place them out of order, detect losses by time, and so send again what is lost and nothing
 * else. */
#include "sim/core/host.h"
#include "tests/ranks.h"
#include "tests/sim.h"

#define US_PS INT64_C(1000000)

#define FABRIC \
	"[network]\ntopology = leaf-spine\nleaves = 4\nspines = 4\nhosts-per-leaf = 4\n" \
	"rate = 100Gbps\ndelay = 1us\necmp = packet\n"
#define LOSSLESS "buffer = 8MB\nbuffer-per = switch\nlossless = all\n"
#define MARKS "[switch]\nmarking = red(min=100KB, max=400KB, p=0.2)\nnon-ect = pass\n"

/* --- where nothing is lost --- */

/* No control is told of a loss, so none is slowed down by one. */
static void check_nothing_is_sent_again(const char *cc, const char *text)
{
	struct sim s;

	sim_read(&s, "%s[host]\ncc = %s\n", text, cc);
	sim_run(&s, 1);
	printf("%s: %g drops, %g retransmits, %g timeouts, mean FCT %g us\n", cc,
	       sim_metric(&s, "drops"), sim_metric(&s, "retransmits"), sim_metric(&s, "timeouts"),
	       sim_metric(&s, "fct_mean_ns") * 1e-3);
	CHECK_INT(sim_metric(&s, "drops"), 0);
	CHECK_INT(sim_metric(&s, "retransmits"), 0);
	CHECK_INT(sim_metric(&s, "timeouts"), 0);
	CHECK_INT(sim_metric(&s, "flows_completed"), s.r.flow_count);
	sim_end(&s);
}

TEST(test_no_control_sends_again_what_spraying_reorders)
{
	for (uint32_t i = 0; weir_cc_all[i]; i++)
		check_nothing_is_sent_again(
			weir_cc_all[i]->scheme.name, FABRIC MARKS LOSSLESS
			"[traffic x]\npattern = permutation\nsize = 1MB\n[measure]\ndrain = 1s\n");
}

/* The queues of one spine are several times as long as the others', and new flows do not know
 * it. */
TEST(test_queue_pairs_wait_for_packets_on_a_path_that_is_slower)
{
	static char text[8192];
	size_t length = (size_t)sprintf(text, "[network]\ntopology = explicit\necmp = packet\n");

	for (uint32_t host = 0; host < 8; host++)
		length += (size_t)sprintf(text + length, "link = h%u l%u 100Gbps 1us\n", host,
					  host / 4);
	for (uint32_t spine = 0; spine < 8; spine++)
		length += (size_t)sprintf(text + length, "link = l%u s%u %s 1us\n", spine / 4,
					  spine % 4, spine % 4 == 3 ? "20Gbps" : "100Gbps");
	sprintf(text + length, MARKS LOSSLESS
		"[traffic x]\npattern = all-to-all\nsizes = exponential(mean=300KB)\nload = 0.7\n"
		"flows = 100\n[measure]\ndrain = 1s\n");
	for (uint32_t i = 0; weir_cc_all[i]; i++)
		if (weir_cc_all[i]->transport == WEIR_CC_RDMA)
			check_nothing_is_sent_again(weir_cc_all[i]->scheme.name, text);
}

TEST(test_queue_pairs_send_nothing_again_in_an_incast_with_pauses)
{
	for (uint32_t i = 0; weir_cc_all[i]; i++)
		if (weir_cc_all[i]->transport == WEIR_CC_RDMA)
			check_nothing_is_sent_again(
				weir_cc_all[i]->scheme.name, FABRIC MARKS
				"buffer = 1MB\nbuffer-per = switch\nlossless = all\n"
				"[traffic x]\npattern = incast\nsenders = 12\nsize = 200KB\n"
				"period = 500us\nflows = 60\n[measure]\ndrain = 1s\n");
}

/* A sprayed DCQCN permutation is done about when its line is: each flow has 80 us of its own. Where
 * order decides, packets that were overtaken are sent again. */
static double sprayed_fct_us(const char *rdma, double *retransmits)
{
	struct sim s;
	double mean_us;

	sim_read(&s,
		 FABRIC "[switch]\nmarking = red(min=400KB, max=1600KB, p=0.2)\n" LOSSLESS
			"[host]\ncc = dcqcn\n[rdma]\n%s\n"
			"[traffic x]\npattern = permutation\nsize = 1MB\n[measure]\ndrain = 1s\n",
		 rdma);
	sim_run(&s, 1);
	mean_us = sim_metric(&s, "fct_mean_ns") * 1e-3;
	*retransmits = sim_metric(&s, "retransmits");
	printf("%s: %g us, %g retransmits\n", rdma, mean_us, *retransmits);
	sim_end(&s);
	return mean_us;
}

TEST(test_a_sprayed_permutation_takes_little_longer_than_its_line)
{
	double by_time, by_order, by_time_us = sprayed_fct_us("", &by_time);

	CHECK(by_time_us < 1.2 * 84);
	CHECK_INT(by_time, 0);
	CHECK(sprayed_fct_us("loss-detection = order", &by_order) > by_time_us);
	CHECK(by_order > 100);
}

/* --- what is chosen where nothing is said --- */

static void check_choice(const char *ecmp, const char *rdma, enum rdma_recovery recovery,
			 int has_rack)
{
	struct sim s;

	sim_read(&s,
		 "[network]\ntopology = star\nhosts = 2\nrate = 10Gbps\ndelay = 1us\necmp = %s\n"
		 "[host]\ncc = dcqcn\n[rdma]\n%s\n[traffic x]\npattern = permutation\nsize = 1B\n",
		 ecmp, rdma);
	CHECK_INT(config_rdma_recovery(&s.c), recovery);
	CHECK_INT(config_rdma_has_rack(&s.c), has_rack);
	sim_end(&s);
}

TEST(test_spraying_decides_how_queue_pairs_detect_and_repair_losses)
{
	check_choice("flow", "", RDMA_GO_BACK_N, 0);
	check_choice("packet", "", RDMA_SELECTIVE, 1);
	check_choice("flow", "loss-detection = time", RDMA_SELECTIVE, 1);
	check_choice("packet", "loss-detection = order", RDMA_SELECTIVE, 0);
	check_choice("flow", "recovery = selective", RDMA_SELECTIVE, 0);
	check_choice("packet", "recovery = selective", RDMA_SELECTIVE, 1);
}

/* --- where packets are lost --- */

/* Every drop of data is repaired by one packet; a drop of an ACK by none, or by one where it leaves
 * a packet unreported. */
TEST(test_queue_pairs_repair_the_losses_of_a_sprayed_network)
{
	for (uint32_t i = 0; weir_cc_all[i]; i++) {
		struct sim s;

		if (weir_cc_all[i]->transport != WEIR_CC_RDMA)
			continue;
		sim_read(&s,
			 FABRIC
			 "fabric-rate = 50Gbps\n"
			 "[switch]\nmarking = none\nbuffer = 40pkts\n[host]\ncc = %s\n"
			 "[traffic x]\npattern = all-to-all\nsizes = exponential(mean=80KB)\n"
			 "load = 0.6\nflows = 200\n"
			 "[traffic y]\npattern = incast\nsenders = 10\nsize = 30KB\n"
			 "period = 200us\nflows = 60\n[measure]\ndrain = 10s\n",
			 weir_cc_all[i]->scheme.name);
		sim_run(&s, 1);
		printf("%s: %g drops, %g retransmits, %g timeouts\n", weir_cc_all[i]->scheme.name,
		       sim_metric(&s, "drops"), sim_metric(&s, "retransmits"),
		       sim_metric(&s, "timeouts"));
		CHECK_INT(sim_metric(&s, "flows_completed"), 260);
		CHECK(sim_metric(&s, "drops") > 50);
		CHECK(sim_metric(&s, "retransmits") > 0.5 * sim_metric(&s, "drops"));
		CHECK(sim_metric(&s, "retransmits") <= 1.02 * sim_metric(&s, "drops"));
		sim_end(&s);
	}
}

/* Where packets take one path and are not expected to overtake each other, three above a loss prove
 * it, as for TCP: RFC 8985, section 6.2, step 4. */
TEST(test_queue_pairs_detect_losses_by_time_on_one_path)
{
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 9\nrate = 10Gbps\ndelay = 5us\n"
		     "[switch]\nmarking = none\nbuffer = 60pkts\n"
		     "[host]\ncc = swift\n[rdma]\nloss-detection = time\n"
		     "[traffic x]\npattern = many-to-one\nsize = 1MB\n[measure]\ndrain = 1s\n");
	sim_run(&s, 1);
	CHECK(sim_metric(&s, "drops") > 100);
	CHECK_INT(sim_metric(&s, "retransmits"), sim_metric(&s, "drops"));
	CHECK_INT(sim_metric(&s, "flows_completed"), 8);
	sim_end(&s);
}

/* A spine is cut off, and until the senders know they go on to use it. */
TEST(test_queue_pairs_repair_what_a_failed_link_loses)
{
	for (uint32_t i = 0; weir_cc_all[i]; i++) {
		struct sim s;

		if (weir_cc_all[i]->transport != WEIR_CC_RDMA)
			continue;
		sim_read(&s,
			 FABRIC "fail = leaf0 spine1 50us\nfail = leaf2 spine1 50us\n"
				"reroute-delay = 200us\n" MARKS LOSSLESS "[host]\ncc = %s\n"
				"[traffic x]\npattern = permutation\nsize = 3MB\n"
				"[measure]\ndrain = 10s\n",
			 weir_cc_all[i]->scheme.name);
		sim_run(&s, 1);
		printf("%s: %g drops, %g retransmits, %g timeouts\n", weir_cc_all[i]->scheme.name,
		       sim_metric(&s, "drops"), sim_metric(&s, "retransmits"),
		       sim_metric(&s, "timeouts"));
		CHECK_INT(sim_metric(&s, "flows_completed"), 16);
		CHECK(sim_metric(&s, "retransmits") > 20);
		sim_end(&s);
	}
}

/* A line ten times as fast as the one behind it, and frames of 1514 B; see
 * test_transport_rack.c. */
#define FAST_PS (INT64_C(1514) * 80)
#define SLOW_PS (INT64_C(1514) * 800)
#define ACK_PS (INT64_C(54) * 880)
#define WAY_PS (20 * US_PS)
#define ARRIVAL_PS (FAST_PS + SLOW_PS + WAY_PS)
#define ROUND_PS (ARRIVAL_PS + ACK_PS + WAY_PS)

static void play(struct sim *s, int buffer, int segments, const char *rdma)
{
	sim_read(s,
		 "[network]\ntopology = explicit\nlink = h0 s 100Gbps 10us\n"
		 "link = s h1 10Gbps 10us\necmp = packet\n"
		 "[switch]\nmarking = none\nbuffer = %dpkts\n"
		 "[host]\ncc = line-rate\n"
		 "[rdma]\nmtu = 1460B\nheader = 54B\n%s\n"
		 "[traffic x]\npattern = list\nflow = 0 1 %dB 0us\n[measure]\ndrain = 100s\n",
		 buffer, rdma, segments * 1460);
	sim_run(s, 1);
}

/* The tenth of eleven is lost, and the ACK of the eleventh tells of it. Nothing else comes: it
 * leaves again when a base round trip and the time of a full port have passed. */
TEST(test_a_loss_is_repaired_after_a_round_trip_and_the_time_of_a_full_port)
{
	int64_t eleventh_acked_ps = ROUND_PS + 9 * SLOW_PS;
	struct sim s;

	play(&s, 8, 11, "");
	CHECK_INT(sim_metric(&s, "drops"), 1);
	CHECK_INT(sim_metric(&s, "retransmits"), 1);
	CHECK_INT(sim_metric(&s, "timeouts"), 0);
	CHECK_INT(sim_fct_ps(&s, 0),
		  eleventh_acked_ps - FAST_PS + ROUND_PS + 8 * SLOW_PS + ARRIVAL_PS);
	sim_end(&s);
	play(&s, 8, 11, "reordering-window = 70us");
	CHECK_INT(sim_fct_ps(&s, 0), eleventh_acked_ps - FAST_PS + 70 * US_PS + ARRIVAL_PS);
	sim_end(&s);
}

/* Of ten, the last four are lost, and nothing that was sent after them arrives: the timer repairs
 * them. */
TEST(test_a_lost_tail_of_a_queue_pair_is_repaired_by_its_timer)
{
	struct sim s;

	play(&s, 5, 10, "rto = 1ms");
	CHECK_INT(sim_metric(&s, "drops"), 4);
	CHECK_INT(sim_metric(&s, "retransmits"), 4);
	CHECK_INT(sim_metric(&s, "timeouts"), 1);
	CHECK_INT(sim_metric(&s, "flows_completed"), 1);
	sim_end(&s);
}

/* --- threads and processes --- */

static void check_same_on_threads_and_ranks(const char *text)
{
	struct weir_error e = { "" };
	struct run_result one, r;
	struct sim s;

	sim_read(&s, "%s", text);
	sim_run(&s, 1);
	one = s.r;
	memset(&s.r, 0, sizeof(s.r));
	for (uint32_t threads = 2; threads <= 3; threads++) {
		sim_run(&s, threads);
		sim_check_same(&one, &s.r);
	}
	if (sim_run_ranks(&s, 2, 1, &r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	sim_check_same(&one, &r);
	run_result_free(&r);
	CHECK_INT(sim_metric(&s, "flows_completed"), s.r.flow_count);
	run_result_free(&one);
	sim_end(&s);
}

TEST(test_threads_and_ranks_agree_on_sprayed_queue_pairs)
{
	static const char *const cc[] = { "dcqcn", "swift", "hpcc" };
	char text[2048];

	for (uint32_t i = 0; i < sizeof(cc) / sizeof(cc[0]); i++) {
		snprintf(
			text, sizeof(text),
			FABRIC MARKS LOSSLESS
			"[host]\ncc = %s\n"
			"[traffic x]\npattern = permutation\nsize = 300KB\n[measure]\ndrain = 1s\n",
			cc[i]);
		check_same_on_threads_and_ranks(text);
		snprintf(text, sizeof(text),
			 FABRIC
			 "fail = leaf1 spine2 300us\nreroute-delay = 100us\n"
			 "[switch]\nmarking = ecn(k=15pkts)\nbuffer = 40pkts\n[host]\ncc = %s\n"
			 "[rdma]\npackets-per-ack = 2\n"
			 "[traffic x]\npattern = inter-rack\nsizes = exponential(mean=60KB)\n"
			 "load = 0.8\nflows = 200\nconnections = persistent\n"
			 "[measure]\ndrain = 10s\n",
			 cc[i]);
		check_same_on_threads_and_ranks(text);
	}
}
