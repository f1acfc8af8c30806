#!/bin/sh
# Installs the hook managers that tests/hooks_install.rs tries, from their registries, into one folder:
#   tests/it/hooks/managers.sh DIR && HOOK_MANAGERS=DIR cargo test --test it -- hooks::install
set -eu
dir=$1
mkdir -p "$dir"
cd "$dir"
[ -f package.json ] || echo '{"private": true}' > package.json
npm install --silent --no-audit --no-fund husky lefthook
python3 -m venv venv
venv/bin/pip install --quiet pre-commit prek
