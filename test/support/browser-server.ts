import { inlineServer } from './inline-server.js';

/**
 * A server as those that drive a browser are: one page, one history and one set of cookies for the whole process, whatever client
 * calls. Each answer is the whole state, so that a value of another client's shows in it.
 */
const BROWSER_TOOLS = `(() => {
  const state = { page: 'about:blank', history: [], cookies: {}, clicks: [] };
  let release = () => undefined;
  const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
  const change = (description, properties, act) => ({
    tool: { description, inputSchema: { type: 'object', properties } },
    run: (args) => { act(args); return text(state); },
  });
  const look = (description, run) => ({ tool: { description, annotations: { readOnlyHint: true } }, run });
  const string = { type: 'string' };
  return {
    browser_navigate: change('Navigate to a URL', { url: string }, ({ url }) => { state.page = url; state.history.push(url); }),
    browser_click: change('Click an element of the page', { ref: string }, ({ ref }) => { state.clicks.push(ref); }),
    browser_navigate_back: change('Go back to the page before', {}, () => { state.history.pop(); state.page = state.history.at(-1) ?? 'about:blank'; }),
    browser_set_cookie: change('Set a cookie', { name: string, value: string }, ({ name, value }) => { state.cookies[name] = value; }),
    browser_snapshot: look('Capture the accessibility snapshot of the current page', () => text(state)),
    browser_process: look('Get the id of the process', () => text({ pid: process.pid })),
    browser_wait: look('Wait until the page is released', async () => { await new Promise((resolve) => { release = resolve; }); return text(state); }),
    browser_release: look('Release the page', () => { release(); return text(state); }),
  };
})()`;

/** The browser as an entry of \`mcpServers\`. */
export function browserServer(more: object = {}) {
  return inlineServer(BROWSER_TOOLS, more);
}
