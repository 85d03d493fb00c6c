# make demo and make test set up what they need: Go and git are enough.

GO      ?= go
FUZZ    ?= 60s
PYTHON  ?= python3
R       ?= R
VERSION ?= $(shell git describe --tags --always --dirty --abbrev=12 2>/dev/null)
COMMIT  ?= $(shell test -z "$$(git status --porcelain 2>/dev/null)" && git rev-parse HEAD 2>/dev/null)
PACKAGES = ./...
# packages with kernels, and those whose results come straight from them
KERNELS = ./runtime/num/isa ./runtime/num/vec ./runtime/model/neural/... ./runtime/num/gemm ./runtime/model/ssm ./runtime/num/tabulate ./runtime/model/load \
	./search/find/columns ./generated/expr2
# packages that work on several threads
THREADED = ./runtime/sys/workers ./runtime/fit/... ./runtime/sys/units ./search/study ./search/study/judge ./search/find/objective ./search/find/evolve/... \
	./search/find/discover ./search/find/dictionary ./search/work/distil ./search/work/pipeline ./search/work/cluster

# what make mutants changes: a package, and others whose tests run where its own notice nothing
MUTANTS = ./compiler/expr,./compiler/syntax,./compiler/diff ./compiler/simplify ./compiler/separate ./compiler/diff ./compiler/lower \
	./compiler/pass ./compiler/ir,./compiler/lower,./compiler/pass \
	./runtime/num/chains ./runtime/model/posterior ./runtime/fit/nuts ./runtime/model/trials ./runtime/model/ssm ./runtime/model/front \
	./runtime/fit/formula ./runtime/fit/hierarchy ./runtime/fit/loo ./runtime/model/lapse ./runtime/model/omission ./runtime/num/quadrature ./search/study,./search/study/recovery ./search/study/recovery \
	./search/find/objective ./search/find/calibrate ./search/study/audit ./search/study/sweep ./search/study/judge
# packages without assembly, which are also tested as programs for other processors
PORTABLE = ./runtime/num/notation ./runtime/num/statistic ./runtime/num/elementary ./runtime/num/quadrature ./runtime/model/trials \
	./compiler/expr ./compiler/syntax ./compiler/simplify ./compiler/diff
# whose recovery docs/evidence/simulators.md shows
RECOVERED ?= $(notdir $(basename $(wildcard testdata/recovery/*.json)))
SEED    ?= 1
N       ?= 25

.PHONY: browser demo test test-isa test-systems test-python test-r check long race mutants recovery generate bench fuzz docs module dist wheel wheels clean

demo: bin/likc ## compile Expression 2 and time it; then, from a process of ten lines, an honest formula and its Go package
	./bin/likc demo
	@printf '\n6. A process, written down (docs/tutorial/threshold.lik)\n\n'
	@sed 's/^/   /' docs/tutorial/threshold.lik
	@printf '\n7. A formula in its place, compared with the process on 300 simulated subjects (likc distil)\n\n'
	./bin/likc distil docs/tutorial/threshold.lik -o dist/threshold
	@printf '\n8. The Go package of the formula (likc compile), tested\n\n'
	./bin/likc compile dist/threshold/formula.lik --module example.org/threshold -o dist/thresholdlik
	$(GO) test -C dist/thresholdlik .
	@printf '\nOpen this in a browser: %s\n' "$(CURDIR)/dist/threshold/report.html"

bin/likc: FORCE
	$(GO) build -o bin/likc ./cmd/likc

# programs for those who work on likc are a module of their own, so that likc comes without what they import
bin/mutants bin/module bin/prose: bin/%: FORCE
	$(GO) build -C tools -o ../bin/$* ./$*

FORCE:

# make check vets everything, tests too; go test would vet each package once more.
test: ## the tests, under 10 minutes on 2 cores
	$(GO) test -vet=off -timeout 20m $(PACKAGES)
	$(GO) test -C tools -vet=off ./...

test-isa: ## the packages with kernels, on every instruction set, without assembly, and with the race detector
	@for isa in avx512 avx2 portable; do \
		echo "== LIKC_ISA=$$isa"; LIKC_ISA=$$isa $(GO) test -count 1 $(KERNELS) || exit 1; \
	done
	@echo "== -tags purego"
	$(GO) vet -tags purego $(PACKAGES)
	$(GO) test -count 1 -tags purego $(KERNELS)
	@echo "== -race"
	$(GO) test -count 1 -race -short $(KERNELS)

test-systems: ## some packages as programs of 32 bits, which amd64 runs, and for arm64, under qemu
	@if [ "$$($(GO) env GOHOSTARCH)" = amd64 ]; then \
		echo "== 386"; CGO_ENABLED=0 GOARCH=386 $(GO) test -count 1 -short -timeout 30m $(PORTABLE); \
	else echo "skipped: the tests of 32 bits need amd64"; fi
	@if command -v qemu-aarch64 >/dev/null; then \
		echo "== arm64"; CGO_ENABLED=0 GOARCH=arm64 $(GO) test -count 1 -short -timeout 30m -exec qemu-aarch64 $(PORTABLE); \
	else echo "skipped: the tests for arm64 need qemu-aarch64 (Debian's qemu-user)"; fi

check: bin/prose ## formatting, vet, module files, generated files, and whether pages can be read
	@test -z "$$(gofmt -l .)" || { echo "gofmt wants to change:"; gofmt -l .; exit 1; }
	$(GO) vet $(PACKAGES)
	$(GO) mod verify
	$(GO) mod tidy -diff
	$(GO) vet -C tools ./...
	$(GO) mod tidy -C tools -diff
	./bin/prose -except tools/prose/exceptions.txt README.md CHANGELOG.md docs

long: race ## the long suites too
	LIKC_LONG=1 $(GO) test -timeout 120m $(PACKAGES)
	LIKC_LONG=1 $(GO) test -C tools ./...
	$(MAKE) test-systems
	$(MAKE) test-python
	$(MAKE) test-r
	$(MAKE) mutants

race: ## the packages that work on several threads, with the race detector (about 14 minutes on 2 cores)
	$(GO) test -count 1 -race -short -timeout 30m $(THREADED)

mutants: bin/mutants ## do the tests notice small mistakes? $(N) of them a package, picked by $(SEED)
	./bin/mutants -seed $(SEED) -n $(N) -least 0.6 $(MUTANTS)

generate: ## write everything generated anew
	$(GO) generate ./runtime/...
	$(GO) run -tags bootstrap ./cmd/likc generate generated

browser: ## likc as WebAssembly: a page that fits pasted trials, dist/browser/likc.html, and the npm package dist/browser/npm
	cmd/browser/assemble.sh dist/browser

docs: ## a page for every command: Markdown in docs/cli, manual pages in dist/man
	rm -rf docs/cli dist/man
	$(GO) run ./cmd/likc docs docs/cli
	$(GO) run ./cmd/likc docs --man dist/man

recovery: bin/likc ## do fits of each model find its parameters? Results in testdata/recovery, figure in docs/evidence/simulators.md; goes on where it was ended
	@mkdir -p dist/recovery
	@for m in $(RECOVERED); do \
		test -f dist/recovery/$$m.json || ./bin/likc recover $$m --subjects 100 --trials 200 --chains 2 --warmup 500 --draws 500 --seed 1 -o dist/recovery || exit 1; \
		cp dist/recovery/$$m.json testdata/recovery/; \
	done
	$(GO) test ./docs -run TestRecovery -update

bench: ## benchmarks in the form that benchstat reads
	$(GO) test -run '^$$' -bench . -count 6 ./generated/expr2 ./runtime/...

# Inputs are made smaller in few tries, because these are not counted and would take most of a short time. A second try, because go test -fuzz may fail with "context deadline exceeded" when its time is up. An input that fails is kept in testdata and
# fails again.
fuzz: ## every fuzz target for $(FUZZ)
	@for target in $$(grep -rl --include='*_test.go' '^func Fuzz' . | sort); do \
		for name in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$target); do \
			echo "== $$(dirname $$target) $$name"; \
			try="$(GO) test -run ^\$$ -fuzz ^$$name\$$ -fuzztime $(FUZZ) -fuzzminimizetime 100x ./$$(dirname $$target)"; \
			$$try || $$try || exit 1; \
		done; \
	done

module: bin/module ## give the module another path everywhere: make module MODULE=example.org/you/likc
	@./bin/module "$(MODULE)"

# The systems that make dist builds for.
SYSTEMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

dist: $(SYSTEMS:%=dist/likc/%) ## a program for each system, without cgo, and their SHA-256 sums (dist/)
	@cd dist && { sha256sum likc-* 2>/dev/null || shasum -a 256 likc-*; } > SHA256SUMS && cat SHA256SUMS

# The same sources, version and Go give the same bytes in every folder. The tag minimal leaves out figures as PDF, EPS and TeX, of which likc writes none.
dist/likc/%: STAMP = $(shell $(GO) list -m)/runtime/sys/version
dist/likc/%: dist/release.mod FORCE
	CGO_ENABLED=0 GOOS=$(*D) GOARCH=$(*F) GOAMD64=v1 $(GO) build -modfile dist/release.mod -tags minimal -trimpath -buildvcs=false \
		-ldflags '-s -w -buildid= -X $(STAMP).release=$(VERSION) -X $(STAMP).commit=$(COMMIT)' \
		-o dist/likc-$(*D)-$(*F)$(if $(filter windows,$(*D)),.exe) ./cmd/likc

# gonum/plot links twelve fonts, of which figures use three. In released programs the others are one of these, which saves 3 MB.
LIBERATION = codeberg.org/go-fonts/liberation
UNUSED = monobold monobolditalic monoitalic sansbolditalic sansitalic serifbold serifbolditalic serifitalic serifregular
dist/release.mod: go.mod go.sum
	@rm -rf dist/fonts && mkdir -p dist/fonts && cd "$$($(GO) list -m -f '{{.Dir}}' $(LIBERATION))" && cp -r go.mod LICENSE* */ "$(CURDIR)/dist/fonts" && chmod -R u+w "$(CURDIR)/dist/fonts"
	@for face in $(UNUSED); do \
		rm dist/fonts/liberation$$face/*; \
		printf 'package liberation%s\n\nimport "$(LIBERATION)/liberationsansregular"\n\nvar TTF = liberationsansregular.TTF\n' $$face > dist/fonts/liberation$$face/data.go; \
	done
	@cp go.sum dist/release.sum && cp go.mod dist/release.part && $(GO) mod edit -replace $(LIBERATION)=./dist/fonts dist/release.part && mv dist/release.part dist/release.mod

# Python's names for these systems. The programs need no C library, so that they run on every Linux.
PLATFORM_linux_amd64   = manylinux_2_17_x86_64.musllinux_1_1_x86_64
PLATFORM_linux_arm64   = manylinux_2_17_aarch64.musllinux_1_1_aarch64
PLATFORM_darwin_amd64  = macosx_11_0_x86_64
PLATFORM_darwin_arm64  = macosx_11_0_arm64
PLATFORM_windows_amd64 = win_amd64
PLATFORM_windows_arm64 = win_arm64
# v1.2-3-gabc is Python's version 1.2.post3+gabc; a commit without a tag before it is 0+gabc.
PYTHON_VERSION = $(shell echo '$(VERSION)' | sed -E -e 's/^v?([0-9]+(\.[0-9]+)*)$$/\1/; t' -e 's/^v?([0-9.]+)-([0-9]+)-(.*)$$/\1.post\2+\3/; t dirty' -e 's/^/0+g/' -e ':dirty' -e 's/-/./g')

wheel: ## a Python wheel for this machine, with the program inside (dist/likc-*.whl)
	@$(MAKE) --no-print-directory wheel/$$($(GO) env GOOS)/$$($(GO) env GOARCH)

wheels: $(SYSTEMS:%=wheel/%) ## wheels for all systems

wheel/%: dist/likc/%
	@rm -rf dist/python && cp -r python dist/python && mkdir dist/python/src/likc/bin
	@cp dist/likc-$(*D)-$(*F)$(if $(filter windows,$(*D)),.exe) dist/python/src/likc/bin/likc$(if $(filter windows,$(*D)),.exe)
	@sed -i.bak 's/^version = .*/version = "$(PYTHON_VERSION)"/' dist/python/src/likc/_version.py && rm dist/python/src/likc/_version.py.bak
	LIKC_PLATFORM=$(PLATFORM_$(*D)_$(*F)) $(PYTHON) -m pip wheel --quiet --no-deps --wheel-dir dist ./dist/python

test-python: wheel ## install the wheel in an environment of its own and test it there; skipped where Python's packages cannot be had
	@rm -rf dist/venv && $(PYTHON) -m venv dist/venv
	@wheel="$$(ls -t dist/likc-*.whl | head -1)"; \
	if dist/venv/bin/pip install --quiet "$$wheel[test,posteriors]" || dist/venv/bin/pip install --quiet "$$wheel[test]"; then \
		cd dist && venv/bin/python -m pytest -q ../python/tests; \
	else echo "skipped: the packages that python/tests needs cannot be installed"; fi

# Warnings fail too: the status line of the check names them. LIKC is the program that the tests run.
test-r: bin/likc ## build the R package, check it, and run its tests; skipped where R or its package jsonlite is missing
	@if ! command -v $(R) >/dev/null; then echo "skipped: R is not installed"; exit 0; fi; \
	if ! $(R) --no-save -s -e 'quit(status = !requireNamespace("jsonlite", quietly = TRUE))' >/dev/null 2>&1; then \
		echo "skipped: the R package jsonlite is not installed"; exit 0; fi; \
	rm -rf dist/r && mkdir -p dist/r && cd dist/r && $(R) CMD build ../../r && \
	LIKC="$(CURDIR)/bin/likc" _R_CHECK_FORCE_SUGGESTS_=false $(R) CMD check --no-manual likc_*.tar.gz && \
	if grep -E '^Status: .*(WARNING|ERROR)' likc.Rcheck/00check.log; then exit 1; fi

clean:
	rm -rf bin dist
