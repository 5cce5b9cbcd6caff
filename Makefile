# trawl: `make demo` shows the whole job offline, `make test` passes the tests.
# Both need Go, gcc, make and the module proxy, and do all their own set-up.

BIN      := bin/trawl
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
DEMO     ?= demo
ENDPOINT ?=
MODEL    ?=

.PHONY: build demo test check bench golden test-endpoint device-build device-check clean
.DEFAULT_GOAL := build

build:
	go build -ldflags "-X main.release=$(VERSION)" -o $(BIN) ./cmd/trawl

# Weave a world, index it, start the simulated model, run, score, print.
demo: build
	$(BIN) demo --out $(DEMO)

test:
	go test -race -shuffle=on -timeout 20m ./...
	go test -run '^Test(Real.*|Published.*|Faults.*|Report.*|DemoReport|Experiment.*|UtilityRanksOtherwise|EvaluateImported|SelectFromPublishedRollouts)$$' ./cmd/trawl

# What a machine can check of the house: formatting, vet, modules, builds that
# have no C compiler or another system.
check:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo 'gofmt would change these files'; exit 1; }
	go vet ./...
	go mod tidy -diff
	CGO_ENABLED=0 go build -o /dev/null ./cmd/trawl
	CGO_ENABLED=0 GOOS=windows go vet ./trajectory/... ./selection/... ./cmd/...
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 go vet ./selection/... ./cmd/...
	go vet -tags device ./selection/...

# Whole-part benchmarks, each with its ratio, then the packages' own.
bench: build
	$(BIN) bench rollout --json
	$(BIN) bench selector --json
	go test -run '^$$' -bench . -benchtime 1s ./...

# Rewrite the golden files; read the diff before you commit it.
golden:
	TRAWL_UPDATE_GOLDEN=1 go test ./...

# One question against a real server, by hand:
#   make test-endpoint ENDPOINT=http://127.0.0.1:8000/v1 MODEL=Qwen/Qwen3-8B
test-endpoint: build
	@test -n "$(ENDPOINT)" || { echo 'say which: make test-endpoint ENDPOINT=http://127.0.0.1:8000/v1 [MODEL=name]'; exit 2; }
	TRAWL_TEST_ENDPOINT=$(ENDPOINT) TRAWL_TEST_MODEL=$(MODEL) go test -tags live -count=1 -v -run Live ./cmd/trawl

# On a machine with an NVIDIA GPU: the compute suite, a forward pass and a training
# step against the processor, and the benchmark, in under five minutes. Where there
# is no Go, make device-build elsewhere, carry bin/device-check, and run the second
# command of this rule.
device-check: device-build
	bin/device-check -test.run Device -test.bench Device -test.benchtime 3x -test.timeout 5m -test.v

device-build:
	go test -c -tags device -o bin/device-check ./selection/train

clean:
	rm -rf bin $(DEMO)
