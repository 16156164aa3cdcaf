import type { Document } from '../model/document.ts';

/** Replaces what identifies people and machines by pseudonyms; the same name gets the same pseudonym in one report. */
export interface Redactor {
  text(text: string): string;
  /** Every string of a plain value, keys left as they are. */
  value<T>(value: T): T;
}

type Kind = 'user' | 'host' | 'ip' | 'mac' | 'uuid' | 'serial' | 'email' | 'secret';

/** `user@host` of a prompt or an ssh command, and NCCL's `host:pid:tid [gpu]`. */
const prompt = /(?<![\w.])(?<user>[a-z_][a-z0-9_.-]{0,31})@(?<host>[A-Za-z0-9][A-Za-z0-9.-]{0,63})(?=[:\s\]]|$)/g;
const ncclPrefix = /^(?<host>[A-Za-z][\w.-]{0,63}):\d{1,9}:\d{1,9} \[/;
const homes = /(?:\/home\/|\/Users\/|[A-Z]:\\Users\\)(?<user>[\w.-]{1,64})/g;
const named = /\b(?:NodeName|Hostname|hostname|nodeName|Node|node)[=:] ?(?<host>[A-Za-z][\w.-]{2,63})/g;

/** Names that say nothing of anybody. */
const common = new Set([
  'root',
  'user',
  'ubuntu',
  'admin',
  'host',
  'localhost',
  'node',
  'container',
  'git',
  'nvidia',
  'shared',
  'name',
  'none',
  'null',
]);

const emails = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}(?![\w@])/g;
const uuids =
  /(?<prefix>\b(?:GPU|MIG|MIG-GPU)-)?\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b/g;
const macs = /\b(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}\b/g;
const serials = /(?<label>\b[Ss]erial(?: ?[Nn]umber)?\b {0,40}[:=] {0,40})(?<serial>[A-Za-z0-9-]{5,40})/g;
const secrets =
  /(?<label>(?:[A-Za-z_]{0,40}(?:TOKEN|PASSWORD|SECRET|API_?KEY)|[Tt]oken|[Pp]assword|[Ss]ecret)["']? ?[=:] ?["']?)(?<secret>[^\s"',;]{6,200})/g;
const knownSecrets =
  /\b(?:hf_[A-Za-z0-9]{16,80}|ghp_[A-Za-z0-9]{20,80}|AKIA[A-Z0-9]{16}|sk-[A-Za-z0-9_-]{20,120}|nvapi-[\w-]{20,120})\b/g;
/** Four numbers are an address only where something says so: library versions such as 10.3.2.106 look the same. */
const addresses =
  /(?<before>(?:\b(?:ip|addr|address|host|from|to|via|peer|inet|connect|server|tcp|node)[=: ]{1,3}|:\/\/|@|\(|\[|Using \[\d{1,2}\]\w{1,15}:|ip-)?)(?<![\w.])(?<ip>\d{1,3}(?:\.\d{1,3}){3})(?<after>(?:[:</]\d{1,5})?)(?![\w.])/gi;
const privateRange = /^(?:172\.(?:1[6-9]|2\d|3[01])|192\.168|169\.254)\./;
const awsHosts = /\bip-\d{1,3}(?:-\d{1,3}){3}\b/g;

/**
 * Learns the names in the documents and gives a redactor for all that is printed of them.
 * @param documents the input
 */
export function redactorOf(documents: readonly Document[]): Redactor {
  const pseudonyms = new Map<string, string>();
  const counts = new Map<Kind, number>();
  const pseudonym = (kind: Kind, name: string): string => {
    const key = `${kind}\u0000${name}`;
    let made = pseudonyms.get(key);
    if (made === undefined) {
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      pseudonyms.set(key, (made = `${kind}-${count}`));
    }
    return made;
  };

  const learnt = new Map<string, string>();
  const learn = (kind: 'user' | 'host', name: string | undefined): void => {
    const bare = name?.replace(/[.-]+$/, '');
    if (bare === undefined || bare.length < 3 || common.has(bare.toLowerCase()) || /^\d+$/.test(bare)) return;
    if (!learnt.has(bare)) learnt.set(bare, pseudonym(kind, bare));
  };
  for (const document of documents) {
    for (const match of (document.file ?? '').matchAll(homes)) learn('user', match.groups?.['user']);
    for (const line of document.lines) {
      learn('host', line.origin.host);
      const text = line.clean;
      if (text.includes('@')) {
        for (const match of text.matchAll(prompt)) {
          learn('user', match.groups?.['user']);
          learn('host', match.groups?.['host']);
        }
      }
      learn('host', ncclPrefix.exec(text)?.groups?.['host']);
      for (const match of text.matchAll(homes)) learn('user', match.groups?.['user']);
      for (const match of text.matchAll(named)) learn('host', match.groups?.['host']);
    }
  }
  const names = [...learnt.keys()].sort((a, b) => b.length - a.length).slice(0, 2000);
  const anyName =
    names.length === 0
      ? null
      : new RegExp(
          `(?<![\\w-])(?:${names.map((name) => name.replaceAll(/[.*+?^$()|[\]{}\\]/g, '\\$&')).join('|')})(?![\\w])`,
          'g',
        );

  const text = (input: string): string => {
    let out = input
      .replaceAll(secrets, (...match) => {
        const groups = match.at(-1) as Record<string, string>;
        return `${groups['label']}${pseudonym('secret', groups['secret']!)}`;
      })
      .replaceAll(knownSecrets, (secret) => pseudonym('secret', secret))
      .replaceAll(
        uuids,
        (uuid, prefix: string | undefined) => `${prefix ?? ''}${pseudonym('uuid', uuid.toLowerCase())}`,
      )
      .replaceAll(serials, (...match) => {
        const groups = match.at(-1) as Record<string, string>;
        return `${groups['label']}${pseudonym('serial', groups['serial']!)}`;
      })
      .replaceAll(macs, (mac) => pseudonym('mac', mac.toLowerCase()))
      .replaceAll(awsHosts, (host) => pseudonym('host', host))
      .replaceAll(addresses, (...match) => {
        const groups = match.at(-1) as Record<string, string>;
        const ip = groups['ip']!;
        const told = groups['before'] !== '' || groups['after'] !== '' || privateRange.test(ip);
        if (!told || ip === '127.0.0.1' || ip === '0.0.0.0' || ip.split('.').some((part) => Number(part) > 255))
          return match[0] as string;
        return `${groups['before']}${pseudonym('ip', ip)}${groups['after']}`;
      })
      .replaceAll(emails, (email) => (/@host-\d/.test(email) ? email : pseudonym('email', email)));
    if (anyName !== null) out = out.replaceAll(anyName, (name) => learnt.get(name) ?? name);
    return out;
  };

  const value = <T>(each: T): T => {
    if (typeof each === 'string') return text(each) as T;
    if (Array.isArray(each)) return each.map(value) as T;
    if (typeof each === 'object' && each !== null) {
      return Object.fromEntries(Object.entries(each).map(([key, inner]) => [key, value(inner)])) as T;
    }
    return each;
  };
  return { text, value };
}
