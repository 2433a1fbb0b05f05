import type { FastifyInstance, FastifyReply } from 'fastify';
import { readAsset } from '../../lib/asset.js';

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
  const page = readAsset('server/admin/page/approvals.html');
  serve(PATH, 'text/html', page);
  // Its files stand one folder up. The links are relative, so that the page works behind a proxy that adds a path.
  serve(`${PATH}/:id`, 'text/html', page.replaceAll('"./', '"../'));
  serve(`${PATH}.js`, 'text/javascript', readAsset('server/admin/page/approvals.js'));
  serve(`${PATH}.css`, 'text/css', readAsset('server/admin/page/approvals.css'));
}

function send(reply: FastifyReply, type: string, text: string): FastifyReply {
  return reply.headers({ ...HEADERS, 'content-type': `${type}; charset=utf-8` }).send(text);
}
