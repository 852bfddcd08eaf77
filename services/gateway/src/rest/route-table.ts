// The table of all REST routes. Each route is declared with its operation, in
// `libs/wire/src/operations`.
import { type Operation, routesOf } from '@taskgraph/wire/operations/operation';
import { socketOperations } from '@taskgraph/wire/operations/operations';
import type { AccountRoute } from '../accounts/route.ts';

/** An operation with a REST route. Gateways handle account operations, and workers the others. */
export type Routable = Operation | AccountRoute;

/** The operations of a path, by method. */
export type Methods = ReadonlyMap<string, Routable>;

/** The methods of each path. Throws if two operations have one route, which is a bug. */
export function routeTable(accounts: readonly AccountRoute[]): ReadonlyMap<string, Methods> {
  const routes = new Map<string, Map<string, Routable>>();
  for (const operation of [...accounts, ...socketOperations]) {
    for (const { method, path } of routesOf(operation)) {
      const methods = routes.get(path) ?? new Map<string, Routable>();
      if (methods.has(method)) throw new Error(`${method} ${path} is claimed by two operations`);
      routes.set(path, methods.set(method, operation));
    }
  }
  return routes;
}
