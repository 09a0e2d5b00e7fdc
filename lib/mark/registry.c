/* SPDX-License-Identifier: BSD-3-Clause */
/* registry.c -- the marking schemes, one line each; and none, which has no code. */
#include "weir/mark.h"
#include "base/registry.h"

extern const struct weir_mark_ops weir_mark_ecn, weir_mark_red, weir_mark_tcn, weir_mark_codel,
	weir_mark_mq_ecn, weir_mark_ideal_ecn, weir_mark_ecn_sharp, weir_mark_bcc, weir_mark_ared,
	weir_mark_pie, weir_mark_pftcn, weir_mark_diffecn, weir_mark_pred;

/* Drop-tail: the baseline of every comparison. */
static const struct weir_mark_ops mark_none = {
	.scheme = {
		.name = "none",
		.help = "marks nothing: packets are lost when the buffer is full",
		.cite = "drop-tail; baseline of every comparison",
	},
};

const struct weir_mark_ops *const weir_mark_all[] = {
	&mark_none,           &weir_mark_ecn,       &weir_mark_red,
	&weir_mark_tcn,       &weir_mark_codel,     &weir_mark_mq_ecn,
	&weir_mark_ideal_ecn, &weir_mark_ecn_sharp, &weir_mark_bcc,
	&weir_mark_ared,      &weir_mark_pie,       &weir_mark_pftcn,
	&weir_mark_diffecn,   &weir_mark_pred,      NULL,
};

const struct registry weir_mark_registry = REGISTRY("marking", weir_mark_all);

const struct weir_mark_ops *weir_mark_find(const char *name)
{
	return weir_registry_find(&weir_mark_registry, name);
}

int weir_mark_parse(const char *spec, const struct weir_mark_ops **ops, void *params,
		    struct weir_error *e)
{
	*ops = weir_registry_parse(&weir_mark_registry, spec, params, e);
	return *ops ? 0 : -1;
}
