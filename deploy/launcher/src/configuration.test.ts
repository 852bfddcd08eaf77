import { describe, expect, test } from 'vitest';
import { readConfiguration, redact } from './configuration.ts';

const read = (variables: Record<string, string>, ...commandArguments: string[]) =>
  readConfiguration(variables, commandArguments, '/repository');

describe('settings of npm start', () => {
  test('all have a default', () => {
    expect(read({})).toEqual({
      port: 8080,
      workers: 2,
      gateways: 1,
      jobs: 1,
      hooks: 1,
      adminPort: 0,
      dataDir: '/repository/.data',
      cacheDir: '/repository/.cache',
      node: { kind: 'auto' },
      neo4jHeapMegabytes: 1024,
      yes: false,
      clustered: false,
      samplePlan: true,
    });
  });

  test('an empty variable counts as unset', () => {
    expect(read({ PORT: '', DATA_DIR: '', NEO4J_URL: '' })).toEqual(read({}));
  });

  test('are read from the variables and the arguments', () => {
    const variables = {
      PORT: '9000',
      WORKERS: '3',
      GATEWAYS: '2',
      JOBS: '0',
      HOOKS: '2',
      DATA_DIR: '/data',
      NEO4J_HEAP: '2g',
    };
    expect(read(variables, '--clustered', '--yes', '--no-sample')).toMatchObject({
      port: 9000,
      workers: 3,
      gateways: 2,
      jobs: 0,
      hooks: 2,
      dataDir: '/data',
      neo4jHeapMegabytes: 2048,
      yes: true,
      clustered: true,
      samplePlan: false,
    });
  });

  test.each([
    ['auto', { kind: 'auto' }],
    ['own', { kind: 'own' }],
    ['/opt/node/bin/node', { kind: 'program', path: '/opt/node/bin/node' }],
  ])('TASKGRAPH_NODE can be %s', (text, node) => {
    expect(read({ TASKGRAPH_NODE: text })).toMatchObject({ node });
  });

  test.each([
    [{ PORT: 'abc' }, 'PORT must be a number from 1 to 65535, not "abc"'],
    [{ PORT: '0' }, 'PORT must be a number from 1 to 65535, not "0"'],
    [{ PORT: '1e3' }, 'PORT must be a number from 1 to 65535, not "1e3"'],
    [{ WORKERS: '17' }, 'WORKERS must be a number from 1 to 16, not "17"'],
    [{ ADMIN_PORT: '65532' }, 'ADMIN_PORT must be a number from 0 to 65531, not "65532"'],
    [{ JOBS: '5' }, 'JOBS must be a number from 0 to 4, not "5"'],
    [{ HOOKS: '5' }, 'HOOKS must be a number from 0 to 4, not "5"'],
    [{ PORT: '65535', GATEWAYS: '2' }, 'PORT 65535 leaves no room for 2 gateways'],
    [{ NEO4J_HEAP: '10' }, 'NEO4J_HEAP must be a size of at least 256m, such as 512m or 2g, not "10"'],
    [
      { REDIS_URL: 'http://u:p@host' },
      'REDIS_URL must be a URL that begins with redis://, rediss://, not "http://host"',
    ],
    [{ NATS_URL: 'nats://one,two' }, 'not "nats://one,two"'],
    [{ TASKGRAPH_NODE: '24' }, 'TASKGRAPH_NODE must be auto, own or the path of a Node, not "24"'],
    [{ TASKGRAPH_LIMITS: 'no' }, 'TASKGRAPH_LIMITS must be on or off, not "no"'],
    [{ TASKGRAPH_LIMITS: 'off', NODE_ENV: 'production' }, 'TASKGRAPH_LIMITS is off with NODE_ENV=production'],
  ])('%j is refused', (variables, message) => {
    expect(() => read(variables as Record<string, string>)).toThrow(message);
  });

  test('an unknown argument is rejected', () => {
    expect(() => read({}, '--port=1')).toThrow('"--port=1" is not an option');
  });

  test('messages never show a password', () => {
    expect(redact('nats://user:secret@one:4222,nats://u:secret@two')).toBe('nats://one:4222,nats://two');
  });
});
