import type { UpstreamState } from '../observation.js';

/** One upstream at this moment. */
export interface UpstreamFigures {
  readonly upstream: string;
  readonly state: UpstreamState;
  /** Whether a call is answered in this state. */
  readonly isUp: boolean;
  readonly tools: number;
  readonly restarts: number;
  /** Whether the gateway is ready only where it is. */
  readonly isRequired: boolean;
  /** Whether its calls are refused for a while because too many failed. */
  readonly isCircuitOpen: boolean;
  readonly inFlight: number;
  /** Calls that wait for a place. */
  readonly waiting: number;
  /** Connections of callers of their own; absent where all share one. */
  readonly instances?: number;
}

/** The gateway at this moment. */
export interface GatewayFigures {
  readonly upstreams: readonly UpstreamFigures[];
  /** Operations by category. */
  readonly operations: Readonly<Record<string, number>>;
  /** What the tools cost a client's context, in tokens: those of the upstreams and those of the gateway. Absent where too large to count. */
  readonly tokens?: { readonly upstreams: number; readonly gateway: number } | undefined;
  /** Whether what the gateway depends on works, by its name. */
  readonly dependencies: Readonly<Record<string, boolean>>;
  /** Audit records that were lost since the start. */
  readonly lostRecords: number;
  /** The threads that read large answers. */
  readonly threads: { readonly busy: number; readonly waiting: number };
  /** Executions and agents by state; absent where neither is configured. */
  readonly executions?: Readonly<Record<string, number>>;
  /** The other gateways of the store by whether they are configured alike; absent where the store is of one machine. */
  readonly replicas?: { readonly same: number; readonly different: number };
  /** The last reload; absent before the first. */
  readonly reload?: { readonly isInForce: boolean; readonly atSeconds: number };
}

/** A server's connections at this moment. */
export interface ServerFigures {
  /** Open event streams of sessions and of answers. */
  readonly streams: number;
  /** HTTP requests that are not answered yet. */
  readonly requests: number;
  readonly tasks: number;
  /** On all connections since the start, with headers; of TLS the bytes on the wire. */
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

/** What a scrape reads. */
export interface Figures {
  readonly gateway: GatewayFigures;
  /** Absent where nothing listens. */
  readonly server?: ServerFigures | undefined;
}
