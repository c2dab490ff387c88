"""Runs PROGRAM ARGUMENTS... without access to netlink sockets, as RestrictAddressFamilies= without AF_NETLINK does."""

import ctypes
import errno
import os
import platform
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
AF_NETLINK = 16
SOCKET = {"x86_64": 41, "aarch64": 198}[platform.machine()]
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050000 | errno.EAFNOSUPPORT

# seccomp(2): the number of the system call is at 0, its first argument at 16.
steps = [(LOAD, 0, 0, 0), (JUMP_IF_EQUAL, 0, 3, SOCKET), (LOAD, 0, 0, 16), (JUMP_IF_EQUAL, 0, 1, AF_NETLINK),
         (RETURN, 0, 0, FAIL), (RETURN, 0, 0, ALLOW)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
program = ctypes.create_string_buffer(struct.pack("HP", len(steps), ctypes.addressof(code)))
libc = ctypes.CDLL(None, use_errno=True)
for option, value, argument in ((PR_SET_NO_NEW_PRIVS, 1, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program)):
    if libc.prctl(option, value, argument, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
os.execv(sys.argv[1], sys.argv[1:])
