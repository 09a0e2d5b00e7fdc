/* SPDX-License-Identifier: BSD-3-Clause */
/* topics.h -- words that users type although they are no name of the catalogue: what they mean, in
 * about ten lines, and which settings and metrics they are about. */
#ifndef CLI_TOPICS_H
#define CLI_TOPICS_H

struct topic {
	const char *name;
	const char *also; /* other words for it, divided by blanks; may be empty */
	const char *text; /* lines of at most 80 columns */
};

extern const struct topic topic_all[]; /* ends with .name == NULL */

/* By its name or another word for it; NULL: there is none. */
const struct topic *topic_find(const char *word);
#endif
