#include <avahi-client/client.h>
#include <avahi-client/lookup.h>
#include <avahi-client/publish.h>
#include <avahi-common/alternative.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <avahi-common/strlst.h>
#include <avahi-common/thread-watch.h>

// The poll thread also waits for a wake-up, a monotonic timer, and changes of interfaces and routes. Swift's Glibc
// module doesn't contain these headers.
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

static inline int lamplighter_bind_netlink(int fd, unsigned groups) {
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
    return bind(fd, (const struct sockaddr *)&address, sizeof address);
}
