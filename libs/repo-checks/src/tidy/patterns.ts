// Every shipped regular expression must run in linear time: the check analyses each for
// backtracking.
import { isSafePattern } from 'redos-detector';
import { isTest, type Problem, type Source, type SyntaxNode, walk } from './source.ts';

/** The shipped code. Tools that only build, test or measure read no untrusted text. */
const SHIPPED = /^(libs|services|deploy)\//;

/**
 * The most steps of an analysis. There is no time limit, so that the result does not depend on the
 * machine.
 */
const MOST_STEPS = 20_000;
/**
 * The most ways in which a pattern may match one text. Ambiguity that grows with the text has no
 * bound.
 */
const MOST_WAYS = 20;

/** An exception has a comment that says why it is harmless. */
const EXCEPTION = /\bBacktracks: \S/;

const FIX =
  'anchor it, let neighbouring parts have no character in common, or do without a pattern; otherwise write a comment above it, `Backtracks: ...`, that says why it is harmless.';

interface Pattern {
  readonly at: number;
  /** Null if the program composes it at run time. */
  readonly source: string | null;
  readonly flags: string;
}

export function checkPatterns(sources: readonly Source[]): Problem[] {
  const shipped = sources.filter((source) => !isTest(source) && SHIPPED.test(source.path));
  return shipped.flatMap((source) =>
    patternsOf(source)
      .filter(({ at }) => !isExcepted(source, at))
      .flatMap(({ at, source: pattern, flags }) => {
        const rule = pattern === null ? 'a composed pattern cannot be analysed.' : faultOf(pattern, flags);
        return rule === null ? [] : [{ path: source.path, at, rule, fix: FIX }];
      }),
  );
}

function patternsOf({ code }: Source): Pattern[] {
  const found: Pattern[] = [];
  walk(code?.program, (node) => {
    const pattern = patternOf(node);
    if (pattern !== null) found.push(pattern);
  });
  return found;
}

function patternOf(node: SyntaxNode): Pattern | null {
  const { regex } = node as { regex?: { pattern: string; flags: string } };
  if (node.type === 'Literal' && regex !== undefined) {
    return { at: node.start, source: regex.pattern, flags: regex.flags };
  }
  const isMade = node.type === 'NewExpression' || node.type === 'CallExpression';
  const callee = node.callee as SyntaxNode | undefined;
  if (!isMade || callee?.name !== 'RegExp') return null;
  const [source, flags] = (node.arguments as SyntaxNode[]).map((argument) => argument.value);
  return {
    at: node.start,
    source: typeof source === 'string' ? source : null,
    flags: typeof flags === 'string' ? flags : '',
  };
}

/** The fault of a pattern, or null. */
function faultOf(pattern: string, flags: string): string | null {
  const shown = `the pattern /${pattern}/${flags}`;
  try {
    const { safe, error } = isSafePattern(withoutNames(pattern), {
      maxScore: MOST_WAYS,
      maxSteps: MOST_STEPS,
      timeout: Number.POSITIVE_INFINITY,
      caseInsensitive: flags.includes('i'),
      multiLine: flags.includes('m'),
      dotAll: flags.includes('s'),
      unicode: flags.includes('u'),
    });
    if (safe) return null;
    return error === 'hitMaxScore'
      ? `${shown} backtracks: its number of matches grows with the text.`
      : `${shown} takes too many steps to analyse.`;
  } catch (error) {
    return `${shown} can't be analysed: ${(error as Error).message.split('\n')[0]}.`;
  }
}

/** The detector does not support named groups. */
function withoutNames(pattern: string): string {
  return pattern.replaceAll(/\(\?<[A-Za-z]\w*>/g, '(');
}

/** Whether a comment above or on the same line says why it is allowed. */
function isExcepted({ text, code }: Source, at: number): boolean {
  const lineStart = text.lastIndexOf('\n', at) + 1;
  const lineEnd = text.indexOf('\n', at);
  return (code?.comments ?? []).some(({ start, end, value }) => {
    const isOnLine = start >= lineStart && (lineEnd < 0 || start < lineEnd);
    const isAbove =
      end < lineStart && text.slice(end, lineStart).trim() === '' && text.slice(end, lineStart).length === 1;
    return (isOnLine || isAbove) && EXCEPTION.test(value);
  });
}
