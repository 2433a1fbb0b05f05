import { createHash } from 'node:crypto';
import { Script } from 'node:vm';
import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formatsPlugin from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import type { JsonSchema } from '../../protocol/json.js';
import { compilePattern } from '../../schema/pattern.js';

/** One way in which a value breaks its schema, with the schema and the value at that place (`parentSchema`, `data`). */
export type Violation = ErrorObject;

/** A compiled JSON Schema. */
interface Validator {
  /** Whether the value fits; stops at the first fault. */
  accepts(value: unknown): boolean;
  /** Every way in which the value does not fit. Compiles a second, slower check at first use. */
  violations(value: unknown): readonly Violation[];
  /** Why the schema could not be compiled; such a validator accepts everything and the upstream remains the judge. */
  readonly problem?: string;
}

type Engine = Ajv | Ajv2019 | Ajv2020;
type Check = ((value: unknown) => boolean | PromiseLike<unknown>) & { errors?: ErrorObject[] | null };

/** Characters of schema text: about a tenth of what its compiled form takes in memory. */
const CACHE_SIZE = 8_000_000;
/** A compiled schema, however small, is not free. */
const LEAST_SIZE = 2_000;

const cache = new LRUCache<string, Validator>({ maxSize: CACHE_SIZE });

/** Hashing 84 kB takes longer than most calls, so each schema object is hashed once. */
const hashes = new WeakMap<JsonSchema, string>();

/** The validator of a schema: compiled at first use, shared by schemas of the same content, forgotten when long unused. */
export function validatorFor(schema: JsonSchema): Validator {
  const hash = hashes.get(schema);
  const known = hash === undefined ? undefined : cache.get(hash);
  return known ?? findByContent(schema);
}

function findByContent(schema: JsonSchema): Validator {
  const text = writeSchema(schema);
  if (text === undefined) return acceptAll('the schema is nested too deeply');
  const hash = createHash('sha256').update(text).digest('base64');
  hashes.set(schema, hash);
  const known = cache.get(hash);
  if (known !== undefined) return known;
  const validator = createValidator(schema, text);
  cache.set(hash, validator, { size: Math.max(text.length, LEAST_SIZE) });
  return validator;
}

function acceptAll(problem: string): Validator {
  return { accepts: () => true, violations: () => [], problem };
}

function writeSchema(schema: JsonSchema): string | undefined {
  try {
    return JSON.stringify(schema);
  } catch {
    // The stack is too small for it, as it will be for the compiler.
    return undefined;
  }
}

function createValidator(schema: JsonSchema, text: string): Validator {
  const fast = compile(schema, text, false);
  if (typeof fast === 'string') return acceptAll(fast);
  const run = REFERENCE.test(text) ? createGuardedRunner() : runDirectly;
  let thorough: Check | string | undefined;
  return {
    accepts: (value) => run(() => fast(value) === true, true),
    violations: (value) => {
      thorough ??= compile(schema, text, true);
      const check = thorough;
      if (typeof check === 'string') return [];
      return run(() => (check(value) === true ? [] : (check.errors ?? [])), []);
    },
  };
}

/** With references a schema of a few lines can ask for more checks than there are atoms; without, its own size bounds them. */
const REFERENCE = /"\$(?:ref|dynamicRef|recursiveRef)"/;

/** How long one check of a schema with references may take, in milliseconds: a hundred times what the largest real one does. */
const CHECK_MS = 200;

/** Runs a check of a value; answers `otherwise` where it is not run to its end. */
type Runner = <T>(check: () => T, otherwise: T) => T;

const runDirectly: Runner = (check) => check();

/** Ends a check that takes too long, and from then on leaves the judgement to the upstream, whose schema it is. */
function createGuardedRunner(): Runner {
  let hopeless = false;
  return (check, otherwise) => {
    if (hopeless) return otherwise;
    const verdict = runWithin(CHECK_MS, check);
    if (verdict !== OUT_OF_TIME) return verdict;
    hopeless = true;
    return otherwise;
  };
}

function compile(schema: JsonSchema, text: string, thorough: boolean): Check | string {
  const skipped = new Set<string>();
  const engine = createEngine(schema, thorough, skipped);
  // `$async` would turn the verdict into a promise, which is true to whoever does not wait for it.
  const { $async, ...rest } = schema;
  try {
    const check: Check = engine.compile($async === undefined ? schema : rest);
    return usesAsKey(text, skipped) ? 'patternProperties holds a pattern of unsafe length or form' : check;
  } catch (cause) {
    return cause instanceof Error ? cause.message : 'the schema cannot be compiled';
  }
}

/**
 * A new engine for every schema: a shared one keeps schemas by their `$id`s, so that two servers' schemas could mix. No
 * `loadSchema` is given, so a remote `$ref` fails to compile instead of being fetched.
 */
function createEngine(schema: JsonSchema, thorough: boolean, skipped: Set<string>): Engine {
  const options: Options = {
    strict: false,
    validateSchema: false,
    meta: false,
    logger: false,
    allErrors: thorough,
    verbose: thorough,
    // Optimised code is compiled at twice the cost and runs no faster on calls of this size.
    code: { regExp: createRegExpEngine(skipped), optimize: false },
  };
  const engine = new (dialectOf(schema))(options);
  // Draft-04's `id` is no keyword to ajv but an error; to everybody else it is only a name.
  engine.removeKeyword('id');
  formatsPlugin.default(engine, { mode: 'fast' });
  return engine;
}

function createRegExpEngine(skipped: Set<string>): NonNullable<NonNullable<Options['code']>['regExp']> {
  const engine = (pattern: string) => {
    const test = compilePattern(pattern);
    if (test.skipped) skipped.add(pattern);
    return test;
  };
  return Object.assign(engine, { code: 'compilePattern' });
}

/** `$schema` names the dialect; draft-07 where it names none, as most servers' schema generators mean it. */
function dialectOf(schema: JsonSchema): new (options: Options) => Engine {
  const dialect = String(schema['$schema'] ?? '');
  if (dialect.includes('2020-12')) return Ajv2020;
  return dialect.includes('2019-09') ? Ajv2019 : Ajv;
}

/** A skipped pattern accepts every text; as a key of `patternProperties` it would claim every member for its schema. */
function usesAsKey(text: string, skipped: ReadonlySet<string>): boolean {
  return text.includes('"patternProperties"') && [...skipped].some((key) => text.includes(`${JSON.stringify(key)}:`));
}

/** What `runWithin` answers where the time was not enough. */
export const OUT_OF_TIME = Symbol('out of time');

interface Slot {
  task: (() => unknown) | undefined;
}

const SLOT = Symbol.for('mcp-aql-gateway.run-within');
const slot: Slot = { task: undefined };
Object.defineProperty(globalThis, SLOT, { value: slot });

/** Only a script has a watchdog that can end synchronous code; this one does nothing but call the task. */
const script = new Script(`globalThis[Symbol.for('${Symbol.keyFor(SLOT)}')].task()`);

/**
 * Runs a synchronous task and ends it when it takes longer than so many milliseconds. Starting the watchdog costs tens of
 * microseconds, so it is for tasks whose duration a stranger decides. The task must not leave anything half-changed.
 * https://nodejs.org/api/vm.html#scriptruninthiscontextoptions
 */
export function runWithin<T>(milliseconds: number, task: () => T): T | typeof OUT_OF_TIME {
  slot.task = task;
  try {
    return script.runInThisContext({ timeout: milliseconds }) as T;
  } catch (cause) {
    const timedOut = cause instanceof Error && 'code' in cause && cause.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    if (timedOut) return OUT_OF_TIME;
    throw cause;
  } finally {
    slot.task = undefined;
  }
}
