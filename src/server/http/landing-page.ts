import type { FastifyInstance } from 'fastify';
import type { ServerInfo } from '../mcp/write-result.js';

/** What a person needs who opens the gateway's address in a browser. */
interface Landing {
  readonly serverInfo: ServerInfo;
  /** Whether there are operators, who have pages of their own. */
  readonly hasConsole: boolean;
}

/** Answers `/` and `/health` for people. Names no server and no client: anyone may open it. */
export function registerLandingPage(app: FastifyInstance, landing: Landing): void {
  const page = writePage(landing);
  for (const path of ['/', '/health']) {
    app.get(path, (_request, reply) =>
      reply
        .headers({ 'content-security-policy': "default-src 'none'", 'x-content-type-options': 'nosniff' })
        .type('text/html; charset=utf-8')
        .send(page),
    );
  }
}

function writePage({ serverInfo: { name, version }, hasConsole }: Landing): string {
  const entries = [
    'MCP clients connect to <code>/mcp</code> (Streamable HTTP); it is no page for browsers.',
    '<a href="/readyz">/readyz</a> says whether calls can be served, <a href="/healthz">/healthz</a> that the process lives.',
    hasConsole
      ? '<a href="./ui/">/ui</a> is the console, where operators approve calls and see how the gateway is.'
      : 'There is no console here, as no operators are configured: <code>mcp-aql-gateway approvals</code> lists what waits.',
    'Documentation: <code>docs/</code> in the package; <code>mcp-aql-gateway --help</code> lists the commands.',
  ];
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${name}</title></head>
<body>
<h1>${name} ${version}</h1>
<p>A gateway for the Model Context Protocol. It runs.</p>
<ul>
${entries.map((entry) => `<li>${entry}</li>`).join('\n')}
</ul>
</body>
</html>
`;
}
