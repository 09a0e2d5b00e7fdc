/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin_check.c -- what a plug-in must declare, and every way to get it wrong.
 *
 * A table without its end or a pointer to nowhere must give a message, not a crash: every address
 * is asked for before it is used whether it belongs to a loaded object. */
#define _GNU_SOURCE
#include "config/plugin_check.h"
#include "base/option_text.h"
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

static int is_loaded(const void *address)
{
	Dl_info info;

	return address && dladdr(address, &info) != 0;
}

/* A text of reasonable length, asked for again on every page it reaches. */
static int is_text(const char *text)
{
	for (size_t i = 0; i < TEXT_MAX_BYTES; i++) {
		if ((i == 0 || (uintptr_t)(text + i) % PAGE_BYTES == 0) && !is_loaded(text + i))
			return 0;
		if (text[i] == '\0')
			return 1;
	}
	return 0;
}

/* A hook: code of some loaded object. */
static int is_code(void (*hook)(void))
{
	void *address;

	memcpy(&address, &hook, sizeof(address));
	return is_loaded(address);
}

#define IS_CODE(hook) is_code((void (*)(void))(hook))

/* --- the option table --- */

static int name_is_good(const char *name)
{
	return *name && strlen(name) < 64 &&
	       name[strspn(name,
			   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")] ==
		       '\0';
}

static int check_choices(const struct weir_option *o, struct weir_error *e)
{
	size_t count = 0;

	if (o->type != WEIR_OPT_CHOICE)
		return o->choices ? weir_error_set(e, "option %s: only WEIR_OPT_CHOICE has choices",
						   o->name)
				  : 0;
	for (; is_loaded(&o->choices[count]) && o->choices[count]; count++)
		if (count == CHOICES_MAX || !is_text(o->choices[count]))
			return weir_error_set(e, "option %s: its choices do not end with NULL",
					      o->name);
	return count ? 0 : weir_error_set(e, "option %s: WEIR_OPT_CHOICE needs choices", o->name);
}

/* Type, place and help; text is known to be text. */
static int check_declaration(const struct weir_scheme *s, const struct weir_option *o,
			     struct weir_error *e)
{
	if ((unsigned)o->type > WEIR_OPT_TEXT)
		return weir_error_set(e, "option %s: type %u is none of enum weir_opt_type",
				      o->name, (unsigned)o->type);
	if (!is_text(o->help) || !*o->help)
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
	return check_choices(o, e);
}

static int check_default(const struct weir_option *o, struct weir_error *e)
{
	_Alignas(8) unsigned char value[WEIR_SPEC_PARAMS_MAX];
	struct weir_option alone = *o;

	alone.offset = 0;
	if (!is_text(o->def))
		return weir_error_set(e, "option %s: .def is missing; every option has a default",
				      o->name);
	if (weir_option_parse(value, &alone, o->def, e))
		return weir_error_prefix(e, "default of option ");
	return 0;
}

/* Is it the only one of its name and in its place? */
static int check_against(const struct weir_option *table, const struct weir_option *o,
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

static int check_options(const struct weir_scheme *s, struct weir_error *e)
{
	const struct weir_option *o = s->options;

	for (; o; o++) {
		if (o - s->options > OPTIONS_MAX || !is_loaded(o) ||
		    !is_loaded((const char *)(o + 1) - 1))
			return weir_error_set(
				e,
				"the option table does not end; its last line is { .name = "
				"NULL }, after at most %d options",
				OPTIONS_MAX);
		if (!o->name)
			return 0;
		if (!is_text(o->name) || !name_is_good(o->name))
			return weir_error_set(
				e,
				"option %zu has no name of letters, digits, - and _; does the "
				"table end with { .name = NULL }?",
				(size_t)(o - s->options) + 1);
		if (check_declaration(s, o, e) || check_default(o, e) ||
		    check_against(s->options, o, e))
			return -1;
	}
	return 0;
}

/* Whether the place of the policy is the scheme's alone. */
static int check_policy_place(const struct weir_scheme *s, struct weir_error *e)
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

static int check_model(const struct weir_scheme *s, struct weir_error *e)
{
	const struct weir_scheme_model *m = s->model;
	const struct weir_option *o = s->options;

	if (!is_loaded(m) || !is_loaded((const char *)(m + 1) - 1))
		return weir_error_set(e, ".model is no struct weir_scheme_model");
	while (o && o->name && (o->type != WEIR_OPT_TEXT || o->offset != m->name_offset))
		o++;
	if (!o || !o->name)
		return weir_error_set(e, "model: at name_offset %zu is no option of WEIR_OPT_TEXT",
				      m->name_offset);
	if (m->standard && !IS_CODE(m->standard))
		return weir_error_set(e, "model: .standard is no function");
	if (!IS_CODE(m->fits))
		return weir_error_set(e, "model: the hook .fits is missing");
	return check_policy_place(s, e);
}

static int check_head(const struct weir_scheme *s, enum plugin_kind kind, struct weir_error *e)
{
	if (!is_text(s->name) || !name_is_good(s->name))
		return weir_error_set(e, "the %s has no .name of letters, digits, - and _",
				      plugin_kind_name(kind));
	if (!is_text(s->help) || !*s->help)
		return weir_error_set(
			e, "%s: .help is missing; one sentence that says what it does", s->name);
	if (s->cite && !is_text(s->cite))
		return weir_error_set(e, "%s: .cite is no text", s->name);
	if (s->params_size > WEIR_SPEC_PARAMS_MAX)
		return weir_error_set(e, "%s: params_size %zu; at most %d", s->name, s->params_size,
				      WEIR_SPEC_PARAMS_MAX);
	if (s->check && !IS_CODE(s->check))
		return weir_error_set(e, "%s: .check is no function", s->name);
	if (check_options(s, e) || (s->model && check_model(s, e)))
		return weir_error_prefix(e, "%s: ", s->name);
	return 0;
}

/* The scheme's own opinion of its defaults. */
static int check_defaults(const struct weir_scheme *s, struct weir_error *e)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX] = { 0 };

	weir_options_default(params, s->options);
	if (!s->check || s->check(params, e) == 0)
		return 0;
	return weir_error_prefix(e, "%s: its check refuses its defaults: ", s->name);
}

/* --- the hooks of each kind --- */

static int check_state(const char *name, size_t size, size_t most, struct weir_error *e)
{
	return size > most ? weir_error_set(e, "%s: state_size %zu; at most %zu", name, size, most)
			   : 0;
}

static int no_hook(const char *name, const char *hook, struct weir_error *e)
{
	return weir_error_set(e, "%s: the hook .%s is missing", name, hook);
}

/* A value to watch, of any kind of scheme: they differ in what read takes alone. */
struct any_value {
	const char *name, *unit;
	void (*read)(void);
};

_Static_assert(sizeof(struct any_value) == sizeof(struct weir_mark_value) &&
		       sizeof(struct any_value) == sizeof(struct weir_tune_value) &&
		       sizeof(struct any_value) == sizeof(struct weir_agent_value),
	       "values of all kinds look alike");

static int check_values(const char *scheme, const void *values, struct weir_error *e)
{
	for (size_t i = 0; values; i++) {
		const char *at = (const char *)values + i * sizeof(struct any_value);
		struct any_value v;

		if (i > OPTIONS_MAX || !is_loaded(at) || !is_loaded(at + sizeof(v) - 1))
			return weir_error_set(
				e, "%s: .values does not end; its last line is { .name = NULL }",
				scheme);
		memcpy(&v, at, sizeof(v));
		if (!v.name)
			return 0;
		if (!is_text(v.name) || !name_is_good(v.name) || !is_text(v.unit))
			return weir_error_set(
				e,
				"%s: value %zu lacks a name of letters, digits, - and _, or a "
				"unit, which may be \"\"",
				scheme, i + 1);
		if (!IS_CODE(v.read))
			return weir_error_set(e, "%s: value %s: .read is missing", scheme, v.name);
	}
	return 0;
}

static int check_mark(const void *ops, struct weir_error *e)
{
	const struct weir_mark_ops *m = ops;

	if (check_state(m->scheme.name, m->state_size, STATE_MAX_BYTES, e))
		return -1;
	if (!IS_CODE(m->enqueue) && !IS_CODE(m->dequeue))
		return weir_error_set(
			e,
			"%s: the hooks .enqueue and .dequeue are both missing; it would never "
			"mark",
			m->scheme.name);
	if (m->scope != WEIR_MARK_STATE_PER_QUEUE && m->scope != WEIR_MARK_STATE_PER_PORT)
		return weir_error_set(e, "%s: scope %d is none of enum weir_mark_scope",
				      m->scheme.name, (int)m->scope);
	for (int i = 0; i < WEIR_MARK_REASONS; i++)
		if ((i == 0 || m->reasons[i]) && !is_text(m->reasons[i]))
			return weir_error_set(e, "%s: .reasons has no name for reason %d",
					      m->scheme.name, i);
	return check_values(m->scheme.name, m->values, e);
}

static int check_sched(const void *ops, struct weir_error *e)
{
	const struct weir_sched_ops *s = ops;

	if (check_state(s->scheme.name, s->state_size, STATE_MAX_BYTES, e) ||
	    check_state(s->scheme.name, s->queue_state_size, STATE_MAX_BYTES / WEIR_QUEUES_MAX, e))
		return -1;
	return IS_CODE(s->pick) ? 0 : no_hook(s->scheme.name, "pick", e);
}

static int no_echo(const char *name, enum weir_cc_echo echo, struct weir_error *e)
{
	return weir_error_set(e, "%s: echo %u is none of enum weir_cc_echo", name, (unsigned)echo);
}

static enum weir_cc_echo default_echo(const struct weir_cc_ops *c)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX] = { 0 };

	weir_options_default(params, c->scheme.options);
	return weir_cc_echo_of(c, params);
}

static int check_cc(const void *ops, struct weir_error *e)
{
	const struct weir_cc_ops *c = ops;

	if (check_state(c->scheme.name, c->state_size, WEIR_CC_STATE_MAX, e))
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
		return no_echo(c->scheme.name, c->echo, e);
	if (c->echo_of && !IS_CODE(c->echo_of))
		return no_hook(c->scheme.name, "echo_of", e);
	if (!IS_CODE(c->init))
		return no_hook(c->scheme.name, "init", e);
	if (!IS_CODE(c->ack))
		return no_hook(c->scheme.name, "ack", e);
	if (is_tcp ? !IS_CODE(c->congestion) : c->congestion && !IS_CODE(c->congestion))
		return no_hook(c->scheme.name, "congestion", e);
	if (c->restart && !IS_CODE(c->restart))
		return no_hook(c->scheme.name, "restart", e);
	if ((unsigned)default_echo(c) > WEIR_CC_ECHO_EXACT)
		return no_echo(c->scheme.name, default_echo(c), e);
	return 0;
}

static int check_traffic(const void *ops, struct weir_error *e)
{
	const struct weir_traffic_ops *t = ops;

	for (const struct weir_option *o = t->scheme.options; o && o->name; o++)
		if (weir_option_find(traffic_options, o->name))
			return weir_error_set(e,
					      "%s: option %s: every section has a key of that name",
					      t->scheme.name, o->name);
	if (t->app_rate_bps && !IS_CODE(t->app_rate_bps))
		return no_hook(t->scheme.name, "app_rate_bps", e);
	if (t->is_endless && !IS_CODE(t->is_endless))
		return no_hook(t->scheme.name, "is_endless", e);
	return IS_CODE(t->generate) ? 0 : no_hook(t->scheme.name, "generate", e);
}

static int check_tune(const void *ops, struct weir_error *e)
{
	const struct weir_tune_ops *t = ops;

	if (check_state(t->scheme.name, t->state_size, STATE_MAX_BYTES, e))
		return -1;
	if (!IS_CODE(t->init))
		return no_hook(t->scheme.name, "init", e);
	if (!IS_CODE(t->step))
		return no_hook(t->scheme.name, "step", e);
	return check_values(t->scheme.name, t->values, e);
}

/* All of what learners outside need, or nothing. */
static int check_learner(const struct weir_agent_ops *a, struct weir_error *e)
{
	const struct weir_agent_learner *l = a->learner;

	if (!l)
		return 0;
	if (!is_loaded(l) || !is_loaded((const char *)(l + 1) - 1))
		return weir_error_set(e, "%s: .learner points to nowhere", a->scheme.name);
	if (!IS_CODE(l->observation_size))
		return no_hook(a->scheme.name, "learner->observation_size", e);
	if (!IS_CODE(l->action_count))
		return no_hook(a->scheme.name, "learner->action_count", e);
	if (!IS_CODE(l->observe))
		return no_hook(a->scheme.name, "learner->observe", e);
	return IS_CODE(l->act) ? 0 : no_hook(a->scheme.name, "learner->act", e);
}

/* Agents that share need all of it. */
static int check_sharing(const struct weir_agent_ops *a, struct weir_error *e)
{
	if (!a->share_steps)
		return 0;
	if (!IS_CODE(a->share_steps))
		return no_hook(a->scheme.name, "share_steps", e);
	if (!IS_CODE(a->shared_size))
		return no_hook(a->scheme.name, "shared_size", e);
	if (a->shared_init && !IS_CODE(a->shared_init))
		return no_hook(a->scheme.name, "shared_init", e);
	if (!IS_CODE(a->give))
		return no_hook(a->scheme.name, "give", e);
	return IS_CODE(a->take) ? 0 : no_hook(a->scheme.name, "take", e);
}

static int check_agent(const void *ops, struct weir_error *e)
{
	const struct weir_agent_ops *a = ops;

	if (!IS_CODE(a->interval_ns))
		return no_hook(a->scheme.name, "interval_ns", e);
	if (a->scope && !IS_CODE(a->scope))
		return no_hook(a->scheme.name, "scope", e);
	if (!IS_CODE(a->size))
		return no_hook(a->scheme.name, "size", e);
	if (!IS_CODE(a->init))
		return no_hook(a->scheme.name, "init", e);
	if (!IS_CODE(a->step))
		return no_hook(a->scheme.name, "step", e);
	if (check_sharing(a, e) || check_learner(a, e))
		return -1;
	return check_values(a->scheme.name, a->values, e);
}

static const struct {
	size_t size; /* of the ops struct */
	int (*hooks)(const void *ops, struct weir_error *e);
} kinds[] = {
	[PLUGIN_MARK] = { sizeof(struct weir_mark_ops), check_mark },
	[PLUGIN_SCHED] = { sizeof(struct weir_sched_ops), check_sched },
	[PLUGIN_CC] = { sizeof(struct weir_cc_ops), check_cc },
	[PLUGIN_TRAFFIC] = { sizeof(struct weir_traffic_ops), check_traffic },
	[PLUGIN_TUNE] = { sizeof(struct weir_tune_ops), check_tune },
	[PLUGIN_AGENT] = { sizeof(struct weir_agent_ops), check_agent },
};

/* Is all of an ops struct there? */
static int is_whole(const void *ops, size_t size)
{
	return is_loaded(ops) && is_loaded((const char *)ops + size - 1);
}

static int check_ops(const void *ops, enum plugin_kind kind, struct weir_error *e)
{
	if (!is_whole(ops, kinds[kind].size))
		return weir_error_set(e, "weir_plugin points to nowhere");
	if (check_head(ops, kind, e) || kinds[kind].hooks(ops, e))
		return -1;
	return check_defaults(ops, e);
}

int plugin_check(const struct weir_plugin *p, struct weir_error *e)
{
	int found = 0;

	for (int kind = 0; kind < PLUGIN_KINDS; kind++) {
		const void *ops = plugin_ops(p, (enum plugin_kind)kind);

		if (ops && check_ops(ops, (enum plugin_kind)kind, e))
			return -1;
		found += ops != NULL;
	}
	return found ? 0
		     : weir_error_set(e, "weir_plugin holds no scheme; set .mark, .sched, .cc, "
					 ".traffic, .tune "
					 "or .agent");
}
