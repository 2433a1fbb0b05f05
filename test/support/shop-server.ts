import { inlineServer } from './inline-server.js';
import { REPOSITORY } from './served-gateway.js';

/** A server that runs SQL on a database in its memory, with tools as public SQLite servers have them. */
export const SHOP = inlineServer(`(() => {
  const { createRequire } = process.getBuiltinModule('node:module');
  const Database = createRequire('${REPOSITORY}package.json')('libsql');
  const database = new Database(':memory:');
  database.exec("CREATE TABLE invoices (id INTEGER PRIMARY KEY, plan TEXT, amount REAL, status TEXT)");
  database.exec("INSERT INTO invoices VALUES (1, 'team', 120, 'overdue'), (2, 'free', 20, 'paid')");
  database.exec("INSERT INTO invoices VALUES (3, 'team', 80.5, 'overdue'), (4, 'business', 900, 'overdue')");
  const answer = (rows) => ({ content: [{ type: 'text', text: JSON.stringify(rows) }] });
  const tool = (description, properties, required) => ({ description, inputSchema: { type: 'object', properties, required } });
  const sql = { type: 'string' };
  return {
    query: {
      tool: tool('Execute a raw SQL query against the SQLite database with optional parameter values', { sql, values: { type: 'array' } }, ['sql']),
      run: (args) => answer(database.prepare(args.sql).all(args.values ?? [])),
    },
    list_tables: {
      tool: tool('List all user tables in the SQLite database', {}, []),
      run: () => answer(database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()),
    },
  };
})()`);
