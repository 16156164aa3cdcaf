import { SeriesIntake } from '@culprit/core/diagnose/series-intake';
import { withUnread } from '@culprit/core/diagnose/unread';
import { examineUse } from '@culprit/core/diagnose/use';
import { defaultKnowledge } from '@culprit/core/knowledge/knowledge';
import type { Document } from '@culprit/core/model/document';
import { verdictHtml } from '@culprit/core/report/html-report';
import { lookupOf } from '@culprit/core/report/lookup';
import { mostPageNumbers } from '@culprit/core/report/series-page';
import { seriesData } from '@culprit/core/utilization/series-data';
import { SeriesSet } from '@culprit/core/utilization/series-set';
import { unpackedInto } from '../../files/unpacked.ts';
import { version } from '../../version.ts';
import type { Answerer } from '../protocol.ts';

/** What the GPUs really do, by series of their counters: as `culprit util` says it, with the same pictures. */
export const answer: Answerer<'util'> = async ({ inputs }, progress) => {
  const set = new SeriesSet();
  const documents: Document[] = [];
  const unreadable: { readonly name: string; readonly reason: string }[] = [];
  for (const input of inputs) {
    const { name } = input;
    try {
      const intake = new SeriesIntake(set, name);
      if ('text' in input) intake.push(input.text);
      else {
        const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
        let said = 0;
        const wrong = await unpackedInto(
          input.file,
          (bytes) => {
            intake.push(decoder.decode(bytes, { stream: true }));
            return true;
          },
          (done) => {
            if (done - said < 8e6) return;
            said = done;
            progress(`reading ${name}: ${Math.round(done / 1e6)} of ${Math.round(input.file.size / 1e6)} MB`);
          },
        );
        intake.push(decoder.decode());
        if (wrong !== null) set.left.push(`${name}: ${wrong}`);
      }
      const read = intake.end();
      if ('unusable' in read) unreadable.push({ name, reason: read.unusable });
      else documents.push(...read);
    } catch (error) {
      unreadable.push({ name, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  progress('judging');
  const judged = examineUse(documents, defaultKnowledge, set);
  const verdict = withUnread(
    judged,
    unreadable.map((each) => ({ ...each, ask: 'culprit util FILE' })),
    [],
  );
  const data = set.gpus.size === 0 ? null : seriesData(set, mostPageNumbers);
  const left = data !== null && data.left > 0 ? [`${data.left} more GPUs are not drawn`] : [];
  const options = { knowledge: defaultKnowledge, version, color: false, columns: null, left: [...set.left, ...left] };
  return { verdict, html: verdictHtml(verdict, lookupOf(defaultKnowledge, verdict), options), data };
};
