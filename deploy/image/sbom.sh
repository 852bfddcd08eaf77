#!/usr/bin/env bash
# Writes what the image is made of, as sbom.cdx.json (CycloneDX) beside it: sbom.sh <application>.
set -euo pipefail
cd "${1:?the folder of the application}"
# The official uWebSockets.js and what was left out differ from the lock file on purpose, so the installed tree is told.
npm sbom --sbom-format cyclonedx --omit dev --workspaces --include-workspace-root=false >sbom.cdx.json
