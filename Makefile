# trawl: `make demo` shows the whole job offline, `make test` passes the tests.
# Both need Go, gcc, make and the module proxy, and do all their own set-up.

BIN      := bin/trawl
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
DEMO     ?= demo
ENDPOINT ?=
MODEL    ?=

.PHONY: build demo test check bench golden test-endpoint clean
.DEFAULT_GOAL := build

build:
	go build -ldflags "-X main.release=$(VERSION)" -o $(BIN) ./cmd/trawl

# Weave a world, index it, start the simulated model, run, score, print.
demo: build
	$(BIN) demo --out $(DEMO)

test:
	go test -race -shuffle=on ./...
	go test -run '^TestRealQuestions$$' ./cmd/trawl

# What a machine can check of the house: formatting, vet, modules, builds that
# have no C compiler or another system.
check:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo 'gofmt would change these files'; exit 1; }
	go vet ./...
	go mod tidy -diff
	CGO_ENABLED=0 go build -o /dev/null ./cmd/trawl
	CGO_ENABLED=0 GOOS=windows go vet ./trajectory/... ./cmd/...

# Whole-part benchmarks, each with its ratio, then the packages' own.
bench: build
	$(BIN) bench rollout --json
	go test -run '^$$' -bench . -benchtime 1s ./...

# Rewrite the golden files; read the diff before you commit it.
golden:
	TRAWL_UPDATE_GOLDEN=1 go test ./...

# One question against a real server, by hand:
#   make test-endpoint ENDPOINT=http://127.0.0.1:8000/v1 MODEL=Qwen/Qwen3-8B
test-endpoint: build
	@test -n "$(ENDPOINT)" || { echo 'say which: make test-endpoint ENDPOINT=http://127.0.0.1:8000/v1 [MODEL=name]'; exit 2; }
	TRAWL_TEST_ENDPOINT=$(ENDPOINT) TRAWL_TEST_MODEL=$(MODEL) go test -tags live -count=1 -v -run Live ./cmd/trawl

clean:
	rm -rf bin $(DEMO)
