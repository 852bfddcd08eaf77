// Judges the packages of others that we ship or build with: known weaknesses from npm, and the
// licences in a list of all packages.

/**
 * Known weaknesses: undefined if the registry was not asked, otherwise a line for each package with
 * a grave one.
 */
export type Audit =
  | { readonly asked: false; readonly reason: string }
  | { readonly asked: true; readonly findings: readonly string[] };

const GRAVE = new Set(['high', 'critical']);

/**
 * Reads the output of `npm audit --json`. If it is not a report, the registry was not asked or did not
 * answer.
 */
export function readAudit(output: string): Audit {
  const report = parse(output) as { message?: unknown; vulnerabilities?: unknown; metadata?: unknown } | null;
  if (report === null || typeof report !== 'object') return { asked: false, reason: 'npm gave no answer' };
  const { vulnerabilities, metadata, message } = report;
  if (typeof vulnerabilities !== 'object' || vulnerabilities === null || metadata === undefined) {
    return { asked: false, reason: typeof message === 'string' ? withoutAddress(message) : 'npm gave no report' };
  }
  const packages = Object.entries(vulnerabilities as Record<string, { severity?: unknown; range?: unknown }>);
  const grave = packages.filter(([, { severity }]) => GRAVE.has(String(severity)));
  return { asked: true, findings: grave.map(([name, { severity, range }]) => `${name} ${range}: ${severity}`) };
}

/** Logs do not contain the registry that npm uses. */
function withoutAddress(message: string): string {
  return message.split('\n')[0]?.replace(/\w+:\/\/\S+/g, 'the registry') ?? '';
}

/** A component of a CycloneDX list, as `npm sbom` writes it. */
export interface Component {
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly {
    readonly license?: { readonly id?: string; readonly name?: string };
    readonly expression?: string;
  }[];
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

/** Licences that may be shipped with a service under Apache 2.0. */
const SHIPPED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  // Of the icons of VitePress, for pages of the site.
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  // Of `argparse`, which `js-yaml` needs for its command line.
  'Python-2.0',
  'Unlicense',
]);
/**
 * Additional licences of tools that only build and test. We neither change nor ship them; MPL would
 * require that their own files stay open.
 */
const TOOLS = new Set(['MPL-2.0']);
/** Licences of packages that declare them in a form that npm does not read. */
const READ_BY_HAND: Readonly<Record<string, string>> = { 'xmlhttprequest-ssl': 'MIT' };
const DEVELOPMENT = 'cdx:npm:package:development';

/** Reads the list of all packages. Throws if the text is not a list. */
export function readComponents(output: string): readonly Component[] {
  const list = parse(output) as { bomFormat?: unknown; components?: readonly Component[] } | null;
  if (list?.bomFormat !== 'CycloneDX' || !Array.isArray(list.components) || list.components.length === 0) {
    throw new Error('npm gave no list of packages');
  }
  return list.components;
}

/** A line for each package whose licence is not on the lists. */
export function licenceFindings(components: readonly Component[]): string[] {
  return components.flatMap((component) => {
    const licence = licenceOf(component);
    const isTool = component.properties?.some(({ name, value }) => name === DEVELOPMENT && value === 'true') === true;
    if (isAllowed(licence, isTool)) return [];
    return [`${component.name} ${component.version}: ${licence === '' ? 'it names no licence' : licence}`];
  });
}

/**
 * The licence as an SPDX expression; '' for none. Licences that are listed separately all apply.
 */
function licenceOf({ name, licenses = [] }: Component): string {
  const listed = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? '');
  return listed.length > 0 ? listed.join(' AND ') : (READ_BY_HAND[name] ?? '');
}

/** A person must read an expression with both words, because of its parentheses. */
function isAllowed(licence: string, isTool: boolean): boolean {
  const isListed = (id: string) => SHIPPED.has(id) || (isTool && TOOLS.has(id));
  const plain = licence.replace(/^\((.*)\)$/, '$1');
  const [every, some] = [plain.split(' AND '), plain.split(' OR ')];
  return some.length === 1 ? every.every(isListed) : every.length === 1 && some.some(isListed);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
