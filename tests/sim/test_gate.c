/* SPDX-License-Identifier: BSD-3-Clause */
/* test_gate.c -- flows that start when others end. */
#include "tests/folder.h"
#include "tests/sim.h"

/* A window is the delay of a link and an ACK on the wire: 5 us + 54 B at 10 Gb/s. */
#define WINDOW_PS INT64_C(5043200)

static const char list[] = "[network]\ntopology = star\nhosts = 6\nrate = 10Gbps\ndelay = 5us\n"
			   "[traffic x]\npattern = list\n%s";

static int64_t next_window_ps(int64_t time_ps)
{
	return (time_ps / WINDOW_PS + 1) * WINDOW_PS;
}

TEST(test_a_flow_starts_in_the_window_after_the_one_it_waits_for)
{
	struct sim s;

	sim_read_default(
		&s, list,
		"flow = 1 2 50KB received:2\nflow = 2 3 50KB sent:0\nflow = 0 1 50KB 3us\n");
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "flows_completed"), 3);
	/* By start: the one with a time, then those that wait, in their order. */
	CHECK_INT(s.r.flows[0].src, 0);
	CHECK_INT(s.r.flows[1].src, 1);
	CHECK_INT(s.r.flows[2].src, 2);
	CHECK_INT(s.r.flows[1].start_ps, next_window_ps(s.r.flows[0].finish_ps));
	/* The last ACK is one way and its own time on two wires behind the last byte. */
	CHECK_INT(s.r.flows[2].start_ps, next_window_ps(s.r.flows[1].finish_ps + 2 * (WINDOW_PS)));
	sim_end(&s);
}

TEST(test_waiting_flows_do_not_depend_on_threads_or_probes)
{
	struct sim a, b;

	sim_read_default(
		&a, list,
		"flow = 0 1 90KB 0us\nflow = 1 2 50KB received:0\nflow = 3 4 9KB sent:0\n");
	sim_read_default(&b, list,
			 "flow = 0 1 90KB 0us\nflow = 1 2 50KB received:0\nflow = 3 4 9KB sent:0\n"
			 "[measure]\nprobe = queue sw->h1 every 700ns\n");
	sim_run(&a, 1);
	sim_run(&b, 3);
	for (uint32_t i = 0; i < 3; i++) {
		CHECK_INT(a.r.flows[i].start_ps, b.r.flows[i].start_ps);
		CHECK_INT(a.r.flows[i].finish_ps, b.r.flows[i].finish_ps);
	}
	sim_end(&a);
	sim_end(&b);
}

static void run_matrix(struct sim *s, const char *text)
{
	struct folder f = folder_make();
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/m.cm", f.path);
	file = fopen(path, "w");
	CHECK(file);
	fputs(text, file);
	CHECK_INT(fclose(file), 0);
	sim_read_default(s,
			 "[network]\ntopology = star\nhosts = 6\nrate = 10Gbps\ndelay = 5us\n"
			 "[traffic x]\npattern = htsim\nfile = %s\n[measure]\ndrain = 10ms\n",
			 path);
	sim_run(s, 2);
	folder_remove(&f);
}

TEST(test_a_barrier_waits_for_all_that_it_counts)
{
	struct sim s;

	run_matrix(&s, "Nodes 6\nConnections 4\nTriggers 1\n"
		       "0->5 start 0 size 10000 recv_done_trigger 1\n"
		       "1->4 start 0 size 500000 recv_done_trigger 1\n"
		       "5->0 trigger 1 size 10000\n4->1 trigger 1 size 10000\n"
		       "trigger id 1 barrier count 2\n");
	CHECK_INT(sim_metric(&s, "flows_completed"), 4);
	CHECK(s.r.flows[0].finish_ps < s.r.flows[1].finish_ps);
	CHECK_INT(s.r.flows[2].start_ps, next_window_ps(s.r.flows[1].finish_ps));
	CHECK_INT(s.r.flows[3].start_ps, s.r.flows[2].start_ps);
	sim_end(&s);
}

TEST(test_a_multishot_lets_one_in_each_time)
{
	struct sim s;

	run_matrix(&s, "Nodes 6\nConnections 5\nTriggers 1\n"
		       "0->5 start 0 size 10000 recv_done_trigger 1\n"
		       "1->4 start 0 size 500000 recv_done_trigger 1\n"
		       "5->0 trigger 1 size 10000\n4->1 trigger 1 size 10000\n"
		       "3->2 trigger 1 size 10000\ntrigger id 1 multishot\n");
	CHECK_INT(sim_metric(&s, "flows_completed"), 4);
	CHECK_INT(s.r.flows[2].start_ps, next_window_ps(s.r.flows[0].finish_ps));
	CHECK_INT(s.r.flows[3].start_ps, next_window_ps(s.r.flows[1].finish_ps));
	CHECK_INT(s.r.flows[4].finish_ps, -1); /* nobody lets it in */
	sim_end(&s);
}

static void check_refused(const char *lines, const char *message)
{
	struct sim s;
	struct weir_error e = { "" };
	const struct run_control control = { .threads = 1 };

	sim_read_default(&s, list, lines);
	CHECK_INT(run(&s.c, &control, &s.r, &e), -1);
	CHECK_CONTAINS(e.text, message);
	config_free(&s.c);
}

TEST(test_waits_that_cannot_end_are_refused)
{
	check_refused("flow = 0 1 1KB 0us\nflow = 1 2 1KB sent:2\n",
		      "there is no flow 2 to wait for; the last is 1");
	check_refused("flow = 0 1 unlimited 0us\nflow = 1 2 1KB sent:0\nstop = 1ms\n",
		      "flow 0 has no end to wait for");
	check_refused("flow = 0 1 1KB 0us\nflow = 1 2 1KB sent:0\nconnections = persistent\n",
		      "wait for others");
	check_refused("flow = 0 1 1KB sent:x\n", "whole number");
}
