import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { GpuChoice } from '../core/figure-asks.ts';
import { Figure } from './figure.tsx';
import { NumberField } from './number-field.tsx';
import { SceneLegend, ScenePicture } from './scene-picture.tsx';
import { SceneVerdictLine } from './scene-verdict.tsx';
import { SelectField } from './select-field.tsx';
import { useAsk, useNear } from './use-ask.ts';
import { sizeText, timeText } from './words.ts';

const ways = [
  ['demand', 'on faults, when it is touched'],
  ['prefetch', 'ahead, by cudaMemPrefetchAsync'],
] as const;

/** Managed memory: data that fit move once; data that do not fit move in every step. */
export function ManagedFigure({ choice }: { readonly choice: GpuChoice }): JSX.Element {
  const [percent, setPercent] = useState(110);
  const [reuse, setReuse] = useState(4);
  const [hostPercent, setHostPercent] = useState(0);
  const [how, setHow] = useState<'demand' | 'prefetch'>('demand');
  const place = useRef<HTMLDivElement>(null);
  const { answer, failed } = useAsk(
    'managed',
    { ...choice, dataPercent: percent, reuse, how, hostPercent },
    useNear(place),
  );
  const given = answer === null || 'problem' in answer ? null : answer;
  const slower = given === null ? 1 : given.spanNs / given.neededNs;
  return (
    <div ref={place}>
      <Figure
        id="managed"
        title="Unified memory that thrashes"
        use={
          <>
            a job that became many times slower when its batch grew a little, with utilisation at 100 % and next to no
            power drawn, may be paging. Have it profiled with{' '}
            <code>nsys profile --cuda-um-gpu-page-faults=true --cuda-um-cpu-page-faults=true</code>; the developer makes
            the data smaller than the memory, fetches ahead, or copies by hand.
          </>
        }
      >
        <div class="fields">
          <NumberField
            label="Data, of the memory of the GPU"
            value={percent}
            min={20}
            max={200}
            step={5}
            set={setPercent}
            words={
              given === null ? `${percent} %` : `${percent} %; ${Math.round(given.dataGB)} of ${given.memoryGB} GB`
            }
          />
          <NumberField
            label="Reads of each byte in a step"
            value={reuse}
            min={1}
            max={64}
            step={1}
            set={setReuse}
            words={`${reuse}`}
          />
          <NumberField
            label="Read back by the CPU after each step"
            value={hostPercent}
            min={0}
            max={50}
            step={5}
            set={setHostPercent}
            words={`${hostPercent} % of the data`}
          />
          <SelectField
            label="Pages come"
            value={how}
            options={ways}
            set={(value) => setHow(value === 'prefetch' ? 'prefetch' : 'demand')}
          />
        </div>
        {failed === null && !(answer !== null && 'problem' in answer) ? null : (
          <p role="alert">{failed ?? (answer !== null && 'problem' in answer ? answer.problem : '')}</p>
        )}
        {given === null ? null : (
          <>
            <p aria-live="polite">
              <strong>
                {slower < 1.5 ? 'As fast as it can be' : `${slower.toFixed(slower < 10 ? 1 : 0)} times slower`}
              </strong>
              {slower < 1.5 ? '' : ' than with all data in the memory of the GPU'}: in each step{' '}
              {sizeText(given.toDevice)} go to the GPU and {sizeText(given.toHost)} to the host.
            </p>
            <SceneVerdictLine verdict={given.verdict} />
            <ScenePicture picture={given.picture} label="managed memory" />
            <SceneLegend pictures={[given.picture]} />
            <p class="soft">
              Simulated at a thousandth of the size (sizes and times of the verdict are that much smaller), with 2 MiB
              blocks that leave by the order of their last use, {Math.round(given.linkGBps)} GB/s on the link and 30 µs
              for each block that faults; 200 steps take {timeText(given.spanNs * given.scale)} at full size. Real
              drivers fetch ahead and spread faults, so take the numbers as an order.
            </p>
          </>
        )}
      </Figure>
    </div>
  );
}
