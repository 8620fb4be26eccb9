"""What Python lacks on Windows, taken away, and what files there refuse: for programs that must do without.

It shows that the code asks for nothing else; it is no Windows. Names are taken away and not replaced; folders cannot be
opened, a file that is open can be neither removed nor renamed, and only what may be written can be waited for.
"""

from __future__ import annotations

PREAMBLE = r"""
import os, signal, sys, warnings

for name in ("fcntl", "grp", "pwd", "resource", "syslog", "termios", "tty", "pty"):
    sys.modules[name] = None
NAMES = "chown chroot fchmod fork forkpty getegid geteuid getgid getgroups getloadavg getpgid getuid killpg lchown "
NAMES += "mkfifo nice O_DIRECTORY O_NOFOLLOW O_NONBLOCK O_SYNC pathconf pread sched_getaffinity setsid sysconf"
for name in NAMES.split():
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGALRM", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGUSR1", "alarm", "setitimer"):
    delattr(signal, name)

_open, _fsync, _readable = os.open, os.fsync, set()

def _is_open(path):
    held = os.path.realpath(path)
    for handle in os.listdir("/proc/self/fd"):
        try:
            if os.readlink(f"/proc/self/fd/{handle}") == held:
                return True
        except OSError:
            pass
    return False

def _refusing(function):
    def wrapped(path, *rest, **more):
        if _is_open(path):
            raise PermissionError(13, "The process cannot access the file because it is being used", str(path))
        return function(path, *rest, **more)
    return wrapped

def _opened(path, flags, *rest, **more):
    if os.path.isdir(path):
        raise PermissionError(13, "Permission denied", str(path))
    handle = _open(path, flags, *rest, **more)
    (_readable.discard if flags & (os.O_WRONLY | os.O_RDWR) else _readable.add)(handle)
    return handle

def _waited(handle):
    if handle in _readable:
        raise OSError(9, "Bad file descriptor")
    return _fsync(handle)

os.open, os.fsync = _opened, _waited
for name in ("unlink", "remove", "rename", "replace"):
    setattr(os, name, _refusing(getattr(os, name)))
warnings.filterwarnings("error", category=EncodingWarning, module="geopriv")
"""
