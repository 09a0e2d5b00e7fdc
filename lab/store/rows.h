/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.h -- the rows of a run, table by table: the structs that columns.h tells the columns of.
 *
 * They are made from a run that has just ended (finished_each) or read from a store (store_each);
 * writers do not ask which. */
#ifndef LAB_STORE_ROWS_H
#define LAB_STORE_ROWS_H
#include "lab/store/columns.h"
#include "sim/run/run.h"

struct run_head {
	const char *key, *title, *version;
	double wall_seconds;
	const char *held_up; /* why a real-time run was disturbed; NULL: it was not */
	int partial;         /* 1: interrupted before its end; never in a store */
};

struct setting_row {
	const char *path, *value;
};

struct metric_row {
	const char *name;
	double value; /* NAN: unknown */
};

/* Name of a metric of one traffic section: "round_mean_ns of ai". */
enum { SECTION_METRIC_SIZE = 192 };

void section_metric_name(char name[SECTION_METRIC_SIZE], const char *metric, const char *section);

struct traffic_row {
	const char *name;
};

/* Rows of TABLE_REASON are struct reason_count. */

struct stored_flow {
	uint32_t flow;
	const char *traffic; /* name of its traffic section */
	uint32_t section;    /* number of the section */
	uint32_t class_id, src, dst;
	uint64_t size_bytes;                   /* FLOW_UNLIMITED */
	int64_t start_ps, finish_ps, ideal_ps; /* -1: unknown */
};

struct stored_port {
	const char *name;          /* "leaf0->h3" */
	int measured;              /* 1: the run's queue metrics refer to this port */
	struct port_result result; /* its link number is not valid */
};

/* PFC pauses of one class of a link. */
struct stored_pause {
	const char *link;           /* "leaf0->h3", "h3->leaf0" */
	struct pause_result result; /* its link number is not valid */
};

/* One sampled or traced quantity, as struct series of sim/measure/result.h. */
struct stored_series {
	const char *name, *unit;
	uint64_t count;
	const int64_t *time_ps;
	const double *value;
};

/* A run that has just ended. */
struct finished_run {
	const char *key;
	const struct config *c;
	const struct run_result *r;
};

/* Visits the rows of one of its tables. */
int finished_each(const struct finished_run *f, enum table_id table, const struct row_visitor *v,
		  struct weir_error *e);
#endif
