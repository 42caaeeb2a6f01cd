# Paths in RUN are relative to WORKDIR, so that a test can execute the steps in an empty folder without a container runtime.
FROM node:26-bookworm-slim AS build
WORKDIR /source
COPY . .
RUN npm ci --no-audit --no-fund
RUN npm run build:packages
WORKDIR /app
# The image has its own Node.js, so the package with the pinned one is left out.
RUN npm install --omit=dev --no-audit --no-fund --install-links \
  $(ls -d ../source/dist/packages/swarmbase ../source/dist/packages/@swarmbase/* | grep -v '@swarmbase.node$')
COPY deploy/container/health-check.js ./

FROM node:26-bookworm-slim
WORKDIR /app
COPY --from=build /app ./
RUN mkdir -p ../data && chown 1000:1000 ../data
USER 1000:1000
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
VOLUME /data
EXPOSE 8443
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=6s --start-period=60s --retries=3 CMD ["node", "health-check.js"]
CMD ["node", "node_modules/swarmbase/bin/swarmbase.js", "serve"]
