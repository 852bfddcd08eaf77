// The examples of the documents: a test's requests and the answers
// (services/gateway/src/test/api-examples.cluster.test.ts).
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const EXAMPLES_FILE = new URL('../../../../docs/api/examples.json', import.meta.url);

const body = z.record(z.string(), z.unknown());

/** `answers` by the name of an operation or refused request; `pushes` by event. */
const examples = z.strictObject({
  calls: z.record(z.string(), z.strictObject({ payload: body, answer: body })),
  refusals: z.record(z.string(), body),
  pushes: z.record(z.string(), body),
});
export type Examples = z.infer<typeof examples>;

export function readExamples(): Examples {
  return examples.parse(JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8')));
}
