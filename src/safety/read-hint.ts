import { spellAsRead } from '../lib/look-alikes.js';
import { toSnakeCase } from '../lib/names.js';
import { removeInvisible } from '../lib/text.js';

/** The longest description of an action. What is longer is refused, as what is not read could be anything. */
export const LONGEST_HINT = 4_000;

/** An agent's description of what it will do next, ready to be compared. */
export interface Hint {
  /** As it is read: without invisible characters, and in Latin letters where others look like them. */
  readonly text: string;
  /** In lower case, without quotes and brackets, one blank between words. */
  readonly plain: string;
  /** The words of `plain`, without punctuation at their ends. */
  readonly words: readonly string[];
  /** The names in it that stand for calls. */
  readonly calls: readonly HintName[];
}

/** A name that stands in the text for a call. */
export interface HintName {
  readonly written: string;
  /** In snake_case, as a whole and without what qualifies it: `github.deleteRepo` is `github_delete_repo` and `delete_repo`. */
  readonly forms: readonly string[];
}

/** Reads a description in one pass over its characters. */
export function readHint(hint: string): Hint {
  const text = spellAsRead(removeInvisible(hint.normalize('NFKC')));
  const plain = text
    .toLowerCase()
    .replace(/["'`“”‘’«»()[\]{}<>,;]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const words = plain.split(' ').map((word) => word.replace(/^[.:!?]+|[.:!?]+$/g, ''));
  return { text, plain, words, calls: findCalls(text) };
}

/** A name of several words is no word of prose; a name of one word is a call where brackets or a verb say so. */
const NAME = /(?<![\w./-])(?<name>[A-Za-z]\w*(?:(?:\.|::|\/)[A-Za-z]\w*)*)(?<call>\s?\()?/g;
const SEVERAL_WORDS = /[A-Za-z0-9]_+[A-Za-z0-9]|[a-z][A-Z]|\w::\w/;
const INTRODUCES = /\b(?:call|calls|calling|invoke|invokes|invoking|tool|operation|function)\s+["'`]?$/i;
/** How far back the word before a name may begin. */
const LOOK_BACK = 16;

function findCalls(text: string): readonly HintName[] {
  const found = new Map<string, HintName>();
  for (const { groups = {}, index } of text.matchAll(NAME)) {
    const { name = '', call } = groups;
    const isCall =
      call !== undefined ||
      (SEVERAL_WORDS.test(name) && !/^[a-z]+(?:\/[a-z]+)+$/.test(name)) ||
      INTRODUCES.test(text.slice(Math.max(0, index - LOOK_BACK), index));
    if (isCall && !found.has(name)) found.set(name, { written: name, forms: formsOf(name) });
  }
  return [...found.values()];
}

function formsOf(name: string): readonly string[] {
  const parts = name.split(/\.|::|\/|__/).filter((part) => part !== '');
  const last = parts.at(-1) ?? name;
  return [
    ...new Set([
      name.toLowerCase(),
      parts.map((part) => toSnakeCase(part)).join('__'),
      toSnakeCase(name),
      toSnakeCase(last),
    ]),
  ];
}
