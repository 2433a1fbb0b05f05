import { ACTING_NAMES, actsByName, isProse, plainOf } from './acting-text.js';
import { losesByWord } from './judge-value.js';
import { LEXICON, writeShare } from './words/lexicon.js';
import { splitWords } from './words/vocabulary.js';
import { wordEntries, wordList } from './words/word-lists.js';

/** What may begin a command, although it is no English verb. */
const PROGRAMS = new Set([...wordEntries('programs').flatMap(([, words]) => words), ...wordList('first-words')]);
/** Behind these the command begins, or what it takes back. */
const LEADING = /^(?:no|undo|default|please)$/i;

/** Paths, addresses and the like. */
const ADDRESS = /^(?:[a-z][a-z+.-]*:)?\/|^[\w.+-]+@[\w.-]+$/i;
const CODE_IN_WORD = /[;{}|<>`[\]\\]|\w\(|^[!*(:%][A-Za-z%]|^[A-Z]\w+\.[A-Z]\w*$|^[A-Z]{2}[+&]/;
/** What only languages have, between words: signs, options, calls, quotes that begin a word, commands in capitals. */
const CODE =
  /[;{}|<>`$=\\~^[\]"*]|\w\(|\(\)|: #|^\([a-z.].*\)$|(?:^|\s)(?:-{1,2}\w|(?!Get-)[A-Z][a-z]+-[A-Z]+[a-z]*[A-Z]|[!/@.:%]\w|')|^[A-Z]{4,}(?: [A-Z]{2,})* [a-z\d@#]|^[A-Z]\d+ | (?:on|ON|off|OFF|down|DOWN)$/;
const NAMES = /^(?:[\p{Lu}\d][\p{Ll}\d'’.,-]*|&|of|de|von|van)$/u;
/** Forms of verbs, and nouns made of them, that tell nobody to do anything. */
const UNTOLD = /(?:ed|ion|ing|al|ment|er)$/;

/**
 * Whether a text of which nobody says what it is may be told to something that runs it: whatever is neither a sentence, a name, nor a value,
 * and has the signs of a language or a word for a deed.
 */
export function isUnclear(text: string): boolean {
  const plain = plainOf(text);
  if (!/\p{L}/u.test(plain) || isProse(plain)) return false;
  return plain.split('\n').slice(0, 500).some(isUnclearLine);
}

function isUnclearLine(line: string): boolean {
  const words = line.split(' ').filter((word) => word !== '');
  const [first = '', ...rest] = words;
  if (rest.length === 0) return isUnclearWord(first);
  if (words.every((word) => NAMES.test(word))) return false;
  if (CODE.test(line) || LEADING.test(first) || PROGRAMS.has(first.toLowerCase())) return true;
  if (!UNTOLD.test(first) && actsByName(first)) return true;
  return words.slice(0, 12).some((word) => /^(?:[a-z]|[A-Z]+\.?$)/.test(word) && splitWords(word).some(acts));
}

function isUnclearWord(word: string): boolean {
  if (ADDRESS.test(word)) return false;
  if (CODE_IN_WORD.test(word)) return true;
  // The end of a name with dots is what is called, or the ending of a file.
  const [last = ''] = word.replace(/\.$/, '').split('.').slice(-1);
  return /^[a-z][\w:-]*$/i.test(last) && !UNTOLD.test(last) && actsByName(last);
}

/** Whether a word among others says that something is done, and is hardly ever a noun. */
function acts(word: string): boolean {
  if (UNTOLD.test(word)) return false;
  const verb = LEXICON.get(word);
  return losesByWord(word) || (verb?.nounness === 'never' && writeShare(verb.effect) > 0) || ACTING_NAMES.has(word);
}
