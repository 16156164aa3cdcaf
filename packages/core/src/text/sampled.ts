// What a sampling printed (probe/sample.sh): several programs at once, each line with the tag of its program. Brought into
// the probe's own framing, one observation for each run, so that it takes the road of every snapshot.
//
// @culprit-probe 1 2026-11-30T08:00:00Z root=/ pid=- gate=no
// %dmon @ nvidia-smi dmon -s pucvmet -o DT -d 1 -c 30
// %pmon @ nvidia-smi pmon -s um -o DT -d 1 -c 30
// %dmon |#Date       Time        gpu   …
// %dmon @= exit=0 ms=0

/** Sources of the observations, by tag. */
const sources: Readonly<Record<string, string>> = {
  list: 'nvidia-smi-l',
  dmon: 'nvidia-smi-dmon',
  pmon: 'nvidia-smi-pmon',
  query: 'nvidia-smi-query',
  dcgmi: 'dcgmi-dmon',
  'apps-before': 'nvidia-smi-compute-apps',
  'apps-after': 'nvidia-smi-compute-apps',
  'state-before': 'nvidia-smi-q',
  'state-after': 'nvidia-smi-q',
  owners: 'holder-processes',
  log: 'kernel-log',
  'nvidia-smi': 'nvidia-smi',
};

interface Run {
  readonly source: string;
  readonly command: string;
  readonly lines: string[];
  end: string | null;
}

/**
 * Parts the programs of a sampling from each other.
 * @param text what `sample.sh` printed, also where it was cut off
 * @returns the same in the probe's framing; lines that are none of the sampling's stay
 */
export function framedOfSampled(text: string): string {
  const head: string[] = [];
  const other: string[] = [];
  const runs: Run[] = [];
  const open = new Map<string, Run>();
  let whole = false;
  for (const raw of text.split('\n')) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (!line.startsWith('%')) {
      if (line.startsWith('@culprit-end ')) whole = true;
      else (line.startsWith('@culprit-probe ') ? head : other).push(line);
      continue;
    }
    const blank = line.indexOf(' ');
    const [tag, rest] = [line.slice(1, blank), line.slice(blank + 1)];
    const source = sources[tag];
    if (blank < 0 || source === undefined) continue;
    if (rest.startsWith('@ ')) {
      const made = { source, command: rest.slice(2), lines: [], end: null };
      runs.push(made);
      open.set(tag, made);
    } else if (rest.startsWith('@= ')) {
      const run = open.get(tag);
      if (run !== undefined) run.end = rest;
      open.delete(tag);
    } else if (rest.startsWith('|')) open.get(tag)?.lines.push(rest);
  }
  return [
    ...head.slice(0, 1),
    ...other.filter((line) => line !== ''),
    ...runs.flatMap(({ source, command, lines, end }) => [
      `@ ${source} ${command}`,
      ...lines,
      // What was ended early is as whole as it was to be: each line of it is a sample of its own.
      end ?? '@= exit=0 ms=0',
    ]),
    whole || runs.length > 0 ? `@culprit-end sections=${runs.length} ms=0` : '',
    '',
  ].join('\n');
}
