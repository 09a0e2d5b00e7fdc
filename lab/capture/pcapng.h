/* SPDX-License-Identifier: BSD-3-Clause */
/* pcapng.h -- the numbers of the capture formats, for who writes and who reads them: the IETF's
 * PCAP Next Generation (draft-ietf-opsawg-pcapng) and the older PCAP (draft-ietf-opsawg-pcap). */
#ifndef LAB_CAPTURE_PCAPNG_H
#define LAB_CAPTURE_PCAPNG_H

enum {
	CAPTURE_ETHERNET = 1, /* link type of both formats */
	PCAPNG_SECTION = 0x0a0d0d0a,
	PCAPNG_BYTE_ORDER = 0x1a2b3c4d,
	PCAPNG_INTERFACE = 1,
	PCAPNG_OLD_PACKET = 2,
	PCAPNG_SIMPLE_PACKET = 3,
	PCAPNG_PACKET = 6,
	/* options: of every block; of sections; of interfaces */
	PCAPNG_OPTION_END = 0,
	PCAPNG_OPTION_COMMENT = 1,
	PCAPNG_OPTION_PROGRAM = 4,
	PCAPNG_OPTION_NAME = 2,
	PCAPNG_OPTION_TIME_UNIT = 9,
	PCAPNG_OPTION_FCS_BYTES = 13,
	PCAPNG_OPTION_TIME_OFFSET = 14,
};
#endif
