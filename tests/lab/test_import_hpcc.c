/* SPDX-License-Identifier: BSD-3-Clause */
/* test_import_hpcc.c -- configurations of HPCC's simulator: what every key means here, what is said
 * where it has no like, and a message for every line that does not fit. */
#define _POSIX_C_SOURCE 200809L
#include "lab/scenario/import.h"
#include "tests/folder.h"
#include "tests/sim.h"

#define CONFIG "tests/import/config.txt"

/* Three hosts at a switch: node 1 is the switch, so node 3 is h2. */
#define STAR "4 1 3\n1\n0 1 25Gbps 1us 0\n2 1 25Gbps 1us 0\n3 1 25Gbps 1us 0\n"
#define ONE_FLOW "1\n0 2 3 100 50000 2\n"
#define FILES "TOPOLOGY_FILE t\nFLOW_FILE f\nL2_ACK_INTERVAL 1\n"
#define MAPS "KMIN_MAP 1 25000000000 100\nKMAX_MAP 1 25000000000 400\nPMAX_MAP 1 25000000000 0.2\n"
#define HPCC "CC_MODE 3\nRATE_AI 10Mb/s\nMULTI_RATE 0\nVAR_WIN 1\n"

/* What comes of a configuration: a scenario, or a message. */
struct made {
	char *text; /* NULL: refused */
	char notes[4096];
	struct weir_error e;
};

static struct made made_of(const char *file)
{
	struct import_hpcc h;
	struct made m = { .notes = "" };
	struct import_files files = { .hpcc = &h };
	struct scenario s;
	size_t size, used = 0;
	FILE *f;

	if (import_hpcc_read(&h, file, &m.e))
		return m;
	files.topology = h.topology;
	files.flows = h.flows;
	CHECK_INT(import_scenario(&s, &files, &m.e), 0);
	f = open_memstream(&m.text, &size);
	int failed = import_hpcc_settings(&h, &s, &m.e) || import_write(f, &s, &files, &m.e);
	fclose(f);
	if (failed) {
		free(m.text);
		m.text = NULL;
	}
	for (uint32_t i = 0; i < h.notes.count && used < sizeof(m.notes); i++)
		used += (size_t)snprintf(m.notes + used, sizeof(m.notes) - used, "%d: %s\n",
					 h.notes.lines[i].line, h.notes.lines[i].text);
	scenario_free(&s);
	import_hpcc_free(&h);
	return m;
}

/* Of a text, beside a topology and a flow file. */
static struct made made_of_text(const char *config, const char *topology, const char *flows)
{
	struct folder f = folder_make();
	char path[512];
	struct made m;

	folder_write(&f, "c", config, strlen(config));
	folder_write(&f, "t", topology, strlen(topology));
	folder_write(&f, "f", flows, strlen(flows));
	snprintf(path, sizeof(path), "%s/c", f.path);
	m = made_of(path);
	folder_remove(&f);
	return m;
}

/* The scenario can be read and built, and has this line. */
static void check_line(const char *config, const char *line)
{
	struct made m = made_of_text(config, STAR, ONE_FLOW);
	struct sim s;

	if (!m.text) {
		test_fail(__FILE__, __LINE__, "%s", m.e.text);
		return;
	}
	CHECK_CONTAINS(m.text, line);
	sim_read(&s, "%s", m.text);
	sim_end(&s);
	free(m.text);
}

static void check_refused(const char *config, const char *message)
{
	struct made m = made_of_text(config, STAR, ONE_FLOW);

	CHECK(!m.text);
	CHECK_CONTAINS(m.e.text, message);
	free(m.text);
}

static void check_note(const char *config, const char *notes)
{
	struct made m = made_of_text(config, STAR, ONE_FLOW);

	CHECK_STR(m.notes, notes);
	free(m.text);
}

/* Ports of 10 and 25 Gb/s; nodes 2 and 7 are the switches, and two cables lie between them. The
 * last flow starts at 2.0001 s, and the simulator stops at 2.4 s: 399.9 ms are left to it. */
TEST(test_import_hpcc_carries_over_a_whole_configuration)
{
	static const char *const lines[] = {
		"\n[switch]\nmarking = none\n",
		"\nmarking.10Gbps = red(min=40KB, max=160KB, p=0.2, at=dequeue)\n",
		"\nmarking.25Gbps = red(min=100KB, max=400KB, p=0.25, at=dequeue)\n",
		"\nbuffer = 12MiB\nbuffer-per = switch\nlossless = all\npfc-alpha = 1/8\n"
		"pfc-reserved = 4KiB\npfc-margin = 3KiB\n",
		"\ncc = dcqcn(preset=hpcc, alpha-timer=1us, decrease-interval=4us, "
		"increase-timer=300us, fast-recovery=1, g=0.00390625, additive=2Mbps, "
		"hyper=20Mbps, clamp-target=no, window=scaled)\njitter = 0ns\narbitration = "
		"round-robin\n",
		"\n[rdma]\ncnp-interval = 0us\nack-size = 60B\nmtu = 1000B\nmin-rate = 100Mbps\n"
		"window-of = pair\n",
		"\n[traffic flows]\npattern = list\nack-class = data\nflow = ",
		"\nfrom = 2s\ndrain = 399900us\ncompletion = sender\n",
	};
	struct made m = made_of(CONFIG);
	struct sim s;

	CHECK(m.text);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		CHECK_CONTAINS(m.text, lines[i]);
	CHECK_CONTAINS(m.text, "# differs: ACK_HIGH_PRIO 1: PFC pauses a host's ACKs, too");
	CHECK_CONTAINS(m.notes, "27: ACK_HIGH_PRIO 1: ");
	CHECK_CONTAINS(m.notes, "9: FCT_OUTPUT_FILE import/fct.txt: ");
	CHECK_CONTAINS(m.notes,
		       "7: TOPOLOGY_FILE import/topology.txt: all links between two nodes");
	CHECK_CONTAINS(m.notes, "33: BUFFER_SIZE 12: headroom is what PFC needs on each link");
	CHECK_CONTAINS(m.notes, "33: BUFFER_SIZE 12: XOFF is 1/8 ");
	sim_read(&s, "%s", m.text);
	sim_run(&s, 1);
	sim_end(&s);
	free(m.text);
}

TEST(test_import_hpcc_knows_every_control)
{
	check_line(HPCC "U_TARGET 0.9\nMI_THRESH 0\n" FILES MAPS,
		   "\ncc = hpcc(eta=0.9, max-stage=0, ai=10Mbps, react=ack, window=scaled)\n");
	check_line(HPCC FILES MAPS, "\n[rdma]\nack-size = 46B\n"); /* and int-header: 88 bytes */
	check_line(HPCC "FAST_REACT 0\n" FILES MAPS,
		   "\ncc = hpcc(eta=0.95, max-stage=5, ai=10Mbps, react=round, window=scaled)\n");
	check_line("CC_MODE 7\nRATE_AI 25Mb/s\nRATE_HAI 0.1Gbps\nHAS_WIN 0\n" FILES MAPS,
		   "\ncc = timely(t-low=50us, t-high=500us, alpha=0.875, beta=0.8, delta=25Mbps, "
		   "hai-delta=100Mbps, hai-after=5, rtt=20us, window=none)\n"
		   "jitter = 0ns\narbitration = round-robin\n\n[rdma]\nheader = 56B\nack-size = "
		   "60B\n");
	check_line("CC_MODE 8\nEWMA_GAIN 0.0625\nDCTCP_RATE_AI 615Mb/s\nVAR_WIN 1\n" FILES MAPS,
		   "\ncc = dctcp-rdma(g=0.0625, ai=615Mbps)\n");
	check_line("CC_MODE 10\nRATE_AI 1MB/s\n" FILES MAPS,
		   "\ncc = hpcc(eta=0.95, max-stage=5, ai=8Mbps, react=ack, window=scaled)\n"
		   "jitter = 0ns\narbitration = round-robin\n\n[rdma]\nint-header = 2B\nack-size = "
		   "58B\n");
	check_line("RP_TIMER 900\nEWMA_GAIN 0.5\nRATE_AI 1Mbps\nRATE_HAI 2Mbps\nCLAMP_TARGET_RATE "
		   "1\n" FILES MAPS, /* CC_MODE 1, and what it has where nothing is given */
		   "\ncc = dcqcn(preset=hpcc, alpha-timer=55us, decrease-interval=4us, "
		   "increase-timer=900us, fast-recovery=5, g=0.5, additive=1Mbps, hyper=2Mbps, "
		   "clamp-target=yes, window=bdp)\n");
}

/* One rate: one scheme for all. 3 x 25 Gb/s x 1 us = 9375 bytes of headroom. */
TEST(test_import_hpcc_knows_switches_and_the_end)
{
	check_line(HPCC FILES MAPS, "\nmarking = red(min=100KB, max=400KB, p=0.2, at=dequeue)\n");
	check_line(HPCC FILES MAPS, "\nbuffer = 16MiB\n");
	check_line(HPCC FILES MAPS, "\npfc-headroom = 9375B\n");
	check_line(HPCC FILES "ENABLE_QCN 0\n", "\nmarking = none\n");
	check_line(HPCC FILES MAPS "BUFFER_SIZE 32.0\n", "\nbuffer = 32MiB\n");
	check_line(HPCC FILES MAPS "LINK_DOWN 7 3 1\n", "\nfail = h2 s1 2000007us\n");
	check_line(HPCC FILES MAPS, "\nfrom = 2s\ndrain = 1010ms\n"); /* 3.01 s unless given */
	check_line(HPCC FILES MAPS "SIMULATOR_STOP_TIME 2.5\n", "\nfrom = 2s\ndrain = 500ms\n");
}

/* The simulator takes the pair of nodes apart, whatever lies between them. */
TEST(test_import_hpcc_cuts_all_cables_between_two_nodes)
{
	struct made m = made_of_text(HPCC FILES MAPS "LINK_DOWN 150 2 3\n",
				     "4 2 4\n2 3\n0 2 25Gbps 1us 0\n1 3 25Gbps 1us 0\n"
				     "2 3 25Gbps 1us 0\n2 3 25Gbps 1us 0\n",
				     "1\n0 1 3 100 50000 2\n");

	CHECK(m.text);
	CHECK_CONTAINS(m.text, "\nfail = s2 s3 2000150us\nfail = s2 s3#1 2000150us\n");
	free(m.text);
}

/* Inherent differences of the simulators, noted for every configuration. */
#define NIC(mode) \
	"1: CC_MODE " mode \
	": a NIC paces each of its queue pairs exactly; in HPCC's simulator it has one timer, " \
	"which a queue pair due earlier does not advance, so that large flows of busy NICs take " \
	"1 to 3 % longer\n0: PACKET_PAYLOAD_SIZE 1000 (not given): serialisation delays are " \
	"exact; HPCC's simulator truncates them to nanoseconds: a frame of 1048 B takes 0.1 % " \
	"less at 25 Gb/s and 1 % less at 100 Gb/s\n"
#define WINDOW \
	"0: HAS_WIN 1 (not given): windows are computed from an RTT with headers and an ACK; in " \
	"HPCC's simulator with payload only, so that windows are a few percent smaller\n"

TEST(test_import_hpcc_says_what_is_not_the_same)
{
	check_note(HPCC FILES MAPS, NIC("3") WINDOW);
	check_note("CC_MODE 3\nRATE_AI 10Mb/s\nVAR_WIN 1\n" FILES MAPS,
		   "0: MULTI_RATE 1 (not given): a sender keeps one rate, not one for each "
		   "hop\n" NIC("3") WINDOW);
	check_note("CC_MODE 8\nEWMA_GAIN 0.1\nHAS_WIN 0\n" FILES MAPS,
		   "3: HAS_WIN 0: the window scales with the rate, as with HAS_WIN 1 and VAR_WIN "
		   "1\n" NIC("8"));
	check_note(HPCC FILES MAPS "ERROR_RATE_PER_LINK 0.001\n",
		   "11: ERROR_RATE_PER_LINK 0.001: links have no random loss\n" NIC("3") WINDOW);
	check_note(HPCC FILES MAPS "L2_BACK_TO_ZERO 1\nRATE_BOUND 0\n",
		   "12: RATE_BOUND 0: senders are always paced\n11: L2_BACK_TO_ZERO 1: go-back-N "
		   "retransmits from the lost packet on, not from its chunk\n" NIC("3") WINDOW);
	check_note("CC_MODE 1\nRATE_AI 1Mbps\nRATE_HAI 2Mbps\nHAS_WIN 0\nEWMA_GAIN 0.5\n"
		   "RP_TIMER 9\nFCT_OUTPUT_FILE x\n" FILES MAPS,
		   "1: CC_MODE 1: a CNP is a packet of its own; in HPCC's simulator the ACK of a "
		   "marked packet carries it\n1: CC_MODE 1: a new rate applies to a queue pair's "
		   "next packet; in HPCC's simulator to the packet after it\n" NIC(
			   "1") "7: FCT_OUTPUT_FILE x: an output file of HPCC's simulator, as "
				"others; use weir run --csv or --pcap, and probe in [measure]\n7: "
				"FCT_OUTPUT_FILE x: slowdown is relative to the exact FCT of the "
				"flow alone, up to its last ACK; HPCC's simulator counts one "
				"packet more, so that its slowdowns start below 1\n");
}

TEST(test_import_hpcc_says_that_priorities_share_a_class)
{
	struct made m =
		made_of_text(HPCC FILES MAPS, STAR, "2\n0 2 3 100 50000 2\n2 0 1 100 50000 2\n");

	CHECK_CONTAINS(m.notes, "6: FLOW_FILE f: its flows have several priorities; Weir puts all "
				"of them into one class and queue\n");
	free(m.text);
}

TEST(test_import_hpcc_mistakes_are_named)
{
	check_refused(HPCC FILES MAPS "CC_MODES 1\n",
		      "/c:11: 'CC_MODES' is no key of HPCC's simulator (nearest: CC_MODE)");
	check_refused(HPCC FILES MAPS "CC_MODE 1\n", "/c:11: CC_MODE stands in line 1 already");
	check_refused("CC_MODE 2\n" FILES MAPS,
		      "/c:1: CC_MODE 2: no such mode; there are 1 (DCQCN), 3 (HPCC), 7 (TIMELY), 8 "
		      "(DCTCP) and 10 (HPCC with PINT)");
	check_refused("CC_MODE 3\n" FILES MAPS,
		      "/c: RATE_AI: not given, and the simulator has no default");
	check_refused("CC_MODE 3\nRATE_AI 0Mb/s\n" FILES MAPS,
		      "/c:2: RATE_AI 0Mb/s: must be above 0");
	check_refused(HPCC "RATE_HAI 10\n", "/c:5: RATE_HAI '10'; it is a rate, as in 50Mb/s");
	check_refused(HPCC "HAS_WIN 2\n", "/c:5: HAS_WIN '2'; it is 0 or 1");
	check_refused(HPCC "MI_THRESH 1.5\n", "/c:5: MI_THRESH '1.5'; it is a whole number");
	check_refused(HPCC "U_TARGET -1\n",
		      "/c:5: U_TARGET '-1'; it is a number that is not below 0");
	check_refused(HPCC "U_TARGET\n", "/c:5: U_TARGET has 0 values; it is one");
	check_refused(HPCC "KMIN_MAP 2 25000000000 100\n",
		      "/c:5: KMIN_MAP is how many, at most 15, and so many times a rate in bit/s "
		      "and a value, as in KMIN_MAP 1 25000000000 100");
	check_refused(HPCC "LINK_DOWN 1 2\n",
		      "/c:5: LINK_DOWN is microseconds after 2 s and two nodes");
	check_refused(HPCC FILES MAPS "LINK_DOWN 1 0 2\n",
		      "/c:11: LINK_DOWN 1 0 2: the topology has no such link");
	check_refused(HPCC FILES MAPS "LINK_DOWN 1 0 9\n",
		      "/c:11: LINK_DOWN 1 0 9: the topology has no such node");
	check_refused(HPCC FILES "KMIN_MAP 1 10000000000 1\n",
		      "/c:8: KMIN_MAP 1 10000000000 1: no value for the rate 25Gbps of a switch's "
		      "port");
	check_refused(HPCC FILES, "/c: KMIN_MAP: no value for the rate 25Gbps of a switch's port");
	check_refused(HPCC "FLOW_FILE f\n", "/c: TOPOLOGY_FILE: not given");
	check_refused(HPCC "TOPOLOGY_FILE none\n",
		      "/c:5: TOPOLOGY_FILE none: no such file here, beside the configuration or "
		      "beside its folder");
	check_refused(HPCC FILES MAPS "BUFFER_SIZE 0\n", "/c:11: BUFFER_SIZE 0: must be above 0");
	check_refused(HPCC MAPS "TOPOLOGY_FILE t\nFLOW_FILE f\n",
		      "/c: L2_ACK_INTERVAL: not given, and the simulator has no default");
	check_refused(HPCC FILES MAPS "U_TARGET 7\n", "/c:1: host.cc: ");
}

TEST(test_import_hpcc_tells_a_configuration_from_a_topology)
{
	CHECK(hpcc_config_is(CONFIG));
	CHECK(!hpcc_config_is("tests/import/topology.txt"));
	CHECK(!hpcc_config_is("tests/import/flows.txt"));
	CHECK(!hpcc_config_is("none.txt"));
}
