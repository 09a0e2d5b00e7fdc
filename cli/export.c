/* export.c -- weir export: a result folder for other programs. */
#include "cli/commands.h"
#include "cli/folder.h"
#include "lab/export.h"
#include "lab/output.h"
#include <string.h>

static int write_json(const char *path, struct store *s, const struct stored_runs *runs,
		      struct error *e)
{
	struct output o;

	if (strcmp(path, "-") == 0)
		return export_json(stdout, s, runs, e);
	if (output_open(&o, path, e))
		return -1;
	if (export_json(o.stream, s, runs, e)) {
		output_abandon(&o);
		return -1;
	}
	return output_finish(&o, e) ? -1 : output_publish(&o, e);
}

int command_export(const struct arguments *a)
{
	const char *csv = arguments_option(a, "--csv"), *json = arguments_option(a, "--json");
	char folder[FOLDER_SIZE];
	struct stored_runs runs;
	struct store *store;
	struct error e;
	int failed;

	if (!csv && !json) {
		error_set(&e, "export: where to? Write --csv DIR, --json FILE or both");
		return complain(EXIT_MISTAKE, &e);
	}
	if (find_folder(a, folder, &e))
		return complain(EXIT_MISTAKE, &e);
	if (store_open(&store, folder, STORE_READ, &e))
		return complain(EXIT_WORLD, &e);
	failed = store_runs(store, &runs, &e);
	if (!failed) {
		failed = (csv && export_csv(csv, store, &runs, &e)) ||
			 (json && write_json(json, store, &runs, &e));
		stored_runs_free(&runs);
	}
	store_close(store);
	return failed ? complain(EXIT_WORLD, &e) : EXIT_FINE;
}
