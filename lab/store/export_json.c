/* export_json.c -- a store as JSON: {"version", "runs": [{"run", "key", "version", "title",
 * "wall_seconds", "settings", "metrics", "reasons", "flows", "ports", "pauses", "series"}]}. Long
 * tables are {"columns": [names], "rows": [[values]]}. What is not known is null. */
#include "lab/store/export.h"
#include "lab/store/results.h"
#include "lab/base/version.h"
#include "weir/units.h"
#include <inttypes.h>
#include <math.h>

/* Something with commas between its parts. */
struct list {
	FILE *f;
	uint64_t count;
};

static void next(struct list *l)
{
	fputs(l->count++ ? ",\n" : "\n", l->f);
}

static void write_number(FILE *f, double value)
{
	fputs(isfinite(value) ? exact_number(value).text : "null", f);
}

/* Negative: not known. */
static void write_time(FILE *f, int64_t time_ps)
{
	if (time_ps < 0)
		fputs("null", f);
	else
		fprintf(f, "%" PRId64, time_ps);
}

static int write_flow(void *context, const struct stored_flow *w)
{
	struct list *l = context;

	next(l);
	fprintf(l->f, "[%" PRIu32 ",", w->flow);
	json_text(l->f, w->traffic);
	fprintf(l->f, ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", w->class_id, w->src, w->dst);
	write_time(l->f, w->size_bytes == FLOW_UNLIMITED ? -1 : (int64_t)w->size_bytes);
	if (w->start_ps != WEIR_TIME_NEVER_PS)
		fprintf(l->f, ",%" PRId64 ",", w->start_ps);
	else
		fputs(",null,", l->f);
	write_time(l->f, w->finish_ps);
	fputc(',', l->f);
	write_time(l->f, w->ideal_ps);
	fprintf(l->f, ",\"%s\",\"%s\"]", flow_kind(w->size_bytes, w->ideal_ps),
		flow_state(w->size_bytes, w->start_ps, w->finish_ps));
	return 0;
}

static int write_port(void *context, const struct stored_port *p)
{
	struct list *l = context;

	next(l);
	fputc('[', l->f);
	json_text(l->f, p->name);
	fprintf(l->f, ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",",
		p->measured ? "true" : "false", p->result.tx_pkts, p->result.tx_bytes,
		p->result.marks, p->result.drops);
	write_number(l->f, p->result.queue_mean_bytes);
	fputc(',', l->f);
	write_number(l->f, p->result.queue_mean_pkts);
	fprintf(l->f, ",%" PRIu32 "]", p->result.queue_max_pkts);
	return 0;
}

static int write_pause(void *context, const struct stored_pause *p)
{
	struct list *l = context;

	next(l);
	fputs("{\"link\": ", l->f);
	json_text(l->f, p->link);
	fprintf(l->f,
		", \"class\": %" PRIu32 ", \"count\": %" PRIu64 ", \"paused_ps\": %" PRId64 "}",
		p->result.class_id, p->result.pauses, p->result.paused_ps);
	return 0;
}

static int write_series(void *context, const struct stored_series *x)
{
	struct list *l = context;

	next(l);
	fputs("{\"name\": ", l->f);
	json_text(l->f, x->name);
	fputs(", \"unit\": ", l->f);
	json_text(l->f, x->unit);
	fputs(", \"time_ps\": [", l->f);
	for (uint64_t i = 0; i < x->count; i++)
		fprintf(l->f, "%s%" PRId64, i ? "," : "", x->time_ps[i]);
	fputs("], \"value\": [", l->f);
	for (uint64_t i = 0; i < x->count; i++) {
		fputs(i ? "," : "", l->f);
		write_number(l->f, x->value[i]);
	}
	fputs("]}", l->f);
	return 0;
}

static void write_texts(FILE *f, const struct stored_run *run)
{
	struct list settings = { f, 0 }, metrics = { f, 0 }, reasons = { f, 0 };

	fputs(",\n\"settings\": {", f);
	for (uint32_t i = 0; i < run->setting_count; i++) {
		next(&settings);
		json_text(f, run->settings[i].path);
		fputs(": ", f);
		json_text(f, run->settings[i].value);
	}
	fputs("\n},\n\"metrics\": {", f);
	for (size_t i = 0; metric_all[i].name; i++) {
		next(&metrics);
		json_text(f, metric_all[i].name);
		fputs(": ", f);
		write_number(f, run->value[i]);
	}
	fputs("\n},\n\"reasons\": [", f);
	for (uint32_t i = 0; i < run->reason_count; i++) {
		next(&reasons);
		fputs("{\"name\": ", f);
		json_text(f, run->reasons[i].name);
		fprintf(f, ", \"is_mark\": %s, \"count\": %" PRIu64 "}",
			run->reasons[i].is_mark ? "true" : "false", run->reasons[i].count);
	}
	fputs("\n]", f);
}

static int write_run(FILE *f, struct store *s, const struct stored_run *run, struct weir_error *e)
{
	struct list flows = { f, 0 }, ports = { f, 0 }, pauses = { f, 0 }, series = { f, 0 };

	fprintf(f, "\"key\": \"%s\", \"version\": ", run->key);
	json_text(f, run->version);
	fputs(", \"title\": ", f);
	json_text(f, run->title);
	fputs(", \"wall_seconds\": ", f);
	write_number(f, run->wall_seconds);
	write_texts(f, run);
	fputs(",\n\"flows\": {\"columns\": [\"flow\", \"traffic\", \"class\", \"source\", "
	      "\"destination\", "
	      "\"size_bytes\", \"start_ps\", \"finish_ps\", \"ideal_fct_ps\", \"kind\", "
	      "\"state\"], "
	      "\"rows\": [",
	      f);
	if (store_each_flow(s, run->id, write_flow, &flows, e))
		return -1;
	fputs("\n]},\n\"ports\": {\"columns\": [\"port\", \"measured\", \"tx_pkts\", \"tx_bytes\", "
	      "\"marks\", "
	      "\"drops\", \"queue_mean_bytes\", \"queue_mean_pkts\", \"queue_max_pkts\"], "
	      "\"rows\": [",
	      f);
	if (store_each_port(s, run->id, write_port, &ports, e))
		return -1;
	fputs("\n]},\n\"pauses\": [", f);
	if (store_each_pause(s, run->id, write_pause, &pauses, e))
		return -1;
	fputs("\n],\n\"series\": [", f);
	if (store_each_series(s, run->id, write_series, &series, e))
		return -1;
	fputs("\n]", f);
	return 0;
}

int export_json(FILE *f, struct store *s, const struct stored_runs *runs, struct weir_error *e)
{
	struct list all = { f, 0 };

	fputs("{\"version\": ", f);
	json_text(f, version_of_results().text);
	fputs(", \"runs\": [", f);
	for (uint32_t i = 0; i < runs->count; i++) {
		next(&all);
		fprintf(f, "{\"run\": %" PRIu32 ", ", i + 1);
		if (write_run(f, s, &runs->runs[i], e))
			return -1;
		fputc('}', f);
	}
	fputs("\n]}\n", f);
	return 0;
}
