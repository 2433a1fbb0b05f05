import { isJsonObject } from '../../base/json/json.js';
import type { Classification, ReadOnlyAccount, Statement } from '../../base/protocol/operation.js';
import type { CurationRule, UpstreamConfig } from '../../config/gateway-config.js';
import type { ScreenedTool } from '../integrity/screen-tools.js';

/** A server, with what is known of the account behind its connection. */
export interface CatalogUpstream extends UpstreamConfig {
  readonly account?: ReadOnlyAccount | undefined;
}

/** The operator's word alone. */
export function declaredAccount({ name, readOnlyAccount }: UpstreamConfig): ReadOnlyAccount | undefined {
  return readOnlyAccount === true ? { holds: true, reason: reasonOf(name, OPERATORS_WORD), tools: {} } : undefined;
}

export const OPERATORS_WORD = 'its operator says so';
export const reasonOf = (name: string, whose: string): string => `the account behind '${name}' cannot write: ${whose}`;

/**
 * The classification of a tool whose server has such an account. It rests on it as far as the account decides what a call does: by its
 * statement, or by a text that is looked up. Whatever else a tool of the server does is not the account's, and stays what it is.
 */
export function restOnAccount(
  classification: Classification,
  { account, readOnlyStatements }: CatalogUpstream,
  { name, raw }: Pick<ScreenedTool, 'name' | 'raw'>,
  { category, danger, risks }: Pick<CurationRule, 'category' | 'danger' | 'risks'>,
): Classification {
  const isDeclared = category !== undefined || danger !== undefined || risks !== undefined;
  if (account === undefined || isDeclared) return classification;
  const carrier = Object.hasOwn(account.tools, name) ? account.tools[name] : undefined;
  const statement = readOnlyStatements ? statementOf(classification, account, raw, carrier) : undefined;
  if (statement === undefined && carrier !== null) return classification;
  const evidence = [account.reason, ...classification.evidence];
  return { ...classification, evidence, account, ...(statement !== undefined && { statement }) };
}

/** What the tool runs, in the SQL of the product that has answered. */
function statementOf(
  { statement, category, danger }: Classification,
  { product }: ReadOnlyAccount,
  { inputSchema: schema }: ScreenedTool['raw'],
  carrier: string | null | undefined,
): Statement | undefined {
  if (statement !== undefined) {
    if (product === undefined || statement.language !== 'sql') return statement;
    return statement.dialects.includes(product) ? { ...statement, dialects: [product] } : undefined;
  }
  const properties =
    isJsonObject(schema) && isJsonObject(schema['properties']) ? Object.keys(schema['properties']) : [];
  const isPlain = category === 'EXECUTE' && danger.level !== 'forbidden' && danger.level !== 'dangerous';
  if (!isPlain || typeof carrier !== 'string' || product === undefined || !properties.includes(carrier))
    return undefined;
  return { language: 'sql', dialects: [product], parameter: carrier, companions: [] };
}
