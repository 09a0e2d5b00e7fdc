/* SPDX-License-Identifier: BSD-3-Clause */
/* test_switch_results.c -- results of a real run: the same metrics as a simulated run, and settings
 * that tell them apart. */
#define _POSIX_C_SOURCE 200809L
#include "lab/scenario/scenario.h"
#include "testbed/testbed.h"
#include "switch/run/control.h"
#include "tests/memory_wire.h"
#include <math.h>

/* Five packets of 100 bytes at 1 Mb/s arrive within less than the 0.8 ms that one takes: the first
 * occupies the link, four queue. */
TEST(test_switch_results_are_what_the_ports_counted)
{
	struct switch_settings s;
	struct run_result r;
	struct weir_error e = { "" };
	struct loop l;
	char name[64];

	start(&s, &l);
	wait_at(&l, 0, 1000);
	turn_until(&l, 1);
	CHECK_INT(change_apply(&l, "port.c.rate=1Mbps", &e), 0);
	loop_measure(&l);
	for (int i = 0; i < 5; i++)
		wait_at(&l, 0, 1000);
	turn_until(&l, 6);
	real_results(&l, PORT_OF_LONGEST_QUEUE, &r);
	CHECK_INT(r.port_count, 3);
	CHECK_INT(r.measured_port, 2);
	CHECK_STR(link_name(&r.network, r.ports[2].link, name, sizeof(name)), "sw->c");
	CHECK_INT(r.ports[2].tx_pkts, 5); /* since the measurement began */
	CHECK_NEAR(run_metric(&r, "queue_max_pkts"), 4, 0);
	CHECK_NEAR(run_metric(&r, "drops"), 0, 0);
	CHECK(isnan(run_metric(&r, "fct_mean_ns"))); /* a switch does not know flows */
	CHECK(run_metric(&r, "queue_mean_pkts") > 0);
	run_result_free(&r);
	end(&s, &l);
}

struct found {
	int world, rate, k;
};

static void look_for(void *context, const char *path, const char *text)
{
	struct found *f = context;

	f->world += strcmp(path, "world") == 0 && strcmp(text, "real") == 0;
	f->rate += strcmp(path, "port.b.rate") == 0 && strcmp(text, "100Gbps") == 0;
	f->k += strcmp(path, "switch.marking") == 0 && strncmp(text, "ecn(k=5pkts", 11) == 0;
}

TEST(test_switch_results_say_that_they_are_real_and_of_which_ports)
{
	char real[RUN_KEY_SIZE], other[RUN_KEY_SIZE];
	struct found f = { 0 };
	struct switch_settings s;
	struct weir_error e = { "" };
	struct config c;
	struct loop l;

	start(&s, &l);
	real_config(&s, &c);
	CHECK_INT(scenario_settings(&c, look_for, &f, &e), 0);
	CHECK_INT(f.world, 1);
	CHECK_INT(f.rate, 1);
	CHECK_INT(f.k, 1);
	CHECK_INT(run_key(&c, real, &e), 0);
	line_list_free(&c.real);
	c.real = (struct line_list){ 0 };
	CHECK_INT(run_key(&c, other, &e), 0);
	CHECK(strcmp(real, other) != 0);
	config_free(&c);
	end(&s, &l);
}
