// The section of a version, and the changelog after its release.
import { expect, test } from 'vitest';
import { absoluteLinks, releaseChangelog } from './changelog.ts';

const HEAD = '# Changelog\n\nThe format.\n';

test('unreleased changes become the section of the version', () => {
  const text = `${HEAD}\n## Unreleased\n\n### Added\n\n- A thing.\n\n## 0.1.0\n\n- The first.\n`;
  expect(releaseChangelog(text, '0.2.0')).toEqual({
    text: `${HEAD}\n## Unreleased\n\n## 0.2.0\n\n### Added\n\n- A thing.\n\n## 0.1.0\n\n- The first.\n`,
    notes: '### Added\n\n- A thing.',
  });
});

test('a changelog that has the section already is unchanged', () => {
  const text = `${HEAD}\n## Unreleased\n\n## 0.2.0\n\n- A thing.\n\n## 0.1.0\n\n- The first.\n`;
  expect(releaseChangelog(text, '0.2.0')).toEqual({ text, notes: '- A thing.' });
  expect(releaseChangelog(text, '0.1.0')).toEqual({ text, notes: '- The first.' });
});

test('a version is not mistaken for a longer one', () => {
  const text = `${HEAD}\n## Unreleased\n\n- New.\n\n## 0.2.0-rc.1\n\n- A thing.\n`;
  expect(releaseChangelog(text, '0.2.0').notes).toBe('- New.');
});

test('without changes there are no notes', () => {
  for (const text of [HEAD, `${HEAD}\n## Unreleased\n\n## 0.1.0\n\n- The first.\n`]) {
    expect(releaseChangelog(text, '0.2.0')).toEqual({ text, notes: '' });
  }
});

test('changes after the section of the version are refused', () => {
  const text = `${HEAD}\n## Unreleased\n\n- Late.\n\n## 0.2.0\n\n- A thing.\n`;
  expect(() => releaseChangelog(text, '0.2.0')).toThrow('0.2.0 is released, and there are unreleased changes');
});

test('links to files lead to the tag of the release', () => {
  const notes = 'See [a](docs/a.md#b), [c](https://example.com/c), [d](#d).';
  expect(absoluteLinks(notes, 'https://git.example/o/r', '0.2.0')).toBe(
    'See [a](https://git.example/o/r/blob/v0.2.0/docs/a.md#b), [c](https://example.com/c), [d](#d).',
  );
});
