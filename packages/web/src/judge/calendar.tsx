import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ask } from '../core/client.ts';
import type { BranchSpan } from '../core/protocol.ts';

const kinds: Readonly<Record<string, string>> = {
  lts: 'long-term support',
  production: 'production',
  'new-feature': 'new feature',
  legacy: 'legacy',
};

/** Months since the year 0 of `2028-06` or `2028-06-03`. */
function months(date: string): number {
  const [year = 0, month = 1] = date.split('-').map(Number);
  return year * 12 + month - 1;
}

/** When driver branches began and when their support ends, drawn and as a table. */
export function Calendar(): JSX.Element | null {
  const [data, setData] = useState<{ readonly branches: readonly BranchSpan[]; readonly asOf: string } | null>(null);
  useEffect(() => {
    void ask('calendar', {}).then(setData);
  }, []);
  if (data === null) return null;
  const dated = data.branches.filter(({ to }) => to !== null);
  const now = months(data.asOf);
  const [first, last] = [months('2020-01'), Math.max(...dated.map(({ to }) => months(to!)), now) + 3];
  const place = (month: number): number => (100 * (Math.max(first, month) - first)) / (last - first);
  return (
    <section class="card">
      <h2>Driver branches and the end of their support</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Driver branches">
        <table class="calendar">
          <thead>
            <tr>
              <th scope="col">Branch</th>
              <th scope="col">Support ends</th>
              <th scope="col">CUDA</th>
              <th scope="col">Kind</th>
              <th scope="col">Newest seen</th>
              <th scope="col" class="bars">
                {[2020, 2022, 2024, 2026, 2028].map((year) => (
                  <span key={year} class="soft" style={{ left: `${place(year * 12)}%` }}>
                    {year}
                  </span>
                ))}
              </th>
            </tr>
          </thead>
          <tbody>
            {data.branches
              .filter(({ branch }) => branch >= 450)
              .map(({ branch, cuda, kind, from, to, basis, lastKnown }) => {
                const ended = to !== null && months(to) < now;
                return (
                  <tr key={branch}>
                    <th scope="row">{branch}</th>
                    <td class={ended ? 'bad' : undefined}>
                      {to === null ? 'not published' : to}
                      {basis === 'derived' ? ' (by the usual rule)' : ''}
                      {ended ? ', ended' : ''}
                    </td>
                    <td>{cuda}</td>
                    <td>{kinds[kind] ?? kind}</td>
                    <td>{lastKnown ?? 'none'}</td>
                    <td class="bars" aria-hidden="true">
                      {to === null || from === null ? null : (
                        <span
                          class={ended ? 'bar ended' : 'bar'}
                          style={{
                            left: `${place(months(from))}%`,
                            width: `${place(months(to)) - place(months(from))}%`,
                          }}
                        />
                      )}
                      <span class="now" style={{ left: `${place(now)}%` }} />
                    </td>
                  </tr>
                );
              })}
          </tbody>
        </table>
      </div>
    </section>
  );
}
