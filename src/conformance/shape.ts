import { isJsonObject } from '../protocol/json.js';

/** Says what does not fit about a value; nothing where all does. */
export type Shape = (value: unknown, path: string) => readonly string[];

export const anything: Shape = () => [];
export const text: Shape = (value, path) => (typeof value === 'string' ? [] : [`${path}: no text`]);
export const name: Shape = (value, path) => (typeof value === 'string' && value !== '' ? [] : [`${path}: no name`]);
export const flag: Shape = (value, path) => (typeof value === 'boolean' ? [] : [`${path}: neither true nor false`]);
export const number: Shape = (value, path) => (typeof value === 'number' ? [] : [`${path}: no number`]);
export const size: Shape = (value, path) => (Number.isInteger(value) && Number(value) >= 0 ? [] : [`${path}: no size`]);
export const anyObject: Shape = (value, path) => (isJsonObject(value) ? [] : [`${path}: no object`]);

export function matching(pattern: RegExp): Shape {
  return (value, path) =>
    typeof value === 'string' && pattern.test(value) ? [] : [`${path}: not as ${pattern.source}`];
}

export function oneOf(...allowed: readonly unknown[]): Shape {
  return (value, path) => (allowed.includes(value) ? [] : [`${path}: none of ${allowed.join(', ')}`]);
}

export function listOf(item: Shape): Shape {
  return (value, path) =>
    Array.isArray(value) ? value.flatMap((each, index) => item(each, `${path}[${index}]`)) : [`${path}: no list`];
}

type Members = Readonly<Record<string, Shape>>;

/** An object of just these members. */
export function closed(required: Members, optional: Members = {}): Shape {
  const known: Members = { ...required, ...optional };
  return (value, path) => {
    if (!isJsonObject(value)) return [`${path}: no object`];
    const extra = Object.keys(value).filter((key) => !Object.hasOwn(known, key));
    return [
      ...extra.map((key) => `${path}.${key}: not in the specification`),
      ...membersOf(value, required, optional, path),
    ];
  };
}

/** An object of these members, and any others. */
export function open(required: Members, optional: Members = {}): Shape {
  return (value, path) => (isJsonObject(value) ? membersOf(value, required, optional, path) : [`${path}: no object`]);
}

function membersOf(
  value: Readonly<Record<string, unknown>>,
  required: Members,
  optional: Members,
  path: string,
): readonly string[] {
  const needed = Object.entries(required).flatMap(([key, shape]) =>
    Object.hasOwn(value, key) ? shape(value[key], `${path}.${key}`) : [`${path}.${key}: absent`],
  );
  const given = Object.entries(optional).flatMap(([key, shape]) =>
    Object.hasOwn(value, key) ? shape(value[key], `${path}.${key}`) : [],
  );
  return [...needed, ...given];
}
