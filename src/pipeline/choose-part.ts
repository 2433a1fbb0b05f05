import { dangerRank } from '../protocol/danger.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import { toSnakeCase } from '../protocol/snake-case.js';

/** Which part of a grouped tool a call meant, and its parameters without the one that chose it. */
export interface ChosenPart {
  readonly operation: Operation;
  readonly params: JsonObject;
  /** Whether the caller said so; else it is the least dangerous. */
  readonly meant: boolean;
}

/** Finds the part whose fixed argument the caller gave; undefined where there are no parts. */
export function choosePart(parts: readonly Operation[], given: JsonObject): ChosenPart | undefined {
  const input = isJsonObject(given['input']) ? given['input'] : {};
  const named = parts.find((part) => gives(given, part) || gives(input, part));
  // An example that somebody sends back unread must do no harm.
  const operation = named ?? parts.toSorted((a, b) => rankOf(a) - rankOf(b))[0];
  if (operation === undefined) return undefined;
  const kept = withoutFixed(given, operation);
  const params = isJsonObject(given['input']) ? { ...kept, input: withoutFixed(input, operation) } : kept;
  return { operation, params, meant: named !== undefined };
}

function gives(members: JsonObject, { fixedArguments = {} }: Operation): boolean {
  return Object.entries(fixedArguments).every(([name, value]) =>
    Object.entries(members).some(([key, given]) => isSame(key, name) && isSame(String(given), String(value))),
  );
}

function withoutFixed(members: JsonObject, { fixedArguments = {} }: Operation): JsonObject {
  const isFixed = (key: string): boolean => Object.keys(fixedArguments).some((name) => isSame(key, name));
  return Object.fromEntries(Object.entries(members).filter(([key]) => !isFixed(key)));
}

function isSame(given: string, name: string): boolean {
  return given === name || toSnakeCase(given) === toSnakeCase(name);
}

function rankOf({ classification }: Operation): number {
  return dangerRank(classification.danger.level);
}
