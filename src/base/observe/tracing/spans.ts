import {
  type Attributes,
  type AttributeValue,
  type HrTime,
  type SpanContext,
  SpanKind,
  type SpanStatus,
  SpanStatusCode,
  TraceFlags,
  type TraceState,
} from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan, Sampler } from '@opentelemetry/sdk-trace-base';
import type { BeginTrace, RawCall } from '../../protocol/call.js';
import { type ErrorCode, isQuestionCode } from '../../protocol/error-table.js';
import { OperationError } from '../../protocol/operation-error.js';
import {
  type CallTrace,
  newSpanId,
  type RequestTrace,
  type TraceContext,
  type TracedOperation,
} from '../../protocol/trace-context.js';
import { type DecidedTrace, decideTrace } from './samplers.js';

/** What every span of a call of a tool says (semantic conventions of generative AI and of MCP). */
const TOOL_CALL: Attributes = { 'mcp.method.name': 'tools/call', 'gen_ai.operation.name': 'execute_tool' };

/**
 * Traces requests: a span of the server for each, spans of its stages, and a span of the client for each request to an upstream.
 * Names and attributes are those of the semantic conventions for MCP where there are such; none holds a value of an argument.
 * https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 */
export function traceCalls(sampler: Sampler, sender: SpanSender): BeginTrace {
  return (call) => {
    const decided = decideTrace(sampler, call);
    if (!decided.isSampled) return new UntracedCall(decided);
    const method = call.native?.method ?? 'tools/call';
    const span = RecordedSpan.begin(sender, decided, method).set(describeRequest(call, method));
    return new TracedCall(span, call.native === undefined ? method : undefined);
  };
}

type WrittenContext = Pick<SpanContext, 'traceId' | 'spanId' | 'traceFlags' | 'traceState'>;

function writeContext({ traceId, spanId, traceFlags, traceState }: WrittenContext): TraceContext {
  const traceparent = `00-${traceId}-${spanId}-0${traceFlags & 1}`;
  const tracestate = traceState?.serialize() ?? '';
  return tracestate === '' ? { traceparent } : { traceparent, tracestate };
}

type SpanAttributes = Readonly<Record<string, AttributeValue | undefined>>;

function describeRequest({ caller, native }: RawCall, method: string): SpanAttributes {
  const { sessionId, transport, client, view } = caller;
  return {
    ...(native === undefined ? TOOL_CALL : { 'mcp.method.name': method }),
    'mcp.session.id': sessionId,
    'network.transport': transport === 'http' ? 'tcp' : 'pipe',
    'mcp_aql.client': client,
    'mcp_aql.view': view,
  };
}

/**
 * A call of which no spans are kept: its context is passed on, so that upstreams decide alike. Nearly every call of a busy gateway is such a
 * one, so that nothing is made for it but the context, and that only for an upstream.
 */
class UntracedCall implements CallTrace, RequestTrace {
  readonly id: string;
  readonly #traceState: TraceState | undefined;
  #context: TraceContext | undefined;

  constructor({ traceId, traceState }: DecidedTrace) {
    this.id = traceId;
    this.#traceState = traceState;
  }

  get context(): TraceContext {
    this.#context ??= writeContext({
      traceId: this.id,
      spanId: newSpanId(),
      traceFlags: TraceFlags.NONE,
      ...(this.#traceState && { traceState: this.#traceState }),
    });
    return this.#context;
  }

  enter(): void {}

  inner(): CallTrace {
    return this;
  }

  request(): RequestTrace {
    return this;
  }

  follow<T extends object>(answer: Promise<T>): Promise<T> {
    return answer;
  }

  end(): void {}
}

/** A call whose spans are kept. */
class TracedCall implements CallTrace {
  readonly #span: RecordedSpan;
  readonly #method: string | undefined;
  #stage: RecordedSpan | undefined;
  #ended = false;

  /** @param method what stands before the tool in the span's name; the name stays where absent */
  constructor(span: RecordedSpan, method: string | undefined) {
    this.#span = span;
    this.#method = method;
  }

  get id(): string {
    return this.#span.spanContext().traceId;
  }

  enter(stage: string): void {
    if (this.#ended) return;
    this.#stage?.end();
    this.#stage = this.#span.begin(stage, SpanKind.INTERNAL);
  }

  inner(name: string): CallTrace {
    return new TracedCall(this.#begin(name, SpanKind.INTERNAL), undefined);
  }

  request(method: string, upstream: string, tool?: string): RequestTrace {
    const span = this.#begin(tool === undefined ? method : `${method} ${tool}`, SpanKind.CLIENT);
    span.set(tool === undefined ? { 'mcp.method.name': method } : { ...TOOL_CALL, 'gen_ai.tool.name': tool });
    span.set({ 'mcp_aql.upstream': upstream });
    return { context: writeContext(span.spanContext()), follow: (answer) => followAnswer(span, answer) };
  }

  end(code: ErrorCode | 'OK', tool?: string, operation?: TracedOperation): void {
    if (this.#ended) return;
    this.#ended = true;
    const span = this.#span;
    span.set({
      'mcp_aql.code': code,
      'gen_ai.tool.name': tool,
      'mcp_aql.operation': operation?.qualifiedName,
      'mcp_aql.upstream': operation?.upstream,
      'mcp_aql.category': operation?.classification.category,
    });
    if (tool !== undefined && this.#method !== undefined) span.name = `${this.#method} ${tool}`;
    const hasFailed = code !== 'OK' && !isQuestionCode(code);
    if (hasFailed) this.#stage?.fail(code);
    this.#stage?.end();
    if (hasFailed) span.fail(code);
    span.end();
  }

  #begin(name: string, kind: SpanKind): RecordedSpan {
    return (this.#stage ?? this.#span).begin(name, kind);
  }
}

/** Ends the span of a request with what comes of it. */
async function followAnswer<T extends object>(span: RecordedSpan, answer: Promise<T>): Promise<T> {
  try {
    const result = await answer;
    if ('isError' in result && result.isError === true) span.fail('tool_error');
    return result;
  } catch (thrown) {
    span.fail(thrown instanceof OperationError ? thrown.code : 'INTERNAL_ERROR');
    throw thrown;
  } finally {
    span.end();
  }
}

/** What all spans of a sender have, and where they go when they have ended. */
interface SpanSender {
  readonly resource: Resource;
  readonly scope: ReadableSpan['instrumentationScope'];
  readonly send: (span: ReadableSpan) => void;
}

/** Longer values are cut: names of servers' tools may be long. */
const MOST_CHARACTERS = 256;

/** When a trace began: the time of day cannot be asked for a duration, as it may be set meanwhile. */
interface TraceStart {
  readonly dayMs: number;
  readonly runMs: number;
}

interface SpanPlace {
  readonly sender: SpanSender;
  readonly start: TraceStart;
  readonly context: SpanContext;
  readonly parent: SpanContext | undefined;
}

/**
 * A span as OpenTelemetry's exporters read it. The SDK's own asks a sampler, makes a context, and checks and copies each attribute for every
 * span; a call has about nine, and making them takes half the time here.
 */
class RecordedSpan implements ReadableSpan {
  name: string;
  readonly kind: SpanKind;
  readonly parentSpanContext?: SpanContext;
  readonly startTime: HrTime;
  endTime: HrTime;
  ended = false;
  status: SpanStatus = { code: SpanStatusCode.UNSET };
  readonly attributes: Attributes = {};
  readonly links = [];
  readonly events = [];
  readonly droppedAttributesCount = 0;
  readonly droppedEventsCount = 0;
  readonly droppedLinksCount = 0;
  readonly #place: SpanPlace;

  private constructor(place: SpanPlace, name: string, kind: SpanKind) {
    this.#place = place;
    this.name = name;
    this.kind = kind;
    if (place.parent !== undefined) this.parentSpanContext = place.parent;
    this.startTime = timeOf(place.start);
    this.endTime = this.startTime;
  }

  /** The first span of a trace here. */
  static begin(sender: SpanSender, { traceId, traceState, parent }: DecidedTrace, name: string): RecordedSpan {
    const context = { traceId, spanId: newSpanId(), traceFlags: TraceFlags.SAMPLED, ...(traceState && { traceState }) };
    const start = { dayMs: Date.now(), runMs: performance.now() };
    return new RecordedSpan({ sender, start, context, parent }, name, SpanKind.SERVER);
  }

  /** Begins a span within this one. */
  begin(name: string, kind: SpanKind): RecordedSpan {
    const { context } = this.#place;
    const place = { ...this.#place, context: { ...context, spanId: newSpanId() }, parent: context };
    return new RecordedSpan(place, name, kind);
  }

  spanContext(): SpanContext {
    return this.#place.context;
  }

  get resource(): Resource {
    return this.#place.sender.resource;
  }

  get instrumentationScope(): ReadableSpan['instrumentationScope'] {
    return this.#place.sender.scope;
  }

  get duration(): HrTime {
    const [seconds, nanoseconds] = [this.endTime[0] - this.startTime[0], this.endTime[1] - this.startTime[1]];
    return nanoseconds < 0 ? [seconds - 1, nanoseconds + NANOSECONDS] : [seconds, nanoseconds];
  }

  /** Members that are undefined are left out. */
  set(attributes: Readonly<Record<string, AttributeValue | undefined>>): this {
    for (const name of Object.keys(attributes)) {
      const value = attributes[name];
      if (value !== undefined)
        this.attributes[name] = typeof value === 'string' ? value.slice(0, MOST_CHARACTERS) : value;
    }
    return this;
  }

  fail(code: string): void {
    this.set({ 'error.type': code });
    this.status = { code: SpanStatusCode.ERROR };
  }

  /** Ends and sends it, once. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.endTime = timeOf(this.#place.start);
    this.#place.sender.send(this);
  }
}

const NANOSECONDS = 1e9;

/** The present moment, in seconds and nanoseconds since the epoch. */
function timeOf({ dayMs, runMs }: TraceStart): HrTime {
  const ms = dayMs + (performance.now() - runMs);
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.floor((ms - seconds * 1000) * 1e6)];
}
