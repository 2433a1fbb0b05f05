import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proveCypher } from '../../../../../src/classify/statement/cypher/prove-cypher.js';

const READS = [
  'RETURN 1',
  'match (n) return n;',
  'MATCH (p:Person {name: "Ada"}) RETURN p',
  'MATCH (p:Person)-[:KNOWS]->(f:Person) WHERE p.age >= 30 AND f.name STARTS WITH "B" RETURN f.name AS friend, count(*) AS n ORDER BY n DESC, friend SKIP 5 LIMIT 10',
  'MATCH (a)-[r:ACTED_IN|DIRECTED*1..3 {since: $year}]-(b) RETURN type(r), a, b',
  'MATCH (a)-->(b)<--(c)--(d)<-[x]-(e), (f) RETURN *',
  'MATCH p = shortestPath((a:Person {id: $from})-[*..5]-(b:Person {id: $to})) RETURN length(p), [n IN nodes(p) | n.name]',
  'OPTIONAL MATCH (n:`Odd name`) WHERE n.x IS NOT NULL AND NOT n.y IN [1, 2, 3] RETURN n.`odd property`',
  'UNWIND [1, 2, 3] AS x WITH x, x * 2 AS y WHERE y > 2 RETURN x + y, -x, x % 2, 2 ^ x',
  'UNWIND $rows AS row MATCH (n {id: row.id}) RETURN n',
  'MATCH (n) RETURN n.name UNION ALL MATCH (m) RETURN m.name UNION MATCH (o) RETURN o.name',
  'MATCH (n) WITH n ORDER BY n.created LIMIT 3 RETURN collect(DISTINCT n.name)[0..2]',
  'MATCH (n) WITH DISTINCT labels(n) AS l RETURN l',
  'MATCH (n) RETURN CASE n.age WHEN 1 THEN "one" ELSE "many" END, CASE WHEN n.x > 1 THEN n.x END',
  'MATCH (n) WHERE all(x IN n.list WHERE x > 0) AND any(x IN n.list WHERE x = 1) RETURN reduce(sum = 0, x IN n.list | sum + x)',
  'MATCH (n) WHERE (n)-[:KNOWS]->(:Person {name: "Bo"}) AND NOT (n)-->() RETURN n',
  'MATCH (n) WHERE exists(n.name) AND EXISTS { (n)-[:HAS]->(:Dog) } AND COUNT { MATCH (n)-->(m) WHERE m.x = 1 RETURN m } > 1 RETURN n',
  'MATCH (n) RETURN n {.name, .age, friends: [(n)-[:KNOWS]->(f) | f.name], total: 1}',
  'MATCH (n) CALL { WITH n MATCH (n)-->(m) RETURN count(m) AS c } RETURN n, c',
  'MATCH (n) CALL (n) { MATCH (n)-->(m) RETURN count(m) AS c } RETURN n, c',
  'CALL db.labels()',
  'CALL db.labels() YIELD label WHERE label STARTS WITH "P" RETURN label',
  'CALL db.index.fulltext.queryNodes("names", $q) YIELD node, score RETURN node.name, score LIMIT 3',
  'SHOW INDEXES',
  'SHOW DATABASES YIELD name, currentStatus WHERE name <> "system"',
  'EXPLAIN MATCH (n) RETURN n',
  '// the people\nMATCH (n:Person) /* all of them */ RETURN n',
  "MATCH (n) WHERE n.url = 'https://example.org/a' RETURN n",
  'MATCH (n) WHERE n.name =~ "(?i).*\\\\d+" RETURN n',
  'MATCH (n:SET:DELETE {create: 1, merge: 2}) WHERE n.delete = 1 AND n:Remove RETURN n.set, n.`drop`',
  'MATCH (n) WHERE n.text = "CREATE (m) DELETE n" RETURN n',
  'MATCH (n:A|B&!C) RETURN elementId(n), date(), date("2026-01-01").year, duration.between(n.a, n.b).days',
  'MATCH (start)-[*]->(end) RETURN start, end, null, true, 1.5e3, 0xFF',
  'MATCH (n) RETURN n.a - n.b, n.list[-1], n.list[..2], {a: {b: [1]}}, "a" + "b"',
  'MATCH (n:`Größe`) RETURN n',
];

const HOSTILE = [
  '',
  ';',
  'CREATE (n)',
  'CREATE (n) RETURN n',
  'MERGE (n {id: 1}) RETURN n',
  'MATCH (n) DELETE n',
  'MATCH (n) DETACH DELETE n',
  'MATCH (n) NODETACH DELETE n',
  'MATCH (n) SET n.x = 1 RETURN n',
  'MATCH (n) SET n += {x: 1}',
  'MATCH (n) SET n:Label',
  'MATCH (n) REMOVE n.x',
  'MATCH (n) WHERE n:Label SET n.x = 1',
  'MATCH (n) RETURN n SET n.x = 1',
  'MATCH (n) RETURN n.SET n.x = 1',
  'MATCH (n) WITH n DELETE n',
  'MATCH (n) WITH n CREATE (m) RETURN m',
  'MATCH (n) FOREACH (x IN [1] | SET n.x = x)',
  'FOREACH (x IN [1] | CREATE (n))',
  'RETURN [x IN [1] | CREATE (n)]',
  'UNWIND [1] AS x CREATE (n {id: x})',
  'LOAD CSV FROM "file:///etc/passwd" AS line RETURN line',
  'LOAD CSV WITH HEADERS FROM $url AS row RETURN row',
  'USING PERIODIC COMMIT LOAD CSV FROM "x" AS l CREATE (n)',
  'USE other MATCH (n) RETURN n',
  'PROFILE MATCH (n) RETURN n',
  'EXPLAIN CREATE (n)',
  'EXPLAIN PROFILE MATCH (n) RETURN n',
  'CYPHER runtime=slotted MATCH (n) DELETE n',
  'CYPHER 25 MATCH (n) RETURN n',
  'CREATE INDEX FOR (n:A) ON (n.x)',
  'CREATE CONSTRAINT FOR (n:A) REQUIRE n.x IS UNIQUE',
  'DROP INDEX x',
  'DROP DATABASE neo4j',
  'CREATE USER a SET PASSWORD "b"',
  'ALTER USER a SET PASSWORD "b"',
  'GRANT ROLE admin TO a',
  'SHOW USERS',
  'SHOW PRIVILEGES',
  'SHOW SETTINGS',
  'SHOW TRANSACTIONS YIELD * TERMINATE TRANSACTIONS transactionId',
  'SHOW INDEXES YIELD name DROP INDEX name',
  'TERMINATE TRANSACTIONS "x"',
  'START n=node(*) DELETE n',
  'INSERT (n)',
  'LET x = 1 RETURN x',
  'FOR x IN [1] INSERT (n)',
  'FINISH',
  'MATCH (n)',
  'MATCH (n) CALL { WITH n DELETE n } RETURN 1',
  'MATCH (n) CALL { WITH n MATCH (n) RETURN n AS m } IN TRANSACTIONS RETURN m',
  'CALL { CREATE (n) } RETURN 1',
  'CALL apoc.cypher.doIt("CREATE (n)", {})',
  'CALL apoc.create.node(["A"], {})',
  'CALL apoc.periodic.iterate("MATCH (n) RETURN n", "DELETE n", {})',
  'CALL apoc.load.json("http://x") YIELD value RETURN value',
  'CALL db.createLabel("x")',
  'CALL db.index.fulltext.drop("x")',
  'CALL dbms.setConfigValue("a", "b")',
  'CALL dbms.security.createUser("a", "b")',
  'CALL dbms.listConfig()',
  'CALL db.labels() YIELD label CREATE (n)',
  'CALL db.labels CREATE (n)',
  'CALL gds.graph.drop("x")',
  'CALL custom.write()',
  'CALL `db`.labels()',
  'RETURN apoc.cypher.runFirstColumnSingle("CREATE (n)", {})',
  'RETURN apoc.text.join([], "")',
  'RETURN custom.fn(1)',
  'RETURN nextval("s")',
  'RETURN pg_catalog.set_config("a", "b", false)',
  'RETURN pg_sleep(5)',
  'MATCH (n) RETURN n; MATCH (n) DELETE n',
  'MATCH (n) RETURN n; DROP INDEX x',
  'MATCH (n) RETURN "a;b"',
  'MATCH (n) RETURN n // x\nDELETE n',
  'MATCH (n) RETURN n /* x */ SET n.x = 1',
  'MATCH (n) /* */ DELETE n /* */',
  "RETURN 'x //' AS a\n, ' CREATE (n) //' AS b",
  "RETURN '/*', '*/ CREATE (n) //'",
  "RETURN 'a\\' CREATE (n) //'",
  "RETURN 'a\\\\' CREATE (n) //'",
  'RETURN "a\\u0022 CREATE (n) //"',
  'MATCH (n) \\u0044ELETE n',
  'RETURN 1 \\u002f\\u002f',
  "RETURN '\\u0027 CREATE (n) //'",
  'RETURN `a` `b`',
  'RETURN `a``b`',
  "RETURN 'a''b'",
  'RETURN $$ CREATE (n) $$',
  "RETURN 'x $$) as (a agtype); DROP TABLE t --'",
  'RETURN "$$"',
  'RETURN 1\u2028CREATE (n)',
  'RETURN 1\u0000',
  'MATCH\u00a0(n) RETURN n',
  'MATCH (n) \u017fET n.x = 1',
  'MATCH (n) RETURN n \uff1b CREATE (m)',
  'RETURN 1 CREATE (n)',
  'RETURN {a: 1} CREATE (n)',
  'RETURN create',
  'MATCH (create) RETURN 1',
  'RETURN (n) CREATE',
  'MATCH (n) RETURN n UNION CREATE (m) RETURN m',
  'MATCH (n) WHERE EXISTS { MATCH (n) SET n.x = 1 } RETURN n',
  'MATCH (n) WHERE EXISTS { CREATE (m) } RETURN n',
  'RETURN COUNT { MATCH (n) DELETE n RETURN 1 }',
  'BEGIN MATCH (n) RETURN n COMMIT',
  ':param x => 1',
  'mutation { x }',
  'SELECT 1',
  'COPY a FROM "x.csv"',
  'INSTALL httpfs',
  'MATCH (n RETURN n',
  'MATCH (n)) RETURN n',
  'RETURN [1, 2',
  "RETURN 'open",
  'RETURN `open',
  '/* open MATCH (n) RETURN n',
  'RETURN 1 /* x */* DELETE */',
];

const WRITES = ['CREATE', 'MERGE', 'SET', 'DELETE', 'DETACH', 'REMOVE', 'DROP', 'FOREACH', 'LOAD', 'INSERT', 'PROFILE'];

/** Words outside of literals, comments and quoted names; what follows a dot or a colon, or stands before a colon, is a name. */
function bareWords(text: string): readonly string[] {
  const bare = text.replace(/'[^']*'|"[^"]*"|`[^`]*`|\/\/[^\n]*|\/\*.*?\*\//gs, ' _ ');
  return [...bare.matchAll(/(?<![.:|&!]\s*)\b[A-Za-z_]\w*(?!\s*:)/g)].map(([word]) => word.toUpperCase());
}

describe('proveCypher', () => {
  it.each(READS)('proves %s', (text) => expect(proveCypher(text)).toMatchObject({ read: true }));

  it.each(HOSTILE)('does not prove %j', (text) => expect(proveCypher(text).read).toBe(false));

  it('proves none of them behind a read, in a query in braces or behind WITH', () => {
    // A variable with a map behind it is a choice of its properties.
    const wrapped = HOSTILE.filter((text) => /\w/.test(text) && !text.startsWith('mutation')).flatMap((text) => [
      `RETURN 1; ${text}`,
      `MATCH (n) ${text}`,
      `MATCH (n) RETURN n UNION ${text}`,
      `CALL { ${text} } RETURN 1`,
      `RETURN COUNT { ${text} }`,
      `RETURN [x IN [1] | ${text}]`,
      `EXPLAIN ${text}`,
    ]);
    // These are reads where they stand.
    const allowed = new Set(['MATCH (n) MATCH (n)', 'RETURN COUNT { MATCH (n) }']);
    expect(wrapped.filter((text) => !allowed.has(text) && proveCypher(text).read)).toEqual([]);
  });

  it('proves no statement that holds a word of a clause that writes where a clause may stand', () => {
    const words = [...READS, ...HOSTILE].flatMap((text) => text.split(/(?<=\s)|(?=[(){}[\],;])/));
    const pieces = fc.array(
      fc.oneof(fc.constantFrom(...words), fc.constantFrom(...WRITES), fc.constantFrom(' ', '\n', "'", '`')),
      {
        maxLength: 12,
      },
    );
    const spliced = fc
      .tuple(
        fc.constantFrom(...READS),
        fc.nat(),
        fc.oneof(
          pieces.map((parts) => parts.join(' ')),
          fc.constantFrom(...HOSTILE),
        ),
      )
      .map(([read, at, more]) => {
        const place = at % (read.length + 1);
        return `${read.slice(0, place)} ${more} ${read.slice(place)}`;
      });
    let proven = 0;
    fc.assert(
      fc.property(
        fc.oneof(
          spliced,
          pieces.map((parts) => parts.join(' ')),
        ),
        (text) => {
          if (!proveCypher(text).read) return;
          proven += 1;
          expect(bareWords(text).filter((word) => WRITES.includes(word))).toEqual([]);
        },
      ),
      { numRuns: 20_000, seed: 11 },
    );
    expect(proven).toBeGreaterThan(50);
  });

  it('says why, with the place', () => {
    expect(proveCypher('MATCH (n) DETACH DELETE n')).toEqual({
      read: false,
      why: "'detach' (character 11) is not part of a plain read",
    });
    expect(proveCypher('RETURN apoc.text.join([], "")')).toEqual({
      read: false,
      why: "function 'apoc.text.join' (character 8) is not known to only read",
    });
    expect(proveCypher('CALL apoc.create.node([], {})')).toMatchObject({
      why: "procedure 'apoc.create.node' (character 6) is not known to only read",
    });
  });

  it('looks at no statement that is too long, too deep or has too many parts', () => {
    expect(proveCypher(`RETURN '${'a'.repeat(9_000)}'`)).toMatchObject({ why: 'it is longer than 8192 characters' });
    expect(proveCypher(`RETURN ${'('.repeat(60)}1${')'.repeat(60)}`)).toMatchObject({
      why: 'it is nested deeper than 48 levels',
    });
    expect(proveCypher(`RETURN ${'['.repeat(3_000)}`).read).toBe(false);
    expect(proveCypher(`RETURN 1${',1'.repeat(1_500)}`)).toMatchObject({ why: 'it has more than 2000 parts' });
  });
});
