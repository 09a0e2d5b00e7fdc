/* metrics.c -- the measured interval as named numbers: their table, those of ports and those of the whole
 * run. Floating point is welcome here. */
#define _GNU_SOURCE
#include "sim/measure/metrics.h"
#include "sim/switch/agents.h"
#include "sim/switch/lossless.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define RESULT METRIC_RESULT
#define FLOW METRIC_FLOW
#define PORT METRIC_PORT
#define PORTS METRIC_PORTS
#define COST METRIC_COST

const struct metric metric_all[] = {
	[FLOWS_STARTED] = { "flows_started", "", "flows that start in the measured interval",
			    RESULT },
	[FLOWS_COMPLETED] = { "flows_completed", "", "of these, how many received every byte",
			      RESULT },
	[FLOWS_UNFINISHED] = { "flows_unfinished", "",
			       "flows with a size that start in the "
			       "measured interval and do not complete",
			       RESULT },
	[FLOWS_WITHOUT_PATH] = { "flows_without_path", "",
				 "flows that cannot end, because "
				 "failed links left no path; at the end",
				 RESULT },
	[GOODPUT] = { "goodput_bps", "bps", "payload received for the first time, all hosts",
		      RESULT },
	[JAIN] = { "jain", "", "Jain's fairness index of the flows' rates", RESULT },
	[UNFAIR_RATIO] = { "unfair_ratio", "",
			   "by how much the fastest flow's rate exceeds the mean, over the mean",
			   RESULT },
	[QUEUE_MEAN_BYTES] = { "queue_mean_bytes", "bytes",
			       "waiting at the measured port, time-weighted", PORT },
	[QUEUE_MEAN_PKTS] = { "queue_mean_pkts", "pkts",
			      "waiting at the measured port, time-weighted", PORT },
	[QUEUE_P50] = { "queue_p50_pkts", "pkts", "at or below this half of the time", PORT },
	[QUEUE_P99] = { "queue_p99_pkts", "pkts", "at or below this 99 % of the time", PORT },
	[QUEUE_MAX] = { "queue_max_pkts", "pkts", "largest queue at the measured port", PORT },
	[QUEUE_EMPTY] = { "queue_empty_fraction", "", "share of the time that nothing waits",
			  PORT },
	[NETWORK_QUEUE_MEAN] = { "network_queue_mean_pkts", "pkts",
				 "waiting at a switch port, mean of all of them, time-weighted",
				 PORTS },
	[NETWORK_QUEUE_P99] = { "network_queue_p99_pkts", "pkts",
				"at or below this 99 % of the time, all ports together", RESULT },
	[NETWORK_WAIT_MEAN] = { "network_wait_mean_ns", "ns",
				"how long a packet waits at a port, mean of all (Little's law)",
				RESULT },
	[NETWORK_WAIT_P99] = { "network_wait_p99_ns", "ns",
			       "how long a packet waits at a port (its sojourn time), 99th "
			       "percentile of all; with measure.sojourn = yes",
			       RESULT },
	[WORST_QUEUE_P99] = { "worst_queue_p99_pkts", "pkts",
			      "99th percentile of the queue over time at the port where it is "
			      "largest, which a single run names",
			      RESULT },
	[WORST_WAIT_P99] = { "worst_wait_p99_ns", "ns",
			     "99th percentile of how long packets wait at the port where it is "
			     "largest, likewise; with measure.sojourn = yes",
			     RESULT },
	[NETWORK_QUEUE_MAX] = { "network_queue_max_pkts", "pkts",
				"largest queue of any switch port", PORTS },
	[MARK_FRACTION] = { "mark_fraction", "",
			    "data packets that arrive marked, of all that arrive", RESULT },
	[MARKS] = { "marks", "", "packets marked, everywhere", RESULT },
	[DROPS] = { "drops", "", "packets dropped, everywhere", RESULT },
	[TIMEOUTS] = { "timeouts", "", "retransmission timers that ran out", RESULT },
	[TIMEOUTS_SMALL] = { "timeouts_small", "", "of these, of small flows", RESULT },
	[RETRANSMITS] = { "retransmits", "", "segments sent again", RESULT },
	[FLOWS_AFFECTED] = { "flows_affected", "",
			     "flows of which a segment was sent again, over those that started: "
			     "how "
			     "many loss affects",
			     RESULT },
	[PAUSE_TIME] = { "pause_ns", "ns", "time that classes of links were paused, all added up",
			 RESULT },
	[PAUSE_FRACTION] = { "pause_fraction", "",
			     "share of the time that a link was paused, mean of all links",
			     RESULT },
	[PAUSE_RATE] = { "pause_bps", "bps", "frames that pause a class, all links added up",
			 RESULT },
	[PFC_DEADLOCKS] = { "pfc_deadlocks", "",
			    "circles of paused links that wait for each other for ever, at the end",
			    RESULT },
	[UTILISATION] = { "utilisation", "", "share of the measured port's rate in use", PORT },
	[UTILISATION_FROM_HOSTS] = { "utilisation_from_hosts", "",
				     "share of their rate that hosts' links send, mean", RESULT },
	[UTILISATION_UP] = { "utilisation_up", "",
			     "the same of links between switches, away from hosts or across",
			     RESULT },
	[UTILISATION_DOWN] = { "utilisation_down", "",
			       "the same of links between switches, towards hosts", RESULT },
	[UTILISATION_TO_HOSTS] = { "utilisation_to_hosts", "", "the same of links to hosts",
				   RESULT },
	[MARKS_FROM_HOSTS] = { "marks_from_hosts", "", "packets marked by hosts' cards", RESULT },
	[MARKS_UP] = { "marks_up", "",
		       "packets marked at links between switches, away from hosts or across",
		       RESULT },
	[MARKS_DOWN] = { "marks_down", "",
			 "packets marked at links between switches, towards hosts", RESULT },
	[MARKS_TO_HOSTS] = { "marks_to_hosts", "", "packets marked at links to hosts", RESULT },
	[PAUSE_FRACTION_FROM_HOSTS] = { "pause_fraction_from_hosts", "",
					"share of the time that a host was paused, mean", RESULT },
	[PAUSE_FRACTION_UP] = { "pause_fraction_up", "",
				"the same of links between switches, away from hosts or across",
				RESULT },
	[PAUSE_FRACTION_DOWN] = { "pause_fraction_down", "",
				  "the same of links between switches, towards hosts", RESULT },
	[PAUSE_FRACTION_TO_HOSTS] = { "pause_fraction_to_hosts", "", "the same of links to hosts",
				      RESULT },
	[QUEUE_P99_FROM_HOSTS] = { "queue_p99_from_hosts_pkts", "pkts",
				   "at or below this 99 % of the time, all cards that have a queue "
				   "together",
				   RESULT },
	[QUEUE_P99_UP] = { "queue_p99_up_pkts", "pkts",
			   "the same of links between switches, away from hosts or across",
			   RESULT },
	[QUEUE_P99_DOWN] = { "queue_p99_down_pkts", "pkts",
			     "the same of links between switches, towards hosts", RESULT },
	[QUEUE_P99_TO_HOSTS] = { "queue_p99_to_hosts_pkts", "pkts", "the same of links to hosts",
				 RESULT },
	[WAIT_P99_FROM_HOSTS] = { "wait_p99_from_hosts_ns", "ns",
				  "how long packets wait at cards that have a queue, 99th "
				  "percentile; with measure.sojourn = yes",
				  RESULT },
	[WAIT_P99_UP] = { "wait_p99_up_ns", "ns",
			  "the same of links between switches, away from hosts or across", RESULT },
	[WAIT_P99_DOWN] = { "wait_p99_down_ns", "ns",
			    "the same of links between switches, towards hosts", RESULT },
	[WAIT_P99_TO_HOSTS] = { "wait_p99_to_hosts_ns", "ns", "the same of links to hosts",
				RESULT },
	[FCT_MEAN] = { "fct_mean_ns", "ns",
		       "flow completion time, from the start to measure.completion", FLOW },
	[FCT_P50] = { "fct_p50_ns", "ns", "flow completion time, median", FLOW },
	[FCT_P99] = { "fct_p99_ns", "ns", "flow completion time, 99th percentile", FLOW },
	[FCT_P999] = { "fct_p999_ns", "ns", "flow completion time, 99.9th percentile", FLOW },
	[FCT_SMALL_MEAN] = { "fct_small_mean_ns", "ns", "of small flows", FLOW },
	[FCT_SMALL_P99] = { "fct_small_p99_ns", "ns", "of small flows, 99th percentile", FLOW },
	[FCT_MEDIUM_MEAN] = { "fct_medium_mean_ns", "ns", "of flows neither small nor large",
			      FLOW },
	[FCT_LARGE_MEAN] = { "fct_large_mean_ns", "ns", "of large flows", FLOW },
	[SLOWDOWN_MEAN] = { "slowdown_mean", "", "completion time over that of the flow alone",
			    FLOW },
	[SLOWDOWN_P50] = { "slowdown_p50", "", "slowdown, median", FLOW },
	[SLOWDOWN_P99] = { "slowdown_p99", "", "slowdown, 99th percentile", FLOW },
	[IOPS] = { "iops", "", "I/Os that end in the measured interval, per second", RESULT },
	[READ_IOPS] = { "read_iops", "", "of these, reads", RESULT },
	[IO_READ_P50] = { "io_read_p50_ns", "ns",
			  "reads, request to the last byte of the answer, median", FLOW },
	[IO_READ_P99] = { "io_read_p99_ns", "ns", "the same, 99th percentile", FLOW },
	[WRITE_IOPS] = { "write_iops", "", "writes that end, per second", RESULT },
	[IO_WRITE_P50] = { "io_write_p50_ns", "ns",
			   "writes, request to the last byte of the answer, median", FLOW },
	[IO_WRITE_P99] = { "io_write_p99_ns", "ns", "the same, 99th percentile", FLOW },
	[ROUND_MEAN] = { "round_mean_ns", "ns",
			 "first start to last end of rounds that lie in the measured interval",
			 FLOW },
	[ROUND_P50] = { "round_p50_ns", "ns", "the same, median", FLOW },
	[ROUND_P99] = { "round_p99_ns", "ns", "the same, 99th percentile", FLOW },
	[REWARD_MEAN] = { "reward", "",
			  "mean of the first probe \"reward PORT\": 0.7 times the share of the "
			  "line that was used and 0.3 times how short the mean queue was, 1 up to "
			  "20 KB and 0.1 less for each doubling (ACC, SIGCOMM 2021, equation 2)",
			  RESULT },
	[SETTINGS_REFUSED] = { "settings_refused", "",
			       "settings that agents (switch.tune) asked for and that are outside "
			       "the limits, so that they were not applied; whole run",
			       RESULT },
	[PACKET_HOPS] = { "packet_hops", "", "packets sent over links, whole run", RESULT },
	[SIM_SECONDS] = { "sim_seconds", "s", "simulated time", RESULT },
	[CPU_SECONDS] = { "cpu_seconds", "s", "processor time of the run, all threads", COST },
	[HOPS_PER_CPU_SECOND] = { "packet_hops_per_cpu_second", "", "speed", COST },
	[PEAK_RSS] = { "peak_rss_bytes", "bytes", "largest memory of the process", COST },
	[METRIC_COUNT] = { NULL, NULL, NULL, RESULT },
};

_Static_assert((int)METRIC_COUNT <= (int)METRICS_MAX, "room for every metric");

double run_metric(const struct run_result *r, const char *name)
{
	uint32_t i = 0;

	while (strcmp(metric_all[i].name, name) != 0)
		assert(++i < METRIC_COUNT);
	return r->value[i];
}

/* --- ports --- */

static struct port_result port_result(const struct measure *m, uint32_t link, double interval_ps)
{
	const struct weir_port_stats *s = m->stats[link];
	struct port_result p = {
		.link = link,
		.tx_pkts = m->ports[link].tx_pkts,
		.tx_bytes = m->ports[link].tx_bytes,
		.marks = m->ports[link].marks,
		.drops = m->ports[link].drops,
	};

	if (s) {
		p.queue_mean_bytes = (double)s->bytes_ps / interval_ps;
		p.queue_mean_pkts = (double)weir_port_stats_pkts_ps(s) / interval_ps;
		p.queue_max_pkts = s->max_pkts;
	}
	return p;
}

static int is_of_host(const struct network *net, uint32_t link)
{
	return net->nodes[net->links[link].from].kind == NODE_HOST;
}

/* Of those listed so far, the switch port with the largest mean queue? */
static int is_longest(const struct network *net, const struct run_result *r,
		      const struct port_result *p)
{
	const struct port_result *longest = &r->ports[r->measured_port];

	if (is_of_host(net, p->link))
		return 0;
	return is_of_host(net, longest->link) || p->queue_mean_bytes > longest->queue_mean_bytes;
}

static void list_ports(const struct measure *m, struct run_result *r, double interval_ps)
{
	const struct network *net = m->engine->net;

	r->ports = memory_grow(NULL, net->link_count, sizeof(*r->ports));
	for (uint32_t i = 0; i < net->link_count; i++) {
		if (!measure_has_queue(m->engine, i))
			continue;
		r->ports[r->port_count] = port_result(m, i, interval_ps);
		if (m->port_link == (int64_t)i ||
		    (m->port_link < 0 && is_longest(net, r, &r->ports[r->port_count])))
			r->measured_port = r->port_count;
		r->port_count++;
	}
}

static void list_pauses(const struct measure *m, struct run_result *r, double interval_ps)
{
	uint32_t capacity = 0;

	for (uint32_t i = 0; m->pauses && i < m->engine->net->link_count; i++) {
		for (uint32_t k = 0; k < WEIR_PFC_CLASSES; k++) {
			const struct pause_count *p = &m->pauses[i].class[k];

			if (!p->count && !p->sum_ps)
				continue;
			if (r->pause_count == capacity) {
				capacity = capacity ? 2 * capacity : 16;
				r->pauses = memory_grow(r->pauses, capacity, sizeof(*r->pauses));
			}
			r->pauses[r->pause_count++] =
				(struct pause_result){ i, k, p->count, p->sum_ps };
			r->value[PAUSE_TIME] += (double)p->sum_ps / (double)WEIR_PS_PER_NS;
			r->value[PAUSE_RATE] +=
				weir_bytes_to_bits((double)p->count * WEIR_PFC_FRAME_BYTES) *
				(double)WEIR_PS_PER_S / interval_ps;
		}
	}
}

double metrics_busy_ps(const struct measure *m, uint32_t link)
{
	const struct weir_port_class *class = engine_kind(m->engine, link);
	const struct port_counts *p = &m->ports[link];
	double wire_bytes = (double)p->tx_bytes + (double)p->tx_pkts * class->overhead_bytes;

	return weir_bytes_to_bits(wire_bytes) * (double)WEIR_PS_PER_S / (double)class->rate_bps -
	       (double)p->unsent_ps;
}

static void queue_metrics(const struct measure *m, struct run_result *r, double interval_ps)
{
	const struct port_result *p = &r->ports[r->measured_port];
	const struct weir_port_stats *s = m->stats[p->link];

	r->value[QUEUE_MEAN_BYTES] = p->queue_mean_bytes;
	r->value[QUEUE_MEAN_PKTS] = p->queue_mean_pkts;
	r->value[QUEUE_MAX] = p->queue_max_pkts;
	r->value[QUEUE_P50] = s ? weir_port_stats_quantile(s, 0.5) : 0;
	r->value[QUEUE_P99] = s ? weir_port_stats_quantile(s, 0.99) : 0;
	r->value[QUEUE_EMPTY] = s ? (double)s->bucket_ps[0] / interval_ps : 1;
	r->value[UTILISATION] = metrics_busy_ps(m, p->link) / interval_ps;
}

static void network_queue_metrics(struct run_result *r)
{
	double sum = 0, largest = 0;

	for (uint32_t i = 0; i < r->port_count; i++) {
		sum += r->ports[i].queue_mean_pkts;
		largest = fmax(largest, r->ports[i].queue_max_pkts);
	}
	r->value[NETWORK_QUEUE_MEAN] = sum / r->port_count;
	r->value[NETWORK_QUEUE_MAX] = largest;
}

/* Counts marks under the name that the port's scheme gives them. */
static void add_marks(struct run_result *r, const char *name, uint64_t marks)
{
	uint32_t i = 0;

	while (i < r->reason_count && strcmp(r->reasons[i].name, name) != 0)
		i++;
	if (i == r->reason_count)
		r->reasons[r->reason_count++] = (struct reason_count){ name, 0, 1 };
	r->reasons[i].count += marks;
}

/* Those of switches; of their schemes each is listed, marked or not. */
static void list_marks(const struct measure *m, struct run_result *r)
{
	const struct engine *e = m->engine;

	for (uint32_t k = 0; k < WEIR_MARK_REASONS; k++)
		if (m->config->mark->reasons[k])
			add_marks(r, m->config->mark->reasons[k], 0);
	for (uint32_t i = 0; i < e->net->link_count; i++) {
		const struct weir_mark_ops *mark = engine_kind(e, i)->mark;
		struct port_end end = measure_port_end(m, i);

		for (uint32_t k = 0; k < WEIR_MARK_REASONS && !is_of_host(e->net, i); k++)
			if (mark->reasons[k])
				add_marks(r, mark->reasons[k], end.marks[k]);
	}
}

static void list_reasons(const struct measure *m, struct run_result *r)
{
	const struct engine *e = m->engine;
	uint64_t drops[WEIR_PORT_DROPS] = { 0 };
	uint64_t card_marks = 0, card_drops = 0;

	for (uint32_t i = 0; i < e->net->link_count; i++) {
		struct port_end end = measure_port_end(m, i);
		int is_card = is_of_host(e->net, i);

		for (uint32_t k = 0; k < WEIR_MARK_REASONS && is_card; k++)
			card_marks += end.marks[k];
		for (uint32_t k = 0; k < WEIR_PORT_DROPS; k++)
			*(is_card && k != WEIR_DROP_LINK_DOWN ? &card_drops : &drops[k]) +=
				end.drops[k];
	}
	list_marks(m, r);
	for (uint32_t k = 0; k < WEIR_PORT_DROPS; k++)
		if (drops[k])
			r->reasons[r->reason_count++] =
				(struct reason_count){ weir_port_drop_names[k], drops[k], 0 };
	if (card_marks)
		r->reasons[r->reason_count++] =
			(struct reason_count){ "marked by a host's card", card_marks, 1 };
	if (card_drops)
		r->reasons[r->reason_count++] =
			(struct reason_count){ "dropped by a host's card", card_drops, 0 };
}

/* --- all together --- */

static void cost_metrics(const struct measure *m, struct run_result *r)
{
	const struct engine *e = m->engine;
	double hops = 0;
	struct rusage usage;

	for (uint32_t i = 0; i < e->net->link_count; i++)
		hops += (double)measure_port_end(m, i).tx_pkts;
	getrusage(RUSAGE_SELF, &usage);
	if (m->peak_kib > usage.ru_maxrss)
		usage.ru_maxrss = m->peak_kib;
	r->value[PACKET_HOPS] = hops;
	r->value[SIM_SECONDS] = weir_ps_to_s(m->now_ps);
	r->value[CPU_SECONDS] = m->cpu_seconds;
	r->value[HOPS_PER_CPU_SECOND] = m->cpu_seconds > 0 ? hops / m->cpu_seconds : NAN;
	r->value[PEAK_RSS] = (double)usage.ru_maxrss * 1024;
}

void measure_results(struct measure *m, struct run_result *r)
{
	struct engine *e = m->engine;
	double interval_ps;

	if (m->to_ps == WEIR_TIME_NEVER_PS || m->phase == PHASE_BEFORE)
		m->to_ps = m->from_ps; /* interrupted before measuring began */
	interval_ps = m->to_ps > m->from_ps ? (double)(m->to_ps - m->from_ps) : NAN;
	metrics_of_flows(m, r);
	metrics_of_applications(m, r);
	list_ports(m, r, interval_ps);
	queue_metrics(m, r, interval_ps);
	network_queue_metrics(r);
	metrics_of_tiers(m, r, interval_ps);
	metrics_of_waiting(m, r, interval_ps);
	list_reasons(m, r);
	r->value[REWARD_MEAN] = probes_reward(m->probes);
	r->value[SETTINGS_REFUSED] = e->agents ? (double)agents_refused(e->agents) : NAN;
	r->series = probes_series(m->probes, &r->series_count);
	cost_metrics(m, r);
	r->value[GOODPUT] = weir_bytes_to_bits((double)m->hosts.goodput_bytes) *
			    (double)WEIR_PS_PER_S / interval_ps;
	r->value[MARK_FRACTION] =
		m->hosts.data_pkts ? (double)m->hosts.marked_pkts / (double)m->hosts.data_pkts
				   : NAN;
	r->value[TIMEOUTS] = (double)m->hosts.timeouts;
	r->value[TIMEOUTS_SMALL] = (double)m->hosts.small_flow_timeouts;
	r->value[RETRANSMITS] = (double)m->hosts.retransmits;
	r->value[FLOWS_AFFECTED] = r->value[FLOWS_STARTED] > 0
					   ? (double)m->hosts.resent_flows / r->value[FLOWS_STARTED]
					   : NAN;
	for (uint32_t i = 0; i < e->net->link_count; i++) {
		r->value[MARKS] += (double)m->ports[i].marks;
		r->value[DROPS] += (double)m->ports[i].drops;
	}
	list_pauses(m, r, interval_ps);
	r->value[PFC_DEADLOCKS] = r->deadlock.circles;
	r->value[PAUSE_FRACTION] = r->value[PAUSE_TIME] * (double)WEIR_PS_PER_NS /
				   (interval_ps * (double)e->net->link_count);
}
