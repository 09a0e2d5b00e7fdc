/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h -- options and words that several commands share: each is declared once here and read
 * by one function. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H
#include "cli/commands.h"
#include "lab/analysis/answer.h"
#include "lab/capture/pcap.h"
#include "lab/scenario/scenario.h"

/* --- entries of option tables --- */

#define OPTIONS_OF_SCENARIO \
	{ "--set", "SECTION.KEY=VALUE", \
	  "overrides a setting, in all cases; may be given several times", OFFER_SETTING }, \
		{ "--marking", "SPEC", "short for --set switch.marking=SPEC", OFFER_MARKING }, \
		{ "--scheduler", "SPEC", "short for --set switch.scheduler=SPEC", \
		  OFFER_SCHEDULER }, \
		{ "--cc", "SPEC", "short for --set host.cc=SPEC", OFFER_CC }, \
	{ \
		"--seed", "N", "seed of all random numbers, overrides the file's", OFFER_NOTHING \
	}

#define OPTION_FULL \
	{ \
		"--full", NULL, "uses the settings of [full]", OFFER_NOTHING \
	}
#define OPTION_ALL \
	{ \
		"--all", NULL, "includes runs that are not of the latest sweep", OFFER_NOTHING \
	}
#define OPTION_QUIET \
	{ \
		"--quiet", NULL, "prints no progress", OFFER_NOTHING \
	}
#define OPTION_JOBS \
	{ \
		"--jobs", "N", "parallel runs; one per core unless given", OFFER_NOTHING \
	}

#define OPTION_CSV(value) \
	{ \
		"--csv", value, \
			"writes runs.csv, reasons.csv, flows.csv, ports.csv, pauses.csv and " \
			"series.csv", \
			OFFER_FOLDER \
	}

/* Of commands that read scenarios: plug-ins that a file names are loaded wherever they lie. */
#define OPTION_ALLOW_PLUGINS \
	{ \
		ALLOW_PLUGINS, NULL, \
			"allows plug-ins from any folder; without it only those in the folder of " \
			"the file that names them, and below", \
			OFFER_NOTHING \
	}

/* --- the scenario: FILE, --full, --set and its short forms, --seed --- */

enum scenario_size { SIZE_QUICK, SIZE_FULL };

/* With --full: the full one. */
enum scenario_size options_size(const struct arguments *a);

/* As the command line says, in its size or in the other. On -1 nothing is left to free. */
int options_scenario(const struct arguments *a, struct scenario *s, struct weir_error *e);
int options_scenario_of_size(const struct arguments *a, enum scenario_size size, struct scenario *s,
			     struct weir_error *e);

/* --jobs; 0: not given. */
int options_jobs(const struct arguments *a, uint64_t *jobs, struct weir_error *e);

/* --- every --pcap PORT=FILE, as taps of a run --- */

enum { CAPTURES_MAX = 16 };

struct captures {
	uint32_t count;
	struct pcap files[CAPTURES_MAX];
	struct tap taps[CAPTURES_MAX];
};

/* Opens the files; on -1 none is left. */
int captures_open(struct captures *c, const struct arguments *a, const struct config *config,
		  struct weir_error *e);

/* Either all files appear, or they are removed. */
int captures_publish(struct captures *c, struct weir_error *e);
void captures_abandon(struct captures *c);

/* --- the result folder --- */

enum { FOLDER_SIZE = 512 };

/* What the names of such folders end in, and the command that makes one. */
struct folder_kind {
	const char *suffix, *maker;
};

extern const struct folder_kind folder_of_results;

/* The first word of the command line, or the only folder of that kind here. */
int folder_find(const struct arguments *a, const struct folder_kind *kind, char folder[FOLDER_SIZE],
		struct weir_error *e);

/* Does the name end in the suffix, after something else? */
int folder_has_suffix(const char *name, const char *suffix);

/* Opens the store of that folder for reading and says where damage in it could not be noticed.
 * Returns an exit status, after complaining. */
int folder_open_results(const struct arguments *a, char folder[FOLDER_SIZE], struct store **store);

/* Which runs are meant: with --all every one, otherwise those of the latest sweep. */
enum store_scope folder_scope(const struct arguments *a);

/* "3 runs of other sweeps are not shown (--all; 'weir prune' deletes them)." or nothing. */
void folder_print_left_out(FILE *f, uint32_t count);

/* Where the runs of a scenario go unless told otherwise: "mine.ini" to "mine.results", here. What
 * must stay apart has a word of its own: with ".full" to "mine.full.results". */
int folder_default(const char *file, const char *word, char folder[FOLDER_SIZE],
		   struct weir_error *e);

/* Prints who wins (lab/analysis/answer.h), a sentence for each traffic section. */
int folder_print_answer(const struct comparison *c, struct store *s, const char *baseline,
			struct weir_error *e);

#endif
