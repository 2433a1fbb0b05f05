/** The setting that takes the proxy from the environment. */
const FROM_ENVIRONMENT = 'environment';

/**
 * The proxy on the way to an address: the one that is named, or where that is left to the environment, the one of `HTTPS_PROXY` or
 * `HTTP_PROXY`, unless `NO_PROXY` names the host. Each may be in lower case, which counts first.
 */
export function findProxy(url: URL, setting: string | undefined, env: NodeJS.ProcessEnv): URL | undefined {
  if (setting === undefined || setting === 'none') return undefined;
  if (setting !== FROM_ENVIRONMENT) return new URL(setting);
  const read = (name: string): string => env[name.toLowerCase()] || env[name] || '';
  const proxy = read(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  const address = proxy.includes('://') ? proxy : `http://${proxy}`;
  if (proxy === '' || !URL.canParse(address) || isExempt(url, read('NO_PROXY'))) return undefined;
  return new URL(address);
}

/** `NO_PROXY`: hosts and domains, with a port or without, divided by commas or spaces; `*` for all. */
function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  const own = port || (protocol === 'https:' ? '443' : '80');
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = '', at] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase().replace(/^\*?\./, '')) ?? [];
      if (at !== undefined && at !== own) return false;
      return hostname === name || hostname.endsWith(`.${name}`);
    });
}
