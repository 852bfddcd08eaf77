// A release without `--dry-run`, in a clone: what it refuses, and its changes to the checkout.
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { must, run } from '../check-api/process.ts';
import { REPOSITORY } from '../check-api/tools.ts';
import { type ArtifactTest, expectEqual, expectPart } from './artifact-test.ts';

const PROGRAM = join('deploy', 'release', 'dist', 'main.js');

export const realRun: ArtifactTest = {
  name: 'npm run release without a dry run',
  isSlow: true,
  async run(folder, { version }) {
    const checkout = cloneCheckout(join(folder, 'checkout'));
    const git = (...given: string[]) => must('git', given, { cwd: checkout });
    const release = () => run(process.execPath, [PROGRAM, '--version', version], { cwd: checkout });
    const succeed = () => {
      const { status, output } = release();
      if (status !== 0) throw new Error(output);
    };
    const refuse = (reason: string) => {
      const { status, output } = release();
      expectEqual('the exit code', String(status), '1');
      expectPart('the refusal', output, reason);
    };
    // Right after a release there are no changes.
    const changelog = join(checkout, 'CHANGELOG.md');
    const before = readFileSync(changelog, 'utf8');
    writeFileSync(changelog, before.replace('\n## Unreleased\n', '\n## Unreleased\n\n- A change.\n'));
    git('commit', '--quiet', '--all', '--message', 'A change');
    succeed();
    const changed = git('status', '--porcelain').trim().split('\n').sort();
    if (changed.some((line) => !line.endsWith('CHANGELOG.md'))) throw new Error(`It changed ${changed.join(', ')}.`);
    expectPart('CHANGELOG.md', readFileSync(changelog, 'utf8'), `\n## Unreleased\n\n## ${version}\n`);
    const notes = () => readFileSync(join(checkout, 'dist', 'release', version, 'release-notes.md'), 'utf8');
    const firstNotes = notes();
    refuse('the checkout has');
    git('commit', '--quiet', '--all', '--message', `Release ${version}`);
    git('tag', `v${version}`);
    // The workflow builds this commit.
    succeed();
    expectEqual('the checkout', git('status', '--porcelain'), '');
    expectEqual('the notes', notes(), firstNotes);
    git('commit', '--quiet', '--allow-empty', '--message', 'Later');
    refuse(`the tag v${version} belongs to another commit`);
    return 'it moves the changes, and builds the tagged commit without further ones';
  },
};

/** Clones the checkout with its packages and built programs. */
function cloneCheckout(checkout: string): string {
  must('git', ['clone', '--quiet', REPOSITORY, checkout]);
  // .gitignore names the folder, which is a link here.
  writeFileSync(join(checkout, '.git', 'info', 'exclude'), 'node_modules\n');
  symlinkSync(join(REPOSITORY, 'node_modules'), join(checkout, 'node_modules'));
  const packages = readdirSync(join(REPOSITORY, 'libs')).map((name) => join('libs', name));
  for (const name of [...packages, join('deploy', 'release')]) {
    const built = join(name, 'dist');
    if (existsSync(join(REPOSITORY, built)))
      cpSync(join(REPOSITORY, built), join(checkout, built), { recursive: true });
  }
  for (const [key, value] of [
    ['user.name', 'Release test'],
    ['user.email', 'release@example.com'],
  ] as const)
    must('git', ['config', key, value], { cwd: checkout });
  return checkout;
}
