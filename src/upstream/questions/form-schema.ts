import { toSnakeCase } from '../../lib/names.js';
import { isSensitiveName } from '../../lib/sensitive-name.js';
import { cleanName, cleanText, cleanValue, quoteValues } from '../../lib/text.js';
import { ASK_ERROR, AskFailure } from '../../protocol/ask.js';
import { isJsonObject, type JsonObject, setMember } from '../../protocol/json.js';

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
export function readFormSchema(schema: unknown): JsonObject {
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

function invalid(message: string): AskFailure {
  return new AskFailure(ASK_ERROR.invalid, message);
}
