/* SPDX-License-Identifier: BSD-3-Clause */
/* test_import.c -- files of other simulators: what they mean, and a message for every line that
 * does not fit. The files that are right are in tests/import/. */
#define _POSIX_C_SOURCE 200809L
#include "lab/scenario/import.h"
#include "sim/net/topology.h"
#include "tests/folder.h"
#include "tests/sim.h"
#include "tests/world.h"

#define TOPOLOGY "tests/import/topology.txt"
#define FLOWS "tests/import/flows.txt"
#define MATRIX "tests/import/incast.cm"

/* --- topologies --- */

/* Nodes 2 and 7 of the file are switches, so nodes 3 to 6 are h2 to h5. */
TEST(test_import_hpcc_numbers_hosts_in_the_order_of_their_nodes)
{
	static const uint32_t nodes[] = { 0, 1, 3, 4, 5, 6 };
	struct world w = world_of("hpcc");

	world_network(&w);
	CHECK_INT(w.net.host_count, 6);
	CHECK_INT(w.net.switch_count, 2);
	CHECK_INT(w.net.link_count, 2 * 8);
	for (uint32_t h = 0; h < 6; h++)
		CHECK_INT(w.net.host_ids[h], nodes[h]);
	CHECK_INT(world_link_of(&w, "h2->s2")->rate_bps, 10 * GBPS);
	CHECK_INT(world_link_of(&w, "h0->s2")->delay_ps, 2 * US); /* 0.002ms */
	CHECK_INT(world_link_of(&w, "s7->h3")->delay_ps, 2 * US);
	CHECK_INT(world_link_of(&w, "s2->s7#1")->rate_bps, 25 * GBPS);
	CHECK(!world_has_link(&w, "s2->s7#2"));
	world_end(&w);
}

/* The text as a file, and what topology hpcc says of it. */
static void check_topology(const char *text, const char *message)
{
	struct folder f = folder_make();
	struct world w = world_of("hpcc");
	char expected[1024];

	folder_write(&f, "t", text, strlen(text));
	snprintf(network_text(&w.c.network, "file"), WEIR_OPT_TEXT_SIZE, "%s/t", f.path);
	snprintf(expected, sizeof(expected), "network.file: %s/t%s", f.path, message);
	check_network_refused(&w, expected);
	world_end(&w);
	folder_remove(&f);
}

#define HEAD "3 1 2\n2\n"

TEST(test_import_hpcc_topology_mistakes_are_named)
{
	check_topology(
		"", ": the file is empty; it starts with the numbers of nodes, switches and links");
	check_topology(
		"3 1\n",
		":1: the first line is the numbers of nodes, switches and links, as in 5 1 4");
	check_topology(
		"3 1 x\n",
		":1: the first line is the numbers of nodes, switches and links, as in 5 1 4");
	check_topology(
		"99999999 1 2\n",
		":1: the first line is the numbers of nodes, switches and links, as in 5 1 4");
	check_topology("2 1 2\n",
		       ":1: 2 nodes, 1 switches and 2 links; at least two nodes are hosts, one "
		       "is a switch");
	check_topology("3 1 2\n", ":1: the file ends after 0 of 1 switches");
	check_topology("4 2 2\n2\n\n", ":3: the file ends after 1 of 2 switches");
	check_topology("3 1 2\n3\n", ":2: there is no node '3'; nodes are 0 to 2");
	check_topology("4 2 2\n2 2\n", ":2: switch 2 is listed twice");
	check_topology("4 1 2\n2 3\n", ":2: '3' is one switch more than the 1 of the first line");
	check_topology(HEAD "0 2 1Gbps 1us 0\n", ":3: the file ends after 1 of 2 links");
	check_topology(HEAD "0 2 1Gbps 1us 0\n1 2 1Gbps",
		       ":4: a link is two nodes, a rate, a delay and an "
		       "error rate, as in 0 4 100Gbps 0.001ms 0");
	check_topology(HEAD "0 5 1Gbps 1us 0\n", ":3: there is no node '5'; nodes are 0 to 2");
	check_topology(HEAD "0 -1 1Gbps 1us 0\n", ":3: there is no node '-1'; nodes are 0 to 2");
	check_topology(HEAD "0 1 1Gbps 1us 0\n",
		       ":3: nodes 0 and 1 are both hosts; a host's link goes to a switch");
	check_topology(HEAD "2 2 1Gbps 1us 0\n", ":3: a link needs two nodes; both are 2");
	check_topology(HEAD "0 2 1Gbps 1us 0\n0 2 1Gbps 1us 0\n",
		       ":4: host 0 has a second link; a host has one");
	check_topology(HEAD "0 2 1Gbps 1us 0\n2 2 1Gbps 1us 0\n",
		       ":4: a link needs two nodes; both are 2");
	check_topology("4 2 2\n2 3\n0 2 1Gbps 1us 0\n2 3 1Gbps 1us 0\n", ": host 1 has no link");
	check_topology(HEAD "0 2 1Gb/s 1us 0\n",
		       ":3: rate: '1Gb/s' ends in 'Gb/s', which is no unit here "
		       "(bps, Kbps, Mbps, Gbps, Tbps; nearest: Gbps); allowed: 1Mbps to 4Tbps");
	check_topology(HEAD "0 2 1Gbps 0ms 0\n", ":3: delay 0 is refused: " ZERO_DELAY_REASON);
	check_topology(HEAD "0 2 1Gbps 1us 0.01\n",
		       ":3: error rate '0.01', but links of Weir lose nothing; "
		       "only 0 can be had");
	check_topology(HEAD "0 2 1Gbps 1us no\n", ":3: 'no' is not an error rate");
}

TEST(test_import_hpcc_topology_must_be_given_and_there)
{
	struct world w = world_of("hpcc");

	strcpy(network_text(&w.c.network, "file"), "none.txt");
	check_network_refused(&w,
			      "network.file: none.txt: cannot be read: No such file or directory");
	strcpy(network_text(&w.c.network, "file"), "tests");
	check_network_refused(&w, "network.file: tests: cannot be read: Is a directory");
	network_text(&w.c.network, "file")[0] = '\0';
	check_network_refused(&w,
			      "network.file: not given; topology hpcc needs file = topology.txt");
	world_end(&w);
}

/* --- flows --- */

static void check_flow(const struct flow *f, uint32_t src, uint32_t dst, uint64_t size_bytes)
{
	CHECK_INT(f->src, src);
	CHECK_INT(f->dst, dst);
	CHECK_INT(f->size_bytes, size_bytes);
}

/* As many as the first line says; hosts by node number; seconds to the picosecond. */
TEST(test_import_hpcc_flows_are_read_as_the_original_reads_them)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "hpcc", "hpcc-flows");

	traffic_set(t, "file", FLOWS);
	world_flows(&w);
	CHECK_INT(w.list.count, 6);
	check_flow(&w.list.flows[0], 3, 1, 64000);
	CHECK_INT(w.list.flows[0].start_ps, 2 * WEIR_PS_PER_S);
	check_flow(&w.list.flows[1], 0, 3, 300000);
	CHECK_INT(w.list.flows[1].start_ps, 2 * WEIR_PS_PER_S + 5 * WEIR_PS_PER_NS);
	check_flow(&w.list.flows[5], 2, 3, 700000);
	CHECK_INT(w.list.flows[5].start_ps, 2 * WEIR_PS_PER_S + 100 * US);
	world_end(&w);
}

TEST(test_import_hpcc_flows_of_another_topology_are_between_host_numbers)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "hpcc-flows");

	traffic_set(t, "file", FLOWS);
	world_flows(&w);
	check_flow(&w.list.flows[0], 4, 1, 64000);
	world_end(&w);
}

/* Picoseconds; a flow without a size has no end. */
TEST(test_import_htsim_matrix_is_read_as_the_original_reads_it)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "htsim");
	struct folder f = folder_make();
	char path[400];

	traffic_set(t, "file", MATRIX);
	world_flows(&w);
	CHECK_INT(w.list.count, 6);
	check_flow(&w.list.flows[0], 0, 15, 200000);
	CHECK_INT(w.list.flows[0].start_ps, 0);
	check_flow(&w.list.flows[3], 3, 15, 300000);
	CHECK_INT(w.list.flows[3].start_ps, 2 * US);
	check_flow(&w.list.flows[4], 15, 2, 100000);
	CHECK_INT(w.list.flows[4].flags, FLOW_WAITS);
	CHECK_INT(w.list.flows[2].flags, FLOW_SIGNALS_SENT);
	CHECK_INT(w.list.flows[3].flags, FLOW_SIGNALS_RECEIVED);
	folder_write(&f, "m", "Nodes 4\nConnections 1\n0->1 start 7\n", 35);
	snprintf(path, sizeof(path), "%s/m", f.path);
	traffic_set(t, "file", path);
	w.c.measure.to_ps = (uint64_t)MS;
	world_flows(&w);
	CHECK(w.list.flows[0].size_bytes == FLOW_UNLIMITED);
	CHECK_INT(w.list.flows[0].start_ps, 7);
	folder_remove(&f);
	world_end(&w);
}

/* A pattern, the text of its file, and what it says of it on topology hpcc or, for htsim, star. */
static void check_flows(const char *pattern, const char *text, const char *message)
{
	struct folder f = folder_make();
	struct world w;
	struct traffic_config *t;
	char expected[1024];

	t = world_start(&w, strcmp(pattern, "htsim") == 0 ? "star" : "hpcc", pattern);
	folder_write(&f, "f", text, strlen(text));
	snprintf(traffic_text(t, "file"), WEIR_OPT_TEXT_SIZE, "%s/f", f.path);
	snprintf(expected, sizeof(expected), "traffic.x.file: %s/f%s", f.path, message);
	check_traffic_refused(&w, expected);
	folder_remove(&f);
}

TEST(test_import_hpcc_flow_mistakes_are_named)
{
#define A_FLOW \
	"a flow is source, destination, priority, port, bytes and seconds, as in 0 4 3 100 " \
	"200000 2.5"
	check_flows("hpcc-flows", "\n", ": the file is empty; it starts with the number of flows");
	check_flows("hpcc-flows", "0 4 3 100 1000 2\n",
		    ":1: the first line is the number of flows");
	check_flows("hpcc-flows", "2\n0 4 3 100 1000 2\n", ":2: the file ends after 1 of 2 flows");
	check_flows("hpcc-flows", "1\n0 4 3 100 10", ":2: " A_FLOW);
	check_flows("hpcc-flows", "1\n0 4 3 100 10 2 2\n", ":2: " A_FLOW);
	check_flows("hpcc-flows", "1\nh0 4 3 100 10 2\n", ":2: 'h0' is not the number of a node");
	check_flows("hpcc-flows", "1\n0 2 3 100 10 2\n",
		    ":2: node 2 is no host; hosts are 6 of the nodes "
		    "0 to 7");
	check_flows("hpcc-flows", "1\n0 0 3 100 10 2\n", ":2: source and destination are both h0");
	check_flows("hpcc-flows", "1\n0 1 x 100 10 2\n",
		    ":2: priority 'x' and port '100'; both are whole numbers");
	check_flows("hpcc-flows", "1\n0 1 3 100 0 2\n",
		    ":2: '0' is not a size; allowed are 1 to "
		    "1000000000000 bytes");
	check_flows("hpcc-flows", "1\n0 1 3 100 9 2s\n",
		    ":2: '2s' is not a start; allowed are 0 to 1000 seconds");
	check_flows("hpcc-flows", "1\n0 1 3 100 9 -1\n",
		    ":2: '-1' is not a start; allowed are 0 to 1000 seconds");
}

TEST(test_import_htsim_mistakes_are_named)
{
#define MATRIX_HEAD "Nodes 9\nConnections 1\n"
	check_flows("htsim", "", ": no line says Connections and how many");
	check_flows("htsim", "Nodes 9\nConnections 2\n0->1 start 0 size 9\n",
		    ":3: 1 connections are listed, "
		    "but Connections says 2");
	check_flows("htsim", "Nodes 99\n", ":1: Nodes 99, but the network has 17 hosts");
	check_flows("htsim", "Nodes\n", ":1: Nodes is followed by one whole number");
	check_flows("htsim", MATRIX_HEAD "0->17 start 0 size 9\n",
		    ":3: there is no host '17'; hosts are 0 to 16");
	check_flows("htsim", MATRIX_HEAD "->1 start 0 size 9\n",
		    ":3: there is no host ''; hosts are 0 to 16");
	check_flows("htsim", MATRIX_HEAD "0->1 start 0 size",
		    ":3: the line ends after 'size'; a value is missing");
	check_flows("htsim", MATRIX_HEAD "0->1 size 9\n",
		    ":3: the flow has no start; a line is as in 0->5 "
		    "start 0 size 2000000, or with a trigger in place of the start");
	check_flows(
		"htsim", MATRIX_HEAD "0->1 start 0 sise 9\n",
		":3: unknown word 'sise'; there are start, "
		"size, id, prio, trigger, send_done_trigger, recv_done_trigger (nearest: size)");
	check_flows("htsim", MATRIX_HEAD "0->1 start x\n",
		    ":3: 'x' is not a start; allowed are 0 to 1000 s in picoseconds");
	check_flows("htsim", MATRIX_HEAD "0->1 id x start 0\n", ":3: id 'x'; it is a whole number");
	check_flows("htsim", MATRIX_HEAD "0->1 start 0 size 9 prio 1\n",
		    ":3: prio 1 is the order in which an NDP receiver pulls, and no transport "
		    "here is pull-based; prio = ignore in the section ignores it");
	check_flows("htsim", MATRIX_HEAD "0->1 start 0 trigger 4 size 9\n",
		    ":3: the flow has both a start and a trigger; a line is as in 0->5 "
		    "start 0 size 2000000, or with a trigger in place of the start");
	check_flows("htsim", MATRIX_HEAD "0->1 id 1 trigger 4 size 9\n",
		    ": no line declares trigger 4, as in trigger id 4 oneshot");
	check_flows("htsim", MATRIX_HEAD "0->1 trigger 4 size 9\ntrigger id 4 barrier count 2\n",
		    ": flows wait for trigger 4, but none fires it");
	check_flows(
		"htsim", MATRIX_HEAD "0->1 start 0 size 9\ntrigger id 4 oneshoot\n",
		":4: a trigger has an id above 0 and is oneshot, multishot or barrier count N, as "
		"in trigger id 1 oneshot");
	check_flows("htsim", MATRIX_HEAD "0->1 start 0 size 9\ntrigger id\n",
		    ":4: id is followed by a whole number");
	check_flows("htsim", "failure switch_type TOR\n",
		    ":1: a failure; links of Weir fail by fail = NODE "
		    "NODE TIME in [network]");
	check_flows("htsim", MATRIX_HEAD "0->1 start 0\n",
		    ":3: an unlimited flow never ends; give stop or measure.to");
	check_flows("htsim", "0,1\n",
		    ":1: '0,1' starts no line of a connection matrix; "
		    "allowed are Nodes, Connections, Triggers, Failures, "
		    "trigger and lines such as 0->5 start 0 size 2000000");
}

TEST(test_import_flow_file_must_be_given_and_there)
{
	struct world w;

	traffic_set(world_start(&w, "star", "htsim"), "file", "none.cm");
	check_traffic_refused(&w,
			      "traffic.x.file: none.cm: cannot be read: No such file or directory");
	world_start(&w, "star", "hpcc-flows");
	check_traffic_refused(
		&w, "traffic.x.file: not given; pattern hpcc-flows needs file = flows.txt");
}

/* --- weir import --- */

/* The scenario that files become, for the caller to free. */
static char *imported(const struct import_files *files, const char *const *settings)
{
	struct scenario s;
	struct weir_error e = { "" };
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	CHECK_INT(import_scenario(&s, files, &e), 0);
	for (; *settings; settings++)
		CHECK_INT(scenario_set(&s, *settings, &e), 0);
	if (import_write(f, &s, files, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	fclose(f);
	scenario_free(&s);
	return text;
}

TEST(test_import_of_a_topology_and_flows_gives_the_same_results)
{
	static const char *const settings[] = { "switch.marking=red(min=5KB, max=90KB)",
						"network.fail=s2 s7#1 2000100us", "seed=5", NULL };
	const struct import_files files = { .topology = TOPOLOGY, .flows = FLOWS };
	struct sim original, made;
	char *text = imported(&files, settings);

	CHECK(strncmp(text, "# Imported from " TOPOLOGY " and " FLOWS "\nseed = 5\n", 40) == 0);
	CHECK(!strstr(text, "file"));
	CHECK_CONTAINS(text, "\nlink = h3 s7 10Gbps 2us\n");
	CHECK_CONTAINS(text, "\nflow = 0 3 300KB 2000000005ns\n");
	sim_read(&made, "%s", text);
	sim_read(&original,
		 "seed = 5\n[network]\ntopology = hpcc\nfile = " TOPOLOGY "\n"
		 "fail = s2 s7#1 2000100us\n[switch]\nmarking = red(min=5KB, max=90KB)\n"
		 "[traffic flows]\npattern = hpcc-flows\nfile = " FLOWS "\n[measure]\nfrom = 2s\n");
	sim_run(&original, 1);
	sim_run(&made, 1);
	CHECK_INT(sim_metric(&original, "flows_completed"), 6);
	sim_check_same(&original.r, &made.r);
	sim_end(&original);
	sim_end(&made);
	free(text);
}

TEST(test_import_of_a_connection_matrix_gives_the_same_results)
{
	static const char *const settings[] = { "network.topology=star", "network.hosts=16", NULL };
	const struct import_files files = { .flows = MATRIX };
	struct sim original, made;
	char *text = imported(&files, settings);

	CHECK_CONTAINS(text, "\nflow = 3 15 300KB 2us\n");
	CHECK_CONTAINS(text, "\nflow = 15 2 100KB sent:2\n");
	CHECK_CONTAINS(text, "\nflow = 4 5 50KB received:3\n");
	sim_read(&made, "%s", text);
	sim_read(&original,
		 "[network]\ntopology = star\nhosts = 16\n[traffic flows]\npattern = htsim\n"
		 "file = " MATRIX "\n");
	sim_run(&original, 1);
	sim_run(&made, 1);
	CHECK_INT(sim_metric(&original, "flows_completed"), 6);
	sim_check_same(&original.r, &made.r);
	sim_end(&original);
	sim_end(&made);
	free(text);
}

TEST(test_import_of_a_topology_alone_can_be_run)
{
	static const char *const settings[] = { NULL };
	const struct import_files files = { .topology = TOPOLOGY };
	char *text = imported(&files, settings);
	struct sim made;

	sim_read(&made, "%s", text);
	sim_run(&made, 1);
	CHECK_INT(made.r.flow_count, 6);
	sim_end(&made);
	free(text);
}

/* --- the content of files belongs to a run's identity --- */

static void keep_digest(void *context, const char *path, const char *text)
{
	if (strcmp(path, "digest.traffic.flows.file") == 0)
		snprintf(context, 32, "%s", text);
}

TEST(test_settings_say_what_is_in_the_files_they_name)
{
	struct folder f = folder_make();
	char digest[3][32] = { "", "", "" };
	struct weir_error e = { "" };
	struct sim s;

	folder_write(&f, "l", "0 1 1KB 0us\n", 12);
	sim_read(&s, "[network]\ntopology = star\n[traffic flows]\npattern = list\nfile = %s/l\n",
		 f.path);
	CHECK_INT(scenario_settings(&s.c, keep_digest, digest[0], &e), 0);
	CHECK_INT(scenario_settings(&s.c, keep_digest, digest[1], &e), 0);
	folder_write(&f, "l", "0 1 2KB 0us\n", 12);
	CHECK_INT(scenario_settings(&s.c, keep_digest, digest[2], &e), 0);
	CHECK_INT(strlen(digest[0]), 16);
	CHECK_STR(digest[1], digest[0]);
	CHECK(strcmp(digest[2], digest[0]) != 0);
	folder_remove(&f);
	CHECK_INT(scenario_settings(&s.c, keep_digest, digest[2], &e), -1);
	CHECK_CONTAINS(e.text, "traffic.flows.file: ");
	CHECK_CONTAINS(e.text, "/l: cannot be read: No such file or directory");
	sim_end(&s);
}
