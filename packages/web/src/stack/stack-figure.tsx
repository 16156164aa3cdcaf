import type { Stack, StackJoint, StackPart } from '@culprit/core/report/stack/stack-of';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

const states: Readonly<Record<StackPart['state'], { readonly words: string; readonly tone: string }>> = {
  guilty: { words: 'to blame', tone: 'bad' },
  suspect: { words: 'suspect', tone: 'slow' },
  cleared: { words: 'cleared', tone: 'good' },
  unknown: { words: 'not known', tone: 'doubt' },
  quiet: { words: '', tone: 'quiet' },
};

/** The stack from the application down to the hardware: releases on the parts, and what must fit together beside them. */
export function StackFigure({ stack }: { readonly stack: Stack }): JSX.Element {
  const parts = stack.parts.toReversed();
  const list = useRef<HTMLOListElement>(null);
  const [middles, setMiddles] = useState<Readonly<Record<string, number>>>({});
  useEffect(() => {
    const root = list.current;
    if (root === null) return;
    const measure = (): void => {
      const found: Record<string, number> = {};
      for (const item of root.children as unknown as Iterable<HTMLElement>)
        found[item.dataset['part'] ?? ''] = item.offsetTop + item.offsetHeight / 2;
      setMiddles(found);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(root);
    measure();
    return () => observer.disconnect();
  }, [stack]);
  return (
    <div class="stack">
      <ol ref={list} aria-label="The stack, application first">
        {parts.map((part) => (
          <Part
            key={part.id}
            part={part}
            joints={stack.joints.filter(({ above }) => above === part.id)}
            parts={parts}
          />
        ))}
      </ol>
      <svg class="arcs" aria-hidden="true">
        {stack.joints.map((joint, at) => (
          <Arc
            key={at}
            joint={joint}
            from={middles[joint.below]}
            to={middles[joint.above]}
            lane={laneOf(joint, parts)}
          />
        ))}
      </svg>
    </div>
  );
}

/** Joints of parts that lie far apart swing out further. */
function laneOf(joint: StackJoint, parts: readonly StackPart[]): number {
  const at = (id: string): number => parts.findIndex((part) => part.id === id);
  return Math.abs(at(joint.below) - at(joint.above));
}

function Arc(props: {
  readonly joint: StackJoint;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly lane: number;
}): JSX.Element | null {
  const { from, to } = props;
  if (from === undefined || to === undefined) return null;
  const out = Math.min(64, 12 + props.lane * 8);
  return (
    <path
      class={`arc ${props.joint.state}`}
      d={`M 0 ${from} C ${out} ${from}, ${out} ${to}, 0 ${to}`}
      data-joint={`${props.joint.below} ${props.joint.above}`}
    />
  );
}

function Part(props: {
  readonly part: StackPart;
  readonly joints: readonly StackJoint[];
  readonly parts: readonly StackPart[];
}): JSX.Element {
  const { part, joints } = props;
  const { words, tone } = states[part.state];
  return (
    <li data-part={part.id} class={`part ${tone}`}>
      <p class="title">
        <strong>{part.title}</strong>
        {words === '' ? null : <span class="state">{words}</span>}
      </p>
      {part.versions.length === 0 ? null : (
        <p class="versions">
          {part.versions.map(({ words: before, value, origin }) => (
            <span key={`${before} ${value}`}>
              {before === '' ? '' : `${before} `}
              <b>{value}</b>
              {origin === null ? null : <span class="soft"> ({origin})</span>}
            </span>
          ))}
        </p>
      )}
      {part.because === null ? null : <p class="because">{part.because}</p>}
      <details open={joints.some(({ state }) => state !== 'quiet')}>
        <summary>
          ships with {part.shippedBy}
          {joints.length === 0 ? '' : '; must fit below'}
        </summary>
        <ul>
          {joints.map(({ below, rule, state, because }) => (
            <li key={below} class={state === 'quiet' ? undefined : state === 'guilty' ? 'bad' : 'slow'}>
              {props.parts.find(({ id }) => id === below)?.title}: {rule}
              {because === null ? null : <strong class="broken"> ✗ {because}</strong>}
            </li>
          ))}
        </ul>
      </details>
    </li>
  );
}
