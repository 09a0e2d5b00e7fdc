/* SPDX-License-Identifier: BSD-3-Clause */
/* markings.c -- see markings.h. */
#include "config/markings.h"
#include "base/memory.h"
#include "config/fabric.h"
#include "config/plugin.h"
#include "config/schemes.h"
#include "weir/buffer.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* --- what a part names --- */

static const struct weir_option rate_option = { "rate", WEIR_OPT_RATE_BPS, 0,  NULL,
						1,      UINT64_MAX >> 20,  "", NULL };
static const struct weir_option class_option = { "class", WEIR_OPT_COUNT,      0,  NULL,
						 0,       WEIR_QUEUES_MAX - 1, "", NULL };

int marking_rate(const char *text, uint64_t *rate_bps)
{
	struct weir_error unheard;

	return weir_option_parse(rate_bps, &rate_option, text, &unheard) == 0;
}

/* The last queue has all classes beyond it, too. */
static void marking_add_class(const struct config *c, struct marking_part *p, uint64_t class_id)
{
	if (class_id >= c->queues)
		class_id = c->queues - 1;
	p->classes[class_id / 64] |= UINT64_C(1) << (class_id % 64);
	p->has_classes = 1;
}

/* The classes of a section's data packets. */
static void marking_add_classes(const struct config *c, struct marking_part *p,
				const struct traffic_config *t)
{
	for (uint64_t i = 0; i < t->classes; i++)
		marking_add_class(c, p, t->class_id + i);
	if (t->first_bytes)
		marking_add_class(c, p, t->first_class);
}

static const struct traffic_config *marking_find_traffic(const struct config *c, const char *name)
{
	for (uint32_t i = 0; i < c->traffic_count; i++)
		if (strcmp(c->traffic[i].name, name) == 0)
			return &c->traffic[i];
	return NULL;
}

static int marking_error_twice(const struct marking_part *p, const char *what, struct weir_error *e)
{
	return weir_error_set(e, "%s: names more than one %s", p->path, what);
}

/* One of the words between dots. */
static int marking_read_word(const struct config *c, struct marking_part *p, const char *word,
			     struct weir_error *e)
{
	const struct traffic_config *t = marking_find_traffic(c, word);
	struct weir_error unheard;
	uint64_t class_id;

	if (t || weir_option_parse(&class_id, &class_option, word, &unheard) == 0) {
		if (p->has_classes)
			return marking_error_twice(p, "class", e);
		if (!t && class_id >= c->queues)
			return weir_error_set(e,
					      "%s: class %" PRIu64 ", but a port has %" PRIu32
					      " queue%s; classes count from 0",
					      p->path, class_id, c->queues,
					      c->queues == 1 ? "" : "s");
		if (t)
			marking_add_classes(c, p, t);
		else
			marking_add_class(c, p, class_id);
		return 0;
	}
	if (p->rate_bps == 0 && marking_rate(word, &p->rate_bps))
		return 0;
	if (p->tier[0] || marking_rate(word, &class_id))
		return marking_error_twice(p, p->tier[0] ? "tier" : "rate", e);
	if (*word == '\0' || snprintf(p->tier, sizeof(p->tier), "%s", word) >= (int)sizeof(p->tier))
		return weir_error_set(
			e, "%s: a part is a traffic section, a class, a rate or a tier", p->path);
	return 0;
}

/* "storage.100Gbps red(min=5KB)". */
static int marking_read_part(const struct config *c, struct marking_part *p, const char *line,
			     struct weir_error *e)
{
	size_t length = strcspn(line, " ");
	char words[WEIR_OPT_TEXT_SIZE], *word = words;

	snprintf(words, sizeof(words), "%.*s", (int)length, line);
	snprintf(p->path, sizeof(p->path), "switch.marking.%.200s", words);
	if (scheme_parse_mark(line + length + 1, &p->mark, p->params, e))
		return weir_error_prefix(e, "%s: ", p->path);
	for (char *dot; (dot = strchr(word, '.')); word = dot + 1) {
		*dot = '\0';
		if (marking_read_word(c, p, word, e))
			return -1;
	}
	return marking_read_word(c, p, word, e);
}

/* --- what goes together --- */

/* A scheme of one part or, without a part, the one of all others. */
static int markings_check_scheme(const struct config *c, const struct weir_mark_ops *mark,
				 const void *params, const char *path, struct weir_error *e)
{
	uint32_t needs = weir_mark_needs(mark, params);

	if (mark->layout || mark->choose_queue)
		return weir_error_set(e,
				      "%s: %s lays out its ports itself and cannot be one of "
				      "several; leave marking.PART out",
				      path, mark->scheme.name);
	if (needs & WEIR_MARK_NEEDS_ROUNDS && (!c->sched->quantum || fabric_is_on(c)))
		return weir_error_set(e,
				      "%s: %s measures the rounds of a scheduler, and there are "
				      "none; take dwrr or wrr, and no fabric",
				      path, mark->scheme.name);
	if (needs & WEIR_MARK_NEEDS_SHARED_BUFFER &&
	    c->switches.buffer_per != WEIR_BUFFER_PER_SWITCH)
		return weir_error_set(e,
				      "%s: %s looks at the buffer pool of the switch; there is "
				      "one only with buffer-per = switch",
				      path, mark->scheme.name);
	return 0;
}

/* Where queues of a port differ, each has a state of its own. */
static int markings_check_scope(const struct config *c, const struct weir_mark_ops *mark,
				const char *path, struct weir_error *e)
{
	for (uint32_t i = 0; i < c->markings->count; i++)
		if (c->markings->parts[i].has_classes && mark->scope == WEIR_MARK_STATE_PER_PORT)
			return weir_error_set(e,
					      "%s: %s looks at all queues of a port together, so "
					      "classes cannot differ (%s)",
					      path, mark->scheme.name, c->markings->parts[i].path);
	return 0;
}

static int marking_share_class(const struct marking_part *a, const struct marking_part *b)
{
	for (size_t i = 0; i < sizeof(a->classes) / sizeof(a->classes[0]); i++)
		if (a->classes[i] & b->classes[i])
			return 1;
	return a->has_classes == 0 && b->has_classes == 0;
}

/* Two parts that say the same of some queue, as two sections with one class do. */
static int markings_check_overlap(const struct markings *m, struct weir_error *e)
{
	for (uint32_t i = 0; i < m->count; i++)
		for (uint32_t k = 0; k < i; k++) {
			const struct marking_part *a = &m->parts[i], *b = &m->parts[k];

			if (a->rate_bps == b->rate_bps && strcmp(a->tier, b->tier) == 0 &&
			    marking_share_class(a, b))
				return weir_error_set(e,
						      "%s: means queues that %s means too; give "
						      "the sections classes of their own",
						      a->path, b->path);
		}
	return 0;
}

static int markings_check_parts(const struct config *c, struct weir_error *e)
{
	const struct markings *m = c->markings;

	if (tune_is_on(c))
		return weir_error_set(e,
				      "switch.tune: %s turns the knobs of one scheme, which "
				      "does not go with marking.PART",
				      weir_quote(c->switches.tune).text);
	if (markings_check_scheme(c, c->mark, c->mark_params, "switch.marking", e) ||
	    markings_check_scope(c, c->mark, "switch.marking", e))
		return -1;
	for (uint32_t i = 0; i < m->count; i++) {
		const struct marking_part *p = &m->parts[i];

		if (p->has_classes && fabric_is_on(c))
			return weir_error_set(
				e, "%s: under switch.fabric = %s a queue is not a class's", p->path,
				c->fabric->scheme.name);
		if (markings_check_scheme(c, p->mark, p->params, p->path, e) ||
		    markings_check_scope(c, p->mark, p->path, e))
			return -1;
	}
	return markings_check_overlap(m, e);
}

int markings_check(struct config *c, struct weir_error *e)
{
	const struct line_list *lines = &c->switches.markings;

	free(c->markings);
	c->markings = NULL;
	if (lines->count == 0)
		return 0;
	c->markings = memory_zeroed(1, sizeof(*c->markings) +
					       lines->count * sizeof(c->markings->parts[0]));
	for (; c->markings->count < lines->count; c->markings->count++)
		if (marking_read_part(c, &c->markings->parts[c->markings->count],
				      lines->lines[c->markings->count].text, e))
			return -1;
	return markings_check_parts(c, e);
}

/* --- which one holds --- */

static int marking_part_holds(const struct marking_part *p, const char *tier, uint64_t rate_bps,
			      uint32_t queue)
{
	return (p->rate_bps == 0 || p->rate_bps == rate_bps) &&
	       (p->tier[0] == '\0' || strcmp(p->tier, tier) == 0) &&
	       (!p->has_classes || p->classes[queue / 64] >> (queue % 64) & 1);
}

/* How much a part says: how many things, then which. */
static int marking_part_weight(const struct marking_part *p)
{
	int has_tier = p->tier[0] != '\0', has_rate = p->rate_bps != 0;
	int has_classes = p->has_classes != 0;

	return 8 * (has_classes + has_tier + has_rate) + 4 * has_classes + 2 * has_tier + has_rate;
}

const struct marking_part *marking_part_of(const struct config *c, const char *tier,
					   uint64_t rate_bps, uint32_t queue)
{
	const struct marking_part *best = NULL;

	for (uint32_t i = 0; c->markings && i < c->markings->count; i++) {
		const struct marking_part *p = &c->markings->parts[i];

		if (marking_part_holds(p, tier, rate_bps, queue) &&
		    (!best || marking_part_weight(p) > marking_part_weight(best)))
			best = p;
	}
	return best;
}

/* --- changing one --- */

int marking_state_differs(const struct weir_port_class *a, const struct weir_port_class *b)
{
	struct weir_port *x, *y;
	int differs;

	if (a->size != b->size || a->mark_offset != b->mark_offset ||
	    a->mark_stride != b->mark_stride || a->mark_needs != b->mark_needs)
		return 1;
	x = memory_new(1, a->size);
	y = memory_new(1, b->size);
	weir_port_init(x, a, NULL, 0);
	weir_port_init(y, b, NULL, 0);
	differs = memcmp((char *)x + a->mark_offset, (char *)y + a->mark_offset,
			 a->size - a->mark_offset);
	memory_free(x, 1, a->size);
	memory_free(y, 1, b->size);
	return differs;
}
