import { isJsonObject, type JsonObject } from '../../../base/json/json.js';
import { DEEPEST, LONGEST_TEXT, MOST_PARTS, NotProven, quote } from '../not-proven.js';
import { COMMANDS, CREDENTIAL_COLLECTION, type Demand, READING, STAGES } from './words.js';

/** Names that mean themselves to every reader: no character is left out, and none that looks like a dollar sign begins them. */
const PLAIN_NAME = /^(?![\p{Z}\uff04\ufe69])[^\p{C}]+$/u;

/** Names that a JavaScript object takes for its own parts. */
const OWN_PARTS = new Set(['__proto__', 'constructor', 'prototype']);

/** Holds the values of one statement against what only reads. Counts its parts, so that the work is bounded. */
export class ValueChecker {
  #parts = 0;
  #characters = 0;

  /** A document that names a command; answers its name. */
  command(value: unknown, depth = 0): string {
    if (!isJsonObject(value)) throw new NotProven('it is no document');
    const [name = ''] = Object.keys(value);
    const members = COMMANDS.get(name);
    if (members === undefined) throw new NotProven(`command ${quote(name)} is not known to only read`);
    this.#count(name);
    for (const [member, content] of Object.entries(value)) {
      const demand = members.get(member);
      if (demand === undefined)
        throw new NotProven(`${quote(member)} is not known to only read in command ${quote(name)}`);
      this.#meet(demand, member, content, depth + 1);
    }
    return name;
  }

  /** A list of stages; answers what the statement is. */
  pipeline(value: unknown, depth = 0): string {
    if (!Array.isArray(value)) throw new NotProven('it is no list of stages');
    for (const stage of value) {
      const [name, ...more] = isJsonObject(stage) ? Object.keys(stage) : [];
      if (name === undefined || more.length > 0) throw new NotProven('a stage is no document with one member');
      if (!STAGES.has(name)) throw new NotProven(`stage ${quote(name)} is not known to only read`);
      this.value(stage, depth + 1);
    }
    return 'aggregate';
  }

  /** Anything, wherever it stands: stages and operators have the same names everywhere. */
  value(value: unknown, depth = 0): void {
    if (depth > DEEPEST) throw new NotProven(`it is nested deeper than ${DEEPEST} levels`);
    if (typeof value === 'string') this.#text(value);
    else this.#count('');
    if (Array.isArray(value)) for (const element of value) this.value(element, depth + 1);
    else if (isJsonObject(value)) this.#members(value, depth);
  }

  document(value: unknown, depth = 0): void {
    if (!isJsonObject(value)) throw new NotProven('a filter, or another document, is none');
    this.value(value, depth);
  }

  /** Members of which all have names that are known, as the options of a method. */
  options(value: unknown, known: ReadonlySet<string>): void {
    this.document(value);
    const other = isJsonObject(value) ? Object.keys(value).find((name) => !known.has(name)) : undefined;
    if (other !== undefined) throw new NotProven(`option ${quote(other)} is not known to only read`);
  }

  #meet(demand: Demand, member: string, value: unknown, depth: number): void {
    if (demand === 'pipeline') this.pipeline(value, depth);
    else if (demand === 'command') this.#explained(value, depth);
    else if (demand === 'document') this.document(value, depth);
    else {
      // A database's own pipeline has a number for its collection.
      if (demand === 'collection' && typeof value !== 'string' && value !== 1)
        throw new NotProven(`${quote(member)} names no collection`);
      this.value(value, depth);
    }
  }

  #explained(value: unknown, depth: number): void {
    if (depth > 1) throw new NotProven('it explains what explains');
    this.command(value, depth);
  }

  #members(value: JsonObject, depth: number): void {
    for (const [name, member] of Object.entries(value)) {
      this.#count(name);
      if (name.startsWith('$') && !READING.has(name)) throw new NotProven(`${quote(name)} is not known to only read`);
      if (name !== '' && (!PLAIN_NAME.test(name) || OWN_PARTS.has(name)))
        throw new NotProven(`the name ${quote(name)} can be read in several ways`);
      this.value(member, depth + 1);
    }
  }

  #text(text: string): void {
    this.#count(text);
    if (/^\s*[[{]/.test(text)) throw new NotProven('a text in it may be read as a document');
    if (CREDENTIAL_COLLECTION.test(text)) throw new NotProven(`${quote(text)} may hold credentials`);
  }

  #count(text: string): void {
    this.#parts += 1;
    this.#characters += text.length;
    if (this.#parts > MOST_PARTS) throw new NotProven(`it has more than ${MOST_PARTS} parts`);
    if (this.#characters > LONGEST_TEXT) throw new NotProven(`it is longer than ${LONGEST_TEXT} characters`);
  }
}
