import type { Fact, FactValues } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import { own } from '../container-runtime/_container.ts';

// What the reports of the kernel's memory killer say about a job, for the rules of host memory.

export type OomReport = FactValues['os.oom-report'];

/** Programs of a machine that compute nothing on a GPU: an operator's other troubles, not those of a job. */
const services: ReadonlySet<string> = new Set(
  'mysqld mariadbd postgres mongod redis-server memcached clickhouse-serv influxd etcd apache2 httpd nginx haproxy envoy php-fpm chrome chromium firefox gnome-shell gnome-software Xorg Xwayland kwin_wayland plasmashell sshd rsyslogd cron crond chronyd ntpd systemd systemd-journal systemd-journald systemd-logind systemd-udevd systemd-oomd dbus-daemon snapd packagekitd yum dnf apt apt-get apt-check unattended-upgr dockerd containerd containerd-shim kubelet kube-apiserver kube-proxy calico-node cilium-agent coredns prometheus node_exporter grafana grafana-server fluentd fluent-bit filebeat telegraf logstash splunkd zabbix_agentd falcon-sensor clamd auditd slurmctld slurmdbd slurmd qemu-system-x86 qemu-kvm VBoxHeadless jellyfin uwsgi'.split(
    ' ',
  ),
);

/** Processes of the job or of a GPU, as far as the text names any: by number and by name. */
function named(context: RuleContext): { readonly pids: ReadonlySet<number>; readonly names: ReadonlySet<string> } {
  const pids = new Set<number>();
  const names = new Set<string>();
  for (const fact of own(context, 'gpu.xid')) {
    if (fact.value.pid !== null) pids.add(fact.value.pid);
    if (fact.value.process !== null) names.add(fact.value.process);
  }
  for (const fact of own(context, 'process.gpu')) pids.add(fact.value.pid);
  for (const fact of own(context, 'job.end')) if (fact.value.pid !== null) pids.add(fact.value.pid);
  for (const fact of own(context, 'gpu.processes'))
    for (const process of fact.value) names.add((process.split('/').at(-1) ?? process).slice(0, 15));
  return { pids, names };
}

/** True where the report speaks of a program that has nothing to do with a GPU, as far as its name and unit tell. */
export function isService(report: OomReport, context: RuleContext): boolean {
  const { pids, names } = named(context);
  if ((report.pid !== null && pids.has(report.pid)) || names.has(report.process)) return false;
  if (services.has(report.process)) return true;
  return (
    report.owner?.kind === 'unit' &&
    report.owner.id.endsWith('.service') &&
    !/^(?:slurm|user@|docker|containerd|kubelet|k3s|ray|jupyter|triton|vllm|ollama)/.test(report.owner.id)
  );
}

/** Reports of this machine, those of a program that may be a job's first. */
export function oomReports(context: RuleContext): readonly Fact<'os.oom-report'>[] {
  const reports = own(context, 'os.oom-report');
  const { pids } = named(context);
  const rank = (fact: Fact<'os.oom-report'>): number =>
    fact.value.pid !== null && pids.has(fact.value.pid) ? 0 : isService(fact.value, context) ? 2 : 1;
  return [...reports].sort((a, b) => rank(a) - rank(b) || a.order - b.order);
}

/** The node was started after the kill, and none was killed since: it speaks of an earlier job. */
export function startedSince(context: RuleContext, report: Fact<'os.oom-report'>): Fact<'os.started'> | undefined {
  const last = Math.max(...own(context, 'os.oom-report').map((fact) => fact.last ?? fact.order));
  return own(context, 'os.started').find(
    (start) =>
      start.value.what === 'node' &&
      (start.last ?? start.order) > last &&
      start.seen[0]?.file === report.seen[0]?.file &&
      (start.origin.host === undefined || report.origin.host === undefined || start.origin.host === report.origin.host),
  );
}

/** KiB as a person reads them. */
export function kibText(kib: number): string {
  const gib = kib / 1024 ** 2;
  return gib >= 0.95 ? `${gib.toFixed(1)} GiB` : `${(kib / 1024).toFixed(0)} MiB`;
}

/** `python3 (pid 771203)`. */
export function victimText(report: OomReport): string {
  return `${report.process}${report.pid === null ? '' : ` (pid ${report.pid})`}`;
}

/** `of pod 4d1c…`, `of Slurm job 4711`; empty where the report names none. */
export function ownerText(report: OomReport): string {
  const { owner } = report;
  if (owner === null) return '';
  switch (owner.kind) {
    case 'pod':
      return ` of pod ${owner.id}`;
    case 'slurm-job':
      return ` of Slurm job ${owner.id}`;
    case 'container':
      return ` of container ${owner.id.slice(0, 12)}`;
    case 'unit':
      return ` of ${owner.id}`;
    case 'session':
    case 'system':
  }
  return '';
}

/** What the victim held, as far as the report says: `57.0 GiB of its own pages and 4.0 GiB shared`. */
export function heldText(report: OomReport): string {
  const parts = [
    report.anonKiB === null ? '' : `${kibText(report.anonKiB)} of its own pages`,
    (report.shmemKiB ?? 0) >= 1024 ? `${kibText(report.shmemKiB!)} shared` : '',
    (report.fileKiB ?? 0) >= 1024 ** 2 ? `${kibText(report.fileKiB!)} of files` : '',
  ].filter((part) => part !== '');
  return parts.length < 3 ? parts.join(' and ') : `${parts.slice(0, 2).join(', ')} and ${parts[2]!}`;
}

/** Memory that was met as full: the limit of the group, or the memory of the host. */
export function fullKiB(report: OomReport): number | null {
  return report.constraint === 'memcg' ? report.limitKiB : (report.memory?.totalKiB ?? null);
}

/**
 * Memory that cannot be paged out, as the report counts it (`unevictable`, `mlocked`). Whether the driver's own
 * page-locked memory (cudaHostAlloc) is counted there is not confirmed; locked memory of the program itself is.
 */
export function lockedKiB(report: OomReport): number | null {
  if (report.constraint === 'memcg') return report.groupMemory?.unevictableKiB ?? null;
  const { memory } = report;
  if (memory === null || (memory.unevictableKiB === null && memory.mlockedKiB === null)) return null;
  return Math.max(memory.unevictableKiB ?? 0, memory.mlockedKiB ?? 0);
}

/**
 * Memory of the host that no process, page cache, slab, page table or huge page accounts for: what drivers hold.
 * Null where the report lacks one of the parts.
 */
export function unaccountedKiB(report: OomReport): number | null {
  const { memory } = report;
  // Of a part of the nodes the report does not count everything.
  if ((report.constraint !== null && report.constraint !== 'none') || memory === null) return null;
  const { totalKiB, freeKiB, anonKiB, fileKiB, slabKiB } = memory;
  if (totalKiB === null || freeKiB === null || anonKiB === null || fileKiB === null || slabKiB === null) return null;
  const known =
    freeKiB +
    anonKiB +
    fileKiB +
    slabKiB +
    (memory.reservedKiB ?? 0) +
    (memory.unevictableKiB ?? 0) +
    (memory.pageTablesKiB ?? 0) +
    (memory.hugePagesKiB ?? 0);
  return Math.max(0, totalKiB - known);
}

/** Locked memory that is the reason, as a share of what was full. */
export const lockedShare = 0.25;

/** Memory that cannot be paged out is so much of what was full that it is the reason. */
export function isLocked(report: OomReport): boolean {
  const full = fullKiB(report);
  const locked = lockedKiB(report);
  return full !== null && locked !== null && locked >= full * lockedShare;
}

/** The victim's own pages are most of what was full: an ordinary program that grew. */
export function explainedByVictim(report: OomReport): boolean {
  const full = fullKiB(report);
  return full !== null && report.anonKiB !== null && report.anonKiB >= full * 0.7;
}
