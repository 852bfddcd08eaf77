// Certificates for tests: an authority, a server's and a client's certificate that it signed, and
// another authority.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of files in PEM. */
export interface Certificates {
  readonly authority: string;
  /** It signed no certificate of the servers. */
  readonly stranger: string;
  /** Valid only for `localhost`. */
  readonly server: { readonly certificate: string; readonly key: string };
  readonly client: { readonly certificate: string; readonly key: string };
}

/** Creates all of them in a folder with the program `openssl`. They are valid for a day. */
export function makeCertificates(folder: string): Certificates {
  const file = (name: string) => join(folder, name);
  const openssl = (...parameters: string[]) => execFileSync('openssl', parameters, { cwd: folder, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const authority = (name: string) => {
    const files = ['-keyout', `${name}.key`, '-out', `${name}.crt`];
    openssl('req', '-x509', ...newKey, ...files, '-days', '1', '-subj', `/CN=${name}`);
    return file(`${name}.crt`);
  };
  const signed = (name: string, extensions: string) => {
    openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    writeFileSync(file(`${name}.ext`), extensions);
    const by = ['-CA', 'authority.crt', '-CAkey', 'authority.key', '-CAcreateserial'];
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      ...by,
      '-days',
      '1',
      '-extfile',
      `${name}.ext`,
      '-out',
      `${name}.crt`,
    );
    return { certificate: file(`${name}.crt`), key: file(`${name}.key`) };
  };
  return {
    authority: authority('authority'),
    stranger: authority('stranger'),
    server: signed('server', 'subjectAltName = DNS:localhost\nextendedKeyUsage = serverAuth\n'),
    client: signed('client', 'extendedKeyUsage = clientAuth\n'),
  };
}
