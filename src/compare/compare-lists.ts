import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../base/json/json.js';
import type { Difference, Listed, Lists } from './comparison.js';

export type Found = Omit<Difference, 'face' | 'era'>;

const KINDS = [
  ['resources', 'resource'],
  ['templates', 'resource template'],
  ['prompts', 'prompt'],
] as const;

/** What of the resources, templates and prompts is missing or different. */
export function comparePrimitives(direct: Lists, through: Lists): readonly Found[] {
  return KINDS.flatMap(([list, noun]) => compareItems(noun, direct[list], through[list]));
}

/** What of the tools is missing or different where they keep their names. @param dangerous those that policy refuses by itself */
export function compareTools(direct: Listed, through: Listed, dangerous: ReadonlySet<string>): readonly Found[] {
  return compareItems('tool', direct, through, dangerous);
}

/** Of tools that are not listed. */
export const DANGEROUS = 'it is not listed: policy refuses dangerous calls';

/** Tools of which no operation was made. */
export function compareOperations(direct: Listed, tools: ReadonlySet<string>): readonly Found[] {
  return [...direct.keys()]
    .filter((name) => !tools.has(name))
    .map((name) => ({ kind: 'lost', subject: `tool '${name}'`, message: 'no operation stands for it' }));
}

function compareItems(
  noun: string,
  direct: Listed,
  through: Listed,
  dangerous: ReadonlySet<string> = new Set(),
): readonly Found[] {
  return [...direct].flatMap(([key, item]): readonly Found[] => {
    const subject = `${noun} '${key}'`;
    const other = through.get(key);
    const message = dangerous.has(key) ? DANGEROUS : 'it is not listed';
    if (other === undefined) return [{ kind: 'lost', subject, message }];
    const members = changedMembers(item, other);
    if (members.length === 0) return [];
    return [
      { kind: 'changed', subject, message: `its ${members.join(', ')} ${members.length > 1 ? 'differ' : 'differs'}` },
    ];
  });
}

function changedMembers(item: JsonObject, other: JsonObject): readonly string[] {
  const names = new Set([...Object.keys(item), ...Object.keys(other)]);
  return [...names].filter((name) => !isDeepStrictEqual(plain(item[name]), plain(other[name])));
}

/** Without the members that say nothing, which one side may leave out. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
