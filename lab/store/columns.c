/* SPDX-License-Identifier: BSD-3-Clause */
/* columns.c -- the table of all tables and columns, access to their values, and its rendering as
 * Markdown for docs/reference/results.md. */
#include "lab/store/columns.h"
#include "lab/store/results.h"
#include "lab/store/store.h"
#include "weir/units.h"
#include <string.h>

/* --- cells --- */

static struct cell cell_integer(int64_t number)
{
	return (struct cell){ .kind = CELL_INTEGER, .integer = number };
}

static struct cell cell_maybe(int64_t number, int is_known)
{
	return is_known ? cell_integer(number) : (struct cell){ .kind = CELL_UNKNOWN };
}

static struct cell cell_real(double number)
{
	return (struct cell){ .kind = CELL_REAL, .real = number };
}

static struct cell cell_text(const char *text)
{
	return (struct cell){ .kind = CELL_TEXT, .text = text };
}

static struct cell cell_flag(int flag)
{
	return (struct cell){ .kind = CELL_FLAG, .integer = flag };
}

/* --- what exports make of rows --- */

const char *flow_state(uint64_t size_bytes, int64_t start_ps, int64_t finish_ps)
{
	return start_ps == WEIR_TIME_NEVER_PS ? "never-started"
	       : finish_ps >= 0               ? "completed"
	       : size_bytes == FLOW_UNLIMITED ? "unlimited"
					      : "unfinished";
}

/* "data", or "control" for a flow of known size without ideal completion time
 * (sim/traffic/gate.h). */
static const char *flow_kind(uint64_t size_bytes, int64_t ideal_ps)
{
	return size_bytes != FLOW_UNLIMITED && ideal_ps < 0 ? "control" : "data";
}

static struct cell show_title(const void *row)
{
	return cell_text(((const struct run_head *)row)->title);
}

static struct cell show_partial(const void *row)
{
	return cell_flag(((const struct run_head *)row)->partial != 0);
}

static struct cell show_traffic(const void *row)
{
	return cell_text(((const struct stored_flow *)row)->traffic);
}

static struct cell show_start(const void *row)
{
	int64_t start_ps = ((const struct stored_flow *)row)->start_ps;

	return cell_maybe(start_ps, start_ps != WEIR_TIME_NEVER_PS);
}

static struct cell column_show_fct(const void *row)
{
	const struct stored_flow *w = row;

	return w->finish_ps >= 0 ? cell_integer(w->finish_ps - w->start_ps)
				 : (struct cell){ .kind = CELL_UNKNOWN };
}

static struct cell column_show_slowdown(const void *row)
{
	const struct stored_flow *w = row;

	if (w->finish_ps < 0 || w->ideal_ps <= 0)
		return (struct cell){ .kind = CELL_UNKNOWN };
	return cell_real((double)(w->finish_ps - w->start_ps) / (double)w->ideal_ps);
}

static struct cell show_kind(const void *row)
{
	const struct stored_flow *w = row;

	return cell_text(flow_kind(w->size_bytes, w->ideal_ps));
}

static struct cell show_state(const void *row)
{
	const struct stored_flow *w = row;

	return cell_text(flow_state(w->size_bytes, w->start_ps, w->finish_ps));
}

/* --- columns, in the order of digests --- */

#define AT(row, field) offsetof(struct row, field)
#define HIDDEN .hidden_in = VIEW_EVERY

/* In the store the title precedes the version; in exports it follows it. */
static const struct column run_columns[] = {
	{ "id", COLUMN_ID, 0, "", .help = "number of the run in this file", HIDDEN },
	{ "key", COLUMN_KEY, AT(run_head, key), "", .help = "16 hexadecimal digits, see above" },
	{ "title", COLUMN_TEXT, AT(run_head, title), "", .help = "first comment of the scenario",
	  HIDDEN },
	{ "version", COLUMN_TEXT, AT(run_head, version), "",
	  .help = "of the program and its sources: `0.2.0+3f2a91c0d4e7`" },
	{ "title", COLUMN_DERIVED, .show = show_title, .shows = CELL_TEXT },
	{ "wall_seconds", COLUMN_REAL, AT(run_head, wall_seconds), "s",
	  .help = "how long it took" },
	{ "held_up", COLUMN_MAYBE_TEXT, AT(run_head, held_up), "",
	  .help = "real-time runs: how the machine disturbed the run, so that its numbers are "
		  "unreliable; NULL: undisturbed, or simulated",
	  .since = 4 },
	{ "partial", COLUMN_DERIVED, 0, "",
	  .help = "1: interrupted, or measure.drain expired; only of a single run that is not "
		  "stored",
	  .show = show_partial, .shows = CELL_FLAG, .hidden_in = VIEW_STORE },
	{ .name = NULL },
};

static const struct column setting_columns[] = {
	{ "path", COLUMN_TEXT, AT(setting_row, path), "",
	  .help = "`switch.marking`, `traffic.web.load`, `seed`; `digest.PATH`: digest of the file "
		  "that PATH names, or of the scheme's model; if both, one after the other" },
	{ "value", COLUMN_TEXT, AT(setting_row, value), "",
	  .help = "as a user would write it, with all options of schemes" },
	{ "place", COLUMN_PLACE, 0, "", .help = "order of the settings", HIDDEN },
	{ .name = NULL },
};

static const struct column metric_columns[] = {
	{ "name", COLUMN_TEXT, AT(metric_row, name), "",
	  .help = "as in `weir list metric`; `NAME.2`: a changed definition of NAME; `NAME of "
		  "SECTION`: of one `[traffic]` section" },
	{ "value", COLUMN_MAYBE_REAL, AT(metric_row, value), "",
	  .help = "in the unit given by `weir help NAME`" },
	{ .name = NULL },
};

static const struct column reason_columns[] = {
	{ "name", COLUMN_TEXT, AT(reason_count, name), "",
	  .help = "reason for marking or dropping packets", .csv = "reason" },
	{ "is_mark", COLUMN_FLAG, AT(reason_count, is_mark), "", .help = "1: marked, 0: dropped" },
	{ "count", COLUMN_COUNT, AT(reason_count, count), "pkts",
	  .help = "whole network, whole run" },
	{ "place", COLUMN_PLACE, 0, "", .help = "order of the reasons", HIDDEN },
	{ .name = NULL },
};

static const struct column traffic_columns[] = {
	{ "name", COLUMN_TEXT, AT(traffic_row, name), "",
	  .help = "name of the `[traffic NAME]` section" },
	{ "traffic", COLUMN_PLACE, 0, "", .help = "number of the section", HIDDEN },
	{ .name = NULL },
};

static const struct column flow_columns[] = {
	{ "flow", COLUMN_COUNT32, AT(stored_flow, flow), "", .help = "its number in the run" },
	{ "traffic", COLUMN_COUNT32, AT(stored_flow, section), "",
	  .help = "number of its section; in exports the section's name", .show = show_traffic,
	  .shows = CELL_TEXT },
	{ "class", COLUMN_COUNT32, AT(stored_flow, class_id), "", .help = "traffic class" },
	{ "src", COLUMN_COUNT32, AT(stored_flow, src), "", .help = "host number", .csv = "source" },
	{ "dst", COLUMN_COUNT32, AT(stored_flow, dst), "", .help = "host number",
	  .csv = "destination" },
	{ "size_bytes", COLUMN_MAYBE_SIZE, AT(stored_flow, size_bytes), "bytes",
	  .help = "NULL: unlimited" },
	{ "start_ps", COLUMN_TIME, AT(stored_flow, start_ps), "ps",
	  .help = "start time; 2^63 - 1, empty in exports: never started, because its dependencies "
		  "did not complete",
	  .show = show_start, .shows = CELL_REAL },
	{ "finish_ps", COLUMN_MAYBE_TIME, AT(stored_flow, finish_ps), "ps",
	  .help = "completion time (measure.completion): arrival of the last byte at the receiver, "
		  "or of its ACK at the sender; NULL: unfinished" },
	{ "fct_ps", COLUMN_DERIVED, 0, "ps", .help = "finish_ps less start_ps",
	  .show = column_show_fct, .shows = CELL_REAL, .hidden_in = VIEW_JSON },
	{ "ideal_ps", COLUMN_MAYBE_TIME, AT(stored_flow, ideal_ps), "ps",
	  .help = "FCT in an otherwise idle network; NULL: unlimited, or control: the request of a "
		  "read, the response to a write (`pattern = storage`), whose times are in no "
		  "metric of completion",
	  .csv = "ideal_fct_ps" },
	{ "slowdown", COLUMN_DERIVED, 0, "", .help = "fct_ps over ideal_fct_ps",
	  .show = column_show_slowdown, .shows = CELL_REAL, .hidden_in = VIEW_JSON },
	{ "kind", COLUMN_DERIVED, 0, "", .help = "`data`, or `control`: see ideal_ps",
	  .show = show_kind, .shows = CELL_TEXT },
	{ "state", COLUMN_DERIVED, 0, "",
	  .help = "`completed`, `unfinished`, `unlimited` or `never-started`: see below",
	  .show = show_state, .shows = CELL_TEXT },
	{ .name = NULL },
};

static const struct column port_columns[] = {
	{ "name", COLUMN_TEXT, AT(stored_port, name), "",
	  .help = "egress ports of switches, `leaf0->h3`, and NICs of hosts that have a queue",
	  .csv = "port" },
	{ "measured", COLUMN_FLAG, AT(stored_port, measured), "",
	  .help = "1: the queue metrics of the run are of this port" },
	{ "tx_pkts", COLUMN_COUNT, AT(stored_port, result.tx_pkts), "pkts",
	  .help = "sent in the measured interval" },
	{ "tx_bytes", COLUMN_COUNT, AT(stored_port, result.tx_bytes), "bytes",
	  .help = "of these, frames without Ethernet's preamble and gap" },
	{ "marks", COLUMN_COUNT, AT(stored_port, result.marks), "pkts",
	  .help = "in the measured interval" },
	{ "drops", COLUMN_COUNT, AT(stored_port, result.drops), "pkts",
	  .help = "in the measured interval" },
	{ "queue_mean_bytes", COLUMN_MAYBE_REAL, AT(stored_port, result.queue_mean_bytes), "bytes",
	  .help = "time-weighted mean of the queue" },
	{ "queue_mean_pkts", COLUMN_MAYBE_REAL, AT(stored_port, result.queue_mean_pkts), "pkts",
	  .help = "time-weighted mean of the queue" },
	{ "queue_max_pkts", COLUMN_COUNT32, AT(stored_port, result.queue_max_pkts), "pkts",
	  .help = "maximum of the queue" },
	{ "port", COLUMN_PLACE, 0, "", .help = "order of the ports", HIDDEN },
	{ .name = NULL },
};

static const struct column pause_columns[] = {
	{ "link", COLUMN_TEXT, AT(stored_pause, link), "",
	  .help = "a link of which a class was paused, including those of hosts' NICs: "
		  "`left->right`, `h1->left`" },
	{ "class", COLUMN_COUNT32, AT(stored_pause, result.class_id), "",
	  .help = "the paused class" },
	{ "count", COLUMN_COUNT, AT(stored_pause, result.pauses), "",
	  .help = "pauses that started in the measured interval" },
	{ "paused_ps", COLUMN_TIME, AT(stored_pause, result.paused_ps), "ps",
	  .help = "paused time within the measured interval, including pauses that start before it "
		  "or end after it" },
	{ "place", COLUMN_PLACE, 0, "", .help = "by link, then by class", HIDDEN },
	{ .name = NULL },
};

static const struct column series_columns[] = {
	{ "name", COLUMN_TEXT, AT(stored_series, name), "",
	  .help = "name of the series: `queue sw->h0`", .csv = "series" },
	{ "unit", COLUMN_TEXT, AT(stored_series, unit), "", .help = "unit of the values: `pkts`" },
	{ "count", COLUMN_COUNT, AT(stored_series, count), "", .help = "points", HIDDEN },
	{ "time_ps", COLUMN_TIMES, AT(stored_series, time_ps), "ps",
	  .help = "count 64-bit integers, little endian" },
	{ "value", COLUMN_REALS, AT(stored_series, value), "",
	  .help = "count IEEE 754 doubles, little endian" },
	{ "place", COLUMN_PLACE, 0, "", .help = "order of the probes", HIDDEN },
	{ .name = NULL },
};

static const struct column plan_columns[] = {
	{ "place", COLUMN_ID, 0, "", .help = "order of the runs of the latest sweep" },
	{ "key", COLUMN_KEY, 0, "", .help = "key of a planned run, done or not" },
	{ .name = NULL },
};

static const struct column digest_columns[] = {
	{ "part", COLUMN_TEXT, 0, "",
	  .help = "a table with rows of the run, by its "
		  "name; of run 0 `list`, all keys, and `plan`" },
	{ "digest", COLUMN_COUNT, 0, "",
	  .help = "64 bits over the types and bytes of all values of these rows, in their order" },
	{ .name = NULL },
};

const struct table table_all[TABLES] = {
	[TABLE_RUN] = { "run", "id", run_columns, "runs", JSON_OBJECTS, "title" },
	[TABLE_SETTING] = { "setting", "place", setting_columns, .words = "settings" },
	[TABLE_METRIC] = { "metric", "name", metric_columns, .words = "metrics" },
	[TABLE_REASON] = { "reason", "place", reason_columns, "reasons", JSON_OBJECTS, "reasons" },
	[TABLE_TRAFFIC] = { "traffic", "traffic", traffic_columns, .words = "names of traffic" },
	[TABLE_FLOW] = { "flow", "flow", flow_columns, "flows", JSON_ROWS, "flows" },
	[TABLE_PORT] = { "port", "port", port_columns, "ports", JSON_ROWS, "ports" },
	[TABLE_PAUSES] = { "pauses", "place", pause_columns, "pauses", JSON_OBJECTS, "pauses" },
	[TABLE_SERIES] = { "series", "place", series_columns, "series", JSON_OBJECTS, "series" },
	[TABLE_PLAN] = { "plan", "place", .columns = plan_columns },
	[TABLE_DIGEST] = { "digest", "part", .columns = digest_columns },
};

/* --- a column of a row --- */

int column_is_stored(const struct column *c)
{
	return c->type != COLUMN_DERIVED;
}

const char *column_sql(const struct column *c)
{
	static const char *const words[COLUMN_TYPES] = {
		[COLUMN_ID] = "INTEGER PRIMARY KEY", [COLUMN_KEY] = "TEXT NOT NULL UNIQUE",
		[COLUMN_PLACE] = "INTEGER NOT NULL", [COLUMN_COUNT32] = "INTEGER NOT NULL",
		[COLUMN_COUNT] = "INTEGER NOT NULL", [COLUMN_FLAG] = "INTEGER NOT NULL",
		[COLUMN_TIME] = "INTEGER NOT NULL",  [COLUMN_MAYBE_TIME] = "INTEGER",
		[COLUMN_MAYBE_SIZE] = "INTEGER",     [COLUMN_REAL] = "REAL NOT NULL",
		[COLUMN_MAYBE_REAL] = "REAL",        [COLUMN_TEXT] = "TEXT NOT NULL",
		[COLUMN_MAYBE_TEXT] = "TEXT",        [COLUMN_TIMES] = "BLOB NOT NULL",
		[COLUMN_REALS] = "BLOB NOT NULL",
	};

	return words[c->type];
}

const char *column_csv_name(const struct column *c)
{
	return c->csv ? c->csv : c->name;
}

struct cell column_cell(const struct column *c, const void *row, uint64_t point)
{
	const void *at = (const char *)row + c->offset;
	const char *text;
	uint64_t size;

	switch (c->type) {
	case COLUMN_COUNT32:
		return cell_integer(*(const uint32_t *)at);
	case COLUMN_COUNT:
		return cell_integer((int64_t) * (const uint64_t *)at);
	case COLUMN_FLAG:
		return cell_flag(*(const int *)at);
	case COLUMN_TIME:
		return cell_integer(*(const int64_t *)at);
	case COLUMN_MAYBE_TIME:
		return cell_maybe(*(const int64_t *)at, *(const int64_t *)at >= 0);
	case COLUMN_MAYBE_SIZE:
		size = *(const uint64_t *)at;
		return cell_maybe((int64_t)size, size != FLOW_UNLIMITED);
	case COLUMN_REAL:
	case COLUMN_MAYBE_REAL:
		return cell_real(*(const double *)at);
	case COLUMN_KEY:
	case COLUMN_TEXT:
		return cell_text(*(const char *const *)at);
	case COLUMN_MAYBE_TEXT:
		text = *(const char *const *)at;
		return text ? cell_text(text) : (struct cell){ .kind = CELL_UNKNOWN };
	case COLUMN_TIMES:
		return cell_integer((*(const int64_t *const *)at)[point]);
	case COLUMN_REALS:
		return cell_real((*(const double *const *)at)[point]);
	case COLUMN_DERIVED:
	case COLUMN_ID:
	case COLUMN_PLACE:
	case COLUMN_TYPES:
		break;
	}
	return (struct cell){ .kind = CELL_UNKNOWN };
}

struct cell column_shown(const struct column *c, const void *row, uint64_t point)
{
	return c->show ? c->show(row) : column_cell(c, row, point);
}

enum cell_kind column_shown_kind(const struct column *c)
{
	if (c->show)
		return c->shows;
	switch (c->type) {
	case COLUMN_ID:
	case COLUMN_PLACE:
	case COLUMN_COUNT32:
	case COLUMN_COUNT:
	case COLUMN_TIME:
	case COLUMN_TIMES:
		return CELL_INTEGER;
	case COLUMN_FLAG:
		return CELL_FLAG;
	case COLUMN_KEY:
	case COLUMN_TEXT:
	case COLUMN_MAYBE_TEXT:
		return CELL_TEXT;
	case COLUMN_MAYBE_TIME:
	case COLUMN_MAYBE_SIZE:
	case COLUMN_REAL:
	case COLUMN_MAYBE_REAL:
	case COLUMN_REALS:
		return CELL_REAL;
	case COLUMN_DERIVED:
	case COLUMN_TYPES:
		break;
	}
	return CELL_UNKNOWN;
}

/* --- as Markdown --- */

/* Names the exports that show the column, unless all do. */
static const char *markdown_views(const struct column *c)
{
	return c->hidden_in & VIEW_JSON    ? " (CSV alone)"
	       : c->hidden_in & VIEW_STORE ? " (`weir run` alone)"
					   : "";
}

/* Writes the exported name of a stored column. If exports have another order, a COLUMN_DERIVED
 * column of the same name represents it there. */
static void print_exported(FILE *f, const struct table *t, const struct column *stored)
{
	for (const struct column *c = t->columns; c->name && t->export_name; c++)
		if (strcmp(c->name, stored->name) == 0 && c->hidden_in != VIEW_EVERY)
			fprintf(f, "%s%s", column_csv_name(c), markdown_views(c));
}

static void markdown_print_table(FILE *f, const struct table *t)
{
	const char *name = t->name;

	for (const struct column *c = t->columns; c->name; c++) {
		if (!c->help) /* explained with the stored column */
			continue;
		fprintf(f, "| %s | ", name);
		if (column_is_stored(c))
			/* the first word of "INTEGER NOT NULL" */
			fprintf(f, "%s | %.*s | ", c->name, (int)strcspn(column_sql(c), " "),
				column_sql(c));
		else
			fputs(" | | ", f);
		fprintf(f, "%s | ", c->unit);
		print_exported(f, t, c);
		fprintf(f, " | %s |\n", c->help);
		name = "";
	}
}

static void markdown_print_file(FILE *f, const struct table *t)
{
	fprintf(f, "| %s.csv | run", t->export_name);
	for (const struct column *c = t->columns; c->name; c++)
		if (!(c->hidden_in & VIEW_CSV))
			fprintf(f, ", %s%s", column_csv_name(c),
				c->hidden_in & VIEW_STORE ? markdown_views(c) : "");
	fprintf(f, "%s |\n",
		t == &table_all[TABLE_RUN] ? "; then every setting that some run has, by its path; "
					     "then every metric, by its name"
					   : "");
}

void columns_markdown(FILE *f)
{
	fputs("| table | column | type | unit | exported as | meaning "
	      "|\n|---|---|---|---|---|---|\n",
	      f);
	for (int i = 0; i < TABLES; i++)
		markdown_print_table(f, &table_all[i]);
	fputs("\n| file | columns |\n|---|---|\n", f);
	for (int i = 0; i < TABLES; i++)
		if (table_all[i].export_name)
			markdown_print_file(f, &table_all[i]);
}
