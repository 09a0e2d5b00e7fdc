/* json.c -- {"version", "runs": [{"title", "partial", "settings", "metrics", "reasons"}]}. */
#include "lab/store/results.h"
#include "lab/scenario/scenario.h"
#include "lab/base/version.h"
#include <math.h>

/* Members of an object, with commas between. */
struct members {
	FILE *f;
	size_t count;
};

static void write_name(struct members *m, const char *name)
{
	fputs(m->count++ ? ",\n        " : "\n        ", m->f);
	json_text(m->f, name);
	fputs(": ", m->f);
}

static void write_setting(void *context, const char *path, const char *text)
{
	struct members *m = context;

	write_name(m, path);
	json_text(m->f, text);
}

static void write_metrics(FILE *f, const struct run_result *r)
{
	struct members m = { f, 0 };

	for (size_t i = 0; metric_all[i].name; i++) {
		write_name(&m, metric_all[i].name);
		fputs(isfinite(r->value[i]) ? exact_number(r->value[i]).text : "null", f);
	}
}

static void write_reasons(FILE *f, const struct run_result *r)
{
	struct members m = { f, 0 };

	for (uint32_t i = 0; i < r->reason_count; i++) {
		write_name(&m, r->reasons[i].name);
		fprintf(f, "%llu", (unsigned long long)r->reasons[i].count);
	}
}

int results_json(FILE *f, const struct config *c, const struct run_result *r, struct weir_error *e)
{
	struct members settings = { f, 0 };

	fputs("{\n  \"version\": ", f);
	json_text(f, version_of_results().text);
	fputs(",\n  \"runs\": [\n    {\n      \"title\": ", f);
	json_text(f, c->title);
	fprintf(f, ",\n      \"partial\": %s,\n      \"settings\": {",
		r->partial ? "true" : "false");
	if (scenario_settings(c, write_setting, &settings, e))
		return -1;
	fputs("\n      },\n      \"metrics\": {", f);
	write_metrics(f, r);
	fputs("\n      },\n      \"reasons\": {", f);
	write_reasons(f, r);
	fputs("\n      }\n    }\n  ]\n}\n", f);
	return 0;
}
