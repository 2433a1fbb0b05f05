import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject, parseObject } from '../../base/json/json.js';
import { FetchFailure } from '../../base/lib/fetch-json.js';
import type { ClientAtIssuer } from './oauth-answers.js';

// What authorization servers say, read as liberally as what servers say: of each document the members that the gateway uses, where null,
// the empty text and what has another type are absent.

/** @throws FetchFailure that names the member which it cannot do without */
export function readMetadata(found: JsonObject): AuthorizationServerMetadata {
  const issuer = String(found['issuer']);
  const address = (name: string): string | undefined => {
    const value = textOf(found[name]);
    return value !== undefined && URL.canParse(value, issuer) ? new URL(value, issuer).href : undefined;
  };
  const required = (name: string): string => {
    const value = address(name);
    if (value === undefined) throw new FetchFailure(`its metadata has no '${name}' that is an address`, 200);
    return value;
  };
  const optional = <T>(name: string, value: T | undefined) => (value === undefined ? {} : { [name]: value });
  const responses = listOf(found['response_types_supported']) ?? ['code'];
  const challenges = listOf(found['code_challenge_methods_supported'])?.map((each) => each.replace(/^s256$/, 'S256'));
  if (!responses.includes('code')) throw lacking('response_types_supported', 'code', responses);
  if (challenges?.includes('S256') === false) throw lacking('code_challenge_methods_supported', 'S256', challenges);
  return {
    issuer,
    authorization_endpoint: required('authorization_endpoint'),
    token_endpoint: required('token_endpoint'),
    response_types_supported: responses,
    ...optional('code_challenge_methods_supported', challenges),
    ...optional('registration_endpoint', address('registration_endpoint')),
    ...optional('revocation_endpoint', address('revocation_endpoint')),
    ...optional('scopes_supported', listOf(found['scopes_supported'])),
    ...optional('token_endpoint_auth_methods_supported', listOf(found['token_endpoint_auth_methods_supported'])),
    client_id_metadata_document_supported: found['client_id_metadata_document_supported'] === true,
    authorization_response_iss_parameter_supported: found['authorization_response_iss_parameter_supported'] === true,
  };
}

/**
 * What an authorization server without metadata has, at the server's own origin.
 * https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization (fallbacks for servers without metadata discovery)
 */
export function assumeMetadata(origin: string): AuthorizationServerMetadata {
  return readMetadata({
    issuer: origin,
    authorization_endpoint: '/authorize',
    token_endpoint: '/token',
    registration_endpoint: '/register',
    token_endpoint_auth_methods_supported: ['none'],
  });
}

function lacking(name: string, wanted: string, given: readonly string[]): FetchFailure {
  return new FetchFailure(`its '${name}' lacks '${wanted}' (${given.join(', ').slice(0, 100)})`, 200);
}

/** What a server says of itself as a resource (RFC 9728). */
export interface ResourceDescription {
  readonly resource?: string;
  readonly issuers: readonly string[];
  readonly scopes: readonly string[];
}

export function readResource(found: JsonObject): ResourceDescription {
  const resource = textOf(found['resource']);
  const issuers = listOf(found['authorization_servers']) ?? [];
  const scopes = listOf(found['scopes_supported']) ?? [];
  return { ...(resource === undefined ? {} : { resource }), issuers, scopes };
}

/** What a registration has given (RFC 7591, section 3.2.1). @throws FetchFailure */
export function readRegistration(found: JsonObject): ClientAtIssuer {
  const { client_id: id } = found;
  const name = typeof id === 'number' ? String(id) : textOf(id);
  if (name === undefined) throw new FetchFailure("its answer has no 'client_id'", 200);
  const secret = textOf(found['client_secret']);
  const method = textOf(found['token_endpoint_auth_method']);
  return {
    client_id: name,
    ...(secret === undefined ? {} : { client_secret: secret }),
    // It may have chosen another way to prove the secret than was asked for.
    ...(secret === undefined || method === undefined ? {} : { token_endpoint_auth_method: method }),
  };
}

/**
 * An answer about tokens, in the form that RFC 6749 gives it: a failure with the code of an error is one whatever its status is, and tokens
 * may come as a form.
 * @throws FetchFailure where it is neither
 */
export function readTokenAnswer(status: number, text: string): { readonly status: number; readonly body: JsonObject } {
  const found = parse(text);
  const error = errorOf(found);
  const token = textOf(found['access_token']);
  if (error !== undefined && (status >= 400 || token === undefined)) {
    const described = textOf(found['error_description']);
    return { status: 400, body: { error, ...(described === undefined ? {} : { error_description: described }) } };
  }
  if (status >= 300) throw new FetchFailure(`it answered ${status} without the code of an error`, status);
  if (token === undefined) throw new FetchFailure("its answer has no 'access_token'", status);
  const seconds = Number(textOf(String(found['expires_in'] ?? '')));
  const renewing = textOf(found['refresh_token']);
  return {
    status: 200,
    body: {
      access_token: token,
      token_type: textOf(found['token_type']) ?? 'Bearer',
      ...(Number.isFinite(seconds) && seconds >= 0 ? { expires_in: seconds } : {}),
      ...(renewing === undefined ? {} : { refresh_token: renewing }),
    },
  };
}

/** Some write the error as an object, and its code in capital letters. */
function errorOf({ error }: JsonObject): string | undefined {
  const code = isJsonObject(error) ? (error['code'] ?? error['type'] ?? error['error']) : error;
  return typeof code === 'string' && /^[\w.-]{1,100}$/.test(code) ? code.toLowerCase() : undefined;
}

function parse(text: string): JsonObject {
  const isForm = /^\w+=[^<>\s]*$/.test(text.trim());
  return parseObject(text) ?? (isForm ? Object.fromEntries(new URLSearchParams(text.trim())) : {});
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** One text is often written without its list, or with blanks between what it lists. */
function listOf(value: unknown): string[] | undefined {
  const texts = (typeof value === 'string' ? value.split(/\s+/) : Array.isArray(value) ? value : []).filter(
    (each): each is string => textOf(each) !== undefined,
  );
  return texts.length === 0 ? undefined : texts;
}
