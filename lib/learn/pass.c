/* SPDX-License-Identifier: BSD-3-Clause */
/* pass.c -- through a net and back: the tape, and every layer but the LSTM. */
#include "lib/learn/activate.h"
#include "lib/learn/kernel.h"
#include "lib/learn/tape.h"
#include <assert.h>
#include <string.h>

/* --- the tape --- */

/* So many floats, on a cache line if the tape is. */
static float *take(struct learn_tape *t, float *base, size_t count)
{
	enum { LINE_FLOATS = WEIR_LEARN_ALIGNMENT / sizeof(float) };
	size_t at = t->floats;

	t->floats += (count + LINE_FLOATS - 1) / LINE_FLOATS * LINE_FLOATS;
	return base ? base + at : NULL;
}

static void lay_forward(struct learn_tape *t, const struct weir_learn_net *net,
			struct learn_extent extent, float *base)
{
	for (uint32_t i = 0; i < net->plan.layer_count; i++) {
		const struct weir_learn_place *p = &net->places[i];
		struct learn_layer_tape *l = &t->layers[i];

		l->rows = extent.samples * (p->is_sequence ? extent.steps : 1);
		l->value_stride = learn_stride(p->units);
		l->value = take(t, base, l->rows * l->value_stride);
		if (net->plan.layers[i].kind != WEIR_LEARN_LSTM)
			continue;
		l->gates = take(t, base, l->rows * (size_t)p->stride);
		l->cell = take(t, base, l->rows * l->value_stride);
		l->cell_tanh = take(t, base, l->rows * l->value_stride);
		l->before = take(t, base, l->rows * l->value_stride);
	}
}

/* Behind all that the way there needs, so that both ways find the same places. */
static void lay_back(struct learn_tape *t, const struct weir_learn_net *net,
		     struct learn_extent extent, float *base)
{
	for (uint32_t i = 0; i < net->plan.layer_count; i++) {
		const struct weir_learn_place *p = &net->places[i];
		struct learn_layer_tape *l = &t->layers[i];

		l->slope = take(t, base, l->rows * l->value_stride);
		if (net->plan.layers[i].kind != WEIR_LEARN_LSTM)
			continue;
		l->gate_slope = take(t, base, l->rows * (size_t)p->stride);
		l->cell_slope = take(t, base, extent.samples * l->value_stride);
	}
	t->current_stride = learn_stride(net->plan.current_size);
	t->current_slope = take(t, base, extent.samples * t->current_stride);
}

void weir_learn_tape_lay(struct learn_tape *t, const struct weir_learn_net *net,
			 struct learn_extent extent, float *base)
{
	t->floats = 0;
	lay_forward(t, net, extent, base);
	if (extent.use == WEIR_LEARN_FORWARD_AND_BACKWARD)
		lay_back(t, net, extent, base);
}

size_t weir_learn_tape_floats(const struct weir_learn_net *net, uint32_t samples, uint32_t steps,
			      enum weir_learn_use use)
{
	struct learn_tape t;

	weir_learn_tape_lay(&t, net, (struct learn_extent){ samples, steps, use }, NULL);
	return t.floats;
}

struct learn_source weir_learn_source_of(const struct weir_learn_net *net,
					 const struct weir_learn_batch *batch,
					 const struct learn_tape *t, int32_t from)
{
	const struct learn_layer_tape *l = &t->layers[from < 0 ? 0 : from];

	if (from == WEIR_LEARN_SEQUENCE)
		return (struct learn_source){
			.data = batch->sequence,
			.stride = net->plan.sequence_size,
			.size = net->plan.sequence_size,
		};
	if (from == WEIR_LEARN_CURRENT)
		return (struct learn_source){
			.data = batch->current,
			.stride = net->plan.current_size,
			.size = net->plan.current_size,
		};
	return (struct learn_source){
		.data = l->value,
		.stride = l->value_stride,
		.size = net->places[from].units,
	};
}

/* --- dense layers --- */

/* Rows may be longer than what products write (learn_stride): nobody reads the rest but to activate
 * it. */
static void clear_ends(float *value, uint32_t rows, const struct weir_learn_place *p)
{
	uint32_t written = learn_padded(p->columns);

	for (uint32_t r = 0; r < rows && written < p->stride; r++)
		memset(value + r * (size_t)p->stride + written, 0,
		       (p->stride - written) * sizeof(*value));
}

void weir_learn_affine_forward(const struct learn_step *s, float *value)
{
	const struct weir_learn_place *p = s->place;

	clear_ends(value, s->tape->rows, p);
	weir_learn_multiply(&(struct learn_product){
		.rows = s->tape->rows,
		.columns = p->columns,
		.inner = p->inputs,
		.left = s->source.data,
		.left_row_step = s->source.stride,
		.left_inner_step = 1,
		.right = s->weights + p->weights,
		.right_stride = p->stride,
		.begin = s->layer->bias == WEIR_LEARN_WITH_BIAS ? s->weights + p->bias : NULL,
		.sum = value,
		.sum_stride = p->stride,
	});
}

void weir_learn_affine_backward(const struct learn_step *s, const float *result_slope)
{
	const struct weir_learn_place *p = s->place;

	if (s->weight_slope) {
		weir_learn_multiply(&(struct learn_product){
			.rows = p->inputs,
			.columns = p->columns,
			.inner = s->tape->rows,
			.left = s->source.data,
			.left_row_step = 1,
			.left_inner_step = s->source.stride,
			.right = result_slope,
			.right_stride = p->stride,
			.begin = s->weight_slope + p->weights,
			.begin_stride = p->stride,
			.sum = s->weight_slope + p->weights,
			.sum_stride = p->stride,
		});
		if (s->layer->bias == WEIR_LEARN_WITH_BIAS)
			weir_learn_add_rows(s->weight_slope + p->bias, result_slope, p->stride,
					    s->tape->rows, p->columns);
	}
	if (s->source.slope)
		weir_learn_multiply(&(struct learn_product){
			.rows = s->tape->rows,
			.columns = p->inputs,
			.inner = p->columns,
			.left = result_slope,
			.left_row_step = p->stride,
			.left_inner_step = 1,
			.right = s->turned + p->turned,
			.right_stride = p->turned_stride,
			.begin = s->source.slope,
			.begin_stride = s->source.slope_stride,
			.sum = s->source.slope,
			.sum_stride = s->source.slope_stride,
		});
}

LEARN_FOR_EACH_MACHINE
static void activate(enum weir_learn_activation activation, float *value, size_t count)
{
	if (activation == WEIR_LEARN_RELU)
		for (size_t i = 0; i < count; i++)
			value[i] = value[i] > 0.0F ? value[i] : 0.0F;
	else if (activation == WEIR_LEARN_TANH)
		for (size_t i = 0; i < count; i++)
			value[i] = learn_tanh(value[i]);
}

/* The slope of what went into the activation, from the slope of what came out. */
LEARN_FOR_EACH_MACHINE
static void deactivate(enum weir_learn_activation activation, const float *restrict value,
		       float *restrict slope, size_t count)
{
	if (activation == WEIR_LEARN_RELU)
		for (size_t i = 0; i < count; i++)
			slope[i] = value[i] > 0.0F ? slope[i] : 0.0F;
	else if (activation == WEIR_LEARN_TANH)
		for (size_t i = 0; i < count; i++)
			slope[i] *= 1.0F - value[i] * value[i];
}

static void dense_forward(const struct learn_step *s)
{
	weir_learn_affine_forward(s, s->tape->value);
	activate(s->layer->activation, s->tape->value, s->tape->rows * s->tape->value_stride);
}

static void dense_backward(const struct learn_step *s)
{
	deactivate(s->layer->activation, s->tape->value, s->tape->slope,
		   s->tape->rows * s->tape->value_stride);
	weir_learn_affine_backward(s, s->tape->slope);
}

/* --- layers without weights --- */

static uint32_t length_of(const struct weir_learn_batch *batch, uint32_t sample)
{
	uint32_t length = batch->lengths ? batch->lengths[sample] : batch->steps;

	assert(length <= batch->steps);
	return length;
}

/* The row of the last valid step; only where there is one. */
static size_t last_row(const struct weir_learn_batch *batch, uint32_t sample)
{
	return (size_t)sample * batch->steps + length_of(batch, sample) - 1;
}

static void last_forward(const struct learn_step *s)
{
	const struct learn_layer_tape *t = s->tape;

	memset(t->value, 0, t->rows * t->value_stride * sizeof(float));
	for (uint32_t i = 0; i < t->rows; i++)
		if (length_of(s->batch, i))
			memcpy(t->value + i * t->value_stride,
			       s->source.data + last_row(s->batch, i) * s->source.stride,
			       s->source.size * sizeof(float));
}

static void last_backward(const struct learn_step *s)
{
	const struct learn_layer_tape *t = s->tape;

	for (uint32_t i = 0; i < t->rows && s->source.slope; i++)
		if (length_of(s->batch, i))
			weir_learn_add_rows(s->source.slope +
						    last_row(s->batch, i) * s->source.slope_stride,
					    t->slope + i * t->value_stride, 0, 1, s->source.size);
}

/* One of the two parts of a concatenation, which begins at that column. */
static void concat_forward(const struct learn_step *s, uint32_t column)
{
	const struct learn_layer_tape *t = s->tape;

	for (uint32_t i = 0; i < t->rows; i++)
		memcpy(t->value + i * t->value_stride + column,
		       s->source.data + i * s->source.stride, s->source.size * sizeof(float));
}

static void concat_backward(const struct learn_step *s, uint32_t column)
{
	const struct learn_layer_tape *t = s->tape;

	for (uint32_t i = 0; i < t->rows && s->source.slope; i++)
		for (uint32_t j = 0; j < s->source.size; j++)
			s->source.slope[i * s->source.slope_stride + j] +=
				t->slope[i * t->value_stride + column + j];
}

/* --- the whole net --- */

static void layer_forward(struct learn_step *s, const struct learn_tape *t)
{
	switch (s->layer->kind) {
	case WEIR_LEARN_DENSE:
		dense_forward(s);
		break;
	case WEIR_LEARN_LSTM:
		weir_learn_lstm_forward(s);
		break;
	case WEIR_LEARN_LAST:
		last_forward(s);
		break;
	case WEIR_LEARN_CONCAT: {
		uint32_t first = s->source.size;

		concat_forward(s, 0);
		s->source = weir_learn_source_of(s->net, s->batch, t, s->layer->from[1]);
		concat_forward(s, first);
		break;
	}
	}
}

void weir_learn_forward(const struct weir_learn_net *net, const float *weights,
			const struct weir_learn_batch *batch, float *tape, float *output)
{
	const struct learn_extent extent = { batch->samples, batch->steps,
					     WEIR_LEARN_FORWARD_ONLY };
	const struct learn_layer_tape *last;
	struct learn_tape t;

	weir_learn_tape_lay(&t, net, extent, tape);
	for (uint32_t i = 0; i < net->plan.layer_count; i++) {
		struct learn_step s = {
			.net = net,
			.batch = batch,
			.layer = &net->plan.layers[i],
			.place = &net->places[i],
			.tape = &t.layers[i],
			.weights = weights,
		};

		s.source = weir_learn_source_of(net, batch, &t, s.layer->from[0]);
		layer_forward(&s, &t);
	}
	last = &t.layers[net->plan.layer_count - 1];
	for (uint32_t r = 0; r < last->rows; r++)
		memcpy(output + r * (size_t)net->outputs, last->value + r * last->value_stride,
		       net->outputs * sizeof(*output));
}

/* --- and back --- */

struct way_back {
	const struct weir_learn_net *net;
	const struct weir_learn_batch *batch;
	const struct weir_learn_gradient *gradient;
	struct learn_tape tape;
};

/* Without the weights' slopes, only what lies between the output and the current input matters. */
static int is_on_the_way(const struct way_back *w, uint32_t layer)
{
	return w->gradient->weights || w->net->places[layer].needs_current;
}

static struct learn_source source_with_slope(const struct way_back *w, int32_t from)
{
	struct learn_source source = weir_learn_source_of(w->net, w->batch, &w->tape, from);

	if (from == WEIR_LEARN_CURRENT && w->gradient->current) {
		source.slope = w->tape.current_slope;
		source.slope_stride = w->tape.current_stride;
	} else if (from >= 0 && is_on_the_way(w, (uint32_t)from)) {
		source.slope = w->tape.layers[from].slope;
		source.slope_stride = w->tape.layers[from].value_stride;
	}
	return source;
}

static void layer_backward(const struct way_back *w, struct learn_step *s)
{
	s->source = source_with_slope(w, s->layer->from[0]);
	switch (s->layer->kind) {
	case WEIR_LEARN_DENSE:
		dense_backward(s);
		break;
	case WEIR_LEARN_LSTM:
		weir_learn_lstm_backward(s);
		break;
	case WEIR_LEARN_LAST:
		last_backward(s);
		break;
	case WEIR_LEARN_CONCAT: {
		uint32_t first = s->source.size;

		concat_backward(s, 0);
		s->source = source_with_slope(w, s->layer->from[1]);
		concat_backward(s, first);
		break;
	}
	}
}

/* All slopes 0 but those of the output, which are the caller's. */
static void slopes_start(const struct way_back *w)
{
	const struct weir_learn_net *net = w->net;
	const struct learn_layer_tape *last = &w->tape.layers[net->plan.layer_count - 1];

	for (uint32_t i = 0; i < net->plan.layer_count; i++) {
		const struct learn_layer_tape *l = &w->tape.layers[i];

		memset(l->slope, 0, l->rows * l->value_stride * sizeof(float));
	}
	for (uint32_t r = 0; r < last->rows; r++)
		memcpy(last->slope + r * last->value_stride,
		       w->gradient->output + r * (size_t)net->outputs,
		       net->outputs * sizeof(float));
	memset(w->tape.current_slope, 0,
	       w->batch->samples * w->tape.current_stride * sizeof(float));
}

void weir_learn_backward(const struct weir_learn_net *net, const float *turned,
			 const struct weir_learn_batch *batch, float *tape,
			 const struct weir_learn_gradient *gradient)
{
	const struct learn_extent extent = { batch->samples, batch->steps,
					     WEIR_LEARN_FORWARD_AND_BACKWARD };
	struct way_back w = { .net = net, .batch = batch, .gradient = gradient };

	weir_learn_tape_lay(&w.tape, net, extent, tape);
	slopes_start(&w);
	for (uint32_t i = net->plan.layer_count; i-- > 0;)
		if (is_on_the_way(&w, i))
			layer_backward(&w, &(struct learn_step){
						   .net = net,
						   .batch = batch,
						   .layer = &net->plan.layers[i],
						   .place = &net->places[i],
						   .tape = &w.tape.layers[i],
						   .turned = turned,
						   .weight_slope = gradient->weights,
					   });
	for (uint32_t i = 0; i < batch->samples && gradient->current; i++)
		memcpy(gradient->current + i * (size_t)net->plan.current_size,
		       w.tape.current_slope + i * w.tape.current_stride,
		       net->plan.current_size * sizeof(float));
}
