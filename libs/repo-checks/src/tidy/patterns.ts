// No text may cost a pattern more time than it has characters: each regular expression that ships is judged for backtracking.
import { isSafePattern } from 'redos-detector';
import { isTest, type Problem, type Source, type SyntaxNode, walk } from './source.ts';

/** Where what ships stands; tools that only build, prove or measure read no stranger's text. */
const SHIPPED = /^(libs|services|deploy)\//;

/** Steps after which a pattern counts as one that can't be judged. There is no bound of time, so that a busy machine judges alike. */
const MOST_STEPS = 20_000;
/** Ways in which a pattern may read one text; ambiguity that grows with the text is endless, whatever stands here. */
const MOST_WAYS = 20;

/** An exception says in a comment beside it why it does no harm. */
const EXCEPTION = /\bBacktracks: \S/;

const FIX =
  'anchor it, let neighbouring parts have no character in common, or judge without a pattern; else a comment above it, `Backtracks: ...`, says why that does no harm.';

interface Pattern {
  readonly at: number;
  /** Null where it is put together when the program runs. */
  readonly source: string | null;
  readonly flags: string;
}

export function checkPatterns(sources: readonly Source[]): Problem[] {
  const shipped = sources.filter((source) => !isTest(source) && SHIPPED.test(source.path));
  return shipped.flatMap((source) =>
    patternsOf(source)
      .filter(({ at }) => !isExcepted(source, at))
      .flatMap(({ at, source: pattern, flags }) => {
        const rule = pattern === null ? 'a pattern that is put together cannot be judged.' : faultOf(pattern, flags);
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
      ? `${shown} reads some texts in more and more ways, the longer they are.`
      : `${shown} takes too many steps to be judged.`;
  } catch (error) {
    return `${shown} can't be judged: ${(error as Error).message.split('\n')[0]}.`;
  }
}

/** The detector does not know names of groups. */
function withoutNames(pattern: string): string {
  return pattern.replaceAll(/\(\?<[A-Za-z]\w*>/g, '(');
}

/** Whether a comment right above, or on the same line, says why it may stay. */
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
