/* metric.c -- metrics by their names. */
#include "lab/store/results.h"
#include <string.h>

int metric_index(const char *name)
{
	for (int i = 0; metric_all[i].name; i++)
		if (strcmp(metric_all[i].name, name) == 0)
			return i;
	return -1;
}
