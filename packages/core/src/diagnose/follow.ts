import { fits } from '../knowledge/explained-by.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { Document, Evidence } from '../model/document.ts';
import type { Certainty, Status } from '../model/layer.ts';
import type { Finding, Verdict } from '../model/verdict.ts';
import { parsers } from '../parse/parsers.ts';
import { diagnose } from './diagnose.ts';
import { mayFollowByLines } from '../text/follows.ts';
import type { FollowBounds } from './follow-window.ts';
import { FollowWindow, followBounds } from './follow-window.ts';
import { recogniserOf } from './recognise.ts';

/** What changed in the verdict on a growing text since it was last looked at. */
export type FollowChange =
  /** A finding became decidable. `explains` names findings that were told before and are only its consequences. */
  | {
      readonly event: 'finding';
      readonly status: Status;
      readonly finding: Finding;
      readonly explains: readonly string[];
    }
  /** A finding that was told is surer now, or less sure. */
  | { readonly event: 'certainty'; readonly was: Certainty; readonly now: Certainty; readonly finding: Finding }
  /** A finding that was told turned out to be a consequence of one that was told before it. */
  | { readonly event: 'explained'; readonly rule: string; readonly by: string }
  /** A finding that was told does not hold any more. */
  | { readonly event: 'withdrawn'; readonly rule: string; readonly because: string };

interface Told {
  certainty: Certainty;
  state: 'open' | 'explained' | 'withdrawn';
}

/** Lines that are kept of all files before a rotation. */
const mostFormer = 2000;

/**
 * Diagnoses a text that grows. It holds no clock: whoever feeds it decides when to look, by `due`.
 * Memory is bounded by `FollowBounds`, however long the text runs.
 */
export class Follower {
  private readonly knowledge: Knowledge;
  private readonly bounds: FollowBounds;
  private readonly file: string;
  private window: FollowWindow;
  private former: Document[] = [];
  private readonly told = new Map<string, Told>();
  private last: Verdict | null = null;

  /** @param file name that evidence carries: `-` for standard input */
  constructor(knowledge: Knowledge, file: string, bounds: FollowBounds = followBounds) {
    this.knowledge = knowledge;
    this.bounds = bounds;
    this.file = file;
    this.window = this.newWindow();
  }

  private newWindow(): FollowWindow {
    return new FollowWindow(recogniserOf(this.knowledge.signatures, parsers), this.bounds);
  }

  /** @param bytes UTF-8, in any pieces */
  push(bytes: Uint8Array): void {
    this.window.push(bytes);
  }

  /** Number of the last complete line. */
  get line(): number {
    return this.window.lines;
  }

  /** `now`: something came that was seldom met; `later`: only what has been met often; null: nothing recognised came. */
  get due(): 'now' | 'later' | null {
    return this.window.fresh ? 'now' : this.window.met ? 'later' : null;
  }

  /** Documents as they stand, for whoever learns names from them. */
  documents(): readonly Document[] {
    const { file } = this;
    return [...this.former, { file, source: 'text', subject: 'text', lines: this.window.snapshot(), left: [] }];
  }

  /** Looks at what is kept. @returns what changed since the last look */
  look(): readonly FollowChange[] {
    this.window.seen();
    const verdict = diagnose(this.documents(), this.knowledge);
    this.last = verdict;
    this.window.pin(linesOf(verdict, this.file));
    return this.changes(verdict);
  }

  /**
   * Another text takes the place of this one: the file was rotated or cut. Line numbers start anew; of the old text
   * stays what proves something.
   * @returns what the unfinished last line changed
   */
  replace(): readonly FollowChange[] {
    this.window.end();
    const changes = this.look();
    const lines = this.window.pinned();
    const file = `${this.file} (before it was replaced, ${this.former.length + 1})`;
    if (lines.length > 0) this.former.push({ file, source: 'text', subject: 'text', lines, left: [] });
    while (this.former.reduce((sum, each) => sum + each.lines.length, 0) > mostFormer) this.former.shift();
    this.window = this.newWindow();
    return changes;
  }

  /** The text has ended. @returns what the rest changed, and the verdict on all of it */
  finish(): { readonly changes: readonly FollowChange[]; readonly verdict: Verdict } {
    this.window.end();
    const changes = this.last === null || this.due !== null ? this.look() : [];
    return { changes, verdict: this.last! };
  }

  private changes(verdict: Verdict): readonly FollowChange[] {
    const changes: FollowChange[] = [];
    const accusing = verdict.certainty === null ? [] : verdict.findings.filter((each) => each.certainty !== 'possible');
    for (const finding of accusing) {
      const told = this.told.get(finding.rule);
      const by = explainedBy(finding, accusing);
      if (told === undefined || told.state === 'withdrawn') {
        // A consequence of what is known already is no news.
        if (by !== null) continue;
        const explains = this.consequences(finding, accusing);
        for (const rule of explains) this.told.get(rule)!.state = 'explained';
        this.told.set(finding.rule, { certainty: finding.certainty, state: 'open' });
        changes.push({ event: 'finding', status: this.statusOf(finding), finding, explains });
        continue;
      }
      if (told.certainty !== finding.certainty) {
        changes.push({ event: 'certainty', was: told.certainty, now: finding.certainty, finding });
        told.certainty = finding.certainty;
      }
      if (told.state === 'open' && by !== null) {
        told.state = 'explained';
        if (this.told.has(by)) changes.push({ event: 'explained', rule: finding.rule, by });
      }
    }
    // A verdict names twelve findings: one that is not among so many may hold still.
    if (verdict.findings.length >= 12) return changes;
    for (const [rule, told] of this.told) {
      if (told.state === 'withdrawn' || accusing.some((each) => each.rule === rule)) continue;
      const lead = accusing[0];
      const by = lead !== undefined && lead.rule !== rule && lead.explains.some((pattern) => fits(pattern, rule));
      if (told.state === 'explained' || by) {
        if (told.state === 'open') changes.push({ event: 'explained', rule, by: lead!.rule });
        told.state = 'explained';
        continue;
      }
      told.state = 'withdrawn';
      changes.push({ event: 'withdrawn', rule, because: verdict.headline });
    }
    return changes;
  }

  /** Findings that were told and that a new one explains. */
  private consequences(finding: Finding, accusing: readonly Finding[]): readonly string[] {
    return [...this.told]
      .filter(
        ([rule, told]) =>
          told.state === 'open' &&
          rule !== finding.rule &&
          finding.explains.some((pattern) => fits(pattern, rule)) &&
          mayFollowByLines(finding.evidence, accusing.find((each) => each.rule === rule)?.evidence ?? []) &&
          !(
            accusing.find((each) => each.rule === rule)?.explains.some((pattern) => fits(pattern, finding.rule)) ??
            false
          ),
      )
      .map(([rule]) => rule);
  }

  private statusOf(finding: Finding): Status {
    return this.knowledge.causes.find((each) => each.cause === finding.cause)?.status ?? 'fault';
  }
}

function explainedBy(finding: Finding, accusing: readonly Finding[]): string | null {
  // The verdict's lead is explained by nothing.
  if (finding === accusing[0]) return null;
  return (
    accusing.find(
      (each) =>
        each !== finding &&
        each.explains.some((pattern) => fits(pattern, finding.rule)) &&
        mayFollowByLines(each.evidence, finding.evidence),
    )?.rule ?? null
  );
}

/** Lines of the current text that the verdict rests on, those of findings first. */
function linesOf(verdict: Verdict, file: string): readonly number[] {
  const evidence: Evidence[] = [
    ...verdict.findings.flatMap((each) => each.evidence),
    ...verdict.cleared.flatMap((each) => each.evidence),
    ...verdict.facts.flatMap((each) => each.seen),
  ];
  return [...new Set(evidence.filter((each) => each.file === file).map((each) => each.line))];
}
