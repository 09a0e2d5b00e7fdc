/* import.c -- weir import: files of other simulators become a scenario. */
#include "cli/commands.h"
#include "lab/import.h"
#include "lab/output.h"
#include <string.h>

/* One word is a topology or a connection matrix, two are a topology and flows. */
static int read_files(const struct arguments *a, struct import_files *files, struct error *e)
{
	const char *first = arguments_word(a, 0), *second = arguments_word(a, 1);
	const char *end = strrchr(first, '.');
	int is_matrix = end && strcmp(end, ".cm") == 0;

	*files = (struct import_files){ first, second };
	if (is_matrix && second)
		return error_set(
			e,
			"import: %s is a connection matrix, and a topology comes first; usage: "
			"weir import TOPOLOGY FLOWS -o FILE",
			quote(first).text);
	if (is_matrix)
		*files = (struct import_files){ NULL, first };
	if (is_matrix && !arguments_option(a, "--topology"))
		return error_set(e, "import: a connection matrix says nothing of the network; add "
				    "--topology leaf-spine, say, and its keys by --set");
	if (!is_matrix && arguments_option(a, "--topology"))
		return error_set(e, "--topology: %s is the topology", quote(first).text);
	return 0;
}

static int apply_settings(const struct arguments *a, struct scenario *s, struct error *e)
{
	const char *topology = arguments_option(a, "--topology");
	char assignment[OPT_TEXT_SIZE + 32];

	if (topology) {
		snprintf(assignment, sizeof(assignment), "network.topology=%.*s", OPT_TEXT_SIZE - 1,
			 topology);
		if (scenario_set(s, assignment, e))
			return -1;
	}
	for (size_t i = 0; i < a->count; i++)
		if (a->all[i].option && strcmp(a->all[i].option->name, "--set") == 0 &&
		    scenario_set(s, a->all[i].value, e))
			return -1;
	return 0;
}

static int write_file(const char *path, const struct scenario *s, const struct import_files *files)
{
	struct output o;
	struct error e;

	if (!path || strcmp(path, "-") == 0)
		return import_write(stdout, s, files, &e) ? complain(EXIT_MISTAKE, &e) : EXIT_FINE;
	if (output_probe(path, &e) || output_open(&o, path, &e))
		return complain(EXIT_MISTAKE, &e);
	if (import_write(o.stream, s, files, &e)) {
		output_abandon(&o);
		return complain(EXIT_MISTAKE, &e);
	}
	if (output_finish(&o, &e) || output_publish(&o, &e))
		return complain(EXIT_WORLD, &e);
	return EXIT_FINE;
}

int command_import(const struct arguments *a)
{
	struct import_files files;
	struct scenario s;
	struct error e;
	int status;

	if (read_files(a, &files, &e) || import_scenario(&s, &files, &e))
		return complain(EXIT_MISTAKE, &e);
	if (apply_settings(a, &s, &e))
		status = complain(EXIT_MISTAKE, &e);
	else
		status = write_file(arguments_option(a, "-o"), &s, &files);
	scenario_free(&s);
	return status;
}
