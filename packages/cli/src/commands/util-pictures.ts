import { writeFileSync } from 'node:fs';
import type { Document } from '@culprit/core/model/document';
import type { Verdict } from '@culprit/core/model/verdict';
import type { Knowledge } from '@culprit/core/knowledge/knowledge';
import { jsonText } from '@culprit/core/report/json-report';
import { lookupOf } from '@culprit/core/report/lookup';
import { redactorOf } from '@culprit/core/report/redact';
import { maskedWords } from '@culprit/core/report/redact-words';
import { mostPageNumbers, seriesPage } from '@culprit/core/report/series-page';
import { mostPictureNumbers, seriesSvg } from '@culprit/core/report/series-svg';
import type { SeriesData } from '@culprit/core/utilization/series-data';
import { seriesData } from '@culprit/core/utilization/series-data';
import type { SeriesSet } from '@culprit/core/utilization/series-set';
import { toolError, usageError } from '../errors.ts';
import { version } from '../version.ts';
import { seriesScript } from '../view-scripts.ts';
import type { Call } from './command.ts';

/** What pictures are made of. */
export interface Pictured {
  readonly set: SeriesSet;
  readonly documents: readonly Document[];
  readonly verdict: Verdict;
  readonly knowledge: Knowledge;
}

/** Numbers that a file of series may have. */
const mostFileNumbers = 4_000_000;

/** The page with the verdict and the time lines, as `--format html` prints it. */
export function pageOf(pictured: Pictured, redact: boolean): string {
  const { data, verdict } = shown(pictured, mostPageNumbers, redact);
  const options = { knowledge: pictured.knowledge, version, color: false, columns: null, left: pictured.set.left };
  return seriesPage(verdict, lookupOf(pictured.knowledge, verdict), options, data, seriesScript);
}

/** Writes the files that `--html`, `--svg` and `--series` name, redacted unless that is not wanted. */
export function writePictures(call: Call, pictured: Pictured): void {
  const redact = call.flags['no-redact'] !== true;
  const makers: Readonly<Record<string, () => string>> = {
    html: () => pageOf(pictured, redact),
    svg: () => seriesSvg(shown(pictured, mostPictureNumbers, redact).data),
    series: () => `${jsonText(shown(pictured, mostFileNumbers, redact).data)}\n`,
  };
  for (const [flag, make] of Object.entries(makers)) {
    const file = call.flags[flag];
    if (typeof file !== 'string') continue;
    if (file === '' || call.positionals.includes(file))
      throw usageError('bad-value', `--${flag} needs the name of a file that is not read`, null);
    if (pictured.set.gpus.size === 0)
      throw toolError('no-input', `--${flag} ${file}: there is no series to draw`, 'culprit util reads dmon, DCGM …');
    try {
      writeFileSync(file, make());
    } catch (error) {
      throw toolError('not-written', `${file} cannot be written: ${(error as Error).message}`);
    }
    const masked = redact ? maskedWords(shown(pictured, 1, true).masked) : null;
    call.output.note(
      `culprit: wrote ${file}${!redact ? '; nothing in it is masked' : masked === null ? '; nothing in it had to be masked' : `; masked: ${masked}`}`,
    );
  }
}

function shown(
  { set, documents, verdict }: Pictured,
  most: number,
  redact: boolean,
): {
  readonly data: SeriesData;
  readonly verdict: Verdict;
  readonly masked: ReturnType<ReturnType<typeof redactorOf>['masked']>;
} {
  const data = seriesData(set, most);
  if (!redact) return { data, verdict, masked: [] };
  const redactor = redactorOf(documents);
  // Names of hosts stand before a GPU's own where there are several; a series that is streamed leaves no document.
  const hosts = [...set.gpus.keys()].flatMap((gpu) => {
    const colon = gpu.startsWith('GPU-') ? -1 : gpu.lastIndexOf(':');
    return colon > 0 ? [{ id: 'util.host', value: { host: gpu.slice(0, colon) }, seen: [] }] : [];
  });
  const { facts, ...masked } = redactor.verdict({ ...verdict, facts: [...verdict.facts, ...hosts] });
  return {
    data: redactor.value(data),
    verdict: { ...masked, facts: facts.slice(0, verdict.facts.length) },
    masked: redactor.masked(),
  };
}
