/* watch.c -- see watch.h. */
#include "switch/run/watch.h"
#include "sim/base/words.h"
#include "switch/run/sample.h"
#include "weir/units.h"

int watch_read(struct watch *p, const struct switch_settings *s, const char *line,
	       struct weir_error *e)
{
	static const struct weir_option every = { .name = "every",
						  .type = WEIR_OPT_TIME_PS,
						  .min = WEIR_PS_PER_S / 10000,
						  .max = 1000 * WEIR_PS_PER_S,
						  .help = "" };
	struct words w;
	uint64_t every_ps;

	*p = (struct watch){ 0 };
	if (words_split(&w, line) != 4 || strcmp(w.word[2], "every") != 0)
		return weir_error_set(
			e, "%s; a probe is WHAT PORT every TIME, as in: queue h0 every 10ms",
			weir_quote(line).text);
	if (sample_find(w.word[0], &p->what, e) || settings_port(s, w.word[1], &p->port, e) ||
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
	double value = sample_value(plane_port(plane, p->port), p->what, &p->before, p->every_ps);

	while (p->next_ps <= now_ps)
		p->next_ps += p->every_ps;
	return value;
}
