import type { Document } from '../model/document.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { Verdict } from '../model/verdict.ts';
import { findingsOf } from '../utilization/findings.ts';
import type { SeriesFinding } from '../utilization/finding.ts';
import type { SeriesSet } from '../utilization/series-set.ts';
import { examine } from './diagnose.ts';

/**
 * What GPUs do, by series and what stands beside them. As `examine`, but where no series says how a GPU is used, that is
 * not known: a set-up in which nothing failed, one look at a GPU or a list of processes is no sign of good use.
 */
export function examineUse(documents: readonly Document[], knowledge: Knowledge, series: SeriesSet): Verdict {
  return ofUse(examine(documents, knowledge, series).verdict, series);
}

/** Numbers of these tell how a GPU is used without any series. */
const profiled = /^(?:trace|profile)\./;

function ofUse(verdict: Verdict, set: SeriesSet): Verdict {
  const { status, cause, findings, facts } = verdict;
  if (findings.length > 0 || (status !== 'ok' && status !== 'cannot-tell')) return verdict;
  if (status === 'cannot-tell' && cause !== null && !cause.startsWith('ok-')) return verdict;
  // Nobody asks how a GPU is used where there is none.
  if (cause === 'ok-no-gpu-here' || facts.some(({ id }) => profiled.test(id))) return verdict;
  const found = findingsOf(set);
  const open = found.find(({ kind }) => kind === 'unclear');
  if (status === 'ok' && open === undefined && found.length > 0) return verdict;
  return open === undefined ? withoutSeries(verdict, set) : left(verdict, open);
}

/** The series that are there leave it open. */
function left(verdict: Verdict, { cause, message, missing }: SeriesFinding): Verdict {
  return {
    ...verdict,
    status: 'cannot-tell',
    layer: null,
    cause,
    headline: `cannot tell: ${message}`,
    unknown: missing === undefined ? verdict.unknown : [{ layer: null, missing: [missing.fact], ask: missing.ask }],
  };
}

function withoutSeries(verdict: Verdict, set: SeriesSet): Verdict {
  const [said, ask] = whatIsThere(set);
  return {
    ...verdict,
    status: 'cannot-tell',
    layer: null,
    cause: null,
    cleared: verdict.cause === 'ok-benign-warning' ? [] : verdict.cleared,
    headline: `cannot tell: ${said}`,
    unknown: [
      {
        layer: null,
        missing: [
          'samples of how the GPUs are used: a table of nvidia-smi dmon, pmon or --query-gpu, of dcgmi dmon, or scrapes of dcgm-exporter',
        ],
        ask,
      },
    ],
  };
}

function whatIsThere(set: SeriesSet): readonly [string, string] {
  const sample = 'nvidia-smi dmon -s pucmt -o DT -c 120';
  const count = [...set.processes.values()].reduce((sum, each) => sum + each.size, 0);
  if (set.kinds.has('compute-apps') || count > 0) {
    const list = count === 0 ? 'no process' : `${count} process${count === 1 ? '' : 'es'}`;
    return [
      `a list of processes names ${list}, and how the GPUs are used is not in it`,
      `${sample} > dmon.log; nvidia-smi --query-compute-apps=gpu_uuid,pid,process_name,used_gpu_memory --format=csv > apps.csv; culprit util dmon.log apps.csv`,
    ];
  }
  return [
    set.columns.size > 0
      ? 'the head of a table is in the input, and no sample of a GPU'
      : 'no samples of a GPU are in the input, so how it is used is not known',
    `${sample} | culprit util -`,
  ];
}
