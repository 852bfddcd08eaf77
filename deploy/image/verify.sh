#!/usr/bin/env bash
# Looks whether the application is whole and has nothing that does not belong there: verify.sh <application>.
set -euo pipefail
cd "${1:?the folder of the application}"

fail() {
  echo "error: $*" >&2
  exit 1
}

for package in typescript vitest vite react fast-check knip @biomejs/biome oxc-parser playwright-core axe-core; do
  [ ! -e "node_modules/$package" ] || fail "$package is for developers alone"
done
[ -z "$(find . -name '*.ts' -not -path './node_modules/*' -not -name '*.d.ts')" ] || fail 'there are sources'
[ -s services/console/dist/index.html ] || fail 'there is no console'
[ -s services/console/dist/licenses.md ] || fail 'the licences of the packages in the console are missing'
[ -s sbom.cdx.json ] || fail 'there is no SBOM'

# Without their variables services end at once, with one error that names them, after all that they import was found.
for script in services/*/dist/main.js services/admin/dist/migrate.js; do
  said="$(env -i PATH="$PATH" node "$script" 2>&1 || true)"
  case "$said" in
    *'is not set, and has no default'*) ;;
    *) fail "$script does not get as far as its configuration: $said" ;;
  esac
done
