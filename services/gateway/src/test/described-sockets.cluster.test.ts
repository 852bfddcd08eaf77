// Every event of /asyncapi.json with payloads drawn from its schema. Each ack fits its description
// (checked by clients.setup.ts) and is never `internal`.

import { runs } from '@taskgraph/testkit/runs';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { socketOperations } from '@taskgraph/wire/operations/operations';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type User, userOf } from './support/calls.ts';
import { nearly, type Schema } from './support/described/from-schema.ts';

interface Described {
  readonly operations: Readonly<
    Record<string, { readonly action: string; readonly title: string; readonly messages: readonly { $ref: string }[] }>
  >;
  readonly components: { readonly messages: Readonly<Record<string, { readonly payload: Schema }>> };
}

const stack = sharedStack();
let user: User;
let api: Described;
const ids: string[] = [];

beforeAll(async () => {
  user = await userOf(stack, 'fuzzed');
  api = (await (await fetch(`${stack.urls[0]}/asyncapi.json`)).json()) as Described;
  for (const title of ['one', 'two', 'three']) {
    const { body } = await user.socket('node:add', { title, ...definedFields({ target: ids[0] }) });
    const { nodes, links, batchId } = body.diff as {
      nodes: { after: { id: string } }[];
      links: { after: { id: string } }[];
      batchId: string;
    };
    ids.push(...[...nodes, ...links].map(({ after }) => after.id), batchId);
  }
});
afterAll(() => void user?.connection.close());

/** The schema of an event's payload, as anybody finds it in the document. */
function schemaOf(event: string): Schema {
  const operation = Object.values(api.operations).find(({ action, title }) => action === 'receive' && title === event);
  const [name = ''] = operation?.messages.map(({ $ref }) => $ref.slice($ref.lastIndexOf('/') + 1)) ?? [];
  const message = api.components.messages[name];
  if (message === undefined) throw new Error(`${event} is not described`);
  return message.payload;
}

test.each(socketOperations)('[GEN3 GEN4] $name answers any input as described', async (operation) => {
  const { name: event } = operation;
  await fc.assert(
    fc.asyncProperty(nearly(schemaOf(event), ids), async (payload) => {
      const { body } = await user.socket(event, payload);
      expect(body.ok ? '' : body.error, JSON.stringify(payload)).not.toMatch(/^internal/);
    }),
    { numRuns: runs(12), endOnFailure: true },
  );
});
