// Answers of the interface, which come from strangers: what has another shape is left out or refused.
import type { PrometheusClient } from './client.ts';
import { recordOf } from './client.ts';
import { PrometheusError } from './errors.ts';

export type Labels = Readonly<Record<string, string>>;

/** The labels of a series; null where they are none. */
export function labelsOf(value: unknown): Labels | null {
  const record = recordOf(value);
  if (record === null) return null;
  const labels: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, text] of Object.entries(record).slice(0, 100)) if (typeof text === 'string') labels[name] = text;
  return labels;
}

/** Samples of an instant answer. */
export function vectorOf(data: unknown): readonly { readonly labels: Labels; readonly value: string }[] {
  const result = recordOf(data)?.['result'];
  if (!Array.isArray(result)) return [];
  return (result as readonly unknown[]).flatMap((each) => {
    const record = recordOf(each);
    const labels = labelsOf(record?.['metric']);
    const pair = record?.['value'];
    return labels === null || !Array.isArray(pair) || typeof pair[1] !== 'string' ? [] : [{ labels, value: pair[1] }];
  });
}

/** A series and its points. */
export interface Line {
  readonly labels: Labels;
  readonly values: readonly unknown[];
}

/** Series of an answer over a period. @throws PrometheusError where it is none */
export function matrixOf(client: PrometheusClient, data: unknown): readonly Line[] {
  const record = recordOf(data);
  const result = record?.['result'];
  if (record?.['resultType'] !== 'matrix' || !Array.isArray(result)) throw strange(client, 'query_range');
  return (result as readonly unknown[]).flatMap((each) => {
    const line = recordOf(each);
    const labels = labelsOf(line?.['metric']);
    const values = line?.['values'];
    return labels === null || !Array.isArray(values) ? [] : [{ labels, values: values as readonly unknown[] }];
  });
}

/** The answer is not what such a server gives. */
export function strange(client: PrometheusClient, what: string): PrometheusError {
  return new PrometheusError('bad-answer', `what ${client.name} answers to ${what} is not what Prometheus answers`);
}
