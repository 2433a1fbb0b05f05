import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPascalCase, toSnakeCase } from '../../../src/lib/names.js';
import { NAME_PATTERN } from '../../../src/protocol/operation.js';

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
