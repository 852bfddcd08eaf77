// Compiles functions that build objects from a table of fields. Pages and loads build thousands of
// objects: a loop over names would take many times as long, and its objects would be slow to read.

/** The source of a field: a parameter, or a property or an item of one, and the same or null where that has no value. */
const SOURCE = /^[a-z]\w*(\.[a-zA-Z]\w*|\[\d+\])?( \?\? [a-z]\w*(\.[a-zA-Z]\w*)?)?$/;
const NAME = /^[a-zA-Z]\w*$/;

/**
 * A function of these parameters whose result has the named fields in this order, like a literal written out by hand. Names and
 * sources come from our own tables; anything else throws.
 */
export function compileMaker<Maker extends (...values: never[]) => object>(
  parameters: readonly string[],
  fields: readonly (readonly [name: string, source: string])[],
): Maker {
  const wrong = fields.find(([name, source]) => !NAME.test(name) || !SOURCE.test(source));
  if (wrong !== undefined) throw new Error(`${wrong.join(': ')} is no field`);
  const literal = fields.map(([name, source]) => `${name}: ${source}`).join(', ');
  return new Function(...parameters, `return { ${literal} };`) as Maker;
}

/** A function of an entity that lists the values of some fields, and all items of other fields, which are lists. */
export function compileLister<Entity, Item>(
  fields: readonly string[],
  lists: readonly string[],
): (entity: Entity) => Item[] {
  const wrong = [...fields, ...lists].find((name) => !NAME.test(name));
  if (wrong !== undefined) throw new Error(`${wrong} is no field`);
  const items = [...fields.map((name) => `entity.${name}`), ...lists.map((name) => `...entity.${name}`)];
  return new Function('entity', `return [${items.join(', ')}];`) as (entity: Entity) => Item[];
}
