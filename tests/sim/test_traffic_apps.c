/* SPDX-License-Identifier: BSD-3-Clause */
/* test_traffic_apps.c -- storage I/O in a closed loop: who, how much, how fast. Rounds of training
 * have test_traffic_rounds.c.
 *
 * Times by hand are on a star of 10 Gb/s and 5 us: a byte takes 800 ps, a full packet of 1460 + 54
 * bytes 1,211,200 ps and an ACK 43,200 ps. A message of n packets, the last of w ps, that is alone
 * has arrived after n full packets and w, store and forward over two links: w + w where n is 1. An
 * ACK goes ahead of what its host sends in the same moment. */
#include "tests/sim.h"
#include "tests/world.h"
#include <stdlib.h>

#define BYTE_PS INT64_C(800)
#define FULL_PS (1514 * BYTE_PS)
#define ACK_PS (54 * BYTE_PS)
#define WAY_PS INT64_C(10000000) /* two links of 5 us */

/* --- the flows that are made --- */

static const char reads_and_writes[] =
	"[network]\ntopology = star\nhosts = %u\nrate = 10Gbps\ndelay = 5us\n"
	"[traffic x]\npattern = storage\nmix = %s\n%s\n[measure]\n%s\n";

enum { IOS_MAX = 20000 };

/* The k-th I/O of a computing node is its k-th request and its k-th answer in the list. */
struct node_ios {
	uint32_t count;
	struct {
		const struct flow *request, *answer;
	} io[IOS_MAX];
};

static struct node_ios *ios_of(const struct flow *flows, uint32_t flow_count, uint32_t node)
{
	struct node_ios *n = calloc(1, sizeof(*n));
	uint32_t answers = 0;

	CHECK(n != NULL);
	for (uint32_t i = 0; i < flow_count; i++) {
		CHECK(answers <= n->count && n->count < IOS_MAX);
		if (flows[i].src == node)
			n->io[n->count++].request = &flows[i];
		else if (flows[i].dst == node)
			n->io[answers++].answer = &flows[i];
	}
	CHECK_INT(answers, n->count);
	for (uint32_t i = 0; i < answers; i++) {
		CHECK_INT(n->io[i].request->dst, n->io[i].answer->src);
		CHECK(n->io[i].answer->flags & FLOW_ENDS_IO);
		CHECK(!(n->io[i].request->flags & FLOW_ENDS_IO));
	}
	return n;
}

static void check_mix(const char *mix, double read, uint64_t min_bytes, uint64_t max_bytes)
{
	enum { IOS = 4000 };
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "storage");
	double reads = 0, bytes = 0, steps = (double)(max_bytes / min_bytes);
	uint64_t smallest = UINT64_MAX, largest = 0;
	struct node_ios *n;

	*network_number(&w.c.network, "hosts") = 2;
	traffic_set(t, "mix", mix);
	traffic_set(t, "ios", "4000");
	world_flows(&w);
	CHECK_INT(w.list.count, 2 * IOS);
	n = ios_of(w.list.flows, w.list.count, 0);
	for (uint32_t i = 0; i < IOS; i++) {
		uint64_t asked = n->io[i].request->size_bytes - 64;
		uint64_t answered = n->io[i].answer->size_bytes - 16;
		uint64_t block = asked + answered;

		CHECK(asked == 0 || answered == 0);
		CHECK(block % min_bytes == 0);
		reads += asked == 0;
		bytes += (double)block;
		smallest = block < smallest ? block : smallest;
		largest = block > largest ? block : largest;
	}
	CHECK_NEAR(reads / IOS, read,
		   4 * 0.5 / 63.2); /* standard deviation below 1/2 over sqrt(4000) */
	/* Each of up to 128 multiples of the smallest is missed by 4000 draws once in 4e13
	 * tries. */
	CHECK_INT(smallest, min_bytes);
	CHECK_INT(largest, max_bytes);
	/* Uniform on steps multiples: deviation of one below steps / sqrt(12) of them. */
	CHECK_NEAR(bytes / IOS, (double)(min_bytes + max_bytes) / 2,
		   4 * steps / 3.46 * (double)min_bytes / 63.2);
	free(n);
	world_end(&w);
}

TEST(test_storage_mixes_are_those_of_the_table)
{
	/* ACC, Table 1: read-write ratio and block size. */
	check_mix("oltp", 0.5, 512, 65536);
	check_mix("olap", 0.5, 262144, 4194304);
	check_mix("vdi", 0.2, 1024, 65536);
	check_mix("exchange", 0.6, 32768, 524288);
	check_mix("video", 0.2, 65536, 65536);
	check_mix("backup", 0.4, 16384, 65536);
	check_mix("custom(read=0%, min=8KB, max=24KB)", 0, 8000, 24000);
	check_mix("custom(read=100%)", 1, 4096, 4096);
}

/* The hosts that are written to, one bit each, of storage nodes in a star of 16. */
static uint64_t storage_hosts(const char *computing, const char *storage, const char *at)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "storage");
	uint64_t asks = 0, answers = 0;

	*network_number(&w.c.network, "hosts") = 16;
	traffic_set(t, "mix", "custom(read=0%)");
	traffic_set(t, "ios", "200");
	if (computing)
		traffic_set(t, "computing", computing);
	if (storage)
		traffic_set(t, "storage", storage);
	traffic_set(t, "storage-at", at);
	world_flows(&w);
	for (uint32_t i = 0; i < w.list.count; i++) {
		const struct flow *f = &w.list.flows[i];

		*(f->flags & FLOW_ENDS_IO ? &answers : &asks) |= UINT64_C(1) << f->src;
	}
	CHECK_INT(asks & answers, 0);
	if (!computing || !storage)
		CHECK_INT(asks | answers, 0xffff);
	world_end(&w);
	return answers;
}

TEST(test_one_host_of_four_stores_unless_said_otherwise)
{
	CHECK_INT(storage_hosts(NULL, NULL, "spread"), 0x8888);
	CHECK_INT(storage_hosts(NULL, NULL, "end"), 0xf000);
	CHECK_INT(storage_hosts("14", NULL, "spread"), 0x8080);
	CHECK_INT(storage_hosts(NULL, "1", "spread"), 0x8000);
	CHECK_INT(storage_hosts("2", "3", "end"), 0x1c);
	CHECK_INT(storage_hosts("2", "3", "spread"), 0x15); /* the last before 5/3, 10/3 and 15/3 */
}

/* --- one I/O after the other --- */

static void check_alone(const char *mix, const char *options, int64_t request_ps, int64_t answer_ps)
{
	struct sim s;
	/* The first request has no ACK ahead of it. */
	int64_t io_ps = request_ps + answer_ps + 2 * ACK_PS, end_ps = 10 * MS;
	struct node_ios *n;

	sim_read(&s, reads_and_writes, 2, mix, options, "to = 10ms");
	sim_run(&s, 1);
	n = ios_of(s.r.flows, s.r.flow_count, 0);
	CHECK_INT(n->io[0].request->finish_ps, request_ps);
	CHECK_INT(n->io[0].answer->finish_ps, request_ps + ACK_PS + answer_ps);
	CHECK_INT(n->io[1].request->start_ps, n->io[0].answer->finish_ps);
	CHECK_INT(n->io[9].answer->finish_ps, 10 * io_ps - ACK_PS);
	CHECK_NEAR(sim_metric(&s, "iops"), (double)((end_ps + ACK_PS) / io_ps) * 100, 1e-6);
	free(n);
	sim_end(&s);
}

TEST(test_an_io_alone_takes_its_request_and_its_answer)
{
	int64_t small_ps = 2 * (64 + 54) * BYTE_PS + WAY_PS; /* a read's request */
	int64_t done_ps = 2 * (16 + 54) * BYTE_PS + WAY_PS;  /* a write's answer */
	/* 4096 + 16 = 2 x 1460 + 1192 bytes, 4096 + 64 = 2 x 1460 + 1240. */
	int64_t read_ps = 3 * FULL_PS + (1192 + 54) * BYTE_PS + WAY_PS;
	int64_t write_ps = 3 * FULL_PS + (1240 + 54) * BYTE_PS + WAY_PS;

	check_alone("custom(read=100%)", "depth = 1", small_ps, read_ps);
	check_alone("custom(read=0%)", "depth = 1", write_ps, done_ps);
	check_alone("custom(read=0%)", "depth = 1\nconnections = persistent", write_ps, done_ps);
}

TEST(test_service_is_between_request_and_answer)
{
	struct sim s;
	struct node_ios *n;

	sim_read(&s, reads_and_writes, 2, "custom(read=50%)", "depth = 1\nservice = 80us\nios = 20",
		 "from = 0us");
	sim_run(&s, 1);
	n = ios_of(s.r.flows, s.r.flow_count, 0);
	for (uint32_t i = 0; i < 20; i++)
		CHECK_INT(n->io[i].answer->start_ps, n->io[i].request->finish_ps + 80 * US);
	free(n);
	sim_end(&s);
}

static int by_request_end(const void *a, const void *b)
{
	const struct flow *const *x = a, *const *y = b;

	return ((*x)->finish_ps > (*y)->finish_ps) - ((*x)->finish_ps < (*y)->finish_ps);
}

/* Host 2 stores. Every answer starts 80 us after its request has come, or after the answer of the
 * third request before it has started, whichever is later. */
TEST(test_a_storage_node_serves_no_more_blocks_at_once_than_its_concurrency)
{
	enum { IOS = 30, AT_ONCE = 3 };
	const struct flow *request[2 * IOS], *answer[2 * IOS];
	struct node_ios *n[2];
	struct sim s, threads;
	uint32_t waited = 0;

	for (int i = 0; i < 2; i++)
		sim_read(i ? &threads : &s, reads_and_writes, 3, "custom(read=100%)",
			 "depth = 8\nservice = 80us\nconcurrency = 3\nios = 30", "from = 0us");
	sim_run(&s, 1);
	for (uint32_t h = 0; h < 2; h++) {
		n[h] = ios_of(s.r.flows, s.r.flow_count, h);
		CHECK_INT(n[h]->count, IOS);
		for (uint32_t i = 0; i < IOS; i++)
			request[h * IOS + i] = n[h]->io[i].request;
	}
	qsort(request, 2 * IOS, sizeof(*request), by_request_end);
	for (uint32_t i = 0; i < 2 * IOS; i++) {
		for (uint32_t k = 0; k < 2 * IOS; k++)
			if (n[k / IOS]->io[k % IOS].request == request[i])
				answer[i] = n[k / IOS]->io[k % IOS].answer;
		int64_t begins_ps = request[i]->finish_ps;

		if (i >= AT_ONCE && answer[i - AT_ONCE]->start_ps > begins_ps) {
			begins_ps = answer[i - AT_ONCE]->start_ps;
			waited++;
		}
		CHECK_INT(answer[i]->start_ps, begins_ps + 80 * US);
	}
	CHECK(waited > IOS);
	sim_run(&threads, 3);
	sim_check_same(&s.r, &threads.r);
	free(n[0]);
	free(n[1]);
	sim_end(&s);
	sim_end(&threads);
}

TEST(test_ios_are_as_many_as_asked_for)
{
	struct sim s;

	sim_read(&s, reads_and_writes, 8, "backup", "depth = 3\nios = 25", "from = 0us");
	sim_run(&s, 1);
	CHECK_INT(s.r.flow_count, 6 * 25 * 2);
	CHECK_INT(sim_metric(&s, "flows_completed"), 6 * 25 * 2);
	CHECK_NEAR(sim_metric(&s, "iops") * sim_metric(&s, "sim_seconds"), 6 * 25, 1e-6);
	CHECK(sim_metric(&s, "round_mean_ns") !=
	      sim_metric(&s, "round_mean_ns")); /* there are none */
	sim_end(&s);
}

/* --- many at once --- */

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* A node begins an I/O when one of its depth others ends, and at no other time. */
static void check_closed_loop(const struct node_ios *n, uint32_t depth, int64_t to_ps)
{
	int64_t *ends = calloc(n->count, sizeof(*ends));
	uint32_t begun = 0, ended = 0;

	CHECK(ends != NULL);
	for (uint32_t i = 0; i < n->count; i++) {
		begun += n->io[i].request->start_ps < to_ps;
		ended += n->io[i].answer->finish_ps >= 0 && n->io[i].answer->finish_ps < to_ps;
		ends[i] = n->io[i].answer->finish_ps < 0 ? WEIR_TIME_NEVER_PS
							 : n->io[i].answer->finish_ps;
	}
	qsort(ends, n->count, sizeof(*ends), by_time);
	CHECK_INT(begun, ended + depth);
	CHECK(begun < n->count); /* it did not run out of them */
	for (uint32_t i = 0; i < n->count; i++) {
		int64_t start_ps =
			i < begun ? (i < depth ? 0 : ends[i - depth]) : WEIR_TIME_NEVER_PS;

		CHECK_INT(n->io[i].request->start_ps, start_ps);
		if (i < begun)
			CHECK(n->io[i].answer->finish_ps > start_ps);
	}
	free(ends);
}

static int computes(const struct run_result *r, uint32_t host)
{
	for (uint32_t i = 0; i < r->flow_count; i++)
		if (r->flows[i].src == host)
			return !(r->flows[i].flags & FLOW_ENDS_IO);
	return 0;
}

TEST(test_a_node_has_depth_ios_outstanding_until_the_end)
{
	static const struct {
		const char *mix, *options;
		uint32_t hosts, computing, depth;
	} cases[] = {
		{ "custom(read=100%, min=512B)", "depth = 1", 2, 1, 1 },
		{ "custom(read=100%, min=64KiB)", "depth = 8\nstorage = 3", 4, 1, 8 },
		{ "custom(read=0%, min=64KiB)", "depth = 8\nstorage = 3", 4, 1, 8 },
		{ "vdi", "depth = 64", 8, 6, 64 },
		{ "oltp", "depth = 16\nservice = 5us", 5, 3, 16 },
		{ "exchange", "depth = 4\nconnections = persistent", 8, 6, 4 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sim s;
		uint32_t nodes = 0;

		sim_read(&s, reads_and_writes, cases[i].hosts, cases[i].mix, cases[i].options,
			 "to = 2ms");
		sim_run(&s, 1);
		for (uint32_t h = 0; h < cases[i].hosts; h++) {
			struct node_ios *n;

			if (!computes(&s.r, h))
				continue;
			nodes++;
			n = ios_of(s.r.flows, s.r.flow_count, h);
			check_closed_loop(n, cases[i].depth, 2 * MS);
			free(n);
		}
		CHECK_INT(nodes, cases[i].computing);
		/* What had begun ends, nothing begins, and nobody waits for more. */
		CHECK(sim_metric(&s, "sim_seconds") < 0.05);
		sim_end(&s);
	}
}

TEST(test_writers_fill_the_link_of_a_storage_node)
{
	struct sim s;
	/* Of 1514 bytes on the wire 1460 are payload, and ACKs of answers take under 1 %. */
	double iops = 10e9 / 8 * 1460 / 1514 / (65536 + 64);

	sim_read(&s, reads_and_writes, 4, "custom(read=0%, min=64KiB)",
		 "depth = 8\nconnections = persistent", "from = 5ms\nto = 25ms");
	sim_run(&s, 1);
	CHECK_NEAR(sim_metric(&s, "iops"), iops, 0.02 * iops);
	sim_end(&s);
}

TEST(test_a_write_is_answered_when_all_its_copies_are)
{
	struct sim s;
	const struct flow *f;
	uint32_t node;

	sim_read(&s, reads_and_writes, 5, "custom(read=0%, min=8KiB)",
		 "computing = 1\nstorage-at = end\nreplicas = 2\nios = 1\nservice = 7us",
		 "from = 0us");
	sim_run(&s, 1);
	f = s.r.flows;
	node = f[0].dst;
	CHECK_INT(s.r.flow_count, 6); /* request, copy, its answer, copy, its answer, answer */
	for (uint32_t i = 0; i < 2; i++) {
		const struct flow *copy = &f[1 + 2 * i], *answer = &f[2 + 2 * i];
		uint32_t other = (node - 1 + 1 + i) % 4 + 1; /* storage nodes are 1 to 4 */

		CHECK_INT(copy->src, node);
		CHECK_INT(copy->dst, other);
		CHECK_INT(copy->size_bytes, 8192 + 64);
		CHECK_INT(copy->start_ps, f[0].finish_ps);
		CHECK_INT(answer->src, other);
		CHECK_INT(answer->dst, node);
		CHECK_INT(answer->start_ps, copy->finish_ps + 7 * US);
		CHECK(answer->finish_ps > 0 && answer->finish_ps <= f[5].start_ps);
	}
	CHECK_INT(f[5].start_ps, f[2].finish_ps > f[4].finish_ps ? f[2].finish_ps : f[4].finish_ps);
	CHECK_INT(f[5].dst, 0);
	CHECK_INT(f[5].size_bytes, 16);
	sim_end(&s);
}

TEST(test_reads_have_no_copies)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "storage");
	uint32_t reads = 0, ends = 0;

	traffic_set(t, "mix", "video");
	traffic_set(t, "replicas", "3");
	traffic_set(t, "ios", "10");
	world_flows(&w);
	for (uint32_t i = 0; i < w.list.count; i++) {
		reads += w.list.flows[i].size_bytes == 64;
		ends += (w.list.flows[i].flags & FLOW_ENDS_IO) != 0;
	}
	CHECK_INT(ends, 12 * 10); /* of 17 hosts 5 store */
	CHECK(reads > 0 && reads < 60);
	CHECK_INT(w.list.count, 2 * reads + (2 + 2 * 3) * (12 * 10 - reads));
	world_end(&w);
}

TEST(test_queue_pairs_stay_open)
{
	struct sim s;
	uint32_t connections = 0, first[8][8] = { { 0 } };

	sim_read(&s, reads_and_writes, 8, "backup", "depth = 4\nconnections = persistent\nios = 40",
		 "from = 0us");
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "flows_completed"), 6 * 40 * 2);
	for (uint32_t i = 0; i < s.r.flow_count; i++) {
		const struct flow *f = &s.r.flows[i];

		if (f->connection == i) {
			connections++;
			first[f->src][f->dst] = i + 1;
		}
		CHECK_INT(first[f->src][f->dst], f->connection + 1);
	}
	CHECK_INT(connections, 6 * 2 * 2); /* each pair, both ways */
	sim_end(&s);
}

/* A read of 4 KiB is asked for by 64 bytes: only the block counts among completion times, though
 * both have started and completed. Of a write the request carries the block. */
TEST(test_storage_requests_and_answers_are_in_no_completion_time)
{
	static const char *const shares[] = { "100%", "0%" };

	for (int i = 0; i < 2; i++) {
		struct sim s;
		char mix[64];

		snprintf(mix, sizeof(mix), "custom(read=%s, min=4KiB)", shares[i]);
		sim_read(&s, reads_and_writes, 2, mix, "ios = 1\ndepth = 1", "");
		sim_run(&s, 1);
		CHECK_INT(s.r.flow_count, 2);
		CHECK_INT(sim_metric(&s, "flows_completed"), 2);

		const struct flow *request = &s.r.flows[0], *answer = &s.r.flows[1];
		uint32_t block = i == 0; /* the flow that has it */

		CHECK_INT(request->size_bytes, i == 0 ? 64 : 64 + 4096);
		CHECK_INT(answer->size_bytes, i == 0 ? 16 + 4096 : 16);
		CHECK_INT(s.r.flows[!block].flags & FLOW_IS_CONTROL, FLOW_IS_CONTROL);
		CHECK_INT(s.r.flows[block].flags & FLOW_IS_CONTROL, 0);
		CHECK_INT(s.r.ideal_ps[!block], -1);
		CHECK(sim_metric(&s, "fct_mean_ns") * 1000 == (double)sim_fct_ps(&s, block));
		CHECK(sim_metric(&s, "fct_small_p99_ns") == sim_metric(&s, "fct_mean_ns"));
		CHECK(sim_metric(&s, "slowdown_mean") ==
		      (double)sim_fct_ps(&s, block) / (double)s.r.ideal_ps[block]);
		sim_end(&s);
	}
}

TEST(test_storage_does_not_depend_on_threads)
{
	static const char *const options[] = { "depth = 16\nreplicas = 2\nstorage = 4",
					       "depth = 8\nconnections = persistent" };

	for (size_t i = 0; i < 2; i++) {
		struct sim a, b;

		sim_read(&a, reads_and_writes, 12, "oltp", options[i], "from = 200us\nto = 1ms");
		sim_read(&b, reads_and_writes, 12, "oltp", options[i], "from = 200us\nto = 1ms");
		sim_run(&a, 1);
		CHECK(sim_metric(&a, "iops") > 10000);
		sim_run(&b, 2);
		sim_check_same(&a.r, &b.r);
		sim_run(&b, 3);
		sim_check_same(&a.r, &b.r);
		sim_end(&a);
		sim_end(&b);
	}
}

/* --- mistakes --- */

struct mistake {
	const char *settings[4][2];
	const char *message;
};

static const struct mistake mistakes[] = {
	{ { { "ios", "5" } },
	  "traffic.x.mix: not given; the I/O mix of the compute nodes, as in oltp or "
	  "custom(read=50%, min=4KiB, max=64KiB)" },
	{ { { "ios", "5" }, { "mix", "oltpp" } },
	  "traffic.x.mix: unknown mix 'oltpp'; there are oltp, olap, vdi, exchange, video, backup, "
	  "custom (nearest: oltp)" },
	{ { { "ios", "5" }, { "mix", "vdi(read=10%)" } },
	  "traffic.x.mix: unknown option 'read' of vdi; it has none" },
	{ { { "ios", "5" }, { "mix", "custom(write=10%)" } },
	  "traffic.x.mix: unknown option 'write' of custom; it has read, min, max" },
	{ { { "ios", "5" }, { "mix", "custom(min=8KB, max=4KB)" } },
	  "traffic.x.mix: max is 4000B; must be a multiple of min, 8000B" },
	{ { { "ios", "5" }, { "mix", "custom(min=8KB, max=20KB)" } },
	  "traffic.x.mix: max is 20000B; must be a multiple of min, 8000B" },
	{ { { "mix", "oltp" } },
	  "traffic.x.ios: not given; set ios, or measure.to as the last start" },
	{ { { "mix", "oltp" }, { "ios", "5" }, { "computing", "17" } },
	  "traffic.x.computing: 17 compute and 0 storage nodes, but there are 17 hosts" },
	{ { { "mix", "oltp" }, { "ios", "5" }, { "storage", "20" } },
	  "traffic.x.storage: 0 compute and 20 storage nodes, but there are 17 hosts" },
	{ { { "mix", "oltp" }, { "ios", "5" }, { "computing", "9" }, { "storage", "9" } },
	  "traffic.x.computing: 9 compute and 9 storage nodes, but there are 17 hosts" },
	{ { { "mix", "oltp" }, { "ios", "5" }, { "replicas", "5" } },
	  "traffic.x.replicas: 5, but besides the storage node that is written there are 4" },
	{ { { "mix", "oltp" },
	    { "ios", "5" },
	    { "replicas", "1" },
	    { "connections", "persistent" } },
	  "traffic.x.connections: persistent, but a write that waits for its replicas is "
	  "acknowledged after later reads; with replicas only per-flow is allowed" },
};

TEST(test_storage_says_what_is_wrong)
{
	struct world w;
	struct traffic_config *t;

	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		t = world_start(&w, "star", "storage");
		for (size_t k = 0; k < 4 && mistakes[i].settings[k][0]; k++)
			traffic_set(t, mistakes[i].settings[k][0], mistakes[i].settings[k][1]);
		check_traffic_refused(&w, mistakes[i].message);
	}
	t = world_start(&w, "star", "storage");
	traffic_set(t, "mix", "oltp");
	traffic_set(t, "ios", "5");
	w.c.measure.to_ps = (uint64_t)MS;
	check_traffic_refused(&w,
			      "traffic.x.ios: 5, but until measure.to there must be enough, and "
			      "that is seen to; leave ios out");
	t = world_start(&w, "star", "storage");
	traffic_set(t, "mix", "oltp");
	traffic_set(t, "start", "0ms..1ms");
	w.c.measure.to_ps = (uint64_t)MS;
	check_traffic_refused(&w, "traffic.x.start: must be before measure.to");
}
