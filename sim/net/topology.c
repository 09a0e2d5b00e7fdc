/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.c -- every topology, one line each. */
#include "sim/net/network.h"
#include <string.h>

extern const struct topology_ops topology_star, topology_dumbbell, topology_leaf_spine,
	topology_fat_tree_2, topology_fat_tree, topology_explicit, topology_hpcc;

const struct topology_ops *const topology_all[] = {
	&topology_star,     &topology_dumbbell, &topology_leaf_spine, &topology_fat_tree_2,
	&topology_fat_tree, &topology_explicit, &topology_hpcc,       NULL,
};

const struct registry topology_registry = REGISTRY("topology", topology_all);

const struct topology_ops *topology_find(const char *name, struct weir_error *e)
{
	const struct topology_ops *ops = weir_registry_find(&topology_registry, name);

	if (!ops)
		weir_registry_unknown(&topology_registry, name, e);
	return ops;
}

void topology_choose(struct network_config *c, const struct topology_ops *ops)
{
	c->ops = ops;
	memset(c->params, 0, sizeof(c->params));
	weir_options_default(c->params, ops->scheme.options);
}
