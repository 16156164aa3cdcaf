import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { Input } from '../core/protocol.ts';

/** Buttons that choose files and folders, for whoever does not drag. */
export function FileButtons({ take }: { readonly take: (chosen: readonly Input[]) => void }): JSX.Element {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const chosen = (input: HTMLInputElement): void => {
    const given = [...(input.files ?? [])].map((file) => ({ name: file.webkitRelativePath || file.name, file }));
    input.value = '';
    if (given.length > 0) take(given);
  };
  return (
    <>
      <button type="button" onClick={() => files.current?.click()}>
        Open files
      </button>
      <button type="button" onClick={() => folder.current?.click()}>
        Open a folder
      </button>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label="Files to read"
        onChange={(event) => chosen(event.currentTarget)}
      />
      <input
        ref={folder}
        type="file"
        hidden
        aria-label="Folder to read"
        {...{ webkitdirectory: true }}
        onChange={(event) => chosen(event.currentTarget)}
      />
    </>
  );
}
