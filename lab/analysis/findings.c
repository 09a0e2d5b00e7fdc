/* SPDX-License-Identifier: BSD-3-Clause */
/* findings.c -- verdicts as text, counted; see findings.h. */
#include "lab/analysis/findings.h"
#include "base/text.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

static char *measured_words(const struct verdict *v)
{
	char *text = NULL;

	if (v->kind >= VERDICT_OTHER_SIZE)
		return text_copy("");
	if (v->over.count)
		text_print(&text, "%s, %u seed%s (%s over %s)",
			   measured_text(&v->value, v->unit).text, v->value.count,
			   v->value.count == 1 ? "" : "s",
			   measured_text(&v->of, v->metric_unit).text,
			   measured_text(&v->over, v->metric_unit).text);
	else
		text_print(&text, "%s, %u seed%s", measured_text(&v->value, v->unit).text,
			   v->value.count, v->value.count == 1 ? "" : "s");
	return text;
}

void findings_add(struct findings *o, const struct finding *f)
{
	o->all = memory_grow(o->all, o->count + UINT64_C(1), sizeof(*o->all));
	o->all[o->count++] = *f;
}

void findings_make(struct findings *o, const struct figure *f, const struct verdict *verdicts)
{
	*o = (struct findings){ .version = "" };
	for (uint32_t i = 0; i < f->claim_count; i++) {
		const struct verdict *v = &verdicts[i];
		int is_doubtful = v->kind < VERDICT_OTHER_SIZE && v->is_doubtful;

		findings_add(
			o,
			&(struct finding){
				.claim = text_copy(f->claims[i].name),
				.kind = v->kind,
				.by_number = v->kind < VERDICT_OTHER_SIZE ? v->by_number : v->kind,
				.measured = measured_words(v),
				.doubt = text_copy(is_doubtful ? health_text(&v->health).text : ""),
			});
	}
	findings_count(o, f);
}

void findings_free(struct findings *o)
{
	for (uint32_t i = 0; i < o->count; i++) {
		free(o->all[i].claim);
		free(o->all[i].measured);
		free(o->all[i].doubt);
	}
	free(o->all);
	*o = (struct findings){ .version = "" };
}

const struct finding *findings_find(const struct findings *o, const char *claim)
{
	for (uint32_t i = 0; i < o->count; i++)
		if (strcmp(o->all[i].claim, claim) == 0)
			return &o->all[i];
	return NULL;
}

void findings_count(struct findings *o, const struct figure *f)
{
	struct verdict *verdicts =
		memory_zeroed(f->claim_count + UINT64_C(1), sizeof(struct verdict));

	for (uint32_t i = 0; i < f->claim_count; i++) {
		const struct finding *one = findings_find(o, f->claims[i].name);

		verdicts[i].kind = one ? one->kind : VERDICT_NOT_MEASURED;
	}
	o->claims = verdict_count(f, verdicts);
	o->sentences = verdict_count_sentences(f, verdicts);
	o->whys = why_count(f, verdicts);
	free(verdicts);
}
