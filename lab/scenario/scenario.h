/* SPDX-License-Identifier: BSD-3-Clause */
/* scenario.h -- a scenario file: its settings as written, and the config that they define.
 *
 * The format is INI (base/ini.h). The title is the question that the file asks. Only the key "seed"
 * may precede the first section. [case NAME] and [full] hold settings by their paths, apart from
 * the others; they apply after scenario_use_case and scenario_use_full.
 *
 * Reading keeps settings as a list of texts, so that configs can be made repeatedly with some of
 * them replaced. Values are checked against option tables by scenario_config only, so that keys may
 * stand in any order. Every message is located: "FILE:LINE: section.key: " or
 * "--set section.key=value: ". Texts returned by functions belong to the scenario. */
#ifndef LAB_SCENARIO_SCENARIO_H
#define LAB_SCENARIO_SCENARIO_H
#include "base/text.h"
#include "config/config.h"

struct section;
struct section_view;

struct setting {
	char *path; /* "network.hosts", "traffic.web.load", "seed" */
	char *value;
	int line; /* line of the file; 0: given by scenario_set */
};

struct scenario_section {
	char *path; /* "network", "traffic.web" */
	int line;
};

/* Settings of [case NAME], [full] or [full NAME], which apply only if selected. */
struct setting_bundle {
	char *name; /* "tcn" of [case tcn], "full" */
	int line;   /* line of the header */
	uint32_t count;
	struct setting *settings;
	struct setting_bundle *full; /* a case's [full NAME]; NULL: none */
};

struct scenario {
	char *file; /* for messages */
	char title[WEIR_OPT_TEXT_SIZE];
	uint32_t section_count, setting_count, setting_room;
	struct scenario_section *sections; /* in file order */
	struct setting *settings;          /* without those of bundles; room: allocated */
	uint32_t case_count;
	struct setting_bundle *cases;         /* in file order */
	struct setting_bundle full;           /* name NULL: there is no [full] */
	const struct setting_bundle *in_case; /* the selected case; NULL: none */
};

/* Reads a file, or a text in memory that messages call `file`. The caller frees the scenario with
 * scenario_free; on -1 there is nothing to free. */
int scenario_read(struct scenario *s, const char *file, struct weir_error *e);
int scenario_read_text(struct scenario *s, const char *file, const char *text, size_t length,
		       struct weir_error *e);
void scenario_free(struct scenario *s);

/* Replaces settings and lists of the file by those of [full], and those of cases by those of [full
 * NAME]. To be called before any scenario_set. Without these sections nothing changes. */
void scenario_use_full(struct scenario *s);

/* Selects the case whose settings apply; NULL: none. Settings of scenario_set override those of the
 * case. -1: there is no such case; the message has no location. */
int scenario_use_case(struct scenario *s, const char *name, struct weir_error *e);

/* "section.key=value": replaces or adds the setting, or the list of a setting that [sweep] lists.
 * The first call for a repeatable key removes the file's lines; further calls add lines. Several
 * lines in one value are separated by ";". */
int scenario_set(struct scenario *s, const char *assignment, struct weir_error *e);

/* Makes a config from defaults and settings and checks it (config_check). The caller frees it with
 * config_free; on -1 there is nothing to free. */
int scenario_config(const struct scenario *s, struct config *c, struct weir_error *e);

/* Adds the location to a message that starts with a path ("network.hosts: ..."), such as those of
 * config_check, network_build and traffic_generate. Returns -1. */
int scenario_locate(const struct scenario *s, struct weir_error *e);

/* Visits every setting that has a value, defaults included, as a user would write it and with all
 * options of schemes: together they identify a run. The lines of a repeated key are one text,
 * separated by "; ", which scenario_set accepts. A setting that names a file (plug-in, topology,
 * flows, sizes) or a scheme with a model is followed by "digest.PATH", the digest of the contents
 * (base/digest.h). The first setting of a run with real packets is "world", "real". */
typedef void setting_visitor(void *context, const char *path, const char *text);
int scenario_settings(const struct config *c, setting_visitor *visit, void *context,
		      struct weir_error *e);

/* The key of a run: 16 hexadecimal digits, a hash of its settings, its seed, the contents of files
 * that they name, the program's version and the sources that determine results. */
enum { RUN_KEY_SIZE = 17 };
int run_key(const struct config *c, char key[RUN_KEY_SIZE], struct weir_error *e);

/* --- schemes as text: "ecn(k=65pkts, scope=queue)" --- */

/* Iterates over the arguments of a scheme: sets argument and length, and advances *at, which starts
 * at the opening bracket. An argument may be empty. 0: no more; *at is then at the closing bracket
 * or the end of the text. */
int spec_next_argument(const char **at, const char **argument, size_t *length);

/* Does the scheme's text set the option? */
int spec_gives(const char *spec, const char *option);

/* --- used between the files of this module --- */

/* The parts of a path: "traffic.web.load" has section "traffic", name "web" (NULL: none), owner
 * "traffic.web" and key "load". A path without a dot has only a key. */
struct setting_path {
	char section[32], owner[128];
	const char *name, *key;
};

/* -1: too long. name and key point into p and path. */
int path_split(const char *path, struct setting_path *p);

/* The path's section; section_root if the path has none; NULL: unknown. */
const struct section *path_section(const struct setting_path *p);

#define SWEEP_PREFIX "sweep." /* of lists in [sweep]: "sweep.switch.marking" */
#define CASE_PATH "case"      /* pseudo-setting: the name of the case */

/* Iterates over the settings that apply; precedence: scenario_set, selected case, file. *i starts
 * at 0; NULL: no more. O(number of settings) each. */
const struct setting *scenario_next(const struct scenario *s, uint32_t *i);

/* NULL: there is no such case. scenario_check_case returns -1 with a message that names the cases,
 * without location. */
const struct setting_bundle *scenario_case(const struct scenario *s, const char *name);
int scenario_check_case(const struct scenario *s, const char *name, struct weir_error *e);
const struct setting *bundle_find(const struct setting_bundle *b, const char *path);
void bundle_add(struct setting_bundle *b, const char *path, const char *value, int line);
void bundle_free(struct setting_bundle *b);

/* Refuses empty bundles and unknown paths in them. */
int scenario_check_bundles(const struct scenario *s, struct weir_error *e);

/* Refuses values in the file that cannot be parsed, whether a run uses them or not. Checks each
 * value alone; lists are checked by sweep_check. */
int scenario_check_values(const struct scenario *s, struct weir_error *e);

/* Parses the value of a setting. The message does not name the key, because setting_prefix does. */
int setting_parse(void *params, const struct weir_option *o, const char *value,
		  struct weir_error *e);

/* PATH for a list, "sweep.PATH"; otherwise NULL. */
const char *path_of_list(const char *path);

/* May the key be given on several lines? */
int path_is_repeated(const char *path);

enum drop_scope { DROP_FROM_FILE, DROP_ALL };

/* Removes the settings of this path: those of the file only, or also those of scenario_set. */
void scenario_drop(struct scenario *s, const char *path, enum drop_scope scope);

/* Replaces a setting's value in place, or adds the setting; if [sweep] lists it, replaces the
 * list. */
void scenario_replace(struct scenario *s, const char *path, const char *value, int line);

void scenario_add(struct scenario *s, const char *path, const char *value, int line);

/* Appends values to a list. */
void setting_extend(struct setting *at, const char *value);

/* Removes all settings of that path and adds this one. */
void scenario_put(struct scenario *s, const char *path, const char *value, int line);

/* Refuses paths whose section does not exist in this scenario. */
int scenario_check_path(const struct scenario *s, const char *path, struct weir_error *e);
const struct setting *scenario_find(const struct scenario *s, const char *path);
const struct scenario_section *scenario_section(const struct scenario *s, const char *path);

/* Adds the location, "FILE:LINE: path: " or "--set path=value: ", to the message; returns -1. */
int setting_prefix(const struct scenario *s, const struct setting *at, struct weir_error *e);

/* The first of the lines in text, which are separated by ";": returns its start and sets its
 * length, without surrounding blanks. */
const char *line_part(const char *text, size_t *length);

/* --- keys that reach into a scheme: spec_key.c ---
 *
 * "marking.min = 10KB" sets an option of the scheme in switch.marking; "marking.leaf = ecn" sets
 * the marking of a part (config/markings.h), whose options "marking.leaf.k = 20KB" sets. So an
 * option can be listed in [sweep], and set in a case or by --set, without repeating the scheme. */

/* spec_add_part applies settings that name a part, spec_set_option those that name an option; each
 * ignores the other kind. The view's keys without dot have been applied. The message has no
 * location. */
typedef int spec_setter(const struct scenario *s, const struct section_view *v, const char *key,
			const struct setting *at, struct weir_error *e);
spec_setter spec_add_part, spec_set_option;

/* For a line of switch.markings: its key, "marking.leaf", and its spec with all options. Both
 * return buffer. */
const char *spec_part_key(const char *line, char *buffer, size_t size);
const char *spec_part_text(const char *line, char *buffer, size_t size);
#endif
