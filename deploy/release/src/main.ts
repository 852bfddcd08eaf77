// `npm run release -- --version X`: builds all artifacts of a release into `dist/release/X`, and moves
// the unreleased changes of the changelogs to the version. `--dry-run` changes nothing in the
// checkout. `--output FOLDER` is another place for the artifacts.
import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { describeFailure, LauncherError } from '@taskgraph/launcher/errors';
import { release } from './release.ts';
import { repositoryPath } from './repository.ts';
import { readVersion } from './version.ts';

function readArguments() {
  try {
    return parseArgs({
      options: {
        version: { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
        output: { type: 'string' },
      },
    }).values;
  } catch (error) {
    const usage = 'Usage: npm run release -- --version 1.2.3 [--dry-run] [--output FOLDER]';
    throw new LauncherError(error instanceof Error ? error.message : String(error), usage);
  }
}

/** A release replaces the folder, which must not delete files of others. */
function checkEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new LauncherError(`${folder} is not empty`, 'Name a new folder, or an empty one.');
}

try {
  const values = readArguments();
  const version = readVersion(values.version);
  const target = resolve(values.output ?? repositoryPath('dist', 'release', version.text));
  if (values.output !== undefined) checkEmpty(target);
  const isDryRun = values['dry-run'];
  const artifacts = await release({ version, isDryRun, target, report: (line) => console.error(line) });
  for (const { name, digest } of artifacts) console.log(`${digest}  ${name}`);
  console.log(`${version.text}${isDryRun ? ', a dry run,' : ''} is in ${target}`);
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}
