import type { ApproverView } from '../../audit/redact.js';
import { groupBy } from '../../lib/collections.js';
import { formatPath } from '../../lib/json-path.js';
import { cutText } from '../../lib/text.js';
import type { Sliced } from '../../lib/turns.js';
import type { ShownChange, ShownUpdate } from '../../protocol/approval.js';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import type { Operation } from '../../protocol/operation.js';
import type { UpdatePreview } from '../../protocol/update-preview.js';

/** Changes that are shown, and characters of one's place and of a reason. */
const MOST_CHANGES = 200;
const LONGEST_FIELD = 300;
const LONGEST_REASON = 500;

/**
 * What a person is shown of an update. The whole of each state is copied without secrets, since what stands around a value may say
 * that it is one; changes are looked up in the copies, and were found in the states themselves.
 */
export function* showUpdate(operation: Operation, preview: UpdatePreview, view: ApproverView): Sliced<ShownUpdate> {
  if (!preview.known) return { known: false, why: cutText(preview.why, LONGEST_REASON) };
  const { read, before, after, changes } = preview;
  const changed = new Set(changes.flatMap(({ path }) => path.slice(0, 1)));
  const old = yield* copyWhole(
    operation,
    pick(before, (name) => changed.has(name)),
    view,
  );
  const now = yield* copyWhole(
    operation,
    pick(after, (name) => changed.has(name)),
    view,
  );
  // What does not change is copied first: it is shown in fewer characters.
  const ordered = { ...pick(after, (name) => !changed.has(name)), ...pick(after, (name) => changed.has(name)) };
  const { parameters } = yield* view(operation, ordered);
  const shown = changes.slice(0, MOST_CHANGES).map(({ path, ...values }): ShownChange => {
    const [from, to] = [findIn(old, path), findIn(now, path)];
    const place = 'before' in values ? from.place : to.place;
    return {
      field: cutText(formatPath(place), LONGEST_FIELD),
      ...('before' in values && { before: from.value }),
      ...('after' in values && { after: to.value }),
    };
  });
  const paths = changes.map(({ path }) => path);
  return {
    known: true,
    read,
    changes: shown,
    more: changes.length - shown.length,
    unchanged: without(parameters, paths),
  };
}

function* copyWhole(operation: Operation, state: JsonObject, view: ApproverView): Sliced<JsonObject> {
  const { parameters, full = parameters } = yield* view(operation, state);
  return full;
}

function pick(state: JsonObject, isMeant: (name: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(state).filter(([name]) => isMeant(name)));
}

interface Found {
  /** The path, as far as the copy shows it. */
  readonly place: readonly string[];
  readonly value: unknown;
}

/** In place of what a copy leaves out. */
const LEFT_OUT = '...';

/** A value in a copy; what hides it where an object around it is hidden as a whole. */
function findIn(copy: JsonObject, path: readonly string[]): Found {
  let value: unknown = copy;
  for (const [depth, name] of path.entries()) {
    if (!isJsonObject(value)) return { place: path.slice(0, depth), value };
    if (!Object.hasOwn(value, name)) return { place: [...path.slice(0, depth), LEFT_OUT], value: LEFT_OUT };
    value = value[name];
  }
  return { place: path, value };
}

/** A value without the members at these paths. */
function without(value: JsonObject, paths: readonly (readonly string[])[]): JsonObject {
  const below = groupBy(paths, ([name]) => name);
  const members = Object.entries(value).flatMap(([name, member]): readonly [string, unknown][] => {
    const gone = below.get(name)?.map(([, ...rest]) => rest);
    if (gone === undefined) return [[name, member]];
    if (!isJsonObject(member) || gone.some((path) => path.length === 0)) return [];
    const rest = without(member, gone);
    return Object.keys(rest).length === 0 ? [] : [[name, rest]];
  });
  return Object.fromEntries(members);
}
