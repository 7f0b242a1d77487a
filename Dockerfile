# syntax=docker/dockerfile:1
ARG NODE=node:26.10.0-slim

# Packs the release from the checkout.
FROM ${NODE} AS release
WORKDIR /checkout
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm pack --pack-destination /release

# Installs it without Node.js: the image has the same one. All else is in the release, as the lock file pins it.
FROM ${NODE} AS install
WORKDIR /app
COPY --from=release /release/ /release/
RUN npm install --offline --omit=optional --ignore-scripts --no-audit --no-fund /release/tool-gateway-*.tgz

FROM ${NODE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
COPY --from=install /app /app
RUN install --directory --owner=1000 --group=1000 --mode=0700 /data
USER 1000:1000
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--", "/app/node_modules/tool-gateway/bin/tool-gateway.mjs"]
CMD ["start"]
