/* SPDX-License-Identifier: BSD-3-Clause */
/* test_completion.c -- when a flow is complete (measure.completion): by hand, beside its ideal
 * time, and in every figure that is made of completion times. */
#include "sim/measure/probe_set.h"
#include "tests/ranks.h"
#include "tests/rdma.h"

/* --- by hand --- */

#define ONE_FLOW(size) \
	"[network]\ntopology = star\nhosts = 3\nrate = 25Gbps\ndelay = 1us\n" \
	"[switch]\nmarking = none\n[host]\ncc = line-rate\n" \
	"[traffic a]\npattern = list\nflow = 0 1 " size " 0us\n"

/* At 25 Gb/s a byte takes 320 ps. 2039 bytes are packets of 1048, 1048 and 87 bytes: the switch has
 * the second at 2 x 335360 ps + 1 us and sends the third when that has left, at 1 us + 3 x 335360
 * ps = 2006080 ps. It arrives 27840 ps and 1 us later. The ACK of 60 bytes takes 19200 ps and 1 us
 * on each of two links. */
TEST(test_flow_is_complete_at_its_receiver_or_with_its_last_ack_at_its_sender)
{
	static const struct {
		const char *more;
		int64_t fct_ps;
	} cases[] = {
		{ "", 3033920 },
		{ "[measure]\ncompletion = receiver\n", 3033920 },
		{ "[measure]\ncompletion = sender\n", 3033920 + 2 * (48 * 320 + 1000000) },
		{ "[rdma]\nack-size = 60B\n", 3033920 },
		{ "[rdma]\nack-size = 60B\n[measure]\ncompletion = sender\n",
		  3033920 + 2 * (60 * 320 + 1000000) },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sim s;

		sim_read(&s, ONE_FLOW("2039B") "%s", cases[i].more);
		sim_run(&s, 1);
		CHECK_INT(sim_fct_ps(&s, 0), cases[i].fct_ps);
		CHECK_INT(s.r.ideal_ps[0], cases[i].fct_ps);
		CHECK(sim_metric(&s, "fct_mean_ns") == (double)cases[i].fct_ps / 1000);
		CHECK(sim_metric(&s, "slowdown_mean") == 1);
		sim_end(&s);
	}
}

/* The last packet has 1 byte of payload, 49 in all: its ACK comes while the one before it is still
 * being sent. Data arrives 15680 ps apart; ACKs of 60 bytes leave 19200 ps apart. */
TEST(test_ideal_time_to_the_sender_has_the_wait_behind_the_ack_before)
{
	const int64_t arrived_ps = 2 * 335360 + 335360 + 15680 + 2000000, wait_ps = 19200 - 15680;
	struct sim s;

	sim_read(&s, ONE_FLOW("2001B") "[rdma]\nack-size = 60B\n[measure]\ncompletion = sender\n");
	sim_run(&s, 1);
	CHECK_INT(sim_fct_ps(&s, 0), arrived_ps + wait_ps + 2 * (19200 + 1000000));
	CHECK_INT(s.r.ideal_ps[0], sim_fct_ps(&s, 0));
	sim_end(&s);
}

/* A flow alone takes its ideal time, whatever the transport, sizes, hops and delays of hosts
 * are. */
TEST(test_flow_alone_has_slowdown_1_at_either_end)
{
	static const char *const ccs[] = { "line-rate", "hpcc", "dctcp" };
	static const char *const sizes[] = { "1B", "999B", "1001B", "4000B", "4003B" };
	static const char *const ends[] = { "receiver", "sender" };

	for (int i = 0; i < 3 * 5 * 2; i++) {
		struct sim s;

		sim_read(&s,
			 "[network]\ntopology = leaf-spine\nleaves = 3\nspines = 2\n"
			 "hosts-per-leaf = 2\nrate = 10Gbps\nfabric-rate = 40Gbps\ndelay = 2us\n"
			 "[switch]\nmarking = none\n"
			 "[host]\ncc = %s\nprocessing-delay = 3us\npackets-per-ack = 2\n"
			 "[rdma]\npackets-per-ack = 2\nack-size = 60B\n"
			 "[traffic a]\npattern = list\nflow = 0 5 %s 7us\n"
			 "[measure]\ncompletion = %s\n",
			 ccs[i % 3], sizes[i / 3 % 5], ends[i / 15]);
		sim_run(&s, 1);
		CHECK_INT(sim_fct_ps(&s, 0), s.r.ideal_ps[0]);
		sim_end(&s);
	}
}

/* --- in company --- */

/* Losses, persistent connections, a section of RDMA and one of TCP. */
#define COMPANY \
	"[network]\ntopology = leaf-spine\nleaves = 3\nspines = 2\nhosts-per-leaf = 4\n" \
	"rate = 10Gbps\ndelay = 2us\n[switch]\nmarking = ecn(k=20pkts)\nbuffer = 40pkts\n" \
	"[host]\ncc = dctcp\nrto-min = 1ms\nrto-initial = 1ms\n" \
	"[traffic a]\npattern = all-to-all\nsizes = uniform(min=1B, max=90KB)\nload = 0.7\n" \
	"flows = 300\nconnections = persistent\n" \
	"[traffic b]\npattern = all-to-one\nsizes = uniform(min=1B, max=60KB)\nload = 0.6\n" \
	"flows = 200\ncc = dcqcn\n" \
	"[measure]\nprobe = fct traffic:a every 50us\nprobe = queue leaf0->h0 every 10us\n"

static const char *const company_ends[] = { "receiver", "sender" };

static void read_company(struct sim *s, int end)
{
	sim_read(s, COMPANY "completion = %s\n", company_ends[end]);
}

/* The same packets; each flow ends later by its ACK's way back, and by more where that was lost. */
TEST(test_completion_changes_no_packet_and_every_completion_time)
{
	const int64_t back_ps = 2 * 2000000;
	struct sim at[2];

	for (int i = 0; i < 2; i++) {
		read_company(&at[i], i);
		sim_run(&at[i], 1);
	}
	CHECK(sim_metric(&at[0], "drops") > 20);
	CHECK_INT(sim_metric(&at[1], "flows_completed"), 500);
	CHECK(sim_metric(&at[0], "drops") == sim_metric(&at[1], "drops"));
	for (uint32_t i = 0; i < 500; i++) {
		CHECK_INT(at[0].r.flows[i].start_ps, at[1].r.flows[i].start_ps);
		CHECK(at[1].r.flows[i].finish_ps >= at[0].r.flows[i].finish_ps + back_ps);
		CHECK(at[1].r.ideal_ps[i] >= at[0].r.ideal_ps[i] + back_ps);
	}
	for (int i = 0; i < 2; i++)
		sim_end(&at[i]);
}

/* Metrics and the probe say what follows from finish_ps and ideal_ps of the flows. */
TEST(test_every_figure_has_the_same_completion)
{
	for (int end = 0; end < 2; end++) {
		double fct_ns = 0, small_ns = 0, slowdown = 0, small = 0;
		uint64_t seen = 0;
		struct sim s;

		read_company(&s, end);
		sim_run(&s, 1);
		for (uint32_t i = 0; i < s.r.flow_count; i++) {
			const struct flow *f = &s.r.flows[i];
			double ns = (double)sim_fct_ps(&s, i) / 1000;

			fct_ns += ns / s.r.flow_count;
			small_ns += f->size_bytes <= 100000 ? ns : 0;
			small += f->size_bytes <= 100000;
			slowdown += ns * 1000 / (double)s.r.ideal_ps[i] / s.r.flow_count;
			CHECK(sim_fct_ps(&s, i) >= s.r.ideal_ps[i]);
		}
		CHECK_NEAR(sim_metric(&s, "fct_mean_ns") / fct_ns, 1, 1e-9);
		CHECK_NEAR(sim_metric(&s, "fct_small_mean_ns") / (small_ns / small), 1, 1e-9);
		CHECK_NEAR(sim_metric(&s, "slowdown_mean") / slowdown, 1, 1e-9);
		/* The first sample of the probe is the mean of the flows that are complete by
		 * then. */
		const struct series *p = &s.r.series[0];

		CHECK_STR(p->name, "fct traffic:a");
		for (uint64_t i = 0; i < p->count; i++) {
			double sum_ns = 0, count = 0;
			int64_t from_ps = p->time_ps[i] - 50000000;

			for (uint32_t k = 0; k < s.r.flow_count; k++) {
				const struct flow *f = &s.r.flows[k];

				if (f->traffic != 0 || f->finish_ps < from_ps ||
				    f->finish_ps >= p->time_ps[i])
					continue;
				sum_ns += (double)sim_fct_ps(&s, k) / 1000;
				count++;
			}
			if (count == 0)
				continue;
			CHECK_NEAR(p->value[i] / (sum_ns / count), 1, 1e-9);
			seen++;
		}
		CHECK(seen > 5);
		sim_end(&s);
	}
}

TEST(test_completion_at_the_sender_is_the_same_for_threads_and_ranks)
{
	struct weir_error e = { "" };
	struct sim one, many;
	struct run_result ranks;

	read_company(&one, 1);
	read_company(&many, 1);
	sim_run(&one, 1);
	for (uint32_t threads = 2; threads <= 3; threads++) {
		sim_run(&many, threads);
		sim_check_same(&one.r, &many.r);
	}
	CHECK_INT(sim_run_ranks(&many, 2, 1, &ranks, &e), 0);
	sim_check_same(&one.r, &ranks);
	CHECK_INT(one.r.series[0].count, ranks.series[0].count);
	for (uint64_t i = 0; i < one.r.series[0].count; i++)
		CHECK(memcmp(&one.r.series[0].value[i], &ranks.series[0].value[i],
			     sizeof(double)) == 0);
	run_result_free(&ranks);
	sim_end(&one);
	sim_end(&many);
}

/* The data is there at 3033920 ps, the ACK back at 5064640: at 4 us the flow is complete at its
 * receiver alone. */
TEST(test_flow_whose_ack_is_not_back_is_unfinished_at_its_sender)
{
	for (int end = 0; end < 2; end++) {
		struct sim s;

		sim_read(&s,
			 ONE_FLOW("2039B") "[measure]\nto = 4us\ndrain = 0us\nunfinished = part\n"
					   "completion = %s\n",
			 company_ends[end]);
		sim_run(&s, 1);
		CHECK_INT(sim_metric(&s, "flows_unfinished"), end);
		CHECK_INT(s.r.flows[0].finish_ps, end ? -1 : 3033920);
		/* As a flow of all its bytes until the end of the run. */
		CHECK(sim_metric(&s, "fct_mean_ns") >= 3033.92);
		CHECK(sim_metric(&s, "fct_mean_ns") <= (end ? 4000 : 3033.92));
		sim_end(&s);
	}
}

/* --- arbitration --- */

/* h0 sends to h1 at the rate of its line, a packet in 335.36 ns, and to h2 at a lower pace: at 12.6
 * Gb/s a packet in 665.4 ns. That is ready again just before two packets have left. Round robin
 * serves it then, so that both take turns. In the order of arrival the other flow, ready as soon as
 * its packet has begun to leave, goes first once more. */
static double paced_share(const char *arbitration, uint64_t rate_bps)
{
	static struct seen seen;
	struct heard heard = { 0 };
	const struct fixed_params p = { .rate_bps = rate_bps,
					.window_bytes = WEIR_CC_NO_WINDOW,
					.heard = &heard };
	double paced = 0;
	struct sim s;

	sim_read(&s,
		 "[network]\ntopology = star\nhosts = 3\nrate = 25Gbps\ndelay = 1us\n"
		 "[switch]\nmarking = none\n[host]\ncc = line-rate\narbitration = %s\n"
		 "[traffic a]\npattern = list\nflow = 0 1 1MB 0us\n"
		 "[traffic b]\npattern = list\ncc = timely\nflow = 0 2 1MB 0us\n",
		 arbitration);
	use_fixed(&s, 1, &fixed_plain, &p);
	run_and_see(&s, "h0->sw", &seen);
	for (uint32_t i = 100; i < 700; i++)
		paced += seen.packet[i].connection == 1;
	sim_end(&s);
	return paced / 600;
}

TEST(test_round_robin_serves_a_queue_pair_that_became_ready_during_a_packet)
{
	CHECK_NEAR(paced_share("arrival", 12600000000), 1. / 3, 0.01);
	CHECK_NEAR(paced_share("round-robin", 12600000000), 1. / 2, 0.01);
	/* 676.1 ns are more than two packets take: it misses its turn. */
	CHECK_NEAR(paced_share("round-robin", 12400000000), 1. / 3, 0.01);
}

TEST(test_round_robin_keeps_turns_of_line_rate_flows_and_threads_alike)
{
	struct sim one, many;
	static const char text[] =
		"[network]\ntopology = star\nhosts = 6\nrate = 25Gbps\ndelay = 1us\n"
		"[switch]\nmarking = red(min=5KB, max=200KB, p=1%)\nlossless = all\n"
		"buffer = 2MB\nbuffer-per = switch\n"
		"[host]\ncc = dcqcn(preset=hpcc)\narbitration = round-robin\n"
		"[traffic a]\npattern = all-to-all\nsizes = uniform(min=1B, max=90KB)\nload = 0.8\n"
		"flows = 400\n";

	sim_read(&one, "%s", text);
	sim_read(&many, "%s", text);
	sim_run(&one, 1);
	CHECK_INT(sim_metric(&one, "flows_completed"), 400);
	for (uint32_t threads = 2; threads <= 3; threads++) {
		sim_run(&many, threads);
		sim_check_same(&one.r, &many.r);
	}
	sim_end(&one);
	sim_end(&many);
}
