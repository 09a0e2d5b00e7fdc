/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mistakes.c -- a message for every mistake that a scenario file or --set can hold.
 *
 * Messages are compared whole: they are what a user sees. */
#include "lab/scenario/scenario.h"
#include "sim/net/network.h"
#include "sim/traffic/traffic.h"
#include "tests/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NETWORK "[network]\ntopology = star\n"
#define TRAFFIC "[traffic a]\npattern = many-to-one\nsize = 1MB\n"
#define BASE NETWORK TRAFFIC /* five lines, a whole scenario */

#define TEN "xxxxxxxxxx"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

static int read_text(struct scenario *s, const char *text, struct weir_error *e)
{
	return scenario_read_text(s, "f.ini", text, strlen(text), e);
}

/* As the program does: read, make the config, build. */
static int read_and_build(const char *text, struct weir_error *e)
{
	struct scenario s;
	struct config c;
	struct network net;
	struct flow_list flows;
	int failed;

	if (read_text(&s, text, e))
		return -1;
	failed = scenario_config(&s, &c, e);
	if (!failed) {
		failed = network_build(&net, &c.network, e);
		if (!failed) {
			failed = traffic_generate(&flows, &c, &net, e);
			if (!failed)
				flow_list_free(&flows);
			network_free(&net);
		}
		if (failed)
			scenario_locate(&s, e);
		config_free(&c);
	}
	scenario_free(&s);
	return failed;
}

struct mistake {
	const char *text, *message;
};

static void check_mistakes(const struct mistake *m, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct weir_error e = { "" };

		if (read_and_build(m[i].text, &e) != -1)
			test_fail(__FILE__, __LINE__, "no mistake was found in\n%s", m[i].text);
		CHECK_LIKE(e.text, m[i].message);
	}
}

#define CHECK_MISTAKES(table) check_mistakes(table, sizeof(table) / sizeof(table[0]))

TEST(test_scenario_mistakes_in_sections_are_named)
{
	static const struct mistake table[] = {
		{ "[netwrok]\n",
		  "f.ini:1: unknown section 'netwrok'; there are ... (nearest: network)" },
		{ BASE "[empty]\n", "f.ini:6: unknown section 'empty'; there are ..." },
		{ "[network\n", "f.ini:1: '[network'; a section is written [network]" },
		{ "[network] x\n", "f.ini:1: '[network] x'; a section is written [network]" },
		{ "[network a]\n", "f.ini:1: [network 'a']: only [traffic NAME], [case NAME] "
				   "and [full NAME] have a name; write [network]" },
		{ "[traffic]\n",
		  "f.ini:1: [traffic]: name is missing; allowed are up to 63 letters, "
		  "digits, - and _, as in [traffic web]" },
		{ "[traffic a.b]\n",
		  "f.ini:1: [traffic]: name 'a.b'; allowed are up to 63 letters, digits, "
		  "- and _, as in [traffic web]" },
		{ "[traffic " TEN TEN TEN TEN TEN TEN "xxxx]\n",
		  "f.ini:1: [traffic]: name '" TEN TEN TEN TEN TEN TEN
		  "xxxx'; allowed are up to 63 letters, digits, - and _, as in [traffic web]" },
		{ BASE "[network]\n",
		  "f.ini:6: network: the section is given twice, first in line 1; put "
		  "its keys together" },
		{ BASE "[traffic a]\n",
		  "f.ini:6: traffic.a: the section is given twice, first in line 3; "
		  "put its keys together or give it another name" },
		{ "", "f.ini: network.topology: not given; one of star, dumbbell, "
		      "leaf-spine, fat-tree-2, fat-tree, explicit or hpcc" },
		{ "[network]\nhosts = 3\n",
		  "f.ini:1: network.topology: not given; one of star, dumbbell, "
		  "leaf-spine, fat-tree-2, fat-tree, explicit or hpcc" },
		{ "[network]\nhosts = 3\ntopolgy = star\n",
		  "f.ini:3: network.topolgy: unknown key 'topolgy' (nearest: topology)" },
		{ NETWORK "[traffic web]\npatern = incast\n",
		  "f.ini:4: traffic.web.patern: unknown key 'patern' (nearest: pattern)" },
		{ NETWORK "[traffic web]\n",
		  "f.ini:3: traffic.web.pattern: not given; one of many-to-one, ..." },
		{ NETWORK,
		  "f.ini: traffic: no flow anywhere; add a section such as [traffic web]" },
	};

	CHECK_MISTAKES(table);
}

TEST(test_scenario_mistakes_in_lines_are_named)
{
	static const struct mistake table[] = {
		{ BASE "[host]\nmss 1460B\n",
		  "f.ini:7: 'mss 1460B' is neither key = value nor [section] nor # comment" },
		{ BASE "[host]\n= 5\n", "f.ini:7: a key is missing in front of = '5'" },
		{ BASE "[host]\nmss =   # none\n",
		  "f.ini:7: 'mss' has no value; write mss = value, or leave the line out" },
		{ "hosts = 3\n",
		  "f.ini:1: 'hosts' stands before the first section; only seed may, other "
		  "keys belong to a section such as [network]" },
		{ BASE "[host]\nhost.mss = 5B\n",
		  "f.ini:7: 'host.mss' has a dot; the section stands in a "
		  "line of its own, as in [network]" },
		{ BASE "[host]\ncc = " HUNDRED HUNDRED HUNDRED "\n",
		  "f.ini:7: host.cc: '" TEN TEN TEN TEN TEN TEN TEN
		  "...' has 300 bytes; allowed: congestion control as name(option=value, ...), at "
		  "most 255 bytes" },
		{ BASE "[host]\n" HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN " = 1\n",
		  "f.ini:7: '" TEN TEN TEN TEN TEN TEN TEN "...' is too long for a key" },
		{ BASE "[host]\ncc = \x1b[2J\n",
		  "f.ini:7: byte 0x1b in a scenario; it is plain text" },
		{ BASE "[host]\nmss = 1B\nmss = 2B\n",
		  "f.ini:8: host.mss: given twice, first in line 7" },
		{ "seed = 1\nseed = 2\n" BASE, "f.ini:2: seed: given twice, first in line 1" },
	};
	struct scenario s;
	struct weir_error e;

	CHECK_MISTAKES(table);
	CHECK_INT(scenario_read_text(&s, "f.ini", "a\0b", 3, &e), -1);
	CHECK_STR(e.text, "f.ini:1: byte 0x00 in a scenario; it is plain text");
}

TEST(test_scenario_mistakes_in_keys_are_named)
{
	static const struct mistake table[] = {
		{ NETWORK "hots = 3\n",
		  "f.ini:3: network.hots: unknown key 'hots'; there are ... (nearest: hosts)" },
		{ NETWORK "spines = 3\n",
		  "f.ini:3: network.spines: topology star has no such key, only "
		  "leaf-spine or fat-tree-2 has; allowed are topology, ..." },
		{ NETWORK "fail = sw h1 1ms;\n",
		  "f.ini:3: network.fail: 'sw h1 1ms;'; a line is NODE NODE TIME, "
		  "several are divided by ;" },
		{ "[network]\nspines = 3\ntopology = star\n",
		  "f.ini:2: network.spines: topology star has no such key, only "
		  "leaf-spine or fat-tree-2 has; allowed are topology, ..." },
		{ NETWORK "link = a b 1Gbps 1us\n",
		  "f.ini:3: network.link: topology star has no such key, only explicit "
		  "has; allowed are topology, ..." },
		{ BASE "load = 0.5\n",
		  "f.ini:6: traffic.a.load: pattern many-to-one has no such key, only "
		  "all-to-all, ... has; allowed are pattern, ..." },
		{ BASE "flow = 0 1 1MB 0us\n",
		  "f.ini:6: traffic.a.flow: pattern many-to-one has no such key, only "
		  "list has; allowed are pattern, ..." },
		{ BASE "snders = 3\n",
		  "f.ini:6: traffic.a.snders: unknown key 'snders'; there are ... "
		  "(nearest: senders)" },
		{ BASE "[host]\nmms = 1B\n",
		  "f.ini:7: host.mms: unknown key 'mms'; there are ... (nearest: mss)" },
		{ BASE "[switch]\nmark = ecn\n",
		  "f.ini:7: switch.mark: unknown key 'mark'; there are ... (nearest: marking)" },
		{ BASE "[measure]\nseed = 4\n",
		  "f.ini:7: measure.seed: seed stands before the first section, or after --seed" },
		{ BASE "[measure]\nuntil = 4ms\n",
		  "f.ini:7: measure.until: unknown key 'until'; there are ..." },
	};

	CHECK_MISTAKES(table);
}

TEST(test_scenario_mistakes_in_values_are_named)
{
	static const struct mistake table[] = {
		{ "[network]\ntopology = strar\n",
		  "f.ini:2: network.topology: unknown topology 'strar'; there are ... "
		  "(nearest: star)" },
		{ NETWORK "[traffic a]\npattern = many-to-on\n",
		  "f.ini:4: traffic.a.pattern: unknown pattern 'many-to-on'; there are "
		  "... (nearest: many-to-one)" },
		{ "seed = x\n" BASE,
		  "f.ini:1: seed: 'x' is not a whole number; allowed: at least 0" },
		{ NETWORK "hosts = many\n",
		  "f.ini:3: network.hosts: 'many' is not a whole number; allowed: 2 to 65536" },
		{ NETWORK "hosts = 1\n",
		  "f.ini:3: network.hosts: '1' is out of range; allowed: 2 to 65536" },
		{ NETWORK "rate = 10\n",
		  "f.ini:3: network.rate: '10' has no unit (bps, Kbps, Mbps, Gbps, "
		  "Tbps); allowed: 1Mbps to 4Tbps" },
		{ NETWORK "rate = 10Gbit\n",
		  "f.ini:3: network.rate: '10Gbit' ends in 'Gbit', which is no unit "
		  "here (bps, Kbps, Mbps, Gbps, Tbps; nearest: Gbps); allowed: 1Mbps to 4Tbps" },
		{ NETWORK "ecmp = flows\n",
		  "f.ini:3: network.ecmp: 'flows' is no choice (nearest: flow); "
		  "allowed: one of flow, packet" },
		{ BASE "[host]\nhandshake = maybe\n",
		  "f.ini:7: host.handshake: 'maybe' is neither yes nor no "
		  "(nor true, false, on, off); allowed: yes or no" },
		{ BASE "start = 2ms..1ms\n",
		  "f.ini:6: traffic.a.start: '2ms..1ms' ends before it starts; "
		  "allowed: 0s to 1000s, once or as first..last" },
		{ BASE "[switch]\nmarking = redd\n",
		  "f.ini:7: switch.marking: unknown marking 'redd'; there are ... "
		  "(nearest: red)" },
		{ BASE "[switch]\nmarking = tcn(treshold=5us)\n",
		  "f.ini:7: switch.marking: unknown option "
		  "'treshold' of tcn; it has threshold, t-min, t-max, p (nearest: threshold)" },
		{ BASE "[switch]\nscheduler = dwr\n",
		  "f.ini:7: switch.scheduler: unknown scheduler 'dwr'; there are ... "
		  "(nearest: dwrr)" },
		{ BASE "[host]\ncc = dctpc\n",
		  "f.ini:7: host.cc: unknown congestion control 'dctpc'; there are ... "
		  "(nearest: dctcp)" },
	};

	CHECK_MISTAKES(table);
}

TEST(test_scenario_keys_that_contradict_each_other_are_named)
{
	static const struct mistake table[] = {
		{ BASE "[switch]\nqueues = 2\n",
		  "f.ini:6: switch.scheduler: fifo: serves one queue, but the "
		  "port has 2; take one queue, or a scheduler such as sp, dwrr or wfq" },
		{ BASE "[switch]\nbuffer-per = switch\nbuffer = 100pkts\n",
		  "f.ini:8: switch.buffer: 100pkts, but a shared buffer (buffer-per = switch) is "
		  "in bytes; write it as in 12MB" },
		{ BASE "[switch]\nmarking = ecn(scope=pool, k=1MB)\n",
		  "f.ini:7: switch.marking: 'ecn(scope=pool, k=1MB)' needs the shared buffer of "
		  "the switch; set buffer-per = switch" },
		{ BASE "[switch]\nbuffer = 1KB\n",
		  "f.ini:7: switch.buffer: 1KB holds no packet; one takes 1514B "
		  "(host.mss + host.header)" },
		{ BASE "[host]\nmss = 9200B\n",
		  "f.ini:7: host.mss: 9200B with a header of 54B is 9254B; a frame "
		  "has at most 9216B" },
		{ BASE "[host]\nmax-window = 1KB\n",
		  "f.ini:7: host.max-window: 1KB; at least one host.mss of 1460B is needed" },
		{ BASE "[host]\nloss-detection = dupack\ntail-probe = yes\n",
		  "f.ini:8: host.tail-probe: yes, but one answer to a probe proves nothing with "
		  "loss-detection = dupack; take rack or auto" },
		{ NETWORK "ecmp = packet\n" TRAFFIC
			  "[host]\ncc = dcqcn\n[rdma]\nrecovery = go-back-n\n",
		  "f.ini:10: rdma.recovery: go-back-n treats every packet that arrives out of "
		  "order as "
		  "a loss, and with network.ecmp = packet most do; write selective, or leave "
		  "recovery "
		  "out" },
		{ BASE "[host]\ncc = dcqcn\n[rdma]\nrecovery = go-back-n\nloss-detection = time\n",
		  "f.ini:9: rdma.recovery: go-back-n keeps no packet that arrives out of order, "
		  "which "
		  "loss-detection = time waits for; write selective, or leave recovery out" },
		{ NETWORK "ecmp = packet\n" TRAFFIC
			  "[host]\ncc = fdcc\n[rdma]\nint-flows = exact\n",
		  "f.ini:10: rdma.int-flows: exact counts a flow at a port from its first packet "
		  "to "
		  "its last, and with network.ecmp = packet these pass different ports; write yes, "
		  "or no" },
		{ BASE "[host]\nrto-min = 2s\n",
		  "f.ini:7: host.rto-min: 2s; at most rto-max = 1s" },
		{ BASE "[host]\nrto-initial = 2s\n",
		  "f.ini:7: host.rto-initial: 2s; at most rto-max = 1s" },
		{ BASE "class = 1\n", "f.ini:6: traffic.a.class: 1, but a port has switch.queues = "
				      "1; classes count from 0" },
		{ BASE "classes = 4\nclass = 1\n[switch]\nqueues = 4\nscheduler = sp\n",
		  "f.ini:6: traffic.a.classes: 4 from class 1 on, but "
		  "a port has switch.queues = 4; classes count from 0" },
		{ BASE "classes = 28\nclass = 101\n[switch]\nscheduler = pifo\n",
		  "f.ini:6: traffic.a.classes: 28 from class 101 on, but there are 128; classes "
		  "count from 0" },
		{ BASE "first-class = 1\n",
		  "f.ini:6: traffic.a.first-class: 1, but a port has switch.queues = 1; classes "
		  "count from 0" },
		{ BASE "first-bytes = 100KB\n",
		  "f.ini:6: traffic.a.first-bytes: 100KB of class 0, which all other bytes have "
		  "too; give another class or first-class" },
		{ BASE "ack-class = 1\n", "f.ini:6: traffic.a.ack-class: 1, but a port has "
					  "switch.queues = 1; classes count "
					  "from 0" },
		{ BASE "ack-class = dat\n",
		  "f.ini:6: traffic.a.ack-class: 'dat'; a class, 0 to 127, or data" },
		{ BASE "class-by = host\n",
		  "f.ini:6: traffic.a.class-by: 'host' is no choice; allowed: one of flow, sender, "
		  "receiver, pair" },
		{ BASE "[measure]\nfrom = 2ms\nto = 1ms\n",
		  "f.ini:8: measure.to: 1ms; must be after from = 2ms" },
		{ BASE "[measure]\nsmall = 2MB\nlarge = 1MB\n",
		  "f.ini:7: measure.small: 2MB; at most large = 1MB" },
		{ NETWORK "[traffic a]\npattern = many-to-one\nsize = unlimited\n",
		  "f.ini: measure.to: not "
		  "given, but flows of traffic.a are unlimited; write to = 100ms, say" },
	};

	CHECK_MISTAKES(table);
}

/* The simulator's own messages start with a path; the scenario knows where that is. */
TEST(test_scenario_locates_what_the_simulator_refuses)
{
	static const struct mistake table[] = {
		{ NETWORK "delay = 0us\n" TRAFFIC,
		  "f.ini:3: network.delay: 0 is refused: a link needs a delay "
		  "above zero, since nodes work ahead of each other by the shortest one" },
		{ BASE "senders = 50\n",
		  "f.ini:6: traffic.a.senders: 50, but there are 16 hosts besides the receiver" },
		/* not in the file: the line of its section */
		{ NETWORK "[traffic web]\npattern = many-to-one\n",
		  "f.ini:3: traffic.web.sizes: not given; set a flow-size distribution, as in "
		  "sizes = websearch, or size = 1MB" },
		/* one of several lines with the same key */
		{ NETWORK "[traffic l]\npattern = list\nflow = 0 1 1MB 0us\nflow = 0 77 1MB 0us\n",
		  "f.ini:6: "
		  "traffic.l.flow: '0 77 1MB 0us': there is no host '77'; hosts are h0 to h16" },
		{ NETWORK "[traffic l]\npattern = list\nflow = 0 1 1MB 1u\nflow = 0 1 1MB 1\n",
		  "f.ini:5: "
		  "traffic.l.flow: '0 1 1MB 1u': start: '1u' ends in 'u', which is no unit here "
		  "(ps, ns, us, "
		  "ms, s; nearest: us); allowed: 0s to 1000s" },
		{ NETWORK "[traffic l]\npattern = list\nflow = 0 1 1MB 1us\nflow = 0 1 1MB 1ush\n",
		  "f.ini:6: "
		  "traffic.l.flow: '0 1 1MB 1ush': start: '1ush' ends in 'ush', which is no unit "
		  "here (ps, "
		  "ns, us, ms, s; nearest: us); allowed: 0s to 1000s" },
		{ NETWORK
		  "[traffic l]\npattern = list\nflow = 10 7 1MB 0us\nflow = 0 1 1MB 0us; 0 7 1MB\n",
		  "f.ini:6: traffic.l.flow: '0 7 1MB': a flow is source, destination, size and "
		  "start, as in "
		  "0 5 2MB 10us" },
	};

	CHECK_MISTAKES(table);
}

TEST(test_scenario_counts_of_sections_and_settings_are_limited)
{
	enum { ROOM = 1 << 20 };
	char *text = malloc(ROOM);
	size_t used = 0;
	struct scenario s;
	struct weir_error e;

	for (int i = 0; i <= 1000; i++)
		used += (size_t)sprintf(text + used, "[traffic a%d]\n", i);
	CHECK_INT(read_text(&s, text, &e), -1);
	CHECK_STR(e.text, "f.ini:1001: too many sections; allowed are 1000");
	used = (size_t)sprintf(text, "[host]\n");
	for (int i = 0; i <= 20000; i++)
		used += (size_t)sprintf(text + used, "k%d = 1\n", i);
	CHECK_INT(read_text(&s, text, &e), -1);
	CHECK_STR(e.text, "f.ini:20002: more than 20000 settings");
	free(text);
}

TEST(test_scenario_that_is_no_file_is_refused)
{
	struct scenario s;
	struct weir_error e;

	CHECK_INT(scenario_read(&s, "tests/no-such-file.ini", &e), -1);
	CHECK_STR(e.text, "tests/no-such-file.ini: cannot be read: No such file or directory");
	CHECK_INT(scenario_read(&s, "tests", &e), -1);
	CHECK_STR(e.text, "tests: cannot be read: Is a directory");
}

TEST(test_scenario_set_mistakes_are_named)
{
	static const struct {
		const char *set, *message;
	} cases[] = {
		{ "foo", "--set: 'foo' is not a setting; write "
			 "section.key=value, as in switch.marking=tcn" },
		{ "=3", "--set: '=3' is not a setting; write "
			"section.key=value, as in switch.marking=tcn" },
		{ "hosts=3",
		  "--set hosts=3: 'hosts' is not a setting; write section.key=value, as in "
		  "switch.marking=tcn or traffic.web.load=0.8" },
		{ "host.mss=", "--set host.mss=: no value; write host.mss=value" },
		{ "hst.mss=1B",
		  "--set hst.mss=1B: unknown section 'hst'; there are ... (nearest: host)" },
		{ "host.a.b=1",
		  "--set host.a.b=1: 'host.a.b' has one dot too many; write host.key=value" },
		{ "traffic.size=1B",
		  "--set traffic.size=1B: which traffic? Write traffic.NAME.size=value" },
		{ "traffic.b.size=1B",
		  "--set traffic.b.size=1B: unknown [traffic] section 'b'; there are a "
		  "(nearest: a)" },
		{ "host.mms=1B",
		  "--set host.mms=1B: unknown key 'mms'; there are ... (nearest: mss)" },
		{ "host.mss=9300B",
		  "--set host.mss=9300B: '9300B' is out of range; allowed: 1B to 9215B" },
		{ "host.mss=9200B",
		  "--set host.mss=9200B: 9200B with a header of 54B is 9254B; a frame has "
		  "at most 9216B" },
		{ "network.topology=ring",
		  "--set network.topology=ring: unknown topology 'ring'; there are ..." },
		{ "network.topology=dumbbell",
		  "f.ini:3: network.hosts: topology dumbbell has no such key, only star "
		  "has; allowed are topology, ..." },
		{ "seed=-1", "--set seed=-1: '-1' is negative; allowed: at least 0" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scenario s;
		struct config c;
		struct weir_error e;

		CHECK_INT(read_text(&s, NETWORK "hosts = 9\n" TRAFFIC, &e), 0);
		if (scenario_set(&s, cases[i].set, &e) == 0 && scenario_config(&s, &c, &e) == 0)
			test_fail(__FILE__, __LINE__, "no mistake was found in %s", cases[i].set);
		CHECK_LIKE(e.text, cases[i].message);
		scenario_free(&s);
	}
}
