import { LARGE_JSON } from '../load/large-result.mjs';

/** Verbs and nouns of the filler tools: as varied as a large real catalogue, and as dull. */
export const VERBS = ['get', 'list', 'create', 'update', 'delete'];
export const NOUNS = [
  'invoice',
  'ticket',
  'order',
  'branch',
  'release',
  'contact',
  'event',
  'document',
  'metric',
  'volume',
];

/** Every n-th filler tool reads; `readerNames` of the scale scenarios picks among these. */
const READER_STRIDE = VERBS.length;

const TEXT_SCHEMA = {
  type: 'object',
  properties: { text: { type: 'string', description: 'The text to hand back.' } },
  required: ['text'],
};

const FIXED_TOOLS = [
  defineTool('get_text', 'Returns the text it was given.', TEXT_SCHEMA, true),
  defineTool('list_objects', 'Returns 1,000 objects as JSON text.', { type: 'object', properties: {} }, true),
  defineTool('list_records', 'Returns 1,000 objects as structured content.', { type: 'object', properties: {} }, true),
  defineTool('create_note', 'Keeps a note and returns its text.', TEXT_SCHEMA, false),
];

/** The JSON texts of the results that never vary. */
const FIXED_RESULTS = new Map([
  ['list_objects', JSON.stringify({ content: [{ type: 'text', text: LARGE_JSON }] })],
  [
    'list_records',
    `{"content":[{"type":"text","text":${JSON.stringify(LARGE_JSON)}}],"structuredContent":{"items":${LARGE_JSON}}}`,
  ],
]);

/** `count` tools, the four that the scenarios call among them. */
export function buildTools(count) {
  const fillers = Array.from({ length: Math.max(0, count - FIXED_TOOLS.length) }, (_, index) => fillerTool(index));
  return [...FIXED_TOOLS, ...fillers];
}

/** The names of `howMany` reading filler tools, spread evenly over a catalogue of `count` tools. */
export function readerNames(count, howMany) {
  const readers = Math.ceil((count - FIXED_TOOLS.length) / READER_STRIDE);
  const picked = Math.max(1, Math.min(howMany, readers));
  const step = Math.max(1, Math.floor(readers / picked));
  return Array.from({ length: picked }, (_, index) => fillerName(index * step * READER_STRIDE));
}

/** The JSON text of a tool's result. */
export function resultOf(name, args) {
  return FIXED_RESULTS.get(name) ?? `{"content":[{"type":"text","text":${JSON.stringify(String(args?.text ?? ''))}}]}`;
}

function fillerName(index) {
  return `${VERBS[index % VERBS.length]}_${NOUNS[index % NOUNS.length]}_${index}`;
}

/** About 900 bytes, near the median of real tools. */
function fillerTool(index) {
  const verb = VERBS[index % VERBS.length];
  const noun = NOUNS[index % NOUNS.length];
  const schema = {
    type: 'object',
    properties: {
      text: { type: 'string', description: `The text to hand back in place of the ${noun}.` },
      project_id: { type: 'string', description: `The project that owns the ${noun}.` },
      page_size: { type: 'integer', minimum: 1, maximum: 100, description: 'How many results a page holds.' },
      state: { type: 'string', enum: ['open', 'closed', 'all'], description: `Which state the ${noun} is in.` },
      labels: { type: 'array', items: { type: 'string' }, description: 'Labels that must all be present.' },
    },
    required: ['text'],
    additionalProperties: false,
  };
  const description = `Use this to ${verb} one ${noun} of collection ${index}. It answers with the text it was given.`;
  return defineTool(fillerName(index), description, schema, verb === 'get' || verb === 'list');
}

function defineTool(name, description, inputSchema, readOnly) {
  return { name, description, inputSchema, annotations: { readOnlyHint: readOnly } };
}
