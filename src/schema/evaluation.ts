import type { JsonSchema } from '../base/json/json.js';
import type { Formats } from './formats.js';

/** One way in which a value breaks its schema. */
export interface Violation {
  readonly keyword: string;
  /** Members and indexes from the root of the value. */
  readonly path: readonly string[];
  /** What the keyword's explanation needs, by the names that ajv gives them. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The keyword's value, the schema that holds it, and the value at the path. */
  readonly schema: unknown;
  readonly parentSchema: JsonSchema | undefined;
  readonly data: unknown;
  /** Of `anyOf` and `oneOf`: what each alternative found. */
  readonly branches?: readonly (readonly Violation[])[];
}

/** A place in the value, as a chain to its root: paths are written out for violations alone. */
export interface Place {
  readonly parent: Place | undefined;
  readonly key: string;
}

/** Which members and items some keyword has looked at: what `unevaluatedProperties` and `unevaluatedItems` ask for. */
interface Seen {
  readonly members: Set<string>;
  readonly items: Set<number>;
  allMembers: boolean;
  /** All items before this index. */
  itemsBefore: number;
}

/** The running check of one value against one schema. */
export interface Run {
  readonly meter: Meter;
  /** A check that fails adds at least one; one that holds adds none. */
  readonly faults: Violation[];
  /** Absent where the schema never asks. */
  readonly seen: Seen | undefined;
}

export type Check = (value: unknown, place: Place | undefined, run: Run) => void;

/** What keywords need of the schema around them. */
export interface Scope {
  /** The check of a sub-schema, prepared when it is first run: recursive schemas have no end otherwise. */
  check(schema: unknown): Check;
  /** What a reference of this schema leads to; undefined for one that leads nowhere here. */
  resolve(reference: string, schema: JsonSchema): unknown;
  /** What `format` refuses. */
  readonly formats: Formats;
}

/** A keyword's value as a check; undefined where it asks for nothing, or is malformed and so cannot be asked. */
export type Keyword = (value: unknown, schema: JsonSchema, scope: Scope) => Check | undefined;

/** Nobody repairs more at once, and a list of ten thousand wrong items would take long to explain. */
export const MOST_VIOLATIONS = 100;

/** Units of work (about 15 nanoseconds each) that one check may take. */
export const MOST_WORK = 500_000;

/** A value inside a value inside a value, or a reference that leads to itself. */
const MOST_DEPTH = 400;

/** Why a check was not run to its end; never leaves this folder. */
export class Undecided extends Error {}

/**
 * Counts what a check does. A schema of a few lines can ask for more checks than there are atoms, and the product of a large
 * schema and a large value is large: work is counted where it is done, so that a check ends whatever the two are.
 */
export class Meter {
  #left: number;
  #depth = 0;

  constructor(private readonly limit = MOST_WORK) {
    this.#left = limit;
  }

  get work(): number {
    return this.limit - Math.max(0, this.#left);
  }

  /** Whether there is no work left: what begins now would end at once. */
  get isSpent(): boolean {
    return this.#left < 0;
  }

  spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw new Undecided('checking it takes too long');
  }

  enter(): void {
    this.#depth += 1;
    if (this.#depth > MOST_DEPTH)
      throw new Undecided('its schema is nested too deeply, or refers to itself without end');
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** Another check begins; one that was not run to its end has left nothing. */
  restart(): void {
    this.#depth = 0;
  }
}

/** Each is an object that is kept until the answer is worded, and so is each attempt. */
const VIOLATION_UNITS = 200;
const ATTEMPT_UNITS = 20;

/** Adds a violation, unless there are many already. */
export function report(run: Run, place: Place | undefined, violation: Omit<Violation, 'path'>): void {
  run.meter.spend(VIOLATION_UNITS);
  if (isFull(run)) return;
  run.faults.push({ ...violation, path: pathTo(place) });
}

/** Whether enough has been found: loops end then. */
export function isFull({ faults }: Run): boolean {
  return faults.length >= MOST_VIOLATIONS;
}

function pathTo(place: Place | undefined): readonly string[] {
  const path: string[] = [];
  for (let at = place; at !== undefined; at = at.parent) path.push(at.key);
  return path.reverse();
}

export function noneSeen(): Seen {
  return { members: new Set(), items: new Set(), allMembers: false, itemsBefore: 0 };
}

/** Runs a check as an attempt of its own, whose findings count only where its caller says so. */
export function attempt(check: Check, value: unknown, place: Place | undefined, run: Run): Run {
  run.meter.spend(ATTEMPT_UNITS);
  const trial: Run = { meter: run.meter, faults: [], seen: run.seen && noneSeen() };
  check(value, place, trial);
  return trial;
}

/** A name that is put into a set costs more than one that is looked at. */
const SEEN_UNITS = 5;

export function adoptSeen(run: Run, { seen }: Run): void {
  if (run.seen === undefined || seen === undefined) return;
  run.meter.spend(SEEN_UNITS * (seen.members.size + seen.items.size));
  for (const name of seen.members) run.seen.members.add(name);
  for (const index of seen.items) run.seen.items.add(index);
  run.seen.allMembers ||= seen.allMembers;
  run.seen.itemsBefore = Math.max(run.seen.itemsBefore, seen.itemsBefore);
}

/** Runs a check of a member or an item, which looks at another value and so sees nothing of this one. */
export function descend(check: Check, value: unknown, place: Place, run: Run): void {
  check(value, place, run.seen === undefined ? run : { ...run, seen: noneSeen() });
}
