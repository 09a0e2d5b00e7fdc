/* topology.c -- every topology, one line each. */
#include "sim/net/network.h"

extern const struct topology_ops topology_star, topology_dumbbell, topology_leaf_spine,
	topology_fat_tree_2, topology_fat_tree, topology_explicit, topology_hpcc;

const struct topology_ops *const topology_all[] = {
	&topology_star,     &topology_dumbbell, &topology_leaf_spine, &topology_fat_tree_2,
	&topology_fat_tree, &topology_explicit, &topology_hpcc,       NULL,
};

const struct registry topology_registry = REGISTRY("topology", topology_all);

const struct topology_ops *topology_find(const char *name)
{
	return weir_registry_find(&topology_registry, name);
}
