import { describe, expect, it } from 'vitest';
import { licenceFindings, readAudit, readComponents } from './supply.ts';

describe('what npm says of weaknesses', () => {
  const report = (vulnerabilities: object) => JSON.stringify({ vulnerabilities, metadata: { dependencies: {} } });

  it('is a finding where a weakness is high or critical', () => {
    const grave = { severity: 'high', range: '<2.0.0' };
    const mixed = { a: grave, b: { severity: 'moderate', range: '*' }, c: { severity: 'critical', range: '1.x' } };
    expect(readAudit(report(mixed))).toEqual({ asked: true, findings: ['a <2.0.0: high', 'c 1.x: critical'] });
    expect(readAudit(report({}))).toEqual({ asked: true, findings: [] });
  });

  it('is nothing, and no finding, where the registry could not be asked; its address is not repeated', () => {
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
    ['one that may be shipped', [id('MIT')], []],
    ['a choice of which one may be', [{ expression: '(GPL-3.0 OR MIT)' }], []],
    ['two that hold, and may both be', [id('MIT'), id('ISC')], []],
    ['one that must not be', [id('GPL-3.0')], ['a 1.0.0: GPL-3.0']],
    ['two that hold, of which one must not be', [{ expression: 'MIT AND GPL-3.0' }], ['a 1.0.0: MIT AND GPL-3.0']],
    ['what has to be read by a person', [{ expression: '(MIT OR X) AND Y' }], ['a 1.0.0: (MIT OR X) AND Y']],
    ['one by a name of its own', [{ license: { name: 'Mine' } }], ['a 1.0.0: Mine']],
    ['none', [], ['a 1.0.0: it names no licence']],
    ['one for tools, of what is shipped', [id('MPL-2.0')], ['a 1.0.0: MPL-2.0']],
  ])('%s: %j, %j', (_what, licenses, findings) => {
    expect(found(licenses)).toEqual(findings);
  });

  it('of tools may be others, and what npm does not read was read by hand', () => {
    expect(found([id('MPL-2.0')], tool)).toEqual([]);
    expect(found([id('GPL-3.0')], tool)).toEqual(['a 1.0.0: GPL-3.0']);
    expect(found([], [], 'xmlhttprequest-ssl')).toEqual([]);
  });

  it('are judged on a list, and nothing passes for one', () => {
    const components = [{ name: 'a', version: '1.0.0' }];
    expect(readComponents(JSON.stringify({ bomFormat: 'CycloneDX', components }))).toEqual(components);
    for (const output of ['', '{}', '{"bomFormat":"CycloneDX","components":[]}']) {
      expect(() => readComponents(output)).toThrow('no list of packages');
    }
  });
});
