/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ranks.c -- one run on several processes gives what it gives on one, whatever crosses a cut;
 * and how a network is parted. */
#define _GNU_SOURCE
#include "sim/parallel/ranks.h"
#include "tests/ranks.h"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Three racks and a half for each rank, so that none is like another. */
#define FABRIC \
	"[network]\ntopology = leaf-spine\nleaves = 5\nhosts-per-leaf = 2\nspines = 2\n" \
	"rate = 10Gbps\ndelay = 1us\n"
#define FAT_TREE "[network]\ntopology = fat-tree\nk = 4\nrate = 10Gbps\ndelay = 1us\n"
#define PAIRS "[traffic pairs]\npattern = permutation\nsize = 60KB\n"
#define CROWD "[traffic crowd]\npattern = many-to-one\nsenders = 6\nsize = 40KB\n"

static void check_series(const struct run_result *a, const struct run_result *b)
{
	CHECK_INT(a->series_count, b->series_count);
	for (uint32_t i = 0; i < a->series_count; i++) {
		const struct series *s = &a->series[i], *t = &b->series[i];

		CHECK_STR(s->name, t->name);
		CHECK_INT(s->count, t->count);
		if (memcmp(s->time_ps, t->time_ps, s->count * sizeof(*s->time_ps)) != 0 ||
		    memcmp(s->value, t->value, s->count * sizeof(*s->value)) != 0)
			test_fail(__FILE__, __LINE__, "%s differs", s->name);
	}
}

static void check_pauses(const struct run_result *a, const struct run_result *b)
{
	CHECK_INT(a->pause_count, b->pause_count);
	for (uint32_t i = 0; i < a->pause_count; i++) {
		CHECK_INT(a->pauses[i].link, b->pauses[i].link);
		CHECK_INT(a->pauses[i].class_id, b->pauses[i].class_id);
		CHECK_INT(a->pauses[i].pauses, b->pauses[i].pauses);
		CHECK_INT(a->pauses[i].paused_ps, b->pauses[i].paused_ps);
	}
	CHECK_INT(a->deadlock.cycles, b->deadlock.cycles);
	CHECK_INT(a->deadlock.since_ps, b->deadlock.since_ps);
	CHECK_STR(a->deadlock.text, b->deadlock.text);
	CHECK_INT(a->partition.flows, b->partition.flows);
	CHECK_INT(a->worst_queue_port, b->worst_queue_port);
	CHECK_INT(a->worst_wait_port, b->worst_wait_port);
}

static void check_ranks_of(const char *text, uint32_t ranks_max)
{
	struct sim s;

	sim_read_default(&s, "%s", text);
	sim_run(&s, 1);
	for (uint32_t ranks = 2; ranks <= ranks_max; ranks++)
		for (uint32_t threads = 1; threads <= 2; threads++) {
			struct weir_error e = { "" };
			struct run_result r;

			if (sim_run_ranks(&s, ranks, threads, &r, &e))
				test_fail(__FILE__, __LINE__, "%s", e.text);
			sim_check_same(&s.r, &r);
			check_series(&s.r, &r);
			check_pauses(&s.r, &r);
			run_result_free(&r);
		}
	sim_end(&s);
}

static void check_ranks(const char *text)
{
	check_ranks_of(text, 3);
}

TEST(test_ranks_agree_on_marks_and_probes)
{
	check_ranks(FABRIC
		    "[switch]\nmarking = ecn(k=10pkts)\nbuffer = 100pkts\n[host]\ncc = dctcp\n"
		    "[traffic pairs]\npattern = permutation\nsize = unlimited\n"
		    "[measure]\nfrom = 50us\nto = 300us\nsojourn = yes\n"
		    "probe = queue leaf4->h9\nprobe = queue-bytes spine1->leaf4\n"
		    "probe = throughput leaf4->h8 every 10us\n"
		    "probe = throughput traffic:pairs every 30us\n"
		    "probe = window flow:7 every 10us\nprobe = marks flow:3 every 20us\n");
}

TEST(test_ranks_agree_in_a_fat_tree)
{
	check_ranks(FAT_TREE
		    "[switch]\nmarking = red(min=5pkts, max=40pkts, p=20%)\nbuffer = 60pkts\n"
		    "[host]\ncc = dctcp\n" PAIRS
		    "[traffic in]\npattern = incast\nsenders = 6\nsize = 10KB\nperiod = 50us\n"
		    "connections = persistent\n[measure]\nfrom = 20us\nto = 250us\n"
		    "probe = fct traffic:in every 40us\n");
}

TEST(test_ranks_agree_on_web_search)
{
	check_ranks(FABRIC "[switch]\nmarking = tcn(threshold=20us)\nbuffer = 100pkts\n[host]\n"
			   "cc = dctcp\n[traffic web]\npattern = all-to-all\nsizes = websearch\n"
			   "load = 60%\nflows = 40\n[measure]\nto = 500us\ndrain = 200us\n");
}

/* Goodput is measured until the last start, long before the last end. */
TEST(test_ranks_agree_on_goodput_until_the_last_start)
{
	check_ranks(FABRIC "[switch]\nmarking = ecn\n[host]\ncc = dctcp\n"
			   "[traffic web]\npattern = all-to-all\nsizes = websearch\n"
			   "load = 40%\nflows = 40\n[measure]\nfrom = 10us\n");
}

TEST(test_ranks_agree_on_losses)
{
	check_ranks(FABRIC "[switch]\nmarking = none\nbuffer = 10pkts\n[host]\ncc = cubic\n"
			   "rto-min = 100us\n" CROWD PAIRS "[measure]\ndrain = 1ms\n");
}

TEST(test_ranks_agree_on_flows_that_the_end_cuts_off)
{
	check_ranks(FABRIC "[host]\nnic = fifo(delays=1us:20us)\n"
			   "[traffic crowd]\npattern = many-to-one\nsenders = 6\nsize = 10MB\n"
			   "[measure]\nto = 1ms\ndrain = 0us\nunfinished = part\n");
}

/* Pauses go over the cut, also those that flows of other switches wait for. */
TEST(test_ranks_agree_on_pauses)
{
	check_ranks(FABRIC "[switch]\nmarking = red(min=5KB, max=20KB, p=10%)\nbuffer = 250KB\n"
			   "buffer-per = switch\nlossless = all\n[host]\ncc = dcqcn\n" CROWD PAIRS
			   "[measure]\nprobe = pauses leaf0->spine0 every 10us\n");
}

/* What switches write into packets goes over the cut and comes back. */
TEST(test_ranks_agree_on_telemetry)
{
	check_ranks(FABRIC "[switch]\nmarking = none\nbuffer = 250KB\nbuffer-per = switch\n"
			   "lossless = all\n[host]\ncc = hpcc\n" CROWD PAIRS);
	check_ranks_of(FABRIC "[switch]\nmarking = none\nbuffer = 100pkts\n[host]\n"
			      "cc = fdcc(policy=untrained)\n[rdma]\nint-flows = exact\n" CROWD,
		       2);
}

TEST(test_ranks_agree_under_agents)
{
	static const char acc[] =
		FABRIC "[switch]\nmarking = red(min=5KB, max=200KB, p=1%)\nbuffer = 1MB\n"
		       "tune-interval = 20us\ntune-read-delay = 1us..5us\n"
		       "tune = acc(preset=paper, policy=untrained, learn=yes, exchange-every=3, "
		       "exchange=2, "
		       "after=2)\n"
		       "[host]\ncc = dctcp\n[traffic x]\npattern = permutation\nsize = unlimited\n"
		       "[measure]\nto = 300us\nprobe = scheme leaf4->h9 every 20us\n";
	static const char qla[] = FABRIC
		"[switch]\nmarking = red(min=5KB, max=200KB, p=1%)\nbuffer = 1MB\ntune = qla\n"
		"[host]\ncc = dctcp\n[traffic x]\npattern = permutation\nsize = unlimited\n"
		"[measure]\nto = 300us\n";

	check_ranks(acc);
	check_ranks(qla);
}

/* One rank's flows wait for those of others: at gates of all, and of one host. */
TEST(test_ranks_agree_on_flows_that_wait)
{
	check_ranks(FABRIC
		    "[switch]\nmarking = ecn(k=10pkts)\nbuffer = 100pkts\n[host]\ncc = dctcp\n"
		    "[traffic ring]\npattern = ring\nsize = 20KB\nrounds = 2\n");
	check_ranks(FABRIC
		    "[switch]\nmarking = ecn(k=10pkts)\nbuffer = 100pkts\n[host]\ncc = dctcp\n"
		    "[traffic disks]\npattern = storage\nmix = oltp\n"
		    "[measure]\nfrom = 50us\nto = 250us\ndrain = 20us\n");
}

TEST(test_ranks_agree_on_jobs)
{
	check_ranks(FABRIC "[traffic a]\npattern = collective\nsize = 1MB\nrounds = 3\n"
			   "compute = 1us..20us\n"
			   "[traffic b]\npattern = collective\nsize = 300KB\nplacement = random\n"
			   "collective = all-to-all\nchannels = 2\nmembers = 8\nrounds = 2\n"
			   "[traffic c]\npattern = collective\ncollective = broadcast\n"
			   "algorithm = tree\nchunks = 4\nsize = 200KB\nrounds = 2\n" PAIRS);
	check_ranks(FABRIC "[host]\ncc = dcqcn\n[traffic a]\npattern = collective\nsize = 1MB\n"
			   "algorithm = halving-doubling\nmembers = 8\nrounds = 2\n"
			   "[switch]\nmarking = ecn(k=20KB)\n");
}

/* With one spine, racks of different ranks have no link between them. */
TEST(test_ranks_agree_on_jobs_between_ranks_without_a_common_link)
{
	check_ranks("[network]\ntopology = leaf-spine\nleaves = 6\nhosts-per-leaf = 2\n"
		    "spines = 1\nrate = 10Gbps\ndelay = 1us\n"
		    "[traffic a]\npattern = collective\nsize = 200KB\nrounds = 2\n"
		    "collective = all-to-all\n");
}

TEST(test_ranks_agree_under_flow_control_between_switches)
{
	check_ranks(FABRIC "[switch]\nmarking = none\nbuffer = 200KB\nbuffer-per = switch\n"
			   "fabric = bfc\n[host]\ncc = line-rate\n" CROWD PAIRS);
	check_ranks_of(FABRIC
		       "[switch]\nmarking = none\nbuffer = 400KB\nbuffer-per = switch\n"
		       "lossless = all\nfabric = floodgate\n[host]\ncc = dcqcn\n" CROWD PAIRS,
		       2);
}

TEST(test_ranks_agree_on_shared_buffers)
{
	check_ranks(FABRIC "[switch]\nmarking = bcc\nbuffer = 60KB\nbuffer-per = switch\n"
			   "dt-alpha = 1\n[host]\ncc = dctcp\n" CROWD PAIRS);
}

TEST(test_ranks_agree_when_a_link_fails)
{
	check_ranks(FABRIC "fail = leaf0 spine1 30us\nfail = leaf4 spine0 50us\n"
			   "[switch]\nmarking = ecn(k=10pkts)\nbuffer = 100pkts\n"
			   "[host]\ncc = dctcp\nrto-min = 100us\n" PAIRS
			   "[measure]\ndrain = 1ms\n");
}

TEST(test_ranks_agree_on_a_cycle_of_pauses)
{
	check_ranks(
		"[network]\ntopology = explicit\nlink = h0 s0 10Gbps 1us\n"
		"link = h1 s1 10Gbps 1us\nlink = h2 s2 10Gbps 1us\nlink = h3 s3 10Gbps 1us\n"
		"link = h4 s4 10Gbps 1us\nlink = s0 s1 10Gbps 1us\nlink = s1 s2 10Gbps 1us\n"
		"link = s2 s3 10Gbps 1us\nlink = s3 s4 10Gbps 1us\nlink = s4 s0 10Gbps 1us\n"
		"[switch]\nmarking = none\nbuffer = 600KB\nbuffer-per = switch\nlossless = all\n"
		"queues = 2\nscheduler = dwrr\n[host]\ncc = line-rate\n"
		"[traffic x]\npattern = list\nflow = 0 2 1MB 0us\nflow = 1 3 1MB 1us\n"
		"flow = 2 4 1MB 2us\nflow = 3 0 1MB 3us\nflow = 4 1 1MB 4us\n"
		"[measure]\ndrain = 600us\n");
}

/* --- parts --- */

static void part(struct network *net, const char *text, uint32_t ranks, uint16_t *rank_of)
{
	struct weir_error e = { "" };
	struct sim s;

	sim_read_default(
		&s, "%s[switch]\nmarking = none\nbuffer = 9pkts\n[host]\ncc = reno\n" PAIRS, text);
	CHECK_INT(network_build(net, &s.c.network, &e), 0);
	CHECK_INT(ranks_part(net, ranks, rank_of, &e), 0);
	sim_end(&s);
}

/* Links whose ends have different ranks, and the links of each rank's nodes. */
static uint32_t count_cut(const struct network *net, const uint16_t *rank_of, uint64_t *load)
{
	uint32_t cut = 0;

	for (uint32_t i = 0; i < net->link_count; i++) {
		cut += rank_of[net->links[i].from] != rank_of[net->links[i].to];
		load[rank_of[net->links[i].from]]++;
	}
	return cut;
}

TEST(test_pods_stay_whole_and_parts_are_alike)
{
	uint64_t load[2] = { 0, 0 };
	uint16_t rank_of[36 + 64];
	struct network net;

	part(&net, FAT_TREE, 2, rank_of);
	/* Each of four cores has four links, two of them to the other half; a cable is two
	 * links. */
	CHECK_INT(count_cut(&net, rank_of, load), 2 * 4 * 2);
	CHECK_INT(load[0], load[1]);
	for (uint32_t i = 0; i < net.host_count; i++)
		CHECK_INT(rank_of[net.host_node[i]], i / 8);
	network_free(&net);
}

TEST(test_a_host_has_the_rank_of_its_switch)
{
	uint64_t load[3] = { 0, 0, 0 };
	uint16_t rank_of[64];
	struct network net;

	part(&net, FABRIC, 3, rank_of);
	count_cut(&net, rank_of, load);
	for (uint32_t i = 0; i < net.host_count; i++)
		CHECK_INT(rank_of[net.host_node[i]],
			  rank_of[net.switch_node[net.nodes[net.host_node[i]].rack]]);
	for (uint32_t i = 0; i < 3; i++)
		CHECK(load[i] >= 10 && load[i] <= 18);
	network_free(&net);
}

/* With BFC, too, which frees what hosts do not have yet. */
TEST(test_more_ranks_than_racks_are_refused)
{
	static const char *const schemes[] = {
		"[switch]\nmarking = none\nbuffer = 9pkts\n[host]\ncc = reno\n",
		"[switch]\nmarking = none\nbuffer = 200KB\nbuffer-per = switch\nfabric = bfc\n"
		"[host]\ncc = line-rate\n",
	};

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		struct weir_error e = { "" };
		struct run_result r;
		struct sim s;

		sim_read_default(&s, "[network]\ntopology = star\nhosts = 4\n%s" PAIRS, schemes[i]);
		CHECK_INT(sim_run_ranks(&s, 2, 1, &r, &e), RUN_REFUSED);
		CHECK_CONTAINS(e.text, "this network has 1 such: too few for 2 ranks");
		sim_end(&s);
	}
}

/* --- a rank is lost --- */

TEST(test_a_lost_rank_ends_the_others_with_status_1)
{
	int status, pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		struct exchange_votes votes = { 0 };
		struct weir_error e;
		struct exchange *x;

		fclose(stderr);
		if (exchange_fork(&x, 3, &e))
			_exit(2);
		exchange_round(x, &votes);
		if (x->rank == 1)
			_exit(0);
		exchange_round(x, &votes);
		_exit(3);
	}
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK_INT(WEXITSTATUS(status), 1);
}
