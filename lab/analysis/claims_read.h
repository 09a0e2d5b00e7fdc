/* SPDX-License-Identifier: BSD-3-Clause */
/* claims_read.h -- shared by the files that read FIG.claims: one section's keys and values. */
#ifndef LAB_ANALYSIS_CLAIMS_READ_H
#define LAB_ANALYSIS_CLAIMS_READ_H
#include "base/ini.h"
#include "lab/analysis/claims.h"

enum claims_section_kind { SECTION_FIGURE, SECTION_PANEL, SECTION_CLAIM };

enum { CLAIMS_KEYS_MAX = 20 };

struct claims_entry {
	const char *key; /* of the section's key table */
	char *value;
	int line;
};

struct claims_section {
	enum claims_section_kind kind;
	char name[INI_NAME_SIZE];
	int line; /* line of the header; 0: before the first section */
	uint32_t count;
	struct claims_entry entries[CLAIMS_KEYS_MAX];
	int at; /* line of the value being read, for messages */
};

/* The value of a key, or NULL. Later messages refer to the line of this key. */
const char *section_value(struct claims_section *s, const char *key);

/* Moves the text out of the section; the caller frees it. If the key is absent: "" or NULL, as
 * requested. */
enum absent { ABSENT_IS_EMPTY, ABSENT_IS_NULL };
char *section_take(struct claims_section *s, const char *key, enum absent absent);

/* Both need the section's required keys to be present. Messages start with the key. A rejected
 * panel or claim is freed together with the figure. */
int panel_make(struct panel *p, struct claims_section *s, struct weir_error *e);
int claim_make(struct claim *c, struct claims_section *s, struct weir_error *e);
#endif
