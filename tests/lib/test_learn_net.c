/* SPDX-License-Identifier: BSD-3-Clause */
/* test_learn_net.c -- networks against a second opinion: a plain one in double precision, with
 * slopes by finite differences. */
#include "tests/learn_fixture.h"
#include <math.h>

enum { SAMPLES = 5, STEPS = 4, WIDTH = 32, WIDEST = 4 * WIDTH };

/* --- the second opinion --- */

/* What a layer has for one sample: a row for each step, or row 0. */
struct opinion {
	double value[WEIR_LEARN_LAYERS_MAX][STEPS][WIDTH];
};

static uint32_t padded(uint32_t count)
{
	return (count + 7) / 8 * 8;
}

static const double *input_of(const struct opinion *o, const double *sequence,
			      const double *current, int32_t from, uint32_t step)
{
	return from == WEIR_LEARN_SEQUENCE  ? sequence
	       : from == WEIR_LEARN_CURRENT ? current
					    : o->value[from][step];
}

/* x W + b, the columns of gates without what pads them. */
static void affine(const struct weir_learn_net *net, uint32_t layer, const double *weights,
		   const double *x, double *y)
{
	const struct weir_learn_place *p = &net->places[layer];
	uint32_t gates = net->plan.layers[layer].kind == WEIR_LEARN_LSTM ? 4 : 1;

	for (uint32_t g = 0; g < gates; g++)
		for (uint32_t u = 0; u < p->units; u++) {
			uint32_t column = g * padded(p->units) + u;
			double sum = 0.0;

			if (net->plan.layers[layer].bias == WEIR_LEARN_WITH_BIAS)
				sum = weights[p->bias + column];
			for (uint32_t i = 0; i < p->inputs; i++)
				sum += x[i] * weights[p->weights + i * p->stride + column];
			y[g * p->units + u] = sum;
		}
}

static double sigmoid(double x)
{
	return 1.0 / (1.0 + exp(-x));
}

static void lstm(const struct weir_learn_net *net, uint32_t layer, const double *weights,
		 const double *sums, double *h, double *c)
{
	const struct weir_learn_place *p = &net->places[layer];
	uint32_t n = p->units;
	double gates[WIDEST];

	for (uint32_t j = 0; j < 4 * n; j++) {
		gates[j] = sums[j];
		for (uint32_t i = 0; i < n; i++)
			gates[j] +=
				h[i] *
				weights[p->recurrent + i * p->stride + j / n * padded(n) + j % n];
	}
	for (uint32_t u = 0; u < n; u++) {
		c[u] = sigmoid(gates[n + u]) * c[u] + sigmoid(gates[u]) * tanh(gates[2 * n + u]);
		h[u] = sigmoid(gates[3 * n + u]) * tanh(c[u]);
	}
}

struct sample {
	const double *sequence, *current; /* sequence: STEPS rows */
	uint32_t length;
};

static void layer_opinion(const struct weir_learn_net *net, uint32_t i, const double *weights,
			  const struct sample *s, struct opinion *o)
{
	const struct weir_learn_layer *l = &net->plan.layers[i];
	uint32_t rows = net->places[i].is_sequence ? STEPS : 1, n = net->places[i].units;
	double h[WIDTH] = { 0.0 }, c[WIDTH] = { 0.0 }, y[WIDEST];

	for (uint32_t t = 0; t < rows; t++) {
		const double *x = input_of(o, s->sequence + t * net->plan.sequence_size, s->current,
					   l->from[0], t);
		double *to = o->value[i][t];

		if (l->kind == WEIR_LEARN_DENSE) {
			affine(net, i, weights, x, to);
			for (uint32_t u = 0; u < n; u++)
				to[u] = l->activation == WEIR_LEARN_RELU   ? fmax(to[u], 0.0)
					: l->activation == WEIR_LEARN_TANH ? tanh(to[u])
									   : to[u];
		} else if (l->kind == WEIR_LEARN_LSTM) {
			affine(net, i, weights, x, y);
			lstm(net, i, weights, y, h, c);
			memcpy(to, h, n * sizeof(*to));
		} else if (l->kind == WEIR_LEARN_LAST) {
			memset(to, 0, n * sizeof(*to));
			if (s->length)
				memcpy(to, o->value[l->from[0]][s->length - 1], n * sizeof(*to));
		} else {
			const double *second = input_of(o, NULL, s->current, l->from[1], 0);
			uint32_t first = l->from[0] < 0 ? net->plan.current_size
							: net->places[l->from[0]].units;

			memcpy(to, x, first * sizeof(*to));
			memcpy(to + first, second, (n - first) * sizeof(*to));
		}
	}
}

/* --- nets and what goes through them --- */

struct trial {
	struct learn_fixture desk;
	float sequence[SAMPLES * STEPS * WIDTH], current[SAMPLES * WIDTH];
	uint32_t lengths[SAMPLES];
	float slopes[SAMPLES * STEPS *
		     WIDTH]; /* the loss is the outputs' sum, weighed with these */
	float current_slopes[SAMPLES * WIDTH];
	struct weir_learn_batch batch;
};

static void trial_open(struct trial *t, const struct weir_learn_plan *plan)
{
	uint32_t last = plan->layer_count - 1;

	memset(t, 0, sizeof(*t));
	fixture_open(&t->desk, plan, SAMPLES, STEPS);
	weir_learn_net_init_weights(&t->desk.net, WEIR_LEARN_HE_UNIFORM,
				    (struct weir_learn_draw){ 7, 0, 0 }, t->desk.weights);
	fixture_fill(t->sequence, sizeof(t->sequence) / sizeof(float), 1);
	fixture_fill(t->current, sizeof(t->current) / sizeof(float), 2);
	fixture_fill(t->slopes, sizeof(t->slopes) / sizeof(float), 3);
	for (uint32_t i = 0; i < SAMPLES; i++)
		t->lengths[i] = i % (STEPS + 1); /* also none, and all */
	for (uint32_t i = 0; i < SAMPLES && t->desk.net.places[last].is_sequence; i++)
		t->lengths[i] = STEPS;
	t->batch = (struct weir_learn_batch){
		.samples = SAMPLES,
		.steps = STEPS,
		.sequence = t->sequence,
		.lengths = t->lengths,
		.current = t->current,
	};
}

/* The loss by the second opinion; *worst is how far the outputs of the first are from its own. */
static double trial_loss(const struct trial *t, const double *weights, const float *current,
			 double *worst)
{
	const struct weir_learn_net *net = &t->desk.net;
	uint32_t last = net->plan.layer_count - 1;
	uint32_t rows = net->places[last].is_sequence ? STEPS : 1, at = 0;
	double loss = 0.0, sequence[STEPS * WIDTH], now[WIDTH];
	static struct opinion o;

	for (uint32_t i = 0; i < SAMPLES; i++) {
		struct sample s = { sequence, now, t->lengths[i] };

		for (uint32_t j = 0; j < STEPS * net->plan.sequence_size; j++)
			sequence[j] = (double)t->sequence[i * STEPS * net->plan.sequence_size + j];
		for (uint32_t j = 0; j < net->plan.current_size; j++)
			now[j] = (double)current[i * net->plan.current_size + j];
		for (uint32_t l = 0; l < net->plan.layer_count; l++)
			layer_opinion(net, l, weights, &s, &o);
		for (uint32_t r = 0; r < rows; r++)
			for (uint32_t j = 0; j < net->outputs; j++, at++) {
				double y = o.value[last][r][j];

				loss += y * (double)t->slopes[at];
				*worst = fmax(*worst, fabs(y - (double)t->desk.output[at]));
			}
	}
	return loss;
}

/* Output and all slopes of a net of that plan agree with the second opinion. */
static void check_net(const struct weir_learn_plan *plan)
{
	static struct trial t;
	struct weir_learn_gradient gradient = { .output = t.slopes, .current = t.current_slopes };
	double worst = 0.0, ignored = 0.0, step = 1e-6;
	double *weights;

	trial_open(&t, plan);
	gradient.weights = t.desk.gradient;
	fixture_forward(&t.desk, &t.batch);
	weir_learn_net_transpose(&t.desk.net, t.desk.weights, t.desk.transposed);
	weir_learn_backward(&t.desk.net, t.desk.transposed, &t.batch, t.desk.tape, &gradient);
	weights = calloc(t.desk.net.weight_floats, sizeof(*weights));
	CHECK(weights != NULL);
	for (uint32_t i = 0; i < t.desk.net.weight_floats; i++)
		weights[i] = (double)t.desk.weights[i];
	trial_loss(&t, weights, t.current, &worst);
	CHECK(worst < 2e-6);
	for (uint32_t i = 0; i < t.desk.net.weight_floats; i++) {
		double centre = weights[i], above, below;

		weights[i] = centre + step;
		above = trial_loss(&t, weights, t.current, &ignored);
		weights[i] = centre - step;
		below = trial_loss(&t, weights, t.current, &ignored);
		weights[i] = centre;
		CHECK_NEAR(t.desk.gradient[i], (above - below) / (2.0 * step), 2e-5);
	}
	for (uint32_t i = 0; i < SAMPLES * plan->current_size; i++) {
		float centre = t.current[i], wide = 1.0F / 1024.0F;
		double above, below;

		t.current[i] = centre + wide;
		above = trial_loss(&t, weights, t.current, &ignored);
		t.current[i] = centre - wide;
		below = trial_loss(&t, weights, t.current, &ignored);
		t.current[i] = centre;
		CHECK_NEAR(t.current_slopes[i], (above - below) / (2.0 * (double)wide), 1e-3);
	}
	free(weights);
	fixture_close(&t.desk);
}

TEST(test_learn_dense_layers_slopes_are_those_of_finite_differences)
{
	struct weir_learn_stack s = {
		.inputs = 5, .outputs = 3, .hidden = { 9, 16 }, .output = WEIR_LEARN_TANH
	};
	struct weir_learn_plan plan = weir_learn_plan_stack(&s);

	check_net(&plan);
	s.bias = WEIR_LEARN_NO_BIAS;
	s.output = WEIR_LEARN_LINEAR;
	plan = weir_learn_plan_stack(&s);
	check_net(&plan);
}

TEST(test_learn_lstm_slopes_at_every_step_are_those_of_finite_differences)
{
	struct weir_learn_stack s = { .inputs = 3,
				      .outputs = 2,
				      .hidden = { 4 },
				      .lstm_units = 5,
				      .output = WEIR_LEARN_TANH };
	struct weir_learn_plan plan = weir_learn_plan_stack(&s);

	check_net(&plan);
	s.bias = WEIR_LEARN_NO_BIAS;
	s.lstm_units = 8;
	plan = weir_learn_plan_stack(&s);
	check_net(&plan);
}

TEST(test_learn_recall_net_slopes_are_those_of_finite_differences)
{
	struct weir_learn_plan plan = weir_learn_plan_recurrent(&(struct weir_learn_recurrent){
		.observation_size = 3, .action_size = 2, .hidden = 6, .outputs = 1 });

	check_net(&plan);
}

/* The slope of the current input alone leaves out what does not lead there, and is the same. */
TEST(test_learn_slope_of_the_current_input_needs_no_slopes_of_weights)
{
	struct weir_learn_plan plan = weir_learn_plan_recurrent(&(struct weir_learn_recurrent){
		.observation_size = 3, .action_size = 2, .hidden = 6, .outputs = 1 });
	static struct trial t;
	static float alone[SAMPLES * WIDTH];
	struct weir_learn_gradient gradient = { .output = t.slopes, .current = t.current_slopes };

	trial_open(&t, &plan);
	gradient.weights = t.desk.gradient;
	weir_learn_net_transpose(&t.desk.net, t.desk.weights, t.desk.transposed);
	fixture_forward(&t.desk, &t.batch);
	weir_learn_backward(&t.desk.net, t.desk.transposed, &t.batch, t.desk.tape, &gradient);
	gradient.weights = NULL;
	gradient.current = alone;
	weir_learn_backward(&t.desk.net, t.desk.transposed, &t.batch, t.desk.tape, &gradient);
	CHECK(memcmp(alone, t.current_slopes, sizeof(alone)) == 0);
	CHECK(alone[0] != 0.0F);
	fixture_close(&t.desk);
}

/* A sequence in two halves with the state carried over gives the same outputs as in one piece. */
TEST(test_learn_state_carries_a_sequence_on)
{
	enum { IN = 3, HALF = STEPS / 2 };
	struct weir_learn_plan plan = weir_learn_plan_stack(&(struct weir_learn_stack){
		.inputs = IN, .outputs = 2, .hidden = { 4 }, .lstm_units = 5 });
	struct learn_fixture d;
	float sequence[STEPS * IN], whole[STEPS * 2], state[10] = { 0.0F };
	struct weir_learn_batch b = { .samples = 1, .steps = STEPS, .sequence = sequence };

	fixture_open(&d, &plan, 1, STEPS);
	CHECK_INT(d.net.state_floats, 10);
	weir_learn_net_init_weights(&d.net, WEIR_LEARN_ORTHOGONAL,
				    (struct weir_learn_draw){ 1, 2, 0 }, d.weights);
	fixture_fill(sequence, STEPS * IN, 4);
	fixture_forward(&d, &b);
	memcpy(whole, d.output, sizeof(whole));
	b.steps = HALF;
	b.state_in = b.state_out = state;
	fixture_forward(&d, &b);
	CHECK(memcmp(d.output, whole, HALF * 2 * sizeof(float)) == 0);
	b.sequence += HALF * IN;
	fixture_forward(&d, &b);
	CHECK(memcmp(d.output, whole + HALF * 2, HALF * 2 * sizeof(float)) == 0);
	fixture_close(&d);
}

/* A sample's numbers do not depend on those beside it: one at a time or all at once. */
TEST(test_learn_samples_of_a_batch_do_not_touch_each_other)
{
	struct weir_learn_plan plan = weir_learn_plan_recurrent(&(struct weir_learn_recurrent){
		.observation_size = 3, .hidden = 20, .outputs = 2, .output = WEIR_LEARN_TANH });
	static struct trial t;
	float together[SAMPLES * 2];

	trial_open(&t, &plan);
	fixture_forward(&t.desk, &t.batch);
	memcpy(together, t.desk.output, sizeof(together));
	for (uint32_t i = 0; i < SAMPLES; i++) {
		struct weir_learn_batch one = { .samples = 1,
						.steps = t.lengths[i],
						.sequence = t.sequence + i * STEPS * 3,
						.current = t.current + i * 3 };

		fixture_forward(&t.desk, &one);
		CHECK(memcmp(t.desk.output, together + i * 2, 2 * sizeof(float)) == 0);
	}
	fixture_close(&t.desk);
}

/* --- plans --- */

static void check_refused(const char *text, const char *message)
{
	struct weir_learn_plan plan;
	struct weir_learn_net net;
	struct weir_error e = { "" };

	CHECK(weir_learn_plan_parse(&plan, text, &e) || weir_learn_net_init(&net, &plan, &e));
	CHECK_CONTAINS(e.text, message);
}

TEST(test_learn_plan_is_a_line_of_text_and_back)
{
	static const char expected[] =
		"sequence 8; current 9; dense 64 relu < sequence; lstm 64 < 0; "
		"last < 1; dense 64 relu < current; concat < 2 + 3; "
		"dense 64 relu < 4; dense 1 linear < 5";
	struct weir_learn_plan plan = weir_learn_plan_recurrent(&(struct weir_learn_recurrent){
		.observation_size = 8, .action_size = 1, .hidden = 64, .outputs = 1 });
	struct weir_learn_plan back;
	struct weir_error e = { "" };
	char text[256];

	CHECK_INT(weir_learn_plan_format(&plan, text, sizeof(text)), 0);
	CHECK_STR(text, expected);
	CHECK_INT(weir_learn_plan_parse(&back, text, &e), 0);
	CHECK(memcmp(&plan, &back, sizeof(plan)) == 0);
	CHECK_INT(weir_learn_plan_format(&plan, text, sizeof(expected) - 1), -1);
	plan = weir_learn_plan_stack(&(struct weir_learn_stack){ .inputs = 4,
								 .outputs = 1,
								 .hidden = { 12 },
								 .lstm_units = 12,
								 .output = WEIR_LEARN_TANH,
								 .bias = WEIR_LEARN_NO_BIAS });
	CHECK_INT(weir_learn_plan_format(&plan, text, sizeof(text)), 0);
	CHECK_STR(text, "sequence 4; current 0; dense 12 relu unbiased < sequence; "
			"lstm 12 unbiased < 0; dense 1 tanh unbiased < 1");
	CHECK_INT(weir_learn_plan_parse(&back, text, &e), 0);
	CHECK(memcmp(&plan, &back, sizeof(plan)) == 0);
}

TEST(test_learn_plan_that_makes_no_sense_is_refused)
{
	check_refused("", "a net begins with");
	check_refused("sequence 0; current 8", "a net of 0 layers");
	check_refused("sequence 0; current 8; dens 4 relu < current",
		      "'dens 4 relu < current' is no layer");
	check_refused("sequence 0; current 8; dense 4 relu < current!", "'!' after the layers");
	check_refused("sequence 0; current 8; dense 4 relu < 0",
		      "reads layer 0, which is not before");
	check_refused("sequence 0; current 8; dense 4 relu < sequence", "an input of size 0");
	check_refused("sequence 0; current 8; dense 4097 relu < current", "4097 units");
	check_refused("sequence 0; current 8; dense 400000000000 relu < current", "is no layer");
	check_refused("sequence 0; current 9999; dense 4 relu < current", "input of 9999 numbers");
	check_refused("sequence 0; current 8; lstm 4 < current", "its input is none");
	check_refused("sequence 8; current 8; concat < sequence + current", "one is a sequence");
	check_refused("sequence 0; current 4096; concat < current + current", "8192 inputs");
}

/* --- first weights --- */

TEST(test_learn_he_uniform_start_stays_in_its_bounds_and_fills_them)
{
	struct weir_learn_plan plan = weir_learn_plan_stack(
		&(struct weir_learn_stack){ .inputs = 24, .outputs = 1, .hidden = { 100 } });
	double bound = sqrt(6.0 / 24.0), sum = 0.0, squares = 0.0, largest = 0.0;
	struct learn_fixture d;

	fixture_open(&d, &plan, 1, 0);
	weir_learn_net_init_weights(&d.net, WEIR_LEARN_HE_UNIFORM,
				    (struct weir_learn_draw){ 1, 1, 0 }, d.weights);
	for (uint32_t i = 0; i < 24 * 100; i++) {
		double w = (double)d.weights[i / 100 * d.net.places[0].stride + i % 100];

		sum += w;
		squares += w * w;
		largest = fmax(largest, fabs(w));
	}
	CHECK(largest <= bound && largest > 0.99 * bound);
	CHECK_NEAR(sum / 2400, 0.0, 0.02);                      /* 3.4 standard errors */
	CHECK_NEAR(squares / 2400, bound * bound / 3.0, 0.006); /* 4 standard errors */
	CHECK(d.weights[d.net.places[0].bias] == 0.0F);
	fixture_close(&d);
}

TEST(test_learn_orthogonal_start_is_orthogonal_and_forget_gates_begin_open)
{
	struct weir_learn_plan plan = weir_learn_plan_stack(&(struct weir_learn_stack){
		.inputs = 4, .outputs = 1, .hidden = { 12 }, .lstm_units = 12 });
	struct learn_fixture d;
	const struct weir_learn_place *p;

	fixture_open(&d, &plan, 1, 1);
	weir_learn_net_init_weights(&d.net, WEIR_LEARN_ORTHOGONAL,
				    (struct weir_learn_draw){ 1, 1, 0 }, d.weights);
	p = &d.net.places[0];
	for (uint32_t a = 0; a < 4; a++)
		for (uint32_t b = 0; b < 4; b++) {
			double dot = 0.0;

			for (uint32_t i = 0; i < 12; i++)
				dot += (double)d.weights[p->weights + a * p->stride + i] *
				       (double)d.weights[p->weights + b * p->stride + i];
			CHECK_NEAR(dot, a == b ? 2.0 : 0.0, 1e-5); /* gain sqrt 2 */
		}
	p = &d.net.places[1];
	CHECK(d.weights[p->bias + 11] == 0.0F && d.weights[p->bias + 12] == 0.0F);
	CHECK(d.weights[p->bias + 16] == 1.0F && d.weights[p->bias + 27] == 1.0F);
	CHECK(d.weights[p->bias + 28] == 0.0F && d.weights[p->bias + 32] == 0.0F);
	fixture_close(&d);
}
