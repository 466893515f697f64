"""Parent of the embedded server: stops it when its last client process has gone.

Run as a script with the standard library alone; it must not import the project.
Arguments: server lock, clients lock, log, uid, gid, then the server's command line.
"""

import fcntl
import os
import signal
import subprocess
import sys
import threading
import time

KEEP_ACCOUNT = "-"
LOCK_TRIES = 100
LOCK_PAUSE_SECONDS = 0.01


def take_server_lock(path: str) -> int:
    """Lock the file that proves a server runs; every server process inherits the lock."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    for _ in range(LOCK_TRIES):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # Others look whether the lock is held by taking it for a moment.
            time.sleep(LOCK_PAUSE_SECONDS)
        else:
            return fd
    sys.exit("A server runs already.")


def detach(log: str) -> None:
    """Let the caller go on, and write to the log from here on."""
    if os.fork():
        os._exit(0)
    source = os.open(os.devnull, os.O_RDONLY)
    target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(source, 0)
    os.dup2(target, 1)
    os.dup2(target, 2)


def start_server(command: list[str], lock: int, uid: str, gid: str) -> "subprocess.Popen[bytes]":
    if uid == KEEP_ACCOUNT:
        return subprocess.Popen(command, pass_fds=[lock], umask=0o077)  # noqa: S603 - our own command
    return subprocess.Popen(  # noqa: S603 - our own command
        command, pass_fds=[lock], umask=0o077, user=int(uid), group=int(gid), extra_groups=[]
    )


def end_with(server: "subprocess.Popen[bytes]") -> None:
    server.wait()
    os._exit(0)


def main(arguments: list[str]) -> None:
    server_lock, clients_lock, log, uid, gid, *command = arguments
    lock = take_server_lock(server_lock)
    detach(log)
    server = start_server(command, lock, uid, gid)
    waiting = threading.Thread(target=end_with, args=[server])
    waiting.start()
    signal.signal(signal.SIGTERM, lambda *_: server.send_signal(signal.SIGINT))
    clients = os.open(clients_lock, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(clients, fcntl.LOCK_EX)
    server.send_signal(signal.SIGINT)
    waiting.join()


if __name__ == "__main__":
    main(sys.argv[1:])
