/** A row of cells, or several of them where a sample has several GPUs. */
export type Cells = readonly (number | string)[];

/**
 * A table of `nvidia-smi dmon` for tests.
 * @param heads names of the columns: `gpu pwr sm mem mclk`
 * @param cells the cells of sample `t`, one row for each GPU
 */
export function dmonOf(heads: string, count: number, cells: (t: number) => readonly Cells[]): string {
  const names = heads.split(' ');
  const row = (each: Cells): string => each.map((cell) => String(cell).padStart(6)).join(' ');
  const rows = Array.from({ length: count }, (_, t) => cells(t).map((each) => `  ${row(each)}`)).flat();
  return [`# ${row(names)}`, `# ${row(['Idx', ...names.slice(1).map(() => '-')])}`, ...rows].join('\n');
}

/**
 * Scrapes of dcgm-exporter for tests.
 * @param labels of each GPU or instance: `gpu="0",Hostname="n1"`
 * @param values of scrape `t` and series `at`, by field name behind `DCGM_FI_`
 */
export function scrapesOf(
  labels: readonly string[],
  count: number,
  values: (t: number, at: number) => Readonly<Record<string, number>>,
): string {
  const lines: string[] = [];
  for (let t = 0; t < count; t++) {
    const each = labels.map((_, at) => values(t, at));
    for (const field of Object.keys(each[0] ?? {}))
      labels.forEach((label, at) => lines.push(`DCGM_FI_${field}{${label}} ${each[at]![field]}`));
  }
  return lines.join('\n');
}

/** A query loop of `nvidia-smi --query-gpu=… --format=csv -l` for tests. */
export function queryOf(heads: string, count: number, cells: (t: number) => Cells): string {
  return [heads.replaceAll(' ', ', '), ...Array.from({ length: count }, (_, t) => cells(t).join(', '))].join('\n');
}
