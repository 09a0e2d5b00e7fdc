/* estimate.h -- what a run will need, before it begins: memory, and packets sent over links. */
#ifndef SIM_ESTIMATE_H
#define SIM_ESTIMATE_H
#include "sim/engine.h"
#include "sim/run.h"

/* Of a flow, in all: its record while it runs and in the results, its place in lists and samples. */
enum { ESTIMATE_FLOW_BYTES = 200 };

/* Packet hops that are taken for granted in a second of one core. Small networks are faster. */
#define ESTIMATE_HOPS_PER_S 1e7

/* Memory of all that is there while a run goes on, but for packets and connections under way. */
double estimate_memory(const struct config *c, const struct network *net, uint64_t flows);

/* Flows of known size to their end; those without end as if they shared their hosts' links evenly. */
struct estimate estimate_run(const struct engine *e);

/* Refuses what is more than the machine has; the message begins with what asks for it. */
int estimate_check_memory(double bytes, const char *what, struct error *e);
#endif
