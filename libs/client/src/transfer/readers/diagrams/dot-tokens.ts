// Splits DOT, the language of Graphviz, into tokens. Rule: IO2.
import { BrokenFile } from '../../graph/transfer-graph.ts';
import { htmlText } from '../../text/html-text.ts';

/** An id, or a sign such as `->` or `{`. */
export interface DotToken {
  readonly kind: 'id' | 'sign';
  readonly text: string;
  /** Whether the id is in quotes or angle brackets, so that it is no keyword. */
  readonly isQuoted: boolean;
  readonly line: number;
}

export interface DotTokens {
  readonly tokens: readonly DotToken[];
  /** The places of comments. */
  readonly comments: readonly string[];
}

const MAXIMUM_TOKENS = 5_000_000;
const PLAIN_ID = /[\p{L}\p{N}_.\u0080-\uffff]+|-(?:\.\d+|\d+(?:\.\d*)?)/uy;
const SIGN = /->|--|[{}[\];,=:+]/y;

/** All tokens of a text. Throws a BrokenFile. */
export function dotTokens(text: string): DotTokens {
  const tokens: DotToken[] = [];
  const comments: string[] = [];
  let [at, line] = [text.startsWith('\uFEFF') ? 1 : 0, 1];
  const matchAt = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0] ?? null;
  };
  const advance = (length: number) => {
    for (let end = at + length; at < end; at++) if (text[at] === '\n') line++;
  };
  while (at < text.length) {
    if (/\s/.test(text[at] ?? '')) {
      advance(1);
      continue;
    }
    const afterComment = endOfComment(text, at);
    if (afterComment > at) {
      comments.push(`line ${line}: ${text.slice(at, Math.min(afterComment, at + 100))}`);
      advance(afterComment - at);
      continue;
    }
    if (tokens.length >= MAXIMUM_TOKENS) throw new BrokenFile(line, `it has more than ${MAXIMUM_TOKENS} words`);
    const start = line;
    if (text[at] === '"' || text[at] === '<') {
      const end = text[at] === '"' ? endOfQuotes(text, at) : endOfHtml(text, at);
      if (end === null) throw new BrokenFile(line, 'a quote or bracket is not closed');
      const inner = text.slice(at + 1, end - 1);
      const plain =
        text[at] === '"' ? inner.replaceAll('\\"', '"').replaceAll('\\\n', '') : htmlText(inner, () => undefined);
      tokens.push({ kind: 'id', text: plain, isQuoted: true, line: start });
      advance(end - at);
      continue;
    }
    const id = matchAt(PLAIN_ID);
    const sign = id === null ? matchAt(SIGN) : null;
    const word = id ?? sign;
    if (word === null) throw new BrokenFile(line, `${JSON.stringify(text.slice(at, at + 20))} is no part of a drawing`);
    tokens.push({ kind: id === null ? 'sign' : 'id', text: word, isQuoted: false, line });
    advance(word.length);
  }
  return { tokens: joinTexts(tokens), comments };
}

/** The offset after the comment or line of the preprocessor at `start`; `start` if there is none. */
function endOfComment(text: string, start: number): number {
  const isLine = text.startsWith('//', start) || (text[start] === '#' && (start === 0 || text[start - 1] === '\n'));
  if (!isLine && !text.startsWith('/*', start)) return start;
  const end = text.indexOf(isLine ? '\n' : '*/', start + (isLine ? 0 : 2));
  if (isLine) return end < 0 ? text.length : end;
  return end < 0 ? start : end + 2;
}

function endOfQuotes(text: string, start: number): number | null {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return null;
}

function endOfHtml(text: string, start: number): number | null {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '<') depth++;
    else if (text[at] === '>' && --depth === 0) return at + 1;
  }
  return null;
}

/** `"a" + "b"` is one text. */
function joinTexts(tokens: readonly DotToken[]): DotToken[] {
  const joined: DotToken[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const [before, token, next] = [joined.at(-1), tokens[at], tokens[at + 1]];
    if (token === undefined) break;
    if (token.text === '+' && token.kind === 'sign' && before?.isQuoted === true && next?.isQuoted === true) {
      // Parts are few in each text, and long files have few of them.
      joined[joined.length - 1] = { ...before, text: before.text + next.text };
      at++;
    } else joined.push(token);
  }
  return joined;
}
