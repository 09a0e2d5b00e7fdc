/* SPDX-License-Identifier: BSD-3-Clause */
/* model_read.c -- decodes untrusted safetensors files into the weights of a net.
 *
 * The whole header is validated before any of it is used: no tensor is named twice, no two share a
 * byte, and together they cover all bytes behind the header. */
#include "base/json.h"
#include "lib/learn/tensor.h"
#include "weir/error.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	LENGTH_BYTES = 8,
	HEADER_MAX = 1 << 20,
	KEY_MAX = WEIR_LEARN_KEY_SIZE,
	TEXTS_MAX = WEIR_LEARN_TEXTS_MAX,
	PLAN_MAX = 1024,
};

/* A tensor as the file describes it. */
struct model_entry {
	char name[TENSOR_NAME_MAX];
	uint32_t dimensions; /* at most 2 */
	uint64_t shape[2];   /* 1 where there is no such dimension */
	uint64_t begin, end; /* bytes, from the end of the header */
};

struct model_header {
	const uint8_t *numbers; /* behind it */
	size_t number_bytes;
	uint32_t entry_count;
	struct model_entry entries[TENSORS_MAX];
};

/* What else the reader collects from the header: the text of one key (text NULL: none), and the
 * keys of all texts (keys NULL: none). */
struct model_query {
	const char *key;
	char *text;
	size_t size;
	int is_found;
	char (*keys)[KEY_MAX];
	uint32_t key_count;
};

/* --- metadata --- */

static int model_read_text(struct weir_json *j, char keys[TEXTS_MAX][KEY_MAX], uint32_t number,
			   struct model_query *query)
{
	if (number == TEXTS_MAX)
		return weir_error_set(j->error, "the header has more than %d texts", TEXTS_MAX);
	if (weir_json_string(j, keys[number], KEY_MAX) || weir_json_expect(j, ':'))
		return -1;
	for (uint32_t i = 0; i < number; i++)
		if (strcmp(keys[i], keys[number]) == 0)
			return weir_error_set(j->error, "the header has two texts %s",
					      weir_quote(keys[number]).text);
	if (!query->text || strcmp(keys[number], query->key) != 0)
		return weir_json_string(j, NULL, 0);
	query->is_found = 1;
	return weir_json_string(j, query->text, query->size);
}

static int model_read_metadata(struct weir_json *j, struct model_query *query)
{
	char keys[TEXTS_MAX][KEY_MAX];
	uint32_t count = 0;

	if (weir_json_expect(j, '{'))
		return -1;
	if (weir_json_accept(j, '}'))
		return 0;
	do {
		if (model_read_text(j, keys, count++, query))
			return -1;
	} while (weir_json_accept(j, ','));
	if (query->keys)
		memcpy(query->keys, keys, count * sizeof(keys[0]));
	query->key_count = count;
	return weir_json_expect(j, '}');
}

/* --- tensors --- */

/* "[a, b]" of up to two numbers; returns how many, or -1. */
static int model_read_pair(struct weir_json *j, uint64_t pair[2])
{
	int count = 0;

	if (weir_json_expect(j, '['))
		return -1;
	if (weir_json_accept(j, ']'))
		return 0;
	do {
		if (count == 2)
			return weir_error_set(j->error,
					      "the header has a list of more than two numbers");
		if (weir_json_number(j, &pair[count++]))
			return -1;
	} while (weir_json_accept(j, ','));
	return weir_json_expect(j, ']') ? -1 : count;
}

enum { HAS_TYPE = 1, HAS_SHAPE = 2, HAS_OFFSETS = 4, HAS_ALL = 7 };

/* One of the three members of a tensor's description; returns which, or -1. */
static int model_read_member(struct weir_json *j, struct model_entry *t)
{
	char key[KEY_MAX], type[KEY_MAX];
	uint64_t offsets[2];
	int count;

	if (weir_json_string(j, key, sizeof(key)) || weir_json_expect(j, ':'))
		return -1;
	if (strcmp(key, "dtype") == 0) {
		if (weir_json_string(j, type, sizeof(type)))
			return -1;
		if (strcmp(type, "F32") != 0)
			return weir_error_set(j->error, "tensor %s is of type %s, not F32",
					      weir_quote(t->name).text, weir_quote(type).text);
		return HAS_TYPE;
	}
	if (strcmp(key, "shape") == 0) {
		count = model_read_pair(j, t->shape);
		t->dimensions = (uint32_t)count;
		return count < 0 ? -1 : HAS_SHAPE;
	}
	if (strcmp(key, "data_offsets") == 0) {
		count = model_read_pair(j, offsets);
		if (count < 0)
			return -1;
		if (count != 2)
			return weir_error_set(j->error, "tensor %s has no two offsets",
					      weir_quote(t->name).text);
		t->begin = offsets[0];
		t->end = offsets[1];
		return HAS_OFFSETS;
	}
	return weir_error_set(j->error, "tensor %s has an unknown member %s",
			      weir_quote(t->name).text, weir_quote(key).text);
}

static int model_read_tensor(struct weir_json *j, struct model_entry *t)
{
	int has = 0;

	t->shape[0] = t->shape[1] = 1;
	if (weir_json_expect(j, '{'))
		return -1;
	do {
		int member = model_read_member(j, t);

		if (member < 0)
			return -1;
		if (has & member)
			return weir_error_set(j->error, "tensor %s says something twice",
					      weir_quote(t->name).text);
		has |= member;
	} while (weir_json_accept(j, ','));
	if (has != HAS_ALL)
		return weir_error_set(j->error, "tensor %s lacks its type, shape or offsets",
				      weir_quote(t->name).text);
	return weir_json_expect(j, '}');
}

/* Shapes are below 2^53 each: checked by division. */
static int model_check_entry(const struct model_header *h, const struct model_entry *t,
			     struct weir_error *e)
{
	uint64_t floats = (t->end - t->begin) / sizeof(float);

	if (t->begin > t->end || t->end > h->number_bytes)
		return weir_error_set(e, "tensor %s lies outside the file",
				      weir_quote(t->name).text);
	if ((t->end - t->begin) % sizeof(float) || !t->shape[0] || floats % t->shape[0] ||
	    floats / t->shape[0] != t->shape[1])
		return weir_error_set(e, "tensor %s has a shape that does not fit its %llu bytes",
				      weir_quote(t->name).text,
				      (unsigned long long)(t->end - t->begin));
	for (const struct model_entry *other = h->entries; other < t; other++) {
		if (strcmp(t->name, other->name) == 0)
			return weir_error_set(e, "the header has two tensors %s",
					      weir_quote(t->name).text);
		if (t->begin < other->end && other->begin < t->end)
			return weir_error_set(e, "tensors %s and %s share bytes",
					      weir_quote(other->name).text,
					      weir_quote(t->name).text);
	}
	return 0;
}

/* --- the whole header --- */

static int model_read_entry(struct weir_json *j, struct model_header *h, struct model_query *query,
			    int *has_metadata)
{
	struct model_entry *t = &h->entries[h->entry_count];
	char name[TENSOR_NAME_MAX];

	if (weir_json_string(j, name, sizeof(name)) || weir_json_expect(j, ':'))
		return -1;
	if (strcmp(name, "__metadata__") == 0) {
		if ((*has_metadata)++)
			return weir_error_set(j->error, "the header has its metadata twice");
		return model_read_metadata(j, query);
	}
	if (h->entry_count == TENSORS_MAX)
		return weir_error_set(j->error, "the header has more than %d tensors", TENSORS_MAX);
	memcpy(t->name, name, sizeof(name));
	h->entry_count++;
	return model_read_tensor(j, t) || model_check_entry(h, t, j->error) ? -1 : 0;
}

static int model_read_object(struct weir_json *j, struct model_header *h, struct model_query *query)
{
	int has_metadata = 0;
	uint64_t used = 0;

	if (weir_json_expect(j, '{'))
		return -1;
	do {
		if (model_read_entry(j, h, query, &has_metadata))
			return -1;
	} while (weir_json_accept(j, ','));
	if (weir_json_expect(j, '}') || weir_json_end(j))
		return -1;
	for (uint32_t i = 0; i < h->entry_count; i++)
		used += h->entries[i].end - h->entries[i].begin;
	if (used != h->number_bytes)
		return weir_error_set(
			j->error, "%llu of the file's %zu bytes of numbers are in no tensor",
			(unsigned long long)(h->number_bytes - used), h->number_bytes);
	return 0;
}

static int model_read_header(struct weir_learn_bytes model, struct model_header *h,
			     struct model_query *query, struct weir_error *e)
{
	const uint8_t *text = model.data + LENGTH_BYTES;
	struct weir_json j;
	uint64_t length = 0;

	memset(h, 0, sizeof(*h));
	if (model.size < LENGTH_BYTES)
		return weir_error_set(e, "%zu bytes are no model", model.size);
	for (int i = LENGTH_BYTES; i-- > 0;)
		length = length << 8 | model.data[i];
	if (length > HEADER_MAX || length > model.size - LENGTH_BYTES)
		return weir_error_set(e, "a header of %llu bytes in a file of %zu",
				      (unsigned long long)length, model.size);
	h->numbers = text + length;
	h->number_bytes = model.size - LENGTH_BYTES - (size_t)length;
	j = weir_json_begin(text, (size_t)length, "the header", e);
	return model_read_object(&j, h, query);
}

/* --- against a net --- */

static const struct model_entry *model_find_entry(const struct model_header *h, const char *name)
{
	for (uint32_t i = 0; i < h->entry_count; i++)
		if (strcmp(h->entries[i].name, name) == 0)
			return &h->entries[i];
	return NULL;
}

struct shape_text {
	char text[64];
};

static struct shape_text shape_text(uint32_t dimensions, uint64_t first, uint64_t second)
{
	struct shape_text t = { "[]" };

	if (dimensions == 1)
		snprintf(t.text, sizeof(t.text), "[%llu]", (unsigned long long)first);
	if (dimensions == 2)
		snprintf(t.text, sizeof(t.text), "[%llu, %llu]", (unsigned long long)first,
			 (unsigned long long)second);
	return t;
}

/* The net's tensors are there, in their shapes, and no others. */
static int model_fits(const struct model_header *h, const struct learn_tensor *tensors,
		      uint32_t count, struct weir_error *e)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct learn_tensor *t = &tensors[i];
		const struct model_entry *found = model_find_entry(h, t->name);

		if (!found)
			return weir_error_set(
				e, "tensor '%s' %s is missing", t->name,
				shape_text(t->dimensions, t->shape[0], t->shape[1]).text);
		if (found->dimensions != t->dimensions || found->shape[0] != t->shape[0] ||
		    found->shape[1] != t->shape[1])
			return weir_error_set(
				e, "tensor '%s' is %s; the net's is %s", t->name,
				shape_text(found->dimensions, found->shape[0], found->shape[1])
					.text,
				shape_text(t->dimensions, t->shape[0], t->shape[1]).text);
	}
	for (uint32_t i = 0; i < h->entry_count; i++) {
		int is_known = 0;

		for (uint32_t k = 0; k < count; k++)
			is_known |= strcmp(h->entries[i].name, tensors[k].name) == 0;
		if (!is_known)
			return weir_error_set(e, "tensor %s is none of the net's",
					      weir_quote(h->entries[i].name).text);
	}
	return 0;
}

static int model_read_numbers(const uint8_t *from, const struct learn_tensor *t, float *weights,
			      struct weir_error *e)
{
	for (uint32_t output = 0; output < t->shape[0]; output++)
		for (uint32_t input = 0; input < t->shape[1]; input++, from += sizeof(float)) {
			uint32_t bits = (uint32_t)from[0] | (uint32_t)from[1] << 8 |
					(uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
			float number;

			memcpy(&number, &bits, sizeof(number));
			if (!isfinite(number))
				return weir_error_set(
					e,
					"tensor '%s' has a number that is not finite at [%u, %u]",
					t->name, output, input);
			weights[weir_learn_tensor_at(t, output, input)] = number;
		}
	return 0;
}

int weir_learn_model_decode(struct weir_learn_bytes model, const struct weir_learn_net *net,
			    float *weights, struct weir_error *e)
{
	struct learn_tensor tensors[TENSORS_MAX];
	uint32_t count = weir_learn_tensors(net, tensors);
	struct model_query nothing = { 0 };
	struct model_header h;

	if (model_read_header(model, &h, &nothing, e) || model_fits(&h, tensors, count, e))
		return -1;
	memset(weights, 0, net->weight_floats * sizeof(*weights));
	for (uint32_t i = 0; i < count; i++)
		if (model_read_numbers(h.numbers + model_find_entry(&h, tensors[i].name)->begin,
				       &tensors[i], weights, e))
			return -1;
	return 0;
}

int weir_learn_model_plan(struct weir_learn_bytes model, struct weir_learn_plan *plan,
			  struct weir_error *e)
{
	struct learn_tensor tensors[TENSORS_MAX];
	struct weir_learn_net net;
	struct model_header h;
	char text[PLAN_MAX];
	struct model_query layers = { .key = WEIR_LEARN_LAYERS,
				      .text = text,
				      .size = sizeof(text) };

	if (model_read_header(model, &h, &layers, e))
		return -1;
	if (!layers.is_found)
		return weir_error_set(e, "the model has no text '%s'", WEIR_LEARN_LAYERS);
	if (weir_learn_plan_parse(plan, text, e) || weir_learn_net_init(&net, plan, e))
		return -1;
	return model_fits(&h, tensors, weir_learn_tensors(&net, tensors), e);
}

int weir_learn_model_text(struct weir_learn_bytes model, const char *key, char *text, size_t room,
			  struct weir_error *e)
{
	struct model_query query = { .key = key, .text = text, .size = room };
	struct model_header h;

	assert(room > 0);
	if (model_read_header(model, &h, &query, e))
		return -1;
	if (!query.is_found)
		return weir_error_set(e, "the model has no text %s", weir_quote(key).text);
	return 0;
}

int weir_learn_model_keys(struct weir_learn_bytes model,
			  char keys[WEIR_LEARN_TEXTS_MAX][WEIR_LEARN_KEY_SIZE],
			  struct weir_error *e)
{
	struct model_query query = { .keys = keys };
	struct model_header h;

	return model_read_header(model, &h, &query, e) ? -1 : (int)query.key_count;
}
