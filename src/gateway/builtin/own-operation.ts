import type { JsonObject, JsonSchema } from '../../base/json/json.js';
import { type Category, type DangerLevel, GATEWAY_SOURCE, type Operation } from '../../base/protocol/operation.js';
import { finishOperation } from '../../catalog/operation.js';

/** What one of the gateway's own operations is, apart from what all of them have in common. */
export interface OwnOperationDraft {
  readonly name: string;
  readonly category: Category;
  readonly danger: DangerLevel;
  /** Why it has this danger. */
  readonly reason: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  /** The specification's spelling of parameters, where it is another one than snake_case. */
  readonly spelling?: Readonly<Record<string, string>>;
  readonly output: JsonSchema;
  /** Where the list is that its answer may hold, which controls then work on. */
  readonly collection?: readonly string[];
  /** Whether a call may take minutes. */
  readonly mayTakeLong?: true;
  /** Parameters that are never written down. */
  readonly sensitive?: readonly string[];
  /** Parameters of one call that shows its use. */
  readonly example?: JsonObject;
  /** In its place, several calls with what each of them shows. */
  readonly examples?: readonly { readonly description: string; readonly params: JsonObject }[];
}

/** An operation that takes its parameters in `params`, and no others. */
export function createOwnOperation(draft: OwnOperationDraft): Operation {
  const { name, category, danger, reason, description, required, spelling = {}, output, sensitive, example } = draft;
  const { examples = example && [{ description: reason, params: example }] } = draft;
  const parameters = Object.entries(draft.parameters).map(([parameter, schema]) => ({
    name: parameter,
    upstreamName: spelling[parameter] ?? parameter,
    place: 'params' as const,
    required: required.includes(parameter),
    schema,
  }));
  return finishOperation({
    name,
    qualifiedName: name,
    upstream: GATEWAY_SOURCE,
    tool: name,
    classification: {
      category,
      danger: { level: danger, reasons: [reason] },
      confidence: 1,
      evidence: ['built into the gateway'],
    },
    description,
    parameters,
    identifiers: [],
    strict: true,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(parameters.map(({ upstreamName, schema }) => [upstreamName, schema])),
      required: required.map((parameter) => spelling[parameter] ?? parameter),
      additionalProperties: false,
    },
    outputSchema: output,
    collection: draft.collection,
    retryable: category === 'READ',
    groupedBy: null,
    sensitive,
    ...(draft.mayTakeLong && { mayTakeLong: draft.mayTakeLong }),
    ...(examples === undefined
      ? {}
      : {
          examples: examples.map(({ description, params }) => ({ description, request: { operation: name, params } })),
        }),
  });
}
