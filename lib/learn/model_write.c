/* SPDX-License-Identifier: BSD-3-Clause */
/* model_write.c -- encodes a net and its metadata as a safetensors file.
 *
 * Eight bytes, the length of the header, little-endian; the header, JSON, padded with spaces to a
 * multiple of eight; the numbers, float32 little-endian, tensor after tensor without gaps. */
#include "base/utf8.h"
#include "lib/learn/kernel.h"
#include "lib/learn/tape.h"
#include "lib/learn/tensor.h"
#include "weir/error.h"
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LENGTH_BYTES = 8, PLAN_MAX = 1024 };

/* --- tensors by name and shape --- */

uint32_t weir_learn_tensors(const struct weir_learn_net *net,
			    struct learn_tensor tensors[TENSORS_MAX])
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < net->plan.layer_count; i++) {
		const struct weir_learn_layer *layer = &net->plan.layers[i];
		const struct weir_learn_place *p = &net->places[i];
		int is_lstm = layer->kind == WEIR_LEARN_LSTM;
		struct learn_tensor t = { .dimensions = 2, .stride = p->stride, .group = p->units };

		if (!is_lstm && layer->kind != WEIR_LEARN_DENSE)
			continue;
		t.shape[0] = is_lstm ? LEARN_GATES * p->units : p->units;
		t.shape[1] = p->inputs;
		t.offset = p->weights;
		snprintf(t.name, sizeof(t.name), "%u.weight%s", i, is_lstm ? "_ih" : "");
		tensors[count++] = t;
		if (is_lstm) {
			t.shape[1] = p->units;
			t.offset = p->recurrent;
			snprintf(t.name, sizeof(t.name), "%u.weight_hh", i);
			tensors[count++] = t;
		}
		if (layer->bias == WEIR_LEARN_NO_BIAS)
			continue;
		t.dimensions = 1;
		t.shape[1] = 1;
		t.offset = p->bias;
		snprintf(t.name, sizeof(t.name), "%u.bias", i);
		tensors[count++] = t;
	}
	return count;
}

size_t weir_learn_tensor_at(const struct learn_tensor *t, uint32_t output, uint32_t input)
{
	uint32_t gate = output / t->group, unit = output % t->group;

	return t->offset + (size_t)input * t->stride + gate * learn_padded(t->group) + unit;
}

/* --- writing --- */

/* Output bytes; bytes NULL: only counted. */
struct model_writer {
	uint8_t *bytes;
	size_t used;
};

static void model_put(struct model_writer *w, const void *bytes, size_t count)
{
	if (w->bytes)
		memcpy(w->bytes + w->used, bytes, count);
	w->used += count;
}

__attribute__((format(printf, 2, 3))) static void model_put_format(struct model_writer *w,
								   const char *format, ...)
{
	char text[192];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	assert(length >= 0 && (size_t)length < sizeof(text));
	model_put(w, text, (size_t)length);
}

static void model_put_string(struct model_writer *w, const char *text)
{
	model_put(w, "\"", 1);
	for (const char *c = text; *c; c++) {
		if (*c == '"' || *c == '\\')
			model_put_format(w, "\\%c", *c);
		else if ((unsigned char)*c < ' ')
			model_put_format(w, "\\u%04x", (unsigned)*c);
		else
			model_put(w, c, 1);
	}
	model_put(w, "\"", 1);
}

static void model_put_uint(struct model_writer *w, uint64_t number, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		model_put(w, &(uint8_t){ (uint8_t)(number >> (8 * i)) }, 1);
}

/* --- the header --- */

static void model_put_metadata(struct model_writer *w, const struct weir_learn_model *m)
{
	char plan[PLAN_MAX];
	int is_cut = weir_learn_plan_format(&m->net->plan, plan, sizeof(plan));

	assert(!is_cut); /* twelve layers of at most 60 characters */
	(void)is_cut;
	model_put_format(w, "{\"__metadata__\":{");
	model_put_string(w, WEIR_LEARN_LAYERS);
	model_put(w, ":", 1);
	model_put_string(w, plan);
	for (uint32_t i = 0; i < m->text_count; i++) {
		model_put(w, ",", 1);
		model_put_string(w, m->texts[i].key);
		model_put(w, ":", 1);
		model_put_string(w, m->texts[i].value);
	}
	model_put(w, "}", 1);
}

static void model_put_header(struct model_writer *w, const struct weir_learn_model *m,
			     const struct learn_tensor *tensors, uint32_t count)
{
	size_t offset = 0;

	model_put_metadata(w, m);
	for (uint32_t i = 0; i < count; i++) {
		const struct learn_tensor *t = &tensors[i];
		size_t end = offset + (size_t)t->shape[0] * t->shape[1] * sizeof(float);

		model_put_format(w, ",\"%s\":{\"dtype\":\"F32\",\"shape\":[%u", t->name,
				 t->shape[0]);
		if (t->dimensions == 2)
			model_put_format(w, ",%u", t->shape[1]);
		model_put_format(w, "],\"data_offsets\":[%zu,%zu]}", offset, end);
		offset = end;
	}
	model_put(w, "}", 1);
	while (w->used % LENGTH_BYTES)
		model_put(w, " ", 1);
}

static void model_put_numbers(struct model_writer *w, const struct learn_tensor *t,
			      const float *weights)
{
	for (uint32_t output = 0; output < t->shape[0]; output++)
		for (uint32_t input = 0; input < t->shape[1]; input++) {
			uint32_t bits;

			memcpy(&bits, &weights[weir_learn_tensor_at(t, output, input)],
			       sizeof(bits));
			model_put_uint(w, bits, sizeof(bits));
		}
}

size_t weir_learn_model_size(const struct weir_learn_model *model)
{
	struct learn_tensor tensors[TENSORS_MAX];
	uint32_t count = weir_learn_tensors(model->net, tensors);
	struct model_writer w = { NULL, LENGTH_BYTES };

	model_put_header(&w, model, tensors, count);
	for (uint32_t i = 0; i < count; i++)
		w.used += (size_t)tensors[i].shape[0] * tensors[i].shape[1] * sizeof(float);
	return w.used;
}

/* --- validation --- */

static int model_is_utf8(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t length = 1;

	for (; *at && length > 0; at += length)
		length = weir_utf8_length(at, WEIR_UTF8_BYTES_MAX);
	return length > 0;
}

static int model_check_texts(const struct weir_learn_model *m, struct weir_error *e)
{
	for (uint32_t i = 0; i < m->text_count; i++) {
		const char *key = m->texts[i].key;

		if (!model_is_utf8(key) || !model_is_utf8(m->texts[i].value))
			return weir_error_set(e, "the text %s of a model is not UTF-8",
					      weir_quote(key).text);
		if (strcmp(key, WEIR_LEARN_LAYERS) == 0)
			return weir_error_set(e, "the text '%s' of a model is not yours to write",
					      key);
		for (uint32_t j = 0; j < i; j++)
			if (strcmp(key, m->texts[j].key) == 0)
				return weir_error_set(e, "a model has two texts %s",
						      weir_quote(key).text);
	}
	return 0;
}

static int model_check_numbers(const struct learn_tensor *t, const float *weights,
			       struct weir_error *e)
{
	for (uint32_t output = 0; output < t->shape[0]; output++)
		for (uint32_t input = 0; input < t->shape[1]; input++)
			if (!isfinite(weights[weir_learn_tensor_at(t, output, input)]))
				return weir_error_set(
					e, "tensor '%s' has a number that is not finite", t->name);
	return 0;
}

int weir_learn_model_encode(const struct weir_learn_model *model, uint8_t *bytes,
			    struct weir_error *e)
{
	struct learn_tensor tensors[TENSORS_MAX];
	uint32_t count = weir_learn_tensors(model->net, tensors);
	struct model_writer w = { bytes, LENGTH_BYTES }, length = { bytes, 0 };

	if (model_check_texts(model, e))
		return -1;
	for (uint32_t i = 0; i < count; i++)
		if (model_check_numbers(&tensors[i], model->weights, e))
			return -1;
	model_put_header(&w, model, tensors, count);
	model_put_uint(&length, w.used - LENGTH_BYTES, LENGTH_BYTES);
	for (uint32_t i = 0; i < count; i++)
		model_put_numbers(&w, &tensors[i], model->weights);
	return 0;
}
