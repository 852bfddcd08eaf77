// A random step, before and after it became a command.
import type { ModelState, ModelUser } from '../state.ts';

export interface Step {
  readonly kind: string;
  /** Which user; mostly one who may do it is taken instead. */
  readonly by: number;
  /** Numbers that pick entities, fields and values. */
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly flag: boolean;
  readonly other: boolean;
}

/** A command that a step became, or a wait that moves the clock. */
export type Drawn = { readonly kind: 'wait'; readonly ms: number } | DrawnCommand;

export interface DrawnCommand {
  readonly kind: 'command';
  readonly actor: ModelUser;
  readonly event: string;
  readonly payload: Record<string, unknown>;
  readonly key: string | null;
}

/** The input of drawing besides the state. */
export interface Drawing {
  readonly state: ModelState;
  readonly users: readonly ModelUser[];
  readonly now: string;
  /** Ids of nodes and links that are gone, which clients may still ask for. */
  readonly ghosts: readonly string[];
  /** Commands that were sent with a key. */
  readonly keyed: readonly DrawnCommand[];
  /** Whether some of the commands become composites of several operations. */
  readonly composites?: boolean;
  /** A number that no other step has: it makes texts unique, so that they can be found again wherever they turn up. */
  readonly serial: number;
}
