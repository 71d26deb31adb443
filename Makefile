# SPDX-License-Identifier: GPL-2.0
#
# Error-checked MMIO and DMA hints: a series of patches to Debian's kernels,
# and the bench that boots them.  "make help" lists the targets.

BASES := $(shell sed '/^\#/d; s/ .*//' bases)
# what make menuconfig saved; $(call config,NAME,DEFAULT)
-include .config
config = $(or $(patsubst "%",%,$(CONFIG_$(1))),$(2))
BASE ?= $(call config,BASE,$(firstword $(BASES)))
ARCH ?= $(call config,ARCH,ppc64)
V ?=
# of make demo; few of those that take seconds
FAULTS ?= $(call config,FAULTS,$(or $(call env,FAULTS,$(ARCH)),50))
SEED ?= $(call config,SEED,1)
DISKS ?= $(call config,DISKS,3)
SMP ?= $(call config,SMP,1)
HBA ?= $(call config,HBA,fusion)
# with another ARCH than .config's its own machine
MACHINE ?= $(if $(filter $(ARCH),$(call config,ARCH)),$(call config,MACHINE))
VARIANT ?= $(subst $() ,,on$(foreach d,$(DRIVERS),$(call config,VARIANT_$(d)))$(call config,VARIANT_DEBUG))
# of make check-configs: pattern of names, random ones a start, objects besides, part;
# the last of check-all as well
CONFIGS ?= *
N ?= 2
SAMPLE ?= 20
SHARD ?= 1/1
# of make check and check-all: tests at once, guests' alone; none: one after the other
JOBS ?=
# of make matrix: build directories of other checkouts, each with a shard of check-all
SHARDS ?=
# of make sweep; LSI's disks want a machine without an IOMMU
DRIVER ?= fusion
# of make series: a part of cover-letters/, and who sends it
TOPIC ?= series
SIGNOFF ?=

PYTHON := /usr/bin/python3
QEMU := tools/testing/qemu
SERIES := $(PYTHON) scripts/series.py
BUILDS := $(QEMU)/builds
ARCHES := $(patsubst $(QEMU)/arch/%.env,%,$(wildcard $(QEMU)/arch/*.env))
DRIVERS := $(patsubst $(QEMU)/drivers/%.toml,%,$(wildcard $(QEMU)/drivers/*.toml))

# all that was asked for, of which scripts/setup.sh may name the packages
export BENCH_GOALS := $(MAKECMDGOALS) $(MAKEOVERRIDES)

Q := $(if $(V),,@)
# the user's variables are not Kbuild's: it has an ARCH and a V of its own
MAKEOVERRIDES :=
unexport ARCH BASE V
export BENCH_V := $(V)
export BENCH_BASE := $(BASE)
export PYTHONPYCACHEPREFIX := $(CURDIR)/build/pycache
export PYTHONUNBUFFERED := 1

ifeq ($(filter $(BASE),$(BASES)),)
$(error no base '$(BASE)' in the file bases; there are: $(BASES))
endif
ifeq ($(filter $(ARCH),$(ARCHES)),)
$(error no ARCH '$(ARCH)' in $(QEMU)/arch; there are: $(ARCHES))
endif
ifneq ($(filter-out $(DRIVERS),$(HBA) $(DRIVER)),)
$(error no driver '$(filter-out $(DRIVERS),$(HBA) $(DRIVER))'; there are: $(DRIVERS))
endif

# PACKAGES of an architecture: the package set of its cross compiler
env = $(shell sed -n 's/^$(1)=//p' $(QEMU)/arch/$(2).env)
packages = $(call env,PACKAGES,$(1))

# an architecture that not all bases have
arch_bases := $(call env,BASES,$(ARCH))
ifeq ($(filter $(BASE),$(or $(arch_bases),$(BASE))),)
$(error no ARCH '$(ARCH)' in base $(BASE); it is in: $(arch_bases))
endif

# $(call facts,KEY): MACHINE:VALUE of all machines of BASE that have the list KEY
facts = $(shell cd $(QEMU)/machines && awk -v key='$(1) =' \
	'FNR == 1 { here = 1 } /^bases =/ { here = index($$0, "\"$(BASE)\"") } \
	here && index($$0, key) == 1 \
	{ sub(/[.]toml$$/, "", FILENAME); n = split($$0, word, "\""); \
	  for (i = 2; i <= n; i += 2) print FILENAME ":" word[i] }' *.toml)
CHECK := $(call facts,check)
CHECK_ALL := $(CHECK) $(call facts,check_all)
# Of MACHINE:ARCH:CPUS:DRIVER: those with a driver's tests, their machines, and machines
# with the core's tests alone, which need no vanilla kernel
guests = $(foreach g,$(1),$(if $(word 4,$(subst :, ,$(g))),$(g)))
machines = $(sort $(foreach g,$(1),$(subst $() ,:,$(wordlist 1,2,$(subst :, ,$(g))))))
GUESTS := $(call guests,$(CHECK))
MACHINES := $(call machines,$(GUESTS))
PATCHED_MACHINES := $(filter-out $(MACHINES),$(call machines,$(CHECK)))
# the one that tests want which need no other
MAIN := $(call env,MACHINE,ppc64):ppc64
HINTS_MACHINES := $(call facts,hints)
# LSI's disks want a machine without an IOMMU: the driver's file says where it is swept
SWEEP_ARCH := $(shell sed -n '/^\[sweep\]/,/^\[/s/^arch = "\(.*\)"/\1/p' $(QEMU)/drivers/$(DRIVER).toml)
arches_of = $(sort $(foreach m,$(1),$(word 2,$(subst :, ,$(m)))))

PHONY :=
# "make ARCH=x", as in Linux
.DEFAULT_GOAL := $(if $(filter command,$(firstword $(origin ARCH))),kernels,help)

##@ Use
PHONY += help
help:				## this text
	$(Q)awk -F ':.*## ' '/^##@/ { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile
	$(Q)echo
	$(Q)echo 'Variables: BASE=$(BASE) of $(BASES); ARCH=$(ARCH) of $(ARCHES); V=1'
	$(Q)echo 'of demo: FAULTS=$(FAULTS) SEED=$(SEED) DISKS=$(DISKS) SMP=$(SMP) HBA=$(HBA)'
	$(Q)echo '  MACHINE=$(MACHINE) VARIANT=$(VARIANT); make menuconfig has them in .config'
	$(Q)echo 'of check-configs: CONFIGS=$(CONFIGS) N=$(N) SAMPLE=$(SAMPLE) SHARD=$(SHARD), check-all'\''s too'
	$(Q)echo 'of check, check-all: JOBS=$(JOBS) tests at once'
	$(Q)echo 'of matrix: SHARDS="BUILD ...", the build directories that have them'
	$(Q)echo 'of series: TOPIC=$(TOPIC) of $(patsubst cover-letters/%.txt,%,$(wildcard cover-letters/*.txt)); SIGNOFF="Name <mail>"'
	$(Q)echo 'of sweep: DRIVER=$(DRIVER) of $(DRIVERS)'
	$(Q)echo 'of fresh: SUITES="main all" CMD="$(CMD)"; scripts/fresh.sh has options'

PHONY += demo
demo: times has-machine kernels-$(ARCH)	## verified I/O through bus errors, vanilla and patched
	$(Q)$(BUILDS)/kernel.sh $(BASE) patched $(ARCH) $(VARIANT)
	$(Q)$(PYTHON) $(QEMU)/demo.py --base $(BASE) --arch $(ARCH) \
		$(if $(MACHINE),--machine $(MACHINE)) --variant $(VARIANT) \
		--hba $(HBA) --faults $(FAULTS) --seed $(SEED) --disks $(DISKS) --smp $(SMP)

PHONY += has-machine
has-machine:
	$(if $(call env,MACHINE,$(ARCH)),,$(error QEMU has no machine for ARCH '$(ARCH)': choose another))
	$(if $(filter $(or $(MACHINE),$(call env,MACHINE,$(ARCH))):$(ARCH),$(call facts,arches)),,$(error \
		no MACHINE '$(MACHINE)' for ARCH '$(ARCH)' in base $(BASE); there are: $(patsubst \
		%:$(ARCH),%,$(filter %:$(ARCH),$(call facts,arches)))))

PHONY += kernels
kernels: kernels-$(ARCH)	## ARCH's kernels, vanilla and patched
	$(Q)$(BUILDS)/kernel.sh $(BASE) patched $(ARCH) plain

PHONY += image
image: patched-ia64		## kernel and initramfs for an ia64 emulator of your own: QEMU_IA64
	$(Q)$(BUILDS)/ia64/image.sh $(BASE)

# what is called the same in Debian, and has a machine whose bus fails accesses
DEB_ARCHES := ppc64el ppc64 arm64 riscv64
PHONY += has-deb
has-deb:
	$(if $(filter $(ARCH),$(DEB_ARCHES)),,$(error no package of ARCH '$(ARCH)'; there are: $(DEB_ARCHES)))

PHONY += deb
deb: has-deb deb-$(ARCH)	## Debian package of the patched kernel, installed in a clean root and booted
	$(Q)BENCH_DEB=$(ARCH) $(call pytest,deb,,,,/test_deb.py)

PHONY += $(addprefix deb-,$(DEB_ARCHES))
$(addprefix deb-,$(DEB_ARCHES)): deb-%: patched programs-%
	$(Q)scripts/setup.sh deb qemu
	$(Q)$(BUILDS)/deb.sh $(BASE) $*

# The menu is the base's own; its tool is built once.
KCONFIG = $(MAKE) -s -C build/$(firstword $(BASES))/vanilla O=$(CURDIR)/build/kconfig \
	ARCH=x86 HOSTCC=gcc KBUILD_KCONFIG=$(CURDIR)/Kconfig KCONFIG_CONFIG=$(CURDIR)/.config \
	BENCH_CHOICES=$(CURDIR)/build/kconfig/choices
PHONY += menuconfig
menuconfig: setup-menuconfig kconfig		## choose base, machine, adapter, options: .config
	$(Q)$(KCONFIG) menuconfig
PHONY += defconfig
defconfig: kconfig		## .config of the main job
	$(Q)$(KCONFIG) alldefconfig
PHONY += savedefconfig
savedefconfig: kconfig		## file defconfig: what in .config is not the default
	$(Q)$(KCONFIG) savedefconfig
	$(Q)mv build/kconfig/defconfig defconfig
PHONY += olddefconfig
olddefconfig: kconfig		## complete a .config, a saved defconfig for instance
	$(Q)$(KCONFIG) olddefconfig

HINTS := tools/testing/dma_hints
PHONY += hints-report
hints-report: setup-report	## the DMA hints paper's tables beside what was measured: CSV=FILE
	$(Q)$(PYTHON) $(HINTS)/hints_report.py build/hints $(CSV)

##@ Check
# $(call pytest,TARGET,MACHINES,GUESTS,ARGUMENTS,FILE)
pytest = BENCH_TARGET=$(1) BENCH_MACHINES="$(2)" BENCH_GUESTS="$(3)" \
	$(PYTHON) -m pytest -q -s -c $(QEMU)/pytest.ini --rootdir=$(QEMU) \
	$(QEMU)/tests$(5) $(4)
# guests mostly wait: several tests at once, if so asked
parallel = $(if $(JOBS),-n $(JOBS) --dist loadgroup)

# variants of the kernel that the core's suite runs on
PHONY += kernels-core
kernels-core: kernels-ppc64
	$(Q)$(BUILDS)/kernel.sh $(BASE) patched ppc64 on+builtin+inject+kprobes

# kernel of the short sweep
PHONY += kernels-debug+kasan
kernels-debug+kasan: kernels-ppc64
	$(Q)$(BUILDS)/kernel.sh $(BASE) patched ppc64 on+debug+kasan

# for the table of minutes at the end: when make began, and builds/lib.sh's steps
PHONY += times
times:
	$(Q)mkdir -p build
	$(Q)echo "$$(date +%s) $$([ -d build/userspace ] && echo warm || echo cold)" > build/times.start
	$(Q)rm -f build/times.tsv

OTHER_BASES := $(filter-out $(BASE),$(BASES))
# the newest one, if it is not BASE
NEWEST := $(filter $(lastword $(BASES)),$(OTHER_BASES))
PHONY += check
ifneq ($(call env,MACHINE,$(ARCH)),)
check: kernels-check $(addprefix check-base-,$(NEWEST)) check-measure	## what CI runs
	$(Q)$(call pytest,check,$(MACHINES) $(PATCHED_MACHINES),$(GUESTS),-m 'not slow' $(parallel))
else
# no machine: its code is looked at
check: lint series patched setup-build setup-$(ARCH)-binutils
	$(Q)$(call pytest,check-$(ARCH),,,,/test_$(ARCH).py)
endif

PHONY += kernels-check
kernels-check: times lint series kernels-core setup-ia64-binutils toolchain-riscv64 \
	$(addprefix kernels-,$(call arches_of,$(MACHINES))) \
	$(addprefix patched-,$(call arches_of,$(PATCHED_MACHINES)))

# not by its name in the recipe, which a dry run would run
submake = $(MAKE) --no-print-directory
# that each other base's series applies, and its kernel boots on one machine; a suite
# whose kernel has moved on to one that rejects a patch is skipped, and said so
PHONY += check-bases
check-bases: $(addprefix check-base-,$(OTHER_BASES)) $(addprefix lint-base-,$(OTHER_BASES))
PHONY += $(addprefix check-base-,$(BASES))
$(addprefix check-base-,$(BASES)): check-base-%: setup-lint setup-%
	$(Q)if $(SERIES) fits $*; then \
		$(submake) series patched-$(call arches_of,$(MAIN)) BASE=$* && \
		BENCH_BASE=$* $(call pytest,,$(MAIN),,,/test_check.py::test_suites); \
	else [ $$? = 3 ]; fi

PHONY += $(addprefix lint-base-,$(BASES))
$(addprefix lint-base-,$(BASES)): lint-base-%: setup-lint setup-%
	$(Q)if $(SERIES) fits $*; then $(submake) lint BASE=$*; else [ $$? = 3 ]; fi

PHONY += check-core
check-core: kernels-core programs-arm64	## the core's KUnit suite, and that each of its cases can fail
	$(Q)$(call pytest,,$(MAIN),,,/test_core.py)

PHONY += check-all
check-all: times lint series check-bases farm setup-configs setup-docs setup-models setup-send check-measure $(if $(filter $(BASE),$(call env,BASES,ia64)),patched-ia64) kernels-core kernels-debug+kasan deb-ppc64el $(addprefix kernels-,$(call arches_of,$(CHECK_ALL)))	## all machines, each patch, the documentation
	$(Q)BENCH_SHARD=$(SHARD) $(call pytest,check-all,$(call machines,$(CHECK_ALL)),$(call guests,$(CHECK_ALL)),$(parallel))
	$(Q)$(MAKE) --no-print-directory check-configs BASE=$(BASE)

# on all bases, if none was asked for
CONFIG_BASES := $(if $(filter command,$(firstword $(origin BASE))),$(BASE),$(BASES))
PHONY += check-configs
check-configs: $(if $(filter $(call env,BASES,ia64),$(CONFIG_BASES)),toolchain-ia64)	## compile in some hundred configurations, gcc and clang; resumable
	$(Q)scripts/setup.sh lint build configs $(CONFIG_BASES) \
		$(sort $(foreach a,$(filter-out ia64,$(ARCHES)),$(call packages,$(a))))
	$(Q)$(PYTHON) $(QEMU)/configs.py --bases '$(CONFIG_BASES)' --only '$(CONFIGS)' \
		--shard $(SHARD) -n $(N) --sample $(SAMPLE)

PHONY += check-hints
check-hints: setup-report $(addprefix patched-,$(call arches_of,$(HINTS_MACHINES)))	## DMA hints: KUnit, registers seen from outside, measure.py
	$(Q)$(call pytest,check-hints,$(HINTS_MACHINES),,$(HINTS),/test_hints.py)

# what measures DMA hints, on made-up data
PHONY += check-measure
check-measure: setup-lint setup-report
	$(Q)$(PYTHON) -m pytest -p no:cacheprovider -q --rootdir=$(HINTS) $(HINTS)

# the papers' evaluations; what is there and still the same is not run again
BENCH_ARCHES := ppc64 ppc32 arm64 riscv64 parisc parisc64 x86_64
PHONY += bench
bench: patched $(addprefix toolchain-,$(BENCH_ARCHES))	## the evaluations redone: build/bench/BASE/report.html; long, resumable
	$(Q)scripts/setup.sh qemu report
	$(Q)$(PYTHON) $(QEMU)/bench.py --base $(BASE)
PHONY += bench-quick
bench-quick: patched $(addprefix toolchain-,$(BENCH_ARCHES))	## a sample of the bench, ten minutes once its kernels are built
	$(Q)scripts/setup.sh qemu report
	$(Q)$(PYTHON) $(QEMU)/bench.py --base $(BASE) --quick

PHONY += soak
soak: patched		## recoveries by the thousand, an hour and more; resumable
	$(Q)scripts/setup.sh qemu report
	$(Q)$(PYTHON) $(QEMU)/bench.py --base $(BASE) --tables soak

PHONY += sweep
sweep: kernels-$(SWEEP_ARCH)	## fail each register access of DRIVER once, on a debug kernel
	$(Q)$(BUILDS)/kernel.sh $(BASE) patched $(SWEEP_ARCH) on+debug
	$(Q)$(PYTHON) $(QEMU)/sweep.py --base $(BASE) --driver $(DRIVER)

PHONY += matrix
matrix:			## which driver met which fault, from the tests' records: docs, Documentation
	$(Q)$(PYTHON) $(QEMU)/matrix.py $(if $(SHARDS),--shards $(SHARDS))

PHONY += jobs
jobs: setup-lint	## the last check's boots as LAVA jobs: ARTIFACTS=URL
	$(Q)$(PYTHON) $(QEMU)/farm.py jobs --base $(BASE) --artifacts '$(ARTIFACTS)'

PHONY += results-kcidb
results-kcidb: setup-lint series	## the last check's boots as a submission to KCIDB
	$(Q)$(PYTHON) $(QEMU)/farm.py kcidb --base $(BASE)

PHONY += tables
tables:			## the tables of README.md and docs, from docs/results; RESULTS="FILE ..." adds files
	$(Q)$(PYTHON) $(QEMU)/tables.py $(RESULTS)

# $(call collect,TARGET,MACHINES,GUESTS): what keeps pytest from running a test
collect = out=$$($(call pytest,,$(2),$(3),--collect-only -p no:cacheprovider) 2>&1) && \
	echo "  LINT    collection of $(1)" || { echo "$$out" | tail -n 20 >&2; exit 1; }

PHONY += lint
lint: base setup-report	## checkpatch, bookkeeping, shellcheck, pyflakes, spelling, collection of tests
	$(Q)scripts/lint.sh $(BASE)
	$(Q)$(call collect,check,$(MACHINES) $(PATCHED_MACHINES),$(GUESTS))
	$(Q)$(call collect,check-all,$(call machines,$(CHECK_ALL)),$(call guests,$(CHECK_ALL)))

##@ Series
PHONY += toolchain
toolchain: toolchain-$(ARCH)	## the cross compiler of ARCH; where Debian has none, built

PHONY += series
series: base		## numbered patches and mbox in build/BASE/series, verified
	$(Q)$(SERIES) export $(BASE) --topic '$(TOPIC)' $(if $(SIGNOFF),--signoff '$(SIGNOFF)')

PHONY += tree
tree: base		## a full tree in build/BASE/tree, a commit a patch
	$(Q)$(SERIES) tree $(BASE)

PHONY += refresh
refresh: base			## bring that tree's commits back into the patches
	$(Q)$(SERIES) refresh $(BASE)

PHONY += where
where:				## patches that touch the file F=PATH
	$(Q)$(if $(F),,$(error where: say which file: make where F=drivers/pci/Kconfig))\
	$(SERIES) where $(BASE) $(F)

PHONY += upstream
upstream: setup-upstream	## what the kernels of testing, unstable, experimental reject
	$(Q)$(SERIES) upstream

SUITES ?= main
CMD ?= make check
PHONY += fresh
fresh:				## CMD in a new Debian 12 of its own, of the SUITES main or all
	$(Q)scripts/fresh.sh '$(SUITES)' '$(CMD)'

PHONY += clean
clean:				## remove build/, but for downloads
	$(Q)[ ! -d build ] || find build -mindepth 1 -maxdepth 1 ! -name dl -exec rm -rf {} +

# Steps of the above

PHONY += farm
farm:
	$(Q)scripts/setup.sh farm
	$(Q)$(BUILDS)/farm.sh

PHONY += kconfig
kconfig: setup-build setup-$(firstword $(BASES))
	$(Q)$(SERIES) vanilla $(firstword $(BASES))
	$(Q)mkdir -p build/kconfig
	$(Q)$(PYTHON) $(QEMU)/choices.py > build/kconfig/choices

PHONY += base
base: setup-lint setup-$(BASE)
	$(Q)$(SERIES) vanilla $(BASE)

PHONY += patched
patched: base
	$(Q)$(SERIES) patched $(BASE)

PHONY += $(addprefix kernels-,$(ARCHES))
$(addprefix kernels-,$(ARCHES)): kernels-%: patched-%
	$(Q)$(BUILDS)/kernel.sh $(BASE) vanilla $* plain

PHONY += $(addprefix patched-,$(ARCHES))
$(addprefix patched-,$(ARCHES)): patched-%: patched programs-%
	$(Q)scripts/setup.sh qemu report
	$(Q)$(BUILDS)/kernel.sh $(BASE) patched $* on

# what runs in its guests
PHONY += $(addprefix programs-,$(ARCHES))
$(addprefix programs-,$(ARCHES)): programs-%: toolchain-%
	$(Q)$(if $(call env,MACHINE,$*),$(BUILDS)/userspace.sh $(or $(call env,USERSPACE,$*),$*))

PHONY += $(addprefix toolchain-,$(ARCHES))
$(addprefix toolchain-,$(ARCHES)): toolchain-%:
	$(Q)scripts/setup.sh build $(call packages,$*)
	$(Q)$(if $(call env,TOOLCHAIN,$*),$(BUILDS)/toolchain.sh $(call env,TOOLCHAIN,$*))

setup-%:
	$(Q)scripts/setup.sh $*

.PHONY: $(PHONY)
