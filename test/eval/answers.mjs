// npm run eval:answers [-- --gateway FILE]: prints what real answers cost in tokens, whole and asked for with controls.
import { parseArgs } from 'node:util';
import { GATEWAY } from '../bench/process/programs.mjs';
import { renderTable } from '../bench/report/render-table.mjs';
import { countStable } from './answers/count-tokens.mjs';
import { openGateway } from './answers/open-gateway.mjs';
import { REQUESTS } from './answers/requests.mjs';

const READ_TOOL = 'mcp_aql_read';
const WHOLE = { maxTokens: 0 };

const { values } = parseArgs({ options: { gateway: { type: 'string', default: GATEWAY } } });
const settings = [WHOLE, ...REQUESTS.map(({ results = {} }) => results)].map((results) => JSON.stringify(results));
const opened = [...new Set(settings)].map(async (key) => [key, await openGateway(values.gateway, JSON.parse(key))]);
const gateways = new Map(await Promise.all(opened));
const rows = [];
const wrong = [];
for (const request of REQUESTS) rows.push(await evaluate(request));
await Promise.all([...gateways.values()].map((gateway) => gateway.close()));

process.stdout.write(`Tokens (o200k_base) of call and answer, over the shipped configuration and made data.\n\n`);
process.stdout.write(`${renderTable(['operation', 'asked', 'whole', 'asked for', 'saved, %'], rows)}\n`);
for (const line of wrong) process.stderr.write(`WRONG ${line}\n`);
process.exitCode = wrong.length > 0 ? 1 : 0;

/** One line of the table; each answer is checked for what it must contain. */
async function evaluate({ operation, label, params, controls, results = {}, goOn, isRight }) {
  const asked = label ?? JSON.stringify(controls);
  const whole = await makeCall(WHOLE, { operation, params });
  const first = await makeCall(results, { operation, params: { ...params, ...controls } });
  const next = goOn === undefined ? undefined : await makeCall(results, goOn(first.answer));
  if (!whole.answer.success || !isRight((next ?? first).answer)) wrong.push(`${operation}, ${asked}`);
  const tokens = first.tokens + (next?.tokens ?? 0);
  return [operation, asked, inEnglish(whole.tokens), inEnglish(tokens), ((1 - tokens / whole.tokens) * 100).toFixed(1)];
}

/** Counts what the model writes and what it reads. */
async function makeCall(results, request) {
  const text = await gateways.get(JSON.stringify(results)).call({ tool: READ_TOOL, ...request });
  return { answer: JSON.parse(text), tokens: countStable(JSON.stringify(request)) + countStable(text) };
}

function inEnglish(count) {
  return count.toLocaleString('en');
}
