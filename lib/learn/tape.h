/* SPDX-License-Identifier: BSD-3-Clause */
/* tape.h -- the tape of a pass: layout of each layer's values and gradients in the caller's floats.
 * Internal to lib/learn.
 *
 * Rows are samples, or the steps of the first sample, then those of the second, and so on. */
#ifndef LEARN_TAPE_H
#define LEARN_TAPE_H
#include "weir/learn.h"

enum { LEARN_GATES = 4 }; /* of an LSTM, in this order: input, forget, cell candidate, output */

struct learn_layer_tape {
	float *value; /* [rows][value_stride] */
	size_t value_stride;
	uint32_t rows;
	/* Of an LSTM; gates and their gradients [rows][stride of its weights], others like value.
	 */
	float *gates, *cell, *cell_tanh;
	float *before; /* output of the previous step */
	/* Backward pass: d loss / d value, d loss / d gates before their activation, d loss / d
	 * cell. */
	float *grad, *gate_grad, *cell_grad;
};

struct learn_tape {
	struct learn_layer_tape layers[WEIR_LEARN_LAYERS_MAX];
	float *current_grad; /* [samples][current_stride] */
	size_t current_stride;
	size_t floats; /* all together */
};

/* Lays out a tape that begins at base. base NULL: only .floats is valid. */
struct learn_extent {
	uint32_t samples, steps;
	enum weir_learn_use use;
};

void weir_learn_tape_layout(struct learn_tape *t, const struct weir_learn_net *net,
			    struct learn_extent extent, float *base);

/* The input of a layer. */
struct learn_source {
	const float *data;
	size_t stride;
	uint32_t size;
	float *grad; /* backward pass; NULL: not wanted */
	size_t grad_stride;
};

struct learn_source weir_learn_source_of(const struct weir_learn_net *net,
					 const struct weir_learn_batch *batch,
					 const struct learn_tape *t, int32_t from);

/* One layer in a forward or backward pass. */
struct learn_step {
	const struct weir_learn_net *net;
	const struct weir_learn_batch *batch;
	const struct weir_learn_layer *layer;
	const struct weir_learn_place *place;
	const struct learn_layer_tape *tape;
	struct learn_source source;
	const float *weights;    /* forward pass */
	const float *transposed; /* backward pass */
	float *weight_grad;      /* backward pass; NULL: not wanted */
};

void weir_learn_lstm_forward(const struct learn_step *s);
void weir_learn_lstm_backward(const struct learn_step *s);

/* value = bias + source * weights, for all rows. */
void weir_learn_affine_forward(const struct learn_step *s, float *value);

/* From the gradients of an affine layer's results to those of its weights, its bias and its source.
 */
void weir_learn_affine_backward(const struct learn_step *s, const float *result_grad);
#endif
