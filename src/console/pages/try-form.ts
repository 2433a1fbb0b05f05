import { mayChangeNumbers } from '../../base/json/exact-result.js';
import { isJsonObject, type JsonObject, parseJson } from '../../base/json/json.js';
import { exactly, type Html, html } from '../../base/lib/html.js';
import type { Operation, Parameter } from '../../base/protocol/operation.js';
import { foreign } from '../layout/components.js';

/** How a parameter is asked for. */
type Kind = 'choice' | 'switch' | 'number' | 'text' | 'lines' | 'json';

/** What people typed, by the names of fields. */
export type Typed = Readonly<Record<string, string>>;

/** The field of a parameter. */
const FIELD = 'p.';

/** Further parameters, as a JSON object: what a schema leaves open, and what a field cannot say, such as an empty text. */
const MORE = 'more';

const MOST_CHOICES = 200;

function kindOf({ schema }: Parameter): Kind {
  const { enum: choices, type, items } = schema;
  if (Array.isArray(choices) && choices.length <= MOST_CHOICES) return 'choice';
  if (type === 'boolean') return 'switch';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string') return 'text';
  if (type === 'array' && isJsonObject(items) && items['type'] === 'string') return 'lines';
  return 'json';
}

/** The fields of a form; others of it are left. */
export function readTyped(form: URLSearchParams): Typed {
  return Object.fromEntries([...form].filter(([name]) => name.startsWith(FIELD) || name === MORE));
}

/** The parameters by the names that callers use, or in words what cannot be read. Fields that are empty are left out. */
export function readParameters(operation: Operation, typed: Typed): readonly [Parameter, unknown][] | string {
  const read: [Parameter, unknown][] = [];
  for (const parameter of operation.parameters) {
    // Browsers end the lines of a text with two characters.
    const text = (typed[`${FIELD}${parameter.name}`] ?? '').replaceAll('\r\n', '\n');
    if (text === '') continue;
    const value = readValue(kindOf(parameter), text);
    if (value === undefined) return `'${parameter.name}' is ${WANTED[kindOf(parameter)]}.`;
    read.push([parameter, value]);
  }
  return read;
}

const WANTED: Readonly<Record<Kind, string>> = {
  choice: 'no choice of the list',
  switch: 'neither true nor false',
  number: 'no number, or one with more digits than can be sent without a change',
  text: 'no text',
  lines: 'no list of texts',
  json: 'no JSON, or has a number with more digits than can be sent without a change',
};

/** Undefined for a text that is no such value. */
function readValue(kind: Kind, text: string): unknown {
  if (kind === 'text') return text;
  if (kind === 'lines') return text.split('\n').filter((line) => line !== '');
  const value = readJson(text);
  return kind === 'number' && typeof value !== 'number' ? undefined : value;
}

function readJson(text: string): unknown {
  return mayChangeNumbers(text) ? undefined : parseJson(text);
}

/** What is given beside the fields, or in words why it cannot be read. */
export function readMore(typed: Typed): JsonObject | string {
  const text = typed[MORE] ?? '';
  if (text.trim() === '') return {};
  const value = readJson(text);
  return isJsonObject(value) ? value : 'What is given as JSON is no JSON object, or has a number with too many digits.';
}

/** A field for each parameter, made from its schema, with what was typed before. */
export function writeFields({ parameters, strict }: Operation, typed: Typed): Html {
  const fields = parameters.map((parameter) => writeField(parameter, typed[`${FIELD}${parameter.name}`]));
  const none = parameters.length === 0 ? html`<p class="soft">It takes no parameters.</p>` : undefined;
  const isUsed = (typed[MORE] ?? '') !== '';
  const about = strict ? 'Such as an empty text, or null.' : 'It takes others than these.';
  return html`${none}${fields}
<details class="field" id="more"${isUsed ? html` open` : undefined}><summary>More as JSON</summary>
<textarea name="${MORE}" rows="2" class="mono" aria-label="More as JSON" placeholder="{}">${exactly(typed[MORE] ?? '')}</textarea><p class="hint">${about}</p></details>`;
}

function writeField(parameter: Parameter, before: string | undefined): Html {
  const { name, required, schema } = parameter;
  const kind = kindOf(parameter);
  const id = `f-${name}`;
  const type = `${typeOf(schema)}${required ? ', required' : ''}`;
  const description = typeof schema['description'] === 'string' ? schema['description'].slice(0, LONGEST) : undefined;
  const hint = [description, HINTS[kind]].filter((each) => each !== undefined);
  return html`<div class="field"><label for="${id}"><span class="mono">${foreign(name)}</span><span class="type">${type}</span></label>
${INPUTS[kind](id, parameter, before ?? '')}${hint.length === 0 ? undefined : html`<p class="hint">${foreign(hint.join('. '))}</p>`}</div>
`;
}

const LONGEST = 500;

const HINTS: Readonly<Partial<Record<Kind, string>>> = { lines: 'One a line', json: 'As JSON' };

function typeOf({ type, enum: choices, minimum, maximum, items }: JsonObject): string {
  if (Array.isArray(choices)) return 'one of these';
  const name = Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'any';
  if (name === 'array')
    return isJsonObject(items) && typeof items['type'] === 'string' ? `list of ${items['type']}s` : 'list';
  const bounds = [minimum === undefined ? '' : `from ${minimum}`, maximum === undefined ? '' : `to ${maximum}`];
  return [name, ...bounds].filter((part) => part !== '').join(' ');
}

type WriteInput = (id: string, parameter: Parameter, before: string) => Html;

const INPUTS: Readonly<Record<Kind, WriteInput>> = {
  choice: (id, { name, required, schema }, before) => {
    const choices: readonly unknown[] = Array.isArray(schema['enum']) ? schema['enum'] : [];
    return writeSelect({ id, name, required, default: schema['default'] }, choices, before);
  },
  switch: (id, { name, required, schema }, before) =>
    writeSelect({ id, name, required, default: schema['default'] }, [true, false], before),
  number: (id, { name, required, schema }, before) =>
    html`<input id="${id}" name="${FIELD}${name}" type="text" inputmode="decimal" autocomplete="off" value="${exactly(before)}" placeholder="${placeholderOf(schema)}"${requiredIf(required)}>`,
  text: (id, { name, required, schema }, before) =>
    html`<textarea id="${id}" name="${FIELD}${name}" rows="1" class="one" placeholder="${placeholderOf(schema)}"${requiredIf(required)}>${exactly(before)}</textarea>`,
  lines: (id, { name, required }, before) =>
    html`<textarea id="${id}" name="${FIELD}${name}" rows="2"${requiredIf(required)}>${exactly(before)}</textarea>`,
  json: (id, { name, required, schema }, before) =>
    html`<textarea id="${id}" name="${FIELD}${name}" rows="2" class="mono" placeholder="${placeholderOf(schema)}"${requiredIf(required)}>${exactly(before)}</textarea>`,
};

function requiredIf(required: boolean): Html | undefined {
  return required ? html` required` : undefined;
}

function placeholderOf({ default: value }: JsonObject): string {
  return value === undefined ? '' : `${JSON.stringify(value)} unless given`;
}

/** Values are sent as JSON: 1 is another choice than "1". */
function writeSelect(
  field: { readonly id: string; readonly name: string; readonly required: boolean; readonly default: unknown },
  choices: readonly unknown[],
  before: string,
): Html {
  const none =
    field.default === undefined
      ? field.required
        ? 'choose'
        : 'not given'
      : `not given (${JSON.stringify(field.default)})`;
  const options = choices.map((choice) => {
    const value = JSON.stringify(choice);
    const selected = value === before ? html` selected` : undefined;
    return html`<option value="${exactly(value)}"${selected}>${typeof choice === 'string' ? choice : value}</option>`;
  });
  return html`<select id="${field.id}" name="${FIELD}${field.name}"${requiredIf(field.required)}><option value="">${none}</option>${options}</select>`;
}
