// Changelogs in the format of Keep a Changelog: `## Unreleased`, then a section for each version.
import { LauncherError } from '@taskgraph/launcher/errors';

export interface ReleasedChangelog {
  /** The changelog after the release. */
  readonly text: string;
  /** The content of the version's section; '' if the version has no changes. */
  readonly notes: string;
}

const UNRELEASED = 'Unreleased';

/**
 * Moves the unreleased changes into the section of the version, unless it exists already. Throws a
 * LauncherError if there are both.
 */
export function releaseChangelog(text: string, version: string): ReleasedChangelog {
  const [unreleased, released] = [sectionOf(text, UNRELEASED), sectionOf(text, version)];
  if (released !== null) {
    if (unreleased?.content)
      throw new LauncherError(
        `${version} is released, and there are unreleased changes`,
        'Choose the next version, or move the changes into the section of the version.',
      );
    return { text, notes: released.content };
  }
  if (!unreleased?.content) return { text, notes: '' };
  const end = unreleased.start + `## ${UNRELEASED}\n`.length;
  return { text: `${text.slice(0, end)}\n## ${version}\n${text.slice(end)}`, notes: unreleased.content };
}

/** The page of a release does not resolve links that are relative to the repository. */
export function absoluteLinks(notes: string, repository: string, version: string): string {
  // Backtracks: the changelog is ours.
  return notes.replaceAll(/\]\((?!#|[a-z]+:)([^)\s]+)\)/g, `](${repository}/blob/v${version}/$1)`);
}

function sectionOf(text: string, title: string): { start: number; content: string } | null {
  const headings = [...text.matchAll(/^## (.+)\n/gm)];
  const at = headings.findIndex(([, name]) => name === title);
  const heading = headings[at];
  if (heading === undefined) return null;
  const end = headings[at + 1]?.index ?? text.length;
  return { start: heading.index, content: text.slice(heading.index + heading[0].length, end).trim() };
}
