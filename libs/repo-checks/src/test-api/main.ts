// `npm run test:api`: tests a stack against its own descriptions. Schemathesis reads /openapi.json;
// then each socket event is called with generated payloads of asyncapi.json. `--minutes 10`;
// `--quick` takes seconds; `--seed N` repeats a run. REST requires Python 3 and is skipped with a
// message without it.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { startTestStack } from '@taskgraph/testkit/stack/stack';
import { testRest } from './rest.ts';
import { testSockets } from './sockets.ts';

const DEFAULT_MINUTES = 10;
const QUICK_SECONDS = 10;
/** REST's share of the time; sockets have the rest. */
const SHARE_OF_REST = 0.8;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: String(DEFAULT_MINUTES) },
    quick: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
  },
});
const [seconds, seed] = [values.quick ? QUICK_SECONDS : Number(values.minutes) * 60, Number(values.seed)];
if (!(seconds > 0) || !Number.isSafeInteger(seed)) throw new Error('--minutes and --seed are numbers');

const stack = await startTestStack({ ownDatabase: true });
try {
  const [url = ''] = stack.urls;
  const token = await stack.token('described@example.com');
  const asked = { url, token, seed, print: (text: string) => void process.stdout.write(text) };
  process.stdout.write(`seed ${seed}\n`);
  const rest = await testRest({ ...asked, seconds: Math.ceil(seconds * SHARE_OF_REST), isQuick: values.quick });
  const sockets = await testSockets({ ...asked, seconds: Math.ceil(seconds * (1 - SHARE_OF_REST)) });
  process.exitCode = rest && sockets ? 0 : 1;
} finally {
  await stack.stop();
}
