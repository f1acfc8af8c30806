# Builds and installs git arborist.
#
#   make                          build the programs, the man pages and the completions
#   make install                  install them below /usr/local (PREFIX), in DESTDIR if it is set
#   make uninstall                remove what `make install` has installed
#
# `git arborist init man completions` writes the same man pages and completions to the same places.

PREFIX = /usr/local
DESTDIR =
CARGO = cargo
# The profile of cargo, and the folder of its programs. `dist` builds smaller programs and takes longer.
PROFILE = release
BUILT = target/$(if $(filter dev,$(PROFILE)),debug,$(PROFILE))
# A program for the machine that builds: it writes the man pages and completions.
ARBORIST = $(BUILT)/git-arborist
INSTALL = install

# The program of each command is a link to git-arborist, which sees under which name it was started. `cargo install` cannot make
# links, so it installs small programs instead. The hooks have a separate program, because it starts faster.
programs = git-arborist git-arborist-hooks
links = $(filter-out $(programs),$(sort $(patsubst src/bin/%.rs,%,$(wildcard src/bin/*.rs))))
staged = target/stage/share
documents = README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md $(wildcard docs/*.md)
licences = LICENSE-APACHE LICENSE-MIT

bindir = $(DESTDIR)$(PREFIX)/bin
sharedir = $(DESTDIR)$(PREFIX)/share
docdir = $(sharedir)/doc/git-arborist

.PHONY: all build stage install uninstall

all: stage

build:
	$(CARGO) build --locked --profile $(PROFILE)

stage: build
	rm -rf target/stage
	$(ARBORIST) init man completions --prefix target/stage >/dev/null

install: stage
	$(INSTALL) -d '$(bindir)'
	for program in $(programs); do $(INSTALL) -m 755 "$(BUILT)/$$program" '$(bindir)' || exit; done
	for link in $(links); do ln -sf git-arborist '$(bindir)'/"$$link" || exit; done
	cd $(staged) && find . -type f | while read -r file; do \
		$(INSTALL) -d "$(abspath_share)/$${file%/*}" && $(INSTALL) -m 644 "$$file" "$(abspath_share)/$$file" || exit; done
	$(INSTALL) -d '$(docdir)/docs'
	$(INSTALL) -m 644 README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md $(licences) '$(docdir)'
	$(INSTALL) -m 644 $(wildcard docs/*.md) docs/schema.json '$(docdir)/docs'

# Removes the files that `make install` writes, and the folder that only we use.
uninstall: stage
	for program in $(programs) $(links); do rm -f '$(bindir)'/"$$program"; done
	cd $(staged) && find . -type f | while read -r file; do rm -f "$(abspath_share)/$$file"; done
	rm -rf '$(docdir)'

# The same folder, even after `cd`.
abspath_share = $(abspath $(sharedir))
