// The instructions of the besiegers: where the gateways are, who plays which part, and on what. It travels to their process as one message.

/** A user of the stack with an API token. */
export interface Player {
  readonly email: string;
  readonly token: string;
}

/** A user who owns a tree; `root` is its top. */
export interface TreeOwner extends Player {
  readonly root: string;
}

/** An honest owner, whose branch honest viewers read, and a stranger who is let in and put out again all the time. */
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
  /** Users with nothing of their own, for all else. */
  readonly nobodies: readonly Player[];
  /** One user for each attack of heavy work. */
  readonly heavy: readonly Player[];
  /** E-mails of honest users, which strangers know. */
  readonly victims: readonly string[];
}

/** The besiegers' counts, by attack: answers by their status or code, and what must never have come. */
export interface Tally {
  readonly counts: Record<string, number>;
  readonly breaches: string[];
}

export type Tallies = Record<string, Tally>;
