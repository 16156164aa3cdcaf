import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const slurmDevicesNotConstrained: Rule = defineRule({
  id: 'orchestrator/slurm-devices-not-constrained',
  summary: 'Slurm hands out GPUs without confining jobs to them',
  needs: [],
  anyOf: ['slurm.setting', 'slurm.gpus', 'said.cuda-invalid-device-ordinal', 'said.slurm-gres-bind'],
  uses: ['env', 'gpu.count', 'said.pt-oom', 'gpu.processes'],
  citations: ['slurm-cgroup-conf', 'slurm-gres'],
  explains: [
    'said.cuda-*',
    'said.pt-*',
    'said.nccl-*',
    'application/application-exception',
    'application/application-out-of-memory',
    'application/gpu-memory-held-by-orphans',
  ],
  check(_facts, context) {
    const settings = own(context, 'slurm.setting');
    const constrain = settings.filter((fact) => fact.value.name === 'constraindevices').at(-1);
    const plugin = settings.find((fact) => fact.value.name === 'taskplugin');
    const off = constrain !== undefined && !/^(?:yes|y|true|1)$/.test(constrain.value.value) ? constrain : undefined;
    const noCgroup = plugin !== undefined && !plugin.value.value.includes('task/cgroup') ? plugin : undefined;
    const gpus = own(context, 'slurm.gpus').find((fact) => fact.value.sees > fact.value.asked);
    const even = own(context, 'slurm.gpus').find((fact) => fact.value.sees === fact.value.asked);
    const variables = own(context, 'env');
    const slurm = variables.find((fact) => /^SLURM_/.test(fact.value.name)) ?? said(context, 'slurm-gres-bind')[0];
    const given = variables.find((fact) =>
      /^(?:SLURM_(?:GPUS_ON_NODE|STEP_GPUS|JOB_GPUS|GPUS|GPUS_PER_NODE|GPUS_PER_TASK))$/.test(fact.value.name),
    );
    const count = own(context, 'gpu.count').find((fact) => fact.scope !== 'host');
    const allocated =
      given === undefined
        ? null
        : /^SLURM_(?:GPUS_ON_NODE|GPUS|GPUS_PER)/.test(given.value.name) && /^\d{1,3}$/.test(given.value.value)
          ? Number(given.value.value)
          : given.value.value.split(',').length;
    const wide = count !== undefined && allocated !== null && count.value > allocated ? count : undefined;
    const symptom = [
      ...said(context, 'cuda-invalid-device-ordinal'),
      ...said(context, 'cuda-no-device'),
      ...said(context, 'pt-oom'),
      ...said(context, 'cuda-oom-runtime'),
      ...said(context, 'pt-no-gpus-available'),
      ...said(context, 'cuda-device-unavailable'),
    ][0];
    const remedies = [
      {
        actor: 'cluster-admin',
        do: 'confine jobs to their devices and restart slurmd',
        command:
          'cgroup.conf: ConstrainDevices=yes   # slurm.conf: TaskPlugin=task/cgroup,task/affinity; gres.conf: File=/dev/nvidia[0-7]',
      },
      { actor: 'developer', do: 'until then use the GPUs that CUDA_VISIBLE_DEVICES names, and do not overwrite it' },
    ] as const;
    if (constrain !== undefined && off === undefined && noCgroup === undefined) {
      return { kind: 'cleared', because: 'Slurm confines jobs to their devices', seen: seen(constrain) };
    }
    const cause = off ?? noCgroup;
    if (cause !== undefined) {
      const proof = gpus ?? wide ?? symptom;
      return {
        kind: 'fault',
        certainty: proof === undefined ? 'possible' : byPrint(cause, proof),
        message:
          off === undefined
            ? `Slurm runs tasks with ${plugin!.value.value}, without task/cgroup, so jobs reach every GPU of the node`
            : 'ConstrainDevices is off, so a job reaches every GPU of the node',
        seen: seen(symptom, cause, gpus, wide, given),
        remedies,
        missing: proof === undefined ? [missing('slurm.gpus', 'srun --gres=gpu:1 nvidia-smi -L')] : [],
        weight: 4,
      };
    }
    if (gpus !== undefined || wide !== undefined) {
      const lead = (gpus ?? wide)!;
      return {
        kind: 'fault',
        certainty: 'likely',
        message:
          gpus === undefined
            ? `the job was given ${allocated!} GPU${allocated === 1 ? '' : 's'} and sees ${count!.value}`
            : `the job asked for ${gpus.value.asked} GPU${gpus.value.asked === 1 ? '' : 's'} and sees ${gpus.value.sees}`,
        seen: seen(lead, given, symptom),
        remedies,
        missing: [
          missing(
            'slurm.setting',
            'grep -i ConstrainDevices /etc/slurm/cgroup.conf; scontrol show config | grep TaskPlugin',
          ),
        ],
        weight: 2,
      };
    }
    if (even !== undefined)
      return { kind: 'cleared', because: 'the job sees as many GPUs as it asked for', seen: seen(even) };
    if (symptom === undefined || slurm === undefined || !/invalid-device-ordinal|gres-bind/.test(symptom.id))
      return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: 'possible',
      message: 'the device number does not fit the GPUs that Slurm gave',
      seen: seen(symptom, slurm),
      remedies,
      missing: [
        missing('slurm.setting', 'grep -i ConstrainDevices /etc/slurm/cgroup.conf; srun --gres=gpu:1 nvidia-smi -L'),
      ],
    };
  },
});
