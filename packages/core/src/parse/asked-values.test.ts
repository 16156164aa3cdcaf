import { describe, expect, it } from 'vitest';
import { table } from './testing.ts';

const cases: readonly (readonly [string, string, Readonly<Record<string, readonly unknown[] | undefined>>])[] = [
  [
    'the runtime of containerd by default',
    '$ sudo crictl info | jq \'.config.containerd.defaultRuntimeName\'\n"runc"\n',
    { 'container.default-runtime': ['runc'] },
  ],
  [
    'the CPU of a node and of an image',
    '$ kubectl get node n1 -o jsonpath=\'{.status.nodeInfo.architecture}\'\narm64\n$ docker image inspect a:1 | grep Arch\n        "Architecture": "amd64",\n',
    { 'os.arch': ['aarch64'], 'image.architecture': ['x86_64'] },
  ],
  [
    'a registry tells the CPU of an image',
    '$ skopeo inspect docker://reg/a:1 | grep -i arch\n    "Architecture": "arm64",\n',
    { 'image.architecture': ['aarch64'] },
  ],
  ['no GPU on the bus of another node', "$ ssh n1 'lspci | grep -ci nvidia'\n0\n", { 'pci.gpus-counted': [0] }],
  [
    'nodes of Slurm without GPUs',
    "$ sinfo -N -o '%N %G %t'\nNODELIST GRES STATE\nn1 (null) idle\nn2 gpu:4 idle\n",
    { 'slurm.node': [{ name: 'n1', state: 'idle', reason: null, gpus: 0, gpusUsed: null }] },
  ],
  [
    'claims and slices',
    '$ kubectl get resourceclaim -A\nNAMESPACE   NAME              STATE                AGE\nteam-a      train-gpu-6x2ml   allocated,reserved   3h\n$ kubectl get resourceslices\nNo resources found\n',
    {
      'k8s.resource-claim': [{ name: 'train-gpu-6x2ml', state: 'allocated,reserved' }],
      'k8s.resource-slices': [0],
    },
  ],
  [
    'a job of LSF without GPUs, and one with them',
    '$ bsub -q a ./t\nJob <1> is submitted to queue <a>.\n$ bsub -gpu "num=1" ./t\nJob <2> is submitted to queue <a>.\n',
    { 'lsf.submitted': [{ gpus: false }, { gpus: true }] },
  ],
  [
    'a script of LSF is not seen, so nothing is known of it',
    '$ bsub < job.lsf\nJob <3> is submitted to queue <a>.\n',
    { 'lsf.submitted': undefined },
  ],
  [
    'Apptainer with --nv before and behind its image',
    '$ apptainer exec --nv a.sif nvidia-smi\n$ singularity run a.sif --nv\n$ apptainer exec "$IMG" nvidia-smi\n',
    {
      'container.started': [
        { name: null, gpus: true },
        { name: null, gpus: false },
      ],
    },
  ],
  [
    'an image of a name is no value',
    '$ docker inspect web\n"Architecture of the site"\n',
    { 'image.architecture': undefined },
  ],
];

describe('asked values', () => {
  it.each(cases)('%s', (_, text, expected) => {
    const found = table(text);
    for (const [id, values] of Object.entries(expected)) expect(found[id]).toEqual(values);
  });
});
