import type { JSX } from 'preact';
import type { SceneAnswer } from '../core/figure-asks.ts';
import { SceneLegend, ScenePicture } from './scene-picture.tsx';
import { SceneVerdictLine } from './scene-verdict.tsx';
import { timeText } from './words.ts';

type Titled = SceneAnswer & { readonly title: string };

/** Scenes of the same work, one under the other on one scale: what they cost, what the core says, what happens. */
export function SceneList({
  scenes,
  columns,
  what,
}: {
  readonly scenes: readonly Titled[];
  /** Numbers beside the time. */
  readonly columns: readonly (readonly [title: string, of: (scene: SceneAnswer) => string])[];
  readonly what: string;
}): JSX.Element {
  const longest = Math.max(...scenes.map(({ spanNs }) => spanNs));
  return (
    <>
      <div class="scroll" role="region" aria-label={`What each way costs, ${what}`} tabIndex={0}>
        <table class="scene-table">
          <thead>
            <tr>
              <th scope="col">way</th>
              <th scope="col">{what} take</th>
              {columns.map(([title]) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
              <th scope="col">
                <span class="unseen">drawn</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {scenes.map((scene) => (
              <tr key={scene.title}>
                <th scope="row">{scene.title}</th>
                <td class="num">{timeText(scene.spanNs)}</td>
                {columns.map(([title, of]) => (
                  <td key={title} class="num">
                    {of(scene)}
                  </td>
                ))}
                <td class="drawn-cell">
                  <span class="meter" style={{ width: `${(100 * scene.spanNs) / longest}%` }} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {scenes.map((scene) => (
        <div key={scene.title}>
          <h3>{scene.title}</h3>
          <SceneVerdictLine verdict={scene.verdict} />
          <ScenePicture picture={scene.picture} label={scene.title} />
        </div>
      ))}
      <SceneLegend pictures={scenes.map(({ picture }) => picture)} />
    </>
  );
}
