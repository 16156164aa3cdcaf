import type { ProfilerNote } from '../model.ts';

/*
 * What profilers print beside their tables: which reports were empty, why nothing was recorded, what a rule did not find.
 * Nsight Systems user guide, troubleshooting and statistical reports; NVIDIA profiler user's guide.
 */

type Kind = ProfilerNote['kind'];

interface Sign {
  /** In lower case, part of the line. */
  readonly has: string;
  readonly is: RegExp;
  readonly kind: Kind;
}

/** In the order in which they are tried. */
const signs: readonly Sign[] = [
  {
    has: 'skipped:',
    is: /\bskipped:.{1,600}\bdoes not contain (?:any )?(?:cuda|gpu) (?:trace|kernel|memory|activity|workload)\b.{0,12}\bdata\b/,
    kind: 'skipped-gpu',
  },
  { has: 'skipped:', is: /\bskipped:.{1,600}\b(?:does not contain|could not be analyzed)\b/, kind: 'skipped' },
  {
    has: 'no cuda events',
    is: /\bno cuda events (?:were )?collected\b/,
    kind: 'skipped-gpu',
  },
  { has: 'cuda profiling might have not', is: /\bcuda profiling might have not been started\b/, kind: 'skipped-gpu' },
  {
    has: 'not supported on devices with compute capability',
    is: /\b(?:nvprof|profiling) is not supported on devices with compute capability\b/,
    kind: 'refused',
  },
  {
    has: 'no kernels were profiled',
    is: /^(?:.{0,80}[\s=])?no kernels were profiled\b/,
    kind: 'no-kernels',
  },
  {
    has: 'no cuda application was profiled',
    is: /\bno cuda application was profiled\b/,
    kind: 'no-kernels',
  },
  { has: 'importer', is: /\bimporter (?:error status|binary\b.{0,80}\bnot found)/, kind: 'no-importer' },
  { has: 'qdstrm', is: /\b(?:skipping|unable to perform|failed).{0,60}\bimport(?:ation)?\b/, kind: 'no-importer' },
  { has: 'importation failed', is: /\bimportation failed\b/, kind: 'no-importer' },
  { has: 'err_nvgpuctrperm', is: /\berr_nvgpuctrperm\b/, kind: 'no-rights' },
  {
    has: 'permission to profile',
    is: /\bdoes not have permission to (?:profile|access)\b/,
    kind: 'no-rights',
  },
  {
    has: 'there were no problems detected',
    is: /\bthere were no problems detected (?:related to|with)\b/,
    kind: 'quiet-rule',
  },
  { has: 'cpu profiling result', is: /\bcpu profiling result \(/, kind: 'other-table' },
  { has: ' result:', is: /^.{0,40}==\s{0,4}(?:metric|event) result:/, kind: 'counters' },
  { has: 'nvprof is profiling process', is: /\bnvprof is profiling process \d/, kind: 'made' },
  {
    has: 'processing [',
    is: /\bprocessing \[[^\]]{1,400}\] with \[[^\]]{1,400}\b(?:reports|rules)\b/,
    kind: 'made',
  },
  { has: "executing '", is: /\bexecuting '[\w-]{1,60}' (?:stats |summary |statistics )?report\b/, kind: 'made' },
  { has: "generating '", is: /\bgenerating '.{1,300}\.qdstrm'/, kind: 'made' },
];

const longest = 1200;

/** What a line says of the profiler's own work; null for any other line. */
export function noteOf(text: string): Kind | null {
  if (text.length > longest * 4) return null;
  const lower = text.slice(0, longest).toLowerCase();
  return signs.find(({ has, is }) => lower.includes(has) && is.test(lower))?.kind ?? null;
}

/** True for a text in which Nsight Systems or nvprof speak, tables or not. */
export function isProfilerOutput(lines: readonly string[]): boolean {
  return lines.some((line) => noteOf(line) !== null);
}
