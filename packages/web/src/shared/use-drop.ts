import { useEffect, useState } from 'preact/hooks';
import type { Input } from '../core/protocol.ts';
import { filesOf } from '../diagnose/dropped.ts';

/** Takes what is dropped anywhere on the page. @returns whether something is held over it */
export function useDrop(take: (dropped: readonly Input[]) => void): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const hover = (event: DragEvent): void => {
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      setOver(false);
      if (event.dataTransfer !== null) void filesOf(event.dataTransfer).then(take);
    };
    addEventListener('dragover', hover);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', hover);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, [take]);
  return over;
}
