/* SPDX-License-Identifier: BSD-3-Clause */
/* test_job_files.c -- jobs from files: schedules in GOAL, workloads of SimAI, execution traces of
 * Chakra; and what is refused of them, with file and line or record. */
#include "tests/folder.h" /* first: it says which functions there are */
#include "base/input.h"
#include "sim/traffic/job.h"
#include "tests/sim.h"
#include "tests/world.h"

/* A star at 100 Gb/s = 80 ps a byte, 1 us a link, RDMA packets of 1000 + 48 bytes. */
static const char file_star[] =
	"[network]\ntopology = star\nhosts = %u\nrate = 100Gbps\ndelay = 1us\n"
	"[switch]\nmarking = none\nlossless = all\nbuffer = 64MB\nbuffer-per = switch\n"
	"[host]\ncc = line-rate\n[traffic x]\npattern = %s\nfile = %s/%s\n%s\n";

#define BYTE_PS INT64_C(80)
#define LINK_PS INT64_C(1000000)
#define HEADER INT64_C(48)

/* A message of one packet over the star; its ACK. */
static int64_t packet_ps(int64_t bytes)
{
	return 2 * ((bytes + HEADER) * BYTE_PS + LINK_PS);
}

static void file_write(const struct folder *f, const char *name, const void *bytes, size_t length)
{
	char path[400];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", f->path, name);
	file = fopen(path, "wb");
	CHECK(file != NULL);
	CHECK_INT(fwrite(bytes, 1, length, file), length);
	fclose(file);
}

struct job_file {
	struct folder folder;
	const char *pattern, *name, *keys;
	uint32_t hosts;
};

static double file_metric(const struct job_file *f, const char *metric)
{
	struct sim s;
	double value;

	sim_read(&s, file_star, f->hosts, f->pattern, f->folder.path, f->name, f->keys);
	sim_run(&s, 1);
	value = sim_metric(&s, metric);
	sim_end(&s);
	return value;
}

/* The file of one name is refused with a message that ends so, after "traffic.x.file: FOLDER/". */
static void check_file_refused(const struct job_file *f, const char *message)
{
	char expected[600], path[400];
	struct weir_error e = { "" };
	struct world w;
	struct traffic_config *t = world_start(&w, "star", f->pattern);

	snprintf(path, sizeof(path), "%s/%s", f->folder.path, f->name);
	snprintf(expected, sizeof(expected), "traffic.x.file: %s/%s", f->folder.path, message);
	traffic_set(t, "file", path);
	world_network(&w);
	CHECK_INT(traffic_generate(&w.list, &w.c, &w.net, &e), -1);
	CHECK_STR(e.text, expected);
	world_end(&w);
}

/* --- GOAL --- */

static struct job_file goal_make(const char *text, uint32_t hosts)
{
	struct job_file f = { folder_make(), "goal", "a.goal", "", hosts };

	file_write(&f.folder, f.name, text, strlen(text));
	return f;
}

static double goal_time_ns(const char *text, uint32_t hosts, const char *keys)
{
	struct job_file f = goal_make(text, hosts);
	double found;

	f.keys = keys;
	found = file_metric(&f, "job_ns");
	folder_remove(&f.folder);
	return found;
}

TEST(test_goal_waits_for_computing_and_messages)
{
	static const char text[] =
		"num_ranks 2\n/* there\n and */ rank 0 { // comment\n"
		"l1: calc 500\nl2: send 952b to 1 tag 7 cpu 0 nic 0\nl2 requires l1\n"
		"l3: recv 10 b from 1\n}\n"
		"rank 1 {\n a: recv 952b from 0 tag 7\n b: send 10b to 0\n b requires a\n}\n";
	/* 500 ns, a packet there and one back; the last one's ACK ends rank 1. */
	int64_t expected_ps =
		500000 + packet_ps(952) + packet_ps(10) + 2 * LINK_PS + 2 * HEADER * BYTE_PS;

	CHECK_NEAR(goal_time_ns(text, 2, ""), (double)expected_ps / 1000, 20);
	CHECK_NEAR(goal_time_ns(text, 2, "calc-unit = 10ns"), (double)expected_ps / 1000 + 4500,
		   20);
	CHECK_NEAR(goal_time_ns(text, 2, "rounds = 3"), 3 * (double)expected_ps / 1000, 6000);
}

TEST(test_goal_keeps_messages_that_come_before_their_round)
{
	/* Rank 0 sends its next message when the one before is acknowledged, rank 1 computes. */
	CHECK_NEAR(goal_time_ns("num_ranks 2\nrank 0 {\nsend 10b to 1\n}\nrank 1 {\nc: calc 50000\n"
				"r: recv 10b from 0\nr requires c\n}\n",
				2, "rounds = 3"),
		   150000, 1e-6);
}

TEST(test_goal_matches_messages_by_their_tag)
{
	/* In the order of the file 900 bytes would be for the receive of 10. */
	CHECK(goal_time_ns("num_ranks 2\nrank 0 {\nsend 10b to 1 tag 1\nsend 900b to 1 tag 2\n}\n"
			   "rank 1 {\nrecv 900b from 0 tag 2\nrecv 10b from 0 tag 1\n}\n",
			   2, "") > 0);
}

TEST(test_goal_computes_on_each_cpu_one_by_one)
{
	CHECK_NEAR(goal_time_ns("num_ranks 2\nrank 0 {\ncalc 700\ncalc 400\ncalc 900 cpu 1\n}\n", 2,
				""),
		   1100, 1e-9);
}

TEST(test_goal_irequires_waits_for_a_start)
{
	CHECK_NEAR(goal_time_ns("num_ranks 2\nrank 0 {\na: calc 700\nb: calc 800 cpu 1\n"
				"b irequires a\nc: calc 500 cpu 2\nc requires b\n}\n",
				2, ""),
		   1300, 1e-9);
}

TEST(test_goal_broadcast_by_a_tree_takes_its_levels)
{
	char text[4096] = "num_ranks 16\n";

	/* Binomial tree: rank r sends to r + 1, r + 2, r + 4 ... beyond its highest bit. */
	for (uint32_t r = 0; r < 16; r++) {
		uint32_t top = 1;
		size_t used = strlen(text);

		while (top <= r)
			top *= 2;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "rank %u {\n", r);
		if (r)
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 "l0: recv 1b from %u tag 0\n", r - top / 2);
		for (uint32_t k = top, l = 1; r + k < 16; k *= 2, l++) {
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 "l%u: send 1b to %u tag 0\n", l, r + k);
			if (r)
				used += (size_t)snprintf(text + used, sizeof(text) - used,
							 "l%u requires l0\n", l);
		}
		snprintf(text + used, sizeof(text) - used, "}\n");
	}
	CHECK_NEAR(goal_time_ns(text, 16, ""),
		   (double)(4 * packet_ps(1) + 2 * LINK_PS + 2 * HEADER * BYTE_PS) / 1000, 30);
}

/* A run that began ends with the message. */
static void check_goal_stops(const char *text, const char *message)
{
	const struct run_control control = { .threads = 1 };
	struct job_file f = goal_make(text, 2);
	struct weir_error e = { "" };
	struct sim s;

	sim_read(&s, file_star, f.hosts, f.pattern, f.folder.path, f.name, f.keys);
	CHECK_INT(run(&s.c, &control, &s.r, &e), RUN_REFUSED);
	CHECK_STR(e.text, message);
	sim_end(&s);
	folder_remove(&f.folder);
}

TEST(test_goal_that_computes_longer_than_time_lasts_is_stopped)
{
	enum { CALCS = 5000, LINE_SIZE = 32 };
	static char text[CALCS * LINE_SIZE + 100];
	int used = snprintf(text, sizeof(text), "num_ranks 2\nrank 0 {\n");

	for (int i = 0; i < CALCS; i++)
		used += snprintf(text + used, LINE_SIZE, "calc 1000000000000\n");
	snprintf(text + used, LINE_SIZE, "}\n");
	check_goal_stops(text, "traffic.x: rank 0 computes for more than 4611686 s");
}

TEST(test_mistakes_of_a_goal_schedule_are_named)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "a.goal:0: the file has no operation" },
		{ "rank 0 {\n}\n", "a.goal:1: num_ranks has to come before the first rank" },
		{ "num_ranks 99\n", "a.goal:1: num_ranks 99; from 2 to 17, the hosts" },
		{ "num_ranks 2\nrank 0 {\nl1: send 5b to 1\n}\nrank 1 {\n}\n",
		  "a.goal: line 3 (rank 0): sends to rank 1 with tag 0, but rank 1 has no receive "
		  "for it" },
		{ "num_ranks 2\nrank 0 {\nsend 5b to 1\n}\nrank 1 {\nrecv 4b from 0\n}\n",
		  "a.goal: line 6 (rank 1): receives 4 bytes, but line 3 (rank 0) sends 5" },
		{ "num_ranks 2\nrank 0 {\na: calc 1\nb: calc 2\na requires b\nb requires a\n}\n",
		  "a.goal: line 3 (rank 0): the operation depends on itself, through others" },
		{ "num_ranks 2\nrank 0 {\na: calc 1\na requires c\n}\n",
		  "a.goal:4: rank 0 has no label 'c' before this line" },
		{ "num_ranks 2\nrank 0 {\na: calc 1\na: calc 1\n}\n",
		  "a.goal:4: label a is used twice in rank 0" },
		{ "num_ranks 2\nrank 0 {\nsend 5b to 0\n}\n", "a.goal:3: rank 0 sends to itself" },
		{ "num_ranks 2\nrank 0 {\nrecv 5b from -1\n}\n",
		  "a.goal:3: a receive from any source (-1); name the source" },
		{ "num_ranks 2\nrank 0 {\ncalc five\n}\n",
		  "a.goal:3: 'five'; expected a whole number" },
		{ "num_ranks 2\nrank 0 {\nsend 5b 1\n}\n", "a.goal:3: '1'; expected to" },
		{ "num_ranks 2\nrank 1 {\ncalc 5\n}\nrank 0 {\ncalc 5\n}\n",
		  "a.goal:5: rank 0 after rank 1; ranks ascend" },
		{ "num_ranks 2\nrank 0 {\ncalc 5 cpu 16\n}\n",
		  "a.goal:3: cpu 16; there are 16, from 0" },
		{ "num_ranks 2\nrank 0 {\ncalc 5\n", "a.goal:3: the file ends inside rank 0" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct job_file f = goal_make(cases[i].text, 2);

		check_file_refused(&f, cases[i].message);
		folder_remove(&f.folder);
	}
}

/* --- SimAI --- */

#define SIMAI_HEAD "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 1 "

static struct job_file simai_make(const char *text)
{
	struct job_file f = { folder_make(), "simai", "w.txt", "", 8 };

	file_write(&f.folder, f.name, text, strlen(text));
	return f;
}

TEST(test_simai_computes_and_waits_as_its_passes_do)
{
	/* Two layers. Forward: 1000 ns and an all-reduce of two ranks, in which each sends half
	 * twice; input gradients 500 ns; weight gradients 300 ns and an all-gather of four ranks
	 * that the second layer's backward pass hides. */
	struct job_file f = simai_make(SIMAI_HEAD "vpp: 1 ga: 1 all_gpus: 8 checkpoints: 0\n2\n"
						  "a -1 1000 ALLREDUCE 1000 500 NONE 0 300 NONE 0 "
						  "0\nb\t-1\t1000\tALLREDUCE\t1000\t500\tNONE\t0\t"
						  "300\tALLGATHER\t400\t0\n");
	double forward_ns = 2 * (1000 + 2 * (double)packet_ps(500) / 1000);
	double gather_ns = 3 * (double)packet_ps(100) / 1000;

	/* The all-gather of layer b starts after its weight gradients and outlasts layer a. */
	CHECK_NEAR(file_metric(&f, "job_ns"), forward_ns + 800 + gather_ns, 60);
	CHECK_NEAR(file_metric(&f, "exposed_fraction"), 1 - 3600 / (forward_ns + 800 + gather_ns),
		   0.01);
	folder_remove(&f.folder);
}

TEST(test_simai_groups_are_neighbours_their_strides_and_experts)
{
	/* all_gpus 16, 4 model-parallel, ep 2: data groups of 4 with stride 4, of these experts of
	 * 2 and data-expert groups of 2 with stride 8. All-to-all of 1000 bytes sends 1000 / n to
	 * each other rank. */
	static const struct {
		const char *collective;
		int messages; /* of a rank */
	} cases[] = { { "ALLTOALL", 3 }, { "ALLTOALL_EP", 1 }, { "ALLTOALL_DP_EP", 1 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[400];
		struct job_file f;
		struct world w;
		struct traffic_config *t;
		struct job_demand d;
		char path[400];

		snprintf(text, sizeof(text),
			 "HYBRID_TRANSFORMER model_parallel_NPU_group: 4 ep: 2 pp: 1 all_gpus: "
			 "16\n1\na -1 1 NONE 0 1 NONE 0 1 %s 1000 1\n",
			 cases[i].collective);
		f = simai_make(text);
		t = world_start(&w, "star", "simai");
		snprintf(path, sizeof(path), "%s/w.txt", f.folder.path);
		traffic_set(t, "file", path);
		world_flows(&w);
		d = job_estimate(&w.list.jobs->jobs[0], 1000);
		CHECK_INT(d.messages, 16 * cases[i].messages);
		world_end(&w);
		folder_remove(&f.folder);
	}
}

TEST(test_mistakes_of_a_simai_workload_are_named)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "w.txt:0: the file is empty" },
		{ "DATA\n", "w.txt:1: 'DATA'; the first line begins with "
			    "HYBRID_TRANSFORMER_FWD_IN_BCKWD or HYBRID_TRANSFORMER" },
		{ SIMAI_HEAD "all_gpus: 64\n", "w.txt:1: all_gpus: 64; from 2 to 17, the hosts" },
		{ SIMAI_HEAD "all_gpus: 10\n",
		  "w.txt:1: model_parallel_NPU_group: 2 and ep: 2; their product must divide "
		  "all_gpus: 10" },
		{ "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 1 pp: 2 all_gpus: 8\n",
		  "w.txt:1: pp: 2; the file does not say what stages of a pipeline send; only pp: "
		  "1 is read" },
		{ SIMAI_HEAD "all_gpus: 8 checkpoints: 1\n",
		  "w.txt:1: checkpoints: 1; layers that are computed again are not read" },
		{ SIMAI_HEAD "all_gpus: 8\nmany\n",
		  "w.txt:2: the second line is the number of layers, from 1" },
		{ SIMAI_HEAD "all_gpus: 8\n1\na -1 1 NONE 0\n",
		  "w.txt:3: a layer has 12 columns, here are 5" },
		{ SIMAI_HEAD "all_gpus: 8\n1\na -1 1 ALLREDUCE_TP 9 1 NONE 0 1 NONE 0 1\n",
		  "w.txt:3: 'ALLREDUCE_TP'; NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER or ALLTOALL, "
		  "and _EP or _DP_EP behind it" },
		{ SIMAI_HEAD "all_gpus: 8\n2\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n",
		  "w.txt:3: the file ends after 1 of 2 layers" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct job_file f = simai_make(cases[i].text);

		check_file_refused(&f, cases[i].message);
		folder_remove(&f.folder);
	}
}

/* --- Chakra --- */

/* A trace as it is written: messages within messages. */
struct trace {
	uint8_t bytes[4096];
	size_t length;
};

static void trace_varint(struct trace *t, uint64_t value)
{
	while (value > 0x7f) {
		t->bytes[t->length++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	t->bytes[t->length++] = (uint8_t)value;
}

static void trace_field(struct trace *t, uint32_t number, uint64_t value)
{
	trace_varint(t, number << 3);
	trace_varint(t, value);
}

static void trace_bytes(struct trace *t, uint32_t number, const void *bytes, size_t length)
{
	trace_varint(t, number << 3 | 2);
	trace_varint(t, length);
	memcpy(t->bytes + t->length, bytes, length);
	t->length += length;
}

/* Attributes have a name (1) and, among others, int64 (9), uint64 (13), bool (27) or string (29).
 */
static void trace_attribute(struct trace *node, const char *name, uint32_t number, uint64_t value)
{
	struct trace a = { .length = 0 };

	trace_bytes(&a, 1, name, strlen(name));
	trace_field(&a, number, value);
	trace_bytes(node, 10, a.bytes, a.length);
}

static void trace_record(struct trace *t, const struct trace *record)
{
	trace_varint(t, record->length);
	memcpy(t->bytes + t->length, record->bytes, record->length);
	t->length += record->length;
}

static struct trace trace_begin(void)
{
	struct trace t = { .length = 0 }, metadata = { .length = 0 };

	trace_bytes(&metadata, 1, "0.0.4", 5);
	trace_record(&t, &metadata);
	return t;
}

enum { COMPUTE = 4, SEND = 5, RECEIVE = 6, COLLECTIVE = 7 };

static struct trace node_begin(uint64_t id, uint64_t type)
{
	struct trace n = { .length = 0 };

	trace_field(&n, 1, id);
	trace_bytes(&n, 2, "node", 4);
	trace_field(&n, 3, type);
	return n;
}

/* 3 us on the accelerator, then an all-reduce of 4000 bytes. */
static void trace_of_all_reduce(const struct folder *f, uint32_t ranks)
{
	for (uint32_t r = 0; r < ranks; r++) {
		struct trace t = trace_begin(), n = node_begin(7, COMPUTE);
		char name[32];

		trace_field(&n, 7, 3);
		trace_attribute(&n, "is_cpu_op", 27, 0);
		trace_record(&t, &n);
		n = node_begin(9, COLLECTIVE);
		trace_bytes(&n, 5, "\x07", 1); /* data_deps, packed */
		trace_attribute(&n, "comm_type", 9, 0);
		trace_attribute(&n, "comm_size", 13, 4000);
		trace_record(&t, &n);
		snprintf(name, sizeof(name), "t.%u.et", r);
		file_write(f, name, t.bytes, t.length);
	}
}

TEST(test_chakra_computes_and_reduces)
{
	struct job_file f = { folder_make(), "chakra", "t.0.et", "", 4 };

	trace_of_all_reduce(&f.folder, 4);
	CHECK_NEAR(file_metric(&f, "job_ns"), 3000 + 6 * (double)packet_ps(1000) / 1000, 30);
	CHECK_NEAR(file_metric(&f, "exposed_fraction"),
		   1 - 3000 / (3000 + 6 * (double)packet_ps(1000) / 1000), 0.01);
	f.keys = "algorithm = halving-doubling";
	CHECK_NEAR(file_metric(&f, "job_ns"),
		   3000 + 2 * (double)(packet_ps(1000) + packet_ps(1000) + 1048 * BYTE_PS) / 1000,
		   30);
	folder_remove(&f.folder);
}

/* Rank 0 sends to rank 1, which waits for it and computes on the CPU. */
static void trace_of_message(const struct folder *f, uint64_t needs)
{
	struct trace t = trace_begin(), n = node_begin(1, SEND);

	trace_attribute(&n, "comm_size", 9, 952);
	trace_attribute(&n, "comm_dst", 5, 1);
	trace_attribute(&n, "comm_tag", 11, 3);
	trace_record(&t, &n);
	file_write(f, "t.0.et", t.bytes, t.length);
	t = trace_begin();
	n = node_begin(1, RECEIVE);
	trace_attribute(&n, "comm_size", 9, 952);
	trace_attribute(&n, "comm_src", 5, 0);
	trace_attribute(&n, "comm_tag", 11, 3);
	trace_record(&t, &n);
	n = node_begin(2, COMPUTE);
	trace_field(&n, 4, needs); /* ctrl_deps, not packed */
	trace_field(&n, 7, 20);
	trace_record(&t, &n);
	file_write(f, "t.1.et", t.bytes, t.length);
}

TEST(test_chakra_sends_and_receives)
{
	struct job_file f = { folder_make(), "chakra", "t.0.et", "", 2 };

	trace_of_message(&f.folder, 1);
	CHECK_NEAR(file_metric(&f, "job_ns"), 20000 + (double)packet_ps(952) / 1000, 1e-6);
	folder_remove(&f.folder);
}

TEST(test_chakra_collectives_are_of_process_groups)
{
	struct job_file f = { folder_make(), "chakra", "t.0.et", "", 4 };
	static const char groups[] = "{\"a\": [0, 2], \"b\": [1, 3]}";
	char keys[200];

	for (uint32_t r = 0; r < 4; r++) {
		struct trace t = trace_begin(), n = node_begin(1, COLLECTIVE), a = { .length = 0 };
		char name[32];

		trace_attribute(&n, "comm_type", 9, 2); /* all-gather: each rank's share */
		trace_attribute(&n, "comm_size", 9, 500);
		trace_bytes(&a, 1, "pg_name", 7);
		trace_bytes(&a, 29, r % 2 ? "b" : "a", 1);
		trace_bytes(&n, 10, a.bytes, a.length);
		trace_record(&t, &n);
		snprintf(name, sizeof(name), "t.%u.et", r);
		file_write(&f.folder, name, t.bytes, t.length);
	}
	file_write(&f.folder, "groups.json", groups, strlen(groups));
	check_file_refused(&f, "t.0.et: record 2: node 1: pg_name 'a'; give the file of process "
			       "groups by groups");
	snprintf(keys, sizeof(keys), "groups = %s/groups.json", f.folder.path);
	f.keys = keys;
	CHECK_NEAR(file_metric(&f, "job_ns"), (double)packet_ps(500) / 1000, 1e-6);
	folder_remove(&f.folder);
}

TEST(test_mistakes_of_a_chakra_trace_are_named)
{
	struct job_file f = { folder_make(), "chakra", "t.0.et", "", 2 };
	struct trace t = trace_begin();

	file_write(&f.folder, "t.0.et", t.bytes, t.length);
	check_file_refused(&f, "t.0.et: 1 files of ranks, with 1.et and so on behind 0.et; from 2 "
			       "to 17, the hosts");
	trace_of_message(&f.folder, 99);
	check_file_refused(&f, "t.1.et: record 3: depends on node 99, which is not in the file");
	file_write(&f.folder, "t.1.et", t.bytes, t.length);
	check_file_refused(&f, "t.0.et: rank 0, record 2: sends to rank 1 with tag 3, but rank 1 "
			       "has no receive for it");
	file_write(&f.folder, "t.1.et", "\x1f\x8b\x08\x00\xff\xff", 6);
	check_file_refused(&f, "t.1.et: record 1: the file ends inside the record");
	file_write(&f.folder, "t.1.et", "", 0);
	check_file_refused(&f, "t.1.et: the file is empty");
	folder_remove(&f.folder);
}

TEST(test_the_digest_of_a_trace_is_of_all_its_ranks)
{
	struct folder f = folder_make();
	struct digest before, after;
	struct weir_error e;
	char path[400];

	trace_of_all_reduce(&f, 3);
	snprintf(path, sizeof(path), "%s/t.0.et", f.path);
	CHECK_INT(input_digest(path, &before, &e), 0);
	file_write(&f, "t.2.et", "x", 1);
	CHECK_INT(input_digest(path, &after, &e), 0);
	CHECK(strcmp(before.text, after.text) != 0);
	folder_remove(&f);
}

/* --- damage --- */

enum { ATTEMPTS = 1500, DAMAGED_MAX = 4096 };

/* Makes one to three bytes others, or cuts the end off. */
static size_t damage(uint8_t *bytes, size_t length, struct weir_rng *r)
{
	static const char likely[] = " \n0123456789-{}:_b";

	for (uint64_t i = 1 + weir_rng_below(r, 3); i > 0; i--) {
		uint8_t *at = &bytes[weir_rng_below(r, length)];

		if (weir_rng_below(r, 2))
			*at = (uint8_t)likely[weir_rng_below(r, sizeof(likely) - 1)];
		else
			*at = (uint8_t)(*at ^ (1 << weir_rng_below(r, 8)));
	}
	return weir_rng_below(r, 8) ? length : weir_rng_below(r, length);
}

/* Damages the file again and again: it is read, or refused with a message that names the section.
 * Both must happen, else the damage tests nothing. */
static void check_damage(const struct job_file *f)
{
	struct weir_rng r = weir_rng_make(7, 0, WEIR_RNG_TEST);
	size_t length;
	char *whole = folder_read(&f->folder, f->name, &length);
	uint32_t accepted = 0;

	CHECK(length <= DAMAGED_MAX);
	for (uint32_t i = 0; i < ATTEMPTS; i++) {
		uint8_t bytes[DAMAGED_MAX];
		struct weir_error e = { "" };
		char path[400];
		struct world w;
		struct traffic_config *t = world_start(&w, "star", f->pattern);

		memcpy(bytes, whole, length);
		file_write(&f->folder, f->name, bytes, damage(bytes, length, &r));
		snprintf(path, sizeof(path), "%s/%s", f->folder.path, f->name);
		traffic_set(t, "file", path);
		world_network(&w);
		if (traffic_generate(&w.list, &w.c, &w.net, &e) == 0)
			accepted++;
		else if (strncmp(e.text, "traffic.x.", strlen("traffic.x.")) != 0)
			test_fail(__FILE__, __LINE__, "attempt %u: %s", i, e.text);
		world_end(&w);
	}
	CHECK(accepted > 0 && accepted < ATTEMPTS);
	free(whole);
	folder_remove(&f->folder);
}

TEST(test_a_damaged_goal_schedule_is_read_or_refused_with_a_message)
{
	struct job_file f = goal_make("num_ranks 3\nrank 0 {\nl1: calc 500 cpu 1\n/* c */\n"
				      "l2: send 952b to 1 tag 7\nl2 requires l1\n}\n"
				      "rank 1 {\na: recv 952b from 0 tag 7\nb: calc 5\n"
				      "b irequires a\n}\nrank 2 {\ncalc 1 // x\n}\n",
				      3);

	check_damage(&f);
}

TEST(test_a_damaged_simai_workload_is_read_or_refused_with_a_message)
{
	struct job_file f =
		simai_make(SIMAI_HEAD "all_gpus: 8 checkpoints: 0\n2\n"
				      "a -1 10 ALLREDUCE 100 5 ALLTOALL_EP 64 3 NONE 0 0\n"
				      "b -1 10 NONE 0 5 NONE 0 3 REDUCESCATTER_DP_EP 400 9\n");

	check_damage(&f);
}

TEST(test_a_damaged_chakra_trace_is_read_or_refused_with_a_message)
{
	struct job_file f = { folder_make(), "chakra", "t.0.et", "", 4 };

	trace_of_all_reduce(&f.folder, 3);
	check_damage(&f);
}

/* --- matrices --- */

static void matrix_write(struct job_file *f, const char *text)
{
	static char keys[200];

	file_write(&f->folder, "m.txt", text, strlen(text));
	snprintf(keys, sizeof(keys), "matrix = %s/m.txt", f->folder.path);
	f->keys = keys;
}

TEST(test_a_matrix_says_what_each_rank_sends_to_each)
{
	static const char text[] =
		"[network]\ntopology = star\nhosts = 3\nrate = 100Gbps\ndelay = 1us\n"
		"[switch]\nmarking = none\nlossless = all\nbuffer = 64MB\nbuffer-per = switch\n"
		"[host]\ncc = line-rate\n[traffic x]\npattern = collective\n"
		"collective = all-to-all\n%s\n";
	struct job_file f = { folder_make(), "", "m.txt", "", 3 };
	struct sim s;
	/* The longest message: 500 packets and one over the second link, and an ACK. */
	double longest_ns = (double)(501 * 1048 * BYTE_PS + 2 * LINK_PS) / 1000 +
			    (double)(2 * LINK_PS + 2 * HEADER * BYTE_PS) / 1000;

	matrix_write(&f, "# to 0, 1, 2\n9999 500000 0 # keeps some\n1000 0 0\n\n0 0 0\n");
	sim_read(&s, text, f.keys);
	sim_run(&s, 1);
	CHECK_NEAR(sim_metric(&s, "round_mean_ns"), longest_ns, 60);
	CHECK_NEAR(sim_metric(&s, "busbw_bps"), 8 * 500000 / (longest_ns * 1e-9), 1e8);
	CHECK_INT(sim_metric(&s, "algbw_bps"), sim_metric(&s, "busbw_bps"));
	sim_end(&s);
	folder_remove(&f.folder);
}

TEST(test_mistakes_of_a_matrix_are_named)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "1 2\n", "%s/m.txt:1: 2 numbers; one for each of 3 ranks" },
		{ "1 2 3 4\n", "%s/m.txt:1: more than 3 numbers" },
		{ "1 2 x\n", "%s/m.txt:1: 'x'; a number of bytes, at most 1000000000000" },
		{ "1 2 3\n", "%s/m.txt:1: the file ends after 1 lines; one for each of 3 ranks" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct job_file f = { folder_make(), "", "m.txt", "", 3 };
		char expected[600], path[400];
		struct world w;
		struct traffic_config *t = world_start(&w, "star", "collective");
		int used;

		matrix_write(&f, cases[i].text);
		snprintf(path, sizeof(path), "%s/m.txt", f.folder.path);
		traffic_set(t, "collective", "all-to-all");
		traffic_set(t, "members", "3");
		traffic_set(t, "matrix", path);
		used = snprintf(expected, sizeof(expected), "traffic.x.matrix: %s", f.folder.path);
		snprintf(expected + used, sizeof(expected) - (size_t)used, "%s",
			 cases[i].message + strlen("%s"));
		check_traffic_refused(&w, expected);
		folder_remove(&f.folder);
	}
}

TEST(test_a_rank_of_a_matrix_without_messages_needs_a_number_of_rounds)
{
	struct job_file f = { folder_make(), "", "m.txt", "", 3 };
	char path[400];
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "collective");

	matrix_write(&f, "0 9 0\n9 0 0\n0 0 5\n");
	snprintf(path, sizeof(path), "%s/m.txt", f.folder.path);
	traffic_set(t, "collective", "all-to-all");
	traffic_set(t, "members", "3");
	traffic_set(t, "matrix", path);
	w.c.measure.to_ps = 1000000;
	check_traffic_refused(&w, "traffic.x.rounds: not given, but rank 2 of the matrix neither "
				  "sends nor receives");
	folder_remove(&f.folder);
}
