/* SPDX-License-Identifier: BSD-3-Clause */
/* keeper.h -- a state machine per ECN profile of a switch: reads it, asks the tuner, and writes
 * what the limits allow.
 *
 * The keeper has no clock: its caller, a daemon or a test, calls keeper_step once per control
 * interval and passes the time. Everything that happens is reported as an event.
 *
 * A step is one iteration of a reconciliation loop. It first reads every profile and its counters.
 * If a setting has drifted from the one that the keeper wrote, an operator changed it, and the
 * profile is the operator's from then on: the keeper yields and does not write it back. A change is
 * on probation for some intervals: the keeper rolls it back if drops, pauses or the longest queue
 * get worse, or if the hardware does not apply it. Then the keeper asks the tuner for its next
 * desired settings. */
#ifndef KEEPER_CORE_KEEPER_H
#define KEEPER_CORE_KEEPER_H
#include "keeper/core/originals.h"
#include "lib/tune/meter.h"

enum keeper_mode { KEEPER_LIVE, KEEPER_DRY };

enum keeper_state {
	KEEPER_NEW,       /* not read yet */
	KEEPER_TUNED,     /* the tuner's desired settings are written */
	KEEPER_ROLLBACK,  /* a change is being rolled back */
	KEEPER_HOLD_DOWN, /* hold-down: no changes for a while after a rollback */
	KEEPER_OPERATOR,  /* an operator changed it, and owns it */
	KEEPER_ALARM,     /* the hardware did not apply the setting: waits for an operator */
	KEEPER_UNMANAGED, /* missing, malformed, ECN off, or outside its limits */
	KEEPER_STATES,
};

extern const char *const keeper_state_names[];

enum keeper_event_kind {
	KEEPER_DID_BEGIN, /* the original was read and journalled */
	KEEPER_DID_WRITE,
	KEEPER_WOULD_WRITE,
	KEEPER_DID_ROLL_BACK,
	KEEPER_DID_YIELD,
	KEEPER_DID_REFUSE, /* the tuner asked for an invalid setting */
	KEEPER_DID_FAIL,   /* to write */
	KEEPER_IS_ALARM,
	KEEPER_IS_UNFIT,
	KEEPER_IS_LOST,  /* the switch does not answer */
	KEEPER_IS_FOUND, /* the switch answers again */
	KEEPER_IS_RESET, /* counters decreased */
	KEEPER_IS_UNVERIFIED,
	KEEPER_DID_RESUME,
	KEEPER_DID_RELEASE, /* an original was released by request */
	KEEPER_DID_RELOAD,
	KEEPER_NO_RELOAD,
	KEEPER_EVENTS,
};

extern const char *const keeper_event_names[];

struct keeper_event {
	int64_t time_ns;
	enum keeper_event_kind kind;
	const struct keeper_profile *profile; /* NULL: the event is about the whole switch */
	struct keeper_setting from, to;       /* of changes; otherwise zero */
	const char *why;                      /* a sentence, maybe empty */
};

typedef void keeper_event_handler(void *user, const struct keeper_event *event);

enum { KEEPER_WHY_SIZE = 200, KEEPER_GUARDS = 3 };

/* The write that is scheduled for the end of the step. */
enum keeper_pending { KEEPER_PENDING_NONE, KEEPER_PENDING_CHANGE, KEEPER_PENDING_ROLLBACK };

/* What the keeper knows of a profile. */
struct profile_state {
	enum keeper_state state, after; /* after: the state that follows KEEPER_ROLLBACK */
	struct keeper_setting in_force, fallback;
	enum keeper_pending pending;
	struct keeper_setting next; /* the setting of the pending write */
	int is_read;                /* the setting was read in this step */
	int was_away;               /* it could not be read the time before */
	int is_unsure;              /* a write failed, and may be in force nevertheless */
	struct keeper_counters counters;
	int64_t counted_ns; /* when the counters were first read with these values */
	int has_counters, is_uncounted;
	int is_stale; /* the switch has not updated its counters since */
	int is_fresh; /* the telemetry is of the interval that just ended */
	struct weir_tune_telemetry telemetry;
	double guards[KEEPER_GUARDS]; /* baselines of drops, pauses and longest queue */
	int has_guards;
	uint64_t probation;    /* intervals left */
	int64_t unverified_ns; /* when the setting to verify was written; 0: none is unverified */
	int64_t held_until_ns;
	int64_t *wrote_ns; /* times of the latest writes; a ring of limits.writes entries */
	uint64_t writes, rollbacks, refused;
	char why[KEEPER_WHY_SIZE]; /* the reason for the latest event */
};

struct keeper {
	const struct keeper_plan *plan;
	void *driver; /* the caller opens and closes it */
	enum keeper_mode mode;
	const char *journal; /* path */
	keeper_event_handler *on_event;
	void *user;
	int is_paused, is_lost, was_lost;
	int64_t now_ns, before_ns; /* times of this step and of the previous one */
	int64_t canary_since_ns;
	uint64_t steps;
	struct profile_state *profiles;
	/* Records of the plan's profiles in their order, followed by records of an earlier keeper
	 * whose profiles the plan does not name. */
	struct keeper_record *records;
	uint32_t record_count;
	/* The tuner; its rows are the profiles. */
	const struct weir_agent_ops *tuner;
	const void *tuner_params;
	struct tune_per_queue each;
	struct weir_agent_env env;
	struct weir_agent_queue *queues;
	struct weir_tune_knobs *desired;
	struct weir_tune_telemetry *telemetry;
	void *tuner_state;
	size_t tuner_size;
};

/* All of it must outlive the keeper. */
struct keeper_parts {
	const struct keeper_plan *plan;
	void *driver;
	enum keeper_mode mode;
	const char *journal;
	keeper_event_handler *on_event;
	void *user;
};

void keeper_init(struct keeper *k, const struct keeper_parts *parts);
void keeper_free(struct keeper *k);

/* One control interval has passed. now_ns is above 0 and never decreases. */
void keeper_step(struct keeper *k, int64_t now_ns);

/* Reads a profile that may have been changed, and yields it to the operator if it was. */
void keeper_check_profile(struct keeper *k, uint32_t profile);

/* Takes over the originals that an earlier keeper could not restore. Before the first step. */
void keeper_adopt(struct keeper *k, const struct keeper_record *left, uint32_t count);

/* Restores the originals; the journal keeps those that could not be restored. Returns how many are
 * left, and how many of these may succeed on retry because the switch did not answer. */
struct keeper_stopped {
	uint32_t left, unanswered;
};

struct keeper_stopped keeper_stop(struct keeper *k, keeper_restore_handler *on_restored,
				  void *user);

/* --- requests about one profile, by its name; -1 with a message --- */

/* The keeper manages the profile again. If it was yielded to an operator, its present setting
 * becomes its original; after an alarm it keeps its original. Refused if some of the keeper's
 * values are left in a setting that an operator changed. */
int keeper_resume_profile(struct keeper *k, const char *profile, struct weir_error *e);

/* Gives up the original: the setting in force is the operator's. */
int keeper_release_profile(struct keeper *k, const char *profile, struct weir_error *e);

/* Restores the original although an operator changed the setting; the profile is the operator's
 * from then on. */
int keeper_restore_profile(struct keeper *k, const char *profile, struct weir_error *e);

/* --- replacing the plan while the keeper runs --- */

/* -1 with a message: the next plan cannot replace the present one while the keeper runs, because
 * driver, journal, socket or HTTP port differ. */
int keeper_reload_check(const struct keeper_plan *now, const struct keeper_plan *next,
			struct weir_error *e);

/* Restores the originals of profiles that the next plan does not name, and continues with the next
 * plan and a driver that was opened for it. The previous plan and driver are the caller's again.
 * -1: an original could not be restored, and nothing has changed. */
int keeper_reload(struct keeper *k, const struct keeper_plan *next, void *driver,
		  struct weir_error *e);

/* --- between the files of the keeper --- */

void keeper_report_switch(struct keeper *k, enum keeper_event_kind kind, const char *why);
void keeper_report_profile(struct keeper *k, enum keeper_event_kind kind, uint32_t profile,
			   const struct keeper_setting *from, const struct keeper_setting *to);
void keeper_set_reason(struct profile_state *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* --- apply.c --- */

/* Sets the tuner of the plan; one that tunes a single queue is applied to each profile. */
void keeper_find_tuner(struct keeper *k);

/* Asks the tuner for its desired settings, and schedules writes of those that limits, canaries and
 * probation allow. */
void keeper_tune(struct keeper *k);

/* Schedules a write for the end of the step; the profile's why is its reason. */
void keeper_schedule_write(struct keeper *k, uint32_t profile, enum keeper_pending pending,
			   const struct keeper_setting *to);
/* Performs all scheduled writes: the journal once, then the switch. */

void keeper_write_pending(struct keeper *k);

/* Does the rate limit allow a write that leaves keep_back of the minute's writes for rollbacks? */
int keeper_may_write(const struct keeper *k, uint32_t profile, uint64_t keep_back);

/* --- keeper.c --- */

/* An operator changed the setting to now. */
void keeper_yield(struct keeper *k, uint32_t profile, const struct keeper_setting *now);

/* Saves the originals, unless in a dry run. */
int keeper_save_journal(struct keeper *k, struct weir_error *e);
int keeper_find_profile(const struct keeper_plan *plan, const char *name, uint32_t *profile,
			struct weir_error *e);

/* Starts to manage a profile; its present setting is its original. */
void keeper_manage_profile(struct keeper *k, uint32_t profile, const struct keeper_setting *now);

/* --- apply.c: guards --- */

/* Compares a change on probation with the baselines and with the hardware's state. */
void keeper_guard(struct keeper *k, uint32_t profile, const struct keeper_counters *before);

/* Schedules the rollback of a profile in KEEPER_ROLLBACK, once per step until it is done. */
void keeper_rollback(struct keeper *k, uint32_t profile);
void keeper_end_rollback(struct keeper *k, uint32_t profile);
#endif
