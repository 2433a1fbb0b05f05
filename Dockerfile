# syntax=docker/dockerfile:1
# Two images from one file:
#   docker build -t mcp-aql-gateway .                     the gateway with the servers it ships (slim, non-root)
#   docker build -t mcp-aql-gateway:tools --target tools .  the same with npx and uvx, for servers that are fetched when started

FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY tools ./tools
RUN npm run build
RUN npm ci --omit=dev

FROM node:24-slim AS base
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="mcp-aql-gateway" \
      org.opencontainers.image.description="Every tool of every MCP server behind five semantic tools, or one" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    MCP_AQL_HOST=0.0.0.0 \
    MCP_AQL_PORT=3333 \
    MCP_AQL_DATA_DIR=/data
WORKDIR /app
COPY --from=build --chown=root:root /build/node_modules ./node_modules
COPY --from=build --chown=root:root /build/dist ./dist
COPY package.json gateway.config.json LICENSE ./
COPY upstreams ./upstreams
COPY docs/gateway-config.schema.json docs/upstream.schema.json ./docs/
RUN mkdir -p /data && chown node:node /data
VOLUME /data
EXPOSE 3333
# The process answers /healthz as long as it lives; /readyz tells whether upstreams are connected.
HEALTHCHECK --interval=15s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.MCP_AQL_PORT + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node as process 1 gets the stop signal itself; the gateway closes its upstreams and exits within seconds.
ENTRYPOINT ["node", "dist/cli/main.js"]
CMD ["serve"]

FROM base AS tools
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 python3-venv git ca-certificates \
 && rm -rf /var/lib/apt/lists/* \
 && python3 -m venv /opt/uv \
 && /opt/uv/bin/pip install --no-cache-dir uv \
 && ln -s /opt/uv/bin/uv /opt/uv/bin/uvx /usr/local/bin/
ENV HOME=/data \
    NPM_CONFIG_CACHE=/data/.npm \
    UV_CACHE_DIR=/data/.uv
USER node

# The last stage is what a plain build makes.
FROM base AS slim
RUN rm -rf /usr/local/lib/node_modules/npm /usr/local/lib/node_modules/corepack /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack
USER node
