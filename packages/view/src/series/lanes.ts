import { reasonRows } from '@culprit/core/utilization/panels.rows';
import type { FindingData, GpuData } from '@culprit/core/utilization/series-data';
import { element } from '../dom.ts';
import type { Shared } from './panel.ts';

/** A row of bars on the time axis. */
interface Lane {
  readonly label: HTMLElement;
  readonly style: string;
  readonly bars: readonly { readonly from: number; readonly to: number }[];
}

export interface Lanes {
  readonly root: HTMLElement;
  zoomed(): void;
}

/** The findings of a GPU as bars, each with a link to what is said of it. */
export function findingLanes(
  gpu: GpuData,
  shared: Shared,
  link: (finding: FindingData) => string | null,
): Lanes | null {
  const lanes = shared.data.findings.flatMap((finding, at): Lane[] => {
    const bars = finding.marks.filter((mark) => mark.gpu === gpu.gpu);
    if (bars.length === 0) return [];
    const to = link(finding) ?? `#series-finding-${at + 1}`;
    return [
      {
        label: element('a', { href: to, title: finding.message }, finding.cause),
        style: finding.kind === 'unclear' ? 'unclear' : 'found',
        bars,
      },
    ];
  });
  return lanes.length === 0 ? null : lanesOf('Findings', lanes, shared);
}

/** Why clocks were held down, reason by reason. */
export function reasonLanes(gpu: GpuData, shared: Shared): Lanes | null {
  const metric = gpu.metrics.find(({ id }) => id === 'reasons');
  const masks = metric?.highest ?? metric?.means;
  if (masks === undefined) return null;
  const lanes = reasonRows.flatMap(({ bit, name, harmless }): Lane[] => {
    const bars: { from: number; to: number }[] = [];
    masks.forEach((mask, at) => {
      if (mask === null || (mask & bit) === 0) return;
      const [from, to] = [gpu.start + at * gpu.step, gpu.start + (at + 1) * gpu.step];
      const last = bars.at(-1);
      if (last !== undefined && last.to >= from) last.to = to;
      else bars.push({ from, to });
    });
    return bars.length === 0
      ? []
      : [{ label: element('span', {}, name), style: harmless ? 'harmless' : 'found', bars }];
  });
  return lanes.length === 0 ? null : lanesOf('Clocks held down by', lanes, shared);
}

function lanesOf(title: string, lanes: readonly Lane[], shared: Shared): Lanes {
  const tracks = lanes.map(({ bars, style, label }) => ({
    bars,
    track: element('span', { class: `track ${style}`, 'aria-hidden': 'true' }),
    label,
  }));
  const rows = tracks.map(({ track, label }) => element('div', { class: 'lane' }, label, track));
  const draw = (): void => {
    const { from, to } = shared.span;
    const all = to - from;
    for (const { track, bars } of tracks)
      track.replaceChildren(
        ...bars.flatMap((bar) => {
          const left = Math.max(0, (bar.from - from) / all);
          const right = Math.min(1, (bar.to - from) / all);
          if (right <= 0 || left >= 1) return [];
          const made = element('i');
          made.style.left = `${left * 100}%`;
          made.style.width = `${Math.max(0, right - left) * 100}%`;
          return [made];
        }),
      );
  };
  draw();
  return { root: element('div', { class: 'lanes' }, element('h4', {}, title), ...rows), zoomed: draw };
}
