/* SPDX-License-Identifier: BSD-3-Clause */
/* tensor.h -- the weights of a net as named tensors, the way other programs lay them out. Internal
 * to lib/learn: model_write.c implements it, model_read.c uses it.
 *
 * Layer 3 has "3.weight" [units, inputs] and "3.bias" [units]; an LSTM "3.weight_ih" [4 units,
 * inputs], "3.weight_hh" [4 units, units] and "3.bias" [4 units], gates in the order i, f, g, o.
 * In files the first index is the output; in memory it is the input, and rows are padded. */
#ifndef LEARN_TENSOR_H
#define LEARN_TENSOR_H
#include "weir/learn.h"

enum { TENSORS_MAX = 3 * WEIR_LEARN_LAYERS_MAX, TENSOR_NAME_MAX = 32 };

struct learn_tensor {
	char name[TENSOR_NAME_MAX];
	uint32_t dimensions; /* 1 or 2 */
	uint32_t shape[2];   /* outputs, inputs; the second one is 1 of a bias */
	/* Where in the array of weights. */
	uint32_t offset, stride;
	uint32_t group; /* outputs of a gate, which are padded together */
};

/* Fills tensors; returns their number. */
uint32_t weir_learn_tensors(const struct weir_learn_net *net,
			    struct learn_tensor tensors[TENSORS_MAX]);

/* Where an element lies in the array of weights. */
size_t weir_learn_tensor_at(const struct learn_tensor *t, uint32_t output, uint32_t input);
#endif
