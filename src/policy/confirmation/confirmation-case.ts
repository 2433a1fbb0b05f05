import type { PolicyRequest } from '../admission.js';
import type { Ruling } from '../rules/rule-book.js';
import type { Token, TokenScope } from './confirmation-tokens.js';

/** A call that needs somebody's agreement, and how it is put to them. */
export interface ConfirmationCase {
  readonly request: PolicyRequest;
  readonly ruling: Ruling;
  readonly scope: TokenScope;
  /** What would be done, in one sentence, with values redacted. */
  readonly message: string;
}

/** Somebody agreed, and the token that stood for the question is used up. */
export interface Agreement {
  readonly token: Token;
  /** `token`, `user`, or the operator's name. */
  readonly by: string;
}

/** A token as its holder gets it, and as the store keeps it. */
export interface IssuedToken {
  readonly token: string;
  readonly record: Token;
}
