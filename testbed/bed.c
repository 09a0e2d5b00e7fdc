/* SPDX-License-Identifier: BSD-3-Clause */
/* bed.c -- network namespaces, veth pairs and host processes of a testbed. Contract in bed.h. */
#define _GNU_SOURCE
#include "testbed/bed.h"
#include "testbed/host.h"
#include "weir/units.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { READY_MS_MAX = 5000 }; /* time for hosts to become ready, in milliseconds */

/* --- helpers --- */

/* Runs a batch of ip(8) commands, one per line, in this process's namespace. */
static int bed_ip_batch(const char *commands, struct weir_error *e)
{
	int in[2], out[2], status = -1;
	char said[BED_MESSAGE] = "";
	ssize_t length;
	pid_t ip;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return weir_error_set(e, "no pipe: %s", strerror(errno));
	ip = fork();
	if (ip == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		dup2(out[1], STDERR_FILENO);
		execlp("ip", "ip", "-batch", "-", (char *)NULL);
		dprintf(STDERR_FILENO, "cannot run ip (package iproute2): %s", strerror(errno));
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	length = write(in[1], commands, strlen(commands));
	close(in[1]);
	if (length >= 0)
		length = read(out[0], said, sizeof(said) - 1);
	said[length > 0 ? length : 0] = '\0';
	said[strcspn(said, "\n")] = '\0';
	close(out[0]);
	if (ip > 0)
		waitpid(ip, &status, 0);
	return status == 0 ? 0 : weir_error_set(e, "ip: %s", said);
}

/* Appends one formatted command line. */
static void bed_add_command(FILE *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void bed_add_command(FILE *f, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	vfprintf(f, format, values);
	va_end(values);
	fputc('\n', f);
}

/* Sets sysctls of the namespace; those that this kernel lacks are skipped. */
static void bed_set_sysctls(const char *name, const char *value)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/proc/sys/net/%s", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, value, strlen(value)) < 0)
		errno = 0;
	close(fd);
}

/* Turns offloads off, so that frames on the veth pair look as on a cable: segmented and checksummed
 * by the sender, not coalesced by the receiver. */
static void bed_set_offloads(const char *interface)
{
	static const uint32_t commands[] = { ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO,
					     ETHTOOL_STXCSUM, ETHTOOL_SRXCSUM };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		struct ethtool_value value = { commands[i], 0 };
		struct ifreq request = { .ifr_data = (char *)&value };

		strncpy(request.ifr_name, interface, IFNAMSIZ - 1);
		ioctl(fd, SIOCETHTOOL, &request);
	}
	close(fd);
}

const char *bed_address(uint32_t host, char buffer[BED_ADDRESS])
{
	snprintf(buffer, BED_ADDRESS, "02:00:00:00:00:%02x", (host + 1) & 0xff);
	return buffer;
}

/* --- a host --- */

static int bed_configure_host(const struct bed *bed, uint32_t host, const struct bed_plan *plan,
			      struct weir_error *e)
{
	char *commands = NULL, address[BED_ADDRESS];
	size_t size = 0;
	FILE *f = open_memstream(&commands, &size);
	int failed;

	bed_set_sysctls("ipv6/conf/all/disable_ipv6", "1");
	bed_set_sysctls("ipv4/tcp_ecn", plan->has_ecn ? "1" : "0");
	bed_set_sysctls("ipv4/tcp_ecn_fallback", "0");
	bed_set_sysctls("ipv4/tcp_timestamps", plan->has_timestamps ? "1" : "0");
	bed_set_sysctls("ipv4/tcp_no_metrics_save", "1");
	bed_set_sysctls("ipv4/tcp_slow_start_after_idle", plan->has_idle_restart ? "1" : "0");
	bed_set_sysctls("ipv4/tcp_early_retrans", plan->has_tail_probe ? "3" : "0");
	bed_set_sysctls("ipv4/tcp_pacing_ca_ratio", "1000"); /* pacing by the link rate only */
	bed_set_sysctls("ipv4/tcp_pacing_ss_ratio", "1000");
	bed_set_sysctls("ipv4/tcp_rmem", "4096 4194304 33554432");
	bed_set_sysctls("ipv4/tcp_wmem", "4096 1048576 33554432");
	bed_set_sysctls("ipv4/ip_local_port_range", "10000 65000");
	bed_add_command(f, "link set lo up");
	bed_add_command(f, "link set eth0 address %s mtu %u gso_max_segs 1",
			bed_address(host, address), plan->mtu_bytes);
	bed_add_command(f, "addr add 10.77.0.%u/32 dev eth0", host + 1);
	bed_add_command(f, "link set eth0 up");
	bed_add_command(f, "route add 10.77.0.0/24 dev eth0 initcwnd %u rto_min %ums%s",
			plan->initial_window_pkts, plan->rto_min_ms,
			plan->acks_each ? " quickack 1" : "");
	for (uint32_t i = 0; i < bed->board->host_count; i++)
		if (i != host)
			bed_add_command(f, "neigh add 10.77.0.%u lladdr %s dev eth0 nud permanent",
					i + 1, bed_address(i, address));
	fclose(f);
	bed_set_offloads("eth0");
	failed = bed_ip_batch(commands, e);
	free(commands);
	return failed;
}

/* Main function of a host process, which enters a namespace of its own as soon as the pipe delivers
 * its first byte. */
static _Noreturn void bed_host_main(struct bed *bed, uint32_t host, const struct bed_plan *plan,
				    const int *pipe)
{
	struct bed_host *self = &bed->board->hosts[host];
	struct weir_error e = { .text = "cannot create its network namespace" };
	char byte = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_IGN); /* the parent decides when hosts end */
	signal(SIGHUP, SIG_IGN);
	if (!unshare(CLONE_NEWNET) && write(pipe[1], &byte, 1) == 1) {
		while (!if_nametoindex("eth0"))
			usleep(WEIR_NS_PER_US);
		if (!bed_configure_host(bed, host, plan, &e))
			testbed_host_run(bed->board, host, &e);
	}
	snprintf(self->message, sizeof(self->message), "%s", e.text);
	atomic_store(&self->is_ready, 2);
	_exit(1);
}

/* --- all hosts --- */

int bed_new(struct bed *bed, uint32_t flows, uint32_t bins, struct weir_error *e)
{
	*bed = (struct bed){ .board_bytes = sizeof(struct bed_board) +
					    flows * sizeof(struct bed_flow) +
					    bins * sizeof(uint64_t) };
	bed->board = mmap(NULL, bed->board_bytes, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (bed->board == MAP_FAILED) {
		bed->board = NULL;
		return weir_error_set(e, "no memory for %u flows: %s", flows, strerror(errno));
	}
	bed->board->flow_count = flows;
	return 0;
}

void bed_free(struct bed *bed)
{
	for (uint32_t i = 0; i < BED_HOSTS_MAX; i++)
		if (bed->processes[i] > 0) {
			kill(bed->processes[i], SIGKILL);
			waitpid(bed->processes[i], NULL, 0);
		}
	if (bed->board)
		munmap(bed->board, bed->board_bytes);
}

static int bed_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int failed = fd < 0 || write(fd, text, strlen(text)) < 0;

	if (fd >= 0)
		close(fd);
	return failed ? -1 : 0;
}

/* Without privileges: a user namespace, in which this process is root over its own network
 * namespaces only. */
static int bed_enter_as_user(void)
{
	char map[64];
	unsigned user = (unsigned)geteuid(), group = (unsigned)getegid();

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return -1;
	bed_write_file("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", user);
	if (bed_write_file("/proc/self/uid_map", map))
		return -1;
	snprintf(map, sizeof(map), "0 %u 1", group);
	return bed_write_file("/proc/self/gid_map", map);
}

int bed_enter(struct weir_error *e)
{
	if (unshare(CLONE_NEWNET) && (errno != EPERM || bed_enter_as_user()))
		return weir_error_set(
			e,
			"cannot create a network namespace (%s): this needs root, CAP_SYS_ADMIN, "
			"or user namespaces (user.max_user_namespaces); 'weir run' of the same "
			"file needs no privileges",
			strerror(errno));
	bed_set_sysctls("ipv6/conf/all/disable_ipv6", "1");
	bed_set_sysctls("ipv6/conf/default/disable_ipv6", "1");
	return 0;
}

static int bed_wait_until_ready(const struct bed *bed, struct weir_error *e)
{
	for (uint32_t i = 0; i < bed->board->host_count; i++) {
		const struct bed_host *h = &bed->board->hosts[i];

		for (int n = 0; n < READY_MS_MAX && !atomic_load(&h->is_ready); n++)
			usleep(WEIR_NS_PER_US);
		if (atomic_load(&h->is_ready) != 1)
			return weir_error_set(e, "host h%u did not start: %s", i,
					      h->message[0] ? h->message : "no message");
	}
	return 0;
}

/* Starts the host processes; each has its namespace when this returns. */
static int bed_start_hosts(struct bed *bed, const struct bed_plan *plan, struct weir_error *e)
{
	int pipe[2];
	char byte;

	if (pipe2(pipe, O_CLOEXEC))
		return weir_error_set(e, "no pipe: %s", strerror(errno));
	fflush(NULL); /* otherwise every child would print buffered output again */
	for (uint32_t i = 0; i < bed->board->host_count; i++) {
		bed->processes[i] = fork();
		if (bed->processes[i] == 0)
			bed_host_main(bed, i, plan, pipe);
	}
	close(pipe[1]);
	for (uint32_t i = 0; i < bed->board->host_count; i++)
		if (bed->processes[i] < 0 || read(pipe[0], &byte, 1) != 1) {
			close(pipe[0]);
			return weir_error_set(e, "cannot create a host's network namespace");
		}
	close(pipe[0]);
	return 0;
}

int bed_start(struct bed *bed, const struct bed_plan *plan, struct weir_error *e)
{
	char *commands = NULL, name[2 * IFNAMSIZ];
	size_t size = 0;
	FILE *f;
	int failed;

	if (bed_start_hosts(bed, plan, e))
		return -1;
	f = open_memstream(&commands, &size);
	bed_add_command(f, "link set lo up");
	for (uint32_t i = 0; i < bed->board->host_count; i++) {
		bed_add_command(f,
				"link add " BED_INTERFACE
				"%u mtu %u type veth peer name eth0 mtu %u netns %d",
				i, plan->mtu_bytes, plan->mtu_bytes, (int)bed->processes[i]);
		bed_add_command(f, "link set " BED_INTERFACE "%u up", i);
	}
	fclose(f);
	failed = bed_ip_batch(commands, e);
	free(commands);
	if (failed)
		return -1;
	for (uint32_t i = 0; i < bed->board->host_count; i++) {
		snprintf(name, sizeof(name), BED_INTERFACE "%u", i);
		bed_set_offloads(name);
	}
	return bed_wait_until_ready(bed, e);
}

int bed_is_whole(const struct bed *bed, struct weir_error *e)
{
	for (uint32_t i = 0; i < bed->board->host_count; i++)
		if (waitpid(bed->processes[i], NULL, WNOHANG) != 0) {
			weir_error_set(e, "host h%u ended: %s", i, bed->board->hosts[i].message);
			return 0;
		}
	return 1;
}
