import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, noGpu, noGpuConsequences, own, said, seen } from '../container-runtime/_container.ts';
import { stoppedAt } from './_link.ts';

export const visibleDevicesEmptyByScheduler: Rule = defineRule({
  id: 'orchestrator/visible-devices-empty-by-scheduler',
  summary: 'The scheduler hides every GPU from a task that asked for none',
  needs: [],
  anyOf: [
    'said.pt-no-gpus-available',
    'said.cuda-no-device',
    'torch.cuda-available',
    'framework.devices',
    'said.pt-no-driver',
    'said.ggml-no-devices',
    'said.vllm-infer-device',
    'said.smi-no-devices-found',
    'k8s.link',
  ],
  uses: ['env', 'said.ray-hides-gpus', 'lsf.submitted'],
  citations: ['ray-accelerators', 'slurm-gres', 'k8s-gpus'],
  explains: [
    ...noGpuConsequences,
    'container-runtime/visible-devices-not-set',
    'container-runtime/k8s-default-runtime-not-nvidia',
    'container-runtime/container-toolkit-not-configured',
  ],
  check(_facts, context) {
    // Most pods want no GPU: only one that looks for one and finds none lacks it.
    const pod = stoppedAt(context, 'visible-devices-empty-by-scheduler');
    const blind = pod === undefined ? undefined : noGpu(context)[0];
    if (pod !== undefined && blind !== undefined)
      return {
        kind: 'fault',
        certainty: byPrint(blind, pod),
        message: `the program looks for a GPU, and no container of pod ${pod.value.pod} asks for one`,
        seen: seen(blind, pod),
        remedies: [
          {
            actor: 'developer',
            do: 'ask for GPUs in the limits of the container',
            command: 'resources: { limits: { nvidia.com/gpu: 1 } }',
          },
        ],
        weight: 5,
      };
    const batch = own(context, 'lsf.submitted').find((fact) => !fact.value.gpus);
    const symptom =
      [
        ...said(context, 'pt-no-gpus-available'),
        ...said(context, 'cuda-no-device'),
        ...said(context, 'ggml-no-devices'),
        ...said(context, 'vllm-infer-device'),
        ...said(context, 'pt-no-driver'),
        ...said(context, 'smi-no-devices-found').filter(
          (fact) => unasked(fact.command) || (batch !== undefined && batch.order < fact.order),
        ),
      ][0] ??
      own(context, 'torch.cuda-available').find((fact) => !fact.value) ??
      own(context, 'framework.devices').find((fact) => fact.value === 0);
    if (symptom === undefined) return { kind: 'silent' };
    const values = own(context, 'env').filter((fact) => fact.value.name === 'CUDA_VISIBLE_DEVICES');
    const empty = values.find((fact) => /^(?:|-1|NoDevFiles|none|void)$/i.test(fact.value.value.trim()));
    const ray = said(context, 'ray-hides-gpus')[0];
    const rayLine =
      ray ??
      [symptom, ...values].find((fact) =>
        fact.seen.some((each) => /\((?:\w{1,60}) pid=\d{1,9}(?:, ip=[\d.]{7,15})?\)|\bray::/.test(each.text)),
      );
    const slurm =
      own(context, 'env').find((fact) => /^SLURM_/.test(fact.value.name) && fact.value.value !== '') ??
      said(context, 'slurm-invalid-gres')[0] ??
      said(context, 'slurm-no-gpu-allocated')[0] ??
      batch;
    const step = own(context, 'slurm.gpus').find((fact) => fact.value.sees > 0);
    const remedies = [
      {
        actor: 'developer',
        do: 'ask the scheduler for a GPU in the task that uses one',
        command:
          rayLine !== undefined
            ? '@ray.remote(num_gpus=1)'
            : batch !== undefined
              ? 'bsub -gpu "num=1" …'
              : 'srun --gres=gpu:1 …',
      },
      { actor: 'developer', do: 'or keep GPU calls out of the task that asks for none' },
    ] as const;
    if (empty !== undefined) {
      const value = empty.value.value.trim();
      const scheduler =
        rayLine ?? slurm ?? (value === 'NoDevFiles' || unasked(empty.command) ? (step ?? empty) : undefined);
      const byHand = empty.seen.every(
        (each) =>
          /^\S{0,80}[$#%>] |^\s{0,8}export |^\s{0,8}(?:ENV|set|setenv) /.test(each.text) &&
          !/echo|printenv|env\b/.test(each.text),
      );
      if (scheduler === undefined && byHand) return { kind: 'silent' };
      const exact =
        value !== '' ||
        (unasked(empty.command) && step !== undefined) ||
        empty.seen.some((each) => /environ|VISIBLE_DEVICES['"]:|=\s{0,2}$|=['"]{2}|-> {0,2}['"]{2}/.test(each.text));
      return {
        kind: 'fault',
        certainty:
          scheduler === undefined ? (exact ? 'likely' : 'possible') : exact ? byPrint(symptom, empty) : 'likely',
        message: `CUDA_VISIBLE_DEVICES is ${value === '' ? 'empty' : `"${value}"`} in the process, so CUDA counts no GPU`,
        seen: seen(symptom, empty, scheduler),
        remedies,
        missing:
          scheduler === undefined
            ? [missing('said.ray-hides-gpus', 'grep -rn "ray.remote\\|num_gpus\\|--gres\\|--gpus" .')]
            : [],
        weight: 4,
      };
    }
    const nothing = said(context, 'slurm-no-gpu-allocated')[0];
    if (values.length === 0 && nothing !== undefined)
      return {
        kind: 'fault',
        certainty: byPrint(symptom, nothing),
        message: 'the job has no GPU: it asked Slurm for none',
        seen: seen(symptom, nothing),
        remedies,
        weight: 4,
      };
    if (values.length > 0)
      return { kind: 'cleared', because: `CUDA_VISIBLE_DEVICES is ${values[0]!.value.value}`, seen: seen(values[0]) };
    if (rayLine === undefined || !/no-gpus|no-device|torch\.cuda/.test(symptom.id)) return { kind: 'silent' };
    const bare = said(context, 'ray-hides-gpus').find((fact) =>
      fact.seen.some((each) => /@ray\.remote(?!\(.{0,200}num_gpus)/.test(each.text)),
    );
    const idle = said(context, 'ray-gpus-idle')[0] ?? own(context, 'driver.answers')[0];
    const zero = ray?.value.captures['gpus'] !== undefined ? ray : undefined;
    return {
      kind: 'fault',
      certainty: zero !== undefined || bare !== undefined || idle !== undefined ? 'likely' : 'possible',
      message: 'a Ray task finds no GPU; Ray hides them from tasks that ask for none',
      seen: seen(symptom, rayLine, bare, idle),
      remedies,
      missing: [
        missing('env', 'python -c "import os; print(repr(os.environ.get(\'CUDA_VISIBLE_DEVICES\')))"   # in the task'),
      ],
      weight: 2,
    };
  },
});

/** A step of Slurm that asks for no GPU. */
function unasked(command: string | null | undefined): boolean {
  return /\bsrun\b/.test(command ?? '') && !/--gres|--gpus|--tres-per|\s-G\s?\d/.test(command ?? '');
}
