# Lamplighter: `make run` shows a demo bridge, `make test` proves the project, `make help` lists the rest.

PREFIX  ?= /usr
DESTDIR ?=
PYTHON  ?= python3
VENV    := .venv
STATE   ?= .lamplighter

.PHONY: all run test check format install help deb bench fuzz docs packages test-packages

all: packages
	swift build -c release

## run      build and run a bridge of simulated lights in the foreground; its state is in ./.lamplighter
run: packages
	swift build --product lamplighterd
	swift build --product lamplighter
	exec .build/debug/lamplighterd --config Config/demo.yaml --state-directory $(STATE) --runtime-directory $(STATE)/run

## test     install what the tests need, run all of them, end what they started
test: test-packages $(VENV)/ready
	swift build --build-tests
	Scripts/generate-catalog --check
	swift test --skip-build
	$(VENV)/bin/python -m pytest -q Tests/Interop

## check    the format, the walls between the targets, and the generated catalogue
check:
	swift format lint -s -r Sources Tests Package.swift
	Scripts/check-walls
	Scripts/generate-catalog --check

## format   bring the source into its form
format:
	swift format -i -r Sources Tests Package.swift

## install  put the programs and the example configuration under DESTDIR
install: all
	install -D -m 0755 .build/release/lamplighterd $(DESTDIR)$(PREFIX)/sbin/lamplighterd
	install -D -m 0755 .build/release/lamplighter $(DESTDIR)$(PREFIX)/bin/lamplighter
	test -e $(DESTDIR)/etc/lamplighter/lamplighter.yaml || install -D -m 0644 Config/lamplighter.yaml $(DESTDIR)/etc/lamplighter/lamplighter.yaml
	install -D -m 0644 systemd/lamplighterd.service $(DESTDIR)$(PREFIX)/lib/systemd/system/lamplighterd.service
	install -D -m 0644 systemd/lamplighter.sysusers.conf $(DESTDIR)$(PREFIX)/lib/sysusers.d/lamplighter.conf

## help     this list; plain `make` is a release build
help:
	@sed -n 's/^## /make /p' Makefile

deb bench fuzz docs:
	@echo "make $@ is not available in this version" >&2; exit 69

packages:
	@Scripts/install-packages run

test-packages:
	@Scripts/install-packages test

$(VENV)/ready: Tests/Interop/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install -q -r Tests/Interop/requirements.txt
	touch $@
