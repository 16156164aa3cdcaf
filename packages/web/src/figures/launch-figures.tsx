import type { OccupancyAnswer } from '@culprit/core/occupancy/answer';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ask } from '../core/client.ts';
import type { LaunchAnswer, LaunchParts } from '../core/protocol.ts';
import { Figure } from './figure.tsx';
import { NumberField } from './number-field.tsx';

const start: LaunchParts = { gpu: 'H100 SXM', blockSize: 256, registers: 64, shared: 16_384, blocks: 600 };

const words: Readonly<Record<string, string>> = {
  warps: 'warps an SM holds',
  registers: 'registers',
  sharedMemory: 'shared memory',
  blocks: 'blocks an SM holds',
  barriers: 'barriers',
  virtualResources: 'virtual resources',
};

const percent = (share: number): string => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

/** One launch in four pictures: how it is cut up, what limits it, how it fills the GPU, and what a dashboard shows. */
export function LaunchFigures({ gpus }: { readonly gpus: readonly string[] }): JSX.Element {
  const [parts, setParts] = useState(start);
  const [answer, setAnswer] = useState<LaunchAnswer | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let current = true;
    void ask('launch', parts).then((given) => {
      if (!current) return;
      setProblem('problem' in given ? given.problem : null);
      if (!('problem' in given)) setAnswer(given);
    });
    return () => {
      current = false;
    };
  }, [parts]);
  const set = (part: keyof LaunchParts) => (value: number) => setParts({ ...parts, [part]: value });
  return (
    <>
      <section class="card" aria-label="The launch">
        <div class="fields">
          <label class="field">
            GPU
            <input
              list="gpus-of-figures"
              value={parts.gpu}
              autocomplete="off"
              onInput={(event) => setParts({ ...parts, gpu: event.currentTarget.value })}
            />
            <datalist id="gpus-of-figures">
              {gpus.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </label>
          <NumberField
            label="Threads in a block"
            value={parts.blockSize}
            min={32}
            max={1024}
            step={32}
            set={set('blockSize')}
          />
          <NumberField
            label="Registers of a thread"
            value={parts.registers}
            min={16}
            max={255}
            step={1}
            set={set('registers')}
          />
          <NumberField
            label="Shared memory of a block"
            value={parts.shared}
            min={0}
            max={232_448}
            step={1024}
            set={set('shared')}
            words={`${Math.round(parts.shared / 1024)} KiB`}
          />
          <NumberField
            label="Blocks in the grid"
            value={parts.blocks}
            min={1}
            max={4000}
            step={1}
            set={set('blocks')}
          />
        </div>
        {problem === null ? null : <p role="alert">{problem}</p>}
      </section>
      {answer === null ? null : (
        <>
          <Cut parts={parts} warpSize={answer.warpSize} />
          <Explorer answer={answer} />
          <Waves occupancy={answer.occupancy} />
          <Dashboard occupancy={answer.occupancy} />
        </>
      )}
    </>
  );
}

/** Grid, block, warp, thread. */
function Cut({ parts, warpSize }: { readonly parts: LaunchParts; readonly warpSize: number }): JSX.Element {
  const warps = Math.ceil(parts.blockSize / warpSize);
  const lanes = parts.blockSize - (warps - 1) * warpSize;
  const drawn = Math.min(parts.blocks, 120);
  return (
    <Figure
      id="grid"
      title="Grid, blocks, warps, threads"
      use={
        <>
          a warp runs {warpSize} threads in step, used or not: block sizes that are no multiple of {warpSize} waste
          lanes, and branches that split a warp run one after the other. Ask the developer for the launch configuration
          before you blame the GPU.
        </>
      }
    >
      <div class="cuts">
        <figure>
          <svg
            viewBox={`0 0 260 ${Math.ceil(drawn / 20) * 13}`}
            role="img"
            aria-label={`a grid of ${parts.blocks} blocks`}
          >
            {Array.from({ length: drawn }, (_, at) => (
              <rect
                key={at}
                class={at === 0 ? 'cell chosen' : 'cell'}
                x={(at % 20) * 13}
                y={Math.floor(at / 20) * 13}
                width="11"
                height="11"
              />
            ))}
          </svg>
          <figcaption>
            grid: {parts.blocks.toLocaleString('en')} blocks{drawn < parts.blocks ? `, ${drawn} drawn` : ''}
          </figcaption>
        </figure>
        <figure>
          <svg viewBox={`0 0 260 ${Math.ceil(warps / 8) * 20}`} role="img" aria-label={`a block of ${warps} warps`}>
            {Array.from({ length: warps }, (_, at) => (
              <rect
                key={at}
                class={at === warps - 1 ? 'cell chosen' : 'cell'}
                x={(at % 8) * 32}
                y={Math.floor(at / 8) * 20}
                width="29"
                height="17"
              />
            ))}
          </svg>
          <figcaption>
            a block of it: {parts.blockSize} threads = {warps} warps
          </figcaption>
        </figure>
        <figure>
          <svg viewBox="0 0 260 32" role="img" aria-label={`a warp with ${lanes} of ${warpSize} threads`}>
            {Array.from({ length: warpSize }, (_, at) => (
              <rect
                key={at}
                class={at < lanes ? 'cell chosen' : 'cell idle'}
                x={(at % 16) * 16}
                y={Math.floor(at / 16) * 16}
                width="14"
                height="14"
              />
            ))}
          </svg>
          <figcaption>
            its last warp: {lanes} of {warpSize} threads
          </figcaption>
        </figure>
      </div>
    </Figure>
  );
}

/** What limits the resident blocks of an SM. */
function Explorer({ answer }: { readonly answer: LaunchAnswer }): JSX.Element {
  const { occupancy, curves } = answer;
  const limits = Object.entries(occupancy.limits).flatMap(([resource, blocks]) =>
    blocks === null ? [] : [{ resource, blocks }],
  );
  const most = Math.max(...limits.map(({ blocks }) => blocks), 1);
  return (
    <Figure
      id="occupancy"
      title="Occupancy, and what limits it"
      use={
        occupancy.advice.length === 0
          ? 'nothing: no resource holds this kernel back.'
          : `${occupancy.advice.join(' ')} Occupancy is a means to hide latency: half of it is often enough.`
      }
    >
      <p>
        {occupancy.cannotLaunch ?? (
          <>
            <strong>{percent(occupancy.occupancy)}</strong>: {occupancy.activeWarps} of {occupancy.mostWarps} warps,{' '}
            {occupancy.activeBlocks} blocks on an SM; limited by{' '}
            {occupancy.limiting.map((resource) => words[resource] ?? resource).join(' and ')}.
          </>
        )}
      </p>
      <table class="bars-table">
        <caption class="unseen">Blocks on an SM that each resource allows</caption>
        <tbody>
          {limits.map(({ resource, blocks }) => {
            const limiting = (occupancy.limiting as readonly string[]).includes(resource);
            return (
              <tr key={resource}>
                <th scope="row">{words[resource] ?? resource}</th>
                <td class="num">{blocks}</td>
                <td class="wide-cell">
                  <span class={limiting ? 'meter limiting' : 'meter'} style={{ width: `${(100 * blocks) / most}%` }} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <div
        class="warp-slots"
        role="img"
        aria-label={`${occupancy.activeWarps} of ${occupancy.mostWarps} places for warps are taken`}
      >
        {Array.from({ length: occupancy.mostWarps }, (_, at) => (
          <span key={at} class={at < occupancy.activeWarps ? 'slot taken' : 'slot'} />
        ))}
      </div>
      {/* A picture that the core makes from numbers alone. */}
      <div class="scroll" dangerouslySetInnerHTML={{ __html: curves }} />
    </Figure>
  );
}

/** Rounds of blocks over all SMs. */
function Waves({ occupancy }: { readonly occupancy: OccupancyAnswer }): JSX.Element {
  const { grid } = occupancy;
  if (grid === null)
    return (
      <Figure id="waves" title="Waves and the tail" use="name a GPU whose SMs are known.">
        <p>The number of SMs of this GPU is not known, or the kernel cannot launch.</p>
      </Figure>
    );
  const rounds = Math.ceil(grid.waves);
  const shown = Math.min(rounds, 12);
  const width = 760 / grid.sms;
  return (
    <Figure
      id="waves"
      title={`Waves and the tail on ${grid.sms} SMs`}
      use={
        <>
          a grid that is a little more than whole waves pays a whole wave for the rest: {percent(1 - grid.efficiency)}{' '}
          of the block places are empty here. {grid.idleSms > 0 ? `${grid.idleSms} SMs never get a block. ` : ''}The
          developer changes the grid or the block size; the smallest grid that fills this GPU has{' '}
          {grid.blocksPerWave.toLocaleString('en')} blocks.
        </>
      }
    >
      <p>
        {grid.blocks.toLocaleString('en')} blocks, {grid.blocksPerWave.toLocaleString('en')} at once:{' '}
        <strong>{grid.waves.toFixed(2)} waves</strong>,{' '}
        {grid.tailBlocks === 0 ? 'no tail' : `${grid.tailBlocks} blocks in the last one`}.
      </p>
      <svg
        viewBox={`0 0 760 ${shown * 16 + 4}`}
        role="img"
        aria-label={`${rounds} rounds; in the last ${grid.tailIdleSms} SMs stand idle`}
      >
        {Array.from({ length: shown }, (_, row) => {
          const tail = row === shown - 1 && grid.tailBlocks > 0;
          const busy = tail ? grid.sms - grid.tailIdleSms : grid.sms;
          return Array.from({ length: grid.sms }, (_, sm) => (
            <rect
              key={`${row} ${sm}`}
              class={sm < busy ? 'cell chosen' : 'cell idle'}
              x={sm * width}
              y={row * 16}
              width={Math.max(0.5, width - 0.6)}
              height="13"
            />
          ));
        })}
      </svg>
      <p class="soft">
        One column for each SM, one row for each wave
        {shown < rounds ? `; the last ${shown} of ${rounds} are drawn` : ''}.
      </p>
    </Figure>
  );
}

/** The same launch, as dashboards show it. */
function Dashboard({ occupancy }: { readonly occupancy: OccupancyAnswer }): JSX.Element | null {
  const [pause, setPause] = useState(0);
  const { grid } = occupancy;
  if (grid === null) return null;
  const share = 100 / (100 + pause);
  const rows = [
    ['nvidia-smi utilisation', share, 'a kernel was running, however small'],
    ['SM_ACTIVE', grid.smActive * share, 'SMs that had a warp'],
    ['SM_OCCUPANCY', grid.smOccupancy * share, 'places for warps that were taken'],
  ] as const;
  return (
    <Figure
      id="utilisation"
      title="Why utilisation says 100 %"
      use={
        <>
          alert on SM_ACTIVE (DCGM_FI_PROF_SM_ACTIVE), never on utilisation alone: one block keeps utilisation at 100 %
          while {grid.sms - 1} of {grid.sms} SMs stand idle. <code>culprit util</code> makes the difference a verdict.
        </>
      }
    >
      <NumberField
        label="Pause between launches, of the kernel's own time"
        value={pause}
        min={0}
        max={400}
        step={5}
        set={setPause}
        words={`${pause} %`}
      />
      <table class="bars-table">
        <tbody>
          {rows.map(([name, value, what]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="num">{percent(value)}</td>
              <td class="wide-cell">
                <span class="meter" style={{ width: `${100 * value}%` }} />
              </td>
              <td class="soft">{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Figure>
  );
}
