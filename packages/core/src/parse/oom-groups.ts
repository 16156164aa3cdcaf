import type { FactValues } from '../model/facts.ts';

type Owner = FactValues['os.oom-report']['owner'];

const identifier = /[0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12}/;

/**
 * What the path of a control group names: a pod of Kubernetes by its UID, a job of Slurm, a container by its id, a unit
 * or session of systemd.
 *
 *     /kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod4d1c….slice/cri-containerd-9f2b….scope
 *     /kubepods/besteffort/pod4d1c…/9f2b…
 *     /slurm/uid_1000/job_4711/step_0/task_0        /system.slice/slurmstepd.scope/job_4711/step_batch/user/task_0
 *     /docker/9f2b…       /system.slice/docker-9f2b….scope       /machine.slice/libpod-9f2b….scope
 *     /system.slice/mysqld.service                  /user.slice/user-1000.slice/session-3.scope
 * @returns null for a path that names none of them
 */
export function ownerOf(path: string): Owner {
  const parts = path.split('/').filter((part) => part !== '');
  for (const part of parts) {
    const pod = part.startsWith('pod')
      ? part.slice(3)
      : /^kubepods.{0,20}-pod/.test(part)
        ? part.split('-pod')[1]!
        : null;
    if (pod !== null && pod !== '') {
      const id = pod.replace(/\.slice$/, '');
      return { kind: 'pod', id: identifier.test(id) ? id.replaceAll('_', '-') : id };
    }
  }
  for (const part of parts) {
    const job = /^job_(\d{1,12})$/.exec(part)?.[1];
    if (job !== undefined) return { kind: 'slurm-job', id: job };
  }
  for (const part of [...parts].reverse()) {
    const id =
      /^(?:docker|cri-containerd|crio|libpod|containerd|nerdctl)-([0-9a-f]{4,64})(?:\.scope)?$/.exec(part)?.[1] ??
      (parts.some((each) => /^(?:docker|ecs|containerd|lxc|garden)$/.test(each)) && /^[0-9a-f]{12,64}$/.test(part)
        ? part
        : undefined) ??
      /^lxc\.payload\.([\w.-]{1,80})$/.exec(part)?.[1];
    if (id !== undefined) return { kind: 'container', id };
  }
  const last = [...parts].reverse().find((part) => /\.(?:service|scope)$/.test(part));
  if (last?.endsWith('.service') === true) return { kind: 'unit', id: last };
  if (last !== undefined && /^session-/.test(last)) return { kind: 'session', id: last };
  if (last !== undefined) return { kind: 'unit', id: last };
  const user = parts.find((part) => /^user-\d{1,9}\.slice$/.test(part));
  if (user !== undefined) return { kind: 'session', id: user };
  return parts.length === 0 || parts[0] === 'system.slice' || parts[0] === 'init.scope'
    ? { kind: 'system', id: path }
    : null;
}
