// The files of the console, as its build leaves them: one page for all of its addresses, and assets
// whose names contain a hash. Rules: CON1, CON2.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { createServedFile, isFileKind, REVALIDATED, type ServedFile, type ServedFiles } from './served-file.ts';

const BUILT = fileURLToPath(new URL('../../../console/dist', import.meta.url));

/** More files or bytes than that are no console. All of them stay in memory. */
const MOST_FILES = 400;
const MOST_BYTES = 16 * 1_024 * 1_024;

/**
 * The first segments of the console's addresses: it routes their paths itself. Other unknown paths
 * stay unknown, so that a mistyped call does not get a page.
 */
const FIRST_SEGMENTS: ReadonlySet<string> = new Set([
  '',
  'ready',
  'graph',
  'outline',
  'board',
  'plan',
  'history',
  'trash',
  'shared',
  'settings',
  'p',
  'admin',
  'task',
  'signin',
  'register',
  'forgot',
]);

/**
 * The console loads and runs only its own files, calls only this service, and cannot be framed. Its
 * one Trusted Types policy admits the addresses of its workers, and nothing else. The workers have the
 * policy of all other answers: they load and call nothing.
 */
const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types taskgraph',
].join('; ');

const PAGE_HEADERS = {
  ...REVALIDATED,
  'Content-Security-Policy': CONSOLE_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** The service worker only requests the files of the console. */
const WORKER_PATH = '/service-worker.js';
const WORKER_HEADERS = { ...REVALIDATED, 'Content-Security-Policy': "default-src 'none'; connect-src 'self'" };

/** The name of an asset changes with its content. */
const ASSET_HEADERS = { 'Cache-Control': 'public, max-age=31536000, immutable' };

/** Throws if the folder has no console, or more than a console. */
export function consoleFiles(folder: string = BUILT): ServedFiles {
  const page = join(folder, 'index.html');
  if (!existsSync(page)) {
    throw new Error(`there is no console in ${folder}: build it with npm run build, or set CONSOLE=off`);
  }
  const read = readerWithin(MOST_BYTES);
  const index = createServedFile({ bytes: read(page), kind: 'html', headers: PAGE_HEADERS });
  const assets = new Map(assetsIn(join(folder, 'assets'), read));
  const worker = createServedFile({ bytes: read(join(folder, WORKER_PATH)), kind: 'js', headers: WORKER_HEADERS });
  assets.set(WORKER_PATH, worker);
  return { get: (path) => assets.get(path) ?? (isAddress(path) ? index : undefined) };
}

/** Whether the console has a page for this path. */
function isAddress(path: string): boolean {
  return FIRST_SEGMENTS.has(path.split('/', 2)[1] ?? '');
}

type ReadFile = (path: string) => Buffer;

function assetsIn(folder: string, read: ReadFile): [string, ServedFile][] {
  const names = readdirSync(folder);
  if (names.length > MOST_FILES) throw new Error(`${folder} has more than ${MOST_FILES} files`);
  return names.flatMap((name): [string, ServedFile][] => {
    const kind = extname(name).slice(1);
    // The others are the compressed forms.
    if (!isFileKind(kind)) return [];
    const compressedIn = (ending: string) =>
      names.includes(`${name}.${ending}`) ? read(join(folder, `${name}.${ending}`)) : undefined;
    const compressed = definedFields({ br: compressedIn('br'), gzip: compressedIn('gz') });
    return [
      [
        `/assets/${name}`,
        createServedFile({ bytes: read(join(folder, name)), kind, headers: ASSET_HEADERS, compressed }),
      ],
    ];
  });
}

/** Reads files of at most this many bytes together. */
function readerWithin(most: number): ReadFile {
  let left = most;
  return (path) => {
    const bytes = readFileSync(path);
    left -= bytes.length;
    if (left < 0) throw new Error(`the files of the console have more than ${most} bytes`);
    return bytes;
  };
}
