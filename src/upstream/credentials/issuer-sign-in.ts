import type { StateStore } from '../../store/state-store.js';
import { ANSWER_OF_NONE, type AuthorizationAnswer, ConnectRefusal, type SignInIssuer } from './connect-flow.js';
import { readClient, type Tokens } from './oauth-answers.js';
import type { OAuthClient, Target } from './oauth-client.js';
import type { Vault } from './vault.js';
import { Visits } from './visits.js';

interface IssuerSignInDeps {
  readonly store: StateStore;
  readonly vault: Vault;
  readonly now: () => number;
  /** With the console's own way back. */
  readonly client: OAuthClient;
  readonly issuer: (name: string) => SignInIssuer | undefined;
}

/** A person has come back. */
interface SignedIn {
  /** Proves nothing before it was checked as the token of a client is. */
  readonly tokens: Tokens;
  /** By its configured name. */
  readonly issuer: string;
  /** The page that the person wanted. */
  readonly to: string;
}

/** How an operator proves at an issuer of this gateway who they are: the code flow with PKCE, for the browser that has begun it. */
export class IssuerSignIn {
  readonly #deps: IssuerSignInDeps;
  readonly #visits: Visits;

  constructor(deps: IssuerSignInDeps) {
    this.#deps = deps;
    this.#visits = new Visits(deps, 'operator');
  }

  /** Where the browser is sent. @throws ConnectRefusal, OAuthFault */
  async begin(issuer: string, browser: string, to: string): Promise<URL> {
    const { target, settings } = await this.#discover(issuer);
    const state = this.#visits.newState();
    const { url, verifier, client } = await this.#deps.client.begin(target, settings, state);
    await this.#visits.keep(state, browser, { issuer, verifier, client, to });
    return url;
  }

  /** Takes the answer of an issuer. @throws ConnectRefusal, OAuthFault */
  async answer({ state, code, iss, browser }: AuthorizationAnswer): Promise<SignedIn> {
    const visit = await this.#visits.take(state, browser);
    const client = readClient(visit?.['client']);
    if (visit === undefined || client === undefined) throw new ConnectRefusal(ANSWER_OF_NONE);
    const issuer = String(visit['issuer']);
    const { target } = await this.#discover(issuer);
    const answer = { code, iss, verifier: String(visit['verifier']) };
    const tokens = await this.#deps.client.redeem(target, client, answer);
    return { tokens, issuer, to: String(visit['to']) };
  }

  async #discover(name: string): Promise<{ readonly target: Target } & Pick<SignInIssuer, 'settings'>> {
    const found = this.#deps.issuer(name);
    if (found === undefined) throw new ConnectRefusal('There is no such way to sign in.');
    const { issuer, resource, settings } = found;
    return { target: await this.#deps.client.discoverIssuer(issuer, resource, settings.scopes), settings };
  }
}
