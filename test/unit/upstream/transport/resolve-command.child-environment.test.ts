import { describe, expect, it } from 'vitest';
import { childEnvironment } from '../../../../src/upstream/transport/resolve-command.js';

const own = { PATH: '/bin', HOME: '/users/me', SECRET: 's', SHELL: '() { :; }', SYSTEMROOT: 'C:\\Windows', Path: 'x' };

describe('childEnvironment', () => {
  it('inherits the few names that are needed, and no shell functions', () => {
    expect(childEnvironment({}, own, 'linux')).toEqual({ PATH: '/bin', HOME: '/users/me' });
    expect(childEnvironment({}, own, 'win32')).toEqual({ PATH: '/bin', SYSTEMROOT: 'C:\\Windows' });
  });

  it('lets the configuration win', () => {
    expect(childEnvironment({ PATH: '/opt/bin', TOKEN: 't' }, own, 'linux')).toEqual({
      PATH: '/opt/bin',
      HOME: '/users/me',
      TOKEN: 't',
    });
  });
});
