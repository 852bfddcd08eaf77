// The files about a release: checksums, provenance, SBOM and notes.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ArtifactTest, artifactPath, expectEqual } from './artifact-test.ts';

/** They are not artifacts: checksums and subjects do not name them. */
const ABOUT = ['SHA256SUMS', 'provenance.intoto.json', 'release-notes.md'];

export const releaseFiles: ArtifactTest = {
  name: 'checksums, provenance and SBOM',
  async run(_folder, release) {
    const read = (name: string) => readFileSync(join(release.folder, name));
    const names = readdirSync(release.folder).filter((name) => !ABOUT.includes(name));
    const digests = names
      .sort()
      .map((name) => ({ name, sha256: createHash('sha256').update(read(name)).digest('hex') }));
    const lines = digests.map(({ name, sha256 }) => `${sha256}  ${name}\n`);
    expectEqual('SHA256SUMS', read('SHA256SUMS').toString(), lines.join(''));
    const { subject } = JSON.parse(read('provenance.intoto.json').toString()) as { subject: object[] };
    const subjects = digests.map(({ name, sha256 }) => ({ name, digest: { sha256 } }));
    expectEqual('the subjects of the provenance', JSON.stringify(subject), JSON.stringify(subjects));
    if (read('release-notes.md').toString().trim() === '') throw new Error('The release has no notes.');
    return `${names.length} artifacts, ${verifySbom(release)} packages`;
  },
};

/** Returns the number of packages. They are those of the services. */
function verifySbom(release: Parameters<typeof artifactPath>[0]): number {
  const { bomFormat, components } = JSON.parse(readFileSync(artifactPath(release, '.cdx.json'), 'utf8')) as {
    bomFormat: string;
    components: { 'bom-ref': string }[];
  };
  expectEqual('the format of the SBOM', bomFormat, 'CycloneDX');
  // npm names workspaces by their folders. References have the whole name, and the version.
  const references = components.map((component) => component['bom-ref']);
  const has = (name: string) => references.some((reference) => reference.startsWith(`${name}@`));
  for (const name of [`@taskgraph/gateway@${release.version}`, `@taskgraph/domain@${release.version}`])
    if (!references.includes(name)) throw new Error(`The SBOM lacks ${name}.`);
  for (const name of ['neo4j-driver', 'socket.io', 'bullmq', 'zod'])
    if (!has(name)) throw new Error(`The SBOM lacks ${name}.`);
  for (const name of ['vitest', 'typescript', '@taskgraph/testkit', '@taskgraph/cli'])
    if (has(name)) throw new Error(`The SBOM has ${name}, which the image does not contain.`);
  return components.length;
}
