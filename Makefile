# make run     build and start the product in one process, then open the address it prints
# make cluster the same as a cluster of processes, with RabbitMQ and Redis of its own (Debian's)
# make test    everything but the benchmarks; installs what it needs on Debian
# make bench   each figure beside its floor

SHELL := /bin/bash
CARGO ?= cargo

.PHONY: run cluster build test lint unit rehearse e2e browser bench setup clean

run: ## build and start
	@$(CARGO) run --release --quiet --bin duskgate -- up $(ARGS)

cluster: ## broker, Redis and one process a service; INSTANCES=2 for two of each
	@tests/setup.sh redis-server rabbitmq-server
	@$(CARGO) build --release --quiet -p duskgate -p cluster --bins
	@target/release/cluster --instances $(or $(INSTANCES),1) $(ARGS)

build:
	$(CARGO) build --workspace --all-targets

test: setup lint unit rehearse
	@echo "all good"

lint:
	$(CARGO) fmt --all -- --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings

unit: build
	$(CARGO) test --workspace --quiet

rehearse: build
	$(CARGO) run --quiet --bin duskgate -- rehearse tests/rehearsals

bench:
	$(CARGO) run --release --quiet -p bench

setup:
	@tests/setup.sh

clean:
	$(CARGO) clean
