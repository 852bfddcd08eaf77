import { describe, expect, it } from 'vitest';
import { licenceFindings, readAudit, readComponents } from './supply.ts';

describe("the weaknesses in npm's report", () => {
  const report = (vulnerabilities: object) => JSON.stringify({ vulnerabilities, metadata: { dependencies: {} } });

  it('are findings if they are high or critical', () => {
    const grave = { severity: 'high', range: '<2.0.0' };
    const mixed = { a: grave, b: { severity: 'moderate', range: '*' }, c: { severity: 'critical', range: '1.x' } };
    expect(readAudit(report(mixed))).toEqual({ asked: true, findings: ['a <2.0.0: high', 'c 1.x: critical'] });
    expect(readAudit(report({}))).toEqual({ asked: true, findings: [] });
  });

  it("are missing without the registry's answer, whose address is not repeated", () => {
    const message = '405 Method Not Allowed - POST https://packages.example/-/npm/v1/security/advisories/bulk\nmore';
    const reason = '405 Method Not Allowed - POST the registry';
    expect(readAudit(JSON.stringify({ message, statusCode: 405, error: {} }))).toEqual({ asked: false, reason });
    for (const output of ['', 'npm error', 'null', '{}', '{"vulnerabilities":{}}']) {
      expect(readAudit(output)).toMatchObject({ asked: false, reason: expect.stringMatching(/^npm gave no /) });
    }
  });
});

describe('licences', () => {
  const tool = [{ name: 'cdx:npm:package:development', value: 'true' }];
  const found = (licenses: object[], properties: typeof tool = [], name = 'a') =>
    licenceFindings([{ name, version: '1.0.0', licenses, properties }]);
  const id = (text: string) => ({ license: { id: text } });

  it.each([
    ['an allowed licence', [id('MIT')], []],
    ['a choice with an allowed licence', [{ expression: '(GPL-3.0 OR MIT)' }], []],
    ['two allowed licences that both apply', [id('MIT'), id('ISC')], []],
    ['a licence that is not allowed', [id('GPL-3.0')], ['a 1.0.0: GPL-3.0']],
    [
      'two licences that both apply, with one that is not allowed',
      [{ expression: 'MIT AND GPL-3.0' }],
      ['a 1.0.0: MIT AND GPL-3.0'],
    ],
    ['an expression that a person must read', [{ expression: '(MIT OR X) AND Y' }], ['a 1.0.0: (MIT OR X) AND Y']],
    ['a licence with its own name', [{ license: { name: 'Mine' } }], ['a 1.0.0: Mine']],
    ['none', [], ['a 1.0.0: it names no licence']],
    ['a licence for tools, in a shipped package', [id('MPL-2.0')], ['a 1.0.0: MPL-2.0']],
  ])('%s: %j, %j', (_what, licenses, findings) => {
    expect(found(licenses)).toEqual(findings);
  });

  it('tools may have other licences, and a person has read those that npm does not read', () => {
    expect(found([id('MPL-2.0')], tool)).toEqual([]);
    expect(found([id('GPL-3.0')], tool)).toEqual(['a 1.0.0: GPL-3.0']);
    expect(found([], [], 'xmlhttprequest-ssl')).toEqual([]);
  });

  it('need a list; other texts are refused', () => {
    const components = [{ name: 'a', version: '1.0.0' }];
    expect(readComponents(JSON.stringify({ bomFormat: 'CycloneDX', components }))).toEqual(components);
    for (const output of ['', '{}', '{"bomFormat":"CycloneDX","components":[]}']) {
      expect(() => readComponents(output)).toThrow('no list of packages');
    }
  });
});
