// The scopes of API tokens: each is a set of calls that a token may make. They never change what an
// answer shows. Rules: SCOPE1, SCOPE2.
import { type Refusal, refuse } from './errors.ts';

/** In the order of answers and documents. */
export const SCOPES = ['read', 'edit', 'link', 'trash', 'share', 'delete', 'hooks'] as const;
export type Scope = (typeof SCOPES)[number];

/** The scopes of a token; null for all, which includes those of later releases. */
export type TokenScopes = readonly Scope[] | null;

/** What each scope allows, for documents and clients. */
export const SCOPE_MEANINGS: Readonly<Record<Scope, string>> = {
  read: 'read, connect a socket, and make dry runs',
  edit: 'add nodes and change their fields',
  link: 'add, change and swap links, which can make nodes visible to others',
  trash: 'move nodes and links to the trash, and restore them, which can make nodes visible to others',
  share: 'change grants and publications',
  delete: 'delete nodes and links permanently',
  hooks: 'manage webhooks, which also needs `read`',
};

/** The scopes of a stored or resolved token. Names of a later release mean nothing here. */
export function scopesOf({ readOnly, scopes }: { readonly readOnly: boolean; readonly scopes?: unknown }): TokenScopes {
  if (Array.isArray(scopes)) return SCOPES.filter((scope) => scopes.includes(scope));
  return readOnly ? ['read'] : null;
}

/** Whether a token reads and does nothing else. */
export function isReadOnly(scopes: TokenScopes): boolean {
  return scopes !== null && scopes.length === 1 && scopes[0] === 'read';
}

/** The scopes of calls that change the graph, one of which an undo or redo needs. */
export const CHANGE_SCOPES: readonly Scope[] = ['edit', 'link', 'trash', 'share', 'delete'];

/** Whether a token may make some call that changes the graph. */
export function mayChange(scopes: TokenScopes): boolean {
  return scopes === null || scopes.some((scope) => CHANGE_SCOPES.includes(scope));
}

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}

/** Refuses a call that needs scopes which the token does not have. */
export function refuseMissingScopes(needed: readonly Scope[], scopes: TokenScopes): Refusal | null {
  const missing = scopes === null ? [] : needed.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return null;
  // Clients of earlier releases know this code.
  if (isReadOnly(scopes)) return refuse('forbidden.read_only', 'This token is read-only.', { missing });
  return refuse('forbidden.scope', `This token does not have the scope: ${missing.join(', ')}.`, { missing });
}
