// Nodes and links of tests as they are stored, with nothing in them.
import type { LinkState, NodeState } from '@taskgraph/domain/state/state';
import { LinkType, Status } from '@taskgraph/wire/codes';

export function plainNode(id: string, time: string, ownerId: string): NodeState {
  return {
    id,
    ownerId,
    title: '',
    description: '',
    status: Status.AVAILABLE,
    statusBefore: null,
    openBlockers: 0,
    dueDate: null,
    type: 0,
    tags: [],
    priority: 0,
    independent: false,
    volume: 0,
    version: 1,
    assignee: [],
    createdTime: time,
    lastEditedTime: time,
    x: 0,
    y: 0,
    z: 0,
    pinned: false,
    collapsed: false,
    publicToken: null,
    publicDue: null,
    publicBranch: false,
    inTrash: false,
    lastBatchID: null,
  };
}

export function plainLink(
  id: string,
  ends: { source: string; target: string },
  time: string,
  ownerId: string,
): LinkState {
  return {
    id,
    ...ends,
    type: LinkType.PRIMARY,
    version: 1,
    wasBlocker: false,
    private: false,
    ownerId,
    conveys: true,
    inTrash: false,
    trashedWithNode: false,
    trashedBy: null,
    lastBatchID: null,
    createdTime: time,
    lastEditedTime: time,
  };
}
