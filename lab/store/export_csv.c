/* export_csv.c -- a store as CSV: RFC 4180 with newlines alone. Runs are numbered from 1 in the order of
 * their sweep, so that the files do not depend on which run ended first. */
#define _POSIX_C_SOURCE 200809L
#include "lab/store/export.h"
#include "lab/base/output.h"
#include "lab/store/results.h"
#include "weir/units.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A file on its way. */
struct sheet {
	FILE *f;
	struct store *store;
	const struct stored_runs *runs;
	uint32_t run; /* number of the current one */
};

/* The next file begins. */
static struct sheet *sheet_on(void *context, FILE *f)
{
	struct sheet *s = context;

	s->f = f;
	s->run = 0;
	return s;
}

/* --- runs.csv --- */

struct paths {
	uint32_t count;
	const char **all;
};

/* Every setting that some run has. */
static int collect_paths(struct paths *p, const struct stored_runs *runs)
{
	memset(p, 0, sizeof(*p));
	for (uint32_t i = 0; i < runs->count; i++)
		for (uint32_t k = 0; k < runs->runs[i].setting_count; k++) {
			const char *path = runs->runs[i].settings[k].path, **grown;
			uint32_t at = 0;

			while (at < p->count && strcmp(p->all[at], path) != 0)
				at++;
			if (at < p->count)
				continue;
			grown = realloc(p->all, (p->count + 1) * sizeof(*grown));
			if (!grown)
				return -1;
			p->all = grown;
			grown[p->count++] = path;
		}
	return 0;
}

static void write_run(FILE *f, const struct stored_run *run, const struct paths *p)
{
	fprintf(f, ",%s,", run->key);
	csv_text(f, run->version);
	fputc(',', f);
	csv_text(f, run->title);
	csv_number(f, run->wall_seconds);
	for (uint32_t k = 0; k < p->count; k++) {
		const char *value = stored_setting(run, p->all[k]);

		fputc(',', f);
		if (value)
			csv_text(f, value);
	}
	for (size_t k = 0; metric_all[k].name; k++)
		csv_number(f, run->value[k]);
	fputc('\n', f);
}

static int write_runs(FILE *f, void *context, struct weir_error *e)
{
	struct sheet *s = sheet_on(context, f);
	struct paths p;

	if (collect_paths(&p, s->runs)) {
		free(p.all);
		return weir_error_set(e, "no memory");
	}
	fputs("run,key,version,title,wall_seconds", s->f);
	for (uint32_t k = 0; k < p.count; k++)
		fprintf(s->f, ",%s", p.all[k]);
	for (size_t k = 0; metric_all[k].name; k++)
		fprintf(s->f, ",%s", metric_all[k].name);
	fputc('\n', s->f);
	for (uint32_t i = 0; i < s->runs->count; i++) {
		fprintf(s->f, "%" PRIu32, i + 1);
		write_run(s->f, &s->runs->runs[i], &p);
	}
	free(p.all);
	return 0;
}

static int write_reasons(FILE *f, void *context, struct weir_error *e)
{
	struct sheet *s = sheet_on(context, f);

	(void)e;
	fputs("run,reason,is_mark,count\n", s->f);
	for (uint32_t i = 0; i < s->runs->count; i++)
		for (uint32_t k = 0; k < s->runs->runs[i].reason_count; k++) {
			const struct stored_reason *r = &s->runs->runs[i].reasons[k];

			fprintf(s->f, "%" PRIu32 ",", i + 1);
			csv_text(s->f, r->name);
			fprintf(s->f, ",%d,%" PRIu64 "\n", r->is_mark, r->count);
		}
	return 0;
}

/* --- the parts of runs --- */

static int write_flow(void *context, const struct stored_flow *w)
{
	struct sheet *s = context;
	int64_t fct_ps = w->finish_ps - w->start_ps;

	fprintf(s->f, "%" PRIu32 ",%" PRIu32 ",%s,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", s->run,
		w->flow, w->traffic, w->class_id, w->src, w->dst);
	if (w->size_bytes != FLOW_UNLIMITED)
		fprintf(s->f, "%" PRIu64, w->size_bytes);
	fputc(',', s->f);
	if (w->start_ps != WEIR_TIME_NEVER_PS)
		fprintf(s->f, "%" PRId64, w->start_ps);
	fputc(',', s->f);
	if (w->finish_ps >= 0)
		fprintf(s->f, "%" PRId64 ",%" PRId64, w->finish_ps, fct_ps);
	else
		fputc(',', s->f);
	fputc(',', s->f);
	if (w->ideal_ps > 0)
		fprintf(s->f, "%" PRId64, w->ideal_ps);
	csv_number(s->f, w->finish_ps >= 0 && w->ideal_ps > 0 ? (double)fct_ps / (double)w->ideal_ps
							      : (double)NAN);
	fprintf(s->f, ",%s,%s\n", flow_kind(w->size_bytes, w->ideal_ps),
		flow_state(w->size_bytes, w->start_ps, w->finish_ps));
	return 0;
}

static int write_port(void *context, const struct stored_port *p)
{
	struct sheet *s = context;

	fprintf(s->f, "%" PRIu32 ",", s->run);
	csv_text(s->f, p->name);
	fprintf(s->f, ",%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, p->measured,
		p->result.tx_pkts, p->result.tx_bytes, p->result.marks, p->result.drops);
	csv_number(s->f, p->result.queue_mean_bytes);
	csv_number(s->f, p->result.queue_mean_pkts);
	fprintf(s->f, ",%" PRIu32 "\n", p->result.queue_max_pkts);
	return 0;
}

static int write_pause(void *context, const struct stored_pause *p)
{
	struct sheet *s = context;

	fprintf(s->f, "%" PRIu32 ",", s->run);
	csv_text(s->f, p->link);
	fprintf(s->f, ",%" PRIu32 ",%" PRIu64 ",%" PRId64 "\n", p->result.class_id,
		p->result.pauses, p->result.paused_ps);
	return 0;
}

static int write_points(void *context, const struct stored_series *x)
{
	struct sheet *s = context;

	for (uint64_t i = 0; i < x->count; i++) {
		fprintf(s->f, "%" PRIu32 ",", s->run);
		csv_text(s->f, x->name);
		fprintf(s->f, ",%s,%" PRId64, x->unit, x->time_ps[i]);
		csv_number(s->f, x->value[i]);
		fputc('\n', s->f);
	}
	return 0;
}

static int write_flows(FILE *f, void *context, struct weir_error *e)
{
	struct sheet *s = sheet_on(context, f);

	fputs("run,flow,traffic,class,source,destination,size_bytes,start_ps,finish_ps,fct_ps,"
	      "ideal_fct_ps,slowdown,kind,state\n",
	      s->f);
	for (s->run = 1; s->run <= s->runs->count; s->run++)
		if (store_each_flow(s->store, s->runs->runs[s->run - 1].id, write_flow, s, e))
			return -1;
	return 0;
}

static int write_ports(FILE *f, void *context, struct weir_error *e)
{
	struct sheet *s = sheet_on(context, f);

	fputs("run,port,measured,tx_pkts,tx_bytes,marks,drops,queue_mean_bytes,queue_mean_pkts,"
	      "queue_max_pkts\n",
	      s->f);
	for (s->run = 1; s->run <= s->runs->count; s->run++)
		if (store_each_port(s->store, s->runs->runs[s->run - 1].id, write_port, s, e))
			return -1;
	return 0;
}

static int write_pauses(FILE *f, void *context, struct weir_error *e)
{
	struct sheet *s = sheet_on(context, f);

	fputs("run,link,class,count,paused_ps\n", s->f);
	for (s->run = 1; s->run <= s->runs->count; s->run++)
		if (store_each_pause(s->store, s->runs->runs[s->run - 1].id, write_pause, s, e))
			return -1;
	return 0;
}

static int write_series(FILE *f, void *context, struct weir_error *e)
{
	struct sheet *s = sheet_on(context, f);

	fputs("run,series,unit,time_ps,value\n", s->f);
	for (s->run = 1; s->run <= s->runs->count; s->run++)
		if (store_each_series(s->store, s->runs->runs[s->run - 1].id, write_points, s, e))
			return -1;
	return 0;
}

/* --- files --- */

static const struct output_file files[] = {
	{ "runs.csv", write_runs },
	{ "reasons.csv", write_reasons },
	{ "flows.csv", write_flows },
	{ "ports.csv", write_ports },
	{ "pauses.csv", write_pauses },
	{ "series.csv", write_series },
	{ .name = NULL },
};

int export_csv(const char *folder, struct store *store, const struct stored_runs *runs,
	       struct weir_error *e)
{
	struct sheet sheet = { .store = store, .runs = runs };

	return output_files(folder, files, &sheet, e);
}
