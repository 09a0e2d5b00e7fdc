/* SPDX-License-Identifier: BSD-3-Clause */
/* version.h -- the identity of the program: the released version, hashes of the sources that decide
 * results (tools/identity.sh generates them), and the commit. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H
#include <stdio.h>

#define WEIR_VERSION "0.3.0"

/* Twelve hexadecimal digits: equal in any two programs that give the same results. */
extern const char version_sources[];
/* The same for the sources of train/. */
extern const char version_trainers[];
/* "v0.3.0-3-g1234567", with "+changes" for a modified tree, or "no commit". */
extern const char version_commit[];

enum { VERSION_SIZE = 48 };
struct version {
	char text[VERSION_SIZE];
};

/* Stored beside every result. */
static inline struct version version_of_results(void)
{
	struct version v;

	snprintf(v.text, sizeof(v.text), "%s+%s", WEIR_VERSION, version_sources);
	return v;
}

/* Stored in checkpoints and models. */
static inline struct version version_of_training(void)
{
	struct version v;

	snprintf(v.text, sizeof(v.text), "%s+%s+%s", WEIR_VERSION, version_sources,
		 version_trainers);
	return v;
}
#endif
