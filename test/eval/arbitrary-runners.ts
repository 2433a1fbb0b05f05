/**
 * Captured tools that run arbitrary commands, code, SQL or requests, labelled by hand, as `labels.tsv` has no column for it.
 * Tools that run a stored or fixed thing (a workflow, a build, a test suite) are not included.
 */
export const ARBITRARY_RUNNERS: ReadonlySet<string> = new Set([
  'cloudflare__mcp-server-cloudflare::d1_query',
  'executeautomation__playwright-mcp-server::playwright_evaluate',
  'executeautomation__playwright-mcp-server::playwright_post',
  'executeautomation__playwright-mcp-server::playwright_put',
  'executeautomation__playwright-mcp-server::playwright_patch',
  'executeautomation__playwright-mcp-server::playwright_delete',
  'figma-console-mcp::figma_execute',
  'figma-console-mcp::figma_execute_across_files',
  'heroku__mcp-server::deploy_one_off_dyno',
  'heroku__mcp-server::pg_psql',
  'playwright__mcp::browser_evaluate',
  'playwright__mcp::browser_run_code_unsafe',
  'softeria__ms-365-mcp-server::graph-batch',
  'wonderwhy-er__desktop-commander::interact_with_process',
  'wonderwhy-er__desktop-commander::start_process',
]);
