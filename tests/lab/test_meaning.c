/* SPDX-License-Identifier: BSD-3-Clause */
/* test_meaning.c -- what the text of a setting means follows from the type of its option: a scheme,
 * a file, a kind. The keys come from the tables, so that one which is added is tried too. */
#include "tests/folder.h"
#include "lab/scenario/sections.h"
#include "lab/scenario/sweep.h"
#include "tests/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BASE \
	"[network]\ntopology = star\nhosts = 4\n" \
	"[traffic a]\npattern = many-to-one\nsize = 1MB\n"

static void read_text(struct scenario *s, const char *text)
{
	struct weir_error e = { "" };

	if (scenario_read_text(s, "f.ini", text, strlen(text), &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

/* The settings of a scenario, "path=text" each with a newline. */
struct listed {
	char text[16384];
};

static void list(void *context, const char *path, const char *text)
{
	struct listed *l = context;
	size_t used = strlen(l->text);

	snprintf(l->text + used, sizeof(l->text) - used, "%s=%s\n", path, text);
}

static void check_listed(const char *text, const char *part)
{
	struct listed l = { "" };
	struct weir_error e = { "" };
	struct scenario s;
	struct config c;

	read_text(&s, text);
	if (scenario_config(&s, &c, &e) || scenario_settings(&c, list, &l, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_CONTAINS(l.text, part);
	config_free(&c);
	scenario_free(&s);
}

/* --- schemes --- */

/* A case that no run is in has the value. */
static void check_unused(const char *path, const char *value, const char *message)
{
	struct weir_error e = { "" };
	struct scenario s;
	char text[1024];

	snprintf(text, sizeof(text),
		 BASE "[case a]\nseed = 1\n[case b]\n%s = %s\n[sweep]\ncase = a\n", path, value);
	read_text(&s, text);
	CHECK_INT(scenario_check_values(&s, &e), -1);
	CHECK_LIKE(e.text, message);
	scenario_free(&s);
}

TEST(test_misspelt_scheme_that_no_run_uses_is_found_whatever_key_names_it)
{
	uint32_t tried = 0;

	for (const struct section *s = section_all; s->name; s++)
		for (const struct weir_option *o = s->options; o->name; o++) {
			char path[128], message[256];

			if (o->type != WEIR_OPT_SCHEME)
				continue;
			snprintf(path, sizeof(path), "%s%s.%s", s->name,
				 s->traits & SECTION_NAMED ? ".a" : "", o->name);
			snprintf(message, sizeof(message),
				 "f.ini:10: %s: unknown %s 'mistake'; there are ...", path,
				 weir_option_scheme_set(o)->kind[0]);
			check_unused(path, "mistake(k=1)", message);
			tried++;
		}
	CHECK(tried >= 6);
}

TEST(test_scheme_inside_a_scheme_that_no_run_uses_is_read_too)
{
	check_unused("host.nic", "fifo(limit=9pkts, marking=ecm)",
		     "f.ini:10: host.nic: fifo: marking: unknown marking 'ecm'; there are ...");
}

/* What --set or a case says in another way is the same run. */
TEST(test_settings_spell_out_a_scheme_inside_a_scheme)
{
	check_listed(BASE "[host]\nnic = fifo(marking=tcn)\n",
		     "\nhost.nic=fifo(limit=1000pkts, marking=tcn(threshold=");
	check_listed(BASE "[host]\nnic = fair\n", "\nhost.nic=fair\n");
}

TEST(test_cards_that_mean_the_same_are_one_run)
{
	struct weir_error e = { "" };
	char keys[2][RUN_KEY_SIZE];
	struct scenario s;
	struct sweep w;

	read_text(&s, BASE "[sweep]\nhost.nic = fifo, fifo(limit=1000pkts)\n");
	CHECK_INT(sweep_read(&w, &s, &e), 0);
	CHECK_INT(sweep_check(&w, &s, keys, &e), -1);
	CHECK_STR(e.text, "f.ini: [sweep] has one run twice: (fifo) and (fifo(limit=1000pkts)) "
			  "mean the same");
	sweep_free(&w);
	scenario_free(&s);
}

/* A scheduler is listed as asked for, also where the marking scheme brings its own. */
TEST(test_settings_spell_out_a_scheduler_whatever_the_number_of_queues)
{
	check_listed(BASE "[switch]\nscheduler = sp-dwrr(priority-queues=3)\nqueues = 5\n",
		     "\nswitch.scheduler=sp-dwrr(priority-queues=3, ");
	check_listed(BASE "[switch]\nmarking = diffecn\n", "\nswitch.scheduler=fifo\n");
}

/* --- files --- */

TEST(test_settings_tell_what_is_in_every_file_that_a_key_names)
{
	const struct folder folder = folder_make();
	char file[128], text[1024];
	FILE *f;

	snprintf(file, sizeof(file), "%s/sizes.txt", folder.path);
	f = fopen(file, "w");
	CHECK(f != NULL);
	fputs("1000 0.5\n2000 1\n", f);
	CHECK_INT(fclose(f), 0);
	snprintf(text, sizeof(text),
		 "[network]\ntopology = star\nhosts = 4\n[traffic a]\npattern = all-to-all\n"
		 "load = 0.1\nflows = 3\nsizes = %s\n",
		 file);
	check_listed(text, "\ndigest.traffic.a.sizes=");
	folder_remove(&folder);
}

/* --- kinds --- */

TEST(test_one_key_chooses_the_kind_where_there_are_kinds)
{
	for (const struct section *s = section_all; s->name; s++) {
		int count = 0;

		for (const struct weir_option *o = s->options; o->name; o++)
			count += o->type == WEIR_OPT_SELECTOR;
		CHECK_INT(count, s->kind != NULL);
	}
	CHECK(section_chooser(section_find("switch")) == NULL);
	CHECK_STR(section_chooser(section_find("traffic"))->name, "pattern");
}

TEST(test_the_key_of_a_path_is_what_stands_in_its_section)
{
	CHECK_STR(section_key_of("switch.marking.storage"), "marking.storage");
	CHECK_STR(section_key_of("switch.marking"), "marking");
	CHECK_STR(section_key_of("traffic.web.load"), "load");
	CHECK_STR(section_key_of("traffic.web.cc.g"), "cc.g");
	CHECK_STR(section_key_of("digest.traffic.web.sizes"), "sizes");
	CHECK_STR(section_key_of("switches.k"), "k");
	CHECK_STR(section_key_of("seed"), "seed");
}

TEST(test_misspelt_kind_that_no_run_uses_is_found)
{
	check_unused("network.topology", "stra",
		     "f.ini:10: network.topology: unknown topology "
		     "'stra'; there are ... (nearest: star)");
	check_unused("traffic.a.pattern", "incats",
		     "f.ini:10: traffic.a.pattern: unknown pattern 'incats'; there are ... "
		     "(nearest: incast)");
}

/* --- keys of no section --- */

TEST(test_seed_that_no_run_uses_is_read_like_any_value)
{
	struct weir_error e = { "" };
	struct scenario s;

	read_text(&s, "seed = x\n" BASE "[sweep]\nseed = 1..3\n");
	CHECK_INT(scenario_check_values(&s, &e), -1);
	CHECK_STR(e.text, "f.ini:1: seed: 'x' is not a whole number; allowed: at least 0");
	scenario_free(&s);
}
