import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { SQL_DIALECTS, type SqlDialect } from '../../../../../src/base/protocol/operation.js';
import { STATEMENT_WORDS } from '../../../../../src/classify/statement/sql/dialect.js';
import { proveSql } from '../../../../../src/classify/statement/sql/prove-sql.js';
import { HOSTILE_EVERYWHERE, HOSTILE_MYSQL, HOSTILE_POSTGRESQL, HOSTILE_SQLITE } from './hostile.js';
import { READS } from './reads.js';

/** Each dialect alone, and all of them, as for a server whose product is not known. */
const SETS: readonly (readonly SqlDialect[])[] = [...SQL_DIALECTS.map((dialect) => [dialect]), SQL_DIALECTS];

const HOSTILE: readonly (readonly [dialects: readonly SqlDialect[], statements: readonly string[]])[] = [
  ...SETS.map((dialects) => [dialects, HOSTILE_EVERYWHERE] as const),
  [['postgresql'], HOSTILE_POSTGRESQL],
  [['mysql'], HOSTILE_MYSQL],
  [['mariadb'], HOSTILE_MYSQL],
  [['sqlite'], HOSTILE_SQLITE],
  [SQL_DIALECTS, [...HOSTILE_POSTGRESQL, ...HOSTILE_MYSQL, ...HOSTILE_SQLITE]],
];

/** `o.archive` is `archive(o)` where orders has no such column. */
const ROW_CALLS = [
  'SELECT o.archive FROM orders o',
  'SELECT orders.archive FROM orders',
  'SELECT 1 FROM orders AS o WHERE o.archive IS NULL',
  'SELECT id FROM orders o ORDER BY o.archive',
  'SELECT max(o.archive) FROM orders o GROUP BY o.id',
  'SELECT c.name FROM orders o JOIN customers c ON c.id = o.customer',
  'WITH o AS (SELECT * FROM orders) SELECT o.archive FROM o',
  'SELECT t.archive FROM (SELECT * FROM orders) t',
  'SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM items WHERE o.archive = 1)',
];

describe('proveSql', () => {
  it.each(READS)('proves for %j: %s', (dialects, sql) => {
    expect(proveSql(sql, dialects, 'none')).toMatchObject({ read: true });
    for (const dialect of dialects) expect(proveSql(sql, [dialect], 'none')).toMatchObject({ read: true });
  });

  it.each(HOSTILE)(
    'proves none of the statements that change something or may be read so, for %j',
    (dialects, statements) => {
      expect(statements.length).toBeGreaterThan(100);
      expect(statements.filter((sql) => proveSql(sql, dialects).read)).toEqual([]);
    },
  );

  it.each(ROW_CALLS)('does not prove on PostgreSQL what may call a function of a row: %s', (sql) => {
    expect(proveSql(sql, ['postgresql'])).toMatchObject({
      why: expect.stringContaining('may be a call on PostgreSQL'),
    });
    expect(proveSql(sql, SQL_DIALECTS)).toMatchObject({ read: false });
    // The operator knows the schema, and others have no such functions.
    expect(proveSql(sql, ['postgresql'], 'none')).toMatchObject({ read: true });
    for (const dialect of ['sqlite', 'mysql', 'mariadb'] as const)
      expect(proveSql(sql, [dialect])).toMatchObject({ read: true });
  });

  it.each([
    'SELECT archive FROM orders',
    'SELECT o.* FROM orders o',
    'SELECT total FROM orders JOIN customers ON customer_id = customer ORDER BY total',
    'SELECT total FROM orders JOIN customers USING (customer_id) WHERE total > 5',
    'SELECT t.total, n FROM (SELECT amount, count(*) FROM orders GROUP BY amount) AS t(total, n)',
  ])('proves on PostgreSQL too what names columns that the statement knows, or names them alone: %s', (sql) => {
    expect(proveSql(sql, ['postgresql'])).toMatchObject({ read: true });
  });

  it.each(['fsdir', 'http_do', 'fileio_ls', 'lsdir', 'zipfile', 'dbstat', 'sqlite_dbpage', 'main.fsdir', '"fsdir"'])(
    'does not prove what reads the table %s, which nobody has made',
    (table) => {
      for (const dialects of [['sqlite'], SQL_DIALECTS] as const)
        expect(proveSql(`SELECT data FROM ${table} WHERE path = '/etc/passwd'`, dialects)).toMatchObject({
          read: false,
        });
    },
  );

  it('proves none of them behind a read, in a subquery, in a common table or in a comment that ends', () => {
    const wrapped = [...HOSTILE_EVERYWHERE, ...HOSTILE_SQLITE]
      .filter((sql) => /\w/.test(sql) && !STATEMENT_WORDS.has(sql.split(' ')[0]?.toLowerCase() ?? ''))
      .flatMap((sql) => [
        `SELECT 1; ${sql}`,
        `SELECT * FROM t ${sql.startsWith('SELECT') ? ';' : ''}${sql}`,
        `SELECT 1 /* x */; ${sql}`,
        `SELECT 1 -- x\n;${sql}`,
        `SELECT * FROM (${sql}) x`,
        `WITH x AS (${sql}) SELECT * FROM x`,
        `SELECT (${sql})`,
        `EXPLAIN ${sql}`,
      ]);
    expect(SETS.flatMap((dialects) => wrapped.filter((sql) => proveSql(sql, dialects).read))).toEqual([]);
  });

  it('says why, with the place', () => {
    expect(proveSql('SELECT 1; DROP TABLE t', ['sqlite'])).toEqual({
      read: false,
      why: "'drop' (character 11) is not part of a plain read",
    });
    expect(proveSql('SELECT pg_sleep(5)', ['postgresql'])).toEqual({
      read: false,
      why: "function 'pg_sleep' (character 8) is not known to only read",
    });
  });

  it('says where a function of one product is not known, and how a placeholder is written for all', () => {
    expect(proveSql('SELECT group_concat(a) FROM t', ['sqlite'])).toMatchObject({ read: true });
    expect(proveSql('SELECT group_concat(a) FROM t', ['sqlite', 'postgresql'])).toMatchObject({
      why: "function 'group_concat' (character 8) is not known to only read in postgresql",
    });
    expect(proveSql('SELECT a FROM t WHERE id = ?', ['sqlite'])).toMatchObject({ read: true });
    for (const sql of [
      'SELECT a FROM t WHERE id = ?',
      'SELECT a FROM t WHERE id IN (?, ?) AND n > ? ORDER BY a LIMIT ? OFFSET ?',
      'SELECT a FROM t WHERE ? = b OR lower(c) = lower(?);',
      'SELECT CASE WHEN a = ? THEN ? ELSE b END AS c FROM t',
    ])
      expect(proveSql(sql, SQL_DIALECTS)).toMatchObject({ read: true });
    // What follows may be the operand of an operator that somebody has defined.
    for (const sql of [
      'SELECT a FROM t WHERE id = ? - 1',
      'SELECT a FROM t WHERE id = ? (1)',
      'SELECT ? "and" FROM t',
      "SELECT ? 'and' FROM t",
      'SELECT a FROM t WHERE b = ? || c',
      "SELECT a FROM t WHERE ? LIKE 'x'",
      'SELECT a FROM t WHERE id =? AND 1 = 1',
      'SELECT a FROM t WHERE id = ?::int',
      'SELECT a ? b FROM t',
    ])
      expect(proveSql(sql, ['sqlite', 'postgresql'])).toMatchObject({ read: false });
    expect(proveSql('SELECT a FROM t WHERE id = ? - 1', ['sqlite', 'postgresql'])).toMatchObject({
      why: "'?' (character 28) is not understood: here it may be an operator of PostgreSQL; write the placeholder as $1 or :name",
    });
    expect(proveSql('SELECT a FROM t WHERE id = $1', ['sqlite', 'postgresql'])).toMatchObject({ read: true });
  });

  it('looks at no statement that is too long, too deep or has too many parts', () => {
    expect(proveSql(`SELECT '${'a'.repeat(9_000)}'`, ['sqlite'])).toMatchObject({
      why: 'it is longer than 8192 characters',
    });
    expect(proveSql(`SELECT ${'('.repeat(60)}1${')'.repeat(60)}`, ['sqlite'])).toMatchObject({
      why: 'it is nested deeper than 48 levels',
    });
    expect(proveSql(`SELECT 1${',1'.repeat(1_500)}`, ['sqlite'])).toMatchObject({ why: 'it has more than 2000 parts' });
  });

  it('proves no statement that changes an SQLite database', () => {
    const random = generator(7);
    const pool = [
      ...READS.map(([, sql]) => sql),
      ...HOSTILE_EVERYWHERE,
      ...HOSTILE_SQLITE,
      'INSERT INTO t VALUES (9, 9)',
      'PRAGMA user_version = 7',
      "SELECT * FROM pragma_user_version('8')",
    ];
    const database = open();
    const before = contentOf(database);
    let proven = 0;
    let run = 0;
    for (let round = 0; round < 10_000; round += 1) {
      const sql = mutate(pool, random);
      if (!proveSql(sql, ['sqlite']).read) continue;
      proven += 1;
      if (runs(database, sql)) run += 1;
      const after = contentOf(database);
      if (after !== before) throw new Error(`This was proven and changed the database: ${sql}\n${before}\n${after}`);
    }
    expect(proven).toBeGreaterThan(300);
    expect(run).toBeGreaterThan(50);
  });
});

function open(): Database.Database {
  const database = new Database(':memory:');
  database.exec(`CREATE TABLE t (a INTEGER, b TEXT); CREATE TABLE customers (id INTEGER, name TEXT, city TEXT, plan TEXT);
    CREATE TABLE users (id INTEGER, name TEXT, nick TEXT, age INTEGER); INSERT INTO t VALUES (1, 'x'), (2, 'y');
    INSERT INTO customers VALUES (1, 'a', 'Bern', 'pro'); PRAGMA user_version = 3`);
  return database;
}

/** All tables with their rows, and the settings that a file keeps. */
function contentOf(database: Database.Database): string {
  const tables = database.prepare('SELECT name, sql FROM sqlite_master ORDER BY name').all();
  const rows = ['t', 'customers', 'users'].map((table) => database.prepare(`SELECT * FROM ${table}`).all());
  const settings = [
    'user_version',
    'application_id',
    'schema_version',
    'foreign_keys',
    'writable_schema',
    'query_only',
  ];
  const values = settings.map((name) => database.prepare(`PRAGMA ${name}`).get());
  const changes = database.prepare('SELECT total_changes() AS n').get();
  // The driver adds how long a query took.
  return JSON.stringify([tables, rows, values, changes], (key, value) => (key === '_metadata' ? undefined : value));
}

/** Whether SQLite accepts it; `exec` runs all statements of a text, as careless servers do. */
function runs(database: Database.Database, sql: string): boolean {
  try {
    database.exec(sql);
    return true;
  } catch {
    return false;
  }
}

/** One statement of the pool, or pieces of several. */
function mutate(pool: readonly string[], random: () => number): string {
  const pick = (): string => pool[Math.floor(random() * pool.length)] ?? '';
  const cut = (text: string): number => Math.floor(random() * (text.length + 1));
  const [one, other] = [pick(), pick()];
  const [from, to] = [cut(one), cut(other)];
  const how = Math.floor(random() * 6);
  if (how === 0) return one;
  if (how === 1) return one.slice(0, from) + other.slice(to);
  if (how === 2) return `${one.slice(0, from)} ${JOINTS[Math.floor(random() * JOINTS.length)]} ${one.slice(from)}`;
  if (how === 3) return one.replace(/\b(?:t|customers|users|orders)\b/g, '(SELECT * FROM t)');
  if (how === 4) return one.slice(0, from) + one.slice(Math.min(one.length, from + 1 + Math.floor(random() * 4)));
  const words = one.split(' ');
  words.splice(Math.floor(random() * words.length), 1, ...other.split(' ').slice(0, 3));
  return words.join(' ');
}

const JOINTS = [
  ';',
  '--',
  '/*',
  '*/',
  "'",
  '"',
  'UNION',
  '(',
  ')',
  ',',
  'a',
  '1',
  'AS',
  '[',
  ']',
  '`',
  '; DELETE FROM t',
  'RETURNING a',
  '||',
];

/** mulberry32: every run tries the same statements. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
