/* SPDX-License-Identifier: BSD-3-Clause */
/* import.c -- writes scenarios from files of other simulators and from captures. */
#include "lab/scenario/import.h"
#include "lab/scenario/sections.h"
#include "sim/net/topology.h"
#include "sim/net/network.h"
#include "sim/traffic/traffic.h"
#include <inttypes.h>
#include <string.h>

#define MATRIX_END ".cm"
#define FLOWS_PATH "traffic." IMPORT_TRAFFIC

static int import_is_matrix(const char *file)
{
	size_t length = strlen(file), end = strlen(MATRIX_END);

	return length > end && strcmp(file + length - end, MATRIX_END) == 0;
}

/* --- the scenario that names the files --- */

static int import_add_setting(struct scenario *s, const char *path, const char *value,
			      struct weir_error *e)
{
	if (strlen(value) >= WEIR_OPT_TEXT_SIZE)
		return weir_error_set(e, "%s is too long for the name of a file",
				      weir_quote(value).text);
	scenario_add(s, path, value, 0);
	return 0;
}

static int import_add_files(struct scenario *s, const struct import_files *files,
			    struct weir_error *e)
{
	if (files->topology && (import_add_setting(s, "network.topology", "hpcc", e) ||
				import_add_setting(s, "network.file", files->topology, e)))
		return -1;
	if (files->star_hosts) {
		char hosts[16];

		snprintf(hosts, sizeof(hosts), "%u", files->star_hosts);
		if (import_add_setting(s, "network.topology", "star", e) ||
		    import_add_setting(s, "network.hosts", hosts, e))
			return -1;
	}
	if (files->capture)
		return import_add_setting(s, FLOWS_PATH ".pattern", "list", e);
	if (!files->flows)
		return import_add_setting(s, FLOWS_PATH ".pattern", "permutation", e) ||
		       import_add_setting(s, FLOWS_PATH ".size", "1MB", e);
	if (import_add_setting(s, FLOWS_PATH ".pattern",
			       import_is_matrix(files->flows) ? "htsim" : "hpcc-flows", e) ||
	    import_add_setting(s, FLOWS_PATH ".file", files->flows, e))
		return -1;
	return 0;
}

int import_scenario(struct scenario *s, const struct import_files *files, struct weir_error *e)
{
	static const char text[] = "[network]\n[traffic " IMPORT_TRAFFIC "]\n";
	const char *name = files->hpcc ? files->hpcc->config.file : "import";

	if (scenario_read_text(s, name, text, strlen(text), e))
		return -1;
	if (import_add_files(s, files, e) == 0)
		return 0;
	scenario_free(s);
	return -1;
}

/* --- writing it without them --- */

static int import_is_path(const struct setting *at, const char *owner, const char *key)
{
	size_t length = strlen(owner);

	return strncmp(at->path, owner, length) == 0 && at->path[length] == '.' &&
	       strcmp(at->path + length + 1, key) == 0;
}

/* Writes the settings of a section except the chooser of its kind and the kind's file. */
static void import_write_settings(FILE *f, const struct scenario *s, const char *owner,
				  const char *chooser)
{
	size_t length = strlen(owner);

	for (uint32_t i = 0; i < s->setting_count; i++) {
		const struct setting *at = &s->settings[i];
		const char *value = at->value;

		if (strncmp(at->path, owner, length) != 0 || at->path[length] != '.' ||
		    (chooser &&
		     (import_is_path(at, owner, chooser) || import_is_path(at, owner, "file"))) ||
		    /* pattern hpcc-flows has this key, the written pattern, list, has not */
		    import_is_path(at, FLOWS_PATH, "prio"))
			continue;
		/* A value may hold several lines of a repeated key, separated by ";". */
		do {
			size_t part;

			value = line_part(value, &part);
			fprintf(f, "%s = %.*s\n", at->path + length + 1, (int)part, value);
			value += strcspn(value, ";");
		} while (*value++ == ';');
	}
}

static int import_write_network(FILE *f, const struct scenario *s, const struct config *c,
				struct weir_error *e)
{
	struct hpcc_topology t;

	fputs("[network]\n", f);
	if (strcmp(c->network.topology, "hpcc") != 0) {
		fprintf(f, "topology = %s\n", c->network.topology);
		import_write_settings(f, s, "network", "topology");
		return 0;
	}
	if (hpcc_read(&t, scenario_find(s, "network.file")->value, e))
		return -1;
	fputs("topology = explicit\n", f);
	import_write_settings(f, s, "network", "topology");
	for (uint32_t i = 0; i < t.links.count; i++)
		fprintf(f, "link = %s\n", t.links.lines[i].text);
	hpcc_free(&t);
	return 0;
}

static const char *import_format_exact_ps(char *buffer, size_t size, int64_t ps)
{
	static const struct weir_option time = { "time", WEIR_OPT_TIME_PS, 0,  NULL,
						 0,      UINT64_MAX,       "", NULL };
	uint64_t value = (uint64_t)ps;

	return weir_option_format(buffer, size, &time, &value);
}

static int import_has_settings(const struct scenario *s, const char *owner)
{
	size_t length = strlen(owner);

	for (uint32_t i = 0; i < s->setting_count; i++)
		if (strncmp(s->settings[i].path, owner, length) == 0 &&
		    s->settings[i].path[length] == '.')
			return 1;
	return 0;
}

/* The only flow that this flow waits for; NULL: it waits for all or for any of several. */
static const struct gate_tie *import_find_trigger(const struct gate_list *l, uint32_t flow)
{
	const struct gate_tie *found = NULL;
	uint32_t wait = 0;

	while (l->waits[wait].flow != flow)
		wait++;
	for (uint32_t i = 0; i < l->signal_count; i++) {
		if (l->signals[i].gate != l->waits[wait].gate)
			continue;
		if (found)
			return NULL;
		found = &l->signals[i];
	}
	return l->gates[l->waits[wait].gate].needed == 1 ? found : NULL;
}

/* Refuses flows whose start the pattern list cannot express. */
static int import_check_starts(const struct flow_list *flows, struct weir_error *e)
{
	for (uint32_t i = 0; i < flows->count; i++)
		if (flows->flows[i].flags & FLOW_WAITS && !import_find_trigger(&flows->gates, i))
			return weir_error_set(
				e, "a trigger that several flows set off cannot be written as a "
				   "list; run the matrix as it is, with pattern = htsim");
	return 0;
}

static const char *import_start_text(char *buffer, size_t size, const struct flow_list *flows,
				     uint32_t flow, int64_t base_ps)
{
	const struct gate_tie *tie;

	if (!(flows->flows[flow].flags & FLOW_WAITS))
		return import_format_exact_ps(buffer, size, flows->flows[flow].start_ps - base_ps);
	tie = import_find_trigger(&flows->gates, flow);
	snprintf(buffer, size, "%s:%u", tie->kind == FLOW_SIGNALS_SENT ? "sent" : "received",
		 tie->flow);
	return buffer;
}

/* Start times are relative to the section's own start, which is one of its settings. */
static void import_write_flows(FILE *f, const struct scenario *s, const struct config *c,
			       const struct import_files *files, const struct flow_list *flows)
{
	static const struct weir_option size = { "size", WEIR_OPT_SIZE, 0,  NULL,
						 0,      UINT64_MAX,    "", NULL };
	int64_t base_ps = c->traffic[0].start.first_ps;

	int is_listed = files->capture || scenario_find(s, FLOWS_PATH ".file");

	fprintf(f, "\n[traffic " IMPORT_TRAFFIC "]\npattern = %s\n",
		is_listed ? "list" : c->traffic[0].pattern);
	import_write_settings(f, s, FLOWS_PATH, "pattern");
	if (!is_listed)
		return;
	for (uint32_t i = 0; i < flows->count; i++) {
		const struct flow *flow = &flows->flows[i];
		char bytes[64], start[64];

		weir_option_format(bytes, sizeof(bytes), &size, &flow->size_bytes);
		fprintf(f, "flow = %u %u %s %s\n", flow->src, flow->dst, bytes,
			import_start_text(start, sizeof(start), flows, i, base_ps));
	}
}

/* The run ends when all flows have completed, or at the simulator's stop time: written as drain
 * time after the last flow start, or as end of the measured interval if it is earlier than that
 * start. */
static void import_write_end(FILE *f, const struct scenario *s, const struct flow_list *flows,
			     int64_t stop_ps)
{
	int64_t last_ps = flows->flows[flows->count - 1].start_ps;
	char text[64];

	if (scenario_find(s, "measure.to") || scenario_find(s, "measure.drain"))
		return;
	if (stop_ps > last_ps) {
		fprintf(f, "drain = %s\n",
			import_format_exact_ps(text, sizeof(text), stop_ps - last_ps));
		return;
	}
	fprintf(f, "to = %s\n", import_format_exact_ps(text, sizeof(text), stop_ps));
	fputs("drain = 0us\n", f);
}

/* Flows of the HPCC family start at 2 s, so the measured interval starts with the first flow. */
static void import_write_measure(FILE *f, const struct scenario *s,
				 const struct import_files *files, const struct flow_list *flows)
{
	char start[64];

	int is_late = !scenario_find(s, "measure.from") && flows->flows[0].start_ps > 0;

	if (is_late || files->hpcc || import_has_settings(s, "measure"))
		fputs("\n[measure]\n", f);
	if (is_late)
		fprintf(f, "from = %s\n",
			import_format_exact_ps(start, sizeof(start), flows->flows[0].start_ps));
	if (files->hpcc)
		import_write_end(f, s, flows, files->hpcc->stop_ps);
	import_write_settings(f, s, "measure", NULL);
}

static void import_write_others(FILE *f, const struct scenario *s)
{
	static const char *const others[] = { "switch", "host", "rdma" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (import_has_settings(s, others[i]))
			fprintf(f, "\n[%s]\n", others[i]);
		import_write_settings(f, s, others[i], NULL);
	}
}

/* Writes as comments which flows and packets of the capture were imported, and the hosts'
 * addresses. */
static void import_write_capture(FILE *f, const struct capture_flows *c)
{
	char text[WIRE_ADDRESS_TEXT];

	fprintf(f, "# %u flows of %" PRIu64 " packets", c->flow_count, c->packets);
	if (c->empty_flows)
		fprintf(f, "; left out: %u without payload", c->empty_flows);
	if (c->own_flows)
		fprintf(f, "; left out: %u from an address to itself", c->own_flows);
	if (c->other_packets)
		fprintf(f, "; %" PRIu64 " packets are neither TCP nor UDP", c->other_packets);
	fputc('\n', f);
	for (uint32_t i = 0; i < c->host_count; i++)
		fprintf(f, "# h%u %s\n", i, wire_address_text(&c->hosts[i], text));
}

static void import_write_title(FILE *f, const struct import_files *files)
{
	fputs("# Imported from ", f);
	if (files->hpcc)
		fprintf(f, "%s, ", files->hpcc->config.file);
	fprintf(f, "%s%s%s\n", files->topology ? files->topology : "",
		files->topology && files->flows ? " and " : "", files->flows ? files->flows : "");
	if (files->capture)
		import_write_capture(f, files->capture);
	for (uint32_t i = 0; files->hpcc && i < files->hpcc->notes.count; i++) {
		const struct config_line *note = &files->hpcc->notes.lines[i];

		fprintf(f, "# differs: %s\n", note->text);
	}
}

/* Adds the flows of a capture to the config as lines of pattern list. */
static void import_add_captured(struct config *c, const struct capture_flows *capture)
{
	char line[96];

	for (uint32_t i = 0; capture && i < capture->flow_count; i++) {
		const struct captured_flow *flow = &capture->flows[i];

		snprintf(line, sizeof(line), "%u %u %" PRIu64 "B %" PRId64 "ns", flow->src,
			 flow->dst, flow->bytes, flow->start_ns);
		line_list_add(&c->traffic[0].flow_lines, line, 0);
	}
}

/* Refuses a configuration that stops before its first flow starts: nothing would be measured. */
static int import_check_stop(const struct scenario *s, const struct import_files *files,
			     const struct flow_list *flows, struct weir_error *e)
{
	char stop[64], start[64];

	if (!files->hpcc || scenario_find(s, "measure.to") ||
	    files->hpcc->stop_ps > flows->flows[0].start_ps)
		return 0;
	return weir_error_set(
		e, "SIMULATOR_STOP_TIME: %s; the first flow of %s starts later, at %s",
		import_format_exact_ps(stop, sizeof(stop), files->hpcc->stop_ps), files->flows,
		import_format_exact_ps(start, sizeof(start), flows->flows[0].start_ps));
}

/* Reads everything before it writes the first byte, so that an error leaves no partial output. */
static int import_write_all(FILE *f, const struct scenario *s, const struct config *c,
			    const struct import_files *files, struct weir_error *e)
{
	const struct setting *seed = scenario_find(s, "seed");
	struct flow_list flows = { 0 };
	struct network net;
	int failed;

	if (network_build(&net, &c->network, e))
		return -1;
	failed = traffic_generate(&flows, c, &net, e) || import_check_starts(&flows, e) ||
		 import_check_stop(s, files, &flows, e);
	if (!failed)
		import_write_title(f, files);
	if (!failed && seed)
		fprintf(f, "seed = %s\n", seed->value);
	if (!failed)
		failed = import_write_network(f, s, c, e);
	if (!failed) {
		import_write_others(f, s);
		import_write_flows(f, s, c, files, &flows);
		import_write_measure(f, s, files, &flows);
	}
	flow_list_free(&flows);
	network_free(&net);
	return failed;
}

/* Errors in an imported file name that file alone, "topo.txt:3: ...", not the setting that names
 * it. */
static int import_locate(const struct scenario *s, struct weir_error *e)
{
	static const char *const keys[] = { "network.file: ", FLOWS_PATH ".file: " };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strncmp(e->text, keys[i], strlen(keys[i])) == 0)
			return weir_error_set(e, "%s", e->text + strlen(keys[i]));
	return scenario_locate(s, e);
}

int import_write(FILE *f, const struct scenario *s, const struct import_files *files,
		 struct weir_error *e)
{
	struct config c;
	int failed;

	if (scenario_config(s, &c, e))
		return -1;
	import_add_captured(&c, files->capture);
	failed = import_write_all(f, s, &c, files, e);
	if (failed)
		import_locate(s, e);
	config_free(&c);
	return failed;
}
