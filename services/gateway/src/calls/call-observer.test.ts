import { recordedTraceId } from '@taskgraph/runtime/telemetry/tracing';
import { expect, it } from 'vitest';
import type { EndedCall } from '../metrics.ts';
import { createObserve } from './call-observer.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceParent = `00-${traceId}-b7ad6b7169203331-01`;

function setUp() {
  const noted: EndedCall[] = [];
  const lines: object[] = [];
  const metrics = { note: (ended: EndedCall) => void noted.push(ended) };
  const observe = createObserve({ metrics, log: { debug: (fields) => void lines.push(fields) } });
  return { observe, noted, lines };
}

it('a call has the trace of its header, and a log line with it, even without trace recording', () => {
  const { observe, noted, lines } = setUp();
  const call = observe({ kind: 'command', name: 'link:add', transport: 'rest', traceParent });
  expect(call.traceId).toBe(traceId);
  expect(call.within(() => recordedTraceId())).toBeNull();
  call.end(200);
  expect(lines).toMatchObject([{ traceId, call: 'link:add', transport: 'rest', status: 200 }]);
  // No exemplar: there is no trace to be found under it.
  expect(noted).toMatchObject([{ kind: 'command', name: 'link:add', outcome: 'ok', traceId: null }]);
});

it.each([
  [200, 'ok'],
  [404, 'refused'],
  [429, 'refused'],
  [500, 'error'],
  [503, 'error'],
])('a status of %i is %s', (status, outcome) => {
  const { observe, noted } = setUp();
  observe({ kind: 'read', name: 'graph:get', transport: 'socket' }).end(status);
  expect(noted).toMatchObject([{ outcome }]);
  expect(noted[0]?.seconds).toBeGreaterThanOrEqual(0);
});
