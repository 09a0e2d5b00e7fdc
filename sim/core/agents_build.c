/* SPDX-License-Identifier: BSD-3-Clause */
/* agents_build.c -- see agents.h: creates the agents of a simulation and assigns queues to them. */
#include "sim/core/agents.h"
#include "config/schemes.h"
#include "weir/units.h"

/* --- before ports are built --- */

struct agents *agents_new(const struct config *c)
{
	struct agents *a;

	if (!tune_is_on(c))
		return NULL;
	a = memory_new(1, sizeof(*a));
	a->config = c;
	a->ops = c->agent;
	a->params = c->tune_params;
	if (c->tuner) {
		a->each = (struct tune_per_queue){ c->tuner, c->tune_params };
		a->ops = &weir_tune_per_queue;
		a->params = &a->each;
	}
	a->mark = weir_meter_init(&a->meter, c->mark, c->mark_params);
	a->meter.pass_not_ect = (uint32_t)c->switches.non_ect;
	return a;
}

void agents_plan(const struct agents *a, struct weir_port_plan *plan)
{
	if (!a)
		return;
	plan->mark = &a->mark;
	plan->mark_params = &a->meter;
}

/* --- groups --- */

/* Hops from each node to its nearest host, by breadth-first search. All nodes are reached, since
 * hosts can reach each other. */
static uint32_t *host_distances(const struct network *net)
{
	uint32_t *distance = memory_new(net->node_count, sizeof(*distance));
	uint32_t *reached = memory_new(net->node_count, sizeof(*reached));
	uint32_t begin = 0, end = 0;

	for (uint32_t i = 0; i < net->node_count; i++) {
		distance[i] = net->nodes[i].kind == NODE_HOST ? 0 : UINT32_MAX;
		if (distance[i] == 0)
			reached[end++] = i;
	}
	while (begin < end) {
		const struct net_node *node = &net->nodes[reached[begin]];
		uint32_t further = distance[reached[begin++]] + 1;

		for (uint32_t l = node->first_link; l < node->first_link + node->link_count; l++) {
			uint32_t to = net->links[l].to;

			if (distance[to] != UINT32_MAX)
				continue;
			distance[to] = further;
			reached[end++] = to;
		}
	}
	memory_free(reached, net->node_count, sizeof(*reached));
	return distance;
}

static enum weir_agent_group agent_group_of(const struct network *net, const uint32_t *distance,
					    const struct net_link *link)
{
	if (net->nodes[link->to].kind == NODE_HOST)
		return WEIR_AGENT_TO_HOST;
	return distance[link->to] < distance[link->from] ? WEIR_AGENT_DOWN : WEIR_AGENT_UP;
}

/* --- queues and agents --- */

static int is_per_network(const struct agents *a)
{
	return a->ops->scope && a->ops->scope(a->params) == WEIR_AGENT_PER_NETWORK;
}

static void agents_fill_rows(struct agents *a, struct engine *e)
{
	const struct network *net = e->net;
	uint32_t *distance = host_distances(net), row = 0;

	for (uint32_t s = 0; s < net->switch_count; s++) {
		const struct net_node *node = &net->nodes[net->switch_node[s]];

		for (uint32_t p = 0; p < node->link_count; p++) {
			uint32_t link = node->first_link + p;
			struct weir_port *port = &engine_egress(e, link)->port;

			a->first_row_of_link[link] = row;
			for (uint32_t q = 0; q < e->config->queues; q++, row++) {
				a->rows[row] =
					(struct agent_row){ port, q, is_per_network(a) ? 0 : s };
				a->queues[row] = (struct weir_agent_queue){
					.rate_bps = port->kind->rate_bps,
					.mtu_bytes = port->kind->mtu_bytes,
					.group = agent_group_of(net, distance, &net->links[link]),
					.node = net->switch_node[s],
					.port = p,
					.queue = q,
				};
			}
		}
	}
	memory_free(distance, net->node_count, sizeof(*distance));
}

/* The interval of the scenario, or else of the agent, within the bounds of switch.tune-interval. */
static int64_t agents_interval_ns(const struct agents *a, int64_t rtt_ns)
{
	int64_t ns = (int64_t)a->config->switches.tune_interval_ns;

	if (!ns)
		ns = a->ops->interval_ns(a->params, rtt_ns);
	if (ns < (int64_t)TUNE_SHORTEST_NS)
		return (int64_t)TUNE_SHORTEST_NS;
	return ns < (int64_t)TUNE_LONGEST_NS ? ns : (int64_t)TUNE_LONGEST_NS;
}

/* Gives the agent its rows and its environment. */
static void agent_init(struct agents *a, uint32_t number, uint32_t first_row, int64_t rtt_ns)
{
	struct agent *agent = &a->agents[number];
	uint32_t end = first_row;

	while (end < a->row_count && a->rows[end].agent == number)
		end++;
	agent->first_row = first_row;
	agent->apply_ps = WEIR_TIME_NEVER_PS;
	agent->rng = weir_rng_make(a->config->seed, number, WEIR_RNG_TUNING);
	agent->env = (struct weir_agent_env){
		.seed = weir_rng_u64(&agent->rng),
		.interval_ns = a->interval_ns,
		.rtt_ns = rtt_ns,
		.agent = number,
		.queue_count = end - first_row,
		.queues = a->queues + first_row,
	};
	agent->state_size = a->ops->size(a->params, &agent->env);
}

static void agents_init_shared(struct agents *a)
{
	if (!a->ops->share_steps || !a->ops->share_steps(a->params))
		return;
	a->shared_size = a->ops->shared_size(a->params);
	a->shared = memory_new(a->shared_size, 1);
	if (a->ops->shared_init)
		a->ops->shared_init(a->shared, a->params);
}

static int agents_build(struct agents *a, const struct engine *e, struct weir_error *error)
{
	int64_t rtt_ns = weir_ps_to_ns(e->base_rtt_ps);
	double bytes = 0;

	a->interval_ns = agents_interval_ns(a, rtt_ns);
	a->end_ps = weir_ns_to_ps(a->interval_ns);
	a->count = is_per_network(a) ? 1 : e->net->switch_count;
	a->agents = memory_new(a->count, sizeof(*a->agents));
	for (uint32_t i = 0, row = 0; i < a->count; i++) {
		agent_init(a, i, row, rtt_ns);
		row += a->agents[i].env.queue_count;
		bytes += (double)a->agents[i].state_size;
	}
	if (memory_check(bytes, "switch.tune", error))
		return -1;
	for (uint32_t i = 0; i < a->count; i++) {
		struct agent *agent = &a->agents[i];

		agent->state = memory_new(agent->state_size, 1);
		a->ops->init(agent->state, a->params, &agent->env, a->desired + agent->first_row);
	}
	agents_init_shared(a);
	return 0;
}

static void agents_build_rows(struct agents *a, struct engine *e)
{
	for (uint32_t s = 0; s < e->net->switch_count; s++)
		a->row_count +=
			e->net->nodes[e->net->switch_node[s]].link_count * e->config->queues;
	a->link_count = e->net->link_count;
	a->rows = memory_new(a->row_count, sizeof(*a->rows));
	a->queues = memory_new(a->row_count, sizeof(*a->queues));
	a->desired = memory_new(a->row_count, sizeof(*a->desired));
	a->applied = memory_new(a->row_count, sizeof(*a->applied));
	a->telemetry = memory_new(a->row_count, sizeof(*a->telemetry));
	a->first_row_of_link = memory_new(a->link_count, sizeof(*a->first_row_of_link));
	agents_fill_rows(a, e);
	for (uint32_t i = 0; i < a->row_count; i++) {
		void *state = agent_row_state(&a->rows[i]);

		a->config->mark->knobs->read(state, meter_inner_params(state, &a->meter),
					     a->queues[i].mtu_bytes, &a->applied[i]);
		a->desired[i] = a->applied[i];
	}
}

int agents_start(struct agents *a, struct engine *e, struct weir_error *error)
{
	if (!a)
		return 0;
	a->ranks = e->ranks;
	agents_build_rows(a, e);
	if (agents_build(a, e, error))
		return -1;
	agents_apply_initial(a);
	return 0;
}

void agents_free(struct agents *a)
{
	if (!a)
		return;
	for (uint32_t i = 0; a->agents && i < a->count; i++)
		memory_free(a->agents[i].state, a->agents[i].state_size, 1);
	memory_free(a->agents, a->count, sizeof(*a->agents));
	memory_free(a->shared, a->shared_size, 1);
	memory_free(a->rows, a->row_count, sizeof(*a->rows));
	memory_free(a->queues, a->row_count, sizeof(*a->queues));
	memory_free(a->desired, a->row_count, sizeof(*a->desired));
	memory_free(a->applied, a->row_count, sizeof(*a->applied));
	memory_free(a->telemetry, a->row_count, sizeof(*a->telemetry));
	memory_free(a->first_row_of_link, a->link_count, sizeof(*a->first_row_of_link));
	memory_free(a->observations, (uint64_t)a->row_count * a->observed.observation_size,
		    sizeof(*a->observations));
	memory_free(a->rewards, a->row_count, sizeof(*a->rewards));
	memory_free(a->asks, a->row_count, sizeof(*a->asks));
	memory_free(a, 1, sizeof(*a));
}
