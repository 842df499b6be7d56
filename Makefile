# The short names of what is done often. CI runs .ci/run, which uses the same commands.

GO ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

.PHONY: build demo test race lint fuzz mutants conformance update-clients attack chaos soak bench bench-full cross arm64 release site docker docker-all clean

build:
	CGO_ENABLED=0 $(GO) build -tags grpcnotrace -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/sabir ./cmd/sabir

demo:
	$(GO) run ./cmd/sabir demo

test:
	$(GO) test ./...

race:
	$(GO) test -race -shuffle=on ./...

lint:
	$(GO) vet ./...
	golangci-lint run ./...

# A random search: ten seconds for each fuzz target. A finding goes to testdata/fuzz with the change that mends it.
fuzz:
	.ci/fuzz 10s

# Whether the tests would notice a fault: those listed beside the tables in docs/, then a sample of one-token changes to the
# code, which takes an hour. make mutants MUTANTS="-packages config -n 20 -seed 2" tries others.
mutants:
	$(GO) run ./bench/mutants -seeded
	$(GO) run ./bench/mutants $(MUTANTS)

conformance:
	conformance/run

# The newest version of every client: installed in a copy, which says what is new and which client reads something else.
# make update-clients UPDATE=--dry-run only lists them; UPDATE=--write keeps them, if no reading fails.
update-clients:
	node conformance/update.mjs $(UPDATE)

# Hostile clients and upstreams, in about half an hour; it writes docs/security.md. CI takes -short.
attack:
	$(GO) run ./conformance/attack -doc docs/security.md

# What happens around a process that serves: full disks, clocks that jump, names that change, processes that die. CI takes -short.
chaos:
	$(GO) run ./conformance/attack -run '^chaos/' -v

# Two hours under mixed load while something goes wrong now and then; it writes docs/soak.md. make soak SOAK="-time 5m" is the short form.
soak:
	$(GO) run ./conformance/attack -soak -doc docs/soak.md $(SOAK)

# What Sabir costs, in a few minutes; bench-full measures everything, beside other programs, and writes docs/performance.md.
bench:
	$(GO) run ./bench/loopback -short

bench-full:
	$(GO) run ./bench/loopback -pairs all -rounds 3 -peers -quiet 0.1 -save bench/.peers/report.json -doc docs/performance.md

# The systems that are not the home of Sabir still build.
cross:
	GOOS=darwin $(GO) vet ./...
	GOOS=windows $(GO) vet ./...

# The program for arm64, and tests there, by emulation.
arm64:
	.ci/arm64

# What is published: archives for six platforms, the lists of what is linked into them, an image, and the sums, in dist. No daemon is needed. The
# same commit and Go give the same bytes; go run ./deploy/release -verify dist checks them. The tool that lists is built without paths, as its sum is in the lists.
DIST ?= dist
CYCLONEDX_VERSION = v1.10.0
release:
	@bin/tools/cyclonedx-gomod version 2>/dev/null | grep -q '$(CYCLONEDX_VERSION)' || \
		GOFLAGS=-trimpath GOBIN=$(CURDIR)/bin/tools $(GO) install github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@$(CYCLONEDX_VERSION)
	$(GO) run ./deploy/release -version "$(VERSION)" -out $(DIST) $(RELEASE)
	$(GO) run ./deploy/release -verify $(DIST)

# The documentation as a site, in bin/site: Markdown of docs/, by MkDocs with the theme Material. A link that leads nowhere is an error.
site:
	.ci/site

docker:
	docker build -t sabir .

# For both platforms; it needs docker buildx.
docker-all:
	docker buildx build --platform linux/amd64,linux/arm64 -t sabir .

clean:
	rm -rf bin dist
