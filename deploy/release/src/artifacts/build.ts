// The context of one build of the artifacts.
import type { SourceTree } from '../source/source-tree.ts';
import type { ReleaseVersion } from '../version.ts';

export interface Build {
  readonly version: ReleaseVersion;
  readonly tree: SourceTree;
  /** The copy of the sources, with the version. */
  readonly sources: string;
  /** A folder for intermediate files. */
  readonly work: string;
  /** The folder of the artifacts. */
  readonly target: string;
  /** The address of the repository, such as `https://github.com/owner/name`; null on a machine of a developer. */
  readonly repository: string | null;
}
