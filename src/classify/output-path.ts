import type { ParameterFacts, ToolFacts } from './facts.js';
import type { Effect } from './lexicon.js';

const OUTPUT_PATH =
  /^(?:(?:out|output|dest|destination|save|export|result)_?(?:path|file|file_?path|file_?name|dir|directory|folder|location)|save_(?:to|as)|out_?file|out_?dir|write_to)$/;
/** Where something is written, if it is a file that is worked on. */
const TARGET = /^(?:output|destination|dest|target|target_(?:path|file|dir|directory|folder))$/;
const SOURCE_FILE = /(?:^|_)(?:paths?|files?|file_?name|filename|source|src|input|images?|videos?|pdfs?)(?:_|$)/;
/** Effects of tools that make one thing of another. */
const MAKING: ReadonlySet<Effect> = new Set<Effect>(['read', 'check', 'compute', 'download', 'create', 'update']);
const CONVERTING: ReadonlySet<string> = new Set(
  `convert merge split resize crop compress rotate format transform export extract download render plot draw encode decode trim
    concat concatenate combine resample transcode transcribe translate generate minify beautify transpile decompile decrypt encrypt
    optimize optimise annotate overlay`.split(/\s+/),
);

/** Whether the tool makes one thing of another, so that a path for output is where the result goes. */
export function isConverter({ name, description }: ToolFacts): boolean {
  const matches = [
    ...name.filter(({ role }) => role !== 'inner'),
    ...description.matches.filter(({ role }) => role !== 'later'),
  ];
  return matches.every(({ effect }) => MAKING.has(effect));
}

/** Whether a parameter names the file that a converter always writes: it is required, or has a name where none is given. */
export function isOutput({ key, text, values, required, preset }: ParameterFacts, facts: ToolFacts): boolean {
  if (!text || values.length > 0 || !(required || preset)) return false;
  if (OUTPUT_PATH.test(key)) return true;
  const converts = [...facts.name, ...facts.description.matches].some(({ word }) => CONVERTING.has(word));
  return (
    TARGET.test(key) && converts && facts.parameters.some((other) => other.key !== key && SOURCE_FILE.test(other.key))
  );
}
