/* SPDX-License-Identifier: BSD-3-Clause */
/* choose.c -- candidates of a search and the runs of its rounds; see choose.h. */
#include "lab/campaign/choose.h"
#include "base/memory.h"
#include "sim/measure/result.h"
#include "weir/rng.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 100, VALUE_SIZE = 256, CANDIDATES_MAX = 10000 };

/* --- sizes of rounds --- */

/* Seeds per candidate in that round. */
static uint32_t choose_round_seeds(const struct choose_request *q, uint32_t round)
{
	return (uint32_t)q->seeds << round;
}

/* How many candidates survive a round of count: half of them, and the best at each constraint. */
static uint32_t choose_half_count(const struct choose_request *q, uint32_t count)
{
	return (count + 1) / 2 + q->constraint_count;
}

/* Upper bound of the runs that a search with that many candidates takes. */
static uint64_t choose_total_runs(const struct choose_request *q, uint32_t count)
{
	/* The winner, the file's own setting and the best at each constraint are evaluated on fresh
	 * seeds. */
	uint64_t judged =
		(2 + (uint64_t)q->constraint_count) * choose_round_seeds(q, CHOOSE_ROUNDS - 1);
	uint64_t runs = count * q->seeds + judged;

	for (uint32_t r = 1; r < CHOOSE_ROUNDS; r++) {
		count = choose_half_count(q, count) < count ? choose_half_count(q, count) : count;
		runs += (uint64_t)count * (choose_round_seeds(q, r) - choose_round_seeds(q, r - 1));
	}
	return runs;
}

/* --- candidates --- */

/* The value of an option within a specification: "5KB" for "min" in "red(min=5KB, max=50KB)"; "" if
 * absent. */
static const char *choose_find_option(const char *spec, const char *key, char *value, size_t size)
{
	const char *at = strchr(spec, '(');
	size_t length = strlen(key);

	value[0] = '\0';
	while (at && *at) {
		const char *end = ++at;
		int depth = 0;

		for (; *end && (depth > 0 || (*end != ',' && *end != ')')); end++)
			depth += (*end == '(') - (*end == ')');
		at += strspn(at, " ");
		if (strncmp(at, key, length) == 0 && at[length] == '=') {
			at += length + 1;
			snprintf(value, size, "%.*s", (int)(end - at), at);
			return value;
		}
		at = *end == ',' ? end : NULL;
	}
	return value;
}

/* The file's value for the path, which may also be an option within a setting; "": the file has
 * none. */
static const char *choose_own_value(const struct scenario *s, const char *path, char *value,
				    size_t size)
{
	const struct setting *own = scenario_find(s, path);
	const char *key = strrchr(path, '.');
	char parent[VALUE_SIZE];

	if (own || !key) {
		snprintf(value, size, "%s", own ? own->value : "");
		return value;
	}
	snprintf(parent, sizeof(parent), "%.*s", (int)(key - path), path);
	own = scenario_find(s, parent);
	return choose_find_option(own ? own->value : "", key + 1, value, size);
}

/* The settings of a point. share NULL: those of the file. */
static char *choose_point_text(const struct choose_request *q, const struct scenario *s,
			       const double *share)
{
	char value[VALUE_SIZE], *text = text_copy("");

	for (uint32_t i = 0; i < q->range_count; i++) {
		const struct range *r = &q->ranges[i];
		const char *chosen = share ? range_value(r, share[i], value, sizeof(value))
					   : choose_own_value(s, r->path, value, sizeof(value));

		text_print(&text, "%s%s%s=%s", text, i ? "; " : "", r->path, chosen);
	}
	return text;
}

/* Validates the point and computes the run key that identifies it. */
static int choose_read_point(const char *point, struct scenario *s, char key[RUN_KEY_SIZE],
			     struct weir_error *e)
{
	struct config c;
	int failed;

	point_apply(point, s);
	if (scenario_config(s, &c, e))
		return -1;
	failed = run_key(&c, key, e);
	config_free(&c);
	return failed;
}

static int choose_has_key(const struct choose *c, const char *key)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (strcmp(c->all[i].key, key) == 0)
			return 1;
	return 0;
}

/* Adds a candidate. A point that is invalid or a duplicate is replaced by a uniformly random
 * one. */
static void choose_add_point(struct choose *c, struct scenario *s, double *share,
			     struct weir_rng *rng, struct weir_error *e)
{
	for (uint32_t i = 0; i < TRIES; i++) {
		struct candidate *x = &c->all[c->count];

		x->point = choose_point_text(c->q, s, share);
		if (choose_read_point(x->point, s, x->key, e) == 0 && !choose_has_key(c, x->key)) {
			c->count++;
			return;
		}
		free(x->point);
		x->point = NULL;
		c->refused++;
		for (uint32_t d = 0; d < c->q->range_count; d++)
			share[d] = weir_rng_unit(rng);
	}
}

static int choose_draw_points(struct choose *c, uint32_t count, struct scenario *s,
			      struct weir_error *e)
{
	uint32_t dimensions = c->q->range_count;
	double *shares = memory_zeroed((uint64_t)count * dimensions, sizeof(*shares));
	struct weir_rng rng = weir_rng_make(c->first_seed, dimensions, WEIR_RNG_TUNING);

	hypercube_draw(shares, count, dimensions, c->first_seed);
	for (uint32_t i = 0; i < count; i++)
		choose_add_point(c, s, shares + (uint64_t)i * dimensions, &rng, e);
	free(shares);
	if (c->count == 1)
		weir_error_prefix(e, "no setting in the range of --over can be run; the last: ");
	return c->count > 1 ? 0 : -1;
}

/* Lists the metrics that the section has, for a message: "fct and slowdown metrics, goodput_bps,
 * round_mean_ns". */
static void choose_list_metrics(const struct config *c, uint32_t section, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "fct and slowdown metrics");

	for (int i = 0; i < SECTION_METRICS && used < size; i++)
		if (section_has(c, section, section_metric_all[i].need))
			used += (size_t)snprintf(text + used, size - used, ", %s",
						 metric_all[section_metric_all[i].metric].name);
}

/* Can runs of the section have the metric? */
static int choose_check_section(const struct choose_metric *m, const struct config *c,
				struct weir_error *e)
{
	static const char *const lacks[SECTION_NEEDS] = {
		[SECTION_ROUNDS] = "rounds (its pattern is not training, ring or a job)",
		[SECTION_JOBS] = "iterations (its pattern is no job, as collective is)",
		[SECTION_IOS] = "I/Os (its pattern is not storage)",
		[SECTION_LOSSLESS] = "lossless class, and is never paused",
	};
	char has[512];
	uint32_t section = 0;
	enum section_need need;

	while (section < c->traffic_count && strcmp(c->traffic[section].name, m->section) != 0)
		section++;
	if (section == c->traffic_count)
		return weir_error_set(e, "%s of %s: there is no [traffic %s]", m->name, m->section,
				      m->section);
	if (m->index < 0)
		return 0;
	need = section_metric_all[section_metric_find((uint32_t)m->index)].need;
	if (section_has(c, section, need))
		return 0;
	choose_list_metrics(c, section, has, sizeof(has));
	return weir_error_set(e, "%s of %s: the section has no %s; it has %s", m->name, m->section,
			      lacks[need], has);
}

static int choose_check_metric(const struct choose_metric *m, const struct config *c,
			       struct weir_error *e)
{
	if (m->index < 0 && c->measure.kept_flows != FLOWS_ALL)
		return weir_error_set(e,
				      "%s is made of flows, and with measure.flows = none no "
				      "flows are kept",
				      choose_metric_text(m).text);
	return m->section[0] ? choose_check_section(m, c, e) : 0;
}

static int choose_check_metrics(const struct choose_request *q, const struct config *c,
				struct weir_error *e)
{
	if (choose_check_metric(&q->goal, c, e))
		return weir_error_prefix(e, "--goal: ");
	for (uint32_t i = 0; i < q->constraint_count; i++)
		if (choose_check_metric(&q->constraints[i].metric, c, e))
			return weir_error_prefix(e, "--keep: ");
	return 0;
}

/* --- size of the search space --- */

/* Number of distinct settings; capped if a range is continuous. */
static uint64_t choose_combinations(const struct choose_request *q)
{
	uint64_t count = 1;

	for (uint32_t i = 0; i < q->range_count && count < CANDIDATES_MAX; i++)
		count *=
			q->ranges[i].scale == RANGE_LIST ? q->ranges[i].list.count : CANDIDATES_MAX;
	return count;
}

uint64_t choose_advised_budget(const struct choose *c)
{
	enum { FEW = 3, USUAL = 10 };
	uint32_t drawn = c->count - 1;

	if (drawn >= FEW * c->q->range_count || drawn >= choose_combinations(c->q))
		return 0;
	return choose_total_runs(c->q, 1 + USUAL * c->q->range_count);
}

int choose_begin(struct choose *c, const struct choose_request *q, struct scenario *s,
		 struct weir_error *e)
{
	struct config own;
	uint32_t count = 3;

	memset(c, 0, sizeof(*c));
	c->q = q;
	for (uint32_t i = 0; i < q->range_count; i++)
		if (scenario_check_path(s, q->ranges[i].path, e))
			return weir_error_prefix(e, "--over %.100s: ", q->ranges[i].path);
	if (choose_total_runs(q, count) > q->budget)
		return weir_error_set(e,
				      "--budget %" PRIu64 " is too small: with --seeds %" PRIu64
				      " three settings alone take %" PRIu64,
				      q->budget, q->seeds, choose_total_runs(q, count));
	while (count < CANDIDATES_MAX && choose_total_runs(q, count + 1) <= q->budget)
		count++;
	if (scenario_config(s, &own, e))
		return -1;
	c->first_seed = own.seed;
	if (choose_check_metrics(q, &own, e)) {
		config_free(&own);
		return -1;
	}
	config_free(&own);
	c->all = memory_zeroed(count, sizeof(*c->all));
	c->live = memory_zeroed(count, sizeof(*c->live));
	c->judged = memory_zeroed(count, sizeof(*c->judged));
	c->all[0].point = choose_point_text(q, s, NULL);
	c->count = 1;
	if (choose_read_point(c->all[0].point, s, c->all[0].key, e) ||
	    choose_draw_points(c, count - 1, s, e))
		return -1;
	for (uint32_t i = 0; i < c->count; i++)
		c->live[c->live_count++] = i;
	c->seeds = choose_round_seeds(q, 0);
	c->sizes[0] = c->count;
	return 0;
}

void choose_free(struct choose *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		free(c->all[i].point);
	free(c->all);
	free(c->live);
	free(c->judged);
	free(c->values);
	free(c->run_keys);
	free(c->runs);
}

/* --- runs of a round --- */

void choose_begin_round(struct choose *c, struct sweep *w)
{
	uint64_t runs = (uint64_t)c->live_count * c->seeds;
	struct text_list points = { c->live_count,
				    memory_zeroed(c->live_count, sizeof(*points.items)) };
	uint64_t first = c->first_seed + (c->round == CHOOSE_ROUNDS ? c->seeds : 0);

	for (uint32_t i = 0; i < c->live_count; i++)
		points.items[i] = c->all[c->live[i]].point;
	sweep_of_points(w, &points, first, c->seeds);
	free(points.items); /* the texts belong to the candidates */
	free(c->values);
	free(c->run_keys);
	c->values = memory_zeroed(runs, sizeof(*c->values));
	c->run_keys = memory_zeroed(runs, sizeof(*c->run_keys));
}
