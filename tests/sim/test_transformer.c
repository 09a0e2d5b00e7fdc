/* SPDX-License-Identifier: BSD-3-Clause */
/* test_transformer.c -- iterations of a transformer by hand, on a star at 400 Gb/s = 20 ps a byte,
 * 500 ns a link, RDMA packets of 4000 + 48 bytes, as in test_job.c: layers of 1024 values,
 * sequences of 64 tokens, 10^12 operations a second. */
#include "tests/sim.h"
#include "tests/world.h"

#define BYTE_PS INT64_C(20)
#define MTU INT64_C(4000)
#define HEADER INT64_C(48)

/* The forward pass of a layer at one rank: 24 s h^2 (1 + s / 6h) operations. */
#define FORWARD_NS (24.0 * 64 * 1024 * 1024 * (1 + 64.0 / (6 * 1024)) / 1000)

/* Activations and gradients of a layer, with two bytes a value. */
#define ACTIVATION_BYTES INT64_C(131072)
#define GRADIENT_BYTES INT64_C(25165824)

static const char star[] =
	"[network]\ntopology = star\nhosts = %u\nrate = 400Gbps\ndelay = 500ns\n"
	"[switch]\nmarking = none\nlossless = all\nbuffer = 64MB\nbuffer-per = switch\n"
	"[host]\ncc = line-rate\n[rdma]\nmtu = 4000B\npackets-per-ack = 255\n"
	"[traffic ai]\npattern = transformer\nhidden = 1024\nsequence = 64\ntflops = 1\n%s\n";

static double message_ns(int64_t bytes)
{
	int64_t wire = bytes + (bytes + MTU - 1) / MTU * HEADER;

	return (double)((wire + MTU + HEADER) * BYTE_PS) / 1000 + 1000;
}

static double iteration_ns(uint32_t hosts, const char *keys)
{
	struct sim s;
	double value;

	sim_read(&s, star, hosts, keys);
	sim_run(&s, 1);
	value = sim_metric(&s, "iteration_mean_ns");
	sim_end(&s);
	return value;
}

TEST(test_tensor_parallel_ranks_halve_the_computing_and_reduce_four_times_a_layer)
{
	double reduce_ns = 2 * message_ns(ACTIVATION_BYTES / 2);
	double expected_ns = 2 * 3 * (3 * FORWARD_NS / 2 + 4 * reduce_ns);

	CHECK_NEAR(iteration_ns(2, "layers = 3\nmicro-batches = 2\ntensor = 2"), expected_ns,
		   1e-4 * expected_ns);
}

TEST(test_groups_with_the_same_collective_have_connections_of_their_own)
{
	/* A rank's neighbours in its tensor and data groups are different ones, to which it sends
	 * the same: activations of 48 sequences are as large as a share of the gradients. */
	CHECK_INT(48 * ACTIVATION_BYTES, GRADIENT_BYTES / 4);
	CHECK(iteration_ns(16, "layers = 1\nmicro-batches = 1\ntensor = 4\nmicro-batch = 48") >
	      48 * 3 * FORWARD_NS / 4);
}

TEST(test_a_pipeline_has_a_bubble_of_a_micro_batch_for_each_further_stage)
{
	/* 1F1B: m + p - 1 times the forward and backward pass of a stage; messages are short. */
	double expected_ns = (3 + 2 - 1) * 3 * FORWARD_NS;
	double found_ns = iteration_ns(2, "layers = 2\nmicro-batches = 3\npipeline = 2");

	CHECK(found_ns > expected_ns);
	CHECK_NEAR(found_ns, expected_ns, 8 * message_ns(ACTIVATION_BYTES));
	expected_ns = (5 + 4 - 1) * 2 * 3 * FORWARD_NS;
	found_ns = iteration_ns(4, "layers = 8\nmicro-batches = 5\npipeline = 4");
	CHECK_NEAR(found_ns, expected_ns, 24 * message_ns(ACTIVATION_BYTES));
}

TEST(test_data_parallel_replicas_expose_the_gradients_of_the_first_layer_only)
{
	/* An all-reduce takes less time than the backward pass of the layer before. */
	double reduce_ns = 6 * message_ns(GRADIENT_BYTES / 4);
	double expected_ns = 2 * 3 * 3 * FORWARD_NS + reduce_ns;

	CHECK(reduce_ns < 2 * FORWARD_NS);
	CHECK_NEAR(iteration_ns(4, "layers = 3\nmicro-batches = 2"), expected_ns,
		   1e-3 * expected_ns);
}

TEST(test_experts_exchange_tokens_twice_in_each_direction)
{
	/* Two replicas share the experts: top-k 2 doubles the tokens, half of which stay. */
	double exchange_ns = message_ns(ACTIVATION_BYTES);
	double without_ns = iteration_ns(2, "layers = 1\nmicro-batches = 1");

	CHECK_NEAR(iteration_ns(2, "layers = 1\nmicro-batches = 1\nexpert = 2") - without_ns,
		   4 * exchange_ns, 0.02 * exchange_ns);
}

TEST(test_all_kinds_of_parallelism_together_do_not_depend_on_threads)
{
	static const char keys[] = "layers = 4\nmicro-batches = 3\ntensor = 2\npipeline = 2\n"
				   "expert = 2\nrounds = 2\nstragglers = 1";
	struct sim a, b;

	sim_read_default(&a, star, 16, keys);
	sim_read_default(&b, star, 16, keys);
	sim_run(&a, 1);
	sim_run(&b, 3);
	CHECK_INT(sim_metric(&a, "iterations"), 2);
	sim_check_same(&a.r, &b.r);
	sim_end(&a);
	sim_end(&b);
}

static void check_refused(const char *key, const char *value, const char *message)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "star", "transformer");

	traffic_set(t, "members", "16");
	traffic_set(t, strcmp(key, "model") == 0 ? "members" : "layers",
		    strcmp(key, "model") == 0 ? "16" : "6");
	if (strcmp(key, "model") != 0)
		traffic_set(t, "hidden", "64");
	traffic_set(t, key, value);
	check_traffic_refused(&w, message);
}

TEST(test_mistakes_of_a_transformer_are_named)
{
	check_refused("tensor", "3", "traffic.x.tensor: 3 x 1 stages; must divide the 16 members");
	check_refused("expert", "5", "traffic.x.expert: 5; must divide the 16 replicas");
	check_refused("pipeline", "4", "traffic.x.pipeline: 4; must divide the 6 layers");
	check_refused("model", "lama-7b",
		      "traffic.x.model: unknown model 'lama-7b'; there are gpt3-6.7b, gpt3-13b, "
		      "gpt3-175b, llama-7b, llama-13b, llama-65b (nearest: llama-7b)");
	check_refused("hidden", "1000000",
		      "traffic.x.hidden: a layer sends more than 1 TB or computes for more than "
		      "1000 s");
}
