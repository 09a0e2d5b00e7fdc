/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.c -- keys of a keeper's file, parsing and checks. Contract in plan.h. */
#include "keeper/core/plan.h"
#include "base/ini.h"
#include "base/memory.h"
#include "config/schemes.h"
#include "weir/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUTE_NS (UINT64_C(60) * WEIR_NS_PER_S)
#define DAY_NS (24 * 60 * MINUTE_NS)

static const char *const queue_form[] = { "PORT QUEUE", NULL };

#define AT(member) offsetof(struct keeper_options, member)
const struct weir_option keeper_option_table[] = {
	{ "driver", WEIR_OPT_TEXT, AT(driver), NULL, 0, 0,
	  "what kind of switch it is, and how it is reached: sonic, tc, weir, or sim for a "
	  "rehearsal",
	  NULL },
	{ "tune", WEIR_OPT_TEXT, AT(tune), NULL, 0, 0,
	  "who decides: an agent or tuner, as switch.tune of scenarios ('weir list tuner', 'weir "
	  "list agent')",
	  NULL },
	{ "interval", WEIR_OPT_TIME_NS, AT(interval_ns), "10s", 10 * WEIR_NS_PER_US, DAY_NS,
	  "how often counters are read and the tuner is asked; not shorter than the switch updates "
	  "them, or most intervals look idle",
	  NULL },
	{ "rtt", WEIR_OPT_TIME_NS, AT(rtt_ns), "20us", 1, WEIR_NS_PER_S,
	  "base round-trip time of the network, for tuners that want to know", NULL },
	{ "mtu", WEIR_OPT_BYTES, AT(mtu_bytes), "1500B", 68, 65536, "of the network's packets",
	  NULL },
	{ "seed", WEIR_OPT_COUNT, AT(seed), "1", 0, UINT64_MAX, "of a tuner that draws numbers",
	  NULL },
	{ "guard", WEIR_OPT_COUNT, AT(guard_intervals), "1", 0, 1000,
	  "intervals for which the guards look at a change before the next one; 0: they never do",
	  NULL },
	{ "guard-worse", WEIR_OPT_FRACTION_Q32, AT(guard_worse_q32), "2", 0, WEIR_ONE_Q32 * 1000,
	  "a change is taken back when drops, pauses or the highest queue are more than so many "
	  "times what they were",
	  NULL },
	{ "guard-least", WEIR_OPT_COUNT, AT(guard_least), "10", 0, UINT32_MAX,
	  "fewer drops or pauses in an interval are no reason", NULL },
	{ "hold-off", WEIR_OPT_TIME_NS, AT(hold_off_ns), "300s", WEIR_NS_PER_MS, DAY_NS,
	  "how long a profile is left alone after a change was taken back", NULL },
	{ "canary-for", WEIR_OPT_TIME_NS, AT(canary_for_ns), "600s", 0, 7 * DAY_NS,
	  "how long profiles with canary = yes are tuned without trouble before others are", NULL },
	{ "verify", WEIR_OPT_TIME_NS, AT(verify_ns), "10s", 0, DAY_NS,
	  "how long the hardware may take to have what was written", NULL },
	{ "journal", WEIR_OPT_FILE, AT(journal), NULL, 0, 0,
	  "file that holds the originals; /var/lib/weir/NAME.journal unless given, NAME being that "
	  "of "
	  "the plan",
	  NULL },
	{ "http", WEIR_OPT_COUNT, AT(http), "0", 0, 65535,
	  "port of 127.0.0.1 with a page of what is in force and why, and /metrics for Prometheus; "
	  "0: "
	  "none",
	  NULL },
	{ "socket", WEIR_OPT_FILE, AT(socket), NULL, 0, 0,
	  "where 'weir keeper status' and others reach it; /run/weir/NAME.sock unless given",
	  NULL },
	{ .name = NULL },
};
#undef AT

#define AT(member) offsetof(struct keeper_limits, member)
const struct weir_option keeper_limit_table[] = {
	{ "min-from", WEIR_OPT_BYTES, AT(bounds.min_from_bytes), "20KB", 1, KEEPER_BYTES_MAX,
	  "min is never less", NULL },
	{ "min-to", WEIR_OPT_BYTES, AT(bounds.min_to_bytes), "2MB", 1, KEEPER_BYTES_MAX,
	  "min is never more", NULL },
	{ "max-from", WEIR_OPT_BYTES, AT(bounds.max_from_bytes), "40KB", 1, KEEPER_BYTES_MAX,
	  "max is never less", NULL },
	{ "max-to", WEIR_OPT_BYTES, AT(bounds.max_to_bytes), "4MB", 1, KEEPER_BYTES_MAX,
	  "max is never more", NULL },
	{ "p-from", WEIR_OPT_FRACTION_Q32, AT(bounds.p_from_q32), "1%", 0, WEIR_ONE_Q32,
	  "the probability is never less", NULL },
	{ "p-to", WEIR_OPT_FRACTION_Q32, AT(bounds.p_to_q32), "100%", 0, WEIR_ONE_Q32,
	  "the probability is never more", NULL },
	{ "step", WEIR_OPT_FRACTION_Q32, AT(bounds.step_q32), "50%", 1, WEIR_ONE_Q32,
	  "largest change of min and of max at a time, as a part of what they are", NULL },
	{ "p-step", WEIR_OPT_FRACTION_Q32, AT(bounds.p_step_q32), "10%", 0, WEIR_ONE_Q32,
	  "largest change of the probability at a time", NULL },
	{ "shortest", WEIR_OPT_TIME_NS, AT(shortest_ns), "1s", 0, DAY_NS,
	  "time between two changes of a profile, at least", NULL },
	{ "writes", WEIR_OPT_COUNT, AT(writes), "12", 2, KEEPER_WRITES_MAX,
	  "changes of a profile in any minute, at most; one of them is kept for taking back",
	  NULL },
	{ "canary", WEIR_OPT_FLAG, AT(canary), "no", 0, 1, "this profile goes first", NULL },
	{ "queue", WEIR_OPT_LINES, AT(queues), NULL, 0, 0,
	  "a queue that uses the profile, as in: Ethernet0 3; may be given several times. Those "
	  "that "
	  "the switch names itself unless given",
	  queue_form },
	{ .name = NULL },
};
#undef AT

#define AT(member) offsetof(struct keeper_emulator, member)
const struct weir_option keeper_emulator_table[] = {
	{ "socket", WEIR_OPT_FILE, AT(socket), NULL, 0, 0,
	  "Unix socket of the Redis that is to look like a SONiC switch's", NULL },
	{ "poll", WEIR_OPT_TIME_NS, AT(poll_ns), "1s", WEIR_NS_PER_MS, DAY_NS,
	  "how often counters are written", NULL },
	{ "apply", WEIR_OPT_TIME_NS, AT(apply_ns), "20ms", 0, DAY_NS,
	  "how long a change of a profile takes to come into force", NULL },
	{ "speed", WEIR_OPT_FRACTION_Q32, AT(speed_q32), "1", WEIR_ONE_Q32 / 1000000,
	  WEIR_ONE_Q32 * 1000,
	  "seconds of a simulated switch in each second; lines are said to be as much slower",
	  NULL },
	{ .name = NULL },
};
#undef AT

/* --- parsing --- */

enum owner { OWNER_KEEPER, OWNER_LIMITS, OWNER_MIMIC, OWNER_PROFILE, OWNER_NONE };

static const char *const section_names[] = { "keeper", "limits", "mimic", "profile" };

static const struct weir_option *const section_tables[] = {
	keeper_option_table,
	keeper_limit_table,
	keeper_emulator_table,
	keeper_limit_table,
};

struct reader {
	struct keeper_plan *p;
	enum owner owner;
	int seen[OWNER_PROFILE]; /* line numbers of sections without a name */
	struct ini_pairs pairs;
};

static int plan_open_profile(struct reader *r, struct ini_place *at, const char *name)
{
	struct keeper_plan *p = r->p;

	if (!ini_name_is_good(name, "-_."))
		return weir_error_set(at->e,
				      "[profile]: name %s; allowed are up to 63 letters, digits, - "
				      "_ and ., as in [profile AZURE_LOSSLESS]",
				      *name ? weir_quote(name).text : "is missing");
	for (uint32_t i = 0; i < p->profile_count; i++)
		if (strcmp(p->profiles[i].name, name) == 0)
			return weir_error_set(at->e, "profile.%s: given twice, first in line %d",
					      name, p->profiles[i].line);
	if (p->profile_count == KEEPER_PROFILES_MAX)
		return weir_error_set(at->e, "more than %d profiles", KEEPER_PROFILES_MAX);
	p->profiles =
		memory_grow(p->profiles, p->profile_count + UINT64_C(1), sizeof(*p->profiles));
	memset(&p->profiles[p->profile_count], 0, sizeof(*p->profiles));
	snprintf(p->profiles[p->profile_count].name, INI_NAME_SIZE, "%s", name);
	p->profiles[p->profile_count++].line = at->line;
	r->owner = OWNER_PROFILE;
	return 0;
}

static int plan_take_header(void *user, struct ini_place *at, const char *kind, const char *name)
{
	struct reader *r = user;
	int which = 0;

	if (strcmp(kind, "profile") == 0)
		return plan_open_profile(r, at, name);
	while (which < OWNER_PROFILE && strcmp(kind, section_names[which]) != 0)
		which++;
	if (which == OWNER_PROFILE)
		return weir_error_unknown(at->e, "section", kind, section_names, OWNER_NONE);
	if (*name)
		return weir_error_set(at->e, "[%s %s]: only [profile NAME] has a name; write [%s]",
				      kind, weir_quote(name).text, kind);
	if (r->seen[which])
		return weir_error_set(at->e, "%s: given twice, first in line %d", kind,
				      r->seen[which]);
	r->seen[which] = at->line;
	r->owner = (enum owner)which;
	return 0;
}

static int plan_take_pair(void *user, struct ini_place *at, const char *key, const char *value)
{
	struct reader *r = user;
	const struct ini_pair pair = {
		.owner = (int)r->owner,
		.number = r->p->profile_count ? r->p->profile_count - 1 : 0,
		.key = (char *)key,
		.value = (char *)value,
	};

	if (r->owner == OWNER_NONE && *key)
		return weir_error_set(at->e,
				      "%s stands before the first section; begin with [keeper]",
				      weir_quote(key).text);
	return ini_pairs_add(&r->pairs, at, &pair, "interval = 10s");
}

static void plan_take_title(void *user, const char *text)
{
	struct keeper_plan *p = ((struct reader *)user)->p;

	snprintf(p->title, sizeof(p->title), "%s", text);
}

static const struct ini_form form = {
	.what = "a keeper's plan",
	.example = "[keeper]",
	.title = plan_take_title,
	.section = plan_take_header,
	.pair = plan_take_pair,
};

/* --- from pairs to a plan --- */

static int plan_locate_error(const struct reader *r, const struct ini_pair *p, struct weir_error *e)
{
	char section[INI_NAME_SIZE + 16];

	if (p->owner == OWNER_PROFILE)
		snprintf(section, sizeof(section), "profile.%s.", r->p->profiles[p->number].name);
	else
		snprintf(section, sizeof(section), "%s.", section_names[p->owner]);
	return ini_pair_locate(p, r->p->file, section, e);
}

static int plan_unknown_key(const struct ini_pair *p, struct weir_error *e)
{
	const char *names[64];
	size_t count = 0;

	for (const struct weir_option *o = section_tables[p->owner]; o->name && count < 64; o++)
		names[count++] = o->name;
	return weir_error_unknown(e, "key", p->key, names, count);
}

static int plan_apply_pair(const struct reader *r, uint32_t at, void *params, struct weir_error *e)
{
	const struct ini_pair *p = &r->pairs.list[at], *earlier = ini_pairs_earlier(&r->pairs, at);
	const struct weir_option *o = weir_option_find(section_tables[p->owner], p->key);

	if (!o)
		return plan_unknown_key(p, e);
	if (o->type == WEIR_OPT_LINES) {
		line_list_add((struct line_list *)(void *)((char *)params + o->offset), p->value,
			      p->line);
		return 0;
	}
	if (earlier)
		return weir_error_set(e, "given twice, first in line %d", earlier->line);
	return weir_option_parse(params, o, p->value, e);
}

/* Applies every pair of that section. */
static int plan_apply_pairs(const struct reader *r, enum owner owner, uint32_t profile,
			    void *params, struct weir_error *e)
{
	for (uint32_t i = 0; i < r->pairs.count; i++) {
		const struct ini_pair *p = &r->pairs.list[i];

		if (p->owner != (int)owner || (owner == OWNER_PROFILE && p->number != profile))
			continue;
		if (plan_apply_pair(r, i, params, e))
			return plan_locate_error(r, p, e);
	}
	return 0;
}

/* --- consistency --- */

/* Adds the line of a key of [keeper], or that of the section's header, to the error. */
static int plan_mistake(const struct reader *r, const char *key, struct weir_error *e)
{
	for (uint32_t i = 0; i < r->pairs.count; i++)
		if (r->pairs.list[i].owner == OWNER_KEEPER &&
		    strcmp(r->pairs.list[i].key, key) == 0)
			return plan_locate_error(r, &r->pairs.list[i], e);
	return weir_error_prefix(e, "%.200s:%d: keeper.%s: ", r->p->file, r->seen[OWNER_KEEPER],
				 key);
}

static int plan_check_driver(const struct reader *r, const struct registry *drivers,
			     struct weir_error *e)
{
	struct keeper_plan *p = r->p;

	if (!p->options.driver[0]) {
		weir_error_set(e, "is missing; how the switch is reached, as in driver = sonic");
		return plan_mistake(r, "driver", e);
	}
	p->driver = weir_registry_parse(drivers, p->options.driver, p->driver_params, e);
	return p->driver ? 0 : plan_mistake(r, "driver", e);
}

static int plan_check_tuner(const struct reader *r, struct weir_error *e)
{
	struct keeper_plan *p = r->p;

	if (!p->options.tune[0] && p->emulator.socket[0])
		return 0; /* the file is not for a keeper */
	if (!p->options.tune[0]) {
		weir_error_set(e, "is missing; who decides, as in tune = qla");
		return plan_mistake(r, "tune", e);
	}
	if (tune_parse(p->options.tune, &p->tune, p->tune_params, e))
		return plan_mistake(r, "tune", e);
	if (p->tune.agent || p->tune.tuner)
		return 0;
	weir_error_set(e, "none decides nothing; a keeper that only watches has --dry-run");
	return plan_mistake(r, "tune", e);
}

static int plan_check_limits(const struct reader *r, const struct keeper_profile *p,
			     struct weir_error *e)
{
	const struct keeper_bounds *b = &p->limits.bounds;
	const char *wrong = NULL;

	if (b->min_from_bytes > b->min_to_bytes)
		wrong = "min-from is above min-to";
	else if (b->max_from_bytes > b->max_to_bytes)
		wrong = "max-from is above max-to";
	else if (b->p_from_q32 > b->p_to_q32)
		wrong = "p-from is above p-to";
	else if (b->min_from_bytes > b->max_from_bytes)
		wrong = "min-from is above max-from";
	else if (b->min_to_bytes > b->max_to_bytes)
		wrong = "min-to is above max-to";
	if (!wrong)
		return 0;
	return weir_error_set(e, "%.200s:%d: profile.%s: %s", r->p->file, p->line, p->name, wrong);
}

static int plan_fill_profile(const struct reader *r, uint32_t number, struct weir_error *e)
{
	struct keeper_profile *p = &r->p->profiles[number];

	weir_options_default(&p->limits, keeper_limit_table);
	if (plan_apply_pairs(r, OWNER_LIMITS, 0, &p->limits, e) ||
	    plan_apply_pairs(r, OWNER_PROFILE, number, &p->limits, e))
		return -1;
	return plan_check_limits(r, p, e);
}

static int plan_fill(const struct reader *r, const struct registry *drivers, struct weir_error *e)
{
	struct keeper_plan *p = r->p;

	if (!r->seen[OWNER_KEEPER])
		return weir_error_set(e, "%.200s: a plan has a section [keeper]", p->file);
	if (plan_apply_pairs(r, OWNER_KEEPER, 0, &p->options, e) ||
	    plan_apply_pairs(r, OWNER_MIMIC, 0, &p->emulator, e) ||
	    plan_check_driver(r, drivers, e) || plan_check_tuner(r, e))
		return -1;
	if (!p->profile_count)
		return weir_error_set(e,
				      "%.200s: no profile to look after; add a section such as "
				      "[profile AZURE_LOSSLESS]",
				      p->file);
	for (uint32_t i = 0; i < p->profile_count; i++)
		if (plan_fill_profile(r, i, e))
			return -1;
	return 0;
}

/* --- files --- */

int keeper_plan_read_text(struct keeper_plan *p, const struct registry *drivers,
			  const struct ini_text *text, struct weir_error *e)
{
	struct reader r = { .p = p, .owner = OWNER_NONE };
	int failed;

	memset(p, 0, sizeof(*p));
	snprintf(p->file, sizeof(p->file), "%s", text->file);
	weir_options_default(&p->options, keeper_option_table);
	weir_options_default(&p->emulator, keeper_emulator_table);
	failed = ini_read(&form, &r, text, e) || plan_fill(&r, drivers, e);
	ini_pairs_free(&r.pairs);
	if (failed)
		keeper_plan_free(p);
	return failed ? -1 : 0;
}

int keeper_plan_read(struct keeper_plan *p, const struct registry *drivers, const char *file,
		     struct weir_error *e)
{
	struct ini_text text = { .file = file };
	char *content = ini_load(&form, file, &text.length, e);
	int failed;

	if (!content)
		return -1;
	plugin_permit_tree_of(file);
	text.text = content;
	failed = keeper_plan_read_text(p, drivers, &text, e);
	free(content);
	return failed;
}

int64_t keeper_plan_find(const struct keeper_plan *p, const char *name)
{
	for (uint32_t i = 0; i < p->profile_count; i++)
		if (strcmp(p->profiles[i].name, name) == 0)
			return i;
	return -1;
}

void keeper_plan_free(struct keeper_plan *p)
{
	for (uint32_t i = 0; i < p->profile_count; i++)
		line_list_free(&p->profiles[i].limits.queues);
	free(p->profiles);
	memset(p, 0, sizeof(*p));
}

/* The stem of the file name: "leaf3" of "/etc/weir/leaf3.ini". */
static void plan_name_path(const struct keeper_plan *p, const char *folder, const char *ending,
			   char path[WEIR_OPT_TEXT_SIZE])
{
	const char *slash = strrchr(p->file, '/'), *name = slash ? slash + 1 : p->file;
	const char *dot = strrchr(name, '.');
	size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);

	snprintf(path, WEIR_OPT_TEXT_SIZE, "%s/%.*s%s", folder, (int)(length < 200 ? length : 200),
		 name, ending);
}

void keeper_plan_journal(const struct keeper_plan *p, char path[WEIR_OPT_TEXT_SIZE])
{
	if (p->options.journal[0])
		snprintf(path, WEIR_OPT_TEXT_SIZE, "%s", p->options.journal);
	else
		plan_name_path(p, "/var/lib/weir", ".journal", path);
}

void keeper_plan_socket(const struct keeper_plan *p, char path[WEIR_OPT_TEXT_SIZE])
{
	if (p->options.socket[0])
		snprintf(path, WEIR_OPT_TEXT_SIZE, "%s", p->options.socket);
	else
		plan_name_path(p, "/run/weir", ".sock", path);
}
