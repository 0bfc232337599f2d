# The service in a container: what requirements-service.lock names, the embedder's files, compiled bytecode, no root.
# A tag can be moved to another image; pin what you tested: --build-arg PYTHON_IMAGE=python:3.11.15-slim-bookworm@sha256:…
ARG PYTHON_IMAGE=python:3.11.15-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PIP_ONLY_BINARY=:all: HAYSTACK_TELEMETRY_ENABLED=False
WORKDIR /build

# What runs. Nothing is resolved here, and nothing is compiled: only wheels whose checksums are in the lock.
COPY requirements-service.lock ./
RUN python -m venv --without-pip /opt/askwell \
 && python -m pip --python /opt/askwell/bin/python install --quiet --no-compile --no-deps --require-hashes \
      -r requirements-service.lock

# What builds: the same lock as everywhere else. It stays in this stage.
COPY requirements.lock ./
RUN python -m venv --without-pip /opt/build \
 && python -m pip --python /opt/build/bin/python install --quiet --no-compile --no-deps --require-hashes \
      -r requirements.lock

COPY pyproject.toml README.md LICENSE ./
COPY src ./src
# Tests of packages are left out, and the embedder's files go where any home finds them: its weights and what made the
# files stay behind. Bytecode is taken as it is, so that nothing has to be written at run time.
RUN /opt/build/bin/python -m hatchling build --target wheel --directory dist \
 && python -m pip --python /opt/askwell/bin/python install --quiet --no-compile --no-deps --no-index dist/*.whl \
 && ASKWELL_HOME=/opt/askwell/share/askwell PYTHONPATH=src /opt/build/bin/python -m askwell.providers.embedder.minilm_export \
 && test -s /opt/askwell/share/askwell/models/minilm-l6-v2.sha256 \
 && find /opt/askwell/lib -type d -name tests -prune -exec rm -rf {} + \
 && find /opt/askwell/lib -type d -name __pycache__ -prune -exec rm -rf {} + \
 && /opt/askwell/bin/python -m compileall -q -j 0 --invalidation-mode unchecked-hash /opt/askwell/lib


FROM ${PYTHON_IMAGE}
# A number that nobody else has: volumes keep it, and an orchestrator can see that it is not root.
RUN groupadd --gid 10001 askwell \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/askwell --shell /usr/sbin/nologin askwell \
 && install -d -o askwell -g askwell -m 0700 /var/lib/askwell \
 && install -d /etc/askwell
COPY --from=build /opt/askwell /opt/askwell

# It starts only with sign-in, as ASKWELL_SIGN_IN__ADMIN_KEY turns on, or with ASKWELL_SIGN_IN__OPEN=true for everybody who
# reaches the published port (docs/access.md). ASKWELL_SERVER__ALLOWED_HOSTS names what others call it by.
ENV PATH=/opt/askwell/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HAYSTACK_TELEMETRY_ENABLED=False \
    HOME=/var/lib/askwell \
    ASKWELL_HOME=/var/lib/askwell \
    ASKWELL_SERVER__HOST=0.0.0.0 \
    ASKWELL_SERVER__PORT=5555 \
    ASKWELL_SERVER__ALLOWED_HOSTS=localhost

USER 10001:10001
# A config.yaml that is mounted here is read; without one there are the defaults and the environment.
WORKDIR /etc/askwell
VOLUME /var/lib/askwell
EXPOSE 5555
STOPSIGNAL SIGTERM
# Whether the process answers. Whether it can work is told by /health/ready, which also looks at what it depends on.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["python", "-I", "-S", "-c", "import socket, sys; s = socket.create_connection(('127.0.0.1', 5555), 4); s.sendall(b'GET /health/live HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n'); sys.exit(b' 200 ' not in s.recv(64))"]
ENTRYPOINT ["askwell"]
CMD ["serve", "--log-format", "json"]
