/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin_check.c -- validation of a plug-in's declarations.
 *
 * A missing hook, an option that does not fit and an unterminated table give a message instead of a
 * crash: the ABI hash guarantees the layout of structs, and every address that a walk over a table
 * reaches is looked up with dladdr before it is used. */
#define _GNU_SOURCE
#include "config/config.h"
#include "config/plugin.h"
#include <dlfcn.h>
#include <string.h>

enum {
	OPTIONS_MAX = 64,
	CHOICES_MAX = 64,
	STATE_MAX_BYTES = 1 << 16, /* of a marking scheme, or of a scheduler's two parts */
	TEXT_MAX_BYTES = 1024,
	PAGE_BYTES = 4096,
};

static int plugin_is_loaded(const void *address)
{
	Dl_info info;

	return address && dladdr(address, &info) != 0;
}

static int plugin_is_whole(const void *data, size_t size)
{
	return plugin_is_loaded(data) && plugin_is_loaded((const char *)data + size - 1);
}

/* Does an ops struct have the hook at that offset? One that points outside all loaded code counts
 * as missing. */
static int plugin_has_hook(const void *ops, size_t offset)
{
	void *hook;

	memcpy(&hook, (const char *)ops + offset, sizeof(hook));
	return plugin_is_loaded(hook);
}

/* Is it a string of reasonable length? Looked up again on every page that it reaches. */
static int plugin_is_text(const char *text)
{
	for (size_t i = 0; i < TEXT_MAX_BYTES; i++) {
		if ((i == 0 || (uintptr_t)(text + i) % PAGE_BYTES == 0) &&
		    !plugin_is_loaded(text + i))
			return 0;
		if (text[i] == '\0')
			return 1;
	}
	return 0;
}

/* --- the option table --- */

static int plugin_name_is_good(const char *name)
{
	return *name && strlen(name) < 64 &&
	       name[strspn(name,
			   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")] ==
		       '\0';
}

static int plugin_check_choices(const struct weir_option *o, struct weir_error *e)
{
	size_t count = 0;

	if (o->type != WEIR_OPT_CHOICE)
		return o->choices ? weir_error_set(e, "option %s: only WEIR_OPT_CHOICE has choices",
						   o->name)
				  : 0;
	for (; plugin_is_loaded(&o->choices[count]) && o->choices[count]; count++)
		if (count == CHOICES_MAX || !plugin_is_text(o->choices[count]))
			return weir_error_set(e, "option %s: its choices do not end with NULL",
					      o->name);
	return count ? 0 : weir_error_set(e, "option %s: WEIR_OPT_CHOICE needs choices", o->name);
}

/* Type, offset and help of an option whose name is valid. */
static int plugin_check_declaration(const struct weir_scheme *s, const struct weir_option *o,
				    struct weir_error *e)
{
	if ((unsigned)o->type > WEIR_OPT_TEXT)
		return weir_error_set(e, "option %s: type %u is none of enum weir_opt_type",
				      o->name, (unsigned)o->type);
	if (!plugin_is_text(o->help) || !*o->help)
		return weir_error_set(e, "option %s: .help is missing", o->name);
	if (o->offset % 8 != 0)
		return weir_error_set(
			e,
			"option %s: offset %zu is no multiple of 8; a value is a uint64_t, or "
			"what enum weir_opt_type says",
			o->name, o->offset);
	if (o->offset > s->params_size ||
	    weir_option_value_size(o->type) > s->params_size - o->offset)
		return weir_error_set(
			e, "option %s: its %zu bytes at offset %zu do not fit params_size %zu",
			o->name, weir_option_value_size(o->type), o->offset, s->params_size);
	return plugin_check_choices(o, e);
}

static int plugin_check_default(const struct weir_option *o, struct weir_error *e)
{
	_Alignas(8) unsigned char value[WEIR_SPEC_PARAMS_MAX];
	struct weir_option alone = *o;

	alone.offset = 0;
	if (!plugin_is_text(o->def))
		return weir_error_set(e, "option %s: .def is missing; every option has a default",
				      o->name);
	if (weir_option_parse(value, &alone, o->def, e))
		return weir_error_prefix(e, "default of option ");
	return 0;
}

/* Refuses a duplicate name or overlapping storage. */
static int plugin_check_overlap(const struct weir_option *table, const struct weir_option *o,
				struct weir_error *e)
{
	size_t end = o->offset + weir_option_value_size(o->type);

	for (const struct weir_option *other = table; other != o; other++) {
		if (strcmp(other->name, o->name) == 0)
			return weir_error_set(e, "option %s is declared twice", o->name);
		if (o->offset < other->offset + weir_option_value_size(other->type) &&
		    other->offset < end)
			return weir_error_set(e,
					      "options %s and %s have the same place, offset %zu",
					      other->name, o->name, o->offset);
	}
	return 0;
}

static int plugin_check_options(const struct weir_scheme *s, struct weir_error *e)
{
	const struct weir_option *o = s->options;

	for (; o; o++) {
		if (o - s->options > OPTIONS_MAX || !plugin_is_whole(o, sizeof(*o)))
			return weir_error_set(
				e,
				"the option table does not end; its last line is { .name = "
				"NULL }, after at most %d options",
				OPTIONS_MAX);
		if (!o->name)
			return 0;
		if (!plugin_is_text(o->name) || !plugin_name_is_good(o->name))
			return weir_error_set(
				e,
				"option %zu has no name of letters, digits, - and _; does the "
				"table end with { .name = NULL }?",
				(size_t)(o - s->options) + 1);
		if (plugin_check_declaration(s, o, e) || plugin_check_default(o, e) ||
		    plugin_check_overlap(s->options, o, e))
			return -1;
	}
	return 0;
}

/* Refuses a policy pointer outside the params or within an option. */
static int plugin_check_policy_place(const struct weir_scheme *s, struct weir_error *e)
{
	size_t at = s->model->policy_offset, size = sizeof(struct weir_learn_policy *);

	if (at % 8 != 0 || at > s->params_size || size > s->params_size - at)
		return weir_error_set(e, "model: policy_offset %zu is no place in params_size %zu",
				      at, s->params_size);
	for (const struct weir_option *o = s->options; o && o->name; o++)
		if (at < o->offset + weir_option_value_size(o->type) && o->offset < at + size)
			return weir_error_set(e, "model: policy_offset %zu is in option %s", at,
					      o->name);
	return 0;
}

static int plugin_check_model(const struct weir_scheme *s, struct weir_error *e)
{
	const struct weir_scheme_model *m = s->model;
	const struct weir_option *o = s->options;

	if (!plugin_is_whole(m, sizeof(*m)))
		return weir_error_set(e, ".model is no struct weir_scheme_model");
	while (o && o->name && (o->type != WEIR_OPT_TEXT || o->offset != m->name_offset))
		o++;
	if (!o || !o->name)
		return weir_error_set(e, "model: at name_offset %zu is no option of WEIR_OPT_TEXT",
				      m->name_offset);
	if (!plugin_has_hook(m, offsetof(struct weir_scheme_model, fits)))
		return weir_error_set(e, "model: the hook .fits is missing");
	return plugin_check_policy_place(s, e);
}

static int plugin_check_head(const struct weir_scheme *s, enum plugin_kind kind,
			     struct weir_error *e)
{
	if (!s->name || !plugin_name_is_good(s->name))
		return weir_error_set(e, "the %s has no .name of letters, digits, - and _",
				      plugin_kind_name(kind));
	if (!s->help || !*s->help)
		return weir_error_set(
			e, "%s: .help is missing; one sentence that says what it does", s->name);
	if (s->params_size > WEIR_SPEC_PARAMS_MAX)
		return weir_error_set(e, "%s: params_size %zu; at most %d", s->name, s->params_size,
				      WEIR_SPEC_PARAMS_MAX);
	if (plugin_check_options(s, e) || (s->model && plugin_check_model(s, e)))
		return weir_error_prefix(e, "%s: ", s->name);
	return 0;
}

/* The scheme's own check must accept its defaults. */
static int plugin_check_defaults(const struct weir_scheme *s, struct weir_error *e)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX] = { 0 };

	weir_options_default(params, s->options);
	if (!s->check || s->check(params, e) == 0)
		return 0;
	return weir_error_prefix(e, "%s: its check refuses its defaults: ", s->name);
}

/* --- the hooks of each kind --- */

static int plugin_check_state(const char *name, size_t size, size_t most, struct weir_error *e)
{
	return size > most ? weir_error_set(e, "%s: state_size %zu; at most %zu", name, size, most)
			   : 0;
}

/* A hook that every scheme of a kind must have. */
struct plugin_hook {
	const char *name;
	size_t offset; /* in the struct that holds it */
};

#define HOOK(type, member) \
	{ \
#member, offsetof(struct type, member) \
	}
#define HOOKS_END \
	{ \
		.name = NULL \
	}

/* Are all hooks of a list there? The list ends with HOOKS_END. */
static int plugin_check_hooks(const char *scheme, const void *ops, const struct plugin_hook *list,
			      struct weir_error *e)
{
	for (; list->name; list++)
		if (!plugin_has_hook(ops, list->offset))
			return weir_error_set(e, "%s: the hook .%s is missing", scheme, list->name);
	return 0;
}

/* A published value of any kind of scheme; they differ in the arguments of read only. */
struct any_value {
	const char *name, *unit;
	void (*read)(void);
};

_Static_assert(sizeof(struct any_value) == sizeof(struct weir_mark_value) &&
		       sizeof(struct any_value) == sizeof(struct weir_tune_value) &&
		       sizeof(struct any_value) == sizeof(struct weir_agent_value),
	       "values of all kinds look alike");

static int plugin_check_values(const char *scheme, const void *values, struct weir_error *e)
{
	for (size_t i = 0; values; i++) {
		const char *at = (const char *)values + i * sizeof(struct any_value);
		struct any_value v;

		if (i > OPTIONS_MAX || !plugin_is_whole(at, sizeof(v)))
			return weir_error_set(
				e, "%s: .values does not end; its last line is { .name = NULL }",
				scheme);
		memcpy(&v, at, sizeof(v));
		if (!v.name)
			return 0;
		if (!plugin_is_text(v.name) || !plugin_name_is_good(v.name) ||
		    !plugin_is_text(v.unit))
			return weir_error_set(
				e,
				"%s: value %zu lacks a name of letters, digits, - and _, or a "
				"unit, which may be \"\"",
				scheme, i + 1);
		if (!v.read)
			return weir_error_set(e, "%s: value %s: .read is missing", scheme, v.name);
	}
	return 0;
}

static int plugin_check_mark(const void *ops, struct weir_error *e)
{
	const struct weir_mark_ops *m = ops;

	if (plugin_check_state(m->scheme.name, m->state_size, STATE_MAX_BYTES, e))
		return -1;
	if (!plugin_has_hook(m, offsetof(struct weir_mark_ops, enqueue)) &&
	    !plugin_has_hook(m, offsetof(struct weir_mark_ops, dequeue)))
		return weir_error_set(
			e,
			"%s: the hooks .enqueue and .dequeue are both missing; it would never "
			"mark",
			m->scheme.name);
	if (m->scope != WEIR_MARK_STATE_PER_QUEUE && m->scope != WEIR_MARK_STATE_PER_PORT)
		return weir_error_set(e, "%s: scope %d is none of enum weir_mark_scope",
				      m->scheme.name, (int)m->scope);
	if (!m->reasons[0])
		return weir_error_set(e, "%s: .reasons has no name for reason 0", m->scheme.name);
	return plugin_check_values(m->scheme.name, m->values, e);
}

static int plugin_check_sched(const void *ops, struct weir_error *e)
{
	static const struct plugin_hook hooks[] = { HOOK(weir_sched_ops, pick), HOOKS_END };
	const struct weir_sched_ops *s = ops;

	if (plugin_check_state(s->scheme.name, s->state_size, STATE_MAX_BYTES, e) ||
	    plugin_check_state(s->scheme.name, s->queue_state_size,
			       STATE_MAX_BYTES / WEIR_QUEUES_MAX, e))
		return -1;
	return plugin_check_hooks(s->scheme.name, s, hooks, e);
}

static int plugin_no_echo(const char *name, enum weir_cc_echo echo, struct weir_error *e)
{
	return weir_error_set(e, "%s: echo %u is none of enum weir_cc_echo", name, (unsigned)echo);
}

static enum weir_cc_echo plugin_default_echo(const struct weir_cc_ops *c)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX] = { 0 };

	weir_options_default(params, c->scheme.options);
	return weir_cc_echo_of(c, params);
}

static int plugin_check_cc(const void *ops, struct weir_error *e)
{
	static const struct plugin_hook rdma[] = { HOOK(weir_cc_ops, init), HOOK(weir_cc_ops, ack),
						   HOOKS_END };
	static const struct plugin_hook tcp[] = { HOOK(weir_cc_ops, init), HOOK(weir_cc_ops, ack),
						  HOOK(weir_cc_ops, congestion), HOOKS_END };
	const struct weir_cc_ops *c = ops;

	if (plugin_check_state(c->scheme.name, c->state_size, WEIR_CC_STATE_MAX, e))
		return -1;
	if ((unsigned)c->transport > WEIR_CC_RDMA)
		return weir_error_set(e, "%s: transport %u is none of enum weir_cc_transport",
				      c->scheme.name, (unsigned)c->transport);

	int is_tcp = c->transport == WEIR_CC_TCP;
	size_t begin = is_tcp ? sizeof(struct weir_cc_window) : sizeof(struct weir_cc_pace);

	if (c->state_size < begin)
		return weir_error_set(
			e,
			"%s: state_size %zu; the state begins with struct %s, which has "
			"%zu",
			c->scheme.name, c->state_size, is_tcp ? "weir_cc_window" : "weir_cc_pace",
			begin);
	if ((unsigned)c->echo > WEIR_CC_ECHO_EXACT)
		return plugin_no_echo(c->scheme.name, c->echo, e);
	if (plugin_check_hooks(c->scheme.name, c, is_tcp ? tcp : rdma, e))
		return -1;
	if ((unsigned)plugin_default_echo(c) > WEIR_CC_ECHO_EXACT)
		return plugin_no_echo(c->scheme.name, plugin_default_echo(c), e);
	return 0;
}

static int plugin_check_traffic(const void *ops, struct weir_error *e)
{
	static const struct plugin_hook hooks[] = { HOOK(weir_traffic_ops, generate), HOOKS_END };
	const struct weir_traffic_ops *t = ops;

	for (const struct weir_option *o = t->scheme.options; o && o->name; o++)
		if (weir_option_find(traffic_options, o->name))
			return weir_error_set(e,
					      "%s: option %s: every section has a key of that name",
					      t->scheme.name, o->name);
	return plugin_check_hooks(t->scheme.name, t, hooks, e);
}

static int plugin_check_tune(const void *ops, struct weir_error *e)
{
	static const struct plugin_hook hooks[] = { HOOK(weir_tune_ops, init),
						    HOOK(weir_tune_ops, step), HOOKS_END };
	const struct weir_tune_ops *t = ops;

	if (plugin_check_state(t->scheme.name, t->state_size, STATE_MAX_BYTES, e) ||
	    plugin_check_hooks(t->scheme.name, t, hooks, e))
		return -1;
	return plugin_check_values(t->scheme.name, t->values, e);
}

/* Agents that share, and those that support external learners, need all hooks for it. */
static int plugin_check_agent(const void *ops, struct weir_error *e)
{
	static const struct plugin_hook hooks[] = { HOOK(weir_agent_ops, interval_ns),
						    HOOK(weir_agent_ops, size),
						    HOOK(weir_agent_ops, init),
						    HOOK(weir_agent_ops, step), HOOKS_END };
	static const struct plugin_hook sharing[] = { HOOK(weir_agent_ops, shared_size),
						      HOOK(weir_agent_ops, export_experience),
						      HOOK(weir_agent_ops, import_experience),
						      HOOKS_END };
#define LEARNER_HOOK(member) \
	{ \
		"learner->" #member, offsetof(struct weir_agent_learner, member) \
	}
	static const struct plugin_hook learner[] = { LEARNER_HOOK(observation_size),
						      LEARNER_HOOK(action_count),
						      LEARNER_HOOK(observe), LEARNER_HOOK(act),
						      HOOKS_END };
	const struct weir_agent_ops *a = ops;

	if (plugin_check_hooks(a->scheme.name, a, hooks, e) ||
	    (a->share_steps && plugin_check_hooks(a->scheme.name, a, sharing, e)) ||
	    (a->learner && plugin_check_hooks(a->scheme.name, a->learner, learner, e)))
		return -1;
	return plugin_check_values(a->scheme.name, a->values, e);
}

static int (*const plugin_checks[])(const void *ops, struct weir_error *e) = {
	[PLUGIN_MARK] = plugin_check_mark, [PLUGIN_SCHED] = plugin_check_sched,
	[PLUGIN_CC] = plugin_check_cc,     [PLUGIN_TRAFFIC] = plugin_check_traffic,
	[PLUGIN_TUNE] = plugin_check_tune, [PLUGIN_AGENT] = plugin_check_agent,
};

static const size_t plugin_ops_size[] = {
	[PLUGIN_MARK] = sizeof(struct weir_mark_ops),
	[PLUGIN_SCHED] = sizeof(struct weir_sched_ops),
	[PLUGIN_CC] = sizeof(struct weir_cc_ops),
	[PLUGIN_TRAFFIC] = sizeof(struct weir_traffic_ops),
	[PLUGIN_TUNE] = sizeof(struct weir_tune_ops),
	[PLUGIN_AGENT] = sizeof(struct weir_agent_ops),
};

int plugin_check(const struct weir_plugin *p, struct weir_error *e)
{
	int found = 0;

	for (int kind = 0; kind < PLUGIN_KINDS; kind++) {
		const void *ops = plugin_ops(p, (enum plugin_kind)kind);

		if (ops && !plugin_is_whole(ops, plugin_ops_size[kind]))
			return weir_error_set(e, "weir_plugin points to nowhere");
		if (ops && (plugin_check_head(ops, (enum plugin_kind)kind, e) ||
			    plugin_checks[kind](ops, e) || plugin_check_defaults(ops, e)))
			return -1;
		found += ops != NULL;
	}
	return found ? 0
		     : weir_error_set(e, "weir_plugin holds no scheme; set .mark, .sched, .cc, "
					 ".traffic, .tune or .agent");
}
