/* SPDX-License-Identifier: BSD-3-Clause */
/* classes.c -- traffic classes in the switches: the map from DSCP to class (config.h), and marking
 * that differs by class, rate or tier (markings.h). */
#include "base/memory.h"
#include "config/config.h"
#include "config/fabric.h"
#include "config/markings.h"
#include "config/plugin.h"
#include "config/schemes.h"
#include "weir/buffer.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- DSCP: code points --- */

enum { EXPEDITED = 46, CLASS_SELECTORS = 8 };

static const struct weir_option dscp_option = { "dscp", WEIR_OPT_COUNT, 0,  NULL,
						0,      DSCP_COUNT - 1, "", NULL };

/* csN is 8 N; afXY, a class from 1 to 4 and a precedence from 1 to 3, is 8 X + 2 Y. */
static int dscp_read_name(const char *text, uint8_t *dscp)
{
	if (strcmp(text, "ef") == 0) {
		*dscp = EXPEDITED;
		return 1;
	}
	if (strncmp(text, "cs", 2) == 0 && text[2] >= '0' && text[2] <= '7' && !text[3]) {
		*dscp = (uint8_t)(CLASS_SELECTORS * (text[2] - '0'));
		return 1;
	}
	if (strncmp(text, "af", 2) == 0 && text[2] >= '1' && text[2] <= '4' && text[3] >= '1' &&
	    text[3] <= '3' && !text[4]) {
		*dscp = (uint8_t)(CLASS_SELECTORS * (text[2] - '0') + 2 * (text[3] - '0'));
		return 1;
	}
	return 0;
}

int dscp_read(const char *text, uint8_t *dscp, struct weir_error *e)
{
	struct weir_error ignored;
	uint64_t number;

	if (dscp_read_name(text, dscp))
		return 0;
	if (weir_option_parse(&number, &dscp_option, text, &ignored))
		return weir_error_set(e, "%s; a DSCP, 0 to %d, or cs0 to cs7, af11 to af43, ef",
				      weir_quote(text).text, DSCP_COUNT - 1);
	*dscp = (uint8_t)number;
	return 0;
}

/* --- DSCP: the map --- */

static int dscp_read_class(const struct config *c, const char *text, uint8_t *class_id,
			   struct weir_error *e)
{
	static const struct weir_option option = { "class", WEIR_OPT_COUNT,      0,  NULL,
						   0,       WEIR_QUEUES_MAX - 1, "", NULL };
	struct weir_error ignored;
	uint64_t number;

	if (weir_option_parse(&number, &option, text, &ignored))
		return weir_error_set(e,
				      "%s is no class; classes are numbers, 0 to %" PRIu64
				      " with switch.queues = %" PRIu64,
				      weir_quote(text).text, c->switches.queues - 1,
				      c->switches.queues);
	if (number >= c->switches.queues)
		return weir_error_set(e,
				      "class %" PRIu64 ", but a port has switch.queues = %" PRIu64
				      "; classes count from 0",
				      number, c->switches.queues);
	*class_id = (uint8_t)number;
	return 0;
}

/* "26", or "24-31". */
static int dscp_read_range(char *text, uint8_t *first, uint8_t *last, struct weir_error *e)
{
	char *dash = strchr(text, '-');

	if (dash)
		*dash = '\0';
	if (dscp_read(text, first, e) || dscp_read(dash ? dash + 1 : text, last, e))
		return -1;
	return *first <= *last ? 0 : weir_error_set(e, "%u-%u goes down", *first, *last);
}

/* One of the words: "26:3", "24-31:3", "default:0". */
static int dscp_read_word(struct config *c, char *word, uint8_t *otherwise, struct weir_error *e)
{
	char *colon = strchr(word, ':');
	uint8_t first = 0, last = 0, class_id = 0;

	if (!colon)
		return weir_error_set(e,
				      "%s; a word is DSCP:CLASS, as in 26:3, 24-31:3 or default:0, "
				      "with blanks between them",
				      weir_quote(word).text);
	*colon = '\0';
	if (dscp_read_class(c, colon + 1, &class_id, e))
		return -1;
	if (strcmp(word, "default") == 0) {
		*otherwise = class_id;
		return 0;
	}
	if (dscp_read_range(word, &first, &last, e))
		return -1;
	for (uint32_t i = first; i <= last; i++) {
		if (dscp_is_mapped(c, (uint8_t)i))
			return weir_error_set(e, "DSCP %u stands there twice", i);
		c->dscp.mapped |= UINT64_C(1) << i;
		c->dscp.class_of[i] = class_id;
	}
	return 0;
}

static int dscp_read_map(struct config *c, struct weir_error *e)
{
	char text[WEIR_OPT_TEXT_SIZE], *rest = text;
	uint8_t otherwise = 0;

	snprintf(text, sizeof(text), "%s", c->switches.dscp_map);
	for (char *word; (word = strtok_r(rest, ", ", &rest));)
		if (dscp_read_word(c, word, &otherwise, e))
			return weir_error_prefix(e, "switch.dscp-map: ");
	for (uint32_t i = 0; i < DSCP_COUNT; i++)
		if (!dscp_is_mapped(c, (uint8_t)i))
			c->dscp.class_of[i] = otherwise;
	return 0;
}

int dscp_is_mapped(const struct config *c, uint8_t dscp)
{
	return (int)(c->dscp.mapped >> dscp & 1);
}

int dscp_map_check(struct config *c, struct weir_error *e)
{
	memset(&c->dscp, 0, sizeof(c->dscp));
	c->dscp.has_map = c->switches.dscp_map[0] != '\0';
	if (dscp_read(c->rdma.cnp_dscp, &c->dscp.cnp, e))
		return weir_error_prefix(e, "rdma.cnp-dscp: ");
	if (!c->dscp.has_map)
		return 0;
	if (c->mark->layout)
		return weir_error_set(e,
				      "switch.dscp-map: %s chooses queues itself, so there are no "
				      "classes to choose",
				      c->mark->scheme.name);
	return dscp_read_map(c, e);
}

/* --- DSCP: a traffic section --- */

static int dscp_read_key(const struct traffic_config *t, const char *key, const char *text,
			 uint8_t *dscp, struct weir_error *e)
{
	return dscp_read(text, dscp, e) ? weir_error_prefix(e, "traffic.%s.%s: ", t->name, key) : 0;
}

/* A key that names a class must agree with the map. */
static int dscp_set_class(const struct config *c, const struct traffic_config *t, const char *key,
			  uint64_t *class_id, uint8_t dscp, struct weir_error *e)
{
	uint64_t mapped = c->dscp.class_of[dscp];

	if (*class_id != 0 && *class_id != mapped)
		return weir_error_set(e,
				      "traffic.%s.%s: %" PRIu64
				      ", but switch.dscp-map gives DSCP %u "
				      "class %" PRIu64 "; leave %s out",
				      t->name, key, *class_id, dscp, mapped, key);
	*class_id = mapped;
	return 0;
}

static int dscp_use_map(const struct config *c, struct traffic_config *t, struct weir_error *e)
{
	if (t->classes != 1)
		return weir_error_set(
			e,
			"traffic.%s.classes: %" PRIu64 ", but with switch.dscp-map a "
			"section has the class of its DSCP; take sections of their own",
			t->name, t->classes);
	if (strcmp(t->ack_class, ACK_CLASS_DATA) != 0)
		return weir_error_set(
			e,
			"traffic.%s.ack-class: %s, but with switch.dscp-map ACKs have "
			"the class of their DSCP; give ack-dscp",
			t->name, weir_quote(t->ack_class).text);
	return dscp_set_class(c, t, "class", &t->class_id, t->code.data, e) ||
			       (t->first_bytes && dscp_set_class(c, t, "first-class",
								 &t->first_class, t->code.first, e))
		       ? -1
		       : 0;
}

/* Defaults: first_dscp is that of data, ack_dscp that of the first bytes. */
static int dscp_read_codes(struct traffic_config *t, struct weir_error *e)
{
	if (dscp_read_key(t, "dscp", t->dscp, &t->code.data, e))
		return -1;
	t->code.first = t->code.data;
	if (t->first_dscp[0] && !t->first_bytes)
		return weir_error_set(e, "traffic.%s.first-dscp: goes with first-bytes", t->name);
	if (t->first_dscp[0] && dscp_read_key(t, "first-dscp", t->first_dscp, &t->code.first, e))
		return -1;
	t->code.ack = t->code.first;
	return t->ack_dscp[0] ? dscp_read_key(t, "ack-dscp", t->ack_dscp, &t->code.ack, e) : 0;
}

int dscp_check(const struct config *c, struct traffic_config *t, struct weir_error *e)
{
	memset(&t->code, 0, sizeof(t->code));
	t->code.is_given = t->dscp[0] != '\0';
	if (!t->code.is_given && (t->first_dscp[0] || t->ack_dscp[0]))
		return weir_error_set(e, "traffic.%s.%s: goes with dscp, which is not given",
				      t->name, t->first_dscp[0] ? "first-dscp" : "ack-dscp");
	if (!t->code.is_given)
		return c->dscp.has_map
			       ? weir_error_set(e,
						"traffic.%s.dscp: not given, but switch.dscp-map "
						"gives packets their classes; write dscp = 0 where "
						"nothing is asked for",
						t->name)
			       : 0;
	if (dscp_read_codes(t, e))
		return -1;
	return c->dscp.has_map ? dscp_use_map(c, t, e) : 0;
}

/* --- marking.PART: parsing --- */

static const struct weir_option marking_rate_option = { "rate", WEIR_OPT_RATE_BPS, 0,  NULL,
							1,      UINT64_MAX >> 20,  "", NULL };
static const struct weir_option marking_class_option = { "class", WEIR_OPT_COUNT,      0,  NULL,
							 0,       WEIR_QUEUES_MAX - 1, "", NULL };

int marking_rate(const char *text, uint64_t *rate_bps)
{
	struct weir_error ignored;

	return weir_option_parse(rate_bps, &marking_rate_option, text, &ignored) == 0;
}

/* Classes beyond the last queue share it. */
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

/* Parses a word between dots: a section, class, rate or tier. */
static int marking_read_word(const struct config *c, struct marking_part *p, const char *word,
			     struct weir_error *e)
{
	const struct traffic_config *t = marking_find_traffic(c, word);
	struct weir_error ignored;
	uint64_t class_id;

	if (t || weir_option_parse(&class_id, &marking_class_option, word, &ignored) == 0) {
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

/* --- marking.PART: consistency --- */

/* Can the scheme of a part, or switch.marking beside parts, be one of several? */
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

/* Parts that differ by class need a state per queue. */
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

/* Refuses parts of equal precedence that apply to the same queue, as two sections with one class
 * do. */
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

/* --- marking.PART: lookup --- */

static int marking_part_holds(const struct marking_part *p, const char *tier, uint64_t rate_bps,
			      uint32_t queue)
{
	return (p->rate_bps == 0 || p->rate_bps == rate_bps) &&
	       (p->tier[0] == '\0' || strcmp(p->tier, tier) == 0) &&
	       (!p->has_classes || p->classes[queue / 64] >> (queue % 64) & 1);
}

/* Precedence: the number of criteria first, then class before tier before rate. */
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
