/* planned.c -- see planned.h. */
#include "lab/papers/planned.h"
#include "sim/base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void take_setting(void *context, const char *path, const char *text)
{
	struct stored_run *run = context;

	run->settings = memory_grow(run->settings, run->setting_count + 1, sizeof(*run->settings));
	run->settings[run->setting_count++] =
		(struct stored_setting){ text_copy(path), text_copy(text) };
}

static int read_run(struct stored_run *run, struct scenario *s, struct weir_error *e)
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
		failed = sweep_apply(w, i, s, e) || read_run(&runs->runs[runs->count++], s, e);
	if (failed)
		stored_runs_free(runs);
	return failed ? -1 : 0;
}
