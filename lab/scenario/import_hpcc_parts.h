/* SPDX-License-Identifier: BSD-3-Clause */
/* import_hpcc_parts.h -- used between the files of import_hpcc. */
#ifndef LAB_SCENARIO_IMPORT_HPCC_PARTS_H
#define LAB_SCENARIO_IMPORT_HPCC_PARTS_H
#include "lab/scenario/import_hpcc.h"

const struct hpcc_value *hpcc_value_of(const struct import_hpcc *h, enum hpcc_key key);
double hpcc_number_of(const struct import_hpcc *h, enum hpcc_key key);
int hpcc_mode_of(const struct import_hpcc *h);

/* "MULTI_RATE 1: one rate for ..."; the line is kept beside it. */
void import_hpcc_note(struct import_hpcc *h, enum hpcc_key key, const char *what);

/* A setting, of the line of that key. */
void import_hpcc_add(struct import_hpcc *h, struct scenario *s, enum hpcc_key key, const char *path,
		     const char *format, ...) __attribute__((format(printf, 5, 6)));

int import_hpcc_mistake(const struct import_hpcc *h, enum hpcc_key key, const char *what,
			struct weir_error *e);

/* The keys that a control reads must be there, and above 0: there is no such thing as no timer. */
int import_hpcc_check_given(const struct import_hpcc *h, const enum hpcc_key *keys, size_t count,
			    struct weir_error *e);
#define CHECK_GIVEN(h, e, ...) \
	import_hpcc_check_given( \
		h, (const enum hpcc_key[]){ __VA_ARGS__ }, \
		sizeof((const enum hpcc_key[]){ __VA_ARGS__ }) / sizeof(enum hpcc_key), e)

const char *hpcc_rate_text(char *buffer, size_t size, double bps);

/* A number without exponent, as options want it, and without the zeros at its end. */
struct hpcc_plain {
	char text[32];
};
struct hpcc_plain hpcc_plain(double number);

/* The congestion control and what hosts do, in import_hpcc_control.c. */
int import_hpcc_control(struct import_hpcc *h, struct scenario *s, struct weir_error *e);
int import_hpcc_transport(struct import_hpcc *h, struct scenario *s, struct weir_error *e);
#endif
