import type { FastifyInstance } from 'fastify';
import type { ServerInfo } from '../mcp/write-result.js';

/** What a person needs who opens the gateway's address in a browser. */
interface Landing {
  readonly serverInfo: ServerInfo;
  /** Where the approvals page is, where there is one. */
  readonly approvals: string | undefined;
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

function writePage({ serverInfo: { name, version }, approvals }: Landing): string {
  const entries = [
    'MCP clients connect to <code>/mcp</code> (Streamable HTTP); it is no page for browsers.',
    '<a href="/readyz">/readyz</a> says whether calls can be served, <a href="/healthz">/healthz</a> that the process lives.',
    approvals === undefined
      ? 'Approvals by people are not configured here: <code>mcp-aql-gateway approvals</code> lists what waits.'
      : `<a href="${approvals}">${approvals}</a> is where people approve calls.`,
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
