// The declaration of a route of accounts: what it is called with and answers. Routes are for REST alone.
import type { z } from 'zod';
import type { Resource } from '../entities.ts';
import type { ErrorName, RestRoute } from './call.ts';
import type { PushName } from './pushes.ts';

/** The declaration of a route. */
export interface AccountCall {
  /** Its own name, by which limits know it. */
  readonly name: string;
  readonly rest: RestRoute;
  readonly summary: string;
  readonly description: string;
  /** Its callers: everybody, whoever has a token, or a session alone (`forbidden.session_required`). */
  readonly caller: 'anybody' | 'token' | 'session';
  /** Whether it changes something, which read-only tokens may not do, nor pages of others by a cookie. */
  readonly changes: boolean;
  readonly resource: Resource;
  /** The fields; null where somebody else says what comes in the query. */
  readonly payload: z.ZodObject | null;
  /** The whole body where it was done; else a document, or the status of a redirect. */
  readonly answer: z.ZodType | 'document' | 302 | 303;
  /** The codes of its own; `errorsOfRoute` adds those of every route. */
  readonly errors: readonly ErrorName[];
  /** The pushes that it leads to. None does yet: where it ends tokens, their sockets are closed without a word. */
  readonly pushes: readonly PushName[];
  readonly rules: readonly string[];
  readonly example: Readonly<Record<string, unknown>>;
}
