/* SPDX-License-Identifier: BSD-3-Clause */
/* net.c -- from a plan to a net: is it sound, and where does each layer's array of weights lie? */
#include "lib/learn/kernel.h"
#include "weir/error.h"
#include "weir/learn.h"
#include <string.h>

enum { LSTM_GATES = 4 };

/* --- is it sound? --- */

/* Sizes and kind of what a layer reads; -1 and a message where there is no such thing. */
static int source_find(const struct weir_learn_net *net, uint32_t layer, int32_t from,
		       struct weir_learn_place *found, struct weir_error *e)
{
	const struct weir_learn_plan *plan = &net->plan;

	memset(found, 0, sizeof(*found));
	if (from == WEIR_LEARN_SEQUENCE) {
		found->units = plan->sequence_size;
		found->is_sequence = 1;
	} else if (from == WEIR_LEARN_CURRENT) {
		found->units = plan->current_size;
		found->needs_current = 1;
	} else if (from >= 0 && (uint32_t)from < layer) {
		*found = net->places[from];
	} else {
		return weir_error_set(e, "layer %u reads layer %d, which is not before it", layer,
				      from);
	}
	if (found->units == 0)
		return weir_error_set(e, "layer %u reads an input of size 0", layer);
	return 0;
}

static int has_weights(const struct weir_learn_layer *layer)
{
	return layer->kind == WEIR_LEARN_DENSE || layer->kind == WEIR_LEARN_LSTM;
}

static int layer_check(const struct weir_learn_layer *layer, uint32_t number,
		       const struct weir_learn_place *source, struct weir_error *e)
{
	if (layer->kind > WEIR_LEARN_CONCAT || layer->activation > WEIR_LEARN_TANH ||
	    layer->bias > WEIR_LEARN_NO_BIAS)
		return weir_error_set(e, "layer %u has an unknown kind, activation or bias",
				      number);
	if (has_weights(layer) && (layer->units == 0 || layer->units > WEIR_LEARN_UNITS_MAX))
		return weir_error_set(e, "layer %u has %u units; 1 to %d are possible", number,
				      layer->units, WEIR_LEARN_UNITS_MAX);
	if ((layer->kind == WEIR_LEARN_LSTM || layer->kind == WEIR_LEARN_LAST) &&
	    !source->is_sequence)
		return weir_error_set(e, "layer %u reads a sequence, and its input is none",
				      number);
	return 0;
}

/* --- where things lie --- */

/* The offset of so many floats, which begin on a cache line. */
static uint32_t reserve(uint32_t *total, uint32_t count)
{
	enum { LINE_FLOATS = WEIR_LEARN_ALIGNMENT / sizeof(float) };
	uint32_t at = *total;

	*total += (count + LINE_FLOATS - 1) / LINE_FLOATS * LINE_FLOATS;
	return at;
}

static void weights_place(struct weir_learn_net *net, const struct weir_learn_layer *layer,
			  struct weir_learn_place *p)
{
	p->units = layer->units;
	p->columns = layer->units;
	if (layer->kind == WEIR_LEARN_LSTM)
		p->columns = LSTM_GATES * learn_padded(layer->units);
	p->stride = learn_stride(p->columns);
	p->weights = reserve(&net->weight_floats, p->inputs * p->stride);
	p->turned_stride = learn_stride(p->inputs);
	p->turned = reserve(&net->turned_floats, p->columns * p->turned_stride);
	if (layer->kind == WEIR_LEARN_LSTM) {
		p->recurrent = reserve(&net->weight_floats, p->units * p->stride);
		p->turned_recurrent_stride = learn_stride(p->units);
		p->turned_recurrent =
			reserve(&net->turned_floats, p->columns * p->turned_recurrent_stride);
		p->state = net->state_floats;
		net->state_floats += 2 * p->units;
	}
	if (layer->bias == WEIR_LEARN_WITH_BIAS)
		p->bias = reserve(&net->weight_floats, p->stride);
}

/* What a plan can ask for stays below 2^32 floats: 12 layers of at most 8192 rows of 16,392. */
_Static_assert((uint64_t)WEIR_LEARN_LAYERS_MAX * 2 * WEIR_LEARN_UNITS_MAX *
			       (LSTM_GATES * WEIR_LEARN_UNITS_MAX + LEARN_LANES) <
		       UINT32_MAX,
	       "offsets are 32 bits");

static int layer_place(struct weir_learn_net *net, uint32_t number, struct weir_error *e)
{
	const struct weir_learn_layer *layer = &net->plan.layers[number];
	struct weir_learn_place *p = &net->places[number];
	struct weir_learn_place source, second = { 0 };

	if (source_find(net, number, layer->from[0], &source, e) ||
	    layer_check(layer, number, &source, e))
		return -1;
	if (layer->kind == WEIR_LEARN_CONCAT) {
		if (source_find(net, number, layer->from[1], &second, e))
			return -1;
		if (source.is_sequence || second.is_sequence)
			return weir_error_set(e, "layer %u joins inputs, and one is a sequence",
					      number);
	}
	p->inputs = source.units + second.units;
	if (p->inputs > WEIR_LEARN_UNITS_MAX)
		return weir_error_set(e, "layer %u has %u inputs; at most %d are possible", number,
				      p->inputs, WEIR_LEARN_UNITS_MAX);
	p->is_sequence = source.is_sequence && layer->kind != WEIR_LEARN_LAST;
	p->needs_current = source.needs_current || second.needs_current;
	if (has_weights(layer)) {
		weights_place(net, layer, p);
	} else {
		p->units = p->inputs;
		p->stride = learn_stride(p->units);
	}
	return 0;
}

int weir_learn_net_init(struct weir_learn_net *net, const struct weir_learn_plan *plan,
			struct weir_error *e)
{
	memset(net, 0, sizeof(*net));
	net->plan = *plan;
	if (plan->layer_count == 0 || plan->layer_count > WEIR_LEARN_LAYERS_MAX)
		return weir_error_set(e, "a net of %u layers; 1 to %d are possible",
				      plan->layer_count, WEIR_LEARN_LAYERS_MAX);
	if (plan->sequence_size > WEIR_LEARN_UNITS_MAX || plan->current_size > WEIR_LEARN_UNITS_MAX)
		return weir_error_set(e, "an input of %u numbers; at most %d are possible",
				      plan->sequence_size > plan->current_size ? plan->sequence_size
									       : plan->current_size,
				      WEIR_LEARN_UNITS_MAX);
	for (uint32_t i = 0; i < plan->layer_count; i++)
		if (layer_place(net, i, e))
			return -1;
	net->outputs = net->places[plan->layer_count - 1].units;
	return 0;
}

void weir_learn_net_transpose(const struct weir_learn_net *net, const float *weights, float *turned)
{
	for (uint32_t i = 0; i < net->plan.layer_count; i++) {
		const struct weir_learn_place *p = &net->places[i];

		if (!has_weights(&net->plan.layers[i]))
			continue;
		weir_learn_turn(&(struct weir_learn_turn){
			.from = weights + p->weights,
			.rows = p->inputs,
			.columns = p->columns,
			.from_stride = p->stride,
			.to = turned + p->turned,
			.to_stride = p->turned_stride,
		});
		if (net->plan.layers[i].kind != WEIR_LEARN_LSTM)
			continue;
		weir_learn_turn(&(struct weir_learn_turn){
			.from = weights + p->recurrent,
			.rows = p->units,
			.columns = p->columns,
			.from_stride = p->stride,
			.to = turned + p->turned_recurrent,
			.to_stride = p->turned_recurrent_stride,
		});
	}
}
