/* SPDX-License-Identifier: BSD-3-Clause */
/* own_keys.h -- values of the keys that a topology or a traffic pattern alone has. */
#ifndef TESTS_OWN_KEYS_H
#define TESTS_OWN_KEYS_H
#include "sim/net/network.h"
#include "sim/traffic/traffic.h"
#include "tests/test.h"

static inline void *own_value(const struct weir_scheme *s, void *params, const char *key)
{
	const struct weir_option *o = weir_option_find(s->options, key);

	if (!o)
		test_fail(__FILE__, __LINE__, "%s has no key %s", s->name, key);
	return (char *)params + o->offset;
}

static inline uint64_t *network_number(struct network_config *n, const char *key)
{
	return own_value(&n->ops->scheme, n->params, key);
}

static inline char *network_text(struct network_config *n, const char *key)
{
	return own_value(&n->ops->scheme, n->params, key);
}

static inline uint64_t *traffic_number(struct traffic_config *t, const char *key)
{
	return own_value(&t->ops->scheme, t->params, key);
}

static inline char *traffic_text(struct traffic_config *t, const char *key)
{
	return own_value(&t->ops->scheme, t->params, key);
}
#endif
