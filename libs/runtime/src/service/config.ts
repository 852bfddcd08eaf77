// Self-documenting configuration from the environment: a variable's name, type, default and
// description are declared together.
import type { z } from 'zod';

/** One variable of the environment. */
interface Setting {
  /**
   * Parses the variable's text, so numbers are `z.coerce.number()` and booleans `z.stringbool()`.
   */
  readonly schema: z.ZodType;
  /**
   * The value if the variable is unset. Without a default, the variable is required unless its
   * schema is optional.
   */
  readonly default?: unknown;
  /** One sentence for operators, with units. */
  readonly description: string;
  /** The page of docs/ that says more, perhaps with an anchor. */
  readonly see?: string;
}

type Definition = Record<string, Setting>;

/** The result of `readConfig` for a definition. */
export type ConfigOf<D extends Definition> = { readonly [Name in keyof D]: z.output<D[Name]['schema']> };

type CheckedDefaults<D extends Definition> = { [Name in keyof D]: { default?: z.output<D[Name]['schema']> } };

/** Declares the variables of a service and checks the types of their defaults. */
export function defineConfig<const D extends Definition>(definition: D & CheckedDefaults<D>): D {
  return definition;
}

/**
 * Reads the variables of a definition. An empty variable counts as unset, because shells and
 * compose files unset variables that way. Throws one Error that lists every invalid variable,
 * without values, which may be secret.
 */
export function readConfig<D extends Definition>(definition: D, environment: NodeJS.ProcessEnv): ConfigOf<D> {
  const config: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, setting] of Object.entries(definition)) {
    const text = environment[name] === '' ? undefined : environment[name];
    if (text === undefined && setting.default !== undefined) {
      config[name] = setting.default;
      continue;
    }
    const result = setting.schema.safeParse(text);
    if (result.success) config[name] = result.data;
    else problems.push(problemOf(name, setting, text, result.error));
  }
  if (problems.length > 0) throw new Error(`The configuration is wrong.\n${problems.join('\n')}`);
  return config as ConfigOf<D>;
}

function problemOf(name: string, setting: Setting, text: string | undefined, error: z.ZodError): string {
  if (text === undefined) return `- ${name} is not set, and has no default. ${setting.description}`;
  const reasons = error.issues.map((issue) => issue.message.replaceAll(text, '...')).join('; ');
  return `- ${name} is not valid (${reasons}). ${setting.description}`;
}
