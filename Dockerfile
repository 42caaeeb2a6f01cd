# Paths in RUN are relative to WORKDIR, so that a test can execute the steps in an empty folder without a container runtime.

# What `npm ci` reads, in a stage of its own: its step is repeated only when one of these files changes.
FROM node:26-bookworm-slim AS manifests
WORKDIR /source
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json ! -name .npmrc -delete && find . -type d -empty -delete

FROM node:26-bookworm-slim AS build
WORKDIR /source
COPY --from=manifests /source ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build:packages
WORKDIR /app
# With the lock file of the repository, dependencies have the versions that were tested. The image has its own Node.js, so
# the package with the pinned one is left out.
RUN cp ../source/package-lock.json . && npm install --omit=dev --no-audit --no-fund --install-links \
  $(ls -d ../source/dist/packages/swarmbase ../source/dist/packages/@swarmbase/* | grep -v '@swarmbase.node$')
COPY deploy/container/health-check.mjs ./

FROM node:26-bookworm-slim
WORKDIR /app
COPY --from=build /app ./
RUN mkdir -p ../data && chown 1000:1000 ../data
USER 1000:1000
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
VOLUME /data
EXPOSE 8443
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=6s --start-period=60s --retries=3 CMD ["node", "health-check.mjs"]
CMD ["node", "node_modules/swarmbase/bin/swarmbase.js", "serve"]
