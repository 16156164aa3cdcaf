import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, noGpuConsequences, own, said, seen } from '../container-runtime/_container.ts';

export const migVisibleDevicesWrong: Rule = defineRule({
  id: 'application/mig-visible-devices-wrong',
  summary: 'A process can use one MIG device only, and is not pinned to the right one',
  needs: [],
  anyOf: [
    'said.cuda-invalid-device-ordinal',
    'said.cuda-no-device',
    'said.pt-no-gpus-available',
    'said.mig-no-devices',
    'said.nccl-duplicate-gpu',
    'said.ncc-unknown-device',
    'program.exception',
    'torch.cuda-available',
  ],
  uses: ['gpu.mig-device', 'env', 'gpu.state'],
  citations: ['mig-user-guide'],
  explains: [
    ...noGpuConsequences,
    'said.cuda-*',
    'said.nccl-*',
    'said.ncc-*',
    'orchestrator/slurm-devices-not-constrained',
    'orchestrator/visible-devices-empty-by-scheduler',
  ],
  check(_facts, context) {
    const migs = own(context, 'gpu.mig-device');
    const enabled =
      own(context, 'gpu.state').find((fact) => fact.value.mig?.toLowerCase() === 'enabled') ??
      own(context, 'gpu.state').find((fact) => /^MIG\b|MIG (?:mode)? ?enabled/i.test(fact.value.mig ?? ''));
    const noInstance = said(context, 'mig-no-devices')[0];
    const variable = own(context, 'env')
      .filter((fact) => /^(?:CUDA|NVIDIA)_VISIBLE_DEVICES$/.test(fact.value.name))
      .filter((fact) => fact.value.value !== '' && fact.value.value !== 'all');
    const asked = variable.find((fact) => fact.value.name === 'CUDA_VISIBLE_DEVICES') ?? variable[0];
    const ordinal = said(context, 'cuda-invalid-device-ordinal')[0];
    const none = [
      ...said(context, 'cuda-no-device'),
      ...said(context, 'pt-no-gpus-available'),
      ...own(context, 'torch.cuda-available').filter((fact) => !fact.value),
    ][0];
    const duplicate = said(context, 'nccl-duplicate-gpu')[0];
    const unknownDevice = said(context, 'ncc-unknown-device').find((fact) =>
      /^MIG-|^\d{1,2}:\d{1,2}$/.test(fact.value.captures['dev'] ?? ''),
    );
    const symptom = ordinal ?? duplicate ?? unknownDevice ?? none;
    const remedies = [
      {
        actor: 'developer',
        do: 'start one process for each MIG device and name it',
        command: 'CUDA_VISIBLE_DEVICES=MIG-UUID python …   # nvidia-smi -L lists them',
      },
      { actor: 'developer', do: 'MIG devices cannot be joined: for several GPUs in one process ask for whole GPUs' },
    ] as const;
    if (migs.length === 0) {
      if (noInstance !== undefined && none !== undefined) {
        return {
          kind: 'fault',
          certainty: byPrint(noInstance, none),
          message: 'MIG is on and has no instance, so CUDA sees no GPU',
          seen: seen(none, noInstance),
          remedies: [
            {
              actor: 'node-admin',
              do: 'make instances, or switch MIG off',
              command: 'nvidia-smi mig -cgi 9,9 -C   # or nvidia-smi -mig 0',
            },
          ],
          weight: 3,
        };
      }
      if (
        symptom === undefined ||
        (enabled === undefined && asked?.value.value.includes('MIG-') !== true && unknownDevice === undefined)
      )
        return { kind: 'silent' };
      return {
        kind: 'fault',
        certainty: 'possible',
        message: 'the process may name a MIG device that is not there, or more than one',
        seen: seen(symptom, asked, enabled),
        remedies,
        missing: [missing('gpu.mig-device', 'nvidia-smi -L; echo "[$CUDA_VISIBLE_DEVICES]"')],
        weight: 1,
      };
    }
    if (symptom === undefined) return { kind: 'silent' };
    const names = asked === undefined ? [] : asked.value.value.split(',').map((each) => each.trim());
    const uuids = migs.map((fact) => fact.value.uuid).filter((uuid): uuid is string => uuid !== null);
    const foreign = names.find(
      (name) =>
        name.startsWith('MIG-') && uuids.length > 0 && !uuids.some((uuid) => uuid === name || uuid.startsWith(name)),
    );
    const old = names.find((name) => /^MIG-GPU-/.test(name));
    const several = names.filter((name) => name.startsWith('MIG-')).length > 1;
    const whole = names.find((name) => name.startsWith('GPU-'));
    const single = names.length === 1 && names[0]!.startsWith('MIG-') && foreign === undefined;
    if (foreign !== undefined || old !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(symptom, asked, migs[0]),
        message: `${asked!.value.name} names ${foreign ?? old!}, which is no MIG device of this GPU`,
        seen: seen(symptom, asked, migs[0]),
        remedies,
        weight: 4,
      };
    }
    if (unknownDevice !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(unknownDevice, migs[0]),
        message: `the container asks for ${unknownDevice.value.captures['dev'] ?? 'a MIG device'}, which is not there`,
        seen: seen(unknownDevice, ...migs.slice(0, 2)),
        remedies,
        weight: 3,
      };
    }
    if (ordinal !== undefined || duplicate !== undefined) {
      return {
        kind: 'fault',
        certainty: byPrint(symptom, migs[0]),
        message: several
          ? `${asked!.value.name} names ${names.length} MIG devices, but a process can use only the first`
          : `the program asks for a second GPU, but a process sees one MIG device of the ${migs.length} there are`,
        seen: seen(symptom, ...migs.slice(0, 3), asked),
        remedies,
        weight: 4,
      };
    }
    if (
      whole !== undefined ||
      (names.length > 0 && !single && names.every((name) => /^\d{1,2}(?::\d{1,2}){0,2}$/.test(name)))
    ) {
      return {
        kind: 'fault',
        certainty: whole === undefined ? 'likely' : byPrint(symptom, asked, migs[0]),
        message: `${asked!.value.name} is ${asked!.value.value}; with MIG on it has to name a MIG device by its UUID`,
        seen: seen(symptom, asked, migs[0]),
        remedies,
        weight: 3,
      };
    }
    if (single) return { kind: 'cleared', because: 'the process is pinned to one MIG device', seen: seen(asked) };
    return {
      kind: 'fault',
      certainty: 'possible',
      message: 'MIG is on; the process may not name one of its devices',
      seen: seen(symptom, migs[0]),
      remedies,
      missing: [missing('env', 'env | grep VISIBLE_DEVICES')],
    };
  },
});
