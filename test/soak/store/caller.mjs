/** A call that takes longer is beyond its deadline, whatever the store does, in milliseconds. */
const DEADLINE_MS = 8_000;
const GIVE_UP_MS = 20_000;
/** An envelope within a text, or the error of the operators' API. */
const REFUSAL = /\\?"success\\?": ?false|^\{"error"/;
const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'soak', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Sends calls to the gateways in turn, and keeps how each ended and how long it took. */
export class Caller {
  phase = 'calm';
  /** What must not be, in words. */
  faults = [];
  #replicas;
  #token;
  #turn = 0;
  #rows = new Map();

  constructor(replicas, token) {
    this.#replicas = replicas;
    this.#token = token;
  }

  /** The envelope of the answer of a client without a session. */
  async call(name, operation, params = {}) {
    const headers = { 'mcp-method': 'tools/call', 'mcp-name': name, 'mcp-protocol-version': MODERN };
    return this.#send(operation, { name, arguments: { operation, params }, _meta: META }, headers);
  }

  /** Begins a session of an older client; resolves with its `call`, each of which goes to another gateway than the one before. */
  async openSession() {
    const clientInfo = { name: 'soak', version: '1' };
    const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo };
    const { headers } = await this.post('/mcp', 'initialize', { jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const session = { 'mcp-session-id': headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': LEGACY };
    return (name, operation, params = {}) => this.#send(operation, { name, arguments: { operation, params } }, session);
  }

  async #send(operation, params, headers) {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    return readEnvelope(await this.post('/mcp', operation, message, headers));
  }

  /** Posts to the next gateway. @param what the row of the table */
  async post(path, what, body, headers = {}, token = this.#token) {
    this.#turn += 1;
    const { port } = this.#replicas[this.#turn % this.#replicas.length];
    const began = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
        ...headers,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(GIVE_UP_MS),
    }).catch((fault) => ({ status: fault.name, headers: new Headers(), text: async () => String(fault.message) }));
    const said = await answer.text();
    this.#note(what, performance.now() - began, said);
    return { status: answer.status, headers: answer.headers, said };
  }

  #note(what, ms, said) {
    const key = `${this.phase}\t${what}`;
    const row = this.#rows.get(key) ?? { calls: 0, refused: 0, longest: 0 };
    const refused = REFUSAL.test(said) && !said.includes('CONFIRMATION_REQUIRED') ? 1 : 0;
    this.#rows.set(key, {
      calls: row.calls + 1,
      refused: row.refused + refused,
      longest: Math.max(row.longest, ms),
    });
    if (ms > DEADLINE_MS) this.faults.push(`${this.phase}: ${what} took ${Math.round(ms)} ms`);
  }

  /** One line for each kind of request in each phase. */
  table() {
    const lines = [...this.#rows].map(([key, { calls, refused, longest }]) => {
      const [phase, what] = key.split('\t');
      const figures = [calls, refused, `${Math.round(longest)} ms`].map((each) => `${each}`.padStart(9));
      return `${phase.padEnd(14)}${what.padEnd(24)}${figures.join('')}`;
    });
    return [`${'phase'.padEnd(14)}${'request'.padEnd(24)}    calls  refused  longest`, ...lines].join('\n');
  }
}

function readEnvelope({ status, said }) {
  try {
    const data = /^data: ?(.*)$/m.exec(said)?.[1];
    const message = JSON.parse(said.startsWith('{') ? said : (data ?? ''));
    if (message.error)
      return { success: false, error: { code: `${message.error.code}`, message: message.error.message } };
    return JSON.parse(message.result.content[0].text);
  } catch {
    return { success: false, error: { code: `HTTP ${status}`, message: said.slice(0, 200) } };
  }
}
