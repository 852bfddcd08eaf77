// openapi.json as generators of clients read it: its schemas describe the recorded calls, and have
// only forms that generators know.

import { errorsOf, type Operation, routesOf } from '@taskgraph/wire/operations/operation';
import { OPERATIONS, operations } from '@taskgraph/wire/operations/operations';
import type { JsonSchema } from '@taskgraph/wire/operations/payload-schema';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { readExamples } from './examples.ts';
import { openapiDocument, pathItemOf } from './openapi.ts';

interface Described {
  readonly description: string;
  readonly parameters?: readonly { readonly name?: string }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: JsonSchema } } };
  readonly responses: Readonly<Record<string, JsonSchema>>;
}

interface SharedResponse {
  readonly description: string;
  readonly content: {
    readonly 'application/json': {
      readonly schema: JsonSchema;
      readonly examples?: Record<string, { value: unknown }>;
    };
  };
}

const examples = readExamples();
const document = JSON.parse(openapiDocument('0.0.0', examples)) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, SharedResponse>>;
  };
};
const ROOT = 'openapi';
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema({ components: document.components }, ROOT);

/** References in the document are absolute for the validator. */
function validatorOf(schema: JsonSchema): ValidateFunction {
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${ROOT}#/`)) as JsonSchema);
}

function describedOf(operation: Operation, route = 0): Described {
  const { method, path } = routesOf(operation)[route] as { method: string; path: string };
  return document.paths[path]?.[method.toLowerCase()] as Described;
}

function bodySchema(operation: Operation, route = 0): JsonSchema {
  return describedOf(operation, route).requestBody?.content['application/json'].schema as JsonSchema;
}

/** The schema of an operation's successful answer. */
function answerSchema(operation: Operation): JsonSchema {
  const { content } = describedOf(operation).responses[200] as { content: Record<string, { schema: JsonSchema }> };
  return content['application/json']?.schema as JsonSchema;
}

/** The nodes of a recorded answer. */
function recordedNodes(event: string): JsonSchema[] {
  return examples.calls[event]?.answer.nodes as JsonSchema[];
}

/** Every schema of the document, with its place. */
function schemasIn(value: unknown, place: string): [place: string, schema: JsonSchema][] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value)
    .filter(([name]) => name !== 'example' && name !== 'examples')
    .flatMap(([name, one]) => schemasIn(one, `${place}/${name}`));
  return Array.isArray(value) ? inner : [[place, value as JsonSchema], ...inner];
}

describe('schemas', () => {
  const all = schemasIn(document, '');

  it('have no form that generators do not know', () => {
    const isUnknown = ({ not, propertyNames, anyOf }: JsonSchema) => [not, propertyNames, anyOf].some(Boolean);
    expect(all.filter(([, schema]) => isUnknown(schema)).map(([place]) => place)).toEqual([]);
  });

  it('name the size of each number', () => {
    const isNumber = ({ type }: JsonSchema) => [type].flat().some((one) => one === 'number' || one === 'integer');
    const numbers = all.filter(([, schema]) => isNumber(schema));
    expect(numbers.length).toBeGreaterThan(50);
    const sizes = ['double', 'int32', 'int64'];
    expect(numbers.filter(([, { format }]) => !sizes.includes(String(format))).map(([place]) => place)).toEqual([]);
  });

  it('describe each recorded answer', () => {
    for (const operation of operations) {
      const { answer } = examples.calls[operation.name] ?? {};
      if (answer === undefined) continue;
      const fits = validatorOf(answerSchema(operation));
      expect(fits(answer), `${operation.name}: ${ajv.errorsText(fits.errors)}`).toBe(true);
    }
  });
});

describe('[ICAL2] the address of a calendar', () => {
  it('is described, though it is no operation', () => {
    const described = document.paths['/calendar/{address}']?.get as Described & { readonly security: unknown };
    const { content } = described.responses[200] as { content: object };
    expect([described.security, Object.keys(content)]).toEqual([[{}], ['text/calendar']]);
    expect(Object.keys(described.responses)).toEqual(expect.arrayContaining(['304', '404', '429', '503']));
  });
});

describe('[HOOK4] the messages to webhooks', () => {
  it('are described by their bodies, and signed', () => {
    const ID = '01985f0e-3d10-7a11-9c4a-6e8f0a124b53';
    const fixed = { timestamp: '2026-01-05T08:00:00.000Z', data: { hook: ID } };
    const due = { from: fixed.timestamp, to: fixed.timestamp };
    const contents = new Map<string, object>([
      ['graph.changed', { hook: ID, events: [], feeds: { [`user:${ID}`]: [1, 2] }, batches: [] }],
      ['graph.due', { hook: ID, due, events: [{ type: 'node.due', id: ID, after: { title: 'x' } }] }],
    ]);
    for (const [type, { post }] of Object.entries(document.webhooks)) {
      const schema = post?.requestBody?.content['application/json'].schema as JsonSchema;
      const fits = validatorOf(schema);
      const data = contents.get(type) ?? fixed.data;
      expect([fits({ ...fixed, type, data }), fits({ ...fixed, type: 'other', data })]).toEqual([true, false]);
      expect(post?.parameters?.map(({ name }) => name)).toContain('webhook-signature');
    }
    expect(Object.keys(document.webhooks)).toEqual(['graph.changed', 'graph.due', 'graph.reset', 'hook.ping']);
  });
});

describe('node:get', () => {
  it('distinguishes active nodes from nodes in the trash', () => {
    const { properties } = document.components.schemas.Nodes as { properties: { nodes: { items: JsonSchema } } };
    const fits = validatorOf(properties.nodes.items);
    const [[active], [trashed]] = [recordedNodes('node:get'), recordedNodes('trash:page')];
    expect([fits(active), fits(trashed), fits({ ...trashed, inTrash: false })]).toEqual([true, true, false]);
  });
});

describe('[BAT1 BAT2] batch:run', () => {
  const fits = validatorOf(bodySchema(OPERATIONS['batch:run']));
  const ID = '01985f0e-3d10-7a11-9c4a-6e8f0a124b53';

  it.each([
    [{ event: 'node:add' }],
    [{ event: 'node:add', payload: { title: 'Go live', target: '$plan' }, as: 'live' }],
    [{ event: 'link:add', payload: { source: '$plan.link', target: ID } }],
    [{ event: 'node:update', payload: { id: ID, x: 1.5 } }],
  ])('%j fits', (operation) => {
    expect(fits({ operations: [operation] }), ajv.errorsText(fits.errors)).toBe(true);
  });

  it.each([
    [{ event: 'batch:undo', payload: { batchId: ID } }],
    [{ event: 'link:add', payload: { source: 'plan', target: ID } }],
    [{ event: 'link:add', payload: { title: 'Go live' } }],
    [{ event: 'node:trash', payload: { id: ID }, as: 'live' }],
    [{ event: 'node:trash' }],
    [{ event: 'node:update', payload: { id: ID } }],
  ])('%j does not fit', (operation) => {
    expect(fits({ operations: [operation] })).toBe(false);
  });
});

it('no e-mail has to be in a URL', () => {
  const parameters = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ parameters = [] }) => parameters),
  );
  expect(parameters.map(({ name }) => name)).not.toContain('email');
  expect(bodySchema(OPERATIONS['node:access:delete']).required).toEqual(['id', 'email']);
  expect(Object.keys(bodySchema(OPERATIONS['node:access:list'], 1).properties as object)).toEqual(['id', 'after']);
});

it('[GEN3] each code is explained in the response of its status, and named by the operations that have it', () => {
  for (const operation of operations) {
    const { description, responses } = describedOf(operation);
    const shared = Object.values(responses).map(({ $ref }) => document.components.responses[nameOf($ref)]?.description);
    const text = shared.join('\n');
    const unexplained = errorsOf(operation, 'rest').filter((code) => !text.includes(`- \`${code}\`: `));
    const unnamed = operation.errors.filter((code) => !description.includes(`\`${code}\``));
    expect([...unexplained, ...unnamed], operation.name).toEqual([]);
  }
});

it('[GEN3] each shared response describes its recorded refusals, and no success', () => {
  const shared = Object.entries(document.components.responses);
  const recorded = shared.flatMap(([name, { content }]) => {
    const { schema, examples: shown = {} } = content['application/json'];
    const fits = validatorOf(schema);
    expect(fits({ ok: true, trace_id: '0'.repeat(32) }), name).toBe(false);
    for (const [code, { value }] of Object.entries(shown)) {
      expect(fits(value), `${code}: ${ajv.errorsText(fits.errors)}`).toBe(true);
    }
    return Object.keys(shown);
  });
  expect(new Set(recorded)).toEqual(new Set(Object.keys(examples.refusals)));
});

const nameOf = (reference: unknown) => String(reference).split('/').at(-1) ?? '';

it('[GEN15] a deprecated operation is marked', () => {
  const deprecated = { since: '2027-01-31', sunset: '2027-07-31' };
  const { description, responses, ...item } = pathItemOf({ ...OPERATIONS['node:why'], deprecated }, 'GET', examples);
  expect(item.deprecated).toBe(true);
  expect(description).toContain('**Deprecated** since 2027-01-31. A release from 2027-07-31 on may lack it.');
  expect(Object.keys((responses as Described['responses'])[200]?.headers as object)).toEqual(
    expect.arrayContaining(['Deprecation', 'Sunset']),
  );
  expect(pathItemOf(OPERATIONS['node:why'], 'GET', examples)).not.toHaveProperty('deprecated');
});
