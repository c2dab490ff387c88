// Tells the thread sanitizer what Swift's Mutex does where it has to wait (Scripts/sanitize preloads it).
//
// A Mutex that is free is taken by an atomic operation that is compiled into our code, and the sanitizer sees it. For one
// that is not, the runtime's own library is called, which is built without the sanitizer: it sees nothing, and takes
// whatever two threads do one after the other under that lock for a race. Here it is told that the lock was taken or given.
// This hides no race: what is not done under one lock is reported as before.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Not there in processes without the sanitizer.
void __tsan_acquire(void *) __attribute__((weak));
void __tsan_release(void *) __attribute__((weak));

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
