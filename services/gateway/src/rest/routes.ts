// The table of REST routes: the account routes and the catalog's calls.
import { catalog } from '@taskgraph/commands/catalog';
import type { RestRoute } from '@taskgraph/wire/calls/call';
import type { AccountRoute } from '../accounts/route.ts';
import type { Definition } from '../calls/dispatch.ts';

/** A call with a REST route. */
export type Routable = Definition | AccountRoute;

/** The definitions of a path, by method. */
export type Methods = ReadonlyMap<string, Routable>;

/** The methods of each path. Throws if two definitions have one route, which is a bug. */
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
