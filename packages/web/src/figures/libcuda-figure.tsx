import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask } from '../core/client.ts';
import type { LibcudaRow } from '../core/figure-asks.ts';
import { answers } from '../judge/words.ts';
import { Figure } from './figure.tsx';
import { SelectField } from './select-field.tsx';
import { useAsk, useNear } from './use-ask.ts';

const kinds: Readonly<Record<string, string>> = {
  host: "the host's",
  compat: "the image's compat library",
  baked: "the image's own",
  stub: 'the stub',
  none: 'none',
};

const gpus = ['H100', 'A100', 'L40S', 'T4', 'GeForce RTX 4090'];

/** Image content, host driver and runtime give the libcuda that a program gets. */
export function LibcudaFigure(): JSX.Element {
  const [question, setQuestion] = useState({ image: 'compat', driver: '535.183.01', gpu: 'H100' });
  const [drivers, setDrivers] = useState<readonly string[]>([]);
  const [chosen, setChosen] = useState(0);
  const place = useRef<HTMLDivElement>(null);
  const near = useNear(place);
  const { answer, failed } = useAsk('libcuda', question, near);
  useEffect(() => {
    if (near) void ask('choices', {}).then((choices) => setDrivers(choices.drivers));
  }, [near]);
  const rows = answer?.rows ?? [];
  const row = rows[chosen];
  return (
    <div ref={place}>
      <Figure
        id="libcuda"
        title="Which libcuda a container ends up with"
        use={
          <>
            the same image can get three different libraries on three nodes. Keep one version and mode of the container
            toolkit in a cluster, take folders of compat libraries out of <code>LD_LIBRARY_PATH</code> and{' '}
            <code>ld.so.conf.d</code>, and ask before a roll-out:{' '}
            <code>culprit image IMAGE --on driver=…,gpu=…,toolkit=…,mode=…</code>.
          </>
        }
      >
        <div class="fields">
          <SelectField
            label="The image holds"
            value={question.image}
            options={(answer?.images ?? [{ id: question.image, title: '…' }]).map(({ id, title }) => [id, title])}
            set={(image) => setQuestion({ ...question, image })}
          />
          <SelectField
            label="Driver of the host"
            value={question.driver}
            options={[...new Set([question.driver, ...drivers])].map((each) => [each, each])}
            set={(driver) => setQuestion({ ...question, driver })}
          />
          <SelectField
            label="GPU"
            value={question.gpu}
            options={gpus.map((each) => [each, each])}
            set={(gpu) => setQuestion({ ...question, gpu })}
          />
        </div>
        {failed === null ? null : <p role="alert">{failed}</p>}
        <div class="scroll" role="region" aria-label="The library by runtime" tabIndex={0}>
          <table class="libcuda">
            <thead>
              <tr>
                <th scope="col">runtime</th>
                <th scope="col">libcuda</th>
                <th scope="col">put in front by</th>
                <th scope="col">the program</th>
                <th scope="col">rule</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((each, at) => {
                const { words, tone, sign } = answers[each.answer];
                return (
                  <tr key={`${each.mode} ${each.toolkit ?? ''}`} class={at === chosen ? 'row-chosen' : undefined}>
                    <th scope="row">
                      <button type="button" aria-pressed={at === chosen} onClick={() => setChosen(at)}>
                        {runtimeOf(each)}
                      </button>
                    </th>
                    <td>
                      {each.kind === null ? 'not reached' : (kinds[each.kind] ?? each.kind)}
                      {each.version === null ? null : ` ${each.version}`}
                    </td>
                    <td>{each.by ?? '–'}</td>
                    <td class={tone}>
                      {sign} {words}
                      {each.errorSeen === null || /\D/.test(each.errorSeen) ? null : `, error ${each.errorSeen}`}
                    </td>
                    <td>{each.rule === null ? '–' : <code>{each.rule}</code>}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
        <div aria-live="polite">{row === undefined ? null : <Reason row={row} />}</div>
      </Figure>
    </div>
  );
}

function Reason({ row }: { readonly row: LibcudaRow }): JSX.Element {
  return (
    <>
      <h3>{runtimeOf(row)}</h3>
      <p>
        {row.message}
        {row.needs === null ? '.' : `. It needs ${row.needs}.`}
      </p>
      {row.errorSeen !== null && /\D/.test(row.errorSeen) ? (
        <p>
          The user sees <code>{row.errorSeen}</code>
        </p>
      ) : null}
      {row.clauses.length === 0 ? null : (
        <details>
          <summary>Every rule that was asked</summary>
          <ul>
            {row.clauses.map((clause) => (
              <li key={`${clause.rule} ${clause.message}`}>
                {clause.holds === null ? '?' : clause.holds ? '✓' : '✗'} <code>{clause.rule}</code> {clause.message}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function runtimeOf({ mode, toolkit }: LibcudaRow): string {
  return mode === 'none' ? 'nothing injected' : `${mode}${toolkit === null ? '' : `, toolkit ${toolkit}`}`;
}
