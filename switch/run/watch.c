/* watch.c -- see watch.h. */
#include "switch/run/watch.h"
#include "sim/base/words.h"
#include "switch/run/sample.h"
#include "weir/units.h"
#include <stdio.h>
#include <string.h>

/* "b/2": cuts the queue off the name of the port. */
static int read_queue(struct watch *p, char *name, struct weir_error *e)
{
	static const struct weir_option queue = {
		.name = "queue", .type = WEIR_OPT_COUNT, .max = WEIR_QUEUES_MAX - 1, .help = ""
	};
	char *slash = strchr(name, '/');
	uint64_t number;

	if (!slash)
		return 0;
	*slash = '\0';
	if (!sample_is_length(p->what))
		return weir_error_set(e, "of one queue there are queue and queue-bytes alone");
	if (weir_option_parse(&number, &queue, slash + 1, e))
		return -1;
	p->queue_plus_one = (uint32_t)number + 1;
	return 0;
}

static int check_queue(const struct watch *p, const struct switch_settings *s, struct weir_error *e)
{
	const struct port_settings *port = &s->ports[p->port];

	if (p->queue_plus_one <= port->config.queues)
		return 0;
	return weir_error_set(e, "port %s has %u queues, counted from 0", port->name,
			      port->config.queues);
}

struct watch_queue_text watch_queue(const struct watch *p)
{
	struct watch_queue_text t = { "" };

	if (p->queue_plus_one)
		snprintf(t.text, sizeof(t.text), "/%u", p->queue_plus_one - 1);
	return t;
}

int watch_read(struct watch *p, const struct switch_settings *s, const char *line,
	       struct weir_error *e)
{
	static const struct weir_option every = { .name = "every",
						  .type = WEIR_OPT_TIME_PS,
						  .min = WEIR_PS_PER_S / 10000,
						  .max = 1000 * WEIR_PS_PER_S,
						  .help = "" };
	char port[PLANE_NAME_SIZE + 16];
	struct words w;
	uint64_t every_ps;

	*p = (struct watch){ 0 };
	if (words_split(&w, line) != 4 || strcmp(w.word[2], "every") != 0)
		return weir_error_set(
			e, "%s; a probe is WHAT PORT every TIME, as in: queue h0 every 10ms",
			weir_quote(line).text);
	snprintf(port, sizeof(port), "%s", w.word[1]);
	if (sample_find(w.word[0], &p->what, e) || read_queue(p, port, e) ||
	    settings_port(s, port, &p->port, e) || check_queue(p, s, e) ||
	    weir_option_parse(&every_ps, &every, w.word[3], e))
		return -1;
	p->every_ps = (int64_t)every_ps;
	return 0;
}

void watch_begin(struct watch *p, struct plane *plane, int64_t now_ps)
{
	p->next_ps = now_ps;
	p->before = sample_count(plane_port(plane, p->port), p->what);
}

double watch_take(struct watch *p, struct plane *plane, int64_t now_ps)
{
	struct plane_port *port = plane_port(plane, p->port);
	double value = p->queue_plus_one ? sample_queue(port, p->what, p->queue_plus_one - 1)
					 : sample_value(port, p->what, &p->before, p->every_ps);

	while (p->next_ps <= now_ps)
		p->next_ps += p->every_ps;
	return value;
}
