// Optional fields of an object. With `exactOptionalPropertyTypes` a missing field differs from an
// undefined one, as it does for JSON readers of our messages.

/** The fields of `fields` that are not undefined. Spread it: `{ id, ...definedFields({ name }) }`. */
export function definedFields<Fields extends object>(fields: Fields): DefinedFields<Fields> {
  const defined: Partial<Fields> = {};
  for (const name in fields) if (fields[name] !== undefined) defined[name] = fields[name];
  return defined as DefinedFields<Fields>;
}

type DefinedFields<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
