// The REST routes: those of accounts, and those made from the catalog.
import { catalog } from '@taskgraph/commands/catalog';
import type { RestRoute } from '@taskgraph/wire/calls/call';
import type { AccountRoute } from '../accounts/route.ts';
import type { Definition } from '../calls/dispatch.ts';

/** The calls of REST. */
export type Routable = Definition | AccountRoute;

/** The methods of a path: a definition for each method. */
export type Methods = ReadonlyMap<string, Routable>;

/** Paths and their methods. Throws where two definitions claim one route: that is a bug of a table. */
export function routesOf(accounts: readonly AccountRoute[]): ReadonlyMap<string, Methods> {
  const routes = new Map<string, Map<string, Routable>>();
  for (const definition of [...accounts, ...catalog]) {
    const { method, path, alsoPost }: RestRoute = definition.rest;
    const methods = routes.get(path) ?? new Map<string, Routable>();
    for (const each of alsoPost ? [method, 'POST'] : [method]) {
      if (methods.has(each)) throw new Error(`${each} ${path} is claimed by two definitions`);
      methods.set(each, definition);
    }
    routes.set(path, methods);
  }
  return routes;
}
