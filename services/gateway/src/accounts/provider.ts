// An OpenID Connect provider: the only file that imports openid-client. Rule: AUTH1.
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

/** The limit for each request to the provider. */
const REQUEST_LIMIT_SECONDS = 5;

export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: string;
  /** The address of the callback. */
  readonly redirectUrl: string;
}

/** The state to store between the redirect and the callback. */
export interface Checks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The provider's claims about a person, unvalidated. */
interface Claims {
  readonly issuer: string;
  readonly subject: string;
  readonly email: unknown;
  readonly emailVerified: unknown;
  /** Candidates for a username, the best first. */
  readonly names: readonly unknown[];
}

export interface Provider {
  /** Returns the address of the redirect, and the state to store until the callback. */
  begin(): Promise<{ readonly url: string; readonly checks: Checks } | Refusal>;
  /** `query` is the query string of the callback. */
  finish(query: string, checks: Checks): Promise<Claims | Refusal>;
}

interface FailureLog {
  warn(fields: object, message: string): void;
}

export function createProvider(settings: ProviderSettings, log: FailureLog): Provider {
  let found: Promise<Configuration> | null = null;
  /** Discovery happens at the first use, since the gateway must start without the provider. */
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
          redirect_uri: settings.redirectUrl,
          scope: settings.scopes,
          state: checks.state,
          nonce: checks.nonce,
          code_challenge: await calculatePKCECodeChallenge(checks.verifier),
          code_challenge_method: 'S256',
        });
        return { url: url.href, checks };
      }),
    finish: (query, { state, nonce, verifier }) =>
      guarded(async () => {
        const config = await configuration();
        const tokens = await authorizationCodeGrant(config, new URL(`${settings.redirectUrl}?${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new Error('the provider gave no id token, though one was expected');
        // Many providers put only the subject into the id token, and the rest into the user info.
        const info = claims.email === undefined ? await fetchUserInfo(config, tokens.access_token, claims.sub) : claims;
        return {
          issuer: claims.iss,
          subject: claims.sub,
          email: info.email,
          emailVerified: info.email_verified,
          names: [info.preferred_username, info.name],
        };
      }),
  };
}

function discover({ issuer, clientId, clientSecret }: ProviderSettings): Promise<Configuration> {
  const server = new URL(issuer);
  return discovery(server, clientId, undefined, authenticateBy(clientSecret), {
    timeout: REQUEST_LIMIT_SECONDS,
    // The settings allow plain HTTP only for a provider on the local machine.
    execute: server.protocol === 'http:' ? [allowInsecureRequests] : [],
  });
}

/** Uses a method that the provider supports; the standard's default is Basic. */
function authenticateBy(secret: string): ClientAuth {
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, ...others) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...others);
  };
}

/**
 * Expected failures: the person or the provider declines, the response is invalid, or the provider
 * is unreachable. Any other error is a bug.
 */
function refusalOf(error: unknown, log: FailureLog): Refusal {
  const { code, message } = error as { code?: unknown; message?: unknown };
  // Response bodies are not logged: they may contain tokens.
  log.warn({ code, reason: message }, 'a sign-in by the provider failed');
  const isUnreachable = error instanceof TypeError || code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT';
  if (isUnreachable) return refuse('unavailable', "The provider can't be reached.");
  const isRefused = [AuthorizationResponseError, ResponseBodyError, ClientError].some((kind) => error instanceof kind);
  if (isRefused) return refuse('unauthorized', 'The provider did not sign you in; start again.');
  throw error;
}
