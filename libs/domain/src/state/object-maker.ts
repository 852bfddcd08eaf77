// Compiles functions that build objects from a table of fields. Pages and loads build thousands of
// objects, and a loop over names would be many times slower and give objects that are slow to read.

/** The source of a field: a parameter, or a property or item of one, perhaps with a fallback. */
const SOURCE = /^[a-z]\w*(\.[a-zA-Z]\w*|\[\d+\])?( \?\? [a-z]\w*(\.[a-zA-Z]\w*)?)?$/;
const NAME = /^[a-zA-Z]\w*$/;

/**
 * A function of these parameters that returns an object with the named fields in this order, as
 * fast as a literal. Names and sources come from the tables of fields; others throw.
 */
export function compileMaker<Maker extends (...values: never[]) => object>(
  parameters: readonly string[],
  fields: readonly (readonly [name: string, source: string])[],
): Maker {
  const wrong = fields.find(([name, source]) => !NAME.test(name) || !SOURCE.test(source));
  if (wrong !== undefined) throw new Error(`${wrong.join(': ')} is not a field`);
  const literal = fields.map(([name, source]) => `${name}: ${source}`).join(', ');
  return new Function(...parameters, `return { ${literal} };`) as Maker;
}

/**
 * A function that lists the values of some fields of an entity, and all items of its list fields.
 */
export function compileLister<Entity, Item>(
  fields: readonly string[],
  lists: readonly string[],
): (entity: Entity) => Item[] {
  const wrong = [...fields, ...lists].find((name) => !NAME.test(name));
  if (wrong !== undefined) throw new Error(`${wrong} is not a field`);
  const items = [...fields.map((name) => `entity.${name}`), ...lists.map((name) => `...entity.${name}`)];
  return new Function('entity', `return [${items.join(', ')}];`) as (entity: Entity) => Item[];
}
