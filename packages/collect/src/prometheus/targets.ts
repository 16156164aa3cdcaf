// Whether an exporter of GPU counters is scraped at all: `up`, which the server itself writes for each target.
import type { PrometheusClient } from './client.ts';
import { PrometheusError } from './errors.ts';
import type { Period } from './period.ts';
import { vectorOf } from './answers.ts';
import type { Selection } from './selection.ts';
import { targetFormsOf } from './selection.ts';

export interface Targets {
  /** Why nothing is exported; null where that cannot be said. */
  readonly absent: string | null;
  /** Exporters that were down, wholly or for a while. */
  readonly notes: readonly string[];
}

/** By these labels an exporter of GPU counters is known. */
const marks: readonly string[] = [
  'job',
  'app',
  'pod',
  'service',
  'container',
  'endpoint',
  'k8s_app',
  'scrape_pool',
].map((label) => `${label}=~"(?i).*(dcgm|gpu-metrics|gpu_metrics|nvidia).*"`);
const port = 'instance=~".*:9400"';
const mostNamed = 8;

/**
 * Looks for the exporters of a selection.
 * @param exported whether counters were found
 */
export async function targetsOf(
  client: PrometheusClient,
  question: Selection & Period,
  exported: boolean,
  note: (warnings: readonly string[]) => void,
): Promise<Targets> {
  const seconds = Math.max(60, Math.ceil(question.to - question.from));
  const selectors = targetFormsOf(question).flatMap((form) =>
    [...marks, port].map((mark) => `{${['__name__="up"', mark, ...form].join(',')}}`),
  );
  const asked = async (wrapped: (selector: string) => string): Promise<ReturnType<typeof vectorOf>> => {
    const { data, warnings } = await client.ask('query', [
      ['query', selectors.map(wrapped).join(' or ')],
      ['time', String(question.to)],
    ]);
    note(warnings);
    return vectorOf(data);
  };
  let share: ReturnType<typeof vectorOf>;
  try {
    share = await asked((selector) => `avg_over_time(${selector}[${seconds}s])`);
  } catch (error) {
    // It is asked besides: a server that does not answer this may still have the counters.
    if (error instanceof PrometheusError && exported) return { absent: null, notes: [] };
    throw error;
  }
  const down = share.filter(({ value }) => Number(value) === 0);
  const parted = share.filter(({ value }) => Number(value) > 0 && Number(value) < 0.99);
  const names = (list: typeof share): string =>
    list
      .slice(0, mostNamed)
      .map(({ labels }) => labels['node'] ?? labels['instance'] ?? 'a target without a name')
      .join(', ') + (list.length > mostNamed ? ` and ${list.length - mostNamed} more` : '');
  const notes = [
    ...(down.length === 0 ? [] : [`the exporter was down for all of the period: ${names(down)}`]),
    ...(parted.length === 0
      ? []
      : [`the exporter was down for a part of the period, which leaves gaps: ${names(parted)}`]),
  ];
  if (exported) return { absent: null, notes };
  const [first] = down;
  if (first !== undefined && down.length === share.length)
    return { absent: `up{${labelsShown(first.labels)}} 0`, notes };
  const within = question.pods.length + question.gpus.length > 0 || question.selector !== null;
  if (share.length > 0 && !within)
    return { absent: `up{${labelsShown(share[0]!.labels)}} 1, and no series DCGM_FI_… in the period`, notes };
  const chosen = within || question.nodes.length > 0;
  return {
    absent: chosen ? null : 'no series DCGM_FI_… in the period, and no target up{…} of an exporter of GPU counters',
    notes,
  };
}

function labelsShown(labels: Readonly<Record<string, string>>): string {
  return Object.keys(labels)
    .filter((name) => name !== '__name__')
    .sort()
    .slice(0, 8)
    .map((name) => `${name}=${JSON.stringify(labels[name]!.slice(0, 120))}`)
    .join(',');
}
