import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ask } from '../core/client.ts';
import type { MatrixTable } from '../core/protocol.ts';
import { answers } from './words.ts';

interface Cell {
  readonly row: number;
  readonly column: number;
}

/** All driver branches against all toolkits and the newest wheels on one GPU; the reason is on every cell. */
export function MatrixView(props: { readonly gpus: readonly string[]; readonly chosen: string }): JSX.Element {
  const [gpu, setGpu] = useState('');
  const [table, setTable] = useState<MatrixTable | null>(null);
  const [cell, setCell] = useState<Cell | null>(null);
  const [busy, setBusy] = useState(false);
  const wanted = gpu === '' ? props.chosen : gpu;
  const show = async (): Promise<void> => {
    setBusy(true);
    setCell(null);
    try {
      setTable(await ask('matrix', { gpu: wanted }));
    } finally {
      setBusy(false);
    }
  };
  const move = (event: KeyboardEvent, at: Cell): void => {
    const by = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      Home: [0, -Infinity],
      End: [0, Infinity],
    }[event.key];
    if (by === undefined || table === null) return;
    event.preventDefault();
    const row = Math.max(0, Math.min(table.rows.length - 1, at.row + by[0]!));
    const column = Math.max(0, Math.min(table.columns.length - 1, at.column + by[1]!));
    setCell({ row, column });
    document.querySelector<HTMLElement>(`[data-cell="${row}-${column}"]`)?.focus();
  };
  const picked = cell === null || table === null ? null : table.cells[cell.row]![cell.column]!;
  return (
    <section class="card">
      <h2>Drivers against toolkits and wheels</h2>
      <p class="row">
        <label class="field">
          GPU
          <input
            list="known-gpu-matrix"
            value={wanted}
            autocomplete="off"
            onInput={(event) => setGpu(event.currentTarget.value)}
          />
          <datalist id="known-gpu-matrix">
            {props.gpus.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
        <button type="button" disabled={wanted.trim() === '' || busy} onClick={() => void show()}>
          {busy ? 'Judging …' : 'Show all'}
        </button>
      </p>
      {table === null ? null : (
        <>
          <p class="reason" aria-live="polite">
            {picked === null || cell === null ? (
              <span class="soft">
                Choose a cell to see why. ✓ runs, (✓) on a condition, ✗ does not run, ? cannot tell. Tables as of{' '}
                {table.asOf}.
              </span>
            ) : (
              <>
                <strong>
                  {table.columns[cell.column]} on {table.rows[cell.row]}: {answers[picked.answer].words}
                </strong>
                , <code>{picked.rule}</code>: {picked.message}
                {picked.needs === null ? null : <>; needs {picked.needs}</>}
              </>
            )}
          </p>
          <div class="scroll matrix">
            <table role="grid" aria-label={`What runs on which driver, on ${wanted}`}>
              <thead>
                <tr>
                  <th scope="col">driver</th>
                  {table.columns.map((column) => (
                    <th key={column} scope="col">
                      <span>{column}</span>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {table.rows.map((label, row) => (
                  <tr key={label}>
                    <th scope="row">{label}</th>
                    {table.cells[row]!.map((each, column) => {
                      const { tone, sign, words } = answers[each.answer];
                      const here = cell?.row === row && cell.column === column;
                      return (
                        <td
                          key={column}
                          role="gridcell"
                          data-cell={`${row}-${column}`}
                          class={tone}
                          aria-selected={here}
                          tabIndex={here || (cell === null && row === 0 && column === 0) ? 0 : -1}
                          title={each.message}
                          aria-label={`${table.columns[column]}: ${words}`}
                          onClick={() => setCell({ row, column })}
                          onFocus={() => setCell({ row, column })}
                          onKeyDown={(event) => move(event, { row, column })}
                        >
                          {sign}
                        </td>
                      );
                    })}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </section>
  );
}
