// What decisions want loaded or locked, said before they begin or, by throwing, when they touch it.

/** What a command wants loaded. A hint: whatever `decide` touches beyond it is loaded by another round. */
export interface ReadSet {
  readonly nodes?: readonly string[];
  /** Links by id, with both end nodes. */
  readonly links?: readonly string[];
  /** All links on these nodes, trashed ones included, with the nodes at their other ends. */
  readonly linksOn?: readonly string[];
  /** All active links on these nodes, with the nodes at their other ends. */
  readonly activeOn?: readonly string[];
  /** All links on these nodes that were trashed with a node and whose other end is active, with that and its number of links. */
  readonly returningOn?: readonly string[];
  /** All links, trashed ones included, between two nodes. */
  readonly between?: readonly (readonly [string, string])[];
  /** Active primary links that leave these nodes, with their target nodes. */
  readonly targetsOf?: readonly string[];
  /** All active primary links that reach these nodes, with their source nodes. */
  readonly sourcesOf?: readonly string[];
  /** Some links that block these nodes, with their source nodes: enough to show who blocks. */
  readonly blockersOf?: readonly string[];
  /** All that active primary links reach from these nodes. */
  readonly closuresOf?: readonly string[];
  /** Whether a path of active primary links leads from one node to another; `without` leaves one link out. */
  readonly paths?: readonly { readonly from: string; readonly to: string; readonly without?: string }[];
  /** Nodes whose feeds are wanted, but not the nodes themselves. */
  readonly members?: readonly string[];
  /** Active links on these nodes that are not private, with the nodes at their other ends as far as their feeds tell. */
  readonly neighbours?: readonly string[];
  /** All that belongs below these nodes over conveying links, with its feeds and conveying links, for moves of membership. */
  readonly below?: readonly string[];
  /** Feeds by name. */
  readonly feeds?: readonly string[];
  /** Grants by key. */
  readonly grants?: readonly string[];
  /** What a reader's grants give on a node: the grants on it and on the roots of the branches that it belongs to. */
  readonly access?: readonly Access[];
  /** The same for both ends of a link. */
  readonly linkAccess?: readonly Access[];
  /** How many active links a user has on a node. */
  readonly linksBy?: readonly { readonly node: string; readonly owner: string }[];
  /** All grants on these nodes, with their grantees. */
  readonly grantsOn?: readonly string[];
  /** Grants, by key, whose copies are wanted, and their copies' copies (NODE3). */
  readonly copiesOf?: readonly string[];
  /** How many grants an e-mail has on the nodes of a node's owner. */
  readonly grantsTo?: readonly { readonly node: string; readonly email: string }[];
  /** E-mails whose users are wanted, and whose grants may be written: they are locked. */
  readonly principals?: readonly string[];
  /** E-mails whose users are wanted, and no lock: an e-mail that has a user keeps it. */
  readonly readers?: readonly string[];
  /** Batches by id. */
  readonly batches?: readonly string[];
  /** What was deleted for good, by id: who may know that it was there. */
  readonly deleted?: readonly string[];
  /** Batches that touched an entity after a timestamp, the newest ones, to name who changed it since. */
  readonly laterThan?: readonly { readonly entity: string; readonly ts: string }[];
}

/** A node or link, and a reader whose grants on it are wanted. */
export interface Access {
  readonly id: string;
  readonly readerId: string;
  readonly email: string;
}

/** Thrown by a draft that is asked for something that is not loaded; the group loads it under the same locks and decides again. */
export class NotLoaded extends Error {
  readonly readSet: ReadSet;
  constructor(readSet: ReadSet) {
    super(`not loaded: ${JSON.stringify(readSet)}`);
    this.readSet = readSet;
  }
}

/** Thrown where users turn out to be concerned that the group has not locked: it starts again with them. */
export class NotLocked extends Error {
  readonly users: readonly string[];
  constructor(users: readonly string[]) {
    super(`not locked: ${users.join(', ')}`);
    this.users = users;
  }
}
