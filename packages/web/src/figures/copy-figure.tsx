import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { GpuChoice, SceneAnswer } from '../core/figure-asks.ts';
import { Figure } from './figure.tsx';
import { NumberField } from './number-field.tsx';
import { SceneList } from './scene-list.tsx';
import { useAsk, useNear } from './use-ask.ts';
import { percentText, timeText } from './words.ts';

const titles = {
  pageable: 'pageable memory, cudaMemcpy',
  'pageable-async': 'pageable memory, cudaMemcpyAsync in two streams',
  pinned: 'page-locked memory, cudaMemcpyAsync in the stream of the kernel',
  'pinned-overlapped': 'page-locked memory, two streams that take turns',
} as const;

/** The same batches, from pageable and from page-locked memory. */
export function CopyFigure({ choice }: { readonly choice: GpuChoice }): JSX.Element {
  const [batchMB, setBatchMB] = useState(32);
  const [kernelUs, setKernelUs] = useState(800);
  const [pageablePercent, setPageablePercent] = useState(40);
  const place = useRef<HTMLDivElement>(null);
  const { answer, failed } = useAsk('copies', { ...choice, batchMB, kernelUs, pageablePercent }, useNear(place));
  const given = answer === null || 'problem' in answer ? null : answer;
  const hidden = ({ numbers, spanNs }: SceneAnswer): string =>
    numbers.exposedCopiesNs === null ? '–' : percentText(numbers.exposedCopiesNs / spanNs);
  return (
    <div ref={place}>
      <Figure
        id="copies"
        title="Pinned against pageable copies"
        use={
          <>
            a GPU that idles in step with copies, while the link is far from its rate, is fed from pageable memory. In
            PyTorch the cure is <code>DataLoader(pin_memory=True)</code> with{' '}
            <code>.to(device, non_blocking=True)</code>; check that containers may lock memory (<code>ulimit -l</code>)
            before you ask for it. <code>culprit trace</code> says which copies cost what.
          </>
        }
      >
        <div class="fields">
          <NumberField
            label="Batch"
            value={batchMB}
            min={1}
            max={256}
            step={1}
            set={setBatchMB}
            words={`${batchMB} MB`}
          />
          <NumberField
            label="Kernels of a batch"
            value={kernelUs}
            min={50}
            max={5000}
            step={50}
            set={setKernelUs}
            words={timeText(kernelUs * 1000)}
          />
          <NumberField
            label="Rate of pageable copies"
            value={pageablePercent}
            min={10}
            max={100}
            step={5}
            set={setPageablePercent}
            words={`${pageablePercent} % of page-locked`}
          />
        </div>
        {failed === null ? null : <p role="alert">{failed}</p>}
        {answer !== null && 'problem' in answer ? <p role="alert">{answer.problem}</p> : null}
        {given === null ? null : (
          <>
            <SceneList
              scenes={given.scenes.map((scene) => ({ ...scene, title: titles[scene.setup] }))}
              columns={[['copies that nothing hides', hidden]]}
              what="40 batches"
            />
            <p class="soft">
              Simulated with {Math.round(given.linkGBps)} GB/s for page-locked memory, 85 % of the peak of the link.
              Pageable bytes are copied twice, by the host into a page-locked buffer first, and the call lasts as long.
            </p>
          </>
        )}
      </Figure>
    </div>
  );
}
