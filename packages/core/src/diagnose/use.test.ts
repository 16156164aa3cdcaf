// One kind of input alone: `ok` is said only where it can show trouble.
import { describe, expect, it } from 'vitest';
import { defaultKnowledge } from '../knowledge/knowledge.ts';
import type { Verdict } from '../model/verdict.ts';
import { SeriesSet } from '../utilization/series-set.ts';
import { SeriesIntake } from './series-intake.ts';
import { examineUse } from './use.ts';

function used(text: string): Verdict {
  const set = new SeriesSet();
  const intake = new SeriesIntake(set, 'input');
  intake.push(text);
  const documents = intake.end();
  return examineUse('unusable' in documents ? [] : documents, defaultKnowledge, set);
}

const rows = (count: number, row: string): string => `${row}\n`.repeat(count);
const dmon = (columns: string, row: string, count = 60): string => `# gpu ${columns}\n${rows(count, row)}`;
const query = (columns: string, row: string, count = 40): string =>
  `timestamp, index, ${columns}\n${Array.from({ length: count }, (_, t) => `2026/03/03 14:02:${String(t % 60).padStart(2, '0')}.000, 0, ${row}\n`).join('')}`;
const apps = 'gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n';
const uuid = 'GPU-5f2a1c3e-5528-4d1f-8d02-6a7b13cc9f40';
const smi = (block: string): string =>
  `==============NVSMI LOG==============\n\nTimestamp                                 : Tue Mar  3 14:00:00 2026\nDriver Version                            : 580.95.05\nCUDA Version                              : 13.0\n\nAttached GPUs                             : 1\nGPU 00000000:19:00.0\n${block}`;

describe('an input that does not say how a GPU is used', () => {
  it.each([
    ['a list of processes', `${apps}${uuid}, 4711, python3, 40000 MiB\n`, 'query-compute-apps'],
    ['a list of processes without a reading', `${apps}${uuid}, 4711, [Not Found], [N/A]\n`, 'query-compute-apps'],
    ['a list that names none', apps, 'nvidia-smi dmon'],
    ['pmon', '# gpu  pid type sm mem command\n    0 4711 C 97 40 python3\n', 'nvidia-smi dmon'],
    ['pmon of idle GPUs', '# gpu  pid type sm mem command\n    0 - - - - -\n', 'nvidia-smi dmon'],
    ['a kernel log without errors', '[    5.18] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  580.95.05\n', 'dmon'],
    ['one look at a GPU', query('utilization.gpu [%], power.draw [W]', '99 %, 650.00 W', 1), 'dmon'],
    ['nvidia-smi -q', smi('    Utilization\n        Gpu                               : 0 %\n'), 'dmon'],
    ['one row of dmon', dmon('pwr gtemp sm mem', ' 0 650 60 99 45', 1), 'dmon'],
    ['the head of dmon', dmon('pwr gtemp sm mem', '', 0), 'dmon'],
    ['the head of a query', query('utilization.gpu [%]', '', 0), 'dmon'],
    ['columns of memory', dmon('fb bar1', ' 0 60000 2'), 'dmon -s pucmt'],
    ['a query of memory', query('memory.used [MiB], memory.total [MiB]', '60000 MiB, 81559 MiB'), 'dmon -s pucmt'],
    ['watts and heat', dmon('pwr gtemp', ' 0 650 66'), 'dmon -s pucmt'],
    ['clocks', dmon('mclk pclk', ' 0 2619 1980'), 'dmon -s pucmt'],
    ['error counters', dmon('sbecc dbecc pci', ' 0 0 0 0'), 'dmon -s pucmt'],
    ['violations', dmon('pviol tviol', ' 0 0 0'), 'dmon -s pucmt'],
    ['columns without a value', dmon('pwr gtemp sm mem', ' 0 - - - -'), 'dcgmi dmon'],
    ['a query without a value', query('utilization.gpu [%], power.draw [W]', '[N/A], [N/A]'), 'dcgmi dmon'],
    ['dcgmi without a value', `#Entity   GPUTL  SMACT\nID\n${rows(30, 'GPU 0     N/A    N/A')}`, 'dcgmi dmon'],
    ['one scrape', `DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="${uuid}"} 0\n`, 'dmon'],
    ['comments of an exporter', '# HELP DCGM_FI_DEV_GPU_UTIL GPU utilization (in %).\n', 'dmon'],
    [
      'a version',
      'NVIDIA-SMI version  : 580.95.05\nNVML version        : 580.95\nDRIVER version      : 580.95.05\n',
      'dmon',
    ],
    ['words', 'the GPU is slow\n', 'dmon'],
    ['nothing', '\n', 'dmon'],
  ])('cannot tell, and asks for what would: %s', (_, text, ask) => {
    const { status, unknown, findings } = used(text);
    expect([status, findings]).toEqual(['cannot-tell', []]);
    expect(unknown[0]?.ask).toContain(ask);
    expect(unknown.flatMap(({ missing }) => missing).every((each) => each.includes(' '))).toBe(true);
  });
});

describe('an input that shows something by itself', () => {
  it.each([
    ['a lost GPU', query('utilization.gpu [%]', '[GPU is lost]'), 'fault gpu-fell-off-bus-power'],
    [
      'an Xid',
      '[ 12.5] NVRM: Xid (PCI:0000:19:00): 79, pid=4711, name=python3, GPU has fallen off the bus.\n',
      'fault gpu-fell-off-bus-power',
    ],
    ['heat that holds clocks down', dmon('pwr gtemp pviol tviol', ' 0 300 91 0 1'), 'fault thermal-throttle'],
    ['an idle GPU', dmon('pwr gtemp sm mem', ' 0 72 35 0 0'), 'ok ok-idle'],
    ['one GPU of eight that works', dmon('pwr gtemp sm mem mclk', ' 3 620 60 99 45 2619'), 'ok ok-well-used'],
    ['a desktop', dmon('pwr gtemp sm mem mclk fb', ' 0 80 40 5 1 2619 600'), 'ok ok-idle'],
  ])('is told: %s', (_, text, words) => {
    const { status, cause } = used(text);
    expect(`${status} ${cause}`).toBe(words);
  });
});
