import type { JsonSchema } from '../base/json/json.js';
import { toSnakeCase } from '../base/lib/names.js';
import { cleanText, quoteValues } from '../base/lib/text.js';
import type { Operation } from '../base/protocol/operation.js';
import type { RawTool } from '../base/protocol/tools.js';
import { readFurtherMembers } from '../schema/further-members.js';
import { ANY_VALUE, describeForm, readObjectFields } from '../schema/schema-shape.js';

/** What the operator says of parameters that a tool does not name. */
export type UnknownParameters = 'allow' | 'refuse';

/**
 * Why a tool takes parameters that its schema does not name; undefined where they are unknown, as the specification has it (4.6). A
 * schema that allows more by a keyword defines more. One that was lost on its way, or that names nothing at all where the tool's
 * description or its name does, says nothing.
 */
export function whyFurther(
  inputSchema: JsonSchema,
  { name, description }: RawTool,
  declared: UnknownParameters | undefined,
): 'declared' | 'silent' | 'operator' | undefined {
  if (declared !== undefined) return declared === 'allow' ? 'operator' : undefined;
  const { taken } = readFurtherMembers(inputSchema);
  if (taken !== undefined) return taken ? 'declared' : undefined;
  if (isLost(inputSchema)) return 'silent';
  const saysNothing = readObjectFields(inputSchema, inputSchema).length === 0;
  return saysNothing && (SEARCHES.test(toSnakeCase(cleanText(name))) || namesParameters(cleanText(description)))
    ? 'silent'
    : undefined;
}

/** What tools without parameters publish has a `type` at least. */
function isLost(inputSchema: JsonSchema): boolean {
  return Object.keys(inputSchema).every((key) => ANNOTATIONS.has(key));
}

const ANNOTATIONS: ReadonlySet<string> = new Set(
  '$schema $id $comment $defs definitions title description default'.split(' '),
);

/** Nobody searches for nothing. */
const SEARCHES = /^(?:search|find|query|lookup|look_up)(?:_|$)/;

/** An object literal, a list of parameters, or words that introduce one. */
const NAMED_PARAMETERS = [
  /\{\s*["'`]?[A-Za-z_]\w*["'`]?\??\s*[:=,}]/,
  /\b(?:param(?:eter)?s?|arguments?|args|options|inputs?|fields|properties)\b\s*(?::|\(|-|=|include|are\b|is\b)/i,
  /@param\b/,
  /(?:^|\n)\s*[-*•]?\s*["'`]?[A-Za-z_]\w*["'`]?\s*(?:\([^)]*\b(?:string|number|integer|boolean|array|object|required|optional)\b[^)]*\)|:\s*(?:string|number|integer|boolean|array|object)\b)/i,
];

function namesParameters(description: string): boolean {
  const text = description.slice(0, 20_000);
  return NAMED_PARAMETERS.some((pattern) => pattern.test(text));
}

/** More patterns are not shown. */
const MOST_SHOWN = 4;

/** Which further parameters an operation takes, in words; empty where it takes none. */
export function describeFurther({ strict, inputSchema }: Pick<Operation, 'strict' | 'inputSchema'>): string {
  if (strict) return '';
  const { forms } = readFurtherMembers(inputSchema);
  if (forms.length === 0) return 'Takes further parameters, which its schema does not name.';
  const shown = forms.slice(0, MOST_SHOWN).map(({ pattern, schema }) => {
    const form = describeForm(schema, inputSchema);
    const names = pattern === undefined ? 'of any name' : `whose name matches ${quoteValues([pattern])}`;
    return form === ANY_VALUE ? names : `${names} (${form})`;
  });
  return `Takes further parameters ${[...new Set(shown)].join('; ')}.`;
}
