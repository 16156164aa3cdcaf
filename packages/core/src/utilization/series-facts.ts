import type { Document, Line } from '../model/document.ts';
import type { FactId, FactValues, UtilId } from '../model/facts.ts';
import type { SeriesPlace } from './gpu-series.ts';
import { metricAt } from './gpu-series.ts';
import { metrics } from './metrics.rows.ts';
import { spanOf } from './moments.ts';
import { findingsOf } from './findings.ts';
import { SeriesReader } from './reader.ts';
import { SeriesSet } from './series-set.ts';

/** Metrics whose mean and most a verdict states. */
const stated: ReadonlySet<string> = new Set([
  'util',
  'mem',
  'smact',
  'smocc',
  'gract',
  'tensor',
  'dram',
  'power',
  'temperature',
  'sm-clock',
  'held',
  'rx',
  'tx',
]);

/** GPUs whose numbers a verdict states. */
const mostGpus = 8;

/** Takes the facts of series; each file is a document that the evidence quotes. */
export interface SeriesSink {
  add(document: Document, id: FactId, value: unknown, lines: readonly Line[]): void;
}

/** Puts the findings and the numbers of series into a store; @returns the documents that the evidence speaks of. */
export function putSeriesFacts(set: SeriesSet, sink: SeriesSink): readonly Document[] {
  const documents = new Map<string | null, { readonly document: Document; readonly lines: Map<number, Line> }>();
  const lineOf = (place: SeriesPlace): Line => {
    let file = documents.get(place.file);
    if (file === undefined) {
      const lines: Line[] = [];
      file = { document: { file: place.file, source: 'series', subject: 'text', lines, left: [] }, lines: new Map() };
      documents.set(place.file, file);
    }
    const known = file.lines.get(place.line);
    if (known !== undefined) return known;
    const line: Line = {
      index: place.line - 1,
      number: place.line,
      column: 1,
      text: place.text,
      clean: place.text,
      origin: {},
      told: false,
      scope: 'unknown',
      command: null,
      prompt: false,
    };
    file.lines.set(place.line, line);
    (file.document.lines as Line[]).push(line);
    return line;
  };
  const put = (id: FactId, value: unknown, places: readonly SeriesPlace[]): void => {
    const [first] = places;
    if (first === undefined) return;
    const lines = places.map(lineOf);
    sink.add(documents.get(first.file)!.document, id, value, lines);
  };
  for (const { places, missing, ...finding } of findingsOf(set))
    put('util.finding', { ...finding, missing: missing ?? null } satisfies FactValues['util.finding'], places);
  for (const [gpu, events] of set.events)
    // The gauge keeps the last Xid for ever: only a value that came while the series ran is an event.
    for (const { to, place, seconds, since } of events.steps('xid'))
      if (to > 0 && to < 1000 && Number.isInteger(to))
        put(
          'gpu.xid',
          {
            xid: to,
            pci: '',
            pid: null,
            process: null,
            message: `the exporter's gauge of GPU ${gpu}, ${spanOf(since, seconds, set.counted)}`,
          } satisfies FactValues['gpu.xid'],
          [place],
        );
  [...set.gpus.values()].slice(0, mostGpus).forEach((series) => {
    const place = [...series.quoted.values()].slice(0, 1);
    const name = `util.gpu${series.id.replaceAll(/[^\w.-]/g, '_')}`;
    put(`${name}.samples` as UtilId, series.rows, place);
    for (const { id } of metrics) {
      const running = series.all[metricAt(id)]!;
      if (!stated.has(id) || running.count === 0) continue;
      put(`${name}.${id}.mean` as UtilId, Math.round(running.mean * 100) / 100, place);
      if (id !== 'held') put(`${name}.${id}.max` as UtilId, Math.round(running.max * 100) / 100, place);
    }
  });
  return [...documents.values()].map(({ document }) => document);
}

/** The series that stand in pasted texts; remarks of people are not read. */
export function seriesOfDocuments(documents: readonly Document[]): SeriesSet {
  const set = new SeriesSet();
  for (const document of documents) new SeriesReader(set, document.file).document(document);
  set.settle();
  return set;
}
