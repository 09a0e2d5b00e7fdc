/* SPDX-License-Identifier: BSD-3-Clause */
/* keeper_fixture.h -- a keeper over a fake switch in memory, in virtual time, with a tuner that
 * returns the desired settings of the test. */
#ifndef TESTS_KEEPER_FIXTURE_H
#define TESTS_KEEPER_FIXTURE_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* folder.h: mkdtemp */
#endif
#include "keeper/core/keeper.h"
#include "tests/folder.h"
#include "weir/units.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FIXTURE_PROFILES = 3 };

struct fake_switch {
	struct keeper_setting has[FIXTURE_PROFILES], hardware[FIXTURE_PROFILES];
	struct keeper_counters counters[FIXTURE_PROFILES];
	int is_away, hardware_ignores, is_unfit,
		is_failing; /* hardware_ignores: settings are accepted but not applied */
	int is_inert;       /* a write succeeds and changes nothing */
	int is_locked[FIXTURE_PROFILES], is_missing[FIXTURE_PROFILES],
		is_uncounted[FIXTURE_PROFILES];
	uint32_t reads, writes, writes_of[FIXTURE_PROFILES];
	int die_in; /* driver calls until the process exits; 0: never */
};

static void fake_pass(struct fake_switch *s)
{
	if (s->die_in && --s->die_in == 0)
		_exit(9);
}

static enum keeper_reading fake_read(void *driver, uint32_t profile, struct keeper_setting *setting,
				     struct weir_error *e)
{
	struct fake_switch *s = driver;

	fake_pass(s);
	s->reads++;
	weir_error_set(e, "no reply");
	*setting = s->has[profile];
	if (s->is_away)
		return KEEPER_LOST;
	if (s->is_unfit || s->is_missing[profile])
		return KEEPER_UNFIT;
	return s->is_locked[profile] ? KEEPER_LOCKED : KEEPER_READ;
}

static enum keeper_reading fake_count(void *driver, uint32_t profile, struct keeper_counters *c,
				      struct weir_error *e)
{
	struct fake_switch *s = driver;

	fake_pass(s);
	weir_error_set(e, "no reply");
	*c = s->counters[profile];
	return s->is_away ? KEEPER_LOST : s->is_uncounted[profile] ? KEEPER_UNFIT : KEEPER_READ;
}

static int fake_write(void *driver, uint32_t profile, const struct keeper_setting *setting,
		      struct weir_error *e)
{
	struct fake_switch *s = driver;

	fake_pass(s);
	if (s->is_away || s->is_locked[profile] || s->is_missing[profile])
		return weir_error_set(e, "no reply");
	if (!s->is_inert)
		s->has[profile] = *setting;
	if (!s->hardware_ignores)
		s->hardware[profile] = *setting;
	s->writes++;
	s->writes_of[profile]++;
	fake_pass(s);
	return s->is_failing ? weir_error_set(e, "the answer was lost") : 0;
}

static enum keeper_following fake_follows(void *driver, uint32_t profile,
					  const struct keeper_setting *setting,
					  struct weir_error *e)
{
	const struct fake_switch *s = driver;

	weir_error_set(e, "the hardware has another setting");
	return keeper_setting_equals(setting, &s->hardware[profile]) ? KEEPER_FOLLOWS
								     : KEEPER_DIFFERS;
}

static void *fake_open(const void *params, const struct keeper_plan *plan, struct weir_error *e)
{
	(void)params;
	(void)plan;
	(void)e;
	return NULL;
}

static void fake_close(void *driver)
{
	(void)driver;
}

static const struct keeper_driver_ops fake_driver = {
	.scheme = { .name = "fake", .help = "an array" },
	.p_unit_ppm = 10 * 1000,
	.open = fake_open,
	.close = fake_close,
	.read = fake_read,
	.count = fake_count,
	.write = fake_write,
	.follows = fake_follows,
};

static const struct keeper_driver_ops *const fake_drivers[] = { &fake_driver, NULL };
static const struct registry fake_registry = REGISTRY("driver", fake_drivers);

/* --- the tuner --- */

struct fixture {
	struct fake_switch own, *fake;
	struct keeper_plan plan;
	struct keeper keeper;
	struct weir_tune_knobs desired;
	struct folder folder;
	char journal[80];
	int64_t now_ns;
	uint32_t events[KEEPER_EVENTS];
	char last[KEEPER_WHY_SIZE];
};

/* A tuner gets its parameters at construction: a pointer to the test's desired settings. */
struct scripted_tuner_params {
	const struct weir_tune_knobs *desired;
};

static size_t scripted_tuner_size(const void *params, const struct weir_agent_env *env)
{
	(void)params;
	(void)env;
	return 0;
}

static void scripted_tuner_init(void *state, const void *params, const struct weir_agent_env *env,
				struct weir_tune_knobs *knobs)
{
	const struct scripted_tuner_params *p = params;

	(void)state;
	for (uint32_t q = 0; q < env->queue_count; q++)
		knobs[q] = *p->desired;
}

static void scripted_tuner_step(void *state, const void *params, const struct weir_agent_env *env,
				const struct weir_tune_telemetry *telemetry,
				struct weir_tune_knobs *knobs)
{
	(void)telemetry;
	scripted_tuner_init(state, params, env, knobs);
}

static const struct weir_agent_ops scripted_tuner = {
	.scheme = { .name = "scripted_tuner" },
	.size = scripted_tuner_size,
	.init = scripted_tuner_init,
	.step = scripted_tuner_step,
};

/* --- the fixture --- */

static void fixture_record_event(void *user, const struct keeper_event *event)
{
	struct fixture *d = user;

	d->events[event->kind]++;
	snprintf(d->last, sizeof(d->last), "%s", event->why);
}

static inline struct weir_tune_knobs fixture_setting(uint64_t min_bytes, uint64_t max_bytes,
						     uint32_t percent)
{
	struct keeper_setting s = { min_bytes, max_bytes, percent * 10000 };

	return keeper_setting_knobs(&s);
}

/* Three profiles of 100KB, 200KB, 10 % and a link of 10 Gb/s. keys go into [keeper], limits into
 * [limits]. */
static inline void fixture_open(struct fixture *d, enum keeper_mode mode, const char *keys,
				const char *more)
{
	char text[2048];
	struct ini_text in = { "plan.ini", text, 0 };
	struct weir_error e = { "" };

	memset(d, 0, sizeof(*d));
	d->fake = &d->own;
	d->now_ns = WEIR_NS_PER_S;
	snprintf(text, sizeof(text),
		 "[keeper]\ndriver = fake\ntune = fixed\n%s\n%s\n[profile a]\n[profile b]\n"
		 "[profile c]\ncanary = no\n",
		 keys, more);
	in.length = strlen(text);
	if (keeper_plan_read_text(&d->plan, &fake_registry, &in, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	d->plan.tune =
		(struct tune_choice){ .scheme = &scripted_tuner.scheme, .agent = &scripted_tuner };
	memcpy(d->plan.tune_params, &(struct scripted_tuner_params){ &d->desired },
	       sizeof(struct scripted_tuner_params));
	for (uint32_t i = 0; i < FIXTURE_PROFILES; i++) {
		d->own.has[i] = (struct keeper_setting){ 100000, 200000, 100000 };
		d->own.hardware[i] = d->own.has[i];
		d->own.counters[i].rate_bps = UINT64_C(10) * 1000 * 1000 * 1000;
	}
	d->desired = fixture_setting(100000, 200000, 10);
	d->folder = folder_make();
	snprintf(d->journal, sizeof(d->journal), "%s/journal", d->folder.path);
	keeper_init(&d->keeper, &(struct keeper_parts){ &d->plan, d->fake, mode, d->journal,
							fixture_record_event, d });
}

static inline void fixture_close(struct fixture *d)
{
	keeper_free(&d->keeper);
	keeper_plan_free(&d->plan);
	folder_remove(&d->folder);
}

/* Advances by an interval in which the links have sent that many bytes. */
static inline void fixture_step_after(struct fixture *d, int64_t interval_ns)
{
	for (uint32_t i = 0; i < FIXTURE_PROFILES; i++)
		d->fake->counters[i].since_start[KEEPER_OUT_BYTES] += 1000000;
	d->now_ns += interval_ns;
	keeper_step(&d->keeper, d->now_ns);
}

static inline void fixture_step(struct fixture *d)
{
	fixture_step_after(d, 10 * (int64_t)WEIR_NS_PER_S);
}

static inline void fixture_steps(struct fixture *d, int count)
{
	while (count-- > 0)
		fixture_step(d);
}
#endif
