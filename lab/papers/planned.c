/* planned.c -- see planned.h. */
#include "lab/papers/planned.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct taking {
	struct stored_run *run;
	int failed; /* no memory */
};

static void take_setting(void *context, const char *path, const char *text)
{
	struct taking *t = context;
	struct stored_run *run = t->run;
	struct stored_setting *grown = realloc(run->settings,
					       (run->setting_count + 1) * sizeof(*grown)),
			      *one;

	if (!grown) {
		t->failed = 1;
		return;
	}
	run->settings = grown;
	one = &grown[run->setting_count++];
	*one = (struct stored_setting){ text_copy(path), text_copy(text) };
	t->failed |= !one->path || !one->value;
}

static int read_run(struct stored_run *run, struct scenario *s, struct weir_error *e)
{
	struct taking t = { run, 0 };
	struct config c;
	int failed;

	for (int i = 0; i < METRICS_MAX; i++)
		run->value[i] = (double)NAN;
	run->planned = 1;
	run->title = text_copy(s->title);
	run->version = text_copy("");
	if (scenario_config(s, &c, e))
		return -1;
	failed = scenario_settings(&c, take_setting, &t, e);
	config_free(&c);
	if (!failed && (t.failed || !run->title || !run->version))
		failed = weir_error_set(e, "no memory");
	return failed;
}

int planned_runs(struct stored_runs *runs, const struct sweep *w, struct scenario *s,
		 struct weir_error *e)
{
	int failed = 0;

	memset(runs, 0, sizeof(*runs));
	runs->runs = calloc(w->run_count, sizeof(*runs->runs));
	if (!runs->runs)
		return weir_error_set(e, "no memory");
	for (uint64_t i = 0; i < w->run_count && !failed; i++)
		failed = sweep_apply(w, i, s, e) || read_run(&runs->runs[runs->count++], s, e);
	if (failed)
		stored_runs_free(runs);
	return failed ? -1 : 0;
}
