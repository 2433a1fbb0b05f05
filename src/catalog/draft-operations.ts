import { isJsonObject } from '../base/json/json.js';
import { toSnakeCase } from '../base/lib/names.js';
import type { Diagnostic, ToolSet } from '../base/protocol/tools.js';
import { recognizeServer } from '../classify/known.js';
import { findEmptyHints, tellsReadsApart } from '../classify/words/default-hints.js';
import { findObjectPrefixes } from '../classify/words/object-prefix.js';
import type { CatalogUpstream } from './account/read-only-account.js';
import type { Choice, DraftOperation } from './create-operation.js';
import { type Curation, curationFor } from './curation.js';
import { countParameters, nameBehindTool } from './grouped-tools/split-tool.js';
import { type ScreenedTool, screenTools } from './integrity/screen-tools.js';
import type { ToolRecords } from './integrity/tool-record.js';
import { assignUniqueNames, type NameClaim } from './names.js';
import { readOnlyName, runsStatements } from './read-only-part.js';

export interface Drafts {
  readonly drafts: readonly DraftOperation[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Drafts the operations of one upstream, grouped tools split and hidden ones left out, under names that are unique within it. */
export function draftOperations(upstream: CatalogUpstream, toolSet: ToolSet, records: ToolRecords): Drafts {
  const screened = screenTools(toolSet, records);
  const raw = toolSet.tools.filter(isJsonObject);
  const emptyHints = findEmptyHints(raw);
  const isTold = tellsReadsApart(raw);
  const objectPrefixes = findObjectPrefixes(upstream.slug, raw);
  const knownServer = recognizeServer(raw);
  const proposals = proposeAll(upstream, screened.tools);
  const offered = proposals.filter(({ curation }) => curation.hide !== true);
  const claims = offered.map(claimName);
  const names = assignUniqueNames(claims);
  const drafts = offered.map(({ tool, curation, choice, snakeName, onlyReads, whole }, index) => {
    const localName = names.get(claims[index]?.key ?? '') ?? snakeName;
    const wholeName = names.get(keyOfWhole(tool)) ?? whole;
    return {
      upstream,
      tool,
      curation,
      localName,
      objectPrefixes,
      tellsReadsApart: isTold,
      emptyHints,
      knownServer,
      choice,
      onlyReads,
      partOf: wholeName !== undefined && whole !== undefined ? [wholeName] : undefined,
    };
  });
  const suffixed = drafts.flatMap(({ tool, localName }, index) =>
    describeSuffix(upstream.slug, tool.name, claims[index]?.base ?? localName, localName),
  );
  return {
    drafts,
    diagnostics: [...screened.diagnostics, ...suffixed, ...proposals.flatMap(({ diagnostics }) => diagnostics)],
  };
}

/** An operation before its name is decided. */
interface Proposal {
  readonly tool: ScreenedTool;
  /** What it is called unless the operator renames it. */
  readonly snakeName: string;
  readonly curation: Curation;
  readonly choice?: Choice;
  /** Set for the operation that runs only statements which are proven to read. */
  readonly onlyReads?: true;
  /** What the tool is called of which it is a part; absent where it is the whole. */
  readonly whole?: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** A tool, and the parts that it is split into; none where it stays whole. */
interface Subject {
  readonly tool: ScreenedTool;
  readonly snakeName: string;
  readonly choices: readonly Choice[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Parameters of all parts of one upstream's tools together, where each part counts as some. The most of 63 public servers is
 * 1,064; a list of 20 MB could ask for a hundred million, as each part has all parameters of its tool.
 */
const MOST_IN_PARTS = 100_000;
const PART = 10;

function proposeAll(upstream: CatalogUpstream, tools: readonly ScreenedTool[]): readonly Proposal[] {
  let left = MOST_IN_PARTS;
  const subjects = tools.map((tool): Subject => {
    const snakeName = toSnakeCase(tool.name);
    const choices = findChoices(upstream, tool, snakeName);
    const cost = choices.length * (PART + countParameters(tool.raw));
    if (cost > left) return { tool, snakeName, choices: [], diagnostics: [describeUnsplit(upstream.slug, tool.name)] };
    left -= cost;
    return { tool, snakeName, choices, diagnostics: [] };
  });
  const isTaken = findTakenNames(subjects);
  return subjects.flatMap((subject) =>
    subject.choices.length === 0 ? proposeWhole(upstream, subject) : proposeParts(upstream, subject, isTaken),
  );
}

/** Splits a grouped tool as the operator declares, else where its values differ in effect (decision 7). */
function findChoices(upstream: CatalogUpstream, { name, record }: ScreenedTool, snakeName: string): readonly Choice[] {
  const { split } = record;
  if (split === null) return [];
  const { group = upstream.group } = curationFor(upstream, name, snakeName);
  const isSplit = group === undefined ? split.differs : group === 'split';
  return isSplit
    ? split.values.map(({ value, name: verb }) => ({ parameter: split.parameter, value, name: verb }))
    : [];
}

/**
 * Names that no part may have: every tool's own, so that a tool and the part of another are never mistaken for each other and a
 * grouped tool's name still means the tool, and names that two parts ask for. Hidden tools count, so that hiding renames nothing.
 */
function findTakenNames(subjects: readonly Subject[]): (name: string) => boolean {
  const tools = new Set(subjects.map(({ snakeName }) => snakeName));
  const asked = new Set<string>();
  const shared = new Set<string>();
  for (const { name } of subjects.flatMap(({ choices }) => choices)) (asked.has(name) ? shared : asked).add(name);
  return (name) => tools.has(name) || shared.has(name);
}

/** The tool, and beside it the operation for its reads where it runs statements that can be proven to be some. */
function proposeWhole(upstream: CatalogUpstream, { tool, snakeName, diagnostics }: Subject): readonly Proposal[] {
  const curation = curationFor(upstream, tool.name, snakeName);
  const whole: Proposal = { tool, snakeName, curation, diagnostics };
  if (!runsStatements(upstream, tool.record, curation)) return [whole];
  const wholeName = curation.rename === undefined ? snakeName : toSnakeCase(curation.rename);
  const name = readOnlyName(wholeName);
  const own = curationFor(upstream, tool.name, snakeName, name);
  return [whole, { tool, snakeName: name, curation: own, onlyReads: true, whole: wholeName, diagnostics: [] }];
}

function proposeParts(
  upstream: CatalogUpstream,
  { tool, snakeName: parent, choices }: Subject,
  isTaken: (name: string) => boolean,
): readonly Proposal[] {
  const parts = choices.map((choice): Proposal => {
    const taken = isTaken(choice.name);
    const snakeName = taken ? nameBehindTool(tool.raw, choice.value) : choice.name;
    const curation = curationFor(upstream, tool.name, parent, snakeName);
    const diagnostics = taken ? describeSuffix(upstream.slug, tool.name, choice.name, snakeName) : [];
    return { tool, snakeName, curation, choice, whole: parent, diagnostics };
  });
  const { rename } = curationFor(upstream, tool.name, parent);
  const [first, ...rest] = parts;
  if (rename === undefined || first === undefined) return parts;
  return [
    { ...first, diagnostics: [...first.diagnostics, describeIdleRename(upstream.slug, tool.name, rename, parts)] },
    ...rest,
  ];
}

function describeUnsplit(upstream: string, tool: string): Diagnostic {
  const message = `Tool '${tool}' of '${upstream}' stays one operation: the parts of this server's tools would have more than ${MOST_IN_PARTS} parameters`;
  return { severity: 'warning', kind: 'tool-unsplit', upstream, tool, message };
}

/** A name that the operator gives goes first, then a tool that is spelled so already; parts of tools come last. */
function claimName({ tool, snakeName, curation, choice, onlyReads }: Proposal): NameClaim {
  const base = curation.rename === undefined ? snakeName : toSnakeCase(curation.rename);
  const rank =
    curation.rename !== undefined ? 0 : onlyReads ? 4 : choice !== undefined ? 3 : base === tool.name ? 1 : 2;
  const key = onlyReads
    ? JSON.stringify([tool.name, onlyReads])
    : choice === undefined
      ? keyOfWhole(tool)
      : JSON.stringify([tool.name, choice.value]);
  return { key, base, rank };
}

function keyOfWhole({ name }: ScreenedTool): string {
  return JSON.stringify([name]);
}

function describeSuffix(upstream: string, tool: string, wanted: string, name: string): readonly Diagnostic[] {
  if (name === wanted) return [];
  const message = `Tool '${tool}' of '${upstream}' is called '${name}': another of its tools has the name '${wanted}'; rename can choose a better one`;
  return [{ severity: 'warning', kind: 'name-suffixed', upstream, tool, message }];
}

function describeIdleRename(upstream: string, tool: string, rename: string, parts: readonly Proposal[]): Diagnostic {
  const names = parts.map(({ snakeName }) => snakeName).join(', ');
  const message = `Tool '${tool}' of '${upstream}' cannot be renamed to '${rename}', as it is offered in parts: rename those (${names}), or keep it whole with group: keep`;
  return { severity: 'warning', kind: 'rename-idle', upstream, tool, message };
}
