// The definition of a tool.
import type { ObjectSchema } from './input-schema.ts';
import type { ToolContext } from './service.ts';

export interface Tool {
  readonly name: string;
  /** For models: what it does and when to use it. */
  readonly description: string;
  readonly input: ObjectSchema;
  /** It changes nothing, only adds, or may also overwrite and remove. */
  readonly effect: 'reads' | 'adds' | 'changes';
  /** Answers lines of text. Throws a ToolFailure. */
  run(given: object, context: ToolContext): Promise<string>;
}

interface ToolDefinition<Arguments> extends Omit<Tool, 'run'> {
  run(given: Arguments, context: ToolContext): Promise<string>;
}

/** `Arguments` is the type of the values that fit `input`. */
export function defineTool<Arguments extends object>(definition: ToolDefinition<Arguments>): Tool {
  return { ...definition, run: (given, context) => definition.run(given as Arguments, context) };
}
