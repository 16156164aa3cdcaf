import type { MemoryLevel } from '@culprit/core/occupancy/memory-levels';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { GpuChoice } from '../core/figure-asks.ts';
import type { Asks } from '../core/protocol.ts';
import { CopyFigure } from './copy-figure.tsx';
import { Figure } from './figure.tsx';
import { ManagedFigure } from './managed-figure.tsx';
import { SelectField } from './select-field.tsx';
import { useAsk, useNear } from './use-ask.ts';
import { binaryText, rateText, sizeText, timeText } from './words.ts';

const key = ({ gpu, variant }: GpuChoice): string => (variant === null ? gpu : `${gpu}, ${variant}`);

/** Memories of one GPU: how far they are, what happens when the data do not fit, and how data get there. */
export function MemoryFigures(): JSX.Element {
  const [choice, setChoice] = useState<GpuChoice>({ gpu: 'H100', variant: null });
  const place = useRef<HTMLDivElement>(null);
  const { answer, failed } = useAsk('memory', choice, useNear(place));
  const known = answer?.known ?? [choice];
  return (
    <div ref={place}>
      <section class="card" aria-label="The GPU of the next three figures">
        <div class="fields">
          <SelectField
            label="GPU of the next three figures"
            value={key(choice)}
            options={known.map((each) => [key(each), key(each)])}
            set={(text) => setChoice(known.find((each) => key(each) === text) ?? choice)}
          />
        </div>
        {failed === null ? null : <p role="alert">{failed}</p>}
      </section>
      {answer?.found == null ? null : <Levels answer={answer} />}
      <ManagedFigure choice={choice} />
      <CopyFigure choice={choice} />
    </div>
  );
}

const oneGB = 1e9;

function Levels({ answer }: { readonly answer: Asks['memory']['answer'] }): JSX.Element {
  const { found, sources } = answer;
  const levels = found?.levels ?? [];
  const rates = levels.flatMap(({ bytesPerSecond }) => (bytesPerSecond === null ? [] : [bytesPerSecond]));
  const slowest = Math.min(...rates);
  const device = levels.find(({ id }) => id === 'device')?.bytesPerSecond ?? null;
  const host = levels.find(({ id }) => id === 'host')?.bytesPerSecond ?? null;
  return (
    <Figure
      id="memory"
      title={`Memories of ${found?.gpu ?? ''}, and how long 1 GB takes`}
      use={
        <>
          what crosses to the host costs{' '}
          {device === null || host === null ? 'far' : `about ${Math.round(device / host)} times`} more than what stays
          in the memory of the GPU. Look at copies first, at kernels last; and compare what{' '}
          <code>nvidia-smi --query-gpu=pcie.link.gen.current,pcie.link.width.current --format=csv</code> prints under
          load with the link that is drawn here: a card in a narrower slot loses half or more.
        </>
      }
    >
      <div class="scroll" role="region" aria-label="Levels of memory" tabIndex={0}>
        <table class="levels">
          <thead>
            <tr>
              <th scope="col">level</th>
              <th scope="col">1 GB takes</th>
              <th scope="col">peak, one way</th>
              <th scope="col">size</th>
              <th scope="col">
                <span class="unseen">drawn, on a scale of powers of ten</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {levels.map((level) => (
              <tr key={level.id}>
                <th scope="row">
                  {level.title}
                  {level.confirmed ? null : (
                    <>
                      {' '}
                      <span class="certainty" title="not read in a primary source">
                        not confirmed
                      </span>
                    </>
                  )}
                </th>
                <td>{level.bytesPerSecond === null ? '–' : timeText((oneGB / level.bytesPerSecond) * 1e9)}</td>
                <td>{level.bytesPerSecond === null ? 'not stated' : rateText(level.bytesPerSecond)}</td>
                <td>{sizeOf(level)}</td>
                <td class="wide-cell">
                  {level.bytesPerSecond === null ? null : (
                    <span class="meter" style={{ width: `${width(level.bytesPerSecond, slowest)}%` }} />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <details>
        <summary>How the rates come about, and who says so</summary>
        <ul>
          {levels.map((level) => (
            <li key={level.id}>
              {level.title}: {level.rateNote}.
            </li>
          ))}
        </ul>
        <ul>
          {Object.entries(sources).map(([id, { title, url }]) => (
            <li key={id}>
              <a href={url} rel="noreferrer">
                {title}
              </a>
            </li>
          ))}
        </ul>
        <p class="soft">Reading 1 GB from a memory that is smaller means reading it again and again.</p>
      </details>
    </Figure>
  );
}

/** Longest for the slowest: the time of 1 GB, by powers of ten. */
function width(rate: number, slowest: number): number {
  const decades = Math.log10(rate / slowest);
  return Math.max(2, 100 - 25 * decades);
}

function sizeOf({ bytes, bytesPerSm, id }: MemoryLevel): string {
  if (bytes === null) return id === 'host' ? 'what the host has' : 'not known';
  const whole = id === 'device' || id === 'peer' ? sizeText(bytes) : binaryText(bytes);
  return bytesPerSm === null ? whole : `${whole}, ${binaryText(bytesPerSm)} on each SM`;
}
