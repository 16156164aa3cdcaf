// Names of targets: what is not one is refused before anything is run. A name never begins with a dash, so that no program
// takes it for an option.
import { readFileSync } from 'node:fs';
import { TargetError } from './transport.ts';

/** Most targets of one question. */
export const mostTargets = 10_000;
const mostFile = 4 * 1024 * 1024;

/** A host as ssh takes it. */
export interface Host {
  readonly name: string;
  readonly user: string | null;
  readonly port: string | null;
}

const bareHost = /^(?:[A-Za-z0-9_][A-Za-z0-9_.-]{0,252}|[0-9A-Fa-f:.]{2,45}(?:%[A-Za-z0-9_.-]{1,20})?)$/;

/**
 * Reads `host`, `user@host`, `host:port`, `[::1]:port` and `ssh://user@host:port`.
 * @throws TargetError where it is none of them
 */
export function hostOf(text: string): Host {
  const match =
    /^(?:ssh:\/\/)?(?:(?<user>[A-Za-z0-9_][\w.-]{0,63})@)?(?:\[(?<six>[^\]]{2,66})\]|(?<name>.{1,253}?))(?::(?<port>\d{1,5}))?\/?$/.exec(
      text,
    );
  let name = match?.groups?.['six'] ?? match?.groups?.['name'] ?? '';
  let port = match?.groups?.['port'] ?? null;
  // An address of IPv6 without brackets has no port.
  if (match?.groups?.['six'] === undefined && name.includes(':') && port !== null) {
    name = `${name}:${port}`;
    port = null;
  }
  if (match === null || !bareHost.test(name) || (port !== null && Number(port) > 65_535))
    throw new TargetError(`no host name: ${shown(text)}`, 'a host is NAME, USER@NAME or NAME:PORT');
  return { name, user: match.groups?.['user'] ?? null, port };
}

/** A name of the Kubernetes API (DNS subdomain), else a TargetError. */
export function kubernetesName(text: string, what: string): string {
  if (/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/.test(text)) return text;
  throw new TargetError(`no name of a ${what}: ${shown(text)}`);
}

/** Name or id of a container, else a TargetError. */
export function containerName(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/.test(text)) return text;
  throw new TargetError(`no name or id of a container: ${shown(text)}`);
}

/** A number of a process, else a TargetError. */
export function processNumber(text: string): string {
  if (/^[1-9]\d{0,9}$/.test(text)) return text;
  throw new TargetError(`--pid takes the number of a process, not ${shown(text)}`);
}

/** A node of Slurm, else a TargetError. */
export function nodeName(text: string): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(text)) return text;
  throw new TargetError(`no name of a node: ${shown(text)}`);
}

/** A reference of an image, else a TargetError. */
export function imageName(text: string): string {
  if (/^[A-Za-z0-9][\w./:@+-]{0,254}$/.test(text)) return text;
  throw new TargetError(`no reference of an image: ${shown(text)}`);
}

/** A value of an option of kubectl: a context, a file; anything but a thing that looks like an option. */
export function plainValue(text: string, what: string): string {
  if (text !== '' && text.length <= 4096 && !text.startsWith('-') && !/[\0-\x1F\x7F]/.test(text)) return text;
  throw new TargetError(`no ${what}: ${shown(text)}`);
}

function shown(text: string): string {
  return JSON.stringify(text.length <= 80 ? text : `${text.slice(0, 80)}…`);
}

/**
 * Names that a list stands for: `a,b`, `node[01-16]`, `r[1-2]n[3,5-6]`; `@FILE` takes one list a line, `#` begins a remark.
 * @throws TargetError where brackets are not closed, a range runs backwards, the file cannot be read, or there are too many
 */
export function expandAll(lists: readonly string[]): readonly string[] {
  const names: string[] = [];
  for (const list of lists) {
    const entries = list.startsWith('@') ? linesOf(list.slice(1)) : [list];
    for (const entry of entries) {
      for (const name of expand(entry)) names.push(name);
      if (names.length > mostTargets) throw tooMany();
    }
  }
  return [...new Set(names)];
}

function linesOf(file: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new TargetError(
      `the list of targets ${shown(file)} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`,
    );
  }
  if (text.length > mostFile) throw new TargetError(`the list of targets ${shown(file)} is too long`);
  return text
    .split(/\r?\n/)
    .map((line) => line.split('#')[0]!.trim())
    .filter((line) => line !== '');
}

const tooMany = (): TargetError => new TargetError(`more than ${mostTargets} targets`);

/** The names of one list of host names as Slurm and pdsh write it. */
export function expand(list: string): readonly string[] {
  const names: string[] = [];
  for (const part of splitOutside(list)) {
    for (const name of expandOne(part)) names.push(name);
    if (names.length > mostTargets) throw tooMany();
  }
  return names;
}

/** Cuts at commas and blanks that stand in no brackets. An address in brackets is no range. */
function splitOutside(list: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const char of list) {
    if (char === '[') depth++;
    else if (char === ']') depth--;
    if (depth === 0 && (char === ',' || char === ' ' || char === '\t')) {
      if (part !== '') parts.push(part);
      part = '';
    } else part += char;
    if (depth < 0 || depth > 1) throw new TargetError(`brackets that do not match: ${shown(list)}`);
  }
  if (depth !== 0) throw new TargetError(`brackets that do not match: ${shown(list)}`);
  if (part !== '') parts.push(part);
  return parts;
}

function expandOne(text: string): readonly string[] {
  const open = text.indexOf('[');
  if (open < 0) return [text];
  const close = text.indexOf(']', open);
  const inside = text.slice(open + 1, close);
  if (inside.includes(':')) return [text];
  const before = text.slice(0, open);
  const names: string[] = [];
  const rest = expandOne(text.slice(close + 1));
  for (const item of inside.split(',')) {
    for (const number of numbersOf(item, text)) {
      for (const end of rest) names.push(`${before}${number}${end}`);
      if (names.length > mostTargets) throw tooMany();
    }
  }
  return names;
}

function numbersOf(item: string, whole: string): readonly string[] {
  const match = /^(\d{1,9})(?:-(\d{1,9})(?:\/(\d{1,6}))?)?$/.exec(item);
  if (match === null) throw new TargetError(`no range of numbers: ${shown(item)} in ${shown(whole)}`);
  const [, from, to, step] = match;
  if (to === undefined) return [from!];
  const [first, last, by] = [Number(from), Number(to), Number(step ?? 1)];
  if (first > last || by === 0) throw new TargetError(`a range that runs backwards: ${shown(item)} in ${shown(whole)}`);
  if ((last - first) / by > mostTargets) throw tooMany();
  const numbers: string[] = [];
  for (let number = first; number <= last; number += by) numbers.push(String(number).padStart(from!.length, '0'));
  return numbers;
}
