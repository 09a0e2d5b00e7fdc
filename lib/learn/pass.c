/* SPDX-License-Identifier: BSD-3-Clause */
/* pass.c -- forward and backward passes: the tape, and all layers but the LSTM. */
#include "lib/learn/kernel.h"
#include "lib/learn/tape.h"
#include <assert.h>
#include <string.h>

/* --- the tape --- */

/* Allocates floats in whole cache lines; base NULL: only counts. */
static float *tape_alloc(struct learn_tape *t, float *base, size_t count)
{
	enum { LINE_FLOATS = WEIR_LEARN_ALIGNMENT / sizeof(float) };
	size_t at = t->floats;

	t->floats += (count + LINE_FLOATS - 1) / LINE_FLOATS * LINE_FLOATS;
	return base ? base + at : NULL;
}

static void tape_layout_forward(struct learn_tape *t, const struct weir_learn_net *net,
				struct learn_extent extent, float *base)
{
	for (uint32_t i = 0; i < net->plan.layer_count; i++) {
		const struct weir_learn_place *p = &net->places[i];
		struct learn_layer_tape *l = &t->layers[i];

		l->rows = extent.samples * (p->is_sequence ? extent.steps : 1);
		l->value_stride = learn_stride(p->units);
		l->value = tape_alloc(t, base, l->rows * l->value_stride);
		if (net->plan.layers[i].kind != WEIR_LEARN_LSTM)
			continue;
		l->gates = tape_alloc(t, base, l->rows * (size_t)p->stride);
		l->cell = tape_alloc(t, base, l->rows * l->value_stride);
		l->cell_tanh = tape_alloc(t, base, l->rows * l->value_stride);
		l->before = tape_alloc(t, base, l->rows * l->value_stride);
	}
}

/* Follows the forward layout, so that both passes agree on its offsets. */
static void tape_layout_backward(struct learn_tape *t, const struct weir_learn_net *net,
				 struct learn_extent extent, float *base)
{
	for (uint32_t i = 0; i < net->plan.layer_count; i++) {
		const struct weir_learn_place *p = &net->places[i];
		struct learn_layer_tape *l = &t->layers[i];

		l->grad = tape_alloc(t, base, l->rows * l->value_stride);
		if (net->plan.layers[i].kind != WEIR_LEARN_LSTM)
			continue;
		l->gate_grad = tape_alloc(t, base, l->rows * (size_t)p->stride);
		l->cell_grad = tape_alloc(t, base, extent.samples * l->value_stride);
	}
	t->current_stride = learn_stride(net->plan.current_size);
	t->current_grad = tape_alloc(t, base, extent.samples * t->current_stride);
}

void weir_learn_tape_layout(struct learn_tape *t, const struct weir_learn_net *net,
			    struct learn_extent extent, float *base)
{
	t->floats = 0;
	tape_layout_forward(t, net, extent, base);
	if (extent.use == WEIR_LEARN_FORWARD_AND_BACKWARD)
		tape_layout_backward(t, net, extent, base);
}

size_t weir_learn_tape_floats(const struct weir_learn_net *net, uint32_t samples, uint32_t steps,
			      enum weir_learn_use use)
{
	struct learn_tape t;

	weir_learn_tape_layout(&t, net, (struct learn_extent){ samples, steps, use }, NULL);
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

/* Rows may be longer than what products write (learn_stride); the rest is read by the activation
 * only, and must be initialised for that. */
static void dense_clear_padding(float *value, uint32_t rows, const struct weir_learn_place *p)
{
	uint32_t written = learn_padded(p->columns);

	for (uint32_t r = 0; r < rows && written < p->stride; r++)
		memset(value + r * (size_t)p->stride + written, 0,
		       (p->stride - written) * sizeof(*value));
}

void weir_learn_affine_forward(const struct learn_step *s, float *value)
{
	const struct weir_learn_place *p = s->place;

	dense_clear_padding(value, s->tape->rows, p);
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

void weir_learn_affine_backward(const struct learn_step *s, const float *result_grad)
{
	const struct weir_learn_place *p = s->place;

	if (s->weight_grad) {
		weir_learn_multiply(&(struct learn_product){
			.rows = p->inputs,
			.columns = p->columns,
			.inner = s->tape->rows,
			.left = s->source.data,
			.left_row_step = 1,
			.left_inner_step = s->source.stride,
			.right = result_grad,
			.right_stride = p->stride,
			.begin = s->weight_grad + p->weights,
			.begin_stride = p->stride,
			.sum = s->weight_grad + p->weights,
			.sum_stride = p->stride,
		});
		if (s->layer->bias == WEIR_LEARN_WITH_BIAS)
			weir_learn_add_rows(s->weight_grad + p->bias, result_grad, p->stride,
					    s->tape->rows, p->columns);
	}
	if (s->source.grad)
		weir_learn_multiply(&(struct learn_product){
			.rows = s->tape->rows,
			.columns = p->inputs,
			.inner = p->columns,
			.left = result_grad,
			.left_row_step = p->stride,
			.left_inner_step = 1,
			.right = s->transposed + p->transposed,
			.right_stride = p->transposed_stride,
			.begin = s->source.grad,
			.begin_stride = s->source.grad_stride,
			.sum = s->source.grad,
			.sum_stride = s->source.grad_stride,
		});
}

LEARN_FOR_EACH_MACHINE
static void dense_activate(enum weir_learn_activation activation, float *value, size_t count)
{
	if (activation == WEIR_LEARN_RELU)
		for (size_t i = 0; i < count; i++)
			value[i] = value[i] > 0.0F ? value[i] : 0.0F;
	else if (activation == WEIR_LEARN_TANH)
		for (size_t i = 0; i < count; i++)
			value[i] = learn_tanh(value[i]);
}

/* Gradient of the activation's input from that of its output. */
LEARN_FOR_EACH_MACHINE
static void dense_activation_gradient(enum weir_learn_activation activation,
				      const float *restrict value, float *restrict grad,
				      size_t count)
{
	if (activation == WEIR_LEARN_RELU)
		for (size_t i = 0; i < count; i++)
			grad[i] = value[i] > 0.0F ? grad[i] : 0.0F;
	else if (activation == WEIR_LEARN_TANH)
		for (size_t i = 0; i < count; i++)
			grad[i] *= 1.0F - value[i] * value[i];
}

static void dense_forward(const struct learn_step *s)
{
	weir_learn_affine_forward(s, s->tape->value);
	dense_activate(s->layer->activation, s->tape->value, s->tape->rows * s->tape->value_stride);
}

static void dense_backward(const struct learn_step *s)
{
	dense_activation_gradient(s->layer->activation, s->tape->value, s->tape->grad,
				  s->tape->rows * s->tape->value_stride);
	weir_learn_affine_backward(s, s->tape->grad);
}

/* --- layers without weights --- */

static uint32_t last_length(const struct weir_learn_batch *batch, uint32_t sample)
{
	uint32_t length = batch->lengths ? batch->lengths[sample] : batch->steps;

	assert(length <= batch->steps);
	return length;
}

/* Row of the last valid step; there must be one. */
static size_t last_valid_row(const struct weir_learn_batch *batch, uint32_t sample)
{
	return (size_t)sample * batch->steps + last_length(batch, sample) - 1;
}

static void last_forward(const struct learn_step *s)
{
	const struct learn_layer_tape *t = s->tape;

	memset(t->value, 0, t->rows * t->value_stride * sizeof(float));
	for (uint32_t i = 0; i < t->rows; i++)
		if (last_length(s->batch, i))
			memcpy(t->value + i * t->value_stride,
			       s->source.data + last_valid_row(s->batch, i) * s->source.stride,
			       s->source.size * sizeof(float));
}

static void last_backward(const struct learn_step *s)
{
	const struct learn_layer_tape *t = s->tape;

	for (uint32_t i = 0; i < t->rows && s->source.grad; i++)
		if (last_length(s->batch, i))
			weir_learn_add_rows(s->source.grad + last_valid_row(s->batch, i) *
								     s->source.grad_stride,
					    t->grad + i * t->value_stride, 0, 1, s->source.size);
}

/* Copies one of the two inputs to that column. */
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

	for (uint32_t i = 0; i < t->rows && s->source.grad; i++)
		for (uint32_t j = 0; j < s->source.size; j++)
			s->source.grad[i * s->source.grad_stride + j] +=
				t->grad[i * t->value_stride + column + j];
}

/* --- the forward pass --- */

static void pass_layer_forward(struct learn_step *s, const struct learn_tape *t)
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

	weir_learn_tape_layout(&t, net, extent, tape);
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
		pass_layer_forward(&s, &t);
	}
	last = &t.layers[net->plan.layer_count - 1];
	for (uint32_t r = 0; r < last->rows; r++)
		memcpy(output + r * (size_t)net->outputs, last->value + r * last->value_stride,
		       net->outputs * sizeof(*output));
}

/* --- the backward pass --- */

struct backward_pass {
	const struct weir_learn_net *net;
	const struct weir_learn_batch *batch;
	const struct weir_learn_gradient *gradient;
	struct learn_tape tape;
};

/* If weight gradients are not wanted, only layers between output and current input matter. */
static int pass_needs_grad(const struct backward_pass *w, uint32_t layer)
{
	return w->gradient->weights || w->net->places[layer].needs_current;
}

static struct learn_source pass_source_with_grad(const struct backward_pass *w, int32_t from)
{
	struct learn_source source = weir_learn_source_of(w->net, w->batch, &w->tape, from);

	if (from == WEIR_LEARN_CURRENT && w->gradient->current) {
		source.grad = w->tape.current_grad;
		source.grad_stride = w->tape.current_stride;
	} else if (from >= 0 && pass_needs_grad(w, (uint32_t)from)) {
		source.grad = w->tape.layers[from].grad;
		source.grad_stride = w->tape.layers[from].value_stride;
	}
	return source;
}

static void pass_layer_backward(const struct backward_pass *w, struct learn_step *s)
{
	s->source = pass_source_with_grad(w, s->layer->from[0]);
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
		s->source = pass_source_with_grad(w, s->layer->from[1]);
		concat_backward(s, first);
		break;
	}
	}
}

/* Initialises all gradients to 0, except those of the output, which the caller supplies. */
static void pass_seed_grads(const struct backward_pass *w)
{
	const struct weir_learn_net *net = w->net;
	const struct learn_layer_tape *last = &w->tape.layers[net->plan.layer_count - 1];

	for (uint32_t i = 0; i < net->plan.layer_count; i++) {
		const struct learn_layer_tape *l = &w->tape.layers[i];

		memset(l->grad, 0, l->rows * l->value_stride * sizeof(float));
	}
	for (uint32_t r = 0; r < last->rows; r++)
		memcpy(last->grad + r * last->value_stride,
		       w->gradient->output + r * (size_t)net->outputs,
		       net->outputs * sizeof(float));
	memset(w->tape.current_grad, 0, w->batch->samples * w->tape.current_stride * sizeof(float));
}

void weir_learn_backward(const struct weir_learn_net *net, const float *transposed,
			 const struct weir_learn_batch *batch, float *tape,
			 const struct weir_learn_gradient *gradient)
{
	const struct learn_extent extent = { batch->samples, batch->steps,
					     WEIR_LEARN_FORWARD_AND_BACKWARD };
	struct backward_pass w = { .net = net, .batch = batch, .gradient = gradient };

	weir_learn_tape_layout(&w.tape, net, extent, tape);
	pass_seed_grads(&w);
	for (uint32_t i = net->plan.layer_count; i-- > 0;)
		if (pass_needs_grad(&w, i))
			pass_layer_backward(&w, &(struct learn_step){
							.net = net,
							.batch = batch,
							.layer = &net->plan.layers[i],
							.place = &net->places[i],
							.tape = &w.tape.layers[i],
							.transposed = transposed,
							.weight_grad = gradient->weights,
						});
	for (uint32_t i = 0; i < batch->samples && gradient->current; i++)
		memcpy(gradient->current + i * (size_t)net->plan.current_size,
		       w.tape.current_grad + i * w.tape.current_stride,
		       net->plan.current_size * sizeof(float));
}
