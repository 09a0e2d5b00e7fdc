/* SPDX-License-Identifier: BSD-3-Clause */
/* choice.c -- writes and reads choice.ini, the outcome of weir choose. */
#include "lab/analysis/choice.h"
#include "base/ini.h"
#include "base/output.h"
#include "base/text.h"
#include "base/memory.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char file_name[] = "choice.ini";

/* --- writing --- */

static void choice_write_numbers(FILE *f, const struct choice *c, const char *key,
				 const struct choice_numbers *n)
{
	if (!isfinite(n->goal))
		return;
	fprintf(f, "%s = %s", key, format_exact(n->goal).text);
	for (uint32_t i = 0; i < c->rule_count; i++)
		fprintf(f, " %s", format_exact(n->rule[i]).text);
	fputc('\n', f);
}

static void choice_write_request(FILE *f, const struct choice *c)
{
	fprintf(f, "[choice]\ngoal = %s\ngoal-unit = %s\ngoal-is = %s\n", c->goal.name,
		c->goal.unit[0] ? c->goal.unit : "1", c->goal_is_most ? "most" : "least");
	fprintf(f, "budget = %" PRIu64 "\nfirst-seed = %" PRIu64 "\nseeds = %" PRIu64 "\n",
		c->budget, c->first_seed, c->seeds);
	for (int i = 0; i < CHOICE_ROUNDS; i++)
		fprintf(f, "round = %" PRIu32 "\n", c->sizes[i]);
	fprintf(f, "fresh-seeds = %" PRIu32 "\nwins = %" PRIu32 "\nown = %" PRIu32 "\n",
		c->fresh_seeds, c->wins, c->own);
	for (uint32_t i = 0; i < c->range_count; i++)
		fprintf(f, "\n[over %" PRIu32 "]\npath = %s\nrange = %s\n", i, c->ranges[i].path,
			c->ranges[i].text);
	for (uint32_t i = 0; i < c->rule_count; i++) {
		const struct choice_rule *r = &c->rules[i];

		fprintf(f, "\n[keep %" PRIu32 "]\nmetric = %s\nunit = %s\nsign = %s\n", i,
			r->metric.name, r->metric.unit[0] ? r->metric.unit : "1",
			r->is_most ? "most" : "least");
		fprintf(f, "number = %s\nof-best = %s\n", format_exact(r->number).text,
			r->is_of_best ? "yes" : "no");
		fprintf(f, "search-limit = %s\n", format_exact(r->search_limit).text);
		fprintf(f, "limit = %s\n", format_exact(r->limit).text);
	}
}

static void choice_write_setting(FILE *f, const struct choice *c, uint32_t number)
{
	const struct choice_setting *s = &c->all[number];

	fprintf(f, "\n[setting %" PRIu32 "]\npoint = %s\nseeds = %" PRIu32 "\n", number, s->point,
		s->seeds);
	fprintf(f, "kept = %s\nfresh-kept = %s\njudged = %s\nfront = %s\n",
		s->is_kept ? "yes" : "no", s->is_fresh_kept ? "yes" : "no",
		s->is_judged ? "yes" : "no", s->is_front ? "yes" : "no");
	choice_write_numbers(f, c, "all", &s->all);
	choice_write_numbers(f, c, "first", &s->first);
	choice_write_numbers(f, c, "fresh", &s->fresh);
}

int choice_write(const struct choice *c, const char *folder, struct weir_error *e)
{
	struct output o;

	if (output_open_in(&o, folder, file_name, e))
		return -1;
	fputs("# What weir choose found; weir report and weir view show it. Settings are in the "
	      "order of the\n# outcome, the chosen one first; numbers are means over seeds: the "
	      "goal, then each constraint.\n",
	      o.stream);
	choice_write_request(o.stream, c);
	for (uint32_t i = 0; i < c->count; i++)
		choice_write_setting(o.stream, c, i);
	fputs("\n[runs]\n", o.stream);
	for (uint64_t i = 0; i < c->run_count; i++)
		fprintf(o.stream, "%s = %" PRIu32 "\n", c->runs[i].key, c->runs[i].setting);
	return output_finish(&o, e) ? -1 : output_publish(&o, e);
}

void choice_free(struct choice *c)
{
	for (uint32_t i = 0; i < c->range_count; i++) {
		free(c->ranges[i].path);
		free(c->ranges[i].text);
	}
	for (uint32_t i = 0; i < c->count; i++)
		free(c->all[i].point);
	free(c->all);
	free(c->runs);
	memset(c, 0, sizeof(*c));
}

/* --- reading --- */

enum part { PART_CHOICE, PART_OVER, PART_KEEP, PART_SETTING, PART_RUNS, PARTS };

static const char *const part_names[PARTS] = { "choice", "over", "keep", "setting", "runs" };

struct choice_reader {
	struct choice *c;
	enum part part;
	uint32_t rounds;
};

static int choice_damaged(struct ini_place *at)
{
	return weir_error_set(at->e, "is damaged; the search that wrote it can be repeated");
}

static int choice_on_section(void *user, struct ini_place *at, const char *kind, const char *name)
{
	struct choice_reader *r = user;
	struct choice *c = r->c;

	(void)name;
	for (r->part = PART_CHOICE; r->part < PARTS; r->part++)
		if (strcmp(part_names[r->part], kind) == 0)
			break;
	if (r->part == PARTS || (r->part == PART_OVER && c->range_count == CHOICE_RANGES_MAX) ||
	    (r->part == PART_KEEP && c->rule_count == CHOICE_RULES_MAX))
		return choice_damaged(at);
	if (r->part == PART_OVER)
		c->ranges[c->range_count++] = (struct choice_range){ NULL, NULL };
	if (r->part == PART_KEEP)
		c->rules[c->rule_count++] = (struct choice_rule){ .number = 0 };
	if (r->part == PART_SETTING) {
		static const struct choice_numbers none = { NAN, { NAN, NAN, NAN, NAN } };

		c->all = memory_grow(c->all, c->count + UINT64_C(1), sizeof(*c->all));
		c->all[c->count++] =
			(struct choice_setting){ .all = none, .first = none, .fresh = none };
	}
	return 0;
}

/* A whole number up to 2^53, which a double holds exactly. */
static int choice_read_count(const char *text, uint64_t *number)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= 0 && value <= 9007199254740992.0))
		return -1;
	*number = (uint64_t)value;
	return 0;
}

static int choice_read_count32(const char *text, uint32_t *number)
{
	uint64_t wide;

	if (choice_read_count(text, &wide) || wide > UINT32_MAX)
		return -1;
	*number = (uint32_t)wide;
	return 0;
}

static int read_flag(const char *text, const char *yes, int *flag)
{
	*flag = strcmp(text, yes) == 0;
	return 0;
}

static int choice_read_words(char *to, size_t size, const char *text)
{
	if (strlen(text) >= size)
		return -1;
	snprintf(to, size, "%s", text);
	return 0;
}

static int read_unit(struct choice_metric *m, const char *text)
{
	return choice_read_words(m->unit, sizeof(m->unit), strcmp(text, "1") == 0 ? "" : text);
}

static int choice_read_numbers(const struct choice *c, struct choice_numbers *n, const char *text)
{
	double *to[1 + CHOICE_RULES_MAX] = { &n->goal, &n->rule[0], &n->rule[1], &n->rule[2],
					     &n->rule[3] };
	char *end = (char *)text;

	for (uint32_t i = 0; i <= c->rule_count; i++) {
		text = end;
		*to[i] = strtod(text, &end);
		if (end == text || !isfinite(*to[i]))
			return -1;
	}
	return *end ? -1 : 0;
}

static int read_text(char **to, const char *text)
{
	free(*to);
	*to = text_copy(text);
	return 0;
}

static int choice_read_request(struct choice_reader *r, const char *key, const char *value)
{
	struct choice *c = r->c;

	if (strcmp(key, "goal") == 0)
		return choice_read_words(c->goal.name, sizeof(c->goal.name), value);
	if (strcmp(key, "goal-unit") == 0)
		return read_unit(&c->goal, value);
	if (strcmp(key, "goal-is") == 0)
		return read_flag(value, "most", &c->goal_is_most);
	if (strcmp(key, "budget") == 0)
		return choice_read_count(value, &c->budget);
	if (strcmp(key, "first-seed") == 0)
		return choice_read_count(value, &c->first_seed);
	if (strcmp(key, "seeds") == 0)
		return choice_read_count(value, &c->seeds);
	if (strcmp(key, "round") == 0 && r->rounds < CHOICE_ROUNDS)
		return choice_read_count32(value, &c->sizes[r->rounds++]);
	if (strcmp(key, "fresh-seeds") == 0)
		return choice_read_count32(value, &c->fresh_seeds);
	if (strcmp(key, "wins") == 0)
		return choice_read_count32(value, &c->wins);
	return strcmp(key, "own") == 0 ? choice_read_count32(value, &c->own) : -1;
}

static int choice_read_range(struct choice_range *r, const char *key, const char *value)
{
	if (strcmp(key, "path") == 0)
		return read_text(&r->path, value);
	return strcmp(key, "range") == 0 ? read_text(&r->text, value) : -1;
}

static int choice_read_constraint(struct choice_rule *r, const char *key, const char *value)
{
	char *end;

	if (strcmp(key, "metric") == 0)
		return choice_read_words(r->metric.name, sizeof(r->metric.name), value);
	if (strcmp(key, "unit") == 0)
		return read_unit(&r->metric, value);
	if (strcmp(key, "sign") == 0)
		return read_flag(value, "most", &r->is_most);
	if (strcmp(key, "of-best") == 0)
		return read_flag(value, "yes", &r->is_of_best);
	if (strcmp(key, "number") == 0)
		r->number = strtod(value, &end);
	else if (strcmp(key, "search-limit") == 0)
		r->search_limit = strtod(value, &end);
	else if (strcmp(key, "limit") == 0)
		r->limit = strtod(value, &end);
	else
		return -1;
	return end == value || *end ? -1 : 0;
}

static int choice_read_setting(const struct choice *c, const char *key, const char *value)
{
	struct choice_setting *s = &c->all[c->count - 1];

	if (strcmp(key, "point") == 0)
		return read_text(&s->point, value);
	if (strcmp(key, "seeds") == 0)
		return choice_read_count32(value, &s->seeds);
	if (strcmp(key, "kept") == 0)
		return read_flag(value, "yes", &s->is_kept);
	if (strcmp(key, "fresh-kept") == 0)
		return read_flag(value, "yes", &s->is_fresh_kept);
	if (strcmp(key, "judged") == 0)
		return read_flag(value, "yes", &s->is_judged);
	if (strcmp(key, "front") == 0)
		return read_flag(value, "yes", &s->is_front);
	if (strcmp(key, "all") == 0)
		return choice_read_numbers(c, &s->all, value);
	if (strcmp(key, "first") == 0)
		return choice_read_numbers(c, &s->first, value);
	return strcmp(key, "fresh") == 0 ? choice_read_numbers(c, &s->fresh, value) : -1;
}

static int choice_read_run(struct choice *c, const char *key, const char *value)
{
	struct choice_run *run;

	if ((c->run_count & (c->run_count - 1)) == 0)
		c->runs =
			memory_grow(c->runs, c->run_count ? 2 * c->run_count : 1, sizeof(*c->runs));
	run = &c->runs[c->run_count++];
	return choice_read_words(run->key, sizeof(run->key), key) ||
	       choice_read_count32(value, &run->setting) || run->setting >= c->count;
}

static int choice_on_pair(void *user, struct ini_place *at, const char *key, const char *value)
{
	struct choice_reader *r = user;
	struct choice *c = r->c;
	int failed = -1;

	switch (r->part) {
	case PART_CHOICE:
		failed = choice_read_request(r, key, value);
		break;
	case PART_OVER:
		failed = choice_read_range(&c->ranges[c->range_count - 1], key, value);
		break;
	case PART_KEEP:
		failed = choice_read_constraint(&c->rules[c->rule_count - 1], key, value);
		break;
	case PART_SETTING:
		failed = choice_read_setting(c, key, value);
		break;
	case PART_RUNS:
		failed = choice_read_run(c, key, value);
		break;
	case PARTS:
		break;
	}
	return failed ? choice_damaged(at) : 0;
}

static int choice_on_end(void *user, struct ini_place *at)
{
	const struct choice *c = ((struct choice_reader *)user)->c;
	int whole = c->count > 0 && c->own < c->count && c->goal.name[0];

	for (uint32_t i = 0; i < c->range_count; i++)
		whole = whole && c->ranges[i].path && c->ranges[i].text;
	for (uint32_t i = 0; i < c->count; i++)
		whole = whole && c->all[i].point &&
			isfinite(c->all[i].is_judged ? c->all[i].fresh.goal : c->all[i].all.goal);
	return whole ? 0 : choice_damaged(at);
}

static const struct ini_form form = {
	.what = "the outcome of a search",
	.example = "[choice]",
	.section = choice_on_section,
	.pair = choice_on_pair,
	.end = choice_on_end,
};

/* Does the run belong to the store's plan? */
static int choice_is_of_plan(const struct choice *c, struct store *s, struct weir_error *e)
{
	struct planned_run *planned;
	uint64_t count;
	int same;

	if (store_planned(s, &planned, &count, e))
		return -1;
	same = count == c->run_count;
	for (uint64_t i = 0; i < count && same; i++)
		same = strcmp(planned[i].key, c->runs[i].key) == 0;
	free(planned);
	return same;
}

static int choice_read_file(struct choice *c, const char *path, struct weir_error *e)
{
	struct choice_reader reader = { c, PARTS, 0 };
	struct ini_text text = { .file = path };
	char *bytes = ini_load(&form, path, &text.length, e);
	int failed;

	if (!bytes)
		return -1;
	text.text = bytes;
	failed = ini_read(&form, &reader, &text, e);
	free(bytes);
	return failed;
}

int choice_read(struct choice *c, struct store *s, struct weir_error *e)
{
	const char *store = store_file(s), *slash = strrchr(store, '/');
	char *path = NULL;
	int found = 0;

	memset(c, 0, sizeof(*c));
	if (slash)
		text_print(&path, "%.*s/%s", (int)(slash - store), store, file_name);
	if (path && access(path, F_OK) == 0)
		found = choice_read_file(c, path, e) ? -1 : choice_is_of_plan(c, s, e);
	free(path);
	if (found != 1)
		choice_free(c);
	return found;
}

uint32_t choice_setting_of(const struct choice *c, const char *key)
{
	for (uint64_t i = 0; i < c->run_count; i++)
		if (strcmp(c->runs[i].key, key) == 0)
			return c->runs[i].setting;
	return UINT32_MAX;
}
