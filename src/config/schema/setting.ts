import { isJsonObject, type JsonObject, type JsonSchema } from '../../base/json/json.js';

/**
 * The one declaration of a setting: the JSON Schema of what a file may say, which is published as it is, with the types of both of its
 * forms. `Given` says whether the gateway gets a value where a file has none.
 */
export interface Setting<In = unknown, Out = unknown, Given extends boolean = boolean> extends JsonSchema {
  /** Of types alone: no schema has this member. A text, as declarations of settings must be able to name it. */
  readonly '~forms'?: { readonly input: In; readonly output: Out; readonly given: Given };
}

type Forms<S extends Setting> = NonNullable<S['~forms']>;

/** What a file may say of a setting. */
export type Input<S extends Setting> = Forms<S>['input'];

/** What the gateway gets of it: `normalise` fills in the defaults. */
export type Output<S extends Setting> = Forms<S>['output'];

/** The members of an object, by name. */
export type Settings = Readonly<Record<string, Setting>>;

/** What a file may say of members, of which none need be given. */
export type Inputs<P extends Settings> = { readonly [K in keyof P]?: Input<P[K]> };

/** What the gateway gets of members. */
export type Outputs<P extends Settings> = Members<P, GivenKeys<P>, 'output'>;

type GivenKeys<P extends Settings> = {
  [K in keyof P]: true extends Forms<P[K]>['given'] ? K : never;
}[keyof P];

type Members<P extends Settings, Always, Form extends 'input' | 'output'> = Flat<
  { readonly [K in keyof P as K extends Always ? K : never]: Forms<P[K]>[Form] } & {
    readonly [K in keyof P as K extends Always ? never : K]?: Forms<P[K]>[Form];
  }
>;

type Flat<T> = { [K in keyof T]: T[K] };

/** Whether there is a default. */
type IsGiven<Default> = undefined extends Default ? false : true;

type Section<P extends Settings, Required> = Setting<
  Members<P, Required, 'input'>,
  Members<P, Required | GivenKeys<P>, 'output'>,
  [GivenKeys<P>] extends [never] ? false : true
>;

/**
 * An object with these members and no others. One of them with a default is always there, and so are those around it; without any, the
 * object is there where a file has it.
 * @param required what a file must give where it has the object
 */
export function section<P extends Settings, Required extends keyof P & string = never>(
  description: string,
  properties: P,
  required: readonly Required[] = [],
): Section<P, Required> {
  return {
    type: 'object',
    additionalProperties: false,
    properties,
    ...described(description),
    ...(required.length > 0 && { required }),
  };
}

/** A text. Further keywords: `minLength`, `maxLength`, `pattern`. */
export function string<D extends string | undefined = undefined>(
  keywords: JsonSchema,
  description: string,
  fallback?: D,
): Setting<string, string, IsGiven<D>> {
  return withDefault({ type: 'string', ...keywords, ...described(description) }, fallback);
}

/** An item of a list of texts, which is not empty. */
export const TEXT = string({ minLength: 1 }, '');

/** A pattern of values, and one of names. */
export const GLOB = string({ format: 'glob', minLength: 1, maxLength: 500 }, '');
export const NAME_GLOB = string({ format: 'name-glob', minLength: 1, maxLength: 500 }, '');

/** A scope of OAuth 2 (RFC 6749, section 3.3). */
export const SCOPE = string({ pattern: '^[!#-\\[\\]-~]+$' }, '');

/** A text that is not empty. */
export function text<D extends string | undefined = undefined>(
  description: string,
  fallback?: D,
): Setting<string, string, IsGiven<D>> {
  return string({ minLength: 1 }, description, fallback);
}

/** An integer within bounds. */
export function integer<D extends number | undefined = undefined>(
  minimum: number,
  maximum: number,
  description: string,
  fallback?: D,
): Setting<number, number, IsGiven<D>> {
  return withDefault({ type: 'integer', minimum, maximum, description }, fallback);
}

/** A number, which may have a fraction. Further keywords: `minimum`, `maximum`, `exclusiveMinimum`. */
export function number(keywords: JsonSchema, description: string): Setting<number, number, false> {
  return { type: 'number', ...keywords, description };
}

export function boolean<D extends boolean | undefined = undefined>(
  description: string,
  fallback?: D,
): Setting<boolean, boolean, IsGiven<D>> {
  return withDefault({ type: 'boolean', description }, fallback);
}

export function choice<const V extends string | boolean, D extends V | undefined = undefined>(
  values: readonly V[],
  description: string,
  fallback?: D,
): Setting<V, V, IsGiven<D>> {
  return withDefault({ enum: [...values], ...described(description) }, fallback);
}

/** Further keywords: `minItems`, `maxItems`. */
export function list<S extends Setting, D extends readonly Input<S>[] | undefined = undefined>(
  items: S,
  description: string,
  fallback?: D,
  keywords: JsonSchema = {},
): Setting<readonly Input<S>[], readonly Output<S>[], IsGiven<D>> {
  return withDefault({ type: 'array', ...keywords, items, ...described(description) }, fallback);
}

/** One of something or a list of them; the gateway gets a list. `if` chooses one of the two, so that a fault is reported once. */
export function oneOrMany<S extends Setting>(
  items: S,
  description: string,
): Setting<Input<S> | readonly Input<S>[], readonly Output<S>[], false> {
  return { type: ['string', 'array'], minItems: 1, items, if: { type: 'array' }, else: items, description };
}

/** One of some values, or a list. */
export function choiceOrMany<const V extends string, S extends Setting>(
  values: readonly V[],
  items: S,
  description: string,
  fallback: V,
): Setting<V | readonly Input<S>[], V | readonly Output<S>[], true> {
  const either = { type: ['string', 'array'], items, if: { type: 'array' }, else: { enum: [...values] } };
  return { ...either, description, default: fallback };
}

/** Values under names. Further keywords: `propertyNames`, `minProperties`. */
export function dictionary<S extends Setting>(
  keywords: JsonSchema,
  values: S,
  description: string,
): Setting<Readonly<Record<string, Input<S>>>, Readonly<Record<string, Output<S>>>, false> {
  return { type: 'object', ...keywords, additionalProperties: values, ...described(description) };
}

/** A value as pasted blocks write it in `env` and `headers`; null takes the key away. */
export type LooseText = string | number | boolean | null;

export type LooseTexts = Readonly<Record<string, LooseText>>;

/** Variables or headers, by name. */
export function looseTexts(description: string): Setting<LooseTexts, LooseTexts, false> {
  return {
    type: 'object',
    additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
    ...described(description),
  };
}

/** What no function here describes, of a type that the caller vouches for. */
export function custom<In, Out = In>(schema: JsonSchema): Setting<In, Out, false> {
  return schema;
}

/** A setting that stands under `definitions`. It is not looked into for defaults. */
export function reference<S extends Setting>(name: string, _: S): Setting<Input<S>, Input<S>, false> {
  return { $ref: `#/definitions/${name}` };
}

/** The same settings without their defaults, for what is said of one and holds for all unless given. */
export function withoutDefaults<P extends Settings>(
  settings: P,
): { readonly [K in keyof P]: Setting<Input<P[K]>, Input<P[K]>, false> };
export function withoutDefaults(settings: Settings): Settings {
  const bare = Object.entries(settings).map(([name, { default: _, ...schema }]) => {
    const members = schema['properties'] as Settings | undefined;
    return [name, members === undefined ? schema : { ...schema, properties: withoutDefaults(members) }] as const;
  });
  return Object.fromEntries(bare);
}

function described(description: string): JsonSchema {
  return description === '' ? {} : { description };
}

function withDefault(schema: JsonSchema, fallback: unknown): JsonSchema {
  return fallback === undefined ? schema : { ...schema, default: fallback };
}

/**
 * What the gateway gets of a setting: every default that its declaration has is filled in, at any depth, and what may be one or many is
 * a list. Nothing is checked: the value is valid, or its faults are reported and taken out.
 */
export function normalise<S extends Setting>(setting: S, value: Input<S> | undefined): Output<S> {
  return complete(value ?? (hasMembers(setting) ? {} : setting['default']), setting);
}

/** The same for members of an object that has others, too. */
export function normaliseAll<P extends Settings>(settings: P, values: Inputs<P>): Outputs<P> {
  return completeMembers(values, settings) as Outputs<P>;
}

function complete(value: unknown, schema: Setting): unknown {
  const { items, additionalProperties, type } = schema;
  if (isJsonObject(items) && Array.isArray(value)) return value.map((item) => complete(item, items));
  if (isJsonObject(items) && value !== undefined && Array.isArray(type)) return [complete(value, items)];
  if (!isJsonObject(value)) return value;
  if (hasMembers(schema)) return completeMembers(value, schema.properties);
  if (!isJsonObject(additionalProperties)) return value;
  const members = Object.entries(value).map(
    ([name, member]) => [name, complete(member, additionalProperties)] as const,
  );
  return Object.fromEntries(members);
}

function completeMembers(value: JsonObject, members: Readonly<Record<string, Setting>>): JsonObject {
  const completed: JsonObject = {};
  for (const [name, schema] of Object.entries(members)) {
    const member = Object.hasOwn(value, name) ? complete(value[name], schema) : fallbackOf(schema);
    if (member !== undefined) completed[name] = member;
  }
  return completed;
}

/** What stands for a setting that is not given: its default, or an object with those of its members, where there are any. */
function fallbackOf(schema: Setting): unknown {
  if (schema['default'] !== undefined || !hasMembers(schema)) return schema['default'];
  const members = completeMembers({}, schema.properties);
  return Object.keys(members).length === 0 ? undefined : members;
}

function hasMembers(schema: Setting): schema is Setting & { readonly properties: Readonly<Record<string, Setting>> } {
  return isJsonObject(schema['properties']);
}
