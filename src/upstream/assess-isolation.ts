import type { RawTool } from '../protocol/tools.js';
import type { IsolationMode, UpstreamStatus } from './upstream.js';

/** What is known of a server when it has connected. */
interface ServerFacts {
  readonly tools: readonly RawTool[];
  readonly transport: UpstreamStatus['transport'];
  readonly era: 'legacy' | 'modern';
  /** Whether the server tells connections apart. */
  readonly hasSession: boolean;
}

interface Assessment {
  readonly mode: Extract<IsolationMode, 'shared' | 'session'>;
  readonly evidence: readonly string[];
  /** What an operator should decide. */
  readonly doubt?: string;
}

/** Whether each session of the gateway needs a connection of its own to a server. */
export function assessIsolation(_facts: ServerFacts): Assessment {
  return { mode: 'shared', evidence: [] };
}
