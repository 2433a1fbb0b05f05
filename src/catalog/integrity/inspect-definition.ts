import { escapeInvisible, hasInvisible, INVISIBLE, removeInvisible } from '../../protocol/invisible-text.js';
import type { RawTool } from '../../protocol/raw-tool.js';
import { cutText } from '../clean-text.js';
import { EXFILTRATING_PHRASES, type HostilePhrase, INSTRUCTING_PHRASES } from './hostile-phrases.js';
import { readToolTexts, type ToolTexts } from './tool-texts.js';

/** Something in a definition that an operator should look at. */
export interface Suspicion {
  /** Stable kebab-case kind. */
  readonly kind: string;
  /** Completes "its definition ...". */
  readonly says: string;
}

interface Check {
  readonly kind: string;
  /** Every reason for suspicion; none for an honest definition. */
  readonly find: (texts: ToolTexts, visible: string) => readonly string[];
}

/** Beyond what the longest honest descriptions need; what models are shown ends at 4,000 in any case. */
const MAX_DESCRIPTION = 8_000;
const MAX_SCHEMA = 100_000;

const EXCERPT = 100;

/** One declared table: what is looked for in every definition. */
const CHECKS: readonly Check[] = [
  { kind: 'hidden-characters', find: ({ all }) => findHidden(all) },
  { kind: 'oversized-definition', find: findOversize },
  { kind: 'instructs-model', find: (_, visible) => findPhrases(INSTRUCTING_PHRASES, visible) },
  { kind: 'exfiltration-hint', find: (_, visible) => findPhrases(EXFILTRATING_PHRASES, visible) },
];

/** A tool object never changes, and a catalog is built many times from the same ones. */
const inspected = new WeakMap<RawTool, readonly Suspicion[]>();

/** Everything in one tool's definition that honest definitions do not hold. Never throws. */
export function inspectDefinition(tool: RawTool): readonly Suspicion[] {
  const known = inspected.get(tool);
  if (known !== undefined) return known;
  const texts = readToolTexts(tool);
  const visible = removeInvisible(texts.all);
  const suspicions = CHECKS.flatMap(({ kind, find }) => find(texts, visible).map((says) => ({ kind, says })));
  inspected.set(tool, suspicions);
  return suspicions;
}

/** Joiners belong to emoji and to many scripts, marks of direction to some; a carriage return hides nothing. */
const HONEST = /\r|(?<=\p{Emoji}|\ufe0f)\u200d(?=\p{Emoji})|(?<=[\p{L}\p{M}])[\u200c\u200d](?=[^\p{ASCII}])|\u00ad/gu;
const HIDDEN = new RegExp(INVISIBLE.source, 'gu');

function findHidden(text: string): readonly string[] {
  if (!hasInvisible(text)) return [];
  const hidden = text.replace(HONEST, '').match(HIDDEN) ?? [];
  if (hidden.length === 0) return [];
  const kinds = [...new Set(hidden)].slice(0, 5).map(nameCodePoint).join(', ');
  // Tag characters are ASCII moved out of sight.
  const spelled = hidden.flatMap(revealTag).join('').trim();
  const message = spelled === '' ? '' : `, which spell "${escapeInvisible(cutText(spelled, EXCERPT))}"`;
  return [`holds ${hidden.length} invisible characters (${kinds})${message}`];
}

function nameCodePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function revealTag(character: string): readonly string[] {
  const ascii = (character.codePointAt(0) ?? 0) - 0xe0000;
  return ascii >= 0x20 && ascii < 0x7f ? [String.fromCharCode(ascii)] : [];
}

function findOversize({ descriptionLength, schemaLength }: ToolTexts): readonly string[] {
  return [
    ...(descriptionLength > MAX_DESCRIPTION ? [`has a description of ${descriptionLength} characters`] : []),
    ...(schemaLength > MAX_SCHEMA ? [`has schemas of ${schemaLength} characters`] : []),
  ];
}

function findPhrases(phrases: readonly HostilePhrase[], text: string): readonly string[] {
  return phrases.flatMap(({ meaning, pattern }) => {
    const found = pattern.exec(text)?.[0];
    return found === undefined ? [] : [`${meaning}: "${cutText(found.replace(/\s+/g, ' ').trim(), EXCERPT)}"`];
  });
}
