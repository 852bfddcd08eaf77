// The size of folders, and circles between the folders of a package. Biome reports circles between files (noImportCycles).
import { importsOf } from './imports.ts';
import { isTest, type Problem, type Source } from './source.ts';

/** The most source files in a folder, without the tests beside them, so that the list fits a screen. */
const MAXIMUM_FILES = 22;

export function checkFolders(sources: readonly Source[]): Problem[] {
  const code = sources.filter(({ path }) => /\/src\/.*\.tsx?$/.test(path));
  const folders = mergeGraph(importGraph(code.filter((source) => !isTest(source))), folderOf);
  return [...checkSizes(code), ...circlesIn(folders).map(describeCircle)];
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

function checkSizes(code: readonly Source[]): Problem[] {
  const counts = new Map<string, number>();
  for (const { path } of code) {
    if (/\.(test|setup)\.ts$/.test(path)) continue;
    const folder = path.slice(0, path.lastIndexOf('/'));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MAXIMUM_FILES)
    .map(([path, count]) => ({
      path,
      rule: `it has ${count} source files, more than ${MAXIMUM_FILES}.`,
      fix: 'move the files of one subject into a folder of their own.',
    }));
}

/** The relative imports of each file, by path. */
function importGraph(code: readonly Source[]): Graph {
  return new Map(
    code.map((source) => {
      const relative = importsOf(source).filter(({ from }) => from.startsWith('.'));
      const targets = relative.map(({ from }) => new URL(from, `file:///${source.path}`).pathname.slice(1));
      return [source.path, new Set(targets)];
    }),
  );
}

/** The folder below `src` that contains a file. Null for files in `src` itself: every folder may use them, and they wire the folders together. */
function folderOf(path: string): string | null {
  return /^(.*?\/src\/[^/]+)\//.exec(path)?.[1] ?? null;
}

function mergeGraph(graph: Graph, nameOf: (path: string) => string | null): Graph {
  const merged = new Map<string, Set<string>>();
  for (const [from, targets] of graph) {
    const folder = nameOf(from);
    if (folder === null) continue;
    const imported = merged.get(folder) ?? new Set();
    for (const other of [...targets].map(nameOf)) if (other !== null && other !== folder) imported.add(other);
    merged.set(folder, imported);
  }
  return merged;
}

/** One circle for each name that a depth-first walk meets again on its own path. */
function circlesIn(graph: Graph): string[][] {
  const circles: string[][] = [];
  const finished = new Set<string>();
  const visit = (name: string, path: readonly string[]) => {
    const at = path.indexOf(name);
    if (at >= 0) circles.push([...path.slice(at), name]);
    if (at >= 0 || finished.has(name)) return;
    for (const next of graph.get(name) ?? []) visit(next, [...path, name]);
    finished.add(name);
  };
  for (const name of graph.keys()) visit(name, []);
  return circles;
}

function describeCircle(circle: readonly string[]): Problem {
  return {
    path: circle[0] ?? '',
    rule: `folders import each other in a circle: ${circle.join(' > ')}.`,
    fix: 'move the code that both need below both, or pass it as a parameter.',
  };
}
