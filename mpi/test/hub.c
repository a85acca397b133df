/*
 * A network whose messages take as long as one likes, for nodes.sh: a hub that holds every frame.
 *
 *	hub SECONDS NAMESPACE…
 *
 * Each network namespace gets an interface eth0 with the address 02:00:00:00:00:NN, NN from 0 on in
 * the order of the arguments. It writes a line when all are there, and ends when it is killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_NODES = 64, MAX_FRAMES = 1 << 14, MAX_BYTES = 2048 };

/* The frames that are held, in a ring: the delay is one, so the first to come is the first to go.
 */
static struct frame {
	double due;
	int from;
	ssize_t bytes;
	unsigned char content[MAX_BYTES];
} frames[MAX_FRAMES];
static unsigned first, last; /* numbers of the oldest one, and of the next */

static struct pollfd nodes[MAX_NODES];
static int count;

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* interface_in returns a descriptor for eth0 in a namespace, or -1. */
static int interface_in(const char *namespace, int number) {
	struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI, .ifr_name = "eth0"};
	int it = open(namespace, O_RDONLY), tap;
	if (it < 0 || setns(it, CLONE_NEWNET) != 0)
		return -1;
	close(it);
	tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
	if (tap < 0 || ioctl(tap, TUNSETIFF, &request) != 0)
		return -1;
	request.ifr_hwaddr.sa_family = 1; /* ARPHRD_ETHER */
	memcpy(request.ifr_hwaddr.sa_data, (char[]){2, 0, 0, 0, 0, (char)number}, 6);
	return ioctl(tap, SIOCSIFHWADDR, &request) == 0 ? tap : -1;
}

/* deliver sends a frame to the node of its address, or to all but its own. */
static void deliver(const struct frame *f) {
	for (int i = 0; i < count; i++)
		if (i != f->from && (f->content[0] & 1 || f->content[5] == i) &&
		    write(nodes[i].fd, f->content, (size_t)f->bytes) < 0 && errno != EIO)
			perror("hub");
}

int main(int argc, char **argv) {
	double delay = argc > 1 ? strtod(argv[1], NULL) : 0;
	for (int i = 2; i < argc && count < MAX_NODES; i++, count++) {
		nodes[count] = (struct pollfd){.fd = interface_in(argv[i], count), .events = POLLIN};
		if (nodes[count].fd < 0) {
			fprintf(stderr, "hub: cannot make an interface in %s: %s\n", argv[i], strerror(errno));
			return 2;
		}
	}
	puts("ready");
	fflush(stdout);
	for (;;) {
		double left = first == last ? 1 : frames[first % MAX_FRAMES].due - now();
		struct timespec t = {.tv_nsec = left > 0 && left < 1 ? (long)(left * 1e9) : 0};
		t.tv_sec = left >= 1;
		ppoll(nodes, (nfds_t)count, &t, NULL);
		for (int i = 0; i < count; i++)
			while (last - first < MAX_FRAMES) {
				struct frame *f = &frames[last % MAX_FRAMES];
				f->bytes = read(nodes[i].fd, f->content, MAX_BYTES);
				if (f->bytes <= 0)
					break;
				f->from = i;
				f->due = now() + delay;
				last++;
			}
		while (first != last && frames[first % MAX_FRAMES].due <= now())
			deliver(&frames[first++ % MAX_FRAMES]);
	}
}
