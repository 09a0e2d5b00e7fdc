/* SPDX-License-Identifier: BSD-3-Clause */
/* test_house.c -- two rules read from every source file: which directory may include which, and who
 * may ask the system for memory.
 *
 *	cli -> lab, train, testbed, switch, keeper -> sim -> config -> lib -> base -> include/weir
 *
 *	in lib:    sched, cc, learn, model <- port; tune <- mark <- port; tune <- agent
 *
 *	in sim:    net <- traffic <- core <- measure <- parallel <- run
 *
 *	in lab:    capture <- scenario <- store <- analysis <- report <- campaign, api
 *
 *	in switch: plane <- wire <- run; testbed stands on switch, sim/run and lab/store
 *
 *	in keeper: core <- drivers <- service; below these only base, config and lib
 *
 * A directory may include its own headers and those of the directories named beside it. The
 * algorithms in lib/ and what they call in base/ also stay away from clocks and the operating
 * system. Tests may include everything.
 *
 * Memory comes from base/memory.h, which ends the program when there is none, so that no caller
 * needs an error path for it. The library's pool grows by itself; SQLite and plug-ins allocate as
 * they like. */
#define _POSIX_C_SOURCE 200809L
#include "tests/sources.h"

/* A room, and the rooms below it. A folder that is not here is no part of the house. */
struct room {
	const char *folder;
	const char *may_include; /* folders, each followed by a space */
};

#define ALL_LIB \
	"include/weir base lib/mark lib/sched lib/cc lib/tune lib/agent lib/learn " \
	"lib/model lib/port "
#define SIM_INPUTS ALL_LIB "config sim/net sim/traffic "
#define ALL_SIM SIM_INPUTS "sim/core sim/measure sim/parallel sim/run "
#define LAB_INPUTS ALL_SIM "lab/capture lab/scenario "
#define ALL_LAB LAB_INPUTS "lab/store lab/analysis lab/report lab/campaign "
#define ALL_SWITCH "switch/plane switch/wire switch/run "

static const struct room rooms[] = {
	{ "include/weir", "" },
	{ "base", "include/weir " },
	{ "lib/mark", "include/weir base lib/tune " },
	{ "lib/sched", "include/weir base " },
	{ "lib/cc", "include/weir base " },
	{ "lib/tune", "include/weir base " },
	{ "lib/agent", "include/weir base lib/tune " },
	{ "lib/learn", "include/weir base " },
	{ "lib/model", "include/weir base " },
	{ "lib/port", ALL_LIB },
	{ "config", ALL_LIB },
	{ "sim/net", ALL_LIB "config " },
	{ "sim/traffic", ALL_LIB "config sim/net " },
	{ "sim/core", SIM_INPUTS "sim/parallel " },
	{ "sim/parallel", SIM_INPUTS "sim/core " },
	{ "sim/measure", SIM_INPUTS "sim/core sim/parallel " },
	{ "sim/run", SIM_INPUTS "sim/core sim/parallel sim/measure " },
	{ "lab/capture", ALL_SIM },
	{ "lab/scenario", ALL_SIM "lab/capture " },
	{ "lab/store", LAB_INPUTS },
	{ "lab/analysis", LAB_INPUTS "lab/store " },
	{ "lab/report", LAB_INPUTS "lab/store lab/analysis " },
	{ "lab/campaign", LAB_INPUTS "lab/store lab/analysis lab/report " },
	{ "lab/api", LAB_INPUTS "lab/store lab/analysis lab/report " },
	{ "switch/plane", ALL_LIB "config " },
	{ "switch/wire", ALL_LIB "switch/plane " },
	{ "switch/run", ALL_LIB "config switch/plane switch/wire " },
	{ "testbed", LAB_INPUTS "lab/store " ALL_SWITCH },
	{ "keeper/core", ALL_LIB "config " },
	{ "keeper/drivers", ALL_LIB "config keeper/core " },
	{ "keeper/service", ALL_LIB "config keeper/core keeper/drivers " },
	{ "train", ALL_SIM "lab/scenario " },
	{ "cli", ALL_LAB ALL_SWITCH "testbed train keeper/core keeper/drivers keeper/service " },
};

/* The files of base/ that the algorithms may call; Makefile has the same list. */
static const char *const freestanding[] = { "compiler", "error",       "json",
					    "option",   "option_text", "pool",
					    "registry", "units",       "utf8" };

/* No clock, no I/O of its own: not for anything under lib/ or include/, or in freestanding. */
static const char *const outside[] = { "time.h",  "sys/time.h",   "unistd.h",
				       "fcntl.h", "sys/socket.h", "dlfcn.h" };

enum { MESSAGE_SIZE = 1024 };

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static int starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* "lib/mark" of "lib/mark/red.c"; whatever precedes the last slash. */
static void folder_of(char *folder, size_t size, const char *path)
{
	const char *slash = strrchr(path, '/');

	snprintf(folder, size, "%.*s", slash ? (int)(slash - path) : 0, path);
}

static const struct room *room_find(const char *folder)
{
	for (size_t i = 0; i < LENGTH(rooms); i++)
		if (strcmp(rooms[i].folder, folder) == 0)
			return &rooms[i];
	return NULL;
}

static int room_may_include(const struct room *room, const char *folder)
{
	char word[512];

	if (strcmp(room->folder, folder) == 0)
		return 1;
	snprintf(word, sizeof word, "%s ", folder);
	return room_find(folder) && strstr(room->may_include, word);
}

/* "base/pool.c" and "base/bits.h", but not "base/ini.h". */
static int is_freestanding(const char *path)
{
	const char *name = path + strlen("base/");

	if (!starts_with(path, "base/"))
		return 0;
	for (size_t i = 0; i < LENGTH(freestanding); i++)
		if (starts_with(name, freestanding[i]) && name[strlen(freestanding[i])] == '.')
			return 1;
	return 0;
}

static int belongs_to_library(const char *path)
{
	return starts_with(path, "lib/") || starts_with(path, "include/weir/") ||
	       is_freestanding(path);
}

/* Is this include, as written between quotes or brackets, allowed in the file? */
static int include_is_allowed(const char *path, const struct room *room, const char *name,
			      char open)
{
	char folder[256];

	if (open == '<') {
		if (!belongs_to_library(path))
			return 1;
		for (size_t i = 0; i < LENGTH(outside); i++)
			if (strcmp(name, outside[i]) == 0)
				return 0;
		return 1;
	}
	if (!strchr(name, '/'))
		return 1; /* beside the file itself */
	folder_of(folder, sizeof folder, name);
	if (strcmp(folder, "weir") == 0)
		return 1;
	if (strcmp(folder, "base") == 0 && belongs_to_library(path) && !is_freestanding(name))
		return 0;
	return room_may_include(room, folder);
}

/* Reads the text of a file and writes the first include that breaks the rule to message; returns
 * the number of such includes. */
static int count_violations(const char *path, const char *text, char *message)
{
	char folder[256], name[256], open;
	const struct room *room;
	int violations = 0;

	folder_of(folder, sizeof folder, path);
	room = room_find(folder);
	if (!room) {
		snprintf(message, MESSAGE_SIZE,
			 "%s is in a directory that tests/test_house.c does not list", path);
		return 1;
	}
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, " # include %c%255[^\">\n]", &open, name) != 2)
			continue;
		if (include_is_allowed(path, room, name, open))
			continue;
		if (violations++ == 0)
			snprintf(message, MESSAGE_SIZE, "%s includes %s", path, name);
	}
	return violations;
}

/* --- memory --- */

static const char *const allocators[] = { "malloc",        "calloc",    "realloc",
					  "reallocarray",  "strdup",    "strndup",
					  "asprintf",      "vasprintf", "aligned_alloc",
					  "posix_memalign" };
static const char *const may_allocate[] = { "base/memory.c", "base/pool.c" };

static int is_of_name(char c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9');
}

/* Is the function of that name called? */
static int calls(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
		if ((at == text || !is_of_name(at[-1])) && at[length] == '(')
			return 1;
	return 0;
}

/* The first allocator that the file calls by itself, NULL: none. */
static const char *own_allocator(const char *path, const char *text)
{
	for (size_t i = 0; i < LENGTH(may_allocate); i++)
		if (strcmp(path, may_allocate[i]) == 0)
			return NULL;
	for (size_t i = 0; i < LENGTH(allocators); i++)
		if (calls(text, allocators[i]))
			return allocators[i];
	return NULL;
}

/* --- the sources --- */

static void check_source(const char *path, char *text, void *unused)
{
	char message[MESSAGE_SIZE];

	(void)unused;
	if (count_violations(path, text, message))
		test_fail(path, 1, "%s, against the dependency rule", message);
	if (own_allocator(path, text))
		test_fail(path, 1, "%s is called; memory comes from base/memory.h",
			  own_allocator(path, text));
}

TEST(test_every_source_obeys_the_rules_of_includes_and_of_memory)
{
	sources_check_all(check_source, NULL);
}

static int violations(const char *path, const char *text)
{
	char message[MESSAGE_SIZE];

	return count_violations(path, text, message);
}

TEST(test_dependency_rule_finds_a_bad_include)
{
	char message[MESSAGE_SIZE] = "";

	CHECK_INT(count_violations("lib/mark/red.c", "/* x */\n#include \"sim/run/run.h\"\n",
				   message),
		  1);
	CHECK_STR(message, "lib/mark/red.c includes sim/run/run.h");
	CHECK_INT(count_violations("lib/novel/x.c", "", message), 1);
	CHECK_STR(message, "lib/novel/x.c is in a directory that tests/test_house.c does not list");
	CHECK_INT(violations("lib/mark/red.c", "#include \"lib/port/port.h\""), 1);
	CHECK_INT(violations("lib/mark/red.c", "#include \"lib/sched/drr.h\"\n"), 1);
	CHECK_INT(violations("base/ring.h", "#include \"lib/mark/red.h\"\n"), 1);
	CHECK_INT(violations("base/ring.h", "#include \"../../sim/run/run.h\"\n"), 1);
	CHECK_INT(violations("lib/mark/red.c", "#include \"base/ini.h\"\n"), 1);
	CHECK_INT(violations("base/option.c", "#include \"base/memory.h\"\n"), 1);
	CHECK_INT(violations("base/units.c", "#include <time.h>\n"), 1);
	CHECK_INT(violations("lib/tune/qla.c", "  #  include   \"cli/args.h\"\n"), 1);
	CHECK_INT(violations("lib/cc/reno.c", "#include <time.h>\n#include <sys/time.h>\n"), 2);
	CHECK_INT(violations("include/weir/mark.h", "#include \"base/pool.h\"\n"), 1);
	CHECK_INT(violations("sim/run/run.c", "#include \"lab/scenario/scenario.h\"\n"), 1);
	CHECK_INT(violations("sim/net/route.c", "#include \"sim/core/engine.h\"\n"), 1);
	CHECK_INT(violations("sim/run.c", "#include \"weir/mark.h\"\n"), 1); /* in no room */
	CHECK_INT(violations("lab/store/store.c", "#include \"lab/report/report.h\"\n"), 1);
	CHECK_INT(violations("lab/scenario/scenario.c", "#include \"cli/args.h\"\n"), 1);
	CHECK_INT(violations("cli/main.c", "#include \"tests/test.h\"\n"), 1);
	CHECK_INT(violations("switch/run/loop.c", "#include \"sim/core/engine.h\"\n"), 1);
	CHECK_INT(violations("switch/plane/plane.c", "#include \"switch/wire/wire.h\"\n"), 1);
	CHECK_INT(violations("sim/run/run.c", "#include \"switch/plane/plane.h\"\n"), 1);
	CHECK_INT(violations("keeper/core/keeper.c", "#include \"sim/core/engine.h\"\n"), 1);
	CHECK_INT(violations("keeper/core/keeper.c", "#include \"keeper/drivers/redis.h\"\n"), 1);
}

TEST(test_rule_of_memory_finds_an_allocator_and_no_name_like_it)
{
	CHECK_STR(own_allocator("base/ini.c", "p = realloc(p, 2);"), "realloc");
	CHECK_STR(own_allocator("cli/main.c", "return strdup(text);"), "strdup");
	CHECK(own_allocator("base/memory.c", "calloc(1, 2)") == NULL);
	CHECK(own_allocator("base/ini.c", "my_malloc(1); mallocs(2); /* malloc */") == NULL);
}

TEST(test_dependency_rule_lets_rooms_look_down)
{
	CHECK_INT(violations("include/weir/mark.h", "#include \"weir/option.h\"\n"), 0);
	CHECK_INT(violations("base/units.c", "#include \"weir/rng.h\"\n#include <stdio.h>\n"), 0);
	CHECK_INT(violations("lib/mark/red.c", "#include \"base/pool.h\"\n"), 0);
	CHECK_INT(violations("lib/mark/red.c", "#include \"lib/mark/mark.h\"\n"), 0);
	CHECK_INT(violations("lib/mark/red.c", "#include \"average.h\"\n"), 0);
	CHECK_INT(violations("lib/port/port.c", "#include \"lib/sched/drr.h\"\n"), 0);
	CHECK_INT(violations("sim/run/run.c", "#include \"lib/port/port.h\"\n#include <time.h>\n"),
		  0);
	CHECK_INT(violations("sim/core/engine.c", "#include \"sim/core/host.h\"\n"), 0);
	CHECK_INT(violations("sim/core/host.c", "#include \"sim/core/engine.h\"\n"), 0);
	CHECK_INT(violations("lab/scenario/scenario.c",
			     "#include \"sim/run/run.h\"\n#include <ini.h>\n"),
		  0);
	CHECK_INT(violations("cli/main.c",
			     "#include \"lab/scenario/scenario.h\"\n#include \"sim/run/run.h\"\n"),
		  0);
}
