/* SPDX-License-Identifier: BSD-3-Clause */
/* test_job.c -- jobs in the simulator: closed forms of collectives, bounds of bus bandwidth,
 * iterations with computing and stragglers, threads, and what is refused.
 *
 * Closed forms: hosts at 400 Gb/s = 20 ps a byte, 500 ns a link, RDMA packets of 4000 + 48 bytes
 * without acknowledgements but for one each 255 packets, no jitter. A message of b bytes takes
 *	wire(b) / R + one full packet for each switch + the delays,
 * where the full packet is the last but one, which the last one follows (flow_ideal_ps). */
#include "tests/sim.h"
#include "tests/world.h"
#include <math.h>

#define BYTE_PS INT64_C(20)
#define LINK_PS INT64_C(500000)
#define MTU INT64_C(4000)
#define HEADER INT64_C(48)

static const char job_star[] =
	"[network]\ntopology = star\nhosts = %u\nrate = 400Gbps\ndelay = 500ns\n"
	"[switch]\nmarking = none\nlossless = all\nbuffer = 64MB\nbuffer-per = switch\n"
	"[host]\ncc = line-rate\n[rdma]\nmtu = 4000B\npackets-per-ack = 255\n"
	"[traffic ai]\npattern = collective\n%s\n";

static int64_t wire_ps(int64_t bytes)
{
	return (bytes + (bytes + MTU - 1) / MTU * HEADER) * BYTE_PS;
}

/* The time of a message over a star with nothing else in its way. */
static int64_t message_ps(int64_t bytes)
{
	return wire_ps(bytes) + (MTU + HEADER) * BYTE_PS + 2 * LINK_PS;
}

static double job_metric(uint32_t hosts, const char *keys, const char *metric)
{
	struct sim s;
	double value;

	sim_read(&s, job_star, hosts, keys);
	sim_run(&s, 1);
	value = sim_metric(&s, metric);
	sim_end(&s);
	return value;
}

static void check_time(uint32_t hosts, const char *keys, int64_t expected_ps)
{
	double found = job_metric(hosts, keys, "round_mean_ns") * WEIR_PS_PER_NS;

	if (fabs(found / (double)expected_ps - 1) > 1e-3)
		test_fail(__FILE__, __LINE__, "%s takes %.1f ns; the closed form is %.1f", keys,
			  found / 1000, (double)expected_ps / 1000);
}

enum { SIZE = 16 << 20 };

TEST(test_ring_takes_the_time_of_its_steps)
{
	check_time(8, "size = 16MiB", 14 * message_ps(SIZE / 8));
	check_time(8, "size = 16MiB\ncollective = all-gather", 7 * message_ps(SIZE / 8));
	check_time(8, "size = 16MiB\ncollective = reduce-scatter", 7 * message_ps(SIZE / 8));
	check_time(32, "size = 16MiB", 62 * message_ps(SIZE / 32));
}

TEST(test_halving_doubling_takes_the_time_of_its_steps)
{
	int64_t half_ps = message_ps(SIZE / 2) + message_ps(SIZE / 4) + message_ps(SIZE / 8);

	check_time(8, "size = 16MiB\nalgorithm = halving-doubling", 2 * half_ps);
	check_time(8, "size = 16MiB\nalgorithm = halving-doubling\ncollective = all-gather",
		   half_ps);
}

TEST(test_direct_all_to_all_sends_all_messages_at_line_rate)
{
	int64_t last_ps = message_ps(SIZE / 8);

	check_time(8, "size = 16MiB\ncollective = all-to-all", 6 * wire_ps(SIZE / 8) + last_ps);
	check_time(8, "size = 16MiB\nalgorithm = direct", 2 * (6 * wire_ps(SIZE / 8) + last_ps));
}

TEST(test_hierarchical_all_reduce_takes_the_time_of_its_rings)
{
	check_time(8, "size = 16MiB\nalgorithm = hierarchical\nlocal = 4",
		   2 * 3 * message_ps(SIZE / 4) + 2 * message_ps(SIZE / 8));
	check_time(8, "size = 16MiB\nalgorithm = hierarchical\nlocal = 2",
		   2 * message_ps(SIZE / 2) + 2 * 3 * message_ps(SIZE / 8));
}

TEST(test_a_chain_of_chunks_broadcasts_in_the_time_of_a_pipeline)
{
	/* The root sends 64 chunks one behind the other; the last one then has six more hops, and
	 * its acknowledgement one. */
	check_time(8, "size = 16MiB\ncollective = broadcast\nchunks = 64",
		   63 * wire_ps(SIZE / 64) + 7 * message_ps(SIZE / 64) + 2 * LINK_PS);
}

/* --- fabrics --- */

/* Two racks of eight hosts, whose leaves share `spines` spines at 400 Gb/s. */
static const char job_fabric[] =
	"[network]\ntopology = leaf-spine\nleaves = 2\nspines = %u\nhosts-per-leaf = 8\n"
	"rate = 400Gbps\nfabric-rate = 400Gbps\ndelay = 500ns\necmp = packet\n"
	"[switch]\nmarking = none\nlossless = all\nbuffer = 64MB\nbuffer-per = switch\n"
	"[host]\ncc = line-rate\n[rdma]\nmtu = 4000B\npackets-per-ack = 1\n"
	"[traffic ai]\npattern = collective\nsize = 64MiB\n%s\n";

static double fabric_metric(uint32_t spines, const char *keys, const char *metric)
{
	struct sim s;
	double value;

	sim_read(&s, job_fabric, spines, keys);
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "drops"), 0);
	value = sim_metric(&s, metric);
	sim_end(&s);
	return value;
}

TEST(test_an_oversubscribed_fabric_takes_the_time_of_its_uplinks)
{
	/* All-to-all of 16 ranks: each rank of a rack sends 8/16 of its bytes to the other one, and
	 * the rack has two uplinks. ACKs of 48 bytes for each packet share them. */
	double bytes = (double)(64 << 20), packets = bytes / MTU;
	double uplink_ns = 8.0 * 8 / 16 * (bytes + packets * 2 * HEADER) * BYTE_PS / 2 / 1000;

	CHECK_NEAR(fabric_metric(2, "collective = all-to-all", "round_mean_ns") / uplink_ns, 1,
		   0.01);
}

TEST(test_a_hierarchy_inside_racks_does_not_notice_that_the_fabric_is_oversubscribed)
{
	/* Racks are servers of 8: between them each rank sends 2 x 1/16 of the bytes, and all of a
	 * rack at once share the uplinks; a ring inside the rack takes 2 x 7/8. */
	static const char keys[] = "algorithm = hierarchical\nlocal = 8";
	double bytes = (double)(64 << 20);
	double inside_ns = 14.0 / 8 * (bytes + bytes / MTU * 2 * HEADER) * BYTE_PS / 1000;
	double between_ns = 2.0 / 16 * (bytes + bytes / MTU * 2 * HEADER) * BYTE_PS / 1000;

	CHECK_NEAR(fabric_metric(8, keys, "round_mean_ns") / (inside_ns + between_ns), 1, 0.02);
	CHECK_NEAR(fabric_metric(2, keys, "round_mean_ns") / (inside_ns + 4 * between_ns), 1, 0.02);
}

TEST(test_bus_bandwidth_is_never_above_the_line)
{
	static const char *const keys[] = {
		"",
		"algorithm = halving-doubling",
		"algorithm = tree\nchunks = 32",
		"algorithm = direct",
		"algorithm = hierarchical\nlocal = 8",
		"collective = all-gather",
		"collective = reduce-scatter",
		"collective = all-to-all",
		"collective = broadcast\nchunks = 32",
		"collective = point-to-point",
		"channels = 4\nchunks = 2\nrounds = 4\nwarm-up = 1",
		"collective = all-to-all\nrounds = 4\nplacement = random",
	};
	double payload = (double)MTU / (MTU + HEADER);

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		double busbw = fabric_metric(8, keys[i], "busbw_bps");

		if (!(busbw > 0 && busbw <= 400e9 * payload))
			test_fail(__FILE__, __LINE__, "%s: %.4g b/s", keys[i], busbw);
	}
}

/* --- iterations --- */

TEST(test_an_iteration_is_computing_and_a_collective)
{
	double ring_ns = (double)(14 * message_ps(SIZE / 8)) / 1000;
	static const char keys[] = "size = 16MiB\nrounds = 6\nwarm-up = 1\ncompute = 200us";

	CHECK_NEAR(job_metric(8, keys, "iteration_mean_ns"), ring_ns + 200e3, 1e-3 * ring_ns);
	CHECK_NEAR(job_metric(8, keys, "round_mean_ns"), ring_ns, 1e-3 * ring_ns);
	CHECK_NEAR(job_metric(8, keys, "exposed_fraction"), ring_ns / (ring_ns + 200e3), 1e-3);
	CHECK_INT(job_metric(8, keys, "iterations"), 5);
	CHECK_NEAR(job_metric(8, keys, "job_ns"), 6 * (ring_ns + 200e3), 6e-3 * ring_ns);
}

TEST(test_a_straggler_delays_every_rank)
{
	static const char keys[] = "size = 16MiB\nrounds = 3\ncompute = 200us\nstragglers = 1\n"
				   "straggler-delay = 100%";
	double ring_ns = (double)(14 * message_ps(SIZE / 8)) / 1000;

	/* All others have to wait for it, 200 us. */
	CHECK_NEAR(job_metric(8, keys, "iteration_mean_ns"), ring_ns + 400e3, 0.02 * ring_ns);
}

TEST(test_groups_run_at_the_same_time)
{
	/* Four pairs of neighbours, or of opposite hosts, do not meet in a star. */
	check_time(8, "size = 16MiB\ngroup = 2", 2 * message_ps(SIZE / 2));
	check_time(8, "size = 16MiB\ngroup = 2\nstride = 4", 2 * message_ps(SIZE / 2));
}

TEST(test_a_job_without_rounds_runs_until_measure_to)
{
	struct sim s;

	sim_read(&s, job_star, 8, "size = 16MiB\n[measure]\nto = 3ms");
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "iterations"), 5); /* of 610 us: the fifth begins before 3 ms */
	sim_end(&s);
}

TEST(test_jobs_have_the_same_result_with_any_number_of_threads)
{
	static const char *const keys[] = {
		"rounds = 2\ncompute = 10us..90us",
		"algorithm = halving-doubling\nplacement = random\nstragglers = 2\ncompute = 9us",
		"algorithm = tree\nchunks = 4\nstart = 0us..50us",
		"collective = all-to-all\nchannels = 2",
		"collective = broadcast\nchunks = 8\nrounds = 3",
		"collective = point-to-point\nrounds = 5\ncompute = 1us..100us",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		struct sim a, b;

		sim_read_default(&a, job_fabric, 4, keys[i]);
		sim_read_default(&b, job_fabric, 4, keys[i]);
		sim_run(&a, 1);
		sim_run(&b, 3);
		sim_check_same(&a.r, &b.r);
		sim_end(&a);
		sim_end(&b);
	}
}

TEST(test_two_jobs_and_flows_share_a_network_and_have_metrics_of_their_own)
{
	struct sim s;
	const double *one, *two;

	sim_read(&s, job_star, 8,
		 "members = 4\nsize = 16MiB\n[traffic b]\npattern = collective\nsize = 8MiB\n"
		 "members = 4\nplacement = 4-7\n[traffic c]\npattern = permutation\nsize = 1MB");
	sim_run(&s, 1);
	one = s.r.section_value;
	two = s.r.section_value + SECTION_METRICS;
	for (int k = 0; k < SECTION_METRICS; k++)
		if (strcmp(metric_all[section_metric_all[k].metric].name, "iteration_mean_ns") == 0)
			CHECK(one[k] > 1.5 * two[k]);
	CHECK_INT(sim_metric(&s, "flows_completed"), 8);
	sim_end(&s);
}

TEST(test_connections_keep_records_beside_those_of_messages_under_way)
{
	struct sim s;

	/* 63 connections of a host, of which each keeps its first message and its last one. */
	sim_read(&s, job_star, 64, "collective = all-to-all\nsize = 64KB\nrounds = 6");
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "iterations"), 6);
	sim_end(&s);
}

TEST(test_a_root_may_be_ahead_of_a_straggler_by_thousands_of_rounds)
{
	struct sim s;

	sim_read(&s, job_star, 2,
		 "collective = broadcast\nsize = 100B\nrounds = 5000\ncompute = 1us\n"
		 "stragglers = 1\nstraggler-delay = 9900%");
	s.c.seed = 3; /* the straggler is rank 1 */
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "jobs_unfinished"), 0);
	CHECK_INT(sim_metric(&s, "iterations"), 5000);
	CHECK(sim_metric(&s, "rank_lag_ns") > 1e8);
	sim_end(&s);
}

/* --- what is refused --- */

static void check_job_refused(const char *key, const char *value, const char *message)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "collective");

	traffic_set(t, "size", "1MB");
	traffic_set(t, key, value);
	check_traffic_refused(&w, message);
}

TEST(test_a_collective_that_does_not_exist_is_refused_with_those_that_do)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "collective");

	traffic_set(t, "size", "1MB");
	traffic_set(t, "collective", "all-to-all");
	traffic_set(t, "algorithm", "tree");
	check_traffic_refused(&w, "traffic.x.algorithm: tree, but all-to-all has: direct, "
				  "hierarchical");
	t = world_start(&w, "star", "collective");
	traffic_set(t, "size", "1MB");
	traffic_set(t, "members", "6");
	traffic_set(t, "algorithm", "halving-doubling");
	check_traffic_refused(&w, "traffic.x.algorithm: halving-doubling takes a power of two of "
				  "ranks; there are 6 (ring takes any number)");
	t = world_start(&w, "star", "collective");
	traffic_set(t, "size", "1MB");
	traffic_set(t, "members", "8");
	traffic_set(t, "algorithm", "hierarchical");
	traffic_set(t, "local", "3");
	check_traffic_refused(&w, "traffic.x.local: 3; must divide the 8 ranks of a collective "
				  "into two servers or more");
}

TEST(test_parts_of_two_trees_are_counted)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "collective");

	traffic_set(t, "size", "1MB");
	traffic_set(t, "algorithm", "tree");
	traffic_set(t, "chunks", "4096");
	check_traffic_refused(&w, "traffic.x.chunks: 4096 x 1 channels x 2 trees; allowed are 4096 "
				  "parts");
}

TEST(test_mistakes_of_a_job_are_named)
{
	check_job_refused("members", "1000", "traffic.x.members: 1000, but there are 17 hosts");
	check_job_refused("placement", "0-3,40", "traffic.x.placement: host 40; hosts are 0 to 16");
	check_job_refused("placement", "0-3",
			  "traffic.x.placement: 4 hosts, but the job has 17 "
			  "ranks");
	check_job_refused("placement", "0-15,0",
			  "traffic.x.placement: host 0 is given twice; each rank has its own");
	check_job_refused("placement", "here",
			  "traffic.x.placement: 'here'; allowed are in-order, random, and numbers "
			  "of hosts, as in 0-7,16-23");
	check_job_refused("group", "3",
			  "traffic.x.group: 3 ranks with stride 1; their product "
			  "must divide the 17 members");
	check_job_refused("local", "4",
			  "traffic.x.local: 4, but algorithm is ring; only "
			  "hierarchical has servers");
	check_job_refused("stragglers", "18", "traffic.x.stragglers: 18, but the job has 17 ranks");
	check_job_refused("warm-up", "1",
			  "traffic.x.warm-up: 1, but there are 1 rounds: none is measured");
	check_job_refused("root", "17", "traffic.x.root: 17; the ranks are 0 to 16");
	check_job_refused("size", "16B",
			  "traffic.x.size: 16B, but it is split into 17 parts of at "
			  "least one byte");
}

TEST(test_a_capture_of_a_job_is_refused)
{
	const struct tap tap = { .port = "sw->h0" };
	const struct run_control control = { .threads = 1, .tap_count = 1, .taps = &tap };
	struct weir_error e = { "" };
	struct sim s;

	sim_read(&s, job_star, 8, "size = 1MB");
	CHECK_INT(run(&s.c, &control, &s.r, &e), RUN_REFUSED);
	CHECK_STR(e.text, "captures are of flows, but traffic.ai is a job of messages; pattern = "
			  "ring has flows");
	sim_end(&s);
}

TEST(test_a_job_that_cannot_end_is_unfinished_and_ends_the_run)
{
	struct sim s;

	/* Both links between the racks fail during the second of three rounds. */
	sim_read(&s, job_fabric, 2, "rounds = 3");
	line_list_add(&s.c.network.fails, "leaf0 spine0 4ms", 0);
	line_list_add(&s.c.network.fails, "leaf0 spine1 4ms", 0);
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "jobs_unfinished"), 1);
	CHECK_INT(sim_metric(&s, "iterations"), 1);
	CHECK(isnan(sim_metric(&s, "job_ns")));
	sim_end(&s);
}

TEST(test_bandwidths_are_those_of_nccl_tests)
{
	double ring_s = (double)(14 * message_ps(SIZE / 8)) * 1e-12;

	CHECK_NEAR(job_metric(8, "size = 16MiB", "algbw_bps") * ring_s, 8.0 * SIZE, 8e-3 * SIZE);
	CHECK_NEAR(job_metric(8, "size = 16MiB", "busbw_bps") * ring_s, 8.0 * SIZE * 2 * 7 / 8,
		   16e-3 * SIZE);
	CHECK_NEAR(job_metric(8, "size = 16MiB\ncollective = all-gather", "busbw_bps") * ring_s / 2,
		   8.0 * SIZE * 7 / 8, 8e-3 * SIZE);
}

TEST(test_rounds_that_overlap_are_counted_once)
{
	static const char keys[] = "size = 16MiB\ncollective = broadcast\nchunks = 8\nrounds = 4";

	CHECK_NEAR(4 * job_metric(8, keys, "round_mean_ns"), job_metric(8, keys, "job_ns"), 1e-3);
}

/* Every connection keeps two records besides those of the messages under way. */
TEST(test_rounds_of_an_all_to_all_among_many_ranks_have_records)
{
	struct sim s;

	sim_read_default(&s, "[network]\ntopology = star\nhosts = 24\nrate = 10Gbps\n"
			     "delay = 1us\n[traffic a]\npattern = collective\nsize = 24KB\n"
			     "collective = all-to-all\nrounds = 5\n");
	sim_run(&s, 1);
	CHECK(sim_metric(&s, "iterations") == 5);
	sim_end(&s);
}
