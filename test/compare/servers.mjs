/**
 * Servers of npm that start without network and real credentials: those of remote services get made-up values, so that their calls fail on
 * both ways.
 */
export const SERVERS = [
  npm('@modelcontextprotocol/server-everything@2026.8.31'),
  npm('@modelcontextprotocol/server-filesystem@2026.8.31', { args: ['.'] }),
  npm('@modelcontextprotocol/server-memory@2026.8.31'),
  npm('@modelcontextprotocol/server-sequential-thinking@2026.8.31'),
  npm('@modelcontextprotocol/server-github@2025.4.8', { env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'made-up' } }),
  npm('@modelcontextprotocol/server-gitlab@2025.4.25', { env: { GITLAB_PERSONAL_ACCESS_TOKEN: 'made-up' } }),
  npm('@modelcontextprotocol/server-slack@2025.4.25', { env: { SLACK_BOT_TOKEN: 'made-up', SLACK_TEAM_ID: 'T0' } }),
  npm('@modelcontextprotocol/server-google-maps@0.6.2', { env: { GOOGLE_MAPS_API_KEY: 'made-up' } }),
  npm('@modelcontextprotocol/server-brave-search@0.6.2', { env: { BRAVE_API_KEY: 'made-up' } }),
  npm('@upstash/context7-mcp@4.1.1'),
  npm('@eslint/mcp@0.3.13'),
  npm('@antv/mcp-server-chart@0.9.10'),
  npm('airtable-mcp-server@1.14.0', { env: { AIRTABLE_API_KEY: 'pat.made-up' } }),
  npm('argocd-mcp@0.9.0', {
    args: ['stdio'],
    env: { ARGOCD_BASE_URL: 'http://127.0.0.1:9', ARGOCD_API_TOKEN: 'made-up' },
  }),
  npm('backlog-mcp-server@0.20.4', { env: { BACKLOG_DOMAIN: 'example.backlog.com', BACKLOG_API_KEY: 'made-up' } }),
  npm('exa-mcp-server@3.4.1', { env: { EXA_API_KEY: 'made-up' } }),
  npm('figma-developer-mcp@0.13.2', { args: ['--stdio'], env: { FIGMA_API_KEY: 'made-up' } }),
  npm('firecrawl-mcp@3.22.2', { env: { FIRECRAWL_API_KEY: 'made-up' } }),
  npm('hostinger-api-mcp@1.63.2', { env: { API_TOKEN: 'made-up' } }),
  npm('linear-mcp@1.2.0', { env: { LINEAR_ACCESS_TOKEN: 'made-up' } }),
  npm('mcp-searxng@1.16.0', { env: { SEARXNG_URL: 'http://127.0.0.1:9' } }),
  npm('mongodb-mcp-server@3.0.4', { env: { MDB_MCP_TELEMETRY: 'disabled', DO_NOT_TRACK: '1' } }),
  npm('reddit-mcp-buddy@1.1.14'),
  npm('tavily-mcp@0.2.22', { env: { TAVILY_API_KEY: 'made-up' } }),
  npm('@notionhq/notion-mcp-server@2.5.2', { env: { NOTION_TOKEN: 'made-up' } }),
  npm('@perplexity-ai/mcp-server@1.2.1', { env: { PERPLEXITY_API_KEY: 'made-up' } }),
  npm('@pinecone-database/mcp@0.3.0', { env: { PINECONE_API_KEY: 'made-up' } }),
  npm('@stripe/mcp@0.2.5', { args: ['--tools=all', '--api-key=sk_test_made_up'] }),
  npm('@line/line-bot-mcp-server@0.4.2', { env: { CHANNEL_ACCESS_TOKEN: 'made-up' } }),
  npm('@mapbox/mcp-server@0.2.0', { env: { MAPBOX_ACCESS_TOKEN: 'pk.made.up' } }),
  npm('@brightdata/mcp@2.11.3', { env: { API_TOKEN: 'made-up' } }),
  npm('@coo-quack/calc-mcp@2.1.1'),
  npm('@kazuph/mcp-taskmanager@1.1.1'),
  npm('time-mcp@1.0.6'),
  npm('@itseasy21/mcp-knowledge-graph@1.0.7'),
  npm('mcp-shrimp-task-manager@1.0.21', { env: { DATA_DIR: '.' } }),
  npm('@drawio/mcp@1.6.1'),
  npm('@shortcut/mcp@0.25.0', { env: { SHORTCUT_API_TOKEN: 'made-up' } }),
  npm('mcp-server-commands@0.5.0'),
  npm('@cyanheads/git-mcp-server@2.15.3', {
    env: { GIT_BASE_DIR: '/', LOGS_DIR: 'logs', MCP_TRANSPORT_TYPE: 'stdio' },
  }),
  npm('@wonderwhy-er/desktop-commander@0.2.52'),
  npm('@negokaz/excel-mcp-server@0.12.0'),
  npm('@allpepper/memory-bank-mcp@0.2.2', { env: { MEMORY_BANK_ROOT: '.' } }),
  npm('@hugeicons/mcp-server@0.2.2'),
  npm('mcp-server-code-runner@0.1.8'),
  npm('mcp-obsidian@1.0.0', { args: ['.'] }),
  npm('@winor30/mcp-server-datadog@1.8.0', { env: { DATADOG_API_KEY: 'made-up', DATADOG_APP_KEY: 'made-up' } }),
];

function npm(spec, { args = [], env = {} } = {}) {
  const at = spec.lastIndexOf('@');
  return { name: spec.slice(0, at), version: spec.slice(at + 1), args, env };
}
