import type { JsonSchema } from '../../base/json/json.js';
import {
  type Classification,
  GATEWAY_SOURCE,
  type Operation,
  type Parameter,
  type Primitive,
  variantOf,
} from '../../base/protocol/operation.js';
import { finishOperation } from '../../catalog/operation.js';

interface Described {
  readonly name: string;
  readonly primitive: Primitive;
  /** That of a read where absent. */
  readonly classification?: Classification;
  readonly description: string;
  readonly parameters: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** The fields of the items, where the answer is a list. */
  readonly items?: Readonly<Record<string, JsonSchema>>;
  readonly example: Readonly<Record<string, unknown>>;
}

const TEXT: JsonSchema = { type: 'string' };

const UPSTREAM: JsonSchema = { type: 'string', minLength: 1, description: 'The server, where it is not clear' };

const OF_UPSTREAM: JsonSchema = { type: 'string', minLength: 1, description: 'Only those of this server' };

/** A model may write a number where a prompt takes a text. */
const VALUES: JsonSchema = { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } };

const READS: Classification = {
  category: 'READ',
  danger: { level: 'safe', reasons: ['MCP has resources, prompts and completions for reading alone'] },
  confidence: 1,
  evidence: ['built into the gateway'],
};

function describe(described: Described): Operation {
  const { name, primitive, classification = READS, description, parameters, required = [], items, example } = described;
  return finishOperation({
    name,
    qualifiedName: name,
    upstream: GATEWAY_SOURCE,
    tool: name,
    primitive,
    classification,
    description,
    parameters: Object.entries(parameters).map(
      ([each, schema]): Parameter => ({
        name: each,
        upstreamName: each,
        place: 'params',
        required: required.includes(each),
        schema,
      }),
    ),
    identifiers: [],
    strict: true,
    inputSchema: { type: 'object', properties: parameters, required: [...required], additionalProperties: false },
    ...(items === undefined
      ? {}
      : { outputSchema: { type: 'array', items: { type: 'object', properties: items } }, collection: [] }),
    retryable: classification === READS,
    groupedBy: null,
    examples: [{ description: 'An example', request: { operation: name, params: example } }],
  });
}

export const listResources = describe({
  name: 'list_resources',
  primitive: 'resources',
  description: "List the resources (files, records, pages) of the servers, for 'read_resource'",
  parameters: {
    upstream: OF_UPSTREAM,
    templates: {
      type: 'boolean',
      default: false,
      description: "List URI templates instead, whose {variables} are filled in for 'read_resource'",
    },
  },
  items: {
    uri: { ...TEXT, description: "The 'uri' of 'read_resource'" },
    name: TEXT,
    title: TEXT,
    description: TEXT,
    mimeType: TEXT,
    size: { type: 'number', description: 'Bytes' },
    uriTemplate: { ...TEXT, description: "Of templates, instead of 'uri'" },
    upstream: { ...TEXT, description: 'Its server' },
  },
  example: {},
});

export const readResource = describe({
  name: 'read_resource',
  primitive: 'resources',
  description:
    "Read a resource by its URI: one of 'list_resources', of a filled-in template, or of a link in an answer",
  parameters: { uri: { ...TEXT, minLength: 1, description: 'The URI' }, upstream: UPSTREAM },
  required: ['uri'],
  example: { uri: 'URI' },
});

export const listPrompts = describe({
  name: 'list_prompts',
  primitive: 'prompts',
  description: "List the prompts (prepared messages with arguments) of the servers; 'get_prompt' fills one in",
  parameters: { upstream: OF_UPSTREAM },
  items: {
    name: { ...TEXT, description: "The 'name' of 'get_prompt'" },
    title: TEXT,
    description: TEXT,
    arguments: {
      type: 'array',
      items: { type: 'object', properties: { name: TEXT, description: TEXT, required: { type: 'boolean' } } },
    },
    upstream: { ...TEXT, description: 'Its server' },
  },
  example: {},
});

export const getPrompt = describe({
  name: 'get_prompt',
  primitive: 'prompts',
  description: "Get the messages of a prompt, filled in with arguments; 'list_prompts' names both",
  parameters: {
    name: { ...TEXT, minLength: 1, description: 'The name of the prompt' },
    upstream: UPSTREAM,
    arguments: { ...VALUES, description: 'Values by argument' },
  },
  required: ['name'],
  example: { name: 'NAME', arguments: {} },
});

export const complete = describe({
  name: 'complete',
  primitive: 'completions',
  description: 'List the possible values of an argument of a prompt, or of a variable of a resource template',
  parameters: {
    prompt: { ...TEXT, minLength: 1, description: "The name of a prompt; or give 'template'" },
    template: { ...TEXT, minLength: 1, description: "A URI template of 'list_resources'; or give 'prompt'" },
    argument: { ...TEXT, minLength: 1, description: 'The argument or variable' },
    value: { ...TEXT, default: '', description: 'The beginning of its value' },
    context: { ...VALUES, description: 'The values of other arguments, where known' },
    upstream: UPSTREAM,
  },
  required: ['argument'],
  example: { prompt: 'NAME', argument: 'ARGUMENT', value: '' },
});

export const callExtension = describe({
  name: 'call_extension',
  primitive: 'extensions',
  classification: {
    ...READS,
    category: 'EXECUTE',
    danger: { level: 'reversible', reasons: ["the operator names the extension in its server's configuration"] },
  },
  description: 'Call a method of an MCP extension, which one of the servers has',
  parameters: {
    method: { ...TEXT, minLength: 1, description: 'The whole name of the method, as the extension has it' },
    method_params: { type: 'object', default: {}, description: 'Params of the method' },
  },
  required: ['method'],
  example: { method: 'com.example/notes/list', method_params: {} },
});

/** The gateway's operations for what is no tool, of the kinds that some upstream has. */
export function listPrimitiveOperations(offers: (capability: Primitive) => boolean): readonly Operation[] {
  const all = [listResources, readResource, listPrompts, getPrompt, complete, callExtension];
  return all.filter(({ primitive }) => primitive !== undefined && offers(primitive));
}

/** The text of a parameter; undefined where it holds none. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The operation as a call uses it that is about this upstream: policy, quotas and records see the upstream. */
export function narrowTo(operation: Operation, upstream: string): Operation {
  return variantOf(operation, JSON.stringify(['about', upstream]), () => ({ upstream }));
}

/** The operation as a call uses it whose answer holds what these upstreams have. */
export function madeFrom(operation: Operation, sources: readonly string[]): Operation {
  return variantOf(operation, JSON.stringify(['from', ...sources]), () => ({ sources }));
}
