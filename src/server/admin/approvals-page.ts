import type { FastifyInstance, FastifyReply } from 'fastify';
import { APPROVALS_STYLE } from './page/approvals.css.js';
import { APPROVALS_SCRIPT } from './page/approvals.js.js';

const PATH = '/ui/approvals';

/** The page shows texts that models and upstreams wrote: nothing but its own two files may run or style it. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const;

/**
 * Serves a page on which operators decide: `/ui/approvals` lists what waits, `/ui/approvals/:id` shows one request. It holds
 * no data of its own; with the token that a person enters it asks the API.
 */
export function registerApprovalsPage(app: FastifyInstance): void {
  const serve = (path: string, type: string, text: string): void => {
    app.get(path, (_request, reply) => send(reply, type, text));
  };
  serve(PATH, 'text/html', writeDocument(''));
  // Relative, so that the page works behind a proxy that adds a path.
  serve(`${PATH}/:id`, 'text/html', writeDocument('../'));
  serve(`${PATH}.js`, 'text/javascript', APPROVALS_SCRIPT);
  serve(`${PATH}.css`, 'text/css', APPROVALS_STYLE);
}

function send(reply: FastifyReply, type: string, text: string): FastifyReply {
  return reply.headers({ ...HEADERS, 'content-type': `${type}; charset=utf-8` }).send(text);
}

/** @param up the way from the page's folder to that of its files. */
function writeDocument(up: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Approvals</title>
<link rel="stylesheet" href="${up}approvals.css">
<script src="${up}approvals.js" defer></script>
</head>
<body>
<header>
<h1>Approvals</h1>
<nav id="actions" hidden>
<a id="all">All pending</a>
<button type="button" id="refresh">Refresh</button>
<button type="button" id="sign-out">Sign out</button>
</nav>
</header>
<main>
<noscript><p>This page needs JavaScript. The command line does the same: <code>mcp-aql-gateway approvals list</code></p></noscript>
<form id="sign-in" hidden>
<label for="token">Your operator token</label>
<input id="token" type="password" autocomplete="off" spellcheck="false" required>
<button type="submit">Sign in</button>
</form>
<p id="message" role="status" aria-live="polite"></p>
<div id="approvals"></div>
</main>
</body>
</html>
`;
}
