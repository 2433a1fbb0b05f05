/** What the log of requests says beyond HTTP. */
export interface NotedFacts {
  /** The method of MCP. */
  readonly mcpMethod?: string;
  readonly session?: string;
  /** The authenticated client, and the user where there is one. */
  readonly client?: string;
  readonly user?: string;
  readonly requestId?: string;
  readonly operation?: string;
  /** Of the answer of the operation. */
  readonly code?: string;
}

/** Takes down what becomes known of a request on its way, where requests are logged. Later facts replace earlier ones. */
export class RequestNotes {
  #facts: NotedFacts = {};

  get facts(): NotedFacts {
    return this.#facts;
  }

  note(facts: NotedFacts): void {
    this.#facts = { ...this.#facts, ...facts };
  }
}
