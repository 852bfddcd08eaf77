// The scripts of the workflow that publish, with programs in place of the registries: a repeated run
// skips what is published with the same content, and fails if the content differs.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { repositoryPath } from './repository.ts';

const VERSION = '1.2.3-rc.1';
const DIGEST = `sha256:${'a'.repeat(64)}`;
const release = readFileSync(repositoryPath('.github', 'workflows', 'release.yml'), 'utf8');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'taskgraph-publication-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The script of the step with this id. */
function scriptOf(id: string): string {
  const step = release.slice(release.indexOf(`      - id: ${id}\n`)).split(/\n {6}(?=- |# )|\n {2}(?=\w)/)[0] ?? '';
  const script = step.split('\n        run: |\n')[1] ?? '';
  if (script === '') throw new Error(`the workflow has no script ${id}`);
  return script.replaceAll(/^ {10}/gm, '');
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** A program on the path of the script. It notes its arguments. */
function program(name: string, body: string): void {
  write(`bin/${name}`, `#!/bin/bash\necho "${name} $*" >> "$CALLS"\n${body}\n`);
  chmodSync(join(folder, 'bin', name), 0o755);
}

interface ScriptResult {
  readonly status: number | null;
  readonly output: string;
  /** The programs that were called, with their arguments. */
  readonly calls: readonly string[];
}

/** Runs the script as GitHub does. */
function run(id: string, environment: Readonly<Record<string, string>> = {}): ScriptResult {
  const [script, calls] = [join(folder, 'script.sh'), join(folder, 'calls.txt')];
  writeFileSync(script, scriptOf(id));
  rmSync(calls, { force: true });
  rmSync(join(folder, 'published'), { recursive: true, force: true });
  const path = `${join(folder, 'bin')}:${process.env.PATH}`;
  const output = join(folder, 'output.txt');
  const { status, stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: path, CALLS: calls, GITHUB_OUTPUT: output, GITHUB_REF_NAME: `v${VERSION}`, VERSION, ...environment },
  });
  const called = existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [];
  return { status, output: stdout + stderr, calls: called };
}

const publishes = ({ calls }: ScriptResult, verb: RegExp) => calls.filter((call) => verb.test(call));

describe('the npm packages', () => {
  const integrity = (text: string) => `sha512-${createHash('sha512').update(text).digest('base64')}`;
  /** The answers of `npm view` for both packages, and for the version that has the tag. */
  const answer = (client: string, cli: string, tagged = 'exit 0') =>
    program('npm', `case "$*" in *dist-tags*) ${tagged} ;; view*client*) ${client} ;; view*) ${cli} ;; esac`);
  beforeEach(() => {
    for (const name of ['client', 'cli']) write(`release/taskgraph-${name}-${VERSION}.tgz`, name);
  });

  test('new packages are published, also of a new name', () => {
    const unknown = 'echo "npm error code E404" >&2; exit 1';
    answer('exit 0', unknown, unknown);
    const result = run('publish-npm', { DIST_TAG: 'next' });
    expect(result).toMatchObject({ status: 0 });
    expect(publishes(result, /npm publish/)).toEqual(
      ['client', 'cli'].map(
        (name) => `npm publish ./release/taskgraph-${name}-${VERSION}.tgz --access public --provenance --tag next`,
      ),
    );
  });

  test.each([
    ['1.2.3', 'latest', '1.10.0', 'release-1.2.3'],
    ['1.2.3', 'latest', '1.2.2', 'latest'],
    ['1.2.3', 'latest', '1.2.3-rc.1', 'latest'],
    ['1.2.3-rc.1', 'next', '1.2.3-rc.2', 'release-1.2.3-rc.1'],
  ])('%s is published while the tag %s names %s: it gets the tag %s', (version, tag, tagged, expected) => {
    for (const name of ['client', 'cli']) write(`release/taskgraph-${name}-${version}.tgz`, name);
    answer('exit 0', 'exit 0', `echo ${tagged}`);
    const result = run('publish-npm', { VERSION: version, DIST_TAG: tag });
    expect(result.status).toBe(0);
    const tags = publishes(result, /npm publish/).map((call) => call.split(' ').at(-1));
    expect(tags).toEqual([expected, expected]);
    expect(result.calls).toContain(`npm view @taskgraph/cli dist-tags.${tag}`);
  });

  test('one that is published with the same content is skipped', () => {
    answer(`echo ${integrity('client')}`, 'exit 0');
    const result = run('publish-npm', { DIST_TAG: 'next' });
    expect(result.output).toContain(`@taskgraph/client@${VERSION} is published already.`);
    expect(publishes(result, /npm publish/)).toHaveLength(1);
  });

  test('one that is published with other content, and an answer without one, are failures', () => {
    answer(`echo ${integrity('other')}`, 'exit 0');
    const differs = run('publish-npm', { DIST_TAG: 'next' });
    answer('echo "npm error network" >&2; exit 1', 'exit 0');
    const unknown = run('publish-npm', { DIST_TAG: 'next' });
    answer('exit 0', 'exit 0', 'echo "npm error network" >&2; exit 1');
    const unknownTag = run('publish-npm', { DIST_TAG: 'next' });
    expect(differs.output).toContain('is published with other content');
    for (const result of [differs, unknown, unknownTag]) {
      expect(result.status).toBe(1);
      expect(publishes(result, /npm publish/)).toEqual([]);
    }
  });
});

describe('the wheel', () => {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const answer = (status: number, digest = '') =>
    program('curl', `echo '{"urls":[{"digests":{"sha256":"${digest}"}}]}' > published.json; echo -n ${status}`);
  beforeEach(() => {
    write('release/taskgraph_client-1.2.3rc1-py3-none-any.whl', 'wheel');
    program('python', '');
  });

  test('a new one is signed and uploaded, by programs with checksums', () => {
    answer(404);
    const result = run('publish-wheel');
    expect(result.status).toBe(0);
    expect(result.calls[0]).toMatch(/taskgraph-client\/1\.2\.3rc1\/json$/);
    expect(publishes(result, /^python/)).toEqual([
      expect.stringContaining('pip install --require-hashes'),
      expect.stringContaining('pypi_attestations sign release/taskgraph_client-1.2.3rc1-py3-none-any.whl'),
      expect.stringContaining('twine upload'),
    ]);
  });

  test('one that is published with the same content is skipped; other content and errors are failures', () => {
    answer(200, sha256('wheel'));
    expect(run('publish-wheel')).toMatchObject({ status: 0, calls: [expect.stringContaining('curl')] });
    for (const [status, digest] of [
      [200, sha256('other')],
      [503, ''],
    ] as const) {
      answer(status, digest);
      expect(run('publish-wheel')).toMatchObject({ status: 1, calls: [expect.stringContaining('curl')] });
    }
  });
});

describe('the image', () => {
  const environment = { IMAGE: 'ghcr.io/owner/name', CONTEXT: 'c'.repeat(64) };
  /** As buildx prints it: with spaces; and a table for formats that begin with the manifest. */
  const answer = (context: string, digest = DIGEST) => {
    const labels = { 'taskgraph.context.sha256': context };
    const image = { name: 'image', manifest: { digest }, image: { config: { Labels: labels } } };
    const json = `cat << 'END'\n${JSON.stringify(image, null, 2)}\nEND`;
    program(
      'docker',
      `case "$*" in *'{{.Manifest'*) echo "Name: image"; echo "Digest: ${digest}" ;; *)\n${json}\n;; esac`,
    );
  };
  const output = () => (existsSync(join(folder, 'output.txt')) ? readFileSync(join(folder, 'output.txt'), 'utf8') : '');

  test('the digest of one from the same context is found, so that it is not built again', () => {
    answer(environment.CONTEXT);
    expect(run('published', environment).status).toBe(0);
    expect(output()).toBe(`digest=${DIGEST}\n`);
  });

  test('a new one is built; one of another context, and answers without one or without a digest, are failures', () => {
    program('docker', 'echo "ERROR: ghcr.io/owner/name:1: not found" >&2; exit 1');
    expect(run('published', environment).status).toBe(0);
    for (const wrong of [() => answer('d'.repeat(64)), () => answer(environment.CONTEXT, 'sha256:none')]) {
      wrong();
      expect(run('published', environment)).toMatchObject({ status: 1 });
    }
    program('docker', 'echo "ERROR: i/o timeout" >&2; exit 1');
    expect(run('published', environment)).toMatchObject({ status: 1 });
    expect(output()).toBe('');
  });
});

describe('the chart', () => {
  const environment = { CHARTS: 'ghcr.io/owner/charts', IDENTITY: 'workflow', ISSUER: 'issuer' };
  const answer = (pull: string) => program('helm', `case "$1" in pull) ${pull} ;; esac\necho "Digest: ${DIGEST}"`);
  const pulls = (text: string) => answer(`echo -n ${text} > published/taskgraph-${VERSION}.tgz`);
  beforeEach(() => {
    write(`release/taskgraph-${VERSION}.tgz`, 'chart');
    program('cosign', '[ "$1" = sign ]');
  });

  test('a new one is pushed and signed', () => {
    answer('echo "Error: ghcr.io/owner/charts/taskgraph:1: not found"; exit 1');
    const result = run('publish-chart', environment);
    expect(result.status).toBe(0);
    expect(publishes(result, /helm push|cosign sign/)).toEqual([
      `helm push release/taskgraph-${VERSION}.tgz oci://ghcr.io/owner/charts`,
      `cosign sign --yes ghcr.io/owner/charts/taskgraph@${DIGEST}`,
    ]);
  });

  test('one that is published with the same content is only signed, unless it is', () => {
    pulls('chart');
    const unsigned = run('publish-chart', environment);
    program('cosign', '');
    const signed = run('publish-chart', environment);
    expect([unsigned.status, signed.status]).toEqual([0, 0]);
    expect(publishes(unsigned, /helm push|cosign sign/)).toHaveLength(1);
    expect(publishes(signed, /helm push|cosign sign/)).toEqual([]);
  });

  test('one that is published with other content, and an answer without one, are failures', () => {
    for (const wrong of [() => pulls('other'), () => answer('echo "Error: timeout"; exit 1')]) {
      wrong();
      const result = run('publish-chart', environment);
      expect(result.status).toBe(1);
      expect(publishes(result, /helm push|cosign/)).toEqual([]);
    }
  });
});

describe('the files of the release', () => {
  interface Published {
    readonly isDraft: boolean;
    readonly files: Readonly<Record<string, string>>;
    /** The tag of the latest release; none by default. */
    readonly latest?: string;
  }
  const NO_RELEASE = 'echo "release not found" >&2; exit 1';
  const answer = (published: Published | null) => {
    const { isDraft = true, files = {}, latest } = published ?? {};
    const lines = [isDraft, ...Object.keys(files)].map((line) => `echo ${line}`);
    const view = published === null ? NO_RELEASE : lines.join(';');
    const download = Object.entries(files).map(([name, text]) => `echo -n ${text} > published/${name}`);
    program(
      'gh',
      `case "$2 $*" in view*tagName*) ${latest === undefined ? NO_RELEASE : `echo ${latest}`} ;;
view*) ${view} ;; download*) ${download.join(';') || 'exit 1'} ;; esac`,
    );
  };
  const verbs = ({ calls }: ScriptResult) => calls.map((call) => call.split(' ')[2]);
  const FILES = ['SHA256SUMS', 'provenance.intoto.json', 'release-notes.md'];
  beforeEach(() => {
    for (const name of FILES) write(`downloads/release/${name}`, name);
    write('downloads/attestations/sbom.sigstore.json', 'sbom');
  });

  test('a new release is a draft until it has all files', () => {
    answer(null);
    const result = run('publish-files');
    expect(result.status).toBe(0);
    expect(verbs(result)).toEqual(['view', 'create', 'upload', 'view', 'edit']);
    expect(result.calls[1]).toMatch(/--draft --verify-tag .* --prerelease$/);
    expect(result.calls.at(-1)).toBe(`gh release edit v${VERSION} --draft=false`);
  });

  test('the files of a draft are replaced, of which some may be incomplete', () => {
    answer({ isDraft: true, files: { SHA256SUMS: 'SHA' } });
    const result = run('publish-files');
    expect(result.status).toBe(0);
    expect(verbs(result)).toEqual(['view', 'upload', 'view', 'edit']);
    const files = [...FILES.map((name) => `downloads/release/${name}`), 'downloads/attestations/sbom.sigstore.json'];
    expect(result.calls[1]).toBe(`gh release upload v${VERSION} --clobber ${files.join(' ')}`);
  });

  test.each([
    ['v1.10.0', '--draft=false --latest=false'],
    ['v1.2.2', '--draft=false'],
  ])('the latest release is %s: 1.2.3 is published with %s', (latest, options) => {
    answer({ isDraft: true, files: {}, latest });
    const result = run('publish-files', { VERSION: '1.2.3', GITHUB_REF_NAME: 'v1.2.3' });
    expect(result.calls.at(-1)).toBe(`gh release edit v1.2.3 ${options}`);
  });

  test('files that a published release lacks are added, and statements about another run remain', () => {
    answer({ isDraft: false, files: { SHA256SUMS: 'SHA256SUMS', 'provenance.intoto.json': 'another-run' } });
    const result = run('publish-files');
    expect(result.status).toBe(0);
    expect(publishes(result, /upload/).map((call) => call.split('/').at(-1))).toEqual([
      'release-notes.md',
      'sbom.sigstore.json',
    ]);
  });

  test('a file that is published with other content, and an answer without one, are failures', () => {
    answer({ isDraft: false, files: { SHA256SUMS: 'other' } });
    const differs = run('publish-files');
    program('gh', 'echo "HTTP 502" >&2; exit 1');
    const unknown = run('publish-files');
    expect(differs.output).toContain('SHA256SUMS is published with other content');
    for (const result of [differs, unknown]) {
      expect(result.status).toBe(1);
      expect(publishes(result, /edit|create|clobber/)).toEqual([]);
    }
  });
});

test('a tag of a commit that is not on the main branch is refused', () => {
  const git = (...given: string[]) => {
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
    const { status, stderr } = spawnSync('git', [...identity, ...given], { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };
  git('init', '--quiet', '--initial-branch', 'main');
  git('commit', '--quiet', '--allow-empty', '--message', 'One');
  git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  expect(run('main', { MAIN: 'main' })).toMatchObject({ status: 0 });
  git('commit', '--quiet', '--allow-empty', '--message', 'Two');
  const refused = run('main', { MAIN: 'main' });
  expect(refused).toMatchObject({ status: 1 });
  expect(refused.output).toContain('The tagged commit is not on the branch main.');
});
