# SPDX-License-Identifier: BSD-3-Clause
# Weir. The usual targets:
#
#	make			the program, ./weir
#	make demo		a first look
#	make test		all tests, in release and under sanitizers
#	make test-python	the Python package and its notebooks; PYTHON=python3
#	make test-browser	reports and live pages in a browser
#	make test-cluster	Open MPI and Slurm on one machine, with failures
#	make test-keeper	the keeper with a real Redis, real packets, the kernel's red (minutes)
#	make bench		speed; also bench-instructions, -lab, -memory, -ns3, -switch
#	make mutants		mutation testing (an hour); MUTANTS= selects
#	make proof-testbed	real beside simulated packets; proof-switch: no byte is lost
#	make asan		build/asan/weir, with address and undefined-behaviour sanitizers
#	make docs		the generated pages of docs/reference and docs/results
#	make site		the documentation as a static, searchable site, in build/site
#	make install		PREFIX=/usr/local, DESTDIR=, PYTHONDIR=; make uninstall takes the same
#	make dist deb		build/weir-VERSION.tar.gz; Debian packages of it, in build/
#	make check-more		clang, threads, coverage, linters, big-endian (other tools)
#	make format check-format clean
#
# A warning is an error only in a git checkout and where CI is set, so that a newer compiler than ours
# does not stop a user. WERROR=-Werror and WERROR= decide by hand.
#
# make --trace shows every command. packages.txt names the Debian packages of each target; missing
# ones are installed.

ifeq ($(origin CC),default)
CC := gcc
endif
CLANG ?= clang
OBJCOPY ?= objcopy
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
WERROR ?= $(if $(wildcard .git)$(CI),-Werror)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 1) --no-print-directory

WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wvla $(WERROR)
COMMON := -std=c11 -Iinclude -I. -pthread -ffp-contract=off $(WARNINGS) $(CPPFLAGS)
# hiredis, for the keeper of SONiC switches, if installed; HIREDIS= builds without.
HIREDIS ?= $(shell pkg-config --libs hiredis 2>/dev/null)
LIBS := -lsqlite3 $(HIREDIS) -lm -pthread
# BPF programs, if clang and libbpf are installed: DCTCP for kernels without it (weir testbed), AF_XDP
# (weir switch).
BPF ?= $(shell command -v $(CLANG) >/dev/null && pkg-config --exists libbpf 2>/dev/null && echo yes)
ifeq ($(BPF),yes)
LIBS += $(shell pkg-config --libs libbpf)
endif
# Open MPI (sim/parallel/mpi_*.c): MPI=auto uses it where pkg-config or mpicc knows it, MPI=yes requires
# it, MPI=no builds without. Its headers are included as system headers, without warnings.
MPI ?= auto
ifneq ($(MPI),no)
MPI_FLAGS := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags ompi-c 2>/dev/null || mpicc --showme:compile 2>/dev/null))
MPI_LIBS := $(shell pkg-config --libs ompi-c 2>/dev/null || mpicc --showme:link 2>/dev/null)
ifneq ($(MPI_LIBS),)
MPI_FLAGS += -DWEIR_HAVE_MPI
LIBS += $(MPI_LIBS)
else ifeq ($(MPI),yes)
$(error MPI=yes: neither pkg-config (ompi-c) nor mpicc knows Open MPI; on Debian it is libopenmpi-dev)
endif
endif
# The only function of the program that plug-ins may call; the others are inline in include/weir.
EXPORTS := -Wl,--export-dynamic-symbol=weir_error_set
# Hardening as in Debian's packages, because weir switch runs as root on frames of others;
# HARDEN_CFLAGS= and HARDEN_LDFLAGS= build without. No vectorisation: of a pair of counters it costs 3 %
# of all instructions.
HARDEN_CFLAGS ?= -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
HARDEN_LDFLAGS ?= -Wl,-z,relro,-z,now
FLAGS_release := -O2 -g -fno-tree-vectorize $(HARDEN_CFLAGS)
LDFLAGS_release := $(HARDEN_LDFLAGS)
# The shared library exports what include/weir declares (begin.h) and nothing else.
FLAGS_shared := $(FLAGS_release) -fPIC -fvisibility=hidden
# For tools/check-more.sh, which also selects the compiler.
FLAGS_clang := $(FLAGS_release) -fno-slp-vectorize
# The thread sanitizer hides the bounds of texts from -Wformat-truncation.
FLAGS_tsan := -O1 -g -fsanitize=thread -Wno-format-truncation
FLAGS_coverage := -O0 -g --coverage
FLAGS_big-endian := $(FLAGS_release) -isystem $(FOREIGN)/usr/include -L $(FOREIGN)/usr/lib/s390x-linux-gnu
FLAGS_asan := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
# Loops over floats; these flags change the code, not the results.
LEARN_release := -O3 -ftree-vectorize -fno-math-errno -fno-trapping-math
LEARN_asan := -O2
LEARN_shared := $(LEARN_release)
LEARN_clang := $(LEARN_release)
# Code on the per-packet path that reads no external bytes has the weaker stack protector (functions with
# arrays only): -strong costs an incast 1.1 % more instructions per hop.
HOT_release := $(if $(findstring -fstack-protector-strong,$(HARDEN_CFLAGS)),-fstack-protector)
HOT_shared := $(HOT_release)
# Flags of single files; set per target in the variant template.
FILE_FLAGS :=

# LIB is the library: the algorithms and the files of base/ that they call. HOUSE is the rest of the
# program without main; tests link both.
FREESTANDING := $(addprefix base/,error.c json.c option.c option_text.c pool.c registry.c units.c)
LIB := $(FREESTANDING) $(wildcard lib/*/*.c)
MAIN := cli/main.c
# BPF programs, compiled for the kernel.
KERNEL := testbed/dctcp.bpf.c switch/wire/xdp.bpf.c
PROGRAM := base config sim/* lab/* train switch/* testbed keeper/* cli
HOUSE := $(filter-out $(MAIN) $(KERNEL) $(FREESTANDING),$(wildcard $(PROGRAM:%=%/*.c))) build/workloads.c build/models.c build/assets.c build/version.c \
	$(if $(filter yes,$(BPF)),build/dctcp_bpf.c build/xdp_bpf.c)
TESTS := $(wildcard tests/test_*.c tests/*/test_*.c) tests/runner.c
HEADERS := $(wildcard include/weir/*.h lib/*/*.h $(PROGRAM:%=%/*.h) tests/*.h)
SOURCES := $(filter-out $(KERNEL),$(wildcard lib/*/*.c $(PROGRAM:%=%/*.c) tests/*.c tests/*/*.c bench/*.c))

all: weir

weir: build/release/weir
	@cp -f $< $@

asan: build/asan/weir

.SECONDEXPANSION:

# A set of objects per variant: build/release/sim/x.o, build/asan/sim/x.o.
define variant
build/$(1)/%.o: %.c Makefile | build/have-build
	@mkdir -p $$(@D)
	@echo cc $$@
	@$$(CC) $$(COMMON) $$(FLAGS_$(1)) $$(FILE_FLAGS) $$(CFLAGS) -MMD -MP -c -o $$@ $$<
$$(addprefix build/$(1)/,lib/port/%.o sim/core/%.o): FILE_FLAGS := $$(HOT_$(1))
build/$(1)/lib/learn/%.o: FILE_FLAGS := $$(LEARN_$(1))
build/$(1)/testbed/machine.o build/$(1)/switch/wire/xdp.o: FILE_FLAGS := $(if $(filter yes,$(BPF)),-DWEIR_HAS_BPF)
build/$(1)/sim/parallel/mpi_%.o: FILE_FLAGS := $(MPI_FLAGS)
build/$(1)/keeper/drivers/%.o: FILE_FLAGS := $(if $(HIREDIS),-DWEIR_HAVE_HIREDIS)
$$(patsubst %.c,build/$(1)/%.o,$$(wildcard sim/parallel/mpi_*.c keeper/drivers/*.c) testbed/machine.c switch/wire/xdp.c): build/options
build/$(1)/libweir.a: $$(LIB:%.c=build/$(1)/%.o)
build/$(1)/libhouse.a: $$(HOUSE:%.c=build/$(1)/%.o)
build/$(1)/%.a:
	@rm -f $$@ && ar rcs $$@ $$^
build/$(1)/weir: $$(MAIN:%.c=build/$(1)/%.o) build/$(1)/libhouse.a build/$(1)/libweir.a
build/$(1)/weir-test: $$(TESTS:%.c=build/$(1)/%.o) build/$(1)/libhouse.a build/$(1)/libweir.a
build/$(1)/fuzz: build/$(1)/tests/fuzz_scenario.o build/$(1)/libhouse.a build/$(1)/libweir.a
build/$(1)/fuzz-store: build/$(1)/tests/fuzz_store.o build/$(1)/libhouse.a build/$(1)/libweir.a
build/$(1)/fuzz-import: build/$(1)/tests/fuzz_import.o build/$(1)/libhouse.a build/$(1)/libweir.a
# The tests of one file: make build/asan/only/test_mark
build/$(1)/only/%: $$$$(addprefix build/$(1)/,$$$$(addsuffix .o,$$$$(basename $$$$(wildcard tests/$$$$*.c tests/*/$$$$*.c)))) \
		build/$(1)/tests/runner.o build/$(1)/libhouse.a build/$(1)/libweir.a
	@mkdir -p $$(@D)
	@echo link $$@
	@$$(LINK_$(1))
build/$(1)/bench-schemes: build/$(1)/bench/schemes.o build/$(1)/libweir.a
build/$(1)/bench-learn: build/$(1)/bench/learn.o build/$(1)/libweir.a
build/$(1)/bench-minds: build/$(1)/bench/minds.o build/$(1)/libweir.a
build/$(1)/bench-env: build/$(1)/bench/env.o build/$(1)/libhouse.a build/$(1)/libweir.a
build/$(1)/weir build/$(1)/weir-test build/$(1)/fuzz build/$(1)/fuzz-store build/$(1)/fuzz-import build/$(1)/bench-schemes build/$(1)/bench-learn build/$(1)/bench-minds build/$(1)/bench-env:
	@echo link $$@
	@$$(LINK_$(1))
LINK_$(1) = $$(CC) $$(FLAGS_$(1)) $$(LDFLAGS_$(1)) $$(LDFLAGS) $(EXPORTS) -o $$@ $$^ $$(LIBS)
endef
$(foreach v,release asan shared clang tsan coverage big-endian,$(eval $(call variant,$(v))))

VERSION := $(shell sed -n 's/.*WEIR_VERSION "\(.*\)"/\1/p' base/version.h)
SONAME := libweir.so.2
SIM_SONAME := libweir-sim.so.2
LAB_SONAME := libweir-lab.so.1
lib: build/release/libweir.a build/$(SONAME) build/libweir-sim.a build/$(SIM_SONAME) build/$(LAB_SONAME)

# The simulator for embedding programs (weir/sim.h, weir/env.h): one object that exports only weir_*.
SIM := $(filter-out $(FREESTANDING),$(wildcard base/*.c)) $(wildcard config/*.c sim/*/*.c lab/capture/*.c lab/scenario/*.c) build/workloads.c build/models.c build/version.c
build/libweir-sim.a: $(SIM:%.c=build/release/%.o)
	@echo link $@
	@rm -f $@ && $(LD) -r -o $(@:.a=.o) $^
	@$(OBJCOPY) --wildcard --keep-global-symbol='weir_*' $(@:.a=.o) && ar rcs $@ $(@:.a=.o)

# The same as a shared object that contains the library, for ctypes and the like.
build/$(SIM_SONAME): $(SIM:%.c=build/shared/%.o) $(LIB:%.c=build/shared/%.o)
	@echo link $@
	@$(CC) $(FLAGS_shared) $(LDFLAGS_release) $(LDFLAGS) -shared -Wl,-soname,$(SIM_SONAME) -Wl,-z,defs -o $@ $^ -lm -pthread

# Results (weir/lab.h), with the simulator and the library, for Python. Needs SQLite.
LAB := $(filter-out $(FREESTANDING),$(wildcard base/*.c)) $(wildcard config/*.c sim/*/*.c) \
	$(wildcard $(addprefix lab/,capture/*.c scenario/*.c store/*.c analysis/*.c report/*.c api/*.c)) \
	build/workloads.c build/models.c build/assets.c build/version.c
build/$(LAB_SONAME): $(LAB:%.c=build/shared/%.o) $(LIB:%.c=build/shared/%.o)
	@echo link $@
	@$(CC) $(FLAGS_shared) $(LDFLAGS_release) $(LDFLAGS) -shared -Wl,-soname,$(LAB_SONAME) -Wl,-z,defs -o $@ $^ -lsqlite3 $(MPI_LIBS) -lm -pthread

build/$(SONAME): $(LIB:%.c=build/shared/%.o)
	@echo link $@
	@$(CC) $(FLAGS_shared) $(LDFLAGS_release) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,-z,defs -o $@ $^ -lm -pthread

# Embedded data: flow-size distributions.
build/workloads.c: workloads $(wildcard workloads/*.txt) tools/embed.awk
	@mkdir -p $(@D)
	@awk -f tools/embed.awk $(filter %.txt,$^) /dev/null >$@

# Embedded data: trained networks.
build/models.c: models $(wildcard models/*.model) tools/embed-models.sh
	@mkdir -p $(@D)
	@tools/embed-models.sh $(filter %.model,$^) >$@.part && mv $@.part $@

# Embedded data: BPF programs.
build/dctcp_bpf.c: testbed/dctcp.bpf.c
build/xdp_bpf.c: switch/wire/xdp.bpf.c
build/%_bpf.c: tools/embed-binary.sh Makefile
	@mkdir -p $(@D)
	@$(CLANG) -target bpf -mcpu=v3 -O2 -g -Wall -Wextra $(WERROR) -c -o build/$*_bpf.o $(filter %.bpf.c,$^)
	@tools/embed-binary.sh $*_bpf build/$*_bpf.o >$@.part && mv $@.part $@

# Embedded data: style and scripts of reports.
build/assets.c: $(wildcard lab/report/*.css lab/report/*.js lab/report/*.py lab/campaign/*.js) tools/embed-assets.awk | build/have-build
	@mkdir -p $(@D)
	@awk -f tools/embed-assets.awk $(filter %.css %.js %.py,$^) >$@.part && mv $@.part $@

# The identity of the program: computed by every make, written only when it changes.
build/version.c: always
	@mkdir -p $(@D)
	@tools/identity.sh $(abspath $@)

always:

# Optional parts may be installed or removed between two calls of make: objects depend on this file.
build/options: always
	@mkdir -p $(@D)
	@echo '$(MPI_FLAGS) $(LIBS)' | cmp -s - $@ || echo '$(MPI_FLAGS) $(LIBS)' >$@

# Every source, and every header by itself, compiles with clang without a warning.
build/clang/%.ok: % Makefile | build/have-build build/have-test
	@mkdir -p $(@D)
	@$(CLANG) $(COMMON) $(if $(filter sim/parallel/mpi_%,$<),$(MPI_FLAGS)) -Wno-unused-function -fsyntax-only -x c -MMD -MP -MF $(@:.ok=.d) -MT $@ $<
	@touch $@

# In two steps: make looks for optional parts when it starts, so the packages for tests come first.
test: | build/have-build build/have-test
	@$(MAKE) run-tests

run-tests: weir lib build/asan/weir build/release/weir-test build/asan/weir-test build/asan/fuzz build/asan/fuzz-store build/asan/fuzz-import \
		$(patsubst %,build/clang/%.ok,$(SOURCES) $(HEADERS))
	@tools/run-tests.sh $(FUZZ_SECONDS)

# Not part of test: needs a browser.
test-browser: weir | build/have-browser
	@tests/browser/report.sh

# Not part of test: needs Open MPI, Slurm, root, and three minutes of two cores.
test-cluster: | build/have-cluster
	@$(MAKE) MPI=yes weir
	@tests/cluster/mpi.sh
	@tests/cluster/ranks.sh
	@tests/cluster/slurm.sh || [ $$? = 77 ]

# Not part of test: needs minutes, and for all of it root, iperf3 and user-mode Linux.
test-keeper: weir | build/have-test
	@tests/keeper/all.sh

# Not part of test: takes an hour of a core, and resumes where it was interrupted. MUTANTS= takes names,
# files and options (MUTANTS="codel --all"). tests/cli/mutants.sh checks that every mutant still applies.
mutants:
	@nice tools/mutants.py $(MUTANTS)

demo: weir
	@tools/demo.sh

bench: weir build/release/bench-schemes build/release/bench-learn build/release/bench-minds build/release/bench-env
	@bench/bench.sh
	@build/release/bench-schemes
	@build/release/bench-learn
	@build/release/bench-minds
	@build/release/bench-env
	@bench/train.sh

# Not part of bench: large networks, as far as memory allows, and stores of a million flows.
bench-memory: weir
	@bench/memory.py
bench-lab: weir
	@bench/lab.py

# Not part of bench: needs root.
bench-switch: weir | build/have-switch
	@bench/switch.sh

# The tables of docs/results/testbed.md: ten minutes and root. proof-switch checks that every byte arrives
# once and unchanged: ten minutes, too.
proof-testbed: | build/have-switch
	@$(MAKE) --no-print-directory weir # with the optional parts just installed
	@tools/testbed-proof.py
proof-switch: weir | build/have-switch
	@bench/transfer.sh

bench-instructions: weir build/release/bench-minds | build/have-instructions
	@bench/instructions.sh
	@bench/minds.sh

# NS3=source: also with an optimised ns-3, compiled here from Debian's source package.
bench-ns3: weir build/ns3-bench $(if $(filter source,$(NS3)),build/ns3-bench-source)
	@NS3=$(NS3) bench/ns3.sh

NS3_MODULES := applications point-to-point internet traffic-control network core
build/ns3-bench: bench/ns3/main.cc | build/have-ns3
	@echo c++ $@
	@$(CXX) -std=c++17 -O3 -DNDEBUG -Wall -Wextra -o $@ $< $(NS3_MODULES:%=-lns3-%)

build/ns3-bench-source: bench/ns3/main.cc build/ns3-source/done
	@echo c++ $@
	@$(CXX) -std=c++17 -O3 -march=native -DNDEBUG -Wall -Wextra -o $@ $< -isystem build/ns3-source/include \
		-L build/ns3-source/lib -Wl,-rpath,$(abspath build/ns3-source/lib) $(NS3_MODULES:%=-lns3-%-optimized)

build/ns3-source/done: bench/ns3/source.sh | build/have-ns3-source
	@echo ns-3 from its sources, in build/ns3-source
	@bench/ns3/source.sh build/ns3-source
	@touch $@

# The reference of scenarios, commands and results, from the program's own tables; the verdicts of papers,
# from the verdicts and texts beside their figures.
docs: weir
	@./weir help --markdown >docs/reference/scenario.md
	@./weir help --man | sed -e '/^@COMMANDS@$$/{r /dev/stdin' -e 'd}' docs/reference/weir.1.in >docs/reference/weir.1
	@./weir help --results | sed -i -e '/^<!-- columns/,/^<!-- end/{/^<!-- columns/{p;r /dev/stdin' -e '};/^<!-- end/!d}' docs/reference/results.md
	@./weir reproduce --summary --out build/shipped --markdown docs/results/reproduction.md >/dev/null
	@tools/verdict-table.sh docs/results/reproduction.md | sed -i -e '/^<!-- verdicts/,/^<!-- end/{/^<!-- verdicts/{p;r /dev/stdin' -e '};/^<!-- end/!d}' docs/results/five-papers.md

# The documentation as a site, in build/site; its pages load nothing from elsewhere.
site: | build/have-site
	@tools/site.sh build/site

# Shell completion, from the tables of commands and options.
build/weir.%: weir
	@./$< help --completion $* >$@.part && mv $@.part $@

COMPLETION := build/weir.bash build/weir.zsh build/weir.fish

# The Python package: its tests and notebooks, and the code of its manual page. Python without numpy, pandas
# and matplotlib runs what needs none of them.
PYTHON ?= python3
test-python: weir build/$(LAB_SONAME) | build/have-build build/have-python
	@PYTHON='$(PYTHON)' tools/test-python.sh

# Where python3 looks for packages below PREFIX; if it looks at none there, PYTHONPATH must name this folder.
PYTHONDIR ?= $(or $(shell $(PYTHON) -c 'import sys; print(next((p for p in sys.path if p.startswith("$(PREFIX)/lib/") and p.endswith("-packages")), ""))' 2>/dev/null),$(PREFIX)/lib/python3/dist-packages)

install: weir lib $(COMPLETION)
	@$(PLACES) tools/install.sh install

uninstall:
	@$(PLACES) tools/install.sh uninstall

PLACES = DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' LIBDIR='$(LIBDIR)' VERSION='$(VERSION)' SONAME='$(SONAME)' SIM_SONAME='$(SIM_SONAME)' \
	LAB_SONAME='$(LAB_SONAME)' PYTHONDIR='$(PYTHONDIR)'
LIBDIR ?= $(PREFIX)/lib

dist: build/weir-$(VERSION).tar.gz
build/weir-$(VERSION).tar.gz: always
	@tools/dist.sh $(VERSION) $@

deb: dist | build/have-build build/have-deb
	@tools/deb.sh $(VERSION) build

# Not part of test: each step needs a tool of its own and is left out if that is missing; STEPS= selects.
check-more: weir
	@tools/check-more.sh $(STEPS)

FORMATTED = $(SOURCES) $(HEADERS) $(wildcard examples/*/*.c)
format: | build/have-format
	@clang-format -i $(FORMATTED)

# Fails where 'make format' would change something; CI runs it. Other versions of clang-format differ.
check-format: | build/have-format
	@clang-format --dry-run --Werror $(FORMATTED)

clean:
	rm -rf build weir

# Debian packages of a group in packages.txt; checked once, until the list changes.
build/have-%: packages.txt tools/packages.sh
	@mkdir -p $(@D)
	@tools/packages.sh $*
	@touch $@

.PHONY: all always asan lib test run-tests test-python test-browser test-cluster test-keeper mutants demo bench bench-instructions bench-lab bench-memory bench-ns3 bench-switch proof-switch proof-testbed docs site install uninstall dist deb \
	check-more check-format format clean
.SECONDARY:
-include $(shell find build -name '*.d' 2>/dev/null)
