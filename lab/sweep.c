/* sweep.c -- from [sweep] to runs. */
#include "lab/sweep.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 1000000 };

static const char prefix[] = "sweep.";

void sweep_free(struct sweep *w)
{
	for (uint32_t i = 0; i < w->axis_count; i++) {
		free(w->axes[i].path);
		list_free(&w->axes[i].values);
	}
	free(w->axes);
	memset(w, 0, sizeof(*w));
}

static int add_axis(struct sweep *w, const struct setting *at, struct error *e)
{
	struct sweep_axis *grown = realloc(w->axes, (w->axis_count + 1) * sizeof(*grown)), *axis;

	if (!grown)
		return error_set(e, "no memory");
	w->axes = grown;
	axis = &grown[w->axis_count];
	axis->line = at->line;
	axis->path = text_copy(at->path + strlen(prefix));
	if (!axis->path)
		return error_set(e, "no memory");
	if (list_split(&axis->values, at->value, e)) {
		free(axis->path);
		return -1;
	}
	w->axis_count++;
	w->run_count *= axis->values.count;
	if (w->run_count > RUNS_MAX)
		return error_set(e, "more than %d runs", RUNS_MAX);
	return 0;
}

static int is_swept(const struct setting *at)
{
	return strncmp(at->path, prefix, strlen(prefix)) == 0;
}

int sweep_read(struct sweep *w, const struct scenario *s, struct error *e)
{
	const struct scenario_section *section = scenario_section(s, "sweep");

	memset(w, 0, sizeof(*w));
	w->run_count = 1;
	for (uint32_t i = 0; i < s->setting_count; i++) {
		const struct setting *at = &s->settings[i];

		if (!is_swept(at))
			continue;
		if (scenario_check_path(s, at->path + strlen(prefix), e) || add_axis(w, at, e)) {
			sweep_free(w);
			return setting_prefix(s, at, e);
		}
	}
	if (section && w->axis_count == 0)
		return error_set(e,
				 "%.200s:%d: [sweep] is empty; list values of a setting, as in "
				 "switch.marking = ecn, tcn, or leave it out",
				 s->file, section->line);
	return 0;
}

/* Which value of an axis has the run? */
static uint32_t value_index(const struct sweep *w, uint64_t run, uint32_t axis)
{
	for (uint32_t i = w->axis_count - 1; i > axis; i--)
		run /= w->axes[i].values.count;
	return (uint32_t)(run % w->axes[axis].values.count);
}

int sweep_apply(const struct sweep *w, uint64_t run, struct scenario *s, struct error *e)
{
	for (uint32_t i = 0; i < w->axis_count; i++) {
		const struct sweep_axis *a = &w->axes[i];

		if (scenario_put(s, a->path, a->values.items[value_index(w, run, i)], a->line))
			return error_set(e, "no memory");
	}
	return 0;
}

const char *sweep_label(const struct sweep *w, uint64_t run, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (uint32_t i = 0; i < w->axis_count && used < size; i++) {
		const struct sweep_axis *a = &w->axes[i];

		used += (size_t)snprintf(buffer + used, size - used, "%s%s%s", i ? ", " : "",
					 strcmp(a->path, "seed") == 0 ? "seed " : "",
					 a->values.items[value_index(w, run, i)]);
	}
	return buffer;
}

/* --- before anything runs --- */

/* The same run but for its seed was built before. */
static int is_other_seed(const struct sweep *w, uint64_t run)
{
	for (uint32_t i = 0; i < w->axis_count; i++)
		if (strcmp(w->axes[i].path, "seed") == 0 && value_index(w, run, i) > 0)
			return 1;
	return 0;
}

/* A run that is stopped as soon as it begins: all that it needs was made. */
static int try_run(const struct config *c, struct error *e)
{
	struct run_result result;
	atomic_int stop;
	const struct run_control control = { .threads = 1, .stop = &stop };
	int failed;

	atomic_init(&stop, 1);
	failed = run(c, &control, &result, e);
	if (failed != -1)
		run_result_free(&result);
	return failed ? -1 : 0;
}

static int check_run(const struct sweep *w, uint64_t number, struct scenario *s,
		     char key[RUN_KEY_SIZE], struct error *e)
{
	struct config c;
	int failed;

	if (sweep_apply(w, number, s, e) || scenario_config(s, &c, e))
		return -1;
	failed = run_key(&c, key, e);
	if (!failed && !is_other_seed(w, number))
		failed = try_run(&c, e);
	if (failed)
		scenario_locate(s, e);
	config_free(&c);
	return failed;
}

struct numbered {
	const char *key;
	uint64_t run;
};

static int compare_keys(const void *a, const void *b)
{
	return strcmp(((const struct numbered *)a)->key, ((const struct numbered *)b)->key);
}

static int refuse_same(const struct sweep *w, const struct scenario *s, char (*keys)[RUN_KEY_SIZE],
		       struct error *e)
{
	struct numbered *sorted = malloc(w->run_count * sizeof(*sorted));
	char one[256], other[256];
	int failed = 0;

	if (!sorted)
		return error_set(e, "no memory");
	for (uint64_t i = 0; i < w->run_count; i++)
		sorted[i] = (struct numbered){ keys[i], i };
	qsort(sorted, w->run_count, sizeof(*sorted), compare_keys);
	for (uint64_t i = 1; i < w->run_count && !failed; i++)
		if (strcmp(sorted[i].key, sorted[i - 1].key) == 0)
			failed = error_set(
				e, "%.200s: [sweep] has one run twice: (%s) and (%s) mean the same",
				s->file, sweep_label(w, sorted[i - 1].run, one, sizeof(one)),
				sweep_label(w, sorted[i].run, other, sizeof(other)));
	free(sorted);
	return failed;
}

int sweep_check(const struct sweep *w, struct scenario *s, char (*keys)[RUN_KEY_SIZE],
		struct error *e)
{
	for (uint64_t i = 0; i < w->run_count; i++)
		if (check_run(w, i, s, keys[i], e))
			return -1;
	return refuse_same(w, s, keys, e);
}
