/* SPDX-License-Identifier: BSD-3-Clause */
/* test_traffic_errors.c -- flows listed one by one, flows that share connections, and the message
 * for every mistake in a [traffic] section. */
#define _POSIX_C_SOURCE 200809L
#include "tests/sim.h"
#include "tests/world.h"
#include <stdlib.h>
#include <unistd.h>

static void add_flow(struct traffic_config *t, const char *text)
{
	line_list_add(&t->flow_lines, text, 0);
}

struct file {
	char name[64];
};

static struct file write_file(const char *text)
{
	struct file f = { "/tmp/weir-test-XXXXXX" };
	int fd = mkstemp(f.name);

	CHECK(fd >= 0);
	CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	return f;
}

static void check_flow(const struct flow *f, uint32_t src, uint32_t dst, uint64_t size_bytes)
{
	CHECK_INT(f->src, src);
	CHECK_INT(f->dst, dst);
	CHECK_INT(f->size_bytes, size_bytes);
}

/* --- lists --- */

TEST(test_list_has_the_flows_of_its_lines_and_its_file)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "list");
	struct file f = write_file("# source destination size start\n\n2 3 1KB 20us # third\n"
				   "h4  h5\t1B 0us");

	add_flow(t, "0 5 2MB 10us");
	add_flow(t, "h1 h5 unlimited 30us");
	traffic_set(t, "file", f.name);
	traffic_set(t, "stop", "40ms");
	traffic_set(t, "start", "1ms");
	world_flows(&w);
	unlink(f.name);
	CHECK_INT(w.list.count, 4);
	check_flow(&w.list.flows[0], 4, 5, 1);
	check_flow(&w.list.flows[1], 0, 5, 2000000);
	check_flow(&w.list.flows[2], 2, 3, 1000);
	check_flow(&w.list.flows[3], 1, 5, FLOW_UNLIMITED);
	CHECK_INT(w.list.flows[0].start_ps, MS);
	CHECK_INT(w.list.flows[3].start_ps, MS + 30 * US);
	CHECK_INT(w.list.flows[1].stop_ps, WEIR_TIME_NEVER_PS);
	CHECK_INT(w.list.flows[3].stop_ps, 40 * MS);
	world_end(&w);
}

TEST(test_flows_that_start_together_keep_their_order)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "list");
	char line[64];

	for (int i = 0; i < 300; i++) {
		snprintf(line, sizeof(line), "0 1 %dB 5us", i + 1);
		add_flow(t, line);
	}
	world_flows(&w);
	for (uint32_t i = 0; i < 300; i++)
		CHECK_INT(w.list.flows[i].size_bytes, i + 1);
	world_end(&w);
}

TEST(test_persistent_flows_share_the_connection_of_their_pair)
{
	static const uint32_t wanted[] = { 0, 1, 0, 3, 1, 0, 6, 6, 8, 9 };
	static const char *const lines[] = { "0 1 1KB 0us", "2 1 1KB 1us", "0 1 1KB 2us",
					     "1 0 1KB 3us", "2 1 1KB 4us", "0 1 1KB 5us" };
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "list");

	traffic_set(t, "connections", "persistent");
	for (int i = 5; i >= 0; i--) /* the first by time, not by line */
		add_flow(t, lines[i]);
	t = world_traffic(&w, "other", "list"); /* the same pair, but another section */
	traffic_set(t, "connections", "persistent");
	add_flow(t, "0 1 1KB 6us");
	add_flow(t, "0 1 1KB 7us");
	t = world_traffic(&w, "apart", "list");
	add_flow(t, "0 1 1KB 8us");
	add_flow(t, "0 1 1KB 9us");
	world_flows(&w);
	for (uint32_t i = 0; i < 10; i++)
		CHECK_INT(w.list.flows[i].connection, wanted[i]);
	world_end(&w);
}

/* Sixteen senders with ten connections each to one receiver: every flow is on a connection of its
 * own pair, all are used, and each by its part of 16,000 flows: 100, and five deviations are 50. */
TEST(test_flows_are_spread_over_the_connections_of_their_pair)
{
	enum { SENDERS = 16, EACH = 10, FLOWS = SENDERS * EACH * 100 };
	static uint32_t used[FLOWS];
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "all-to-one");
	uint32_t opened = 0;

	traffic_set(t, "size", "1KB");
	traffic_set(t, "load", "0.5");
	traffic_set(t, "flows", "16000");
	traffic_set(t, "connections", "persistent");
	traffic_set(t, "connections-per-pair", "10");
	world_flows(&w);
	CHECK_INT(w.list.count, FLOWS);
	memset(used, 0, sizeof(used));
	for (uint32_t i = 0; i < FLOWS; i++) {
		const struct flow *f = &w.list.flows[i], *first = &w.list.flows[f->connection];

		CHECK_INT(first->connection, f->connection);
		CHECK_INT(first->src, f->src);
		opened += used[f->connection]++ == 0;
	}
	CHECK_INT(opened, SENDERS * EACH);
	for (uint32_t i = 0; i < FLOWS; i++)
		CHECK(!used[i] || (used[i] > 50 && used[i] < 150));
	world_end(&w);
	t = world_start(&w, "star", "list");
	traffic_set(t, "connections-per-pair", "2");
	add_flow(t, "0 1 1KB 0us");
	check_traffic_refused(
		&w, "traffic.x.connections-per-pair: 2, but none of its connections stays open; it "
		    "goes with connections = persistent");
}

/* What hosts of a storage cluster or a training job have in real networks: queue pairs that
 * stay. */
TEST(test_applications_over_rdma_keep_their_queue_pairs_unless_told_otherwise)
{
	static const struct {
		const char *pattern, *host_cc, *more;
		int keeps;
	} cases[] = {
		{ "storage\nmix = oltp\nios = 9", "dcqcn", "", 1 },
		{ "storage\nmix = oltp\nios = 9", "dctcp", "", 0 },
		{ "storage\nmix = oltp\nios = 9", "dctcp", "cc = dcqcn\n", 1 },
		{ "storage\nmix = oltp\nios = 9", "dcqcn", "cc = dctcp\n", 0 },
		{ "storage\nmix = oltp\nios = 9", "dcqcn", "connections = per-flow\n", 0 },
		{ "storage\nmix = oltp\nios = 9\nreplicas = 1", "dcqcn", "", 0 },
		{ "training\nsize = 10KB\nrounds = 2", "dcqcn", "", 1 },
		{ "training\nsize = 10KB\nrounds = 2", "dctcp", "", 0 },
		{ "ring\nsize = 10KB\nrounds = 2", "hpcc", "", 1 },
		{ "ring\nsize = 10KB\nrounds = 2", "hpcc", "connections = per-flow\n", 0 },
		{ "all-to-all\nsize = 10KB\nload = 0.5\nflows = 99", "dcqcn", "", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t opened = 0;
		struct sim s;

		sim_read(&s,
			 "[network]\ntopology = star\nhosts = 8\n[host]\ncc = %s\n"
			 "[traffic x]\npattern = %s\n%s",
			 cases[i].host_cc, cases[i].pattern, cases[i].more);
		sim_run(&s, 1);
		for (uint32_t k = 0; k < s.r.flow_count; k++)
			opened += s.r.flows[k].connection == k;
		CHECK(s.r.flow_count > 20);
		CHECK_INT(opened < s.r.flow_count, cases[i].keeps);
		sim_end(&s);
	}
}

TEST(test_many_persistent_flows_find_their_pairs)
{
	struct world w = world_of("star");
	uint32_t first[2][17][17];

	for (int i = 0; i < 2; i++) {
		struct traffic_config *t = world_traffic(&w, "x", "all-to-all");

		traffic_set(t, "size", "10KB");
		traffic_set(t, "load", "0.5");
		traffic_set(t, "flows", "500");
		traffic_set(t, "connections", "persistent");
	}
	for (w.c.seed = 1; w.c.seed <= 50; w.c.seed++) {
		world_flows(&w);
		memset(first, 0xff, sizeof(first));
		for (uint32_t i = 0; i < w.list.count; i++) {
			const struct flow *f = &w.list.flows[i];
			uint32_t *opener = &first[f->traffic][f->src][f->dst];

			if (*opener == UINT32_MAX)
				*opener = i;
			CHECK_INT(f->connection, *opener);
		}
	}
	world_end(&w);
}

static void check_line_refused(const char *line, const char *message)
{
	struct world w;

	add_flow(world_start(&w, "star", "list"), line);
	check_traffic_refused(&w, message);
}

TEST(test_list_lines_say_what_is_wrong)
{
	struct world w;
	struct traffic_config *t;

	world_start(&w, "star", "list");
	check_traffic_refused(
		&w, "traffic.x.flow: not given; pattern list needs lines such as flow = 0 5 "
		    "2MB 10us, or a file of them");
	check_line_refused("0 1 1KB",
			   "traffic.x.flow: '0 1 1KB': a flow is source, destination, size and "
			   "start, as in 0 5 2MB 10us");
	check_line_refused("0 17 1KB 0us",
			   "traffic.x.flow: '0 17 1KB 0us': there is no host '17'; hosts "
			   "are h0 to h16");
	check_line_refused("sw 1 1KB 0us",
			   "traffic.x.flow: 'sw 1 1KB 0us': there is no host 'sw'; hosts "
			   "are h0 to h16");
	check_line_refused("3 h3 1KB 0us",
			   "traffic.x.flow: '3 h3 1KB 0us': source and destination are "
			   "both h3");
	check_line_refused("0 1 1 0us",
			   "traffic.x.flow: '0 1 1 0us': size: '1' has no unit (B, KB, MB, "
			   "GB, KiB, MiB, GiB); allowed: 1B to 1000GB or unlimited");
	check_line_refused("0 1 1KB 2000s",
			   "traffic.x.flow: '0 1 1KB 2000s': start: '2000s' is out of "
			   "range; allowed: 0s to 1000s");
	check_line_refused("0 1 unlimited 0us",
			   "traffic.x.flow: '0 1 unlimited 0us': an unlimited flow "
			   "never ends; give stop or measure.to");

	t = world_start(&w, "star", "list");
	add_flow(t, "0 1 unlimited 0us");
	traffic_set(t, "connections", "persistent");
	check_traffic_refused(
		&w, "traffic.x.flow: '0 1 unlimited 0us': an unlimited flow does not share a "
		    "connection; use connections = per-flow");
	t = world_start(&w, "star", "list");
	add_flow(t, "0 1 unlimited 5ms");
	traffic_set(t, "stop", "5ms");
	check_traffic_refused(
		&w, "traffic.x.flow: '0 1 unlimited 5ms': the flow does not start before the "
		    "section's stop");
	t = world_start(&w, "star", "list");
	add_flow(t, "0 1 1KB 5ms");
	traffic_set(t, "stop", "6ms");
	check_traffic_refused(
		&w, "traffic.x.stop: 6ms, but only flows of unlimited size stop at a time");
	t = world_start(&w, "star", "list");
	add_flow(t, "0 1 1KB 5ms");
	traffic_set(t, "start", "0ms..1ms");
	check_traffic_refused(
		&w, "traffic.x.start: a span, but the list says when each flow starts; give "
		    "one time to count from");
}

TEST(test_list_file_says_what_is_wrong)
{
	struct file f = write_file("0 1 1KB 0us\n0 0 1KB 0us\n");
	char message[256];
	struct world w;

	traffic_set(world_start(&w, "star", "list"), "file", f.name);
	snprintf(message, sizeof(message),
		 "traffic.x.file: %s:2: source and destination are both h0", f.name);
	check_traffic_refused(&w, message);
	unlink(f.name);
	traffic_set(world_start(&w, "star", "list"), "file", "no/such.txt");
	check_traffic_refused(
		&w, "traffic.x.file: cannot read 'no/such.txt': No such file or directory");
}

/* --- mistakes --- */

/* Up to three settings of a pattern on a star of 17 hosts, and what they are refused with. */
struct mistake {
	const char *pattern;
	const char *settings[4][2];
	const char *message;
};

static const struct mistake mistakes[] = {
	{ "many-to-one",
	  { { 0 } },
	  "traffic.x.sizes: not given; set a flow-size distribution, as in sizes = websearch, or "
	  "size = 1MB" },
	{ "many-to-one",
	  { { "size", "1MB" }, { "sizes", "websearch" } },
	  "traffic.x.sizes: 'websearch', but size is given too; one of the two" },
	{ "permutation",
	  { { "sizes", "no/such.txt" } },
	  "traffic.x.sizes: cannot read the workload 'no/such.txt': No such file or directory" },
	{ "many-to-one",
	  { { "size", "1MB" }, { "senders", "17" } },
	  "traffic.x.senders: 17, but there are 16 hosts besides the receiver" },
	{ "many-to-one",
	  { { "size", "1MB" }, { "receiver", "17" } },
	  "traffic.x.receiver: 17; hosts are 0 to 16" },
	{ "many-to-one",
	  { { "size", "1MB" }, { "stop", "1ms" } },
	  "traffic.x.stop: 1ms, but only flows of unlimited size stop at a time" },
	{ "permutation",
	  { { "size", "unlimited" }, { "stop", "1ms" }, { "start", "0ms..1ms" } },
	  "traffic.x.stop: 1ms; must be after the last start, 1ms" },
	{ "all-to-all",
	  { { "sizes", "websearch" }, { "flows", "10" } },
	  "traffic.x.load: not given; the offered load, as a share of the capacity, as in 0.5" },
	{ "all-to-all",
	  { { "load", "0.5" }, { "flows", "10" } },
	  "traffic.x.sizes: not given; set a flow-size distribution, as in sizes = websearch, or "
	  "size = 1MB" },
	{ "all-to-all",
	  { { "load", "0.5" }, { "size", "1MB" } },
	  "traffic.x.flows: not given; set flows, or the end of arrivals by measure.to or start "
	  "= 0ms..100ms" },
	{ "all-to-all",
	  { { "load", "0.5" }, { "size", "1MB" }, { "flows", "10" }, { "start", "0ms..1ms" } },
	  "traffic.x.start: 0s..1ms says when arrivals "
	  "end, and so does flows = 10; give one of the two" },
	{ "all-to-one",
	  { { "load", "0.5" }, { "size", "10MB" }, { "start", "0us..1us" } },
	  "traffic.x.load: too low for even one flow of 1e+07 bytes in 1e-06 s" },
	{ "all-to-one",
	  { { "load", "0.5" }, { "size", "100GB" }, { "flows", "1000" } },
	  "traffic.x.flows: 1000 at this load take 160000 s to arrive; allowed are 1000" },
	{ "all-to-one",
	  { { "load", "1" }, { "size", "1B" }, { "start", "0s..1000s" } },
	  "traffic.x.flows: 4294967295 flows and 0 of "
	  "other sections; allowed are 4294967294 in all" },
	{ "all-to-one",
	  { { "load", "0.5" }, { "size", "1MB" }, { "receiver", "99" } },
	  "traffic.x.receiver: 99; hosts are 0 to 16" },
	{ "all-to-all",
	  { { "load", "0.5" }, { "size", "1MB" }, { "load-of", "bisection" } },
	  "traffic.x.load-of: bisection, but topology star "
	  "has no tiers of switches to divide; use access" },
	{ "inter-rack",
	  { { "load", "0.5" }, { "size", "1MB" }, { "flows", "10" } },
	  "traffic.x.pattern: inter-rack, but all 17 hosts are on one switch" },
	{ "incast",
	  { { "flows", "10" } },
	  "traffic.x.size: not given; the bytes that each sender answers with, as in 64KB" },
	{ "incast",
	  { { "size", "1KB" }, { "senders", "17" } },
	  "traffic.x.senders: 17, but there are 16 hosts besides the receiver" },
	{ "incast",
	  { { "size", "1KB" }, { "receiver", "17" } },
	  "traffic.x.receiver: 17; hosts are 0 to 16" },
	{ "incast",
	  { { "size", "1KB" }, { "receiver", "any" } },
	  "traffic.x.receiver: 'any'; a host's number, 0 to 16, or random" },
	{ "incast",
	  { { "size", "1KB" }, { "senders", "8" }, { "flows", "20" } },
	  "traffic.x.flows: 20; must be a multiple of the 8 senders that answer each request" },
	{ "incast",
	  { { "size", "1KB" } },
	  "traffic.x.flows: not given; set flows, or the end of arrivals by measure.to or start "
	  "= 0ms..100ms" },
	{ "incast",
	  { { "size", "1KB" }, { "period", "1s" }, { "flows", "32000" } },
	  "traffic.x.flows: 2000 requests take 2000 s at this period; allowed are 1000" },
	{ "incast",
	  { { "size", "1KB" }, { "period", "1ps" }, { "start", "0s..1000s" } },
	  "traffic.x.flows: 68719476720 flows and 0 of "
	  "other sections; allowed are 4294967294 in all" },
	{ "incast",
	  { { "size", "1KB" },
	    { "period", "1s" },
	    { "arrivals", "poisson" },
	    { "start", "0us..1us" } },
	  "traffic.x.period: longer than the simulated time, so there would be no request" },
};

TEST(test_every_mistake_has_its_message)
{
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		const struct mistake *m = &mistakes[i];
		struct world w;
		struct traffic_config *t = world_start(&w, "star", m->pattern);

		for (int k = 0; k < 4 && m->settings[k][0]; k++)
			traffic_set(t, m->settings[k][0], m->settings[k][1]);
		check_traffic_refused(&w, m->message);
	}
}

TEST(test_arrivals_must_begin_before_the_measurement_ends)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "all-to-all");

	traffic_set(t, "load", "0.5");
	traffic_set(t, "size", "1MB");
	traffic_set(t, "start", "5ms");
	w.c.measure.to_ps = (uint64_t)(5 * MS);
	check_traffic_refused(&w, "traffic.x.start: 5ms; must be before measure.to = 5ms");
}

/* There would be nothing to measure: the run says so at once. */
TEST(test_some_flow_must_start_before_the_measurement_ends)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "list");

	add_flow(t, "0 1 1KB 20ms");
	add_flow(t, "1 2 1KB 10ms");
	w.c.measure.to_ps = 10 * (uint64_t)MS;
	check_traffic_refused(&w,
			      "traffic.x.start: the first flow of all starts at 10ms, but the run "
			      "is measured until measure.to = 10ms");
}

/* Where other sections start in time it is noted, not refused. */
TEST(test_a_section_that_starts_too_late_is_known)
{
	struct world w;

	add_flow(world_start(&w, "star", "list"), "1 2 1KB 10ms");
	add_flow(world_traffic(&w, "y", "list"), "1 2 1KB 9999us");
	w.c.measure.to_ps = 10 * (uint64_t)MS;
	world_flows(&w);
	CHECK_INT(w.list.count, 2);
	CHECK(traffic_is_late(w.list.flows, 2, 0, &w.c));
	CHECK(!traffic_is_late(w.list.flows, 2, 1, &w.c));
	w.c.measure.to_ps = 0;
	CHECK(!traffic_is_late(w.list.flows, 2, 0, &w.c));
	world_end(&w);
}

TEST(test_bisection_needs_two_sides_with_hosts)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "leaf-spine", "all-to-all");

	*network_number(&w.c.network, "leaves") = 1;
	traffic_set(t, "load", "0.5");
	traffic_set(t, "size", "1MB");
	traffic_set(t, "flows", "10");
	traffic_set(t, "load-of", "bisection");
	check_traffic_refused(&w, "traffic.x.load-of: bisection, but all "
				  "hosts are on one side of it; use access");
}

TEST(test_unlimited_flows_only_where_senders_stay)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "all-to-all");

	*traffic_number(t, "size") =
		FLOW_UNLIMITED; /* a file cannot say so: the option wants bytes */
	traffic_set(t, "flows", "16");
	check_traffic_refused(
		&w, "traffic.x.size: unlimited, but flows of pattern all-to-all end; many-to-one "
		    "and permutation have such that do not");
}
