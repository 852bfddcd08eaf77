// The workflow that publishes a release: fixed actions, few permissions, and no expressions in scripts.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { repositoryPath } from './repository.ts';

const FOLDER = repositoryPath('.github', 'workflows');
const workflows = readdirSync(FOLDER).map((name) => readFileSync(`${FOLDER}/${name}`, 'utf8'));
const release = readFileSync(`${FOLDER}/release.yml`, 'utf8');

/** The jobs of the workflow, by name. */
const jobs = new Map(
  release
    .slice(release.indexOf('\njobs:\n'))
    .split(/^ {2}(?=\w+:$)/m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf(':')), text]),
);

test('each action is fixed by a commit, with its version', () => {
  const uses = workflows.flatMap((text) =>
    [...text.matchAll(/^\s*-? *uses: (.*)$/gm)].map(([, action]) => action ?? ''),
  );
  expect(uses.length).toBeGreaterThan(10);
  expect(uses.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
});

test('the same action has the same commit everywhere', () => {
  const commits = new Map<string, Set<string>>();
  for (const [, name = '', commit = ''] of workflows.join('\n').matchAll(/uses: ([\w/-]+)@(\S+)/g))
    commits.set(name, (commits.get(name) ?? new Set()).add(commit));
  expect([...commits].filter(([, each]) => each.size > 1).map(([name]) => name)).toEqual([]);
});

test('a job has only the permissions that it needs, and the building one cannot sign or write', () => {
  expect(release).toContain('\npermissions: {}\n');
  const permissions = [...jobs].map(([name, text]) => [
    name,
    [...text.matchAll(/^ {6}([\w-]+: (?:read|write))$/gm)].map(([, permission]) => permission),
  ]);
  expect(Object.fromEntries(permissions)).toEqual({
    build: ['contents: read'],
    attest: ['id-token: write', 'attestations: write'],
    npm: ['id-token: write'],
    pypi: ['contents: read', 'id-token: write'],
    registry: ['id-token: write', 'packages: write'],
    release: ['contents: write'],
  });
});

test('a person approves each signature and publication, and the checkout of the publishing job has no code', () => {
  for (const name of ['attest', 'npm', 'pypi', 'registry', 'release'])
    expect(jobs.get(name)).toContain(`\n    environment: ${name}\n`);
  expect(jobs.get('release')).toContain('\n    needs: [build, attest, npm, pypi, registry]\n');
  const checkouts = [...jobs].filter(([, text]) => text.includes('actions/checkout@')).map(([name]) => name);
  expect(checkouts).toEqual(['build', 'pypi']);
  expect(jobs.get('pypi')).toContain('sparse-checkout: .github/publish-requirements.txt\n');
});

test('the programs that publish the wheel are fixed by their checksums', () => {
  expect(jobs.get('pypi')).toContain(' --require-hashes --only-binary :all: ');
  expect(release.match(/pip install/g)).toHaveLength(1);
  const required = readFileSync(repositoryPath('.github', 'publish-requirements.txt'), 'utf8');
  const packages = [...required.matchAll(/^([\w-]+)==(\S+) \\((?:\n {4}--hash=sha256:[0-9a-f]{64}(?: \\)?)+)/gm)];
  expect(packages.map(([, name]) => name)).toEqual(expect.arrayContaining(['twine', 'pypi-attestations']));
  expect(required.match(/^\w/gm)).toHaveLength(packages.length);
});

test('no workflow reads a secret, and no script contains an expression', () => {
  for (const text of workflows) expect(text).not.toContain('secrets.');
  const scripts = workflows.flatMap((text) => [...text.matchAll(/^( +)(?:- )?run: .*(?:\n(?:\1 +.*)?)*/gm)]);
  expect(scripts.length).toBeGreaterThan(5);
  expect(scripts.filter(([script]) => script.includes('${{'))).toEqual([]);
});
