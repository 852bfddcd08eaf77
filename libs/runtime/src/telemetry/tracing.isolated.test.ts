import { startCollector } from '@taskgraph/testkit/stack/collector';
import { expect, it } from 'vitest';
import { createLog } from './log.ts';
import { inNewTrace, inSpan, recordedTraceId, startTracing } from './tracing.ts';

// One test for all steps, because a process can start an SDK only once.
it('spans cost nothing without a collector; with one they are exported, and log lines contain their ids', async () => {
  const lines: string[] = [];
  const log = createLog({ name: 'test', level: 'info' }, { write: (line) => void lines.push(line) });
  const work = () =>
    inNewTrace('job sweep', { kind: 'sweep' }, async () => {
      log.info('inside');
      await Promise.resolve();
      await expect(inSpan('load', {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
      return recordedTraceId();
    });
  const without = await startTracing({ service: 'jobs', instance: 'jobs-1', endpoint: undefined, log });
  expect(await work()).toBeNull();
  expect(JSON.parse(lines.at(-1)!)).not.toHaveProperty('traceId');
  await without.stop();

  const collector = await startCollector();
  const tracing = await startTracing({ service: 'jobs', instance: 'jobs-1', endpoint: `${collector.url}/`, log });
  expect(await inSpan('lonely', {}, async () => recordedTraceId())).toBeNull();
  const traceId = await work();
  await tracing.stop();
  await collector.close();

  const [load, job, ...others] = collector.spans;
  expect(others).toEqual([]);
  expect(job).toMatchObject({ name: 'job sweep', service: 'taskgraph-jobs', traceId, attributes: { kind: 'sweep' } });
  expect(load).toMatchObject({ name: 'load', traceId, parentSpanId: job?.spanId, isError: true });
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({ traceId, spanId: job?.spanId });
});
