/* SPDX-License-Identifier: BSD-3-Clause */
/* learn.h -- small neural networks, and learning by reward: double DQN and TD3.
 *
 * For schemes that learn how to mark or how fast to send; nothing here knows of either. A network
 * is a plan (a list of layers) transposed into a struct weir_learn_net, which holds no weights:
 * weights are an array of floats of the caller's, so that one net serves its online, target and
 * loaded weights alike.
 *
 * Who owns what: the caller, everything. Functions that end in _size and _floats state what is
 * needed; nothing is allocated, nothing is kept outside the caller's memory, and no threads are
 * made. A learner and a replay memory are single blocks without pointers: written to a file and
 * read back, or copied elsewhere, they go on as if nothing had happened.
 *
 * Numbers are float32 in a fixed order of summation, with activation functions of our own: the same
 * bytes on every machine. A minibatch is cut into WEIR_LEARN_CHUNKS parts whose gradients are
 * summed in order, so results do not depend on how many threads the caller spreads the parts over.
 *
 * docs/manual/12-learning.md has examples, formats and costs. */
#ifndef WEIR_LEARN_H
#define WEIR_LEARN_H
#include "weir/begin.h"
#include <stddef.h>
#include <stdint.h>

WEIR_BEGIN

struct weir_error;

/* Blocks that a function lays out (learners, memories, scratch) must begin at such an address. */
#define WEIR_LEARN_ALIGNMENT 64

/* --- random numbers: a function of three numbers, without a state --- */

struct weir_learn_draw {
	uint64_t seed;    /* of the training run */
	uint64_t stream;  /* whose numbers: a flow, a switch, a purpose */
	uint64_t counter; /* which of them */
};

uint64_t weir_learn_bits(struct weir_learn_draw at);
float weir_learn_uniform(struct weir_learn_draw at); /* in [0, 1), multiples of 2^-24 */
float weir_learn_normal(struct weir_learn_draw at);  /* mean 0, variance 1 */

/* --- activation functions; absolute error below 1e-6 --- */

float weir_learn_tanh(float x);
float weir_learn_sigmoid(float x);

/* --- networks --- */

enum weir_learn_kind {
	WEIR_LEARN_DENSE,
	WEIR_LEARN_LSTM,   /* over the steps of its input, which must be a sequence */
	WEIR_LEARN_LAST,   /* the last valid step of a sequence; zeros where there is none */
	WEIR_LEARN_CONCAT, /* both inputs, one after the other */
};

enum weir_learn_activation { WEIR_LEARN_LINEAR, WEIR_LEARN_RELU, WEIR_LEARN_TANH };

enum weir_learn_bias { WEIR_LEARN_WITH_BIAS, WEIR_LEARN_NO_BIAS };

/* Where a layer's input comes from: one of the two inputs of the net, or the number of an earlier
 * layer. */
enum { WEIR_LEARN_SEQUENCE = -1, WEIR_LEARN_CURRENT = -2 };

enum { WEIR_LEARN_LAYERS_MAX = 12, WEIR_LEARN_UNITS_MAX = 4096, WEIR_LEARN_STEPS_MAX = 65536 };

struct weir_learn_layer {
	enum weir_learn_kind kind;
	enum weir_learn_activation activation; /* of a dense layer */
	enum weir_learn_bias bias;             /* of a dense layer or an LSTM */
	uint32_t units;  /* of a dense layer or an LSTM; others take their input's */
	int32_t from[2]; /* the second one for CONCAT only */
	/* Of the first weights; 0: sqrt 2 before a ReLU, else 1. */
	float gain;
};

/* The last layer is the output. An input of size 0 does not exist. */
struct weir_learn_plan {
	uint32_t sequence_size; /* numbers in each step of the sequence */
	uint32_t current_size;  /* numbers in the input that has no steps */
	uint32_t layer_count;
	struct weir_learn_layer layers[WEIR_LEARN_LAYERS_MAX];
};

/* Dense layers one after the other, ReLU in between; 0 ends hidden. With lstm_units the input is a
 * sequence, an LSTM stands before the last layer, and there is an output for every step. */
struct weir_learn_stack {
	uint32_t inputs, outputs;
	uint32_t hidden[6];
	uint32_t lstm_units;
	enum weir_learn_activation output;
	enum weir_learn_bias bias;
	float output_gain; /* as in struct weir_learn_layer */
};

struct weir_learn_plan weir_learn_plan_stack(const struct weir_learn_stack *s);

/* The nets of LSTM-TD3: past observations -> dense -> LSTM -> last valid step, beside the current
 * observation (and the action, for a critic) -> dense; both -> dense -> output. */
struct weir_learn_recurrent {
	uint32_t observation_size;
	uint32_t action_size; /* beside the current observation; 0 for an actor */
	uint32_t hidden;      /* units of every layer in between */
	uint32_t outputs;
	enum weir_learn_activation output;
	float output_gain;
};

struct weir_learn_plan weir_learn_plan_recurrent(const struct weir_learn_recurrent *r);

/* A plan as a line of text and back: "sequence 8; current 9; dense 64 relu < sequence; lstm 64 < 0;
 * ...". Formatting returns -1 where the text does not fit. */
int weir_learn_plan_format(const struct weir_learn_plan *plan, char *text, size_t size);
int weir_learn_plan_parse(struct weir_learn_plan *plan, const char *text, struct weir_error *e);

/* Where a layer's numbers lie; for the files of lib/learn. Rows of weights are inputs, their
 * columns units, padded with zeros. */
struct weir_learn_place {
	uint32_t inputs, units;
	uint32_t columns; /* of its weights: units, or four gates of units rounded up to 8 */
	uint32_t stride;  /* floats from row to row of its weights */
	uint32_t is_sequence, needs_current;
	uint32_t weights, recurrent, bias; /* offsets; recurrent of an LSTM only */
	uint32_t transposed,
		transposed_recurrent; /* the same matrices with rows and columns exchanged */
	uint32_t transposed_stride, transposed_recurrent_stride;
	uint32_t state; /* of an LSTM: offset of its h and c in a sample's state */
};

struct weir_learn_net {
	struct weir_learn_plan plan;
	struct weir_learn_place places[WEIR_LEARN_LAYERS_MAX];
	uint32_t outputs;
	uint32_t weight_floats;     /* of an array of weights, or of a gradient */
	uint32_t transposed_floats; /* of weights transposed for the way back */
	uint32_t state_floats; /* what LSTMs carry from one call to the next, for each sample */
};

/* Refuses a plan that makes no sense, and says why. */
int weir_learn_net_init(struct weir_learn_net *net, const struct weir_learn_plan *plan,
			struct weir_error *e);

enum weir_learn_init_method { WEIR_LEARN_HE_UNIFORM, WEIR_LEARN_ORTHOGONAL };

/* First weights. Dense: uniform in +-gain sqrt(3 / inputs), or orthogonal rows or columns times
 * gain. LSTM: likewise with gain 1, the forget gate's bias 1. Other biases are 0. */
void weir_learn_net_init_weights(const struct weir_learn_net *net, enum weir_learn_init_method how,
				 struct weir_learn_draw from, float *weights);

/* What goes through a net at once. Arrays are the caller's, without gaps; those of an input that
 * the net does not have are not read. */
struct weir_learn_batch {
	uint32_t samples;
	uint32_t steps;          /* of every sequence; may be 0 */
	const float *sequence;   /* [samples][steps][sequence_size], oldest first */
	const uint32_t *lengths; /* [samples]: so many steps are valid, the first ones; NULL: all */
	const float *current;    /* [samples][current_size] */
	const float *state_in;   /* [samples][state_floats]; NULL: zeros */
	float *state_out;        /* after the last valid step; NULL: not wanted; may be state_in */
};

enum weir_learn_use { WEIR_LEARN_FORWARD_ONLY, WEIR_LEARN_FORWARD_AND_BACKWARD };

/* Floats of the tape on which a pass is recorded. */
size_t weir_learn_tape_floats(const struct weir_learn_net *net, uint32_t samples, uint32_t steps,
			      enum weir_learn_use use);

/* Output: [samples][outputs], or [samples][steps][outputs] where the last layer is a sequence. */
void weir_learn_forward(const struct weir_learn_net *net, const float *weights,
			const struct weir_learn_batch *batch, float *tape, float *output);

/* Weights with rows and columns exchanged, which the way back needs; once for each change of
 * weights. */
void weir_learn_net_transpose(const struct weir_learn_net *net, const float *weights,
			      float *transposed);

struct weir_learn_gradient {
	const float
		*output; /* d loss / d output, shaped like the output; 0 beyond a sample's length */
	float *weights;  /* added to, laid out as the weights are; NULL: not wanted */
	float *current;  /* set, [samples][current_size]; NULL: not wanted */
};

/* After weir_learn_forward with the same batch and tape. The state carried in is a constant to
 * it. */
void weir_learn_backward(const struct weir_learn_net *net, const float *transposed,
			 const struct weir_learn_batch *batch, float *tape,
			 const struct weir_learn_gradient *gradient);

/* Numbers that are none (NaN, infinite) become 0; returns how many there were. */
uint32_t weir_learn_make_finite(float *numbers, uint32_t count);

/* --- losses and steps --- */

enum weir_learn_loss { WEIR_LEARN_SQUARED, WEIR_LEARN_HUBER };

/* Of the error e: e^2 / 2, and for Huber beyond delta: delta (|e| - delta / 2). Sets the gradient,
 * d loss / d e. */
float weir_learn_loss_of(enum weir_learn_loss loss, float delta, float error, float *grad);

struct weir_learn_adam {
	float rate, beta1, beta2, epsilon;
};

#define WEIR_LEARN_ADAM_DEFAULT \
	{ \
		1e-3F, 0.9F, 0.999F, 1e-8F \
	}

/* What Adam remembers, zero at first but for the powers: beta^steps, 1 at first. */
struct weir_learn_moments {
	double power1, power2;
	float *mean, *square; /* one for each weight */
};

void weir_learn_adam_step(const struct weir_learn_adam *adam, struct weir_learn_moments *moments,
			  float *weights, const float *gradient, size_t count);

/* Both return what they found: the norm, or the largest magnitude. */
float weir_learn_clip_norm(float *gradient, size_t count, float norm_max);
float weir_learn_clip_value(float *gradient, size_t count, float value_max);

/* to += share (from - to); share 1 copies exactly. */
void weir_learn_soft_update(float *to, const float *from, size_t count, float share);

/* --- replay memory: a ring of rows --- */

/* An episode is a run of steps (observation, action, reward) and one last observation. Each
 * observation is stored once; histories and next observations are found beside it. The oldest rows
 * are overwritten, be it in the middle of an episode. */
struct weir_learn_memory;

struct weir_learn_memory_plan {
	uint32_t rows; /* steps and last observations; a transition alone takes two */
	uint32_t observation_size, action_size;
};

/* May what comes after the last observation be worth something? */
enum weir_learn_end {
	WEIR_LEARN_DONE, /* no: the episode came to its own end */
	WEIR_LEARN_CUT,  /* yes: only the recording stopped */
};

size_t weir_learn_memory_size(const struct weir_learn_memory_plan *plan);
void weir_learn_memory_init(struct weir_learn_memory *m, const struct weir_learn_memory_plan *plan);

/* A discrete action is stored as its number. The reward is that which followed the action. */
void weir_learn_memory_step(struct weir_learn_memory *m, const float *observation,
			    const float *action, float reward);

/* Without a step before, it leaves nothing. */
void weir_learn_memory_end(struct weir_learn_memory *m, const float *last_observation,
			   enum weir_learn_end end);

/* Steps that can be drawn now. */
uint32_t weir_learn_memory_transitions(const struct weir_learn_memory *m);

/* Copies so many transitions, drawn with counters from draw.counter on, each as an episode of its
 * own; histories stay behind. Both memories between episodes, from not empty. */
void weir_learn_memory_share(struct weir_learn_memory *to, const struct weir_learn_memory *from,
			     struct weir_learn_draw draw, uint32_t count);

/* --- learners --- */

enum { WEIR_LEARN_CHUNKS = 8 };

/* Which rewards are summed up before the value of what follows stands for the rest. */
enum weir_learn_return {
	WEIR_LEARN_PROPER,      /* n rewards, then the value of the observation n steps on */
	WEIR_LEARN_OVERLAPPING, /* n rewards, then the value of the next one: counts rewards n times
				 */
};

/* What all learners have. A net with a sequence gets the past observations there; one without gets
 * them in front of the current one, oldest first, with the oldest repeated where there are fewer.
 * An update whose gradient is not finite, because a reward was not, leaves the weights alone. */
struct weir_learn_training {
	uint32_t observation_size;
	uint32_t past; /* observations before the current one */
	uint32_t batch;
	uint32_t return_steps; /* n */
	double gamma;
	enum weir_learn_return returns;
	enum weir_learn_loss loss;
	float huber_delta;
	float clip_norm;  /* of a gradient; 0: not clipped */
	float clip_value; /* of each of its numbers, before; 0: not clipped */
	enum weir_learn_init_method start;
	uint64_t seed, stream;
};

/* Calls chunk(job, i, worker) once for each i below WEIR_LEARN_CHUNKS, in any order, from any
 * threads, and returns when all have returned. No two calls at the same time may have the same
 * worker. */
typedef void weir_learn_chunk(void *job, uint32_t chunk, uint32_t worker);
typedef void weir_learn_run(void *context, weir_learn_chunk *chunk, void *job);

/* Who works on an update, and the memory for it; may be shared by learners that take turns. */
struct weir_learn_executor {
	weir_learn_run *run; /* NULL: one after the other, workers 1 */
	void *context;
	uint32_t workers;
	void *scratch; /* weir_learn_..._scratch_size(config, workers) */
};

/* Double DQN: y = r + gamma Q_target(s', argmax_a Q(s', a)). van Hasselt et al., AAAI 2016. */
struct weir_learn_dqn;

struct weir_learn_dqn_config {
	struct weir_learn_training training;
	struct weir_learn_plan plan; /* an output for each action */
	struct weir_learn_adam adam;
	uint32_t target_every; /* updates between copies to the target net */
};

/* Checks the config; the other functions rely on it. */
int weir_learn_dqn_check(const struct weir_learn_dqn_config *config, struct weir_error *e);
size_t weir_learn_dqn_size(const struct weir_learn_dqn_config *config);
size_t weir_learn_dqn_scratch_size(const struct weir_learn_dqn_config *config, uint32_t workers);
void weir_learn_dqn_init(struct weir_learn_dqn *l, const struct weir_learn_dqn_config *config);

/* Starts anew from these weights, as loaded from a file: both nets, and Adam from its beginning. */
void weir_learn_dqn_load(struct weir_learn_dqn *l, const float *weights);

const struct weir_learn_net *weir_learn_dqn_net(const struct weir_learn_dqn *l);
const float *weir_learn_dqn_weights(const struct weir_learn_dqn *l);
const float *weir_learn_dqn_target(const struct weir_learn_dqn *l);

/* One minibatch; returns its mean loss. The memory must have a transition. */
float weir_learn_dqn_update(struct weir_learn_dqn *l, const struct weir_learn_memory *m,
			    const struct weir_learn_executor *executor);

/* Which action to take where these are the values. */
struct weir_learn_choice {
	float epsilon;          /* probability of exploring */
	float temperature;      /* exploring draws by softmax(Q / temperature); 0: uniformly */
	const uint8_t *allowed; /* one for each action, 0: never; NULL: all. At least one is */
};

/* The best action, the first of equals, or one that explores. Uses counters draw.counter and the
 * next. */
uint32_t weir_learn_choose_action(const struct weir_learn_choice *choice, const float *values,
				  uint32_t count, struct weir_learn_draw draw);

/* TD3: two critics, the smaller of which counts; smoothed target actions; a slower actor. Fujimoto
 * et al., ICML 2018; with nets of weir_learn_plan_recurrent, the LSTM-TD3 of Meng et al., IROS
 * 2021. */
struct weir_learn_td3;

struct weir_learn_td3_config {
	struct weir_learn_training training;
	struct weir_learn_plan actor;  /* an output in [-1, 1] for each action: tanh */
	struct weir_learn_plan critic; /* the actor's inputs, behind the current one the action,
					  then the privileged */
	struct weir_learn_adam actor_adam, critic_adam;
	float share;           /* tau: of a soft copy */
	float smoothing;       /* standard deviation of the noise on target actions */
	float smoothing_limit; /* that noise is clipped to */
	uint32_t delay;        /* critic updates for each update of the actor and the targets */
	uint64_t actor_after;  /* updates before the actor's first */
	/* So many numbers are in the memory behind each action, which only critics see: what
	 * training knows and an actor will not. They are taken to be the same for what follows. */
	uint64_t privileged;
};

int weir_learn_td3_check(const struct weir_learn_td3_config *config, struct weir_error *e);
size_t weir_learn_td3_size(const struct weir_learn_td3_config *config);
size_t weir_learn_td3_scratch_size(const struct weir_learn_td3_config *config, uint32_t workers);
void weir_learn_td3_init(struct weir_learn_td3 *l, const struct weir_learn_td3_config *config);

const struct weir_learn_net *weir_learn_td3_net(const struct weir_learn_td3 *l); /* the actor's */
const float *weir_learn_td3_actor(const struct weir_learn_td3 *l);
const float *weir_learn_td3_target_actor(const struct weir_learn_td3 *l);

/* The first critic (0) or the second (1), to look at what it values. */
const struct weir_learn_net *weir_learn_td3_critic_net(const struct weir_learn_td3 *l);
const float *weir_learn_td3_critic(const struct weir_learn_td3 *l, uint32_t which);

struct weir_learn_td3_report {
	float critic_loss; /* mean of both critics */
	float critic_norm; /* of the first critic's gradient, before it is clipped */
	float value;       /* mean target value */
	float actor_norm;  /* 0 where the actor's turn has not come */
};

struct weir_learn_td3_report weir_learn_td3_update(struct weir_learn_td3 *l,
						   const struct weir_learn_memory *m,
						   const struct weir_learn_executor *executor);

/* Adds noise of that standard deviation to each action and keeps it in [-1, 1]. Uses as many
 * counters. */
void weir_learn_explore(float *actions, uint32_t count, float deviation,
			struct weir_learn_draw draw);

/* --- models: weights and where they come from, as the bytes of a safetensors file --- */

struct weir_learn_text {
	const char *key, *value; /* UTF-8 */
};

/* Keys of a model's texts. A file also has WEIR_LEARN_LAYERS, which is written for you. */
#define WEIR_LEARN_LAYERS "layers"
#define WEIR_LEARN_SCHEME "scheme"
#define WEIR_LEARN_FEATURES "features" /* version of what the inputs mean */
#define WEIR_LEARN_ACTIONS "actions"   /* what the outputs mean */
#define WEIR_LEARN_COMMAND "command"   /* that trained it */
#define WEIR_LEARN_SEED "seed"
#define WEIR_LEARN_VERSION "version" /* of the program */
#define WEIR_LEARN_DIGEST "digest"   /* of what it was trained on */

struct weir_learn_model {
	const struct weir_learn_net *net;
	const float *weights;
	const struct weir_learn_text *texts;
	uint32_t text_count;
};

/* Bytes that encoding takes. */
size_t weir_learn_model_size(const struct weir_learn_model *model);

/* Refuses weights that are not finite and texts that are not UTF-8. bytes: model_size of them. */
int weir_learn_model_encode(const struct weir_learn_model *model, uint8_t *bytes,
			    struct weir_error *e);

/* What a file holds; from whom does not matter, it is not trusted. */
struct weir_learn_bytes {
	const uint8_t *data;
	size_t size;
};

/* A model that was read and found sound, as schemes see it. It stays as long as the program
 * runs. */
struct weir_learn_policy {
	const char *name;                        /* of the file, or of the built-in model */
	const char *scheme, *features, *actions; /* texts of the file; "" where it has none */
	const struct weir_learn_net *net;
	const float *weights;
};

/* The plan of the net in there, for weir_learn_net_init. */
int weir_learn_model_plan(struct weir_learn_bytes model, struct weir_learn_plan *plan,
			  struct weir_error *e);

/* The weights of a net of that shape (net->weight_floats); anything else is refused by name and
 * shape. */
int weir_learn_model_decode(struct weir_learn_bytes model, const struct weir_learn_net *net,
			    float *weights, struct weir_error *e);

enum { WEIR_LEARN_TEXTS_MAX = 64, WEIR_LEARN_KEY_SIZE = 48 };

/* The keys of all its texts, in their order; returns how many, or -1. */
int weir_learn_model_keys(struct weir_learn_bytes model,
			  char keys[WEIR_LEARN_TEXTS_MAX][WEIR_LEARN_KEY_SIZE],
			  struct weir_error *e);

/* The text of that key, into room bytes. */
int weir_learn_model_text(struct weir_learn_bytes model, const char *key, char *text, size_t room,
			  struct weir_error *e);

WEIR_END
#endif
