import type { Document } from '../model/document.ts';
import type { Observation, Snapshot } from '../model/snapshot.ts';
import { createDocument } from './document.ts';
import { framedText, isProbed } from './framed.ts';

const mostObservations = 2000;

/** True where a text is a snapshot as JSON (`culprit/snapshot@1`). */
export function looksLikeSnapshot(text: string): boolean {
  const start = text.slice(0, 256).trimStart();
  return start.startsWith('{') && text.includes('"culprit/snapshot@1"');
}

/**
 * Makes one document of each observation.
 * @returns null where the text is no valid snapshot, so that it is read as plain text
 */
export function documentsOfSnapshot(text: string, file: string): readonly Document[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return null;
  }
  if (!isRecord(value) || value['schema'] !== 'culprit/snapshot@1' || !Array.isArray(value['observations']))
    return null;
  const subject = typeof value['subject'] === 'string' ? value['subject'] : 'snapshot';
  const whole = probedSnapshot(value, subject);
  if (whole !== null) return [documentOfProbe(whole, file)];
  const documents: Document[] = [];
  const left: string[] = [];
  for (const entry of (value['observations'] as readonly unknown[]).slice(0, mostObservations)) {
    const observation = observationOf(entry);
    if (observation === null) left.push('an observation that is not as culprit/snapshot@1 describes it');
    else documents.push(documentOf(observation, subject, file));
  }
  const over = (value['observations'] as readonly unknown[]).length - mostObservations;
  if (over > 0) left.push(`${over} observations beyond the first ${mostObservations}`);
  if (documents.length === 0) documents.push(createDocument('', { file, subject }));
  return left.length === 0
    ? documents
    : [{ ...documents[0]!, left: [...documents[0]!.left, ...left] }, ...documents.slice(1)];
}

/**
 * The document of a snapshot that the probe took: the same lines as its own text has, so that what is saved, pasted and
 * seen live gives one verdict.
 */
export function documentOfProbe(snapshot: Snapshot, file: string | null): Document {
  return createDocument(framedText(snapshot), { file, source: 'probe', subject: snapshot.subject });
}

/** The snapshot, if the probe took it. */
function probedSnapshot(value: Readonly<Record<string, unknown>>, subject: string): Snapshot | null {
  const probe = value['probe'];
  if (typeof probe !== 'string') return null;
  const takenAt = typeof value['takenAt'] === 'string' ? value['takenAt'] : null;
  const made: Snapshot = { schema: 'culprit/snapshot@1', subject, takenAt, probe, observations: [] };
  if (!isProbed(made)) return null;
  const observations = (value['observations'] as readonly unknown[]).slice(0, mostObservations).map(observationOf);
  return { ...made, observations: observations.filter((each) => each !== null) };
}

function documentOf(observation: Observation, subject: string, file: string): Document {
  const made = createDocument(observation.text, { file, source: observation.source, subject });
  // What the command says of its output holds for every line that has no prompt of its own.
  const lines = made.lines.map((line) => (line.command === null ? { ...line, command: observation.command } : line));
  const document = { ...made, lines };
  const left: string[] = [...document.left];
  if (observation.truncated) left.push(`${observation.source} was cut short when it was taken`);
  if (observation.exit === null && observation.command !== null)
    left.push(`${observation.source} did not run or did not end: ${observation.command}`);
  return { ...document, left };
}

function observationOf(value: unknown): Observation | null {
  if (!isRecord(value) || typeof value['source'] !== 'string' || typeof value['text'] !== 'string') return null;
  const number = (key: string): number | null => (typeof value[key] === 'number' ? value[key] : null);
  return {
    source: value['source'],
    command: typeof value['command'] === 'string' ? value['command'] : null,
    exit: number('exit'),
    ms: number('ms'),
    truncated: value['truncated'] === true,
    ...(typeof value['why'] === 'string' && /^[a-z][\w:.-]{0,60}$/.test(value['why']) ? { why: value['why'] } : {}),
    text: value['text'],
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
