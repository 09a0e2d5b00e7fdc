/* SPDX-License-Identifier: BSD-3-Clause */
/* port_change.h -- may the settings of a port's marking change while it holds packets? */
#ifndef CONFIG_PORT_CHANGE_H
#define CONFIG_PORT_CHANGE_H
#include "weir/port.h"

/* Does a scheme's state begin otherwise with the other settings? Then some of them are in it and
 * cannot be changed by changing the settings. */
int port_begins_otherwise(const struct weir_port_class *a, const struct weir_port_class *b);
#endif
