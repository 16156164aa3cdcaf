import type { JSX } from 'preact';

/** A number by slider and by keyboard. */
export function NumberField(props: {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly set: (value: number) => void;
  readonly words?: string;
}): JSX.Element {
  const take = (event: { readonly currentTarget: HTMLInputElement }): void => {
    const value = Number(event.currentTarget.value);
    if (Number.isFinite(value)) props.set(Math.max(props.min, Math.min(props.max, Math.round(value))));
  };
  return (
    <label class="field number">
      {props.label}
      <input
        type="range"
        min={props.min}
        max={props.max}
        step={props.step}
        value={props.value}
        onInput={take}
        aria-valuetext={props.words ?? String(props.value)}
      />
      <span class="soft">{props.words ?? props.value.toLocaleString('en')}</span>
    </label>
  );
}
