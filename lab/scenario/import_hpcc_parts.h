/* SPDX-License-Identifier: BSD-3-Clause */
/* import_hpcc_parts.h -- used between the files of import_hpcc. */
#ifndef LAB_SCENARIO_IMPORT_HPCC_PARTS_H
#define LAB_SCENARIO_IMPORT_HPCC_PARTS_H
#include "lab/scenario/import_hpcc.h"

const struct hpcc_value *hpcc_value_of(const struct import_hpcc *h, enum hpcc_key key);
double hpcc_number_of(const struct import_hpcc *h, enum hpcc_key key);
int hpcc_mode_of(const struct import_hpcc *h);

/* Adds "MULTI_RATE 1: one rate for ...", with the key's line. */
void import_hpcc_note(struct import_hpcc *h, enum hpcc_key key, const char *what);

/* Adds a setting that is located at the line of that key. */
void import_hpcc_add(struct import_hpcc *h, struct scenario *s, enum hpcc_key key, const char *path,
		     const char *format, ...) __attribute__((format(printf, 5, 6)));

int import_hpcc_mistake(const struct import_hpcc *h, enum hpcc_key key, const char *what,
			struct weir_error *e);

/* Refuses keys that are missing or 0. */
int import_hpcc_check_given(const struct import_hpcc *h, const enum hpcc_key *keys, size_t count,
			    struct weir_error *e);
#define CHECK_GIVEN(h, e, ...) \
	import_hpcc_check_given( \
		h, (const enum hpcc_key[]){ __VA_ARGS__ }, \
		sizeof((const enum hpcc_key[]){ __VA_ARGS__ }) / sizeof(enum hpcc_key), e)

const char *hpcc_rate_text(char *buffer, size_t size, double bps);

/* A number without exponent (options accept none) and without trailing zeros. */
struct hpcc_plain {
	char text[32];
};
struct hpcc_plain hpcc_plain(double number);

/* Settings of the congestion control and of hosts: import_hpcc_control.c. */
int import_hpcc_control(struct import_hpcc *h, struct scenario *s, struct weir_error *e);
int import_hpcc_transport(struct import_hpcc *h, struct scenario *s, struct weir_error *e);
#endif
