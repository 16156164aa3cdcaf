import { isPublic } from './redact-domains.ts';
import type { Detector, Found } from './redact-span.ts';
import { isPseudonym, nobody, ordinary } from './redact-span.ts';

const host = '[A-Za-z0-9][A-Za-z0-9_.-]{0,127}';
const user = String.raw`[A-Za-z_][\w.-]{0,63}`;

/** A pattern whose groups `host`, `hosts` and `user` are masked. `if` is a cheap test of the lower-case line. */
interface Context {
  readonly if: string;
  readonly pattern: RegExp;
}

const context = (test: string, pattern: string, flags = 'dg'): Context => ({
  if: test,
  pattern: new RegExp(pattern, flags),
});
/** One host, a Slurm list of them, or several with commas. */
const list = String.raw`(?<hosts>[A-Za-z0-9](?:[\w.-]|\[[\d,-]{1,400}\]|,(?=[A-Za-z0-9])){0,2000})`;
const named = String.raw`(?:static |transient |local |remote |peer |my)?(?:host ?name|node ?name|node|nodeid|node_id|host|fqdn|hostaddr|target_?host|source_?host|_hostname|batchhost|nodeaddr|nodehostname|slurmd_nodename|slurm_submit_host|slurm_launch_node|master_addr|master_address|computer ?name|node_?ip|rdzv_endpoint|master-addr|rdzv-endpoint|kubernetes\.io/hostname|alloc ?node)`;
/** Where a value ends, and no sentence goes on. */
const ends = String.raw`(?=\s{0,8}(?:$|[,;)\]}"'&<|])|:\d|/\d| {2,}\S|\s\w{1,40}[=:])`;
const months = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';

const contexts: readonly Context[] = [
  // user@host of a prompt, of ssh and scp
  context('@', String.raw`^(?:\([\w.-]{1,60}\) ?)?\[?(?<user>${user})@(?<host>${host})(?=[:\s\]~#$%])`),
  context(
    '@',
    String.raw`\b(?:ssh|scp|rsync|sftp|mosh|ssh-copy-id)\b[^|;]{0,200}?[ =](?<user>${user})@(?<host>${host})`,
  ),
  context('@', String.raw`(?<![\w./@-])(?<user>${user})@(?<host>[A-Za-z][A-Za-z0-9-]{0,63})(?=[:\s\],;"')]|$)`),
  context('ssh ', String.raw`(?:^|[$#;&|] ?)ssh (?:-\S{1,40} ){0,4}(?<host>[A-Za-z][\w.-]{2,127})(?=\s|$)`),
  context('connect to host', String.raw`connect to host (?<host>${host}) port`),
  context(
    'connection',
    String.raw`[Cc]onnection (?:to|from|closed by|reset by|refused by) (?:host )?(?<host>[A-Za-z][\w-]{0,60}[\d-][\w.-]{0,60})`,
  ),
  // \\\\server\\share\\name, also with its backslashes doubled
  context(
    String.raw`\\`,
    String.raw`(?<=^|[\s=(])\\{2,4}(?<host>[A-Za-z][A-Za-z]{0,40}[\d.-][\w.-]{0,40})\\{1,2}[\w$ .-]{1,80}(?:\\{1,2}(?<user>[\w.-]{1,64}))?`,
  ),
  // syslog (RFC 3164), journalctl and RFC 3339 syslog
  context(
    ':',
    String.raw`^(?:<\d{1,3}>)?(?:${months}) [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,6})? (?<host>[A-Za-z0-9][\w.-]{0,63}) [A-Za-z][\w./@:-]{0,63}?(?:\[\d{1,9}\])?: `,
  ),
  context(
    ':',
    String.raw`^(?:<\d{1,3}>1? ?)?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)? (?<host>[A-Za-z0-9][\w.-]{0,63}) (?:kernel|systemd|sshd|dockerd|containerd|kubelet|slurmd|slurmstepd|sudo|cron|nvidia-[\w-]{1,40}|[a-z][\w-]{1,30}\[\d{1,9}\])(?:\[\d{1,9}\])?: `,
  ),
  // NCCL: host:pid:tid [gpu] NCCL INFO
  context(' [', String.raw`(?:^|[\s)\]|:])(?<host>[A-Za-z][\w.-]{0,63}):\d{1,9}:\d{1,9} \[`),
  // uname -a, hostnamectl
  context('linux ', String.raw`^\s{0,8}(?:uname: )?Linux (?!version )(?<host>${host}) \d{1,2}\.\d{1,3}\.\d`),
  // named: nodeName: x, hostname=x, "host": "x", SLURMD_NODENAME=x, MASTER_ADDR=x; behind a colon a sentence may follow
  context(
    'n',
    String.raw`(?<![A-Za-z0-9])${named}["']?(?: {0,20}= {0,20}\\?["']?| name ["']?| {0,20}:(?![:/]) {0,20}\\?["'])(?<host>[A-Za-z][\w.-]{1,127}|\d[\w.-]{0,60}[a-z][\w.-]{0,60})(?![\w(]|=)`,
    'dgi',
  ),
  context(
    'n',
    String.raw`(?<![A-Za-z0-9])${named} {0,20}:(?![:/]) {0,40}(?<host>[A-Za-z][\w.-]{1,127}|\d[\w.-]{0,60}[a-z][\w.-]{0,60})${ends}`,
    'dgi',
  ),
  context('.hpp', String.raw`\[(?<host>[A-Za-z][\w.-]{1,127})\]:\d{2,5}`),
  context(']:', String.raw`\[(?<host>[A-Za-z][\w.-]{1,127})\]:\d{2,5}`),
  context('<', String.raw`(?:remote|peer|to|from) (?<host>[A-Za-z][\w.-]{1,127})<\d{1,5}>`),
  context(
    'master',
    String.raw`--(?:master[-_]addr(?:ess)?|rdzv[-_]endpoint|nodelist|host|hosts|nodes?|server|target) {1,4}(?<host>[A-Za-z][\w.-]{2,127})`,
  ),
  context('--', String.raw`--(?:nodelist|hostlist|hosts?|exclude|node|server|hostname)[= ]{1,4}${list}`),
  context(
    ' -w ',
    String.raw`\b(?:srun|sbatch|salloc|pdsh|clush|nodeset|scontrol|sinfo)\b[^|;]{0,100}? -w {1,3}${list}`,
  ),
  // Slurm
  context(
    'node',
    String.raw`(?:NodeList|NODELIST|nodelist|NodeName|ReqNodeList|ExcNodeList|SLURM_JOB_NODELIST|SLURM_NODELIST|SLURM_STEP_NODELIST|BatchHost|Nodes|nodes|NODES|AllocNode:Sid|hosts|HOSTS)["']?[=:] {0,4}\\?["']?${list}`,
  ),
  context(
    'srun',
    String.raw`\bsrun: (?:error|launch/slurm|warning)?:? ?(?:\w{1,30}: )?(?<host>[A-Za-z][\w-]{0,60}\d[\w.-]{0,60}): (?:task|_|[a-z])`,
  ),
  context(' on ', String.raw`(?:JOB|STEP|job|step|Job) [\d._+]{1,24} ON (?<host>${host}) `),
  context(
    'node',
    String.raw`\b(?:on|from|to|for|of|drain(?:ing|ed)?|cordon(?:ing|ed)?|uncordon(?:ed)?|[Nn]ode\(s\)|nodes?|Node|update) (?:the )?(?:host |nodes? |node/|nodes/|nodes )["']?(?<host>[A-Za-z][\w.-]{0,60}[\d-][\w.-]{0,60})`,
  ),
  context(
    'slurmd',
    String.raw`slurm(?:ctl)?d(?:\[\d{1,9}\])?: .{0,80}\bnodes? (?<host>[A-Za-z][\w-]{0,60}\d[\w.-]{0,60})`,
  ),
  // Kubernetes
  context('assigned', String.raw`Successfully assigned \S{1,300} to (?<host>${host})`),
  context('kubelet', String.raw`\bkubelet, (?<host>${host})`),
  context('node', String.raw`^ {0,12}Node(?:Name)?:\s{1,40}(?<host>[A-Za-z][\w.-]{1,127})(?=/|\s|$)`),
  context('node', String.raw`(?<![\w/])nodes?/(?<host>[a-z0-9][a-z0-9.-]{2,127})(?= |$|["',])`),
  context('"', String.raw`\bnodes? \\?"(?<host>[a-z0-9][a-z0-9.-]{1,127})\\?"`),
  context(
    '/',
    String.raw`\s\d{1,4}/\d{1,4}\s.{4,200}?\s(?:\d{1,3}(?:\.\d{1,3}){3}|<none>)\s{1,40}(?<host>[a-z0-9][a-z0-9.-]{2,80})(?=\s|$)`,
  ),
  // Ansible, pdsh
  context(']', String.raw`^(?:ok|changed|fatal|failed|unreachable|skipping|included): \[(?<host>${host})\]`),
  context('|', String.raw`^(?<host>[A-Za-z][\w.-]{1,127}) \| (?:SUCCESS|FAILED|CHANGED|UNREACHABLE)`),
  // machines by the form of their names
  context(
    '',
    String.raw`(?<![A-Za-z0-9.-])(?<host>(?:node|nid|dgx|hgx|compute|gpunode|gpu-node|cnode|gnode|worker-node|srv)-?(?:[a-z]{1,3}-?)?\d{2,6}(?:-[a-z0-9]{1,8})?)(?![\w.]*\()(?![A-Za-z0-9])`,
    'dgi',
  ),
  // users
  context(
    'home',
    String.raw`/home/(?!\w{1,40}\.(?:so|py|sh|txt|log)\b)(?:local/|users/|staff/|students/)?(?<user>[\w.-]{1,64})`,
  ),
  context('users', String.raw`/(?:Users|users)/(?<user>[\w.-]{1,64})`),
  context('users', String.raw`[A-Za-z]:(?:\\{1,4}|/)(?:Users|users|USERS)(?:\\{1,4}|/)(?<user>[^\\/:*?"<>|\s]{1,64})`),
  context(
    '/',
    String.raw`/(?:scratch|work|data|nfs|lustre|gpfs|beegfs|projects|mnt)/(?:users|home|homes|people)/(?<user>[\w.-]{1,64})`,
  ),
  context('id=', String.raw`\b(?:uid|gid|euid|egid)=\d{1,10}\((?<user>[\w.@+-]{1,64})\)`),
  context('groups=', String.raw`(?<![\d])\d{1,10}\((?<user>[\w.@+-]{1,64})\)`),
  context('id=', String.raw`\b(?:UserId|GroupId|UID|User)=(?<user>[A-Za-z_][\w.-]{0,63})\(\d{1,10}\)`),
  context(
    'us',
    String.raw`(?<![A-Za-z0-9])(?:user|username|user_name|user name|login|logname|owner|run_?as_?user|slurm_job_user|sudo_user|submitted by|submitter|account|slurm_job_account|ruser|remote user)["']?(?: {0,20}= {0,20}\\?["']?| {0,20}:(?![:/]) {0,20}\\?["'])(?<user>[A-Za-z_][\w.-]{1,63})(?![\w(]|[:@/]\S)`,
    'dgi',
  ),
  context(
    'us',
    String.raw`(?<![A-Za-z0-9])(?:user|username|user_name|user name|login|logname|owner|run_?as_?user|slurm_job_user|sudo_user|submitted by|submitter|account|slurm_job_account|ruser|remote user) {0,20}:(?![:/]) {0,40}(?<user>[A-Za-z_][\w.-]{1,63})(?=\s{0,8}(?:$|[,;)\]}"'&<|])| {2,}\S|\s\w{1,40}[=:])(?![:@])`,
    'dgi',
  ),
  context(
    'user ',
    String.raw`\b(?:for|by|of|from|invalid|as) user ["']?(?<user>[a-z_][\w.-]{1,63})["']?(?= |$|[,;)(])`,
  ),
  context('session', String.raw`session (?:opened|closed) for user (?<user>[\w.-]{1,63})`),
  context('accepted', String.raw`Accepted \w{1,20} for (?<user>[\w.-]{1,63}) from`),
  context('-', String.raw`^[-dlcbps][rwxsStT-]{9}[.+@]? {1,8}\d{1,8} (?<user>[a-z_][\w.-]{0,63}) `),
  context('~', String.raw`(?<![\w/~])~(?<user>[a-z][\w-]{1,31})(?=/)`),
];

/** The first thing that stands behind some names is no name. */
const noHost =
  /^(?:v?\d{1,4}(?:\.\d{1,4}){0,3}|v\d.*|sha256|https?|tcp|udp|env|file|true|false|null|none|localhost\d?|.{1,60}\.(?:so|py|c|cc|cpp|cu|h|hpp|js|ts|log|txt|json|yaml|yml|sh|go|rs|service|socket|conf|gz)(?:\.\d.*)?)$/i;

const contextsIn: Detector = (line, found) => {
  if (line.length > 0) {
    const lower = line.toLowerCase();
    for (const { if: test, pattern } of contexts) {
      if (!lower.includes(test)) continue;
      for (const match of line.matchAll(pattern)) {
        const places = match.indices?.groups;
        const { user: person, host: machine } = match.groups ?? {};
        if ([person, machine].some((each) => each !== undefined && isMade(each))) continue;
        // package@1.2, Module.@macro
        if (person !== undefined && machine !== undefined && (noHost.test(machine) || person.endsWith('.'))) continue;
        for (const kind of ['user', 'host', 'hosts'] as const) {
          const place = places?.[kind];
          if (place !== undefined) name(line, place[0], place[1], kind, found);
        }
      }
    }
  }
};

/** An address that was masked is no user. */
function isMade(text: string): boolean {
  return isPseudonym(text) && !/^(?:user|host)/i.test(text);
}

function name(line: string, start: number, end: number, kind: 'user' | 'host' | 'hosts', found: Found): void {
  if (kind === 'hosts') {
    hostList(line, start, end, found);
    return;
  }
  while (end > start && '.-_'.includes(line[end - 1]!)) end--;
  const text = line.slice(start, end);
  if (text.length < 2 || nobody.has(text.toLowerCase()) || /^[\d.]+$/.test(text)) return;
  if (kind === 'user' && ordinary.has(text.toLowerCase())) return;
  if (kind === 'host' && (noHost.test(text) || isPublic(text))) return;
  found(start, end, kind, true);
}

/** `node[01-04,7],login1`: the list is masked as one; a single host as itself. */
function hostList(line: string, start: number, end: number, found: Found): void {
  const text = line.slice(start, end);
  if (text.includes('[') || text.includes(',')) {
    if (/^\(|^[\d,-]+$/.test(text) || !/[A-Za-z]/.test(text[0]!)) return;
    found(start, end, 'hosts', true);
  } else if (/\d/.test(text)) name(line, start, end, 'host', found);
}

const bracketed =
  /(?<![\w.])(?<stem>[A-Za-z][A-Za-z0-9_.-]{0,40})\[(?<ranges>\d{1,6}(?:[-,]\d{1,6}){0,80})\](?![\w[])/g;
const indexed =
  /^(?:.*(?:gpus?|cuda|rank|ranks|cpus?|mem|core|cores|tensor|loss|arr|array|shape|dim|channel|nvlink|link|lane|device|devices|local|pid|python|sm|level|step|epoch|args?|argv|list|data|x|y|i|j|n))$/i;

/** Slurm node lists without a name before them. */
const listsIn: Detector = (line, found) => {
  if (line.indexOf('[') < 0) return;
  for (const match of line.matchAll(bracketed)) {
    const { stem = '', ranges = '' } = match.groups ?? {};
    if (indexed.test(stem) || !/(?:^|,)(?:0\d|\d{2,6})-\d{2,6}/.test(ranges)) continue;
    found(match.index, match.index + match[0].length, 'hosts', true);
  }
};

/** Names of users and machines, where something around them says that they are. */
export const nameDetectors: readonly Detector[] = [contextsIn, listsIn];

const mostMembers = 1024;

/**
 * Members of a Slurm host list: `node[01-03],login1` → node01, node02, node03, login1.
 * @returns at most 1024 names
 */
export function hostListMembers(text: string): readonly string[] {
  const members: string[] = [];
  for (const part of text.split(/,(?![^[]*\])/).slice(0, 200)) {
    const open = part.indexOf('[');
    const close = part.indexOf(']', open);
    if (open < 0 || close < 0) {
      if (part !== '') members.push(part);
      continue;
    }
    const stem = part.slice(0, open);
    const tail = part.slice(close + 1).replace(/\[.*$/, '');
    for (const range of part.slice(open + 1, close).split(',')) {
      const [low = '', high = low] = range.split('-');
      const from = Number(low);
      const to = Math.min(Number(high), from + mostMembers);
      for (let at = from; at <= to && members.length < mostMembers; at++)
        members.push(`${stem}${String(at).padStart(low.length, '0')}${tail}`);
    }
    if (members.length >= mostMembers) break;
  }
  return members.slice(0, mostMembers);
}

/** Columns of tables that hold names, by their headings. */
const columns: Readonly<Record<string, 'user' | 'host' | 'hosts' | 'serial'>> = {
  USER: 'user',
  'NODELIST(REASON)': 'hosts',
  NODELIST: 'hosts',
  NODE: 'host',
  HOSTNAMES: 'host',
  HOSTNAME: 'host',
  HOST: 'host',
  serial: 'serial',
  gpu_serial: 'serial',
};

/** Names that only the lines before tell: columns of squeue, sinfo, ps, kubectl and nvidia-smi's CSV; output of `hostname`. */
export class NameLines {
  private kinds: readonly ('user' | 'host' | 'hosts' | 'serial' | null)[] = [];
  private comma = false;
  private reason = false;
  private readonly prefixes = new Map<string, Set<string>>();

  /**
   * @param line the next line
   * @param command the command whose output it is, else null
   */
  next(line: string, command: string | null, prompt: boolean, found: Found): void {
    if (!prompt && command !== null && /^(?:sudo )?(?:hostname|uname -n)(?: -[fsA]+)?$/.test(command)) {
      const only = /^\s{0,4}(?<host>[A-Za-z0-9][\w.-]{0,127})\s{0,4}$/d.exec(line)?.indices?.groups?.['host'];
      if (only !== undefined) name(line, only[0], only[1], 'host', found);
    }
    if (!prompt && command !== null && /^(?:whoami|id -un|logname)$/.test(command)) {
      const only = /^\s{0,4}(?<user>[A-Za-z_][\w.-]{0,63})\s{0,4}$/d.exec(line)?.indices?.groups?.['user'];
      if (only !== undefined) name(line, only[0], only[1], 'user', found);
    }
    this.prefixed(line, found);
    if (line.length > 600) return;
    if (this.heading(line)) return;
    if (line.trim() === '' || prompt) this.kinds = [];
    if (this.kinds.length === 0) return;
    const cells = this.comma ? /[^,]{1,200}/dg : /\S{1,300}/dg;
    const cellsOf = [...line.matchAll(cells)];
    // A reason has several words and stands first: its columns are counted from the right.
    let at = this.reason ? Math.min(0, this.kinds.length - cellsOf.length) : 0;
    for (const cell of cellsOf) {
      const kind = this.kinds[at++];
      if (kind === undefined || kind === null) continue;
      const text = cell[0].trim();
      const start = cell.index + cell[0].indexOf(text);
      if (kind === 'serial') {
        if (/^[\w-]*\d[\w-]{3,40}$/.test(text)) found(start, start + text.length, 'serial', true);
      } else if (!text.startsWith('(') && !/^[<[]/.test(text)) name(line, start, start + text.length, kind, found);
    }
  }

  private heading(line: string): boolean {
    const comma = line.includes(', ') && /(?:^|, )(?:gpu_)?serial(?:,|$)/.test(line);
    const words = comma ? line.split(',').map((each) => each.trim()) : line.trim().split(/\s{1,40}/);
    if (words.length < 2) return false;
    const nodes = words[0] === 'NAME' && words[1] === 'STATUS' && words[2] === 'ROLES';
    const known = words.some((word) => Object.hasOwn(columns, word));
    if (!nodes && !known) return false;
    // Headings are in capitals; a log line that says NODE is none.
    if (!comma && words.some((word) => /[a-z]/.test(word))) return false;
    this.comma = comma;
    this.reason = words[0] === 'REASON';
    this.kinds = words.map((word, at) =>
      nodes && at === 0 ? 'host' : Object.hasOwn(columns, word) ? columns[word]! : null,
    );
    return true;
  }

  /** pdsh and clush put `node07: ` before each line; two names of one form make it sure. */
  private prefixed(line: string, found: Found): void {
    const match = /^(?<stem>[A-Za-z][A-Za-z-]{1,40})(?<number>\d{1,6})(?:[a-z]{0,3})?: /.exec(line);
    if (match === null || match.groups === undefined) return;
    const stem = match.groups['stem']!.toLowerCase();
    if (devices.test(stem)) return;
    const full = match[0].slice(0, -2);
    let names = this.prefixes.get(stem);
    if (names === undefined) {
      if (this.prefixes.size > 200) return;
      this.prefixes.set(stem, (names = new Set()));
    }
    if (names.size < 4096) names.add(full);
    if (names.size >= 2) found(0, full.length, 'host', true);
  }
}
const devices =
  /^(?:nvidia|gpu|eth|ib|ibp|mlx|cuda|rank|cpu|sd|nvme|nvme\dn|dm-|md|loop|veth|br-|docker|sm|lib.*|python|gcc|g|tty|usb|pci|ttys|enp|ens|eno|wlan|bond|node|step|epoch|iter|line|error|warning|warn|note|info|debug|worker|task|proc|thread|stage|layer|device|dev|default|local|test|case|host|user|ip|mac|guid|uuid|serial|secret|email|hosts|level|phase|channel|ring|tree|e|w|i|v|part|page|process|pid|job|batch|item|sample|id|no|xid|sxid)-?$/;
