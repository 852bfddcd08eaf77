// The types of calls, answers, pushes and codes, as the service declares them. It is long since it has all of them, and generated:
// `npm run docs:generate` writes it.

/** Any code of the service. */
export type ErrorCode =
  | 'bad_request'
  | 'bad_request.method'
  | 'bad_request.invalid_json'
  | 'bad_request.invalid_body'
  | 'bad_request.invalid_content_type'
  | 'bad_request.unknown_field'
  | 'bad_request.immutable_field'
  | `bad_request.missing_${string}`
  | `bad_request.invalid_${string}`
  | 'bad_request.invalid_uuid'
  | 'bad_request.invalid_idempotencyKey'
  | 'bad_request.out_of_range'
  | 'bad_request.unknown_name'
  | 'bad_request.duplicate_name'
  | 'bad_request.dry_run_key'
  | 'bad_request.no_fields'
  | 'bad_request.too_large'
  | 'bad_request.invalid_after'
  | 'bad_request.invalid_scope'
  | 'bad_request.status_blocked'
  | 'bad_request.self_link'
  | 'bad_request.owner_grant'
  | 'bad_request.unknown_event'
  | 'bad_request.missing_ack'
  | 'bad_request.invalid_packet'
  | 'bad_request.common_password'
  | 'invalid_due'
  | 'not_trashed_node'
  | 'not_trashed_link'
  | 'unauthorized'
  | 'unauthorized.late'
  | 'forbidden'
  | 'forbidden.read_only'
  | 'forbidden.session_required'
  | 'forbidden.origin'
  | 'forbidden.wrong_password'
  | 'forbidden.registration_off'
  | 'forbidden.mail_off'
  | 'forbidden.identity'
  | 'forbidden.email_unverified'
  | 'not_found'
  | 'version_conflict'
  | 'conflict.in_trash'
  | 'conflict.already_trashed'
  | 'conflict.target_in_trash'
  | 'conflict.node_blocked'
  | 'conflict.not_open'
  | 'conflict.cycle'
  | 'conflict.duplicate_link'
  | 'conflict.duplicate_reversed_link'
  | 'conflict.too_many_links'
  | 'conflict.too_many_grants'
  | 'conflict.too_many_feeds'
  | 'conflict.too_many_tokens'
  | 'conflict.already_public'
  | 'conflict.not_public'
  | 'conflict.already_undone'
  | 'conflict.not_undone'
  | 'conflict.irreversible'
  | 'conflict.expired'
  | 'conflict.idempotency_key'
  | 'conflict.registered'
  | 'conflict.own_account'
  | 'rate_limited'
  | 'internal'
  | 'internal.exception'
  | 'internal.broken_answer'
  | 'internal.too_large'
  | 'internal.unproven'
  | 'unavailable'
  | 'unavailable.slow_reader';

export type AccessChanged = {
  /** `user:<id>`, `root:<node>` or `node:<node>`. */
  feed: string;
  change: 'gained' | 'lost' | 'level';
  /** The level through this feed after the change; null where it was lost. */
  level: number | null;
  /** The number of the slice in the `user:` feed that it belongs to. */
  seq: number;
};

/** The user who did it. Jobs act as `system` with an empty e-mail. */
export type Actor = {
  username: string;
  email: string;
};

/** A token without its text. */
export type ApiToken = {
  id: string;
  name: string;
  /** The beginning of its text, to tell tokens apart. */
  prefix: string;
  createdTime: string;
  /** When it ends; null for never. */
  expires: string | null;
  /** Whether it may change nothing. */
  readOnly: boolean;
  /** When it last opened a request or a connection, right to a minute. */
  lastUsed: string | null;
};

export type ApiTokens = {
  ok: true;
  tokens: ApiToken[];
  /** Leads to the service's log lines. */
  trace_id: string;
};

/** A node that blocks another. */
export type Blocker = {
  id: string;
  /** The link by which it blocks. */
  link: string;
  /** 0 Available, 1 InProgress, 2 Blocked, 3 Completed. */
  status: number;
};

/** The answer of a mutation. */
export type Changed = {
  ok: true;
  diff: Diff;
  /** The numbers that the change has in the caller's own feeds, by feed. */
  feeds: Record<string, number>;
  /** It was only decided: nothing is stored, numbered or pushed. */
  dryRun?: true | undefined;
  /** Of a dry run: who would gain or lose sight. */
  sight?: Sight | undefined;
  /** Leads to the service's log lines. */
  trace_id: string;
};

export type Changes = ChangesPage | ResetRequired;

/** The present state of what changed since a position. */
export type ChangesPage = {
  ok: true;
  resetRequired?: never | undefined;
  /** Where to ask from the next time, once the last page is here. */
  position: string;
  /** Whether there is more after this page. */
  hasMore: boolean;
  /** More was granted to the caller than is shown: what they name by its id can be read all the same. */
  truncated?: true | undefined;
  /** The `cursor` of the next page, with the same `since`; null at the end. */
  next: string | null;
  nodes: Node[];
  links: Link[];
  /** The ids of what went. */
  gone: Ids;
  feeds: {
    gained: string[];
    lost: string[];
  };
  /** On the first page: the numbers that the feeds have reached. */
  heads?: Record<string, number> | undefined;
  /** Leads to the service's log lines. */
  trace_id: string;
};

export type Closing = {
  ok: false;
  /** The code (docs/errors.md). Later releases may have more; the first part tells the kind. */
  error: string;
  /** A sentence for people. */
  message: string;
  /** Leads to the service's log lines. */
  trace_id: string;
  /** More that helps to get further, by code. */
  details?: Record<string, unknown> | undefined;
};

export type Connected = {
  ok: true;
  /** The user; null without an account. */
  uid: string | null;
  /** By a token, by a browser’s cookie, or by a public token. */
  client: 'api' | 'web' | 'public';
  serverTime: string;
  /** The number that each of the reader's feeds has reached. */
  feeds: Record<string, number>;
  /** Where to ask `changes:get` from; null without an account. */
  position: string | null;
  /** More was granted to the caller than is shown: what they name by its id can be read all the same. */
  truncated?: true | undefined;
};

/** All that a batch changed and its reader may see. */
export type Diff = {
  /** The batch of history; null where nothing changed. */
  batchId: string | null;
  actor: Actor;
  /** When it was committed. */
  ts: string;
  nodes: NodeEntry[];
  links: LinkEntry[];
  access: GrantEntry[];
  /** Always empty. */
  user: never[];
  /** Links that stay in the trash though their node came back. */
  skipped?: string[] | undefined;
  /** The diff was longer than 64 MB: its lists are empty. */
  truncated?: true | undefined;
};

/** It was done. */
export type Done = {
  ok: true;
  /** Leads to the service's log lines. */
  trace_id: string;
};

export type FeedsHeads = {
  feeds: Record<string, number>;
};

/** The access that an e-mail has to a node. */
export type Grant = {
  /** The node's id. */
  id: string;
  /** The grantee's e-mail, case-folded. */
  email: string;
  /** 1 admin, 2 editor, 3 viewer. */
  level: number;
  /** When it ends; null for never. */
  due: string | null;
  /** Whether it takes in all that is below the node. */
  branch: boolean;
  /** 1 at first, one more with each change. */
  version: number;
};

/** A change of a grant. */
export type GrantEntry = {
  /** The code of the operation (docs/interface.md#diffs). */
  op: number;
  /** The changed fields as they were, or all of them; empty where it was made. */
  before: {
    /** The node's id. */
    id?: string | undefined;
    /** The grantee's e-mail, case-folded. */
    email?: string | undefined;
    /** 1 admin, 2 editor, 3 viewer. */
    level?: number | undefined;
    /** When it ends; null for never. */
    due?: string | null | undefined;
    /** Whether it takes in all that is below the node. */
    branch?: boolean | undefined;
    /** 1 at first, one more with each change. */
    version?: number | undefined;
  };
  /** The changed fields as they are, or all of them; empty where a grant ended. */
  after: {
    /** The node's id. */
    id?: string | undefined;
    /** The grantee's e-mail, case-folded. */
    email?: string | undefined;
    /** 1 admin, 2 editor, 3 viewer. */
    level?: number | undefined;
    /** When it ends; null for never. */
    due?: string | null | undefined;
    /** Whether it takes in all that is below the node. */
    branch?: boolean | undefined;
    /** 1 at first, one more with each change. */
    version?: number | undefined;
  };
};

/** The grants on a node, by e-mail. */
export type Grants = {
  ok: true;
  grants: Grant[];
  /** Whether there is more after this page. */
  hasMore: boolean;
  /** The `after` of the next page, where there is one. */
  next?: string | undefined;
  /** Leads to the service's log lines. */
  trace_id: string;
};

export type GraphDiff = Slice | PublicSlice | LongSlice;

/** A page of the graph: all nodes come before all links. */
export type GraphPage = {
  ok: true;
  /** Whether there is more after this page. */
  hasMore: boolean;
  /** More was granted to the caller than is shown: what they name by its id can be read all the same. */
  truncated?: true | undefined;
  /** The `after` of the next page; null at the end. */
  next: string | null;
  nodes: Node[];
  links: PageLink[];
  /** On a first page: the numbers that the reader's feeds have reached. */
  feeds?: Record<string, number> | undefined;
  /** On a first page of a user: where to ask `changes:get` from. */
  position?: string | undefined;
  /** Leads to the service's log lines. */
  trace_id: string;
};

/** A batch of history, with the operations that its reader may see. */
export type HistoryBatch = {
  batchId: string;
  actor: Actor;
  ts: string;
  /** Whether its effect is taken away now. */
  undone: boolean;
  /** The batch that it undid. */
  undoOf?: string | undefined;
  /** The batch that it did again. */
  redoOf?: string | undefined;
  ops: Operation[];
  /** There are more operations than fit into a page. */
  truncated?: true | undefined;
};

/** A page of history, newest first. */
export type HistoryPage = {
  ok: true;
  /** Whether there is more after this page. */
  hasMore: boolean;
  /** Not all of the scope was looked at. */
  truncated?: true | undefined;
  batches: HistoryBatch[];
  /** Leads to the service's log lines. */
  trace_id: string;
};

/** Ids of nodes and links. */
export type Ids = {
  nodes: string[];
  links: string[];
};

/** A dependency of one node on another. */
export type Link = {
  id: string;
  /** The node that it leads from: the child. */
  source: string;
  /** The node that it leads to: the parent. */
  target: string;
  /** 0 primary: the source blocks the target. 1 secondary: it does not. */
  type: number;
  /** Starts at 1 and grows by one with each change. */
  version: number;
  /** Whether it has ever blocked its target. */
  wasBlocker: boolean;
  /** Visible only to its owner. */
  private: boolean;
  /** Whether it is in the trash. */
  inTrash: boolean;
  /** The batch that last moved it to the trash. */
  lastBatchID?: string | null | undefined;
  /** The share roots that both ends have. */
  shareRoots: string[];
  /** When it was made. */
  createdTime: string;
  /** When it last changed. */
  lastEditedTime: string;
};

/** A change of a link. */
export type LinkEntry = {
  /** The code of the operation (docs/interface.md#diffs). */
  op: number;
  /** The changed fields as they were, or all of them; empty where it was made. */
  before: {
    id?: string | undefined;
    /** The node that it leads from: the child. */
    source?: string | undefined;
    /** The node that it leads to: the parent. */
    target?: string | undefined;
    /** 0 primary: the source blocks the target. 1 secondary: it does not. */
    type?: number | undefined;
    /** Starts at 1 and grows by one with each change. */
    version?: number | undefined;
    /** Whether it has ever blocked its target. */
    wasBlocker?: boolean | undefined;
    /** Visible only to its owner. */
    private?: boolean | undefined;
    /** Whether it is in the trash. */
    inTrash?: boolean | undefined;
    /** The batch that last moved it to the trash. */
    lastBatchID?: string | null | undefined;
    /** The share roots that both ends have. */
    shareRoots?: string[] | undefined;
    /** When it was made. */
    createdTime?: string | undefined;
    /** When it last changed. */
    lastEditedTime?: string | undefined;
    /** It was deleted for good. */
    deleted?: true | undefined;
  };
  /** The changed fields as they are, or all of them; empty where a grant ended. */
  after: {
    id?: string | undefined;
    /** The node that it leads from: the child. */
    source?: string | undefined;
    /** The node that it leads to: the parent. */
    target?: string | undefined;
    /** 0 primary: the source blocks the target. 1 secondary: it does not. */
    type?: number | undefined;
    /** Starts at 1 and grows by one with each change. */
    version?: number | undefined;
    /** Whether it has ever blocked its target. */
    wasBlocker?: boolean | undefined;
    /** Visible only to its owner. */
    private?: boolean | undefined;
    /** Whether it is in the trash. */
    inTrash?: boolean | undefined;
    /** The batch that last moved it to the trash. */
    lastBatchID?: string | null | undefined;
    /** The share roots that both ends have. */
    shareRoots?: string[] | undefined;
    /** When it was made. */
    createdTime?: string | undefined;
    /** When it last changed. */
    lastEditedTime?: string | undefined;
    /** It was deleted for good. */
    deleted?: true | undefined;
  };
};

/** A slice that is too long for one message: ask `changes:get`. */
export type LongSlice = {
  /** `user:<id>`, `root:<node>` or `node:<node>`. */
  feed: string;
  /** Counts up by one within a feed. */
  seq: number;
  truncated: true;
};

export type Me = {
  ok: true;
  user: {
    id: string;
    email: string;
    username: string;
    /** Whether they are an administrator. */
    admin: boolean;
  };
  /** Leads to the service's log lines. */
  trace_id: string;
};

export type NewApiToken = {
  ok: true;
  token: ApiToken;
  /** The text of the token, which cannot be had again. */
  plaintext: string;
  /** Leads to the service's log lines. */
  trace_id: string;
};

/** A task. */
export type Node = {
  id: string;
  /** The work to do, in a line. */
  title: string;
  /** All else about it. */
  description: string;
  /** 0 Available, 1 InProgress, 2 Blocked, 3 Completed. */
  status: number;
  /** When it should be completed; null for no time. The last second of a day in UTC stands for that day. */
  dueDate: string | null;
  /** Reserved; 0. */
  type: number;
  /** Words to find it by. */
  tags: string[];
  /** How urgent it is, by the order of its users; 0 to 1,000,000. */
  priority: number;
  /** Links do not block it. */
  independent: boolean;
  /** How much work it is, in the unit of its users; 0 to 1,000,000. */
  volume: number;
  /** Starts at 1 and grows by one with each change. */
  version: number;
  /** The people who do it, as users name them. */
  assignee?: string[] | undefined;
  /** When it was made. */
  createdTime: string;
  /** When it last changed. */
  lastEditedTime: string;
  /** The name of its owner. */
  ownerUsername?: string | undefined;
  /** The e-mail of its owner. */
  ownerEmail?: string | undefined;
  /** A position, for clients that draw. */
  x: number;
  /** A position, for clients that draw. */
  y: number;
  /** A position, for clients that draw. */
  z: number;
  /** For clients that draw: whether it stays where it is. */
  pinned: boolean;
  /** For clients that draw: whether what is below it is folded away. */
  collapsed: boolean;
  /** Present only for admins, and for readers who present it. */
  publicToken?: string | null | undefined;
  /** The end of the publication; null for no end. */
  publicDue?: string | null | undefined;
  /** Whether the publication includes the branch. */
  publicBranch?: boolean | undefined;
  /** The reader's own level: 0 owner, 1 admin, 2 editor, 3 viewer. Not in pushes. */
  access?: number | undefined;
  /** The share roots of the branches that contain it, as far as they are visible to the reader. */
  shareRoots: string[];
  /** Whether it is in the trash. */
  inTrash: boolean;
  /** The batch that last moved it to the trash. */
  lastBatchID?: string | null | undefined;
};

/** A change of a node. */
export type NodeEntry = {
  /** The code of the operation (docs/interface.md#diffs). */
  op: number;
  /** The changed fields as they were, or all of them; empty where it was made. */
  before: {
    id?: string | undefined;
    /** The work to do, in a line. */
    title?: string | undefined;
    /** All else about it. */
    description?: string | undefined;
    /** 0 Available, 1 InProgress, 2 Blocked, 3 Completed. */
    status?: number | undefined;
    /** When it should be completed; null for no time. The last second of a day in UTC stands for that day. */
    dueDate?: string | null | undefined;
    /** Reserved; 0. */
    type?: number | undefined;
    /** Words to find it by. */
    tags?: string[] | undefined;
    /** How urgent it is, by the order of its users; 0 to 1,000,000. */
    priority?: number | undefined;
    /** Links do not block it. */
    independent?: boolean | undefined;
    /** How much work it is, in the unit of its users; 0 to 1,000,000. */
    volume?: number | undefined;
    /** Starts at 1 and grows by one with each change. */
    version?: number | undefined;
    /** The people who do it, as users name them. */
    assignee?: string[] | undefined;
    /** When it was made. */
    createdTime?: string | undefined;
    /** When it last changed. */
    lastEditedTime?: string | undefined;
    /** The name of its owner. */
    ownerUsername?: string | undefined;
    /** The e-mail of its owner. */
    ownerEmail?: string | undefined;
    /** A position, for clients that draw. */
    x?: number | undefined;
    /** A position, for clients that draw. */
    y?: number | undefined;
    /** A position, for clients that draw. */
    z?: number | undefined;
    /** For clients that draw: whether it stays where it is. */
    pinned?: boolean | undefined;
    /** For clients that draw: whether what is below it is folded away. */
    collapsed?: boolean | undefined;
    /** Present only for admins, and for readers who present it. */
    publicToken?: string | null | undefined;
    /** The end of the publication; null for no end. */
    publicDue?: string | null | undefined;
    /** Whether the publication includes the branch. */
    publicBranch?: boolean | undefined;
    /** The reader's own level: 0 owner, 1 admin, 2 editor, 3 viewer. Not in pushes. */
    access?: number | undefined;
    /** The share roots of the branches that contain it, as far as they are visible to the reader. */
    shareRoots?: string[] | undefined;
    /** Whether it is in the trash. */
    inTrash?: boolean | undefined;
    /** The batch that last moved it to the trash. */
    lastBatchID?: string | null | undefined;
    /** It was deleted for good. */
    deleted?: true | undefined;
  };
  /** The changed fields as they are, or all of them; empty where a grant ended. */
  after: {
    id?: string | undefined;
    /** The work to do, in a line. */
    title?: string | undefined;
    /** All else about it. */
    description?: string | undefined;
    /** 0 Available, 1 InProgress, 2 Blocked, 3 Completed. */
    status?: number | undefined;
    /** When it should be completed; null for no time. The last second of a day in UTC stands for that day. */
    dueDate?: string | null | undefined;
    /** Reserved; 0. */
    type?: number | undefined;
    /** Words to find it by. */
    tags?: string[] | undefined;
    /** How urgent it is, by the order of its users; 0 to 1,000,000. */
    priority?: number | undefined;
    /** Links do not block it. */
    independent?: boolean | undefined;
    /** How much work it is, in the unit of its users; 0 to 1,000,000. */
    volume?: number | undefined;
    /** Starts at 1 and grows by one with each change. */
    version?: number | undefined;
    /** The people who do it, as users name them. */
    assignee?: string[] | undefined;
    /** When it was made. */
    createdTime?: string | undefined;
    /** When it last changed. */
    lastEditedTime?: string | undefined;
    /** The name of its owner. */
    ownerUsername?: string | undefined;
    /** The e-mail of its owner. */
    ownerEmail?: string | undefined;
    /** A position, for clients that draw. */
    x?: number | undefined;
    /** A position, for clients that draw. */
    y?: number | undefined;
    /** A position, for clients that draw. */
    z?: number | undefined;
    /** For clients that draw: whether it stays where it is. */
    pinned?: boolean | undefined;
    /** For clients that draw: whether what is below it is folded away. */
    collapsed?: boolean | undefined;
    /** Present only for admins, and for readers who present it. */
    publicToken?: string | null | undefined;
    /** The end of the publication; null for no end. */
    publicDue?: string | null | undefined;
    /** Whether the publication includes the branch. */
    publicBranch?: boolean | undefined;
    /** The reader's own level: 0 owner, 1 admin, 2 editor, 3 viewer. Not in pushes. */
    access?: number | undefined;
    /** The share roots of the branches that contain it, as far as they are visible to the reader. */
    shareRoots?: string[] | undefined;
    /** Whether it is in the trash. */
    inTrash?: boolean | undefined;
    /** The batch that last moved it to the trash. */
    lastBatchID?: string | null | undefined;
    /** It was deleted for good. */
    deleted?: true | undefined;
  };
};

/** One change of a batch. */
export type Operation = {
  /** Counts from 1 among those that are shown. */
  id: number;
  /** The code of the operation (docs/interface.md#diffs). */
  type: number;
  /** The node's or the link's; of a grant the node's. */
  entityId: string;
  /** The fields as it left them. Names are capitalised. */
  forwardPatch: Record<string, unknown>;
  /** The fields as they were before. Names are capitalised. */
  inversePatch: Record<string, unknown>;
  /** The version before; empty where it was made. */
  guard: {
    /** 1 at first, one more with each change. */
    Version?: number | undefined;
  };
  createdTime: string;
};

/** A link as pages of the graph show it. */
export type PageLink = {
  id: string;
  /** The node that it leads from: the child. */
  source: string;
  /** The node that it leads to: the parent. */
  target: string;
  /** 0 primary: the source blocks the target. 1 secondary: it does not. */
  type: number;
  /** Starts at 1 and grows by one with each change. */
  version: number;
  /** Whether it has ever blocked its target. */
  wasBlocker: boolean;
  /** Visible only to its owner. */
  private: boolean;
};

/** A page of a plan. */
export type Plan = {
  ok: true;
  /** How long all of it takes. */
  makespan: number;
  /** By id. */
  nodes: PlannedNode[];
  /** Whether there is more after this page. */
  hasMore: boolean;
  /** The `after` of the next page; null at the end. */
  next: string | null;
  /** On a first page: the critical path, one longest chain from its beginning; at most 2,500. */
  critical?: string[] | undefined;
  /** On a first page: the nodes that can be worked on now, in the order in which to begin them; at most 2,500. */
  ready?: string[] | undefined;
  /** Open nodes that end after they are due, by id; at most 1,000. */
  late?: {
    id: string;
    dueDate: string;
    /** Null past the year 9999. */
    finish: string | null;
  }[] | undefined;
  slip?: {
    makespan: {
      before: number;
      after: number;
    };
    /** With `start` and `unit` alone. */
    late?: {
      /** Open nodes that end after they are due, by id; at most 1,000. */
      before: {
        id: string;
        dueDate: string;
        /** Null past the year 9999. */
        finish: string | null;
      }[];
      /** Open nodes that end after they are due, by id; at most 1,000. */
      after: {
        id: string;
        dueDate: string;
        /** Null past the year 9999. */
        finish: string | null;
      }[];
    } | undefined;
    /** Nodes that can end no sooner than after what was the latest, by id; at most 1,000. */
    nodes: {
      id: string;
      /** Before. */
      latestFinish: number;
      /** After. */
      earliestFinish: number;
    }[];
  } | undefined;
  /** One of the lists is longer than it is told, or more was granted to the caller than is shown. */
  truncated?: true | undefined;
  /** Leads to the service's log lines. */
  trace_id: string;
};

/** When a node can and must begin and end, in units from the beginning of the plan. */
export type PlannedNode = {
  id: string;
  earliestStart: number;
  earliestFinish: number;
  latestStart: number;
  latestFinish: number;
  /** How far it may slip without moving the end of the plan. */
  slack: number;
  /** Something blocks it that the caller does not see, so that it may begin later. */
  hidden?: true | undefined;
  /** The date of its earliest start; null past the year 9999. */
  startDate?: string | null | undefined;
  /** The date of its earliest finish; null past the year 9999. */
  finishDate?: string | null | undefined;
};

/** A slice as readers without an account get it. */
export type PublicSlice = {
  /** `user:<id>`, `root:<node>` or `node:<node>`. */
  feed: string;
  /** Counts up by one within a feed. */
  seq: number;
  batchId: string;
  ts: string;
  nodes: NodeEntry[];
  links: LinkEntry[];
  /** The ids that came to the feed without an entry that says so. */
  joined?: Ids | undefined;
  /** The ids that left the feed without an entry that says so. */
  left?: Ids | undefined;
  /** Too much joined or left to be named: ask `changes:get`. */
  reset?: true | undefined;
};

/** The answer of a batch of operations. */
export type Ran = {
  ok: true;
  diff: Diff;
  /** The numbers that the change has in the caller's own feeds, by feed. */
  feeds: Record<string, number>;
  /** One for each operation. */
  results: Result[];
  /** It was only decided: nothing is stored, numbered or pushed. */
  dryRun?: true | undefined;
  /** Of a dry run: who would gain or lose sight. */
  sight?: Sight | undefined;
  /** Leads to the service's log lines. */
  trace_id: string;
};

export type RateLimited = {
  ok: false;
  /** The code (docs/errors.md). Later releases may have more; the first part tells the kind. */
  error: string;
  /** A sentence for people. */
  message: string;
  /** Leads to the service's log lines. */
  trace_id: string;
  /** More that helps to get further, by code. */
  details?: Record<string, unknown> | undefined;
  event: string;
};

export type Redone = {
  ok: true;
  /** The new batch, which can be undone itself; null for a dry run. */
  batchId: string | null;
  diff: RevertedDiff;
  /** The numbers that the change has in the caller's own feeds, by feed. */
  feeds: Record<string, number>;
  /** It was only decided: nothing is stored, numbered or pushed. */
  dryRun?: true | undefined;
  /** Of a dry run: who would gain or lose sight. */
  sight?: Sight | undefined;
  /** The batch that was done again. */
  redoOf: string;
  /** Leads to the service's log lines. */
  trace_id: string;
};

export type Registered = {
  ok: true;
  user: {
    id: string;
    email: string;
    username: string;
  };
  /** Leads to the service's log lines. */
  trace_id: string;
};

export type RequestError = {
  ok: false;
  /** The code (docs/errors.md). Later releases may have more; the first part tells the kind. */
  error: string;
  /** A sentence for people. */
  message: string;
  /** Leads to the service's log lines. */
  trace_id: string;
  /** More that helps to get further, by code. */
  details?: Record<string, unknown> | undefined;
  event: string;
};

/** The position is too old: read the graph anew. */
export type ResetRequired = {
  ok: true;
  resetRequired: true;
  /** Leads to the service's log lines. */
  trace_id: string;
};

/** The ids that an operation of a batch brought; empty where it brought nothing. */
export type Result = {
  /** The node that it made, or the link that it made or brought back. */
  id?: string | undefined;
  /** The link of a node that it made to its `target`. */
  link?: string | undefined;
};

/** A diff whose entries bear the fields of `after` beside. */
export type RevertedDiff = {
  /** The batch of history; null where nothing changed. */
  batchId: string | null;
  actor: Actor;
  /** When it was committed. */
  ts: string;
  nodes: {
    id?: string | undefined;
    /** The work to do, in a line. */
    title?: string | undefined;
    /** All else about it. */
    description?: string | undefined;
    /** 0 Available, 1 InProgress, 2 Blocked, 3 Completed. */
    status?: number | undefined;
    /** When it should be completed; null for no time. The last second of a day in UTC stands for that day. */
    dueDate?: string | null | undefined;
    /** Reserved; 0. */
    type?: number | undefined;
    /** Words to find it by. */
    tags?: string[] | undefined;
    /** How urgent it is, by the order of its users; 0 to 1,000,000. */
    priority?: number | undefined;
    /** Links do not block it. */
    independent?: boolean | undefined;
    /** How much work it is, in the unit of its users; 0 to 1,000,000. */
    volume?: number | undefined;
    /** Starts at 1 and grows by one with each change. */
    version?: number | undefined;
    /** The people who do it, as users name them. */
    assignee?: string[] | undefined;
    /** When it was made. */
    createdTime?: string | undefined;
    /** When it last changed. */
    lastEditedTime?: string | undefined;
    /** The name of its owner. */
    ownerUsername?: string | undefined;
    /** The e-mail of its owner. */
    ownerEmail?: string | undefined;
    /** A position, for clients that draw. */
    x?: number | undefined;
    /** A position, for clients that draw. */
    y?: number | undefined;
    /** A position, for clients that draw. */
    z?: number | undefined;
    /** For clients that draw: whether it stays where it is. */
    pinned?: boolean | undefined;
    /** For clients that draw: whether what is below it is folded away. */
    collapsed?: boolean | undefined;
    /** Present only for admins, and for readers who present it. */
    publicToken?: string | null | undefined;
    /** The end of the publication; null for no end. */
    publicDue?: string | null | undefined;
    /** Whether the publication includes the branch. */
    publicBranch?: boolean | undefined;
    /** The reader's own level: 0 owner, 1 admin, 2 editor, 3 viewer. Not in pushes. */
    access?: number | undefined;
    /** The share roots of the branches that contain it, as far as they are visible to the reader. */
    shareRoots?: string[] | undefined;
    /** Whether it is in the trash. */
    inTrash?: boolean | undefined;
    /** The batch that last moved it to the trash. */
    lastBatchID?: string | null | undefined;
    /** It was deleted for good. */
    deleted?: true | undefined;
    /** The code of the operation (docs/interface.md#diffs). */
    op: number;
    /** The changed fields as they were, or all of them; empty where it was made. */
    before: {
      id?: string | undefined;
      /** The work to do, in a line. */
      title?: string | undefined;
      /** All else about it. */
      description?: string | undefined;
      /** 0 Available, 1 InProgress, 2 Blocked, 3 Completed. */
      status?: number | undefined;
      /** When it should be completed; null for no time. The last second of a day in UTC stands for that day. */
      dueDate?: string | null | undefined;
      /** Reserved; 0. */
      type?: number | undefined;
      /** Words to find it by. */
      tags?: string[] | undefined;
      /** How urgent it is, by the order of its users; 0 to 1,000,000. */
      priority?: number | undefined;
      /** Links do not block it. */
      independent?: boolean | undefined;
      /** How much work it is, in the unit of its users; 0 to 1,000,000. */
      volume?: number | undefined;
      /** Starts at 1 and grows by one with each change. */
      version?: number | undefined;
      /** The people who do it, as users name them. */
      assignee?: string[] | undefined;
      /** When it was made. */
      createdTime?: string | undefined;
      /** When it last changed. */
      lastEditedTime?: string | undefined;
      /** The name of its owner. */
      ownerUsername?: string | undefined;
      /** The e-mail of its owner. */
      ownerEmail?: string | undefined;
      /** A position, for clients that draw. */
      x?: number | undefined;
      /** A position, for clients that draw. */
      y?: number | undefined;
      /** A position, for clients that draw. */
      z?: number | undefined;
      /** For clients that draw: whether it stays where it is. */
      pinned?: boolean | undefined;
      /** For clients that draw: whether what is below it is folded away. */
      collapsed?: boolean | undefined;
      /** Present only for admins, and for readers who present it. */
      publicToken?: string | null | undefined;
      /** The end of the publication; null for no end. */
      publicDue?: string | null | undefined;
      /** Whether the publication includes the branch. */
      publicBranch?: boolean | undefined;
      /** The reader's own level: 0 owner, 1 admin, 2 editor, 3 viewer. Not in pushes. */
      access?: number | undefined;
      /** The share roots of the branches that contain it, as far as they are visible to the reader. */
      shareRoots?: string[] | undefined;
      /** Whether it is in the trash. */
      inTrash?: boolean | undefined;
      /** The batch that last moved it to the trash. */
      lastBatchID?: string | null | undefined;
      /** It was deleted for good. */
      deleted?: true | undefined;
    };
    /** The changed fields as they are, or all of them; empty where a grant ended. */
    after: {
      id?: string | undefined;
      /** The work to do, in a line. */
      title?: string | undefined;
      /** All else about it. */
      description?: string | undefined;
      /** 0 Available, 1 InProgress, 2 Blocked, 3 Completed. */
      status?: number | undefined;
      /** When it should be completed; null for no time. The last second of a day in UTC stands for that day. */
      dueDate?: string | null | undefined;
      /** Reserved; 0. */
      type?: number | undefined;
      /** Words to find it by. */
      tags?: string[] | undefined;
      /** How urgent it is, by the order of its users; 0 to 1,000,000. */
      priority?: number | undefined;
      /** Links do not block it. */
      independent?: boolean | undefined;
      /** How much work it is, in the unit of its users; 0 to 1,000,000. */
      volume?: number | undefined;
      /** Starts at 1 and grows by one with each change. */
      version?: number | undefined;
      /** The people who do it, as users name them. */
      assignee?: string[] | undefined;
      /** When it was made. */
      createdTime?: string | undefined;
      /** When it last changed. */
      lastEditedTime?: string | undefined;
      /** The name of its owner. */
      ownerUsername?: string | undefined;
      /** The e-mail of its owner. */
      ownerEmail?: string | undefined;
      /** A position, for clients that draw. */
      x?: number | undefined;
      /** A position, for clients that draw. */
      y?: number | undefined;
      /** A position, for clients that draw. */
      z?: number | undefined;
      /** For clients that draw: whether it stays where it is. */
      pinned?: boolean | undefined;
      /** For clients that draw: whether what is below it is folded away. */
      collapsed?: boolean | undefined;
      /** Present only for admins, and for readers who present it. */
      publicToken?: string | null | undefined;
      /** The end of the publication; null for no end. */
      publicDue?: string | null | undefined;
      /** Whether the publication includes the branch. */
      publicBranch?: boolean | undefined;
      /** The reader's own level: 0 owner, 1 admin, 2 editor, 3 viewer. Not in pushes. */
      access?: number | undefined;
      /** The share roots of the branches that contain it, as far as they are visible to the reader. */
      shareRoots?: string[] | undefined;
      /** Whether it is in the trash. */
      inTrash?: boolean | undefined;
      /** The batch that last moved it to the trash. */
      lastBatchID?: string | null | undefined;
      /** It was deleted for good. */
      deleted?: true | undefined;
    };
  }[];
  links: {
    id?: string | undefined;
    /** The node that it leads from: the child. */
    source?: string | undefined;
    /** The node that it leads to: the parent. */
    target?: string | undefined;
    /** 0 primary: the source blocks the target. 1 secondary: it does not. */
    type?: number | undefined;
    /** Starts at 1 and grows by one with each change. */
    version?: number | undefined;
    /** Whether it has ever blocked its target. */
    wasBlocker?: boolean | undefined;
    /** Visible only to its owner. */
    private?: boolean | undefined;
    /** Whether it is in the trash. */
    inTrash?: boolean | undefined;
    /** The batch that last moved it to the trash. */
    lastBatchID?: string | null | undefined;
    /** The share roots that both ends have. */
    shareRoots?: string[] | undefined;
    /** When it was made. */
    createdTime?: string | undefined;
    /** When it last changed. */
    lastEditedTime?: string | undefined;
    /** It was deleted for good. */
    deleted?: true | undefined;
    /** The code of the operation (docs/interface.md#diffs). */
    op: number;
    /** The changed fields as they were, or all of them; empty where it was made. */
    before: {
      id?: string | undefined;
      /** The node that it leads from: the child. */
      source?: string | undefined;
      /** The node that it leads to: the parent. */
      target?: string | undefined;
      /** 0 primary: the source blocks the target. 1 secondary: it does not. */
      type?: number | undefined;
      /** Starts at 1 and grows by one with each change. */
      version?: number | undefined;
      /** Whether it has ever blocked its target. */
      wasBlocker?: boolean | undefined;
      /** Visible only to its owner. */
      private?: boolean | undefined;
      /** Whether it is in the trash. */
      inTrash?: boolean | undefined;
      /** The batch that last moved it to the trash. */
      lastBatchID?: string | null | undefined;
      /** The share roots that both ends have. */
      shareRoots?: string[] | undefined;
      /** When it was made. */
      createdTime?: string | undefined;
      /** When it last changed. */
      lastEditedTime?: string | undefined;
      /** It was deleted for good. */
      deleted?: true | undefined;
    };
    /** The changed fields as they are, or all of them; empty where a grant ended. */
    after: {
      id?: string | undefined;
      /** The node that it leads from: the child. */
      source?: string | undefined;
      /** The node that it leads to: the parent. */
      target?: string | undefined;
      /** 0 primary: the source blocks the target. 1 secondary: it does not. */
      type?: number | undefined;
      /** Starts at 1 and grows by one with each change. */
      version?: number | undefined;
      /** Whether it has ever blocked its target. */
      wasBlocker?: boolean | undefined;
      /** Visible only to its owner. */
      private?: boolean | undefined;
      /** Whether it is in the trash. */
      inTrash?: boolean | undefined;
      /** The batch that last moved it to the trash. */
      lastBatchID?: string | null | undefined;
      /** The share roots that both ends have. */
      shareRoots?: string[] | undefined;
      /** When it was made. */
      createdTime?: string | undefined;
      /** When it last changed. */
      lastEditedTime?: string | undefined;
      /** It was deleted for good. */
      deleted?: true | undefined;
    };
  }[];
  access?: {
    /** The node's id. */
    id?: string | undefined;
    /** The grantee's e-mail, case-folded. */
    email?: string | undefined;
    /** 1 admin, 2 editor, 3 viewer. */
    level?: number | undefined;
    /** When it ends; null for never. */
    due?: string | null | undefined;
    /** Whether it takes in all that is below the node. */
    branch?: boolean | undefined;
    /** 1 at first, one more with each change. */
    version?: number | undefined;
    /** The code of the operation (docs/interface.md#diffs). */
    op: number;
    /** The changed fields as they were, or all of them; empty where it was made. */
    before: {
      /** The node's id. */
      id?: string | undefined;
      /** The grantee's e-mail, case-folded. */
      email?: string | undefined;
      /** 1 admin, 2 editor, 3 viewer. */
      level?: number | undefined;
      /** When it ends; null for never. */
      due?: string | null | undefined;
      /** Whether it takes in all that is below the node. */
      branch?: boolean | undefined;
      /** 1 at first, one more with each change. */
      version?: number | undefined;
    };
    /** The changed fields as they are, or all of them; empty where a grant ended. */
    after: {
      /** The node's id. */
      id?: string | undefined;
      /** The grantee's e-mail, case-folded. */
      email?: string | undefined;
      /** 1 admin, 2 editor, 3 viewer. */
      level?: number | undefined;
      /** When it ends; null for never. */
      due?: string | null | undefined;
      /** Whether it takes in all that is below the node. */
      branch?: boolean | undefined;
      /** 1 at first, one more with each change. */
      version?: number | undefined;
    };
  }[] | undefined;
  /** Always empty. */
  user: never[];
  /** Links that stay in the trash though their node came back. */
  skipped?: string[] | undefined;
  /** The diff was longer than 64 MB: its lists are empty. */
  truncated?: true | undefined;
};

export type Session = {
  id: string;
  createdTime: string;
  expires: string;
  /** When it last opened a request or a connection, right to a minute. */
  lastUsed: string | null;
  /** Whether it is the one that asks. */
  current: boolean;
};

export type Sessions = {
  ok: true;
  sessions: Session[];
  /** Leads to the service's log lines. */
  trace_id: string;
};

/** The e-mails that would gain or lose sight of nodes, by grants that the caller could list. */
export type Sight = {
  /** E-mails that would come to see a node. */
  gained: string[];
  /** E-mails that would cease to see a node. */
  lost: string[];
  /** A list would be longer than 100. */
  truncated?: true | undefined;
};

export type SignedIn = {
  ok: true;
  /** A token for everything that takes one. */
  session: string;
  expires: string;
  user: {
    id: string;
    email: string;
    username: string;
  };
  /** Leads to the service's log lines. */
  trace_id: string;
};

/** The part of a batch that concerns a feed. */
export type Slice = {
  /** `user:<id>`, `root:<node>` or `node:<node>`. */
  feed: string;
  /** Counts up by one within a feed. */
  seq: number;
  /** The batch of history; null where nothing changed. */
  batchId: string | null;
  actor: Actor;
  /** When it was committed. */
  ts: string;
  nodes: NodeEntry[];
  links: LinkEntry[];
  access: GrantEntry[];
  /** Always empty. */
  user: never[];
  skipped?: string[] | undefined;
  /** The ids that came to the feed without an entry that says so. */
  joined?: Ids | undefined;
  /** The ids that left the feed without an entry that says so. */
  left?: Ids | undefined;
  /** Too much joined or left to be named: ask `changes:get`. */
  reset?: true | undefined;
};

/** A link as pages of the trash show it. */
export type TrashLink = {
  id: string;
  /** The node that it leads from: the child. */
  source: string;
  /** The node that it leads to: the parent. */
  target: string;
  /** 0 primary: the source blocks the target. 1 secondary: it does not. */
  type: number;
  /** Starts at 1 and grows by one with each change. */
  version: number;
  /** Whether it is in the trash. */
  inTrash: boolean;
  /** The batch that last moved it to the trash. */
  lastBatchID?: string | null | undefined;
  /** Visible only to its owner. */
  private: boolean;
};

/** A node as pages of the trash show it. */
export type TrashNode = {
  id: string;
  /** The work to do, in a line. */
  title: string;
  /** 0 Available, 1 InProgress, 2 Blocked, 3 Completed. */
  status: number;
  /** Whether it is in the trash. */
  inTrash: boolean;
  /** The batch that last moved it to the trash. */
  lastBatchID?: string | null | undefined;
  /** Starts at 1 and grows by one with each change. */
  version: number;
  /** When it last changed. */
  lastEditedTime: string;
  /** The name of its owner. */
  ownerUsername?: string | undefined;
  /** The e-mail of its owner. */
  ownerEmail?: string | undefined;
};

/** A page of the trash: nodes and links together, newest first. */
export type TrashPage = {
  ok: true;
  /** Whether there is more after this page. */
  hasMore: boolean;
  /** Not all that the caller may restore was looked at. */
  truncated?: true | undefined;
  nodes: TrashNode[];
  links: TrashLink[];
  /** Leads to the service's log lines. */
  trace_id: string;
};

export type Undone = {
  ok: true;
  /** The new batch, which can be undone itself; null for a dry run. */
  batchId: string | null;
  diff: RevertedDiff;
  /** The numbers that the change has in the caller's own feeds, by feed. */
  feeds: Record<string, number>;
  /** It was only decided: nothing is stored, numbered or pushed. */
  dryRun?: true | undefined;
  /** Of a dry run: who would gain or lose sight. */
  sight?: Sight | undefined;
  /** The batch that was undone. */
  undoOf: string;
  /** Leads to the service's log lines. */
  trace_id: string;
};

export type Unpublished = {
  /** `user:<id>`, `root:<node>` or `node:<node>`. */
  feed: string;
};

/** A user as administrators see them. */
export type User = {
  id: string;
  email: string;
  username: string;
  /** Whether they are an administrator. */
  admin: boolean;
  disabled: boolean;
  createdTime: string;
};

export type Users = {
  ok: true;
  users: User[];
  hasMore: boolean;
  /** The `after` of the next page; null at the end. */
  next: string | null;
  /** Leads to the service's log lines. */
  trace_id: string;
};

/** A way in which somebody sees a node. */
export type Way = {
  level: number;
  /** As its owner, by a grant on it, by one on a branch that it belongs to, since it hangs in their own tree, or by a public token. */
  by: 'owner' | 'grant' | 'branch' | 'tree' | 'publication';
  /** The node by which it is seen: itself, the root of the branch, or the nearest of their own. */
  root: string;
  /** When the grant or publication ends. */
  due: string | null;
  /** The nodes from it up to the root; null for a run that the caller does not see. */
  path: (string | null)[];
  /** With `all` alone: whose way it is; null for who has the public token. */
  email?: string | null | undefined;
};

/** The reasons for which a node waits, and the ways in which it is seen. */
export type Why = {
  ok: true;
  /** The nodes in sight that block it, one for each link, by the id of the link; at most 500. */
  blockedBy: Blocker[];
  /** The nodes to complete first: open ones that wait for nothing, nearest first; at most 100. */
  workable: string[];
  /** The ways in which the caller sees it, or with `all` everybody; at most 200. */
  access: Way[];
  /** It also waits for something that the caller does not see. */
  hidden?: true | undefined;
  /** A list or a path is longer than it is told, or it waits for more than 20,000 nodes. */
  truncated?: true | undefined;
  /** Leads to the service's log lines. */
  trace_id: string;
};

/** Each call by its event: its payload over a socket, and its answer. */
export type CallTypes = {
  'node:add': {
    payload: {
      /** The parent of the new node. */
      target?: string | undefined;
      /** The work to do, in a line. */
      title?: string | undefined;
      /** All else about it. */
      description?: string | undefined;
      /** 0 Available, 1 InProgress or 3 Completed. Nobody sets 2, Blocked, by hand. */
      status?: number | undefined;
      /** Null clears it. The last second of a day in UTC, such as 2026-12-24T23:59:59Z, stands for that day. */
      dueDate?: string | null | undefined;
      /** Words to find it by. */
      tags?: string[] | undefined;
      /** How urgent it is, by the order of its users. */
      priority?: number | undefined;
      /** Whether links do not block it. */
      independent?: boolean | undefined;
      /** How much work it is, in the unit of its users. */
      volume?: number | undefined;
      /** The people who do it, as users name them. */
      assignee?: string[] | undefined;
      /** For clients that draw: whether it stays where it is. */
      pinned?: boolean | undefined;
      /** For clients that draw: whether what is below it is folded away. */
      collapsed?: boolean | undefined;
      /** A position, for clients that draw. */
      x?: number | undefined;
      /** A position, for clients that draw. */
      y?: number | undefined;
      /** A position, for clients that draw. */
      z?: number | undefined;
    };
    answer: Changed;
  };
  'node:update': {
    payload: {
      /** The node or link that it is about. */
      id: string;
      /** The version that the call was made for: a stale one is refused as `version_conflict`. */
      version?: number | undefined;
      /** The work to do, in a line. */
      title?: string | undefined;
      /** All else about it. */
      description?: string | undefined;
      /** 0 Available, 1 InProgress or 3 Completed. Nobody sets 2, Blocked, by hand. */
      status?: number | undefined;
      /** Null clears it. The last second of a day in UTC, such as 2026-12-24T23:59:59Z, stands for that day. */
      dueDate?: string | null | undefined;
      /** Words to find it by. */
      tags?: string[] | undefined;
      /** How urgent it is, by the order of its users. */
      priority?: number | undefined;
      /** Whether links do not block it. */
      independent?: boolean | undefined;
      /** How much work it is, in the unit of its users. */
      volume?: number | undefined;
      /** The people who do it, as users name them. */
      assignee?: string[] | undefined;
      /** For clients that draw: whether it stays where it is. */
      pinned?: boolean | undefined;
      /** For clients that draw: whether what is below it is folded away. */
      collapsed?: boolean | undefined;
      /** A position, for clients that draw. */
      x?: number | undefined;
      /** A position, for clients that draw. */
      y?: number | undefined;
      /** A position, for clients that draw. */
      z?: number | undefined;
    };
    answer: Changed;
  };
  'node:trash': {
    payload: {
      /** The node or link that it is about. */
      id: string;
      /** The version that the call was made for: a stale one is refused as `version_conflict`. */
      version?: number | undefined;
    };
    answer: Changed;
  };
  'node:restore': {
    payload: {
      /** The node or link that it is about. */
      id: string;
      /** The version that the call was made for: a stale one is refused as `version_conflict`. */
      version?: number | undefined;
    };
    answer: Changed;
  };
  'node:delete': {
    payload: {
      /** The node or link that it is about. */
      id: string;
      /** The version that the call was made for: a stale one is refused as `version_conflict`. */
      version?: number | undefined;
    };
    answer: Changed;
  };
  'node:access': {
    payload: {
      /** The node's id. */
      id: string;
      /** The grantee's e-mail. */
      email: string;
      /** The version that the call was made for: a stale one is refused as `version_conflict`. */
      version?: number | undefined;
      /** 1 admin, 2 editor, 3 viewer. */
      level?: number | undefined;
      /** When it ends; null for never. */
      due?: string | null | undefined;
      /** Whether it takes in all that is below the node. */
      branch?: boolean | undefined;
    };
    answer: Changed;
  };
  'node:access:update': {
    payload: {
      /** The node's id. */
      id: string;
      /** The grantee's e-mail. */
      email: string;
      /** The version that the call was made for: a stale one is refused as `version_conflict`. */
      version?: number | undefined;
      /** 1 admin, 2 editor, 3 viewer. */
      level?: number | undefined;
      /** When it ends; null for never. */
      due?: string | null | undefined;
      /** Whether it takes in all that is below the node. */
      branch?: boolean | undefined;
    };
    answer: Changed;
  };
  'node:access:delete': {
    payload: {
      /** The node's id. */
      id: string;
      /** The grantee's e-mail. */
      email: string;
      /** The version that the call was made for: a stale one is refused as `version_conflict`. */
      version?: number | undefined;
    };
    answer: Changed;
  };
  'node:access:list': {
    payload: {
      /** The node's id. */
      id: string;
      /** The `next` of the page before: an e-mail. */
      after?: string | undefined;
    };
    answer: Grants;
  };
  'node:showing': {
    payload: {
      /** The node's id. */
      id: string;
      /** Whether its nodes show in the graph and in pushes of the caller. */
      showing: boolean;
    };
    answer: Changed;
  };
  'node:publish': {
    payload: {
      /** The node or link that it is about. */
      id: string;
      /** The version that the call was made for: a stale one is refused as `version_conflict`. */
      version?: number | undefined;
      /** When it ends; null for never. */
      due?: string | null | undefined;
      /** Whether it takes in all that is below the node. */
      branch?: boolean | undefined;
    };
    answer: Changed;
  };
  'node:publish:update': {
    payload: {
      /** The node or link that it is about. */
      id: string;
      /** The version that the call was made for: a stale one is refused as `version_conflict`. */
      version?: number | undefined;
      /** When it ends; null for never. */
      due?: string | null | undefined;
      /** Whether it takes in all that is below the node. */
      branch?: boolean | undefined;
    };
    answer: Changed;
  };
  'node:unpublish': {
    payload: {
      /** The node or link that it is about. */
      id: string;
      /** The version that the call was made for: a stale one is refused as `version_conflict`. */
      version?: number | undefined;
    };
    answer: Changed;
  };
  'link:add': {
    payload: {
      /** The node that it leads from. */
      source: string;
      /** The node that it leads to. */
      target: string;
      /** Whether it blocks: 0 primary, 1 secondary. */
      type?: number | undefined;
      /** Whether only its owner sees it. */
      private?: boolean | undefined;
    };
    answer: Changed;
  };
  'link:update': {
    payload: {
      /** The node or link that it is about. */
      id: string;
      /** The version that the call was made for: a stale one is refused as `version_conflict`. */
      version?: number | undefined;
      /** Whether it blocks: 0 primary, 1 secondary. */
      type?: number | undefined;
      /** Whether only its owner sees it. */
      private?: boolean | undefined;
    };
    answer: Changed;
  };
  'link:swap': {
    payload: {
      /** The node or link that it is about. */
      id: string;
      /** The version that the call was made for: a stale one is refused as `version_conflict`. */
      version?: number | undefined;
    };
    answer: Changed;
  };
  'link:trash': {
    payload: {
      /** The node or link that it is about. */
      id: string;
      /** The version that the call was made for: a stale one is refused as `version_conflict`. */
      version?: number | undefined;
    };
    answer: Changed;
  };
  'link:restore': {
    payload: {
      /** The node or link that it is about. */
      id: string;
      /** The version that the call was made for: a stale one is refused as `version_conflict`. */
      version?: number | undefined;
    };
    answer: Changed;
  };
  'link:delete': {
    payload: {
      /** The node or link that it is about. */
      id: string;
      /** The version that the call was made for: a stale one is refused as `version_conflict`. */
      version?: number | undefined;
    };
    answer: Changed;
  };
  'batch:undo': {
    payload: {
      /** The batch of history. */
      batchId: string;
    };
    answer: Undone;
  };
  'batch:redo': {
    payload: {
      /** The batch of history. */
      batchId: string;
    };
    answer: Redone;
  };
  'batch:run': {
    payload: {
      /** In the order in which they are done. */
      operations: {
        /** The event of a mutation, other than those on batches. */
        event: 'node:add' | 'node:update' | 'node:trash' | 'node:restore' | 'node:delete' | 'node:access' | 'node:access:update' | 'node:access:delete' | 'node:showing' | 'node:publish' | 'node:publish:update' | 'node:unpublish' | 'link:add' | 'link:update' | 'link:swap' | 'link:trash' | 'link:restore' | 'link:delete';
        /** The payload of the event. In the place of an id, `$name` stands for that of an earlier operation. */
        payload?: unknown | undefined;
        /** A name for what `node:add` or `link:add` brings, once in a batch: `$name` is its id, and `$name.link` that of the link to the `target` of `node:add`. */
        as?: string | undefined;
      }[];
    };
    answer: Ran;
  };
  'graph:get': {
    payload: {
      /** The most entities of the page. */
      limit?: number | undefined;
      /** How many come before the page. It counts what has come, not what was asked for. */
      offset?: number | undefined;
      /** The `next` of the page before; a walk by it misses nothing while others write. */
      after?: string | undefined;
    };
    answer: GraphPage;
  };
  'branch:get': {
    payload: {
      /** A public token, or the id of a node. */
      root?: string | undefined;
      /** The most entities of the page. */
      limit?: number | undefined;
      /** How many come before the page. It counts what has come, not what was asked for. */
      offset?: number | undefined;
      /** The `next` of the page before; a walk by it misses nothing while others write. */
      after?: string | undefined;
    };
    answer: GraphPage;
  };
  'trash:page': {
    payload: {
      /** The most entities of the page. */
      limit?: number | undefined;
      /** How many come before the page. It counts what has come, not what was asked for. */
      offset?: number | undefined;
    };
    answer: TrashPage;
  };
  'history:page': {
    payload: {
      /** GRAPH, NODE, LINK or USER. */
      scopeType: string;
      /** The node's or link's id; of GRAPH and USER also the caller's own. */
      scopeId: string;
      /** The most entities of the page. */
      limit?: number | undefined;
      /** How many come before the page. It counts what has come, not what was asked for. */
      offset?: number | undefined;
    };
    answer: HistoryPage;
  };
  'changes:get': {
    payload: {
      /** The `position` of an earlier answer. */
      since: string;
      /** Numbers of feeds up to which the caller lacks nothing: the answer begins after them where they are later than the position. */
      heard?: {
        feed: string;
        seq: number;
      }[] | undefined;
      /** The `next` of the page before; `since` and `heard` stay the same. */
      cursor?: string | undefined;
    };
    answer: Changes;
  };
  'graph:plan': {
    payload: {
      /** The root of a branch; without it the caller's own graph is planned. */
      root?: string | undefined;
      /** When the plan begins. With `unit` alone. */
      start?: string | undefined;
      /** How long a unit of `volume` lasts. With `start` alone. */
      unit?: 'minute' | 'hour' | 'day' | 'week' | undefined;
      /** A node that is not completed, and how many units longer it takes: `{id, by}`, or `ID:BY` in a query. */
      slip?: {
        id: string;
        by: number;
      } | string | undefined;
      /** The most nodes of the page. */
      limit?: number | undefined;
      /** The `next` of the page before. */
      after?: string | undefined;
    };
    answer: Plan;
  };
  'node:why': {
    payload: {
      /** The node's id. */
      id: string;
      /** Everybody's ways, each with its e-mail; for admins and the owner. */
      all?: boolean | undefined;
    };
    answer: Why;
  };
};

/** Each push by its event. */
export type PushTypes = {
  'connected': Connected;
  'graph:diff': GraphDiff;
  'access:changed': AccessChanged;
  'feeds:heads': FeedsHeads;
  'unpublished': Unpublished;
  'rate_limited': RateLimited;
  'request_error': RequestError;
  'closing': Closing;
};

/** The calls that change nothing. */
export const READS = [
  'node:access:list',
  'graph:get',
  'branch:get',
  'trash:page',
  'history:page',
  'changes:get',
  'graph:plan',
  'node:why',
] as const;
