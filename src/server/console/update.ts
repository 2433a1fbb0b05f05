import { isDeepStrictEqual } from 'node:util';
import { type Html, html } from '../../lib/html.js';
import type { ShownChange, ShownUpdate } from '../../protocol/approval.js';
import { facts, foreign, jsonValue } from './components.js';
import { jsonDifference } from './differences.js';

/** Lines of one value's difference, unless they are asked for in full. */
const FEW_LINES = 40;

/** What an update would change, value by value, and what stays as it is. @param isFull whether long differences are shown in full */
export function writeUpdate(update: Extract<ShownUpdate, { known: true }>, isFull: boolean): Html {
  const { read, changes, more, unchanged } = update;
  const kept = Object.entries(unchanged);
  return html`<h2>What would change</h2>
<p>From what ${foreign(read)} found when this was asked for. An approval is for these changes alone: where others would be made when the call runs, nothing is written.</p>
${changes.length === 0 ? html`<p>Nothing: what is there is the same.</p>` : facts(changes.map((change) => [foreign(change.field), writeChange(change, isFull)]))}
${more === 0 ? undefined : html`<p>${more} further values would change, which are not shown.</p>`}
${kept.length === 0 ? undefined : html`<details id="unchanged"><summary>What stays as it is</summary>${facts(kept.map(([name, value]) => [foreign(name), jsonValue(value)]))}</details>`}`;
}

/** That it is not known what an update would change. */
export function writeUnknown({ why }: Extract<ShownUpdate, { known: false }>): Html {
  return html`<p class="bad">The present values are not known: ${foreign(why)}</p>`;
}

function writeChange(change: ShownChange, isFull: boolean): Html {
  const { before, after } = change;
  if ('before' in change && 'after' in change && isDeepStrictEqual(before, after))
    return html`${jsonValue(after)}<p>It changes in what is not shown here.</p>`;
  return jsonDifference(before, after, isFull ? undefined : FEW_LINES);
}
