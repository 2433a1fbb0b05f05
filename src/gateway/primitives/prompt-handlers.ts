import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { echoName, quoteValues } from '../../base/lib/text.js';
import type { HandlerOutcome, OperationHandler } from '../../base/protocol/call.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { DefinitionGuard } from '../../catalog/integrity/definition-guard.js';
import { askUpstream } from './ask-upstream.js';
import { getPrompt, textOf } from './operations.js';
import type { Upstreams } from './primitive-lists.js';
import type { KnownLists } from './reader-lists.js';
import { MOST_BLOCKS, type ResourceLinks } from './resource-links.js';
import { handOver, toPromptResult } from './shape-contents.js';

interface PromptHandlersDeps {
  readonly upstreams: Upstreams;
  readonly lists: KnownLists;
  readonly guard: Pick<DefinitionGuard, 'quarantines'>;
  /** Takes the links in messages. */
  readonly links: Pick<ResourceLinks, 'noteBlocks' | 'nameShared'>;
}

interface PromptHandlers {
  /** Fills a prompt in. */
  readonly get: OperationHandler;
  /** Completes an argument of a prompt, or a variable of a template. */
  readonly complete: OperationHandler;
}

export function createPromptHandlers({ upstreams, lists, guard, links }: PromptHandlersDeps): PromptHandlers {
  /** Before a prompt is used whose definition nobody has accepted. */
  const requireAccepted = async (upstream: string, name: string): Promise<void> => {
    if (!guard.quarantines(upstream)) return;
    await lists.ready('prompts', (slug) => slug === upstream);
    if (!lists.shows('prompts', upstream, name)) throw quarantinedPrompt(upstream, name);
  };

  /** A prompt whose server does not list its arguments may take any. */
  const requireListed = (upstream: string, name: string, values: JsonObject): void => {
    const listed = lists.known('prompts').find((known) => known.upstream === upstream);
    const taken = listed?.entries.find(({ id }) => id === name)?.value['arguments'];
    if (!Array.isArray(taken)) return;
    const names = taken.flatMap((each: unknown) => (isJsonObject(each) ? (textOf(each['name']) ?? []) : []));
    const known = new Set(names);
    const unknown = Object.keys(values).find((each) => !known.has(each));
    if (unknown !== undefined) throw unknownArgument(name, unknown, names);
  };

  const get: OperationHandler = async (call) => {
    const id = textOf(call.arguments['name']) ?? '';
    await requireAccepted(call.operation.upstream, id);
    const { arguments: values } = call.arguments;
    if (isJsonObject(values)) requireListed(call.operation.upstream, id, values);
    const params = { name: id, ...(isJsonObject(values) ? { arguments: toTexts(values) } : {}) };
    const { upstream } = call.operation;
    const sent = await askUpstream(upstreams, call, 'prompts/get', params, { type: 'prompt', id });
    const { messages } = sent;
    if (Array.isArray(messages)) {
      // More blocks of one answer are not looked at.
      const first = messages.slice(0, MOST_BLOCKS);
      const blocks = first.flatMap((message: unknown) => (isJsonObject(message) ? message['content'] : []));
      links.noteBlocks(upstream, call.caller, blocks);
    }
    const result = links.nameShared(upstream, call.caller, sent, 'messages');
    if (call.native !== undefined) return { native: result };
    return { toolResult: await handOver(await toPromptResult(result), call) };
  };

  const complete: OperationHandler = async (call): Promise<HandlerOutcome> => {
    const { prompt, template, argument, value, context } = call.arguments;
    if (typeof prompt === 'string') await requireAccepted(call.operation.upstream, prompt);
    const result = await askUpstream(upstreams, call, 'completion/complete', {
      ref: prompt === undefined ? { type: 'ref/resource', uri: template } : { type: 'ref/prompt', name: prompt },
      argument: { name: argument, value: value ?? '' },
      ...(isJsonObject(context) ? { context: { arguments: toTexts(context) } } : {}),
    });
    if (call.native !== undefined) return { native: result };
    return { toolResult: await handOver({ structuredContent: result['completion'] ?? { values: [] } }, call) };
  };

  return { get, complete };
}

function quarantinedPrompt(upstream: string, name: string): OperationError {
  const message = `Permission denied: 'the prompt '${name.slice(0, 100)}' of '${upstream}' is quarantined: its definition is new or has changed'. An operator reviews it with 'mcp-aql-gateway lock'`;
  return new OperationError('PERMISSION_DENIED', message, { upstream, reason: 'quarantined' });
}

function unknownArgument(prompt: string, argument: string, names: readonly string[]): OperationError {
  const takes = names.length === 0 ? 'It takes none' : `It takes ${quoteValues(names)}`;
  return new OperationError(
    'VALIDATION_UNKNOWN_PARAM',
    `The prompt '${echoName(prompt)}' has no argument '${echoName(argument)}'. ${takes}`,
    { param_name: `arguments.${echoName(argument)}`, operation: getPrompt.name },
  );
}

/** MCP's arguments of prompts are texts. */
function toTexts(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}
