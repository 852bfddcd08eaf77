/** branch:get: a page of a branch, by its public token or by its root's id. Rules: PUB3, PUB4, GEN7, EVT3. */
import { text } from '@taskgraph/wire/fields';
import { z } from 'zod';
import { defineRead } from '../define-command.ts';
import { graphGet } from './graph-get.ts';

export const branchGet = defineRead({
  event: 'branch:get',
  rest: { method: 'GET', path: '/api/branch' },
  summary:
    'Reads a page of a published branch by its token, or of any branch that the caller sees by the id of its root.',
  resource: 'node',
  anonymous: true,
  payload: z.strictObject({
    /** A public token, or the id of a node. An anonymous socket may leave it out: the gateway puts its token here. */
    root: text(200, 1),
    ...graphGet.payload.shape,
  }),
});
