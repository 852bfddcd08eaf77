import { expect, test } from 'vitest';
import { filesOf } from './page-files.ts';

test('[CON34] a page names the files of its release, and the manifest is none of those that are stored', () => {
  const page = `<link rel="icon" type="image/svg+xml" href="/assets/icon-1a.svg">
    <link rel="manifest" href="/assets/app-2b.webmanifest">
    <script type="module" crossorigin src="/assets/index-3c.js"></script>
    <link rel="stylesheet" crossorigin href="/assets/index-4d.css"><a href="/docs/assets/other.js">`;
  expect(filesOf(page)).toEqual(['/assets/icon-1a.svg', '/assets/index-3c.js', '/assets/index-4d.css']);
});
