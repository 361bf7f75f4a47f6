"""Turns SIGTERM and SIGINT into a flag that a loop checks between two batches."""

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)

_STOP_LISTENING = b"\0"


@contextmanager
def catch_stop_signals() -> Iterator[Event]:
    """Return an event that SIGTERM or SIGINT sets; neither interrupts the current work.

    Both are blocked in this thread for the duration, and so in child processes: a keyboard
    interrupt reaches all of them and must not look like a document that crashed its reader.
    """
    stop = Event()
    receiver, sender = socket.socketpair()
    sender.setblocking(False)

    def listen() -> None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        while (number := receiver.recv(1)) != _STOP_LISTENING:
            if number[0] in STOP_SIGNALS:
                stop.set()

    # The wakeup descriptor is written at once, whichever thread receives the signal; a Python
    # handler would wait until the main thread runs.
    wakeup = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    handlers = {number: signal.signal(number, lambda *_: None) for number in STOP_SIGNALS}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    listener = Thread(target=listen, name="signals", daemon=True)
    listener.start()
    try:
        yield stop
    finally:
        signal.set_wakeup_fd(wakeup)
        sender.send(_STOP_LISTENING)
        listener.join()
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        receiver.close()
        sender.close()
