// Users and their means for tests of reads: what a file's tests begin with.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Op } from '@taskgraph/wire/codes';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type GraphFixture, sowGraph } from './graph-fixture.ts';
import { makeUser, openTestDatabase, startTestWorker, type TestWorker } from './harness.ts';
import { asking, type ReadSetup } from './whole-reads.ts';

/** Three users who have nothing yet, a graph to be sown for them, and reads of it. */
export interface ReadScene {
  readonly database: Database;
  readonly reads: ReadSetup;
  readonly graph: GraphFixture;
  readonly ann: ActingUser;
  readonly bob: ActingUser;
  readonly cy: ActingUser;
}

/** Hands each test of the file a scene of its own, and clears it away afterwards. */
export function eachReadScene(take: (scene: ReadScene) => void): void {
  let database: Database;
  let scene: ReadScene;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  beforeEach(async () => {
    const [ann, bob, cy] = [
      await makeUser(database, 'ann'),
      await makeUser(database, 'bob'),
      await makeUser(database, 'cy'),
    ];
    scene = { database, reads: asking(database), graph: sowGraph(database), ann, bob, cy };
    take(scene);
  });
  afterEach(() => scene.graph.remove([scene.ann, scene.bob, scene.cy]));
  afterAll(() => database.close());
}

/** Two users, and a worker that does what they say. Ada acts unless somebody else is named. */
export interface WorkScene {
  readonly database: Database;
  readonly worker: TestWorker;
  readonly ada: ActingUser;
  readonly bob: ActingUser;
  /** Each gives the new entity's id. */
  addNode(payload?: object, actor?: ActingUser): Promise<string>;
  addLink(source: string, target: string, payload?: object, actor?: ActingUser): Promise<string>;
  /** Ada shares a node, with Bob unless somebody else is named. */
  share(id: string, payload?: object, grantee?: ActingUser): Promise<void>;
}

/** Hands each test of the file two new users. */
export function eachWorkScene(take: (scene: WorkScene) => void): void {
  let database: Database;
  let worker: TestWorker;
  beforeAll(async () => {
    database = await openTestDatabase();
    worker = startTestWorker(database);
  });
  beforeEach(async () => {
    const [ada, bob] = [await makeUser(database, 'ada'), await makeUser(database, 'bob')];
    take({ database, worker, ada, bob, ...actions(worker, ada, bob) });
  });
  afterAll(() => database.close());
}

function actions(worker: TestWorker, ada: ActingUser, bob: ActingUser) {
  return {
    async addNode(payload: object = {}, actor = ada): Promise<string> {
      const diff = await worker.run(actor, 'node:add', payload);
      return diff.nodes.find(({ op }) => op === Op.NODE_ADD)?.after.id as string;
    },
    async addLink(source: string, target: string, payload: object = {}, actor = ada): Promise<string> {
      const diff = await worker.run(actor, 'link:add', { source, target, ...payload });
      return diff.links[0]?.after.id as string;
    },
    async share(id: string, payload: object = {}, grantee = bob): Promise<void> {
      await worker.run(ada, 'node:access', { id, email: grantee.email, ...payload });
    },
  };
}
