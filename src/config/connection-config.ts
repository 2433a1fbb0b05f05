/** The certificates of the way to a server; files are absolute paths of PEM files. */
export interface OutboundTls {
  /** The authorities that are trusted in place of the public ones. */
  readonly ca?: string;
  /** What the gateway shows of itself, and its key. */
  readonly cert?: string;
  readonly key?: string;
  /** The name that the server's certificate must have, where that is not the host of the URL. */
  readonly serverName?: string;
  /** Takes any certificate, which protects from nobody. */
  readonly acceptAnyCertificate?: boolean;
}

/** How many calls wait for a place where only so many are in flight, and how long. */
export interface QueueBounds {
  /** What comes beyond is refused, of the client that has most of them. */
  readonly max: number;
  /** As long as a call may take where absent. */
  readonly waitMs?: number;
}

/** How often a server may be started or connected anew before it is given up. */
export interface RestartBounds {
  /** Within the window; 0 for without end. */
  readonly max: number;
  readonly windowSeconds: number;
}

/** When calls to a server that fails are refused at once. */
export interface CircuitBounds {
  /** Calls that fail in a row; 0 for never. */
  readonly failures: number;
  /** For so long; then one call is tried. */
  readonly openSeconds: number;
}

/** What the process of a server may take, and as whom it runs. */
export interface ChildLimits {
  /** Resident memory of all its processes, in MiB; beyond it the server is started again, or only reported. */
  readonly memoryMb?: number;
  /** True where absent. */
  readonly restartOnMemory?: boolean;
  /** Numeric ids; only root can start a process as another user. */
  readonly user?: number;
  readonly group?: number;
}
