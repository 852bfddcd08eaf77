// The type of texts in another language: the names and the arguments are those of the English ones, so a
// missing text is an error of types. Rule: CON36.

export type Translation<T> = T extends string
  ? string
  : T extends (...parameters: infer P) => infer R
    ? (...parameters: P) => Translation<R>
    : { readonly [K in keyof T]: Translation<T[K]> };
