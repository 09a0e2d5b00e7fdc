/* SPDX-License-Identifier: BSD-3-Clause */
/* tensor.c -- the arrays of a net by name and shape. */
#include "lib/learn/tensor.h"
#include "lib/learn/kernel.h"
#include "lib/learn/tape.h"
#include <stdio.h>

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
