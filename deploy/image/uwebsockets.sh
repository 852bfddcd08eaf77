#!/usr/bin/env bash
# Puts the official uWebSockets.js in the place of the package that the lock file names: uwebsockets.sh <application> <archive> <its SHA-256>.
# The archive is the source of a release, which holds builds for all platforms; the one for this platform and Node is kept.
set -euo pipefail
application="${1:?the folder of the application}"
archive="${2:?the archive of a release of uWebSockets.js}"
checksum="${3:?the SHA-256 of the archive}"
# Before anything of it is unpacked: what is loaded below runs in every gateway.
echo "$checksum  $archive" | sha256sum --check --status || { echo "error: $archive is not the release with this SHA-256" >&2; exit 1; }
application="$(cd "$application" && pwd)"
target="$application/node_modules/uWebSockets.js"
[ -d "$target" ] || { echo "error: $target is not there" >&2; exit 1; }

native="uws_$(node -p 'process.platform + "_" + process.arch + "_" + process.versions.modules').node"
rm -rf "$target"
mkdir "$target"
tar --extract --gzip --file "$archive" --directory "$target" --strip-components 1 --wildcards \
  '*/package.json' '*/uws.js' '*/LICENSE' "*/$native"

# The manifest and the lock file would tell of the package that was there before.
rm -f "$application/package-lock.json" "$application/node_modules/.package-lock.json"
version="$(node -p "require('$target/package.json').version")"
(cd "$application/services/gateway" && npm pkg set "dependencies[uWebSockets.js]=$version")

# It is loaded as the gateway does it; a fallback or a build for another libc would show here.
cd "$application"
node -e "
  const { App } = require('uWebSockets.js');
  if (!process.report.getReport().sharedObjects.some((path) => path.endsWith('$native'))) throw new Error('$native was not loaded');
  App();
"
