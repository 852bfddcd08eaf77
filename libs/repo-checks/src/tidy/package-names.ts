// The names of our packages in commands and configurations. The bare names on the registries are not
// ours, so a command that names one gives a foreign program the user's token.
import { isTest, type Problem, type Source } from './source.ts';

/** The published packages of npm. `deploy/pack.mjs` packs them. */
const PUBLISHED: ReadonlySet<string> = new Set(['@taskgraph/client', '@taskgraph/cli']);
/** The published package of PyPI. */
const PYTHON = 'taskgraph-client';

/** The word after a command that fetches a package, and options such as `-y` or `--global`. */
const NPM =
  /\b(?:npx|bunx|npm (?:install|i|exec|x|add)|pnpm (?:add|dlx)|yarn (?:add|dlx))((?: +-[\w-]+)*) +([\w@./-]*taskgraph[\w@./-]*)/g;
const PIP = /\b(?:pip|pipx|uv pip) install((?: +-[\w-]+)*) +([\w./-]*taskgraph[\w./-]*)/g;
/** The arguments of `npx` in code, or in a configuration of agents. */
const ARGUMENTS = /["']npx["'],?\s*(?:["']?args["']?:\s*)?\[([^\]]{0,200})\]/g;

const NPM_FIX = `name ${[...PUBLISHED].join(' or ')}.`;

export function checkPackageNames(sources: readonly Source[]): Problem[] {
  return sources.filter((source) => !isTest(source)).flatMap((source) => [...checkNpm(source), ...checkPip(source)]);
}

function checkNpm({ path, text }: Source): Problem[] {
  const commands = [...text.matchAll(NPM)].map(({ index, 2: name = '' }) => ({ at: index, name }));
  const configured = [...text.matchAll(ARGUMENTS)].map(({ index, 1: list = '' }) => ({
    at: index,
    name:
      [...list.matchAll(/["']([^"']*)["']/g)].map(([, word = '']) => word).find((word) => !word.startsWith('-')) ?? '',
  }));
  return [...commands, ...configured]
    .filter(
      ({ name }) => name.includes('taskgraph') && !isFile(name) && !PUBLISHED.has(name.replace(/(?<=.)@[^/@]*$/, '')),
    )
    .map(({ at, name }) => ({ path, at, rule: `it fetches ${name}, which is not ours.`, fix: NPM_FIX }));
}

function checkPip({ path, text }: Source): Problem[] {
  return [...text.matchAll(PIP)].flatMap(({ index, 2: name = '' }) =>
    isFile(name) || name === PYTHON
      ? []
      : [{ path, at: index, rule: `it installs ${name}, which is not ours.`, fix: `name ${PYTHON}.` }],
  );
}

/** A folder of the checkout, a tarball or a wheel. */
function isFile(name: string): boolean {
  return /^\.{0,2}\/|\.(tgz|whl)$/.test(name);
}
