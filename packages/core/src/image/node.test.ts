import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fact } from '../model/facts.ts';
import { isNodeText, nodeKeys, nodeLabel, nodeOfText, nodesOfValue, onOf } from './node.ts';
import { nodeOfFacts } from './node-of-facts.ts';

describe('--on in words', () => {
  it('reads every key', () => {
    const text =
      'driver=535.104.05,gpu=NVIDIA H100 80GB HBM3,flavour=open,toolkit=v1.17.8,mode=legacy,docker=29.0.0,start=gpus,cuda-compat-mode=hook,disable-require=true,libdir=/usr/lib64/,entrypoint=replaced,platform=x86_64,library=535.183.01,cdi-spec=535.104.05,started=before,runtime=nvidia,device-list=cdi-cri';
    expect(nodeOfText(text, '--on').nodes).toEqual([
      {
        driver: '535.104.05',
        gpu: 'NVIDIA H100 80GB HBM3',
        flavour: 'open',
        toolkit: '1.17.8',
        mode: 'legacy',
        docker: '29.0.0',
        start: 'gpus',
        cudaCompatMode: 'hook',
        disableRequire: true,
        libdir: '/usr/lib64',
        entrypoint: 'replaced',
        platform: 'linux/amd64',
        library: '535.183.01',
        cdiSpec: '535.104.05',
        started: 'before',
        runtime: 'nvidia',
        deviceList: 'cdi-cri',
      },
    ]);
  });

  it('gives the keys back as they are written', () => {
    const [node] = nodeOfText('driver=535,cuda-compat-mode=mount,disable-require', '--on').nodes;
    expect(onOf(node!)).toEqual({ driver: '535', 'cuda-compat-mode': 'mount', 'disable-require': true });
    expect(nodeLabel(node!)).toBe('driver 535, cuda-compat-mode mount, disable-require');
  });

  it.each([
    ['drver=535', 'drver', 'did you mean driver?'],
    ['driver=new', 'driver', null],
    ['mode=fast', 'mode', 'legacy, csv, cdi, jit-cdi, auto, none'],
    ['toolkit=latest', 'toolkit', null],
    ['libdir=usr/lib', 'libdir', null],
    ['driver=535,driver=550', 'driver', null],
    ['disable-require=perhaps', 'disable-require', 'true or false'],
    ['gpu=', 'gpu', null],
    ['', null, null],
  ])('%s is told with its key', (text, key, hint) => {
    const { nodes, errors } = nodeOfText(text, '--on');
    expect(nodes).toEqual([]);
    expect(errors[0]).toMatchObject({ place: '--on', key });
    if (hint !== null) expect(errors[0]?.hint).toBe(hint);
  });

  it.each([
    ['driver=535', true],
    ['cuda-compat-mode=hook', true],
    ['pool.yaml', false],
    ['./a=b/pool.yaml', false],
    ['node/gpu-1', false],
  ])('%s looks like keys: %s', (text, keys) => expect(isNodeText(text)).toBe(keys));

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(fc.constantFrom(...nodeKeys, '=', ',', '535', 'legacy')).map((all) => all.join('')),
        ),
        (text) => {
          nodeOfText(text, '--on');
        },
      ),
    );
    fc.assert(fc.property(fc.jsonValue(), (value) => void nodesOfValue(value, 'file')));
  });
});

describe('a file of nodes', () => {
  it('is a list, nodes by name, or one node', () => {
    expect(nodesOfValue([{ driver: '535.1' }, 'gpu=H100'], 'f').nodes).toEqual([{ driver: '535.1' }, { gpu: 'H100' }]);
    expect(nodesOfValue({ nodes: { a: { gpu: 'H100' } }, defaults: { toolkit: '1.18.1' } }, 'f').nodes).toEqual([
      { name: 'a', gpu: 'H100', toolkit: '1.18.1' },
    ]);
    expect(nodesOfValue({ gpu: 'H100', 'disable-require': true }, 'f').nodes).toEqual([
      { gpu: 'H100', disableRequire: true },
    ]);
    expect(nodesOfValue({ gpu: 'H100', disable_require: false, cudaCompatMode: 'hook' }, 'f').nodes[0]).toMatchObject({
      disableRequire: false,
      cudaCompatMode: 'hook',
    });
  });

  it('has no more nodes than a table can show', () => {
    const many = Array.from({ length: 10_001 }, () => ({ driver: '535.104.05' }));
    for (const value of [
      many,
      { nodes: many },
      { nodes: Object.fromEntries(many.map((each, at) => [`n${at}`, each])) },
      { kind: 'List', items: many },
    ]) {
      const read = nodesOfValue(value, 'pool.yaml');
      expect([read.nodes.length, read.errors.length]).toEqual([0, 1]);
    }
  });

  it('names the node and the key that is wrong', () => {
    expect(
      nodesOfValue(
        {
          nodes: [
            { name: 'a', driver: '535.1' },
            { name: 'b', gpo: 'H100' },
          ],
        },
        'pool.yaml',
      ).errors,
    ).toEqual([
      { place: 'pool.yaml: node 2 (b)', key: 'gpo', message: 'there is no key "gpo"', hint: 'did you mean gpu?' },
    ]);
    expect(nodesOfValue([{ driver: 550.9 }], 'f').errors[0]).toMatchObject({
      key: 'driver',
      hint: 'in quotes: "550.9"',
    });
    expect(nodesOfValue([{ gpu: ['H100'] }], 'f').errors[0]?.key).toBe('gpu');
    expect(nodesOfValue('x', 'f').errors).toHaveLength(1);
    expect(nodesOfValue({ nods: [] }, 'f').errors[0]?.key).toBe('nods');
  });

  it('reads the labels of a node of Kubernetes', () => {
    const node = {
      kind: 'Node',
      metadata: {
        name: 'gpu-1',
        labels: {
          'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-40GB-MIG-1g.5gb',
          'nvidia.com/cuda.driver-version.full': '535.104.05',
          'kubernetes.io/arch': 'amd64',
        },
      },
      status: { nodeInfo: { architecture: 'amd64', containerRuntimeVersion: 'containerd://1.7.20' } },
    };
    const read = { name: 'gpu-1', driver: '535.104.05', gpu: 'NVIDIA A100 SXM4 40GB', platform: 'linux/amd64' };
    expect(nodesOfValue(node, 'node/gpu-1').nodes).toEqual([read]);
    expect(nodesOfValue({ kind: 'List', items: [node] }, 'nodes').nodes).toEqual([read]);
    const old = {
      kind: 'Node',
      metadata: {
        labels: {
          'nvidia.com/cuda.driver.major': '470',
          'nvidia.com/cuda.driver.minor': '57',
          'nvidia.com/cuda.driver.rev': '02',
        },
      },
    };
    expect(nodesOfValue(old, 'n').nodes).toEqual([{ driver: '470.57.02' }]);
  });
});

describe('a snapshot as a node', () => {
  const fact = (id: string, value: unknown, told = false): Fact =>
    ({ id, value, told, seen: [], order: 0, command: null }) as unknown as Fact;
  it('takes what it shows', () => {
    const node = nodeOfFacts(
      [
        fact('driver.module', '570.124.06'),
        fact('driver.library', '570.133.20'),
        fact('gpu.name', 'NVIDIA H100 80GB HBM3'),
        fact('driver.flavour', 'open'),
        fact('container.toolkit-version', '1.17.8'),
        fact('os.arch', 'x86_64'),
        fact('container.engine', { name: 'Docker', version: '28.5.2' }),
        fact('loader.cache', { soname: 'libcuda.so.1', path: '/usr/lib/x86_64-linux-gnu/libcuda.so.570.133.20' }),
        fact('container.toolkit-setting', { section: 'nvidia-container-runtime', key: 'mode', value: 'legacy' }),
        fact('container.toolkit-setting', {
          section: 'nvidia-container-runtime.modes.legacy',
          key: 'cuda-compat-mode',
          value: 'mount',
        }),
      ],
      'gpu-1',
    );
    expect(node).toEqual({
      name: 'gpu-1',
      driver: '570.124.06',
      library: '570.133.20',
      gpu: 'NVIDIA H100 80GB HBM3',
      flavour: 'open',
      toolkit: '1.17.8',
      platform: 'linux/amd64',
      docker: '28.5.2',
      libdir: '/usr/lib/x86_64-linux-gnu',
      mode: 'legacy',
      cudaCompatMode: 'mount',
    });
  });

  it('leaves out what it shows with two values, or what was only told', () => {
    expect(
      nodeOfFacts([fact('gpu.name', 'A100'), fact('gpu.name', 'H100'), fact('driver.module', '535.1', true)], null),
    ).toEqual({});
  });
});
