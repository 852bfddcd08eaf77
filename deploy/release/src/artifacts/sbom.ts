// The SBOM of the image, in CycloneDX: the packages of the services, by the lock file. The image's own
// SBOM, `sbom.cdx.json` in it, also has the official uWebSockets.js.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '@taskgraph/helm-check/program';
import { sha256 } from '../checksums.ts';
import type { LockFile, Manifest } from '../source/version-stamp.ts';
import type { Build } from './build.ts';

interface Sbom {
  readonly serialNumber: string;
  readonly metadata: { readonly timestamp: string };
}

export async function writeSbom({ version, tree, sources, work, target }: Build): Promise<void> {
  const services = readdirSync(join(sources, 'services')).sort();
  const workspaces = services.flatMap((name) => ['--workspace', `services/${name}`]);
  const format = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const text = await must('npm', ['sbom', ...format, '--package-lock-only', ...workspaces], {
    cwd: copyManifests(sources, work),
  });
  const sbom = reproducible(JSON.parse(text) as Sbom, tree.epoch);
  writeFileSync(join(target, `taskgraph-${version.text}.cdx.json`), `${JSON.stringify(sbom, null, 2)}\n`);
}

/**
 * Copies the manifests and the lock file without the tools of developers. `--omit dev` would leave in
 * those that are workspaces, and leave out packages that others need too. npm names the root by its
 * folder.
 */
function copyManifests(sources: string, work: string): string {
  const folder = join(work, 'taskgraph');
  const lock = JSON.parse(readFileSync(join(sources, 'package-lock.json'), 'utf8')) as LockFile;
  for (const path of Object.keys(lock.packages).filter((each) => !each.includes('node_modules/'))) {
    const manifest = JSON.parse(readFileSync(join(sources, path, 'package.json'), 'utf8')) as Manifest;
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, 'package.json'), JSON.stringify(withoutTools(manifest)));
  }
  const packages = Object.entries(lock.packages).map(([path, entry]) => [path, withoutTools(entry)]);
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }));
  return folder;
}

function withoutTools({ devDependencies: _tools, ...manifest }: Manifest): Manifest {
  return manifest;
}

/** Replaces npm's time and random number: the same packages have the same SBOM. */
function reproducible(sbom: Sbom, epoch: number): Sbom {
  const metadata = { ...sbom.metadata, timestamp: new Date(epoch * 1_000).toISOString() };
  const digest = sha256(JSON.stringify({ ...sbom, serialNumber: '', metadata }));
  return { ...sbom, serialNumber: `urn:uuid:${uuidOf(digest)}`, metadata };
}

/** A UUID of version 8 (RFC 9562), whose content is a digest. */
function uuidOf(digest: string): string {
  const [, one, two, three, four, five] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(digest) ?? [];
  return `${one}-${two}-8${three}-8${four}-${five}`;
}
