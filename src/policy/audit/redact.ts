import { setMember } from '../../catalog/schema/own-member.js';
import type { AuditConfig } from '../../config/policy-config.js';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import type { Operation } from '../../protocol/operation.js';
import { toSnakeCase } from '../../protocol/snake-case.js';
import { createSecretKeyTest, type SecretKeyTest } from './secret-key.js';
import { createSecretTextFilter, REDACTED, type SecretTextFilter } from './secret-text.js';

/** A copy of arguments for the record and for approvers' eyes: without secrets, and of bounded size. */
export type Redactor = (operation: Pick<Operation, 'sensitive'>, args: JsonObject) => JsonObject;

/** Bounds of the copy. */
const MAX_TEXT = 1_000;
const MAX_KEY = 200;
const MAX_ITEMS = 50;
const MAX_DEPTH = 6;
/** Of the whole, in bytes of JSON; 16 kB with what says that something was left out. */
const MAX_BYTES = 15_500;
/** Of a list or an object, with the comma that follows. */
const BRACKETS = 3;

/** Members of a call that hold values of its parameters. */
const PARAMETER_HOLDERS: ReadonlySet<string> = new Set(['input', 'if_match']);

/** Where a list of pairs, as of headers or variables, has its names. */
const NAMING_MEMBERS = ['name', 'key', 'header', 'variable'];

export function createRedactor(config: Pick<AuditConfig, 'redactKeys' | 'redactPatterns'>): Redactor {
  const isSecretKey = createSecretKeyTest(config.redactKeys);
  const filterText = createSecretTextFilter(config.redactPatterns);
  return ({ sensitive = [] }, args) => {
    const declared = new Set(sensitive.map((name) => toSnakeCase(name)));
    const isDeclared = (key: string): boolean => declared.has(toSnakeCase(key));
    return new Redaction({ isSecretKey, isDeclared, filterText }).copyArguments(args);
  };
}

interface RedactionTests {
  readonly isSecretKey: SecretKeyTest;
  /** Whether curation says of a parameter that its values are secret. */
  readonly isDeclared: SecretKeyTest;
  readonly filterText: SecretTextFilter;
}

/** One copy being made. */
class Redaction {
  readonly #tests: RedactionTests;
  #bytes = 0;

  constructor(tests: RedactionTests) {
    this.#tests = tests;
  }

  /** Declared names are parameters': they stand at the top, or in an UPDATE's `input` and, dotted, in its `if_match`. */
  copyArguments(args: JsonObject): JsonObject {
    const { isSecretKey, isDeclared } = this.#tests;
    const isSecret: SecretKeyTest = (key) =>
      isSecretKey(key) || isDeclared(key) || isDeclared(key.replace(/\..*/s, ''));
    return this.#copyObject(args, 1, isSecret, (key, value) =>
      PARAMETER_HOLDERS.has(key) && isJsonObject(value) ? this.#copyObject(value, 2, isSecret) : this.#copy(value, 2),
    );
  }

  #copy(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#copyText(value);
    if (typeof value !== 'object' || value === null) return this.#spend(toPlain(value));
    if (depth > MAX_DEPTH) return this.#spend(Array.isArray(value) ? '[...]' : '{...}');
    return Array.isArray(value) ? this.#copyList(value, depth) : this.#copyObject(value as JsonObject, depth);
  }

  #copyList(items: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = [];
    this.#bytes += BRACKETS;
    for (const item of items) {
      if (copy.length === MAX_ITEMS || this.#bytes >= MAX_BYTES) {
        copy.push(`... (${items.length} elements)`);
        break;
      }
      copy.push(this.#copy(item, depth + 1));
    }
    return copy;
  }

  #copyObject(
    value: JsonObject,
    depth: number,
    isSecret = this.#tests.isSecretKey,
    copyMember = (_key: string, member: unknown): unknown => this.#copy(member, depth + 1),
  ): JsonObject {
    const copy: JsonObject = {};
    const namesSecret = NAMING_MEMBERS.some((name) => isSecretName(value[name], isSecret));
    const keys = Object.keys(value);
    this.#bytes += BRACKETS;
    for (const [index, key] of keys.entries()) {
      const name = cutText(this.#tests.filterText(key), key.length, MAX_KEY);
      if (!this.#hasRoomFor(name)) {
        setMember(copy, '...', `(${keys.length - index} more members)`);
        break;
      }
      const hidden = isSecret(key) || (namesSecret && key === 'value');
      setMember(copy, this.#spend(name), hidden ? this.#spend(REDACTED) : copyMember(key, value[key]));
    }
    return copy;
  }

  /** A text without secrets, as much of it as there is room for. */
  #copyText(text: string): string {
    const cut = cutText(this.#tests.filterText(text), text.length, MAX_TEXT);
    return this.#spend(this.#hasRoomFor(cut) ? cut : `... (${text.length} characters)`);
  }

  #hasRoomFor(text: string): boolean {
    return this.#bytes + sizeOf(text) <= MAX_BYTES;
  }

  #spend<T extends Scalar>(value: T): T {
    this.#bytes += sizeOf(value);
    return value;
  }
}

type Scalar = string | number | boolean | null;

/** What a value takes in JSON, with the sign that follows it, in bytes. */
function sizeOf(value: Scalar): number {
  return Buffer.byteLength(JSON.stringify(value)) + 1;
}

function isSecretName(value: unknown, isSecret: SecretKeyTest): boolean {
  return typeof value === 'string' && isSecret(value);
}

/** Arguments come from JSON; whatever else there is is recorded as a text. */
function toPlain(value: unknown): Scalar {
  return value === null || typeof value === 'number' || typeof value === 'boolean' ? value : String(value);
}

function cutText(text: string, length: number, limit: number): string {
  return text.length <= limit && length <= limit ? text : `${text.slice(0, limit)}... (${length} characters)`;
}
