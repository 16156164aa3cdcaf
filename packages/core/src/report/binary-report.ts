// What `culprit binary` says: the answer first, then each file.
import { compareArch } from '../binary/fatbin.ts';
import type { Kernel } from '../binary/model.ts';
import type { BinaryAnswer, BinaryFile, BinaryReport } from '../binary/report.ts';
import { parseComputeCapability } from '../versions/compute-capability.ts';
import { paintOf } from './paint.ts';
import type { Paint } from './paint.ts';

/** How a report is printed. */
export interface BinaryTextOptions {
  readonly color: boolean;
  /** Kernels are listed. */
  readonly kernels: boolean;
  /** Target of `--on` as it was typed; null without it. */
  readonly on: string | null;
}

/** True where a file holds GPU code. */
export function holdsCode(file: Pick<BinaryFile, 'code'>): boolean {
  const { sass, ptx, lto } = file.code;
  return sass.length + ptx.length + (lto?.length ?? 0) > 0;
}

/** The report for a terminal. */
export function binaryText(report: BinaryReport, options: BinaryTextOptions): string {
  const paint = paintOf(options.color);
  const lines: string[] = [];
  lines.push(paint.strong(headline(report, options.on)));
  if (report.files.length > mostInFull) append(lines, ['', ...table(report.files, paint)]);
  else
    for (const file of report.files)
      append(lines, ['', ...inFull(file, paint, report.files.length > 1, isUnread(report, file))]);
  if (options.kernels) {
    for (const file of report.files) {
      if (file.kernels !== null && file.kernels.length > 0) append(lines, ['', ...kernelLines(file, paint)]);
      else if (file.kernels === null) lines.push('', `${file.path}: kernels were not read`);
    }
  }
  if (report.unread.length > 0) {
    lines.push('', paint.doubt('not read:'));
    for (const one of report.unread) lines.push(`  ${one.path}${place(one.offset)}: ${one.reason}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Up to so many files are told in full; more make a table. */
const mostInFull = 3;

/** A part of the file could not be read: what is not seen in it may be there. */
function isUnread(report: BinaryReport, file: BinaryFile): boolean {
  return report.unread.some((one) => one.path === file.path || one.path.startsWith(`${file.path}/`));
}

/** One line that stands for all files. */
export function headline(report: BinaryReport, on: string | null): string {
  const { files, unread } = report;
  const holding = files.filter(holdsCode);
  const [only] = files;
  const [broken] = unread;
  if (files.length === 0 && broken === undefined) return 'no files of machine code here';
  if (holding.length === 0 && broken !== undefined)
    return `cannot tell: ${broken.path} could not be read: ${broken.reason}${unread.length > 1 ? `; ${unread.length - 1} more below` : ''}`;
  const rest = broken === undefined ? '' : `; not all was read (${unread.length} below)`;
  return `${headlineOf(files, holding, only, on)}${rest}`;
}

function headlineOf(
  files: readonly BinaryFile[],
  holding: readonly BinaryFile[],
  only: BinaryFile | undefined,
  on: string | null,
): string {
  if (holding.length === 0) {
    return files.length === 1 && only !== undefined
      ? `no GPU code in ${only.path}`
      : `no GPU code in these ${files.length} files`;
  }
  if (on === null) {
    const sass = union(holding.map((file) => file.code.sass));
    const ptx = union(holding.map((file) => file.code.ptx));
    const what = [sass.length === 0 ? 'no machine code' : `code for ${inShort(sass)}`];
    if (ptx.length > 0) what.push(`PTX ${inShort(ptx)}`);
    return files.length === 1 ? what.join('; ') : `${what.join('; ')}: in ${holding.length} of ${files.length} files`;
  }
  const answers = holding.flatMap((file) => file.answer ?? []);
  if (answers.length === 0)
    return `nothing for a GPU to run ${files.length === 1 ? 'in this file' : 'in these files'}: their GPU code has no kernels`;
  const [first] = answers;
  if (answers.length === 1 && first !== undefined)
    return files.length === 1 ? answerText(first) : `${holding[0]!.path} ${answerText(first)}`;
  return summaryOn(answers, on);
}

/** The first line names a few; more are a count and the ends, and stand below. */
function inShort(archs: readonly string[]): string {
  return archs.length <= 8 ? archs.join(', ') : `${archs[0]} to ${archs.at(-1)} (${archs.length})`;
}

const answerWords: Readonly<Record<BinaryAnswer['answer'], string>> = {
  runs: 'runs',
  'runs-if': 'runs, on a condition',
  'does-not-run': 'does not run',
  'cannot-tell': 'cannot tell',
};

function summaryOn(answers: readonly BinaryAnswer[], on: string): string {
  const count = (...kinds: readonly BinaryAnswer['answer'][]): number =>
    answers.filter((one) => kinds.includes(one.answer)).length;
  const [first] = answers;
  const target =
    first === undefined
      ? on
      : parseComputeCapability(first.gpu) === null
        ? `${first.gpu} (${smOf(first)})`
        : smOf(first);
  const total = answers.length;
  if (count('does-not-run') === total) return `nothing here runs on ${target}: ${total} files hold GPU code for others`;
  const driver = highestDriver(answers);
  const needed = driver === null ? '' : `; what runs needs driver ${driver} or newer`;
  if (answers.every((one) => one.code === 'sass')) return `all ${total} files have code for ${target}${needed}`;
  const parts = [
    [answers.filter((one) => one.code === 'sass').length, 'with machine code'],
    [answers.filter((one) => one.code === 'ptx').length, 'with PTX that the driver must compile'],
    [count('does-not-run'), 'without code for it'],
    [count('cannot-tell'), 'of which it cannot be told'],
  ] as const;
  return `on ${target}, of ${total} files: ${parts
    .filter(([number]) => number > 0)
    .map(([number, words]) => `${number} ${words}`)
    .join(', ')}${needed}`;
}

function smOf(answer: BinaryAnswer): string {
  return `sm_${answer.computeCapability.replace('.', '')}`;
}

function highestDriver(answers: readonly BinaryAnswer[]): string | null {
  let best: string | null = null;
  for (const { driver } of answers) if (driver !== null && (best === null || later(driver, best))) best = driver;
  return best;
}

function later(a: string, b: string): boolean {
  const left = a.split('.').map(Number);
  const right = b.split('.').map(Number);
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    if ((left[i] ?? 0) !== (right[i] ?? 0)) return (left[i] ?? 0) > (right[i] ?? 0);
  }
  return false;
}

function union(lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())].sort(compareArch);
}

function libraryWords(library: BinaryFile['library']): string {
  return library === null ? '' : `${library.name} ${library.version ?? '(version not told)'}`;
}

function codeWords(file: BinaryFile): string {
  const { sass, ptx, lto } = file.code;
  const isas = [...new Set(file.code.entries.flatMap((one) => one.isa ?? []))];
  const parts = [
    sass.length > 0 ? sass.join(', ') : null,
    ptx.length > 0 ? `PTX ${ptx.join(', ')}${isas.length > 0 ? ` (ISA ${isas.join(', ')})` : ''}` : null,
    lto !== undefined && lto.length > 0 ? `intermediate code ${lto.join(', ')}` : null,
  ];
  return parts.filter((one) => one !== null).join('; ') || 'no GPU code';
}

function inFull(file: BinaryFile, paint: Paint, answered: boolean, partly: boolean): readonly string[] {
  const rows: (readonly [string, string])[] = [];
  const row = (name: string, value: string | null): void => {
    if (value !== null && value !== '') rows.push([name, value]);
  };
  row('kind', [kindWords[file.kind], file.machine].filter((one) => one !== null).join(', '));
  row('library', libraryWords(file.library));
  row('code', partly && !holdsCode(file) ? 'not known: it could not be read' : codeWords(file));
  const { entries } = file.code;
  if (entries.length > 0) {
    const packed = [...new Set(entries.map((one) => one.compression))].join(', ');
    const bytes = entries.reduce((sum, one) => sum + one.bytes, 0);
    row('entries', `${entries.length}, ${megabytes(bytes)}, compression: ${packed}`);
  }
  row('toolkit', file.toolkit === null ? null : `CUDA ${file.toolkit}`);
  row(
    'linked in',
    file.embedded.map((one) => `${one.name}${one.version === null ? '' : ` ${one.version}`}`).join(', '),
  );
  row('libcuda', libcudaWords(file));
  row('soname', file.soname);
  row('needs', file.needed.join(', '));
  row('rpath', file.rpath.join(':'));
  row('runpath', file.runpath.join(':'));
  row('glibc', file.glibc === null ? null : `${file.glibc} or newer`);
  if (file.kernels !== null && file.kernels.length > 0) row('kernels', String(file.kernels.length));
  const { answer } = file;
  // Of one file the first line is the answer.
  if (answer !== null && answered) row(`on ${answer.gpu}`, painted(answer, paint));
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    paint.strong(file.path),
    ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
    ...(file.members ?? []).map((one) => {
      const code = [...one.sass, ...one.ptx].join(', ');
      const whole = code !== '' && code === [...file.code.sass, ...file.code.ptx].join(', ');
      return `    ${one.path}: ${[libraryWords(one.library), whole ? 'all of the code' : code].filter((each) => each !== '').join('; ')}`;
    }),
  ];
}

function answerText({ answer, message, errorSeen }: BinaryAnswer): string {
  const seen = errorSeen === null ? '' : /^\d+$/.test(errorSeen) ? ` (CUDA error ${errorSeen})` : ` (${errorSeen})`;
  return `${answerWords[answer]}: ${message}${seen}`;
}

function painted(answer: BinaryAnswer, paint: Paint): string {
  const text = answerText(answer);
  if (answer.answer === 'runs') return paint.good(text);
  return answer.answer === 'does-not-run' ? paint.bad(text) : paint.doubt(text);
}

const kindWords: Readonly<Record<BinaryFile['kind'], string>> = {
  elf: 'ELF file',
  cubin: 'cubin',
  fatbin: 'fat binary',
  archive: 'static library',
  wheel: 'wheel',
  ptx: 'PTX',
};

function libcudaWords({ libcuda }: BinaryFile): string | null {
  if (libcuda === null) return null;
  if (libcuda.stub) return 'the stub of the toolkit: every call fails with CUDA_ERROR_STUB_LIBRARY';
  const { note } = libcuda;
  return [
    `driver ${libcuda.version ?? 'not told'}`,
    libcuda.cuda === null ? null : `serves CUDA ${libcuda.cuda}`,
    note === null ? null : `compat library for driver branches ${note.drivers.join(', ')}`,
  ]
    .filter((one) => one !== null)
    .join(', ');
}

function megabytes(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Where in the file; nothing where the whole file is meant. */
function place(offset: number): string {
  return offset === 0 ? '' : `, at 0x${offset.toString(16)}`;
}

/** Cells of the table of files. */
function cellsOf(file: BinaryFile): readonly string[] {
  const { answer } = file;
  return [
    file.path,
    file.library === null ? '' : `${file.library.name} ${file.library.version ?? '?'}`,
    file.code.sass.join(' '),
    file.code.ptx.join(' '),
    ...(answer === null ? [] : [answer.answer, answer.target ?? '', answer.driver ?? '']),
  ];
}

function headOf(files: readonly BinaryFile[]): readonly string[] {
  const asked = files.some((file) => file.answer !== null);
  return ['file', 'library', 'machine code', 'PTX', ...(asked ? ['answer', 'takes', 'driver'] : [])];
}

function table(files: readonly BinaryFile[], paint: Paint): readonly string[] {
  const folder = commonFolder(files.map((file) => file.path));
  const rows = [headOf(files), ...files.map((file) => cellsOf({ ...file, path: file.path.slice(folder.length) }))];
  const widths = headOf(files).map((_, at) => rows.reduce((most, row) => Math.max(most, (row[at] ?? '').length), 0));
  const lines = rows.map((row, i) => {
    const line = widths
      .map((width, at) => (row[at] ?? '').padEnd(width))
      .join('  ')
      .trimEnd();
    return i === 0 ? paint.dim(line) : line;
  });
  return folder === '' ? lines : [`in ${folder}`, ...lines];
}

/** The folder that all paths begin with, with its slash; empty where there is none. */
function commonFolder(paths: readonly string[]): string {
  let folder = paths[0] ?? '';
  folder = folder.slice(0, folder.lastIndexOf('/') + 1);
  for (const path of paths) {
    while (!path.startsWith(folder)) folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1);
  }
  return folder;
}

const kernelHead = ['registers', 'shared', 'local', 'constant', 'barriers', 'max threads'];

function numbersOf(kernel: Kernel): readonly (number | null)[] {
  return [
    kernel.registers,
    kernel.staticSharedBytes,
    kernel.localBytes,
    kernel.constantBytes,
    kernel.barriers,
    kernel.maxThreads,
  ];
}

function kernelLines(file: BinaryFile, paint: Paint): readonly string[] {
  const rows = (file.kernels ?? []).map((kernel) => [
    kernel.arch,
    ...numbersOf(kernel).map((value) => (value === null ? '-' : String(value))),
    kernel.demangled,
  ]);
  const head = ['arch', ...kernelHead, 'kernel'];
  const widths = head.map((name, at) => rows.reduce((most, row) => Math.max(most, row[at]?.length ?? 0), name.length));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) =>
        at === 0 ? cell.padEnd(widths[at] ?? 0) : at === row.length - 1 ? cell : cell.padStart(widths[at] ?? 0),
      )
      .join('  ');
  return [paint.strong(`${file.path}: ${rows.length} kernels`), paint.dim(line(head)), ...rows.map(line)];
}

/** A spread into `push` is a call with that many arguments, which ends at about 100,000. */
function append(lines: string[], more: readonly string[]): void {
  for (const line of more) lines.push(line);
}

/** The report as a GitHub table. */
export function binaryMarkdown(report: BinaryReport, options: BinaryTextOptions): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const tableOf = (rows: readonly (readonly string[])[]): readonly string[] => {
    const [head = [], ...rest] = rows;
    const line = (row: readonly string[]): string => `| ${row.map(cell).join(' | ')} |`;
    return [line(head), `| ${head.map(() => '---').join(' | ')} |`, ...rest.map(line)];
  };
  const lines: string[] = [];
  lines.push(`**${cell(headline(report, options.on))}**`, '');
  if (report.files.length > 0) {
    append(lines, [...tableOf([headOf(report.files), ...report.files.map(cellsOf)]), '']);
  }
  if (options.kernels) {
    for (const file of report.files) {
      if (file.kernels === null || file.kernels.length === 0) continue;
      lines.push(`Kernels of ${cell(file.path)}:`, '');
      append(lines, [
        ...tableOf([
          ['arch', ...kernelHead, 'kernel'],
          ...file.kernels.map((kernel) => [
            kernel.arch,
            ...numbersOf(kernel).map((value) => (value === null ? '' : String(value))),
            `\`${kernel.demangled.replaceAll('`', "'")}\``,
          ]),
        ]),
        '',
      ]);
    }
  }
  if (report.unread.length > 0) {
    lines.push('Not read:', '');
    for (const one of report.unread) lines.push(`- ${cell(one.path)}${place(one.offset)}: ${cell(one.reason)}`);
    lines.push('');
  }
  return lines.join('\n');
}

/** CSV (RFC 4180): a row for each file, or for each kernel. */
export function binaryCsv(report: BinaryReport, options: BinaryTextOptions): string {
  const quote = (value: string | number | null): string => {
    const text = value === null ? '' : String(value);
    const safe = /^[=+\-@\t]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const rows: (readonly (string | number | null)[])[] = options.kernels
    ? [
        ['file', 'arch', 'kernel', 'demangled', ...kernelHead.map((name) => name.replace(' ', '_'))],
        ...report.files.flatMap((file) =>
          (file.kernels ?? []).map((kernel) => [
            file.path,
            kernel.arch,
            kernel.name,
            kernel.demangled,
            ...numbersOf(kernel),
          ]),
        ),
      ]
    : [
        [
          'file',
          'kind',
          'library',
          'version',
          'sass',
          'ptx',
          'entries',
          'toolkit',
          'soname',
          'glibc',
          'answer',
          'target',
          'driver',
        ],
        ...report.files.map((file) => [
          file.path,
          file.kind,
          file.library?.name ?? null,
          file.library?.version ?? null,
          file.code.sass.join(' '),
          file.code.ptx.join(' '),
          file.code.entries.length,
          file.toolkit,
          file.soname,
          file.glibc,
          file.answer?.answer ?? null,
          file.answer?.target ?? null,
          file.answer?.driver ?? null,
        ]),
      ];
  return `${rows.map((row) => row.map(quote).join(',')).join('\r\n')}\r\n`;
}
