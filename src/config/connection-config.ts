import type {
  CHILD_LIMITS,
  CIRCUIT,
  INSTANCES,
  OUTBOUND_TLS,
  PINGS,
  QUEUE,
  RESTARTS,
} from './schema/connection-schema.js';
import type { Output } from './schema/setting.js';

/** The certificates of the way to a server; files are absolute paths of PEM files. */
export type OutboundTls = Output<typeof OUTBOUND_TLS>;

/** How many calls wait for a place where only so many are in flight, and how long. */
export type QueueBounds = Output<typeof QUEUE>;

/** How often a server may be started or connected anew before it is given up. */
export type RestartBounds = Output<typeof RESTARTS>;

/** When calls to a server that fails are refused at once. */
export type CircuitBounds = Output<typeof CIRCUIT>;

/** How many connections of its own an isolated upstream makes, each with a process where it is a child. */
export type InstanceBounds = Output<typeof INSTANCES>;

/** When a connection that is silent is proven by a ping. 0 for never. */
export type PingBounds = Output<typeof PINGS>;

/** What the process of a server may take, and as whom it runs. */
export type ChildLimits = Output<typeof CHILD_LIMITS>;
