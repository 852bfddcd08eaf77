// In a separate file, because a process can start an SDK only once.
import { startCollector } from '@taskgraph/testkit/stack/collector';
import { expect, it } from 'vitest';
import { inNewTrace, startTracing } from './tracing.ts';

it('an unavailable collector is logged and delays nothing', async () => {
  const collector = await startCollector();
  await collector.close();
  const lines: [fields: object, message: string][] = [];
  const log = { warn: (fields: object, message: string) => void lines.push([fields, message]) } as never;
  const tracing = await startTracing({ service: 'jobs', instance: 'jobs-1', endpoint: collector.url, log });
  expect(await inNewTrace('job sweep', {}, async () => 'done')).toBe('done');
  await tracing.stop();
  expect(lines[0]?.[1]).toBe('traces could not be recorded or exported');
  // The exporter retries until its time limit and reports that or the last attempt.
  expect(JSON.stringify(lines[0]?.[0])).toMatch(/Timeout|ECONNREFUSED/);
});
