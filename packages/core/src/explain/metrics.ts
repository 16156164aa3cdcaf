import type { Knowledge } from '../knowledge/knowledge.ts';
import type { NcuMetricRow, StallReasonRow } from '../knowledge/ncu.types.ts';
import { sourcesOf } from './citations.ts';
import type { Topic } from './topic.ts';
import { commandsOf, listOf, textOf } from './topic.ts';

/** A number of Nsight Compute or a reason why warps wait, by any of its names; null where it is neither. */
export function profileTopic(knowledge: Knowledge, query: string): Topic | null {
  const wanted = query.trim().toLowerCase();
  const metric = knowledge.ncuMetrics.find((row) =>
    [row.id, row.title, ...row.raw, ...row.labels].some((name) => name.toLowerCase() === wanted),
  );
  if (metric !== undefined) return metricTopic(knowledge, metric);
  const plain = wanted.replace(/^stalls?(?::| |_|-)?\s?/, '').replaceAll(/[ -]/g, '_');
  const isStall = wanted.startsWith('stall') || wanted.includes('_') || plain.includes('scoreboard');
  const stall = isStall
    ? (knowledge.stallReasons.find((row) => row.id === plain || row.label.toLowerCase() === wanted) ??
      knowledge.stallReasons.find((row) => wanted.includes(`issue_stalled_${row.id}`)))
    : undefined;
  return stall === undefined ? null : stallTopic(knowledge, stall);
}

function metricTopic(knowledge: Knowledge, row: NcuMetricRow): Topic {
  return {
    kind: 'metric',
    id: row.id,
    title: `${row.title.charAt(0).toUpperCase()}${row.title.slice(1)}: a number of a kernel profile`,
    facts: [['unit', row.unit]],
    blocks: [
      ...textOf(row.definition, row.reads),
      ...listOf('On the raw page', row.raw),
      ...listOf('On the details page', row.labels),
      ...commandsOf('What to look at next', ['ncu --set full --csv --page raw ./app | culprit trace -']),
    ],
    owner: row.owner,
    see: ['occupancy'],
    sources: sourcesOf(knowledge, row.sources),
    confirmed: row.confirmed,
  };
}

function stallTopic(knowledge: Knowledge, row: StallReasonRow): Topic {
  return {
    kind: 'metric',
    id: `stall ${row.id}`,
    title: `${row.label}: why warps wait`,
    facts: [],
    blocks: [
      ...textOf(`Warps wait for ${row.what}.`, `What helps: ${row.helps}.`),
      ...listOf('In a profile', [
        `smsp__average_warps_issue_stalled_${row.id}_per_issue_active.ratio`,
        `smsp__pcsamp_warps_issue_stalled_${row.id}`,
      ]),
      ...commandsOf('What to look at next', ['ncu --section WarpStateStats --csv ./app | culprit trace -']),
    ],
    owner: row.owner,
    see: ['warp', 'occupancy'],
    sources: sourcesOf(knowledge, row.sources),
    confirmed: row.confirmed,
  };
}
