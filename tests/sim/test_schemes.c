/* SPDX-License-Identifier: BSD-3-Clause */
/* test_schemes.c -- what everything that has a head must declare: every registry there is, seen by
 * its heads alone. Topologies and patterns are chosen by a key of a section, and their options are
 * keys of it; all others are written as specs. */
#include "base/registry.h"
#include "config/nic.h"
#include "config/fabric.h"
#include "sim/net/network.h"
#include "sim/traffic/traffic.h"
#include "tests/test.h"
#include "weir/cc.h"
#include "weir/mark.h"
#include "weir/sched.h"
#include "weir/tune.h"
#include <string.h>

static const struct shelf {
	const struct registry *registry;
	size_t count;
	const struct weir_option *keys; /* of the section that they share; NULL: they are specs */
} shelves[] = {
	{ &weir_mark_registry, 14, NULL },
	{ &weir_sched_registry, 8, NULL },
	{ &weir_cc_registry, 13, NULL },
	{ &weir_tune_registry, 1, NULL },
	{ &fabric_registry, 3, NULL },
	{ &nic_registry, 3, NULL },
	{ &topology_registry, 7, network_options },
	{ &traffic_registry, 19, traffic_options },
};

enum { SHELVES = sizeof(shelves) / sizeof(shelves[0]), SPECS_OF_RUNS = 3, NAMES_MAX = 64 };

static void check_each(void (*check)(const struct shelf *, const struct weir_scheme *))
{
	for (size_t i = 0; i < SHELVES; i++) {
		const struct weir_scheme *s;
		size_t count = 0;

		for (; (s = weir_registry_at(shelves[i].registry, count)); count++)
			check(&shelves[i], s);
		CHECK_INT(count, shelves[i].count);
	}
}

static int is_sentence_without_stop(const char *text)
{
	return text && text[0] && text[strlen(text) - 1] != '.';
}

static void check_head(const struct shelf *shelf, const struct weir_scheme *s)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";

	CHECK(s->name && s->name[0] && s->name[strspn(s->name, letters)] == '\0');
	/* Finds it, so no earlier one has its name. */
	CHECK(weir_registry_find(shelf->registry, s->name) == s);
	CHECK(is_sentence_without_stop(s->help));
	CHECK(!s->cite || s->cite[0]);
	CHECK(s->cite || shelf->keys);
	CHECK(s->params_size <= WEIR_SPEC_PARAMS_MAX);
}

TEST(test_every_head_names_and_explains_its_scheme)
{
	check_each(check_head);
}

static size_t value_size(const struct weir_option *o)
{
	return o->type == WEIR_OPT_SPAN_PS   ? sizeof(struct weir_span_ps)
	       : o->type == WEIR_OPT_WEIGHTS ? sizeof(struct weir_weights)
	       : weir_opt_is_text(o->type)   ? WEIR_OPT_TEXT_SIZE
	       : o->type == WEIR_OPT_LINES   ? 0
					     : sizeof(uint64_t);
}

static void check_default(const struct weir_scheme *s, const struct weir_option *o)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX] = { 0 };
	char text[2048], again[2048];
	struct weir_error e = { "" };

	if (weir_option_parse(params, o, o->def, &e))
		test_fail(__FILE__, __LINE__, "%s: default: %s", s->name, e.text);
	CHECK_INT(weir_option_is_default(o, params), 1);
	weir_option_format(text, sizeof(text), o, params);
	CHECK_INT(weir_option_parse(params, o, text, &e), 0);
	CHECK_STR(weir_option_format(again, sizeof(again), o, params), text);
}

static void check_options(const struct shelf *shelf, const struct weir_scheme *s)
{
	for (const struct weir_option *o = s->options; o && o->name; o++) {
		CHECK(weir_option_find(s->options, o->name) == o);
		CHECK(!shelf->keys || !weir_option_find(shelf->keys, o->name));
		CHECK(is_sentence_without_stop(o->help));
		CHECK(o->min <= o->max);
		CHECK_INT(o->offset % 8, 0);
		CHECK(o->offset + value_size(o) <= s->params_size);
		CHECK((o->type == WEIR_OPT_CHOICE || o->type == WEIR_OPT_SCHEME ||
		       o->type == WEIR_OPT_LINES) == (o->choices != NULL));
		/* A key that is not given may mean something of its own; an option of a spec may
		 * not. */
		CHECK(o->def || shelf->keys);
		if (o->def)
			check_default(s, o);
	}
}

TEST(test_every_option_is_declared_inside_the_params_of_its_scheme)
{
	check_each(check_options);
}

static void check_no_overlap(const struct shelf *shelf, const struct weir_scheme *s)
{
	(void)shelf;
	for (const struct weir_option *a = s->options; a && a->name; a++)
		for (const struct weir_option *b = s->options; b != a; b++)
			if (a->offset < b->offset + value_size(b) &&
			    b->offset < a->offset + value_size(a))
				test_fail(__FILE__, __LINE__, "%s: %s and %s have the same place",
					  s->name, a->name, b->name);
}

TEST(test_no_two_options_of_a_scheme_share_a_place)
{
	check_each(check_no_overlap);
}

/* These are told apart by their names alone in tables of results. */
TEST(test_a_name_means_one_marking_scheduler_or_control_only)
{
	const char *names[NAMES_MAX];
	size_t count = 0;

	for (size_t i = 0; i < SPECS_OF_RUNS; i++)
		for (size_t j = 0; j < shelves[i].count; j++) {
			const char *name = weir_registry_at(shelves[i].registry, j)->name;

			for (size_t k = 0; k < count; k++)
				if (strcmp(names[k], name) == 0)
					test_fail(__FILE__, __LINE__, "two schemes are called %s",
						  name);
			names[count++] = name;
		}
	CHECK(weir_mark_find("") == NULL && weir_sched_find("no") == NULL &&
	      weir_cc_find("DCTCP") == NULL);
}

/* The defaults, written out, must be a spec that is accepted, by the scheme's check too, and means
 * the same. */
static void check_default_spec(const struct shelf *shelf, const struct weir_scheme *s)
{
	_Alignas(8) unsigned char before[WEIR_SPEC_PARAMS_MAX] = { 0 };
	_Alignas(8) unsigned char after[WEIR_SPEC_PARAMS_MAX] = { 0 };
	struct weir_error e = { "" };
	char text[4096];

	if (shelf->keys)
		return;
	if (weir_registry_parse(shelf->registry, s->name, before, &e) != s)
		test_fail(__FILE__, __LINE__, "%s", e.text);
	weir_spec_format(text, sizeof(text), s->name, s->options, before);
	if (weir_registry_parse(shelf->registry, text, after, &e) != s)
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK(memcmp(before, after, sizeof(before)) == 0);
}

TEST(test_every_default_spec_reads_back)
{
	check_each(check_default_spec);
}

TEST(test_every_scheduler_fits_the_ports_it_is_for)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_sched_ops *sched;
	struct weir_error e = { "" };

	for (size_t i = 0; weir_sched_all[i]; i++) {
		uint32_t queues = strcmp(weir_sched_all[i]->scheme.name, "fifo") == 0 ? 1 : 8;

		CHECK_INT(weir_sched_parse(weir_sched_all[i]->scheme.name, queues, &sched, params,
					   &e),
			  0);
		CHECK(sched == weir_sched_all[i]);
	}
}
