// Walks over the tokens of a drawing in DOT. Throws a BrokenFile where another token is needed.
import { BrokenFile, excerpt } from '../../graph/transfer-graph.ts';
import type { DotToken } from './dot-tokens.ts';

export interface DotCursor {
  /** The next token, or one after it; undefined at the end. */
  peek(offset?: number): DotToken | undefined;
  line(): number;
  refuse(expected: string): never;
  isSign(sign: string, offset?: number): boolean;
  /** Whether the sign was next; it is skipped then. */
  takeSign(sign: string): boolean;
  /** Whether the next token is one of these keywords, in any case. */
  isWord(...words: readonly string[]): boolean;
  takeId(): DotToken;
  /** All lists of attributes that are next. */
  attributes(): Map<string, DotToken>;
}

export function createDotCursor(tokens: readonly DotToken[]): DotCursor {
  let at = 0;
  const self: DotCursor = {
    peek: (offset = 0) => tokens[at + offset],
    line: () => tokens[at]?.line ?? tokens.at(-1)?.line ?? 1,
    refuse(expected) {
      const token = tokens[at];
      const found = token === undefined ? 'the end of the file' : excerpt(token.text);
      throw new BrokenFile(self.line(), `${found} is there instead of ${expected}`);
    },
    isSign: (sign, offset = 0) => tokens[at + offset]?.kind === 'sign' && tokens[at + offset]?.text === sign,
    takeSign(sign) {
      if (!self.isSign(sign)) return false;
      at++;
      return true;
    },
    isWord(...words) {
      const token = tokens[at];
      return token?.kind === 'id' && !token.isQuoted && words.includes(token.text.toLowerCase());
    },
    takeId() {
      const token = tokens[at];
      if (token?.kind !== 'id') return self.refuse('an id');
      at++;
      return token;
    },
    attributes() {
      const found = new Map<string, DotToken>();
      while (self.takeSign('[')) {
        while (!self.takeSign(']')) {
          const name = self.takeId();
          found.set(name.text, self.takeSign('=') ? self.takeId() : name);
          if (!self.takeSign(',')) self.takeSign(';');
        }
      }
      return found;
    },
  };
  return self;
}
