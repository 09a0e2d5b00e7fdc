/* SPDX-License-Identifier: BSD-3-Clause */
/* test_table_sort.c -- rows in the order of a column: numbers first, unknown ones last, whichever
 * way round. */
#include "tests/folder.h" /* first: it says which functions there are */

#include "lab/analysis/compare.h"
#include "lab/store/results.h"
#include "tests/sim.h"
#include <math.h>

static const char scenario_text[] =
	"[network]\ntopology = star\nhosts = 3\n[switch]\nmarking = ecn(k=%dpkts)\n"
	"[traffic a]\npattern = list\nflow = 0 1 1KB 0us\n";

/* A run with that threshold and that mean completion time. */
static void add(struct store *store, int k, double fct_ns)
{
	char key[RUN_KEY_SIZE];
	struct weir_error e = { "" };
	struct sim sim;

	sim_read(&sim, scenario_text, k);
	for (int i = 0; i < METRICS_MAX; i++)
		sim.r.value[i] = (double)NAN;
	sim.r.value[metric_index("fct_mean_ns")] = fct_ns;
	CHECK_INT(run_key(&sim.c, key, &e), 0);
	CHECK_INT(store_add(store, key, &sim.c, &sim.r, &e), 0);
	sim_end(&sim);
}

/* The means in the order of rows; -1: not known. */
static void check_order(struct store *store, const char *sort, const double expected[5])
{
	const struct compare_request q = { .sort = sort };
	struct comparison c;
	struct weir_error e = { "" };
	uint32_t column = 0;

	if (comparison_make(&c, store, &q, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	while (strcmp(c.columns[column].name, "fct_mean_ns") != 0)
		CHECK(++column < c.column_count);
	CHECK_INT(c.row_count, 5);
	for (uint32_t i = 0; i < 5; i++) {
		double mean = c.rows[i].cells[column].mean;

		CHECK_NEAR(isnan(mean) ? -1 : mean, expected[i], 1e-9);
	}
	comparison_free(&c);
}

TEST(test_table_sorts_unknown_numbers_last)
{
	static const double fct_ns[] = { NAN, 3000, NAN, 1000, 2000 };
	struct folder f = folder_make();
	struct weir_error e = { "" };
	struct store *store;

	CHECK_INT(store_open(&store, f.path, STORE_WRITE, &e), 0);
	for (int i = 0; i < 5; i++)
		add(store, 10 + i, fct_ns[i]);
	check_order(store, "fct_mean_ns", (const double[]){ 1000, 2000, 3000, -1, -1 });
	check_order(store, "-fct_mean_ns", (const double[]){ 3000, 2000, 1000, -1, -1 });
	store_close(store);
	folder_remove(&f);
}
