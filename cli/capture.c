/* capture.c -- see capture.h. */
#include "cli/capture.h"
#include <string.h>

int captures_open(struct captures *c, const struct arguments *a, const struct config *config,
		  struct error *e)
{
	c->count = 0;
	for (size_t i = 0; i < a->count; i++) {
		struct pcap *file = &c->files[c->count];

		if (!a->all[i].option || strcmp(a->all[i].option->name, "--pcap") != 0)
			continue;
		if (c->count == CAPTURES_MAX) {
			captures_abandon(c);
			return error_set(e, "--pcap: at most %d ports at once", CAPTURES_MAX);
		}
		if (pcap_open(file, a->all[i].value, e)) {
			captures_abandon(c);
			return error_prefix(e, "--pcap: ");
		}
		file->mss_bytes = (uint32_t)config->host.mss_bytes;
		c->taps[c->count++] = pcap_tap(file);
	}
	return 0;
}

int captures_publish(struct captures *c, struct error *e)
{
	while (c->count > 0) {
		c->count--;
		if (pcap_publish(&c->files[c->count], e)) {
			captures_abandon(c);
			return error_prefix(e, "--pcap: ");
		}
	}
	return 0;
}

void captures_abandon(struct captures *c)
{
	while (c->count > 0)
		pcap_abandon(&c->files[--c->count]);
}
