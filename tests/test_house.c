/* test_house.c -- two rules of the house, read from every source file: who may include whom, and who may ask
 * the system for memory.
 *
 *	cli -> lab, train, switch, keeper -> sim -> lib -> include/weir; cli, lab/campaign, train -> mpi -> include/weir
 *	in lib:  base <- sched, buffer, cc, tune, learn, model <- port; tune <- mark <- port; tune <- agent
 *	in sim:  base <- config <- net <- traffic <- engine, switch, host <- measure <- run
 *	in lab:  base <- capture <- scenario <- store <- compare <- report <- papers <- campaign <- view
 *
 *	in switch: plane <- wire <- run <- results <- testbed; the first three know of sim base and config alone, of lab base
 *	in keeper: core <- drive <- run; they know as much of sim and lab
 *
 * A room may include its own headers and those of the rooms named beside it; the library also stays
 * away from clocks and the operating system. Engine, switch and host call each other, because what
 * happens to a packet must cost no detour. Tests may look everywhere.
 *
 * Memory comes from sim/base/memory.h, which ends the program where there is none, so that nobody has an
 * error path of their own for it. The library's pool grows by itself; SQLite and plug-ins, which are
 * nobody's rooms, do as they like. */
#define _POSIX_C_SOURCE 200809L
#include "tests/test.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A room, and the rooms below it. A folder that is not here is no part of the house. */
struct room {
	const char *folder;
	const char *may_include; /* folders, each followed by a space */
};

#define ALL_LIB \
	"include/weir lib/base lib/mark lib/sched lib/buffer lib/cc lib/tune lib/agent lib/learn " \
	"lib/model lib/port "
#define SIM_PLANS ALL_LIB "sim/base sim/config sim/net sim/traffic "
#define SIM_WORKS SIM_PLANS "sim/engine sim/switch sim/host "
#define ALL_SIM SIM_WORKS "sim/measure sim/run "
#define LAB_READS ALL_SIM "lab/base lab/capture lab/scenario "
#define LAB_SHOWS LAB_READS "lab/store lab/compare lab/report "
#define ALL_LAB LAB_SHOWS "lab/papers lab/campaign lab/view "

static const struct room rooms[] = {
	{ "include/weir", "" },
	{ "lib/base", "include/weir " },
	{ "lib/mark", "include/weir lib/base lib/tune " },
	{ "lib/sched", "include/weir lib/base " },
	{ "lib/buffer", "include/weir lib/base " },
	{ "lib/cc", "include/weir lib/base " },
	{ "lib/tune", "include/weir lib/base " },
	{ "lib/agent", "include/weir lib/base lib/tune " },
	{ "lib/learn", "include/weir lib/base " },
	{ "lib/model", "include/weir lib/base " },
	{ "lib/port", ALL_LIB },
	{ "mpi", "include/weir sim/base " },
	{ "sim/base", ALL_LIB },
	{ "sim/config", ALL_LIB "sim/base " },
	{ "sim/net", ALL_LIB "sim/base sim/config " },
	{ "sim/traffic", ALL_LIB "sim/base sim/config sim/net " },
	{ "sim/engine", SIM_WORKS },
	{ "sim/switch", SIM_WORKS },
	{ "sim/host", SIM_WORKS },
	{ "sim/measure", SIM_WORKS },
	{ "sim/run", SIM_WORKS "sim/measure " },
	{ "lab/base", ALL_SIM },
	{ "lab/capture", ALL_SIM "lab/base " },
	{ "lab/scenario", ALL_SIM "lab/base lab/capture " },
	{ "lab/store", LAB_READS },
	{ "lab/compare", LAB_READS "lab/store " },
	{ "lab/report", LAB_READS "lab/store lab/compare " },
	{ "lab/papers", LAB_SHOWS },
	{ "lab/campaign", LAB_SHOWS "lab/papers mpi " },
	{ "lab/view", LAB_SHOWS "lab/papers lab/campaign " },
	{ "switch/plane", ALL_LIB "sim/base sim/config " },
	{ "switch/wire", ALL_LIB "sim/base switch/plane " },
	{ "switch/run", ALL_LIB "sim/base sim/config lab/base switch/plane switch/wire " },
	{ "switch/results", LAB_READS "lab/store switch/plane switch/wire switch/run " },
	{ "switch/testbed",
	  ALL_SIM "lab/base switch/plane switch/wire switch/run switch/results " },
	{ "keeper/core", ALL_LIB "sim/base sim/config lab/base " },
	{ "keeper/drive", ALL_LIB "sim/base sim/config lab/base keeper/core " },
	{ "keeper/run", ALL_LIB "sim/base sim/config lab/base keeper/core keeper/drive " },
	{ "train", ALL_SIM "lab/base lab/scenario mpi " },
	{ "cli",
	  ALL_SIM ALL_LAB "mpi train switch/plane switch/wire switch/run switch/results switch/testbed "
			  "keeper/core keeper/drive keeper/run " },
};

/* No clock, no I/O of its own: not for anything under lib/ or include/. */
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

/* Is this include, as written between quotes or brackets, allowed in the room? */
static int include_is_allowed(const struct room *room, const char *name, char open)
{
	char folder[256];

	if (open == '<') {
		if (!starts_with(room->folder, "lib/") && strcmp(room->folder, "include/weir") != 0)
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
		snprintf(message, MESSAGE_SIZE, "%s is in no room of the house", path);
		return 1;
	}
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, " # include %c%255[^\">\n]", &open, name) != 2)
			continue;
		if (include_is_allowed(room, name, open))
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
static const char *const may_allocate[] = { "sim/base/memory.c", "lib/base/pool.c" };

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

/* The file's text, for the caller to free. */
static char *file_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	CHECK(f != NULL);
	if (getdelim(&text, &size, '\0', f) < 0) {
		free(text);
		text = calloc(1, 1);
	}
	fclose(f);
	return text;
}

static int is_source(const char *name)
{
	size_t length = strlen(name);

	return length > 2 && name[length - 2] == '.' &&
	       (name[length - 1] == 'c' || name[length - 1] == 'h');
}

/* Checks each source of a folder and those of the folders in it; returns how many there were. */
static int check_folder(const char *folder)
{
	DIR *d = opendir(folder);
	struct dirent *entry;
	int files = 0;

	while (d && (entry = readdir(d))) {
		char path[512], message[MESSAGE_SIZE];
		char *text;

		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] != '.' && !strchr(entry->d_name, '.'))
			files += check_folder(path);
		if (!is_source(entry->d_name))
			continue;
		text = file_text(path);
		if (count_violations(path, text, message))
			test_fail(path, 1, "%s, against the dependency rule", message);
		if (own_allocator(path, text))
			test_fail(path, 1, "%s is called; memory comes from sim/base/memory.h",
				  own_allocator(path, text));
		free(text);
		files++;
	}
	if (d)
		closedir(d);
	return files;
}

TEST(test_every_source_obeys_the_rules_of_includes_and_of_memory)
{
	/* Tests run in the top folder; from elsewhere there would be nothing to read. */
	CHECK(check_folder("include") > 0);
	CHECK(check_folder("lib") > 0);
	CHECK(check_folder("sim") > 0);
	check_folder("lab");
	check_folder("train");
	CHECK(check_folder("switch") > 0);
	CHECK(check_folder("keeper") > 0);
	check_folder("cli");
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
	CHECK_STR(message, "lib/novel/x.c is in no room of the house");
	CHECK_INT(violations("lib/mark/red.c", "#include \"lib/port/port.h\""), 1);
	CHECK_INT(violations("lib/mark/red.c", "#include \"lib/sched/drr.h\"\n"), 1);
	CHECK_INT(violations("lib/base/ring.h", "#include \"lib/mark/red.h\"\n"), 1);
	CHECK_INT(violations("lib/base/ring.h", "#include \"../../sim/run/run.h\"\n"), 1);
	CHECK_INT(violations("lib/tune/qla.c", "  #  include   \"cli/args.h\"\n"), 1);
	CHECK_INT(violations("lib/cc/reno.c", "#include <time.h>\n#include <sys/time.h>\n"), 2);
	CHECK_INT(violations("include/weir/mark.h", "#include \"lib/base/ring.h\"\n"), 1);
	CHECK_INT(violations("sim/run/run.c", "#include \"lab/scenario/scenario.h\"\n"), 1);
	CHECK_INT(violations("sim/net/route.c", "#include \"sim/engine/engine.h\"\n"), 1);
	CHECK_INT(violations("sim/run.c", "#include \"weir/mark.h\"\n"), 1); /* in no room */
	CHECK_INT(violations("lab/store/store.c", "#include \"lab/report/report.h\"\n"), 1);
	CHECK_INT(violations("lab/scenario/scenario.c", "#include \"cli/args.h\"\n"), 1);
	CHECK_INT(violations("cli/main.c", "#include \"tests/test.h\"\n"), 1);
	CHECK_INT(violations("switch/run/loop.c", "#include \"sim/engine/engine.h\"\n"), 1);
	CHECK_INT(violations("switch/plane/plane.c", "#include \"switch/wire/wire.h\"\n"), 1);
	CHECK_INT(violations("sim/run/run.c", "#include \"switch/plane/plane.h\"\n"), 1);
	CHECK_INT(violations("keeper/core/keeper.c", "#include \"sim/engine/engine.h\"\n"), 1);
	CHECK_INT(violations("keeper/core/keeper.c", "#include \"keeper/drive/drive.h\"\n"), 1);
}

TEST(test_rule_of_memory_finds_an_allocator_and_no_name_like_it)
{
	CHECK_STR(own_allocator("lab/base/ini.c", "p = realloc(p, 2);"), "realloc");
	CHECK_STR(own_allocator("cli/main.c", "return strdup(text);"), "strdup");
	CHECK(own_allocator("sim/base/memory.c", "calloc(1, 2)") == NULL);
	CHECK(own_allocator("lab/base/ini.c", "my_malloc(1); mallocs(2); /* malloc */") == NULL);
}

TEST(test_dependency_rule_lets_rooms_look_down)
{
	CHECK_INT(violations("include/weir/mark.h", "#include \"weir/option.h\"\n"), 0);
	CHECK_INT(violations("lib/base/rng.c", "#include \"weir/rng.h\"\n#include <stdio.h>\n"), 0);
	CHECK_INT(violations("lib/mark/red.c", "#include \"lib/base/ring.h\"\n"), 0);
	CHECK_INT(violations("lib/mark/red.c", "#include \"lib/mark/mark.h\"\n"), 0);
	CHECK_INT(violations("lib/mark/red.c", "#include \"average.h\"\n"), 0);
	CHECK_INT(violations("lib/port/port.c", "#include \"lib/sched/drr.h\"\n"), 0);
	CHECK_INT(violations("sim/run/run.c", "#include \"lib/port/port.h\"\n#include <time.h>\n"),
		  0);
	CHECK_INT(violations("sim/engine/engine.c", "#include \"sim/host/host.h\"\n"), 0);
	CHECK_INT(violations("sim/host/host.c", "#include \"sim/engine/engine.h\"\n"), 0);
	CHECK_INT(violations("lab/scenario/scenario.c",
			     "#include \"sim/run/run.h\"\n#include <ini.h>\n"),
		  0);
	CHECK_INT(violations("cli/main.c",
			     "#include \"lab/scenario/scenario.h\"\n#include \"sim/run/run.h\"\n"),
		  0);
}
