/* SPDX-License-Identifier: BSD-3-Clause */
/* keeper.h -- looks after the profiles of a switch: reads, asks the tuner, and writes what limits
 * allow.
 *
 * There is no clock in here: whoever runs a keeper calls keeper_step once an interval and says what
 * time it is, a daemon as a test does. Everything that happens is told as an event.
 *
 * A step reads every profile and its counters first. A setting that is not the one the keeper left
 * there is an operator's: the profile is theirs from then on. A change is on probation for some
 * intervals: where drops, pauses or the highest queue get worse, or where the hardware does not
 * have it, it is taken back. Only then is the tuner asked for the next. */
#ifndef KEEPER_CORE_KEEPER_H
#define KEEPER_CORE_KEEPER_H
#include "keeper/core/restore.h"
#include "lib/tune/each.h"

enum keeper_mode { KEEPER_LIVE, KEEPER_DRY };

enum keeper_state {
	KEEPER_NEW,    /* not read yet */
	KEEPER_TUNED,  /* the tuner's wishes are written */
	KEEPER_BACK,   /* a change is being taken back */
	KEEPER_HELD,   /* one was: left alone for a while */
	KEEPER_GIVEN,  /* an operator changed it: theirs */
	KEEPER_ALARM,  /* the hardware did not follow: left alone until somebody looks */
	KEEPER_CANNOT, /* missing, garbage, ECN off, or outside its limits */
	KEEPER_STATES,
};

extern const char *const keeper_state_names[];

enum keeper_event_kind {
	KEEPER_DID_BEGIN, /* the original is known */
	KEEPER_DID_WRITE,
	KEEPER_WOULD_WRITE,
	KEEPER_DID_TAKE_BACK,
	KEEPER_DID_YIELD,
	KEEPER_DID_REFUSE, /* a wish that is no setting */
	KEEPER_DID_FAIL,   /* to write */
	KEEPER_IS_ALARM,
	KEEPER_IS_UNFIT,
	KEEPER_IS_LOST,  /* the switch does not answer */
	KEEPER_IS_FOUND, /* it does again */
	KEEPER_IS_RESET, /* counters went back */
	KEEPER_IS_UNVERIFIED,
	KEEPER_DID_RESUME,
	KEEPER_DID_RELEASE, /* an original is given up, by request */
	KEEPER_DID_RELOAD,
	KEEPER_NO_RELOAD,
	KEEPER_EVENTS,
};

extern const char *const keeper_event_names[];

struct keeper_event {
	int64_t time_ns;
	enum keeper_event_kind kind;
	const struct keeper_profile *profile; /* NULL: of the whole switch */
	struct keeper_setting from, to;       /* where kinds of changes have them */
	const char *why;                      /* a sentence, maybe empty */
};

typedef void keeper_tell(void *user, const struct keeper_event *event);

enum { KEEPER_WHY_SIZE = 200, KEEPER_GUARDS = 3 };

/* What is written at the end of a step, if anything. */
enum keeper_pending { KEEPER_NOTHING, KEEPER_CHANGE, KEEPER_TAKING_BACK };

/* A profile in the keeper's care. */
struct kept {
	enum keeper_state state, after; /* after: what follows KEEPER_BACK */
	struct keeper_setting in_force, fallback;
	enum keeper_pending pending;
	struct keeper_setting next; /* of what is pending */
	int is_read;                /* in this step */
	int was_away;  /* it was not there, or not to be read, when it was looked at before */
	int is_unsure; /* a write failed: it may have come into force */
	struct keeper_counters counters;
	int64_t counted_ns; /* when these were read first */
	int has_counters, is_uncounted;
	int is_stale; /* the switch had not counted anew since */
	int is_fresh; /* the telemetry is of the interval that ended now */
	struct weir_tune_telemetry telemetry;
	double guards[KEEPER_GUARDS]; /* drops, pauses, highest queue: what is usual */
	int has_guards;
	uint64_t probation;    /* intervals that are left of it */
	int64_t unverified_ns; /* when what is to be verified was written; 0: nothing is */
	int64_t held_until_ns;
	int64_t *wrote_ns; /* the latest writes, a ring of limits.writes */
	uint64_t writes, rollbacks, refused;
	char why[KEEPER_WHY_SIZE]; /* of the last thing that happened */
};

struct keeper {
	const struct keeper_plan *plan;
	void *driver; /* opened by the caller, and closed by them */
	enum keeper_mode mode;
	const char *journal; /* path */
	keeper_tell *tell;
	void *user;
	int is_paused, is_lost, was_lost;
	int64_t now_ns, before_ns; /* of this step and the last */
	int64_t canary_since_ns;
	uint64_t steps;
	struct kept *kept;
	/* Of the plan's profiles, in their order; then those of profiles that the plan does not
	 * name, whose originals an earlier keeper left. */
	struct keeper_record *records;
	uint32_t record_count;
	/* The tuner; its rows are the profiles. */
	const struct weir_agent_ops *mind;
	const void *mind_params;
	struct tune_each each;
	struct weir_agent_env env;
	struct weir_agent_queue *queues;
	struct weir_tune_knobs *wishes;
	struct weir_tune_telemetry *telemetry;
	void *mind_state;
	size_t mind_size;
};

/* What a keeper is made of; all of it outlives the keeper. */
struct keeper_parts {
	const struct keeper_plan *plan;
	void *driver;
	enum keeper_mode mode;
	const char *journal;
	keeper_tell *tell;
	void *user;
};

void keeper_init(struct keeper *k, const struct keeper_parts *parts);
void keeper_free(struct keeper *k);

/* An interval is over. Times are not 0 and never go back. */
void keeper_step(struct keeper *k, int64_t now_ns);

/* Somebody may have changed a profile: it is looked at now, and yielded where that is so. */
void keeper_notice(struct keeper *k, uint32_t profile);

/* Takes over the originals that an earlier keeper could not put back. Before the first step. */
void keeper_adopt(struct keeper *k, const struct keeper_record *left, uint32_t count);

/* Puts the originals back; the journal keeps those that could not be. Returns how many, and how
 * many of them another call may put back at once: the switch did not answer. */
struct keeper_stopped {
	uint32_t left, unanswered;
};

struct keeper_stopped keeper_stop(struct keeper *k, keeper_restore_tell *tell, void *user);

/* Requests about one profile, by its name; -1 with a message. */

/* A profile that was yielded is the keeper's again, and its setting is its original from here on;
 * one of which there was an alarm keeps its original. Refused where values of the keeper are left
 * in what an operator changed. */
int keeper_take_again(struct keeper *k, const char *profile, struct weir_error *e);

/* The original is given up: what is in force is the operator's. */
int keeper_release(struct keeper *k, const char *profile, struct weir_error *e);

/* The original is put back although an operator changed the setting, which is theirs from then
 * on. */
int keeper_put_back(struct keeper *k, const char *profile, struct weir_error *e);

/* --- between the files of the keeper --- */

void keeper_say_of_switch(struct keeper *k, enum keeper_event_kind kind, const char *why);
void keeper_say(struct keeper *k, enum keeper_event_kind kind, uint32_t profile,
		const struct keeper_setting *from, const struct keeper_setting *to);
void keeper_why(struct kept *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Who decides, by the plan. */
void keeper_find_mind(struct keeper *k);

/* To be written when the step ends; why says why. */
void keeper_plan_write(struct keeper *k, uint32_t profile, enum keeper_pending pending,
		       const struct keeper_setting *to);
/* All that is pending: the journal once, then the switch. */
void keeper_write_pending(struct keeper *k);
int keeper_may_write(const struct keeper *k, uint32_t profile, uint64_t keep_back);
void keeper_yield(struct keeper *k, uint32_t profile, const struct keeper_setting *now);

/* The originals, on disk. */
int keeper_save(struct keeper *k, struct weir_error *e);
int keeper_find_profile(const struct keeper_plan *plan, const char *name, uint32_t *profile,
			struct weir_error *e);
void keeper_begin(struct keeper *k, uint32_t profile, const struct keeper_setting *now);

/* Guards and hardware: is the change on probation good? */
void keeper_judge(struct keeper *k, uint32_t profile, const struct keeper_counters *before);
void keeper_take_back(struct keeper *k, uint32_t profile);
#endif
