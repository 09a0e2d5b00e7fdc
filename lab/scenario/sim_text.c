/* sim_text.c -- a simulation of weir/sim.h from the text of a scenario file. */
#include "lab/scenario/scenario.h"
#include "sim/run/sim.h"
#include <string.h>

static const char text_name[] = "scenario";

int weir_sim_new(struct weir_sim **sim, const char *text, const struct weir_sim_plan *plan,
		 struct weir_error *e)
{
	struct scenario s;
	struct config c;
	int failed;

	if (scenario_read_text(&s, text_name, text, strlen(text), e))
		return -1;
	failed = scenario_config(&s, &c, e);
	if (!failed) {
		failed = sim_new(sim, &c, plan, e);
		if (failed)
			scenario_locate(&s, e);
	}
	scenario_free(&s);
	return failed;
}
