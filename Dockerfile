# syntax=docker/dockerfile:1
# One image for both uses:
#   docker build -t cryptonym .
#   docker run --rm cryptonym demo /data                       the command line
#   --environment_type=DOCKER --environment_config=cryptonym   the workers of a Beam runner
# With PyTorch, to train and to write synthetic notes (with CUDA some 5 GB):
#   docker build --build-arg EXTRA=models -t cryptonym-models .

FROM python:3.11-slim-bookworm AS wheel
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev
WORKDIR /build
COPY . .
# The rules are compiled to C: the same finds in less time.
RUN CRYPTONYM_USE_MYPYC=1 pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

# The worker's boot program; must be of the Beam version in constraints.txt.
FROM apache/beam_python3.11_sdk:2.77.0 AS beam

FROM python:3.11-slim-bookworm
# Recognition of scanned pages: the data of the languages that nightly.toml names.
RUN apt-get update \
    && apt-get install -y --no-install-recommends tesseract-ocr-eng tesseract-ocr-fra tesseract-ocr-spa \
    && rm -rf /var/lib/apt/lists/*
COPY --from=beam /opt/apache/beam /opt/apache/beam
ARG EXTRA=
RUN --mount=type=bind,from=wheel,source=/wheels,target=/wheels \
    --mount=type=bind,source=constraints.txt,target=/constraints.txt \
    pip install --no-cache-dir -c /constraints.txt "$(echo /wheels/*.whl)${EXTRA:+[$EXTRA]}"
COPY --chmod=755 scripts/entrypoint /usr/local/bin/entrypoint

# Nothing here needs root; the master key and the databases are mounted under /data.
RUN useradd --uid 10001 --create-home cryptonym \
    && install -d -o cryptonym -g cryptonym -m 700 /data
USER cryptonym
WORKDIR /data
VOLUME /data
# The rooms are installed already: a worker must not make itself another environment.
ENV RUN_PYTHON_SDK_IN_DEFAULT_ENVIRONMENT=1 PYTHONUNBUFFERED=1
ENTRYPOINT ["/usr/local/bin/entrypoint"]
CMD ["--help"]
