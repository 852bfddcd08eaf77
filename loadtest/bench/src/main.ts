// Benchmarks: npm run bench -- SCENARIO [--json].
import { benchGrowth } from './growth.ts';
import { benchMutations } from './mutations.ts';
import { printResults, type Result } from './report.ts';

const scenarios: Readonly<Record<string, (note: (line: string) => void) => Promise<Result[]>>> = {
  mutations: benchMutations,
  growth: benchGrowth,
};

async function main(): Promise<void> {
  const json = process.argv.includes('--json');
  const name = process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? '';
  const scenario = Object.hasOwn(scenarios, name) ? scenarios[name] : undefined;
  if (scenario === undefined) throw new Error(`usage: npm run bench -- ${Object.keys(scenarios).join('|')} [--json]`);
  printResults(await scenario((line) => console.error(line)), json);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
