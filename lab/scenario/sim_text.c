/* sim_text.c -- a simulation of weir/sim.h from the text of a scenario file. */
#include "lab/scenario/scenario.h"
#include "sim/run/sim.h"
#include <string.h>

static const char text_name[] = "scenario";

/* A sweep is many simulations, and which one is meant nobody has said. */
static int check_single(const struct scenario *s, struct weir_error *e)
{
	const struct setting *at;

	for (uint32_t i = 0; (at = scenario_next(s, &i)) != NULL;)
		if (path_of_list(at->path)) {
			weir_error_set(e, "a list of values; a simulation has one of each");
			return setting_prefix(s, at, e);
		}
	return 0;
}

int weir_sim_new(struct weir_sim **sim, const char *text, const struct weir_sim_plan *plan,
		 struct weir_error *e)
{
	struct scenario s;
	struct config c;
	int failed;

	if (scenario_read_text(&s, text_name, text, strlen(text), e))
		return -1;
	failed = check_single(&s, e) || scenario_config(&s, &c, e) ? -1 : 0;
	if (!failed) {
		failed = sim_new(sim, &c, plan, e);
		if (failed)
			scenario_locate(&s, e);
	}
	scenario_free(&s);
	return failed;
}
