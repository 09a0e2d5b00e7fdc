/* SPDX-License-Identifier: BSD-3-Clause */
/* change.c -- see change.h. */
#include "switch/run/change.h"
#include "config/schemes.h"
#include <stdio.h>
#include <string.h>

static const char *const keys[] = { "marking", "rate", "delay" };
enum { KEY_MARKING, KEY_RATE, KEY_DELAY, KEYS };

/* "port.h0.rate=50Mbps": the parts, of which the last points into the text. */
struct assignment {
	char port[PLANE_NAME_SIZE];
	int key;
	const char *value;
};

static int read_assignment(const char *text, struct assignment *a, struct weir_error *e)
{
	const char *name = text + strlen("port."), *equals = strchr(text, '='), *dot = equals;
	char key[32];

	while (dot && dot > text && *dot != '.')
		dot--;
	if (!equals || strncmp(text, "port.", strlen("port.")) != 0 || dot <= name ||
	    (size_t)(dot - name) >= sizeof(a->port))
		return weir_error_set(e, "%s; a setting is changed as in port.h0.rate=50Mbps",
				      weir_quote(text).text);
	memcpy(a->port, name, (size_t)(dot - name));
	a->port[dot - name] = '\0';
	snprintf(key, sizeof(key), "%.*s", (int)(equals - dot - 1), dot + 1);
	a->value = equals + 1;
	for (a->key = 0; a->key < KEYS; a->key++)
		if (strcmp(keys[a->key], key) == 0)
			return 0;
	return weir_error_unknown(e, "key that can change", key, keys, KEYS);
}

static int set_marking(const struct loop *l, uint32_t port, const char *spec, void *params,
		       struct weir_port_plan *plan, struct weir_error *e)
{
	const struct config *c = &l->settings->ports[port].config;
	const struct weir_mark_ops *ops;

	if (l->tuning)
		return weir_error_set(e, "%s: the ports' settings are those of switch.tune = %s",
				      weir_quote(spec).text,
				      weir_quote(l->settings->config.switches.tune).text);
	if (scheme_parse_mark(spec, &ops, params, e))
		return -1;
	if (ops != c->mark)
		return weir_error_set(
			e, "%s: a port keeps its scheme, %s; only the settings of that change",
			weir_quote(spec).text, c->mark->scheme.name);
	plan->mark_params = params;
	return 0;
}

int change_apply(struct loop *l, const char *assignment, struct weir_error *e)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	struct port_settings values = { 0 };
	struct weir_port_plan plan;
	struct assignment a;
	uint32_t port;

	assignment += strspn(assignment, " \t");
	if (read_assignment(assignment, &a, e) || settings_port(l->settings, a.port, &port, e))
		return -1;
	if (a.key != KEY_MARKING &&
	    weir_option_parse(&values, weir_option_find(real_port_options, keys[a.key]), a.value,
			      e))
		return -1;
	if (a.key == KEY_DELAY && l->settings->ports[port].peer_plus_one)
		return weir_error_set(e, "%s: a cable between parts keeps its delay",
				      weir_quote(a.value).text);
	if (a.key == KEY_DELAY) {
		loop_port(l, port)->delay_ps = (int64_t)values.delay_ps;
		return 0;
	}
	plan = loop_port(l, port)->plan;
	if (a.key == KEY_RATE)
		plan.rate_bps = values.rate_bps;
	else if (set_marking(l, port, a.value, params, &plan, e))
		return -1;
	if (plane_change(loop_plane(l, port), port, &plan))
		return weir_error_set(
			e, "%s: what %s makes of its settings when it begins cannot change",
			weir_quote(a.value).text, plan.mark->scheme.name);
	return 0;
}
