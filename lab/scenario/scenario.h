/* SPDX-License-Identifier: BSD-3-Clause */
/* scenario.h -- a scenario file: what its author wrote, kept as written, and the config it means.
 *
 * The form is INI (base/ini.h). The title is the question that the file asks. Only the key "seed"
 * may stand before the first section.
 *
 * [case NAME] and [full] hold settings by their paths, kept apart from the others. A case counts
 * after scenario_use_case, [full] after scenario_use_full.
 *
 * Reading keeps the settings as a list of texts, so that a config can be made again and again with
 * some of them replaced. Nothing is checked against the tables of options before scenario_config,
 * which makes the order of keys free. Every message says where the mistake is: "FILE:LINE:
 * section.key: " or "--set section.key=value: ". */
#ifndef LAB_SCENARIO_SCENARIO_H
#define LAB_SCENARIO_SCENARIO_H
#include "base/text.h"
#include "config/config.h"

struct section;

struct setting {
	char *path; /* "network.hosts", "traffic.web.load", "seed" */
	char *value;
	int line; /* in the file; 0: given by scenario_set */
};

struct scenario_section {
	char *path; /* "network", "traffic.web" */
	int line;
};

/* Settings that count only when asked for: [case NAME], [full] and [full NAME]. */
struct setting_bundle {
	char *name; /* "tcn" of [case tcn], "full" */
	int line;   /* of the header */
	uint32_t count;
	struct setting *settings;
	struct setting_bundle *full; /* of a case: its [full NAME]; NULL: there is none */
};

struct scenario {
	char *file; /* for messages */
	char title[WEIR_OPT_TEXT_SIZE];
	char renamed[WEIR_OPT_TEXT_SIZE]; /* note about a former name, see config.h; empty: none */
	uint32_t section_count, setting_count, setting_room;
	struct scenario_section *sections; /* in the order of the file */
	struct setting *settings;          /* without those of bundles */
	uint32_t case_count;
	struct setting_bundle *cases;         /* in the order of the file */
	struct setting_bundle full;           /* name NULL: there is no [full] */
	const struct setting_bundle *in_case; /* NULL: none is in use */
};

/* Reads a file, or text that is already in memory and is called file in messages. On -1 nothing is
 * left to free. */
int scenario_read(struct scenario *s, const char *file, struct weir_error *e);
int scenario_read_text(struct scenario *s, const char *file, const char *text, size_t length,
		       struct weir_error *e);
void scenario_free(struct scenario *s);

/* Replaces settings and lists of the file by those of [full], and those of cases by those of [full
 * NAME], before any scenario_set. Without these sections nothing changes. */
void scenario_use_full(struct scenario *s);

/* From now on the settings of that case count, and of no other case; NULL: of none. What
 * scenario_set gave comes before them. -1: there is no such case; the message has no place. */
int scenario_use_case(struct scenario *s, const char *name, struct weir_error *e);

/* "section.key=value": replaces the setting or adds it; of a setting that [sweep] lists, the list.
 * A key that may be repeated loses its lines of the file; further calls add lines. Several lines in
 * one value are divided by ";". */
int scenario_set(struct scenario *s, const char *assignment, struct weir_error *e);

/* Makes a config from defaults and settings and checks it (config_check). On -1 nothing is left to
 * free. */
int scenario_config(const struct scenario *s, struct config *c, struct weir_error *e);

/* Puts the place in front of a message that starts with a path ("network.hosts: ..."), as those
 * of config_check, network_build and traffic_generate do. Returns -1. */
int scenario_locate(const struct scenario *s, struct weir_error *e);

/* Every setting that has a value, defaults included, as a user would write it, with schemes spelled
 * out: what identifies a run. The lines of a repeated key come as one text, divided by "; ", which
 * scenario_set reads again. Where a setting names a file (a plug-in, a topology, flows, sizes), or
 * a scheme that works with a model, a line "digest.PATH" says what is in it: base/digest.h. Of a
 * run with real packets the first is "world", real. */
typedef void setting_visitor(void *context, const char *path, const char *text);
int scenario_settings(const struct config *c, setting_visitor *visit, void *context,
		      struct weir_error *e);

/* --- used between the files of this module --- */

/* The parts of "traffic.web.load": section "traffic", name "web" (NULL: none), owner "traffic.web",
 * key "load". A path without a dot has only a key. */
struct setting_path {
	char section[32], owner[128];
	const char *name, *key;
};

/* -1: too long. The parts point into path and p. */
int path_split(const char *path, struct setting_path *p);

/* The section of that name, section_root where there is none in the path; NULL: unknown. */
const struct section *path_section(const struct setting_path *p);

#define SWEEP_PREFIX "sweep." /* of lists: "sweep.switch.marking" */
#define CASE_PATH "case"      /* which case it is, as if that were a setting */

/* The next of the settings that count: of scenario_set, else of the case in use, else of the file.
 * *i starts at 0; NULL: there are no more. */
const struct setting *scenario_next(const struct scenario *s, uint32_t *i);

/* NULL: there is none of that name. The other one says which there are, without a place. */
const struct setting_bundle *scenario_case(const struct scenario *s, const char *name);
int scenario_check_case(const struct scenario *s, const char *name, struct weir_error *e);
const struct setting *bundle_find(const struct setting_bundle *b, const char *path);
void bundle_add(struct setting_bundle *b, const char *path, const char *value, int line);
void bundle_free(struct setting_bundle *b);

/* Are all bundles filled with settings that there are? */
int scenario_check_bundles(const struct scenario *s, struct weir_error *e);

/* Can every value that stands in the file be read, used or not? Each by itself, lists aside. */
int scenario_check_values(const struct scenario *s, struct weir_error *e);

/* Reads the value of a setting; the message does not name the key, which setting_prefix does. */
int setting_parse(void *params, const struct weir_option *o, const char *value,
		  struct weir_error *e);

/* Is it a list, "sweep.PATH"? Then PATH, otherwise NULL. */
const char *path_of_list(const char *path);

/* May it stand on several lines? */
int path_is_repeated(const char *path);

enum whose { OF_FILE, OF_ALL };

/* Removes the settings of this path: those of the file, or those of scenario_set as well. */
void scenario_drop(struct scenario *s, const char *path, enum whose whose);

/* Gives a setting its only value where it stands, or adds it; of one that [sweep] lists, the
 * list. */
void scenario_replace(struct scenario *s, const char *path, const char *value, int line);

void scenario_add(struct scenario *s, const char *path, const char *value, int line);

/* Adds to the list that is the value of a setting. */
void setting_extend(struct setting *at, const char *value);

/* The current path of a setting that a user wrote, noted where it had a former name; path, or in
 * buffer. */
const char *scenario_current_path(struct scenario *s, const char *path, int line,
				  char buffer[SETTING_PATH_SIZE]);

/* Makes this the only setting of that path. */
void scenario_put(struct scenario *s, const char *path, const char *value, int line);

/* Has the scenario a section for a setting of that path, or may it have one? */
int scenario_check_path(const struct scenario *s, const char *path, struct weir_error *e);
const struct setting *scenario_find(const struct scenario *s, const char *path);
const struct scenario_section *scenario_section(const struct scenario *s, const char *path);

/* Puts "FILE:LINE: path: " or "--set path=value: " in front; returns -1. */
int setting_prefix(const struct scenario *s, const struct setting *at, struct weir_error *e);

/* The first of the lines in text that are divided by ";": where it starts and how long it is,
 * without the blanks around it. */
const char *line_part(const char *text, size_t *length);
#endif
