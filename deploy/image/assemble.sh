#!/usr/bin/env bash
# Builds the services and lays them out with their production packages: assemble.sh <empty folder>.
# Runs in a checkout, or a copy of one without packages. Leaves the checkout built.
set -euo pipefail
out="${1:?the folder to fill}"
cd "$(dirname "$0")/../.."
if [ -e "$out" ] && [ -n "$(ls -A "$out")" ]; then
  echo "error: $out is not empty" >&2
  exit 1
fi

# Nothing of the packages may run code while they are installed: none that the services need asks for it.
[ -e node_modules/.package-lock.json ] || npm ci --ignore-scripts
node node_modules/typescript/bin/tsc -b
node deploy/console.mjs

mkdir -p "$out"
cp package.json package-lock.json .npmrc "$out"
# npm wants to see every workspace of the lock file.
for manifest in libs/*/package.json services/*/package.json deploy/*/package.json helm/check/package.json loadtest/*/package.json; do
  mkdir -p "$out/$(dirname "$manifest")"
  cp "$manifest" "$out/$manifest"
done
(cd "$out" && npm ci --ignore-scripts --omit=dev)

# What no service imports goes, and with it the packages that only it needs.
rm -rf "$out/deploy" "$out/helm" "$out/loadtest" "$out/libs/testkit" "$out/libs/reference-model" "$out/libs/repo-checks" "$out/libs/client" "$out/libs/cli"
(
  cd "$out"
  npm pkg set --json workspaces='["libs/*", "services/*"]'
  npm pkg delete scripts devDependencies
  npm pkg delete devDependencies --workspaces
  npm prune --ignore-scripts --omit=dev
)

for folder in libs/* services/*; do
  [ -d "$out/$folder" ] || continue
  cp -r "$folder/dist" "$out/$folder/dist"
  # The page that the gateway serves.
  [ ! -d "$folder/page" ] || cp -r "$folder/page" "$out/$folder/page"
  find "$out/$folder/dist" \( -name '*.d.ts' -o -name '*.d.ts.map' -o -name '.tsbuildinfo' -o -name 'inputs.*' \) -delete
done

# The gateway serves the descriptions of the API.
mkdir -p "$out/docs/api"
cp docs/api/openapi.json docs/api/asyncapi.json "$out/docs/api"
