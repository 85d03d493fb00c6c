# make demo and make test set up what they need: Go and git are enough.

GO      ?= go
FUZZ    ?= 60s
PACKAGES = ./...

.PHONY: demo test check long generate bench fuzz clean

demo: bin/likc ## compile Expression 2 and time it; then a small search from teacher to report (dist/quick/report/index.html)
	./bin/likc demo
	@printf '\n6. A small search: two weights of recovery, two searches each, every formula judged (likc run quick)\n\n'
	./bin/likc run quick -o dist/quick
	@printf '\n'; cat dist/quick/sweep/table.txt
	@printf '\nOpen this in a browser: %s\n' "$(CURDIR)/dist/quick/report/index.html"

bin/likc: FORCE
	$(GO) build -o bin/likc ./cmd/likc

FORCE:

test: ## the tests, under 10 minutes on 2 cores
	$(GO) test -timeout 20m $(PACKAGES)

check: ## formatting, vet, module files, generated files
	@test -z "$$(gofmt -l .)" || { echo "gofmt wants to change:"; gofmt -l .; exit 1; }
	$(GO) vet $(PACKAGES)
	$(GO) mod verify
	$(GO) mod tidy -diff

long: ## the long suites too
	LIKC_LONG=1 $(GO) test -timeout 120m $(PACKAGES)

generate: ## write everything generated anew
	$(GO) generate ./runtime/...
	$(GO) run -tags bootstrap ./cmd/likc generate generated

bench: ## benchmarks in the form that benchstat reads
	$(GO) test -run '^$$' -bench . -count 6 ./generated/expr2 ./runtime/...

fuzz: ## every fuzz target for $(FUZZ)
	@for target in $$(grep -rl --include='*_test.go' '^func Fuzz' . | sort); do \
		for name in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$target); do \
			echo "== $$(dirname $$target) $$name"; \
			$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZ) ./$$(dirname $$target) || exit 1; \
		done; \
	done

clean:
	rm -rf bin dist
