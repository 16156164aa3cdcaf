import type { Fact } from '../../model/facts.ts';
import type { Remedy, RuleContext } from '../../model/rule.ts';
import { own } from './_machine.ts';

// What must go before the driver's modules can be unloaded: who holds /dev/nvidia*, which services and modules use them.

/** Services that hold the driver, by the kernel's name for their process (15 characters). */
const services: Readonly<Record<string, string>> = {
  'nvidia-persiste': 'nvidia-persistenced',
  'nv-fabricmanage': 'nvidia-fabricmanager',
  'nv-fabricmanager': 'nvidia-fabricmanager',
  'nvidia-imex': 'nvidia-imex',
  'nv-hostengine': 'nvidia-dcgm',
  'dcgm-exporter': 'dcgm-exporter',
  'nvidia-cuda-mps': 'nvidia-mps',
  'nvidia-gridd': 'nvidia-gridd',
  Xorg: 'display-manager',
  'gnome-shell': 'display-manager',
};

/** In the order in which they can be unloaded. */
const modules = [
  'nvidia_peermem',
  'nvidia_fs',
  'gdrdrv',
  'nvidia_drm',
  'nvidia_modeset',
  'nvidia_uvm',
  'nvidia_vgpu_vfio',
  'nvidia',
] as const;
const usual: readonly string[] = ['nvidia_drm', 'nvidia_modeset', 'nvidia_uvm', 'nvidia'];
const mostNamed = 6;

export interface Drain {
  /** Steps up to a module that is loaded anew, in order. */
  readonly remedies: readonly Remedy[];
  /** Who holds the GPUs now. */
  readonly holders: readonly Fact[];
  /** Processes that go on with libraries that were replaced under them. */
  readonly replaced: readonly Fact<'process.library'>[];
}

/** What must be drained and stopped before the modules of the driver can be replaced, and whether that can be told. */
export function drainOf(context: RuleContext): Drain {
  const all = own(context, 'process.holder');
  const named = own(context, 'gpu.holders');
  const work = all.filter((fact) => serviceOf(fact.value.name) === undefined);
  const stop = [
    ...new Set(
      [...all.map((fact) => fact.value.name), ...named.flatMap((fact) => fact.value)].flatMap(
        (name) => serviceOf(name) ?? [],
      ),
    ),
  ];
  const replaced = own(context, 'process.library').filter(
    (fact) => fact.value.deleted && /\/lib(?:cuda|nvidia-)[\w-]{0,40}\.so/.test(fact.value.path),
  );
  const hidden = own(context, 'probe.missing').some((fact) =>
    /^(?:foreign-processes|holders)$/.test(fact.value.source),
  );
  const loaded = own(context, 'modules.loaded').flatMap((fact) => fact.value);
  const unload = modules.filter((name) => (loaded.length === 0 ? usual.includes(name) : loaded.includes(name)));
  const remedies: Remedy[] = [drainStep(work, all.length > 0 || named.length > 0, hidden)];
  if (stop.length > 0)
    remedies.push({
      actor: 'node-admin',
      do: 'stop the services that hold the driver, too',
      command: `systemctl stop ${stop.join(' ')}`,
    });
  remedies.push({
    actor: 'node-admin',
    do: `reload the module${hidden ? '; not all processes could be seen, so where that is refused' : ''}, or reboot the node`,
    command: `rmmod ${unload.join(' ')} && modprobe nvidia${stop.length === 0 ? '' : ` && systemctl start ${[...stop].reverse().join(' ')}`}`,
  });
  return { remedies, holders: all.length > 0 ? all : named, replaced };
}

function serviceOf(name: string | null): string | undefined {
  return name === null ? undefined : services[name];
}

function drainStep(work: readonly Fact<'process.holder'>[], seen: boolean, hidden: boolean): Remedy {
  const jobs = [...new Set(work.flatMap((fact) => fact.value.job ?? []))];
  const pods = [...new Set(work.flatMap((fact) => fact.value.pod ?? []))];
  const who = work.slice(0, mostNamed).map(({ value }) => {
    const belongs = value.job !== null ? `, job ${value.job}` : value.pod !== null ? `, pod ${value.pod}` : '';
    return `${value.name ?? 'a process'} (pid ${value.pid}${value.uid === null ? '' : `, uid ${value.uid}`}${belongs})`;
  });
  if (work.length > mostNamed) who.push(`${work.length - mostNamed} more`);
  if (who.length > 0)
    return {
      actor: 'cluster-admin',
      do: `drain the node of what holds its GPUs: ${who.join(', ')}`,
      ...(jobs.length > 0
        ? {
            command: `scontrol update nodename=NODE state=drain reason=driver   # then wait for ${jobs.map((job) => `job ${job}`).join(', ')}`,
          }
        : pods.length > 0
          ? { command: 'kubectl drain NODE --ignore-daemonsets --delete-emptydir-data' }
          : { command: 'fuser -v /dev/nvidia*' }),
    };
  if (seen && !hidden) return { actor: 'cluster-admin', do: 'keep new jobs away; only services hold the GPUs now' };
  return {
    actor: 'cluster-admin',
    do: 'drain the node, so that nothing holds /dev/nvidia*',
    command: 'fuser -v /dev/nvidia*',
  };
}
