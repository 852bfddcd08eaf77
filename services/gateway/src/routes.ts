// The REST routes, made from the catalog.
import { catalog } from '@taskgraph/commands/catalog';
import type { Definition } from './dispatch.ts';

/** What stands at a path: a definition for each method. */
export type Methods = ReadonlyMap<string, Definition>;

/** Paths and their methods. Throws where two definitions claim one route: that is a bug of the catalog. */
export function routesOf(definitions: readonly Definition[] = catalog): ReadonlyMap<string, Methods> {
  const routes = new Map<string, Map<string, Definition>>();
  for (const definition of definitions) {
    const { method, path, alsoPost } = definition.rest;
    const methods = routes.get(path) ?? new Map<string, Definition>();
    for (const each of alsoPost ? [method, 'POST'] : [method]) {
      if (methods.has(each)) throw new Error(`${each} ${path} is claimed by two definitions`);
      methods.set(each, definition);
    }
    routes.set(path, methods);
  }
  return routes;
}
