/* SPDX-License-Identifier: BSD-3-Clause */
/* health.c -- see health.h. */
#include "lab/store/health.h"
#include "lab/store/results.h"
#include <math.h>

static double value_of(const struct stored_run *run, const char *metric)
{
	return run->value[metric_index(metric)];
}

/* Unfinished flows; for runs of versions without that metric its upper bound, started -
 * completed. */
static double unfinished_of(const struct stored_run *run)
{
	double known = value_of(run, "flows_unfinished");

	return isnan(known) ? value_of(run, "flows_started") - value_of(run, "flows_completed")
			    : known;
}

void health_add(struct health *h, const struct stored_run *run)
{
	double unfinished = unfinished_of(run), completed = value_of(run, "flows_completed");

	h->runs++;
	h->incomplete += unfinished > 0;
	h->deadlocked += value_of(run, "pfc_deadlocks") > 0;
	h->held_up += run->held_up != NULL;
	h->starved += value_of(run, "flows_starved") > 0;
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
