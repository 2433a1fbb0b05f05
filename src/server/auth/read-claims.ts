import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { type CallerIdentity, ISSUER_SIGN } from '../../base/protocol/caller.js';
import type { ClaimConditions, IssuerConfig } from '../../config/access-config.js';

/** Names are shown in one line of logs, records and questions. */
const NAME = /^[^\p{Cc}\u2028\u2029]{1,500}$/u;

/** Groups and scopes of one token that are read. */
const MAX_NAMES = 500;

/** Who a token's claims say that the caller is; undefined where they name neither a user nor a client. */
export function readIdentity(claims: JsonObject, issuer: IssuerConfig): CallerIdentity | undefined {
  const { sub } = claims;
  const client = [claims['client_id'], claims['azp'], claims['cid']].find(isName);
  // RFC 9068, section 2.2: of a client that acts for itself the subject is the client.
  const user = isName(sub) && sub !== client ? sub : undefined;
  if (client === undefined && user === undefined) return undefined;
  const qualify = (name: string): string => `${issuer.name}${ISSUER_SIGN}${name}`;
  return {
    ...(client === undefined ? {} : { client: qualify(client) }),
    ...(user === undefined ? {} : { user: qualify(user) }),
    groups: Object.freeze(readGroups(claims, issuer)),
    scopes: Object.freeze(readScopes(claims)),
  };
}

/** `scope` is one text (RFC 6749) or, as some servers write it, a list; others call it `scp`. */
export function readScopes(claims: JsonObject): readonly string[] {
  const { scope = claims['scp'] } = claims;
  return namesIn(typeof scope === 'string' ? scope.split(' ') : scope);
}

function readGroups(
  claims: JsonObject,
  { groupsClaim, groupsPrefix, claims: conditions }: IssuerConfig,
): readonly string[] {
  const listed = groupsClaim === undefined ? [] : namesIn(claimAt(claims, groupsClaim));
  const derived = Object.entries(conditions).flatMap(([group, all]) => (holds(all, claims) ? [group] : []));
  return [...new Set([...listed.map((name) => `${groupsPrefix}${name}`), ...derived])];
}

function holds(conditions: ClaimConditions, claims: JsonObject): boolean {
  return Object.entries(conditions).every(([claim, allowed]) => {
    const value = claimAt(claims, claim);
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.some((each) => allowed.some((one) => one === each));
  });
}

/** A claim by its whole name, which may hold dots and slashes, else a member inside one, dotted. */
function claimAt(claims: JsonObject, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const step of path.split('.')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return value;
}

function namesIn(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.slice(0, MAX_NAMES).filter(isName);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value);
}
