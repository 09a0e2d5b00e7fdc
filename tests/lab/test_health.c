/* SPDX-License-Identifier: BSD-3-Clause */
/* test_health.c -- runs that are no whole results say so themselves. */
#define _GNU_SOURCE
#include "lab/analysis/compare.h"
#include "lab/store/results.h"
#include "tests/folder.h"
#include "tests/sim.h"
#include <stdio.h>
#include <stdlib.h>

/* Eight flows at a time that need more than their millisecond, one that has no end, and one of
 * before the measurement. */
#define CROWDED \
	"[network]\ntopology = star\nhosts = 10\nrate = 10Gbps\n" \
	"[traffic a]\npattern = incast\nsenders = 8\nreceiver = 0\nsize = 200KB\nperiod = 1ms\n" \
	"[traffic b]\npattern = list\nflow = 9 0 unlimited 2ms\nflow = 9 1 90MB 0us\n" \
	"[measure]\nfrom = 1ms\nto = 5ms\n"

static char *table_of(struct sim *s)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	CHECK(f != NULL);
	results_table(f, &s->c, &s->r, 100);
	fclose(f);
	return text;
}

TEST(test_flows_that_should_have_ended_are_counted)
{
	uint32_t expected = 0;
	struct sim s;

	sim_read(&s, CROWDED "drain = 1us\n");
	sim_run(&s, 1);
	for (uint32_t i = 0; i < s.r.flow_count; i++) {
		const struct flow *f = &s.r.flows[i];

		expected += f->start_ps >= (int64_t)s.c.measure.from_ps && f->finish_ps < 0 &&
			    f->size_bytes != FLOW_UNLIMITED;
	}
	CHECK(expected > 0);
	CHECK_INT(sim_metric(&s, "flows_unfinished"), expected);
	/* The endless one started, too. */
	CHECK_INT(sim_metric(&s, "flows_started"),
		  sim_metric(&s, "flows_completed") + expected + 1);
	sim_end(&s);
}

TEST(test_run_whose_flows_did_not_end_says_so_above_and_beside_its_numbers)
{
	struct sim s;
	char *text;

	sim_read(&s, CROWDED "drain = 1us\n");
	sim_run(&s, 1);
	text = table_of(&s);
	CHECK_CONTAINS(text, "INCOMPLETE: ");
	CHECK_CONTAINS(text, "INCOMPLETE:");
	CHECK_CONTAINS(text, " ms!");
	CHECK(strstr(text, "Gb/s!") == NULL); /* what was received was received */
	free(text);
	sim_end(&s);
	sim_read(&s, CROWDED "drain = 1s\n");
	sim_run(&s, 1);
	text = table_of(&s);
	CHECK(strstr(text, "INCOMPLETE") == NULL && strchr(text, '!') == NULL);
	free(text);
	sim_end(&s);
}

/* Two real runs, one of which the machine held up: the row of both is not to be trusted, but for
 * what they cost. */
TEST(test_real_run_that_was_held_up_says_so_in_its_table_and_in_comparisons)
{
	struct folder folder = folder_make();
	char keys[2][RUN_KEY_SIZE], *text = NULL;
	struct comparison c;
	struct compare_layout layout = { .width = 120 };
	const char *const metrics[] = { "goodput_bps", "cpu_seconds" };
	const struct compare_request q = { .metrics = metrics, .metric_count = 2 };
	struct weir_error e = { "" };
	struct store *store;
	size_t size;
	FILE *f;

	CHECK_INT(store_open(&store, folder.path, STORE_WRITE, &e), 0);
	for (int i = 0; i < 2; i++) {
		struct sim s;

		sim_read(&s, CROWDED "drain = 1s\n");
		s.c.seed = (uint64_t)i + 1;
		sim_run(&s, 1);
		text = table_of(&s);
		CHECK(strstr(text, "HELD UP") == NULL);
		free(text);
		snprintf(s.r.held_up, sizeof(s.r.held_up), "%s", i ? "it was busy" : "");
		text = table_of(&s);
		CHECK_INT(strstr(text, "DISTURBED: it was busy; the numbers are not reliable.\n") !=
				  NULL,
			  i);
		free(text);
		CHECK_INT(run_key(&s.c, keys[i], &e), 0);
		CHECK_INT(store_add(store, keys[i], &s.c, &s.r, &e), 0);
		sim_end(&s);
	}
	CHECK_INT(comparison_make(&c, store, &q, &e), 0);
	CHECK_INT(c.row_count, 1);
	CHECK_STR(health_text(&c.rows[0].health).text, "the machine held up 1 of 2 runs");
	CHECK(c.rows[0].cells[0].is_doubtful && !c.rows[0].cells[1].is_doubtful);
	f = open_memstream(&text, &size);
	comparison_print(f, &c, &layout);
	fclose(f);
	CHECK_CONTAINS(text, "held up");
	CHECK_CONTAINS(text, "1 of 2");
	CHECK_CONTAINS(text, "of these runs disturbed by the machine: numbers are not reliable.");
	free(text);
	comparison_free(&c);
	store_close(store);
	folder_remove(&folder);
}

TEST(test_network_queue_is_the_mean_of_all_switch_ports)
{
	double sum = 0, largest = 0;
	struct sim s;

	sim_read(&s, CROWDED);
	sim_run(&s, 1);
	for (uint32_t i = 0; i < s.r.port_count; i++) {
		sum += s.r.ports[i].queue_mean_pkts;
		if (s.r.ports[i].queue_max_pkts > largest)
			largest = s.r.ports[i].queue_max_pkts;
	}
	CHECK_INT(s.r.port_count, 10);
	CHECK_NEAR(sim_metric(&s, "network_queue_mean_pkts"), sum / 10, 1e-9);
	CHECK_NEAR(sim_metric(&s, "network_queue_max_pkts"), largest, 0);
	CHECK(sum > 0 && sim_metric(&s, "queue_mean_pkts") < sum);
	sim_end(&s);
}
