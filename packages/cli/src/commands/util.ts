import { examineUse } from '@culprit/core/diagnose/use';
import { exitStatusOf } from '@culprit/core/report/exit-status';
import { seriesCsv, seriesMarkdown, seriesText } from '@culprit/core/report/series-report';
import type { Verdict } from '@culprit/core/model/verdict';
import type { VerdictFormat } from '@culprit/core/report/verdict-report';
import { reportVerdict } from '@culprit/core/report/verdict-report';
import { visiblePage } from '@culprit/core/report/visible';
import { SeriesSet } from '@culprit/core/utilization/series-set';
import { thresholds } from '@culprit/core/utilization/thresholds.rows';
import { toolError, usageError } from '../errors.ts';
import { reportTarget } from '../report-target.ts';
import { printThresholds, thresholdsOf } from '../thresholds.ts';
import { version } from '../version.ts';
import type { Run } from './command.ts';
import { isLive, readAllInto } from './util-read.ts';

export const run: Run = async (call) => {
  if (call.flags['thresholds'] === true) {
    printThresholds(call, thresholds);
    return 0;
  }
  if (call.flags['rules'] === true || call.flags['dashboard'] === true)
    return (await import('./util-packs.ts')).printPack(call, thresholdsOf(call, thresholds, 'util'));
  if (call.positionals.length === 0 && process.stdin.isTTY && !isLive(call))
    throw usageError('no-input', 'there is no series', 'nvidia-smi dmon -s pucmt -o DT -c 120 | culprit util -');
  const limits = thresholdsOf(call, thresholds, 'util');
  if (call.flags['compare'] === true) return (await import('./util-compare.ts')).compare(call, limits);
  const period = (['before', 'after', 'split', 'by'] as const).find((flag) => call.flags[flag] !== undefined);
  if (period !== undefined) throw usageError('bad-value', `--${period} goes with --compare`, null);
  const target = reportTarget(call);
  const knowledge = await call.knowledge();
  const set = new SeriesSet(limits);
  const documents = await readAllInto(call, set);
  if (set.gpus.size === 0 && documents.length === 0 && set.exporterAbsent === null)
    throw toolError('no-input', 'there is nothing to read', 'the input is empty');
  let verdict = examineUse(documents, knowledge, set);
  if (call.flags['for'] !== undefined && set.gpus.size === 0) verdict = ofNoSamples(verdict, set.left);
  const pictured = { set, documents, verdict, knowledge };
  let masked: readonly { readonly kind: never; readonly count: number }[] = [];
  if (target.redact) {
    const { redactorOf } = await import('@culprit/core/report/redact');
    const redactor = redactorOf(documents);
    verdict = redactor.verdict(verdict);
    masked = redactor.masked() as typeof masked;
  }
  if (call.format === 'csv') target.write(seriesCsv(set));
  else if (call.format === 'html' && set.gpus.size > 0)
    target.write((await import('./util-pictures.ts')).pageOf(pictured, target.redact));
  else {
    const left = set.left.filter((each) => !verdict.headline.endsWith(each));
    const options = { knowledge, version, color: target.color, columns: target.columns, left };
    target.write(reportVerdict(verdict, call.format as VerdictFormat, options));
    const numbers =
      call.format === 'text'
        ? seriesText(set, verdict, target.columns ?? 100)
        : call.format === 'markdown'
          ? seriesMarkdown(set, verdict)
          : '';
    if (numbers !== '') target.write(`\n${visiblePage(numbers)}`);
  }
  target.done(target.redact ? masked : null);
  if (['html', 'svg', 'series'].some((flag) => call.flags[flag] !== undefined))
    (await import('./util-pictures.ts')).writePictures(call, pictured);
  return exitStatusOf(verdict.status);
};

/** A sampling that brought no sample says so, and why, unless what it saw beside accuses somebody. */
function ofNoSamples(verdict: Verdict, why: readonly string[]): Verdict {
  if (verdict.status !== 'cannot-tell' || verdict.findings.length > 0) return verdict;
  return {
    ...verdict,
    headline: `cannot tell: ${why[0] ?? 'nothing was sampled'}`,
    unknown: [
      {
        layer: null,
        missing: ['samples of a machine that has GPUs'],
        ask: 'culprit util --for 30s --ssh HOST   # or --pod, --node, --docker, --slurm; culprit check: why there is none here',
      },
    ],
  };
}
