/* SPDX-License-Identifier: BSD-3-Clause */
/* choose_value.c -- the goal and constraint values of a finished run, or why one is missing. */
#include "lab/campaign/choose.h"
#include "lab/store/results.h"
#include "base/memory.h"
#include "sim/measure/result.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A finished run. Its flow records are read once, if any metric needs them. */
struct reading {
	struct store *store;
	const struct stored_run *run;
	struct flow_set flows;
	double *sample;
	int is_loaded;
};

static int value_load_flows(struct reading *r, struct weir_error *e)
{
	if (r->is_loaded)
		return 0;
	r->is_loaded = 1;
	flow_set_measure(&r->flows, r->run);
	if (store_each_flow(r->store, r->run->id, flow_set_add, &r->flows, e))
		return -1;
	r->sample = memory_zeroed(r->flows.count + 1, sizeof(*r->sample));
	return 0;
}

static int value_is_of_section(const void *context, const struct counted_flow *f)
{
	const uint32_t *section = context;

	return f->section == *section;
}

/* Index of the section in the flow set; UINT32_MAX: it has no counted flow. */
static uint32_t value_find_section(const struct flow_set *s, const char *name)
{
	for (uint32_t i = 0; i < s->section_count; i++)
		if (s->sections[i] && strcmp(s->sections[i], name) == 0)
			return i;
	return UINT32_MAX;
}

/* A stored metric, looked up by name. */
struct wanted_metric {
	char name[SECTION_METRIC_SIZE];
	double value;
};

static int value_see_metric(void *context, const void *row)
{
	const struct metric_row *metric = row;
	struct wanted_metric *w = context;

	if (strcmp(metric->name, w->name) != 0)
		return 0;
	w->value = metric->value;
	return 1;
}

static int value_read_stored(struct reading *r, const struct choose_metric *m, double *value,
			     struct weir_error *e)
{
	struct wanted_metric wanted = { .value = (double)NAN };
	const struct row_visitor visitor = { value_see_metric, &wanted };

	*value = r->run->value[m->index];
	if (!m->section[0])
		return 0;
	section_metric_name(wanted.name, m->name, m->section);
	if (store_each(r->store, r->run->id, TABLE_METRIC, &visitor, e))
		return -1;
	*value = wanted.value;
	return 0;
}

static int value_read(struct reading *r, const struct choose_metric *m, double *value,
		      struct weir_error *e)
{
	uint32_t section;
	const struct flow_filter filter = { value_is_of_section, &section };

	if (m->index >= 0)
		return value_read_stored(r, m, value, e);
	if (value_load_flows(r, e))
		return -1;
	section = value_find_section(&r->flows, m->section);
	*value = flow_set_metric(&r->flows, &m->flow, m->section[0] ? &filter : NULL, r->sample);
	return 0;
}

/* --- reasons for missing values --- */

struct choose_reason {
	char text[640];
};

/* " of [traffic ai]", or "". */
static struct choose_text value_section_text(const struct choose_metric *m)
{
	struct choose_text t = { "" };

	if (m->section[0])
		snprintf(t.text, sizeof(t.text), " of [traffic %s]", m->section);
	return t;
}

static const char *value_setting(const struct reading *r, const char *path)
{
	const char *value = stored_setting(r->run, path);

	return value ? value : "";
}

/* "100KB or less" for small flows. */
static struct choose_text value_class_words(const struct reading *r, enum flow_class class)
{
	const char *small = value_setting(r, "measure.small"),
		   *large = value_setting(r, "measure.large");
	struct choose_text t = { "" };

	switch (class) {
	case CLASS_SMALL:
		snprintf(t.text, sizeof(t.text), " of at most %s", small);
		break;
	case CLASS_MEDIUM:
		snprintf(t.text, sizeof(t.text), " above %s and of at most %s", small, large);
		break;
	case CLASS_LARGE:
		snprintf(t.text, sizeof(t.text), " above %s", large);
		break;
	case CLASS_OVER_1MB:
		snprintf(t.text, sizeof(t.text), " above 1 MB");
		break;
	case CLASS_ALL:
	case CLASSES:
		break;
	}
	return t;
}

/* Flows of the class and section that start in the measured interval and do not complete. */
static uint64_t value_count_unfinished(const struct flow_set *all, const struct choose_metric *m,
				       enum flow_class class)
{
	uint32_t section = value_find_section(all, m->section);
	struct flow_set own = *all;

	own.flows = memory_zeroed(all->count + 1, sizeof(*own.flows));
	own.count = 0;
	for (uint64_t i = 0; i < all->count; i++)
		if (!m->section[0] || all->flows[i].section == section)
			own.flows[own.count++] = all->flows[i];
	uint64_t count = flow_set_unfinished(&own, class);

	free(own.flows);
	return count;
}

static void value_explain_flows(const struct reading *r, const struct choose_metric *m,
				const struct flow_metric *flow, struct choose_reason *t)
{
	uint64_t unfinished = value_count_unfinished(&r->flows, m, flow->class);
	struct choose_text of = value_section_text(m);

	if (unfinished)
		snprintf(t->text, sizeof(t->text),
			 "none of the %" PRIu64
			 " flows%s%s that start in the measured interval completes; give "
			 "measure.drain, or measure.to, more time",
			 unfinished, value_class_words(r, flow->class).text, of.text);
	else
		snprintf(t->text, sizeof(t->text),
			 "no flow%s%s starts in the measured interval; give measure.to more time, "
			 "or ask for flows that there are",
			 value_class_words(r, flow->class).text, of.text);
}

static void value_explain_applications(const struct reading *r, const struct choose_metric *m,
				       enum section_need need, struct choose_reason *t)
{
	struct choose_metric mean = *m;
	struct weir_error ignored;
	double value = NAN;

	mean.index = metric_index("round_mean_ns");
	snprintf(mean.name, sizeof(mean.name), "round_mean_ns");
	if (need == SECTION_ROUNDS && m->index != mean.index)
		value_read_stored((struct reading *)r, &mean, &value, &ignored);
	if (need == SECTION_IOS)
		snprintf(t->text, sizeof(t->text),
			 "too few I/Os%s end in the measured interval; give measure.to more time",
			 value_section_text(m).text);
	else if (isnan(value))
		snprintf(t->text, sizeof(t->text),
			 "no round%s begins in the measured interval and ends; give measure.to "
			 "more time",
			 value_section_text(m).text);
	else
		snprintf(t->text, sizeof(t->text),
			 "too few rounds%s begin in the measured interval for a percentile; give "
			 "measure.to more time, or ask for round_mean",
			 value_section_text(m).text);
}

static int value_explain(struct reading *r, const struct choose_metric *m, struct choose_reason *t,
			 struct weir_error *e)
{
	int at = m->index < 0 ? -1 : section_metric_find((uint32_t)m->index);
	enum section_need need = at < 0 ? SECTION_ANY : section_metric_all[at].need;
	struct flow_metric flow;

	if (flow_metric_find(m->name, &flow)) {
		if (value_load_flows(r, e))
			return -1;
		value_explain_flows(r, m, &flow, t);
	} else if (need == SECTION_IOS || need == SECTION_ROUNDS) {
		value_explain_applications(r, m, need, t);
	} else {
		snprintf(t->text, sizeof(t->text),
			 "the run does not measure it ('weir help %s' says what it is of)",
			 m->name);
	}
	return 0;
}

static int value_refuse(const struct choose *c, uint64_t run, const struct choose_metric *m,
			struct reading *r, struct weir_error *e)
{
	uint32_t number = c->live[run / c->seeds];
	const char *from = value_setting(r, "measure.from"), *to = value_setting(r, "measure.to");
	struct choose_reason why;

	if (value_explain(r, m, &why, e))
		return -1;
	weir_error_set(
		e,
		"%s has no value with %s%.300s%s and seed %s, so settings cannot be compared: %s. "
		"(measure.from = %s, measure.to = %s%s.) The search stops here",
		choose_metric_text(m).text, number ? "'" : "",
		number ? c->all[number].point : "the file's own setting", number ? "'" : "",
		value_setting(r, "seed"), why.text, from, to,
		strcmp(to, "0us") == 0 ? ": until the last flow ends" : "");
	return 1;
}

/* --- all values of a run --- */

static int value_read_all(struct choose *c, struct reading *r, uint64_t run, struct weir_error *e)
{
	double *values = c->values[run];

	for (uint32_t i = 0; i <= c->q->constraint_count; i++) {
		const struct choose_metric *m = i ? &c->q->constraints[i - 1].metric : &c->q->goal;

		if (value_read(r, m, &values[i], e))
			return -1;
		if (!isfinite(values[i]))
			return value_refuse(c, run, m, r, e);
	}
	return 0;
}

int choose_add_run(struct choose *c, uint64_t run, const char *key, struct store *store,
		   struct weir_error *e)
{
	struct stored_run stored;
	struct reading r = { .store = store, .run = &stored };
	int failed = store_run_of_key(store, key, &stored, e);

	if (!failed)
		failed = value_read_all(c, &r, run, e);
	snprintf(c->run_keys[run], RUN_KEY_SIZE, "%s", key);
	flow_set_free(&r.flows);
	free(r.sample);
	stored_run_free(&stored);
	return failed;
}
