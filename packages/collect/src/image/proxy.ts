// Which proxy a request takes, as curl, Go and Docker read the environment.
import { BlockList, isIP } from 'node:net';
import { ImageError } from './errors.ts';

/**
 * @returns the proxy for an address; null where none is to be used
 * @throws ImageError where the variable holds no address of a proxy
 */
export function proxyFor(url: URL, env: Readonly<Record<string, string | undefined>>): URL | null {
  const names = url.protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY'];
  const set = [...names, 'all_proxy', 'ALL_PROXY'].map((name) => env[name]).find((value) => value);
  if (set === undefined || passesBy(url, env['no_proxy'] || env['NO_PROXY'] || '')) return null;
  let proxy: URL;
  try {
    proxy = new URL(set.includes('://') ? set : `http://${set}`);
  } catch {
    throw new ImageError('bad-option', `the environment names a proxy that is no address`, `check ${names[1]!}`);
  }
  if (proxy.protocol !== 'http:' && proxy.protocol !== 'https:')
    throw new ImageError(
      'bad-option',
      `a proxy of the kind ${proxy.protocol.slice(0, -1)} is not spoken to`,
      `set ${names[1]!} to an http proxy`,
    );
  return proxy;
}

/** Hosts that are asked without a proxy: this machine, and what NO_PROXY lists (names, suffixes, addresses, networks). */
function passesBy(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const family = isIP(host);
  if (host === 'localhost' || host === '::1' || (family === 4 && host.startsWith('127.'))) return true;
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  for (const entry of list.split(/[,\s]/).slice(0, 1000)) {
    let name = entry.toLowerCase();
    if (name === '') continue;
    if (name === '*') return true;
    if (family !== 0 && name.includes('/') && inNetwork(host, family, name)) return true;
    const colon = name.lastIndexOf(':');
    if (colon > 0 && name.indexOf(':') === colon) {
      if (name.slice(colon + 1) !== port) continue;
      name = name.slice(0, colon);
    }
    if (name.startsWith('*.')) name = name.slice(1);
    if (host === name || (name.startsWith('.') ? host.endsWith(name) : family === 0 && host.endsWith(`.${name}`)))
      return true;
  }
  return false;
}

function inNetwork(host: string, family: number, network: string): boolean {
  const [address, bits] = network.split('/');
  const kind = isIP(address!);
  if (kind !== family || !/^\d{1,3}$/.test(bits ?? '') || Number(bits) > (kind === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(address!, Number(bits), kind === 4 ? 'ipv4' : 'ipv6');
  return list.check(host, kind === 4 ? 'ipv4' : 'ipv6');
}
