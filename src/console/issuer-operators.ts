import type { Observer } from '../base/observe/observation.js';
import { type CallerIdentity, ISSUER_SIGN } from '../base/protocol/caller.js';
import type { Connections, Gateway } from '../gateway/gateway.js';
import type { Verdict } from '../server/auth/access-tokens.js';
import { checkAccessToken } from './connect/identify.js';
import type { SignIn } from './operator-sessions.js';

type Answer = Parameters<Connections['signIn']['answer']>[0];

/** Why a person is not signed in, in words for them. */
export class SignInRefusal extends Error {
  override readonly name = 'SignInRefusal';
}

/** Operators who are known by a group that an issuer's token names. A token that a client holds opens nothing here. */
export class IssuerOperators {
  readonly #gateway: Pick<Gateway, 'config' | 'connections'>;
  readonly #observe: Observer;

  constructor(gateway: Pick<Gateway, 'config' | 'connections'>, observe: Observer) {
    this.#gateway = gateway;
    this.#observe = observe;
  }

  /** The names of the issuers at which operators can sign in at this moment. */
  get issuers(): readonly string[] {
    const { policy, server } = this.#gateway.config;
    return policy.approvals.operatorGroups.length === 0 ? [] : (server.oauth?.issuers ?? []).map(({ name }) => name);
  }

  /** Whether people reach the console over TLS. */
  get isSecure(): boolean {
    return this.#gateway.connections?.isSecure === true;
  }

  /** Where a browser is sent. @throws SignInRefusal */
  begin(issuer: string, browser: string, to: string): Promise<URL> {
    return explained(this.#signInFor(issuer).begin(issuer, browser, to));
  }

  /** Who comes back, from which issuer, and which page they wanted. @throws SignInRefusal */
  async answer(answer: Answer): Promise<{ readonly signIn: SignIn; readonly issuer: string; readonly to: string }> {
    const { connections, config } = this.#gateway;
    if (connections === undefined) throw NO_WAY;
    const { tokens, issuer, to } = await explained(connections.signIn.answer(answer));
    const verdict = await checkAccessToken(config, tokens.accessToken, this.#observe);
    if (verdict?.kind !== 'accepted') throw new SignInRefusal(explainVerdict(verdict));
    const { identity } = verdict.client;
    const operator = identity.user;
    if (operator === undefined || !operator.startsWith(`${issuer}${ISSUER_SIGN}`))
      throw new SignInRefusal(`The token of this sign-in names no user of '${issuer}'.`);
    if (!this.#isOperator(identity, issuer))
      throw new SignInRefusal(`You are '${operator}', who is in no group of operators of this gateway.`);
    const endsAt = Math.min(verdict.expiresAt, tokens.expiresAt ?? Number.POSITIVE_INFINITY);
    return {
      signIn: { operator, counts: () => Date.now() < endsAt && this.#isOperator(identity, issuer) },
      issuer,
      to,
    };
  }

  #signInFor(issuer: string): Connections['signIn'] {
    const { connections } = this.#gateway;
    if (connections === undefined || !this.issuers.includes(issuer)) throw NO_WAY;
    return connections.signIn;
  }

  /** Asked at each request, since a reload may have changed both. */
  #isOperator({ groups = [] }: CallerIdentity, issuer: string): boolean {
    const { operatorGroups } = this.#gateway.config.policy.approvals;
    return this.issuers.includes(issuer) && groups.some((group) => operatorGroups.includes(group));
  }
}

const NO_WAY = new SignInRefusal('There is no such way to sign in.');

function explainVerdict(verdict: Exclude<Verdict, { kind: 'accepted' }> | undefined): string {
  if (verdict?.kind === 'invalid') return `The token of this sign-in was refused: ${verdict.why}.`;
  if (verdict?.kind === 'insufficient')
    return `The token of this sign-in grants too little: it needs '${verdict.scopes.join(' ')}'.`;
  return 'The token of this sign-in cannot be checked now. Try again.';
}

/** What a person can read of a fault; the rest is a defect. */
async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    if (cause.name === 'ConnectRefusal') throw new SignInRefusal(cause.message, { cause });
    if (cause.name === 'OAuthFault') throw new SignInRefusal(`Nobody can sign in there: ${cause.message}.`, { cause });
    throw cause;
  }
}
