// Tells the thread sanitizer what Swift's runtime does behind its back (Scripts/sanitize preloads it).
//
// The runtime's libraries are built without the sanitizer. Where they order two threads and do not say so, it takes what the
// threads do one after the other for a race. Here it is told, in two places. This hides no race: what is in no order is
// reported as before.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define ASYNC __attribute__((swiftasynccall))
#define SELF __attribute__((swift_context)) void *

// Not there in processes without the sanitizer.
void __tsan_acquire(void *) __attribute__((weak));
void __tsan_release(void *) __attribute__((weak));

// Mutex. One that is free is taken by an atomic operation that is compiled into our code, and the sanitizer sees it. For one
// that is not, the runtime is called.

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

// Continuations. Who resumes one releases its task, and the task acquires that when it is started again. But a continuation
// that is resumed before its task has come to wait starts nothing: the task goes on, without a word to the sanitizer. All
// that was done before `resume` then seems to race with all that follows; NIO's `EventLoopFuture.get()` shows it most.

#define AWAIT "swift_continuation_await"
#define ENTER "swift_task_enterThreadLocalContext"

SWIFT void *swift_task_getCurrent(void) __attribute__((weak));

// Each start of a task comes by here: the way to the next is not looked up again.
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

// Resumed while the runtime's own was about to wait: the task is entered anew, still on its thread.
SWIFT void swift_task_enterThreadLocalContext(char *context) {
    enterNext(context);
    acquireTask();
}
