/* SPDX-License-Identifier: BSD-3-Clause */
/* net.c -- from a plan to a net: validation, layout of the weight arrays, initial weights. */
#include "lib/learn/kernel.h"
#include "lib/learn/tape.h"
#include "weir/error.h"
#include <math.h>
#include <string.h>

/* --- validation --- */

/* Size and kind of a layer's input. -1 with a message: there is no such input. */
static int net_find_source(const struct weir_learn_net *net, uint32_t layer, int32_t from,
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

static int net_has_weights(const struct weir_learn_layer *layer)
{
	return layer->kind == WEIR_LEARN_DENSE || layer->kind == WEIR_LEARN_LSTM;
}

static int net_check_layer(const struct weir_learn_layer *layer, uint32_t number,
			   const struct weir_learn_place *source, struct weir_error *e)
{
	if (layer->kind > WEIR_LEARN_CONCAT || layer->activation > WEIR_LEARN_TANH ||
	    layer->bias > WEIR_LEARN_NO_BIAS)
		return weir_error_set(e, "layer %u has an unknown kind, activation or bias",
				      number);
	if (net_has_weights(layer) && (layer->units == 0 || layer->units > WEIR_LEARN_UNITS_MAX))
		return weir_error_set(e, "layer %u has %u units; 1 to %d are possible", number,
				      layer->units, WEIR_LEARN_UNITS_MAX);
	if ((layer->kind == WEIR_LEARN_LSTM || layer->kind == WEIR_LEARN_LAST) &&
	    !source->is_sequence)
		return weir_error_set(e, "layer %u reads a sequence, and its input is none",
				      number);
	return 0;
}

/* --- memory layout --- */

/* Reserves floats in whole cache lines; returns their offset. */
static uint32_t net_reserve(uint32_t *total, uint32_t count)
{
	enum { LINE_FLOATS = WEIR_LEARN_ALIGNMENT / sizeof(float) };
	uint32_t at = *total;

	*total += (count + LINE_FLOATS - 1) / LINE_FLOATS * LINE_FLOATS;
	return at;
}

static void net_place_weights(struct weir_learn_net *net, const struct weir_learn_layer *layer,
			      struct weir_learn_place *p)
{
	p->units = layer->units;
	p->columns = layer->units;
	if (layer->kind == WEIR_LEARN_LSTM)
		p->columns = LEARN_GATES * learn_padded(layer->units);
	p->stride = learn_stride(p->columns);
	p->weights = net_reserve(&net->weight_floats, p->inputs * p->stride);
	p->transposed_stride = learn_stride(p->inputs);
	p->transposed = net_reserve(&net->transposed_floats, p->columns * p->transposed_stride);
	if (layer->kind == WEIR_LEARN_LSTM) {
		p->recurrent = net_reserve(&net->weight_floats, p->units * p->stride);
		p->transposed_recurrent_stride = learn_stride(p->units);
		p->transposed_recurrent = net_reserve(&net->transposed_floats,
						      p->columns * p->transposed_recurrent_stride);
		p->state = net->state_floats;
		net->state_floats += 2 * p->units;
	}
	if (layer->bias == WEIR_LEARN_WITH_BIAS)
		p->bias = net_reserve(&net->weight_floats, p->stride);
}

/* What a plan can ask for stays below 2^32 floats: 12 layers of at most 8192 rows of 16,392. */
_Static_assert((uint64_t)WEIR_LEARN_LAYERS_MAX * 2 * WEIR_LEARN_UNITS_MAX *
			       (LEARN_GATES * WEIR_LEARN_UNITS_MAX + LEARN_LANES) <
		       UINT32_MAX,
	       "offsets are 32 bits");

static int net_place_layer(struct weir_learn_net *net, uint32_t number, struct weir_error *e)
{
	const struct weir_learn_layer *layer = &net->plan.layers[number];
	struct weir_learn_place *p = &net->places[number];
	struct weir_learn_place source, second = { 0 };

	if (net_find_source(net, number, layer->from[0], &source, e) ||
	    net_check_layer(layer, number, &source, e))
		return -1;
	if (layer->kind == WEIR_LEARN_CONCAT) {
		if (net_find_source(net, number, layer->from[1], &second, e))
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
	if (net_has_weights(layer)) {
		net_place_weights(net, layer, p);
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
		if (net_place_layer(net, i, e))
			return -1;
	net->outputs = net->places[plan->layer_count - 1].units;
	return 0;
}

void weir_learn_net_transpose(const struct weir_learn_net *net, const float *weights,
			      float *transposed)
{
	for (uint32_t i = 0; i < net->plan.layer_count; i++) {
		const struct weir_learn_place *p = &net->places[i];

		if (!net_has_weights(&net->plan.layers[i]))
			continue;
		weir_learn_transpose(&(struct weir_learn_transpose){
			.from = weights + p->weights,
			.rows = p->inputs,
			.columns = p->columns,
			.from_stride = p->stride,
			.to = transposed + p->transposed,
			.to_stride = p->transposed_stride,
		});
		if (net->plan.layers[i].kind != WEIR_LEARN_LSTM)
			continue;
		weir_learn_transpose(&(struct weir_learn_transpose){
			.from = weights + p->recurrent,
			.rows = p->units,
			.columns = p->columns,
			.from_stride = p->stride,
			.to = transposed + p->transposed_recurrent,
			.to_stride = p->transposed_recurrent_stride,
		});
	}
}

/* --- initial weights --- */

/* A weight matrix; the gates of an LSTM are groups of columns with padding between them. */
struct init_matrix {
	float *data;
	uint32_t rows, columns;
	size_t stride;
	uint32_t group; /* columns of a gate; those of a dense layer are one group */
};

static float *init_element(const struct init_matrix *m, uint32_t row, uint32_t column)
{
	uint32_t gate = column / m->group, unit = column % m->group;

	return m->data + row * m->stride + gate * learn_padded(m->group) + unit;
}

static void init_uniform(const struct init_matrix *m, float bound, struct weir_learn_draw *draw)
{
	for (uint32_t r = 0; r < m->rows; r++)
		for (uint32_t c = 0; c < m->columns; c++, draw->counter++)
			*init_element(m, r, c) = bound * (2.0F * weir_learn_uniform(*draw) - 1.0F);
}

/* A matrix as vectors: its rows or its columns, whichever are fewer. */
struct init_vectors {
	const struct init_matrix *m;
	uint32_t count, length;
	int is_columns;
};

static float *init_number(const struct init_vectors *l, uint32_t vector, uint32_t index)
{
	return l->is_columns ? init_element(l->m, index, vector)
			     : init_element(l->m, vector, index);
}

static double init_dot(const struct init_vectors *l, uint32_t a, uint32_t b)
{
	double sum = 0.0;

	for (uint32_t i = 0; i < l->length; i++)
		sum += (double)*init_number(l, a, i) * (double)*init_number(l, b, i);
	return sum;
}

/* Gram-Schmidt on normally distributed vectors, which are linearly independent with probability 1.
 */
static void init_orthogonal(const struct init_matrix *m, float gain, struct weir_learn_draw *draw)
{
	int is_columns = m->columns < m->rows;
	struct init_vectors l = { m, is_columns ? m->columns : m->rows,
				  is_columns ? m->rows : m->columns, is_columns };

	for (uint32_t v = 0; v < l.count; v++) {
		double scale;

		for (uint32_t i = 0; i < l.length; i++, draw->counter++)
			*init_number(&l, v, i) = weir_learn_normal(*draw);
		for (uint32_t other = 0; other < v; other++) {
			double common = init_dot(&l, v, other);

			for (uint32_t i = 0; i < l.length; i++)
				*init_number(&l, v, i) -=
					(float)(common * (double)*init_number(&l, other, i));
		}
		scale = 1.0 / sqrt(init_dot(&l, v, v));
		for (uint32_t i = 0; i < l.length; i++)
			*init_number(&l, v, i) = (float)((double)*init_number(&l, v, i) * scale);
	}
	for (uint32_t v = 0; v < l.count; v++)
		for (uint32_t i = 0; i < l.length; i++)
			*init_number(&l, v, i) *= gain;
}

static void init_fill(const struct init_matrix *m, enum weir_learn_init_method how, float gain,
		      struct weir_learn_draw *draw)
{
	if (how == WEIR_LEARN_ORTHOGONAL)
		init_orthogonal(m, gain, draw);
	else
		init_uniform(m, gain * sqrtf(3.0F / (float)m->rows), draw);
}

static float init_gain(const struct weir_learn_layer *layer)
{
	if (layer->gain != 0.0F)
		return layer->gain;
	return layer->kind == WEIR_LEARN_DENSE && layer->activation == WEIR_LEARN_RELU ? 1.41421356F
										       : 1.0F;
}

static void init_lstm(const struct weir_learn_layer *layer, const struct weir_learn_place *p,
		      enum weir_learn_init_method how, struct weir_learn_draw *draw, float *weights)
{
	struct init_matrix m = { weights + p->weights, p->inputs, LEARN_GATES * p->units, p->stride,
				 p->units };
	float *forget_bias = weights + p->bias + learn_padded(p->units);

	init_fill(&m, how, init_gain(layer), draw);
	m.data = weights + p->recurrent;
	m.rows = p->units;
	init_fill(&m, how, init_gain(layer), draw);
	for (uint32_t u = 0; u < p->units && layer->bias == WEIR_LEARN_WITH_BIAS; u++)
		forget_bias[u] = 1.0F;
}

void weir_learn_net_init_weights(const struct weir_learn_net *net, enum weir_learn_init_method how,
				 struct weir_learn_draw from, float *weights)
{
	memset(weights, 0, net->weight_floats * sizeof(*weights));
	for (uint32_t i = 0; i < net->plan.layer_count; i++) {
		const struct weir_learn_layer *layer = &net->plan.layers[i];
		const struct weir_learn_place *p = &net->places[i];

		if (layer->kind == WEIR_LEARN_LSTM)
			init_lstm(layer, p, how, &from, weights);
		if (layer->kind == WEIR_LEARN_DENSE)
			init_fill(&(struct init_matrix){ weights + p->weights, p->inputs, p->units,
							 p->stride, p->units },
				  how, init_gain(layer), &from);
	}
}
