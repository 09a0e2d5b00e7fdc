/* SPDX-License-Identifier: BSD-3-Clause */
/* text.h -- numbers and words for people and for programs: quantities in units that suit their
 * size, fields of CSV, strings of JSON. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { FORMAT_TEXT_SIZE = 32 };

/* A quantity in a unit that suits its size, four digits: "9.637 Gb/s", "42.5 us", "95.7 KB". */
struct format_text {
	char text[FORMAT_TEXT_SIZE];
};

struct format_text format_time(double ns);
struct format_text format_rate(double bps);
struct format_text format_bytes(double bytes);
struct format_text
format_count(double number); /* whole or large: "12,345"; otherwise four digits */
struct format_text format_percent(double fraction);
struct format_text format_duration(double seconds); /* "1 h 02 min", "3 min 10 s", "4.2 s" */

/* By the unit that a metric has: "ns", "s", "bps", "bytes", others as they are. */
struct format_text format_quantity(double value, const char *unit);

/* The shortest text that reads back as the same number. */
struct format_text format_exact(double value);

/* A field of CSV, in quotes where it needs them; a comma and a number, or nothing after the comma
 * where it is not known. */
void csv_write_text(FILE *f, const char *text);
void csv_write_number(FILE *f, double value);

/* A whole number, in CSV and in JSON. */
void write_integer(FILE *f, int64_t number);

/* A string of JSON, whatever the bytes. */
void json_write_string(FILE *f, const char *text);

/* For the caller to free. */
char *text_copy(const char *text);

/* Frees what *text was and writes anew, as sprintf does. */
void text_print(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
