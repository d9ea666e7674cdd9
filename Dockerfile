# The program in an image: docker build --tag usage-etl .
# Any image with Node 22.22 or later does as a base; the program needs nothing else of it.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
# No program of a package runs here: the embedded Postgres is of no use in an image.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY rolldown.config.ts ./
COPY jobs jobs
COPY src src
COPY sql sql
RUN npm run -s build && find dist -name '*.map' -delete

FROM ${NODE_IMAGE}
ARG VERSION=unreleased
LABEL org.opencontainers.image.title="usage-etl" \
      org.opencontainers.image.description="Loads a software-agent platform's usage analytics into a Postgres star schema, every night, exactly." \
      org.opencontainers.image.version="${VERSION}"
COPY --from=build /build/package.json /app/package.json
COPY --from=build /build/dist /app/dist
# Whoever runs it, as any user, may write here and nowhere else.
RUN mkdir -m 1777 /data && ln -s /app/dist/jobs/usage-etl.cjs /usr/local/bin/usage-etl
ENV DATA_DIR=/data \
    LOG_FORMAT=json \
    METRICS_HOST=0.0.0.0 \
    METRICS_PORT=9464 \
    TZ=UTC
WORKDIR /data
# A number, so that Kubernetes sees that it is not root.
USER 10001:10001
EXPOSE 9464
# For `schedule` and `worker`; other commands end by themselves.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["usage-etl"]
CMD ["schedule"]
