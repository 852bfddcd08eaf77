// Load tests with k6: npm run loadtest -- limits|mixed|storm.
import { testLimits } from './limits.ts';
import { findK6, type RunScript } from './program.ts';
import { tableOf, writeTable } from './report.ts';
import { withStack } from './stack.ts';

/** Users of the mixed load and of the storm. */
const USERS = 10;

const note = (line: string) => console.error(line);

const scenarios: Readonly<Record<string, (run: RunScript) => Promise<boolean>>> = {
  async limits(run) {
    const results = await testLimits(run, note);
    const table = tableOf(results);
    console.log(table);
    const ok = results.every((each) => each.ok);
    // Failed runs must be investigated and not published.
    if (ok) await writeTable(table);
    return ok;
  },
  mixed: (run) => runForUsers(run, 'mixed.js'),
  claims: (run) => runForUsers(run, 'claims.js'),
  storm: (run) => runForUsers(run, 'connect-storm.js'),
};

/** Runs a script with several users on its own stack, and prints its counters. */
function runForUsers(run: RunScript, script: string): Promise<boolean> {
  note('starting a stack with two gateways');
  return withStack({}, async (stack) => {
    const tokens: string[] = [];
    for (let user = 0; user < USERS; user++)
      tokens.push(await stack.makeToken(`load${user}@example.com`, `load${user}`));
    const { ok, figures } = await run(script, { URLS: stack.urls.join(','), TOKENS: tokens.join(',') });
    const { done = 0, limited = 0, broken = 0 } = figures;
    console.log(
      `${script}: ${done} done, ${limited} past a limit, ${broken} failed: ${ok ? 'ok' : 'not as it should be'}`,
    );
    return ok;
  });
}

async function main(): Promise<void> {
  const scenario = Object.entries(scenarios).find(([name]) => name === process.argv[2])?.[1];
  if (scenario === undefined) throw new Error(`usage: npm run loadtest -- ${Object.keys(scenarios).join('|')}`);
  if (!(await scenario(await findK6(note)))) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
