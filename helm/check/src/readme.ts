// Makes the chart's README from its template: the tables of values and of the variables from Secrets.
import { stringify } from 'yaml';
import { isMap, readDocumented } from './values-file.ts';
import { SERVICES, type ServiceName, type ServiceVariables } from './variables.ts';

/** Longer defaults are told by their section of values.yaml. */
const LONGEST_DEFAULT = 70;

/** The README, from the template's text, that of values.yaml and the services' variables. */
export function readmeOf(
  template: string,
  values: string,
  variables: Readonly<Record<ServiceName, ServiceVariables>>,
): string {
  return template.replace('@values@', () => valuesTable(values)).replace('@secrets@', () => secretsTable(variables));
}

function valuesTable(values: string): string {
  const documented = readDocumented(values);
  const rows = documented
    // A map whose keys are documented one by one needs no row of its own.
    .filter(({ path }) => !documented.some((other) => other.path.startsWith(`${path}.`)))
    .map(({ path, value, description }) => `| \`${path}\` | ${defaultOf(value)} | ${cell(description)} |`);
  return ['| Value | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
}

function defaultOf(value: unknown): string {
  if (value === '' || value === null) return '';
  const text = isMap(value) || Array.isArray(value) ? JSON.stringify(value) : stringify(value).trim();
  return text.length > LONGEST_DEFAULT ? 'see values.yaml' : `\`${cell(text)}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function secretsTable(variables: Readonly<Record<ServiceName, ServiceVariables>>): string {
  const names = [...new Set(SERVICES.flatMap((service) => Object.keys(variables[service].secrets)))].sort();
  const rows = names.flatMap((name) => {
    // Each service has a user of its own.
    if (name === 'NATS_PASSWORD') return natsRows(variables);
    const users = SERVICES.filter((service) => Object.hasOwn(variables[service].secrets, name));
    const isRequired = users.some((service) => variables[service].secrets[name]);
    return `| \`${name}\` | ${users.join(', ')} | ${isRequired ? 'yes' : 'no'} |`;
  });
  return ['| Key | Used by | Required |', '|---|---|---|', ...rows].join('\n');
}

function natsRows(variables: Readonly<Record<ServiceName, ServiceVariables>>): string[] {
  const users = SERVICES.filter((service) => Object.hasOwn(variables[service].secrets, 'NATS_PASSWORD'));
  const rows = users.map(
    (service) => `| \`NATS_${service.toUpperCase()}_PASSWORD\` | ${service} | without \`nats.user\` |`,
  );
  return [...rows, `| \`NATS_PASSWORD\` | ${users.join(', ')} | with \`nats.user\` |`];
}
