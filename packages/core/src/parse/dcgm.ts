// What DCGM finds: diagnostics, health watches, links, counters.
//
// $ dcgmi diag -r 2                                                              (3.x)
// | Diagnostic                | Result                                         |
// |-----  Deployment  --------+------------------------------------------------|
// | Persistence Mode          | Fail                                           |
// | Warning                   | Persistence mode for GPU 1 is disabled. …      |
// | PCIe                      | Pass - All                                     |
// | GPU Memory                | Fail - GPU: 3                                  |
// $ dcgmi diag -r 2                                                              (4.x)
// | memory                    | Fail                                           |
// |                           | GPU0: Pass                                     |
// |                           | GPU1: Fail                                     |
// | Warning: GPU1             | …                                              |
// {"DCGM Diagnostic": {"test_categories": [{"tests": [{"name": "software", "results": [{"entity_id": 1, "status": "Fail"}]}]}]}}
// $ dcgmi health -c
// | Overall Health            | Warning                                        |
// | GPU                       |                                                |
// | -> 2                      | Warning                                        |
// |    -> Errors              |                                                |
// |       -> Thermal system   | Warning                                        |
// $ dcgmi nvlink --link-status
//     gpuId 0:
//         U U D D
// DCGM_FI_PROF_SM_ACTIVE{gpu="0",…} 0.214021
import type { Document, Line } from '../model/document.ts';
import type { FactValues } from '../model/facts.ts';
import type { FactSink, Parser } from './parser.ts';
import type { Tree } from './tree.ts';
import { objectsOf } from './objects.ts';
import { fullDriverRelease } from './releases.ts';
import { at, entriesAt, listAt, numberAt, textAt } from './tree.ts';

type Status = FactValues['dcgm.test']['status'];

const statuses: Readonly<Record<string, Status>> = {
  pass: 'pass',
  fail: 'fail',
  warn: 'warn',
  warning: 'warn',
  skip: 'skip',
  skipped: 'skip',
  'not run': 'not-run',
};

function statusOf(text: string): Status | null {
  return statuses[text.trim().toLowerCase()] ?? null;
}

/** The two cells of a row, null for rules and other lines. */
function rowOf(line: Line): readonly [string, string] | null {
  const text = line.clean.trim();
  if (!text.startsWith('| ') || !text.endsWith('|') || text.length > 1000) return null;
  const bar = text.indexOf('|', 2);
  if (bar < 0 || bar === text.length - 1) return null;
  return [text.slice(1, bar), text.slice(bar + 1, -1).trim()];
}

export const dcgmDiag: Parser = {
  id: 'dcgmi-diag',
  literals: ['| diagnostic  ', 'dcgm diagnostic"', 'dcgm gpu diagnostic"', 'driver version detected'],
  keep: { before: 2, after: 300 },
  parse(document, hits, sink) {
    let done = -1;
    for (const hit of hits) {
      if (hit.index > done && /^\s{0,8}\| Diagnostic {2,60}\| Result/.test(hit.clean))
        done = readDiag(document, hit.index + 1, sink);
    }
    for (const { root } of objectsOf(document)) {
      const diag = at(root, 'DCGM Diagnostic') ?? at(root, 'DCGM GPU Diagnostic');
      if (diag === undefined) continue;
      const driver = textAt(root, 'metadata', 'Driver Version Detected') ?? textAt(diag, 'Driver Version Detected');
      const release = fullDriverRelease(driver ?? undefined);
      if (release !== null)
        sink.add(
          'driver.version',
          release,
          (at(root, 'metadata', 'Driver Version Detected') ?? at(diag, 'Driver Version Detected'))!.line,
        );
      readDiagJson(diag, sink);
    }
  },
};

function readDiag(document: Document, from: number, sink: FactSink): number {
  let test: { readonly name: string; readonly status: Status; readonly line: Line } | null = null;
  let single = false;
  let messages: { gpu: number | null; text: string; lines: Line[] }[] = [];
  const flush = (): void => {
    if (test === null) return;
    const { name, status, line } = test;
    const common = messages.filter((each) => each.gpu === null);
    if (!single || common.length > 0)
      sink.add(
        'dcgm.test',
        { test: name, gpu: null, status, message: common.map((each) => each.text).join(' ') || null },
        [line, ...common.flatMap((each) => each.lines)].slice(0, 6),
      );
    test = null;
    messages = [];
    single = false;
  };
  let at_ = from;
  for (; at_ < Math.min(document.lines.length, from + 1000); at_++) {
    const line = document.lines[at_]!;
    if (line.prompt) break;
    const row = rowOf(line);
    if (row === null) {
      if (/^\s{0,8}[|+][-=]{3}/.test(line.clean)) continue;
      break;
    }
    const name = row[0].trim();
    const value = row[1];
    if (name === 'Driver Version Detected') {
      const release = fullDriverRelease(value);
      if (release !== null) sink.add('driver.version', release, line);
      continue;
    }
    const each = /^GPU\s?(\d{1,3}): (\S.{0,30})$/.exec(value);
    if (name === '' && each !== null && test !== null) {
      const status = statusOf(each[2]!);
      const { name: of } = test;
      if (status !== null)
        sink.add('dcgm.test', { test: of, gpu: Number(each[1]), status, message: null }, [line, test.line]);
      continue;
    }
    const remark = /^(?:Warning|Error|Info)(?:: GPU\s?(\d{1,3}))?$/.exec(name);
    if (remark !== null && test !== null && value !== '') {
      const gpu = remark[1] ?? /\bGPU (\d{1,3})\b/.exec(value)?.[1];
      messages.push({ gpu: remark[1] === undefined ? null : Number(gpu), text: value, lines: [line] });
      if (remark[1] !== undefined && !name.startsWith('Info'))
        sink.add('dcgm.test', { test: test.name, gpu: Number(gpu), status: test.status, message: value }, [
          line,
          test.line,
        ]);
      continue;
    }
    if (name === '' && messages.length > 0) {
      const last = messages[messages.length - 1]!;
      last.text = `${last.text} ${value}`.slice(0, 1000);
      last.lines.push(line);
      continue;
    }
    const result = /^(Pass|Fail|Warn|Warning|Skip|Skipped|Not Run)(?: - (?:All|GPUs?: ([\d, ]{1,200})))?$/.exec(value);
    if (result === null || name === '') continue;
    flush();
    const status = statusOf(result[1]!)!;
    if (status === 'fail') sink.add('program.trouble', { words: 'Fail' }, line);
    test = { name, status, line };
    for (const gpu of result[2]?.split(/[, ]+/) ?? []) {
      if (gpu === '') continue;
      single = true;
      sink.add('dcgm.test', { test: name, gpu: Number(gpu), status, message: null }, line);
    }
  }
  flush();
  return at_ - 1;
}

function readDiagJson(diag: Tree, sink: FactSink): void {
  for (const category of listAt(diag, 'test_categories')) {
    for (const test of listAt(category, 'tests')) {
      const name = textAt(test, 'name');
      if (name === null) continue;
      const summary = at(test, 'test_summary', 'status');
      const status = statusOf(summary?.text ?? '');
      if (summary !== undefined && status !== null)
        sink.add('dcgm.test', { test: name, gpu: null, status, message: null }, summary.line);
      for (const result of listAt(test, 'results')) readResult(name, result, sink);
    }
  }
}

/** 4.x names an entity and lists objects of warnings; 3.x has `gpu_id` or `gpu_ids`, and warnings as text. */
function readResult(test: string, result: Tree, sink: FactSink): void {
  const word = at(result, 'status');
  const status = statusOf(word?.text ?? '');
  if (word === undefined || status === null) return;
  const group = textAt(result, 'entity_group');
  const id = group === null || group === 'GPU' ? (numberAt(result, 'entity_id') ?? numberAt(result, 'gpu_id')) : null;
  const warning =
    at(result, 'warnings', 0, 'warning') ?? at(result, 'warnings', 0) ?? at(result, 'warnings') ?? at(result, 'info');
  const ids = textAt(result, 'gpu_ids')
    ?.split(',')
    .flatMap((each) => (/^\d{1,3}$/.test(each) ? [Number(each)] : []));
  if (status === 'fail') sink.add('program.trouble', { words: 'Fail' }, word.line);
  for (const gpu of ids ?? [id])
    sink.add(
      'dcgm.test',
      { test, gpu, status, message: status === 'pass' ? null : (warning?.text ?? null) },
      warning === undefined || status === 'pass' ? word.line : [...new Set([word.line, warning.line])],
    );
}

export const dcgmHealth: Parser = {
  id: 'dcgmi-health',
  literals: ['health monitor report', 'overall health'],
  keep: { before: 2, after: 60 },
  parse(document, hits, sink) {
    let done = -1;
    for (const hit of hits) {
      if (hit.index <= done || hit.prompt || !/^\s{0,8}\| Overall Health/.test(hit.clean)) continue;
      done = readHealth(document, hit, sink);
    }
    for (const { root } of objectsOf(document)) readHealthJson(root, sink);
  },
};

function readHealth(document: Document, head: Line, sink: FactSink): number {
  let gpu: number | null = null;
  let system: { name: string; status: string; line: Line; text: string; lines: Line[] } | null = null;
  const flush = (): void => {
    if (system !== null)
      sink.add('dcgm.health', { gpu, system: system.name, status: system.status, message: system.text || null }, [
        system.line,
        ...system.lines.slice(0, 4),
      ]);
    system = null;
  };
  let index = head.index;
  for (; index < Math.min(document.lines.length, head.index + 400); index++) {
    const line = document.lines[index]!;
    if (line.prompt) break;
    const row = rowOf(line);
    if (row === null) {
      if (/^\s{0,8}[|+][-=]{3}/.test(line.clean)) continue;
      break;
    }
    const name = row[0].trim().replace(/^-> /, '');
    const value = row[1];
    if (name === 'Overall Health') {
      const status = /^(?:Overall Health: )?(Healthy|Warning|Failure)$/.exec(value)?.[1];
      if (status === undefined) continue;
      sink.add('dcgm.health', { gpu: null, system: 'overall', status, message: null }, line);
      if (status !== 'Healthy') sink.add('program.trouble', { words: status }, line);
    } else if (/^(?:GPU ID: )?\d{1,3}$/.test(name)) {
      flush();
      gpu = Number(/\d+/.exec(name)![0]);
      if (/^(?:Healthy|Warning|Failure)$/.test(value))
        sink.add('dcgm.health', { gpu, system: 'gpu', status: value, message: null }, line);
    } else if (/(?:system|watch)$/i.test(name) && /^(?:Healthy|Warning|Failure)$/.test(value)) {
      flush();
      system = { name: name.replace(/ system$/i, ''), status: value, line, text: '', lines: [] };
    } else if (system !== null && value !== '') {
      system.text = `${system.text} ${value}`.trim().slice(0, 1000);
      system.lines.push(line);
    }
  }
  flush();
  return index - 1;
}

function readHealthJson(root: Tree, sink: FactSink): void {
  const overall = at(root, 'body', 'Overall Health', 'value');
  if (overall?.text === undefined || overall.text === null) return;
  sink.add('dcgm.health', { gpu: null, system: 'overall', status: overall.text, message: null }, overall.line);
  if (overall.text !== 'Healthy') sink.add('program.trouble', { words: overall.text }, overall.line);
  for (const [id, gpu] of entriesAt(root, 'body', 'GPU', 'children')) {
    for (const [system, value] of entriesAt(gpu, 'children', 'Errors', 'children')) {
      const status = at(value, 'value');
      const message = entriesAt(value, 'children')[0]?.[1];
      if (typeof status?.text === 'string' && /^\d{1,3}$/.test(id))
        sink.add(
          'dcgm.health',
          { gpu: Number(id), system, status: status.text, message: message?.text ?? textAt(message, 'value') },
          status.line,
        );
    }
  }
}

const linkStates: Readonly<Record<string, FactValues['gpu.nvlink-state']['state']>> = {
  U: 'up',
  D: 'down',
  X: 'disabled',
  _: 'unsupported',
};

export const dcgmNvlink: Parser = {
  id: 'dcgmi-nvlink',
  literals: ['nvlink link status', 'gpuid ', 'physicalid '],
  keep: { before: 0, after: 40 },
  parse(document, hits, sink) {
    for (const hit of hits) {
      const head = /^\s{1,12}(gpuId|physicalId) (\d{1,4}):\s*$/.exec(hit.clean);
      const row = document.lines[hit.index + 1];
      if (head === null || row === undefined || !/^\s{1,24}[UDX_](?: [UDX_]){0,80}\s*$/.test(row.clean)) continue;
      row.clean
        .trim()
        .split(' ')
        .forEach((letter, link) =>
          sink.add(
            'gpu.nvlink-state',
            {
              device: `${head[1] === 'gpuId' ? 'gpu' : 'switch'} ${head[2]!}`,
              link,
              state: linkStates[letter] ?? 'unknown',
            },
            [row, hit],
          ),
        );
    }
  },
};

const mostSamples = 20_000;

export const dcgmMetrics: Parser = {
  id: 'dcgm-metrics',
  literals: ['dcgm_fi_', 'dcgm_exp_', '#entity'],
  keep: { before: 0, after: 40 },
  parse(document, hits, sink) {
    const last = new Map<string, { value: FactValues['dcgm.metric']; line: Line }>();
    const names = new Map<string, Line>();
    for (const hit of hits.slice(0, mostSamples)) {
      if (hit.prompt) continue;
      const sample =
        /^(DCGM_(?:FI|EXP)_[A-Z0-9_]{3,80})(?:\{([^}]{0,1500})\})? (-?\d{1,20}(?:\.\d{1,12})?(?:e[+-]?\d{1,3})?)(?: \d{1,16})?\s*$/.exec(
          hit.clean,
        );
      if (sample !== null) {
        const label = (name: string): string | null =>
          new RegExp(`\\b${name}="([^"]{1,120})"`).exec(sample[2] ?? '')?.[1] ?? null;
        const gpu = label('gpu');
        const value = Number(sample[3]);
        // Blank values are numbers near 2^63.
        if (Math.abs(value) < 9e18)
          last.set(`${sample[1]!} ${gpu}`, { value: { name: sample[1]!, gpu, value }, line: hit });
        const release = fullDriverRelease(label('DCGM_FI_DRIVER_VERSION') ?? undefined);
        if (release !== null) sink.add('driver.version', release, hit);
        const model = label('modelName');
        if (model !== null && !names.has(model)) names.set(model, hit);
      } else if (hit.clean.startsWith('#Entity')) readDmon(document, hit, last);
    }
    for (const [name, line] of names) sink.add('gpu.name', name, line);
    for (const { value, line } of last.values()) sink.add('dcgm.metric', value, line);
  },
};

/** `dcgmi dmon`: an empty cell is a blank of its column's width, so cells go by place. */
function readDmon(
  document: Document,
  head: Line,
  last: Map<string, { value: FactValues['dcgm.metric']; line: Line }>,
): void {
  const columns = [...head.clean.matchAll(/\S+/g)].slice(1, 40);
  for (let index = head.index + 1; index < Math.min(document.lines.length, head.index + 5000); index++) {
    const line = document.lines[index]!;
    if (line.prompt || line.clean.startsWith('#Entity')) break;
    const gpu = /^GPU (\d{1,3})\s/.exec(line.clean)?.[1];
    if (gpu === undefined) continue;
    columns.forEach((column, i) => {
      const cell = line.clean.slice(column.index, columns[i + 1]?.index).trim();
      if (/^-?\d{1,15}(?:\.\d{1,9})?$/.test(cell))
        last.set(`${column[0]} ${gpu}`, { value: { name: column[0], gpu, value: Number(cell) }, line });
    });
  }
}
