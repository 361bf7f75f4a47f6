"""An end that was asked for: signals become a flag, which is looked at between two batches."""

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

ENDING = (signal.SIGTERM, signal.SIGINT)

_OVER = b"\0"


@contextmanager
def ended_by_signals() -> Iterator[Event]:
    """Return a flag that SIGTERM or SIGINT raises; neither interrupts what is going on.

    Both are blocked in this thread while it lasts, and so in child processes: an interrupt from the
    keyboard, which reaches all of them, must not look like a document that killed its reader.
    """
    asked = Event()
    told, teller = socket.socketpair()
    teller.setblocking(False)

    def listen() -> None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
        while (number := told.recv(1)) != _OVER:
            if number[0] in ENDING:
                asked.set()

    # Whichever thread the system hands a signal to, its number is written at once; a handler of
    # Python's would wait until the main thread wakes.
    wakeup = signal.set_wakeup_fd(teller.fileno(), warn_on_full_buffer=False)
    handlers = {number: signal.signal(number, lambda *_: None) for number in ENDING}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    listening = Thread(target=listen, name="signals", daemon=True)
    listening.start()
    try:
        yield asked
    finally:
        signal.set_wakeup_fd(wakeup)
        teller.send(_OVER)
        listening.join()
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        told.close()
        teller.close()
