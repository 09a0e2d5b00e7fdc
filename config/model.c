/* SPDX-License-Identifier: BSD-3-Clause */
/* model.c -- loading, caching and attaching of models, see model.h. */
#include "config/model.h"
#include "base/input.h"
#include "base/memory.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 64 };

/* Twelve layers of a thousand units have 48 MB of weights. */
#define MODEL_MAX_BYTES (INT64_C(256) << 20)

struct loaded_model {
	struct model model; /* first: pointers are cast between both */
	struct weir_learn_net net;
	struct loaded_model *next;
};

/* All models loaded so far, for the whole process. Entries are never removed. */
static pthread_mutex_t model_lock = PTHREAD_MUTEX_INITIALIZER;
static struct loaded_model *model_first;

int model_is_file(const char *name)
{
	return name[strcspn(name, "/.")] != '\0';
}

/* --- reading --- */

static int model_read_stream(FILE *f, struct weir_learn_bytes *bytes, struct weir_error *e)
{
	int64_t size = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
	uint8_t *data;

	if (size < 0 || fseek(f, 0, SEEK_SET) != 0)
		return weir_error_set(e, "cannot be read: %s", strerror(errno));
	if (size > MODEL_MAX_BYTES)
		return weir_error_set(e, "%lld bytes are no model; at most %lld", (long long)size,
				      (long long)MODEL_MAX_BYTES);
	data = memory_grow(NULL, (uint64_t)size + 1, 1);
	if (fread(data, 1, (size_t)size, f) != (size_t)size) {
		free(data);
		return weir_error_set(e, "cannot be read: %s", strerror(errno));
	}
	*bytes = (struct weir_learn_bytes){ data, (size_t)size };
	return 0;
}

/* Reads a file; the caller frees the bytes. */
static int model_read_file(const char *path, struct weir_learn_bytes *bytes, struct weir_error *e)
{
	const char *why;
	FILE *f = input_open(path, &why);
	int failed;

	if (!f)
		return weir_error_set(e, "cannot be read: %s", why);
	failed = model_read_stream(f, bytes, e);
	fclose(f);
	return failed;
}

static char *model_copy_text(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(memory_grow(NULL, size, 1), text, size);
}

/* Metadata of a validated model; "" if missing. Metadata is shorter than the file. */
static char *model_text(struct weir_learn_bytes bytes, const char *key)
{
	char *text = memory_grow(NULL, bytes.size, 1);
	struct weir_error e;

	if (weir_learn_model_text(bytes, key, text, bytes.size, &e))
		text[0] = '\0';
	return memory_grow(text, strlen(text) + 1, 1);
}

/* "for acc; sequence 0; ...; made by 'weir train ...', seed 7, version 0.2.0". */
static char *model_about(struct weir_learn_bytes bytes)
{
	static const char *const parts[][2] = {
		{ "for ", WEIR_LEARN_SCHEME },         { "; ", WEIR_LEARN_LAYERS },
		{ "; made by '", WEIR_LEARN_COMMAND }, { "', seed ", WEIR_LEARN_SEED },
		{ ", version ", WEIR_LEARN_VERSION },
	};
	char *made = model_copy_text("");

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		char *text = model_text(bytes, parts[i][1]);
		size_t used = strlen(made), more = strlen(parts[i][0]) + strlen(text);

		made = memory_grow(made, used + more + 1, 1);
		snprintf(made + used, more + 1, "%s%s", parts[i][0], text);
		free(text);
	}
	return made;
}

/* NULL with a message: the model is invalid; nothing is retained. */
static struct loaded_model *model_cache_new(const char *name, struct weir_learn_bytes bytes,
					    struct weir_error *e)
{
	struct weir_learn_plan plan;
	struct weir_learn_net net;
	struct loaded_model *k;
	float *weights;

	if (weir_learn_model_plan(bytes, &plan, e) || weir_learn_net_init(&net, &plan, e))
		return NULL;
	weights = memory_new(net.weight_floats, sizeof(*weights));
	if (weir_learn_model_decode(bytes, &net, weights, e)) {
		memory_free(weights, net.weight_floats, sizeof(*weights));
		return NULL;
	}
	k = memory_new(1, sizeof(*k));
	k->net = net;
	k->model = (struct model){
		.policy = { .name = model_copy_text(name),
			    .scheme = model_text(bytes, WEIR_LEARN_SCHEME),
			    .features = model_text(bytes, WEIR_LEARN_FEATURES),
			    .actions = model_text(bytes, WEIR_LEARN_ACTIONS),
			    .agent = model_text(bytes, WEIR_LEARN_AGENT),
			    .net = &k->net,
			    .weights = weights },
		.bytes = bytes,
		.about = model_about(bytes),
	};
	return k;
}

static struct loaded_model *model_cache_find(const char *name, const struct digest *d)
{
	struct loaded_model *k = model_first;

	while (k && (strcmp(k->model.policy.name, name) != 0 ||
		     strcmp(k->model.digest.text, d->text) != 0))
		k = k->next;
	return k;
}

/* The model of that name and content. *is_new: it was added and owns the bytes now. */
static const struct model *model_cache_take(const char *name, struct weir_learn_bytes bytes,
					    int *is_new, struct weir_error *e)
{
	struct digest_sum sum = { 0, 0 };
	struct digest d;
	struct loaded_model *k;

	digest_add(&sum, bytes.data, bytes.size);
	d = digest_end(&sum);
	pthread_mutex_lock(&model_lock);
	k = model_cache_find(name, &d);
	*is_new = 0;
	if (!k && (k = model_cache_new(name, bytes, e))) {
		k->model.digest = d;
		k->next = model_first;
		model_first = k;
		*is_new = 1;
	}
	pthread_mutex_unlock(&model_lock);
	return k ? &k->model : NULL;
}

/* --- by name --- */

static void model_unknown(const struct model_file *built_in, const char *name, struct weir_error *e)
{
	const char *names[NAMES_MAX];
	size_t count = 0;

	for (; count < NAMES_MAX && built_in[count].name; count++)
		names[count] = built_in[count].name;
	if (count)
		weir_error_unknown(e, "model", name, names, count);
	else
		weir_error_set(e, "unknown model %s; none is built in", weir_quote(name).text);
	weir_error_set(e, "%s; a file's name has a slash or a dot", e->text);
}

static const struct model *model_from_file(const char *name, struct weir_error *e)
{
	struct weir_learn_bytes bytes;
	const struct model *m;
	int is_new;

	if (model_read_file(name, &bytes, e))
		return NULL;
	m = model_cache_take(name, bytes, &is_new, e);
	if (!is_new)
		free((void *)bytes.data);
	return m;
}

const struct model *model_load(const struct model_file *built_in, const char *name,
			       struct weir_error *e)
{
	const struct model *m = NULL;
	const struct model_file *f = built_in;
	int is_new;

	while (f->name && strcmp(f->name, name) != 0)
		f++;
	if (!f->name && !model_is_file(name)) {
		model_unknown(built_in, name, e);
		return NULL;
	}
	m = f->name ? model_cache_take(name, f->bytes, &is_new, e) : model_from_file(name, e);
	if (!m)
		weir_error_prefix(e, "model %s: ", weir_quote(name).text);
	return m;
}

/* --- in params --- */

static const struct model *model_attach_named(const struct model_file *built_in,
					      const struct weir_scheme_model *own, void *params,
					      struct weir_error *e)
{
	char *name = (char *)params + own->name_offset;
	const struct model *m = model_load(built_in, name, e);

	if (!m)
		return NULL;
	if (own->adopt)
		own->adopt(params, &m->policy);
	if (own->fits(params, &m->policy, e)) {
		weir_error_prefix(e, "model %s: ", weir_quote(name).text);
		return NULL;
	}
	return m;
}

int model_attach(const struct model_file *built_in, const struct weir_scheme *s, void *params,
		 struct weir_error *e)
{
	const struct weir_scheme_model *own = s->model;
	const struct weir_learn_policy *policy = NULL;
	const struct model *m;
	char *name;

	if (!own)
		return 0;
	name = (char *)params + own->name_offset;
	if (!name[0] && own->standard && own->standard(params))
		snprintf(name, WEIR_OPT_TEXT_SIZE, "%s", own->standard(params));
	if (name[0]) {
		m = model_attach_named(built_in, own, params, e);
		if (!m)
			return weir_error_prefix(e, "%s: ", s->name);
		policy = &m->policy;
	} else if (own->adopt) {
		own->adopt(params, NULL);
	}
	memcpy((char *)params + own->policy_offset, &policy, sizeof(policy));
	return 0;
}

const struct model *model_of(const struct weir_scheme *s, const void *params)
{
	const struct weir_learn_policy *policy = NULL;

	if (s->model)
		memcpy(&policy, (const char *)params + s->model->policy_offset, sizeof(policy));
	return (const struct model *)(const void *)policy;
}

/* --- of a config --- */

/* The settings that exist once, with the offsets of scheme and params in struct config. switch.tune
 * is an agent or a tuner; a NIC's marking is an option of the NIC. */
static const struct {
	const char *path;
	size_t ops, params;
} places[] = {
	{ "switch.marking", offsetof(struct config, mark), offsetof(struct config, mark_params) },
	{ "switch.scheduler", offsetof(struct config, sched),
	  offsetof(struct config, sched_params) },
	{ "switch.tune", offsetof(struct config, agent), offsetof(struct config, tune_params) },
	{ "switch.tune", offsetof(struct config, tuner), offsetof(struct config, tune_params) },
	{ "host.cc", offsetof(struct config, cc), offsetof(struct config, cc_params) },
	{ "host.nic", offsetof(struct config, nic_mark), offsetof(struct config, nic_mark_params) },
};

enum { PLACES = sizeof(places) / sizeof(places[0]) };

int model_use_at(const struct config *c, uint32_t i, struct model_use *use)
{
	const struct weir_scheme *scheme; /* ops begin with their head */
	const void *params;

	if (i < PLACES) {
		memcpy(&scheme, (const char *)c + places[i].ops, sizeof(scheme));
		params = (const char *)c + places[i].params;
		snprintf(use->path, sizeof(use->path), "%s", places[i].path);
	} else if (i - PLACES < c->traffic_count) {
		const struct traffic_config *t = &c->traffic[i - PLACES];

		scheme = t->cc_ops ? &t->cc_ops->scheme : NULL;
		params = t->cc_params;
		snprintf(use->path, sizeof(use->path), "traffic.%s.cc", t->name);
	} else {
		return 0;
	}
	use->model = scheme ? model_of(scheme, params) : NULL;
	return 1;
}

const struct model *model_used(const struct config *c, const char *path)
{
	struct model_use use;

	for (uint32_t i = 0; model_use_at(c, i, &use); i++)
		if (use.model && strcmp(use.path, path) == 0)
			return use.model;
	return NULL;
}
