import type { Caller } from '../../protocol/caller.js';
import { escapeInvisible } from '../../protocol/invisible-text.js';
import type { JsonObject } from '../../protocol/json.js';
import type { Operation } from '../../protocol/operation.js';
import { toSnakeCase } from '../../protocol/snake-case.js';
import type { ConfirmationCase } from './confirmation-case.js';

/** A person reads the question on one screen; longer values are cut, and say so. */
const MAX_VALUE_LENGTH = 200;
const MAX_LIST_LENGTH = 1_500;

/**
 * What would be done, in one sentence: the operator's own words with `{param}` filled in, else the operation and all its
 * parameters. Invisible characters are written out, so that what a person approves is what is called.
 * @param args redacted
 */
export function describeConsent(operation: Operation, args: JsonObject): string {
  const { confirmationMessage: template, name, upstream, classification } = operation;
  if (template !== undefined) return fillIn(template, args);
  const { level } = classification.danger;
  const given = Object.entries(args).map(([key, value]) => `${escapeInvisible(key)} = ${show(value)}`);
  const list = given.length === 0 ? 'no parameters' : cut(given.join(', '), MAX_LIST_LENGTH);
  return `Run '${name}' (${level}) on upstream '${upstream}' with ${list}?`;
}

/** The same for the person behind the client or at the desk: who asks, and why they are asked. */
export function describeQuestion({ request, ruling, message }: ConfirmationCase): string {
  const { operation, caller } = request;
  const reasons = [...operation.classification.danger.reasons, ...(ruling.reason === null ? [] : [ruling.reason])];
  const why = reasons.length === 0 ? '' : ` Why you are asked: ${reasons.map(escapeInvisible).join('; ')}.`;
  return `${message}${why} Asked by ${describeCaller(caller)}.`;
}

function describeCaller({ client, clientName }: Caller): string {
  const label = show(clientName);
  return client === undefined ? `a client that calls itself ${label}` : `client '${client}' (${label})`;
}

/** `{repo}` by either spelling; what names no parameter stays as it is. */
function fillIn(template: string, args: JsonObject): string {
  return template.replace(/\{([^{}]{1,100})\}/g, (whole, name: string) => {
    const key = Object.keys(args).find((each) => each === name || toSnakeCase(each) === name);
    return key === undefined ? whole : show(args[key]);
  });
}

function show(value: unknown): string {
  const text = typeof value === 'string' ? quote(value) : (JSON.stringify(value) ?? 'nothing');
  return cut(escapeInvisible(text), MAX_VALUE_LENGTH);
}

const ESCAPES: Readonly<Record<string, string>> = { "'": "\\'", '\n': '\\n', '\t': '\\t' };

/** A value must not look like the end of itself and the beginning of another one, or of the gateway's own words. */
function quote(text: string): string {
  return `'${text.replace(/['\n\t]/g, (sign) => ESCAPES[sign] ?? sign)}'`;
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}... (${text.length} characters)`;
}
