/* SPDX-License-Identifier: BSD-3-Clause */
/* tune.c -- see tune.h. */
#include "config/tune.h"
#include "config/plugin.h"
#include "weir/units.h"
#include <string.h>

enum { NAMES_MAX = 64 };

static const struct weir_scheme none = {
	.name = "none",
	.help = "nobody turns the knobs of the marking scheme",
};

/* --- reading --- */

static int unknown(const char *name, struct weir_error *e)
{
	const struct registry *const from[] = { &weir_agent_registry, &weir_tune_registry };
	const char *names[NAMES_MAX] = { none.name };
	size_t count = 1;

	for (size_t r = 0; r < sizeof(from) / sizeof(from[0]); r++)
		for (size_t i = 0; from[r]->all[i] && count < NAMES_MAX; i++)
			names[count++] = weir_registry_at(from[r], i)->name;
	return weir_error_unknown(e, "agent or tuner", name, names, count);
}

/* Is the spec's a tuner? An object may hold both kinds: then the agent is meant. */
static int names_tuner(const char *spec, const char *name, struct weir_error *e)
{
	const struct weir_plugin *p;

	if (!is_plugin(spec))
		return weir_tune_find(name) != NULL;
	p = plugin_load(name, e);
	return p && p->tune && !p->agent;
}

int tune_parse(const char *spec, struct tune_choice *choice, void *params, struct weir_error *e)
{
	char name[WEIR_OPT_TEXT_SIZE];

	*choice = (struct tune_choice){ 0 };
	if (weir_spec_name(spec, name, sizeof(name), e))
		return -1;
	if (strcmp(name, none.name) == 0) {
		choice->scheme = &none;
		return weir_scheme_parse(&none, spec, params, e);
	}
	if (!is_plugin(spec) && !weir_tune_find(name) && !weir_agent_find(name))
		return plugin_has_path(spec, e) ? -1 : unknown(name, e);
	if (names_tuner(spec, name, e)) {
		choice->tuner = any_parse(&weir_tune_registry, PLUGIN_TUNE, spec, params, e);
		choice->scheme = choice->tuner ? &choice->tuner->scheme : NULL;
	} else {
		choice->agent = any_parse(&weir_agent_registry, PLUGIN_AGENT, spec, params, e);
		choice->scheme = choice->agent ? &choice->agent->scheme : NULL;
	}
	return choice->scheme ? 0 : -1;
}

/* --- what goes with it --- */

static int check_marking(const struct config *c, const struct weir_scheme *tune,
			 struct weir_error *e)
{
	const struct weir_mark_ops *mark = c->mark;

	if (!mark->knobs)
		return weir_error_set(
			e,
			"switch.tune: %s, but marking = %s has no knobs to turn; red and pred do",
			tune->name, mark->scheme.name);
	if (is_plugin(c->switches.marking))
		return weir_error_set(
			e, "switch.tune: %s, but the marking scheme of a plug-in is not turned",
			tune->name);
	if (mark->knobs->fits && mark->knobs->fits(c->mark_params, e))
		return weir_error_prefix(e, "switch.tune: %s, but of the knobs of %s: ", tune->name,
					 mark->scheme.name);
	return 0;
}

static int check_times(const struct config *c, struct weir_error *e)
{
	const struct switch_config *s = &c->switches;
	char interval[WEIR_OPT_TEXT_SIZE];
	uint64_t delay_ps = (uint64_t)(s->tune_read_delay.last_ps + s->tune_write_delay.last_ps);

	weir_option_format(interval, sizeof(interval),
			   weir_option_find(switch_options, "tune-interval"), s);
	if (s->tune_interval_ns && s->tune_interval_ns < TUNE_SHORTEST_NS)
		return weir_error_set(e, "switch.tune-interval: %s is shorter than 1us", interval);
	if (delay_ps > s->tune_interval_ns * (uint64_t)WEIR_PS_PER_NS)
		return weir_error_set(e,
				      "switch.tune-interval: %s, but tune-read-delay and "
				      "tune-write-delay together "
				      "may be longer; write it as in tune-interval = 400ms",
				      s->tune_interval_ns ? interval : "not given");
	return 0;
}

int tune_check(struct config *c, struct weir_error *e)
{
	struct tune_choice choice;

	if (tune_parse(c->switches.tune, &choice, c->tune_params, e))
		return weir_error_prefix(e, "switch.tune: ");
	c->agent = choice.agent;
	c->tuner = choice.tuner;
	if (!tune_is_on(c))
		return 0;
	return check_marking(c, choice.scheme, e) || check_times(c, e) ? -1 : 0;
}
