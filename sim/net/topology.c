/* topology.c -- every topology, one line each. */
#include "sim/net/network.h"
#include <string.h>

extern const struct topology_ops topology_star, topology_dumbbell, topology_leaf_spine,
	topology_fat_tree_2, topology_fat_tree, topology_explicit, topology_hpcc;

const struct topology_ops *const topology_all[] = {
	&topology_star,     &topology_dumbbell, &topology_leaf_spine, &topology_fat_tree_2,
	&topology_fat_tree, &topology_explicit, &topology_hpcc,       NULL,
};

const struct topology_ops *topology_find(const char *name)
{
	for (size_t i = 0; topology_all[i]; i++)
		if (strcmp(topology_all[i]->name, name) == 0)
			return topology_all[i];
	return NULL;
}
