/* SPDX-License-Identifier: BSD-3-Clause */
/* import_hpcc.c -- reads a configuration of the HPCC simulator and converts marking, shared buffer,
 * PFC and link failures; notes what differs. */
#include "lab/scenario/import.h"
#include "base/input.h"
#include "sim/net/network.h"
#include "weir/units.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Flow starts and link failures are relative to this time in that simulator. */
#define BEGIN_US (2 * (uint64_t)(WEIR_NS_PER_S / WEIR_NS_PER_US))

/* The simulator's shared buffer: 1 / alpha of links as fast as a host's; headroom in propagation
 * delays at line rate. */
enum { ALPHA_SHARE = 8, HEADROOM_DELAYS = 3 };

static const struct hpcc_value *hpcc_value_of(const struct import_hpcc *h, enum hpcc_key key)
{
	return &h->config.values[key];
}

double hpcc_number_of(const struct import_hpcc *h, enum hpcc_key key)
{
	return h->config.values[key].number;
}

int hpcc_mode_of(const struct import_hpcc *h)
{
	return (int)hpcc_number_of(h, HPCC_CC_MODE);
}

/* --- what is not the same --- */

void import_hpcc_note(struct import_hpcc *h, enum hpcc_key key, const char *what)
{
	const struct hpcc_value *v = hpcc_value_of(h, key);
	struct weir_quoted quoted = weir_quote(v->text); /* removes control characters */
	char text[1024];

	snprintf(text, sizeof(text), "%s %.*s%s: %s", hpcc_key_name(key),
		 (int)strlen(quoted.text) - 2, quoted.text + 1, v->line ? "" : " (not given)",
		 what);
	line_list_add(&h->notes, text, v->line);
}

#define MODE(mode) (1u << (mode))
#define ANY_MODE UINT32_MAX

/* Keys for which Weir supports a single value. */
static const struct fixed_value {
	enum hpcc_key key;
	double value;
	uint32_t modes; /* bit set of the CC modes concerned */
	const char *what;
} fixed_values[] = {
	{ HPCC_CC_MODE, HPCC_HPCC, MODE(HPCC_PINT),
	  "Weir has no PINT; hpcc, with packets as long as PINT's, reads exact telemetry of every "
	  "hop" },
	{ HPCC_USE_DYNAMIC_PFC_THRESHOLD, 1, ANY_MODE,
	  "thresholds are always dynamic, as in HPCC's simulator" },
	{ HPCC_MULTI_RATE, 0, MODE(HPCC_HPCC), "a sender keeps one rate, not one for each hop" },
	{ HPCC_SAMPLE_FEEDBACK, 0, MODE(HPCC_HPCC), "telemetry of every packet is used" },
	{ HPCC_INT_MULTI, 1, MODE(HPCC_HPCC), "telemetry is exact, not in multiples of a unit" },
	{ HPCC_PINT_PROB, 1, MODE(HPCC_PINT), "telemetry of every packet is used" },
	{ HPCC_RATE_BOUND, 1, ANY_MODE, "senders are always paced" },
	{ HPCC_ERROR_RATE_PER_LINK, 0, ANY_MODE, "links have no random loss" },
	{ HPCC_L2_BACK_TO_ZERO, 0, ANY_MODE,
	  "go-back-N retransmits from the lost packet on, not from its chunk" },
	{ HPCC_ACK_HIGH_PRIO, 0, ANY_MODE,
	  "PFC pauses a host's ACKs, too; HPCC's simulator sends them" },
};

static void import_hpcc_note_fixed_values(struct import_hpcc *h)
{
	for (size_t i = 0; i < sizeof(fixed_values) / sizeof(fixed_values[0]); i++) {
		const struct fixed_value *l = &fixed_values[i];

		if (l->modes & MODE(hpcc_mode_of(h)) && hpcc_number_of(h, l->key) != l->value)
			import_hpcc_note(h, l->key, l->what);
	}
}

/* Differences between the two simulators that no key of the configuration controls. */
static const struct inherent_difference {
	enum hpcc_key key; /* key that the note is filed under */
	uint32_t modes;    /* bit set of the CC modes concerned */
	const char *what;
} inherent_differences[] = {
	{ HPCC_CC_MODE, MODE(HPCC_DCQCN),
	  "a CNP is a packet of its own; in HPCC's simulator the ACK of a marked packet carries "
	  "it" },
	{ HPCC_CC_MODE, MODE(HPCC_DCQCN),
	  "a new rate applies to a queue pair's next packet; in HPCC's simulator to the packet "
	  "after it" },
	{ HPCC_CC_MODE, ANY_MODE,
	  "a NIC paces each of its queue pairs exactly; in HPCC's simulator it has one timer, "
	  "which a queue pair due earlier does not advance, so that large flows of busy NICs take "
	  "1 to 3 % longer" },
	{ HPCC_PACKET_PAYLOAD_SIZE, ANY_MODE,
	  "serialisation delays are exact; HPCC's simulator truncates them to nanoseconds: a frame "
	  "of 1048 B takes 0.1 % less at 25 Gb/s and 1 % less at 100 Gb/s" },
};

static void import_hpcc_note_inherent_differences(struct import_hpcc *h)
{
	for (size_t i = 0; i < sizeof(inherent_differences) / sizeof(inherent_differences[0]); i++)
		if (inherent_differences[i].modes & MODE(hpcc_mode_of(h)))
			import_hpcc_note(h, inherent_differences[i].key,
					 inherent_differences[i].what);
	if (hpcc_number_of(h, HPCC_HAS_WIN) != 0)
		import_hpcc_note(
			h, HPCC_HAS_WIN,
			"windows are computed from an RTT with headers and an ACK; in HPCC's "
			"simulator with payload only, so that windows are a few percent smaller");
}

static void import_hpcc_note_outputs(struct import_hpcc *h)
{
	static const enum hpcc_key outputs[] = {
		HPCC_TRACE_FILE,      HPCC_TRACE_OUTPUT_FILE, HPCC_FCT_OUTPUT_FILE,
		HPCC_PFC_OUTPUT_FILE, HPCC_ENABLE_TRACE,      HPCC_QLEN_MON_FILE,
		HPCC_QLEN_MON_START,  HPCC_QLEN_MON_END,
	};

	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++)
		if (hpcc_value_of(h, outputs[i])->line) {
			import_hpcc_note(h, outputs[i],
					 "an output file of HPCC's simulator, as others; use weir "
					 "run --csv or --pcap, and probe in [measure]");
			break;
		}
	if (hpcc_value_of(h, HPCC_FCT_OUTPUT_FILE)->line)
		import_hpcc_note(h, HPCC_FCT_OUTPUT_FILE,
				 "slowdown is relative to the exact FCT of the flow alone, up to "
				 "its last ACK; HPCC's simulator counts one packet more, so that "
				 "its slowdowns start below 1");
}

/* Notes flows of several priorities: the simulator gives each priority a queue. */
static int import_hpcc_note_priorities(struct import_hpcc *h, struct weir_error *e)
{
	char *words[LINE_WORDS_MAX];
	struct line_file in;
	uint64_t seen = 0, priority;
	int got;

	if (line_file_open(&in, h->flows, e))
		return -1;
	while ((got = line_file_next(&in)) == 1)
		if (line_file_words(&in, words) == 6 && parse_integer(words[2], 63, &priority) == 0)
			seen |= UINT64_C(1) << priority;
	line_file_close(&in);
	if (seen & (seen - 1))
		import_hpcc_note(h, HPCC_FLOW_FILE,
				 "its flows have several priorities; Weir puts all of them into "
				 "one class and queue");
	else if (seen & 1)
		import_hpcc_note(h, HPCC_FLOW_FILE,
				 "its flows have priority 0, which HPCC's simulator neither marks "
				 "nor pauses; Weir does");
	return got;
}

/* --- settings --- */

void import_hpcc_add(struct import_hpcc *h, struct scenario *s, enum hpcc_key key, const char *path,
		     const char *format, ...)
{
	char text[WEIR_OPT_TEXT_SIZE];
	int line = hpcc_value_of(h, key)->line;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	scenario_add(s, path, text, line ? line : 1);
}

const char *hpcc_rate_text(char *buffer, size_t size, double bps)
{
	static const struct weir_option rate = { "rate", WEIR_OPT_RATE_BPS, 0,  NULL,
						 0,      UINT64_MAX,        "", NULL };
	uint64_t value = (uint64_t)(bps + 0.5);

	return weir_option_format(buffer, size, &rate, &value);
}

struct hpcc_plain hpcc_plain(double number)
{
	struct hpcc_plain p;
	size_t length = (size_t)snprintf(p.text, sizeof(p.text), "%.10f", number);

	while (p.text[length - 1] == '0')
		p.text[--length] = '\0';
	if (p.text[length - 1] == '.')
		p.text[length - 1] = '\0';
	return p;
}

int import_hpcc_mistake(const struct import_hpcc *h, enum hpcc_key key, const char *what,
			struct weir_error *e)
{
	const struct hpcc_value *v = hpcc_value_of(h, key);
	struct weir_quoted quoted = weir_quote(v->text); /* removes control characters */

	weir_error_set(e, "%s%s%.*s: %s", hpcc_key_name(key), v->text[0] ? " " : "",
		       (int)strlen(quoted.text) - 2, quoted.text + 1, what);
	return v->line ? weir_error_prefix(e, "%.200s:%d: ", h->config.file, v->line)
		       : weir_error_prefix(e, "%.200s: ", h->config.file);
}

int import_hpcc_check_given(const struct import_hpcc *h, const enum hpcc_key *keys, size_t count,
			    struct weir_error *e)
{
	for (size_t i = 0; i < count; i++) {
		if (hpcc_value_of(h, keys[i])->text[0] == '\0')
			return import_hpcc_mistake(
				h, keys[i], "not given, and the simulator has no default", e);
		if (hpcc_number_of(h, keys[i]) <= 0)
			return import_hpcc_mistake(h, keys[i], "must be above 0", e);
	}
	return 0;
}

/* --- switches --- */

/* The map's value for a rate, the last one if given twice; -1: none. */
static double hpcc_map_find(const struct hpcc_map *map, uint64_t rate_bps)
{
	for (uint32_t i = map->count; i-- > 0;)
		if (map->rate_bps[i] == rate_bps)
			return map->value[i];
	return -1;
}

/* at=dequeue: the simulator marks by the queue that a departing packet leaves behind. It compares
 * with >, Weir's red with >=; the difference is one byte. */
static int import_hpcc_add_marking_of(struct import_hpcc *h, struct scenario *s, uint64_t rate_bps,
				      const char *path, struct weir_error *e)
{
	static const enum hpcc_key keys[] = { HPCC_KMIN_MAP, HPCC_KMAX_MAP, HPCC_PMAX_MAP };
	const struct hpcc_map *maps[] = { &h->config.kmin_kb, &h->config.kmax_kb, &h->config.pmax };
	double value[3];

	for (int i = 0; i < 3; i++) {
		char rate[64], what[128];

		value[i] = hpcc_map_find(maps[i], rate_bps);
		snprintf(what, sizeof(what), "no value for the rate %s of a switch's port",
			 hpcc_rate_text(rate, sizeof(rate), (double)rate_bps));
		if (value[i] < 0)
			return import_hpcc_mistake(h, keys[i], what, e);
	}
	import_hpcc_add(h, s, HPCC_KMIN_MAP, path, "red(min=%sKB, max=%sKB, p=%s, at=dequeue)",
			hpcc_plain(value[0]).text, hpcc_plain(value[1]).text,
			hpcc_plain(value[2]).text);
	return 0;
}

static int is_switch_port(const struct network *net, uint32_t link)
{
	return net->nodes[net->links[link].from].kind == NODE_SWITCH;
}

/* One marking per distinct rate of switch ports, in link order. */
static int import_hpcc_add_marking(struct import_hpcc *h, struct scenario *s,
				   const struct network *net, struct weir_error *e)
{
	uint64_t rates[HPCC_RATES_MAX + 1] = { 0 };
	uint32_t count = 0;

	if (hpcc_number_of(h, HPCC_ENABLE_QCN) == 0) {
		import_hpcc_add(h, s, HPCC_ENABLE_QCN, "switch.marking", "none");
		return 0;
	}
	for (uint32_t i = 0; i < net->link_count; i++) {
		uint32_t known = 0;

		while (known < count && rates[known] != net->links[i].rate_bps)
			known++;
		if (is_switch_port(net, i) && known == count && count <= HPCC_RATES_MAX)
			rates[count++] = net->links[i].rate_bps;
	}
	if (count == 1)
		return import_hpcc_add_marking_of(h, s, rates[0], "switch.marking", e);
	import_hpcc_add(h, s, HPCC_KMIN_MAP, "switch.marking", "none");
	for (uint32_t i = 0; i < count; i++) {
		char path[96], rate[64];

		snprintf(path, sizeof(path), "switch.marking.%s",
			 hpcc_rate_text(rate, sizeof(rate), (double)rates[i]));
		if (import_hpcc_add_marking_of(h, s, rates[i], path, e))
			return -1;
	}
	return 0;
}

/* The simulator's headroom is three propagation delays at line rate; Weir has one size for all
 * links, or computes what each link needs. */
static void import_hpcc_add_headroom(struct import_hpcc *h, struct scenario *s,
				     const struct network *net)
{
	double first = -1;
	int differ = 0;

	for (uint32_t i = 0; i < net->link_count; i++) {
		const struct net_link *l = &net->links[i];
		double bytes = floor((double)l->rate_bps * (double)l->delay_ps /
				     WEIR_BITS_PER_BYTE / (double)WEIR_PS_PER_S) *
			       HEADROOM_DELAYS;

		if (!is_switch_port(net, i))
			continue;
		differ |= first >= 0 && bytes != first;
		first = bytes;
	}
	if (differ)
		import_hpcc_note(h, HPCC_BUFFER_SIZE,
				 "headroom is what PFC needs on each link, not three propagation "
				 "delays at line rate");
	else if (first >= 2 * hpcc_number_of(h, HPCC_PACKET_PAYLOAD_SIZE))
		import_hpcc_add(h, s, HPCC_BUFFER_SIZE, "switch.pfc-headroom", "%.0fB", first);
}

static int import_hpcc_add_buffer(struct import_hpcc *h, struct scenario *s,
				  const struct network *net, struct weir_error *e)
{
	uint64_t host_bps = net->links[net->nodes[net->host_node[0]].first_link].rate_bps;
	int is_faster = 0;

	if (CHECK_GIVEN(h, e, HPCC_BUFFER_SIZE))
		return -1;
	for (uint32_t i = 0; i < net->link_count; i++)
		is_faster |= is_switch_port(net, i) && net->links[i].rate_bps > host_bps;
	import_hpcc_add(h, s, HPCC_BUFFER_SIZE, "switch.buffer", "%.0fMiB",
			floor(hpcc_number_of(h, HPCC_BUFFER_SIZE)));
	import_hpcc_add(h, s, HPCC_BUFFER_SIZE, "switch.buffer-per", "switch");
	import_hpcc_add(h, s, HPCC_BUFFER_SIZE, "switch.lossless", "all");
	import_hpcc_add(h, s, HPCC_BUFFER_SIZE, "switch.pfc-alpha", "1/%d", ALPHA_SHARE);
	import_hpcc_add(h, s, HPCC_BUFFER_SIZE, "switch.pfc-reserved", "4KiB");
	import_hpcc_add(h, s, HPCC_BUFFER_SIZE, "switch.pfc-margin", "3KiB");
	import_hpcc_add_headroom(h, s, net);
	if (is_faster)
		import_hpcc_note(h, HPCC_BUFFER_SIZE,
				 "XOFF is 1/8 of the free buffer; in HPCC's simulator up to all of "
				 "it for links faster than a host's");
	return 0;
}

/* Node with that number in the topology file: host_ids maps hosts; switch 4 is named s4.
 * UINT32_MAX: none. */
static uint32_t hpcc_find_node(const struct network *net, uint64_t number)
{
	char wanted[32], name[32];

	for (uint32_t host = 0; host < net->host_count; host++)
		if (net->host_ids[host] == number)
			return net->host_node[host];
	snprintf(wanted, sizeof(wanted), "s%" PRIu64, number);
	for (uint32_t i = 0; i < net->switch_count; i++)
		if (strcmp(node_name(net, net->switch_node[i], name, sizeof(name)), wanted) == 0)
			return net->switch_node[i];
	return UINT32_MAX;
}

/* Fails every parallel link between the two nodes; the second one is "s2 s7#1". */
static int import_hpcc_add_failure(struct import_hpcc *h, struct scenario *s,
				   const struct network *net, struct weir_error *e)
{
	uint32_t node[2], cut = 0;
	char name[2][32];

	if (h->config.down_us == 0)
		return 0;
	for (int end = 0; end < 2; end++) {
		node[end] = hpcc_find_node(net, h->config.down_node[end]);
		if (node[end] == UINT32_MAX)
			return import_hpcc_mistake(h, HPCC_LINK_DOWN,
						   "the topology has no such node", e);
		node_name(net, node[end], name[end], sizeof(name[end]));
	}
	for (uint32_t i = 0; i < net->link_count; i++) {
		char which[16] = "";

		if (net->links[i].from != node[0] || net->links[i].to != node[1])
			continue;
		if (cut)
			snprintf(which, sizeof(which), "#%" PRIu32, cut);
		import_hpcc_add(h, s, HPCC_LINK_DOWN, "network.fail", "%s %s%s %" PRIu64 "us",
				name[0], name[1], which, BEGIN_US + h->config.down_us);
		cut++;
	}
	return cut ? 0 : import_hpcc_mistake(h, HPCC_LINK_DOWN, "the topology has no such link", e);
}

/* The simulator keeps one link between two nodes, the last of the file. */
static void import_hpcc_note_paths(struct import_hpcc *h, const struct network *net)
{
	if (net->switch_count > 1)
		import_hpcc_note(h, HPCC_TOPOLOGY_FILE,
				 "ECMP uses another hash: flows may take other shortest paths");
	for (uint32_t i = 1; i < net->link_count; i++)
		for (uint32_t k = net->nodes[net->links[i].from].first_link; k < i; k++)
			if (net->links[k].to == net->links[i].to) {
				import_hpcc_note(h, HPCC_TOPOLOGY_FILE,
						 "all links between two nodes are used; in HPCC's "
						 "simulator the last one only");
				return;
			}
}

static int import_hpcc_add_network_settings(struct import_hpcc *h, struct scenario *s,
					    struct weir_error *e)
{
	struct network net;
	struct config c;
	int failed;

	if (scenario_config(s, &c, e))
		return -1;
	failed = network_build(&net, &c.network, e);
	config_free(&c);
	if (failed) /* "network.file: topology.txt:3: ..." */
		return weir_error_set(e, "%s", strstr(e->text, ": ") + 2);
	failed = import_hpcc_add_marking(h, s, &net, e) || import_hpcc_add_buffer(h, s, &net, e) ||
		 import_hpcc_add_failure(h, s, &net, e);
	if (!failed)
		import_hpcc_note_paths(h, &net);
	network_free(&net);
	return failed;
}

int import_hpcc_settings(struct import_hpcc *h, struct scenario *s, struct weir_error *e)
{
	if (import_hpcc_control(h, s, e) || import_hpcc_transport(h, s, e) ||
	    import_hpcc_add_network_settings(h, s, e))
		return -1;
	import_hpcc_add(h, s, HPCC_FCT_OUTPUT_FILE, "measure.completion", "sender");
	import_hpcc_note_fixed_values(h);
	import_hpcc_note_inherent_differences(h);
	if (import_hpcc_note_priorities(h, e))
		return -1;
	import_hpcc_note_outputs(h);
	return 0;
}

/* --- reading --- */

static int hpcc_file_exists(const char *path)
{
	FILE *f = fopen(path, "r");

	if (f)
		fclose(f);
	return f != NULL;
}

/* Looks for the file as named, beside the configuration, and in the parent of its folder. */
static int import_hpcc_find_file(const struct import_hpcc *h, enum hpcc_key key, char *path,
				 size_t size, struct weir_error *e)
{
	const char *named = hpcc_value_of(h, key)->text, *slash = strrchr(h->config.file, '/');
	static const char *const beside[] = { "", "../" };

	if (named[0] == '\0')
		return import_hpcc_mistake(h, key, "not given", e);
	snprintf(path, size, "%s", named);
	for (int i = 0; i < 2 && !hpcc_file_exists(path) && named[0] != '/'; i++)
		snprintf(path, size, "%.*s%s%s", slash ? (int)(slash + 1 - h->config.file) : 0,
			 h->config.file, beside[i], named);
	if (!hpcc_file_exists(path))
		return import_hpcc_mistake(
			h, key, "no such file here, beside the configuration or beside its folder",
			e);
	return 0;
}

int import_hpcc_read(struct import_hpcc *h, const char *file, struct weir_error *e)
{
	*h = (struct import_hpcc){ .stop_ps = 0 };
	if (hpcc_config_read(&h->config, file, e))
		return -1;
	h->stop_ps = (int64_t)(hpcc_number_of(h, HPCC_SIMULATOR_STOP_TIME) * (double)WEIR_PS_PER_S);
	return import_hpcc_find_file(h, HPCC_TOPOLOGY_FILE, h->topology, sizeof(h->topology), e) ||
	       import_hpcc_find_file(h, HPCC_FLOW_FILE, h->flows, sizeof(h->flows), e);
}

void import_hpcc_free(struct import_hpcc *h)
{
	line_list_free(&h->notes);
}
