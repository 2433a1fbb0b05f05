import type { GatewayConfig } from './config/gateway-config.js';
import type { Category } from './protocol/category.js';
import type { RawCall } from './protocol/raw-call.js';
import type { Finding } from './protocol/raw-tool.js';
import type { Reply } from './protocol/result.js';

/** The gateway's own MCP tools, ready to be sent. */
export interface ToolList {
  /** The JSON text of the array of tools, written once per catalog. */
  readonly json: string;
  readonly names: readonly string[];
}

export interface UpstreamSummary {
  readonly name: string;
  readonly state: 'disabled' | 'connecting' | 'ready' | 'waiting' | 'closed';
  readonly transport: 'stdio' | 'http' | 'sse';
  readonly tools: number;
  readonly era?: 'legacy' | 'modern';
  readonly protocolVersion?: string;
  readonly server?: { readonly name: string; readonly version: string };
  readonly problem?: string;
  readonly restarts: number;
}

export interface GatewayStatus {
  /** Every upstream has been tried once, and at least one is ready or none is configured. */
  readonly ready: boolean;
  readonly upstreams: readonly UpstreamSummary[];
  readonly operations: number;
  readonly families: readonly { readonly name: string; readonly tool: string; readonly operations: number }[];
  readonly categories: Readonly<Record<Category, number>>;
  readonly findings: readonly Finding[];
}

/** A running gateway. Fronts and the command line see this and nothing behind it. */
export interface Gateway {
  readonly config: GatewayConfig;
  /** Answers one MCP tool call. Never rejects: every fault is an answer. */
  handle(call: RawCall): Promise<Reply>;
  toolList(): ToolList;
  /** Calls the listener when the tool list's JSON has changed; returns the way to stop. */
  onToolsChanged(listener: () => void): () => void;
  status(): GatewayStatus;
  /** Resolves when every enabled upstream has connected or failed once. Never rejects. */
  readonly settled: Promise<void>;
  /** Ends every upstream and frees everything. Safe to call twice. */
  close(): Promise<void>;
}
