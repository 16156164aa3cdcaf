import { seriesStyle } from '@culprit/core/report/series-page';
import type { SeriesData } from '@culprit/core/utilization/series-data';
import { seriesIn } from '@culprit/view/series/series';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { FileButtons } from '../shared/file-buttons.tsx';
import { useDrop } from '../shared/use-drop.ts';
import { VerdictHtml } from '../shared/verdict-html.tsx';
import { WorkState } from '../shared/work-state.tsx';
import { named } from './named.ts';
import { useQuestion } from './use-question.ts';

/** Series of counters: what the GPUs really do, and their time lines. */
export function UtilView(): JSX.Element {
  const { busy, failed, answer, inputs, take } = useQuestion('util');
  const over = useDrop(take);
  return (
    <div class={over ? 'drop-here' : undefined}>
      <div class="question">
        <h1 class={answer === null ? undefined : 'unseen'}>What do the GPUs really do?</h1>
        <p>
          Drop what <code>nvidia-smi dmon</code>, <code>pmon</code>, <code>nvidia-smi --query-gpu … -l 1</code>,{' '}
          <code>dcgmi dmon</code> or a DCGM exporter printed, also several files of one time, packed or not.
        </p>
        <p class="row">
          <FileButtons take={take} />
          <span class="soft">{named(inputs.map(({ name }) => name))}</span>
        </p>
        {answer === null && busy === null ? (
          <pre tabIndex={0}>
            <code>nvidia-smi dmon -s pucvmet -o DT -d 1 -c 600 &gt; dmon.txt</code>
          </pre>
        ) : null}
      </div>
      <WorkState busy={busy} failed={failed} told={answer === null ? null : answer.verdict.headline} />
      {answer === null ? null : (
        <>
          <VerdictHtml html={answer.html} />
          {answer.data === null ? (
            <p>No series of samples is in it, so there is nothing to draw.</p>
          ) : (
            <TimeLines data={answer.data} />
          )}
        </>
      )}
    </div>
  );
}

function TimeLines({ data }: { readonly data: SeriesData }): JSX.Element {
  const home = useRef<HTMLElement>(null);
  useEffect(() => {
    const gone = new AbortController();
    if (home.current !== null) seriesIn(home.current, data, gone.signal);
    return () => gone.abort();
  }, [data]);
  return (
    <>
      <style>{seriesStyle}</style>
      <section ref={home} class="card" id="series" aria-label="Time lines" />
    </>
  );
}
