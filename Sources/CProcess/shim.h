#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Swift's Glibc module is built without _GNU_SOURCE and doesn't declare these functions. */
int pipe2(int ends[2], int flags);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);

/* Returns a descriptor that becomes readable when the process ends. glibc before 2.36 has no such function. */
static inline int process_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

/* Lowers the soft and the hard limit of another process; never raises them. */
static inline int process_limit(pid_t pid, int resource, unsigned long long value) {
    unsigned long long limit[2]; /* soft and hard: the kernel's rlimit64 */
    if (syscall(SYS_prlimit64, pid, resource, (void *)0, limit)) return -1;
    if (limit[1] > value) limit[1] = value;
    if (limit[0] > limit[1]) limit[0] = limit[1];
    return (int)syscall(SYS_prlimit64, pid, resource, limit, (void *)0);
}
