// Replaces a program's wall clock with one that a test sets (clock.py preloads this library).
//
// The mapped file WALL_CLOCK contains the difference from the system's clock in nanoseconds. Clocks that can't be set, and all
// timers, are unchanged; libfaketime would shift timers, too. A timer that is canceled when the clock is set
// (timerfd_create(2)) is canceled when the difference changes.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static _Atomic int64_t *difference;
static _Atomic int canceled = -1;

__attribute__((constructor)) static void start(void) {
    int file = open(getenv("WALL_CLOCK"), O_RDONLY | O_CLOEXEC);
    void *mapped = mmap(NULL, sizeof *difference, PROT_READ, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) abort();
    close(file);
    difference = mapped;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*next)(clockid_t, struct timespec *);
    if (!next) next = dlsym(RTLD_NEXT, "clock_gettime");
    int result = next(clock, time);
    if (result || !difference || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
    int64_t moment = time->tv_sec * 1000000000LL + time->tv_nsec + atomic_load(difference);
    *time = (struct timespec){moment / 1000000000, moment % 1000000000};
    return 0;
}

int gettimeofday(struct timeval *time, void *zone) {
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    *time = (struct timeval){precise.tv_sec, precise.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *result) {
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    if (result) *result = precise.tv_sec;
    return precise.tv_sec;
}

int timerfd_settime(int timer, int flags, const struct itimerspec *new, struct itimerspec *old) {
    static int (*next)(int, int, const struct itimerspec *, struct itimerspec *);
    if (!next) next = dlsym(RTLD_NEXT, "timerfd_settime");
    if (flags & TFD_TIMER_CANCEL_ON_SET) atomic_store(&canceled, timer);
    return next(timer, flags, new, old);
}

ssize_t read(int file, void *buffer, size_t size) {
    static ssize_t (*next)(int, void *, size_t);
    if (!next) next = dlsym(RTLD_NEXT, "read");
    if (file < 0 || file != atomic_load(&canceled)) return next(file, buffer, size);
    for (int64_t former = atomic_load(difference); former == atomic_load(difference);) usleep(5000);
    errno = ECANCELED;
    return -1;
}
