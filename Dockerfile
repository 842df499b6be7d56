# The image holds one static binary, the certificates of public authorities, and nothing else.

# The program is built on the platform that builds, for the one that is asked for (docker buildx build --platform linux/amd64,linux/arm64).
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
ARG TARGETOS=linux
ARG TARGETARCH
# grpcnotrace: without pages of gRPC that Sabir does not serve, a quarter of the program.
RUN CGO_ENABLED=0 GOOS=${TARGETOS} GOARCH=${TARGETARCH} go build -tags grpcnotrace -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /sabir ./cmd/sabir

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /sabir /sabir
# One agent and one client, set by the environment; mount a file of your own over it for more.
COPY deploy/sabir.yaml /etc/sabir/sabir.yaml
# A user without rights, by number: scratch has no names. Sabir writes files for audit and record only, so the root may be read-only.
USER 65534:65534
EXPOSE 8080 9090
# The exec form: there is no shell here.
HEALTHCHECK --interval=10s --timeout=5s --start-period=2s CMD ["/sabir", "health"]
ENTRYPOINT ["/sabir"]
CMD ["serve", "--config", "/etc/sabir/sabir.yaml"]
