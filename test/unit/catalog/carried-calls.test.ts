import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json/json.js';
import { dangerRank } from '../../../src/base/protocol/operation.js';
import type { RawTool } from '../../../src/base/protocol/tools.js';
import { operationOfCall } from '../../../src/catalog/operation.js';
import { aTool, buildTestCatalog } from '../../support/build-test-catalog.js';

/** What a server may be told, and how its field may be described. */
const TOLD: readonly (readonly [said: string, ...values: readonly string[]])[] = [
  [
    'The SQL statement to run',
    'DROP TABLE moorings',
    'delete from moorings where berth = 4',
    '  UPDATE boats SET owner = NULL',
    "insert into boats(name) values ('Ida')",
    'WITH gone AS (DELETE FROM boats RETURNING *) SELECT * FROM gone',
    'SELECT 1; TRUNCATE TABLE boats',
    '/* nightly */ drop view tides -- bye',
    "COPY boats TO PROGRAM 'sh -c true'",
    'EXEC sp_rename_boats',
    'CALL settle_berths(4)',
    'alter table boats drop column owner',
    "SELECT name INTO OUTFILE '/tmp/x' FROM boats",
    'MERGE INTO boats USING new ON boats.id = new.id WHEN MATCHED THEN DELETE',
    'GRANT ALL ON boats TO public',
    'SELECT drop_harbour(5)',
    'SELECT pg_sleep(60)',
    "select * from settle('berths')",
    'DENY SELECT ON boats TO ida',
    'FLASHBACK TABLE boats TO BEFORE DROP',
    'DO $$ BEGIN PERFORM 1; END $$',
    'create or replace function f() returns int as $$ select 1 $$',
  ],
  [
    'Cypher query',
    'MATCH (b:Boat) DETACH DELETE b',
    'MERGE (b:Boat {id: 1}) SET b.sunk = true',
    'create (b:Boat {id: 2})',
  ],
  ['InfluxQL statement', 'DROP MEASUREMENT tide', 'DELETE FROM tide WHERE time < now()'],
  ['SPARQL statement', 'DELETE WHERE { ?s ?p ?o }', 'INSERT DATA { <a> <b> <c> }'],
  ['GraphQL query', 'mutation { sinkBoat(id: 1) { id } }', 'mutation Sink($id: ID!) { sinkBoat(id: $id) { id } }'],
  [
    'The shell command to run',
    'rm -rf /srv/harbour',
    'sudo systemctl stop ferry',
    'kubectl delete namespace harbour',
    'terraform destroy -auto-approve',
    'echo 1 > /etc/ferry',
    'curl -X DELETE https://harbour.example/boats/1',
    'docker rm -f ferry',
    'cd /srv && git push --force',
    'dd if=/dev/zero of=/dev/sda',
    'ssh quay7 rm -r logs',
    'ls | xargs rm',
    'find . -type f -exec shred {} +',
    'kill 4412',
    'timeout 9 rm tides.log',
    'nohup nice -n 5 rm tides.log',
    'docker exec ferry dropdb harbour',
    'kubectl exec -it ferry -- sh -c "rm tides"',
    'bash -lc "redis-cli flushall"',
    'cmd /c rd berths',
    'powershell -Command "Clear-Content tides.log"',
    'wsl rm tides',
    'sudo -u harbour npx rimraf tides',
    '> tides.log',
    'name: night\nrun: rm tides.log',
  ],
  [
    'PowerShell command',
    'Remove-Item -Recurse -Force C:\\boats',
    'Stop-Computer -Force',
    'Get-Process | Stop-Process -Force',
  ],
  ['Redis command', 'FLUSHALL', 'DEL boat:1', 'config set maxmemory 1'],
  [
    'JavaScript code to run',
    "require('fs').rmSync('/srv/harbour')",
    'db.boats.deleteMany({})',
    'localStorage.clear()',
    "fetch('/boats/1', { method: 'DELETE' })",
  ],
  [
    'Python code to execute',
    "import shutil; shutil.rmtree('/srv')",
    "__import__('os').system('true')",
    "open('/etc/x', 'w').write('')",
  ],
  ['R code', "unlink('/srv/harbour', recursive = TRUE)", "file.remove('boats.csv')"],
  ['Ruby code', 'Boat.delete_all', 'Boat.where(sunk: true).destroy_all', 'Boat.last.destroy!', "system 'sink'"],
  ['Lisp', '(delete-file "tides")', '(io/delete-file "tides")'],
  ['Groovy script', "new File('/srv/boats').delete()", "'rm -rf /srv'.execute()"],
  ['Raw HTTP request', 'DELETE /boats/1 HTTP/1.1\r\nHost: harbour.example', 'POST https://harbour.example/boats'],
  ['LDIF', 'dn: cn=ida,dc=harbour\nchangetype: delete'],
  ['GDB command', 'call (void)exit(1)', 'set var berths = 0', 'shell rm -rf /srv'],
  [
    'Cisco IOS',
    'write erase',
    'erase startup-config',
    'conf t\nno interface Gi0/1',
    'reload in 5',
    'default interface Gi0/3',
  ],
  ['Junos command', 'request system reboot', 'clear bgp neighbor all', 'delete interfaces ge-0/0/0'],
  ['Valkey instruction', 'set boat:4 sunk', 'rename a b', 'expire boat:4 5', 'spop boats'],
  ['GDB line', 'print berths = 4', 'kill inferiors 1', 'delete 3', 'detach'],
  [
    'Make or shell line',
    'make clean',
    'setsid reboot',
    'gradle clean',
    'at now < job',
    'ip link set eth0 down',
    'mix ecto.drop',
  ],
  ['git arguments', 'push origin :main', 'branch -D topic', 'stash drop', 'clean -fdx', 'push'],
  ['kubectl arguments', 'delete pod ferry-7', '-n quay scale deploy ferry --replicas=0', 'drain node-4'],
  [
    'Splunk search',
    'index=tides | delete',
    'index=tides | outputlookup boats.csv',
    '| sendemail to="ida@harbour.example"',
  ],
  ['Kusto control command', '.cancel operation x', '.add database tides users (ida)'],
  ['Lua chunk', 'os.rename("a", "b")', 'file:write("x")', 'game.Workspace.Boat:Destroy()'],
  ['Elixir', 'Repo.delete_all(Boat)', 'System.halt(0)', ':ets.delete(:boats)'],
  ['Emacs Lisp', '(kill-emacs)', '(save-buffer)', '(setq berths 0)'],
  ['cron line', '@reboot /opt/sink', '0 5 * * 1 /usr/bin/sink --all', '30 1 * * * root /sbin/reboot'],
  ['Registry edit', '[-HKEY_LOCAL_MACHINE\\Harbour]'],
  ['VBA', 'ActiveWorkbook.Save', 'Sheets("Tides").Delete'],
  ['SCPI command', 'OUTP ON', 'VOLT 5'],
  [
    'MongoDB command',
    '{"drop": "boats"}',
    '{"update": "boats", "updates": []}',
    '{"delete": "boats", "deletes": [{"q": {}, "limit": 0}]}',
  ],
];

/** Objects that say by a member what is done. */
const SAYING: readonly JsonObject[] = [
  { method: 'DELETE' },
  { action: 'remove_boat' },
  { operation: 'purge' },
  { op: 'delete', of: 'boats' },
  { cmd: 'rm' },
  { intent: 'cancel' },
  { kind: 'delete', id: 4 },
  { removeIds: [1, 2] },
  { delete: true },
  { purge: 'true' },
  { drop: 'boats' },
  { httpVerb: 'DELETE' },
  { actions: ['delete'] },
  { subCommand: 'destroy' },
  { tool: 'delete_boat' },
  { deleteMany: {} },
  { archive: true },
  { restart: true },
  { exec: 'tides' },
  { stages: [{ $match: {} }, { $out: 'boats' }] },
];

/** `CARRIED_CALLS=5000` tries more. */
const CALLS = Number(process.env['CARRIED_CALLS'] ?? 1_000);

/** Names that say nothing to anybody. */
const NAMES = ['gadroon', 'zorb', 'plinth', 'ormolu', 'quoin', 'squinch', 'fipple', 'wimble', 'trammel', 'yaffle'];
const TOOLS = ['get_rows', 'list_entries', 'fetch_view', 'show_state', 'read_board', 'find_berths', 'query_harbour'];

/** Numbers below one that are the same in each run (xorshift). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** A value inside as many objects and lists, and its schema. */
function wrap(
  value: unknown,
  schema: JsonObject,
  names: readonly string[],
  lists: boolean,
): { value: unknown; schema: JsonObject } {
  return names.reduceRight(
    (inner, name, index) => {
      const object = { type: 'object', properties: { [name]: inner.schema } };
      const isListed = lists && index % 2 === 1;
      return isListed
        ? { value: [{ [name]: inner.value }], schema: { type: 'array', items: object } }
        : { value: { [name]: inner.value }, schema: object };
    },
    { value, schema },
  );
}

interface Made {
  readonly tool: RawTool;
  readonly args: JsonObject;
}

function makeCall(pick: <T>(list: readonly T[]) => T, told: unknown, said: string): Made {
  const names = Array.from({ length: 1 + pick([0, 1, 2, 3, 4]) }, () => pick(NAMES));
  const form = pick(['text', 'list', 'object']);
  const described = pick([true, false]);
  const value =
    form === 'list' ? ['tide', told].slice(pick([0, 1])) : form === 'object' ? { [pick(NAMES)]: told } : told;
  const schema: JsonObject = {
    ...(form === 'text'
      ? typeof told === 'string'
        ? { type: 'string' }
        : {}
      : { type: form === 'list' ? 'array' : 'object' }),
    ...(described && said !== '' && { description: said }),
  };
  const whole = wrap(value, schema, names, pick([true, false]));
  const inputSchema = described ? whole.schema : { type: 'object', properties: { [names[0] ?? '']: {} } };
  return {
    tool: aTool(
      pick(TOOLS),
      { ...inputSchema, additionalProperties: true },
      { description: 'Gets what the harbour knows.' },
    ),
    args: whole.value as JsonObject,
  };
}

describe('what a call carries that changes something', () => {
  it('asks under any name, at any depth, in texts, lists and objects, described or not', () => {
    const random = createRandom(53);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const calls = Array.from({ length: CALLS }, (_, index) => {
      const isText = pick([true, true, true, false]);
      const [said, ...texts] = pick(TOLD);
      const { tool, args } = makeCall(pick, isText ? pick(texts) : pick(SAYING), isText ? said : '');
      return { tool: { ...tool, name: `${pick(TOOLS)}_${index}` }, args };
    });
    const { operations } = buildTestCatalog({ harbour: calls.map(({ tool }) => tool) });
    const byTool = new Map(operations.map((operation) => [operation.tool, operation]));
    const unasked = calls.filter(({ tool, args }) => {
      const operation = byTool.get(tool.name);
      if (operation === undefined) throw new Error(`no operation: ${tool.name}`);
      const { category, danger } = operationOfCall(operation, args).classification;
      return category === 'READ' || dangerRank(danger.level) < dangerRank('destructive');
    });
    expect(unasked).toEqual([]);
  });
});

/** What an honest caller sends to a field of which nobody says what it is. */
const HONEST = [
  'Ida Larsen',
  'Quay 7',
  'quay 7, north side',
  'red boats',
  'drop table vs truncate',
  'How do I delete a boat from the list?',
  'old boats to be removed (if any)',
  'the nets were cut; call Ida about that',
  'ferry-4412',
  'updated_at',
  '2026-11-28 07:00',
  'https://harbour.example/boats?id=4&full=true',
  '/srv/tides/2026.csv',
  'ida@harbour.example',
  'harbour.config.json',
  '+47 555 01 44',
  'Kyiv, Ukraine',
  'Prix des quais',
];

it('asks for no name, value or sentence in a field of which nobody says what it is', () => {
  const tool = aTool('get_rows', { type: 'object', additionalProperties: true }, { description: 'Gets rows.' });
  const [operation] = buildTestCatalog({ harbour: [tool] }).operations;
  if (operation === undefined) throw new Error('no operation');
  const asking = HONEST.filter((text) => {
    const args = { gadroon: text, quoin: { zorb: [text, { fipple: text }] } };
    return operationOfCall(operation, args).classification.category !== 'READ';
  });
  expect(asking).toEqual([]);
});
