/* SPDX-License-Identifier: BSD-3-Clause */
/* version.h -- the identity of the program: its version, the sources that decide what a run
 * gives (tools/identity.sh says which), and the commit where there is one. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define WEIR_VERSION "0.3.0"

/* Twelve hexadecimal digits: the same for any two programs that give the same results. */
extern const char version_sources[];
/* Likewise of what trains (train/). */
extern const char version_trainers[];
/* "v0.3.0-3-g1234567", with "+changes" where files differ from it, or "no commit". */
extern const char version_commit[];

/* What stands beside every result, WEIR_VERSION+version_sources. */
enum { VERSION_SIZE = 48 };
struct version {
	char text[VERSION_SIZE];
};
struct version version_of_results(void);

/* Beside what was learnt: WEIR_VERSION+version_sources+version_trainers. */
struct version version_of_training(void);
#endif
