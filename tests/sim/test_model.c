/* SPDX-License-Identifier: BSD-3-Clause */
/* test_model.c -- a scheme with a network gets its model, by file or by name, and no other. */
#include "tests/folder.h"
#include "tests/learn_fixture.h"
#include "base/registry.h"
#include "lab/scenario/scenario.h"
#include "config/model.h"
#include "weir/mark.h"
#include "weir/tune.h"
#include <pthread.h>

/* --- a scheme with a network, and a model --- */

/* Marks whatever comes, and has a network of so many inputs. */
struct mind_params {
	uint64_t inputs;
	char model[WEIR_OPT_TEXT_SIZE];
	const struct weir_learn_policy *policy;
};

static const struct weir_option mind_options[] = {
	{ "inputs", WEIR_OPT_COUNT, offsetof(struct mind_params, inputs), "3", 0, 9,
	  "how much it sees; 0: it has no network", NULL },
	{ "model", WEIR_OPT_TEXT, offsetof(struct mind_params, model), "", 0, 0, "its network",
	  NULL },
	{ .name = NULL },
};

static const char *mind_standard(const void *params)
{
	const struct mind_params *p = params;

	return p->inputs ? "mind-standard" : NULL;
}

static int mind_fits(const void *params, const struct weir_learn_policy *policy,
		     struct weir_error *e)
{
	const struct mind_params *p = params;

	if (strcmp(policy->scheme, "mind") != 0)
		return weir_error_set(e, "is for %s", weir_quote(policy->scheme).text);
	if (policy->net->plan.current_size != p->inputs)
		return weir_error_set(e, "has %u inputs", policy->net->plan.current_size);
	return 0;
}

static const struct weir_scheme_model mind_model = {
	.name_offset = offsetof(struct mind_params, model),
	.policy_offset = offsetof(struct mind_params, policy),
	.standard = mind_standard,
	.fits = mind_fits,
};

static const struct weir_mark_ops mind = {
	.scheme = { .name = "mind",
		    .help = "marks as its network says",
		    .params_size = sizeof(struct mind_params),
		    .options = mind_options,
		    .model = &mind_model },
};

static const struct weir_tune_ops mind_tuner = {
	.scheme = { .name = "mind", .model = &mind_model },
};

/* The bytes of a model, for the caller to free: a dense layer that begins with this seed. */
static struct weir_learn_bytes model_make(const char *scheme, uint32_t inputs, uint64_t seed)
{
	const struct weir_learn_text texts[] = { { WEIR_LEARN_SCHEME, scheme },
						 { WEIR_LEARN_ACTIONS, "go; stop" },
						 { WEIR_LEARN_COMMAND, "weir train mind" },
						 { WEIR_LEARN_SEED, "7" },
						 { WEIR_LEARN_VERSION, "1.0" } };
	struct weir_learn_plan plan =
		weir_learn_plan_stack(&(struct weir_learn_stack){ .inputs = inputs, .outputs = 2 });
	struct weir_learn_model model = { .texts = texts, .text_count = 5 };
	struct weir_error e = { "" };
	struct weir_learn_bytes bytes;
	struct learn_fixture desk;
	uint8_t *data;

	fixture_open(&desk, &plan, 1, 1);
	weir_learn_net_init_weights(&desk.net, WEIR_LEARN_HE_UNIFORM,
				    (struct weir_learn_draw){ seed, 0, 0 }, desk.weights);
	model.net = &desk.net;
	model.weights = desk.weights;
	bytes.size = weir_learn_model_size(&model);
	bytes.data = data = malloc(bytes.size);
	CHECK(data != NULL);
	if (weir_learn_model_encode(&model, data, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	fixture_close(&desk);
	return bytes;
}

static void model_free(struct weir_learn_bytes bytes)
{
	free((void *)bytes.data);
}

static void model_write(const char *path, struct weir_learn_bytes bytes)
{
	FILE *f = fopen(path, "wb");

	CHECK(f != NULL);
	CHECK_INT(fwrite(bytes.data, 1, bytes.size, f), bytes.size);
	CHECK_INT(fclose(f), 0);
}
/* A folder for files, and two models that are built in. */
struct shelf {
	struct folder folder;
	char path[128]; /* of a file in it */
	uint8_t bytes[2][512];
	struct model_file built_in[3];
};

static void shelf_put(struct shelf *s, int place, const char *name, struct weir_learn_bytes bytes)
{
	CHECK(bytes.size <= sizeof(s->bytes[0]));
	memcpy(s->bytes[place], bytes.data, bytes.size);
	s->built_in[place] = (struct model_file){ name, { s->bytes[place], bytes.size } };
	model_free(bytes);
}

static void shelf_open(struct shelf *s)
{
	s->folder = folder_make();
	snprintf(s->path, sizeof(s->path), "%s/own.model", s->folder.path);
	shelf_put(s, 0, "mind-standard", model_make("mind", 3, 1));
	shelf_put(s, 1, "mind-wide", model_make("mind", 4, 2));
	s->built_in[2] = (struct model_file){ NULL, { NULL, 0 } };
}

static void shelf_close(struct shelf *s)
{
	folder_remove(&s->folder);
}

/* Reads the spec, as scheme_parse does. */
static int read_mind(const struct shelf *s, const char *spec, struct mind_params *params,
		     struct weir_error *e)
{
	if (weir_scheme_parse(&mind.scheme, spec, params, e))
		return -1;
	return model_attach(s->built_in, &mind.scheme, params, e);
}

static void check_refused(const struct shelf *s, const char *spec, const char *message)
{
	struct mind_params params;
	struct weir_error e = { "" };

	CHECK_INT(read_mind(s, spec, &params, &e), -1);
	CHECK_LIKE(e.text, message);
}

/* As it is at first, with a file that these bytes are in. */
static void check_file_refused(const struct shelf *s, struct weir_learn_bytes bytes,
			       const char *message)
{
	char spec[256];

	model_write(s->path, bytes);
	snprintf(spec, sizeof(spec), "mind(model=%s)", s->path);
	check_refused(s, spec, message);
}

TEST(test_model_left_empty_is_the_schemes_standard_and_is_spelled_out)
{
	struct mind_params params;
	struct weir_error e = { "" };
	char text[512];
	struct shelf s;

	shelf_open(&s);
	CHECK_INT(read_mind(&s, "mind", &params, &e), 0);
	CHECK_STR(params.policy->name, "mind-standard");
	CHECK_STR(params.policy->scheme, "mind");
	CHECK_STR(params.policy->actions, "go; stop");
	CHECK_STR(params.policy->features, "");
	CHECK_INT(params.policy->net->outputs, 2);
	CHECK_STR(weir_spec_format(text, sizeof(text), "mind", mind_options, &params),
		  "mind(inputs=3, model=mind-standard)");
	CHECK(model_of(&mind.scheme, &params) == (const void *)params.policy);
	shelf_close(&s);
}

TEST(test_model_of_a_scheme_that_wants_none_is_none)
{
	struct mind_params params = { .policy = (void *)8 };
	struct weir_error e = { "" };
	struct shelf s;

	shelf_open(&s);
	CHECK_INT(read_mind(&s, "mind(inputs=0)", &params, &e), 0);
	CHECK(params.policy == NULL);
	CHECK(model_of(&mind.scheme, &params) == NULL);
	CHECK_STR(params.model, "");
	shelf_close(&s);
}

TEST(test_model_is_found_by_its_name_and_by_its_file)
{
	struct weir_learn_bytes bytes = model_make("mind", 3, 5);
	struct mind_params params;
	struct weir_error e = { "" };
	struct shelf s;
	char spec[256];

	shelf_open(&s);
	CHECK_INT(read_mind(&s, "mind(inputs=4, model=mind-wide)", &params, &e), 0);
	CHECK_STR(params.policy->name, "mind-wide");
	CHECK_INT(params.policy->net->plan.current_size, 4);
	model_write(s.path, bytes);
	snprintf(spec, sizeof(spec), "mind(model=%s)", s.path);
	CHECK_INT(read_mind(&s, spec, &params, &e), 0);
	CHECK_STR(params.policy->name, s.path);
	CHECK_STR(model_of(&mind.scheme, &params)->about,
		  "for mind; sequence 0; current 3; dense 2 linear < current; made by 'weir train "
		  "mind', seed 7, version 1.0");
	model_free(bytes);
	shelf_close(&s);
}

TEST(test_model_that_is_neither_a_file_nor_built_in_is_refused_with_the_nearest_name)
{
	static const struct model_file none[] = { { NULL, { NULL, 0 } } };
	struct mind_params params = { .inputs = 3, .model = "mind" };
	struct weir_error e = { "" };
	struct shelf s;

	shelf_open(&s);
	check_refused(&s, "mind(model=mind-standart)",
		      "mind: unknown model 'mind-standart'; there are mind-standard, mind-wide "
		      "(nearest: mind-standard); a file's name has a slash or a dot");
	check_refused(&s, "mind(model=./nowhere.model)",
		      "mind: model './nowhere.model': cannot be read: No such file or directory");
	check_refused(&s, "mind(model=/dev/zero)",
		      "mind: model '/dev/zero': cannot be read: it is no regular file");
	CHECK_INT(model_attach(none, &mind.scheme, &params, &e), -1);
	CHECK_STR(e.text, "mind: unknown model 'mind'; none is built in; a file's name has a slash "
			  "or a dot");
	shelf_close(&s);
}

TEST(test_model_of_another_scheme_or_shape_is_refused_by_the_scheme)
{
	struct weir_learn_bytes others = model_make("body", 3, 1);
	struct shelf s;

	shelf_open(&s);
	check_refused(&s, "mind(model=mind-wide)", "mind: model 'mind-wide': has 4 inputs");
	check_file_refused(&s, others, "mind: model '...own.model': is for 'body'");
	model_free(others);
	shelf_close(&s);
}

TEST(test_model_that_is_cut_off_or_not_finite_is_refused_before_the_scheme_sees_it)
{
	struct weir_learn_bytes bytes = model_make("mind", 3, 1), part = bytes;
	uint8_t *last = (uint8_t *)bytes.data + bytes.size - 4;
	struct shelf s;

	shelf_open(&s);
	for (part.size = 0; part.size < bytes.size; part.size++)
		check_file_refused(&s, part, "mind: model '...own.model': ...");
	memcpy(last, "\x00\x00\xc0\x7f", 4); /* NaN, little-endian */
	check_file_refused(
		&s, bytes,
		"mind: model '...own.model': tensor '0.bias' has a number that is not finite...");
	model_free(bytes);
	shelf_close(&s);
}

TEST(test_model_is_loaded_once_for_each_content_of_its_file)
{
	struct weir_learn_bytes first = model_make("mind", 3, 1), second = model_make("mind", 3, 2);
	const struct model *loaded[3];
	struct weir_error e;
	struct shelf s;

	shelf_open(&s);
	model_write(s.path, first);
	loaded[0] = model_load(s.built_in, s.path, &e);
	loaded[1] = model_load(s.built_in, s.path, &e);
	CHECK(loaded[0] && loaded[0] == loaded[1]);
	model_write(s.path, second);
	loaded[2] = model_load(s.built_in, s.path, &e);
	CHECK(loaded[2] && loaded[2] != loaded[0]);
	CHECK(strcmp(loaded[0]->digest.text, loaded[2]->digest.text) != 0);
	/* The first stays as it was. */
	CHECK(memcmp(loaded[0]->bytes.data, first.data, first.size) == 0);
	CHECK(loaded[0]->policy.weights[0] != loaded[2]->policy.weights[0]);
	model_write(s.path, first);
	CHECK(model_load(s.built_in, s.path, &e) == loaded[0]);
	model_free(first);
	model_free(second);
	shelf_close(&s);
}

enum { THREADS = 4, FILES = 40 };

/* One of the threads that all load the same file at the same time, file after file. */
struct loader {
	const struct shelf *shelf;
	pthread_barrier_t *start;
	const struct model *found[FILES];
};

static void file_name(const struct shelf *s, int number, char path[128])
{
	snprintf(path, 128, "%s/%d.model", s->folder.path, number);
}

static void *load_all(void *context)
{
	struct loader *l = context;
	struct weir_error e;
	char path[128];

	for (int i = 0; i < FILES; i++) {
		file_name(l->shelf, i, path);
		pthread_barrier_wait(l->start);
		l->found[i] = model_load(l->shelf->built_in, path, &e);
	}
	return NULL;
}

TEST(test_model_is_the_same_for_threads_that_load_it_at_the_same_time)
{
	struct loader loaders[THREADS];
	pthread_t threads[THREADS];
	pthread_barrier_t start;
	struct shelf s;
	char path[128];

	shelf_open(&s);
	for (int i = 0; i < FILES; i++) {
		file_name(&s, i, path);
		model_write(path, s.built_in[0].bytes);
	}
	CHECK_INT(pthread_barrier_init(&start, NULL, THREADS), 0);
	for (int i = 0; i < THREADS; i++) {
		loaders[i] = (struct loader){ .shelf = &s, .start = &start };
		CHECK_INT(pthread_create(&threads[i], NULL, load_all, &loaders[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		CHECK_INT(pthread_join(threads[i], NULL), 0);
	for (int i = 0; i < FILES; i++)
		for (int k = 0; k < THREADS; k++)
			CHECK(loaders[k].found[i] && loaders[k].found[i] == loaders[0].found[i]);
	pthread_barrier_destroy(&start);
	shelf_close(&s);
}

TEST(test_config_knows_which_models_its_schemes_use)
{
	struct mind_params params;
	struct weir_error e = { "" };
	struct model_use use;
	struct config c;
	struct shelf s;
	int found = 0;

	shelf_open(&s);
	config_init(&c);
	CHECK(config_add_traffic(&c, "web") != NULL);
	CHECK_INT(read_mind(&s, "mind", &params, &e), 0);
	c.mark = &mind;
	memcpy(c.mark_params, &params, sizeof(params));
	for (uint32_t i = 0; model_use_at(&c, i, &use); i++)
		found += use.model != NULL;
	CHECK_INT(found, 1);
	CHECK(model_used(&c, "switch.marking") == model_of(&mind.scheme, &params));
	CHECK(model_used(&c, "host.cc") == NULL);
	CHECK(model_used(&c, "switch.tune") == NULL);
	CHECK(model_used(&c, "traffic.web.cc") == NULL);
	c.tuner = &mind_tuner;
	memcpy(c.tune_params, &params, sizeof(params));
	CHECK(model_used(&c, "switch.tune") == model_of(&mind.scheme, &params));
	config_free(&c);
	shelf_close(&s);
}

/* The digest among the settings of a config whose marking scheme works with the file, and its
 * key. */
struct identity {
	char digest[64], key[RUN_KEY_SIZE];
};

static void find_digest(void *context, const char *path, const char *text)
{
	struct identity *i = context;

	if (strcmp(path, "digest.switch.marking") == 0)
		snprintf(i->digest, sizeof(i->digest), "%s", text);
}

static struct identity identity_with(struct shelf *s, struct weir_learn_bytes bytes)
{
	struct identity i = { "", "" };
	struct weir_error e = { "" };
	struct mind_params params;
	struct config c;
	char spec[256];

	model_write(s->path, bytes);
	snprintf(spec, sizeof(spec), "mind(model=%s)", s->path);
	CHECK_INT(read_mind(s, spec, &params, &e), 0);
	config_init(&c);
	snprintf(c.switches.marking, sizeof(c.switches.marking), "%s", spec);
	c.mark = &mind;
	memcpy(c.mark_params, &params, sizeof(params));
	CHECK_INT(scenario_settings(&c, find_digest, &i, &e), 0);
	CHECK_INT(run_key(&c, i.key, &e), 0);
	config_free(&c);
	return i;
}

TEST(test_run_with_another_content_of_a_model_file_has_another_key)
{
	struct weir_learn_bytes other = model_make("mind", 3, 2);
	struct identity first, second, again;
	struct shelf s;

	shelf_open(&s);
	first = identity_with(&s, s.built_in[0].bytes);
	second = identity_with(&s, other);
	again = identity_with(&s, s.built_in[0].bytes);
	CHECK_INT(strlen(first.digest), 16);
	CHECK(strcmp(first.digest, second.digest) != 0);
	CHECK(strcmp(first.key, second.key) != 0);
	CHECK_STR(again.digest, first.digest);
	CHECK_STR(again.key, first.key);
	model_free(other);
	shelf_close(&s);
}

TEST(test_every_built_in_model_is_sound_and_says_how_it_was_made)
{
	static const char *const keys[] = { WEIR_LEARN_SCHEME, WEIR_LEARN_COMMAND, WEIR_LEARN_SEED,
					    WEIR_LEARN_VERSION };

	for (const struct model_file *f = model_files; f->name; f++) {
		struct weir_error e = { "" };
		const struct model *m = model_load(model_files, f->name, &e);
		char text[1024];

		if (!m)
			test_fail(__FILE__, __LINE__, "%s: %s", f->name, e.text);
		CHECK(!model_is_file(f->name));
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			if (weir_learn_model_text(m->bytes, keys[i], text, sizeof(text), &e))
				test_fail(__FILE__, __LINE__, "%s: %s", f->name, e.text);
			CHECK(text[0] != '\0');
		}
	}
}

/* Of every scheme of the library that has a network. */
static void check_model_head(const struct weir_scheme *s)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_option *o;
	struct weir_error e = { "" };

	if (!s->model)
		return;
	o = weir_option_find(s->options, "model");
	CHECK(o && o->type == WEIR_OPT_TEXT && o->offset == s->model->name_offset);
	CHECK(s->model->fits != NULL);
	CHECK(s->model->policy_offset + sizeof(void *) <= s->params_size);
	if (weir_scheme_parse(s, s->name, params, &e) || model_attach(model_files, s, params, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

TEST(test_every_scheme_with_a_network_has_its_standard_model)
{
	const struct registry *const all[] = { &weir_mark_registry, &weir_sched_registry,
					       &weir_cc_registry, &weir_tune_registry,
					       &weir_agent_registry };
	const struct weir_scheme *s;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (size_t k = 0; (s = weir_registry_at(all[i], k)); k++)
			check_model_head(s);
}
