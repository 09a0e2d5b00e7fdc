/* SPDX-License-Identifier: BSD-3-Clause */
/* start.c -- first weights. */
#include "lib/learn/kernel.h"
#include "lib/learn/tape.h"
#include <math.h>
#include <string.h>

/* A matrix of weights; the columns of an LSTM's gates have padding between them. */
struct matrix {
	float *data;
	uint32_t rows, columns;
	size_t stride;
	uint32_t group; /* columns of a gate; those of a dense layer are one group */
};

static float *element(const struct matrix *m, uint32_t row, uint32_t column)
{
	uint32_t gate = column / m->group, unit = column % m->group;

	return m->data + row * m->stride + gate * learn_padded(m->group) + unit;
}

static void fill_uniform(const struct matrix *m, float bound, struct weir_learn_draw *draw)
{
	for (uint32_t r = 0; r < m->rows; r++)
		for (uint32_t c = 0; c < m->columns; c++, draw->counter++)
			*element(m, r, c) = bound * (2.0F * weir_learn_uniform(*draw) - 1.0F);
}

/* A matrix as a list of vectors: its rows, or its columns where those are the shorter list. */
struct list {
	const struct matrix *m;
	uint32_t count, length;
	int is_columns;
};

static float *number(const struct list *l, uint32_t vector, uint32_t index)
{
	return l->is_columns ? element(l->m, index, vector) : element(l->m, vector, index);
}

static double dot(const struct list *l, uint32_t a, uint32_t b)
{
	double sum = 0.0;

	for (uint32_t i = 0; i < l->length; i++)
		sum += (double)*number(l, a, i) * (double)*number(l, b, i);
	return sum;
}

/* Gram and Schmidt: each vector loses what it has in common with those before it, then gets its
 * length. Vectors are normal, so none is lost but with a probability of zero. */
static void fill_orthogonal(const struct matrix *m, float gain, struct weir_learn_draw *draw)
{
	int is_columns = m->columns < m->rows;
	struct list l = { m, is_columns ? m->columns : m->rows, is_columns ? m->rows : m->columns,
			  is_columns };

	for (uint32_t v = 0; v < l.count; v++) {
		double scale;

		for (uint32_t i = 0; i < l.length; i++, draw->counter++)
			*number(&l, v, i) = weir_learn_normal(*draw);
		for (uint32_t other = 0; other < v; other++) {
			double common = dot(&l, v, other);

			for (uint32_t i = 0; i < l.length; i++)
				*number(&l, v, i) -=
					(float)(common * (double)*number(&l, other, i));
		}
		scale = 1.0 / sqrt(dot(&l, v, v));
		for (uint32_t i = 0; i < l.length; i++)
			*number(&l, v, i) = (float)((double)*number(&l, v, i) * scale);
	}
	for (uint32_t v = 0; v < l.count; v++)
		for (uint32_t i = 0; i < l.length; i++)
			*number(&l, v, i) *= gain;
}

static void fill(const struct matrix *m, enum weir_learn_init_method how, float gain,
		 struct weir_learn_draw *draw)
{
	if (how == WEIR_LEARN_ORTHOGONAL)
		fill_orthogonal(m, gain, draw);
	else
		fill_uniform(m, gain * sqrtf(3.0F / (float)m->rows), draw);
}

static float gain_of(const struct weir_learn_layer *layer)
{
	if (layer->gain != 0.0F)
		return layer->gain;
	return layer->kind == WEIR_LEARN_DENSE && layer->activation == WEIR_LEARN_RELU ? 1.41421356F
										       : 1.0F;
}

static void lstm_start(const struct weir_learn_layer *layer, const struct weir_learn_place *p,
		       enum weir_learn_init_method how, struct weir_learn_draw *draw,
		       float *weights)
{
	struct matrix m = { weights + p->weights, p->inputs, LEARN_GATES * p->units, p->stride,
			    p->units };
	float *forget_bias = weights + p->bias + learn_padded(p->units);

	fill(&m, how, gain_of(layer), draw);
	m.data = weights + p->recurrent;
	m.rows = p->units;
	fill(&m, how, gain_of(layer), draw);
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
			lstm_start(layer, p, how, &from, weights);
		if (layer->kind == WEIR_LEARN_DENSE)
			fill(&(struct matrix){ weights + p->weights, p->inputs, p->units, p->stride,
					       p->units },
			     how, gain_of(layer), &from);
	}
}
