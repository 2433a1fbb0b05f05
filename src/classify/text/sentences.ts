import { isPlain } from '../words/languages.js';
import { findPhrasalVerb } from '../words/vocabulary.js';

/** The text beyond this describes how to use a tool, not what it does. */
const READ_CHARACTERS = 1200;
const SENTENCES = 8;
export const CLAUSE_CHARACTERS = 300;

/** Only sentences that begin like this can have an opener; most begin with their verb and skip the patterns. */
const MAY_OPEN =
  /^(?:[^a-z0-9]|(?:this|the|an?|use|call|invoke|run|allows?|enables?|lets?|helps?|helper|used|useful|designed|intended|meant|able|it|note|deprecated|important|required|mandatory|preferred)\b|[A-Z][A-Z/ -]{2,}\s?[:!—-]|\w+_\w+\s|[\w .-]{1,24}\s\||.{0,50}\b(?:tool|utility|helper) )/i;

/** Openers that name the tool or its reader before the verb: "This tool allows you to", "Use this tool when you want to". */
const OPENERS: readonly RegExp[] = [
  /^[^\p{L}\p{N}]+/u,
  /^(?:[A-Z][A-Z/ -]{2,}|Note|Deprecated|Important|Required|Mandatory|Preferred)\s?[:!—-]\s+/,
  /^[\w .-]{1,24}\s\|\s/,
  /^[a-z0-9]+_[a-z0-9_]+\s+(?!or\b|and\b)/i,
  /^(?:this|the|an?)\s+(?:[\w-]+\s+){0,3}?(?:tool|endpoint|method|function|operation|api|action|command)\s+(?:(?:that|which|will|can|is|may|be|used|you|users?|to|for|only|primarily|helps?)\s+)+/i,
  /^(?:this|the|an?)\s+(?:[\w-]+\s+){0,2}?(?:tool|endpoint|method|function|operation|api|action|command)\s+(?=\w+s\b)/i,
  /^(?:a|an|the)?\s?(?:[\w-]+\s+){0,3}(?:tool|utility|helper)\s+(?:for|to|that)\s+/i,
  /^(?:use|call|invoke|run)\s+(?:this|it)\s+(?:(?:as|the|tool|endpoint|function|method|primary|main|only|when|whenever|if|you|user|users|wants?|needs?|asks?|in|order|to|for|first)\s+)*/i,
  /^use\s+(?:only\s+)?(?:to|for|when)\s+/i,
  /^(?:any|all|every)\s+(?=[^.]{1,80}\bquestions?\b)/i,
  /^(?:allows?|enables?|lets?|helps?|helper)\s+(?:you|users?|agents?|callers?|clients?|us|models?|llms?|(?:the|an?|ai)\s+(?:\w+\s+(?=to\b)|users?|agents?|assistants?|callers?|clients?|models?|llms?|developers?))\s*(?:to\s+)?/i,
  /^(?:used|useful|designed|intended|meant|able)\s+(?:to|for|when)\s+/i,
  /^(?:it|this)\s+(?:also\s+|will\s+|can\s+)*(?=\w+s?\b)/i,
];

const SENTENCE_ENDS = /\n+|(?<=[.!?])\s+/;
const ANY_SENTENCE_ENDS = /\n+|(?<=[.!?])\s+|(?<=[。！？])/;

/** The first sentences of a description, without emphasis marks and quotes. */
export function splitSentences(description: string): readonly string[] {
  const text = description
    .slice(0, READ_CHARACTERS)
    .replace(/[*`"“”]+/g, '')
    .replace(/(?<=[。！？])/g, '\n');
  const sentences: string[] = [];
  for (const part of text.split(isPlain(text) ? SENTENCE_ENDS : ANY_SENTENCE_ENDS)) {
    const sentence = part.trim();
    if (/[a-z]/i.test(sentence) || /\p{L}/u.test(sentence)) sentences.push(sentence);
    if (sentences.length === SENTENCES) break;
  }
  return sentences;
}

/** The sentence without its openers, from the words on that say what the tool does. */
export function stripOpeners(sentence: string): string {
  let clause = sentence.replace(/^(?:\[[^\]]*\]|\([^)]*\))\s*/, '');
  for (let round = 0; round < 3 && MAY_OPEN.test(clause); round += 1) {
    const before = clause;
    for (const opener of OPENERS) clause = clause.replace(opener, '');
    if (clause === before) break;
  }
  return clause;
}

const PLAIN_TOKENS = /[a-z][\w'-]*|[,:;/&]|\d+/g;
const ANY_TOKENS = /\p{L}[\p{L}\p{M}\w'-]*|[,:;/&]|\d+/gu;

/** Words and separators in lower case, without text in brackets; "sets up" becomes one verb with its inflection. */
export function tokenizeClause(clause: string): readonly string[] {
  const plain = clause
    .slice(0, CLAUSE_CHARACTERS)
    .replace(/\([^)]*\)/g, ' ')
    .toLowerCase();
  // Letters of all scripts belong to words: "删除 list" does not begin with a verb that is known.
  const tokens = plain.match(isPlain(plain) ? PLAIN_TOKENS : ANY_TOKENS) ?? [];
  const joined: string[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] ?? '';
    const phrase = joinPhrase(token, tokens[index + 1] ?? '');
    joined.push(phrase ?? token);
    if (phrase !== undefined) index += 1;
  }
  return joined;
}

function joinPhrase(token: string, next: string): string | undefined {
  const base = findPhrasalVerb(token, next);
  if (base !== undefined || !token.endsWith('s')) return base;
  const stem = token.replace(/(?<=ch|sh)es$|s$/, '');
  const third = findPhrasalVerb(stem, next);
  return third === undefined ? undefined : `${third}s`;
}
