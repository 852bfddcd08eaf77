// The version of a release: a semantic version that npm, PyPI, Helm and image registries accept.
import { LauncherError } from '@taskgraph/launcher/errors';

export interface ReleaseVersion {
  /** Such as `1.2.3` or `1.2.3-rc.1`. */
  readonly text: string;
  /** The form of PEP 440, such as `1.2.3rc1`. */
  readonly python: string;
  readonly isPrerelease: boolean;
}

const PATTERN = /^((?:0|[1-9]\d{0,5})\.(?:0|[1-9]\d{0,5})\.(?:0|[1-9]\d{0,5}))(?:-(alpha|beta|rc)\.(0|[1-9]\d{0,5}))?$/;
const PYTHON_STAGES: Readonly<Record<string, string>> = { alpha: 'a', beta: 'b', rc: 'rc' };

const USAGE = 'Usage: npm run release -- --version 1.2.3 [--dry-run]';

/** Throws a LauncherError for another text. */
export function readVersion(text: string | undefined): ReleaseVersion {
  if (text === undefined) throw new LauncherError('the option --version is missing', USAGE);
  const [, core, stage, number] = PATTERN.exec(text) ?? [];
  if (core === undefined) {
    const remedy = 'It has the form 1.2.3 or 1.2.3-rc.1; instead of rc, alpha and beta are possible.';
    throw new LauncherError(`${JSON.stringify(text.slice(0, 100))} is not a version of a release`, remedy);
  }
  if (stage === undefined) return { text, python: core, isPrerelease: false };
  return { text, python: `${core}${PYTHON_STAGES[stage]}${number}`, isPrerelease: true };
}
