"""`cryptonym worker`: a pool of workers for a Beam runner elsewhere."""

import argparse

from pipeline.beam.worker_pool import LOOPBACK, WorkerPool, is_loopback, parse_address
from pipeline.commands.options.output import add_output_format
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.night.stop_signals import catch_stop_signals
from pipeline.reports.console import Console

DESCRIPTION = """\
Starts worker processes on this machine for a Beam runner, which is told of it by
--environment_type=EXTERNAL --environment_config=HOST:PORT. It listens on one address, loopback
unless another one is named, and tells how each worker ended. The protocol is plain text and has no
authentication: whoever reaches the port can make a worker run code as the account of the pool, on
loopback every account of this machine. Workers read configuration, key
and databases at the paths that the run has. On SIGTERM or an interrupt it ends its workers, whose
units go to others.
"""
EXAMPLES = """\
examples:
  cryptonym worker
  cryptonym worker --listen 10.0.4.7:50000
  cryptonym run nightly.toml --runner=PrismRunner --prism_location=/opt/prism \\
      --environment_type=EXTERNAL --environment_config=10.0.4.7:50000,10.0.4.8:50000

Exit codes: 0 stopped on request; 2 the address is not one to listen on.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `worker`."""
    parser.add_argument(
        "--listen", default=f"{LOOPBACK}:50000", metavar="HOST:PORT",
        help=f"address to listen on, one and never all (default {LOOPBACK}:50000)",
    )  # fmt: skip
    add_output_format(parser)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Start workers until asked to stop; returns the exit code."""
    host, port = parse_address(options.listen)
    with catch_stop_signals() as stop, WorkerPool(host, port, console.say) as pool:
        if is_loopback(host):
            console.warn(f"every account of this machine can have code run through {pool.address}")
        else:
            console.warn(f"{host} is reached from outside: use an encrypted, closed network alone")
        console.say(f"listening on {pool.address}")
        stop.wait()
    console.say("stopped")
    return EXIT_DONE
