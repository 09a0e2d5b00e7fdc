/* SPDX-License-Identifier: BSD-3-Clause */
/* stored_run.c -- a run in memory, without its long tables; and the health of runs. */
#include "base/text.h"
#include "lab/store/flow_metric.h"
#include "lab/store/results.h"
#include "lab/store/store.h"
#include <stdio.h>
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void stored_run_free(struct stored_run *run)
{
	for (uint32_t i = 0; i < run->setting_count; i++) {
		free(run->settings[i].path);
		free(run->settings[i].value);
	}
	for (uint32_t i = 0; i < run->reason_count; i++)
		free((char *)run->reasons[i].name);
	free(run->settings);
	free(run->reasons);
	free(run->title);
	free(run->version);
	free(run->held_up);
}

void stored_runs_free(struct stored_runs *runs)
{
	for (uint32_t i = 0; i < runs->count; i++)
		stored_run_free(&runs->runs[i]);
	free(runs->runs);
	memset(runs, 0, sizeof(*runs));
}

const char *stored_setting(const struct stored_run *run, const char *path)
{
	for (uint32_t i = 0; i < run->setting_count; i++)
		if (strcmp(run->settings[i].path, path) == 0)
			return run->settings[i].value;
	return NULL;
}

/* --- rows --- */

/* Room for one more element; capacity is the next power of two. */
static void *stored_run_grow(void *array, uint32_t count, size_t size)
{
	if (count != 0 && (count & (count - 1)) != 0)
		return array;
	return memory_grow(array, 2 * (uint64_t)(count ? count : 1), size);
}

static int stored_run_keep_head(void *context, const void *row)
{
	const struct run_head *head = row;
	struct stored_run *run = context;

	run->title = text_copy(head->title);
	run->version = text_copy(head->version);
	run->wall_seconds = head->wall_seconds;
	run->held_up = head->held_up ? text_copy(head->held_up) : NULL;
	run->partial = head->partial;
	return 0;
}

static int stored_run_keep_setting(void *context, const void *row)
{
	const struct setting_row *setting = row;
	struct stored_run *run = context;

	run->settings = stored_run_grow(run->settings, run->setting_count, sizeof(*run->settings));
	run->settings[run->setting_count++] =
		(struct stored_setting){ text_copy(setting->path), text_copy(setting->value) };
	return 0;
}

/* Do the earlier and the present definition of the metric agree for this run? Needs the settings,
 * which are read before metrics. */
static int metric_is_same_as_earlier(const struct metric *m, const struct stored_run *run)
{
	struct flow_set set = { .count = 0 };

	flow_set_measure(&set, run);
	return m->earlier == METRIC_EARLIER_WITH_TO && set.measure.to_ps > 0;
}

/* Ignores metrics unknown to this version. Metrics unknown to the folder, or stored by an earlier
 * definition, stay NAN. */
static int stored_run_keep_metric(void *context, const void *row)
{
	const struct metric_row *metric = row;
	struct stored_run *run = context;
	int i = metric_stored_index(metric->name), earlier = metric_index(metric->name);

	if (i < 0 && earlier >= 0 && metric_is_same_as_earlier(&metric_all[earlier], run))
		i = earlier;
	if (i >= 0)
		run->value[i] = metric->value;
	else if (earlier >= 0)
		run->is_outdated[earlier] = (unsigned char)(isfinite(metric->value) != 0);
	return 0;
}

static int stored_run_keep_reason(void *context, const void *row)
{
	const struct reason_count *reason = row;
	struct stored_run *run = context;
	struct reason_count *one;

	run->reasons = stored_run_grow(run->reasons, run->reason_count, sizeof(*run->reasons));
	one = &run->reasons[run->reason_count++];
	*one = *reason;
	one->name = text_copy(reason->name);
	return 0;
}

int rows_each(const struct row_source *from, enum table_id table, const struct row_visitor *v,
	      struct weir_error *e)
{
	return from->store ? store_each(from->store, from->run, table, v, e)
			   : finished_each(from->finished, table, v, e);
}

int stored_run_fill(struct stored_run *run, const struct row_source *from, struct weir_error *e)
{
	static const struct {
		enum table_id table;
		int (*keep)(void *, const void *);
	} parts[] = { { TABLE_RUN, stored_run_keep_head },
		      { TABLE_SETTING, stored_run_keep_setting },
		      { TABLE_METRIC, stored_run_keep_metric },
		      { TABLE_REASON, stored_run_keep_reason } };

	for (int i = 0; i < METRICS_MAX; i++)
		run->value[i] = (double)NAN;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (rows_each(from, parts[i].table, &(struct row_visitor){ parts[i].keep, run }, e))
			return -1;
	return 0;
}

/* --- health --- */

static double health_value(const struct stored_run *run, const char *metric)
{
	return run->value[metric_index(metric)];
}

/* Unfinished flows; for runs of versions without that metric its upper bound, started -
 * completed. */
static double health_unfinished(const struct stored_run *run)
{
	double known = health_value(run, "flows_unfinished");

	return isnan(known)
		       ? health_value(run, "flows_started") - health_value(run, "flows_completed")
		       : known;
}

void health_add(struct health *h, const struct stored_run *run)
{
	double unfinished = health_unfinished(run),
	       completed = health_value(run, "flows_completed");

	h->runs++;
	h->incomplete += unfinished > 0;
	h->deadlocked += health_value(run, "pfc_deadlocks") > 0;
	h->held_up += run->held_up != NULL;
	h->starved += health_value(run, "flows_starved") > 0;
	h->unfinished += unfinished > 0 ? unfinished : 0;
	h->completed += completed > 0 ? completed : 0;
}

void health_join(struct health *h, const struct health *other)
{
	h->runs += other->runs;
	h->incomplete += other->incomplete;
	h->deadlocked += other->deadlocked;
	h->held_up += other->held_up;
	h->starved += other->starved;
	h->completed += other->completed;
	h->unfinished += other->unfinished;
}

int health_is_doubtful(const struct health *h, enum metric_kind kind)
{
	return h->deadlocked > 0 || (h->incomplete > 0 && kind == METRIC_FLOW) ||
	       (h->held_up > 0 && kind != METRIC_COST);
}

struct health_text health_text(const struct health *h)
{
	struct health_text t = { "" };
	size_t used = 0;

	if (h->incomplete)
		used = (size_t)snprintf(
			t.text, sizeof(t.text), "in %u of %u runs %.0f of %.0f flows did not end",
			h->incomplete, h->runs, h->unfinished, h->completed + h->unfinished);
	if (h->deadlocked)
		used += (size_t)snprintf(t.text + used, sizeof(t.text) - used,
					 "%s%u of %u runs ended in a deadlock", used ? "; " : "",
					 h->deadlocked, h->runs);
	if (h->held_up)
		snprintf(t.text + used, sizeof(t.text) - used,
			 "%sthe machine held up %u of %u runs", used ? "; " : "", h->held_up,
			 h->runs);
	return t;
}
