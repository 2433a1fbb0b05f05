import { isJsonObject, type JsonObject, setMember } from '../../base/json/json.js';
import { measureJson } from '../../base/json/measure.js';
import { isSensitiveName, toSnakeCase } from '../../base/lib/names.js';
import { cleanName, cleanText, cleanValue, cutText, quoteValues } from '../../base/lib/text.js';
import {
  ASK_ERROR,
  ASK_METHODS,
  type AskAbilities,
  AskFailure,
  type AskMethod,
  type Question,
} from '../../base/protocol/ask.js';
import type { AskKind, AskPolicy } from '../../config/gateway-config.js';

/** The server that asks, and what its operator lets it ask. */
export interface Asker {
  readonly name: string;
  readonly asks: AskPolicy;
}

/** What became of a question, for records: they hold nothing of its content. */
export type AskOutcome = 'accept' | 'decline' | 'cancel' | 'answered' | 'failed' | 'refused';

const KINDS: Readonly<Record<AskMethod, AskKind>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

/** The most characters of JSON in a request for a text, and of messages in it. */
const MAX_SAMPLING = { characters: 1_000_000, messages: 200 };
/** Longer links are cut by programs that show them. */
const MAX_URL_LENGTH = 2_000;
export const MAX_ID_LENGTH = 200;

export function isAskMethod(method: unknown): method is AskMethod {
  return ASK_METHODS.some((known) => known === method);
}

/** What a server asks for, as callers read it. */
export function describeQuestion({ method, params }: Question): string {
  if (method === 'elicitation/create') return params['mode'] === 'url' ? 'a page to be opened' : 'input in a form';
  return method === 'roots/list' ? "the client's folders (roots)" : "a text of the client's model (sampling)";
}

/** The abilities that a server may know of: the client's, without what the operator forbids. */
export function permit(
  { form, url, sampling, samplingTools, roots }: AskAbilities,
  { elicitation, sampling: model, roots: folders }: AskPolicy,
): AskAbilities {
  return {
    form: form && elicitation === 'allow',
    url: url && elicitation === 'allow',
    sampling: sampling && model === 'allow',
    samplingTools: samplingTools && model === 'allow',
    roots: roots && folders !== 'deny',
  };
}

/**
 * The question as the client gets it: what people read names the server, is cleaned and bounded, and a form holds nothing but plain
 * fields.
 * @throws AskFailure where it may not be asked, and where the client cannot be asked it
 */
export function prepareQuestion(asked: Question, abilities: AskAbilities, asker: Asker): Question {
  const { method, params } = asked;
  if (asker.asks[KINDS[method]] === 'deny') {
    throw unsupported(`The operator does not let this server ask for ${describeQuestion(asked)}`);
  }
  return { method, params: PREPARE[method](params, permit(abilities, asker.asks), asker) };
}

type Prepare = (params: JsonObject, abilities: AskAbilities, asker: Asker) => JsonObject;

const PREPARE: Readonly<Record<AskMethod, Prepare>> = {
  'elicitation/create': (params, abilities, asker) => {
    const { mode = 'form' } = params;
    if (!abilities.form && !abilities.url)
      throw unsupported(`This client does not support elicitation. ${adviseDenial('elicitation/create')}`);
    if (mode === 'form' && abilities.form) return prepareForm(params, asker);
    if (mode === 'url' && abilities.url) return prepareLink(params, asker);
    throw invalid(`This client does not support the mode '${cutText(cleanText(String(mode)), 40)}' of elicitation`);
  },
  'sampling/createMessage': (params, abilities) => {
    if (!abilities.sampling)
      throw unsupported(`This client does not support sampling. ${adviseDenial('sampling/createMessage')}`);
    if ((params['tools'] !== undefined || params['toolChoice'] !== undefined) && !abilities.samplingTools) {
      throw invalid('This client does not support tools in sampling');
    }
    return prepareSampling(params);
  },
  'roots/list': (_params, abilities) => {
    if (!abilities.roots) throw unsupported('Roots not supported: this client has none');
    return {};
  },
};

function prepareForm({ message, requestedSchema }: JsonObject, { name }: Asker): JsonObject {
  return {
    message: `The server '${name}' asks: ${cleanText(message)}`,
    requestedSchema: readFormSchema(requestedSchema),
  };
}

/** The host stands in the message, so that the person sees where the link leads whatever the client shows of it. */
function prepareLink({ message, url, elicitationId }: JsonObject, { name }: Asker): JsonObject {
  const isAddress = typeof url === 'string' && url.length <= MAX_URL_LENGTH && URL.canParse(url);
  const target = isAddress ? new URL(url) : undefined;
  if (target === undefined || !/^https?:$/.test(target.protocol)) {
    throw invalid("'url' has to be an address with http or https");
  }
  if (target.username !== '' || target.password !== '') throw invalid("'url' must not hold a user or a password");
  const words = `The server '${name}' asks you to open a page of ${target.host}: ${cleanText(message)}`;
  const id = typeof elicitationId === 'string' ? { elicitationId: elicitationId.slice(0, MAX_ID_LENGTH) } : {};
  return { mode: 'url', message: words, url: target.href, ...id };
}

/**
 * Passed on as it is, except for `includeContext`: the context that a client would include is that of this gateway, of all servers
 * behind it.
 */
function prepareSampling({ includeContext: _context, _meta, ...params }: JsonObject): JsonObject {
  const { messages } = params;
  if (!Array.isArray(messages)) throw invalid("'messages' has to be a list");
  if (messages.length > MAX_SAMPLING.messages) throw invalid(`'messages' has ${MAX_SAMPLING.messages} at most`);
  if (measureJson(params, MAX_SAMPLING.characters) > MAX_SAMPLING.characters) {
    throw invalid(`the request has more than ${MAX_SAMPLING.characters} characters`);
  }
  return params;
}

const ACTIONS: ReadonlySet<unknown> = new Set(['accept', 'decline', 'cancel']);

/**
 * The client's answer as the server gets it.
 * @throws AskFailure where it is none
 */
export function readAnswer(
  method: AskMethod,
  result: JsonObject,
): { readonly result: JsonObject; readonly outcome: AskOutcome } {
  const { _meta, resultType: _type, ...answer } = result;
  if (method === 'elicitation/create') {
    const { action, content } = answer;
    if (!ACTIONS.has(action)) throw new AskFailure(ASK_ERROR.internal, "The client's answer has no known action");
    const withContent = action === 'accept' && isJsonObject(content);
    return { result: { action, ...(withContent ? { content } : {}) }, outcome: action as AskOutcome };
  }
  const isAnswer =
    method === 'roots/list' ? Array.isArray(answer['roots']) : answer['content'] !== undefined && 'role' in answer;
  if (!isAnswer) throw new AskFailure(ASK_ERROR.internal, "The client's answer is not one of this request");
  return { result: answer, outcome: 'answered' };
}

function unsupported(message: string): AskFailure {
  return new AskFailure(ASK_ERROR.unsupported, message);
}

/** What an operator does about a server that asks clients for what they do not have. */
export function adviseDenial(method: AskMethod): string {
  return `Where it can do without, the operator sets its "asks" to {"${KINDS[method]}": "deny"}`;
}

function invalid(message: string): AskFailure {
  return new AskFailure(ASK_ERROR.invalid, message);
}

/** A form of more fields is not one that a person fills in. */
const MAX_FIELDS = 50;
const MAX_CHOICES = 200;

/** The keywords of each type of field, which hold nothing but plain values. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'format', 'default', 'enumNames'],
  number: ['minimum', 'maximum', 'default'],
  integer: ['minimum', 'maximum', 'default'],
  boolean: ['default'],
  array: ['minItems', 'maxItems', 'default'],
};

/**
 * The schema of a form, with nothing in it but what the protocol allows: an object of plain fields. What is shown is cleaned.
 * https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema
 *
 * @throws AskFailure for a schema of another form, and for a field that asks for a secret: the protocol forbids that in forms.
 */
function readFormSchema(schema: unknown): JsonObject {
  const properties = isJsonObject(schema) ? schema['properties'] : undefined;
  if (!isJsonObject(schema) || schema['type'] !== 'object' || !isJsonObject(properties)) {
    throw invalid("'requestedSchema' has to be an object schema with properties");
  }
  const names = Object.keys(properties);
  if (names.length > MAX_FIELDS) throw invalid(`a form has ${MAX_FIELDS} fields at most`);
  const secrets = names.filter((name) => asksForSecret(name, properties[name]));
  if (secrets.length > 0) {
    throw invalid(`a form must not ask for secrets, as the fields ${quoteValues(secrets)} do: use the mode 'url'`);
  }
  const fields: JsonObject = {};
  for (const name of names) setMember(fields, name, readField(name, properties[name]));
  const { required } = schema;
  const needed = Array.isArray(required) ? required.filter((name) => names.includes(name)) : [];
  return { type: 'object', properties: fields, ...(needed.length === 0 ? {} : { required: needed }) };
}

function asksForSecret(name: string, field: unknown): boolean {
  const { title, format } = isJsonObject(field) ? field : {};
  const named = typeof title === 'string' ? [name, title] : [name];
  return format === 'password' || named.some((text) => isSensitiveName(toSnakeCase(cleanName(text))));
}

function readField(name: string, field: unknown): JsonObject {
  const type = isJsonObject(field) ? field['type'] : undefined;
  const keywords = typeof type === 'string' && Object.hasOwn(KEYWORDS, type) ? KEYWORDS[type] : undefined;
  if (!isJsonObject(field) || keywords === undefined) {
    throw invalid(`the field ${quoteValues([name])} has no type that a form may have`);
  }
  const { title, description } = field;
  return {
    type,
    ...(typeof title === 'string' ? { title: cleanText(title) } : {}),
    ...(typeof description === 'string' ? { description: cleanText(description) } : {}),
    ...pickPlain(field, keywords),
    ...(type === 'string' ? readChoices(field, 'oneOf') : {}),
    ...(type === 'array' ? { items: readItems(name, field['items']) } : {}),
  };
}

/** Several of a list of choices: the only arrays in forms. */
function readItems(name: string, items: unknown): JsonObject {
  const choices = isJsonObject(items) ? readChoices(items, 'anyOf') : {};
  if (Object.keys(choices).length === 0) throw invalid(`the list ${quoteValues([name])} has no choices`);
  return choices['anyOf'] === undefined ? { type: 'string', ...choices } : choices;
}

/** The choices of a field: `enum`, or values with titles. */
function readChoices(holder: JsonObject, titled: 'oneOf' | 'anyOf'): JsonObject {
  const { enum: plain, [titled]: named } = holder;
  if (Array.isArray(named)) {
    const choices = bounded(named).map((choice) => {
      const { const: value, title } = isJsonObject(choice) ? choice : {};
      if (typeof value !== 'string') throw invalid(`each choice in '${titled}' has to be a text with a title`);
      return { const: value, title: cleanText(typeof title === 'string' ? title : value) };
    });
    return { [titled]: choices };
  }
  return Array.isArray(plain) ? { enum: bounded(plain).filter((value) => typeof value === 'string') } : {};
}

function bounded(choices: readonly unknown[]): readonly unknown[] {
  if (choices.length > MAX_CHOICES) throw invalid(`a field has ${MAX_CHOICES} choices at most`);
  return choices;
}

function pickPlain(field: JsonObject, keywords: readonly string[]): JsonObject {
  const given = keywords.filter((keyword) => isPlain(field[keyword]));
  return Object.fromEntries(given.map((keyword) => [keyword, cleanValue(field[keyword])]));
}

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.length <= MAX_CHOICES && value.every((each) => typeof each === 'string');
  return ['string', 'number', 'boolean'].includes(typeof value);
}
