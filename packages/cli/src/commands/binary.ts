import { askBeside, findBinaries, readBinary } from '@culprit/collect/binary';
import { isKernelNamed } from '@culprit/core/binary/kernel-name';
import type { BinaryAnswer, BinaryFile, BinaryReport, UnreadPlace } from '@culprit/core/binary/report';
import { codeOnGpu } from '@culprit/core/compat/code-on-gpu';
import type { AskedGpu } from '@culprit/core/compat/code-on-gpu';
import { matchGpu } from '@culprit/core/compat/gpu-name';
import { tablesOf } from '@culprit/core/compat/tables';
import { binaryCsv, binaryMarkdown, binaryText, holdsCode } from '@culprit/core/report/binary-report';
import { worstExitStatus } from '@culprit/core/report/exit-status';
import { jsonReport } from '@culprit/core/report/json-report';
import { visible } from '@culprit/core/report/visible';
import { nearest } from '@culprit/core/text/nearest';
import { parseComputeCapability, formatTarget } from '@culprit/core/versions/compute-capability';
import type { Knowledge } from '@culprit/core/knowledge/knowledge';
import { usageError } from '../errors.ts';
import type { Call, Run } from './command.ts';

export const run: Run = async (call) => {
  if (call.positionals.length === 0)
    throw usageError('missing-argument', 'there is nothing to read', 'culprit binary libfoo.so');
  const on = typeof call.flags['on'] === 'string' ? call.flags['on'] : null;
  const knowledge = on === null ? null : await call.knowledge();
  const asked = on === null || knowledge === null ? null : askedOf(on, knowledge);
  const named = listOf(call.flags['kernel']);
  const archs = archsOf(listOf(call.flags['arch']));
  const listed = call.flags['kernels'] === true || named.length > 0 || archs.length > 0;

  const { paths, unread: closed } = findBinaries(call.positionals);
  const unread: UnreadPlace[] = [...closed];
  let files: BinaryFile[] = [];
  let failed = closed.some((one) => call.positionals.includes(one.path));
  let passed = 0;
  const began = performance.now();
  for (const [at, { path, named: byName }] of paths.entries()) {
    if (performance.now() - began > 1000) call.output.progress(`${at + 1} of ${paths.length}: ${path}`);
    const read = await readBinary(path, {
      kernels: listed ? 'all' : call.format === 'json' ? 'auto' : 'none',
      ...(archs.length > 0 && { archs }),
    });
    unread.push(...read.unread);
    if (read.file === null || (read.unread.length > 0 && saysNothing(read.file)))
      failed ||= byName || read.file === null;
    if (read.file === null) continue;
    if (byName || call.flags['all'] === true || holdsCode(read.file) || read.file.library !== null)
      files.push(read.file);
    else passed += 1;
  }
  call.output.progress(null);
  files = (await askBeside(files)).map((file) => ({
    ...file,
    kernels: named.length === 0 ? file.kernels : (file.kernels?.filter((one) => isNamed(one, named)) ?? null),
    answer:
      asked === null || knowledge === null || !holdsCode(file) || isEmpty(file, archs)
        ? null
        : answerOf(file, asked, knowledge),
  }));
  if (passed > 0)
    call.output.note(`not listed: ${passed} ${passed === 1 ? 'file' : 'files'} without GPU code (--all lists them)`);
  if (listed && files.length > 0) noteKernels(files, named, archs, call);
  let report: BinaryReport = { schema: 'culprit/binary@1', files, unread };
  if (call.flags['redact'] === true) report = (await import('@culprit/core/report/redact')).redactorOf().value(report);
  print(call, report, listed, on);
  return statusOf(files, asked !== null, failed);
};

/** What was asked for and is not there is said; an empty list alone says nothing. */
function noteKernels(
  files: readonly BinaryFile[],
  named: readonly string[],
  archs: readonly string[],
  call: Call,
): void {
  if (files.some((file) => file.kernels === null || file.kernels.length > 0)) return;
  const code = [...new Set(files.flatMap((file) => file.code.sass))];
  call.output.note(
    code.length === 0
      ? 'culprit: no kernels: there is no machine code, and what a driver makes of PTX no file tells'
      : archs.length > 0 && !archs.some((arch) => code.includes(arch))
        ? `culprit: no kernels for ${archs.join(', ')}: there is code for ${code.join(', ')}`
        : named.length > 0
          ? `culprit: no kernel is named ${named.join(' or ')}; --kernels lists all`
          : 'culprit: there are no kernels in the code',
  );
}

function isNamed(kernel: { readonly name: string; readonly demangled: string }, wanted: readonly string[]): boolean {
  return wanted.some((name) => isKernelNamed(kernel, name));
}

/** The linker of nvcc leaves a cubin without kernels where a library has no GPU code of its own: nothing to run. */
function isEmpty(file: BinaryFile, archs: readonly string[]): boolean {
  const { ptx, lto } = file.code;
  return archs.length === 0 && file.kernels?.length === 0 && ptx.length === 0 && lto === undefined;
}

/** Nothing was learned of a file whose parts could not be read. */
function saysNothing(file: BinaryFile): boolean {
  return !holdsCode(file) && file.soname === null && file.needed.length === 0 && (file.members ?? []).length === 0;
}

function answerOf(file: BinaryFile, asked: AskedGpu, knowledge: Knowledge): BinaryAnswer {
  const label = file.path.slice(file.path.lastIndexOf('/') + 1);
  return codeOnGpu({ ...file.code, toolkit: file.toolkit }, asked, label, knowledge);
}

/** `H100`, `sm_90`, or `driver=550.54.15,gpu=H100`. */
function askedOf(text: string, knowledge: Knowledge): AskedGpu {
  let gpu: string | null = null;
  let driver: string | null = null;
  if (text.includes('=')) {
    for (const part of text.split(',')) {
      const [key = '', value = ''] = part.split('=').map((one) => one.trim());
      if (key === 'gpu') gpu = value;
      else if (key === 'driver') driver = value;
      else throw usageError('bad-value', `--on takes gpu and driver, not ${key}`, '--on driver=550.54.15,gpu=H100');
    }
  } else gpu = text;
  if (gpu === null || gpu === '') throw usageError('bad-value', '--on needs a GPU', '--on H100');
  if (matchGpu(gpu, tablesOf(knowledge).gpus).length === 0) {
    const names = nearest(
      gpu,
      knowledge.gpus.flatMap((row) => [row.name, ...row.aliases]),
    );
    throw usageError(
      'bad-value',
      `unknown GPU ${gpu.slice(0, 80)}`,
      names.length === 0
        ? 'names are as H100, RTX 5090, or a compute capability (sm_90, 9.0)'
        : `did you mean ${names.join(', ')}?`,
    );
  }
  return { gpu, driver };
}

function archsOf(names: readonly string[]): readonly string[] {
  return names.map((name) => {
    const target = parseComputeCapability(name);
    if (target === null) throw usageError('bad-value', `--arch is sm_90, sm_90a or 9.0, not ${name}`, null);
    return formatTarget('sass', target);
  });
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

function print(call: Call, report: BinaryReport, kernels: boolean, on: string | null): void {
  if (call.format === 'json') {
    call.output.data(jsonReport(report));
    return;
  }
  const options = { color: call.output.color, kernels, on };
  // Names of files and kernels come from strangers.
  const shown = harmless(report) as BinaryReport;
  const render = { markdown: binaryMarkdown, csv: binaryCsv }[call.format] ?? binaryText;
  call.output.data(render(shown, options));
}

/** The same with every text as a terminal may show it. */
function harmless(value: unknown): unknown {
  if (typeof value === 'string') return visible(value);
  if (Array.isArray(value)) return value.map(harmless);
  if (typeof value !== 'object' || value === null) return value;
  // Entries are numbers and words of our own, and there are thousands of them.
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, key === 'entries' ? (each as unknown) : harmless(each)]),
  );
}

function statusOf(files: readonly BinaryFile[], asked: boolean, failed: boolean): number {
  const statuses: number[] = failed ? [4] : [];
  if (asked) {
    const answers = files.flatMap((file) => file.answer ?? []);
    if (answers.length === 0) statuses.push(3);
    for (const { answer } of answers) statuses.push(answer === 'runs' ? 0 : answer === 'does-not-run' ? 1 : 3);
  }
  return worstExitStatus(statuses);
}
