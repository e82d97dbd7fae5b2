# The first stage builds. The second has no sources, build tools, demo or Slack stand-in.
# To update the digest: docker buildx imagetools inspect node:24-slim
ARG NODE_IMAGE=node:24-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/base/package.json ./packages/base/
COPY packages/demo/package.json ./packages/demo/
COPY packages/runs-client/package.json ./packages/runs-client/
COPY packages/runs-service/package.json ./packages/runs-service/
COPY packages/slack-stand-in/package.json ./packages/slack-stand-in/
RUN npm ci
COPY tsconfig.json ./
COPY packages ./packages
COPY src ./src
RUN npm run build \
  && npm ci --omit=dev --workspace base --workspace runs-client --workspace runs-service --include-workspace-root

FROM ${NODE_IMAGE}
# For the embedded runs service: git for checkouts, bubblewrap for the sandbox, tini to reap processes that agents leave.
RUN apt-get update \
  && apt-get install -y --no-install-recommends git openssh-client ca-certificates bubblewrap tini \
  && rm -rf /var/lib/apt/lists/*
# Agents for the embedded runs service, as npm packages: --build-arg AGENTS="@anthropic-ai/claude-code @openai/codex"
ARG AGENTS=""
RUN [ -z "$AGENTS" ] || npm install --global $AGENTS
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
# node_modules has links to these folders.
COPY --from=build /app/packages/base/package.json ./packages/base/
COPY --from=build /app/packages/base/dist ./packages/base/dist
COPY --from=build /app/packages/runs-client/package.json ./packages/runs-client/
COPY --from=build /app/packages/runs-client/dist ./packages/runs-client/dist
COPY --from=build /app/packages/runs-service/package.json ./packages/runs-service/
COPY --from=build /app/packages/runs-service/dist ./packages/runs-service/dist
COPY --from=build /app/dist ./dist
COPY bin ./bin
COPY manifest.yml ./
# For commands in the container: docker exec … slash-agent doctor
RUN ln -s /app/bin/slash-agent.js /usr/local/bin/slash-agent
RUN mkdir -m 700 data && chown node:node data
USER node
VOLUME /app/data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Commands follow the image's name: docker run … slash-agent doctor
ENTRYPOINT ["tini", "--", "slash-agent"]
CMD ["start"]
