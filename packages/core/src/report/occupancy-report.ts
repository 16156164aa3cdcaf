import type { Paint } from './paint.ts';
import { paintOf } from './paint.ts';
import { wrap } from './visible.ts';
import { percent, resourceWords } from '../occupancy/advice.ts';
import type { OccupancyAnswer } from '../occupancy/answer.ts';
import { resources } from '../occupancy/evaluate.ts';
import type { Step } from '../occupancy/steps.ts';

/** What one answer says, for a terminal. */
export function occupancyText(
  answer: OccupancyAnswer,
  options: { readonly color: boolean; readonly columns: number | null },
): string {
  const paint = paintOf(options.color);
  const width = Math.max(40, Math.min(options.columns ?? 100, 100));
  const lines = [
    paint.strong(headline(answer)),
    ...wrap(launchWords(answer), width),
    '',
    ...limitLines(answer, paint),
    '',
    ...factLines(answer).map(([name, value]) => `${name.padEnd(24)}${value}`),
  ];
  if (answer.advice.length > 0)
    lines.push(
      '',
      ...answer.advice.flatMap((each) =>
        wrap(each, width - 2).map((line, at) => (at === 0 ? `- ${line}` : `  ${line}`)),
      ),
    );
  return `${lines.join('\n')}\n`;
}

/** The same as Markdown. */
export function occupancyMarkdown(answer: OccupancyAnswer): string {
  return [
    `**${headline(answer)}**`,
    launchWords(answer),
    [
      '| limit | blocks per SM |',
      '| --- | --- |',
      ...resources
        .filter((each) => answer.limits[each] !== null)
        .map(
          (each) =>
            `| ${resourceWords[each]}${answer.limiting.includes(each) ? ' (limits)' : ''} | ${answer.limits[each]} |`,
        ),
    ].join('\n'),
    ['| | |', '| --- | --- |', ...factLines(answer).map(([name, value]) => `| ${name} | ${value} |`)].join('\n'),
    ...(answer.advice.length === 0 ? [] : [answer.advice.map((each) => `- ${each}`).join('\n')]),
    '',
  ].join('\n\n');
}

const csvColumns = [
  'kernel',
  'compute_capability',
  'gpu',
  'sms',
  'block_size',
  'registers_per_thread',
  'static_shared',
  'dynamic_shared',
  'active_blocks',
  'active_warps',
  'occupancy',
  'limiting',
  'best_block_size',
  'grid',
  'waves',
  'tail_blocks',
  'idle_sms',
  'efficiency',
] as const;

/** One row for each answer. */
export function occupancyCsv(answers: readonly OccupancyAnswer[]): string {
  const rows = answers.map((each) =>
    [
      quoted(each.launch.kernel ?? ''),
      each.computeCapability,
      quoted(each.gpu ?? ''),
      each.sms ?? '',
      each.launch.blockSize,
      each.launch.registersPerThread,
      each.launch.staticShared,
      each.launch.dynamicShared,
      each.activeBlocks,
      each.activeWarps,
      each.occupancy.toFixed(4),
      each.limiting.join('+'),
      each.best.blockSize,
      each.grid?.blocks ?? '',
      each.grid?.waves.toFixed(4) ?? '',
      each.grid?.tailBlocks ?? '',
      each.grid?.idleSms ?? '',
      each.grid?.efficiency.toFixed(4) ?? '',
    ].join(','),
  );
  return `${[csvColumns.join(','), ...rows].join('\n')}\n`;
}

/** The lowest and the highest of several kernels in one line. */
function tableHeadline(answers: readonly OccupancyAnswer[], chosen: boolean): string {
  const running = answers.filter((each) => each.cannotLaunch === null);
  const [first] = running;
  const stuck = answers.length - running.length;
  const parts: string[] = [];
  if (first !== undefined) {
    const lowest = running.reduce((least, each) => (each.occupancy < least.occupancy ? each : least), first);
    const most = Math.max(...running.map((each) => each.occupancy));
    parts.push(
      lowest.occupancy === most
        ? `occupancy ${percent(most)}`
        : `occupancy ${percent(lowest.occupancy)} to ${percent(most)}, lowest ${lowest.launch.kernel ?? 'a kernel'} (${lowest.computeCapability}), limited by ${lowest.limiting.map((each) => resourceWords[each]).join(' and ')}`,
    );
  }
  if (stuck > 0) parts.push(`${stuck} do${stuck === 1 ? 'es' : ''} not launch`);
  if (chosen) parts.push('each with its best block size, as none is given');
  return `${answers.length} kernels: ${parts.join('; ')}`;
}

/**
 * Many kernels of one file: what stands for all, then a line each, in the order given.
 * @param chosen the block sizes were not given
 */
export function occupancyTable(answers: readonly OccupancyAnswer[], columns: number | null, chosen: boolean): string {
  const width = Math.max(30, (columns ?? 100) - 50);
  const spread = answers.some((each) => each.grid !== null);
  const rows = answers.map((each) => [
    (each.launch.kernel ?? 'kernel').slice(0, width),
    each.computeCapability,
    String(each.launch.blockSize),
    String(each.launch.registersPerThread),
    String(each.launch.staticShared + each.launch.dynamicShared),
    String(each.activeBlocks),
    percent(each.occupancy),
    ...(spread ? [each.grid === null ? '' : each.grid.waves.toFixed(2), String(each.grid?.idleSms ?? '')] : []),
    each.cannotLaunch === null ? each.limiting.map((one) => resourceWords[one]).join(', ') : 'does not launch',
  ]);
  const head = [
    'kernel',
    'cc',
    'block',
    'regs',
    'shared',
    'blocks',
    'occupancy',
    ...(spread ? ['waves', 'idle SMs'] : []),
    'limited by',
  ];
  const widths = head.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]!.length)));
  return `${tableHeadline(answers, chosen)}\n\n${[head, ...rows]
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')}\n`;
}

function quoted(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function headline(answer: OccupancyAnswer): string {
  if (answer.cannotLaunch !== null) return `it does not launch: ${answer.cannotLaunch}`;
  const spread =
    answer.grid === null
      ? ''
      : answer.grid.idleSms > 0
        ? `; ${answer.grid.idleSms} of ${answer.grid.sms} SMs stay idle`
        : `; ${plural(answer.grid.waves)} wave${answer.grid.waves === 1 ? '' : 's'}`;
  const open = answer.launch.registersPerThread === 0;
  return `occupancy ${open ? 'at most ' : ''}${percent(answer.occupancy)}, limited by ${answer.limiting.map((each) => resourceWords[each]).join(' and ')}${spread}${open ? '; registers per thread not given' : ''}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function plural(waves: number): string {
  return Number.isInteger(waves) ? String(waves) : waves.toFixed(2);
}

function launchWords(answer: OccupancyAnswer): string {
  const { launch } = answer;
  const shared = launch.staticShared + launch.dynamicShared;
  const parts = [
    `blocks of ${launch.blockSize} threads`,
    launch.registersPerThread === 0 ? null : `${launch.registersPerThread} registers a thread`,
    shared === 0
      ? null
      : `${shared} bytes of shared memory${launch.dynamicShared === 0 ? '' : ` (${launch.dynamicShared} dynamic)`}`,
    launch.clusterSize === null ? null : `clusters of ${launch.clusterSize}`,
    answer.grid === null ? null : `a grid of ${answer.grid.blocks}`,
  ].filter((each) => each !== null);
  const where =
    answer.gpu === null
      ? `compute capability ${answer.computeCapability}`
      : `${answer.gpu} (${answer.computeCapability}${answer.sms === null ? '' : `, ${answer.sms} SMs`})`;
  return `${launch.kernel === null ? '' : `${launch.kernel}: `}${parts.join(', ')} on ${where}`;
}

function limitLines(answer: OccupancyAnswer, paint: Paint): readonly string[] {
  return [
    `${'limit'.padEnd(24)}blocks per SM`,
    ...resources
      .filter((each) => answer.limits[each] !== null)
      .map((each) => {
        const line = `${resourceWords[each].padEnd(24)}${String(answer.limits[each]).padStart(5)}`;
        return answer.limiting.includes(each) ? `${paint.strong(line)}  limits` : line;
      }),
  ];
}

const stepWords: Readonly<Record<Step['resource'], string>> = {
  registers: 'registers a thread',
  sharedMemory: 'bytes of shared memory',
  blockSize: 'threads a block',
  barriers: 'barriers',
};

function factLines(answer: OccupancyAnswer): readonly (readonly [string, string])[] {
  const { grid, cluster, best, allocated } = answer;
  const lines: (readonly [string, string])[] = [
    ['resident', `${counted(answer.activeBlocks, 'block')}, ${answer.activeWarps} of ${answer.mostWarps} warps per SM`],
    [
      'a block takes',
      `${answer.launch.registersPerThread === 0 ? '' : `${allocated.registersPerBlock} registers, `}${allocated.sharedPerBlock} bytes of shared memory of ${allocated.configuredShared} configured`,
    ],
    [
      'best block size',
      best.blockSize === 0
        ? 'none launches'
        : `${best.blockSize} threads, ${counted(best.activeBlocks, 'block')} per SM (${percent(best.occupancy)})${best.minGrid === null ? '' : `; ${best.minGrid} blocks fill the part`}`,
    ],
  ];
  if (answer.mostDynamicShared !== null)
    lines.push(['free of charge', `up to ${answer.mostDynamicShared} bytes of dynamic shared memory`]);
  for (const step of answer.steps) {
    const less =
      step.oneLess === null
        ? 'none less'
        : `one step less (${step.oneLess.value}): ${counted(step.oneLess.activeBlocks, 'block')}, ${percent(step.oneLess.occupancy)}`;
    const gain =
      step.gain === null || step.gain.value === step.oneLess?.value
        ? ''
        : `; ${step.gain.value}: ${counted(step.gain.activeBlocks, 'block')}, ${percent(step.gain.occupancy)}`;
    const free = step.free > step.now ? `; up to ${step.free} costs nothing` : '';
    const paid = step.resource === 'registers' ? Math.ceil(step.now / 8) * 8 : step.now;
    const rounded = paid === step.now ? '' : ` (${paid} are handed out)`;
    lines.push([stepWords[step.resource], `${step.now}${rounded}; ${less}${gain}${free}`]);
  }
  if (grid !== null) {
    lines.push(
      [
        'waves',
        `${grid.waves.toFixed(3)}: ${grid.fullWaves} full of ${grid.blocksPerWave} blocks, ${counted(grid.tailBlocks, 'block')} in the last`,
      ],
      ['SMs without a block', `${grid.idleSms} of ${grid.sms}; in the last wave ${grid.tailIdleSms}`],
      ['efficiency', `${percent(grid.efficiency)} of the block places, if all blocks take equally long`],
      [
        'DCGM would show',
        `SM_ACTIVE at most ${percent(grid.smActive)}, SM_OCCUPANCY at most ${percent(grid.smOccupancy)}`,
      ],
    );
  }
  if (cluster !== null && cluster.problem === null)
    lines.push([
      'clusters',
      `${cluster.clusters ?? 'any number'} of ${cluster.size}; ${cluster.activeAtMost === null ? 'how many at once is not known' : `at most ${cluster.activeAtMost} at once`}`,
    ]);
  return lines;
}
