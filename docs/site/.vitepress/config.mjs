// The build of the site. `npm run docs:site` writes the stage from which it builds.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { tabSections } from './tab-sections.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const stage = '.cache/stage';
const base = process.env.SITE_BASE ?? '/';

export default defineConfig({
  lang: 'en-GB',
  title: 'Taskgraph',
  description: 'The documents of Taskgraph, a service for tasks and their dependencies.',
  base,
  srcDir: `${stage}/pages`,
  outDir: '../../dist/site',
  cacheDir: '.cache/vitepress',
  cleanUrls: false,
  // A dead link fails the build.
  ignoreDeadLinks: false,
  // The names of chunks in a file, and not in each page: the policy then allows one script less.
  metaChunk: true,
  // Without this option, a switch of the theme adds a style that the policy refuses.
  appearance: { disableTransition: false },
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg` }]],
  markdown: {
    // The Markdown of GitHub: no HTML is needed, and a name such as README.md is no address.
    linkify: false,
    anchor: { slugify: anchorOf },
    config: (md) => md.use(tabSections),
  },
  themeConfig: {
    logo: '/icon.svg',
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Interface', link: '/interface' },
      { text: 'Recipes', link: '/recipes' },
      { text: 'Operations', link: '/operations' },
    ],
    sidebar: JSON.parse(readFileSync(here(`../${stage}/menu.json`), 'utf8')),
  },
  transformHead: ({ pageData }) => [
    ['link', { rel: 'alternate', type: 'text/markdown', href: base + pageData.relativePath }],
  ],
  transformHtml: (html) => withPolicy(html),
});

/** The anchors of GitHub, which the documents link to. */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/**
 * Adds the policy of the page: only its own files, and its inline scripts by their hashes. The
 * highlighter of code sets colours in `style` attributes.
 */
function withPolicy(html) {
  const scripts = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, text]) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${[...new Set(scripts)].join(' ')}`,
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return html.replace('<head>', `<head>\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`);
}
