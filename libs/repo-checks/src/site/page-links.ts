// The links of a document, rewritten for its page. A link to a file that is no page leads to a copy
// of the file. A link to nothing is an error.
import { posix } from 'node:path';

export interface LinkTargets {
  /** The page of each document, by path. */
  readonly pages: ReadonlyMap<string, string>;
  /** Whether the repository has a file with this path. */
  exists(path: string): boolean;
}

export interface RewrittenPage {
  readonly text: string;
  /** Paths of the linked files, and the address of the copy of each. */
  readonly files: ReadonlyMap<string, string>;
}

/** Files that browsers show or save by their names. Others get the suffix of a text. */
const SERVED = /\.(csv|json|png|svg|txt|yaml)$/;

/**
 * Rewrites the document at `source`. With `root`, a picture has an address that begins with it;
 * without, all addresses are relative to the page. Throws if a link has no target.
 */
export function rewriteLinks(source: string, text: string, targets: LinkTargets, root?: string): RewrittenPage {
  const page = targets.pages.get(source);
  if (page === undefined) throw new Error(`${source} is no page`);
  const files = new Map<string, string>();
  const rewrite = (whole: string, isPicture: boolean, link: string): string => {
    if (/^([a-z]+:|#)/.test(link)) return whole;
    const [to = '', anchor] = link.split('#');
    const path = posix.join(posix.dirname(source), to);
    const other = targets.pages.get(path);
    if (other === undefined && !targets.exists(path)) throw new Error(`${source} links to ${link}, which is no file`);
    const address = other ?? addressOf(path);
    if (other === undefined) files.set(path, address);
    const written = isPicture && root !== undefined ? root + address : relativeTo(page, address);
    return `](${written}${anchor === undefined ? '' : `#${anchor}`})`;
  };
  return { text: mapProse(text, (prose) => rewriteProse(prose, rewrite)), files };
}

function rewriteProse(prose: string, rewrite: (whole: string, isPicture: boolean, link: string) => string): string {
  return prose.replaceAll(/(!\[[^\]\n]*)?\]\(([^)\s]+)\)/g, (whole, picture: string | undefined, link: string) => {
    const written = rewrite(picture === undefined ? whole : whole.slice(picture.length), picture !== undefined, link);
    return (picture ?? '') + written;
  });
}

function addressOf(path: string): string {
  const own = path.startsWith('docs/') ? path.slice('docs/'.length) : `files/${path}`;
  return SERVED.test(own) ? own : `${own}.txt`;
}

function relativeTo(page: string, address: string): string {
  return posix.relative(posix.dirname(page), address);
}

/** Maps the parts of a text that are no code. */
function mapProse(text: string, map: (prose: string) => string): string {
  let fence = '';
  return text
    .split('\n')
    .map((line) => {
      const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
      if (mark !== '' && (fence === '' || mark.startsWith(fence))) {
        fence = fence === '' ? mark : '';
        return line;
      }
      if (fence !== '') return line;
      return line
        .split(/(`[^`]*`)/)
        .map((part, index) => (index % 2 === 1 ? part : map(part)))
        .join('');
    })
    .join('\n');
}
