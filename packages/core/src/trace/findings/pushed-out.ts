import type { TraceFinding } from '../model.ts';
import { lengthOf, unionOfRows, without } from '../spans.ts';
import type { TraceLimits } from '../thresholds.rows.ts';
import { against, healthy, shareText, timeText, unclear, waste } from './detector.ts';
import { courseOf, Habit } from './habit.ts';
import type { Migrations } from './managed.ts';
import type { Scene } from './scene.ts';
import { countText, sizeText } from './text.ts';

/*
 * Managed memory may be larger than the memory of the GPU. What is fetched when there is no room pushes something out, and
 * whatever is pushed out and used again comes twice. Without a fault of the GPU no kernel waits for a page by itself: the
 * price is the traffic, and the time in which nothing is computed beside it. CUDA programming guide, unified memory:
 * oversubscription; CUPTI, causes of migrations.
 */

/** `96.0 MiB to the GPU, 2.0 MiB back, in 48 pieces`. */
export function fetchedText({ prefetched, fetches }: Migrations): string {
  const ways = [
    ...(prefetched.toDevice > 0 || prefetched.toHost === 0 ? [`${sizeText(prefetched.toDevice)} to the GPU`] : []),
    ...(prefetched.toHost > 0 ? [`${sizeText(prefetched.toHost)} to the host`] : []),
  ];
  return `${ways.join(', ')}, in ${countText(fetches.length, 'piece', 'pieces')}`;
}

/**
 * What prefetching beyond the memory of the GPU costs; null where little is pushed out, as by the last blocks that do not
 * fit, and where nothing was fetched ahead at all.
 */
export function pushedOut(scene: Scene, limits: TraceLimits, moved: Migrations): TraceFinding | null {
  const { evictions, fetches, evicted, prefetched } = moved;
  if (fetches.length === 0 || prefetched.toDevice <= 0 || scene.spanNs <= 0) return null;
  const { work } = scene.trace;
  const rows = Uint32Array.from([...fetches, ...evictions]).sort();
  const moving = unionOfRows(work.start, work.end, rows);
  const bare = without(moving, scene.computing);
  const cost = lengthOf(bare);
  const share = (100 * cost) / scene.spanNs;
  const part = (100 * evicted) / prefetched.toDevice;
  const habit = new Habit(courseOf(scene));
  for (const row of evictions) habit.add(work.start[row]!, work.end[row]! - work.start[row]!);
  const memory = scene.trace.devices[scene.device]?.memoryBytes ?? null;
  const said = `managed memory is fetched ahead (${fetchedText(moved)}), and ${sizeText(evicted)} are pushed out of the GPU's memory again${
    memory === null ? '' : ` (it has ${sizeText(memory)})`
  }`;
  const quotes = [scene.quote(fetches[0]!), scene.quote(evictions[0]!)];
  const measured = [
    against('pushed out', part, '>=', limits, 'pushed-out', '% of what is fetched'),
    against('copies beside which nothing is computed', share, '>=', limits, 'waste-share', '% of the span'),
  ];
  if (evictions.length < limits['repeats']! || part < limits['pushed-out']!) {
    const few = against(
      'pushed out',
      part,
      part < limits['pushed-out']! ? '<' : '>=',
      limits,
      'pushed-out',
      '% of what is fetched',
    );
    return healthy('ok-managed-prefetched', said, [few], quotes);
  }
  const fact = 'how much managed memory the program uses at once, and how much of the GPU is free for it';
  const ask = 'nsys profile -t cuda --cuda-memory-usage=true --cuda-um-gpu-page-faults=true -o run ./app';
  if (share < limits['waste-share']! || !habit.lasts)
    return {
      ...unclear(
        'managed-memory-oversubscribed',
        `${said}: kernels run beside most of it, ${timeText(cost)} (${shareText(share / 100)} of the time) lie bare`,
        { fact, ask },
        quotes,
      ),
      measured: [measured[0]!],
    };
  return waste({
    cause: 'managed-memory-oversubscribed',
    message: `${said}: nothing is computed beside ${timeText(cost)} of it, ${shareText(share / 100)} of the time`,
    measured,
    saving: { upperBoundNs: cost, how: 'copies of managed memory beside which no kernel runs' },
    quotes,
    explains: ['copies-not-overlapped'],
    marks: Array.from({ length: Math.min(500, bare.count) }, (_, at) => ({
      from: bare.start[at]!,
      to: bare.end[at]!,
      streams: [],
      label: 'managed memory is fetched or pushed out',
    })),
  });
}
