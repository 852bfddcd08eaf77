// The tools of a server, in the order of its list.

import type { Tool } from './tool.ts';
import { addNodes } from './tools/add-nodes.ts';
import { callTool } from './tools/call.ts';
import { claim } from './tools/claim.ts';
import { describe } from './tools/describe.ts';
import { findNodes } from './tools/find-nodes.ts';
import { getNodes } from './tools/get-nodes.ts';
import { history } from './tools/history.ts';
import { linkNodes } from './tools/link-nodes.ts';
import { plan } from './tools/plan.ts';
import { ready } from './tools/ready.ts';
import { tree } from './tools/tree.ts';
import { undo } from './tools/undo.ts';
import { updateNodes } from './tools/update-nodes.ts';

const READS: readonly Tool[] = [findNodes, getNodes, ready, tree, plan, history, describe];
const CHANGES: readonly Tool[] = [addNodes, updateNodes, claim, linkNodes, undo];

/** All tools, or those that only read. */
export function toolsOf(canWrite: boolean): readonly Tool[] {
  return canWrite ? [...READS, ...CHANGES, callTool(true)] : [...READS, callTool(false)];
}
