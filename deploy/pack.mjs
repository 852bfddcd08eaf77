// Makes the folders to publish from the built packages: node deploy/pack.mjs [folder]. `npm pack`
// and `npm publish` take the folders `client` and `cli` in it. Neither package depends on private
// ones: both bundle their modules, the client also their types, and the command line holds its
// catalog as values.
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { repository } from './prepare.mjs';

const target = process.argv[2] ?? join(repository, 'dist');
await packClient(join(repository, 'libs', 'client'), join(target, 'client'));
await packCli(join(repository, 'libs', 'cli'), join(target, 'cli'));

async function packClient(source, folder) {
  const manifest = makeFolder(source, folder, ['CHANGELOG.md']);
  const entries = Object.values(manifest.exports).filter((entry) => entry.import !== undefined);
  const inputs = (kind, suffix) =>
    Object.fromEntries(
      entries.map(({ import: paths }) => [
        relative('dist', paths[kind]).slice(0, -suffix.length),
        join(source, paths[kind]),
      ]),
    );
  const modules = { input: inputs('default', '.js'), plugins: [valuesOf(join(source, 'dist', 'node-fields.js'))] };
  await bundle(modules, '.js', manifest, folder);
  const plugins = [ownDeclarations(await publicTypes()), dts({ dtsInput: true, tsconfig: false })];
  await bundle({ input: inputs('types', '.d.ts'), plugins }, '.d.ts', manifest, folder);
  addCommonJs(entries, folder);
}

async function packCli(source, folder) {
  const manifest = makeFolder(source, folder, ['bin']);
  const modules = readdirSync(join(source, 'src'), { recursive: true }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !/^test[\\/]/.test(path),
  );
  for (const path of modules.flatMap((name) => ['.js', '.d.ts'].map((suffix) => name.replace(/\.ts$/, suffix)))) {
    mkdirSync(dirname(join(folder, 'dist', path)), { recursive: true });
    copyFileSync(join(source, 'dist', path), join(folder, 'dist', path));
  }
  const { CATALOG, REMEDIES } = await import(pathToFileURL(join(source, 'dist', 'catalog.js')).href);
  writeFileSync(join(folder, 'dist', 'catalog.js'), writeExports({ CATALOG, REMEDIES }));
  await bundleTools(manifest, folder, modules);
  for (const path of modules.map((name) => name.replace(/\.ts$/, '.js'))) {
    const text = readFileSync(join(folder, 'dist', path), 'utf8');
    // Backtracks: the text is one of ours.
    const named = [...text.matchAll(/'(@taskgraph\/[^']+)'/g)].map(([, name]) => name);
    expectDependencies(manifest, path, named);
  }
}

/**
 * Bundles the modules of `@taskgraph/mcp` that the command line imports into `dist/tools`, and
 * imports them from there.
 */
async function bundleTools(manifest, folder, modules) {
  const entries = new Set();
  for (const path of modules.map((name) => name.replace(/\.ts$/, '.js'))) {
    const file = join(folder, 'dist', path);
    const depth = path.split(/[\\/]/).length - 1;
    // Backtracks: the text is one of ours.
    const text = readFileSync(file, 'utf8').replaceAll(/'@taskgraph\/mcp\/([\w-]+)'/g, (_, name) => {
      entries.add(name);
      return `'${depth === 0 ? './' : '../'.repeat(depth)}tools/${name}.js'`;
    });
    writeFileSync(file, text);
  }
  const dist = join(repository, 'libs', 'mcp', 'dist');
  const input = Object.fromEntries([...entries].map((name) => [`tools/${name}`, join(dist, `${name}.js`)]));
  await bundle({ input }, '.js', manifest, folder);
}

/**
 * Makes the folder with the README and these files. Returns the manifest, without development
 * fields.
 */
function makeFolder(source, folder, files) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of ['README.md', ...files]) cpSync(join(source, name), join(folder, name), { recursive: true });
  const text = readFileSync(join(source, 'package.json'), 'utf8');
  const all = JSON.parse(text, (key, value) => (key === 'taskgraph-source' ? undefined : value));
  const { private: _private, scripts: _scripts, devDependencies: _tools, ...manifest } = all;
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

/** Writes modules or declarations. `chunks` has the ones that several entries share. */
async function bundle(options, suffix, manifest, folder) {
  const isOfOthers = (id) => !/^(?:[./]|[A-Za-z]:|@taskgraph\/)/.test(id);
  const bundled = await rolldown({ ...options, platform: 'neutral', external: isOfOthers });
  const { output } = await bundled.write({
    dir: join(folder, 'dist'),
    format: 'esm',
    chunkFileNames: `chunks/[name]${suffix}`,
  });
  await bundled.close();
  const own = output.map(({ fileName }) => fileName);
  for (const { fileName, imports, dynamicImports } of output) {
    expectDependencies(
      manifest,
      fileName,
      [...imports, ...dynamicImports].filter((name) => !own.includes(name)),
    );
  }
}

/**
 * Throws if a module imports a package that the manifest does not name, for example a private one.
 */
function expectDependencies({ dependencies, peerDependencies = {} }, file, names) {
  const known = Object.keys({ ...dependencies, ...peerDependencies });
  const unknown = names.filter(
    (name) => !name.startsWith('node:') && !known.some((each) => `${name}/`.startsWith(`${each}/`)),
  );
  if (unknown.length > 0)
    throw new Error(`${file} imports ${unknown.join(', ')}, which the package does not depend on`);
}

/** Replaces a module by the values that it exports, and thereby leaves out what it derives them from. */
function valuesOf(path) {
  return {
    name: 'values',
    load: async (id) => (id === path ? writeExports(await import(pathToFileURL(path).href)) : null),
  };
}

function writeExports(values) {
  return Object.entries(values)
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
    .join('');
}

async function publicTypes() {
  const path = join(repository, 'libs', 'repo-checks', 'dist', 'api', 'public-types.js');
  return (await import(pathToFileURL(path).href)).publicTypes();
}

/**
 * Finds the declarations of private packages. The public types need no schemas: they are written in
 * full.
 */
function ownDeclarations(types) {
  const PUBLIC_TYPES = join(repository, 'public-types.d.ts');
  return {
    name: 'own-declarations',
    resolveId: {
      order: 'pre',
      handler(id) {
        if (id === '@taskgraph/wire/public-types') return PUBLIC_TYPES;
        const [, name, path] = /^@taskgraph\/([^/]+)\/(.+)$/.exec(id) ?? [];
        return name === undefined ? null : join(repository, 'libs', name, 'dist', `${path}.d.ts`);
      },
    },
    load: (id) => (id === PUBLIC_TYPES ? types : null),
  };
}

/**
 * Adds `dist/commonjs` for projects in CommonJS: a copy of all declarations, and entries that load
 * the ES modules, so that both kinds of projects share classes. `require` can do this since Node
 * 20.19.
 */
function addCommonJs(entries, folder) {
  const dist = join(folder, 'dist');
  const target = join(dist, 'commonjs');
  for (const path of readdirSync(dist, { recursive: true }).filter((name) => name.endsWith('.d.ts'))) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    copyFileSync(join(dist, path), join(target, path));
  }
  // The nearest manifest tells Node and TypeScript the module system of these files.
  writeFileSync(join(target, 'package.json'), '{"type": "commonjs"}\n');
  for (const { require: paths } of entries) {
    const file = join(folder, paths.default);
    const module = join(dist, relative(target, file));
    writeFileSync(file, `module.exports = require('${relative(dirname(file), module).replaceAll('\\', '/')}');\n`);
  }
}
