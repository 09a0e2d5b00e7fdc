/* SPDX-License-Identifier: BSD-3-Clause */
/* drive.c -- drives a simulation step by step: clients write to a server and wait for its answers,
 * and a controller samples the queue before the server every 100 us and adjusts the marking
 * threshold.
 *
 *	cc drive.c -lweir-sim -lweir -lm -pthread -o drive && ./drive
 *
 * Shows three things that a scenario file cannot express: an application that waits for answers
 * (delivery callbacks), a time loop of the program's own (in main), and a setting that changes
 * during the run. */
#include <stdio.h>
#include <stdlib.h>
#include <weir/sim.h>

#define US_PS (INT64_C(1000) * WEIR_PS_PER_NS)

enum {
	SERVER = 0,
	CLIENTS = 16,
	STEPS = 20,
	STEP_US = 100,
	TARGET_PKTS = 20,
	WRITE_BYTES = 100 * 1000,
	ANSWER_BYTES = 64
};

/* The scenario. Messages of this program are sent through the section with pattern = messages. */
static const char scenario[] =
	"[network]\ntopology = star\nhosts = 17\nrate = 10Gbps\ndelay = 5us\n"
	"[switch]\nmarking = ecn(k=100pkts)\n"
	"[host]\ncc = dctcp\n"
	"[traffic writes]\npattern = messages\n";

/* A client's state is accessed in callbacks of its host only, so it needs no lock with several
 * threads. */
static struct client {
	uint32_t answers;
	int64_t wrote_ps, longest_ps;
} clients[CLIENTS + 1]; /* by host; host 0 is the server */

static void fail_if(int failed, const struct weir_error *e)
{
	if (!failed)
		return;
	fprintf(stderr, "drive: %s\n", e->text);
	exit(EXIT_FAILURE);
}

static void on_write(void *context, struct weir_sim_turn *turn, const struct weir_sim_delivery *d);

/* Sends a write. A callback sends from the host that it is called for. */
static void write_once(void *context, struct weir_sim_turn *turn)
{
	struct weir_sim_message m = { .to = SERVER, .bytes = WRITE_BYTES, .delivered = on_write };
	struct weir_error e;

	(void)context;
	clients[weir_sim_turn_host(turn)].wrote_ps = weir_sim_turn_now_ps(turn);
	fail_if(weir_sim_turn_send(turn, &m, &e), &e);
}

/* Delivery of the answer, at the client: sends the next write. */
static void on_answer(void *context, struct weir_sim_turn *turn, const struct weir_sim_delivery *d)
{
	struct client *c = &clients[d->to];

	c->answers++;
	if (d->delivered_ps - c->wrote_ps > c->longest_ps)
		c->longest_ps = d->delivered_ps - c->wrote_ps;
	write_once(context, turn);
}

/* Delivery of a write, at the server: answers its sender. */
static void on_write(void *context, struct weir_sim_turn *turn, const struct weir_sim_delivery *d)
{
	struct weir_sim_message m = { .to = d->from,
				      .bytes = ANSWER_BYTES,
				      .delivered = on_answer };
	struct weir_error e;

	(void)context;
	fail_if(weir_sim_turn_send(turn, &m, &e), &e);
}

/* Raises the threshold by a quarter below the target, lowers it by a quarter above. */
static uint32_t next_threshold(uint32_t k_pkts, double queue_pkts)
{
	k_pkts = queue_pkts > TARGET_PKTS ? k_pkts * 3 / 4 : k_pkts * 5 / 4 + 1;
	return k_pkts < 1 ? 1 : k_pkts;
}

int main(void)
{
	struct weir_sim *sim;
	struct weir_error e;
	uint32_t queue, sent, k_pkts = 100, answers = 0;
	int64_t longest_ps = 0;

	fail_if(weir_sim_new(&sim, scenario, NULL, &e), &e);
	fail_if(weir_sim_watch(sim, "queue sw->h0", &queue, &e), &e);
	fail_if(weir_sim_watch(sim, "throughput sw->h0", &sent, &e), &e);

	/* Clients start 1 us apart: a callback runs at its time, for its host. */
	for (uint32_t i = 1; i <= CLIENTS; i++)
		fail_if(weir_sim_call_at(
				sim, i, &(struct weir_sim_call){ i * US_PS, write_once, NULL }, &e),
			&e);

	/* The loop is ours. Between two steps the simulation rests and may be looked at and
	 * changed. */
	printf("time_us\tqueue_pkts\tbytes\tk_pkts\n");
	for (int step = 1; step <= STEPS; step++) {
		char spec[32];

		fail_if(weir_sim_run_until(sim, step * STEP_US * US_PS, &e), &e);
		printf("%d\t%.0f\t%.0f\t%u\n", step * STEP_US, weir_sim_observe(sim, queue),
		       weir_sim_observe(sim, sent), k_pkts);
		k_pkts = next_threshold(k_pkts, weir_sim_observe(sim, queue));
		snprintf(spec, sizeof(spec), "ecn(k=%upkts)", k_pkts);
		fail_if(weir_sim_set(sim, "marking sw->h0", spec, &e), &e);
	}
	for (int i = 1; i <= CLIENTS; i++) {
		answers += clients[i].answers;
		if (clients[i].longest_ps > longest_ps)
			longest_ps = clients[i].longest_ps;
	}
	printf("%u answers, the slowest after %lld us\n", answers, (long long)(longest_ps / US_PS));
	weir_sim_free(sim);
	return EXIT_SUCCESS;
}
