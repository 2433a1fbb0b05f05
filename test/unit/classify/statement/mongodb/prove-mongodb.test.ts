import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../../src/base/json/json.js';
import { proveCommand, provePipeline } from '../../../../../src/classify/statement/mongodb/prove-mongodb.js';

const PIPELINES: readonly JsonValue[] = [
  [],
  [
    { $match: { status: 'overdue', amount: { $gt: 100 }, tags: { $in: ['a', 'b'] } } },
    { $group: { _id: '$plan', sum: { $sum: '$amount' } } },
  ],
  [
    {
      $lookup: {
        from: 'plans',
        localField: 'plan',
        foreignField: '_id',
        pipeline: [{ $project: { name: 1 } }],
        as: 'plan',
      },
    },
    { $unwind: '$plan' },
  ],
  [{ $facet: { total: [{ $count: 'n' }], first: [{ $sort: { a: -1 } }, { $limit: 5 }] } }],
  [{ $unionWith: { coll: 'old', pipeline: [{ $match: { a: { $oid: '507f1f77bcf86cd799439011' } } }] } }],
  [
    {
      $vectorSearch: {
        index: 'i',
        path: 'v',
        numCandidates: 100,
        queryVector: Array.from({ length: 1_536 }, () => 0.5),
      },
    },
  ],
  [
    {
      $match: {
        $expr: { $gt: ['$a', { $add: ['$b', 1] }] },
        name: { $regex: '^a\\d+', $options: 'i' },
        note: "O'Brien; said",
      },
    },
  ],
  [{ $set: { out: 1, merge: '$out' } }, { $match: { 'a.$out': 1, delete: true } }],
];

const BAD_PIPELINES: readonly unknown[] = [
  undefined,
  null,
  5,
  {},
  { $match: {} },
  ['{"$out":"x"}'],
  [['$out']],
  [{}],
  [{ match: {} }],
  [{ $match: {}, $out: 'x' }],
  [{ $out: 'x' }],
  [{ $merge: { into: 'x' } }],
  [{ $match: {} }, { $merge: { into: 'x' } }],
  [{ $MERGE: {} }],
  [{ ' $out': 'x' }],
  [{ '$out\u0000': 'x' }],
  [{ '\uff04out': 'x' }],
  [{ '\u200b$out': 'x' }],
  [{ $facet: { a: [{ $out: 'x' }] } }],
  [{ $lookup: { from: 'a', pipeline: [{ $merge: 'x' }], as: 'b' } }],
  [{ $lookup: { from: 'a', pipeline: '[{"$out":"x"}]', as: 'b' } }],
  [{ $unionWith: { coll: 'a', pipeline: [{ $facet: { a: [{ $out: 'x' }] } }] } }],
  [{ $match: { $where: 'this.a > 1' } }],
  [{ $match: { a: { $where: 'x' } } }],
  [{ $set: { a: { $function: { body: 'function () {}', args: [], lang: 'js' } } } }],
  [{ $group: { _id: 1, a: { $accumulator: {} } } }],
  [{ $match: { a: { $code: 'x' } } }],
  [{ $changeStream: {} }],
  [{ $_internalInhibitOptimization: {} }],
  [{ $match: { a: { $unknown: 1 } } }],
  [{ $match: JSON.parse('{"__proto__": 1}') }],
  [{ $lookup: { from: 'system.users', as: 'u' } }],
  [{ $unionWith: 'admin.system.keys' }],
  [{ $match: nest(60) }],
  [{ $match: { a: 'x'.repeat(9_000) } }],
  Array.from({ length: 2_500 }, () => ({ $limit: 1 })),
];

function nest(levels: number): JsonValue {
  return levels === 0 ? 1 : { $and: [nest(levels - 1)] };
}

const COMMANDS: readonly JsonValue[] = [
  { ping: 1 },
  { find: 'users', filter: { age: { $gte: 18 } }, projection: { name: 1, 'items.$': 1 }, sort: { age: -1 }, limit: 5 },
  { aggregate: 'orders', pipeline: [{ $group: { _id: '$plan', n: { $count: {} } } }], cursor: {} },
  { aggregate: 1, pipeline: [{ $currentOp: {} }], cursor: { batchSize: 5 } },
  { count: 'users', query: { a: 1 } },
  { distinct: 'users', key: 'city', query: { a: 1 } },
  { explain: { find: 'users', filter: {} }, verbosity: 'queryPlanner' },
  { listCollections: 1, nameOnly: true },
  { listIndexes: 'users' },
  { listDatabases: 1 },
  { dbStats: 1, scale: 1024 },
  { collStats: 'users' },
];

const BAD_COMMANDS: readonly unknown[] = [
  undefined,
  [],
  [{ $match: {} }],
  {},
  { insert: 'users', documents: [{}] },
  { update: 'users', updates: [] },
  { delete: 'users', deletes: [] },
  { findAndModify: 'users', remove: true },
  { drop: 'users' },
  { dropDatabase: 1 },
  { eval: 'x' },
  { $eval: 'x' },
  { mapReduce: 'users', map: 'x' },
  { createIndexes: 'users' },
  { renameCollection: 'a', to: 'b' },
  { shutdown: 1 },
  { FIND: 'users' },
  { find: 'users', drop: 'users' },
  { find: 'users', $db: 'admin' },
  { filter: {}, find: 'users' },
  { find: 'users', filter: 'this.a' },
  { find: 'users', filter: { $where: 'x' } },
  { find: { $out: 1 } },
  { find: 5 },
  { find: 'users', tailable: true },
  { find: 'system.users' },
  { aggregate: 'a', pipeline: [{ $out: 'x' }], cursor: {} },
  { aggregate: 'a', pipeline: { $out: 'x' } },
  { aggregate: 'a', pipeline: '[{"$out":"x"}]' },
  { aggregate: 'a', pipeline: [], let: { a: { $function: {} } } },
  { explain: { delete: 'users' } },
  { explain: { explain: { explain: { find: 'a' } } } },
  { count: 'users', query: { $where: 'x' } },
  { usersInfo: 1, showCredentials: true },
  { getMore: 5, collection: 'a' },
  { ping: 1, extra: 1 },
];

const SHELL = [
  'db.users.find()',
  'db.users.find({})',
  'db.users.find({age: {$gt: 18}, "name": \'Bo\'}, {name: 1}).sort({age: -1}).limit(5);',
  'db.users.findOne({_id: ObjectId("507f1f77bcf86cd799439011")})',
  'db.getCollection("users").countDocuments({at: {$gte: ISODate("2026-01-01")}})',
  'db["users"].distinct("city", {a: true})',
  'db.orders.aggregate([{$match: {a: NumberLong(5)}}, {$group: {_id: null, n: {$sum: 1}}}], {allowDiskUse: true}).toArray()',
  'db.a.b.find({d: new Date("2026-01-01")})',
  'db.users.explain("queryPlanner").find({})',
  'db.getSiblingDB("shop").users.estimatedDocumentCount()',
  'db.getCollectionNames()',
  'db.stats()',
  'db.runCommand({ping: 1})',
  'db.runCommand({find: "users", filter: {}})',
];

const BAD_SHELL = [
  'db',
  'db.users',
  'db.users.drop()',
  'db.dropDatabase()',
  'db.users.deleteMany({})',
  'db.users.insertOne({})',
  'db.users.updateMany({}, {$set: {a: 1}})',
  'db.users.findOneAndDelete({})',
  'db.users.findAndModify({})',
  'db.users.find({}).forEach(function (x) { x })',
  'db.users.find({}).forEach(x => db.users.remove(x))',
  'db.users.find({}).map(print)',
  'db.users.find("this.a > 1")',
  'db.users.find({$where: "x"})',
  'db.users.find(filter)',
  'db.users.find(db.users.drop())',
  'db.users.find({a: db.users.drop()})',
  'db.users.find({[x]: 1})',
  'db.users.find({get a() { return 1 }})',
  'db.users.find({...x})',
  'db.users.find({a: `x`})',
  'db.users.find({a: 1}), db.users.drop()',
  'db.users.find({}); db.users.drop()',
  'db.users.find({})\ndb.users.drop()',
  'db.users.find({}).limit(5).drop()',
  'db.users.find({}) && db.users.drop()',
  'db.users.find({a: "x;y"})',
  'db.users.find({a: "x\\u0022"})',
  'db.users.find({a: "it\'s"})',
  'db.users.find({a: 1, a: 2})',
  'db.users.find({__proto__: {}})',
  'db.users.find({a: 1}) // x',
  'db.users.aggregate([{$out: "x"}])',
  'db.users.aggregate({$out: "x"})',
  'db.users.aggregate([], {out: "x"})',
  'db.users.aggregate([], {}, {})',
  'db.constructor.find({})',
  'db.system.users.find({})',
  'db["system.users"].find({})',
  'db.getSiblingDB("admin").system.keys.find()',
  'db.getCollection(x).find({})',
  'db.getMongo().getDB("x").dropDatabase()',
  'db.runCommand({drop: "users"})',
  'db.runCommand("drop")',
  'db.adminCommand({shutdown: 1})',
  'db.eval("x")',
  'db.users.find({a: new Function("x")})',
  'db.users.find({a: ObjectId(db.dropDatabase())})',
  'db.users.find({a: Date(1, 2)})',
  'use admin',
  'show dbs',
  'rs.status()',
  'load("x.js")',
  'db.users.find({}',
  'db.users.find({}))',
];

const WRITING = ['$out', '$merge', '$where', '$function', '$accumulator', '$code'];

describe('provePipeline', () => {
  it.each(PIPELINES.map((pipeline) => [pipeline]))('proves %j', (pipeline) =>
    expect(provePipeline(pipeline)).toEqual({ read: true, kind: 'aggregate' }),
  );

  it.each(BAD_PIPELINES.map((pipeline) => [pipeline]))('does not prove %j', (pipeline) =>
    expect(provePipeline(pipeline).read).toBe(false),
  );

  it('proves the text of a pipeline, where every reader reads it the same way', () => {
    expect(provePipeline('[{"$match": {"status": "open", "n": -1.5e3, "x": null}}, {"$limit": 5}]')).toMatchObject({
      read: true,
    });
    for (const text of [
      '',
      '{}',
      '[{"$out": "x"}]',
      '[{"\\u0024out": "x"}]',
      '[{"$lookup": {"pipeline": [{"$out": "x"}], "pipeline": []}}]',
      '[{"$limit": 5},]',
      '[{$limit: 5}]',
      "[{'$limit': 5}]",
      '[{"$match": {"a": "it\'s"}}]',
      '[{"$match": {"a": "x;y"}}]',
      '[{"$match": {"a": "x\\"y"}}]',
      '[{"$match": {"a": ObjectId("x")}}]',
      '[{"$limit": 5}] x',
      '[{"$limit": 5}]; [{"$out": "x"}]',
      '[{"$limit": 05}]',
      '/* x */ [{"$limit": 5}]',
    ])
      expect(provePipeline(text).read, text).toBe(false);
  });

  it('proves nothing that holds the name of a stage or operator which writes or runs code, however deep', () => {
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6, depthSize: 'medium' },
        fc.constantFrom<unknown>(1, 'a', null, '$a'),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom('$match', '$facet', '$lookup', 'pipeline', 'a', '$and', '$limit', ...WRITING),
          tie('tree'),
          { maxKeys: 3 },
        ),
      ),
    }));
    const stages = fc.array(
      fc.oneof(fc.record({ $match: tree }), fc.record({ $facet: tree }), fc.record({ $out: tree })),
      { maxLength: 3 },
    );
    let proven = 0;
    fc.assert(
      fc.property(stages, (pipeline) => {
        const text = JSON.stringify(pipeline);
        const isProven = provePipeline(pipeline).read;
        // The text of a value is proven only where the value is.
        if (provePipeline(text).read) expect(isProven).toBe(true);
        if (!isProven) return;
        proven += 1;
        expect(WRITING.filter((name) => text.includes(`"${name}":`))).toEqual([]);
      }),
      { numRuns: 5_000, seed: 5 },
    );
    expect(proven).toBeGreaterThan(500);
  });
});

describe('proveCommand', () => {
  it.each(COMMANDS.map((command) => [command]))('proves %j, also as a text', (command) => {
    expect(proveCommand(command)).toMatchObject({ read: true });
    expect(proveCommand(JSON.stringify(command))).toMatchObject({ read: true });
  });

  it.each(BAD_COMMANDS.map((command) => [command]))('does not prove %j, nor as a text', (command) => {
    expect(proveCommand(command).read).toBe(false);
    expect(proveCommand(JSON.stringify(command) ?? '').read).toBe(false);
  });

  it.each(SHELL)('proves %s', (text) => expect(proveCommand(text)).toMatchObject({ read: true }));

  it.each(BAD_SHELL)('does not prove %s', (text) => expect(proveCommand(text).read).toBe(false));

  it('says why', () => {
    expect(proveCommand({ drop: 'users' })).toEqual({ read: false, why: "command 'drop' is not known to only read" });
    expect(proveCommand('db.users.drop()')).toEqual({ read: false, why: "method 'drop' is not known to only read" });
    expect(proveCommand({ aggregate: 'a', pipeline: [{ $out: 'b' }] })).toEqual({
      read: false,
      why: "stage '$out' is not known to only read",
    });
  });
});
