/* SPDX-License-Identifier: BSD-3-Clause */
/* claims_read.h -- what the files that read FIG.claims share: a section as it was written. */
#ifndef LAB_ANALYSIS_CLAIMS_READ_H
#define LAB_ANALYSIS_CLAIMS_READ_H
#include "base/ini.h"
#include "lab/analysis/claims.h"

enum claims_section_kind { SECTION_FIGURE, SECTION_PANEL, SECTION_CLAIM };

enum { CLAIMS_KEYS_MAX = 20 };

struct claims_entry {
	const char *key; /* of the section's table */
	char *value;
	int line;
};

struct claims_section {
	enum claims_section_kind kind;
	char name[INI_NAME_SIZE];
	int line; /* of the header, 0: there is no section yet */
	uint32_t count;
	struct claims_entry entries[CLAIMS_KEYS_MAX];
	int at; /* line of what is being read, for the message */
};

/* The value of a key, or NULL; messages are then about its line. */
const char *section_value(struct claims_section *s, const char *key);

/* Takes the text away from the section; "" or NULL where the key is not given. The caller frees
 * it. */
enum absent { ABSENT_IS_EMPTY, ABSENT_IS_NULL };
char *section_take(struct claims_section *s, const char *key, enum absent absent);

/* From a section whose required keys are there. Messages start with the key. What is left of a
 * panel or claim that was refused is freed with the figure. */
int panel_make(struct panel *p, struct claims_section *s, struct weir_error *e);
int claim_make(struct claim *c, struct claims_section *s, struct weir_error *e);
#endif
