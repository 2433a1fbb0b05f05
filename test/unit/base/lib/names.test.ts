import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createNameSearch,
  createSuggester,
  editDistance,
  isSpeltLike,
  nearestName,
  nearestSpelling,
  similarity,
  suggestName,
  toPascalCase,
  toSnakeCase,
} from '../../../../src/base/lib/names.js';
import { NAME_PATTERN } from '../../../../src/base/protocol/operation.js';

describe('toSnakeCase', () => {
  it.each([
    ['create_issue', 'create_issue'],
    ['create-issue', 'create_issue'],
    ['createIssue', 'create_issue'],
    ['CreateIssue', 'create_issue'],
    ['Create_Issue', 'create_issue'],
    ['HTTPServer', 'http_server'],
    ['getURLs', 'get_urls'],
    ['getURL', 'get_url'],
    ['getURLsByID', 'get_urls_by_id'],
    ['listS3Buckets', 'list_s3_buckets'],
    ['HTTP2Server', 'http2_server'],
    ['X509Certificate', 'x509_certificate'],
    ['oauth2Token', 'oauth2_token'],
    ['n8n_update_workflow', 'n8n_update_workflow'],
    ['unsetDefaultWHOISProfileV1', 'unset_default_whois_profile_v1'],
    ['API-post-search', 'api_post_search'],
    ['agency-hosting_linkDomain', 'agency_hosting_link_domain'],
    ['files.read/all:now', 'files_read_all_now'],
    ['  spaced  out  ', 'spaced_out'],
    ['a__b', 'a_b'],
    ['_meta', 'meta'],
    ['créerÉlément', 'creer_element'],
    ['3d-model', 'op_3d_model'],
    ['创建', 'u521b_u5efa'],
    ['', 'op'],
    ['!!!', 'op'],
  ])('converts %j to %j', (spelling, name) => {
    expect(toSnakeCase(spelling)).toBe(name);
  });

  it('cuts names at 128 characters', () => {
    expect(toSnakeCase('a'.repeat(500))).toHaveLength(128);
    expect(toSnakeCase(`${'a'.repeat(127)}_b`)).toBe('a'.repeat(127));
  });

  it('makes a valid name of any text and keeps a valid name unchanged', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[\w\-./: ]{0,200}$/)), (spelling) => {
        const name = toSnakeCase(spelling);
        expect(name).toMatch(NAME_PATTERN);
        expect(name).not.toContain('__');
        expect(toSnakeCase(name)).toBe(name);
      }),
    );
  });
});

it('toPascalCase converts names to names of types', () => {
  expect(toPascalCase('github__create_issue')).toBe('GithubCreateIssue');
  expect(toPascalCase('page-ID')).toBe('PageId');
});

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['abc', '', 3],
    ['kitten', 'sitting', 3],
    ['qery', 'query', 1],
    ['lsit', 'list', 1],
    ['ab', 'ba', 1],
  ])('from %j to %j is %i', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
  });

  it('is symmetric, zero for equal texts, and at most the length of the longer text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, a)).toBe(0);
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });
});

describe('nearestName', () => {
  const names = ['title', 'labels', 'user_name', 'page_size'];
  it.each([
    ['titel', 'title'],
    ['label', 'labels'],
    ['name_user', 'user_name'],
    ['username', 'user_name'],
    ['size', 'page_size'],
    ['whatever', undefined],
    ['', undefined],
  ])('finds for %j the name %j', (query, expected) => {
    expect(nearestName(query, names)).toBe(expected);
  });
});

describe('createNameSearch', () => {
  const search = createNameSearch(['create_issue', 'list_issues', 'github__search', 'delete_repository']);

  it('returns the best names first and at most as many as requested', () => {
    expect(search('issue_list', 1)).toEqual(['list_issues']);
    expect(search('create_issues', 5)[0]).toBe('create_issue');
  });

  it('also compares names without their qualifier', () => {
    expect(search('serach', 5)).toEqual(['github__search']);
  });

  it('finds a misspelt name among ten thousand', () => {
    const many = createNameSearch(
      Array.from({ length: 10_000 }, (_, index) => `do_thing_${index}`).concat('rotate_credentials'),
    );
    expect(many('rotate_credentails', 5)).toEqual(['rotate_credentials']);
  });
});

describe('isSpeltLike', () => {
  it.each([
    ['creat_isue', 'create_issue', true],
    ['createIssue', 'tracker__create_issue', true],
    ['issue_list', 'list_issues', true],
    ['log_bug', 'log_out', false],
    ['file_ticket', 'create_issue', false],
    ['', 'create_issue', false],
  ])('compares %j with %s and answers %s', (query, name, expected) => {
    expect(isSpeltLike(query, name)).toBe(expected);
  });
});

it('the similarity of names without words depends on their letters', () => {
  expect(similarity('', '_')).toBe(0);
});

it('similarity is symmetric and between 0 and 1', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      const score = similarity(a, b);
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
      expect(similarity(b, a)).toBeCloseTo(score);
    }),
  );
});

const KEYS = ['command', 'args', 'env', 'url', 'headers', 'mcpServers', 'timeoutMs'];

describe('nearestSpelling', () => {
  it.each([
    ['comand', 'command'],
    ['commadn', 'command'],
    ['mcp_servers', 'mcpServers'],
    ['MCPSERVERS', 'mcpServers'],
    ['header', 'headers'],
    ['timeoutMS', 'timeoutMs'],
  ])('reads %s as a misspelling of %s', (name, expected) => {
    expect(nearestSpelling(name, KEYS)).toBe(expected);
  });

  it.each(['gallery', 'autoApprove', 'description', 'xyz'])('finds nothing similar to %s', (name) => {
    expect(nearestSpelling(name, KEYS)).toBeUndefined();
  });

  it('finds every name that is among the candidates', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 }), (names) => {
        for (const name of names) expect(nearestSpelling(name, names)).toBe(name);
      }),
    );
  });

  it('becomes a question in suggestName, or undefined where nothing is similar', () => {
    expect(suggestName('comand', KEYS)).toBe("did you mean 'command'?");
    expect(suggestName('comand', [])).toBeUndefined();
  });
});

it('compares a name with the first 200 names only', () => {
  let read = 0;
  function* names(): Generator<string> {
    for (; read < 10_000; read += 1) yield `name_${read}`;
  }
  nearestName('naem', names());
  expect(read).toBeLessThanOrEqual(201);
});

it('finds the most similar name, as comparing each in full would', () => {
  const name = fc
    .array(fc.constantFrom('file', 'fiel', 'path', 'paths', 'id', 'number', 'nubmer', 'of'), {
      minLength: 1,
      maxLength: 4,
    })
    .map((words) => words.join('_'));
  fc.assert(
    fc.property(name, fc.array(name, { maxLength: 20 }), (query, names) => {
      const best = Math.max(0.5, ...names.map((each) => similarity(query, each)));
      expect(nearestName(query, names)).toBe(names.find((each) => best > 0.5 && similarity(query, each) === best));
    }),
  );
});

it('compares fewer names for the unknown ones of a request, the longer they are', () => {
  let read = 0;
  function* names(): Generator<string> {
    for (; read < 10_000; read += 1) yield `${'n'.repeat(90)}_${read}`;
  }
  const suggest = createSuggester();
  for (let unknown = 0; unknown < 8; unknown += 1) suggest(`${'m'.repeat(95)}${unknown}`, names());
  expect(read).toBeLessThanOrEqual(30);
});
