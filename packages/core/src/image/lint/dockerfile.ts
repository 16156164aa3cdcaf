// A Dockerfile as stages of instructions with their lines, variables put in (Dockerfile reference, "Environment
// replacement"). Reading lines, continuations, heredocs and the escape directive is the work of dockerfile-ast.
import { DockerfileParser, PropertyInstruction, From, JSONInstruction, Run, Copy } from 'dockerfile-ast';
import type { Instruction as Parsed } from 'dockerfile-ast';

/** A word with the line it stands in, from 1, and the column, from 1. */
export interface Word {
  readonly text: string;
  readonly line: number;
  readonly column: number;
  /** It stands in a heredoc, where a new line is a new command. */
  readonly heredoc: boolean;
}

export interface Instruction {
  /** `RUN`, upper case. */
  readonly keyword: string;
  readonly line: number;
  readonly words: readonly Word[];
  /** Of ENV, ARG and LABEL, with variables put in. Null: no value, or one with a variable that is not known. */
  readonly pairs: readonly { readonly name: string; readonly value: string | null; readonly word: Word }[];
  /** Words of the exec form; null in the shell form. */
  readonly exec: readonly string[] | null;
  /** `--from=builder`. */
  readonly flags: Readonly<Record<string, string>>;
}

export interface Stage {
  /** Name after AS, lower case; else null. */
  readonly name: string | null;
  /** The image, with variables put in; null where one is not known. */
  readonly image: string | null;
  /** Place of the stage that it builds on; null for an image. */
  readonly on: number | null;
  readonly platform: string | null;
  readonly from: Word;
  readonly instructions: readonly Instruction[];
  /** Variables after the last instruction. */
  readonly env: ReadonlyMap<string, string | null>;
}

export interface Dockerfile {
  readonly stages: readonly Stage[];
  readonly lines: readonly string[];
  /** What was not read, and why. */
  readonly left: readonly string[];
}

const mostText = 256 << 10;
const mostLine = 16 << 10;
const mostInstructions = 5000;
const mostValue = 32 << 10;
/** Variables of BuildKit that are known only when an image is built. */
const atBuild = /^(?:BUILD|TARGET)(?:PLATFORM|OS|ARCH|VARIANT)$/;

/**
 * Reads a Dockerfile. Never throws; what is too much is cut and said.
 * @param inherited variables that an image brings, by its reference
 * @param args `--build-arg` values
 */
export function readDockerfile(
  whole: string,
  inherited: (image: string) => Readonly<Record<string, string>>,
  args: Readonly<Record<string, string>> = {},
): Dockerfile {
  const left: string[] = [];
  const lines = whole
    .slice(0, mostText)
    .split(/\r?\n/)
    .map((line) => line.slice(0, mostLine));
  const text = lines.join('\n');
  if (mostText < whole.length) left.push('the Dockerfile is longer than 256 KiB: the rest was not read');
  if (lines.some((line) => line.length === mostLine))
    left.push('a line is longer than 16 KiB: the rest of it was not read');
  let parsed: readonly Parsed[] = [];
  try {
    parsed = DockerfileParser.parse(text).getInstructions();
  } catch {
    left.push('the Dockerfile could not be read');
  }
  if (parsed.length > mostInstructions) left.push(`only the first ${mostInstructions} instructions were read`);
  const stages: Made[] = [];
  const global = new Map<string, string | null>();
  for (const one of parsed.slice(0, mostInstructions)) {
    const keyword = one.getKeyword().toUpperCase();
    if (one instanceof From) {
      stages.push(stageOf(one, stages, global, inherited));
      continue;
    }
    const stage = stages.at(-1);
    const env = stage?.env ?? global;
    const instruction = instructionOf(one, keyword, env, stage === undefined ? null : global, args);
    stage?.instructions.push(instruction);
  }
  return { stages, lines, left };
}

interface Made extends Stage {
  readonly instructions: Instruction[];
  readonly env: Map<string, string | null>;
}

function stageOf(
  from: From,
  stages: readonly Made[],
  global: ReadonlyMap<string, string | null>,
  inherited: (image: string) => Readonly<Record<string, string>>,
): Made {
  const range = from.getImageRange() ?? from.getRange();
  const image = substituted(from.getImage() ?? '', global);
  const name = from.getBuildStage()?.toLowerCase() ?? null;
  const on = image === null ? -1 : stages.findLastIndex((stage) => stage.name === image.toLowerCase());
  const flag = from.getPlatformFlag()?.getValue();
  const base = on >= 0 ? stages[on] : undefined;
  const env = new Map<string, string | null>(base?.env ?? Object.entries(image === null ? {} : inherited(image)));
  return {
    name,
    image: on >= 0 || image === '' ? null : image,
    on: on >= 0 ? on : null,
    platform: flag == null ? (base?.platform ?? null) : substituted(flag, global),
    from: {
      text: from.getImage() ?? '',
      line: range.start.line + 1,
      column: range.start.character + 1,
      heredoc: false,
    },
    instructions: [],
    env,
  };
}

function instructionOf(
  one: Parsed,
  keyword: string,
  env: Map<string, string | null>,
  global: ReadonlyMap<string, string | null> | null,
  args: Readonly<Record<string, string>>,
): Instruction {
  const line = one.getRange().start.line + 1;
  const heredocs =
    one instanceof Run || one instanceof Copy ? one.getHeredocs().flatMap((each) => each.getContentRange() ?? []) : [];
  const words = one.getArguments().map((word): Word => {
    const { start } = word.getRange();
    return {
      text: word.getValue(),
      line: start.line + 1,
      column: start.character + 1,
      heredoc: heredocs.some((range) => range.start.line <= start.line && start.line <= range.end.line),
    };
  });
  const pairs: Instruction['pairs'][number][] = [];
  if (one instanceof PropertyInstruction && (keyword === 'ENV' || keyword === 'ARG' || keyword === 'LABEL')) {
    // Values see the variables as they were before the instruction.
    for (const property of one.getProperties()) {
      const { start } = property.getRange();
      const name = property.getName();
      const word = { text: name, line: start.line + 1, column: start.character + 1, heredoc: false };
      const written = property.getValue();
      const outer = keyword === 'ARG' && written === null && global !== null ? global.get(name) : undefined;
      const given = keyword === 'ARG' ? args[name] : undefined;
      pairs.push({ name, value: given ?? outer ?? (written === null ? null : substituted(written, env)), word });
    }
    if (keyword !== 'LABEL') for (const pair of pairs) env.set(pair.name, pair.value);
  }
  const exec =
    one instanceof JSONInstruction && one.getOpeningBracket() !== null
      ? one.getJSONStrings().map((each) => each.getJSONValue())
      : null;
  const flags: Record<string, string> = {};
  if (one instanceof JSONInstruction) for (const flag of one.getFlags()) flags[flag.getName()] = flag.getValue() ?? '';
  return { keyword, line, words, pairs, exec, flags };
}

/**
 * Puts `$NAME`, `${NAME}`, `${NAME:-word}`, `${NAME-word}`, `${NAME:+word}` and `${NAME+word}` in; a variable that was
 * never set is empty. Null where the value depends on one that is only known at the build.
 */
export function substituted(text: string, env: ReadonlyMap<string, string | null>, depth = 0): string | null {
  let out = '';
  for (let at = 0; at < text.length; at++) {
    // A value that doubles itself again and again is not followed.
    if (out.length > mostValue) return null;
    const character = text[at]!;
    if (character === '\\' && at + 1 < text.length) {
      out += text[++at]!;
      continue;
    }
    if (character !== '$') {
      out += character;
      continue;
    }
    const bare = /^[A-Za-z_][A-Za-z0-9_]{0,200}/.exec(text.slice(at + 1, at + 210))?.[0];
    if (bare !== undefined) {
      const value = valueOf(bare, env);
      if (value === null) return null;
      out += value;
      at += bare.length;
      continue;
    }
    if (text[at + 1] !== '{') {
      out += character;
      continue;
    }
    const end = closing(text, at + 1);
    const inner = end < 0 ? null : /^([A-Za-z_][A-Za-z0-9_]{0,200})(:?[-+])?/.exec(text.slice(at + 2, end));
    if (inner === null || depth > 8) return null;
    const rest = text.slice(at + 2 + inner[0].length, end);
    const operator = inner[2];
    if (operator === undefined && rest !== '') return null;
    const value = valueOf(inner[1]!, env);
    const isSet = env.has(inner[1]!) && (operator?.startsWith(':') !== true || value !== '');
    const takesWord = operator === undefined ? false : operator.endsWith('-') ? !isSet : isSet;
    const put =
      operator?.endsWith('+') === true && !takesWord ? '' : takesWord ? substituted(rest, env, depth + 1) : value;
    if (put === null) return null;
    out += put;
    at = end;
  }
  return out;
}

function valueOf(name: string, env: ReadonlyMap<string, string | null>): string | null {
  if (env.has(name)) return env.get(name) ?? null;
  return atBuild.test(name) ? null : '';
}

/** Place of the brace that closes the one at `from`; -1 where none does. */
function closing(text: string, from: number): number {
  let depth = 0;
  const end = Math.min(text.length, from + 4000);
  for (let at = from; at < end; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return at;
  }
  return -1;
}

/** The stages that the last one is built on, itself last. What other stages do is not in the image. */
export function finalChain(file: Dockerfile, target: string | null = null): readonly Stage[] {
  const chain: Stage[] = [];
  const last = target === null ? -1 : file.stages.findLastIndex((stage) => stage.name === target.toLowerCase());
  let at: number | null = last >= 0 ? last : file.stages.length - 1;
  while (at !== null && at >= 0) {
    const stage: Stage | undefined = file.stages[at];
    if (stage === undefined) break;
    chain.unshift(stage);
    // A stage builds on an earlier one only.
    at = stage.on !== null && stage.on < at ? stage.on : null;
  }
  return chain;
}
