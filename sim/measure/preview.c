/* SPDX-License-Identifier: BSD-3-Clause */
/* preview.c -- see preview.h. O(flows) and O(links); routes of at most SAMPLES_MAX flows. */
#include "sim/measure/preview.h"
#include "lib/tune/meter.h"
#include "config/schemes.h"
#include "sim/core/host.h"
#include "sim/core/telemetry.h"
#include "base/memory.h"
#include "sim/measure/sample.h"
#include <math.h>
#include <stdlib.h>

/* An open connection: both ends, and the state of a congestion control with a neural network. */
enum { CONNECTION_BYTES = 500 };
enum { BASE_BYTES = 8 << 20, PAGE_BYTES = 4096, SAMPLES_MAX = 100 * 1000, RTT_SAMPLES_MAX = 500 };

/* --- memory --- */

/* Untouched pages use no memory: of a marking scheme's state at most a page counts. */
static double port_bytes(const struct config *c)
{
	size_t state = weir_mark_state_size(c->mark, c->mark_params);

	if (tune_is_on(c))
		state += sizeof(struct meter) + c->mark->scheme.params_size;
	return (double)sizeof(struct egress) +
	       c->queues * ((double)sizeof(struct weir_queue) +
			    (double)(state < PAGE_BYTES ? state : PAGE_BYTES)) +
	       2.0 * WEIR_CHUNK_PACKETS *
		       sizeof(struct weir_packet); /* a chunk in flight, one queued */
}

double estimate_memory(const struct config *c, const struct network *net, uint64_t flows)
{
	uint32_t epochs = c->network.fails.count + 1;
	uint32_t sharing = net->racks_per_pod ? net->racks_per_pod : 1; /* a row of distances */
	double routes = (double)net->switch_count * net->switch_count / sharing * epochs;

	return BASE_BYTES + (double)flows * FLOW_MEMORY_BYTES +
	       (double)net->link_count * port_bytes(c) + routes;
}

/* Packets in flight of a host that always sends: a bandwidth-delay product, but no more than it
 * sends at all. Twice the memory, because their chunks are half full. */
static double host_in_flight_bytes(const struct engine *e, uint32_t host, double sends_bytes)
{
	double bdp_bytes =
		host_access_bps(e->net, host) * weir_ps_to_s(e->base_rtt_ps) / WEIR_BITS_PER_BYTE;
	double mss_bytes = (double)e->config->host.mss_bytes;
	size_t packet = sizeof(struct weir_packet) + (e->int_stacks ? sizeof(*e->int_stacks) : 0);

	return 2 * (double)packet * (sends_bytes < bdp_bytes ? sends_bytes : bdp_bytes) / mss_bytes;
}

/* Open connections and packets in flight. Of flows with a size few are open at a time at each host:
 * one counts; flows without a size are always open. */
static double run_in_flight_bytes(const struct engine *e)
{
	double *sends = memory_new(e->net->host_count, sizeof(*sends)), sum = 0;

	for (uint32_t i = 0; i < e->flows.count; i++) {
		const struct flow *f = flow_at(e, i);

		sends[f->src] += f->size_bytes == FLOW_UNLIMITED ? INFINITY : (double)f->size_bytes;
		sum += f->size_bytes == FLOW_UNLIMITED ? CONNECTION_BYTES : 0;
	}
	for (uint32_t i = 0; i < e->net->host_count; i++)
		sum += sends[i] > 0 ? CONNECTION_BYTES + host_in_flight_bytes(e, i, sends[i]) : 0;
	memory_free(sends, e->net->host_count, sizeof(*sends));
	return sum;
}

/* Connections of jobs, which stay open, each with the records of its messages. */
static double jobs_memory(const struct engine *e)
{
	const struct job_list *l = e->flows.jobs;
	double connections = 0;

	for (uint32_t i = 0; l && i < l->count; i++)
		connections += (double)l->jobs[i].rank_count * (double)l->jobs[i].peers;
	return connections * (CONNECTION_BYTES + FLOW_MEMORY_BYTES);
}

/* --- packets --- */

/* Flows without a size that each host sends and receives. */
struct host_load {
	uint32_t sends, receives;
};

/* How long a flow without a size sends until measure.to. */
static double unlimited_flow_seconds(const struct engine *e, const struct flow *f)
{
	int64_t end_ps = (int64_t)e->config->measure.to_ps;

	if (f->stop_ps < end_ps)
		end_ps = f->stop_ps;
	return end_ps > f->start_ps ? weir_ps_to_s(end_ps - f->start_ps) : 0;
}

static double unlimited_flow_bytes(const struct engine *e, const struct flow *f,
				   const struct host_load *load)
{
	double out_bps = host_access_bps(e->net, f->src) / load[f->src].sends;
	double in_bps = host_access_bps(e->net, f->dst) / load[f->dst].receives;
	double bps = out_bps < in_bps ? out_bps : in_bps;
	double app_bps = (double)flow_traffic(e, f)->app_rate_bps;

	if (app_bps > 0 && app_bps < bps)
		bps = app_bps;
	return bps * unlimited_flow_seconds(e, f) / WEIR_BITS_PER_BYTE;
}

static struct host_load *host_loads(const struct engine *e)
{
	struct host_load *load = memory_new(e->net->host_count, sizeof(*load));

	for (uint32_t i = 0; i < e->flows.count; i++) {
		const struct flow *f = flow_at(e, i);

		if (f->size_bytes != FLOW_UNLIMITED)
			continue;
		load[f->src].sends++;
		load[f->dst].receives++;
	}
	return load;
}

/* Data of a flow and its ACKs. */
static double flow_packets(const struct engine *e, const struct flow *f,
			   const struct host_load *load)
{
	const struct transport *t = flow_transport(e, f);
	double segments = f->size_bytes == FLOW_UNLIMITED
				  ? unlimited_flow_bytes(e, f, load) / t->env.mss_bytes
				  : message_segments(e, f);

	return segments * (1 + 1.0 / t->acks_per);
}

/* Transport of a job's messages: that of its section. */
static const struct transport *job_transport(const struct engine *e, const struct graph_job *j)
{
	const struct flow f = { .traffic = j->traffic };

	return flow_transport(e, &f);
}

struct job_demand job_estimate_of(const struct engine *e, uint32_t job)
{
	const struct graph_job *j = &e->flows.jobs->jobs[job];

	return job_estimate(j, job_transport(e, j)->env.mss_bytes);
}

/* A sample of pairs of a job's ranks, at all distances. */
static struct flow job_sample_pair(const struct graph_job *j, uint32_t sample)
{
	uint32_t from = sample % j->rank_count;
	uint32_t to = (from + 1 + sample % (j->rank_count - 1)) % j->rank_count;

	return (struct flow){ .src = j->ranks[from].host, .dst = j->ranks[to].host };
}

enum { JOB_PAIRS_SAMPLED = 100 };

/* Packet hops of all jobs; of one that runs until measure.to, of an iteration. */
static double jobs_packet_hops(const struct engine *e)
{
	const struct job_list *l = e->flows.jobs;
	double sum = 0;

	for (uint32_t i = 0; l && i < l->count; i++) {
		const struct graph_job *j = &l->jobs[i];
		struct job_demand d = job_estimate_of(e, i);
		double hops = 0;
		struct route route;

		for (uint32_t k = 0; k < JOB_PAIRS_SAMPLED; k++) {
			struct flow f = job_sample_pair(j, k);

			route_find(e->routes, f.src, f.dst, 0, 0, &route);
			hops += route.hops;
		}
		sum += d.segments * (1 + 1.0 / job_transport(e, j)->acks_per) *
		       (d.iterations ? d.iterations : 1) * hops / JOB_PAIRS_SAMPLED;
	}
	return sum;
}

/* Mean path length in links, over an evenly spaced sample of the flows. */
static double flows_mean_hops(const struct engine *e)
{
	uint32_t step = e->flows.count / SAMPLES_MAX + 1;
	double hops = 0, count = 0;
	struct route route;

	for (uint32_t i = 0; i < e->flows.count; i += step) {
		const struct flow *f = flow_at(e, i);

		route_find(e->routes, f->src, f->dst, 0, 0, &route);
		hops += route.hops;
		count++;
	}
	return count > 0 ? hops / count : 0;
}

struct estimate estimate_run(const struct engine *e)
{
	struct estimate estimate = {
		.memory_bytes = estimate_memory(e->config, e->net, e->flows.count) +
				run_in_flight_bytes(e) + jobs_memory(e),
	};
	struct host_load *load = host_loads(e);
	double packets = 0;

	for (uint32_t i = 0; i < e->flows.count; i++)
		packets += flow_packets(e, flow_at(e, i), load);
	memory_free(load, e->net->host_count, sizeof(*load));
	estimate.packet_hops = packets * flows_mean_hops(e) + jobs_packet_hops(e);
	estimate.cpu_seconds = estimate.packet_hops / ESTIMATE_HOPS_PER_S;
	return estimate;
}

/* --- paths --- */

static void path_range_add(struct path_range *r, double value)
{
	if (r->most == 0 || value < r->least)
		r->least = value;
	if (value > r->most)
		r->most = value;
}

static uint32_t host_rack(const struct network *net, uint32_t host)
{
	return net->nodes[net->host_node[host]].rack;
}

/* Adds the path of a flow; returns its round-trip time. */
static double path_survey_add(struct path_survey *s, const struct engine *e, const struct flow *f)
{
	struct base_trip trip = engine_base_trip(e, f->src, f->dst);

	path_range_add(&s->rtt_ps, (double)trip.rtt_ps);
	if (host_rack(e->net, f->src) == host_rack(e->net, f->dst)) {
		path_range_add(&s->links_within, trip.hops);
	} else {
		path_range_add(&s->links_between, trip.hops);
		path_range_add(&s->paths, route_count(e->routes, f->src, f->dst));
	}
	return (double)trip.rtt_ps;
}

struct path_survey path_survey_flows(const struct engine *e)
{
	uint32_t step = e->flows.count / RTT_SAMPLES_MAX + 1, count = 0;
	double *rtts = memory_grow(NULL, e->flows.count / step + UINT64_C(1) + JOB_PAIRS_SAMPLED,
				   sizeof(*rtts));
	struct path_survey s = { .rtt_typical_ps = 0 };

	for (uint32_t i = 0; i < e->flows.count; i += step)
		rtts[count++] = path_survey_add(&s, e, &e->flows.flows[i]);
	for (uint32_t i = 0; !e->flows.count && e->flows.jobs && i < JOB_PAIRS_SAMPLED; i++) {
		struct flow f = job_sample_pair(&e->flows.jobs->jobs[0], i);

		rtts[count++] = path_survey_add(&s, e, &f);
	}
	qsort(rtts, count, sizeof(*rtts), sample_compare);
	if (count)
		s.rtt_typical_ps = rtts[(count - 1) / 2];
	free(rtts);
	return s;
}
