// Python environments, DKMS trees and services as the probe lists them, without running anything of theirs.
//
// @ python-packages ls /opt/venv/lib/python3.12/site-packages
// |# /opt/venv/lib/python3.12/site-packages
// |torch-2.7.0+cu128.dist-info
// |torch/version.py: cuda: Optional[str] = '12.8'
// |nvidia/cudnn/lib/libcudnn.so.9
// @ conda-packages ls /opt/conda/conda-meta
// |pytorch-2.1.0-py3.10_cuda12.1_cudnn8.9.2_0.json
// @ dkms ls -d /var/lib/dkms/nvidia*/*/*/*
// |/var/lib/dkms/nvidia/580.95.05/6.8.0-45-generic/x86_64
// @ services systemctl show -p Id,LoadState,ActiveState,SubState,Result nvidia-fabricmanager …
// |Id=nvidia-fabricmanager.service
// |LoadState=not-found
// |ActiveState=inactive
// @ infiniband cat /sys/class/infiniband/*/ports/*/{state,phys_state,rate,link_layer}
// |mlx5_0/1, state: 4: ACTIVE, phys_state: 5: LinkUp, rate: 400 Gb/sec (4X NDR), link_layer: InfiniBand
import type { FactValues } from '../model/facts.ts';
import type { FactSink, Parser } from './parser.ts';
import type { Block } from './blocks.ts';
import { blocksOf, filled } from './blocks.ts';
import { addPackage, normalName } from './python-packages.ts';
import { cudaMinor, fullDriverRelease } from './releases.ts';

export const probePython: Parser = {
  id: 'python-packages',
  literals: ['.dist-info', '.egg-info', '.json'],
  parse(document, _hits, sink) {
    const blocks = blocksOf(document);
    const subject = environmentsOfSubject(blocks);
    for (const block of blocks) {
      if (pythonFolder.test(block.command)) readEnvironment(block, subject.has(block), sink);
      else if (/^ls \/\S{1,400}\/conda-meta$/.test(block.command)) readConda(block, sink);
    }
  },
};

const pythonFolder = /^ls \/\S{1,400}\/(?:site|dist)-packages$/;
const torchFile = /^torch\/version\.py: (__version__|cuda)\b.{0,40}?= (?:'([^']{1,60})'|(None))/;

/**
 * The environments whose torch is that of the subject: those that its variables name; without such, all of them where
 * they have the same torch. A machine may have many, of which a program uses one.
 */
function environmentsOfSubject(blocks: readonly Block[]): ReadonlySet<Block> {
  const torchOf = (block: Block): string =>
    filled(block.output)
      .map((line) => line.clean.trimEnd())
      .filter((text) => torchFile.test(text) || /^torch-\d/.test(text))
      .join('\n');
  const having = blocks.filter((block) => pythonFolder.test(block.command) && torchOf(block) !== '');
  const prefixes = blocks
    .filter((block) => block.command.startsWith('env | grep '))
    .flatMap((block) =>
      filled(block.output).flatMap(
        (line) => /^(?:VIRTUAL_ENV|CONDA_PREFIX)=(\/[^:]{1,400})$/.exec(line.clean.trim())?.[1] ?? [],
      ),
    );
  const named = having.filter((block) => prefixes.some((prefix) => block.command.startsWith(`ls ${prefix}/`)));
  if (named.length > 0) return new Set(named);
  return new Set(having.map(torchOf)).size === 1 ? new Set(having) : new Set();
}

function readEnvironment(block: Block, ofSubject: boolean, sink: FactSink): void {
  const folder = block.command.slice(3);
  for (const line of filled(block.output)) {
    const text = line.clean.trimEnd();
    const info = /^([A-Za-z0-9][\w.]{0,80})-(\d[\w.!+]{0,80})(?:-py\d\.\d{1,2})?\.(?:dist|egg)-info$/.exec(text);
    if (info !== null) {
      const found = { name: normalName(info[1]!), version: info[2]!, manager: 'pip' } as const;
      if (ofSubject || found.name !== 'torch') addPackage(found, line, sink);
      else sink.add('package', found, line);
      continue;
    }
    const torch = torchFile.exec(text);
    if (torch !== null) {
      if (!ofSubject) continue;
      if (torch[1] === 'cuda') {
        const cuda = torch[3] === undefined ? cudaMinor(torch[2]) : null;
        if (cuda !== null || torch[3] !== undefined) sink.add('torch.cuda', cuda, line);
      } else if (torch[2] !== undefined && /^\d{1,2}\.\d/.test(torch[2])) sink.add('torch.version', torch[2], line);
      continue;
    }
    if (/^[\w./+-]{3,300}\.so[\w.]{0,30}$/.test(text)) sink.add('file.exists', `${folder}/${text}`, line);
  }
}

function readConda(block: Block, sink: FactSink): void {
  for (const line of filled(block.output)) {
    const match = /^([a-z0-9][a-z0-9._+-]{0,80})-(\d[\w.!+]{0,60})-(\w[\w.]{0,100})\.json$/.exec(line.clean.trim());
    if (match !== null)
      addPackage({ name: normalName(match[1]!), version: match[2]!, manager: 'conda', build: match[3]! }, line, sink);
  }
}

export const probeDkms: Parser = {
  id: 'dkms-tree',
  literals: ['/var/lib/dkms/nvidia'],
  parse(document, _hits, sink) {
    for (const block of blocksOf(document)) {
      if (!block.command.startsWith('ls -d /var/lib/dkms/nvidia')) continue;
      for (const line of filled(block.output)) {
        const match =
          /^\/var\/lib\/dkms\/(nvidia[\w-]{0,30})\/(\d{3}\.[\d.]{1,12})\/(\d{1,2}\.[^/\s]{1,100})\/\w{3,12}$/.exec(
            line.clean.trim(),
          );
        const version = fullDriverRelease(match?.[2]);
        if (match === null || version === null) continue;
        sink.add('driver.dkms', { module: match[1]!, version, kernel: match[3]!, state: 'built' }, line);
      }
    }
  },
};

export const probeServices: Parser = {
  id: 'services',
  literals: ['activestate=', '-fabricmanager', 'nvidia-imex', 'nvidia-persiste', 'nv-hostengine', 'nvidia-cuda-mps'],
  parse(document, _hits, sink) {
    for (const block of blocksOf(document)) {
      if (/^systemctl show -p Id,/.test(block.command)) readUnits(block, sink);
      else if (/^ps -eo comm \| grep -E 'nvidia-persiste/.test(block.command)) readDaemons(block, sink);
    }
  },
};

function readUnits(block: Block, sink: FactSink): void {
  let unit: string | null = null;
  let loaded = '';
  for (const line of filled(block.output)) {
    const [key, value] = line.clean.trim().split('=', 2) as [string, string | undefined];
    if (value === undefined) continue;
    if (key === 'Id') {
      unit = value.replace(/\.service$/, '');
      loaded = '';
    } else if (key === 'LoadState') loaded = value;
    else if (key === 'ActiveState' && unit !== null && /^[\w@.-]{1,100}$/.test(unit)) {
      const state = loaded === 'not-found' ? 'missing' : value === 'active' || value === 'failed' ? value : 'inactive';
      sink.add('os.service', { unit, state }, line);
    }
  }
}

const unitOfDaemon: readonly (readonly [RegExp, string])[] = [
  [/^nv-fabricmanag/, 'nvidia-fabricmanager'],
  [/^nvidia-imex/, 'nvidia-imex'],
  [/^nvidia-persiste/, 'nvidia-persistenced'],
  [/^nv-hostengine/, 'nvidia-dcgm'],
  // The kernel cuts names off at 15 characters: control daemon and server look the same.
  [/^nvidia-cuda-mps/, 'nvidia-cuda-mps'],
];

function readDaemons(block: Block, sink: FactSink): void {
  for (const line of filled(block.output)) {
    const name = /^\d{1,9} (\S{1,40})$/.exec(line.clean.trim())?.[1];
    const unit = unitOfDaemon.find(([pattern]) => name !== undefined && pattern.test(name))?.[1];
    if (unit !== undefined) sink.add('os.service', { unit, state: 'active' }, line);
  }
}

export const probePorts: Parser = {
  id: 'infiniband-sysfs',
  literals: [', state: '],
  parse(document, _hits, sink) {
    for (const block of blocksOf(document)) {
      if (!block.command.startsWith('cat /sys/class/infiniband/')) continue;
      for (const line of filled(block.output)) {
        const [place, ...parts] = line.clean.trim().split(', ');
        const match = /^([\w.-]{2,40})\/(\d{1,3})$/.exec(place ?? '');
        if (match === null) continue;
        const of = (key: string): string | null => {
          const part = parts.find((each) => each.startsWith(`${key}: `));
          return part === undefined ? null : part.slice(key.length + 2).replace(/^\d{1,2}: /, '');
        };
        const state = of('state');
        const rate = /^\d{1,6}/.exec(of('rate') ?? '')?.[0];
        const port: FactValues['ib.port'] = {
          device: match[1]!,
          port: Number(match[2]),
          state: state === null ? null : stateWord(state),
          physical: of('phys_state'),
          rate: rate === undefined ? null : Number(rate),
          layer: of('link_layer'),
          interface: null,
          mtu: null,
        };
        sink.add('ib.port', port, line);
      }
    }
  },
};

function stateWord(text: string): string | null {
  const word = text.toLowerCase();
  if (word.startsWith('init')) return 'Initializing';
  return /^[a-z_]{2,20}$/.test(word) ? word.charAt(0).toUpperCase() + word.slice(1) : null;
}
