// The model's own list of the fields of a node, from docs/rules.md and docs/interface.md. It is
// separate on purpose, so that a fault in the service's table of fields shows as a difference.
import { Status } from '@taskgraph/wire/codes';

/** The fields of a node for its owner, with the kind of each. There are no others. Rules: WIRE4. */
export const NODE_SHAPE: [field: string, kind: FieldKind, orNull?: 'or null'][] = [
  ['id', 'an id'],
  ['title', 'a text'],
  ['description', 'a text'],
  ['status', 'an integer from 0 to 3'],
  ['dueDate', 'a time', 'or null'],
  ['type', 'an integer'],
  ['tags', 'a list of texts'],
  ['priority', 'an integer'],
  ['independent', 'true or false'],
  ['volume', 'an integer'],
  ['version', 'an integer'],
  ['assignee', 'a list of texts'],
  ['createdTime', 'a time'],
  ['lastEditedTime', 'a time'],
  ['completedTime', 'a time', 'or null'],
  ['claimedBy', 'a text', 'or null'],
  ['claimUntil', 'a time', 'or null'],
  ['ownerUsername', 'a text'],
  ['ownerEmail', 'a text'],
  ['publicToken', 'a text', 'or null'],
  ['publicDue', 'a time', 'or null'],
  ['publicBranch', 'true or false'],
  ['x', 'a number'],
  ['y', 'a number'],
  ['z', 'a number'],
  ['pinned', 'true or false'],
  ['collapsed', 'true or false'],
  ['access', 'an integer from 0 to 3'],
  ['shareRoots', 'a list of ids'],
  ['inTrash', 'true or false'],
  ['lastBatchID', 'an id', 'or null'],
];
export type FieldKind =
  | 'an id'
  | 'a text'
  | 'a time'
  | 'an integer'
  | 'an integer from 0 to 3'
  | 'a number'
  | 'true or false'
  | 'a list of texts'
  | 'a list of ids';

/** The values of a new node. Rules: NODE1. */
export const NEW_NODE = {
  title: '',
  description: '',
  status: Status.AVAILABLE as number,
  /** The status before it was Blocked (BLK3); null while it is not. */
  statusBefore: null as number | null,
  /** When it became Completed (BLK11); null while it is not. */
  completedTime: null as string | null,
  /** The user, the end and the batch of a claim (CLAIM1); null without one. */
  claimedBy: null as string | null,
  claimUntil: null as string | null,
  claimId: null as string | null,
  claimerId: null as string | null,
  /** Whether the claim added its user to the assignees. */
  claimAssigned: null as boolean | null,
  dueDate: null as string | null,
  type: 0,
  tags: [] as string[],
  priority: 0,
  independent: false,
  volume: 0,
  assignee: [] as string[],
  x: 0,
  y: 0,
  z: 0,
  pinned: false,
  collapsed: false,
  version: 1,
  publicToken: null as string | null,
  publicDue: null as string | null,
  publicBranch: false,
  inTrash: false,
  lastBatchID: null as string | null,
};
type Name = keyof typeof NEW_NODE;

/**
 * The fields that a client may write, except `status`, which has its own steps (BLK8). Rules:
 * NODE1.
 */
export const WRITABLE = [
  'title' as const,
  'description' as const,
  'dueDate' as const,
  'tags' as const,
  'priority' as const,
  'independent' as const,
  'volume' as const,
  'assignee' as const,
  'x' as const,
  'y' as const,
  'z' as const,
  'pinned' as const,
  'collapsed' as const,
] satisfies Name[];

/** The fields of a publication. Rules: PUB1, PUB4. */
export const PUBLICATION = ['publicToken', 'publicDue', 'publicBranch'] as const satisfies readonly Name[];

/** The fields that anonymous readers never see. Rules: PUB4. */
export const FOR_USERS = ['assignee', 'claimedBy', 'claimUntil', 'lastBatchID'] as const satisfies readonly Name[];

/** The fields that no reader sees. */
export const HIDDEN = ['statusBefore', 'claimId', 'claimerId', 'claimAssigned'] as const satisfies readonly Name[];

export type ShownField = Exclude<Name, (typeof HIDDEN)[number]>;
/** The fields that readers see, as far as they may. */
export const SHOWN = (Object.keys(NEW_NODE) as Name[]).filter(
  (name) => !HIDDEN.some((other) => other === name),
) as ShownField[];
