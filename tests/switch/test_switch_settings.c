/* SPDX-License-Identifier: BSD-3-Clause */
/* test_switch_settings.c -- the file of a real switch: meaning of its keys, messages for its
 * errors. */
#include "switch/run/settings.h"
#include "tests/test.h"
#include "weir/rng.h"
#include "weir/units.h"
#include <string.h>

#define PORTS "[port a]\n[port b]\n"

static void read_good(struct switch_settings *s, const char *text)
{
	struct weir_error e = { "" };

	if (settings_read_text(s, "sw.ini", text, strlen(text), &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static void check_refused(const char *text, const char *message)
{
	struct switch_settings s;
	struct weir_error e = { "" };

	CHECK_INT(settings_read_text(&s, "sw.ini", text, strlen(text), &e), -1);
	CHECK_LIKE(e.text, message);
}

TEST(test_switch_settings_of_a_port_come_before_those_of_all)
{
	struct switch_settings s;

	read_good(&s, "# a title\nseed = 7\n[switch]\nmarking = ecn(k=20pkts)\nbuffer = 50pkts\n"
		      "[port a]\ninterface = veth0\n[port b]\nrate = 10Mbps\ndelay = 2ms\n"
		      "marking = red\naddress = 02:00:00:00:00:01\naddress = 02:00:00:00:00:02\n");
	CHECK_STR(s.title, "a title");
	CHECK_INT(s.seed, 7);
	CHECK_INT(s.port_count, 2);
	CHECK_STR(s.ports[0].interface, "veth0");
	CHECK_STR(s.ports[0].config.mark->scheme.name, "ecn");
	CHECK_INT(s.ports[0].rate_bps, 100 * 1000 * 1000);
	CHECK_STR(s.ports[1].interface, "b");
	CHECK_STR(s.ports[1].config.mark->scheme.name, "red");
	CHECK_INT(s.ports[1].delay_ps, 2 * WEIR_NS_PER_MS * (int64_t)WEIR_PS_PER_NS);
	CHECK_INT(weir_length_number(s.ports[1].config.switches.buffer), 50);
	CHECK_INT(s.ports[1].addresses.count, 2);
	settings_free(&s);
}

TEST(test_switch_settings_give_classes_to_code_points)
{
	struct switch_settings s;

	read_good(
		&s,
		"[switch]\nqueues = 3\nscheduler = sp\n[real]\ndscp = 46 1\ndscp = 8-15 2\n" PORTS);
	CHECK_INT(s.class_of_dscp[0], 0);
	CHECK_INT(s.class_of_dscp[46], 1);
	CHECK_INT(s.class_of_dscp[8], 2);
	CHECK_INT(s.class_of_dscp[15], 2);
	CHECK_INT(s.class_of_dscp[16], 0);
	settings_free(&s);
}

TEST(test_switch_settings_name_line_key_and_what_is_allowed)
{
	check_refused("[switch]\nmarkin = ecn\n" PORTS,
		      "sw.ini:2: switch.markin: unknown key 'markin'; ... (nearest: marking)");
	check_refused("[switch]\nmarking = edn\n" PORTS,
		      "sw.ini:2: switch.marking: unknown marking 'edn'; ...");
	check_refused("[port a]\nrate = fast\n[port b]\n", "sw.ini:2: port.a.rate: ...'fast'...");
	check_refused("[port a]\n[port b]\nmarking = mq-ecn\n",
		      "sw.ini:3: switch.marking: mq-ecn measures the rounds ...");
	check_refused("[port a]\n[port b]\nintreface = x\n",
		      "sw.ini:3: port.b.intreface: unknown key ... (nearest: interface)");
	check_refused("[real]\nbackend = dpdk\n" PORTS,
		      "sw.ini:2: real.backend: unknown back-end 'dpdk'; ...");
	check_refused("[real]\ndscp = 64 1\n" PORTS, "sw.ini:2: real.dscp: '64 1'; expected a "
						     "...");
	check_refused("[real]\ndscp = 5 1\n" PORTS,
		      "sw.ini:2: real.dscp: class 1, but no port has more than 1 queue...");
	check_refused("[prot a]\n", "sw.ini:1: unknown section 'prot'; ... (nearest: port)");
	check_refused("[port a]\naddress = 03:00:00:00:00:01\n[port b]\n",
		      "sw.ini:2: port.a.address: '03:00:00:00:00:01' is not a unicast MAC ...");
	check_refused("rate = 1Gbps\n" PORTS,
		      "sw.ini:1: 'rate' stands before the first section...");
}

TEST(test_switch_settings_refuse_what_cannot_be)
{
	check_refused("[port a]\n", "sw.ini: a switch has at least two ...");
	check_refused(PORTS "[port a]\n", "sw.ini:3: port.a: given twice, first in line 1");
	check_refused("[port a]\nrate = 1Mbps\nrate = 2Mbps\n[port b]\n",
		      "sw.ini:3: port.a.rate: given twice, first in line 2");
	check_refused("[port a]\ninterface = x\n[port b]\ninterface = x\n",
		      "sw.ini:3: port.b.interface: x is that of port a");
	check_refused("[switch]\nfabric = bfc\n" PORTS, "sw.ini:2: switch.fabric: ...");
	check_refused("[switch]\nbuffer-per = switch\nbuffer = 1MB\nlossless = all\n" PORTS,
		      "sw.ini:4: switch.lossless: ...");
	check_refused("[switch]\nmarking.leaf = ecn\n" PORTS,
		      "sw.ini:2: switch.marking.leaf: unknown key ...");
	check_refused("[port a]\nbuffer-per = switch\nbuffer = 1MB\n[port b]\n",
		      "sw.ini:2: port.a.buffer-per: a shared buffer is of all ...");
	check_refused(PORTS "tune = qla\nmarking = red\n",
		      "sw.ini:3: port.b.tune: an agent tunes all ports; set ...");
	check_refused("[real]\nthreads = 3\n" PORTS,
		      "sw.ini:2: real.threads: 3 threads, but 2 ports");
	check_refused("[real]\nthreads = 9\n" PORTS, "sw.ini:2: real.threads: ...");
	check_refused("[switch]\nbuffer-per = switch\nbuffer = 1MB\n[real]\nthreads = 2\n" PORTS,
		      "sw.ini:5: real.threads: 2 threads cannot share a shared buffer ...");
	check_refused("[switch]\nmarking = red\ntune = qla\n[real]\nthreads = 2\n" PORTS,
		      "sw.ini:5: real.threads: 2 threads cannot share an agent ...");
}

#define CABLE(a, b) "[port " a "]\nswitch = l\npeer = " b "\ndelay = 1us\n"

TEST(test_switch_settings_of_an_internal_link_name_each_other)
{
	struct switch_settings s;

	read_good(&s, CABLE("x", "y") "[port y]\nswitch = r\npeer = x\ndelay = 2us\n" PORTS);
	CHECK_INT(s.ports[0].peer_plus_one, 2);
	CHECK_INT(s.ports[1].peer_plus_one, 1);
	CHECK_INT(s.ports[2].peer_plus_one, 0);
	CHECK_INT(s.ports[1].part_number, 1);
	settings_free(&s);
	check_refused(CABLE("x", "z") PORTS, "sw.ini:1: port.x.peer: unknown port ...");
	check_refused(CABLE("x", "a") PORTS,
		      "sw.ini:1: port.x.peer: port a does not lead back (peer = x)");
	check_refused(CABLE("x", "y") CABLE("y", "x") PORTS,
		      "sw.ini:1: port.x.peer: port y is of the same switch");
	check_refused(CABLE("x", "y") "[port y]\nswitch = r\npeer = x\n" PORTS,
		      "sw.ini:5: port.y.delay: an internal link needs a delay");
	check_refused(CABLE("x", "y") "interface = v\n" PORTS,
		      "sw.ini:1: port.x.peer: a port has an interface or a ...");
	check_refused("[real]\nthreads = 2\n" CABLE(
			      "x", "y") "[port y]\nswitch = r\npeer = x\ndelay = 2us\n" PORTS,
		      "sw.ini:2: real.threads: 2 threads cannot share an internal link ...");
	check_refused("[real]\nprobe = queue a/1 every 1ms\n" PORTS,
		      "sw.ini:2: real.probe: port a has 1 queues, counted from 0");
	check_refused("[real]\nprobe = marks a/0 every 1ms\n" PORTS,
		      "sw.ini:2: real.probe: a single queue has only queue and queue-bytes");
}

/* Under the sanitizers: a file of any bytes is read or rejected with one line. */
TEST(test_switch_settings_of_any_bytes_are_read_or_refused)
{
	static const char good[] =
		"seed = 3\n[switch]\nmarking = red(min=5KB)\nqueues = 2\n"
		"scheduler = dwrr\n[real]\ndscp = 8-15 1\nprobe = queue a every 1ms\n"
		"[port a]\nrate = 1Gbps\naddress = 02:00:00:00:00:01\n[port b]\n";
	struct weir_rng r = weir_rng_make(3, 0, WEIR_RNG_TEST);

	for (int i = 0; i < 20000; i++) {
		char text[sizeof(good)];
		size_t length = sizeof(good) - 1;
		struct switch_settings s;
		struct weir_error e = { "" };

		memcpy(text, good, sizeof(good));
		for (uint64_t n = 1 + weir_rng_below(&r, 5); n-- > 0;) {
			size_t at = weir_rng_below(&r, length), from = weir_rng_below(&r, length);

			if (n % 2)
				text[at] = (char)(32 + weir_rng_below(&r, 96));
			else
				text[at] = text[from];
		}
		if (settings_read_text(&s, "any", text, length, &e) == 0)
			settings_free(&s);
		else
			CHECK(e.text[0] && !strchr(e.text, '\n'));
	}
}

TEST(test_switch_settings_accept_former_names_with_a_note)
{
	struct switch_settings s;

	read_good(&s, "[switch]\nmarking = tcn\n[real]\nage = 7s\nurgent = no\n"
		      "[port a]\npart = x\nto = b\ndelay = 1us\n"
		      "[port b]\npart = y\nto = a\ndelay = 1us\n");
	CHECK_INT(s.real.urgent, URGENT_NO);
	CHECK_STR(s.ports[0].part, "x");
	CHECK_STR(s.ports[1].to, "a");
	CHECK_STR(s.renamed, "sw.ini:4: age is called ageing-time now; its former name will go "
			     "with the next release");
	settings_free(&s);
}
