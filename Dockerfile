# An image for workers of git arborist: git, git arborist, and one coding agent. Workers run in it without root.
#
#     docker build --build-arg AGENT='npm install -g @anthropic-ai/claude-code' -t registry.example/git-arborist-worker .
#
# Add what the tests of your project need in an image of your own that begins with FROM this one.
FROM rust:1-slim-bookworm AS build
RUN apt-get update && apt-get install --yes --no-install-recommends pkg-config perl make gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN cargo install --locked --path . --root /out

FROM node:22-bookworm-slim
ARG AGENT='npm install -g @anthropic-ai/claude-code'
RUN apt-get update \
    && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git make openssh-client procps \
    && rm -rf /var/lib/apt/lists/* \
    && sh -c "$AGENT" \
    && mkdir --mode 777 /work
COPY --from=build /out/bin/ /usr/local/bin/
# The user `node` of the base image has the number 1000, as the job for Kubernetes expects.
USER 1000:1000
WORKDIR /work
ENV HOME=/work TMPDIR=/work
CMD ["git", "arborist", "--version"]
