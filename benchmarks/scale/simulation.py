"""A night as a simulation of discrete events: workers claim, process and commit units."""

import random
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import simpy

from benchmarks.scale.costs import Costs
from pipeline.notes.claimed_units import seconds_between_beats


@dataclass(frozen=True, slots=True)
class Site:
    """What the night runs on, and what it has to do; prices are those of an hour.

    `compared` notes are looked at, of which `changed` are processed; both count notes.
    """

    nodes: int
    workers_per_node: int = 8
    compared: int = 2_000_000
    changed: int = 2_000_000
    database_cores: int = 8
    most_connections: int = 100
    node_bytes: int = 32 * 2**30
    database_bytes: int = 100 * 2**30
    lease_seconds: float = 60.0
    node_price: float = 0.40
    database_price: float = 1.0
    seed: int = 1

    @property
    def workers(self) -> int:
        """All workers of the site."""
        return self.nodes * self.workers_per_node


@dataclass(frozen=True, slots=True)
class Night:
    """How a night went, in seconds; shares are of one, and above it where a limit is broken."""

    planning: float
    working: float
    publishing: float
    loads: dict[str, float]
    price: float
    waited: float

    @property
    def seconds(self) -> float:
        """The whole night."""
        return self.planning + self.working + self.publishing

    @property
    def breaks_first(self) -> str:
        """What has the highest load."""
        return max(self.loads, key=lambda name: self.loads[name])


class _Work:
    """The units of a night, the database server, and what was counted."""

    def __init__(self, site: Site, costs: Costs) -> None:
        self.site, self.costs = site, costs
        self.environment = simpy.Environment()
        self.server = simpy.Resource(self.environment, capacity=site.database_cores)
        self.left = -(-site.compared // costs.notes_per_unit)
        self.changed_share = site.changed / max(1, site.compared)
        self.random = random.Random(site.seed)
        self.busy = 0.0
        self.waited = 0.0

    def transact(self, seconds: float) -> Generator[Any, Any, None]:
        """A transaction: its server's share occupies a core there, the rest passes elsewhere."""
        served = seconds * self.costs.server_share
        yield self.environment.timeout(seconds - served)
        asked = self.environment.now
        with self.server.request() as core:
            yield core
            self.waited += self.environment.now - asked
            self.busy += served
            yield self.environment.timeout(served)

    def worker(self) -> Generator[Any, Any, None]:
        """Claim units until none is left."""
        costs = self.costs
        yield self.environment.timeout(costs.start)
        while self.left > 0:
            self.left -= 1
            yield from self.transact(costs.claim)
            changed = costs.notes_per_unit * self.changed_share
            seconds = (costs.notes_per_unit - changed) * costs.compare
            seconds += changed * self.random.choice(costs.unit)
            yield self.environment.timeout(seconds)
            yield from self.transact(costs.commit_unit + changed * costs.commit_note)

    def heartbeat(self) -> Generator[Any, Any, None]:
        """Renew the leases of a worker, until the night ends."""
        while True:
            yield self.environment.timeout(seconds_between_beats(self.site.lease_seconds))
            yield from self.transact(self.costs.claim)


def simulate(site: Site, costs: Costs) -> Night:
    """Simulate a night; the driver plans before its workers, and publishes after them."""
    work = _Work(site, costs)
    ends = [work.environment.process(work.worker()) for _ in range(site.workers)]
    for _ in range(site.workers):
        work.environment.process(work.heartbeat())
    work.environment.run(until=simpy.AllOf(work.environment, ends))
    working = float(work.environment.now)
    planning = site.compared * costs.plan
    publishing = site.changed * costs.publish + site.compared * costs.reconcile
    night = planning + working + publishing
    loads = {
        "database cores": work.busy / (working * site.database_cores),
        "database connections": site.workers * costs.connections / site.most_connections,
        "database disk": site.changed * costs.staged_bytes / site.database_bytes,
        "memory of a node": site.workers_per_node * costs.peak_bytes / site.node_bytes,
        "driver": (planning + publishing) / night,
    }
    price = (site.nodes * site.node_price + site.database_price) * night / 3600
    return Night(planning, working, publishing, loads, price, work.waited)
