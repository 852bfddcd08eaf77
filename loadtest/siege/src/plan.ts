// The plan of the attack process: the gateways, and the users and trees of each attack. It is sent
// to the process as one message.

/** A user of the stack with an API token. */
export interface Player {
  readonly email: string;
  readonly token: string;
}

/** A user who owns a tree with this root. */
export interface TreeOwner extends Player {
  readonly root: string;
}

/** An owner's shared branch, and a user whose grant on it is repeatedly given and revoked. */
export interface Intrusion {
  readonly owner: Player;
  readonly branch: string;
  readonly stranger: Player;
}

export interface Plan {
  /** The gateways' base URLs. */
  readonly urls: readonly string[];
  readonly intrusions: readonly Intrusion[];
  /** Owners of trees of tens of thousands of nodes. */
  readonly giants: readonly TreeOwner[];
  /** Owners of 900 nodes of 80 KB each. */
  readonly hoarders: readonly TreeOwner[];
  /** Users without data, for all other attacks. */
  readonly nobodies: readonly Player[];
  /** One user for each heavy-work attack. */
  readonly heavy: readonly Player[];
  /** E-mails of the measured clients' users. */
  readonly victims: readonly string[];
}

/** The counts of one attack: answers by status or code, and violations. */
export interface Tally {
  readonly counts: Record<string, number>;
  readonly breaches: string[];
}

export type Tallies = Record<string, Tally>;
