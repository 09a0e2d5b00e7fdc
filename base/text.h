/* SPDX-License-Identifier: BSD-3-Clause */
/* text.h -- numbers and words for people and for programs: quantities in units that suit their
 * size, fields of CSV, strings of JSON. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

/* A field of CSV, in quotes where it needs them; a comma and a number, or nothing after the comma
 * where it is not known. */
void csv_text(FILE *f, const char *text);
void csv_number(FILE *f, double value);

/* A whole number, in CSV and in JSON. */
void integer_text(FILE *f, int64_t number);

/* A string of JSON, whatever the bytes. */
void json_text(FILE *f, const char *text);

/* For the caller to free. */
char *text_copy(const char *text);

/* Frees what *text was and writes anew, as sprintf does. */
void text_print(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
