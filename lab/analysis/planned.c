/* SPDX-License-Identifier: BSD-3-Clause */
/* planned.c -- the runs of a sweep in the form in which a store returns them. */
#include "lab/analysis/planned.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int figure_scenario(const char *file, enum figure_size size, struct scenario *s, struct sweep *w,
		    struct weir_error *e)
{
	if (scenario_read(s, file, e))
		return -1;
	if (size != FIGURE_QUICK)
		scenario_use_full(s);
	if (sweep_read(w, s, e) == 0)
		return 0;
	scenario_free(s);
	return -1;
}

void planned_add_setting(struct stored_run *run, const char *path, const char *text)
{
	run->settings = memory_grow(run->settings, run->setting_count + 1, sizeof(*run->settings));
	run->settings[run->setting_count++] =
		(struct stored_setting){ text_copy(path), text_copy(text) };
}

static void take_setting(void *context, const char *path, const char *text)
{
	planned_add_setting(context, path, text);
}

int planned_run(struct stored_run *run, const struct scenario *s, struct weir_error *e)
{
	struct config c;
	int failed;

	for (int i = 0; i < METRICS_MAX; i++)
		run->value[i] = (double)NAN;
	run->planned = 1;
	run->title = text_copy(s->title);
	run->version = text_copy("");
	if (scenario_config(s, &c, e))
		return -1;
	failed = scenario_settings(&c, take_setting, run, e);
	config_free(&c);
	return failed;
}

int planned_runs(struct stored_runs *runs, const struct sweep *w, struct scenario *s,
		 struct weir_error *e)
{
	int failed = 0;

	memset(runs, 0, sizeof(*runs));
	runs->runs = memory_zeroed(w->run_count, sizeof(*runs->runs));
	for (uint64_t i = 0; i < w->run_count && !failed; i++)
		failed = sweep_apply(w, i, s, e) || planned_run(&runs->runs[runs->count++], s, e);
	if (failed)
		stored_runs_free(runs);
	return failed ? -1 : 0;
}
