import { LEXICON } from '../../classify/words/lexicon.js';
import { FUNCTION_WORDS, REQUEST_WORDS, splitRequest } from './words.js';

/** How a word stands to what is asked for: the verb and its object, what they belong to, where, about what, or why. */
export type Role = 'head' | 'of' | 'place' | 'about' | 'context';

/** One word of a request. */
export interface RequestWord {
  readonly word: string;
  readonly role: Role;
  /** Words of different clauses, and words with an argument between them, make no phrase. */
  readonly run: number;
  /** Whether it is written as a name is: with a capital that does not begin a sentence. */
  readonly isName: boolean;
  /** Whether another verb of the clause has gone before, so that a word that may be a verb is a noun here: `list` of `make a list`. */
  readonly isAfterVerb: boolean;
}

export interface ReadRequest {
  readonly words: readonly RequestWord[];
  /** The place of the first word of the clause that asks. */
  readonly start: number;
  /** The names of the sites whose addresses a request holds: `figma` of `https://figma.com/file/a`. */
  readonly sites: readonly string[];
}

/** Longer requests are cut here, as each word costs time. */
const MOST_WORDS = 60;
const LONGEST_REQUEST = 4_000;

/**
 * Reads the sentences of a request: which clause asks for something, what is its verb and object, and what only tells where,
 * about what and why. Addresses, paths, quoted texts, ids and numbers are what an operation is called with; they are no words,
 * unless operations are written with them (`s3`, `read/write`).
 *
 * @param isKnown whether operations contain a word
 */
export function readRequest(text: string, isKnown: (word: string) => boolean): ReadRequest {
  const cut = text.slice(0, LONGEST_REQUEST).replace(TOO_LONG, ARGUMENT);
  const sites: string[] = [];
  const request = readClauses(removeArguments(cut, isKnown, sites));
  // A request that consists of arguments alone is searched as it stands.
  if (request.words.some(({ word }) => isContentWord(word))) return { ...request, sites };
  return { ...readClauses(cut.replace(/[^\p{L}\p{N}'’]+/gu, ' ')), sites };
}

export function isContentWord(word: string): boolean {
  return word.length > 1 && !FUNCTION_WORDS.has(word) && !REQUEST_WORDS.has(word);
}

/** No word is so long; patterns take time that grows with the square of it. */
const TOO_LONG = /\S{100,}/gu;

/** Stands for an argument; no text contains it. */
const ARGUMENT = ' \u0000 ';

const ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/(?:www\.)?([^\s/:?#]{0,200})\S*/giu;
const MAILBOX = /[^\s@<>"]{1,100}@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+|(?<!\S)@[\p{L}\p{N}_-]+/gu;
const QUOTED =
  /"[^"\n]{1,500}"|“[^”\n]{1,500}”|«[^»\n]{1,500}»|`[^`\n]{1,500}`|(?<![\p{L}\p{N}])'[^'\n]{1,500}'(?![\p{L}\p{N}])/gu;
const LITERAL = /\{[^{}]{0,500}\}|\[[^[\]]{0,500}\]|(?<!\S)[A-Za-z_][\w.-]*=\S+/gu;
const PATH =
  /(?<![\p{L}\p{N}])(?:~|\.{1,2})?(?:\/[\p{L}\p{N}@._*-]+)+\/?|[\p{L}\p{N}@._*-]+(?:\/[\p{L}\p{N}@._*-]+)+\/?|[A-Z]:\\\S+/gu;
const DOTTED = /(?<![\p{L}\p{N}.])[\p{L}\p{N}_-]{2,}(?:\.[\p{L}\p{N}_-]+)*\.[a-z][a-z0-9]{0,4}(?![\p{L}\p{N}])/giu;
/** Products are written like files: `node.js`, `socket.io`. */
const PRODUCT_ENDING = /\.(?:js|net|io|ai)$/iu;
const WITH_DIGIT = /[#!$€£]?[\p{L}\p{N}_.:-]*\p{N}[\p{L}\p{N}_.:%-]*/gu;
/** A person's name behind a title, as `mrs` alone is an abbreviation. */
const TITLED = /(?<!\S)(?:Mrs?|Ms|Dr|Prof)\.?\s\p{Lu}[\p{L}-]{1,50}/gu;
const CONSTANT = /(?<![\p{L}\p{N}])[A-Z]{2,}(?:_[A-Z0-9]+)+(?![\p{L}\p{N}])/gu;

function removeArguments(text: string, isKnown: (word: string) => boolean, sites: string[]): string {
  const unlessKnown = (found: string): string =>
    splitRequest(found).every((word) => word.length > 1 && isKnown(word))
      ? ` ${found.replace(/[/.]/g, ' ')} `
      : ARGUMENT;
  return text
    .replace(ADDRESS, (_, host: string) => {
      sites.push(...host.toLowerCase().split('.').slice(0, -1));
      return ARGUMENT;
    })
    .replace(MAILBOX, ARGUMENT)
    .replace(TITLED, ARGUMENT)
    .replace(QUOTED, ARGUMENT)
    .replace(LITERAL, ARGUMENT)
    .replace(PATH, (found) => (/^[/~.]/.test(found) ? ARGUMENT : unlessKnown(found)))
    .replace(DOTTED, (found) =>
      PRODUCT_ENDING.test(found) ? unlessKnown(found) : `${ARGUMENT}${kindOf(found, isKnown)} `,
    )
    .replace(CONSTANT, unlessKnown)
    .replace(WITH_DIGIT, (found) => (/^[#!$€£]?[\d.:%-]+$/.test(found) ? ARGUMENT : unlessKnown(found)));
}

/** What a file holds, by the ending of its name. */
const KINDS: ReadonlyMap<string, string> = new Map(
  (
    [
      ['image', 'png jpg jpeg gif webp svg tiff bmp heic'],
      ['audio', 'mp3 wav ogg flac m4a'],
      ['video', 'mp4 mov avi mkv webm'],
      ['document', 'docx doc odt rtf'],
      ['spreadsheet', 'xlsx xls ods'],
      ['presentation', 'pptx ppt odp'],
      ['pdf', 'pdf'],
      ['csv', 'csv'],
      [
        'file',
        'txt md log json jsonl yaml yml toml ini cfg conf env lock xml html css js jsx ts tsx py rb go rs java c cpp sh sql tsv',
      ],
    ] as const
  ).flatMap(([kind, endings]) => endings.split(' ').map((ending) => [ending, kind] as const)),
);

/** `photo.png` is an argument, but says that the request is about an image. */
function kindOf(file: string, isKnown: (word: string) => boolean): string {
  const kind = KINDS.get(file.slice(file.lastIndexOf('.') + 1).toLowerCase());
  return kind !== undefined && isKnown(kind) ? kind : '';
}

/** What ends a clause: punctuation, and words that begin another. */
const BOUNDARY =
  /([.,;:!?()\n]+(?=\s|$)|\s[-–—]+\s|\b(?:because|and then|then|so that|so|but|while|since|before|after|until|as soon as)(?=\s)|\b(?:and|but)\s(?=(?:i|we|needs?|wants?)\s)|(?<!\b(?:do|did|does|that|what|which|who|where|when|how|can|could|should|shall|will|would|may|if|as|and|than))\s(?=(?:i|we)\s(?:(?:first|now|also|just|then|really)\s)*(?:need|want|must|have to|would like|should|run|first)\s))/giu;

/** What follows these after a request is its purpose or its circumstances. */
const REASON = /^(?:because|so that|so|but|while|since|before|after|until|as soon as)$/i;
const NEXT_STEP = /^(?:and then|then)$/i;

/** How people begin to ask. */
const LEAD =
  /^(?:(?:hi|hello|hey|ok|okay|please|pls|kindly|just|now|first|next|also|then|and|so|finally|maybe|well)\s+)*(?:(?:can|could|would|will) (?:you|we|i)\s+(?:please\s+)?|(?:i|we|you)(?:'d| would| do)? (?:(?:also|now|just|first|really) )*(?:need|want|like|have|got|must|should|wish|am trying|'m trying)(?: (?:you|us))?(?: to)?\s+|needs?(?: to)?\s+|wants? to\s+|let(?:'s| us| me)\s+|help me (?:to )?|(?:i|we) (?:first|now|then|just|also)\s+|(?:i am|i'm|we are|we're) (?:going to|about to|looking to|trying to)\s+)?(?:(?:please|first|now|just|also|quickly)\s+)*/iu;

/** Says when before a verb, and which before a noun. */
const ORDINAL = /^(?:first|next)\s+$/iu;

const QUESTION = /^(?:what|which|who|whose|where|when|how|is there|are there|do (?:i|we)|does|did|has|have)\b/iu;
const DETERMINER = /^(?:a|an|the|my|our|your|his|her|its|their|this|that|these|those|all|every|some|any|me|us|it)$/;

function readClauses(text: string): Omit<ReadRequest, 'sites'> {
  const parts = text.split(BOUNDARY);
  const clauses = Array.from({ length: Math.ceil(parts.length / 2) }, (_, index) => ({
    ...readLead(parts[2 * index] ?? ''),
    after: (parts[2 * index - 1] ?? '').trim(),
  })).filter(({ rest }) => rest.trim() !== '');
  const asking = clauses.findIndex(({ asks }) => asks);
  const words: RequestWord[] = [];
  let start = 0;
  for (const [place, clause] of clauses.entries()) {
    if (place === Math.max(0, asking)) start = words.length;
    words.push(...readClause(clause.rest, roleOf(clause, place, asking), words.at(-1)?.run ?? 0));
    if (words.length >= MOST_WORDS) break;
  }
  return { words: words.slice(0, MOST_WORDS), start };
}

function roleOf({ after, asks, isAside }: Clause, place: number, asking: number): Role {
  if (asking < 0 || place === asking) return 'head';
  if (place < asking || REASON.test(after) || isAside) return 'context';
  return asks || NEXT_STEP.test(after) ? 'about' : 'place';
}

interface Clause extends Lead {
  /** What ended the clause before. */
  readonly after: string;
}

interface Lead {
  readonly rest: string;
  readonly asks: boolean;
  /** Whether it tells something beside the request: `she sends ...`. */
  readonly isAside: boolean;
}

function readLead(clause: string): Lead {
  const trimmed = clause.trim().replace(/’/g, "'");
  const found = LEAD.exec(trimmed)?.[0] ?? '';
  const [first = '', second = ''] = splitRequest(trimmed.slice(found.length, found.length + 200));
  // "First list the branches" says when; "next song" says which.
  const lead = ORDINAL.test(found) && !isCommand(first, second) ? '' : found;
  const rest = trimmed.slice(lead.length);
  const isDemand = /\b(?:need|want|like|please|pls|can you|could you|let|help)\b/iu.test(lead);
  const asks = isDemand || QUESTION.test(rest) || (isCommand(first, second) && !isStatement(first, second, rest));
  return { rest, asks, isAside: !asks && /^(?:i|we|you|he|she|they|it|my|our|the)\b/iu.test(rest) };
}

/** Whether a clause begins with a verb: a word that is mostly one, or one with an object after it. */
function isCommand(first: string, second: string): boolean {
  if (first === '' || FUNCTION_WORDS.has(first)) return false;
  const verb = LEXICON.get(first);
  if (verb !== undefined && verb.nounness !== 'mostly') return true;
  return DETERMINER.test(second);
}

/** "Release 4.2 goes out tomorrow" tells something, although `release` may be a verb: another verb has it as its subject. */
function isStatement(first: string, second: string, clause: string): boolean {
  if (LEXICON.get(first)?.nounness === 'never' || DETERMINER.test(second) || CLAUSE_START.test(second)) return false;
  return FINITE_VERB.test(clause);
}

/** `check whether it is`, `search what was`: what follows is the verb's object. */
const CLAUSE_START = /^(?:if|whether|what|which|who|where|when|how|why|that|for|in|on)$/;

const FINITE_VERB =
  /^\S+(?:\s+\S+){0,2}\s+(?:is|are|was|were|has|goes|went|comes|came|needs|wants|will|must|fails|failed|says|said)\s/iu;

const ROLES: readonly Role[] = ['head', 'of', 'place', 'about', 'context'];

const ROLE_AFTER: ReadonlyMap<string, Role> = new Map(
  (
    [
      ['of', 'of'],
      ['in on from to at into inside under within onto across between off', 'place'],
      [
        `about with for by that which who where when whose if named called titled saying regarding concerning via using
        as like because without during`,
        'about',
      ],
    ] as const
  ).flatMap(([words, role]) => words.split(/\s+/).map((word) => [word, role] as const)),
);

/** Words that belong to the verb before them: `search for`, `look at`, `log in`. */
const PARTICLE = /^(?:for|at|in|on|into|off|through)$/;

/** The words of one clause. From a preposition on they say where, about what or why, which counts less. */
function readClause(text: string, from: Role, lastRun: number): readonly RequestWord[] {
  const words: RequestWord[] = [];
  let role = from;
  let run = lastRun + 1;
  let contents = 0;
  let isFirst = true;
  let isAfterVerb = false;
  for (const token of text.split(/\s+/)) {
    if (token === '') continue;
    if (token === ARGUMENT.trim()) {
      run += 1;
      continue;
    }
    const isName = !isFirst && /^\p{Lu}\p{Ll}/u.test(token);
    isFirst = false;
    for (const word of splitRequest(token)) {
      const next = ROLE_AFTER.get(word);
      const isParticle = contents === 1 && PARTICLE.test(word);
      if (next !== undefined && contents > 0 && !isParticle) role = laterOf(role, next);
      if (isContentWord(word)) contents += 1;
      words.push({ word, role, run, isName, isAfterVerb });
      isAfterVerb ||= isContentWord(word) && LEXICON.has(word);
    }
  }
  return words;
}

function laterOf(a: Role, b: Role): Role {
  return ROLES.indexOf(a) > ROLES.indexOf(b) ? a : b;
}
