/* SPDX-License-Identifier: BSD-3-Clause */
/* reload.c -- see reload.h. */
#include "keeper/core/reload.h"
#include "base/memory.h"
#include <string.h>
#include <unistd.h>

int keeper_reload_check(const struct keeper_plan *now, const struct keeper_plan *next,
			struct weir_error *e)
{
	const char *wrong = NULL;

	if (strcmp(now->options.driver, next->options.driver) != 0)
		wrong = "driver";
	else if (strcmp(now->options.journal, next->options.journal) != 0)
		wrong = "journal";
	else if (strcmp(now->options.socket, next->options.socket) != 0)
		wrong = "socket";
	else if (now->options.http != next->options.http)
		wrong = "http";
	return wrong ? weir_error_set(
			       e,
			       "%.200s: keeper.%s: is another now; stop the keeper and start it "
			       "again for that",
			       next->file, wrong)
		     : 0;
}

/* Where a profile of one plan is in another; -1: it is not. */
static int64_t find(const struct keeper_plan *plan, const char *name)
{
	for (uint32_t i = 0; i < plan->profile_count; i++)
		if (strcmp(plan->profiles[i].name, name) == 0)
			return i;
	return -1;
}

static int put_back_the_rest(struct keeper *k, const struct keeper_plan *next, struct weir_error *e)
{
	struct keeper_restoring x = { .plan = k->plan, .driver = k->driver };

	for (uint32_t i = 0; i < k->plan->profile_count; i++) {
		struct keeper_record r = k->records[i];

		if (find(next, k->plan->profiles[i].name) >= 0 || k->mode == KEEPER_DRY ||
		    !keeper_restore(&x, &r, 1))
			continue;
		return weir_error_set(
			e,
			"profile %s is not in the plan any more, but its original could not "
			"be put back; 'weir keeper release' gives it up",
			k->plan->profiles[i].name);
	}
	return 0;
}

/* The latest writes, as many as the new limit looks at. */
static void move_writes(struct kept *to, const struct kept *from, uint64_t to_size,
			uint64_t from_size)
{
	uint64_t left = from->writes < from_size ? from->writes : from_size;

	left = left < to_size ? left : to_size;
	for (uint64_t ago = 1; ago <= left; ago++)
		to->wrote_ns[(from->writes - ago) % to_size] =
			from->wrote_ns[(from->writes - ago) % from_size];
}

static void move_profile(struct keeper *to, uint32_t at, const struct keeper *from, uint32_t was)
{
	int64_t *ring = to->kept[at].wrote_ns;

	to->kept[at] = from->kept[was];
	to->kept[at].wrote_ns = ring;
	move_writes(&to->kept[at], &from->kept[was], to->plan->profiles[at].limits.writes,
		    from->plan->profiles[was].limits.writes);
	to->records[at] = from->records[was];
}

/* A tuner that has learnt something keeps it, where it would be made for the same queues. */
static int is_same_mind(const struct keeper_plan *a, const struct keeper_plan *b)
{
	if (strcmp(a->options.tune, b->options.tune) != 0 ||
	    a->options.interval_ns != b->options.interval_ns ||
	    a->options.rtt_ns != b->options.rtt_ns ||
	    a->options.mtu_bytes != b->options.mtu_bytes || a->options.seed != b->options.seed ||
	    a->profile_count != b->profile_count)
		return 0;
	for (uint32_t i = 0; i < a->profile_count; i++)
		if (strcmp(a->profiles[i].name, b->profiles[i].name) != 0)
			return 0;
	return 1;
}

/* Its params are those of the next plan, which are equal. */
static void move_mind(struct keeper *to, struct keeper *from)
{
	const uint32_t count = to->plan->profile_count;

	to->mind_state = from->mind_state;
	to->mind_size = from->mind_size;
	from->mind_state = NULL;
	from->mind_size = 0;
	to->env = from->env;
	memcpy(to->queues, from->queues, count * sizeof(*to->queues));
	memcpy(to->wishes, from->wishes, count * sizeof(*to->wishes));
	to->env.queues = to->queues;
	keeper_find_mind(to);
}

/* On disk, too, profiles that are not looked after any more have nothing to go back to. */
static int save(const struct keeper *was, struct keeper *made, struct weir_error *e)
{
	if (made->mode == KEEPER_DRY || access(was->journal, F_OK))
		return 0; /* nothing was written yet */
	return keeper_save(made, e);
}

int keeper_reload(struct keeper *k, const struct keeper_plan *next, void *driver,
		  struct weir_error *e)
{
	struct keeper made;

	if (put_back_the_rest(k, next, e))
		return -1;
	keeper_init(&made,
		    &(struct keeper_parts){ next, driver, k->mode, k->journal, k->tell, k->user });
	made.is_paused = k->is_paused;
	made.is_lost = k->is_lost;
	made.was_lost = k->was_lost;
	made.now_ns = k->now_ns;
	made.before_ns = k->before_ns;
	made.canary_since_ns = k->canary_since_ns;
	made.steps = k->steps;
	for (uint32_t i = 0; i < next->profile_count; i++) {
		int64_t was = find(k->plan, next->profiles[i].name);

		if (was >= 0)
			move_profile(&made, i, k, (uint32_t)was);
	}
	keeper_adopt(&made, k->records + k->plan->profile_count,
		     k->record_count - k->plan->profile_count);
	if (save(k, &made, e)) {
		keeper_free(&made);
		return -1;
	}
	if (k->mind_state && is_same_mind(k->plan, next))
		move_mind(&made, k);
	keeper_free(k);
	*k = made;
	return 0;
}
