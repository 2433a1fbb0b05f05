import { readFile } from 'node:fs/promises';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { Category, DangerLevel } from '../../base/protocol/operation.js';
import { requirePlaces } from './change-servers.js';
import { type EditableConfig, editJsonc, type FileChange, type JsoncEdit, type ServerPlace } from './edit-config.js';

/** What an operator says of an operation instead of what the gateway finds; absent: as the gateway finds it. */
export interface Judgement {
  readonly category?: Category;
  readonly danger?: DangerLevel;
}

/** Of which operations it is said. */
export interface CurationTarget {
  /** The server's name, in any spelling. */
  readonly upstream: string;
  /** The exact name under which it is said: the tool's, or that of a part of it. */
  readonly pattern: string;
}

/**
 * The file that holds the curation of a server, with another judgement of one operation. Nothing is written.
 * @throws ServerChangeFault where there is no such server @throws JsoncSyntaxError where the file cannot be read
 */
export async function draftCuration(
  config: EditableConfig,
  { upstream, pattern }: CurationTarget,
  { category, danger }: Judgement,
): Promise<FileChange> {
  const place = placeFor(requirePlaces(config, upstream), pattern);
  const before = place.path.length > 0 ? config.text : await readFile(place.file, 'utf8');
  const known = ruleIn(place, pattern);
  const { category: _category, danger: _danger, ...rest } = known ?? {};
  const rule = {
    ...rest,
    ...(category === undefined ? {} : { category }),
    ...(danger === undefined ? {} : { danger }),
  };
  const at = [...place.path, 'operations', pattern];
  const edits = known === undefined || Object.keys(rule).length === 0 ? wholeRule(at, rule) : members(at, known, rule);
  return { file: place.file, before, after: edits.length === 0 ? before : editJsonc(before, edits) };
}

/** Later definitions win, so that the last one that speaks of the operation is changed, or of operations, or the last one. */
function placeFor(places: readonly ServerPlace[], pattern: string): ServerPlace {
  const found =
    places.findLast((place) => ruleIn(place, pattern) !== undefined) ??
    places.findLast(({ entry }) => isJsonObject(entry['operations'])) ??
    places.at(-1);
  // `requirePlaces` gives one at least.
  if (found === undefined) throw new Error('a server is defined nowhere');
  return found;
}

function ruleIn({ entry }: ServerPlace, pattern: string): JsonObject | undefined {
  const { operations } = entry;
  const rule = isJsonObject(operations) && Object.hasOwn(operations, pattern) ? operations[pattern] : undefined;
  return isJsonObject(rule) ? rule : undefined;
}

/** A rule that says nothing is not written, and one that says nothing any more is removed. */
function wholeRule(path: JsoncEdit['path'], rule: JsonObject): readonly JsoncEdit[] {
  return [{ path, value: Object.keys(rule).length === 0 ? undefined : rule }];
}

/** Changes the members that differ alone, so that what is written beside them stays. */
function members(at: JsoncEdit['path'], before: JsonObject, after: JsonObject): readonly JsoncEdit[] {
  return ['category', 'danger']
    .filter((name) => before[name] !== after[name])
    .map((name) => ({ path: [...at, name], value: after[name] }));
}
