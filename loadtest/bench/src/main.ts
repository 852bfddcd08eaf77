// Benchmarks: npm run bench -- all|SCENARIO... [--json] [--quick] [--large] [--strict].
import { readOptions } from './options.ts';
import { jsonLine, sentences } from './report/format.ts';
import { verdictOf } from './report/result.ts';
import { runScenarios } from './run.ts';
import { SCENARIOS } from './scenarios/table.ts';
import { latestVersions } from './stack/bench-stack.ts';
import { describeVersions } from './stack/versions.ts';

async function main(): Promise<void> {
  const { scenarios, json, strict, pace } = readOptions(process.argv.slice(2), SCENARIOS);
  const note = (line: string) => console.error(line);
  let described = '';
  await runScenarios(scenarios, { pace, note }, (result, { goals }) => {
    const versions = latestVersions();
    const lines = json ? [jsonLine(result, pace.quick, versions)] : sentences(result, goals, pace.quick);
    const description = `versions: ${describeVersions(versions)}`;
    if (!json && description !== described) console.log(description);
    described = description;
    for (const line of lines) console.log(line);
    if (strict && verdictOf(result, goals)?.reached === false) process.exitCode = 1;
  });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
