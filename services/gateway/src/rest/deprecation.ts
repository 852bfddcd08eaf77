// The headers with which an answer announces the end of its operation: `Deprecation` (RFC 9745),
// `Sunset` (RFC 8594), and a link to the description of the operation.
import type { Operation } from '@taskgraph/wire/operations/operation';

/** Below the address of the service, which serves the description of the operation. */
const DESCRIPTION = '</openapi.json>; rel="deprecation"; type="application/json"';

/** No headers for an operation that is not deprecated. */
export function deprecationHeaders(operation: Pick<Operation, 'deprecated'> | undefined): Record<string, string> {
  const { deprecated } = operation ?? {};
  if (deprecated === undefined) return {};
  const { since, sunset } = deprecated;
  return {
    Deprecation: `@${Date.parse(since) / 1_000}`,
    ...(sunset === undefined ? {} : { Sunset: new Date(sunset).toUTCString() }),
    Link: DESCRIPTION,
  };
}
