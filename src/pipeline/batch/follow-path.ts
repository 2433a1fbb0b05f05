import { isJsonObject } from '../../protocol/json.js';

/** What a path leads to, or why it leads nowhere. */
export type Found =
  | { readonly found: true; readonly value: unknown }
  | { readonly found: false; readonly why: string; readonly available?: readonly string[] };

/** How many keys are told of an object that lacks the one that was asked for. */
const MOST_KEYS = 20;

/** Longer keys are cut. */
const MOST_CHARACTERS = 100;

/** Follows own members and list positions. `root` names the value in the explanation. */
export function followPath(data: unknown, path: readonly string[], root: string): Found {
  let value = data;
  let where = root;
  for (const step of path) {
    if (!hasStep(value, step)) return nothingThere(value, step, where);
    where += Array.isArray(value) ? `[${step}]` : `.${step}`;
    value = (value as Record<string, unknown>)[step];
  }
  if (isInexact(value)) {
    return {
      found: false,
      why: `'${where}' is a number of more digits than can be carried over exactly; send it as it stands`,
    };
  }
  return { found: true, value };
}

/** A list has positions and nothing else: its `length` is no data. */
function hasStep(value: unknown, step: string): boolean {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d*)$/.test(step) && Object.hasOwn(value, step);
  return isJsonObject(value) && Object.hasOwn(value, step);
}

/** A long id that was a number in JSON is another number after reading: never act on the wrong thing. */
function isInexact(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

function nothingThere(value: unknown, step: string, where: string): Found {
  const missing = `there is no '${step}' in '${where}'`;
  if (Array.isArray(value)) return { found: false, why: `${missing}, which is a list of ${value.length}` };
  if (!isJsonObject(value)) {
    return { found: false, why: `${missing}, which is ${value === null ? 'null' : `a ${typeof value}`}` };
  }
  const keys = Object.keys(value);
  if (keys.length === 0) return { found: false, why: `${missing}, which is empty`, available: [] };
  const available = keys.slice(0, MOST_KEYS).map((key) => key.slice(0, MOST_CHARACTERS));
  const more = keys.length > MOST_KEYS ? ` and ${keys.length - MOST_KEYS} more` : '';
  return {
    found: false,
    why: `${missing}, which holds ${available.map((key) => `'${key}'`).join(', ')}${more}`,
    available,
  };
}
