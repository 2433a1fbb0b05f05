/**
 * What a child inherits: enough to find programs, a home and a temporary folder, and no secret of the gateway's own.
 * The POSIX list is the one the MCP SDK uses, plus the locale and the temporary folder.
 */
const INHERITED: Readonly<Record<'posix' | 'win32', readonly string[]>> = {
  posix: ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'TMPDIR'],
  win32: [
    'APPDATA',
    'COMSPEC',
    'HOMEDRIVE',
    'HOMEPATH',
    'LOCALAPPDATA',
    'PATH',
    'PATHEXT',
    'PROCESSOR_ARCHITECTURE',
    'PROGRAMFILES',
    'SYSTEMDRIVE',
    'SYSTEMROOT',
    'TEMP',
    'USERNAME',
    'USERPROFILE',
  ],
};

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of a stdio server: the inherited few, overlaid with what its configuration says. */
export function childEnvironment(
  configured: Readonly<Record<string, string>>,
  own: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const inherited: Record<string, string> = {};
  for (const name of INHERITED[platform === 'win32' ? 'win32' : 'posix']) {
    const value = own[name];
    // An exported shell function is code, not data (CVE-2014-6271).
    if (value !== undefined && !value.startsWith('()')) inherited[name] = value;
  }
  return { ...inherited, ...configured };
}
