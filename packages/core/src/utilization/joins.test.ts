import { describe, expect, it } from 'vitest';
import { findingsOf } from './findings.ts';
import { metricAt } from './gpu-series.ts';
import { SeriesReader } from './reader.ts';
import { SeriesSet } from './series-set.ts';
import { logTime } from './times.ts';

const uuids = ['GPU-0b9e41c7-5528-4d1f-8d02-6a7b13cc9f40', 'GPU-93c0d6aa-1f77-4e0b-b5b4-20d8e1f3a7c6'] as const;
const buses = ['00000000:19:00.0', '00000000:3B:00.0'] as const;

function read(...files: readonly string[]): SeriesSet {
  const set = new SeriesSet();
  files.forEach((text, at) => {
    const reader = new SeriesReader(set, `file-${at + 1}`);
    text.split('\n').forEach((line, number) => reader.line(line, number + 1));
    reader.end();
  });
  set.settle();
  return set;
}

const clock = (second: number): string => new Date(second * 1000).toISOString().slice(11, 19);
const seconds = Array.from({ length: 60 }, (_, at) => at);

/** dmon of one GPU from 14:00:00 on, with or without a date. */
function dmon(options: { readonly date?: string; readonly from?: number; readonly columns?: string } = {}): string {
  const { date, from = 14 * 3600, columns = '150 100 1' } = options;
  return [
    date === undefined ? '#Time gpu pwr sm mem' : '#Date Time gpu pwr sm mem',
    ...seconds.map((at) => ` ${date === undefined ? '' : `${date} `}${clock(from + at)} 0 ${columns}`),
  ].join('\n');
}

/** A query loop of one GPU by its UUID alone. */
function query(options: { readonly day?: string; readonly from?: number; readonly uuid?: string } = {}): string {
  const { day = '2026/03/03', from = 14 * 3600, uuid = uuids[0] } = options;
  return [
    'timestamp, uuid, utilization.gpu [%], clocks_event_reasons.active',
    ...seconds.map((at) => `${day} ${clock(from + at)}.123, ${uuid}, 100 %, 0x0000000000000004`),
  ].join('\n');
}

const state = (options: { readonly time?: string; readonly uuid?: boolean; readonly errors?: number } = {}): string =>
  [
    '',
    '==============NVSMI LOG==============',
    '',
    `Timestamp                                              : ${options.time ?? 'Tue Mar  3 14:00:30 2026'}`,
    'Attached GPUs                                          : 2',
    ...[0, 1].flatMap((gpu) => [
      `GPU ${buses[gpu]!}`,
      ...(options.uuid === false ? [] : [`    GPU UUID                                           : ${uuids[gpu]!}`]),
      '    Clocks Event Reasons',
      '        Idle                                           : Not Active',
      `        SW Power Cap                                   : ${gpu === 0 ? 'Active' : 'Not Active'}`,
      '        HW Power Brake Slowdown                        : Not Active',
      '    ECC Errors',
      '        Volatile',
      '            SRAM Correctable                           : 0',
      `            DRAM Uncorrectable                         : ${gpu === 0 ? (options.errors ?? 0) : 0}`,
      '        Aggregate',
      '            DRAM Uncorrectable                         : 99',
      '    GPU Power Readings',
      '        Power Draw                                     : 512.40 W',
      '        Current Power Limit                            : 700.00 W',
      '    Processes',
      '        GPU instance ID                                : N/A',
      `            Process ID                                 : ${gpu === 0 ? 1840021 : 1840388}`,
      '            Type                                       : C',
      '            Name                                       : /usr/bin/python3',
    ]),
    '',
  ].join('\n');

describe('names of a GPU', () => {
  it('are one once two of them stood in one line, whichever file came first', () => {
    const mapping = `index, uuid, pci.bus_id, memory.used [MiB]\n0, ${uuids[0]}, ${buses[0]}, 61204 MiB`;
    for (const files of [
      [query(), dmon({ date: '20260303' }), mapping],
      [mapping, query(), dmon({ date: '20260303' })],
    ]) {
      const set = read(...files);
      expect([...set.gpus.keys()]).toEqual(['0']);
      expect(set.gpus.get('0')!.all[metricAt('util')]!.count).toBe(120);
      // The same minute, seen twice, is a minute.
      expect(set.gpus.get('0')!.rows).toBe(60);
    }
  });

  it('are learned from nvidia-smi -q where it prints all GPUs', () => {
    const set = read(query(), state(), dmon({ date: '20260303' }));
    expect([...set.gpus.keys()]).toEqual(['0']);
    const some = read(
      query(),
      state().replace(
        'Attached GPUs                                          : 2',
        'Attached GPUs                                          : 8',
      ),
      dmon({ date: '20260303' }),
    );
    expect([...some.gpus.keys()].toSorted()).toEqual(['0', uuids[0]]);
  });

  it('are kept apart where one index has two UUIDs', () => {
    const of = (uuid: string): string =>
      `index, uuid, utilization.gpu [%]\n${seconds.map(() => `0, ${uuid}, 50 %`).join('\n')}`;
    expect([...read(of(uuids[0]), of(uuids[1])).gpus.keys()]).toEqual(['0', uuids[1]]);
  });

  it('of a hundred thousand GPUs are not kept, and that is said', () => {
    const rows = Array.from(
      { length: 100_000 },
      (_, at) => `GPU-${String(at).padStart(8, '0')}-5528-4d1f-8d02-6a7b13cc9f40, 100 %`,
    );
    const set = read(['uuid, utilization.gpu [%]', ...rows].join('\n'));
    expect(set.gpus.size).toBe(512);
    expect(set.left.join()).toMatch(/more than 512 GPUs/);
  });
});

describe('clocks', () => {
  const reasonsAt = metricAt('reasons');
  const withUtil = (set: SeriesSet): number =>
    set.gpus
      .get('0')!
      .history(reasonsAt)
      .filter((value) => value !== null).length;
  const named = `index, uuid, memory.used [MiB]\n0, ${uuids[0]}, 61204 MiB`;

  it('without a date are joined with dates where they fit one day', () => {
    for (const files of [
      [named, dmon(), query()],
      [named, query(), dmon()],
    ]) {
      const set = read(...files);
      expect(withUtil(set)).toBeGreaterThan(50);
      expect(set.gpus.get('0')!.grid.stretch).toBe(1);
      expect(set.left.join()).not.toMatch(/times of day/);
    }
  });

  it('without a date that fit no day are not joined, nothing is blurred, and it is said', () => {
    const set = read(dmon(), named, query({ from: 3 * 3600 }));
    expect(set.gpus.get('0')!.grid).toMatchObject({ stretch: 1, length: 60 });
    expect(set.left.join('\n')).toMatch(
      /file-1 tells times of day without a date, file-3 dates of the machine: joined by GPU, not in time \(the times fit no day/,
    );
  });

  it('without a date that fit several days are not joined', () => {
    const days = ['2026/03/03', '2026/03/04'].map((day) => query({ day })).join('\n');
    const set = read(named, dmon(), days);
    expect(set.left.join('\n')).toMatch(/fit several days/);
  });

  it('without any time are not put beside dates', () => {
    const bare = ['# gpu pwr sm mem', ...seconds.map(() => '0 150 100 1')].join('\n');
    const set = read(bare, named, query());
    expect(set.gpus.get('0')!.grid.stretch).toBe(1);
    expect(set.left.join('\n')).toMatch(/no times/);
  });

  it.each([
    ['[Tue Mar  3 14:00:30 2026] NVRM: x', { local: Date.UTC(2026, 2, 3, 14, 0, 30) / 1000, utc: null }],
    [
      'kern  :warn  : 2026-03-03T14:00:30,640812+01:00 NVRM: x',
      {
        utc: Date.UTC(2026, 2, 3, 13, 0, 30) / 1000 + 0.640812,
        local: Date.UTC(2026, 2, 3, 14, 0, 30) / 1000 + 0.640812,
      },
    ],
    ['2026-03-03T14:00:30+0000 host kernel: NVRM: x', { utc: Date.UTC(2026, 2, 3, 14, 0, 30) / 1000 }],
    ['2026-03-03T14:00:30Z NVRM: x', { utc: Date.UTC(2026, 2, 3, 14, 0, 30) / 1000 }],
    ['Mar  3 14:00:30 host kernel: NVRM: x', { inYear: [2, 3, 14 * 3600 + 30] }],
    ['Mar 03 14:00:30.640812 host kernel: NVRM: x', { inYear: [2, 3, 14 * 3600 + 30.640812] }],
    ['[184402.118762] NVRM: x', { utc: null, local: null, inYear: null }],
  ])('of the kernel log are read: %s', (line, time) => {
    expect(logTime(line)).toMatchObject(time);
  });
});

describe('beside a series', () => {
  const hung = dmon({ date: '20260303' }).replaceAll(' 0 150 100 1', ' 0 150 100 0');
  const messages = (set: SeriesSet): string =>
    findingsOf(set)
      .map(({ message }) => message)
      .join('\n');
  const longer = [hung, hung.split('\n').slice(1).join('\n').replaceAll(' 14:00:', ' 14:01:')].join('\n');

  it('an Xid within the period is named with the process, in the finding on that GPU', () => {
    const at =
      '[Tue Mar  3 14:00:31 2026] NVRM: Xid (PCI:0000:19:00): 13, pid=1840021, name=python3, Graphics Exception';
    const set = read(longer, state(), `${at}\n${at}`);
    expect(messages(set)).toMatch(/Xid 13 \(python3, process 1840021\) of it within the period, 2 times/);
    expect(findingsOf(set)[0]!.places.some(({ text }) => text.includes('Xid'))).toBe(true);
  });

  it.each([
    ['of another GPU', '[Tue Mar  3 14:00:31 2026] NVRM: Xid (PCI:0000:3b:00): 13, pid=1, name=python3, x'],
    ['of another day', '[Mon Mar  2 14:00:31 2026] NVRM: Xid (PCI:0000:19:00): 13, pid=1, name=python3, x'],
  ])('an Xid %s is not', (_, line) => {
    expect(messages(read(longer, state(), line))).not.toMatch(/Xid/);
  });

  it('an Xid without a time of a clock is named as such', () => {
    expect(
      messages(read(longer, state(), '[184402.1] NVRM: Xid (PCI:0000:19:00): 13, pid=1, name=python3, x')),
    ).toMatch(/Xid 13 .* at a time that cannot be put beside the series/);
  });

  it('nvidia-smi -q decodes what holds the clocks down, and counts memory errors that are new', () => {
    const set = read(longer, state({ errors: 2 }), state({ time: 'Tue Mar  3 14:01:30 2026', errors: 5 }));
    expect(messages(set)).toMatch(/clocks held down by software power cap; 5 uncorrected memory errors, 3 of them new/);
    expect(set.gpus.get('0')!.all[metricAt('power-limit')]!.last).toBe(700);
  });

  it('alone it is no series', () => {
    expect(read(state()).gpus.size).toBe(0);
  });

  it('a hung kernel names process, job and user', () => {
    const apps = `gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n${uuids[0]}, 1840021, /usr/bin/python3, 61190 MiB`;
    const owner =
      '1840021 python3 uid=1000 user=alice cgroup=0::/system.slice/slurmstepd.scope/job_991/step_0/user/task_0';
    const set = read(longer, state(), apps, owner);
    const text = messages(set);
    expect(text).toMatch(/1840021/);
    expect(text).toMatch(/alice/);
    expect(text).toMatch(/991/);
  });
});

describe('a table of impossible values', () => {
  it('is of no healthy GPU', () => {
    const rows = seconds.map((at) => `2026/03/03 ${clock(at)}.000, 0, 450 %, -20 W`);
    const set = read(['timestamp, index, utilization.gpu [%], power.draw [W]', ...rows].join('\n'));
    expect(findingsOf(set).map(({ kind }) => kind)).toEqual(['unclear']);
  });
});

describe('scrapes with times', () => {
  it('are of UTC, and the bus address that they tell leads from an Xid to the GPU', () => {
    const start = Date.UTC(2026, 2, 3, 14) / 1000;
    const labels = `gpu="0",UUID="${uuids[0]}",pci_bus_id="${buses[0]}",Hostname="n1"`;
    const scrapes = seconds.flatMap((at) => [
      `DCGM_FI_DEV_GPU_UTIL{${labels}} 99 ${(start + at) * 1000}`,
      `DCGM_FI_PROF_SM_ACTIVE{${labels}} 0.05 ${(start + at) * 1000}`,
    ]);
    const xid = '2026-03-03T15:00:30,640812+01:00 NVRM: Xid (PCI:0000:19:00): 31, pid=7, name=python3, MMU Fault';
    const set = read(scrapes.join('\n'), xid);
    expect([...set.gpus.get('0')!.clocks.keys()]).toEqual(['utc']);
    expect(findingsOf(set)[0]!.message).toMatch(/Xid 31 \(python3, process 7\) of it within the period/);
  });
});
