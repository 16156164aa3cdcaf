import type { JSX } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ask, stop, Stopped, warmUp } from '../core/client.ts';
import type { Diagnosis, Input } from '../core/protocol.ts';
import type { Route } from '../route.ts';
import { handOver } from '../pictures/handed-over.ts';
import { FileButtons } from '../shared/file-buttons.tsx';
import { useDrop } from '../shared/use-drop.ts';
import { VerdictHtml } from '../shared/verdict-html.tsx';
import { WorkState } from '../shared/work-state.tsx';
import { lastDiagnosis } from '../stack/last-diagnosis.ts';
import { StackFigure } from '../stack/stack-figure.tsx';
import { ExcerptPane } from './excerpt-pane.tsx';
import { Examples } from './examples.tsx';
import { unpacked } from './link.ts';
import { OtherAnswers } from './other-answers.tsx';
import { ShareBar } from './share-bar.tsx';

type State =
  | { readonly is: 'empty' }
  | { readonly is: 'busy'; readonly words: string }
  | { readonly is: 'failed'; readonly message: string }
  | { readonly is: 'answered'; readonly answer: Diagnosis; readonly inputs: readonly Input[] };

/** Text up to this length is judged while it is typed. */
const typedLimit = 200_000;
const typingPause = 500;
/** Reading so much takes a while: it is ended where something else is asked. */
const heavyBytes = 8_000_000;

/** Paste or drop what there is; the answer comes first. */
export function DiagnoseView({ route }: { readonly route: Route }): JSX.Element {
  const [text, setText] = useState('');
  const [files, setFiles] = useState<readonly Input[]>([]);
  const [state, setState] = useState<State>({ is: 'empty' });
  const turn = useRef(0);
  const pause = useRef(0);
  const heavy = useRef(false);

  const judge = useCallback((typed: string, dropped: readonly Input[]): void => {
    clearTimeout(pause.current);
    const inputs = [...(typed.trim() === '' ? [] : [{ name: 'pasted', text: typed }]), ...dropped];
    const mine = ++turn.current;
    if (inputs.length === 0) {
      setState({ is: 'empty' });
      return;
    }
    const current = (next: State): void => {
      if (turn.current === mine) setState(next);
    };
    // Files that are not wanted any more need not be read to their end.
    if (heavy.current) stop();
    heavy.current = inputs.reduce((sum, input) => sum + ('file' in input ? input.file.size : 0), 0) > heavyBytes;
    current({ is: 'busy', words: 'reading' });
    ask('diagnose', { inputs }, (words) => current({ is: 'busy', words }))
      .then((answer) => {
        lastDiagnosis.stack = answer.stack;
        lastDiagnosis.headline = answer.verdict.headline;
        current({ is: 'answered', answer, inputs });
      })
      .catch((error: unknown) =>
        current({
          is: 'failed',
          message: error instanceof Stopped ? 'stopped; what was read is not judged' : String(error),
        }),
      );
  }, []);

  const take = useCallback(
    (dropped: readonly Input[]): void => {
      setFiles(dropped);
      judge(text, dropped);
    },
    [judge, text],
  );

  const linked = route.parameters.get('input');
  // `culprit open FILE` serves the page with an answer beside it.
  useEffect(() => {
    const beside = document.querySelector<HTMLMetaElement>('meta[name=culprit-answer]')?.content;
    if (beside === undefined || linked !== null) return;
    void fetch(beside)
      .then((response) => response.json() as Promise<Diagnosis>)
      .then((answer) => {
        if (turn.current === 0) setState({ is: 'answered', answer, inputs: [] });
      });
  }, [linked]);

  useEffect(() => {
    if (linked === null) return;
    unpacked(linked)
      .then((inputs) => {
        const [first, ...rest] = inputs;
        setText(first?.text ?? '');
        setFiles(rest);
        judge(first?.text ?? '', rest);
      })
      .catch(() => setState({ is: 'failed', message: 'this link holds no input that can be read' }));
  }, [linked, judge]);

  const over = useDrop(take);

  const type = (typed: string, pasted: boolean): void => {
    setText(typed);
    clearTimeout(pause.current);
    if (typed.length <= typedLimit) pause.current = setTimeout(() => judge(typed, files), pasted ? 0 : typingPause);
  };
  const clear = (): void => {
    setText('');
    take([]);
    judge('', []);
  };

  return (
    <div class={over ? 'drop-here' : undefined}>
      <div class="question">
        <h1 class={state.is === 'empty' ? undefined : 'unseen'}>Which layer is to blame?</h1>
        <label for="paste">Paste a log, a stack trace, what a command printed, or a claim</label>
        <textarea
          id="paste"
          value={text}
          rows={text === '' ? 8 : 6}
          spellcheck={false}
          autocomplete="off"
          placeholder="RuntimeError: CUDA error: no kernel image is available for execution on the device"
          onFocus={warmUp}
          onInput={(event) => type(event.currentTarget.value, event.inputType === 'insertFromPaste')}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) judge(text, files);
            if (event.key === 'Escape') clear();
          }}
        />
        <p class="row">
          <button type="button" class="main" onClick={() => judge(text, files)}>
            Who is to blame?
          </button>
          <FileButtons take={take} />
          <button type="button" hidden={text === '' && files.length === 0} onClick={clear}>
            Clear
          </button>
          <span class="soft">
            {files.length === 0
              ? 'or drop files and folders anywhere. Nothing leaves this machine.'
              : files.length === 1
                ? files[0]!.name
                : `${files.length} files`}
          </span>
        </p>
        {text === '' && files.length === 0 ? (
          <Examples
            take={(given) => {
              setText(given);
              judge(given, []);
            }}
          />
        ) : null}
      </div>
      <WorkState
        busy={state.is === 'busy' ? state.words : null}
        failed={state.is === 'failed' ? state.message : null}
        told={state.is === 'answered' ? toldOf(state.answer) : null}
      />
      {state.is === 'answered' ? (
        <>
          {state.answer.html === '' ? null : <VerdictHtml html={state.answer.html} />}
          {state.answer.draws === undefined || state.inputs.length === 0 ? null : (
            <p>
              <a href={`#/${state.answer.draws}`} onClick={() => handOver(state.inputs)}>
                {state.answer.draws === 'util' ? 'See its time lines' : 'See where the time goes, on a time line'}
              </a>
            </p>
          )}
          {state.answer.others === undefined ? null : (
            <OtherAnswers others={state.answer.others} inputs={state.inputs} />
          )}
          {state.inputs.length === 0 || state.answer.html === '' ? null : <ShareBar inputs={state.inputs} />}
          {state.answer.html === '' && state.answer.others?.every((each) => each.verdict === null) === true ? null : (
            <section class="card" aria-labelledby="stack-title">
              <h2 id="stack-title">On the stack</h2>
              <StackFigure stack={state.answer.stack} />
            </section>
          )}
          <ExcerptPane excerpts={state.answer.excerpts} />
        </>
      ) : null}
    </div>
  );
}

/** What a screen reader says when the answer is there. */
function toldOf({ html, verdict, others }: Diagnosis): string {
  const read = others?.map(({ name }) => name).join(', ');
  return html === '' && read !== undefined ? `read: ${read}` : verdict.headline;
}
