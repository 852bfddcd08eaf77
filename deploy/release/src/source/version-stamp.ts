// Writes the version of a release into a copy of the sources: manifests, lock file, descriptions of
// the API, the Python project, and changelogs. The checkout's own version never changes.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { releaseChangelog } from '../changelog.ts';
import type { ReleaseVersion } from '../version.ts';

/** A manifest of npm, or a workspace in the lock file. */
export interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export interface LockFile extends Manifest {
  readonly packages: Readonly<Record<string, Manifest>>;
}

/** All changelogs. The first one belongs to the service, and must have changes. */
export const CHANGELOGS = ['CHANGELOG.md', 'libs/client/CHANGELOG.md', 'libs/client-python/CHANGELOG.md'] as const;

const DESCRIPTIONS = ['docs/api/openapi.json', 'docs/api/asyncapi.json'];
const PYTHON_PROJECT = 'libs/client-python/pyproject.toml';
const PYTHON_VERSION = /^version = ".*"$/m;
const OURS = /^(taskgraph$|@taskgraph\/)/;

/** Sets the version of a manifest, and of the packages of ours on which it depends. */
export function stampManifest<Stamped extends Manifest>(manifest: Stamped, version: string): Stamped {
  const stamped = { ...manifest, version };
  for (const kind of ['dependencies', 'devDependencies'] as const) {
    const wanted = manifest[kind];
    if (wanted === undefined) continue;
    const entries = Object.entries(wanted).map(([name, range]) => [name, OURS.test(name) ? version : range]);
    Object.assign(stamped, { [kind]: Object.fromEntries(entries) });
  }
  return stamped;
}

/** Throws if a file has no place for the version. */
export function stampSources(folder: string, files: readonly string[], { text, python }: ReleaseVersion): void {
  for (const path of files.filter((each) => /(^|\/)package\.json$/.test(each))) {
    rewriteJson<Manifest>(join(folder, path), (manifest) =>
      OURS.test(manifest.name ?? '') ? stampManifest(manifest, text) : manifest,
    );
  }
  rewriteJson<LockFile>(join(folder, 'package-lock.json'), (lock) => ({
    ...lock,
    version: text,
    packages: Object.fromEntries(
      Object.entries(lock.packages).map(([path, entry]) => [
        path,
        path.includes('node_modules/') ? entry : stampManifest(entry, text),
      ]),
    ),
  }));
  for (const path of DESCRIPTIONS) {
    rewriteJson<{ info: object }>(join(folder, path), (document) => ({
      ...document,
      info: { ...document.info, version: text },
    }));
  }
  rewrite(join(folder, PYTHON_PROJECT), (project) => {
    if (!PYTHON_VERSION.test(project)) throw new Error(`${PYTHON_PROJECT} has no line with the version`);
    return project.replace(PYTHON_VERSION, `version = "${python}"`);
  });
  for (const path of CHANGELOGS) rewrite(join(folder, path), (changelog) => releaseChangelog(changelog, text).text);
}

export function rewrite(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

export function rewriteJson<Content>(path: string, change: (content: Content) => Content): void {
  rewrite(path, (text) => `${JSON.stringify(change(JSON.parse(text) as Content), null, 2)}\n`);
}
