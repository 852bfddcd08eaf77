// Each event of asyncapi.json against a running service, with generated payloads: an ack comes that
// fits its schema, and none is `internal`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectSdk, type SdkConnection } from '@taskgraph/testkit/stack/sdk';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { REPOSITORY } from '../check-api/tools.ts';
import { payloadOf } from './payloads.ts';

interface SocketRun {
  readonly url: string;
  readonly token: string;
  readonly seed: number;
  readonly seconds: number;
  /** Receives the findings. */
  readonly print: (text: string) => void;
}

interface EventDescription {
  readonly components: {
    readonly messages: Readonly<Record<string, { readonly name: string; readonly payload: Record<string, unknown> }>>;
  };
}

/** Ids to reuse in later payloads. */
const MOST_IDS = 300;
/** Consecutive payloads of one event. */
const AT_A_TIME = 10;
const MOST_TOLD = 20;
const ROOT = 'asyncapi';

interface Event {
  readonly name: string;
  readonly payload: Record<string, unknown>;
  readonly fits: ValidateFunction;
}

/** Whether there are no findings. It reports them. */
export async function testSockets({ url, token, seed, seconds, print }: SocketRun): Promise<boolean> {
  const events = describedEvents();
  const connection = await connectSdk({ url, token });
  const ids: string[] = [];
  const faults: string[] = [];
  const counts = { calls: 0, done: 0 };
  const deadline = Date.now() + seconds * 1_000;
  for (let round = 0; round === 0 || Date.now() < deadline; round++) {
    for (const event of events) {
      const made = fc.sample(
        payloadOf(event.payload, () => ids),
        { numRuns: AT_A_TIME, seed: seed + round },
      );
      for (const payload of made) {
        const ack = await askOnce(connection, event, payload, faults);
        counts.calls++;
        if (ack.ok === true) counts.done++;
        keepIds(ids, ack);
      }
    }
  }
  connection.close();
  print(`sockets: ${counts.calls} calls of ${events.length} events, ${counts.done} done, ${faults.length} faults\n`);
  for (const fault of faults.slice(0, MOST_TOLD)) print(`  ${fault}\n`);
  return faults.length === 0;
}

/** The events that clients call: those with an ack. */
function describedEvents(): Event[] {
  const document = JSON.parse(
    readFileSync(join(REPOSITORY, 'docs', 'api', 'asyncapi.json'), 'utf8'),
  ) as EventDescription;
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  // The other parts of the document are not JSON Schema.
  const { components } = document;
  ajv.addSchema({ components }, ROOT);
  const { messages } = components;
  return Object.entries(messages).flatMap(([key, { name, payload }]) => {
    if (messages[`${key}Ack`] === undefined) return [];
    return [{ name, payload, fits: ajv.compile({ $ref: `${ROOT}#/components/messages/${key}Ack/payload` }) }];
  });
}

async function askOnce(
  connection: SdkConnection,
  { name, fits }: Event,
  payload: object,
  faults: string[],
): Promise<Record<string, unknown>> {
  const shown = () => `${name} ${JSON.stringify(payload).slice(0, 500)}`;
  try {
    const ack = await connection.call(name, payload);
    if (!fits(ack)) faults.push(`${shown()}: the ack does not fit: ${JSON.stringify(fits.errors?.[0])}`);
    if (String(ack.error).startsWith('internal')) faults.push(`${shown()}: ${ack.error}, trace ${ack.trace_id}`);
    return ack;
  } catch (error) {
    faults.push(`${shown()}: no ack: ${String(error)}`);
    return {};
  }
}

/** Ids of created entities, so that later payloads name existing ones. */
function keepIds(ids: string[], { diff }: Record<string, unknown>): void {
  const {
    batchId,
    nodes = [],
    links = [],
  } = (diff ?? {}) as { batchId?: string; nodes?: CreatedEntry[]; links?: CreatedEntry[] };
  for (const id of [batchId, ...[...nodes, ...links].map(({ after }) => after.id)]) {
    if (typeof id === 'string' && !ids.includes(id)) ids.push(id);
  }
  ids.splice(0, Math.max(0, ids.length - MOST_IDS));
}

interface CreatedEntry {
  readonly after: { readonly id?: string };
}
