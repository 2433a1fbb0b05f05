import { LRUCache } from 'lru-cache';
import { oncePer } from '../../base/lib/collections.js';
import type { Operation } from '../../base/protocol/operation.js';
import { namesOfFields } from '../query/check-fields.js';
import type { FieldPath, ResultShape, SeenAnswer } from '../query/result-types.js';
import { declaredShape, isReadable } from './declared-shape.js';
import { locateList, onlyText } from './locate-list.js';

/**
 * What is known of operations' answers: what is declared of them, and what earlier answers were. It helps to find the list in
 * the next answer. Introspection does not show what was learned, because it must say the same as long as a session lasts.
 */
export interface ShapeMemory {
  /** The same object until more is known. Undefined where nothing is certain, and for everything but READs of upstreams. */
  shapeOf(operation: Operation): ResultShape | undefined;
  /**
   * Learns from an answer: cheap, because only its outermost levels are examined. Three that agree make a shape
   * certain; one that contradicts removes it for good.
   */
  learn(operation: Operation, data: unknown): void;
  /** Takes what another thread has seen of an answer. */
  note(operation: Operation, answer: SeenAnswer | undefined): void;
  /** The names of fields that items of its answers had. */
  fieldsOf(operation: Operation): readonly string[];
}

/** Operations that are remembered; the least recently used are forgotten first. */
const MAX_OPERATIONS = 10_000;
const MOST_WITH_FIELDS = 1_000;
const MOST_FIELDS = 200;

/** What is known of an operation before it is ever called. */
interface Declaration {
  readonly shape: ResultShape | undefined;
  /**
   * The key under which its answers are remembered: a digest of its definition, which stays the same when the catalog is
   * rebuilt and differs for a changed tool. Undefined where there is nothing to learn.
   */
  readonly key: string | undefined;
}

/** @param isPrivate whether an operation's answers are of one caller's own state, so that nothing is learned for others */
export function createShapeMemory(isPrivate: (operation: Operation) => boolean = () => false): ShapeMemory {
  const experiences = new LRUCache<string, Experience>({ max: MAX_OPERATIONS });
  // Operations never change.
  const declarationOf = oncePer(readDeclaration);
  const recall = ({ key }: Declaration): Experience | undefined =>
    key === undefined ? undefined : experiences.get(key);
  const fields = new LRUCache<string, ReadonlySet<string>>({ max: MOST_WITH_FIELDS });
  const note = (operation: Operation, answer: SeenAnswer | undefined): void => {
    const { key } = declarationOf(operation);
    if (answer === undefined || isPrivate(operation) || !isReadable(operation)) return;
    const seen = fields.get(operation.definition) ?? new Set();
    const news = (answer.fields ?? []).filter((name) => !seen.has(name));
    if (news.length > 0) fields.set(operation.definition, new Set([...news, ...seen].slice(0, MOST_FIELDS)));
    if (key === undefined) return;
    const before = experiences.get(key) ?? NO_EXPERIENCE;
    const after = weighAnswer(before, answer);
    if (after !== before) experiences.set(key, after);
  };
  return {
    shapeOf: (operation) => {
      const declaration = declarationOf(operation);
      const learned = recall(declaration)?.shape;
      // A name promises a list; one answer without a list does not disprove it.
      return declaration.shape === undefined || learned?.kind === 'collection'
        ? (learned ?? declaration.shape)
        : declaration.shape;
    },
    learn: (operation, data) => note(operation, readAnswer(data)),
    note,
    fieldsOf: (operation) => [...(fields.get(operation.definition) ?? [])],
  };
}

function readDeclaration(operation: Operation): Declaration {
  const shape = declaredShape(operation);
  const isDeclared = shape !== undefined && (shape.kind === 'object' || shape.path !== null);
  return { shape, key: isDeclared || !isReadable(operation) ? undefined : operation.definition };
}

/** Answers that must agree before a shape is certain. */
const CERTAIN_AFTER = 3;

/** What the answers of one operation have been so far. */
interface Experience {
  readonly lists: number;
  /** Answers that were one object, or a text of several lines. */
  readonly objects: number;
  /** Texts of one line: of an object, or of a list that is empty. */
  readonly messages: number;
  /** Where the lists were; null once they were in different places. */
  readonly path?: FieldPath | null;
  /** What is certain; undefined before that, and forever once answers contradict each other. */
  readonly shape?: ResultShape;
}

const NO_EXPERIENCE: Experience = { lists: 0, objects: 0, messages: 0 };

/**
 * Experience with one more answer. The same object where the answer shows nothing new: an empty list, a bare number, or one
 * more of what is certain.
 */
function weighAnswer(before: Experience, answer: SeenAnswer | undefined): Experience {
  if (answer === undefined) return before;
  if (answer.kind === 'list') return addList(before, answer.path);
  if (answer.kind === 'message') {
    return before.lists > 0 || isSettled(before) ? before : settle({ ...before, messages: before.messages + 1 });
  }
  return before.objects > 0 && isSettled(before) ? before : settle({ ...before, objects: before.objects + 1 });
}

/** What an answer shows; undefined where that is nothing. */
export function readAnswer(data: unknown): SeenAnswer | undefined {
  if (typeof data !== 'string' && (typeof data !== 'object' || data === null)) return undefined;
  const list = locateList(data);
  if (list?.isWhole === true && list.evidence !== 'lines') {
    return list.items.length === 0 ? undefined : { kind: 'list', path: list.path, fields: namesOfFields(list.items) };
  }
  const text = list === undefined ? onlyText(data)?.value.trim() : undefined;
  const fields = namesOfFields(list?.items ?? [data]);
  return { kind: text === undefined || text.includes('\n') ? 'object' : 'message', fields };
}

function addList(before: Experience, path: FieldPath): Experience {
  if (before.path === null) return before;
  const isSame = before.path === undefined || samePath(before.path, path);
  if (isSame && before.lists >= CERTAIN_AFTER) return before;
  return settle({ ...before, lists: before.lists + 1, path: isSame ? path : null });
}

/** Whether further answers of the same kind change nothing. */
function isSettled(experience: Experience): boolean {
  const { lists, objects, messages } = experience;
  return lists > 0 ? objects > 0 : objects + messages >= CERTAIN_AFTER;
}

function settle({ shape: _shape, ...counts }: Experience): Experience {
  const { lists, objects, messages, path } = counts;
  if (lists === 0) return objects + messages < CERTAIN_AFTER ? counts : { ...counts, shape: { kind: 'object' } };
  if (lists < CERTAIN_AFTER || path === undefined || path === null) return counts;
  if (objects > 0) return counts;
  return { ...counts, shape: { kind: 'collection', path, evidence: 'its earlier answers' } };
}

function samePath(a: FieldPath, b: FieldPath): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index]);
}
