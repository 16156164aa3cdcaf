import type { Question } from '@culprit/core/compat/question';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ask } from '../core/client.ts';
import type { Choices, Judged } from '../core/protocol.ts';
import type { Route } from '../route.ts';
import { Calendar } from './calendar.tsx';
import { JudgementCard } from './judgement-card.tsx';
import { MatrixView } from './matrix-view.tsx';

type Part = 'toolkit' | 'wheel' | 'image' | 'driver' | 'gpu' | 'flavour';
type Parts = Readonly<Record<Part, string>>;

const none: Parts = { toolkit: '', wheel: '', image: '', driver: '', gpu: '', flavour: '' };
const parts = Object.keys(none) as readonly Part[];

/** Choose a program, a driver and a GPU, or ask in words: does it run, and by which rule. */
export function JudgeView({ route }: { readonly route: Route }): JSX.Element {
  const [choices, setChoices] = useState<Choices | null>(null);
  const [text, setText] = useState(route.parameters.get('text') ?? '');
  const [chosen, setChosen] = useState<Parts>(() => chosenOf(route.parameters));
  const [judged, setJudged] = useState<Judged | null>(null);
  const [failed, setFailed] = useState<string | null>(null);

  useEffect(() => {
    void ask('choices', {}).then(setChoices);
  }, []);
  useEffect(() => {
    const question = questionOf(chosen);
    if (text.trim() === '' && question === null) {
      setJudged(null);
      return;
    }
    let current = true;
    const pause = setTimeout(() => {
      const asked = text.trim() === '' ? ask('judge', { parts: question! }) : ask('judge', { text });
      asked
        .then((answer) => {
          if (!current) return;
          setJudged(answer);
          setFailed(null);
        })
        .catch((error: unknown) => setFailed(String(error)));
    }, 200);
    return () => {
      current = false;
      clearTimeout(pause);
    };
  }, [text, chosen]);

  const pick = (part: Part, value: string): void => {
    setText('');
    setChosen({ ...chosen, [part]: value, ...(part === 'wheel' && value !== '' ? { toolkit: '', image: '' } : {}) });
  };
  return (
    <>
      <h1>Does it run?</h1>
      <div class="question">
        <label for="words">Ask in words, or state a claim</label>
        <input
          id="words"
          class="wide"
          value={text}
          placeholder="torch 2.7.0+cu128 on driver 550.54.15 with V100"
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <p class="soft">or choose:</p>
        <div class="fields">
          <Field
            label="Toolkit"
            value={chosen.toolkit}
            options={choices?.toolkits}
            pick={(value) => pick('toolkit', value)}
          />
          <Field label="Wheel" value={chosen.wheel} options={choices?.wheels} pick={(value) => pick('wheel', value)} />
          <Field label="Image" value={chosen.image} options={choices?.images} pick={(value) => pick('image', value)} />
          <Field
            label="Driver"
            value={chosen.driver}
            options={choices?.drivers}
            pick={(value) => pick('driver', value)}
          />
          <Field label="GPU" value={chosen.gpu} options={choices?.gpus} pick={(value) => pick('gpu', value)} />
          <label class="field">
            Kernel modules
            <select value={chosen.flavour} onChange={(event) => pick('flavour', event.currentTarget.value)}>
              <option value="">the right ones</option>
              <option value="open">open</option>
              <option value="proprietary">proprietary</option>
              <option value="unknown">not known</option>
            </select>
          </label>
        </div>
      </div>
      <div aria-live="polite">
        {failed === null ? null : <p role="alert">{failed}</p>}
        {judged === null ? null : <JudgementCard judged={judged} />}
      </div>
      <MatrixView gpus={choices?.gpus ?? []} chosen={chosen.gpu} />
      <Calendar />
    </>
  );
}

/** A value that can be typed, with those that are known as suggestions. */
function Field(props: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[] | undefined;
  readonly pick: (value: string) => void;
}): JSX.Element {
  const list = `known-${props.label.toLowerCase()}`;
  return (
    <label class="field">
      {props.label}
      <input
        value={props.value}
        list={list}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => props.pick(event.currentTarget.value)}
      />
      <datalist id={list}>
        {props.options?.map((option) => (
          <option key={option} value={option} />
        ))}
      </datalist>
    </label>
  );
}

function chosenOf(parameters: URLSearchParams): Parts {
  return Object.fromEntries(parts.map((part) => [part, parameters.get(part) ?? ''])) as Parts;
}

function questionOf(chosen: Parts): Question | null {
  const wheel = /^(?<name>[\w.-]+)(?:\[[\w,]+\])?(?:==(?<version>[\w.]+))?(?:\+(?<variant>\w+))?$/.exec(
    chosen.wheel.trim(),
  )?.groups;
  const question: Question = {
    ...(chosen.toolkit.trim() === '' ? {} : { toolkit: chosen.toolkit.trim() }),
    ...(wheel === undefined
      ? {}
      : {
          wheel: {
            name: wheel['name']!,
            ...(wheel['version'] === undefined ? {} : { version: wheel['version'] }),
            ...(wheel['variant'] === undefined ? {} : { variant: wheel['variant'] }),
          },
        }),
    ...(chosen.image.trim() === '' ? {} : { image: chosen.image.trim() }),
    ...(chosen.driver.trim() === '' ? {} : { driver: chosen.driver.trim() }),
    ...(chosen.gpu.trim() === '' ? {} : { gpu: chosen.gpu.trim() }),
    ...(chosen.flavour === '' ? {} : { moduleFlavour: chosen.flavour as 'open' }),
  };
  return Object.keys(question).length === 0 ? null : question;
}
