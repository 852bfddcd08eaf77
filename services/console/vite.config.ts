// The build of the console: hashed assets, no inline code, and compressed forms of each asset. It
// also records the files that it read, so that an unchanged console is not built again.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

/** Smaller files fit into one packet. */
const LEAST_BYTES = 1_024;

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  publicDir: false,
  resolve: { conditions: ['taskgraph-source', 'module', 'browser', 'production'] },
  plugins: [firstModules(), webSocketOnly(), serviceWorker(), compressed(), inputs()],
  build: {
    target: 'es2022',
    emptyOutDir: true,
    // The policy of the page forbids inline code and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The texts that the licences of the bundled packages require.
    license: { fileName: 'licenses.md' },
    // Compression takes most of the build, as it should.
    rolldownOptions: {
      checks: { pluginTimings: false },
      // What the first load needs is one file: many small ones are larger, and come later.
      output: { codeSplitting: { groups: [{ name: 'page', test: isInFirstLoad }] } },
    },
  },
});

/** The modules that the entry imports, directly or through others, without those that views load later. */
const FIRST_MODULES = new Set<string>();

/** Modules that the package of the SDK offers, and that only an import uses: they come with it. */
const LATER =
  /[\\/]client[\\/]src[\\/](account[\\/](bots|calendars)|connect|batch|follow-history|storage[\\/](fallback-storage|indexed-databases|indexed-db-storage|chunk-index|page-locks|serial-queue))\.ts$/;

function isInFirstLoad(id: string): boolean {
  return FIRST_MODULES.has(id) && !LATER.test(id);
}

function firstModules(): Plugin {
  return {
    name: 'first-modules',
    buildEnd() {
      FIRST_MODULES.clear();
      for (const id of this.getModuleIds()) if (id.endsWith('/console/src/main.tsx')) FIRST_MODULES.add(id);
      // The loop also visits the modules that it adds.
      for (const id of FIRST_MODULES) {
        for (const imported of this.getModuleInfo(id)?.importedIds ?? []) FIRST_MODULES.add(imported);
      }
    },
  };
}

/** The SDK connects by WebSocket alone, so the other transports of Socket.IO are left out. */
function webSocketOnly(): Plugin {
  const none = '\0no-transport';
  return {
    name: 'web-socket-only',
    enforce: 'pre',
    resolveId: (source, importer) =>
      /[\\/]engine\.io-client[\\/]/.test(importer ?? '') && /[\\/](polling-xhr\.node|webtransport)\.js$/.test(source)
        ? none
        : null,
    load: (id) => (id === none ? 'export class XHR {}\nexport class WT {}\n' : null),
  };
}

/** Builds the service worker, with the addresses of this release in it. */
function serviceWorker(): Plugin {
  const fileName = 'service-worker.js';
  return {
    name: 'service-worker',
    buildStart() {
      const id = fileURLToPath(new URL('./src/worker/service-worker.ts', import.meta.url));
      this.emitFile({ type: 'chunk', id, fileName });
    },
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const worker = bundle[fileName];
        if (worker?.type !== 'chunk') throw new Error('the build has no service worker');
        const addresses = Object.keys(bundle)
          .filter((name) => /^assets\/.*\.(js|css|svg)$/.test(name))
          .map((name) => `/${name}`)
          .sort();
        const page = bundle['index.html'];
        const hash = createHash('sha256').update(JSON.stringify(addresses));
        if (page?.type === 'asset') hash.update(page.source);
        const release = JSON.stringify({ name: hash.digest('hex').slice(0, 16), addresses });
        worker.code = worker.code.replaceAll('PAGE_RELEASE', () => release);
      },
    },
  };
}

/** Adds `.br` and `.gz` next to each text. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const output of Object.values(bundle)) {
          const bytes = Buffer.from(output.type === 'chunk' ? output.code : output.source);
          if (!/^assets\/.*\.(js|css|svg)$/.test(output.fileName) || bytes.length <= LEAST_BYTES) continue;
          const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
          this.emitFile({
            type: 'asset',
            fileName: `${output.fileName}.br`,
            source: brotliCompressSync(bytes, { params }),
          });
          this.emitFile({ type: 'asset', fileName: `${output.fileName}.gz`, source: gzipSync(bytes, { level: 9 }) });
        }
      },
    },
  };
}

/** Writes `inputs.json` next to the build: the paths of all files of the repository in it. */
function inputs(): Plugin {
  return {
    name: 'inputs',
    writeBundle({ dir = '' }) {
      const read = [...this.getModuleIds()].map((id) => relative(REPOSITORY, id.replace(/[?#].*/, '')));
      // The lock file stands for the packages.
      const own = read.filter((path) => !/^\0|^\.\.|node_modules|^$/.test(path) && !path.includes('\0'));
      writeFileSync(join(dir, 'inputs.json'), JSON.stringify([...new Set(own)].sort()));
    },
  };
}
