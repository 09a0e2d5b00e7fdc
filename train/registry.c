/* registry.c -- every trainer, by name. */
#include "train/trainer.h"
#include <string.h>

extern const struct trainer trainer_acc;

const struct trainer *const trainer_all[] = { &trainer_acc, NULL };

const struct trainer *trainer_find(const char *name, struct weir_error *e)
{
	const char *names[16];
	size_t count = 0;

	for (; trainer_all[count]; count++) {
		names[count] = trainer_all[count]->scheme.name;
		if (strcmp(names[count], name) == 0)
			return trainer_all[count];
	}
	weir_error_unknown(e, "trainer", name, names, count);
	return NULL;
}
