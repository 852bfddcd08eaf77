// An OpenID Connect provider: the one file that knows openid-client. Rule: AUTH1.
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  fetchUserInfo,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';

/** Any one request to the provider. */
const REQUEST_LIMIT_SECONDS = 5;

export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: string;
  /** Where the provider sends people back to. */
  readonly redirectUrl: string;
}

/** The state to keep between the way to the provider and the way back. */
export interface Checks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Whom the provider vouches for. Claims are as it says them. */
interface Claims {
  readonly issuer: string;
  readonly subject: string;
  readonly email: unknown;
  readonly emailVerified: unknown;
  /** Claims that may serve as a username, the best first. */
  readonly names: readonly unknown[];
}

export interface Provider {
  /** The address to send somebody to, and what to keep until they come back. */
  begin(): Promise<{ readonly url: string; readonly checks: Checks } | Refusal>;
  /** `query`: what the provider has put behind the redirect address. */
  finish(query: string, checks: Checks): Promise<Claims | Refusal>;
}

interface FailureLog {
  warn(fields: object, message: string): void;
}

export function createProvider(settings: ProviderSettings, log: FailureLog): Provider {
  let found: Promise<Configuration> | null = null;
  /** The provider is looked up when it is first needed: the gateway must start without it. */
  const configuration = () => {
    found ??= discover(settings).catch((error: unknown) => {
      found = null;
      throw error;
    });
    return found;
  };
  const guarded = async <T>(work: () => Promise<T>): Promise<T | Refusal> => {
    try {
      return await work();
    } catch (error) {
      return refusalOf(error, log);
    }
  };
  return {
    begin: () =>
      guarded(async () => {
        const config = await configuration();
        const checks = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
        const url = buildAuthorizationUrl(config, {
          ...{ redirect_uri: settings.redirectUrl, scope: settings.scopes, state: checks.state, nonce: checks.nonce },
          ...{ code_challenge: await calculatePKCECodeChallenge(checks.verifier), code_challenge_method: 'S256' },
        });
        return { url: url.href, checks };
      }),
    finish: (query, { state, nonce, verifier }) =>
      guarded(async () => {
        const config = await configuration();
        const tokens = await authorizationCodeGrant(config, new URL(`${settings.redirectUrl}?${query}`), {
          ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new Error('the provider gave no id token, though one was expected');
        // Many providers say in the id token who it is, and the rest only if asked.
        const info = claims.email === undefined ? await fetchUserInfo(config, tokens.access_token, claims.sub) : claims;
        return {
          ...{ issuer: claims.iss, subject: claims.sub, email: info.email, emailVerified: info.email_verified },
          names: [info.preferred_username, info.name],
        };
      }),
  };
}

function discover({ issuer, clientId, clientSecret }: ProviderSettings): Promise<Configuration> {
  const server = new URL(issuer);
  return discovery(server, clientId, undefined, authenticateBy(clientSecret), {
    timeout: REQUEST_LIMIT_SECONDS,
    // The settings allow it for providers on this machine alone.
    execute: server.protocol === 'http:' ? [allowInsecureRequests] : [],
  });
}

/** By what the provider says that it takes; where it says nothing, the standard names the first. */
function authenticateBy(secret: string): ClientAuth {
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, ...others) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...others);
  };
}

/** Expected failures: the person or the provider says no, what came does not fit, or the provider can't be reached. All else is a bug. */
function refusalOf(error: unknown, log: FailureLog): Refusal {
  const { code, message } = error as { code?: unknown; message?: unknown };
  // Bodies of answers are left out: they may hold tokens.
  log.warn({ code, reason: message }, 'a sign-in by the provider failed');
  const isUnreachable = error instanceof TypeError || code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT';
  if (isUnreachable) return refuse('unavailable', "The provider can't be reached.");
  const isRefused = [AuthorizationResponseError, ResponseBodyError, ClientError].some((kind) => error instanceof kind);
  if (isRefused) return refuse('unauthorized', 'The provider did not sign you in; start again.');
  throw error;
}
