/* test_schemes.c -- what every marking scheme, scheduler and congestion control must declare. */
#include "tests/test.h"
#include "weir/cc.h"
#include "weir/mark.h"
#include "weir/sched.h"
#include <string.h>

/* What the three kinds of ops have in common. */
struct scheme {
	const char *name, *help, *cite;
	const struct weir_option *options;
	size_t params_size;
};

enum { SCHEMES_MAX = 64 };

static size_t all_schemes(struct scheme *list)
{
	size_t count = 0;

#define ADD_ALL(all, find) \
	for (size_t i = 0; all[i]; i++) { \
		CHECK(count < SCHEMES_MAX); \
		CHECK(find(all[i]->scheme.name) == \
		      all[i]); /* finds it, so no earlier one has its name */ \
		list[count++] = (struct scheme){ all[i]->scheme.name, all[i]->scheme.help, \
						 all[i]->scheme.cite, all[i]->scheme.options, \
						 all[i]->scheme.params_size }; \
	}
	ADD_ALL(weir_mark_all, weir_mark_find)
	ADD_ALL(weir_sched_all, weir_sched_find)
	ADD_ALL(weir_cc_all, weir_cc_find)
#undef ADD_ALL
	return count;
}

static size_t value_size(const struct weir_option *o)
{
	return o->type == WEIR_OPT_SPAN_PS   ? sizeof(struct weir_span_ps)
	       : o->type == WEIR_OPT_WEIGHTS ? sizeof(struct weir_weights)
	       : o->type == WEIR_OPT_TEXT    ? WEIR_OPT_TEXT_SIZE
					     : sizeof(uint64_t);
}

static void check_option(const struct scheme *s, const struct weir_option *o)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX] = { 0 };
	char text[2048], again[2048];
	struct weir_error e = { "" };

	CHECK(weir_option_find(s->options, o->name) == o);
	CHECK(o->help && o->help[0] && o->help[strlen(o->help) - 1] != '.');
	CHECK_INT(o->offset % 8, 0);
	CHECK(o->offset + value_size(o) <= s->params_size);
	CHECK((o->type == WEIR_OPT_CHOICE) == (o->choices != NULL));
	CHECK(o->def != NULL);
	if (weir_option_parse(params, o, o->def, &e))
		test_fail(__FILE__, __LINE__, "%s: default: %s", s->name, e.text);
	CHECK_INT(weir_option_is_default(o, params), 1);
	weir_option_format(text, sizeof(text), o, params);
	CHECK_INT(weir_option_parse(params, o, text, &e), 0);
	CHECK_STR(weir_option_format(again, sizeof(again), o, params), text);
}

TEST(test_every_scheme_declares_itself_completely)
{
	struct scheme list[SCHEMES_MAX];
	size_t count = all_schemes(list);

	CHECK_INT(count, 14 + 8 + 11);
	for (size_t i = 0; i < count; i++) {
		const struct scheme *s = &list[i];

		CHECK(s->help && s->help[0] && s->help[strlen(s->help) - 1] != '.');
		CHECK(s->cite && s->cite[0]);
		CHECK(s->params_size <= WEIR_SPEC_PARAMS_MAX);
		for (const struct weir_option *o = s->options; o && o->name; o++)
			check_option(s, o);
	}
}

TEST(test_a_name_means_one_scheme_only)
{
	struct scheme list[SCHEMES_MAX];
	size_t count = all_schemes(list);

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			if (strcmp(list[i].name, list[j].name) == 0)
				test_fail(__FILE__, __LINE__, "two schemes are called %s",
					  list[i].name);
	CHECK(weir_mark_find("") == NULL && weir_sched_find("no") == NULL &&
	      weir_cc_find("DCTCP") == NULL);
}

/* The defaults, written out, must be a spec that is accepted and means the same. */
TEST(test_every_default_spec_reads_back)
{
	struct scheme list[SCHEMES_MAX];
	size_t count = all_schemes(list);

	for (size_t i = 0; i < count; i++) {
		_Alignas(8) unsigned char before[WEIR_SPEC_PARAMS_MAX] = { 0 };
		_Alignas(8) unsigned char after[WEIR_SPEC_PARAMS_MAX] = { 0 };
		struct weir_error e = { "" };
		char text[4096];

		weir_options_default(before, list[i].options);
		weir_spec_format(text, sizeof(text), list[i].name, list[i].options, before);
		if (weir_spec_params(text, after, list[i].options, &e))
			test_fail(__FILE__, __LINE__, "%s", e.text);
		CHECK(memcmp(before, after, sizeof(before)) == 0);
	}
}

TEST(test_defaults_are_accepted_by_their_own_checks)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_sched_ops *sched;
	const struct weir_mark_ops *mark;
	const struct weir_cc_ops *cc;
	struct weir_error e = { "" };

	for (size_t i = 0; weir_mark_all[i]; i++) {
		CHECK_INT(weir_mark_parse(weir_mark_all[i]->scheme.name, &mark, params, &e), 0);
		CHECK(mark == weir_mark_all[i]);
	}
	for (size_t i = 0; weir_sched_all[i]; i++) {
		uint32_t queues = strcmp(weir_sched_all[i]->scheme.name, "fifo") == 0 ? 1 : 8;

		CHECK_INT(weir_sched_parse(weir_sched_all[i]->scheme.name, queues, &sched, params,
					   &e),
			  0);
		CHECK(sched == weir_sched_all[i]);
	}
	for (size_t i = 0; weir_cc_all[i]; i++) {
		CHECK_INT(weir_cc_parse(weir_cc_all[i]->scheme.name, &cc, params, &e), 0);
		CHECK(cc == weir_cc_all[i]);
	}
}
