// The plan of the attack process: the gateways, and the users and trees of each attack. It is sent
// to the process as one message.

/** A user of the stack with an API token. */
export interface SiegeUser {
  readonly email: string;
  readonly token: string;
}

/** A user who owns a tree with this root. */
export interface TreeOwner extends SiegeUser {
  readonly root: string;
}

/** An owner's shared branch, and a user whose grant on it is repeatedly given and revoked. */
export interface GrantCycle {
  readonly owner: SiegeUser;
  readonly branch: string;
  readonly grantee: SiegeUser;
}

export interface Plan {
  /** The gateways' base URLs. */
  readonly urls: readonly string[];
  readonly grantCycles: readonly GrantCycle[];
  /** Owners of trees of tens of thousands of nodes. */
  readonly largeTreeOwners: readonly TreeOwner[];
  /** Owners of 900 nodes of 80 KB each. */
  readonly largeNodeOwners: readonly TreeOwner[];
  /** Users without data, for all other attacks. */
  readonly plainUsers: readonly SiegeUser[];
  /** One user for each heavy-work attack. */
  readonly heavyUsers: readonly SiegeUser[];
  /** Users with webhooks. */
  readonly hookUsers: readonly SiegeUser[];
  /** E-mails of the baseline clients' users. */
  readonly targetEmails: readonly string[];
}

/** The counts of one attack: answers by status or code, and violations. */
export interface Tally {
  readonly counts: Record<string, number>;
  readonly breaches: string[];
}

export type Tallies = Record<string, Tally>;
