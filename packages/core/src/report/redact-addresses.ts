import type { Detector } from './redact-span.ts';
import { isPseudonym } from './redact-span.ts';

const uuids =
  /(?<![0-9A-Za-z])(?<prefix>(?:MIG-GPU-|MIG-|GPU-))?[0-9a-f]{8}(?<sep>[-_])[0-9a-f]{4}\k<sep>[0-9a-f]{4}\k<sep>[0-9a-f]{4}\k<sep>[0-9a-f]{12}(?![0-9a-z])/gi;
/** NVIDIA_VISIBLE_DEVICES takes the start of a UUID, too. */
const shortUuids = /(?<![0-9A-Za-z])(?<prefix>MIG-GPU-|MIG-|GPU-)[0-9a-f]{8}(?:-[0-9a-f]{1,12}){0,4}(?![0-9a-z-])/gi;
const plainUuids = /(?<![0-9A-Za-z])(?<prefix>MIG-GPU-|MIG-|GPU-)[0-9a-f]{32}(?![0-9a-z])/gi;

const uuidsIn: Detector = (line, found) => {
  if (!/[0-9a-f]{8}/i.test(line)) return;
  for (const pattern of [uuids, shortUuids, plainUuids]) {
    for (const match of line.matchAll(pattern)) {
      const prefix = match.groups?.['prefix']?.toLowerCase() ?? '';
      const kind = prefix.startsWith('mig') ? 'mig-uuid' : prefix === 'gpu-' ? 'gpu-uuid' : 'uuid';
      found(match.index, match.index + match[0].length, kind);
    }
  }
};

const serials =
  /(?<![A-Za-z0-9])(?:(?:(?:board|product|chassis|module|gpu|system|base board|baseboard|tray|disk|device)[ _-]?)?serial(?:[ _-]?(?:number|num|no\.?|nr\.?))?|s\/n)["']?(?:\s{0,60}[:=]\s{0,60}|>|\s{1,4}#?(?=[A-Z0-9-]{0,30}\d))["']?(?<serial>[A-Za-z0-9][A-Za-z0-9_/.-]{3,60})/gi;

const serialsIn: Detector = (line, found) => {
  if (!/serial|s\/n/i.test(line)) return;
  for (const match of line.matchAll(serials)) {
    const serial = match.groups?.['serial'] ?? '';
    if (!/\d/.test(serial) || /^(?:0x0|0+|n\/a|unknown)$/i.test(serial) || /^\d{4}:[0-9a-f]{2}/i.test(serial)) continue;
    const start = match.index + match[0].length - serial.length;
    found(start, start + serial.length, 'serial', true);
  }
};

/** Six groups are a MAC address, eight a GUID (EUI-64), twenty an IPoIB hardware address. */
const octets =
  /(?<![0-9A-Za-z:.-])[0-9a-f]{2}(?<sep>[:-])[0-9a-f]{2}(?:\k<sep>[0-9a-f]{2}){4,18}(?![0-9A-Za-z:]|-[0-9a-f])/gi;
const dotted = /(?<![0-9A-Za-z.:])[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}(?![0-9A-Za-z.:])/gi;
const guids = /(?<![0-9A-Za-z:])[0-9a-f]{4}:[0-9a-f]{4}:[0-9a-f]{4}:[0-9a-f]{4}(?![0-9A-Za-z:])/gi;
const hexGuids = /(?<![0-9A-Za-z])(?:0x)?[0-9a-f]{16}(?:[0-9a-f]{16})?(?![0-9A-Za-z])/gi;

const hardwareIn: Detector = (line, found) => {
  if (/[0-9a-f]{2}[:-][0-9a-f]{2}/i.test(line)) {
    for (const match of line.matchAll(octets)) {
      const count = (match[0].length + 1) / 3;
      if (count === 6 || count === 8 || count === 20)
        found(match.index, match.index + match[0].length, count === 6 ? 'mac' : 'guid');
    }
    for (const match of line.matchAll(guids)) found(match.index, match.index + match[0].length, 'guid');
  }
  if (/mac|ether|lladdr|arp/i.test(line)) {
    for (const match of line.matchAll(dotted)) {
      if (/[a-f]/i.test(match[0])) found(match.index, match.index + match[0].length, 'mac');
    }
  }
  if (/guid|\bgid\b|\bCA '|ibstat|port_?guid|infiniband/i.test(line)) {
    for (const match of line.matchAll(hexGuids)) {
      if (!/^(?:0x)?0+$/i.test(match[0])) found(match.index, match.index + match[0].length, 'guid');
    }
  }
};

const ip6 =
  /(?<![0-9A-Za-z:.])[0-9a-f:]{2,39}(?:(?<=:)\d{1,3}(?:\.\d{1,3}){3})?(?<zone>%[\w.-]{1,20})?(?![0-9A-Za-z]|:[0-9a-f:])/gi;

/** `eth0:fe80::1%eth0<0>`, as NCCL and UCX print an interface and its address. */
const ofInterface =
  /(?<=(?<![\w.-])[a-z][\w.-]{0,15}:)(?:fe80|f[cd][0-9a-f]{2}|2[0-9a-f]{3}):[0-9a-f:]{2,36}(?:%[\w.-]{1,20})?/gi;

const ip6In: Detector = (line, found) => {
  if (!/[0-9a-f]:[0-9a-f:]/i.test(line) && !line.includes('::')) return;
  for (const match of line.matchAll(ofInterface)) {
    if (isIp6(match[0].replace(/%.*/, ''))) found(match.index, match.index + match[0].length, 'ip');
  }
  for (const match of line.matchAll(ip6)) {
    let text = match[0];
    if (!text.includes(':')) continue;
    const zone = match.groups?.['zone'] ?? '';
    let bare = text.slice(0, text.length - zone.length);
    // A colon behind it is punctuation.
    while (bare.endsWith(':') && !bare.endsWith('::')) bare = bare.slice(0, -1);
    if (bare.length + zone.length !== text.length) {
      if (zone !== '') continue;
      text = bare;
    }
    if (!isIp6(bare) || (zone === '' && !isTold(bare, line, match.index))) continue;
    found(match.index, match.index + text.length, 'ip');
  }
};

/** RFC 4291, section 2.2: eight groups, one run of zeros may be `::`, the last two may be an IPv4 address. */
function isIp6(text: string): boolean {
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  let count = 0;
  for (const [at, group] of groups.entries()) {
    if (group.includes('.') && at === groups.length - 1) count += 2;
    else if (/^[0-9a-f]{1,4}$/i.test(group)) count++;
    else return false;
  }
  return halves.length === 2 ? count <= 7 : count === 8;
}

/** Scopes of C++, slices of Python and the loopback look like short addresses. */
function isTold(text: string, line: string, at: number): boolean {
  if (/^(?:::1?|0(?::0){6}:[01])$/.test(text)) return false;
  if (!text.includes('::')) return true;
  // #0:: of a hook, c10:: of a name
  if (/^[0-9a-f]{1,2}::$/i.test(text)) return false;
  if (!/\d/.test(text)) return text.split(':').filter((each) => each !== '').length >= 3;
  const sliced = line[at - 1] === '[' && line[at + text.length] === ']' && /^\d{0,5}::-?\d{0,5}$/.test(text);
  return !sliced;
}

const ip4 = /(?<![\w.])(?<ip>\d{1,3}(?:\.\d{1,3}){3})(?![\w])(?!\.\d)/g;
const dashedIp4 = /(?<![0-9A-Za-z-])(?:ip|ec2|vm|host|node)-\d{1,3}(?:-\d{1,3}){3}(?![0-9A-Za-z-]*\d)/gi;
/** What stands before a release: a package, a path of a library, an operator of a requirement. */
const versionBefore =
  /(?:[-_+~/]|(?:==|[<>~!]=|version["']?|versions?:?|release|library|runtime|(?<![a-z])rev|(?<![a-z])v|(?:lib|cu|nv|curand|cufft|cudnn|nccl|cublas|cusolver|cusparse|npp|nvjpeg|nvrtc|tensorrt|trt|opencv|mkl|toolkit|driver|package)[\w.-]{0,40}(?::\w{1,10})?)["']?[ \t:=,("'|]{0,40})$/i;
const addressBefore =
  /(?:\b(?:ip|ips|ipv4|addr|addrs|address|host|hostname|from|to|via|peer|inet|dst|src|remote|listen|listening on|connect|connecting|server|tcp|udp|rdma|master_addr|gateway|gw|nameserver|dns|client|node|endpoint|bind|route|dev|ping|ssh|at|on|tcp:\/\/)["']?(?:[ =:,("'[]{1,12}|\s?=\s?)|:\/\/|@|\/\/|\w{2,15}:|\bnode(?:name)?: {0,40}[\w.-]{1,60}\/)$/i;

const ip4In: Detector = (line, found) => {
  for (const match of line.matchAll(ip4)) {
    const text = match.groups?.['ip'] ?? '';
    const parts = text.split('.');
    const numbers = parts.map(Number);
    // Leading zeros and more than 255 are releases: 570.124.06.1, 12.8.93.300.
    if (numbers.some((each) => each > 255) || parts.some((each) => each.length > 1 && each.startsWith('0'))) continue;
    if (numbers[0] === 127 || text === '0.0.0.0' || numbers[0] === 255) continue;
    const before = line.slice(Math.max(0, match.index - 64), match.index);
    const after = line.slice(match.index + text.length, match.index + text.length + 24);
    if (isAddress(numbers, before, after)) found(match.index, match.index + text.length, 'ip');
  }
  for (const match of line.matchAll(dashedIp4)) found(match.index, match.index + match[0].length, 'host', true);
};

/**
 * Four numbers are an address or a release: cuRAND 10.3.2.106, cuDNN 9.1.0.70. What stands around decides; where
 * nothing does, the first number: releases of CUDA libraries begin with small ones.
 */
function isAddress(numbers: readonly number[], before: string, after: string): boolean {
  const [a = 0, b = 0] = numbers;
  if (/^(?::\d{2,5}(?!\d|\.)|\/\d{1,2}(?![\d.])|<\d{1,5}>|%\w)/.test(after)) return true;
  if (/^(?:-\d{1,3}(?:ubuntu|\+|~|_|$|\s|\.el|\.fc)|\+|~|_)/.test(after)) return false;
  if (addressBefore.test(before)) return true;
  if (versionBefore.test(before)) return false;
  if (a === 10 || (a === 172 && b >= 16 && b <= 31) || (a === 192 && b === 168) || (a === 169 && b === 254))
    return true;
  return a >= 14;
}

const emails =
  /(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,5}\.(?<top>[A-Za-z]{2,24})(?![\w@-])/g;
const units: ReadonlySet<string> = new Set(
  'service socket slice scope timer mount target path device swap so py js ts json txt log sh'.split(' '),
);

const emailsIn: Detector = (line, found) => {
  if (line.indexOf('@') < 0) return;
  for (const match of line.matchAll(emails)) {
    // What stands before the @ of a URL is a user or a password.
    const before = line.slice(Math.max(0, match.index - 8), match.index);
    if (
      /\/\/$/.test(before) ||
      (before.endsWith(':') && !/mailto:$/i.test(before) && line.lastIndexOf('://', match.index) >= 0)
    )
      continue;
    if (isPseudonym(match[0].slice(0, match[0].indexOf('@')))) continue;
    if (units.has(match.groups?.['top']?.toLowerCase() ?? '') || /^git@/i.test(match[0])) continue;
    // user@host.domain: at a prompt is the prompt's.
    found(match.index, match.index + match[0].length, 'email');
  }
};

/** Addresses, serial numbers and identifiers, by their form. */
export const addressDetectors: readonly Detector[] = [uuidsIn, serialsIn, hardwareIn, ip6In, ip4In, emailsIn];
