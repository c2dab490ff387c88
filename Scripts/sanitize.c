// Reports synchronization in Swift's runtime to the thread sanitizer (Scripts/sanitize preloads it).
//
// The runtime's libraries are built without the sanitizer. If they order two threads, the sanitizer doesn't notice it and
// reports a race. This file reports the order in two places. It hides no races: unordered accesses are still reported.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define ASYNC __attribute__((swiftasynccall))
#define SELF __attribute__((swift_context)) void *

// Missing in processes without the sanitizer.
void __tsan_acquire(void *) __attribute__((weak));
void __tsan_release(void *) __attribute__((weak));

// Mutex. An atomic operation in the project's code, which the sanitizer sees, acquires a free mutex. Otherwise the runtime is
// called.

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock(uint32_t thread, SELF handle) __asm__(LOCK);
SWIFT bool try(SELF handle) __asm__(TRY);
SWIFT void unlock(SELF handle) __asm__(UNLOCK);

SWIFT void lock(uint32_t thread, SELF handle) {
    SWIFT void (*next)(uint32_t, SELF) = dlsym(RTLD_NEXT, LOCK);
    next(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT bool try(SELF handle) {
    SWIFT bool (*next)(SELF) = dlsym(RTLD_NEXT, TRY);
    bool taken = next(handle);
    if (taken && __tsan_acquire) __tsan_acquire(handle);
    return taken;
}

SWIFT void unlock(SELF handle) {
    SWIFT void (*next)(SELF) = dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(handle);
    next(handle);
}

// Continuations. Resuming a continuation releases its task, and the task acquires it when it starts again. But if a
// continuation is resumed before its task waits, the task continues without notifying the sanitizer. Everything before
// `resume` then seems to race with everything after it, for example in NIO's `EventLoopFuture.get()`.

#define AWAIT "swift_continuation_await"
#define ENTER "swift_task_enterThreadLocalContext"

SWIFT void *swift_task_getCurrent(void) __attribute__((weak));

// Every start of a task uses these functions, so they are looked up only once.
static ASYNC void (*awaitNext)(void *);
static SWIFT void (*enterNext)(char *);

__attribute__((constructor)) static void find(void) {
    awaitNext = dlsym(RTLD_NEXT, AWAIT);
    enterNext = dlsym(RTLD_NEXT, ENTER);
}

static void acquireTask(void) {
    void *task = swift_task_getCurrent ? swift_task_getCurrent() : 0;
    if (task && __tsan_acquire) __tsan_acquire(task);
}

// Resumed before this call.
ASYNC void swift_continuation_await(void *continuation) {
    acquireTask();
    __attribute__((musttail)) return awaitNext(continuation);
}

// Resumed while the runtime's function was about to wait: the task is entered again, still on its thread.
SWIFT void swift_task_enterThreadLocalContext(char *context) {
    enterNext(context);
    acquireTask();
}
