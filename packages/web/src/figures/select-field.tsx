import type { JSX } from 'preact';

/** A choice of a few. */
export function SelectField({
  label,
  value,
  options,
  set,
}: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly set: (value: string) => void;
}): JSX.Element {
  return (
    <label class="field">
      {label}
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        {options.map(([each, words]) => (
          <option key={each} value={each} selected={each === value}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
