// The settings of a service without secrets, for administrators. Rule: ADMIN4.
//
// Only values that cannot be a secret are shown: numbers, booleans and words of a fixed list. A
// setting with free text, such as a URL with a password, is only marked as set: a new setting is
// therefore hidden until its schema says otherwise.
import { z } from 'zod';

/** A setting: `(default)`, `(unset)`, `(set)`, or the value itself. */
export interface ShownSetting {
  readonly name: string;
  readonly value: string;
}

interface DeclaredSetting {
  readonly schema: z.ZodType;
  readonly default?: unknown;
}

/** The settings in the order of their declaration. `environment` has the texts of the variables. */
export function shownSettings(
  definition: Readonly<Record<string, DeclaredSetting>>,
  environment: Readonly<Record<string, string | undefined>>,
): ShownSetting[] {
  return Object.entries(definition).map(([name, setting]) => ({ name, value: shownValue(setting, environment[name]) }));
}

function shownValue(setting: DeclaredSetting, text: string | undefined): string {
  if (text === undefined || text === '') return setting.default === undefined ? '(unset)' : '(default)';
  const { schema } = setting;
  const parsed = schema.safeParse(text);
  if (!parsed.success) return '(set)';
  const { data } = parsed;
  if (typeof data === 'number' || typeof data === 'boolean') return String(data);
  return isFixedList(schema) && typeof data === 'string' ? data : '(set)';
}

function isFixedList(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return isFixedList(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral;
}
