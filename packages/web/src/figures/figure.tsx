import type { ComponentChildren, JSX } from 'preact';

/** A figure with its title, what it shows in words, and what an operator does with it. */
export function Figure(props: {
  readonly id: string;
  readonly title: string;
  readonly children: ComponentChildren;
  /** What follows for the one who runs the cluster. */
  readonly use: ComponentChildren;
}): JSX.Element {
  return (
    <section class="card figure" id={props.id} aria-labelledby={`${props.id}-title`}>
      <h2 id={`${props.id}-title`}>{props.title}</h2>
      {props.children}
      <p class="use">
        <strong>What to do with it:</strong> {props.use}
      </p>
    </section>
  );
}
