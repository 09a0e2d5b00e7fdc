/* SPDX-License-Identifier: BSD-3-Clause */
/* import.c -- weir import: files of other simulators, and captures, become a scenario. */
#include "cli/commands.h"
#include "lab/scenario/import.h"
#include "base/output.h"
#include <inttypes.h>
#include <string.h>

static const struct cli_option import_arguments[] = {
	{ "-o", "FILE", "where the scenario goes; standard output unless given", OFFER_FILE },
	{ "--topology", "NAME",
	  "the network of a connection matrix or a capture; "
	  "a capture's is a star unless given",
	  OFFER_TOPOLOGY },
	{ "--set", "SECTION.KEY=VALUE", "adds a setting; may be given several times",
	  OFFER_SETTING },
	{ .name = NULL },
};

static int import_has_suffix(const char *path, const char *end)
{
	const char *dot = strrchr(path, '.');

	return dot && strcmp(dot, end) == 0;
}

/* By what is in it; a file that is called so is meant to be one. */
static int import_is_capture(const char *path)
{
	return import_has_suffix(path, ".pcapng") || import_has_suffix(path, ".pcap") ||
	       capture_is(path);
}

static int import_check_words(const struct arguments *a, const char *kind, struct weir_error *e)
{
	if (!arguments_word(a, 1))
		return 0;
	return weir_error_set(e,
			      "import: %s is %s, and a topology comes first; usage: "
			      "weir import TOPOLOGY FLOWS -o FILE",
			      weir_quote(arguments_word(a, 0)).text, kind);
}

/* One word is a topology, a connection matrix, a capture or a configuration, two are a topology and
 * flows. */
static int import_read_files(const struct arguments *a, struct import_files *files,
			     struct weir_error *e)
{
	const char *first = arguments_word(a, 0), *second = arguments_word(a, 1);
	const char *topology = arguments_option(a, "--topology");

	*files = (struct import_files){ .topology = first, .flows = second };
	if (import_has_suffix(first, ".cm")) {
		*files = (struct import_files){ .flows = first };
		if (import_check_words(a, "a connection matrix", e))
			return -1;
		if (!topology)
			return weir_error_set(
				e, "import: a connection matrix says nothing of the network; "
				   "add --topology leaf-spine, say, and its keys by --set");
	} else if (import_is_capture(first)) {
		*files = (struct import_files){ .flows = first };
		return import_check_words(a, "a capture", e);
	} else if (hpcc_config_is(first) && second) {
		return weir_error_set(e,
				      "import: %s is a configuration, which names its topology "
				      "and its flows itself; usage: weir import CONFIG -o FILE",
				      weir_quote(first).text);
	} else if (topology) {
		return weir_error_set(e, "--topology: %s is the topology", weir_quote(first).text);
	}
	return 0;
}

/* Where the files are named by a configuration. */
static int import_read_config(struct import_files *files, struct import_hpcc *hpcc,
			      struct weir_error *e)
{
	*hpcc = (struct import_hpcc){ .stop_ps = 0 };
	if (!files->topology || !hpcc_config_is(files->topology))
		return 0;
	if (import_hpcc_read(hpcc, files->topology, e))
		return -1;
	*files = (struct import_files){ .topology = hpcc->topology,
					.flows = hpcc->flows,
					.hpcc = hpcc };
	return 0;
}

/* What is not the same here, to whoever asked; it also stands in the scenario. */
static void import_print_notes(const struct import_hpcc *hpcc)
{
	for (uint32_t i = 0; i < hpcc->notes.count; i++) {
		const struct config_line *note = &hpcc->notes.lines[i];

		fprintf(stderr, "weir: %s", hpcc->config.file);
		if (note->line)
			fprintf(stderr, ":%d", note->line);
		fprintf(stderr, ": differs: %s\n", note->text);
	}
}

/* Where the flows are in a capture. Without a network they get a star. */
static int import_read_capture(const struct arguments *a, struct import_files *files,
			       struct capture_flows *capture, struct weir_error *e)
{
	*capture = (struct capture_flows){ 0 };
	if (!files->flows || import_has_suffix(files->flows, ".cm") ||
	    !import_is_capture(files->flows))
		return 0;
	if (capture_flows_read(capture, files->flows, e))
		return -1;
	if (capture->flow_count == 0)
		return weir_error_set(e, "%.300s: no payload of TCP or UDP in %" PRIu64 " packets",
				      files->flows, capture->packets);
	files->capture = capture;
	if (!files->topology && !arguments_option(a, "--topology"))
		files->star_hosts = capture->host_count;
	return 0;
}

static int import_apply_settings(const struct arguments *a, struct scenario *s,
				 struct weir_error *e)
{
	const char *topology = arguments_option(a, "--topology"), *setting;
	char assignment[WEIR_OPT_TEXT_SIZE + 32];

	if (topology) {
		snprintf(assignment, sizeof(assignment), "network.topology=%.*s",
			 WEIR_OPT_TEXT_SIZE - 1, topology);
		if (scenario_set(s, assignment, e))
			return -1;
	}
	for (size_t at = 0; (setting = arguments_next(a, "--set", &at));)
		if (scenario_set(s, setting, e))
			return -1;
	return 0;
}

static int import_write_file(const char *path, const struct scenario *s,
			     const struct import_files *files)
{
	struct output o;
	struct weir_error e;

	if (!path || strcmp(path, "-") == 0)
		return import_write(stdout, s, files, &e) ? cli_error(EXIT_MISTAKE, &e) : EXIT_FINE;
	if (output_probe(path, &e) || output_open(&o, path, &e))
		return cli_error(EXIT_MISTAKE, &e);
	if (import_write(o.stream, s, files, &e)) {
		output_abandon(&o);
		return cli_error(EXIT_MISTAKE, &e);
	}
	if (output_finish(&o, &e) || output_publish(&o, &e))
		return cli_error(EXIT_WORLD, &e);
	return EXIT_FINE;
}

static int import_main(const struct arguments *a)
{
	struct capture_flows capture;
	struct import_files files;
	struct import_hpcc hpcc;
	struct scenario s;
	struct weir_error e;
	int status;

	if (import_read_files(a, &files, &e) || import_read_config(&files, &hpcc, &e))
		return cli_error(EXIT_MISTAKE, &e);
	if (import_read_capture(a, &files, &capture, &e) || import_scenario(&s, &files, &e)) {
		capture_flows_free(&capture);
		return cli_error(EXIT_MISTAKE, &e);
	}
	if ((files.hpcc && import_hpcc_settings(&hpcc, &s, &e)) || import_apply_settings(a, &s, &e))
		status = cli_error(EXIT_MISTAKE, &e);
	else
		status = import_write_file(arguments_option(a, "-o"), &s, &files);
	if (status == EXIT_FINE)
		import_print_notes(&hpcc);
	import_hpcc_free(&hpcc);
	scenario_free(&s);
	capture_flows_free(&capture);
	return status;
}

const struct command command_import = {
	.name = "import",
	.usage = "FILE [FLOWS]",
	.help = "turns a capture, or files of HPCC's simulator or of htsim, into a scenario",
	.options = import_arguments,
	.words_min = 1,
	.words_max = 2,
	.run = import_main,
	.offer = OFFER_FILE,
};
