import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask } from '../core/client.ts';
import type { MismatchAnswer } from '../core/figure-asks.ts';
import { CopyButton } from '../shared/copy-button.tsx';
import { Figure } from './figure.tsx';
import { SceneVerdictLine } from './scene-verdict.tsx';
import { SelectField } from './select-field.tsx';
import { useAsk, useNear } from './use-ask.ts';

const start = { module: '570.124.06', packages: '570.172.08', cuda: '13.0', inImage: '560.35.05' };

const fields = [
  ['module', 'Kernel module that is loaded'],
  ['packages', 'Driver packages on the disk'],
  ['cuda', 'CUDA of the program'],
  ['inImage', 'libcuda in the image'],
] as const;

/** Three set-ups that do not fit: alike in what the user reports, told apart by one command. */
export function MismatchFigure(): JSX.Element {
  const [question, setQuestion] = useState(start);
  const [choices, setChoices] = useState<{ readonly drivers: readonly string[]; readonly toolkits: readonly string[] }>(
    {
      drivers: [],
      toolkits: [],
    },
  );
  const place = useRef<HTMLDivElement>(null);
  const near = useNear(place);
  const { answer, failed } = useAsk('mismatch', question, near);
  useEffect(() => {
    if (near) void ask('choices', {}).then(setChoices);
  }, [near]);
  const optionsOf = (field: keyof typeof start): readonly (readonly [string, string])[] =>
    [...new Set([start[field], ...(field === 'cuda' ? choices.toolkits : [start.module, ...choices.drivers])])].map(
      (each) => [each, each],
    );
  return (
    <div ref={place}>
      <Figure
        id="mismatch"
        title="Three mismatches, told apart"
        use={
          <>
            run the command where the program runs, before anything is reinstalled. If NVML does not answer, reload the
            module or drain and reboot; if it answers and the CUDA of the program is newer, upgrade the driver or take
            an older build; if the library comes from the image, leave the node alone and mend the image.
          </>
        }
      >
        <div class="fields">
          {fields.map(([field, label]) => (
            <SelectField
              key={field}
              label={label}
              value={question[field]}
              options={optionsOf(field)}
              set={(value) => setQuestion({ ...question, [field]: value })}
            />
          ))}
        </div>
        {failed === null ? null : <p role="alert">{failed}</p>}
        {answer === null ? null : <Told answer={answer} />}
      </Figure>
    </div>
  );
}

function Told({ answer }: { readonly answer: MismatchAnswer }): JSX.Element {
  return (
    <>
      <div class="beside">
        {answer.scenes.map(({ title, report, suspected }) => (
          <div key={title}>
            <h3>{title}</h3>
            <pre tabIndex={0}>{report}</pre>
            <SceneVerdictLine verdict={suspected} remedy={false} />
          </div>
        ))}
      </div>
      <h3>The one command</h3>
      <CopyButton text={answer.command} />
      <pre tabIndex={0}>{answer.command}</pre>
      <div class="beside">
        {answer.scenes.map(({ title, report, transcript, verdict }) => (
          <div key={title}>
            <h3>{title}</h3>
            <pre tabIndex={0}>{printed(transcript, report)}</pre>
            <SceneVerdictLine verdict={verdict} />
          </div>
        ))}
      </div>
      {answer.readings.length === 0 ? null : (
        <div class="scroll" role="region" aria-label="What differs" tabIndex={0}>
          <table>
            <caption>What differs in what was read</caption>
            <thead>
              <tr>
                <td />
                {answer.scenes.map(({ title }) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {answer.readings.map(({ title, values }) => (
                <tr key={title}>
                  <th scope="row">{title}</th>
                  {values.map((value, at) => (
                    <td key={at}>{value ?? <span class="soft">not in the text</span>}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

/** What the command prints: the transcript without the report and without the command. */
function printed(transcript: string, report: string): string {
  const rest = transcript.slice(report.length);
  return rest.slice(rest.indexOf('\n') + 1);
}
