import { context, trace } from '@opentelemetry/api';
import { inNewTrace, inSpan, recordedTraceId, startTracing } from '@taskgraph/runtime/telemetry/tracing';
import { startCollector } from '@taskgraph/testkit/stack/collector';
import { expect, test } from 'vitest';
import { inGroupSpan, recordedTraceOf } from './group-span.ts';
import type { Job } from './job.ts';
import { presentContext } from './job.ts';

/** Ends commands by hand, since a group works on them while their own spans are open. */
async function withCommands(names: readonly string[], work: (jobs: Job[]) => Promise<void>, jobs: Job[] = []) {
  const [name, ...others] = names;
  if (name === undefined) return work(jobs);
  await inNewTrace(name, {}, () => withCommands(others, work, [...jobs, { context: presentContext() } as Job]));
}

test("a group's span is a child of its first recorded command, and linked with all of them", async () => {
  const unrecorded = { context: undefined } as Job;
  expect(await inGroupSpan([unrecorded], async () => recordedTraceId())).toBeNull();
  const collector = await startCollector();
  const log = { warn: () => undefined };
  const tracing = await startTracing({ service: 'worker', instance: 'worker-1', endpoint: collector.url, log });
  await withCommands(['first', 'second'], async ([first, second]) => {
    const jobs = [unrecorded, first as Job, second as Job];
    // The group does not belong to the trace of the caller whose call commits it.
    await context.with(second?.context ?? context.active(), () =>
      inGroupSpan(jobs, () => inSpan('load', {}, async () => undefined)),
    );
    expect(recordedTraceOf(jobs)).toBe(trace.getSpan(first?.context ?? context.active())?.spanContext().traceId);
    await context.with(first?.context ?? context.active(), () =>
      inGroupSpan([unrecorded], async () => expect(recordedTraceId()).toBeNull()),
    );
    await expect(inGroupSpan([second as Job], () => Promise.reject(new Error('locked')))).rejects.toThrow('locked');
  });
  await tracing.stop();
  await collector.close();

  const named = (name: string) => collector.spans.filter((span) => span.name === name);
  const [[first], [second], [load], [group, failed]] = [named('first'), named('second'), named('load'), named('actor')];
  expect(group).toMatchObject({ traceId: first?.traceId, parentSpanId: first?.spanId, isError: false });
  expect(group?.attributes).toEqual({ 'taskgraph.group.commands': 3 });
  expect(group?.links).toEqual([first, second].map((span) => ({ traceId: span?.traceId, spanId: span?.spanId })));
  expect(second?.links).toEqual([{ traceId: group?.traceId, spanId: group?.spanId }]);
  expect(load).toMatchObject({ traceId: first?.traceId, parentSpanId: group?.spanId });
  expect(failed).toMatchObject({ traceId: second?.traceId, parentSpanId: second?.spanId, isError: true });
});
