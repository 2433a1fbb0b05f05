import { isJsonObject } from '../base/json/json.js';
import type { RawTool } from '../base/protocol/tools.js';
import { readObjectFields } from '../schema/schema-shape.js';

/** What a description says that is lost. */
export const LOSS =
  /\b(?:overwrit(?:e|es|ing)|discard(?:s|ing)?|delet(?:e|es|ing|ion)|remov(?:e|es|ing|al)|destroy(?:s|ing)?|wip(?:e|es|ing)|purg(?:e|es|ing)|eras(?:e|es|ing)|drops?|clears?|resets?|irreversibl[ey]|data loss|(?:cannot|can't) be (?:undone|recovered)|bypass(?:es|ing)? (?:\w+ ){0,2}(?:safety|checks?|protections?|confirmations?)|replac(?:e|es|ing) (?:all|any existing|existing|everything|the (?:entire|whole|existing)))\b/i;
/** Words before a loss that say that it does not happen, or that little is lost. */
export const DENIED =
  /\b(?:not|never|without|instead of|no|prevent\w*|avoid\w*|preserv\w*|keep\w*|protect\w*|refus\w*|fail\w*|un(?:less|til)|adds?|adding|labels?|tags?|whitespace|duplicates?)\b/i;

/** The steps that end an interrupted sequence, such as a rebase, and throw away what was done of it. */
const DISCARDING_STEPS = /^(?:abort|skip|quit)$/;

/** Whether a value throws away the steps that its neighbour `continue` goes on with. */
export function discardsSteps(value: string, values: readonly string[]): boolean {
  return DISCARDING_STEPS.test(wordOf(value)) && values.some((each) => wordOf(each) === 'continue');
}

const wordOf = (value: string): string => value.toLowerCase().replace(/^-+/, '');

/** Enough of a text to explain the values of a choice. */
const TEXT_CHARACTERS = 2_000;
/** What is said of a value follows it within so many characters. */
const SAYING_CHARACTERS = 160;
/** A value is looked for so often. */
const MOST_OCCURRENCES = 6;

/**
 * The words by which the tool or the parameter says that a value removes something: "unlink (remove links from an item)",
 * "`sweep`: deletes what is left". Undefined where neither does.
 * @param described the description of the parameter
 * @param values all values of the choice: what is said of the next one is not said of this one
 */
export function saidToLose(
  tool: RawTool,
  described: string,
  value: string,
  values: readonly string[],
): string | undefined {
  for (const text of [described, tool['description']]) {
    if (typeof text !== 'string') continue;
    for (const saying of sayingsOf(text.slice(0, TEXT_CHARACTERS), value, values)) {
      const loss = LOSS.exec(saying);
      if (loss !== null && !DENIED.test(saying.slice(0, loss.index))) return loss[0];
    }
  }
  return undefined;
}

/** What is said of a form of the answer that is not given back but kept. */
const KEPT =
  /\b(?:sav|writ|stor|export|dump|persist|download)(?:e?s|ed?|ing|ten)?\b.{0,60}\b(?:disk|files?|folder|directory|file ?system)\b/i;

/** Whether the description of a choice says of a value that the answer goes to a file: "'file' saves the image to disk". */
export function saidToBeKept(described: string, value: string, values: readonly string[]): boolean {
  return sayingsOf(described.slice(0, TEXT_CHARACTERS), value, values).some((saying) => KEPT.test(saying));
}

/** The description of a parameter. It looks through all of them: for one of a tool, not for each. */
export function descriptionOf(tool: RawTool, parameter: string): string {
  const schema = tool['inputSchema'];
  if (!isJsonObject(schema)) return '';
  const description = readObjectFields(schema, schema).find(({ name }) => name === parameter)?.schema['description'];
  return typeof description === 'string' ? description : '';
}

const WORD = /[\w-]/;
/** After the value stands a sign and what it means, or, where the value is quoted, what it does: "'file' saves the image". */
const EXPLANATION =
  /^(?:['"`\u2019\u201d]?\*{0,2}\s*(?:\(|:|=|->|\u2013|\u2014|-|\u2192)\s*|['"`\u2019\u201d]\s+(?=[a-z]))([^.;)\n|]*)/;

/** What follows each mention of a value, up to the next value or sentence. */
export function sayingsOf(text: string, value: string, values: readonly string[]): readonly string[] {
  const sayings: string[] = [];
  let from = 0;
  for (let count = 0; value !== '' && count < MOST_OCCURRENCES; count += 1) {
    const at = text.indexOf(value, from);
    if (at < 0) break;
    from = at + value.length;
    if (WORD.test(text[at - 1] ?? '') || WORD.test(text[from] ?? '')) continue;
    const explained = EXPLANATION.exec(text.slice(from, from + SAYING_CHARACTERS))?.[1];
    if (explained !== undefined) sayings.push(untilNextValue(explained, values));
  }
  return sayings;
}

/** `, operation="drop"`: the next value is assigned or quoted. */
const QUOTED_NEXT = /\b[\w-]+\s*=\s*['"`]?[\w-]+/;

function untilNextValue(whole: string, values: readonly string[]): string {
  const explained = whole
    .slice(0, QUOTED_NEXT.exec(whole)?.index)
    .replace(/,?\s*[\w-]+\s*$/, (end) => (QUOTED_NEXT.test(whole) ? '' : end));
  const parts = explained.split(/,\s*/);
  const next = parts.findIndex((part, index) => {
    const first = part.replace(/^(?:or |and )?['"`]?/, '');
    return index > 0 && values.some((value) => value !== '' && first.startsWith(value));
  });
  return (next < 0 ? parts : parts.slice(0, next)).join(', ');
}
