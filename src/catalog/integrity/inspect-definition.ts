import { isJsonObject } from '../../base/json/json.js';
import { cutText, escapeInvisible, hasInvisible, INVISIBLE, removeInvisible } from '../../base/lib/text.js';
import type { RawTool } from '../../base/protocol/tools.js';

/** Something in a definition that an operator should review. */
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

/** More than the longest honest descriptions have; models see at most 4,000 characters in any case. */
const MAX_DESCRIPTION = 8_000;
const MAX_SCHEMA = 100_000;

const EXCERPT = 100;

const CHECKS: readonly Check[] = [
  { kind: 'hidden-characters', find: ({ all }) => findHidden(all) },
  { kind: 'oversized-definition', find: findOversize },
  { kind: 'instructs-model', find: (_, visible) => findPhrases(INSTRUCTING_PHRASES, visible) },
  { kind: 'exfiltration-hint', find: (_, visible) => findPhrases(EXFILTRATING_PHRASES, visible) },
];

/** Finds everything in one tool's definition that honest definitions do not have. Never throws. */
export function inspectDefinition(tool: RawTool): readonly Suspicion[] {
  const texts = readToolTexts(tool);
  const visible = removeInvisible(texts.all);
  return CHECKS.flatMap(({ kind, find }) => find(texts, visible).map((says) => ({ kind, says })));
}

/** Invisible characters with a legitimate use: joiners in emoji and many scripts, soft hyphens, carriage returns. */
const HONEST = /\r|(?<=\p{Emoji}|\ufe0f)\u200d(?=\p{Emoji})|(?<=[\p{L}\p{M}])[\u200c\u200d](?=[^\p{ASCII}])|\u00ad/gu;
const HIDDEN = new RegExp(INVISIBLE.source, 'gu');

function findHidden(text: string): readonly string[] {
  if (!hasInvisible(text)) return [];
  const hidden = text.replace(HONEST, '').match(HIDDEN) ?? [];
  if (hidden.length === 0) return [];
  const kinds = [...new Set(hidden)].slice(0, 5).map(nameCodePoint).join(', ');
  // Tag characters are invisible copies of ASCII.
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

/** A phrase that addresses the model instead of describing the tool. */
interface HostilePhrase {
  /** Stable kebab-case id. */
  readonly id: string;
  /** What an operator should know: completes "its definition ...". */
  readonly meaning: string;
  /** Matched against the definition's texts, invisible characters removed, one line for each text. */
  readonly pattern: RegExp;
}

const CALL = '(?:call|use|invoke|run|execute)';
const CALLING = '(?:calling|using|invoking|running|executing)';
/** Up to so many characters of the same sentence. */
const within = (length: number): string => `[^.\\n]{0,${length}}?`;
const phrase = (...parts: readonly string[]): RegExp => new RegExp(parts.join(''), 'i');

/**
 * Phrases that honest tools do not use. Each pattern asks for two things at once (whom it addresses and what it wants), as
 * either alone occurs in many honest descriptions.
 */
export const INSTRUCTING_PHRASES: readonly HostilePhrase[] = [
  {
    id: 'overrules',
    meaning: 'tells the model to ignore other instructions',
    pattern: phrase(
      '\\b(?:ignor|disregard|forget|overrid|bypass)(?:e|es|ing|s)?\\b',
      within(30),
      '\\b(?:all|any|previous|prior|above|earlier|preceding|other|your|system|safety)\\b',
      within(20),
      '\\b(?:instructions?|prompts?|rules|guidelines|directives|guardrails)\\b',
    ),
  },
  {
    id: 'replaces-instructions',
    meaning: 'gives the model instructions of its own',
    pattern:
      /\b(?:new|real|true|actual|updated|secret) (?:instructions?|directives?) ?:|\byour (?:real|true|actual|secret) (?:task|goal|objective|instructions?)\b/i,
  },
  {
    id: 'block',
    meaning: 'holds a block that is made to look like a prompt',
    pattern:
      /<\/?(?:important|system|instructions?|secret|hidden|critical|admin|assistant|human)\b[^>\n]{0,40}>|<\|\w{2,20}\|>|\[\/?INST\]/i,
  },
  {
    id: 'speaker',
    meaning: 'poses as the system or the assistant',
    pattern:
      /(?:^|[.!?;])[ \t]*(?:#{1,6} *)?\[?(?:system|assistant|developer)(?: (?:prompt|message|note|override))?\]? ?:[ \t]*\S/im,
  },
  {
    id: 'role',
    meaning: 'gives the model another role',
    pattern: /\b(?:you are now\b|from now on,? (?:you|always|never)\b|pretend (?:to be|that you)\b)/i,
  },
  {
    id: 'secrecy',
    meaning: 'asks the model to keep something from the user',
    pattern: phrase(
      "\\b(?:do not|don't|never|without|must not|avoid)\\b",
      within(25),
      '\\b(?:tell|inform|mention|reveal|notify|disclos|alert|show)(?:e|ing|ling)?\\b',
      within(30),
      '\\busers?\\b',
    ),
  },
  {
    id: 'hides',
    meaning: 'asks the model to hide something from the user',
    pattern: phrase(
      '\\b(?:hide|hidden|conceal|keep|secret)\\w*\\b',
      within(30),
      '\\bfrom (?:the )?users?\\b|\\bsecretly\\b|\\bcovertly\\b',
      "|\\bwithout (?:the )?users?(?:'s?)? (?:knowledge|knowing|noticing)\\b",
    ),
  },
  {
    id: 'consent',
    meaning: 'tells the model to act without or against the user',
    pattern:
      /\b(?:(?:do not|don't|never|without) ask(?:ing)? (?:the )?users?\b|even if (?:the )?users? (?:says?|asks?|objects?|declines?|refuses?)\b|regardless of what (?:the )?users?\b)/i,
  },
  {
    id: 'precedence',
    meaning: 'asks to be called before or instead of other tools',
    pattern: phrase(
      `\\b(?:before|prior to|instead of|rather than)\\b(?: ${CALLING})?`,
      '(?: (?:any|all|every)(?: (?:of the )?other)?| (?:the )?other)\\b',
      within(15),
      '\\btools?\\b',
    ),
  },
  {
    id: 'insistence',
    meaning: 'tells the model when to call it, whatever the task',
    pattern: phrase(
      `\\b(?:must|should|shall|have to|need to) (?:always|first) ${CALL}\\b`,
      `|\\balways ${CALL} this (?:tool|function)\\b`,
      `|\\b${CALL} this (?:tool|function) (?:on|before|after) (?:every|each|any|all)\\b`,
      '|\\bthis (?:tool|function) (?:must|has to|needs to) be (?:called|used|invoked|run) (?:first|before)\\b',
    ),
  },
  {
    id: 'context',
    meaning: "asks for the model's context",
    pattern: phrase(
      '\\b(?:include|pass|send|provide|append|copy|attach|forward|repeat|paste)\\b',
      within(30),
      '\\b(?:your system prompt|(?:entire|full|whole|complete) (?:conversation|chat|context window)',
      '|(?:conversation|chat) history|all (?:previous|prior) messages)\\b',
    ),
  },
];

/** Paths of files that hold secrets. */
const SECRET_FILE = String.raw`(?:~|\$HOME|/home/\w+|/root|%USERPROFILE%)[/\\]\.(?:ssh|aws|gnupg|kube|docker|netrc|npmrc|pgpass|git-credentials|\w+_history)\b|\bid_(?:rsa|ed25519|ecdsa)\b|/etc/shadow\b|\bmcp\.json\b`;
/** How they begin: to look back from every character of a text takes a quarter of the time of all checks. */
const BEGINNING = '(?=[~$/%]|id_|mcp)';
/** What asks for such a file, before it. */
const WANTED = String.raw`\b(?:read|open|load|cat|pass|send|include|provide|contents?)\b[^\n;]{0,60}`;
/** What says that such files are kept away from, after them: a server that refuses them says so. */
const REFUSED = String.raw`[^\n;]{0,60}?\b(?:is|are|be|gets?) (?:always |all |also )?(?:rejected|refused|denied|blocked|forbidden|disallowed|not allowed|redacted)\b`;

/** Phrases that direct what a model reads or does to another place. */
export const EXFILTRATING_PHRASES: readonly HostilePhrase[] = [
  {
    id: 'destination',
    meaning: 'tells the model where to send data',
    pattern: phrase(
      '\\b(?:send|post|upload|forward|transmit|exfiltrate|leak)(?:s|ing)?\\b',
      '[^\\n.;]{0,60}?\\b(?:to|at):? +["\'`(<]*https?://',
    ),
  },
  {
    id: 'recipient',
    meaning: 'names a recipient for messages',
    pattern:
      /\b(?:must|should|always|have to|need to)\b[^\n]{0,60}?\b(?:send|sent|forward(?:ed)?|bcc|cc)\b[^\n]{0,60}?[\w.+-]+@[\w-]+\.\w{2,}/i,
  },
  {
    id: 'secret-file',
    meaning: 'names a file that holds secrets',
    pattern: new RegExp(`${BEGINNING}(?:(?<=${WANTED})(?:${SECRET_FILE})|(?:${SECRET_FILE})(?!${REFUSED}))`, 'i'),
  },
  {
    id: 'address',
    meaning: 'holds a URL to be filled with data',
    pattern: /https?:\/\/[^\s"'`)]{1,200}[?&][\w.-]{1,40}=(?:\{|<|\$|%s|\[)|!\[[^\]\n]{0,80}\]\(\s*https?:\/\//i,
  },
  {
    id: 'encoded',
    meaning: 'holds a long encoded text',
    pattern: /(?<![\w+/=-])(?=[A-Za-z+/]*\d)(?=[a-z0-9+/]*[A-Z])(?=[A-Z0-9+/]*[a-z])(?:[A-Za-z0-9+]{24,}\/?){3,}={0,2}/,
  },
];

/** Only so much text is read; more is suspicious by itself. */
const MAX_TEXT = 200_000;
const MAX_DEPTH = 60;

/** The texts of a tool's definition, and their sizes. */
interface ToolTexts {
  readonly name: string;
  /** The tool's title, description and annotations' title. */
  readonly own: string;
  /** That and every text of its schemas: names, descriptions, values. */
  readonly all: string;
  /** Characters of the description. */
  readonly descriptionLength: number;
  /** Characters of the input and output schema as JSON. */
  readonly schemaLength: number;
}

/** Reads the texts of all parts of a tool's definition. Never throws. */
function readToolTexts(tool: RawTool): ToolTexts {
  const { name, title, description, annotations, inputSchema, outputSchema } = tool;
  const own = [title, description, isJsonObject(annotations) ? annotations['title'] : undefined];
  const texts = own.filter((text) => typeof text === 'string');
  const inside: string[] = [];
  collectTexts([inputSchema, outputSchema], inside, { left: MAX_TEXT }, 0);
  return {
    name: String(name),
    own: texts.join('\n').slice(0, MAX_TEXT),
    all: [String(name), ...texts, ...inside].join('\n').slice(0, MAX_TEXT),
    descriptionLength: typeof description === 'string' ? description.length : 0,
    schemaLength: measureDepth(inputSchema) + measureDepth(outputSchema),
  };
}

function collectTexts(value: unknown, texts: string[], budget: { left: number }, depth: number): void {
  if (budget.left <= 0 || depth > MAX_DEPTH) return;
  if (typeof value === 'string') {
    texts.push(value);
    budget.left -= value.length;
  } else if (Array.isArray(value)) {
    for (const item of value) collectTexts(item, texts, budget, depth + 1);
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      collectTexts(key, texts, budget, depth + 1);
      collectTexts(member, texts, budget, depth + 1);
    }
  }
}

function measureDepth(schema: unknown): number {
  try {
    return JSON.stringify(schema)?.length ?? 0;
  } catch {
    // Nested too deeply for JSON: longer than any limit.
    return Number.POSITIVE_INFINITY;
  }
}
