/* SPDX-License-Identifier: BSD-3-Clause */
/* lstm.c -- the long short-term memory layer, over the steps of its input.
 *
 *	i, f, o = sigmoid(x W + h' R + b)	g = tanh(x W + h' R + b)
 *	c = f c' + i g				h = o tanh c
 *
 * each with its own columns; ' is the step before. Columns of W, R and b hold the gates in the
 * order i, f, g, o, each padded to a whole number of lanes. */
#include "lib/learn/kernel.h"
#include "lib/learn/tape.h"
#include <string.h>

/* --- the forward pass --- */

/* One step of one sample. gates: on entry the weighted sums, on return the activations. */
struct lstm_cell {
	float *gates;
	const float *cell_before;
	float *cell, *cell_tanh, *value;
	uint32_t units; /* padded */
};

/* Several short loops: with so many possibly overlapping arrays in one, compilers do not
 * vectorise. */
LEARN_FOR_EACH_MACHINE
static void lstm_cell_forward(const struct lstm_cell *s)
{
	size_t units = s->units;
	float *gates = s->gates;
	const float *in = gates, *forget = gates + units, *candidate = gates + 2 * units;
	const float *out = gates + 3 * units, *before = s->cell_before;
	float *restrict cell = s->cell, *restrict squashed = s->cell_tanh,
			*restrict value = s->value;

	for (size_t u = 0; u < 2 * units; u++)
		gates[u] = learn_sigmoid(gates[u]);
	for (size_t u = 2 * units; u < 3 * units; u++)
		gates[u] = learn_tanh(gates[u]);
	for (size_t u = 3 * units; u < 4 * units; u++)
		gates[u] = learn_sigmoid(gates[u]);
	for (size_t u = 0; u < units; u++)
		cell[u] = forget[u] * before[u] + in[u] * candidate[u];
	for (size_t u = 0; u < units; u++)
		squashed[u] = learn_tanh(cell[u]);
	for (size_t u = 0; u < units; u++)
		value[u] = out[u] * squashed[u];
}

/* A state is h then c, of the layer's units each. */
static const float *lstm_state_in(const struct learn_step *s, uint32_t sample)
{
	return s->batch->state_in + (size_t)sample * s->net->state_floats + s->place->state;
}

/* c before the first step of a sample, as a padded row in the buffer lent. */
static const float *lstm_first_cell(const struct learn_step *s, uint32_t sample, float *lent)
{
	uint32_t units = s->place->units;

	memset(lent, 0, learn_padded(units) * sizeof(*lent));
	if (s->batch->state_in)
		memcpy(lent, lstm_state_in(s, sample) + units, units * sizeof(*lent));
	return lent;
}

/* Sets h before the first step of every sample. */
static void lstm_first_output(const struct learn_step *s)
{
	const struct learn_layer_tape *t = s->tape;
	uint32_t steps = s->batch->steps;

	for (uint32_t i = 0; i < s->batch->samples; i++) {
		float *before = t->before + (size_t)i * steps * t->value_stride;

		memset(before, 0, t->value_stride * sizeof(*before));
		if (s->batch->state_in)
			memcpy(before, lstm_state_in(s, i), s->place->units * sizeof(*before));
	}
}

/* gates += h' R, for one step of all samples. */
static void lstm_add_recurrent(const struct learn_step *s, uint32_t step)
{
	const struct weir_learn_place *p = s->place;
	const struct learn_layer_tape *t = s->tape;
	size_t steps = s->batch->steps;

	weir_learn_multiply(&(struct learn_product){
		.rows = s->batch->samples,
		.columns = p->columns,
		.inner = p->units,
		.left = t->before + step * t->value_stride,
		.left_row_step = steps * t->value_stride,
		.left_inner_step = 1,
		.right = s->weights + p->recurrent,
		.right_stride = p->stride,
		.begin = t->gates + step * (size_t)p->stride,
		.begin_stride = steps * p->stride,
		.sum = t->gates + step * (size_t)p->stride,
		.sum_stride = steps * p->stride,
	});
}

static void lstm_step_forward(const struct learn_step *s, uint32_t step)
{
	const struct learn_layer_tape *t = s->tape;
	size_t width = t->value_stride, bytes = width * sizeof(float);
	float first[WEIR_LEARN_UNITS_MAX];

	lstm_add_recurrent(s, step);
	for (uint32_t i = 0; i < s->batch->samples; i++) {
		size_t row = (size_t)i * s->batch->steps + step;
		float *cell = t->cell + row * width;

		lstm_cell_forward(&(struct lstm_cell){
			.gates = t->gates + row * s->place->stride,
			.cell_before = step ? cell - width : lstm_first_cell(s, i, first),
			.cell = cell,
			.cell_tanh = t->cell_tanh + row * width,
			.value = t->value + row * width,
			.units = learn_padded(s->place->units),
		});
		if (step + 1 < s->batch->steps)
			memcpy(t->before + (row + 1) * width, t->value + row * width, bytes);
	}
}

/* Stores the state after each sample's last valid step; without one, the initial state. */
static void lstm_store_state(const struct learn_step *s)
{
	const struct weir_learn_batch *b = s->batch;
	const struct learn_layer_tape *t = s->tape;
	size_t bytes = s->place->units * sizeof(float);

	for (uint32_t i = 0; i < b->samples; i++) {
		float *to = b->state_out + (size_t)i * s->net->state_floats + s->place->state;
		uint32_t length = b->lengths ? b->lengths[i] : b->steps;
		size_t row = (size_t)i * b->steps + length - 1;

		if (length) {
			memcpy(to, t->value + row * t->value_stride, bytes);
			memcpy(to + s->place->units, t->cell + row * t->value_stride, bytes);
		} else if (!b->state_in) {
			memset(to, 0, 2 * bytes);
		} else if (b->state_in != b->state_out) {
			memcpy(to, lstm_state_in(s, i), 2 * bytes);
		}
	}
}

void weir_learn_lstm_forward(const struct learn_step *s)
{
	weir_learn_affine_forward(s, s->tape->gates);
	if (s->batch->steps)
		lstm_first_output(s);
	for (uint32_t step = 0; step < s->batch->steps; step++)
		lstm_step_forward(s, step);
	if (s->batch->state_out)
		lstm_store_state(s);
}

/* --- the backward pass --- */

/* One step of one sample. cell_grad: on entry from the next step, on return for the previous
 * one. */
struct lstm_cell_back {
	const float *gates, *cell_before, *cell_tanh, *value_grad;
	float *cell_grad, *gate_grad;
	uint32_t units; /* padded */
};

LEARN_FOR_EACH_MACHINE
static void lstm_cell_backward(const struct lstm_cell_back *s)
{
	size_t units = s->units;
	const float *in = s->gates, *forget = in + units, *candidate = in + 2 * units;
	const float *out = in + 3 * units, *before = s->cell_before, *squashed = s->cell_tanh;
	const float *value_grad = s->value_grad;
	float *to_in = s->gate_grad, *to_forget = to_in + units;
	float *to_candidate = to_in + 2 * units, *to_out = to_in + 3 * units;
	float *grad = s->cell_grad;

	for (size_t u = 0; u < units; u++)
		to_out[u] = value_grad[u] * squashed[u] * out[u] * (1.0F - out[u]);
	for (size_t u = 0; u < units; u++)
		grad[u] += value_grad[u] * out[u] * (1.0F - squashed[u] * squashed[u]);
	for (size_t u = 0; u < units; u++)
		to_in[u] = grad[u] * candidate[u] * in[u] * (1.0F - in[u]);
	for (size_t u = 0; u < units; u++)
		to_forget[u] = grad[u] * before[u] * forget[u] * (1.0F - forget[u]);
	for (size_t u = 0; u < units; u++)
		to_candidate[u] = grad[u] * in[u] * (1.0F - candidate[u] * candidate[u]);
	for (size_t u = 0; u < units; u++)
		grad[u] *= forget[u];
}

static void lstm_step_backward(const struct learn_step *s, uint32_t step)
{
	const struct weir_learn_place *p = s->place;
	const struct learn_layer_tape *t = s->tape;
	size_t width = t->value_stride, steps = s->batch->steps;
	float first[WEIR_LEARN_UNITS_MAX];

	for (uint32_t i = 0; i < s->batch->samples; i++) {
		size_t row = i * steps + step;

		lstm_cell_backward(&(struct lstm_cell_back){
			.gates = t->gates + row * p->stride,
			.cell_before =
				step ? t->cell + (row - 1) * width : lstm_first_cell(s, i, first),
			.cell_tanh = t->cell_tanh + row * width,
			.value_grad = t->grad + row * width,
			.cell_grad = t->cell_grad + i * width,
			.gate_grad = t->gate_grad + row * p->stride,
			.units = learn_padded(p->units),
		});
	}
	if (step == 0)
		return;
	weir_learn_multiply(&(struct learn_product){
		.rows = s->batch->samples,
		.columns = p->units,
		.inner = p->columns,
		.left = t->gate_grad + step * (size_t)p->stride,
		.left_row_step = steps * p->stride,
		.left_inner_step = 1,
		.right = s->transposed + p->transposed_recurrent,
		.right_stride = p->transposed_recurrent_stride,
		.begin = t->grad + (step - 1) * width,
		.begin_stride = steps * width,
		.sum = t->grad + (step - 1) * width,
		.sum_stride = steps * width,
	});
}

void weir_learn_lstm_backward(const struct learn_step *s)
{
	const struct weir_learn_place *p = s->place;
	const struct learn_layer_tape *t = s->tape;

	memset(t->cell_grad, 0, s->batch->samples * t->value_stride * sizeof(float));
	for (uint32_t step = s->batch->steps; step-- > 0;)
		lstm_step_backward(s, step);
	if (s->weight_grad)
		weir_learn_multiply(&(struct learn_product){
			.rows = p->units,
			.columns = p->columns,
			.inner = t->rows,
			.left = t->before,
			.left_row_step = 1,
			.left_inner_step = t->value_stride,
			.right = t->gate_grad,
			.right_stride = p->stride,
			.begin = s->weight_grad + p->recurrent,
			.begin_stride = p->stride,
			.sum = s->weight_grad + p->recurrent,
			.sum_stride = p->stride,
		});
	weir_learn_affine_backward(s, t->gate_grad);
}
