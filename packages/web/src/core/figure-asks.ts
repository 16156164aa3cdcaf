import type { Clause, Judgement } from '@culprit/core/compat/judgement';
import type { Verdict } from '@culprit/core/model/verdict';
import type { MemoryHierarchy } from '@culprit/core/occupancy/memory-levels';
import type { CopySetup } from '@culprit/core/trace/scenes/copy-scenes';
import type { Picture } from '@culprit/core/trace/scenes/picture';
import type { StreamSetup } from '@culprit/core/trace/scenes/stream-scenes';
import type { Link } from './protocol.ts';

/** A GPU whose memories are known. */
export interface GpuChoice {
  readonly gpu: string;
  readonly variant: string | null;
}

/** What the core says of a scene: the verdict, in the parts that a figure shows. */
export interface SceneVerdict {
  readonly status: Verdict['status'];
  readonly headline: string;
  readonly cause: string | null;
  readonly certainty: Verdict['certainty'];
  readonly remedy: string | null;
}

/** A scene that was played and judged. Times in ns. */
export interface SceneAnswer {
  readonly verdict: SceneVerdict;
  readonly picture: Picture;
  readonly spanNs: number;
  readonly numbers: {
    readonly serialisedNs: number | null;
    readonly idleShare: number | null;
    readonly gapMedianNs: number | null;
    readonly launches: number | null;
    readonly exposedCopiesNs: number | null;
  };
}

interface ManagedAnswer extends SceneAnswer {
  readonly neededNs: number;
  /** Bytes at full size, in each step on average. */
  readonly toDevice: number;
  readonly toHost: number;
  /** How many times smaller the scene is than what it stands for. */
  readonly scale: number;
  readonly memoryGB: number;
  readonly dataGB: number;
  readonly linkGBps: number;
}

/** What a node does with an image in one way to start it. */
export interface LibcudaRow {
  readonly mode: string;
  readonly toolkit: string | null;
  readonly kind: string | null;
  readonly version: string | null;
  readonly by: string | null;
  readonly answer: Judgement['answer'];
  readonly rule: string | null;
  readonly errorSeen: string | null;
  readonly message: string;
  readonly needs: string | null;
  readonly clauses: readonly Clause[];
}

export interface MismatchAnswer {
  readonly command: string;
  readonly scenes: readonly {
    readonly title: string;
    readonly report: string;
    readonly suspected: SceneVerdict;
    readonly transcript: string;
    readonly verdict: SceneVerdict;
  }[];
  readonly readings: readonly { readonly title: string; readonly values: readonly (string | null)[] }[];
}

type Problem = { readonly problem: string };

/** What the figures ask. */
export interface FigureAsks {
  readonly memory: {
    readonly question: GpuChoice;
    readonly answer: {
      readonly known: readonly GpuChoice[];
      readonly found: MemoryHierarchy | null;
      readonly problem: string | null;
      readonly sources: Readonly<Record<string, Link>>;
    };
  };
  readonly managed: {
    readonly question: GpuChoice & {
      /** Of the memory of the GPU. */
      readonly dataPercent: number;
      readonly reuse: number;
      readonly how: 'demand' | 'prefetch';
      readonly hostPercent: number;
    };
    readonly answer: ManagedAnswer | Problem;
  };
  readonly copies: {
    readonly question: GpuChoice & {
      readonly batchMB: number;
      readonly kernelUs: number;
      readonly pageablePercent: number;
    };
    readonly answer:
      | { readonly scenes: readonly (SceneAnswer & { readonly setup: CopySetup })[]; readonly linkGBps: number }
      | Problem;
  };
  readonly streams: {
    readonly question: { readonly kernelUs: number; readonly sharePercent: number };
    readonly answer: readonly (SceneAnswer & { readonly setup: StreamSetup })[];
  };
  readonly libcuda: {
    readonly question: { readonly image: string; readonly driver: string; readonly gpu: string };
    readonly answer: {
      readonly images: readonly { readonly id: string; readonly title: string }[];
      readonly rows: readonly LibcudaRow[];
    };
  };
  readonly mismatch: {
    readonly question: {
      readonly module: string;
      readonly packages: string;
      readonly cuda: string;
      readonly inImage: string;
    };
    readonly answer: MismatchAnswer;
  };
}
