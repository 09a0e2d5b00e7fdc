/* pcap.h -- what passes a port as a capture that Wireshark opens: pcapng, nanosecond times.
 *
 * Packets are written as Ethernet, IPv4 and TCP headers without their payload. Host n is
 * 10.x.y.z with n in the lower 24 bits, and 02:00:00:xx:yy:zz; a connection's ports are made from
 * the number of its flow; sequence numbers count bytes, an MSS for each segment. The time is when
 * the packet starts on the wire. ECN bits are in the IP header as the port left them. */
#ifndef LAB_PCAP_H
#define LAB_PCAP_H
#include "lab/output.h"
#include "sim/run.h"

struct pcap {
	struct output output;
	char *port;
	uint32_t mss_bytes;
	uint64_t packets;
};

/* Reads "PORT=FILE" and opens the file for the port. */
int pcap_open(struct pcap *p, const char *port_and_file, struct error *e);

/* To be put into run_control; p->mss_bytes must be set. */
struct tap pcap_tap(struct pcap *p);

/* The file appears whole, or not at all. */
int pcap_publish(struct pcap *p, struct error *e);
void pcap_abandon(struct pcap *p);
#endif
