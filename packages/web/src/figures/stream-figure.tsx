import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { SceneAnswer } from '../core/figure-asks.ts';
import { Figure } from './figure.tsx';
import { NumberField } from './number-field.tsx';
import { SceneList } from './scene-list.tsx';
import { useAsk, useNear } from './use-ask.ts';
import { percentText, timeText } from './words.ts';

const titles = {
  'default-stream': 'two streams, and the default stream for the third kernel',
  'own-streams': 'a stream for each, none of them the default stream',
  'non-blocking': 'the default stream again, but the others are non-blocking',
  events: 'the third kernel waits for the other two by events',
  'per-thread': 'three threads, each with its own default stream',
  graph: 'one CUDA graph: the third kernel after the other two',
} as const;

const optional = (value: number | null, text: (value: number) => string): string =>
  value === null ? '–' : text(value);

/** The same three kernels, launched in six ways. */
export function StreamFigure(): JSX.Element {
  const [kernelUs, setKernelUs] = useState(60);
  const [sharePercent, setSharePercent] = useState(30);
  const place = useRef<HTMLDivElement>(null);
  const { answer, failed } = useAsk('streams', { kernelUs, sharePercent }, useNear(place));
  const columns: readonly (readonly [string, (scene: SceneAnswer) => string])[] = [
    ['serialised_ns', ({ numbers }) => optional(numbers.serialisedNs, timeText)],
    ['idle', ({ numbers }) => optional(numbers.idleShare, percentText)],
    ['median gap', ({ numbers }) => optional(numbers.gapMedianNs, timeText)],
    ['launches', ({ numbers }) => optional(numbers.launches, String)],
  ];
  return (
    <div ref={place}>
      <Figure
        id="streams"
        title="Streams, the default stream, events and graphs"
        use={
          <>
            if two things that should run side by side take turns, look for the default stream in the profile (stream
            7): a library that was not given a stream is enough. <code>culprit trace</code> names the kernels; the
            developer passes a stream, makes streams non-blocking, or builds with{' '}
            <code>--default-stream per-thread</code>. Kernels that are shorter than their launch want a CUDA graph.
          </>
        }
      >
        <div class="fields">
          <NumberField
            label="Each kernel takes"
            value={kernelUs}
            min={1}
            max={500}
            step={1}
            set={setKernelUs}
            words={timeText(kernelUs * 1000)}
          />
          <NumberField
            label="Each kernel fills"
            value={sharePercent}
            min={10}
            max={100}
            step={5}
            set={setSharePercent}
            words={`${sharePercent} % of the GPU`}
          />
        </div>
        {failed === null ? null : <p role="alert">{failed}</p>}
        {answer === null ? null : (
          <>
            <SceneList
              scenes={answer.map((scene) => ({ ...scene, title: titles[scene.setup] }))}
              columns={columns}
              what="60 steps"
            />
            <p class="soft">
              Played by the rules of CUDA: the default stream waits for all blocking streams, and they for it. A launch
              takes 4 µs. <code>serialised_ns</code> is the time in which a kernel of the default stream runs while a
              launched kernel of another stream has not started, whether it waits for that one or in its own queue. Only
              events and the graph keep <code>reduce</code> behind the kernels whose results it needs.
            </p>
          </>
        )}
      </Figure>
    </div>
  );
}
