/* SPDX-License-Identifier: BSD-3-Clause */
/* test_plugin_permit.c -- which files may be loaded as plug-ins: by folder, by name, all, or none.
 * That a refused object's code does not run is tests/cli/plugin.sh's business. */
#define _XOPEN_SOURCE 700
#include "config/plugin.h"
#include "tests/test.h"
#include "weir/sim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder of its own: own/scenario.ini, own/in.so, own/link.so -> ../out.so, own/deep/in.so,
 * out.so, own2/out.so. */
static void make_folder(void)
{
	static const char *const files[] = { "own/scenario.ini", "own/in.so",   "own/deep/in.so",
					     "out.so",           "own2/out.so", NULL };
	char name[] = "/tmp/weir-permit.XXXXXX";

	CHECK(mkdtemp(name) != NULL);
	CHECK_INT(chdir(name), 0);
	CHECK_INT(mkdir("own", 0700), 0);
	CHECK_INT(mkdir("own/deep", 0700), 0);
	CHECK_INT(mkdir("own2", 0700), 0);
	for (int i = 0; files[i]; i++) {
		FILE *f = fopen(files[i], "w");

		CHECK(f != NULL);
		fclose(f);
	}
	CHECK_INT(symlink("../out.so", "own/link.so"), 0);
	CHECK_INT(symlink("own", "same"), 0);
}

static void remove_folder(void)
{
	static const char *const names[] = { "own/scenario.ini",
					     "own/in.so",
					     "own/deep/in.so",
					     "own/deep",
					     "own/link.so",
					     "own",
					     "out.so",
					     "own2/out.so",
					     "own2",
					     "same",
					     NULL };
	char folder[PLUGIN_PATH_SIZE];

	for (int i = 0; names[i]; i++)
		CHECK_INT(remove(names[i]), 0);
	CHECK(getcwd(folder, sizeof(folder)) != NULL);
	CHECK_INT(chdir("/"), 0);
	CHECK_INT(rmdir(folder), 0);
}

static int is_permitted(const char *path)
{
	char real[PLUGIN_PATH_SIZE];
	struct weir_error e;

	return plugin_permit_check(path, real, &e) == 0;
}

static void check_only(const char *const *permitted)
{
	static const char *const all[] = { "own/in.so", "own/deep/in.so", "own/link.so",
					   "out.so",    "own2/out.so",    NULL };

	for (int i = 0; all[i]; i++) {
		int expected = 0;

		for (int k = 0; permitted[k]; k++)
			expected |= strcmp(permitted[k], all[i]) == 0;
		if (is_permitted(all[i]) != expected)
			test_fail(__FILE__, __LINE__, "%s: permitted %d", all[i], !expected);
	}
}

TEST(test_no_plugin_is_permitted_before_a_file_is_named)
{
	make_folder();
	check_only((const char *const[]){ NULL });
	plugin_permit_tree_of("none/scenario.ini");
	check_only((const char *const[]){ NULL });
	remove_folder();
}

TEST(test_a_plugin_in_the_tree_of_a_file_is_permitted_links_resolved)
{
	char folder[PLUGIN_PATH_SIZE], path[2 * PLUGIN_PATH_SIZE];

	make_folder();
	plugin_permit_tree_of("same/scenario.ini");
	check_only((const char *const[]){ "own/in.so", "own/deep/in.so", NULL });
	CHECK_INT(is_permitted("./own2/../own/in.so"), 1);
	CHECK_INT(is_permitted("same/in.so"), 1);
	CHECK_INT(is_permitted("own/../out.so"), 0);
	CHECK_INT(is_permitted("own/deep/../../own2/out.so"), 0);
	CHECK_INT(is_permitted("own/none.so"), 0);
	CHECK(getcwd(folder, sizeof(folder)) != NULL);
	snprintf(path, sizeof(path), "%s/own/in.so", folder);
	CHECK_INT(is_permitted(path), 1);
	remove_folder();
}

TEST(test_a_plugin_that_is_named_is_permitted_wherever_in_the_text)
{
	make_folder();
	plugin_permit_named("switch.marking=none, ./out.so (k=3/4) ; fifo(marking=own2/out.so)");
	check_only((const char *const[]){ "out.so", "own/link.so", "own2/out.so", NULL });
	plugin_permit_named("in.so");
	plugin_permit_named("");
	plugin_permit_named("///,,==./own/none.so");
	check_only((const char *const[]){ "out.so", "own/link.so", "own2/out.so", NULL });
	remove_folder();
}

TEST(test_all_plugins_are_permitted_where_the_user_says_so)
{
	make_folder();
	plugin_permit_all();
	check_only((const char *const[]){ "own/in.so", "own/deep/in.so", "own/link.so", "out.so",
					  "own2/out.so", NULL });
	remove_folder();
}

TEST(test_the_text_of_a_simulation_loads_plugins_of_allowed_folders_alone)
{
	static const char text[] = "[network]\ntopology = star\nhosts = 2\n"
				   "[host]\ncc = ./out.so\n[traffic x]\npattern = messages\n";
	struct weir_sim *sim = NULL;
	struct weir_error e = { "" };

	make_folder();
	CHECK_INT(weir_sim_new(&sim, text, NULL, &e), -1);
	CHECK_CONTAINS(e.text, "./out.so: not loaded: a plug-in is code");
	weir_sim_allow_plugins("own");
	CHECK_INT(weir_sim_new(&sim, text, NULL, &e), -1);
	CHECK_CONTAINS(e.text, "not loaded");
	weir_sim_allow_plugins("/");
	CHECK_INT(weir_sim_new(&sim, text, NULL, &e), -1);
	CHECK_CONTAINS(e.text, "./out.so: cannot be loaded: file too short");
	remove_folder();
}
