// What rules ask of a Dockerfile that was read.
import type { Remedy } from '../../model/rule.ts';
import type { BaseImage } from './base-image.ts';
import type { Stage, Word } from './dockerfile.ts';
import type { Place } from './finding.ts';
import type { Install } from './installs.ts';
import type { Command } from './shell.ts';

/** What rules ask of a Dockerfile. */
export interface Reading {
  readonly file: string;
  readonly lines: readonly string[];
  readonly chain: readonly Stage[];
  readonly base: BaseImage | null;
  readonly commands: readonly Command[];
  readonly installs: readonly Install[];
  /** The image is meant for a GPU, as far as the file tells. */
  readonly gpu: boolean;
  /** There is a folder of stubs: only images with a compiler have one. */
  readonly stubs: boolean;
}

/** A step of the one who writes the file. */
export const developer = (text: string, command?: string): Remedy => ({
  actor: 'developer',
  do: text,
  ...(command === undefined ? {} : { command }),
});

/** Folders that the loader searches by itself. */
export const libraryFolder: RegExp = /^\/(?:usr\/)?(?:local\/)?lib(?:64|32)?(?:\/[a-z0-9_]{2,20}-linux-gnu)?(?:\/|$)/;

/** The line of a word, as evidence. */
export function placeOf(reading: Pick<Reading, 'file' | 'lines'>, word: Pick<Word, 'line' | 'column'>): Place {
  return { file: reading.file, line: word.line, column: 1, text: reading.lines[word.line - 1] ?? '' };
}
