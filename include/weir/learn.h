/* SPDX-License-Identifier: BSD-3-Clause */
/* learn.h -- small neural networks and deep reinforcement learning: double DQN and TD3.
 *
 * For schemes that learn how to mark or how fast to send; independent of both. A network is a plan
 * (a list of layers) compiled into a struct weir_learn_net. The net holds no weights: those are a
 * float array of the caller, so that one net serves online, target and loaded weights.
 *
 * The caller owns all memory: functions that end in _size and _floats state how much is needed,
 * nothing is allocated, and no threads are started. Functions are thread-safe for distinct objects.
 * A learner and a replay memory are single blocks without pointers, so a checkpoint is a copy of
 * them.
 *
 * Numbers are float32 summed in a fixed order, with own activation functions: the same bytes on
 * every machine. A minibatch is cut into WEIR_LEARN_CHUNKS chunks whose gradients are summed in
 * order, so results do not depend on the number of threads.
 *
 * docs/manual/12-learning.md has examples, formats and costs. */
#ifndef WEIR_LEARN_H
#define WEIR_LEARN_H
#include "weir/begin.h"
#include <stddef.h>
#include <stdint.h>

WEIR_BEGIN

struct weir_error;

/* Alignment of learners, replay memories and scratch blocks. */
#define WEIR_LEARN_ALIGNMENT 64

/* --- random numbers: a stateless function of three numbers --- */

struct weir_learn_draw {
	uint64_t seed;    /* of the training run */
	uint64_t stream;  /* a flow, a switch, a purpose */
	uint64_t counter; /* index of the number in the stream */
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
	WEIR_LEARN_LSTM,   /* over the steps of a sequence */
	WEIR_LEARN_LAST,   /* the last valid step of a sequence; zeros if there is none */
	WEIR_LEARN_CONCAT, /* concatenation of two inputs */
};

enum weir_learn_activation { WEIR_LEARN_LINEAR, WEIR_LEARN_RELU, WEIR_LEARN_TANH };

enum weir_learn_bias { WEIR_LEARN_WITH_BIAS, WEIR_LEARN_NO_BIAS };

/* The input of a layer: one of the two inputs of the net, or the index of an earlier layer. */
enum { WEIR_LEARN_SEQUENCE = -1, WEIR_LEARN_CURRENT = -2 };

enum { WEIR_LEARN_LAYERS_MAX = 12, WEIR_LEARN_UNITS_MAX = 4096, WEIR_LEARN_STEPS_MAX = 65536 };

struct weir_learn_layer {
	enum weir_learn_kind kind;
	enum weir_learn_activation activation; /* of a dense layer */
	enum weir_learn_bias bias;             /* of a dense layer or an LSTM */
	uint32_t units;  /* of a dense layer or an LSTM; others take their input's */
	int32_t from[2]; /* the second one for CONCAT only */
	/* Of the initial weights; 0: sqrt 2 before a ReLU, else 1. */
	float gain;
};

/* The last layer is the output. An input of size 0 does not exist. */
struct weir_learn_plan {
	uint32_t sequence_size; /* numbers in each step of the sequence */
	uint32_t current_size;  /* numbers in the input without steps */
	uint32_t layer_count;
	struct weir_learn_layer layers[WEIR_LEARN_LAYERS_MAX];
};

/* A multilayer perceptron with ReLU; 0 ends hidden. With lstm_units the input is a sequence, an
 * LSTM precedes the last layer, and there is an output for every step. */
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

/* Memory layout of a layer; internal to lib/learn. Rows of the weight matrix are inputs, columns
 * units, padded with zeros. */
struct weir_learn_place {
	uint32_t inputs, units;
	uint32_t columns; /* of its weights: units, or four gates of units rounded up to 8 */
	uint32_t stride;  /* floats from row to row of its weights */
	uint32_t is_sequence, needs_current;
	uint32_t weights, recurrent, bias;         /* offsets; recurrent of an LSTM only */
	uint32_t transposed, transposed_recurrent; /* offsets of the transposed matrices */
	uint32_t transposed_stride, transposed_recurrent_stride;
	uint32_t state; /* of an LSTM: offset of its h and c in a sample's state */
};

struct weir_learn_net {
	struct weir_learn_plan plan;
	struct weir_learn_place places[WEIR_LEARN_LAYERS_MAX];
	uint32_t outputs;
	uint32_t weight_floats;     /* of an array of weights, or of a gradient */
	uint32_t transposed_floats; /* of the transposed weights, for the backward pass */
	uint32_t state_floats;      /* recurrent state of LSTMs, per sample */
};

/* Compiles a plan. -1 with a message: it is invalid. */
int weir_learn_net_init(struct weir_learn_net *net, const struct weir_learn_plan *plan,
			struct weir_error *e);

enum weir_learn_init_method { WEIR_LEARN_HE_UNIFORM, WEIR_LEARN_ORTHOGONAL };

/* Initial weights. Dense: uniform in +-gain sqrt(3 / inputs), or orthogonal rows or columns times
 * gain. LSTM: likewise with gain 1, the forget gate's bias 1. Other biases are 0. */
void weir_learn_net_init_weights(const struct weir_learn_net *net, enum weir_learn_init_method how,
				 struct weir_learn_draw from, float *weights);

/* The input of a pass. Arrays belong to the caller and have no gaps; those of inputs that the net
 * lacks are not read. */
struct weir_learn_batch {
	uint32_t samples;
	uint32_t steps;          /* of every sequence; may be 0 */
	const float *sequence;   /* [samples][steps][sequence_size], oldest first */
	const uint32_t *lengths; /* [samples]: number of valid steps, the first ones; NULL: all */
	const float *current;    /* [samples][current_size] */
	const float *state_in;   /* [samples][state_floats]; NULL: zeros */
	float *state_out;        /* after the last valid step; NULL: not wanted; may be state_in */
};

enum weir_learn_use { WEIR_LEARN_FORWARD_ONLY, WEIR_LEARN_FORWARD_AND_BACKWARD };

/* Size of the tape, which records a forward pass for the backward pass. */
size_t weir_learn_tape_floats(const struct weir_learn_net *net, uint32_t samples, uint32_t steps,
			      enum weir_learn_use use);

/* Output: [samples][outputs], or [samples][steps][outputs] where the last layer is a sequence. */
void weir_learn_forward(const struct weir_learn_net *net, const float *weights,
			const struct weir_learn_batch *batch, float *tape, float *output);

/* Transposes the weights for the backward pass; needed once per change of weights. */
void weir_learn_net_transpose(const struct weir_learn_net *net, const float *weights,
			      float *transposed);

struct weir_learn_gradient {
	const float
		*output; /* d loss / d output, shaped like the output; 0 beyond a sample's length */
	float *weights;  /* added to, laid out as the weights are; NULL: not wanted */
	float *current;  /* set, [samples][current_size]; NULL: not wanted */
};

/* The backward pass, after weir_learn_forward with the same batch and tape. state_in counts as a
 * constant. */
void weir_learn_backward(const struct weir_learn_net *net, const float *transposed,
			 const struct weir_learn_batch *batch, float *tape,
			 const struct weir_learn_gradient *gradient);

/* Replaces NaN and infinite numbers by 0; returns how many. */
uint32_t weir_learn_make_finite(float *numbers, uint32_t count);

/* --- losses and optimisers --- */

enum weir_learn_loss { WEIR_LEARN_SQUARED, WEIR_LEARN_HUBER };

/* The loss of error e: e^2 / 2, and for Huber beyond delta: delta (|e| - delta / 2). Sets the
 * gradient, d loss / d e. */
float weir_learn_loss_of(enum weir_learn_loss loss, float delta, float error, float *grad);

struct weir_learn_adam {
	float rate; /* learning rate */
	float beta1, beta2, epsilon;
};

#define WEIR_LEARN_ADAM_DEFAULT \
	{ \
		1e-3F, 0.9F, 0.999F, 1e-8F \
	}

/* State of Adam: moments, initially 0, and beta^steps, initially 1. */
struct weir_learn_moments {
	double power1, power2;
	float *mean, *square; /* one for each weight */
};

void weir_learn_adam_step(const struct weir_learn_adam *adam, struct weir_learn_moments *moments,
			  float *weights, const float *gradient, size_t count);

/* Return the norm, or the largest magnitude, before clipping. */
float weir_learn_clip_norm(float *gradient, size_t count, float norm_max);
float weir_learn_clip_value(float *gradient, size_t count, float value_max);

/* Polyak averaging: to += share (from - to); share 1 copies exactly. */
void weir_learn_soft_update(float *to, const float *from, size_t count, float share);

/* --- replay memory: a ring of rows --- */

/* An episode is a sequence of steps (observation, action, reward) and a last observation. Each
 * observation is stored once and serves as history and next observation of its neighbours. The
 * oldest rows are overwritten, even within an episode. */
struct weir_learn_memory;

struct weir_learn_memory_plan {
	uint32_t rows; /* steps and last observations; an isolated transition takes two */
	uint32_t observation_size, action_size;
};

/* Is the value after the last observation bootstrapped? */
enum weir_learn_end {
	WEIR_LEARN_DONE, /* no: a terminal state */
	WEIR_LEARN_CUT,  /* yes: the episode was truncated */
};

size_t weir_learn_memory_size(const struct weir_learn_memory_plan *plan);
void weir_learn_memory_init(struct weir_learn_memory *m, const struct weir_learn_memory_plan *plan);

/* A discrete action is stored as its number. The reward is that which followed the action. */
void weir_learn_memory_step(struct weir_learn_memory *m, const float *observation,
			    const float *action, float reward);

/* Ends the episode; no effect if it has no step. */
void weir_learn_memory_end(struct weir_learn_memory *m, const float *last_observation,
			   enum weir_learn_end end);

/* Number of steps that can be sampled. */
uint32_t weir_learn_memory_transitions(const struct weir_learn_memory *m);

/* Copies count random transitions, drawn with counters from draw.counter on, each as an episode of
 * its own without history. Both memories must be between episodes, and from must not be empty. */
void weir_learn_memory_share(struct weir_learn_memory *to, const struct weir_learn_memory *from,
			     struct weir_learn_draw draw, uint32_t count);

/* --- learners --- */

enum { WEIR_LEARN_CHUNKS = 8 };

/* n-step returns: which observation's value replaces later rewards. */
enum weir_learn_return {
	WEIR_LEARN_PROPER,      /* n rewards, then the value of the observation n steps on */
	WEIR_LEARN_OVERLAPPING, /* n rewards, then the value of the next one: counts rewards n times
				 */
};

/* Parameters common to all learners. A net with a sequence input receives the past observations
 * there; one without receives them before the current one, oldest first, with the oldest repeated
 * where there are fewer. An update with a gradient that is not finite, because a reward was not,
 * leaves the weights unchanged. */
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

/* Runs the chunks of an update, and provides scratch memory. Learners may share it if they update
 * one after the other. */
struct weir_learn_executor {
	weir_learn_run *run; /* NULL: in the calling thread; workers is 1 */
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
	uint32_t target_every; /* updates between copies to the target network */
};

/* Validates the config, which all other functions require. */
int weir_learn_dqn_check(const struct weir_learn_dqn_config *config, struct weir_error *e);
size_t weir_learn_dqn_size(const struct weir_learn_dqn_config *config);
size_t weir_learn_dqn_scratch_size(const struct weir_learn_dqn_config *config, uint32_t workers);
void weir_learn_dqn_init(struct weir_learn_dqn *l, const struct weir_learn_dqn_config *config);

/* Restarts from given weights, as from a file: sets both nets and resets Adam. */
void weir_learn_dqn_load(struct weir_learn_dqn *l, const float *weights);

const struct weir_learn_net *weir_learn_dqn_net(const struct weir_learn_dqn *l);
const float *weir_learn_dqn_weights(const struct weir_learn_dqn *l);
const float *weir_learn_dqn_target(const struct weir_learn_dqn *l);

/* One minibatch; returns its mean loss. The memory must have a transition. */
float weir_learn_dqn_update(struct weir_learn_dqn *l, const struct weir_learn_memory *m,
			    const struct weir_learn_executor *executor);

/* How an action is chosen from Q-values. */
struct weir_learn_choice {
	float epsilon;          /* probability of exploring */
	float temperature;      /* of the softmax that exploring draws from; 0: uniform */
	const uint8_t *allowed; /* per action, at least one not 0; NULL: all are allowed */
};

/* Epsilon-greedy: the best action, the first of equals, or an exploring one. Consumes two counters
 * from draw.counter on. */
uint32_t weir_learn_choose_action(const struct weir_learn_choice *choice, const float *values,
				  uint32_t count, struct weir_learn_draw draw);

/* TD3: two critics, the smaller of which counts; smoothed target actions; a slower actor. Fujimoto
 * et al., ICML 2018; with nets of weir_learn_plan_recurrent, the LSTM-TD3 of Meng et al., IROS
 * 2021. */
struct weir_learn_td3;

struct weir_learn_td3_config {
	struct weir_learn_training training;
	struct weir_learn_plan actor;  /* an output in [-1, 1] for each action: tanh */
	struct weir_learn_plan critic; /* inputs: the actor's, the action, the privileged ones */
	struct weir_learn_adam actor_adam, critic_adam;
	float share;           /* tau of Polyak averaging */
	float smoothing;       /* standard deviation of the noise on target actions */
	float smoothing_limit; /* that noise is clipped to */
	uint32_t delay;        /* critic updates for each update of the actor and the targets */
	uint64_t actor_after;  /* updates before the actor's first */
	/* Numbers stored behind each action that only critics see (asymmetric actor-critic): known
	 * in training, not to the actor. They are assumed unchanged in the next observation. */
	uint64_t privileged;
};

int weir_learn_td3_check(const struct weir_learn_td3_config *config, struct weir_error *e);
size_t weir_learn_td3_size(const struct weir_learn_td3_config *config);
size_t weir_learn_td3_scratch_size(const struct weir_learn_td3_config *config, uint32_t workers);
void weir_learn_td3_init(struct weir_learn_td3 *l, const struct weir_learn_td3_config *config);

const struct weir_learn_net *weir_learn_td3_net(const struct weir_learn_td3 *l); /* the actor's */
const float *weir_learn_td3_actor(const struct weir_learn_td3 *l);
const float *weir_learn_td3_target_actor(const struct weir_learn_td3 *l);

/* The first critic (0) or the second (1), for diagnostics. */
const struct weir_learn_net *weir_learn_td3_critic_net(const struct weir_learn_td3 *l);
const float *weir_learn_td3_critic(const struct weir_learn_td3 *l, uint32_t which);

struct weir_learn_td3_report {
	float critic_loss; /* mean of both critics */
	float critic_norm; /* of the first critic's gradient, before it is clipped */
	float value;       /* mean target value */
	float actor_norm;  /* 0: the actor was not updated */
};

struct weir_learn_td3_report weir_learn_td3_update(struct weir_learn_td3 *l,
						   const struct weir_learn_memory *m,
						   const struct weir_learn_executor *executor);

/* Adds noise of that standard deviation to each action and keeps it in [-1, 1]. Uses as many
 * counters. */
void weir_learn_explore(float *actions, uint32_t count, float deviation,
			struct weir_learn_draw draw);

/* --- models: weights and their provenance, in the safetensors format --- */

struct weir_learn_text {
	const char *key, *value; /* UTF-8 */
};

/* Keys of a model's metadata. WEIR_LEARN_LAYERS is added by the writer. */
#define WEIR_LEARN_LAYERS "layers"
#define WEIR_LEARN_SCHEME "scheme"
#define WEIR_LEARN_FEATURES "features" /* version of what the inputs mean */
#define WEIR_LEARN_ACTIONS "actions"   /* what the outputs mean */
#define WEIR_LEARN_AGENT "agent"       /* options of the agent that it was trained in */
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

/* bytes has room for weir_learn_model_size. -1 with a message: weights are not finite, or texts not
 * UTF-8. */
int weir_learn_model_encode(const struct weir_learn_model *model, uint8_t *bytes,
			    struct weir_error *e);

/* The content of a model file, which is not trusted. */
struct weir_learn_bytes {
	const uint8_t *data;
	size_t size;
};

/* A validated model, as schemes see it. Valid until the program exits. */
struct weir_learn_policy {
	const char *name;                        /* of the file, or of the built-in model */
	const char *scheme, *features, *actions; /* texts of the file; "" where it has none */
	const struct weir_learn_net *net;
	const float *weights;
	const char *agent; /* text of the file, or NULL */
};

/* Reads the plan of the net, for weir_learn_net_init. */
int weir_learn_model_plan(struct weir_learn_bytes model, struct weir_learn_plan *plan,
			  struct weir_error *e);

/* Reads the weights of a net of that shape (net->weight_floats). -1 with a message that names the
 * tensor: shapes differ. */
int weir_learn_model_decode(struct weir_learn_bytes model, const struct weir_learn_net *net,
			    float *weights, struct weir_error *e);

enum { WEIR_LEARN_TEXTS_MAX = 64, WEIR_LEARN_KEY_SIZE = 48 };

/* The keys of the metadata in file order; returns their number, or -1 with a message. */
int weir_learn_model_keys(struct weir_learn_bytes model,
			  char keys[WEIR_LEARN_TEXTS_MAX][WEIR_LEARN_KEY_SIZE],
			  struct weir_error *e);

/* Copies the metadata of a key into room bytes. */
int weir_learn_model_text(struct weir_learn_bytes model, const char *key, char *text, size_t room,
			  struct weir_error *e);

WEIR_END
#endif
