# Lamplighter: `make run` starts a demo bridge, `make run-home` a home hub, `make run-web` the web page; `make test` runs the
# tests. `make help` lists all targets.

PREFIX  ?= /usr
UNITDIR ?= $(PREFIX)/lib/systemd/system
DESTDIR ?=
PYTHON  ?= python3
VENV    := .venv
INTEROP := env SKIPPED=.build/skipped-tests $(VENV)/bin/python -m pytest -q
STATE   ?= .lamplighter
LISTEN  ?= 127.0.0.1:8480
SECONDS ?= 60
MINUTES ?= 60
# The libraries, and the modules they export.
LIBRARIES := HAPAccessory HAPController HomeClient DeviceKit AccessoryRole ConfigurationKit HAPModel HomeModel HomePresentation HAPAccessoryTesting LightDriverTesting
# Release programs need no Swift runtime on the target computer, and their table of external functions is read-only. They
# export no functions and have packed relocations: four megabytes less to read at each start. Only the length of a path in
# them depends on the folder of the build: C code has relative paths, and the hashes of the linker and the compiler, which include
# debug information with absolute paths, are left out.
# Scripts/build-arm64 sets ARCH=arm64 and the folder with its Swift SDK.
ifeq ($(ARCH),arm64)
STATIC  := .build-static-arm64
CROSS    = --swift-sdks-path $(SDK) --swift-sdk trixie-arm64
else
STATIC  := .build-static
endif
SHIPPED := $(STATIC)/release
SHIP     = LAMPLIGHTER_VERSION=$(or $(shell Scripts/version),$(error Scripts/version failed)) swift build -c release --static-swift-stdlib --scratch-path $(STATIC) $(CROSS) -Xswiftc -use-ld=lld \
	-Xlinker -z -Xlinker now -Xlinker -z -Xlinker pack-relative-relocs -Xlinker --no-export-dynamic \
	-Xcc -ffile-prefix-map=$(CURDIR)=. -Xlinker --build-id=none -Xlinker -T -Xlinker $(CURDIR)/Scripts/packaging/release.ld --product

# Builds products without another target of this Makefile between them, which would delay the first program by minutes.
define build
	@mkdir -p .build
	@flock --nonblock .build/make.lock true || echo "Another target of make is building; this one continues when it's done."
	flock .build/make.lock sh -ec 'for product in $(1); do swift build --product $$product; done'
endef

.PHONY: all shipped built run run-home run-web test test-all guest-test package-test check format install install-files install-bridge-files install-home-files install-web-files help deb bench fuzz power-cut sanitize soak web-day web-figures docs
.PHONY: container container-test reproducible apt-repository release guest-repository guest-test-arm64 fresh-machine test-outside mutants packages test-packages package-packages guest-packages arm64-packages cross-packages image-packages container-packages bench-programs

all: shipped
	Scripts/generate-manual $(SHIPPED)

# The programs of a package are one executable; BridgePrograms and HomePrograms in Sources are its main modules.
shipped: packages
	$(SHIP) lamplighter
	$(SHIP) homehub
	$(SHIP) homeweb -Xlinker -rpath -Xlinker '$$ORIGIN/../lib/homeweb'
	ln -sf lamplighter $(SHIPPED)/lamplighterd
	for name in homehubd hapsim; do ln -sf homehub $(SHIPPED)/$$name || exit; done

## run      build and run a bridge of simulated lights in the foreground; its state is in ./.lamplighter
run: packages
	$(call build,lamplighterd lamplighter)
	exec .build/debug/lamplighterd --config Config/demo.yaml --state-directory $(STATE) --runtime-directory $(STATE)/run

## run-home  build and run the home hub in the foreground, while the bridge is running; its state is in ./.lamplighter/home
run-home: packages
	$(call build,homehubd homehub)
	exec .build/debug/homehubd --config Config/homehub.yaml --state-directory $(STATE)/home --runtime-directory $(STATE)/run

## run-web  build and run the web page in the foreground, while the home hub is running; its state is in ./.lamplighter/web
run-web: packages
	$(call build,homeweb homehub)
	exec .build/debug/homeweb --listen $(LISTEN) --state-directory $(STATE)/web --socket $(STATE)/run/home.sock \
		--bridge-socket $(STATE)/run/page/bridge.sock

## test     install the tests' requirements and run all tests; TIMES=1 lists the slowest steps and tests
test: test-packages $(VENV)/ready
	$(if $(CI),,@rm -rf .build/times)
	Scripts/step swift build --build-tests
	Scripts/step Scripts/swift-tests
	Scripts/step $(INTEROP) Tests/Interop -n 4 --dist loadfile -m "not alone and not long" --junitxml=.build/times/interop.xml
	Scripts/step $(INTEROP) Tests/Interop -m "alone and not long" --junitxml=.build/times/alone.xml
	@test -z "$(TIMES)" || Scripts/times
	@! test -s .build/skipped-tests || { echo "Skipped tests:"; cat .build/skipped-tests; }

## test-all  also run the tests that take too long for every change, before an issue is closed (root)
test-all: test test-outside fresh-machine bench-programs package-test guest-repository container container-test reproducible
	$(INTEROP) Tests/Interop -m long
	HOME_SEEDS=5 $(INTEROP) Tests/Interop/test_home_properties.py
	Scripts/guest-documents

## test-outside  build and run the code of the libraries' articles as separate packages
test-outside: packages
	Scripts/test-outside

## check    check format, module dependencies, citations and links, the articles' code, units, wording, translations, the catalog, the list of mutants, the licenses, the API, and the table of HomeKit's classes
check:
	swift format lint -s -r Sources Tests Benchmarks Examples Package.swift
	Scripts/check-walls
	Scripts/check-citations
	Scripts/check-snippets
	Scripts/check-units
	Scripts/check-log-messages
	Scripts/check-english
	Scripts/check-texts
	Scripts/generate-catalog --check
	Scripts/mutants --check
	Scripts/generate-bill --check
	Scripts/check-api
	Scripts/homekit-coverage

# Not a check: Scripts/generate-compatibility writes the table of Unicode's compatibility forms for the comparison of names.
# Run it when a new version of Unicode is released.

## format   format the source
format:
	swift format -i -r Sources Tests Benchmarks Examples Package.swift

## install  install programs, units, manual, completions and example configurations, built by make, in DESTDIR
install: built install-files
	for file in lamplighter/lamplighter.yaml homehub/homehub.yaml; do set -e; \
		test -e $(DESTDIR)/etc/$$file || install -D -m 0644 Config/$${file#*/} $(DESTDIR)/etc/$$file; \
	done

# `sudo make install` installs the build of another user, so it runs neither Swift nor build plugins in that user's clone.
built:
	@test -e $(SHIPPED)/manual/homeweb.8 || { echo "install: there is no release build; run make first" >&2; exit 66; }

install-files: install-bridge-files install-home-files install-web-files

# Installs the files that both packages have: $(call install-common,PACKAGE,COMMAND,DAEMON,ANOTHER COMMAND).
define install-common
	install -D -m 0755 -s $(SHIPPED)/$(2) $(DESTDIR)$(PREFIX)/bin/$(2)
	install -d $(DESTDIR)$(PREFIX)/sbin
	ln -sf ../bin/$(2) $(DESTDIR)$(PREFIX)/sbin/$(3)
	install -D -m 0644 -t $(DESTDIR)$(UNITDIR) systemd/$(3)*.service
	sed -i 's,^\(Exec[A-Z][a-z]*\)=/usr,\1=$(PREFIX),' $(DESTDIR)$(UNITDIR)/$(3)*.service
	install -D -m 0644 systemd/$(1).sysusers.conf $(DESTDIR)$(PREFIX)/lib/sysusers.d/$(1).conf
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/share/man/man1 $(SHIPPED)/manual/$(2).1
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/share/man/man5 $(SHIPPED)/manual/$(1).yaml.5
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/share/man/man8 $(SHIPPED)/manual/$(3).8
	for name in $(2) $(3) $(4); do set -e; \
		install -D -m 0644 $(SHIPPED)/manual/$$name.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/$$name; \
		install -D -m 0644 $(SHIPPED)/manual/$$name.zsh $(DESTDIR)$(PREFIX)/share/zsh/vendor-completions/_$$name; \
		install -D -m 0644 $(SHIPPED)/manual/$$name.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/$$name.fish; \
	done
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/share/doc/$(1)/examples Config/$(1).yaml
endef

install-bridge-files:
	$(call install-common,lamplighter,lamplighter,lamplighterd)
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/share/doc/lamplighter README.md Documentation/Operation.md \
		Documentation/SupportedDevices.md Documentation/Observability.md Documentation/OwnershipTokens.md Documentation/Plugins.md
	install -D -m 0755 -t $(DESTDIR)$(PREFIX)/libexec/lamplighter Examples/Plugins/sysfs-leds
	install -D -m 0755 -t $(DESTDIR)$(PREFIX)/share/doc/lamplighter/examples Examples/Plugins/lamp.sh Examples/Plugins/lamps.py Examples/Plugins/fan.py
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/share/doc/lamplighter/examples Config/demo.yaml

install-home-files:
	$(call install-common,homehub,homehub,homehubd,hapsim)
	ln -sf homehub $(DESTDIR)$(PREFIX)/bin/hapsim
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/share/man/man1 $(SHIPPED)/manual/hapsim.1
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/share/doc/homehub/examples/accessories Examples/Accessories/*.yaml

# The page is a separate package, because it is optional. `homehub web` shows its token.
install-web-files:
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/share/homehub/apps Config/org.lamplighter.homeweb.yaml
	install -D -m 0755 -s $(SHIPPED)/homeweb $(DESTDIR)$(PREFIX)/sbin/homeweb
	install -D -m 0644 -t $(DESTDIR)$(UNITDIR) systemd/homeweb.service
	sed -i 's,^\(Exec[A-Z][a-z]*\)=/usr,\1=$(PREFIX),' $(DESTDIR)$(UNITDIR)/homeweb.service
	install -D -m 0644 systemd/homeweb.sysusers.conf $(DESTDIR)$(PREFIX)/lib/sysusers.d/homeweb.conf
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/share/man/man8 $(SHIPPED)/manual/homeweb.8
	install -D -m 0644 $(SHIPPED)/manual/homeweb.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/homeweb
	install -D -m 0644 $(SHIPPED)/manual/homeweb.zsh $(DESTDIR)$(PREFIX)/share/zsh/vendor-completions/_homeweb
	install -D -m 0644 $(SHIPPED)/manual/homeweb.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/homeweb.fish

## deb      build the Debian packages and print their paths; ARCH=arm64 builds them for arm64 on an amd64 computer (root)
ifeq ($(ARCH),arm64)
deb: cross-packages
	Scripts/build-arm64
else
deb: package-packages all
	Scripts/build-package
endif

## reproducible  build the packages of the commit twice, in different folders, and compare them (two release builds)
reproducible: package-packages
	Scripts/compare-builds

## guest-test  install the packages in a Debian guest, and test the services there (root)
guest-test: guest-packages $(VENV)/ready
	Scripts/guest-test

## package-test  build the packages, check them and their dependencies, and test them in a Debian guest (root)
package-test: guest-packages deb $(VENV)/ready
	lintian --fail-on error,warning .build-deb/*.deb
	Scripts/check-dependencies
	Scripts/guest-test

## guest-test-arm64  install the packages of make deb ARCH=arm64 in an emulated arm64 computer, and test the services there (root, hours)
guest-test-arm64: arm64-packages $(VENV)/ready
	Scripts/guest-repository --arm64
	Scripts/guest-test --arm64

## apt-repository  add the packages to a signed apt repository: make apt-repository SIGNING_KEY=FINGERPRINT ADDRESS=https://...
apt-repository: package-packages
	Scripts/check-dependencies
	Scripts/apt-repository --address "$(or $(ADDRESS),$(error set ADDRESS to the URL at which .build-repository is served))" \
		--key "$(or $(SIGNING_KEY),$(error set SIGNING_KEY to a fingerprint or to a file with the secret key))"

## container  build a container image from the packages, without a container engine; ARCH=arm64 for those of make deb ARCH=arm64 (root)
container: image-packages
	Scripts/build-container $(ARCH)

## container-test  run the image with Podman on a simulated LAN: health, pairing, restart, no root; ARCH=arm64 emulates it (root)
container-test: container-packages $(VENV)/ready
	Scripts/container-test $(ARCH)

## guest-repository  install, upgrade and purge the packages from a repository, in guests with Debian 12 and 13 (root)
guest-repository: guest-packages $(VENV)/ready
	Scripts/guest-repository

## release  build, test and sign the release of the tagged commit: make release SIGNING_KEY=FINGERPRINT; Scripts/release --dry-run only checks
release: guest-packages $(VENV)/ready
	Scripts/release --key "$(or $(SIGNING_KEY),$(error set SIGNING_KEY to a fingerprint or to a file with the secret key))"

## fresh-machine  run some of the tests in a container with only Debian and Swift (root; all tests: Scripts/fresh-machine --whole)
fresh-machine: guest-packages
	swift build --build-tests
	Scripts/fresh-machine

## bench    measure the release daemon under load, and compare with the last run (Benchmarks/README.md)
bench: bench-programs
	Benchmarks/measure --programs $(SHIPPED) --results .build-bench

bench-programs: shipped
	LAMPLIGHTER_BENCHMARKS=1 $(SHIP) hap-load
	LAMPLIGHTER_BENCHMARKS=1 $(SHIP) hap-micro

## power-cut  interrupt the daemons at every write, by kill and by power cut, and open the resulting databases (root, minutes)
power-cut: test-packages $(VENV)/ready
	swift build
	POWER_CUT=all $(VENV)/bin/python -m pytest -q -s -o faulthandler_timeout=0 Tests/Interop/test_power_cut.py

## soak     load the release daemons for an hour while their environment fails, and check their guarantees: make soak [MINUTES=60] (root)
soak: test-packages shipped $(VENV)/ready
	$(VENV)/bin/python Tests/Soak/soak.py --minutes $(MINUTES)

## web-day  simulate a day of the page: eight hours of changes in 25 minutes, with restarts; memory and states must be right (root)
web-day: test-packages shipped $(VENV)/ready
	PROGRAMS=$(SHIPPED) $(VENV)/bin/python Tests/Interop/web_day.py

## web-figures  measure the release page against its budgets: make web-figures [FORMER=another homeweb] (root)
web-figures: test-packages shipped $(VENV)/ready
	PROGRAMS=$(SHIPPED) $(VENV)/bin/python Tests/Interop/web_figures.py $(if $(FORMER),--former $(FORMER))

## mutants  plant up to 450 bugs, one at a time, and list the bugs that no test detects (root; an hour or two)
mutants: test-packages $(VENV)/ready
	Scripts/mutants

## help     print this list; `make` alone builds a release
help:
	@sed -n 's/^## /make /p' Makefile

## fuzz     run the parsers of external input with libFuzzer: make fuzz [SECONDS=60] [TARGET=http]
fuzz: packages
	Scripts/fuzz $(SECONDS) $(TARGET)

## sanitize  run the tests and the daemons with the thread and the address sanitizer; the builds take a long time
sanitize: test-packages $(VENV)/ready
	Scripts/sanitize

## docs     build the libraries' documentation in .build-docs/site/LIBRARY, and an index with the version
docs: packages
	mkdir -p .build-docs/site
	for library in $(LIBRARIES); do set -e; \
		LAMPLIGHTER_DOCS=1 swift package --scratch-path .build-docs --allow-writing-to-directory .build-docs/site \
			generate-documentation --target $$library --transform-for-static-hosting \
			--hosting-base-path $$library --output-path .build-docs/site/$$library; \
	done
	{ echo '<!doctype html><meta charset="utf-8"><title>Lamplighter</title>'; echo "<h1>Lamplighter $$(Scripts/version)</h1><ul>"; \
		for library in $(LIBRARIES); do \
			echo "<li><a href=\"$$library/documentation/$$(echo $$library | tr A-Z a-z)/\">$$library</a></li>"; \
		done; echo '</ul>'; } > .build-docs/site/index.html

packages:
	@$(if $(SDK),,Scripts/install-packages run)

test-packages:
	@Scripts/install-packages test

package-packages:
	@Scripts/install-packages package

guest-packages:
	@Scripts/install-packages guest

arm64-packages:
	@Scripts/install-packages arm64

cross-packages:
	@Scripts/install-packages cross

image-packages:
	@Scripts/install-packages image$(if $(filter arm64,$(ARCH)),-arm64)

container-packages:
	@Scripts/install-packages container$(if $(filter arm64,$(ARCH)),-arm64)

$(VENV)/ready: Tests/Interop/requirements.txt Tests/Interop/sources.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install -q --require-hashes -r Tests/Interop/requirements.txt
	rm -rf $(VENV)/sources
	$(VENV)/bin/pip download -q --require-hashes --no-deps --no-binary :all: -d $(VENV)/sources -r Tests/Interop/sources.txt
	for file in $(VENV)/sources/*.tar.gz; do tar -xzf $$file -C $(VENV)/sources || exit; done
	touch $@
