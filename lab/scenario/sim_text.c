/* SPDX-License-Identifier: BSD-3-Clause */
/* sim_text.c -- makes simulations (weir/sim.h) and environments (weir/env.h) from the text of a
 * scenario file. */
#include "lab/scenario/scenario.h"
#include "base/memory.h"
#include "sim/run/env.h"
#include "sim/run/sim.h"
#include <string.h>

static const char text_name[] = "scenario";

/* Refuses lists: a sweep stands for several simulations. */
static int sim_text_check_single(const struct scenario *s, struct weir_error *e)
{
	const struct setting *at;

	for (uint32_t i = 0; (at = scenario_next(s, &i)) != NULL;)
		if (path_of_list(at->path)) {
			weir_error_set(e, "a list of values; a simulation has one of each");
			return setting_prefix(s, at, e);
		}
	return 0;
}

/* Builds an object from a config, which it takes ownership of. */
struct builder {
	int (*make)(void *out, struct config *c, const void *plan, struct weir_error *e);
	void *out;
	const void *plan;
	const char *const *settings; /* ends with NULL; NULL: none */
};

static int sim_text_apply_settings(struct scenario *s, const char *const *settings,
				   struct weir_error *e)
{
	for (; settings && *settings; settings++)
		if (scenario_set(s, *settings, e))
			return -1;
	return 0;
}

static int sim_text_make_from_text(const struct builder *b, const char *text, struct weir_error *e)
{
	struct scenario s;
	struct config c;
	int failed;

	if (scenario_read_text(&s, text_name, text, strlen(text), e))
		return -1;
	failed = sim_text_apply_settings(&s, b->settings, e) || sim_text_check_single(&s, e) ||
				 scenario_config(&s, &c, e)
			 ? -1
			 : 0;
	if (!failed) {
		failed = b->make(b->out, &c, b->plan, e);
		if (failed)
			scenario_locate(&s, e);
	}
	scenario_free(&s);
	return failed;
}

static int make_sim(void *out, struct config *c, const void *plan, struct weir_error *e)
{
	return sim_new(out, c, plan, e);
}

int weir_sim_new(struct weir_sim **sim, const char *text, const struct weir_sim_plan *plan,
		 struct weir_error *e)
{
	return sim_text_make_from_text(&(struct builder){ make_sim, sim, plan, NULL }, text, e);
}

static int make_env(void *out, struct config *c, const void *plan, struct weir_error *e)
{
	return env_new(out, c, plan, e);
}

int weir_env_new(struct weir_env **env, const char *text, const struct weir_env_plan *plan,
		 struct weir_error *e)
{
	const char *const *settings = plan ? plan->settings : NULL;

	if (sim_text_make_from_text(&(struct builder){ make_env, env, plan, settings }, text, e))
		return -1;
	env_keep_text(*env, text);
	return 0;
}

static int replace_env(void *env, struct config *c, const void *plan, struct weir_error *e)
{
	(void)plan;
	return env_replace(env, c, e);
}

int weir_env_set(struct weir_env *env, const char *const *settings, struct weir_error *e)
{
	return sim_text_make_from_text(&(struct builder){ replace_env, env, NULL, settings },
				       env_text(env), e);
}

int weir_env_pool_new(struct weir_env_pool **pool, const char *text,
		      const struct weir_env_pool_plan *plan, struct weir_error *e)
{
	struct weir_env **envs;

	if (!plan->count)
		return weir_error_set(e, "a pool of no environments");
	envs = memory_new(plan->count, sizeof(struct weir_env *));
	for (uint32_t i = 0; i < plan->count; i++)
		if (weir_env_new(&envs[i], text, &plan->env, e)) {
			while (i-- > 0)
				weir_env_free(envs[i]);
			memory_free(envs, plan->count, sizeof(struct weir_env *));
			return -1;
		}
	*pool = env_pool_new(envs, plan->count, plan->threads);
	return 0;
}
