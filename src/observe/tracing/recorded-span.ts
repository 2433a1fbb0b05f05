import {
  type Attributes,
  type AttributeValue,
  type HrTime,
  type SpanContext,
  SpanKind,
  type SpanStatus,
  SpanStatusCode,
  TraceFlags,
} from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { newSpanId } from '../../protocol/trace-context.js';
import type { DecidedTrace } from './decide-trace.js';

/** What all spans of a sender have, and where they go when they have ended. */
export interface SpanSender {
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
export class RecordedSpan implements ReadableSpan {
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
