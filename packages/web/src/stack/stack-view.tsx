import type { Stack } from '@culprit/core/report/stack/stack-of';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ask } from '../core/client.ts';
import { lastDiagnosis } from './last-diagnosis.ts';
import { StackFigure } from './stack-figure.tsx';

/** The stack by itself: who ships each part, and what must fit together; with the last diagnosis on it, if there is one. */
export function StackView(): JSX.Element {
  const [stack, setStack] = useState<Stack | null>(lastDiagnosis.stack);
  useEffect(() => {
    if (stack === null) void ask('stack', {}).then(setStack);
  }, [stack]);
  return (
    <>
      <h1>The stack</h1>
      <p class="soft">
        {lastDiagnosis.headline === null ? (
          <>
            Each part has one owner, and each curve is a rule that two parts must keep. <a href="#/">Diagnose</a>{' '}
            something, and your own versions stand on it.
          </>
        ) : (
          <>From the last diagnosis: {lastDiagnosis.headline}</>
        )}
      </p>
      {stack === null ? null : <StackFigure stack={stack} />}
    </>
  );
}
