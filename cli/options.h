/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h -- options and words shared by commands: each is declared once and parsed by one
 * function. Functions return 0, or -1 with a message, unless they say otherwise. */
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

/* For commands that read scenarios. */
#define OPTION_ALLOW_PLUGINS \
	{ \
		ALLOW_PLUGINS, NULL, \
			"allows plug-ins from any folder; without it only those in the folder of " \
			"the file that names them, and below", \
			OFFER_NOTHING \
	}

/* --- the scenario: FILE, --full, --set and its short forms, --seed --- */

enum scenario_size { SIZE_QUICK, SIZE_FULL };

/* SIZE_FULL with --full. */
enum scenario_size options_size(const struct arguments *a);

/* Reads the scenario of the command line, with its settings applied, in the size of the command
 * line or in the given one. Notes on former names of settings go to stderr. After -1 nothing is
 * left to free. */
int options_scenario(const struct arguments *a, struct scenario *s, struct weir_error *e);
int options_scenario_of_size(const struct arguments *a, enum scenario_size size, struct scenario *s,
			     struct weir_error *e);

/* The value of --jobs; 0: not given. */
int options_jobs(const struct arguments *a, uint64_t *jobs, struct weir_error *e);

/* --- every --pcap PORT=FILE, as taps of a run --- */

enum { CAPTURES_MAX = 16 };

struct captures {
	uint32_t count;
	struct pcap files[CAPTURES_MAX];
	struct tap taps[CAPTURES_MAX];
};

/* Opens the files; after -1 none is left open. */
int captures_open(struct captures *c, const struct arguments *a, const struct config *config,
		  struct weir_error *e);

/* Publishes all files under their names, or removes them. */
int captures_publish(struct captures *c, struct weir_error *e);
void captures_abandon(struct captures *c);

/* --- the result folder --- */

enum { FOLDER_SIZE = 512 };

/* The suffix of a kind of folder, and the command that creates one. */
struct folder_kind {
	const char *suffix, *maker;
};

extern const struct folder_kind folder_of_results;

/* The first word of the command line, or the only folder of that kind in the current directory. */
int folder_find(const struct arguments *a, const struct folder_kind *kind, char folder[FOLDER_SIZE],
		struct weir_error *e);

/* Does a non-empty name precede the suffix? */
int folder_has_suffix(const char *name, const char *suffix);

/* Opens the store of the folder for reading; warns if it has no digests. Returns an exit status,
 * after printing the message. */
int folder_open_results(const struct arguments *a, char folder[FOLDER_SIZE], struct store **store);

/* Every run with --all, otherwise those of the latest sweep. */
enum store_scope folder_scope(const struct arguments *a);

/* Prints "3 runs of other sweeps are not shown (--all; 'weir prune' deletes them).", if count is
 * not 0. */
void folder_print_left_out(FILE *f, uint32_t count);

/* The default result folder of a scenario, in the current directory: "mine.ini" to
 * "mine.results", with word ".full" to "mine.full.results". */
int folder_default(const char *file, const char *word, char folder[FOLDER_SIZE],
		   struct weir_error *e);

/* Prints the answer of a comparison (lab/analysis/answer.h), a sentence per traffic section. */
int folder_print_answer(const struct comparison *c, struct store *s, const char *baseline,
			struct weir_error *e);

#endif
