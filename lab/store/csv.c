/* csv.c -- runs.csv (a row a run), flows.csv (a row a flow), ports.csv (a row a switch port), pauses.csv
 * (a row a class of a link that was paused).
 *
 * RFC 4180 with newlines alone. The column "run" says which row of runs.csv the row of another file
 * belongs to. Times are whole picoseconds, as the simulator has them. */
#define _POSIX_C_SOURCE 200809L
#include "lab/base/output.h"
#include "lab/store/results.h"
#include "lab/scenario/scenario.h"
#include "weir/units.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUN = 1 };

/* What the files are made from. */
struct sheet {
	const struct config *c;
	const struct run_result *r;
};

const char *flow_state(uint64_t size_bytes, int64_t start_ps, int64_t finish_ps)
{
	return start_ps == WEIR_TIME_NEVER_PS ? "never-started"
	       : finish_ps >= 0               ? "completed"
	       : size_bytes == FLOW_UNLIMITED ? "unlimited"
					      : "unfinished";
}

const char *flow_kind(uint64_t size_bytes, int64_t ideal_ps)
{
	return size_bytes != FLOW_UNLIMITED && ideal_ps < 0 ? "control" : "data";
}

static void write_path(void *context, const char *path, const char *text)
{
	(void)text;
	fprintf(context, ",%s", path);
}

static void write_value(void *context, const char *path, const char *text)
{
	(void)path;
	fputc(',', context);
	csv_text(context, text);
}

static int write_run(FILE *f, void *context, struct weir_error *e)
{
	const struct config *c = ((const struct sheet *)context)->c;
	const struct run_result *r = ((const struct sheet *)context)->r;
	fputs("run,title,partial", f);
	if (scenario_settings(c, write_path, f, e))
		return -1;
	for (size_t i = 0; metric_all[i].name; i++)
		fprintf(f, ",%s", metric_all[i].name);
	fprintf(f, "\n%d,", RUN);
	csv_text(f, c->title);
	fprintf(f, ",%d", r->partial != 0);
	if (scenario_settings(c, write_value, f, e))
		return -1;
	for (size_t i = 0; metric_all[i].name; i++)
		csv_number(f, r->value[i]);
	fputc('\n', f);
	return 0;
}

static int write_flows(FILE *f, void *context, struct weir_error *e)
{
	const struct config *c = ((const struct sheet *)context)->c;
	const struct run_result *r = ((const struct sheet *)context)->r;

	(void)e;
	fputs("run,flow,traffic,class,source,destination,size_bytes,start_ps,finish_ps,fct_ps,"
	      "ideal_fct_ps,slowdown,kind,state\n",
	      f);
	for (uint32_t i = 0; i < r->flow_count; i++) {
		const struct flow *w = &r->flows[i];
		int64_t fct_ps = w->finish_ps - w->start_ps;

		fprintf(f, "%d,%" PRIu32 ",%s,%u,%" PRIu32 ",%" PRIu32 ",", RUN, i,
			c->traffic[w->traffic].name, w->class_id, w->src, w->dst);
		if (w->size_bytes != FLOW_UNLIMITED)
			fprintf(f, "%" PRIu64, w->size_bytes);
		fputc(',', f);
		if (w->start_ps != WEIR_TIME_NEVER_PS)
			fprintf(f, "%" PRId64, w->start_ps);
		fputc(',', f);
		if (w->finish_ps >= 0)
			fprintf(f, "%" PRId64 ",%" PRId64, w->finish_ps, fct_ps);
		else
			fputc(',', f);
		fputc(',', f);
		if (r->ideal_ps[i] > 0)
			fprintf(f, "%" PRId64, r->ideal_ps[i]);
		csv_number(f, w->finish_ps >= 0 && r->ideal_ps[i] > 0
				      ? (double)fct_ps / (double)r->ideal_ps[i]
				      : (double)NAN);
		fprintf(f, ",%s,%s\n", flow_kind(w->size_bytes, r->ideal_ps[i]),
			flow_state(w->size_bytes, w->start_ps, w->finish_ps));
	}
	return 0;
}

static int write_ports(FILE *f, void *context, struct weir_error *e)
{
	const struct run_result *r = ((const struct sheet *)context)->r;
	char name[128];

	(void)e;
	fputs("run,port,measured,tx_pkts,tx_bytes,marks,drops,queue_mean_bytes,queue_mean_pkts,"
	      "queue_max_pkts\n",
	      f);
	for (uint32_t i = 0; i < r->port_count; i++) {
		const struct port_result *p = &r->ports[i];

		fprintf(f, "%d,%s,%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, RUN,
			link_name(&r->network, p->link, name, sizeof(name)), i == r->measured_port,
			p->tx_pkts, p->tx_bytes, p->marks, p->drops);
		csv_number(f, p->queue_mean_bytes);
		csv_number(f, p->queue_mean_pkts);
		fprintf(f, ",%" PRIu32 "\n", p->queue_max_pkts);
	}
	return 0;
}

static int write_pauses(FILE *f, void *context, struct weir_error *e)
{
	const struct run_result *r = ((const struct sheet *)context)->r;
	char name[128];

	(void)e;
	fputs("run,link,class,count,paused_ps\n", f);
	for (uint32_t i = 0; i < r->pause_count; i++) {
		const struct pause_result *p = &r->pauses[i];

		fprintf(f, "%d,%s,%" PRIu32 ",%" PRIu64 ",%" PRId64 "\n", RUN,
			link_name(&r->network, p->link, name, sizeof(name)), p->class_id, p->pauses,
			p->paused_ps);
	}
	return 0;
}

static const struct output_file files[] = {
	{ "runs.csv", write_run },
	{ "flows.csv", write_flows },
	{ "ports.csv", write_ports },
	{ "pauses.csv", write_pauses },
	{ .name = NULL },
};

int results_csv(const char *folder, const struct config *c, const struct run_result *r,
		struct weir_error *e)
{
	struct sheet sheet = { c, r };

	return output_files(folder, files, &sheet, e);
}

int results_csv_probe(const char *folder, struct weir_error *e)
{
	struct output o;
	int made = output_folder(folder, e), failed = made < 0;

	for (int i = 0; files[i].name && !failed; i++) {
		failed = output_open_in(&o, folder, files[i].name, e);
		if (!failed)
			output_abandon(&o);
	}
	if (made > 0)
		rmdir(folder);
	return failed ? -1 : 0;
}
