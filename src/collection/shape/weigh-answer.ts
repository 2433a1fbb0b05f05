import type { FieldPath } from '../collection-query.js';
import type { ItemField, ResultShape } from '../result-desk.js';
import { seenFields } from './describe-items.js';
import { locateList, onlyText } from './locate-list.js';

/** So many answers that agree make a shape certain. */
const CERTAIN_AFTER = 3;

/** What the answers of one operation have been so far. */
export interface Experience {
  readonly lists: number;
  /** Answers that were one thing, or a text of several lines. */
  readonly objects: number;
  /** Texts of one line: an object's, or what a list has to say when it is empty. */
  readonly notes: number;
  /** Where the lists were; null once they were in different places. */
  readonly path?: FieldPath | null;
  /** Field types by name, of those that every list so far had; complete once the shape is certain. */
  readonly seen?: ReadonlyMap<string, string>;
  /** What is certain; undefined before, and for good once answers contradict each other. */
  readonly shape?: ResultShape;
  readonly fields?: readonly ItemField[];
}

export const NO_EXPERIENCE: Experience = { lists: 0, objects: 0, notes: 0 };

type Answer =
  | { readonly kind: 'list'; readonly path: FieldPath; readonly items: readonly unknown[] }
  | { readonly kind: 'object' | 'note' };

/**
 * Experience with one more answer. The same object where the answer teaches nothing new: an empty list, a bare number, or one
 * more of what is certain.
 */
export function weighAnswer(before: Experience, data: unknown): Experience {
  const answer = readAnswer(data);
  if (answer === undefined) return before;
  if (answer.kind === 'list') return addList(before, answer.path, answer.items);
  if (answer.kind === 'note') {
    return before.lists > 0 || isSettled(before) ? before : settle({ ...before, notes: before.notes + 1 });
  }
  return before.objects > 0 && isSettled(before) ? before : settle({ ...before, objects: before.objects + 1 });
}

function readAnswer(data: unknown): Answer | undefined {
  if (typeof data !== 'string' && (typeof data !== 'object' || data === null)) return undefined;
  const list = locateList(data);
  if (list?.isWhole === true && list.evidence !== 'lines') {
    return list.items.length === 0 ? undefined : { kind: 'list', path: list.path, items: list.items };
  }
  return { kind: list === undefined && onlyText(data) !== undefined ? 'note' : 'object' };
}

function addList(before: Experience, path: FieldPath, items: readonly unknown[]): Experience {
  if (before.path === null) return before;
  const isSame = before.path === undefined || samePath(before.path, path);
  if (isSame && before.lists >= CERTAIN_AFTER) return before;
  const seen = intersect(before.seen, seenFields(items));
  return settle({ ...before, lists: before.lists + 1, path: isSame ? path : null, seen });
}

/** Whether further answers of the same kind change nothing. */
function isSettled(experience: Experience): boolean {
  const { lists, objects, notes } = experience;
  return lists > 0 ? objects > 0 : objects + notes >= CERTAIN_AFTER;
}

function settle({ shape: _shape, fields: _fields, ...counts }: Experience): Experience {
  const { lists, objects, notes, path, seen } = counts;
  if (lists === 0) return objects + notes < CERTAIN_AFTER ? counts : { ...counts, shape: { kind: 'object' } };
  if (lists < CERTAIN_AFTER || path === undefined || path === null) return counts;
  const fields = Array.from(seen ?? [], ([name, type]) => ({ name, type }));
  // What the list is made of stays known where the answer is sometimes something else; that it is a list does not.
  if (objects > 0) return { ...counts, fields };
  return { ...counts, shape: { kind: 'collection', path, evidence: 'its earlier answers' }, fields };
}

function samePath(a: FieldPath, b: FieldPath): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index]);
}

function intersect(
  before: ReadonlyMap<string, string> | undefined,
  now: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  if (before === undefined) return now;
  const shared = [...before].filter(([name]) => now.has(name));
  return new Map(shared.map(([name, type]) => [name, type === 'any' ? (now.get(name) ?? type) : type]));
}
