// A random step, and the command that it becomes.
import type { ModelState, ModelUser } from '../state.ts';

export interface Step {
  readonly kind: string;
  /** The user; usually a user with the right to the command replaces it. */
  readonly by: number;
  /** Numbers that pick entities, fields and values. */
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly flag: boolean;
  readonly other: boolean;
}

/** The command of a step, or a wait that moves the clock. */
export type DrawnStep = { readonly kind: 'wait'; readonly ms: number } | DrawnCommand;

export interface DrawnCommand {
  readonly kind: 'command';
  readonly actor: ModelUser;
  readonly event: string;
  readonly payload: Record<string, unknown>;
  readonly key: string | null;
}

/** The input of drawing, in addition to the state. */
export interface DrawContext {
  readonly state: ModelState;
  readonly users: readonly ModelUser[];
  readonly now: string;
  /** Ids of deleted nodes and links, which clients may still send. */
  readonly ghosts: readonly string[];
  /** Commands that were sent with an idempotency key. */
  readonly keyed: readonly DrawnCommand[];
  /** Whether some commands become batches of several operations. */
  readonly composites?: boolean;
  /** Whether claims may leave the choice of the node to the service. */
  readonly queues?: boolean;
  /** A unique number for each step. It makes texts unique, so that a search can find them. */
  readonly serial: number;
}
