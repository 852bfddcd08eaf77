// The content and imports of a folder: few files, no circles between files, and none between the folders of a package.
import { importsOf } from './imports.ts';
import { isTest, type Problem, type Source } from './source.ts';

/** Most source files in a folder, tests beside them not counted: what fits a screen is found at a glance. */
const MOST_FILES = 22;

export function checkFolders(sources: readonly Source[]): Problem[] {
  const code = sources.filter(({ path }) => /\/src\/.*\.ts$/.test(path));
  const files = importGraph(code);
  const folders = mergeGraph(importGraph(code.filter((source) => !isTest(source))), folderOf);
  return [
    ...checkSizes(code),
    ...circlesIn(files).map((circle) => describeCircle(circle, 'files')),
    ...circlesIn(folders).map((circle) => describeCircle(circle, 'folders')),
  ];
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
    .filter(([, count]) => count > MOST_FILES)
    .map(([path, count]) => ({
      path,
      rule: `it holds ${count} source files, more than ${MOST_FILES}.`,
      fix: 'group those about one subject in a folder of their own.',
    }));
}

/** Relative imports, by path. */
function importGraph(code: readonly Source[]): Graph {
  return new Map(
    code.map((source) => {
      const relative = importsOf(source).filter(({ from }) => from.startsWith('.'));
      const targets = relative.map(({ from }) => new URL(from, `file:///${source.path}`).pathname.slice(1));
      return [source.path, new Set(targets)];
    }),
  );
}

/** A package's folder right below `src`; null for files at its root, which put the folders together and hold what all may use. */
function folderOf(path: string): string | null {
  return /^(.*?\/src\/[^/]+)\//.exec(path)?.[1] ?? null;
}

function mergeGraph(graph: Graph, nameOf: (path: string) => string | null): Graph {
  const merged = new Map<string, Set<string>>();
  for (const [from, targets] of graph) {
    const folder = nameOf(from);
    if (folder === null) continue;
    const found = merged.get(folder) ?? new Set();
    for (const other of [...targets].map(nameOf)) if (other !== null && other !== folder) found.add(other);
    merged.set(folder, found);
  }
  return merged;
}

/** One circle for each place where a walk meets its own way again. */
function circlesIn(graph: Graph): string[][] {
  const circles: string[][] = [];
  const finished = new Set<string>();
  const visit = (name: string, way: readonly string[]) => {
    const at = way.indexOf(name);
    if (at >= 0) circles.push([...way.slice(at), name]);
    if (at >= 0 || finished.has(name)) return;
    for (const next of graph.get(name) ?? []) visit(next, [...way, name]);
    finished.add(name);
  };
  for (const name of graph.keys()) visit(name, []);
  return circles;
}

function describeCircle(circle: readonly string[], of: string): Problem {
  return {
    path: circle[0] ?? '',
    rule: `${of} import each other in a circle: ${circle.join(' > ')}.`,
    fix: 'move what both need below both, or hand it in.',
  };
}
