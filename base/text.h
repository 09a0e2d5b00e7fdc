/* SPDX-License-Identifier: BSD-3-Clause */
/* text.h -- numbers and strings as text: display formats for people, exact formats for programs,
 * and the writers of CSV, JSON, HTML and Prometheus.
 *
 * All functions are reentrant and may be called from any thread. Writers do not check the stream;
 * its owner does when the stream is closed. Input strings may hold any bytes. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* --- display formats, in format.c --- */

/* The units that numbers are shown in, ascending; an array ends with .label == NULL. The numbers'
 * own unit, as in struct metric, is one of "ns", "s", "bps", "bytes", "pkts"; "%" is for fractions
 * that are shown as percentages. */
struct unit_scale {
	double factor; /* metric units per display unit */
	const char *label;
};

/* Never NULL: for any other unit the array holds { 1, "" }. */
const struct unit_scale *unit_scales(const char *unit);

/* Returned by value, so that a call can be an argument of printf. */
enum { FORMAT_TEXT_SIZE = 32 };
struct format_text {
	char text[FORMAT_TEXT_SIZE];
};

/* Four significant digits in the largest unit that keeps the number at or above 1: "9.637 Gb/s",
 * "42.5 us", "95.7 KB". NAN is "-". */
struct format_text format_time(double ns);
struct format_text format_rate(double bps);
struct format_text format_bytes(double bytes);
struct format_text format_percent(double fraction);

/* Whole numbers, and all from 10,000 on, in full with separators: "12,345"; others in four digits.
 */
struct format_text format_count(double number);

/* "1 h 02 min", "3 min 10 s", "4.2 s". */
struct format_text format_duration(double seconds);

/* One of the above, chosen by the metric's unit; format_count for all other units. */
struct format_text format_quantity(double value, const char *unit);

/* --- exact formats, in format.c --- */

/* The shortest decimal that strtod reads as the same double. */
struct format_text format_exact(double value);

/* A time in the largest unit that is exact, as users write it: "12.5us" is "12500ns". */
struct format_text format_exact_ps(uint64_t ps);

/* --- writers --- */

/* A CSV field, quoted where RFC 4180 requires it. */
void csv_write_text(FILE *f, const char *text);

/* A comma and the number; nothing after the comma where the number is not finite. */
void csv_write_number(FILE *f, double value);

void write_integer(FILE *f, int64_t number);

/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void json_write_string(FILE *f, const char *text);

/* Character data of HTML or XML, valid inside quoted attributes too. Markup is escaped; bytes that
 * are not UTF-8, and characters that XML forbids, become U+FFFD. */
void html_write_text(FILE *f, const char *text);

/* A JSON string that is safe inside an HTML script element. */
void html_write_json_string(FILE *f, const char *text);

/* Prometheus text format 0.0.4. A program declares its metrics in a table that ends with a NULL
 * name, and calls prometheus_write once per kind of object that it counts. */
#define PROMETHEUS_CONTENT_TYPE "text/plain; version=0.0.4"

struct prometheus_metric {
	int id;           /* passed to prometheus_objects.read */
	const char *name; /* a counter's ends in _total */
	const char *type; /* "counter" or "gauge" */
	const char *help; /* one sentence */
};

/* The objects that have the metrics. */
struct prometheus_objects {
	const char *label; /* its value is the object's name; NULL: one object, no label */
	uint32_t count;
	const char *(*name)(const void *context, uint32_t object);
	double (*read)(const void *context, uint32_t object, int metric);
	const void *context;
};

/* The HELP and TYPE lines alone, for samples that prometheus_write cannot express. */
void prometheus_write_head(FILE *f, const struct prometheus_metric *m);
void prometheus_write(FILE *f, const struct prometheus_metric *metrics,
		      const struct prometheus_objects *objects);

/* --- strings on the heap, freed by the caller --- */

char *text_copy(const char *text);

/* sprintf into a new string that replaces *text, which is freed; *text may be an argument. */
void text_print(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
