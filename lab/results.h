/* results.h -- a run's numbers for people (a table), for programs (JSON) and for both (CSV).
 *
 * Writers put out the same bytes for the same result; what depends on the machine (METRIC_COST)
 * is in a group of its own. A quantity that cannot be known is "-" in the table, null in JSON and
 * an empty field in CSV. */
#ifndef LAB_RESULTS_H
#define LAB_RESULTS_H
#include "sim/run.h"
#include <stdio.h>

void results_table(FILE *f, const struct config *c, const struct run_result *r);

int results_json(FILE *f, const struct config *c, const struct run_result *r, struct error *e);

/* runs.csv, flows.csv, ports.csv and pauses.csv in a folder that is made where it does not exist. All
 * appear, or none. */
int results_csv(const char *folder, const struct config *c, const struct run_result *r,
		struct error *e);

/* Could results_csv write there? Asked before a run; leaves nothing behind. */
int results_csv_probe(const char *folder, struct error *e);

/* --- used between the files of this module --- */

enum { HUMAN_SIZE = 32 };

/* A quantity in a unit that suits its size, four digits: "9.637 Gb/s", "42.5 us", "95.7 KB". */
struct human {
	char text[HUMAN_SIZE];
};

struct human human_time(double ns);
struct human human_rate(double bps);
struct human human_bytes(double bytes);
struct human human_count(double number); /* whole or large: "12,345"; otherwise four digits */
struct human human_percent(double fraction);
struct human human_duration(double seconds); /* "1 h 02 min", "3 min 10 s", "4.2 s" */

/* By the unit that a metric has: "ns", "s", "bps", "bytes", others as they are. */
struct human human_quantity(double value, const char *unit);

/* The shortest text that reads back as the same number. */
struct human exact_number(double value);

/* A field of CSV, in quotes where it needs them; a comma and a number, or nothing after the comma where
 * it is not known. */
void csv_text(FILE *f, const char *text);
void csv_number(FILE *f, double value);

/* "completed", "unfinished", "unlimited", or "never-started": waited for others in vain. */
const char *flow_state(uint64_t size_bytes, int64_t start_ps, int64_t finish_ps);
/* "data", or "control" for a flow of some size that has no ideal completion time: sim/gate.h. */
const char *flow_kind(uint64_t size_bytes, int64_t ideal_ps);

/* A string of JSON, whatever the bytes. */
void json_text(FILE *f, const char *text);

/* Length of the well-formed UTF-8 sequence at s, 0: none. Overlong forms, surrogates and what lies
 * beyond U+10FFFF are not well formed. */
size_t utf8_length(const unsigned char *s);

/* Index into metric_all, or -1. */
int metric_index(const char *name);
#endif
