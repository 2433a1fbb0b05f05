import { isJsonObject } from '../base/json/json.js';
import type { Trial } from '../base/protocol/operation.js';
import { readObjectFields } from '../schema/schema-shape.js';
import { UNDERSTOOD } from './confidence.js';
import type { Decision } from './decide-category.js';
import { BELIEVED, type ToolFacts, typesOf } from './facts.js';
import { splitWords } from './words/vocabulary.js';

/** Names of switches that ask for a dry run; `dry_run` and `dryrun` read as `simulate`. */
const TRIAL_NAME = /^(?:simulate|dryrun|validate_only|preview_only|check_only|plan_only|what_if)$/;

/** A switch that is described like this does not keep every call from changing something. */
const UNRELIABLE =
  /\b(?:not (?:yet |currently |always )?(?:supported|implemented|honou?red|available|used)|unsupported|ignored|no effect|deprecated|best[- ]effort|only (?:for|with|when|if|in|by|used|appl\w+|available|valid|supported))\b/i;

/**
 * Finds the switch that makes of a call a dry run. A server that lies would run the change unasked, so only a trusted one is
 * believed, and only where the danger is that of an operation which is understood: neither what an operator declared, nor
 * that of arbitrary input, which may do anything beside the dry run.
 */
export function findTrial({ input }: ToolFacts, { category, runner, confidence }: Decision): Trial | undefined {
  const { curation, tool, upstream } = input;
  const open = category !== 'READ' && runner === undefined && confidence >= UNDERSTOOD && curation.danger === undefined;
  const schema = tool['inputSchema'];
  if (!open || !BELIEVED.has(upstream.trust) || !isJsonObject(schema)) return undefined;
  const found = readObjectFields(schema, schema).find(({ name, schema: property }) => {
    const types = typesOf(property);
    const description = typeof property['description'] === 'string' ? property['description'] : '';
    const isSwitch = types.size === 1 && types.has('boolean') && TRIAL_NAME.test(splitWords(name).join('_'));
    return isSwitch && !UNRELIABLE.test(description.slice(0, 600));
  });
  return found && { parameter: found.name, reason: `parameter '${found.name}' only shows what would be done` };
}
