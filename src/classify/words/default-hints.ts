import { isJsonObject } from '../../base/json/json.js';
import type { RawTool } from '../../base/protocol/tools.js';
import { type Effect, LEXICON, type Verb } from './lexicon.js';
import { splitWords } from './vocabulary.js';

/** Hints of a server that say nothing of its tools: all of them, or only which tools are destructive. */
export type EmptyHints = 'all' | 'destructive';

/** What MCP says that hints mean which are left out; some SDKs write them on every tool whose author gives none. */
const DEFAULTS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true } as const;

/** What plainly loses nothing, so that calling most of it destructive says no more than that it changes something. */
const LOSELESS: ReadonlySet<Effect> = new Set<Effect>(['read', 'check', 'compute', 'create', 'add', 'interact']);
/** So many tools that lose nothing show how a server uses the hint. */
const ENOUGH = 2;

/**
 * The hints of a server that are written without regard to what a tool does. Where all tools carry MCP's defaults, an SDK wrote
 * them. Where most of what plainly adds, reads or clicks is called destructive, everything is that changes something.
 */
export function findEmptyHints(tools: readonly RawTool[]): EmptyHints | undefined {
  if (tools.length > 1 && tools.every(({ annotations }) => isJsonObject(annotations) && isDefault(annotations)))
    return 'all';
  const loseless = tools.some(isCalledDestructive) ? tools.filter(losesNothing) : [];
  const called = loseless.filter(isCalledDestructive).length;
  return called >= ENOUGH && called * 2 > loseless.length ? 'destructive' : undefined;
}

/** Whether a server's hints tell reads from other tools: then `readOnlyHint: false` is said with thought. */
export function tellsReadsApart(tools: readonly RawTool[]): boolean {
  const said = (value: boolean): boolean =>
    tools.some(({ annotations }) => isJsonObject(annotations) && annotations['readOnlyHint'] === value);
  return said(true) && said(false);
}

function isDefault(annotations: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(DEFAULTS).every(([hint, value]) => annotations[hint] === value);
}

function isCalledDestructive({ annotations }: RawTool): boolean {
  return isJsonObject(annotations) && annotations['destructiveHint'] === true && annotations['readOnlyHint'] !== true;
}

/** Whether the first verb of a tool's name adds, reads or clicks. What is called read-only shows nothing. */
function losesNothing({ name, annotations }: RawTool): boolean {
  if (typeof name !== 'string' || (isJsonObject(annotations) && annotations['readOnlyHint'] === true)) return false;
  const verbs = splitWords(name).flatMap((word): readonly Verb[] => {
    const verb = LEXICON.get(word);
    return verb === undefined || verb.nounness === 'mostly' ? [] : [verb];
  });
  const verb = verbs.find(({ nounness }) => nounness === 'never') ?? verbs[0];
  return verb !== undefined && LOSELESS.has(verb.effect);
}
