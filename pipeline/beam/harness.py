"""One Beam worker process, as a worker pool or a boot command starts it."""

import argparse
import json
import sys

import grpc
from apache_beam.portability.api import beam_provision_api_pb2, beam_provision_api_pb2_grpc
from apache_beam.runners.worker.sdk_worker import SdkHarness
from apache_beam.runners.worker.worker_id_interceptor import WorkerIdInterceptor

from pipeline.beam.session import close_all
from pipeline.notes.claimed_units import end_when_hung
from pipeline.notes.error_boundary import drop_error_texts
from record.errors import CryptonymError
from record.garbage_collection import collect_garbage_rarely

EXIT_FAILED = 1


def find_control_endpoint(worker_id: str, provision: str) -> str:
    """Ask a runner's provision service where its worker connects to."""
    with grpc.insecure_channel(provision) as channel:
        named = grpc.intercept_channel(channel, WorkerIdInterceptor(worker_id))
        service = beam_provision_api_pb2_grpc.ProvisionServiceStub(named)
        found = service.GetProvisionInfo(
            beam_provision_api_pb2.GetProvisionInfoRequest(), timeout=60
        )
    return str(found.info.control_endpoint.url)


def main() -> int:
    """Work for a runner until it closes the connection; print how it failed, without text."""
    parser = argparse.ArgumentParser(prog="python -m pipeline.beam.harness")
    parser.add_argument("--id", required=True)
    parser.add_argument("--control_endpoint", default="")
    parser.add_argument("--provision_endpoint", default="")
    # The container contract has further endpoints; nothing is staged and nothing is logged there.
    options, _ = parser.parse_known_args()

    def work() -> None:
        # Prism writes the id of a boot command in quotation marks, and no shell takes them away.
        worker_id, control = options.id.strip("'"), options.control_endpoint
        control = control or find_control_endpoint(worker_id, options.provision_endpoint)
        SdkHarness(control, worker_id=worker_id, data_buffer_time_limit_ms=-1).run()

    collect_garbage_rarely()
    end_when_hung()
    try:
        drop_error_texts(work)
    except CryptonymError as error:
        sys.stdout.write(json.dumps({"message": str(error)}) + "\n")
        return EXIT_FAILED
    finally:
        close_all()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
