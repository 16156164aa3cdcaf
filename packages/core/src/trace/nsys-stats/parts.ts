/** What one rank printed of a text in which the lines of several take turns; a text of one alone is one part. */
export interface StatsPart {
  readonly rank: number | null;
  readonly lines: readonly string[];
  /** Their numbers in the text, from 1; null where the part is the text. */
  readonly numbers: readonly number[] | null;
}

/** `srun --label`, `mpirun --tag-output`, Open MPI 5, torchrun, Intel MPI `-prepend-rank`. */
const tag =
  /^(?:\[(?:\d{1,6},)?(\d{1,5})\](?:<std(?:out|err)>)?:? ?|\[(?:rank|default)(\d{1,5})\]:? ?|\s{0,4}(\d{1,5}): ?)/;

/** More lines are not looked at for tags: such a text is an export, and no console. */
const mostLines = 400_000;

/** The parts of a text, ranks in their order. */
export function partsOf(lines: readonly string[]): readonly StatsPart[] {
  const whole = [{ rank: null, lines, numbers: null }];
  if (lines.length > mostLines) return whole;
  let [tagged, filled] = [0, 0];
  const ranks = new Map<number, { lines: string[]; numbers: number[] }>();
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue;
    filled++;
    const found = tag.exec(line.slice(0, 40));
    if (found === null) {
      if (filled > 200 && tagged === 0) return whole;
      continue;
    }
    tagged++;
    const rank = Number(found[1] ?? found[2] ?? found[3]);
    let part = ranks.get(rank);
    if (part === undefined) {
      if (ranks.size >= 1024) return whole;
      ranks.set(rank, (part = { lines: [], numbers: [] }));
    }
    part.lines.push(line.slice(found[0].length));
    part.numbers.push(at + 1);
  }
  // Numbers of lines are no ranks: those come again and again.
  if (ranks.size < 2 || tagged < 0.8 * filled || tagged < 4 * ranks.size) return whole;
  return [...ranks].sort(([a], [b]) => a - b).map(([rank, part]) => ({ rank, ...part }));
}

/** Which run a table belongs to, by the lines before it: files, headings, processes. */
export interface Section {
  readonly heading: string;
  readonly file: string;
  readonly process: string;
  readonly rank: number | null;
  /** The number stands for itself in the name of the file: that of a rank, or of a try. */
  readonly isBare: boolean;
}

export const firstSection: Section = { heading: '', file: '', process: '', rank: null, isBare: false };

const heading =
  /^[\s=#*<>[|~-]{0,40}(?:(?:MPI|NCCL|global|local|world)[ _])?(?:rank|task|worker|process)[\s#:=_-]{0,4}(\d{1,5})\b/i;
const processed = /\bProcessing \[([^\]]{1,400})\] with \[/;
const listed = /^==> (.{1,300}) <==$/;
const process = /^\s{0,8}==(\d{1,10})== /;
const ofFile = /(?:rank|proc|task|worker|(?:^|[._-])(?:r|p|mpi|node))[._-]?(\d{1,5})(?!\d)|[._-](\d{1,4})$/i;

/** Where the text is after a line. */
export function sectionBehind(line: string, before: Section): Section {
  if (line.length > 600) return before;
  const file = processed.exec(line)?.[1] ?? listed.exec(line)?.[1];
  if (file !== undefined) {
    const name = file.replace(/^.*[/\\]/, '').replace(/\.(?:sqlite|nsys-rep|qdrep|txt|csv|log|out)$/i, '');
    if (name === before.file) return before;
    const own = ofFile.exec(name);
    return {
      ...before,
      file: name,
      rank: own === null ? before.rank : Number(own[1] ?? own[2]),
      isBare: own?.[2] !== undefined,
    };
  }
  const pid = process.exec(line)?.[1];
  if (pid !== undefined) return pid === before.process ? before : { ...before, process: pid };
  const rank = line.length > 120 ? undefined : heading.exec(line)?.[1];
  if (rank === undefined) return before;
  const text = line.trim();
  return text === before.heading ? before : { heading: text, file: '', process: '', rank: Number(rank), isBare: false };
}

export function keyOf({ heading: text, file, process: pid }: Section): string {
  return `${text}\u0000${file}\u0000${pid}`;
}
