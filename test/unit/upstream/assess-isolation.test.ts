import { describe, expect, it, vi } from 'vitest';
import type { RawTool } from '../../../src/base/protocol/tools.js';
import { assessIsolation } from '../../../src/upstream/assess-isolation.js';
import { corpusIsHere, readCorpus } from '../../support/corpus.js';

/** Tools by their names; behind a name in brackets the names of its parameters. */
function toolsOf(names: string): readonly RawTool[] {
  return names.split(' ').map((each) => {
    const [, name = each, parameters = ''] = /^(.+?)\((.*)\)$/.exec(each) ?? [];
    const properties = Object.fromEntries(parameters.split(',').map((parameter) => [parameter, { type: 'string' }]));
    return { name, inputSchema: { type: 'object', properties } };
  });
}

function assess(tools: readonly RawTool[], more: object = {}) {
  return assessIsolation({ tools, era: 'legacy', hasSession: true, ...more });
}

const BROWSER = toolsOf('browser_navigate(url) browser_click(ref) browser_snapshot');

describe('who shares a connection to a server', () => {
  it.each([
    ['a browser', 'browser_navigate(url) browser_click(ref) browser_snapshot browser_tabs'],
    ['a browser', 'navigate_page(url) take_snapshot click(uid) list_pages select_page'],
    ['a browser', 'puppeteerNavigate(url) puppeteerClick(selector)'],
    [
      'a terminal',
      'start_process(command) read_process_output(pid) interact_with_process(pid,input) read_file write_file',
    ],
    ['a terminal', 'write_to_terminal(command) read_terminal_output(lines)'],
    [
      'a debugger',
      'launch(program) set_breakpoint(file,line) step_over continue evaluate(expression) read_file write_file',
    ],
    ['a notebook kernel', 'insert_cell(index) execute_cell(index) restart_notebook'],
    ['an interpreter', 'python_repl(code)'],
    ['sessions that it hands out', 'create-session(name) execute-command(sessionId,command) list-sessions'],
    ['a current directory or project', 'git_set_working_dir(path) git_status git_commit(message)'],
    ['a connection that it keeps', 'ssh_connect(host) ssh_exec(command) ssh_disconnect'],
    ['a chain of thoughts', 'sequentialthinking(thought,thoughtNumber,nextThoughtNeeded)'],
  ])('is each session by itself where it has %s: %s', (what, names) => {
    const { mode, evidence, doubt } = assess(toolsOf(names));
    expect({ mode, doubt }).toEqual({ mode: 'session', doubt: undefined });
    expect(evidence[0]).toMatch(`${what}: `);
  });

  it.each([
    ['read_file(path) write_file(path,content) list_directory(path)', ['files: read_file, write_file']],
    ['create_entities(entities) read_graph open_nodes(names)', ['a knowledge graph: create_entities']],
    ['read_query(query) write_query(query) list_tables', ['a database: read_query, list_tables']],
    ['create_issue(title) list_issues get_current_user', []],
    ['get_page(page_id) create_page(title) query_database(database_id)', ['a database: query_database']],
    ['create_checkout_session(price) list_sessions(customer)', []],
    ['set_rich_menu_default(id) get_profile(user_id)', []],
    ['start_workflow(id) stop_workflow(id) get_page_screenshot(url)', []],
  ])('are all callers where its state is elsewhere: %s', (names, evidence) => {
    expect(assess(toolsOf(names))).toEqual({
      mode: 'shared',
      evidence: [...evidence, 'no tool speaks of state in its process'],
    });
  });

  it('are all callers where both are seen and neither is certain, and the operator is asked', () => {
    const { mode, doubt } = assess(toolsOf('activate_project(project) read_file(path) edit_file(path)'));
    expect(mode).toBe('shared');
    expect(doubt).toContain('(a current project: activate_project) as well as elsewhere (files: read_file, edit_file)');
    expect(doubt).toContain('set its "isolation" to "session"');
  });

  it('is seen in the values of a parameter that chooses what a tool does', () => {
    const action = { type: 'string', enum: ['navigate', 'click', 'screenshot'] };
    const tools = [{ name: 'computer_browser', inputSchema: { type: 'object', properties: { action, url: {} } } }];
    expect(assess(tools).mode).toBe('session');
  });

  it('are all callers of a server over HTTP that does not tell connections apart', () => {
    expect(assess(BROWSER, { hasSession: false }).mode).toBe('shared');
    expect(assess(BROWSER, { era: 'modern', hasSession: false }).mode).toBe('shared');
    expect(assess(BROWSER, { hasSession: true }).mode).toBe('session');
  });

  it('is decided by looking at each name once, however many tools a server has', () => {
    const dull = Array.from({ length: 2_000 }, (_, each) => `get_metric_${each}(id,project)`).join(' ');
    const has = vi.spyOn(Set.prototype, 'has');
    const { mode } = assess(toolsOf(dull));
    const { length } = has.mock.calls;
    has.mockRestore();
    expect(mode).toBe('shared');
    expect(length).toBeLessThan(2_000 * 10);
  });

  it('is decided by whatever a list holds', () => {
    const odd: readonly unknown[] = [
      null,
      7,
      { name: 5 },
      { name: 'x', inputSchema: [] },
      { name: 'y', inputSchema: { properties: { action: { enum: [1, null] } } } },
    ];
    expect(assess(odd as readonly RawTool[]).mode).toBe('shared');
  });
});

describe.skipIf(!corpusIsHere)('of the servers of the corpus', () => {
  it('those that keep state in their process, and no others, are isolated', () => {
    const judged = readCorpus().map(({ upstream, tools }) => ({ upstream, ...assess(tools) }));
    const isolated = judged.filter(({ mode }) => mode === 'session').map(({ upstream }) => upstream);
    expect(isolated).toEqual([
      'brightdata_mcp',
      'cyanheads_git_mcp_server',
      'executeautomation_playwright_mcp_server',
      'modelcontextprotocol_server_sequential_thinking',
      'playwright_mcp',
      'wonderwhy_er_desktop_commander',
    ]);
    expect(judged.filter(({ doubt }) => doubt !== undefined).map(({ upstream }) => upstream)).toEqual([
      'mongodb_mcp_server',
    ]);
  });
});
