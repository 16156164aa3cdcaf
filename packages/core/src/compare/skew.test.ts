import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Subject } from './subject.ts';
import { createDocument } from '../text/document.ts';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import { skewOf } from './skew.ts';
import { subjectOf } from './subject.ts';

interface Node {
  readonly driver?: string;
  readonly imex?: string;
  readonly manager?: string;
  readonly cluster?: string;
  readonly clique?: string;
  readonly nccl?: string;
  readonly ports?: readonly string[];
}

/** A node as the probe shows it. */
function node(name: string, given: Node): Subject {
  const sections: (readonly [string, readonly string[]])[] = [
    ['sys-module-version cat /sys/module/nvidia/version', [given.driver ?? '580.95.05']],
    ...(given.imex === undefined
      ? []
      : [['imex-version nvidia-imex --version', [`IMEX version is: ${given.imex}`]] as const]),
    ...(given.manager === undefined
      ? []
      : [['dpkg dpkg -l', [`ii  nvidia-fabricmanager  ${given.manager}-1  amd64  NVIDIA Fabric Manager`]] as const]),
    ...(given.cluster === undefined
      ? []
      : [
          [
            'nvidia-smi-q nvidia-smi -q',
            [
              '==============NVSMI LOG==============',
              '',
              'Attached GPUs                             : 1',
              'GPU 00000008:01:00.0',
              '    Product Name                          : NVIDIA GB200',
              '    Fabric',
              '        State                             : Completed',
              '        Status                            : Success',
              `        CliqueId                          : ${given.clique ?? '1'}`,
              `        ClusterUUID                       : ${given.cluster}`,
            ],
          ] as const,
        ]),
    ...(given.nccl === undefined
      ? []
      : [['log python train.py', [`${name}:100:100 [0] NCCL INFO NCCL version ${given.nccl}+cuda12.8`]] as const]),
    ...(given.ports === undefined
      ? []
      : [['infiniband cat /sys/class/infiniband/*/ports/*/{state,phys_state,rate,link_layer}', given.ports] as const]),
  ];
  const text = [
    '@culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no',
    ...sections.flatMap(([head, lines]) => [`@ ${head}`, ...lines.map((line) => `|${line}`), '@= exit=0 ms=1']),
    `@culprit-end sections=${sections.length} ms=1`,
    '',
  ].join('\n');
  return subjectOf({ name, documents: [createDocument(text, { subject: name })] }, defaultKnowledge);
}

const port = (device: string, rate = 400, state = '4: ACTIVE'): string =>
  `${device}/1, state: ${state}, phys_state: 5: LinkUp, rate: ${rate} Gb/sec (4X NDR), link_layer: InfiniBand`;
const rack = '3b7d1c2e-8f0a-4c52-9a57-6e1f2d3c4b5a';
const other = 'c0ffee00-8f0a-4c52-9a57-6e1f2d3c4b5a';
const said = (nodes: readonly Subject[], job = false): readonly (readonly [string, string | null])[] =>
  skewOf(nodes, { job }).map((each) => [each.what, each.rule]);

describe('skewOf', () => {
  it.each<readonly [string, readonly Node[], boolean, readonly (readonly [string, string | null])[]]>([
    ['nothing where all are alike', [{}, {}, {}], false, []],
    ['nothing of one node', [{}], false, []],
    ['two releases of the driver', [{}, {}, { driver: '570.86.15' }], false, [['the driver’s kernel module', null]]],
    [
      'two releases of the fabric manager',
      [{ manager: '580.95.05' }, { manager: '580.82.07' }],
      false,
      [['the fabric manager', null]],
    ],
    [
      'two releases of IMEX in one NVLink domain',
      [
        { cluster: rack, imex: '580.95.05' },
        { cluster: rack, imex: '580.82.07' },
      ],
      false,
      [['IMEX', 'fabric/imex-not-ready']],
    ],
    [
      'two releases of the driver in one NVLink domain',
      [{ cluster: rack }, { cluster: rack, driver: '580.82.07' }],
      false,
      [['the driver’s kernel module', 'fabric/imex-not-ready']],
    ],
    [
      'two racks, each alike in itself, are said and no fault',
      [
        { cluster: rack, imex: '580.95.05' },
        { cluster: other, imex: '580.82.07' },
      ],
      false,
      [
        ['the NVLink domain', null],
        ['IMEX', null],
      ],
    ],
    [
      'the nodes of one job are in two domains',
      [{ cluster: rack }, { cluster: other }],
      true,
      [['the NVLink domain', 'fabric/nvlink-domain-not-ready']],
    ],
    [
      'the nodes of one job are in two partitions of one domain',
      [
        { cluster: rack, clique: '1' },
        { cluster: rack, clique: '2' },
      ],
      true,
      [['the NVLink domain', 'fabric/nvlink-domain-not-ready']],
    ],
    [
      'GPUs that are registered nowhere are in no domain',
      [{ cluster: '00000000-0000-0000-0000-000000000000' }, { cluster: rack }],
      true,
      [],
    ],
    [
      'NCCL of the ranks of one job',
      [{ nccl: '2.26.2' }, { nccl: '2.21.5' }],
      true,
      [['NCCL', 'nccl/nccl-version-differs-across-ranks']],
    ],
    ['NCCL of nodes that need not go together', [{ nccl: '2.26.2' }, { nccl: '2.21.5' }], false, [['NCCL', null]]],
    [
      'an adapter that is slower',
      [{ ports: [port('mlx5_0'), port('mlx5_1')] }, { ports: [port('mlx5_0'), port('mlx5_1', 100)] }],
      false,
      [['the ports of the network adapters', null]],
    ],
    [
      'an adapter that is missing',
      [{ ports: [port('mlx5_0'), port('mlx5_1')] }, { ports: [port('mlx5_0')] }],
      false,
      [
        ['the ports of the network adapters', null],
        ['the network adapters (rails)', null],
      ],
    ],
    [
      'rails of other names',
      [{ ports: [port('mlx5_0')] }, { ports: [port('mlx5_7')] }],
      false,
      [['the network adapters (rails)', null]],
    ],
  ])('%s', (_, given, job, expected) => {
    expect(
      said(
        given.map((each, at) => node(`gpu-${at}`, each)),
        job,
      ),
    ).toEqual(expected);
  });

  it('names who differs, the most frequent value first, with a line of each', () => {
    const nodes = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => node(name, name === 'd' ? { driver: '570.86.15' } : {}));
    const [skew] = skewOf(nodes);
    expect(skew!.values).toEqual([
      { value: '580.95.05', targets: ['a', 'b', 'c', 'e', 'f'] },
      { value: '570.86.15', targets: ['d'] },
    ]);
    expect(skew!.message).toContain('570.86.15 on d');
    expect(skew!.evidence.map((each) => each.text)).toEqual(['|580.95.05', '|570.86.15']);
  });

  it('is the same in every order', () => {
    const nodes = [
      node('a', { driver: '570.86.15', imex: '580.95.05', cluster: rack }),
      node('b', { imex: '580.82.07', cluster: rack }),
      node('c', { cluster: other, ports: [port('mlx5_0')] }),
      node('d', { ports: [port('mlx5_1')] }),
    ];
    const expected = said(nodes);
    fc.assert(
      fc.property(fc.shuffledSubarray(nodes, { minLength: 4 }), (shuffled) => {
        expect(said(shuffled)).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });
});
