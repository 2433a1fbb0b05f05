import fc from 'fast-check';
import { expect, it } from 'vitest';
import { maskSecrets } from '../../../../src/base/protocol/secret-forms.js';

const mask = (words: string): string => maskSecrets(words, () => false);
const VALUE = 'hX9f2kQ7zL4mN8pR';

it.each([
  `clientSecret=${VALUE}`,
  `{"accessToken":"${VALUE}"}`,
  `refreshToken=${VALUE}`,
  `dbPassword=${VALUE}`,
  `"secretAccessKey": "${VALUE}"`,
  `userPassword: ${VALUE}`,
  `sessionToken:${VALUE}`,
  `SharedAccessKey=${VALUE}`,
  `client_secret=${VALUE}`,
  `Authorization: token ${VALUE}`,
  `"authorization": "ApiKey ${VALUE}"`,
  `{\\"password\\":\\"${VALUE}\\"}`,
  `password => '${VALUE}'`,
  `Cookie: session=${VALUE}`,
  `Set-Cookie: id=${VALUE}; Path=/`,
  `https://store.example/a?se=1&sig=${VALUE}`,
  `https://api.example/v1?api_key=${VALUE}`,
  `https://api.example/v1?X-Amz-Signature=${VALUE}`,
  `https://api.example/v1?subscription-key=${VALUE}`,
  `https://api.example/v1?a=1&amp;auth=${VALUE}`,
  `hvs.${VALUE}${VALUE}`,
  `GOCSPX-${VALUE}-${VALUE}`,
  `bot123456789:AA${VALUE}${VALUE}`,
  `https://hooks.slack.com/services/T0/B0/${VALUE}`,
  `-----BEGIN PRIVATE KEY-----\\\\n${VALUE}${VALUE}\\\\n-----END PRIVATE KEY-----`,
  `  -----BEGIN PRIVATE KEY-----\n  ${VALUE}${VALUE}\n  -----END PRIVATE KEY-----`,
  `-----BEGIN OPENSSH PRIVATE KEY----- ${VALUE}${VALUE} -----END OPENSSH PRIVATE KEY-----`,
  `<password>${VALUE}</password>`,
  `tool --password ${VALUE} --verbose`,
  `tool --api-key=${VALUE}`,
  `tool --pass ${VALUE}`,
  `SECRET_KEY_BASE=${VALUE}`,
  `//registry.example/:_auth=${VALUE}`,
  `Incorrect API key provided: ${VALUE}`,
  `the token ${VALUE} has expired`,
  `login failed, password was '${VALUE}'`,
  `{"password":"a\\"${VALUE}"}`,
  `{\\\\\\"apiKey\\\\\\": \\\\\\"a ${VALUE}\\\\\\"}`,
  `{&quot;password&quot;:&quot;${VALUE}&quot;}`,
  `{\\u0022password\\u0022:\\u0022${VALUE}\\u0022}`,
  `{'password': b'${VALUE}'}`,
  `- name: DB_PASSWORD\n  value: ${VALUE}`,
  `{"name":"API_TOKEN","value":"${VALUE}"}`,
  `tool --accessToken ${VALUE}`,
  `"args": ["--token",\n  "${VALUE}"]`,
  `mysql -u root -p${VALUE} shop`,
  `mysqldump -uroot -p'${VALUE}'`,
  `sshpass -p ${VALUE} ssh host`,
  `redis-cli -h host -a ${VALUE}`,
  `curl --user admin:${VALUE} https://host.example`,
  `{"url":"postgres://app:${VALUE}@db.example/shop"}`,
  `redis://:${VALUE}@cache.example:6379`,
  `https://${VALUE}@host.example/a.git`,
  `program_${VALUE}${VALUE}`,
])('masks what is secret by its form, or by what stands before it: %s', (words) => {
  expect(mask(words)).not.toContain(VALUE);
});

it.each([
  'nextPageToken=CAUQAA12345',
  'max_tokens: 4096',
  'unexpected token: }',
  'password: required',
  'secrets "db-credentials-2024" not found',
  'the token in /var/run/token1 and password policy 12345678901234',
  'program_management_office_of_the_harbour',
  'grep -pattern mysqldump',
  'Use --token to pass your token',
  'https://example.org/list?page=2&sort=name&key=title',
  'xai-is-a-company-of-the-city',
])('leaves what only sounds like one: %s', (words) => {
  expect(mask(words)).toBe(words);
});

it('finds a secret whatever compound its name is, in either form of writing', () => {
  const part = fc.constantFrom('db', 'user', 'admin', 'my', 'service', 'backup', 'x2');
  const secret = fc.constantFrom('password', 'secret', 'api key', 'access token', 'private key');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 3 }), secret, fc.boolean(), (before, name, isCamel) => {
      const parts = [...before, ...name.split(' ')];
      const written = isCamel
        ? parts.map((each, at) => (at === 0 ? each : each[0]?.toUpperCase() + each.slice(1))).join('')
        : parts.join('_');
      expect(mask(`failed with ${written}=${VALUE}`)).not.toContain(VALUE);
    }),
  );
});
