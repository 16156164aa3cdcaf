import { timelineStyle } from '@culprit/core/report/timeline-page';
import { timelineIn } from '@culprit/view/timeline/timeline';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Profiles } from '../core/protocol.ts';
import { FileButtons } from '../shared/file-buttons.tsx';
import { useDrop } from '../shared/use-drop.ts';
import { VerdictHtml } from '../shared/verdict-html.tsx';
import { WorkState } from '../shared/work-state.tsx';
import { named } from './named.ts';
import { useQuestion } from './use-question.ts';

/** Profiles: where the time goes and why, with the time line. */
export function TraceView(): JSX.Element {
  const { busy, failed, answer, inputs, take } = useQuestion('trace');
  const over = useDrop(take);
  return (
    <div class={over ? 'drop-here' : undefined}>
      <div class="question">
        <h1 class={answer === null ? undefined : 'unseen'}>Where does the time go?</h1>
        <p>
          Drop exports of Nsight Systems (SQLite), traces of PyTorch or JAX (JSON, packed or not; of several ranks
          together), or a table of Nsight Compute.
        </p>
        <p class="row">
          <FileButtons take={take} />
          <span class="soft">{named(inputs.map(({ name }) => name))}</span>
        </p>
        {answer === null && busy === null ? (
          <pre tabIndex={0}>
            <code>nsys profile -t cuda,nvtx -o run ./app && nsys export -t sqlite run.nsys-rep</code>
          </pre>
        ) : null}
      </div>
      <WorkState
        busy={busy}
        failed={failed}
        told={answer === null ? null : answer.parts.map(({ verdict }) => verdict.headline).join('; ')}
      />
      {answer === null ? null : (
        <>
          {answer.failures.map((each) => (
            <p key={each} role="alert">
              {each}
            </p>
          ))}
          {answer.parts.map(({ name, html }) => (
            <div key={name}>
              {answer.parts.length > 1 ? <h2>{name}</h2> : null}
              <VerdictHtml html={html} />
            </div>
          ))}
          {answer.timeline === null ? null : <TimeLine data={answer.timeline} />}
          {answer.parts.map(({ name, numbers }) => (
            <VerdictHtml key={name} html={numbers} />
          ))}
        </>
      )}
    </div>
  );
}

function TimeLine({ data }: { readonly data: NonNullable<Profiles['timeline']> }): JSX.Element {
  const home = useRef<HTMLElement>(null);
  useEffect(() => {
    const gone = new AbortController();
    if (home.current !== null) void timelineIn(home.current, data, gone.signal);
    return () => gone.abort();
  }, [data]);
  return (
    <>
      <style>{timelineStyle}</style>
      <section ref={home} class="card" id="timeline" aria-label="Time line" />
    </>
  );
}
