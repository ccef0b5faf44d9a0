# The service: docker build -t rankbook .    (or, with PostgreSQL and Redis: docker compose up)
FROM python:3.12-slim-bookworm AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends gcc libc6-dev \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /rankbook
COPY requirements/dev.txt requirements/dev.txt
# The releases that the tests run with; what of them the service needs follows from the package.
RUN sed -n 's/^\([a-zA-Z0-9_.-]*==[^ ]*\).*/\1/p' requirements/dev.txt > pinned.txt \
 && python -m venv /opt/rankbook
COPY pyproject.toml setup.py README.md LICENSE ./
COPY src src
RUN RANKBOOK_REQUIRE_COMPILED=1 /opt/rankbook/bin/pip install \
    --no-cache-dir --constraint pinned.txt '.[serve,postgres,redis]'

FROM python:3.12-slim-bookworm
COPY --from=build /opt/rankbook /opt/rankbook
# The book's directory: rankbook.toml, keys, and whatever of log and rankings is not elsewhere.
RUN useradd --system --uid 10001 --no-create-home rankbook \
 && install --directory --owner=rankbook --group=rankbook --mode=0700 /book
USER rankbook
ENV PATH=/opt/rankbook/bin:$PATH RANKBOOK_BOOK=/book RANKBOOK_HOST=0.0.0.0 RANKBOOK_PORT=8000
VOLUME /book
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD \
  ["python", "-c", "import os, urllib.request; urllib.request.urlopen(f'http://127.0.0.1:{os.environ.get(\"RANKBOOK_PORT\", 8000)}/healthz', timeout=2)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["rankbook"]
CMD ["serve"]
